"""Whatever the layout of a program's files, and however it is started, they find what was written for them."""

import json
import os
import sys

from migrate.pipeline.run import run as codemod
from migrate.pipeline.run import write
from migrate.settings import Settings
from tests import nursery

MODEL = """\
import tensorflow.compat.v1 as tf


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat()


def model_fn(features, labels, mode):
    kernel = tf.get_variable("kernel", [2, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean((tf.matmul(features, kernel) - labels) ** 2)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""

TRAIN = """\
import os
import sys

import tensorflow.compat.v1 as tf

{}


def main(directory):
    estimator = tf.estimator.Estimator(model.model_fn, directory)
    estimator.train(model.input_fn, max_steps=1)


if __name__ == "__main__":
    main(sys.argv[1])
"""

BUILDER = """\
import tensorflow.compat.v1 as tf


def make(model_fn, directory):
    return tf.estimator.tpu.TPUEstimator(
        lambda features, labels, mode, params: model_fn(features, labels, mode),
        use_tpu=False,
        train_batch_size=4,
        config=tf.estimator.tpu.RunConfig(
            model_dir=directory, tpu_config=tf.estimator.tpu.TPUConfig(iterations_per_loop=5)
        ),
    )
"""

HANDED_ON = f"""\
import sys

import builder
{MODEL}

if __name__ == "__main__":
    builder.make(model_fn, sys.argv[1]).train(lambda params: input_fn(), max_steps=1)
"""

MAKER = f"""\
{MODEL}

def make(config):
    return tf.estimator.Estimator(model_fn, config=config)


def evaluate(estimator, spec):
    tf.estimator.train_and_evaluate(estimator, tf.estimator.TrainSpec(input_fn, max_steps=1), spec)
"""

MADE = """\
import sys

import tensorflow.compat.v1 as tf

{}


class Own(tf.estimator.Exporter):
    name = "own"

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        return export_path


def main(directory):
    estimator = maker.make(tf.estimator.RunConfig(directory))
    maker.evaluate(estimator, tf.estimator.EvalSpec(maker.input_fn, steps=1, exporters=Own()))


if __name__ == "__main__":
    main(sys.argv[1])
"""

EITHER = "try:\n    from . import model\nexcept ImportError:\n    import model"
BESIDE = "sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))\nimport model"

LAYOUTS = {
    "a script above a package": (
        {"train.py": "from pkg import model", "pkg/__init__.py": "", "pkg/model.py": ""},
        ["train.py", "-m train"],
    ),
    "a package that names itself": (
        {"pkg/train.py": "from pkg import model", "pkg/__init__.py": "", "pkg/model.py": ""},
        ["-m pkg.train", "pkg/train.py from ."],
    ),
    "relative imports": (
        {"pkg/train.py": "from . import model", "pkg/__init__.py": "", "pkg/model.py": ""},
        ["-m pkg.train"],
    ),
    "a package used as a folder": (
        {"pkg/train.py": "import model", "pkg/__init__.py": "", "pkg/model.py": ""},
        ["pkg/train.py"],
    ),
    "a package without __init__": (
        {"pkg/train.py": "from pkg import model", "pkg/model.py": ""},
        ["-m pkg.train", "pkg/train.py from ."],
    ),
    "src": (
        {"src/pkg/train.py": "from pkg import model", "src/pkg/__init__.py": "", "src/pkg/model.py": ""},
        ["-m pkg.train from src"],
    ),
    "packages in a package": (
        {
            "pkg/__init__.py": "",
            "pkg/jobs/__init__.py": "",
            "pkg/jobs/train.py": "from ..models import model",
            "pkg/models/__init__.py": "",
            "pkg/models/model.py": "",
        },
        ["-m pkg.jobs.train"],
    ),
    "two programs of one model": (
        {
            "common/__init__.py": "",
            "common/model.py": "",
            "a/__init__.py": "",
            "a/train.py": "from common import model",
            "b/train.py": "from common import model",
        },
        ["-m a.train", "a/train.py from .", "b/train.py from ."],
    ),
    "two programs that find one model in two ways": (
        {"train.py": "from pkg import model", "pkg/__init__.py": "", "pkg/eval.py": "import model", "pkg/model.py": ""},
        ["train.py", "pkg/eval.py"],
    ),
    "two programs that give their settings to one file, found in two ways": (
        {
            "train.py": MADE.format("from pkg import maker"),
            "pkg/__init__.py": "",
            "pkg/check.py": MADE.format("import maker"),
            "pkg/maker.py": MAKER,
        },
        ["train.py", "pkg/check.py"],
    ),
    "a notebook beside a program of one model": (
        {"train.ipynb": "import model", "sub/train.py": BESIDE.replace("'lib'", "'.'"), "model.py": ""},
        ["notebook.py", "sub/train.py"],
    ),
    "a script or a module": (
        {"pkg/train.py": EITHER, "pkg/__init__.py": "", "pkg/model.py": ""},
        ["-m pkg.train", "pkg/train.py"],
    ),
    "a TPUEstimator that another file makes": ({"train.py": HANDED_ON, "builder.py": BUILDER}, ["train.py"]),
    "a folder put on sys.path": ({"bin/train.py": BESIDE, "lib/model.py": ""}, ["bin/train.py"]),
}


def notebook(text):
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": part}
        for part in text.split("\n\n\n")
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def code(path):
    """The Python of a file; a notebook's is put beside it, where it can be started."""
    if path.suffix != ".ipynb":
        return path.read_text()
    text = "\n\n\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])
    path.with_name("notebook.py").write_text(text)
    return text


def test_a_program_of_any_layout_starts_in_every_way_that_it_did(tmp_path):
    for name, (files, commands) in LAYOUTS.items():
        for file, imports in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            text = imports if "\n\n" in imports else TRAIN.format(imports) if imports else ""
            text = MODEL if path.name == "model.py" else text
            path.write_text(notebook(text) if path.suffix == ".ipynb" else text)
        write(codemod([str(tmp_path / name)], Settings(), jobs=1, progress=None))
        texts = [code(tmp_path / name / file) for file in files]
        assert not [text for text in texts if "return tf.estimator" in text or "= tf.estimator" in text], name
        for command in commands:
            what, _, root = command.partition(" from ")
            directory = tmp_path / name / "out" / command.replace("/", "_")
            environment = {**os.environ, "PYTHONPATH": str(tmp_path / name / root) if root else ""}
            done = nursery.run([sys.executable, *what.split(), str(directory)], environment, tmp_path / name)
            assert done.returncode == 0, (name, command, done.stderr[-2000:])
            saved = sorted(path.name for path in directory.glob("*.index"))
            assert saved == ["model.ckpt-0.index", "model.ckpt-1.index"], (name, command)
