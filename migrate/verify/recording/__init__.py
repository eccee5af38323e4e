"""Runs inside the recorded program's interpreter: the standard library and the program's own TensorFlow, from Python
3.7 on.

The files here are loaded by ``bootstrap.py`` as the package ``_migrate_recording``, so that neither this project nor
its dependencies need stand in the interpreter. They observe; what the program computes stays the same to the last bit.
"""
