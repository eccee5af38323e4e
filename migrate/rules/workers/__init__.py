"""Rules for training by several workers."""
