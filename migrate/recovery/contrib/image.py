"""Warps images, as ``tf.contrib.image`` did."""

import tensorflow as tf


def transform(
    images, transforms, interpolation="NEAREST", output_shape=None, name=None
):
    """Returns projectively transformed images; points from outside are 0.

    Args:
      images: [images, rows, columns, channels], or without the first dimension, or
        without the first and the last one.
      transforms: [8] or [images, 8]: ``a0, a1, a2, b0, b1, b2, c0, c1``. The point (x, y)
        of the output is ``((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`` of the
        input, where k is ``c0 x + c1 y + 1``.
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: (rows, columns) of the output; None for those of the images.
      name: the name scope; None for "transform".

    Raises:
      TypeError: the images or transforms have another rank.
    """
    with tf.name_scope(name or "transform"):
        images = tf.convert_to_tensor(images)
        transforms = tf.convert_to_tensor(transforms, tf.float32)
        batch = _as_batch(images)
        if transforms.shape.rank not in (1, 2):
            raise TypeError(f"Transforms should have rank 1 or 2: {transforms}.")
        if output_shape is None:
            output_shape = tf.shape(batch)[1:3]
        known = tf.get_static_value(output_shape)
        output = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch,
            transforms=transforms[None] if transforms.shape.rank == 1 else transforms,
            output_shape=output_shape if known is None else known,
            interpolation=interpolation.upper(),
        )
        rank = images.shape.rank
        return output if rank == 4 else output[0, :, :, 0] if rank == 2 else output[0]


def _as_batch(images):
    rank = images.shape.rank
    if rank not in (2, 3, 4):
        raise TypeError(f"Images should have rank between 2 and 4: {images}.")
    return images[{2: (None, ..., None), 3: (None, ...), 4: (...,)}[rank]]
