# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 27083f63abe3bb49).
"""Replaces TensorFlow's Estimator and its recovery; each file names its release."""
