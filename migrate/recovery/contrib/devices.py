"""Devices of ``tf.contrib.distribute``, ``tf.contrib.eager`` and ``tf.contrib.tpu``."""

import tensorflow as tf


def AllReduceCrossDeviceOps(all_reduce_alg="nccl", num_packs=1):
    """Returns the ``cross_device_ops`` for a ``tf.distribute.MirroredStrategy``.

    Args:
      all_reduce_alg: "nccl" or "hierarchical_copy".
      num_packs: into how many packs the values are put; 0 for none.
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
    """Returns a ``MirroredStrategy``, by the arguments that ``tf.contrib`` had for it.

    Args:
      devices: their names; None for this machine's GPUs, or its CPU.
      num_gpus: how many of its GPUs are used; with 0 the CPU, None for all.
      num_gpus_per_worker: another name of num_gpus.
      cross_device_ops: how values are added up; None where TensorFlow chooses.
      auto_shard_dataset: of several workers, which this is not for.
      cross_tower_ops: an older name of cross_device_ops.

    Raises:
      ValueError: if devices and their number are given, or both numbers.
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
    here = "/job:localhost/replica:0/task:0"
    return [here + name if name.startswith("/device:") else name for name in names]


def get_tpu_context():
    """Returns TensorFlow's own ``TpuContext``; its ``number_of_shards`` is None."""
    from tensorflow.python.tpu import tpu_function  # private on both lines

    return tpu_function.get_tpu_context()
