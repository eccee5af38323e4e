# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content b461a8e488ad7ad0).
"""The recovery of Keras trainings, and an Estimator of a Keras model."""
