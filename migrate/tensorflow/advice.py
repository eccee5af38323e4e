"""What to write in place of what TensorFlow 2 lacks, where a few words can say it."""

_ADVICE = (
    ("examples.tutorials.mnist", "Read MNIST by tf.keras.datasets.mnist or the package tensorflow_datasets."),
    ("examples.", "Copy what you use of TensorFlow 1.15's examples into your own files."),
    ("contrib.slim.nets", "The package tf_slim has its networks (tf_slim.nets)."),
    ("contrib.slim", "The package tf_slim has it: import tf_slim as slim."),
    ("contrib.layers", "The package tf_slim has it: tf_slim.layers."),
    ("contrib.metrics", "The package tf_slim has it: tf_slim.metrics."),
    ("contrib.framework", "The package tf_slim has most of it: tf_slim.arg_scope, tf_slim.variable."),
    ("contrib.gan", "The package tensorflow_gan has it, up to TensorFlow 2.15."),
    ("contrib.learn.datasets", "Read the data by tf.keras.datasets or the package tensorflow_datasets."),
    ("contrib.image", "The package tensorflow_addons has it, up to TensorFlow 2.15."),
    ("contrib.seq2seq", "The package tensorflow_addons has it, up to TensorFlow 2.15."),
    ("contrib.opt", "The package tensorflow_addons has it, up to TensorFlow 2.15."),
    ("python.", "It is private to TensorFlow: write it with public names, or copy it into your own files."),
)


def advice(tail: str) -> str:
    """What to do about a name that TensorFlow 2 lacks.

    Args:
      tail: the name below ``tensorflow``: ``examples.tutorials.mnist.input_data``.
    """
    found = next((text for beginning, text in _ADVICE if f"{tail}.".startswith(beginning)), "")
    return f"{found} Then migrate again." if found else "Replace it by hand, then migrate again."
