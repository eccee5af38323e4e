"""Imports that ruff's I001 accepts are accepted after the migration, too."""

import subprocess
import sys

import pytest

from migrate.pipeline.run import write
from tests.codemod.trees import outcome_of, put

BODY = """

def model_fn(features, labels, mode):
    tf.logging.info("built")
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_mean(features))


if __name__ == "__main__":
    tf.estimator.Estimator(model_fn, "m").train(lambda: None, steps=3)
"""
HEADS = {
    "TensorFlow alone": "import tensorflow as tf\n",
    "a docstring": '"""A job."""\n\nimport os\n\nimport tensorflow as tf\n\nprint(os.name)\n',
    "modules of its own": "import tensorflow as tf\n\nimport layers\nimport words\n\nprint(layers, words)\n",
    "names of its own modules": (
        "import numpy as np\nimport tensorflow as tf\n\nfrom layers import A\nfrom words import B\n\nprint(np, A, B)\n"
    ),
    "one that comes later": "import tensorflow as tf\n\nfrom words import B\n\nprint(B)\n",
    "one with a comment": "import tensorflow as tf\n\n# what it reads\nfrom words import B\n\nprint(B)\n",
}


def errors(folder):
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "I001", "train.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_imports_in_order_stay_in_order(head, tmp_path):
    put(tmp_path, {"layers.py": "A = 1\n", "words.py": "B = 2\n", "train.py": head + BODY})
    assert errors(tmp_path).startswith("All checks passed")
    assert write(outcome_of(tmp_path)) == []
    assert "from tf2_recovery.estimator.estimator import Estimator" in (tmp_path / "train.py").read_text()
    assert errors(tmp_path).startswith("All checks passed")
