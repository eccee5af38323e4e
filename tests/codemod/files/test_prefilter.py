import ast
import codecs
import json

from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import SINGLE_SITES
from migrate.files.prefilter import may_hold_site, may_hold_site_in_json, names_site, strip_images
from tests.cases import cases, each
from tests.tensorflow_names import names_in_version

PRIVATE = [
    "tensorflow.contrib.learn.python.learn.learn_io.pandas_io.core_pandas_input_fn",
    "tensorflow.python.estimator.canned.dnn.DNNClassifierV2",
    "tensorflow.python.estimator.run_config.RunConfig",
    "tensorflow.python.training.saver.Saver",
    "tensorflow.python.distribute.collective_all_reduce_strategy.CollectiveAllReduceStrategyV1",
]

test_every_way_to_import_passes = cases(lambda source: may_hold_site(source.encode()), True)(
    "import tensorflow as tf\nc = tf.estimator.RunConfig()\n",
    "import tensorflow.compat.v1 as tf1\nc = tf1.estimator.RunConfig()\n",
    "from tensorflow import estimator as e\ne.train_and_evaluate(make(), *specs())\n",
    "import tensorflow_estimator as tfe\nc = tfe.estimator.RunConfig()\n",
    "from project.compat import tf_estimator\nc = tf_estimator.RunConfig()\n",
    "import project.compat as tf\nc = tf.estimator.RunConfig()\n",
    "from tensorflow.estimator import *\nc = RunConfig()\n",
    "from keras.callbacks import ModelCheckpoint as Best\n",
    "import tensorflow as tf\nfrom files import save_weight\no.apply_gradients(g)\nsave_weight(model)\n",
    "import tf_keras\ntf_keras.callbacks.BackupAndRestore('d')\n",
    "import horovod.tensorflow as hvd\nhook = hvd.BroadcastGlobalVariablesHook(0)\n",
    "import tensorflow as tf\nslim = tf.contrib.slim\nslim.learning.train(op, d)\n",
    "import tensorflow as tf, os\ncluster = os.environ['TF_CONFIG']\n",
    "from network import model\nmodel.train_on_batch(x, y)\n",
    "def f():\n    return RunConfig()\n\nfrom tensorflow.estimator import RunConfig\n",
)


def test_no_name_of_a_site_that_tensorflow_has_or_had_is_dropped():
    names = [f"tensorflow.{name}" for name in names_in_version("1.15")]
    names += [f"tensorflow.compat.v1.{name}" for line in ("2.15", "2.21") for name in names_in_version(line)]
    names += PRIVATE
    dropped = [name for name in names if not names_site(name.encode())]
    imports = "import tensorflow\n"
    text = imports + "\n".join(f"{name}()" for name in dropped)
    module = Module("x.py", text, ast.parse(text))
    assert len(dropped) > 5_000
    assert not (module.sites or module.names_estimator)
    assert sorted(SINGLE_SITES & module.uses.keys()) == [], "a name of SINGLE_SITES has no word in prefilter.py"
    kept = [name for name in names if names_site(name.encode())]
    dropped = {name for name in kept if not may_hold_site(name.encode())}.difference(PRIVATE)
    assert all("keras" in name and "wrappers" in name for name in dropped)  # for scikit-learn
    text = imports + "\n".join(f"{name}()" for name in kept)
    assert len(Module("x.py", text, ast.parse(text)).sites) > 50


test_a_file_with_a_word_that_a_site_needs_is_read = cases(lambda source: names_site(source.encode()), True)(
    "import tensorflow as tf\nmodel.fit(x, callbacks=[])\n",
    "from network import model\nmodel.train_on_batch(x, y)\n",
    "model.load_weights('w')\nmodel.save('m')\n",
    "model.fit(x, initial_epoch=3)\n",
    "from base import *\nmake()\n",
    "estimator = tf.contrib.learn.DNNClassifier()\n",
    "import tensorflow as tf\ndef model_fn(): return tf.estimator.EstimatorSpec('train')\n",
)

test_a_file_that_only_serves_another_is_dropped = cases(lambda source: names_site(source.encode()), False)(
    "import tensorflow as tf\nprint(tf.train.latest_checkpoint('d'))\n", "class Hook(tf.train.SessionRunHook): pass\n"
)

test_a_file_without_tensorflow_or_without_recovery_is_dropped = cases(
    lambda source: may_hold_site(source.encode()), False
)(
    "",
    "x = 1\n",
    "import tensorflow as tf\nprint(tf.constant(1))\n",
    "from tensorflow import keras\nmodel = keras.Sequential()\nmodel.fit(x, y)\n",
    "from sklearn.base import BaseEstimator\n",
    "import torch\ntorch.save(checkpoint, 'f')\n",
)


def test_what_the_bytes_are_in_does_not_matter():
    source = "# -*- coding: latin-1 -*-\n# Überblick\nimport tensorflow as tf\nc = tf.estimator.RunConfig()\n"
    assert may_hold_site(source.encode("latin-1"))
    assert may_hold_site(b"\0\xff" + source.encode("latin-1"))
    assert may_hold_site(codecs.BOM_UTF8 + source.replace("\n", "\r\n").encode())


def test_utf_16_passes_so_that_decoding_can_refuse_it_aloud():
    assert may_hold_site("import tensorflow\n".encode("utf-16"))


@each("code", "output", "holds")(
    ("tf.estimator.Estimator(model_fn)", "iVBORw0KGgo", True),
    ("x = 1", "tensorflowHookEstimatorModelCheckpoint", False),
    ("x = 1 # tensorflow Hook", "Estimator", False),
    ("x = 1 # tensorflow Hook\\nestimator", "", True),
)
def test_the_words_of_a_site_are_looked_for_around_the_pictures_of_a_notebook(code, output, holds):
    picture = f'{{"output_type": "display_data", "data": {{"image/png": "{output}"}}}}'
    cell = f'{{"cell_type": "code", "source": "import tensorflow\\n{code}", "outputs": [{picture}, {picture}]}}'
    data = f'{{"cells": [{cell}, {cell}], "nbformat": 4}}'.encode()
    assert may_hold_site_in_json(data) is holds
    assert len(json.loads(strip_images(data))["cells"]) == 2
