"""How a Keras program resumes by itself: what it loads before it trains."""
