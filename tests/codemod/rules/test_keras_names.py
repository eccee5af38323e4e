"""What a program that resumes names of Keras, and no Keras of today has: written where it only moved, else told."""

import pytest

from migrate.tensorflow.keras import lack
from tests.cases import each
from tests.codemod.programs import migrate
from tests.codemod.trees import outcome_of

RESUMED = """\
import os
from keras.callbacks import ModelCheckpoint
{}
model = build()
if os.path.exists("/job/w.weights.h5"):
    model.load_weights("/job/w.weights.h5")
model.fit(x, y, callbacks=[ModelCheckpoint("/job/w.weights.h5", save_weights_only=True)])
"""


def rewritten(lines, target="portable"):
    """The output without the recovery's lines, and what is told."""
    text, findings = migrate(RESUMED.format(lines), target=target)
    own = [one for one in findings if one.code in ("FT204", "FT205")]
    return text, [one.message for one in own if not one.rewritten]


MOVED = {
    "from tensorflow.keras.callbacks.experimental import BackupAndRestore\nprint([BackupAndRestore('b')])": (
        "from tensorflow.keras.callbacks import BackupAndRestore\n"
    ),
    "import keras\nprint(keras.optimizers.adam(0.1))": "print(keras.optimizers.Adam(0.1))\n",
    "from keras import optimizers as o\nprint(o.adam(0.1))": "print(o.Adam(0.1))\n",
    "from keras.optimizers import rmsprop\nprint(rmsprop(0.1))": "from keras.optimizers import RMSprop as rmsprop\n",
    "from keras.layers.merge import concatenate as c, add\nprint(c, add)": (
        "from keras.layers import concatenate as c, add\n"
    ),
    "from keras.layers.core import (\n    Dense,  # a\n    Dropout)\nprint(Dense, Dropout)": (
        "from keras.layers import Dense, Dropout  # a\n"
    ),
    "from keras.utils import np_utils\nprint(np_utils.to_categorical(y))": "from keras import utils as np_utils\n",
    "import keras.backend as K\nprint(K.sum(y), K.epsilon())": "from tensorflow.keras import backend as K\n",
    "from keras.preprocessing.image import ImageDataGenerator, load_img\nprint(ImageDataGenerator, load_img)": (
        "from keras.preprocessing.image import load_img\n"
        "from tensorflow.keras.preprocessing.image import ImageDataGenerator\n"
    ),
    "from keras.preprocessing import image, sequence\nprint(image.ImageDataGenerator, sequence.pad_sequences)": (
        "from keras.preprocessing import sequence\nfrom tensorflow.keras.preprocessing import image\n"
    ),
    "from tensorflow.keras.layers.experimental import preprocessing as p\nprint(p.Rescaling(2))": (
        "from tensorflow.keras import layers as p\n"
    ),
    "from keras.layers import Dense, Merge, regularizers\nprint(Dense, regularizers)": (
        "from keras.layers import Dense\nfrom keras import regularizers\n"
    ),
    "from keras.utils import multi_gpu_model\n": "from keras.callbacks import ModelCheckpoint\nfrom tf2_recovery.",
}
"""Lines of a program, and how it names the same after."""


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_a_name_that_moved_is_imported_from_where_every_keras_has_it(old, new):
    text, told = rewritten(old)
    assert new in text
    assert told == []


@each("lines", "message")(
    ("from keras.utils import multi_gpu_model\nmulti_gpu_model(1)", "`keras.utils.multi_gpu_model` does not exist"),
    ("from keras import backend as K\nprint(K.sum(y), K.learning_phase())", "`keras.backend.learning_phase` does"),
    ("import tensorflow as tf\ntf.keras.optimizers.legacy.Adam()", "`tensorflow.keras.optimizers.legacy.Adam` does"),
    ("from keras.layers import Dense, Merge, merge\nprint(Dense, Merge)", "`keras.layers.Merge` does not exist"),
    ("from keras.models import Graph\nGraph()", "`keras.models.Graph` does not exist"),
    ("import keras.layers.convolutional\n", "`keras.layers.convolutional` does not exist in the Keras of TensorF"),
    ("from keras.layers.core import *\n", "`keras.layers.core` does not exist"),
)
def test_a_name_that_no_keras_has_elsewhere_is_told(lines, message):
    [told] = rewritten(lines)[1]
    assert told.startswith(message)


IN_TENSORFLOW_1 = {
    "tf.ConfigProto()": ("tensorflow.ConfigProto", "Remove it"),
    "tf.logging.set_verbosity(tf.logging.INFO)": ("tensorflow.logging", "Write tf.compat.v1.logging"),
    "tf.summary.FileWriter('/l')": ("tensorflow.summary.FileWriter", "Write tf.compat.v1.summary.FileWriter"),
    "tf.contrib.layers.xavier_initializer()": ("tensorflow.contrib", "Replace it by hand."),
    "tf.keras.backend.get_session()": ("tensorflow.keras.backend.get_session", "Remove it"),
}
"""What names TensorFlow 1 had, and what is told of them."""


@pytest.mark.parametrize(("call", "told"), IN_TENSORFLOW_1.items())
def test_a_name_of_tensorflow_1_is_told_once_where_the_program_runs_it(call, told):
    head = "import tensorflow as tf\n\n\nclass Job:\n    def __init__(self):\n        self.made = "
    unused = f"def unused():\n    tf.Session({call})\n\n\n"
    text, findings = migrate(RESUMED.format(f"{head}{call}, {call}\n\n\n{unused}Job()\n"))
    [one] = [one for one in findings if one.code == "FT204"]
    assert one.message == f"`{told[0]}` does not exist in TensorFlow 2.15 and 2.21"
    assert one.help.startswith(told[1])
    assert f"self.made = {call}" in text


@each("lines")(
    "import tensorflow as tf\nif tf.__version__ < '2':\n    print(tf.Session())",
    "import tensorflow.compat.v1 as tf\nprint(tf.ConfigProto(), tf.logging.INFO)",
    "try:\n    from keras.layers.merge import dot\nexcept ImportError:\n    from keras.layers import dot\nprint(1)",
    "def unused():\n    from keras.utils import multi_gpu_model\n    return multi_gpu_model",
    "from keras.layers import Conv2D\nfrom keras import backend as K\nprint(Conv2D, K.epsilon())",
    "from mine.keras.layers.merge import add\nprint(add)",
)
def test_code_that_tries_first_or_never_runs_and_names_that_are_there_are_no_finding(lines):
    text, told = rewritten(lines)
    assert [line for line in lines.splitlines() if line not in text] == told == []


def test_a_program_that_does_not_resume_is_not_looked_at():
    lines = "from keras.layers.merge import add\nfrom keras.callbacks import ModelCheckpoint\n"
    saves = f"{lines}model = build(add)\nmodel.fit(x, y, callbacks=[ModelCheckpoint('/job/w.h5')])\n"
    assert migrate(saves) == (saves, [])


def test_what_the_keras_of_the_target_has_is_left():
    imported = "from keras import backend as K\n"
    assert imported in rewritten(f"{imported}print(K.sum(y))", "keras2")[0]
    assert rewritten("import tf_keras\nprint(tf_keras.optimizers.legacy.Adam)")[1] == []
    assert lack("tf_keras.layers.merge.add", "portable").place == "tf_keras.layers.add"  # type: ignore[union-attr]


def test_a_file_that_the_program_imports_is_told_with_its_line(tmp_path):
    (tmp_path / "net.py").write_text("import os\nfrom keras.layers.convolutional import Conv2D\nprint(Conv2D)\n")
    (tmp_path / "train.py").write_text(RESUMED.format("import net\nprint(net)"))
    found = outcome_of(tmp_path / "train.py").findings
    told = [one for one in found if one.code == "FT204"]
    help = "keras.layers.convolutional.Conv2D: Write keras.layers.Conv2D, which every Keras has."
    assert [one.help for one in told] == [help]
    assert told[0].message.endswith("net.py, where the names in these lines are gone: 2, 3")


def test_a_function_that_only_the_importing_file_calls_is_told(tmp_path):
    session = "\n\ndef load():\n    import tensorflow as tf\n\n    tf.Session()\n"
    training = RESUMED.format("").replace("import os\n", "").replace("\n", "\n    ").rstrip()
    (tmp_path / "fitting.py").write_text(f"import os\n\n\ndef fit(model, x, y):\n    {training}\n{session}")
    (tmp_path / "train.py").write_text("import fitting\nfitting.load()\nfitting.fit(model, x, y)\n")
    found = outcome_of(tmp_path).findings
    assert "`tensorflow.Session` does not exist in TensorFlow 2.15 and 2.21" in [one.message for one in found]


def test_many_files_with_names_that_are_gone_are_one_finding(tmp_path):
    nets = [f"net{number}" for number in range(7)]
    for net in nets:
        (tmp_path / f"{net}.py").write_text("from keras.layers.convolutional import Conv2D\nprint(Conv2D)\n")
    (tmp_path / "train.py").write_text(RESUMED.format("".join(f"import {net}\nprint({net})\n" for net in nets)))
    found = outcome_of(tmp_path / "train.py").findings
    told = [one for one in found if one.code == "FT204"]
    assert [one.message.partition(":")[0] for one in told] == [
        "in 7 files of this program the names in these lines are gone"
    ]
    assert told[0].help.startswith("Run tf_upgrade_v2 on these files first")


@each("call", "message")(
    ("from keras.optimizers import SGD\nSGD(lr=0.1, decay=1e-6)", "Keras 3 ignores decay, TensorFlow 2.15 raises"),
    ("import tensorflow as tf\ntf.keras.optimizers.SGD(tf.constant(0.1))", "a tensor as the learning rate raises"),
    ("from keras.layers import LSTM\nLSTM(4, batch_input_shape=(2, 3, 1))", "`batch_input_shape` of a layer raises"),
    ("from keras.layers import GRU\nGRU(4, recurrent_activation='hard_sigmoid')", "`hard_sigmoid` of Keras 3 is an"),
    ("from keras.layers import ConvLSTM2D\nConvLSTM2D(4, 3)", "`hard_sigmoid` of Keras 3 is another function"),
    ("from keras.layers import Embedding\nEmbedding(9, 4, weights=[w])", "`weights` of a layer raises"),
    (
        "m = build()\nm.compile('sgd', 'mse', ['accuracy'])\nprint(ModelCheckpoint('b', monitor='val_acc'))",
        "`val_acc` is in no logs",
    ),
    (
        "from keras.optimizers import Adam\none = Adam(0.1)\ngan = build()\ngan.compile(one)\ncritic = build()\n"
        "critic.compile(optimizer=one)\ngan.train_on_batch(x)\ncritic.train_on_batch(x)",
        "an optimizer of several models raises",
    ),
    (
        "import tensorflow as tf\n\n\nclass Own(tf.keras.optimizers.Adam):\n    def __init__(self):\n"
        "        self._set_hyper('rate', 0.1)\n",
        "`_set_hyper` is no part of an optimizer",
    ),
    ("from keras.optimizers import Adam\nAdam(clipnorm=5.0, clipvalue=0.5)", "clipnorm with clipvalue raises"),
    ("model = build()\nflat = model.layers[-2]\nprint(flat.output_shape[1:])", "a layer has no output_shape"),
    ("model = build()\nprint(model.get_layer('flat').input_shape)", "a layer has no input_shape"),
    ("model = build()\nmodel.reset_states()", "on Keras 3 only layers have reset_states"),
    ("model = build()\nmodel.save_weights(os.path.join(d(), 'w.{}.h5'.format(1)))", "save_weights raises"),
    ("model = build()\nmodel.save_weights(path(), save_format='tf')", "save_weights takes no save_format"),
)
def test_what_keras_refuses_is_told_with_what_to_write(call, message):
    [told] = rewritten(call)[1]
    assert told.startswith(message)


IGNORED = {
    "from keras.callbacks import TensorBoard\nTensorBoard('/l', write_grads=False, batch_size=9)": "TensorBoard('/l')",
    "import tensorflow as tf\nmean = tf.keras.metrics.Mean()\nmean.reset_states()": "mean.reset_state()",
    "model = build()\nmodel.compile('sgd', 'mse', sample_weight_mode=None)": "model.compile('sgd', 'mse')",
    "print(ModelCheckpoint('b', monitor='val_acc'), 'accuracy', 'acc')": "monitor='val_acc'",
    "from keras.layers import Input\nInput((4,), batch_size=2)": "Input((4,), batch_size=2)",
    "from keras.layers import LSTM\nlayer = LSTM(4, stateful=True)\nlayer.reset_states()": "layer.reset_states()",
}
"""Calls of a program, and how they stand after."""


@pytest.mark.parametrize(("old", "new"), IGNORED.items())
def test_what_keras_2_ignores_and_keras_3_refuses_is_taken_out(old, new):
    text, told = rewritten(old)
    assert new in text
    assert told == []
    assert rewritten(old, "keras2")[0].count(old.splitlines()[-1]) == 1


def test_an_argument_that_is_called_otherwise_keeps_its_place():
    text, told = rewritten("from keras.optimizers import Adam\nAdam(lr=0.1, beta_1=0.5)")
    assert "Adam(learning_rate=0.1, beta_1=0.5)" in text
    assert told == []


def test_what_keras_refuses_in_an_imported_file_is_told_with_its_lines(tmp_path):
    (tmp_path / "train.py").write_text(RESUMED.format("from net import build"))
    net = "from keras.layers import GRU\n\n\ndef build():\n    return GRU(4, batch_input_shape=(2, 3, 1))\n"
    (tmp_path / "net.py").write_text(net + "\n\ndef unused(m):\n    m.reset_states()\n")
    found = outcome_of(tmp_path).findings
    [told] = [one for one in found if one.code == "FT205"]
    assert told.message.endswith("net.py, where Keras 3 refuses calls in these lines: 5")
    assert "Put keras.Input(batch_shape=…) before the layer." in told.help


GENERATORS = {
    "for i in range(9):\n    other.fit_generator(batches, 10, nb_epoch=2, max_q_size=4)": (
        "    other.fit(batches, steps_per_epoch=10, epochs=2)\n"
    ),
    "def again():\n    other.fit_generator(  # once more\n        generator=batches,\n        workers=4,\n    )": (
        "    other.fit(  # once more\n        x=batches,\n    )\n"
    ),
    "other.fit_generator(batches, len(x) / 8, verbose=0)": (
        "other.fit(batches, steps_per_epoch=math.ceil(len(x) / 8), verbose=0)\n"
    ),
    "print(other.predict_generator(batches, 10, None, 5, 2, verbose=1))": (
        "print(other.predict(batches, steps=10, callbacks=None, verbose=1))\n"
    ),
}
"""Calls of a generator that no recovery is about, and how they stand after."""


def behind(lines, target="portable"):
    """The output for lines behind the training, and what is told."""
    text, findings = migrate(f"{RESUMED.format('')}{lines}\n", target=target)
    return text, [one.message for one in findings if not one.rewritten]


@pytest.mark.parametrize(("old", "new"), GENERATORS.items())
def test_a_call_of_a_generator_gets_its_new_name_wherever_it_stands(old, new):
    text, told = behind(old)
    assert new in text
    assert told == []
    assert "_generator(" in behind(old, "keras2")[0]


def test_a_call_of_a_generator_that_cannot_be_written_is_told():
    samples = behind("other.fit_generator(batches, samples_per_epoch=99, nb_epoch=2)")[1]
    assert samples == ["`samples_per_epoch` is an argument of Keras 1, which no Keras of TensorFlow 2 takes"]
    assert behind("other.evaluate_generator(**given)")[1] == ["Keras 3 has no evaluate_generator"]
    own = "class Own:\n    def fit_generator(self, data):\n        pass\n\n\nOwn().fit_generator(x)"
    assert own in behind(own)[0]


def test_weights_saved_under_a_name_that_keras_3_refuses_are_told():
    _, findings = migrate(RESUMED.format("") + 'model.save_weights("/job/last.h5")\nmodel.predict_classes(x)\n')
    assert [one.message[:30] for one in findings if one.code == "FT205"] == [
        "save_weights raises a ValueErr", "`predict_classes` does not exi",
    ]  # fmt: skip


@pytest.mark.parametrize("target", ["portable", "keras2"])
def test_what_models_of_keras_1_had_is_written_and_what_has_no_place_is_told(target):
    made = "from keras import Model\nother = Model(input=a, output=b)\nprint(Model(inputs=a, outputs=b))"
    text, told = behind(f"{made}\nprint(model.to_yaml())", target)
    assert made.replace("put=", "puts=").replace("putss", "puts") in text
    assert told == ["`to_yaml` does not exist since TensorFlow 2.6"]


STARS = "from keras.layers import *\nfrom {}keras.optimizers import *\n{}\nmodel.compile(Adam(lr=0.1), 'mse')"


@pytest.mark.parametrize("package", ["", "tensorflow."])
def test_a_name_that_a_star_import_gives_is_keras_own(package):
    text, _ = rewritten(STARS.format(package, "from numpy import *"))
    assert "model.compile(Adam(learning_rate=0.1), 'mse')" in text


@pytest.mark.parametrize("other", ["Adam = make", "def Adam(lr):\n    pass\n", "from radam import Adam"])
def test_a_name_that_the_file_binds_itself_is_none_of_a_star_import(other):
    assert "Adam(lr=0.1)" in rewritten(STARS.format("", other))[0]


def test_what_a_star_import_gives_is_written_as_tensorflows_or_told():
    lines = "from keras.preprocessing.image import *\nfrom keras.layers import *\nimport tensorflow as tf\n"
    text, told = rewritten(f"{lines}print(ImageDataGenerator(), CuDNNLSTM(4))")
    assert "print(tf.keras.preprocessing.image.ImageDataGenerator(), CuDNNLSTM(4))" in text
    assert told == ["`keras.layers.CuDNNLSTM` does not exist in the Keras of TensorFlow 2.15 and Keras 3"]


@pytest.mark.parametrize(("stars", "is_of_keras"), [(("keras.backend",), True), (("keras.backend", "numpy"), False)])
def test_a_name_in_small_letters_may_be_that_of_an_unseen_module_whose_star_stands_behind(stars, is_of_keras):
    text, _ = rewritten("\n".join(f"from {one} import *" for one in stars) + "\nimport tensorflow as tf\nprint(sum(y))")
    assert ("print(tf.keras.backend.sum(y))" in text) is is_of_keras


SWITCHES = {
    "always": "tf = tf.compat.v1",
    "by a comparison": 'if tf.__version__ >= "2.0":\n    tf = tf.compat.v1',
    "by the first letter": 'if tf.__version__.startswith("2"):\n    tf = tf.compat.v1',
    "by a number": 'if int(tf.__version__.split(".")[0]) > 1:\n    tf = tf.compat.v1',
    "by a variable": 'is_2 = tf.__version__ > "2"\nif is_2:\n    tf = tf.compat.v1',
    "by an import": 'if tf.__version__ > "2":\n    import tensorflow.compat.v1 as tf',
    "where it is there": 'if hasattr(tf, "compat"):\n    tf = tf.compat.v1',
}
LOSSES = """\
import tensorflow as tf

{}


def build(labels, logits):
    return tf.{}(labels, logits)
"""


@pytest.mark.parametrize("switch", SWITCHES.values(), ids=SWITCHES)
def test_a_file_that_switches_tf_by_its_version_lacks_what_compat_v1_lacks_alone(switch, here):
    (here / "train.py").write_text(RESUMED.format("from losses import build"))
    for name, is_told in (("losses.sigmoid_cross_entropy", False), ("contrib.losses.sigmoid_cross_entropy", True)):
        (here / "losses.py").write_text(LOSSES.format(switch, name))
        findings = outcome_of("train.py").findings
        assert any(one.code == "FT204" for one in findings) is is_told
        assert any(one.code == "FT201" and one.rewritten for one in findings)


OF_ESTIMATORS = """\
import tensorflow as tf

{}model = build()
model.compile(tf.keras.optimizers.SGD({}), "mse")
estimator = tf.keras.estimator.model_to_estimator(model, model_dir="m")
estimator.train(input_fn, max_steps=3)
"""
V1 = "step = tf.train.get_or_create_global_step()\n"


@each("head", "given", "message")(
    ("", "lr=0.5", "lr becomes learning_rate: Keras 3 raises, TensorFlow 2.15 ignores lr"),
    (V1, "lr=0.5", "lr becomes learning_rate: Keras 3 raises"),
    ("", "0.5, decay=0.1", "Keras 3 ignores decay, TensorFlow 2.15 raises"),
    (V1, "0.5, decay=0.1", "Keras 3 ignores decay and trains at another rate"),
)
def test_the_optimizer_of_an_estimator_program_keeps_its_rate(head, given, message):
    text, findings = migrate(OF_ESTIMATORS.format(head, given))
    assert message in [one.message for one in findings]
    assert f"SGD({given.replace('lr=', 'learning_rate=')})" in text
