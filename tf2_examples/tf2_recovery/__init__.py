# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content d01528432f45fed7).
"""What stands in for TensorFlow's Estimator and its fault tolerance; each file is fixed, and names its release."""
