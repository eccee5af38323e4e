"""What stands in for TensorFlow's Estimator and its fault tolerance; each file is fixed, and names its release."""
