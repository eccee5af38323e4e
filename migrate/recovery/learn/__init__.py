"""What ``tf.contrib.learn`` had."""
