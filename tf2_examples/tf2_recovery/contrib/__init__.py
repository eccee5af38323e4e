# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 7209c3cace4f3f17).
"""What other parts of ``tf.contrib`` had."""
