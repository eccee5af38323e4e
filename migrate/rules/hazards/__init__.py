"""Rules for recovery code of TensorFlow 2 that loses state."""
