"""Functions on devices of ``tf.contrib.distribute``, ``.eager`` and ``.tpu``."""

import tensorflow as tf


def AllReduceCrossDeviceOps(all_reduce_alg="nccl", num_packs=1):
    """Returns the ``cross_device_ops`` for a ``tf.distribute.MirroredStrategy``.

    Args:
      all_reduce_alg: "nccl" or "hierarchical_copy".
      num_packs: how many packs the values are grouped into, an int; 0 for no packing.
    """
    if all_reduce_alg == "nccl":
        return tf.distribute.NcclAllReduce(num_packs)
    return tf.distribute.HierarchicalCopyAllReduce(num_packs)


def mirrored_strategy(
    devices=None,
    num_gpus=None,
    num_gpus_per_worker=None,
    cross_device_ops=None,
    auto_shard_dataset=False,
    cross_tower_ops=None,
):
    """Returns a ``MirroredStrategy`` for the arguments of ``tf.contrib.distribute``.

    Args:
      devices: their names, a list; None for this machine's GPUs, or its CPU.
      num_gpus: how many of its GPUs to use, an int; 0 for the CPU, None for all GPUs.
      num_gpus_per_worker: another name of num_gpus.
      cross_device_ops: a ``tf.distribute.CrossDeviceOps``; None for TensorFlow's choice.
      auto_shard_dataset: ignored, as it concerns several workers.
      cross_tower_ops: an older name of cross_device_ops.

    Raises:
      ValueError: more than one of devices, num_gpus and num_gpus_per_worker is given.
    """
    given = [devices, num_gpus, num_gpus_per_worker]
    if sum(one is not None for one in given) > 1:
        raise ValueError("Give devices, num_gpus or num_gpus_per_worker, and one only.")
    if devices is None:
        number = num_gpus_per_worker if num_gpus is None else num_gpus
        if number is None:
            number = len(tf.config.list_logical_devices("GPU"))
        devices = [f"/gpu:{gpu}" for gpu in range(number)] or ["/cpu:0"]
    operations = cross_device_ops or cross_tower_ops
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=operations)


def list_devices():
    """Returns the names of the devices that operations can run on."""
    names = [device.name for device in tf.config.list_logical_devices()]
    prefix = "/job:localhost/replica:0/task:0"
    return [prefix + name if name.startswith("/device:") else name for name in names]


def get_tpu_context():
    """Returns TensorFlow's own ``TpuContext``; its ``number_of_shards`` is None."""
    from tensorflow.python.tpu import tpu_function  # TensorFlow has no public name

    return tpu_function.get_tpu_context()
