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
