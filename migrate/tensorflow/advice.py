"""What to write in place of what TensorFlow 2 lacks, where a few words can say it."""

_ADVICE = (
    ("examples.tutorials.mnist", "Read MNIST by tf.keras.datasets.mnist or the package tensorflow_datasets."),
    ("examples.", "Copy what you use of TensorFlow 1.15's examples into your own files."),
    ("contrib.distributions.", "Use tfp.distributions of the package tensorflow_probability."),
    ("contrib.quantize.", "Use the package tensorflow_model_optimization."),
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
