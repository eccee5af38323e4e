"""Starts of rewritten Keras programs under a stand-in for TensorFlow that trains nothing, scenario by scenario."""
