"""Starts a program as ``python PROGRAM ARGS`` would, with the recorder loaded before its first line.

usage: python bootstrap.py PROGRAM [ARGS...]
       python bootstrap.py -m DIRECTORY MODULE [ARGS...]

The second form runs ``python -m MODULE`` in DIRECTORY, which is above the module's package.

The variable ``MIGRATE_VERIFY_EVENTS`` names the file to append events to; ``MIGRATE_VERIFY_FAULT`` is the fault as
JSON, and ``MIGRATE_VERIFY_CONFINED`` the arguments of ``guard.confine`` as JSON.
"""

import importlib.util
import os
import runpy
import sys


def load_package(name, directory):
    """Loads ``directory`` as the package ``name`` without adding it to ``sys.path``, where it could hide a module."""
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(directory, "__init__.py"), submodule_search_locations=[directory]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return package


def load_recorder():
    """Loads the recorder and returns its module ``session``."""
    load_package("_migrate_recording", os.path.dirname(os.path.abspath(__file__)))
    session = importlib.import_module("_migrate_recording.session")
    for name in [*sys.modules]:
        if name.startswith("_migrate_recording"):
            del sys.modules[name].__file__  # The recovery takes a module that has one for a part of the program.
    return session


def main(watching=False):
    """Loads the recorder, then runs the program that ``sys.argv`` names as ``__main__``.

    Args:
      watching: whether the process that this one was forked from has loaded the recorder already.
    """
    events, *settings = [os.environ.pop(f"MIGRATE_VERIFY_{name}", "") for name in ("EVENTS", "FAULT", "CONFINED")]
    session = importlib.import_module("_migrate_recording.session") if watching else load_recorder()
    del sys.argv[0]
    module = sys.argv[0] == "-m"
    if module:
        sys.path[0] = sys.argv[1]
        del sys.argv[:2]
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    with session.record_program(events, *settings, watching=watching):
        if module:
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
