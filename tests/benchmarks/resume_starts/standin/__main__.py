"""Run starts of programs: reads the path of a specification from each line, a file of JSON that ``jobs.py`` writes.

Each start is a fork of this process, which has imported what takes its time, and ends by itself or after some seconds;
then a line is printed.
"""

import collections.abc
import contextlib
import importlib
import json
import os
import random
import re
import runpy
import signal
import socket
import sys
import time
import traceback
from pathlib import Path

from . import data, gfile, layers, models, modules, options
from .state import start


def main(given):
    """Run what a specification tells."""
    root = Path(given["root"])
    start.root, start.record, start.number = root, Path(given["record"]), given["start"]
    start.kill, start.limit, start.made_up = given["kill"], given["limit"], given["made_up"]
    program = Path(given["program"])
    sys.path.remove(os.environ.pop("PYTHONPATH"))
    os.environ.update(given["environment"])
    texts = "\n".join(path.read_text(errors="replace") for path in list(root.rglob("*.py"))[:300])
    own: dict = {}
    for path in sorted(root.rglob("*.py")):
        own.setdefault(path.stem, []).append(str(path.parent))
        own.setdefault(path.parent.name, []).append(str(path.parents[1]))
    data.install(texts)
    modules.install(own)
    options.install()
    socket.socket.connect = _no_network
    for name in collections.abc.__all__:
        setattr(collections, name, getattr(collections.abc, name))  # As Python 3.9 had them.
    time.sleep = lambda *args: None
    noted = start.saved

    def saved(path, weights, **what):
        gfile.note_saved(path, weights)
        noted(path, weights, **what)

    start.saved = saved
    sys.argv = [str(program), *given["args"]]
    sys.path[:0] = [str(program.parent)]
    sys.path += [os.getcwd(), str(root)]
    random.seed(start.number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(start.number)
    start.write("start", args=given["args"])
    _run(program)


def _no_network(*args):
    raise OSError("there is no network here")


def _note_end():
    start.write("final", weights=layers.weights_of(models.trained_leaves))
    if options.absl_flags():
        start.write("flags", flags=options.absl_flags())


def _run(program):
    try:
        if re.search(r"^\s*from \.", program.read_text(errors="replace"), re.M):
            sys.path.insert(0, str(start.root))
            name = ".".join(program.relative_to(start.root).with_suffix("").parts)
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(str(program), run_name="__main__")
    except SystemExit as error:
        _note_end()
        start.write("exit", code=error.code if isinstance(error.code, (int, type(None))) else str(error.code)[:300])
        sys.stdout.flush()
        os._exit(0 if error.code in (None, 0) else 1)
    except BaseException as error:
        _note_end()
        frames = [one for one in traceback.extract_tb(error.__traceback__) if str(start.root) in one.filename]
        places = [f"{os.path.relpath(one.filename, start.root)}:{one.lineno}" for one in frames]
        path = getattr(error, "filename", None)
        start.write(
            "error", kind=type(error).__name__, text=str(error)[:300], places=places[-3:], path=path and str(path)
        )
        traceback.print_exc()
        os._exit(1)
    _note_end()
    start.write("exit", code=0)
    sys.stdout.flush()
    os._exit(0)


def _start(given):
    """The life of a fork."""
    os.setsid()
    os.chdir(given["cwd"])
    for path, mode, number in ((os.devnull, os.O_RDONLY, 0), (given["output"], os.O_WRONLY, 1)):
        os.dup2(os.open(path, mode), number)
    os.dup2(1, 2)
    main(given)


def serve():
    """Run starts until there is no other line."""
    for name in ("numpy", "pandas", "yaml", "tqdm", "absl.flags", "absl.app", "click", "multiprocessing", "csv"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        given = json.loads(Path(line.strip()).read_text())
        child = os.fork()
        if not child:
            try:
                _start(given)
            finally:
                os._exit(1)
        end = time.monotonic() + given["seconds"]
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                with Path(given["output"]).open("a") as file:
                    file.write("\nTIMED OUT")
                break
            time.sleep(0.005)
        print("ended", flush=True)


serve()
