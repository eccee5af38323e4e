"""What a model_fn asks of the TPU that it runs on; here there is none."""

from tensorflow.python.tpu import tpu_function


def get_tpu_context():
    """Returns TensorFlow's own ``TpuContext``; its ``number_of_shards`` is None."""
    return tpu_function.get_tpu_context()
