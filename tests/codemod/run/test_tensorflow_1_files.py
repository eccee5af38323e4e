"""A program runs on one TensorFlow: if one of its files speaks TensorFlow 1, the names of all keep that meaning."""

from pathlib import Path

import pytest

from migrate.runtime_files.package import sources, text_of
from tests.cases import each
from tests.codemod.changed import names
from tests.codemod.run.test_several_files import MODELING, main, migrated, new_text, reasons
from tests.codemod.trees import outcome_of, put

V1 = "import tensorflow.compat.v1 as tf\n"
DROPOUT = "import tensorflow as tf\n\n\ndef thin(x):\n    return tf.nn.dropout(x, 0.9)\n"
WITH_DROPOUT = MODELING.replace('features["x"]', 'net.thin(features["x"])').replace(
    "as tf\n", "as tf\n\nimport net\n", 1
)
INPUTS = """\
import tensorflow as tf


def input_fn():
    dataset = tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [[1.0]])).repeat()
    return dataset.make_one_shot_iterator().get_next()
"""
TF2_MODELING = """\
import tensorflow as tf
{imported}

def model_fn(features, labels, mode):
    w = tf.compat.v1.get_variable("w", [])
    loss = tf.reduce_mean((w * features["x"] - labels) ** 2)
    step = tf.compat.v1.train.get_global_step()
    train_op = tf.compat.v1.train.AdamOptimizer().minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
WITH_INPUTS = main("from inputs import input_fn as given\nfrom modeling import model_fn").replace(
    "train(input_fn,", "train(given,"
)


def test_a_file_whose_names_both_have_means_them_as_the_rest_of_its_program(tmp_path):
    outcome = migrated(put(tmp_path, {"main.py": main(), "modeling.py": WITH_DROPOUT, "net.py": DROPOUT}))
    assert new_text(outcome, tmp_path / "net.py") == DROPOUT.replace("import tensorflow as tf\n", V1)


def test_a_file_that_makes_an_iterator_by_a_method_of_tensorflow_1_speaks_it(tmp_path):
    put(tmp_path, {"main.py": WITH_INPUTS, "modeling.py": TF2_MODELING.format(imported=""), "inputs.py": INPUTS})
    outcome = migrated(tmp_path)
    assert V1 in new_text(outcome, tmp_path / "inputs.py")


def test_a_program_for_tensorflow_2_keeps_its_imports(tmp_path):
    modeling = TF2_MODELING.format(imported="import net\n")
    put(tmp_path, {"main.py": main(), "modeling.py": modeling, "net.py": DROPOUT.replace("0.9", "rate=0.1")})
    outcome = migrated(tmp_path)
    assert not any(change.path.endswith("net.py") or V1 in change.after for change in outcome.changes)


def test_the_file_that_trains_tells_which_tensorflow_the_one_with_the_model_is_for(tmp_path):
    modeling = TF2_MODELING.format(imported="import net\n") + (
        "\n\ndef make():\n    return tf.estimator.Estimator(model_fn, model_dir='/tmp/m')\n"
    )
    trainer = "import tensorflow as tf\nimport modeling\nimport inputs\n\ntf.logging.info(1)\n"
    trainer += "modeling.make().train(inputs.input_fn, max_steps=5)\n"
    put(tmp_path, {"a_train.py": trainer, "modeling.py": modeling, "net.py": DROPOUT, "inputs.py": INPUTS})
    outcome = migrated(tmp_path)
    assert V1 in new_text(outcome, tmp_path / "net.py")


@pytest.mark.parametrize("guard", ['if tf.__version__ >= "2.0.0":', "if True:"])
def test_an_import_that_a_second_one_replaces_on_tensorflow_2_is_followed(tmp_path, guard):
    net = f"import tensorflow as tf\n\n{guard}\n    {V1}\n\ndef dense(x):\n    return tf.layers.dense(x, 1)\n"
    modeling = MODELING.replace("tf.layers.dense", "net.dense").replace("as tf\n", "as tf\n\nimport net\n", 1)
    outcome = migrated(put(tmp_path, {"main.py": main(), "modeling.py": modeling, "net.py": net}))
    assert new_text(outcome, tmp_path / "net.py") == net.replace("import tensorflow as tf\n", V1, 1)


def test_a_name_with_two_meanings_that_is_imported_by_itself_gets_its_old_one_back(tmp_path):
    net = DROPOUT.replace("import tensorflow as tf", "from tensorflow import nn").replace("tf.nn", "nn")
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_DROPOUT, "net.py": net})
    texts = {Path(change.path).name: change.after for change in outcome_of(tmp_path).changes}
    assert texts["net.py"] == net.replace("from tensorflow import nn", "from tensorflow.compat.v1 import nn")


def test_a_name_with_two_meanings_by_an_import_that_cannot_change_leaves_the_program(tmp_path):
    net = "def thin(x):\n    import tensorflow as t\n\n    print(t)\n    return t.nn.dropout(x, 0.9)\n"
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_DROPOUT, "net.py": net})
    reason = "`tensorflow.nn.dropout` means another thing in TensorFlow 2, and is not reached by "
    assert reasons(outcome_of(tmp_path)) == [f"{reason}an import of TensorFlow that can be changed"]


ASKING = """\
import tensorflow as tf


def thin(x: tf.Variable) -> tf.Variable:
    if isinstance(x, (tf.Variable, tf.data.Dataset)):
        raise ValueError("is no tensor")
    return x
"""
ON_2 = "import net\nimport tensorflow as tf\n\nnet.thin(tf.Variable(1.0))\n"
REASON = "its program needs {0}/net.py with TensorFlow 1's meaning of its names, and {0}/on_2.py with TensorFlow 2's"


def test_a_helper_that_only_asks_for_classes_which_hold_those_of_tensorflow_1_too_stays_as_it_is(tmp_path):
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_DROPOUT, "net.py": ASKING, "on_2.py": ON_2})
    outcome = migrated(tmp_path)
    assert names(outcome) == ["main.py", "modeling.py", "tf2_recovery"]


def test_a_helper_keeps_its_meaning_for_the_program_on_tensorflow_2_that_imports_it_too(tmp_path):
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_DROPOUT, "net.py": DROPOUT, "on_2.py": ON_2})
    outcome = outcome_of(tmp_path)
    assert outcome.changes == []
    assert REASON.format(tmp_path) in reasons(outcome)


@each("name", "value")(("other.py", "tf.placeholder(tf.float32)"), ("net_test.py", "tf.zeros([])"))
def test_a_file_on_tensorflow_1_and_a_test_of_a_helper_keep_no_program_from_being_migrated(tmp_path, name, value):
    user = f"import net\nimport tensorflow as tf\n\nnet.thin({value})\n"
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_DROPOUT, "net.py": DROPOUT, name: user})
    outcome = migrated(tmp_path)
    assert V1 in new_text(outcome, tmp_path / "net.py")


GIVEN = main("from modeling import model_fn").replace("import tensorflow as tf\n", "IMPORTED\n")


@each("base", "imported")(
    ("import tensorflow as tf\n", "from base import *"),
    ("from deeper import *\n", "from base import *"),
    ("import tensorflow as tf\n\n__all__ = ['tf']\n", "from base import *"),
    ("import tensorflow as tf\nx = 1\n", "from base import tf, x"),
)
def test_tensorflow_is_known_where_another_module_of_the_project_gives_it(tmp_path, base, imported):
    text = GIVEN.replace("IMPORTED", imported) + "\n\ntf.logging.info(1)\n"
    put(tmp_path, {"base.py": base, "deeper.py": "import tensorflow as tf\n", "main.py": text, "modeling.py": MODELING})
    outcome = migrated(tmp_path)
    after = new_text(outcome, tmp_path / "main.py")
    assert f"{imported.replace(' tf,', '')}\n{V1}" in after
    assert "tf.estimator" not in after


@pytest.mark.parametrize("base", ["import tensorflow as _tf\n", "import tensorflow as tf\n\n__all__ = ['x']\n"])
def test_a_star_gives_no_name_that_its_module_keeps_to_itself(tmp_path, base):
    text = GIVEN.replace("IMPORTED", "from base import *").replace("tf.", "_tf." if "_tf" in base else "tf.")
    put(tmp_path, {"base.py": base, "main.py": text, "modeling.py": MODELING})
    assert not any(Path(change.path).name == "main.py" for change in outcome_of(tmp_path).changes)


def test_a_module_that_imports_all_of_tensorflow_stands_for_it(tmp_path):
    base = "from tensorflow.compat.v1 import *\nfrom absl import logging\n"
    text, modeling = (one.replace("import tensorflow as tf", "import base as tf") for one in (main(), MODELING))
    outcome = migrated(put(tmp_path, {"base.py": base, "main.py": text, "modeling.py": modeling}))
    for name in ("main.py", "modeling.py"):
        after = new_text(outcome, tmp_path / name)
        assert "import base as tf\n" in after and "tf.estimator" not in after


@pytest.mark.parametrize("own", ["def estimator():\n    return None\n", "from ours import estimator\n"])
def test_a_module_with_an_estimator_of_its_own_does_not_stand_for_tensorflow(tmp_path, own):
    text = main().replace("import tensorflow as tf", "import base as tf")
    put(tmp_path, {"base.py": f"from tensorflow.compat.v1 import *\n{own}", "main.py": text, "modeling.py": MODELING})
    assert not any(Path(change.path).name == "main.py" for change in outcome_of(tmp_path).changes)


UNCHANGED = "import tensorflow as tf\n\n\ndef net(x):\n    return tf.keras.layers.Dense(1)(x)\n"
WITH_KERAS = TF2_MODELING.format(imported="import net\n").replace('(w * features["x"]', '(w * net.net(features["x"])')


OLDER = "needs TensorFlow 2.15: later ones do not import"
OF_BERT = "needs the files of bert beside it, migrated with it: the installed bert."


@each("imported", "need")(
    ("import gin.tf", OLDER),
    ("from gin.tf import utils", OLDER),
    ("import tensorflow_addons as tfa", OLDER),
    ("import tensorflow_hub as hub; M = hub.Module", "needs TensorFlow 2.15: tensorflow_hub 0.15.0 is the last with"),
    ("from bert import modeling", f"{OF_BERT}modeling"),
    ("from bert.run_squad import main", f"{OF_BERT}run"),
)
def test_a_package_that_needs_older_tensorflow_or_was_written_for_1_is_told_at_the_estimator(tmp_path, imported, need):
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_KERAS, "net.py": f"{imported}\n{UNCHANGED}"})
    (told,) = [finding for finding in outcome_of(tmp_path).findings if "needs " in finding.message]
    assert need in told.message and "net.py:1)" in told.message


def test_what_tensorflow_hub_still_has_needs_no_older_tensorflow(tmp_path):
    imported = "import tensorflow_hub as hub\nLAYER = hub.KerasLayer"
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_KERAS, "net.py": f"{imported}\n{UNCHANGED}"})
    assert not any("2.15:" in finding.message for finding in outcome_of(tmp_path).findings)


def test_a_package_of_the_program_itself_needs_no_older_tensorflow(tmp_path):
    files = {"tensorflow_addons/__init__.py": "", "tensorflow_addons/image.py": "def turn(x):\n    return x\n"}
    put(tmp_path, {"main.py": f"import tensorflow_addons.image\n{main()}", "modeling.py": MODELING, **files})
    assert not any("needs TensorFlow" in finding.message for finding in outcome_of(tmp_path).findings)


def test_the_runtime_files_of_an_earlier_run_keep_their_text_whatever_the_program_that_imports_them_speaks(tmp_path):
    generated = {f"tf2_recovery/{file}.py": text_of(file) for file in sources()}
    imported = "import net\nfrom tf2_recovery.keras_epoch_recovery import EpochRecovery\n"
    modeling = WITH_DROPOUT.replace("import net\n", imported)
    put(tmp_path, {"main.py": main(), "modeling.py": modeling, "net.py": DROPOUT, **generated})
    outcome = migrated(tmp_path)
    assert V1 in new_text(outcome, tmp_path / "net.py")
    assert [change.path for change in outcome.changes if "tf2_recovery" in change.path] == []
