"""Rules for Keras programs that recover."""
