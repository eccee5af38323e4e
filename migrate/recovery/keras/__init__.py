"""The recovery of Keras trainings, and an Estimator of a Keras model."""
