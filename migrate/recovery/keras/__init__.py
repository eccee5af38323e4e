"""The recovery of Keras models, and the Estimator of one."""
