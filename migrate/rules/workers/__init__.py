"""Training by several workers."""
