"""How a Keras program resumes by hand: what it loads before ``fit``, and where."""
