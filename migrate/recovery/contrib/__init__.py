"""Functions and classes of ``tf.contrib`` that TensorFlow 2 lacks."""
