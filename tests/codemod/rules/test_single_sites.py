"""Sites that stand by themselves are rewritten or left one by one, under the same choices as Estimator programs."""

import pytest

from tests.cases import each
from tests.codemod.programs import migrate

_WORKERS = """\
{}
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = build()
model.fit(dataset, epochs=3)
"""
_TWO = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
tf.train.load_checkpoint("/tmp/a"){}
tf.train.load_checkpoint("/tmp/b")
"""


def test_a_comment_leaves_its_own_site_and_no_other():
    text, findings = migrate(_TWO.format("  # migrate: ignore[FT501]"))
    assert 'tf.train.load_checkpoint("/tmp/a")' in text
    assert 'checkpoint.restore("/tmp/b")' in text
    assert [finding.span.line for finding in findings] == [5]


@pytest.mark.parametrize("choice", [{"select": ("FT1",)}, {"ignore": ("FT5",)}])
def test_a_rule_that_is_not_in_use_finds_and_changes_nothing(choice):
    assert migrate(_TWO.format(""), **choice) == (_TWO.format(""), [])


@each("head")(
    'import os\nos.environ["TF_USE_LEGACY_KERAS"] = "1"\nimport tensorflow as tf',
    'import os\nos.environ.setdefault("TF_USE_LEGACY_KERAS", "True")\nimport tensorflow as tf',
    "import tensorflow as tf\nfrom tf_keras import layers\nlayers.Dense(1)",
)
def test_a_file_that_says_it_runs_on_keras_2_is_not_judged_as_one_for_keras_3(head):
    assert migrate(_WORKERS.format(head)) == (_WORKERS.format(head), [])


@pytest.mark.parametrize("value", ['"0"', "args.legacy"])
def test_a_file_that_may_run_on_keras_3_is_judged_as_one(value):
    head = f'import os\nos.environ["TF_USE_LEGACY_KERAS"] = {value}\nimport tensorflow as tf'
    assert [finding.code for finding in migrate(_WORKERS.format(head))[1]] == ["FT404"]


def test_a_site_is_named_by_what_it_calls_and_not_by_an_argument():
    saved = 'model.fit(np.ones(4), callbacks=[keras.callbacks.ModelCheckpoint("w.h5")])'
    head = "import os\nimport numpy as np\nimport keras\nmodel = keras.Sequential()\n"
    (found,) = migrate(f'{head}if os.path.exists("w.h5"):\n    model.load_weights("w.h5")\n{saved}\n')[1]
    assert (found.code, found.symbol) == ("FT201", "fit")
