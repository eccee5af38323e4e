"""The table of TensorFlow's names answers which versions have a name, and what a private path is called in public."""

from migrate.tensorflow.known_names import NEW, OLD, lines_of, lines_without, needs_legacy_keras, public_name
from tests.cases import cases, each

BOTH = (OLD, NEW)

test_no_tensorflow_2_has_what_was_tensorflow_1s = cases(lambda name: lines_without(name, BOTH), BOTH)(
    "tensorflow.examples.tutorials.mnist.input_data",
    "tensorflow.compat.v1.contrib.framework.assign_from_checkpoint_fn",
    "tensorflow.contrib.slim",
    "tensorflow.python.ops.array_ops.stack",
    "tensorflow.python.ops.control_flow_ops.cond",
    "tensorflow.python.util.nest.is_sequence",
    "tensorflow.layers.dense",
    "tensorflow.logging.info",
    "tensorflow.compat.v1.lite.experimental.nn.dynamic_rnn",
)


@each("name")(
    "tensorflow.python.estimator.model_fn.ModeKeys",
    "tensorflow_estimator.python.estimator.model_fn.ModeKeys",
    "tensorflow_estimator.estimator.Estimator",
    "tensorflow.compat.v1.estimator.Estimator",
    "tensorflow.estimator",
)
def test_the_estimators_are_in_the_older_tensorflow_alone(name):
    assert lines_without(name, BOTH) == (NEW,)
    assert lines_without(name, lines_of("keras2")) == ()


test_what_is_there_or_never_was_is_lacked_by_none = cases(lambda name: lines_without(name, BOTH), ())(
    "tensorflow",
    "tensorflow.compat.v1",
    "tensorflow.compat.v1.layers.dense",
    "tensorflow.compat.v1.train.AdamOptimizer.minimize",
    "tensorflow.compat.v1.losses.Reduction.SUM",
    "tensorflow.compat.v1.flags.DEFINE_string",
    "tensorflow.compat.v1.nn.rnn_cell.LSTMCell",
    "tensorflow.compat.as_str",
    "tensorflow.compat.v2.enable_v2_behavior",
    "tensorflow.raw_ops.Add",
    "tensorflow.keras.layers.Dense",
    "tensorflow.summary.scalar",
    "tensorflow.python.client.device_lib.list_local_devices",
    "tensorflow.python.training.saver.Saver",
    "tensorflow.core.framework.summary_pb2.Summary",
    "numpy.float",
    *("tensorflow.mul", "tensorflow.compat.v1.pack", "tensorflow.nn.no_such_op"),  # no TensorFlow ever had them
)


@each("path", "api", "tail")(
    ("tensorflow.python.estimator.model_fn.ModeKeys.TRAIN", "both", "estimator.ModeKeys.TRAIN"),
    ("tensorflow_estimator.python.estimator.canned.dnn.DNNClassifier", "v1", "estimator.DNNClassifier"),
    ("tensorflow_estimator.python.estimator.canned.dnn.DNNClassifierV2", "v2", "estimator.DNNClassifier"),
    ("tensorflow.python.estimator.estimator_lib.Estimator", "v1", "estimator.Estimator"),
    ("tensorflow.contrib.tpu.python.tpu.tpu_config.TPUConfig", "v1", "estimator.tpu.TPUConfig"),
    ("tensorflow.contrib.tpu.python.tpu.bfloat16.bfloat16_scope", "v1", "tpu.bfloat16_scope"),
    ("tensorflow.contrib.training.python.training.hparam.HParams", "v1", "contrib.training.HParams"),
    ("tensorflow.contrib.tpu.python.ops.tpu_ops.cross_replica_sum", "v1", "tpu.cross_replica_sum"),
    ("tensorflow.contrib.tpu.TPUEstimatorSpec", "v1", "estimator.tpu.TPUEstimatorSpec"),
    ("tensorflow.contrib.rnn.LSTMCell", "v1", "nn.rnn_cell.LSTMCell"),
    ("tensorflow.contrib.keras.layers.Dense", "v1", "keras.layers.Dense"),
    (
        "tensorflow.contrib.training.python.training.evaluation.checkpoints_iterator",
        "v1",
        "contrib.training.checkpoints_iterator",
    ),
    (
        "tensorflow.contrib.layers.python.layers.initializers.xavier_initializer",
        "v1",
        "contrib.layers.xavier_initializer",
    ),
    ("tensorflow.contrib.slim.conv2d", "v1", "contrib.layers.conv2d"),
    ("tensorflow.python.training.session_run_hook.SessionRunHook", "v1", "train.SessionRunHook"),
    ("tensorflow_core.python.ops.array_ops.stack", "v1", "stack"),
    (
        "tensorflow.python.keras.preprocessing.sequence.pad_sequences",  # Keras takes it from keras_preprocessing
        "both",
        "keras.preprocessing.sequence.pad_sequences",
    ),
)
def test_a_private_path_leads_to_the_public_name_of_its_object(path, api, tail):
    found = public_name(path)
    assert found is not None
    assert (found.api, found.tail) == (api, tail)


def test_a_private_function_has_no_public_name():
    assert public_name("tensorflow.python.estimator.canned.optimizers.get_optimizer_instance") is None


def test_tf_layers_need_legacy_keras_on_the_newest_tensorflow_and_keras_layers_do_not():
    assert needs_legacy_keras("tensorflow.compat.v1.layers.dense")
    assert needs_legacy_keras("tensorflow.compat.v1.nn.rnn_cell.LSTMCell")
    assert not needs_legacy_keras("tensorflow.keras.layers.Dense")
    assert not needs_legacy_keras("tensorflow.compat.v1.get_variable")
