"""Short advice on what to use instead of names that TensorFlow 2 lacks."""

_ADVICE = (
    ("examples.tutorials.mnist", "Read MNIST by tf.keras.datasets.mnist or the package tensorflow_datasets."),
    ("examples.", "Copy what you use of TensorFlow 1.15's examples into your own files."),
    ("keras.mixed_precision.experimental.", "Use tf.keras.mixed_precision.LossScaleOptimizer(optimizer)."),
    ("python.", "It is private to TensorFlow: write it with public names, or copy it into your own files."),
)


def advice(tail: str) -> str:
    """Returns what to do about a name below ``tensorflow`` that TensorFlow 2 lacks."""
    if tail.startswith("data.experimental.CheckpointInputPipelineHook"):
        tail = tail.replace("data.experimental", "contrib.data")
    if tail.startswith("contrib."):
        from migrate.tensorflow import contrib

        found = contrib.advice(contrib.name_of(f"tensorflow.{tail}"))
    else:
        found = next((text for beginning, text in _ADVICE if f"{tail}.".startswith(beginning)), "")
    return f"{found} Then migrate again." if found else "Replace it by hand, then migrate again."
