"""Which functions the calls of a program run, and in which order."""
