"""The programs' interpreters, which are asked what they have before anything is started."""

import os
import re
import shutil
import subprocess

from migrate.analysis.program.needs import VARIABLE
from migrate.analysis.program.tree import Tree
from migrate.planning.entry_points import modules_of_program
from migrate.planning.old_tensorflow import of_tensorflow_1
from migrate.verify.training_program import ProgramError


def with_tensorflow(python: str, option: str) -> str:
    """The interpreter's path; its package is looked for without importing it, which takes seconds."""
    path = shutil.which(python)
    if path is None:
        raise ProgramError(
            f"the interpreter {python} {'cannot be run' if os.path.exists(python) else 'does not exist'}"
        )
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tensorflow') is None)"
    try:
        looked = subprocess.run([path, "-c", look], stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as error:
        raise ProgramError(f"the interpreter {python} cannot be run: {error.strerror}") from error
    if looked.returncode != 0:
        raise ProgramError(f"the interpreter {python} has no TensorFlow: name one that has it with {option}")
    return path


def old_interpreter(script: str, python: str) -> str:
    """Returns OLD's interpreter; raises ProgramError where its TensorFlow lacks what OLD asks of it."""
    path = with_tensorflow(python, "--old-python")
    modules = modules_of_program(script, Tree())  # of one that cannot be read its interpreter says so
    version = _version(path)
    if not version.startswith("1."):
        lacking = of_tensorflow_1(modules)
        if lacking:
            raise ProgramError(
                f"OLD uses TensorFlow 1's API ({lacking}), which {python} (TensorFlow {version}) lacks: name an "
                "interpreter with TensorFlow 1.15 (Python 3.7) with --old-python; nothing was started"
            )
    if any(site.kind == "estimator" for module in modules for site in module.sites) and not _has_estimator(path):
        raise ProgramError(
            f"OLD makes an Estimator, and the interpreter {python} (TensorFlow {version}) has no "
            "tf.estimator: name one with TensorFlow 2.15 or earlier with --old-python; nothing was started"
        )
    return path


def keras_2_variable(python: str, side: str, env: dict[str, str]) -> dict[str, str]:
    """The variables of a program, without that for Keras 2 where TensorFlow has no other Keras."""
    name, _, asked = VARIABLE.partition("=")
    if env.get(name) != asked:
        return env
    version = _version(python)
    release = re.match(r"2\.(\d+)", version)
    if release is not None and int(release[1]) < 16:
        return {one: value for one, value in env.items() if one != name}
    if _output_of(python, "import importlib.util as u; print(bool(u.find_spec('tf_keras')))") != "True":
        raise ProgramError(
            f"{side} is given {VARIABLE}, and the interpreter {python} (TensorFlow {version}) has no tf_keras: "
            "install the release of its TensorFlow there; nothing was started"
        )
    return env


def _version(python: str) -> str:
    """The version of an interpreter's TensorFlow, without importing it."""
    look = (
        "try:\n    import importlib.metadata as m\nexcept ImportError:\n    import importlib_metadata as m\n"
        "print(next((d.version for n in ('tensorflow', 'tensorflow-cpu', 'tensorflow-gpu', 'tf-nightly') "
        "for d in m.distributions(name=n)), 'of an unknown version'))"
    )
    return _output_of(python, look)


def _has_estimator(python: str) -> bool:
    return _output_of(python, "import importlib.util as u; print(bool(u.find_spec('tensorflow_estimator')))") == "True"


def _output_of(python: str, code: str) -> str:
    done = subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout.strip()
