"""TensorFlow that a file has by ``from … import *`` of a neighbour is TensorFlow there too."""

from tests.cases import each
from tests.codemod.run.test_object_form_of_files import texts
from tests.codemod.trees import outcome_of, put, whole

SETTINGS = "import tensorflow as tf\nimport os\n\nFOLDER = os.curdir\n"
TRAIN = """\
from settings import *
from other import *


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.{square}(labels), train_op=tf.no_op())


for estimator in [tf.estimator.Estimator(model_fn, FOLDER)]:
    estimator.train(None, max_steps=3)
"""


@each("square", "package")(("squared_difference", "tensorflow.compat.v1"), ("square", "tensorflow"))
def test_the_file_gets_an_import_of_its_own(tmp_path, square, package):
    put(tmp_path, {"settings.py": SETTINGS, "other.py": "X = 1\n", "train.py": TRAIN.format(square=square)})
    outcome = whole(tmp_path)
    after = texts(outcome)["train.py"]
    assert f"from settings import *\nimport {package} as tf\nfrom other import *\n" in after
    assert "[Estimator(model_fn, FOLDER)]" in after
    put(tmp_path, texts(outcome))
    assert outcome_of(tmp_path).changes == []


@each("others")(
    {"settings.py": "import tensorflow as tf\n__all__ = ['FOLDER']\nFOLDER = '.'\n"},
    {"settings.py": SETTINGS, "other.py": "class tf: pass\n"},
    {"settings.py": "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n"},
)
def test_what_the_import_does_not_surely_give_is_not_taken_for_tensorflow(tmp_path, others):
    put(tmp_path, {"other.py": "", **others, "train.py": TRAIN.format(square="square")})
    assert "train.py" not in texts(outcome_of(tmp_path))


NEIGHBOURS = {
    "plots.py": "import tensorflow as tf\n\n\ndef shown(x):\n    return tf.abs(x)\n",
    "layers.py": "import tensorflow as tf\n\n\ndef dense(x):\n    return tf.layers.dense(x, 1)\n",
    "all_of_them.py": "from plots import *\n",
}
BUILDING = """\
{imports}

tf.logging.set_verbosity(tf.logging.INFO)


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.losses.log_loss(labels, shown(features)), train_op=tf.no_op())


estimator = tf.estimator.Estimator(model_fn, "d")
estimator.train(None, max_steps=3)
"""


@each("imports", "after")(
    (
        "import tensorflow as tf\nfrom plots import *\nimport os",
        "from plots import *\nimport tensorflow.compat.v1 as tf\nimport os\n",
    ),
    (
        "import tensorflow as tf\nfrom all_of_them import *",
        "from all_of_them import *\nimport tensorflow.compat.v1 as tf\n",
    ),
    (
        "import tensorflow as tf\nprint(tf.VERSION)\nfrom plots import *",
        "import tensorflow.compat.v1 as tf\nprint(tf.VERSION)\n"
        "from plots import *\nimport tensorflow.compat.v1 as tf\n",
    ),
    (
        "import tensorflow as tf\nfrom layers import *\nfrom plots import shown",
        "import tensorflow.compat.v1 as tf\nfrom layers import *\nfrom plots import shown\n",
    ),
    ("from plots import *\nimport tensorflow as tf", "from plots import *\nimport tensorflow.compat.v1 as tf\n"),
)
def test_no_import_of_a_file_that_stays_on_tensorflow_2_hides_the_one_of_tensorflow_1(tmp_path, imports, after):
    outcome = whole(put(tmp_path, {**NEIGHBOURS, "train.py": BUILDING.format(imports=imports)}))
    assert texts(outcome)["train.py"].startswith(after)
    put(tmp_path, texts(outcome))
    assert outcome_of(tmp_path).changes == []


def test_files_that_import_all_of_one_another_end(tmp_path):
    other = "from settings import *\nimport tensorflow as tf\nFOLDER = '.'\n"
    put(
        tmp_path, {"settings.py": "from other import *\n", "other.py": other, "train.py": TRAIN.format(square="square")}
    )
    assert "Estimator(model_fn, FOLDER)" in texts(outcome_of(tmp_path))["train.py"]
