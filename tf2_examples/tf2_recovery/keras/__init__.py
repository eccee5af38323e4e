# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content b334a3b5b5aa4f52).
"""The recovery of Keras models, and the Estimator of one."""
