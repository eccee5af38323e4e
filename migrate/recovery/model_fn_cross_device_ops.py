"""How a ``MirroredStrategy`` adds up, in the words of ``tf.contrib.distribute``."""

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
    devices=None, num_gpus=None, cross_device_ops=None, cross_tower_ops=None
):
    """Returns a ``MirroredStrategy``, by the arguments that ``tf.contrib`` had for it.

    Args:
      devices: their names; None for num_gpus of them, or for all.
      num_gpus: how many GPUs are used; with 0 the CPU.
      cross_device_ops: how values are added up; None where TensorFlow chooses.
      cross_tower_ops: its older name.
    """
    if devices is None and num_gpus is not None:
        devices = [f"/gpu:{number}" for number in range(num_gpus)] or ["/cpu:0"]
    operations = cross_device_ops or cross_tower_ops
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=operations)
