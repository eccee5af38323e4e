"""The recorder, which runs inside the program's interpreter and needs only the program's TensorFlow and Python 3.7.

``bootstrap.py`` loads these files as the package ``_migrate_recording``, so that the interpreter needs neither this
project nor its dependencies. They only observe: what the program computes stays the same to the last bit.
"""
