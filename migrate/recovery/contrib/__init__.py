"""What other parts of ``tf.contrib`` had."""
