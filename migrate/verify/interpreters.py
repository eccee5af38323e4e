"""Checks, before anything is started, that the interpreters suit the programs and these take their directories."""

import os
import re
import shutil
import subprocess

from migrate.analysis.program.needs import VARIABLE
from migrate.analysis.program.tree import Tree
from migrate.planning.directories import Directory, Origin, directories
from migrate.planning.entry_points import modules_of_program
from migrate.planning.needs import first_tensorflow_1_use
from migrate.verify.training_program import Program, ProgramError


def find_interpreter(python: str, option: str) -> str:
    """Returns the interpreter's path; raises ProgramError if it has no TensorFlow, which it does not import."""
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
    """Returns the path of OLD's interpreter; raises ProgramError if its TensorFlow lacks what OLD uses."""
    path = find_interpreter(python, "--old-python")
    modules = modules_of_program(script, Tree())  # empty for a file that cannot be parsed: Python will report it
    version = _version(path)
    if not version.startswith("1."):
        lacking = first_tensorflow_1_use(modules)
        if lacking:
            raise ProgramError(
                f"OLD uses TensorFlow 1's API ({lacking}), which {python} (TensorFlow {version}) lacks: name an "
                "interpreter with TensorFlow 1.15 (Python 3.7) with --old-python; nothing was started"
            )
    look = "import importlib.util as u; print(bool(u.find_spec('tensorflow_estimator')))"
    makes_one = any(site.kind == "estimator" for module in modules for site in module.sites)
    if makes_one and _output_of(path, look) != "True":
        raise ProgramError(
            f"OLD makes an Estimator, and the interpreter {python} (TensorFlow {version}) has no "
            "tf.estimator: name one with TensorFlow 2.15 or earlier with --old-python; nothing was started"
        )
    return path


def keras_2_variable(python: str, side: str, env: dict[str, str]) -> dict[str, str]:
    """Returns the program's variables, without the one that chooses Keras 2 if its TensorFlow has only Keras 2."""
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
    """Returns the version of an interpreter's TensorFlow without importing it."""
    look = (
        "try:\n    import importlib.metadata as m\nexcept ImportError:\n    import importlib_metadata as m\n"
        "print(next((d.version for n in ('tensorflow', 'tensorflow-cpu', 'tensorflow-gpu', 'tf-nightly') "
        "for d in m.distributions(name=n)), 'of an unknown version'))"
    )
    return _output_of(python, look)


def _output_of(python: str, code: str) -> str:
    done = subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout.strip()


MODEL_DIR = "{model_dir}"


def refusal(program: Program) -> str:
    """Returns why a program would not train in its run's directory, to follow its name; "" if it may.

    A program is refused if none of the directories found in its code is the run's. ``recording/guard.py`` stops a
    program that uses a directory which is not found here.
    """
    found = directories(str(program.script), Tree())
    reasons = [_refusal_of_directory(one, program) for one in found]
    return reasons[0] if reasons and all(reasons) else ""


def _refusal_of_directory(directory: Directory, program: Program) -> str:
    where = f"({directory.place})"
    if directory.origin is Origin.WRITTEN:
        if not directory.is_absolute:
            return "" if program.in_own else f"saves into {directory.name} {where}, which is in its code: add --own-cwd"
        return (
            f"saves into {directory.name} {where}, which is in its code: give it a flag for its directory, --model_dir"
        )
    if directory.origin is Origin.TEMPORARY:
        use = f"saves into a temporary directory {where}, from which nothing resumes"
        return f"{use}: give it a flag for its directory, --model_dir"
    if directory.origin is Origin.ENVIRONMENT and MODEL_DIR not in program.env.get(directory.name, ""):
        return f"takes its directory from the environment {where}: add --env {directory.name}={MODEL_DIR}"
    if directory.origin is Origin.FLAG and not program.in_own and not _is_given(directory.name, program):
        option = f"--model-dir-flag {directory.name}" if directory.name.startswith("-") else f"--args '{MODEL_DIR} …'"
        return f"takes its directory from {directory.name} {where}: add {option}"
    return ""


def _is_given(flag: str, program: Program) -> bool:
    """Whether the program's arguments or variables pass the run's directory, to this flag if it is an option."""
    if any(MODEL_DIR in value for value in program.env.values()):
        return True
    pairs = zip(["", *program.args], program.args, strict=False)
    for before, arg in pairs:
        if MODEL_DIR not in arg:
            continue
        name = arg.partition("=")[0] if arg.startswith("-") else before
        if not flag.startswith("-") or _flag_name(name) == _flag_name(flag):
            return True
    return False


def _flag_name(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")
