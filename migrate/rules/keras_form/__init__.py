"""A straight program that becomes a Keras model."""
