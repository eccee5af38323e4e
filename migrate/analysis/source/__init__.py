"""One file as the analysis reads it: its tree, its names, its calls and what it imports."""
