import codecs

import pytest

from migrate.files.prefilter import may_hold_site

SYMBOLS = """
Estimator TPUEstimator DNNClassifier DNNRegressor DNNEstimator LinearClassifier LinearRegressor LinearEstimator
DNNLinearCombinedClassifier DNNLinearCombinedRegressor DNNLinearCombinedEstimator BoostedTreesClassifier
BoostedTreesRegressor BoostedTreesEstimator BaselineClassifier BaselineRegressor BaselineEstimator RNNClassifier
RNNEstimator KMeansClustering SVM GradientBoostedDecisionTreeClassifier TensorForestEstimator LogisticRegressor
DynamicRnnEstimator WALSMatrixFactorization SDCAClassifier SDCARegressor KMeans GMM GANEstimator SKCompat

RunConfig TPUConfig EstimatorSpec TPUEstimatorSpec TrainSpec EvalSpec train_and_evaluate model_to_estimator Experiment
learn_runner WarmStartSettings

SessionRunHook StopAtStepHook CheckpointSaverHook LoggingTensorHook SummarySaverHook stop_if_no_decrease_hook
make_early_stopping_hook MonitoredTrainingSession MonitoredSession SingularMonitoredSession ChiefSessionCreator
SessionManager Supervisor Scaffold Saver init_from_checkpoint warm_start latest_checkpoint get_checkpoint_state
checkpoints_iterator load_checkpoint NewCheckpointReader

ModelCheckpoint BackupAndRestore CSVLogger save_weights load_weights
Checkpoint CheckpointManager PreemptionCheckpointHandler CheckpointOptions

MultiWorkerMirroredStrategy CollectiveAllReduceStrategy ParameterServerStrategy CommunicationOptions
CollectiveCommunication CommunicationImplementation CollectiveHints
"""


@pytest.mark.parametrize("symbol", SYMBOLS.split())
def test_a_file_that_imports_the_name_of_a_site_passes(symbol: str) -> None:
    assert may_hold_site(f"from tensorflow.contrib.learn import {symbol}\n".encode())


@pytest.mark.parametrize(
    "source",
    [
        "import tensorflow as tf\nc = tf.estimator.RunConfig()\n",
        "import tensorflow.compat.v1 as tf1\nc = tf1.estimator.RunConfig()\n",
        "from tensorflow import estimator as e\ne.train_and_evaluate(make(), *specs())\n",
        "import tensorflow_estimator as tfe\nc = tfe.estimator.RunConfig()\n",
        "from project.compat import tf_estimator\nc = tf_estimator.RunConfig()\n",
        "import project.compat as tf\nc = tf.estimator.RunConfig()\n",
        "from tensorflow.estimator import *\nc = RunConfig()\n",
        "from keras.callbacks import ModelCheckpoint as Best\n",
        "import tf_keras\ntf_keras.callbacks.BackupAndRestore('d')\n",
        "import horovod.tensorflow as hvd\nhook = hvd.BroadcastGlobalVariablesHook(0)\n",
        "import tensorflow as tf\nslim = tf.contrib.slim\nslim.learning.train(op, d)\n",
        "import tensorflow as tf, os\ncluster = os.environ['TF_CONFIG']\n",
        "from network import model\nmodel.train_on_batch(x, y)\n",
        "def f():\n    return RunConfig()\n\nfrom tensorflow.estimator import RunConfig\n",
    ],
)
def test_every_way_to_import_passes(source: str) -> None:
    assert may_hold_site(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x = 1\n",
        "import tensorflow as tf\nprint(tf.constant(1))\n",
        "from tensorflow import keras\nmodel = keras.Sequential()\nmodel.fit(x, y)\n",
        "from sklearn.base import BaseEstimator\n",
        "import torch\ntorch.save(checkpoint, 'f')\n",
    ],
)
def test_a_file_without_tensorflow_or_without_recovery_is_dropped(source: str) -> None:
    assert not may_hold_site(source.encode())


def test_what_the_bytes_are_in_does_not_matter() -> None:
    source = "# -*- coding: latin-1 -*-\n# Überblick\nimport tensorflow as tf\nc = tf.estimator.RunConfig()\n"
    assert may_hold_site(source.encode("latin-1"))
    assert may_hold_site(b"\0\xff" + source.encode("latin-1"))
    assert may_hold_site(codecs.BOM_UTF8 + source.replace("\n", "\r\n").encode())


def test_utf_16_passes_so_that_decoding_can_refuse_it_aloud() -> None:
    assert may_hold_site("import tensorflow\n".encode("utf-16"))
