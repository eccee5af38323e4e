"""One file: its tree, its names, its calls and its imports."""
