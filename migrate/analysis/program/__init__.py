"""The files of a program, and what TensorFlow they run on."""
