"""Makes ``migrate/tensorflow/keras.txt``: what Keras 2 and Keras 3 lack of the names that Keras had.

``python -m tests.keras_names read PART`` in an interpreter of each line, then ``python -m tests.keras_names write
PART_OF_2 PART_OF_3 KERAS…`` with the unpacked packages of Keras that ran without TensorFlow 2, the newest first.
"""

import ast
import importlib
import json
import pkgutil
import sys
import types
from collections import defaultdict
from pathlib import Path

from migrate.tensorflow.keras import TABLE
from tests.tensorflow_names import Sources

_MISSING = "LegacyOptimizerWarning"
"""What Keras 3 calls the optimizers that it has no more: they raise as they are made."""


def read_installed():
    """The public names of the Keras of this interpreter, and what its private modules call the same objects."""
    import keras
    import tensorflow as tf

    roots = {"keras": keras, "tensorflow.keras": tf.keras}
    shown = {place: dict(_shown(root)) for place, root in roots.items()}
    public = defaultdict(list)
    for place, names in shown.items():
        for name, made in names.items():
            public[id(made)].append(f"{place}.{name}")
    same = {f"{place}.{name}": public[id(made)] for place, names in shown.items() for name, made in names.items()}
    is_2 = keras.__version__.startswith("2.")
    private = [*pkgutil.walk_packages(keras.src.__path__, "keras.src.", lambda _: None)] if is_2 else []
    modules = sorted(one.name.replace(".src.", ".") for one in private if "test" not in one.name)
    for module in modules:
        for name, made in vars(importlib.import_module(module.replace("keras.", "keras.src.", 1))).items():
            if isinstance(made, type | types.FunctionType) and id(made) in public and name[0] != "_":
                same.setdefault(f"{module}.{name}", public[id(made)])
    line = "2.15" if is_2 else "3"
    return {"line": line, "public": {place: sorted(shown[place]) for place in shown}, "same": same, "modules": modules}


def _shown(root):
    waiting = [("", root, ())]
    while waiting:
        above, module, outer = waiting.pop()
        for name in sorted(dir(module)):
            try:
                made = getattr(module, name)
            except Exception:  # Keras 3 lists names of Keras 2 that it does not have
                continue
            is_module = isinstance(made, types.ModuleType)
            if name[0] == "_" or name in ("src", "protobuf"):
                continue
            is_other = is_module and (made.__name__.startswith("keras.src") or "keras" not in made.__name__)
            if is_other or id(made) in outer:
                continue
            if any(base.__name__ == _MISSING for base in getattr(made, "__mro__", ())):
                continue
            yield f"{above}{name}", made
            if is_module:
                waiting.append((f"{above}{name}.", made, (*outer, id(made))))


def _of_old(directory):
    """Each name of an old Keras with the others of the same definition or module, and its modules."""
    sources = Sources({"keras": directory})
    sources.paths = {name: path for name, path in sources.paths.items() if not _is_python_2(path)}
    modules = [name for name in sources.paths if not name.endswith("__main__")]
    names = {f"{module}.{name}" for module in modules for name in sources.names(module) if name[0] != "_"}
    led = {path: sources.definition(path) or sources.module(path) for path in {*names, *modules}}
    own = {path: origin for path, origin in led.items() if origin.startswith("keras.")}
    # Its back end is chosen as it is imported.
    within = [path for path in own if path.startswith("keras.backend.tensorflow_backend.")]
    own |= {path.replace(".tensorflow_backend", ""): own[path] for path in within}
    same = defaultdict(list)
    for path, origin in own.items():
        same[origin].append(path)
    return {path: same[origin] for path, origin in own.items()}, modules


def _is_python_2(path):
    try:
        ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError:
        return True
    return False


def write(directories, parts):
    """The table of old packages, the newest first, and two parts."""
    public = {part["line"]: {f"{at}.{name}" for at in part["public"] for name in part["public"][at]} for part in parts}
    everywhere = set.intersection(*public.values())
    old, modules = dict[str, list[str]](), list[str]()
    for same, own in map(_of_old, directories):
        old, modules = same | old, modules + own
    new = parts[0]["same"]
    gone = {
        module: "-" for module in (*modules, *parts[0]["modules"]) if module not in everywhere and module != "keras"
    }
    found = {path: _place(path, {path, *old.get(path, ()), *new.get(path, ())}, everywhere) for path in {*new, *old}}
    # Of a module that no Keras shows those are enough that are somewhere else.
    shown = {path.rpartition(".")[0] for names in public.values() for path in names}
    kept = {path: place for path, place in found.items() if place != "-" or path.rpartition(".")[0] in shown}
    rows = defaultdict(set)
    for path, place in {**gone, **kept}.items():
        lacking = ",".join(line for line, names in public.items() if path not in names)
        module, _, name = path.rpartition(".")
        if lacking:
            rows[f"{lacking} {module} > {place}"].add(name)
    return "".join(f"{head}: {' '.join(sorted(names))}\n" for head, names in sorted(rows.items()))


def _place(path, others, everywhere):
    """The module of every Keras that has an object by its own name, of the same package if one has it; "-" for none."""
    module, _, name = path.rpartition(".")
    known = others | {f"tensorflow.{one}" for one in others}
    found = [one.rpartition(".")[0] for one in known & everywhere if one.endswith(f".{name}")]
    return min(found, key=lambda one: (one[0] != module[0], len(one), one), default="-")


def _main(command, *arguments):
    if command == "read":
        Path(arguments[0]).write_text(json.dumps(read_installed()))
    else:
        parts = [json.loads(Path(part).read_text()) for part in arguments[:2]]
        Path(TABLE).write_text(write([*map(Path, arguments[2:])], parts), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
