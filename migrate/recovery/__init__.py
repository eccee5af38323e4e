"""Replaces TensorFlow's Estimator and its recovery; each file names its release."""
