"""Moves training code off TensorFlow's Estimator without losing its fault tolerance."""

__version__ = "0.1.0"
