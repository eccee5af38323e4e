"""Moves training code off TensorFlow's Estimator without losing its fault tolerance."""

__version__ = "1.0.0"
