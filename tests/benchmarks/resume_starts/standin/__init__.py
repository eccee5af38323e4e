"""A stand-in for TensorFlow and Keras: it trains nothing, and keeps what a recovery is about."""
