"""Rotates, shifts and warps images, as ``tf.contrib.image`` did."""

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


def rotate(images, angles, interpolation="NEAREST", name=None):
    """Returns images rotated counterclockwise about their centers.

    Args:
      angles: in radians, a number or one for each image.
    """
    with tf.name_scope(name or "rotate"):
        images = tf.convert_to_tensor(images)
        size = tf.cast(tf.shape(_as_batch(images))[1:3], tf.float32)
        turns = angles_to_projective_transforms(angles, size[0, None], size[1, None])
        return transform(images, turns, interpolation)


def translate(images, translations, interpolation="NEAREST", name=None):
    """Returns shifted images.

    Args:
      translations: (dx, dy) in pixels, [2] or [images, 2].
    """
    with tf.name_scope(name or "translate"):
        shifts = translations_to_projective_transforms(translations)
        return transform(images, shifts, interpolation)


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
    """Returns the ``transforms``, [angles, 8], that rotate images about their centers.

    Args:
      angles: in radians, a number or a list of numbers.
      image_height, image_width: the numbers of rows and columns.
    """
    with tf.name_scope(name or "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, tf.float32)
        if angles.shape.rank not in (0, 1):
            raise TypeError(f"Angles should have rank 0 or 1: {angles}.")
        angles = angles[None] if angles.shape.rank == 0 else angles
        cos, sin = tf.cos(angles), tf.sin(angles)
        width, height = image_width - 1, image_height - 1
        x = (width - (cos * width - sin * height)) / 2.0
        y = (height - (sin * width + cos * height)) / 2.0
        rows = [cos, -sin, x, sin, cos, y]
        zeros = tf.zeros((tf.shape(angles)[0], 2))
        return tf.concat([*(row[:, None] for row in rows), zeros], axis=1)


def translations_to_projective_transforms(translations, name=None):
    """Returns the ``transforms``, [images, 8], that shift images.

    Args:
      translations: (dx, dy) in pixels, [2] or [images, 2].
    """
    with tf.name_scope(name or "translations_to_projective_transforms"):
        translations = tf.convert_to_tensor(translations, tf.float32)
        if translations.shape.rank not in (1, 2):
            raise TypeError(f"Translations should have rank 1 or 2: {translations}.")
        moves = translations[None] if translations.shape.rank == 1 else translations
        ones, zeros = tf.ones_like(moves[:, :1]), tf.zeros_like(moves[:, :1])
        x, y = -moves[:, 0, None], -moves[:, 1, None]
        rows = [ones, zeros, x, zeros, ones, y, zeros, zeros]
        return tf.concat(rows, axis=1)


def _as_batch(images):
    rank = images.shape.rank
    if rank not in (2, 3, 4):
        raise TypeError(f"Images should have rank between 2 and 4: {images}.")
    return images[{2: (None, ..., None), 3: (None, ...), 4: (...,)}[rank]]
