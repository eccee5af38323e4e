"""What each TensorFlow calls its parts: reads an installed one, or an unpacked wheel, and writes the package's table.

``python -m tests.tensorflow_names read PART`` stores what the TensorFlow of this interpreter has in a file PART.
``python -m tests.tensorflow_names unpacked DIRECTORY PART`` does so for wheels of TensorFlow 1.15 and its Estimator,
unpacked into a directory: that TensorFlow runs on no Python of today, so its files are read and never imported.
``python -m tests.tensorflow_names write PART PART PART`` makes ``migrate/tensorflow/names.txt`` of those parts.
"""

import ast
import importlib
import json
import os
import re
import subprocess
import sys
import types
from collections import defaultdict
from functools import cache
from pathlib import Path

from migrate.tensorflow import read_rows
from migrate.tensorflow.known_names import TABLE, _row

_LONGEST = 20
"""An import may lead through so many modules to the definition."""

_PUBLIC = (
    "tensorflow._api.",
    "tensorflow.compat",
    "tensorboard.summary.",
    "tensorflow_estimator._api.",
    "tensorflow_estimator.python.estimator.api.",
    "keras.",
    "tf_keras.",
    "tensorflow.python.platform.flags",
)
_PROTOCOL = ("_pb2", "_pb2_grpc")
_OPEN = ("raw_ops", "compat.v1", "compat.v2")
"""Modules that are not looked into: ``raw_ops`` has every operation, ``compat`` all names over again."""

_PRIVATE = ("tensorflow.core.", "tensorflow.examples.", "tensorflow.python.", "tensorflow_estimator.")
_GENERATED = re.compile(r"^tensorflow\.python\.util\.|\.gen_")
"""Where what TensorFlow 1 shows of contrib by chance is defined: every operation, and what decorates functions."""

_TESTED = re.compile(r"_test$|\b(testdata|_api|api|kernel_tests|test_util)\b")


def names_in_version(line):
    """The public names below ``tf.compat.v1`` of a TensorFlow; of 1.15 below ``tensorflow``, contrib's too."""
    for row in (_row(text) for text in read_rows(TABLE) if text.startswith("v1 ")):
        if line in row.lines:
            yield from (f"{row.module}.{name}".lstrip(".") for name, _ in row.pairs)


class Sources:
    """The modules of TensorFlow's packages, read as text.

    Args:
      roots: the directory of each package.
    """

    def __init__(self, roots):
        self.paths = {}
        self.packages = ("tensorflow", *roots)
        for package, root in roots.items():
            for path in sorted(root.rglob("*.py")):
                parts = path.relative_to(root).with_suffix("").parts
                parts = parts[:-1] if parts[-1:] == ("__init__",) else parts
                self.paths[".".join((package, *parts))] = path
        self.names = cache(self._names)

    def _names(self, module):
        """The names at the top of a module, and what each is imported from; "" where the module defines it."""
        found = {}
        documented = None
        tree = ast.parse(self.paths[module].read_text(encoding="utf-8"))
        is_package = self.paths[module].name == "__init__.py"
        for node in _statements(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = ""
            elif isinstance(node, ast.Assign):
                for target in (t for t in node.targets if isinstance(t, ast.Name)):
                    found[target.id] = self._alias(module, found, node.value)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.partition(".")[0]
                    found[alias.asname or root] = alias.name if alias.asname else root
            elif isinstance(node, ast.ImportFrom):
                base = _absolute(module, is_package, node)
                for alias in node.names:
                    if alias.name != "*":
                        found[alias.asname or alias.name] = f"{base}.{alias.name}"
                    elif base in self.paths and base != module:
                        starred = self.names(base)
                        found |= {name: f"{base}.{name}" for name in starred if not name.startswith("_")}
            elif _is_removal(node):
                documented = set(re.findall(r"@@(\w+)", ast.get_docstring(tree) or ""))
                documented |= set(_words(tree))
        return {name: origin for name, origin in found.items() if documented is None or name in documented}

    def _alias(self, module, found, value):
        """What ``name = other`` or ``name = module.other`` stands for; "" where the value is made here."""
        parts = []
        while isinstance(value, ast.Attribute):
            parts.insert(0, value.attr)
            value = value.value
        if not isinstance(value, ast.Name) or value.id not in found:
            return ""
        origin = found[value.id] or ("" if parts else f"{module}.{value.id}")
        return ".".join((origin, *parts)) if origin else ""

    def definition(self, path):
        """Where the object of a dotted path is defined; "" where that is not found or is a module."""
        for _ in range(_LONGEST):
            if path in self.paths:
                return ""
            module, _, name = path.rpartition(".")
            if module not in self.paths:  # an attribute of something that is imported
                module = self.module(module)
                if not module:
                    return ""
            found = self.names(module)
            if name not in found:
                return ""
            if not found[name]:
                return f"{module}.{name}"
            if not found[name].startswith(self.packages):
                return ""
            path = found[name]
        return ""

    def module(self, path):
        """The module that a dotted path leads to by imports; "" for none."""
        for _ in range(_LONGEST):
            if path in self.paths:
                return path
            module, _, name = path.rpartition(".")
            if module not in self.paths or not self.names(module).get(name):
                return ""
            path = self.names(module)[name]
        return ""

    def private(self):
        """The functions, classes and constants of each private module; None where they are made as it is imported."""
        modules = [name for name in self.paths if name.startswith(_PRIVATE) and not _TESTED.search(name)]
        return {name: None if name.endswith(_PROTOCOL) else sorted(self._own(name)) for name in modules}

    def same(self):
        """Where the objects are defined that private modules import."""
        found = {}
        for module in self.paths:
            if "python" in module.split(".") and not _TESTED.search(module):
                for name, origin in self.names(module).items():
                    if origin and not name.startswith("_") and (defined := self.definition(f"{module}.{name}")):
                        found[f"{module}.{name}"] = defined
        return found

    def _own(self, module):
        for name, origin in self.names(module).items():
            if (
                not name.startswith("_")
                and not name.endswith("_export")
                and (not origin or self.definition(f"{module}.{name}"))
            ):
                yield name


def _statements(tree):
    """The statements that run as a module is imported."""
    waiting = list[ast.AST](tree.body[::-1])
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            parts = (getattr(node, name, []) for name in ("body", "handlers", "orelse", "finalbody"))
            waiting += [inner for part in parts for inner in part][::-1]


def _absolute(module, is_package, node):
    if not node.level:
        return node.module or ""
    parts = module.split(".")[: None if is_package and node.level == 1 else -(node.level - is_package)]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _is_removal(node):
    call = node.value if isinstance(node, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return "remove_undocumented" in (getattr(function, "id", ""), getattr(function, "attr", ""))


def _words(tree):
    """The names that a module lists for ``remove_undocumented``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value


def read_unpacked(directory):
    """What TensorFlow 1.15 has, by the files of its wheels."""
    estimator = directory / "tensorflow_estimator"
    sources = Sources({"tensorflow": directory / "tensorflow_core", "tensorflow_estimator": estimator})
    public = dict(_listed(sources, "tensorflow", ""))
    public |= dict(_listed(sources, "tensorflow_estimator._api.v1.estimator", "estimator."))
    public |= dict(_listed(sources, "tensorflow.python.keras.api._v1.keras", "keras."))
    flags = sources.names("tensorflow.python.platform.flags")
    names = ["app.flags", *(f"app.flags.{n}" for n, o in flags.items() if n[0] != "_" and not o)]
    public |= {name.removeprefix(above): "" for name in names for above in ("", "app.")}
    public |= dict(_contrib(sources))
    return {"line": "1.15", "public": {"v1": public}, "private": sources.private(), "same": sources.same()}


def _listed(sources, module, above):
    """The public names below a generated module, and where each is defined."""
    for name, origin in sources.names(module).items():
        if name.startswith("_") or not origin.startswith("tensorflow") or "LazyLoader" in origin:
            continue
        inner = sources.module(origin)
        if inner.startswith(_PUBLIC) or "._api." in inner or ".api._v1." in inner:
            yield f"{above}{name}", ""
            if f"{above}{name}" not in _OPEN:
                yield from _listed(sources, inner, f"{above}{name}.")
        elif not inner:
            yield f"{above}{name}", sources.definition(origin)


def _contrib(sources):
    """The names that ``tf.contrib`` shows, and where each is defined."""
    waiting = [("contrib", "tensorflow.contrib")]
    seen = set()
    while waiting:
        above, module = waiting.pop()
        seen.add(module)
        for name, origin in sources.names(module).items():
            path = f"{module}.{name}"
            inner = sources.module(origin or path)
            if name.startswith("_"):
                continue
            is_public = ".python" not in inner or module == "tensorflow.contrib"  # which shows two of them
            if inner.startswith("tensorflow.contrib.") and is_public and inner not in seen:
                waiting.append((f"{above}.{name}", inner))
            elif not inner and (defined := sources.definition(path)) and not _GENERATED.search(defined):
                yield f"{above}.{name}", defined
        packages = [p for p in sources.paths if p.rpartition(".")[0] == module and not p.endswith(("python", "_test"))]
        waiting += [
            (f"{above}.{p.rpartition('.')[2]}", p) for p in packages if p not in seen and is_package(sources, p)
        ]


def is_package(sources, module):
    return sources.paths[module].name == "__init__.py"


def read_installed():
    """What the TensorFlow of this interpreter has: its public names as it shows them, its private ones as its files."""
    import tensorflow as tf

    site = Path(tf.__file__).parent.parent
    line = ".".join(tf.__version__.split(".")[:2])
    sources = Sources({name: site / name for name in ("tensorflow", "tensorflow_estimator") if (site / name).exists()})
    public = {"v1": dict(_shown(sources, tf.compat.v1)), "v2": dict(_shown(sources, tf))}
    part = {"line": line, "public": public, "private": _imported(sources), "same": sources.same()}
    if line != "2.15" and os.environ.get("TF_USE_LEGACY_KERAS") != "1":
        code = "import json; from tests.tensorflow_names import read_installed as r; print(json.dumps(r()['public']))"
        env = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}
        out = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True).stdout
        part["legacy"] = json.loads(out.splitlines()[-1])
    return part


def _imported(sources):
    """The names of each private module that can be imported, as it shows them."""
    found = {}
    for name, listed in sources.private().items():
        try:
            module = importlib.import_module(name)
        except Exception:  # some need what is not installed, or has been taken out of Keras
            continue
        found[name] = listed and sorted(one for one in dir(module) if not one.startswith("_"))
    return found


def _shown(sources, root):
    """The names that a public module shows, those of its submodules too, and where each is defined."""
    waiting = [("", root, ())]
    while waiting:
        above, module, outer = waiting.pop()
        own = _name_of(module)
        for name in _members(module):
            try:
                shown = getattr(module, name)
            except Exception:  # Keras 3 lists names of Keras 2 that it does not have
                continue
            if not isinstance(shown, types.ModuleType):
                path = f"{own}.{name}"
                origin = sources.definition(path) if own in sources.paths else ""
                yield f"{above}{name}", origin
            elif f"{above}{name}" in _OPEN or not _name_of(shown).startswith(("tensor", "keras", "tf_keras")):
                yield f"{above}{name}", ""  # such as test.mock, which is Python's
            elif _is_shown(shown) and id(shown) not in outer:
                yield f"{above}{name}", ""
                waiting.append((f"{above}{name}.", shown, (*outer, id(shown))))


def _name_of(module):
    try:
        return module.__name__
    except AttributeError:  # a lazy loader of Keras 2 under Keras 3
        return ""


def _members(module):
    try:
        names = {*dir(module), *(module.__dict__.get("_tfmw_public_apis") or ())}
    except (AttributeError, ImportError):  # a lazy loader of Keras 2 under Keras 3
        return []
    return sorted(name for name in names if not name.startswith("_"))


def _is_shown(module):
    own = _name_of(module)
    return not own or own.startswith(_PUBLIC)


def write(parts):
    """The table of several parts."""
    rows = defaultdict(set)
    lines = [part["line"] for part in parts]
    for api in ("v1", "v2"):
        having = defaultdict(list)
        origins = {}
        for part in parts:
            for name, origin in part["public"].get(api, {}).items():
                having[name].append(part["line"])
                if origin:
                    origins.setdefault(name, origin)
            for name in part.get("legacy", {}).get(api, {}):
                if name not in part["public"][api]:
                    having[name].append(f"{part['line']}k")
        for name, has in having.items():
            module, _, last = name.rpartition(".")
            origin, _, defined = origins.get(name, "").rpartition(".")
            spelled = last if defined in (last, "") else f"{last}={defined}"
            place = f" < {origin}" if defined else ""
            rows[f"{api} {module} {','.join(has)}{place}"].add(spelled)
    for path, defined in _same(parts):
        (module, _, name), (origin, _, other) = path.rpartition("."), defined.rpartition(".")
        rows[f"same {module} - < {origin}"].add(name if name == other else f"{name}={other}")
    private = {part["line"]: part["private"] for part in parts}
    for module in sorted({module for line in lines[:2] for module in private[line]}):
        has = [line for line in lines if module in private[line]]
        package, _, last = module.rpartition(".")
        rows[f"module {package} {','.join(has)}"].add(last)
        for name in {name for line in lines[:2] for name in private[line].get(module) or ()}:
            gone = [line for line in has if line != "1.15" and not _has(private[line], module, name)]
            if gone:
                rows[f"gone {module} {','.join(gone)}"].add(name)
    return "".join(f"{head}: {' '.join(sorted(names))}\n" for head, names in sorted(rows.items()))


def _same(parts):
    """The private paths by which some TensorFlow had a public object, beside that of its definition; and that one."""
    public = {origin for part in parts for names in part["public"].values() for origin in names.values() if origin}
    for path, defined in {**parts[1]["same"], **parts[0]["same"]}.items():
        if defined in public and defined != path and not _GENERATED.search(defined):
            yield path, defined


def _has(private, module, name):
    names = private[module]
    return names is None or name in names or f"{module}.{name}" in private


def _main(command, *arguments):
    if command == "read":
        Path(arguments[0]).write_text(json.dumps(read_installed()))
    elif command == "unpacked":
        Path(arguments[1]).write_text(json.dumps(read_unpacked(Path(arguments[0]))))
    else:
        Path(TABLE).write_text(write([json.loads(Path(part).read_text()) for part in arguments]), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
