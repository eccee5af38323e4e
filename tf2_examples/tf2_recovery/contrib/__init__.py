# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 525b1217a92e5343).
"""Functions and classes of ``tf.contrib`` that TensorFlow 2 lacks."""
