"""Which file of the runtime package a program needs, where it stands, and its stamp."""
