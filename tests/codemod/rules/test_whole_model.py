"""FT206: load_model of whole models in HDF5 becomes what Keras 3 trains further, and nothing else does."""

from tests.cases import each
from tests.codemod.programs import migrate
from tests.codemod.trees import outcome_of, put

PROGRAM = """\
import os
{}

path = "/job/model.h5"
model = {}(path) if os.path.isfile(path) else build()
model.fit(x, y, epochs=9, callbacks=[saver])
"""
TF = "import tensorflow as tf\n\nsaver = tf.keras.callbacks.ModelCheckpoint('/job/model.h5')"
PLAIN = PROGRAM.format(TF, "tf.keras.models.load_model")


@each("imports", "load")(
    (TF, "tf.keras.models.load_model"),
    ("import keras\n\nsaver = keras.callbacks.ModelCheckpoint('/job/model.h5')", "keras.models.load_model"),
    (f"from tensorflow.keras.models import load_model\n{TF}", "load_model"),
)
def test_a_whole_model_in_hdf5_is_trained_further_under_each_spelling(imports, load):
    text, findings = migrate(PROGRAM.format(imports, load))
    assert "model = load_compiled_model(path) if os.path.isfile(path)" in text
    assert f"{load}(" not in text.replace("load_compiled_model(", "")
    assert "from tf2_recovery.keras.whole_models import load_compiled_model\n" in text
    assert "FT206" in {finding.code for finding in findings}
    assert migrate(text) == (text, [])


@each("old", "new", "target")(
    ("model.h5", "model.keras", "portable"),
    ("load_model(path)", "load_model(path, compile=False)", "portable"),
    ("model.h5", "model.h5", "keras2"),  # which trains such a model further by itself
)
def test_other_files_models_that_are_not_compiled_and_keras_2_are_left_to_keras(old, new, target):
    text = migrate(PLAIN.replace(old, new), target=target)[0]
    assert "BackupAndRestore.beside(" in text and "load_compiled_model" not in text


def test_tf_keras_trains_such_a_model_further_by_itself():
    imports = "import tf_keras as keras\n\nsaver = keras.callbacks.ModelCheckpoint('/job/model.h5')"
    assert "load_compiled_model" not in migrate(PROGRAM.format(imports, "keras.models.load_model"))[0]


def test_a_path_that_is_not_known_counts_where_the_file_names_hdf5():
    other = PLAIN + "other = tf.keras.models.load_model(settings.path)\n"
    assert "other = load_compiled_model(settings.path)" in migrate(other)[0]
    assert "load_compiled_model" not in migrate(other.replace(".h5", ".keras"))[0]


def test_a_load_in_an_imported_file_is_told_at_its_import_and_the_runtime_files_own_is_not(tmp_path):
    (tmp_path / "net.py").write_text(
        "import tensorflow as tf\n\n\ndef scored():\n    return tf.keras.models.load_model('s.h5')\n"
    )
    outcome = outcome_of(put(tmp_path, {"train.py": PLAIN + "import net\n\nnet.scored()\n"}))
    told = [one for one in outcome.findings if one.code == "FT206" and not one.rewritten]
    assert [one.message.rpartition("/")[2] for one in told] == [
        "net.py, where Keras 3 cannot continue to train what these lines load: 5"
    ]
