"""Recovery code of TensorFlow 2 that loses what it is there to keep."""
