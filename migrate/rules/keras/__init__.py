"""Recovery of Keras programs."""
