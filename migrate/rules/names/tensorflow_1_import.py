"""FT192 · import tensorflow as tf, in a file that uses the TensorFlow 1 API

A ``model_fn`` written for TensorFlow 1 uses ``tf.layers``, ``tf.train.AdamOptimizer``, ``x.shape[0].value`` and other
names that TensorFlow 2 keeps under ``tf.compat.v1``.

Instead: ``import tensorflow.compat.v1 as tf``, which keeps the meaning of every name in the file, and
``tf.disable_v2_tensorshape()`` where ``.value`` is read. ``disable_v2_behavior()`` and ``disable_eager_execution()``
go, because the loop around the ``model_fn`` runs eagerly; the ``model_fn`` itself builds its graph as before. A
``tf.placeholder`` that only tells ``build_raw_serving_input_receiver_fn`` a type and a shape becomes a
``tf.TensorSpec``.

A program runs on one TensorFlow, so that each of its files is taken for TensorFlow 1 if one of them is: a file that
holds only ``tf.nn.dropout(x, 0.9)`` gets the import too, for TensorFlow 2 would drop what was kept.
A ``make_one_shot_iterator()`` of a dataset tells TensorFlow 1 as its names do.

``isinstance(x, tf.Variable)`` asks for ``tf.compat.v2.Variable`` then, of which the variables of both are; a file that
names nothing else with two meanings keeps its import.

Where ``tf`` comes by ``from settings import *``, or ``from settings import tf``, the file gets an import of its own.

A function that imports TensorFlow itself gets the same import, unless it hands ``tf`` on to code that is not seen.

``from tensorflow import feature_column as fc`` becomes ``from tensorflow.compat.v1 import feature_column as fc`` where
a name of it is TensorFlow 1's. A function that the code around the estimator calls, and that keeps the session which it
makes to itself, as one that reads a dataset into memory does, gets a graph of its own: ``in_own_graph``, a decorator.

Where other code builds a graph for a session beside the estimator, the program takes the object form, and
``tf.disable_eager_execution()`` stays or is added: that code works as before, and the object trains in a graph and a
session of its own, whatever graph or session its caller is in.

Fidelity: exact. A session in a ``tf.Graph`` of its own works eagerly as before and stays, and so does one that a
function enters by ``with`` and that runs only what is made there, and any session of a program in eager mode.

See: tf.compat.v1.
"""

import ast
from collections.abc import Iterable, Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.module import Module
from migrate.analysis.names import Names, import_of, imports_of
from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import Decorate, Part, ReplaceExpression, ReplaceStatement
from migrate.files.trouble import Unreadable
from migrate.rules.rule import ObjectFile, Verdict, exact, file_rule, line, manual

_SESSIONS = {
    "InteractiveSession", "Session", "global_variables_initializer", "placeholder", "train.MonitoredTrainingSession",
    "train.Supervisor",
}  # fmt: skip
_V1 = "tensorflow.compat.v1"


@file_rule(
    "FT192",
    "exact",
    line("tf.logging.info(x)", "import tensorflow.compat.v1 as tf\n"),
    line("import tensorflow as tf; tf.logging.info(x)", "import tensorflow.compat.v1 as tf\n"),
    line("tf.logging.info(x.shape[0].value)", "tf.disable_v2_tensorshape()"),
    line("tf1.disable_v2_behavior()", "model = Estimator("),
    line("tf1.Session()", "tf.compat.v1.disable_eager_execution()"),
    line(
        "f = tf1.estimator.export.build_raw_serving_input_receiver_fn({'x': tf1.placeholder(tf.int64, [None])})",
        "tf.TensorSpec(shape=[None], dtype=tf.int64)",
    ),
    line("f = {'x': tf1.placeholder(tf.int64, [None])}", "tf.compat.v1.disable_eager_execution()"),
    line("def log(): import tensorflow as t; t.logging.info(1)", "import tensorflow.compat.v1 as t"),
    line("def log(): import tensorflow as t; t.logging.info(1); return t", None),
    line("layers = tf.layers; log = tf.logging; log.info(layers)", "import tensorflow.compat.v1 as tf\n"),
    line("from tensorflow import gfile; gfile.MkDir('x')", "from tensorflow.compat.v1 import gfile"),
    line("layers = tf.layers; print(isinstance(layers, tf.Variable))", "isinstance(layers, tf.compat.v2.Variable)"),
    line("def export(): tf1.Session()\n    export()", "tf.compat.v1.disable_eager_execution()"),
    line("def f(n):\n        with tf1.Session() as s: x = tf.range(n); s.run(x)\n    f(3)", "model = Estimator("),
    line(
        "def f():\n        x = tf.range(3)\n        with tf1.Session() as s: s.run(x)\n    f()",
        "    @in_own_graph\n    def f():",
    ),
    line("g = tf.Graph(); s = tf1.Session(graph=g)", "model = Estimator("),
    line("def unused(): tf1.Session()", "model = Estimator("),
    line("with tf1.Session(graph=tf.Graph()): tf1.placeholder(tf.int64)", "model = Estimator("),
    line("with tf.Graph().as_default(): tf1.Session()", "model = Estimator("),
)
def tensorflow_1_import(file: ObjectFile) -> Iterator[Verdict]:
    yield from _names(file)
    yield from _star_imports(file)


def has_sessions(module: Module) -> bool:
    """Whether a file names sessions, or what only works beside one."""
    return any(found.tail in _SESSIONS for _, found in [*module.v1, *module.tf1_only])


def is_in_graph_mode(modules: Iterable[Module]) -> bool:
    """Whether the code around a program's estimators builds a graph: TensorFlow 1's does, unless it says otherwise."""
    modules = list(modules)
    modes = {found.tail for module in modules for _, found in module.modes}
    return not any(mode.startswith("enable_") for mode in modes) and (bool(modes) or not any(map(_is_eager, modules)))


def _is_eager(module: Module) -> bool:
    """Whether a file imports TensorFlow 2 as such, or reads the values of tensors."""
    imported = (alias.name for node in module.names.nodes(ast.Import) for alias in node.names)
    return "tensorflow.compat.v2" in imported or "numpy" in module.names.attributes


def _names(file: ObjectFile) -> Iterator[Verdict]:
    """Keeps the meaning of the names of TensorFlow 1 in one file."""
    eager = file.eager
    module = file.module
    beside: ast.expr | None = None
    for node, found in [*module.v1, *module.tf1_only]:
        text = _spec_of_feature(file, node) if found.tail == "placeholder" else None
        function = eager.own_graph(module, node) if eager is not None and found.tail in _SESSIONS else None
        if text is not None:
            call = module.names.parent(node)
            assert isinstance(call, ast.Call)
            file.renamed[call] = text
            file.edits.append(ReplaceExpression(module.span(call), text))
            yield exact(node, "this placeholder becomes a tf.TensorSpec in the serving signature", module)
        elif function is not None:
            edit = Decorate(module.span(function), file.piece("in_own_graph"))
            if edit not in file.edits:
                file.edits.append(edit)
                message = f"`{function.name}` builds its own graph: it is wrapped in a tf.Graph()"
                yield exact(node, message, module)
        elif found.tail in _SESSIONS and eager is not None and eager.holds(module, node):
            if _mode_place(module) is not None:
                beside = beside or node
                continue
            yield manual(
                node,
                f"`{found.qualified}` is used on a session beside the estimator, and the rewrite turns graph mode off",
                "Move the code with the session to another program.",
                module,
            )
            return
    place = _mode_place(module) if beside is not None else None
    if beside is not None:
        message = "stays in graph mode with the session; the estimators beside it have sessions of their own"
        yield exact(beside, message, module)
    if isinstance(place, ast.Call):
        assert isinstance(place.func, ast.Attribute)
        text = f"{module.source.text(place.func.value)}.disable_eager_execution"
        file.edits.append(ReplaceExpression(module.span(place.func), text))
    for call, found in module.modes:
        statement = module.names.parent(call)
        if isinstance(statement, ast.Expr) and call is not place:
            file.delete(statement)
            yield exact(
                call, f"{found.tail}() is removed: the loop runs eagerly, the model_fn in its own graph", module
            )
    statements = _imports(module)
    # What has another name now does not need the import that it came by.
    other = [
        (node, found)
        for node, found in module.tf1_only
        if node not in statements and node not in file.renamed and not found.is_contrib
    ]  # contrib's have a rule of their own
    if other:
        node, found = other[0]
        means = "means another thing in TensorFlow 2" if found.is_other_in_2 else "exists in TensorFlow 1 alone"
        yield manual(
            node,
            f"`{found.qualified}` {means}, and is not reached by an import of TensorFlow that can be changed",
            "Run tf_upgrade_v2 on the file first, then migrate it again.",
            module,
        )
        return
    reads_value = "value" in module.names.attributes
    importing = dict.fromkeys(statement for found in statements.values() for statement in found)
    for statement in importing:
        star = _given_by_star(module, statement)
        lines, name = _of_compat_v1(statement) if not star else (_beside(module, statement, star, _V1), star)
        settings = [f"{name}.disable_v2_tensorshape()"] if reads_value else []
        settings += [f"{name}.disable_eager_execution()"] if statement is place else []
        if settings and name:
            lines += ["", *settings]
        _write(file, statement, lines, _hidden_by(file, statement, name) if name and not star else None)
        for node, found in module.asked:
            if name and import_of(module.names, node) is statement:
                # What a model_fn makes are variables of TensorFlow 2, which compat.v1's class does not hold.
                file.renamed[node] = f"{name}.compat.v2.{found.tail}"
                file.edits.append(ReplaceExpression(module.span(node), file.renamed[node]))
        shown = f"`{name}` becomes" if name else "its names become those of"
        yield exact(statement, f"{shown} tensorflow.compat.v1, which has every name used here", module)
    if isinstance(place, ast.Import) and place not in importing:
        v1 = next(alias for alias in place.names if alias.name in _GIVES_V1)
        text = f"{module.source.text(place)}\n\n{v1.asname or v1.name}{_GIVES_V1[v1.name]}.disable_eager_execution()"
        file.edits.append(ReplaceStatement(module.span(place), (Part(text),)))


def _write(file: ObjectFile, statement: ast.stmt, lines: list[str], hidden_by: ast.ImportFrom | None) -> None:
    """Writes an import, below the one that would hide it; where it was too, unless imports alone are between."""
    module = file.module
    if hidden_by is None:
        file.edits.append(ReplaceStatement(module.span(statement), (Part("\n".join(lines)),)))
        return
    body = module.tree.body
    between = body[body.index(statement) : body.index(hidden_by)]
    if all(isinstance(one, ast.Import | ast.ImportFrom) for one in between):
        file.delete(statement)
    else:
        file.edits.append(ReplaceStatement(module.span(statement), (Part("\n".join(lines)),)))
    below = "\n".join([module.source.text(hidden_by), *lines])
    file.edits.append(ReplaceStatement(module.span(hidden_by), (Part(below),)))


def _hidden_by(file: ObjectFile, statement: ast.stmt, name: str) -> ast.ImportFrom | None:
    """The last ``from … import *`` below an import that gives TensorFlow 2 by its name again; None for none."""
    body = file.module.tree.body
    below = body[body.index(statement) + 1 :] if statement in body else []
    stars = [one for one in below if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    return next((one for one in reversed(stars) if _gives(file, file.module, one, name)), None)


def _gives(file: ObjectFile, module: Module, star: ast.ImportFrom, name: str, depth: int = 0) -> bool:
    """Whether a star import gives TensorFlow 2 by a name: from a file whose import of it stays as it is."""
    found = file.tree.target(module, "." * star.level + (star.module or ""))
    if found is None or found.names or depth > _DEEPEST:
        return False
    try:
        other = file.tree.module(found.path)
    except Unreadable:
        return False
    if name in other.names.top.bindings:
        return not other.tf1_only and [one.imported for one in other.names.top.bindings[name]] == ["tensorflow"]
    inner = [one for one in other.tree.body if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"]
    return any(_gives(file, other, one, name, depth + 1) for one in inner)


_DEEPEST = 5
"""Files may import all of one another in a circle."""


def _mode_place(module: Module) -> ast.Call | ast.Import | ast.ImportFrom | None:
    """Where a file is told to stay in graph mode: at the call that did so, else below an import of TensorFlow 1."""
    for call, found in module.modes:
        is_statement = isinstance(module.names.parent(call), ast.Expr)
        if found.tail.startswith("disable_") and is_statement and isinstance(call.func, ast.Attribute):
            return call
    for statement in module.tree.body:
        if isinstance(statement, ast.Import) and any(
            alias.name in _GIVES_V1 and (alias.asname or alias.name == "tensorflow") for alias in statement.names
        ):
            return statement
    importing = (statement for found in _imports(module).values() for statement in found)
    return next((statement for statement in importing if _given_by_star(module, statement)), None)


_GIVES_V1 = {"tensorflow": ".compat.v1", "tensorflow.compat.v1": "", "tensorflow.compat.v2": ".compat.v1"}
"""What follows the name of an import to name TensorFlow 1."""


def _star_imports(file: ObjectFile) -> Iterator[Verdict]:
    """Imports TensorFlow where ``from … import *`` gave it to a file that is not TensorFlow 1's: there it may go."""
    module = file.module
    if module.tf1_only:
        return
    for statement in module.tree.body:
        name = _given_by_star(module, statement)
        if name:
            lines = _beside(module, statement, name, "tensorflow")
            file.edits.append(ReplaceStatement(module.span(statement), (Part("\n".join(lines)),)))
            yield exact(statement, f"gave `{name}`, which is imported here now", module)


def _given_by_star(module: Module, statement: ast.stmt) -> str:
    """The name by which an import of another file's names gives TensorFlow; "" for any other import."""
    if not isinstance(statement, ast.ImportFrom):
        return ""
    bindings = module.names.top.bindings.items()
    return next((name for name, (one, *_) in bindings if one.node is statement and one.imported == "tensorflow"), "")


def _beside(module: Module, statement: ast.stmt, name: str, package: str) -> list[str]:
    """The lines of an import of another file's names, without that one, and an import of TensorFlow by it."""
    assert isinstance(statement, ast.ImportFrom)
    own = f"import {package}" if name == package else f"import {package} as {name}"
    others = [alias for alias in statement.names if (alias.asname or alias.name) != name]
    if len(others) == len(statement.names):
        return [module.source.text(statement), own]
    return [*([ast.unparse(ast.ImportFrom(statement.module, others, statement.level))] if others else []), own]


def _spec_of_feature(file: ObjectFile, node: ast.expr) -> str | None:
    """The ``TensorSpec`` for a placeholder in a dict that ``build_raw_serving_input_receiver_fn`` alone is given."""
    names, call = file.module.names, file.module.names.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return None
    fed = _only_use(names, call)
    display = names.parent(fed) if fed is not None else None
    if not isinstance(display, ast.Dict):
        return None
    taker, uses = names.parent(display), list[ast.expr]([display])
    if isinstance(taker, ast.Assign) and len(taker.targets) == 1 and isinstance(taker.targets[0], ast.Name):
        variable = taker.targets[0]
        uses = [*names.reads_of(variable)] if len(names.bound(variable)) == 1 else []
    if not uses or not all(_is_receiver(names, use) for use in uses):
        return None
    try:
        given = bind(call, ("dtype", "shape", "name"))
    except Unbindable:
        return None
    if not given.keys() <= {"dtype", "shape", "name"} or is_none(given.get("shape")) or "dtype" not in given:
        return None
    text = file.module.source.text
    written = [f"{name}={text(given[name], file.renamed)}" for name in ("shape", "dtype", "name") if name in given]
    return f"{file.tf}.TensorSpec({', '.join(written)})"


def _only_use(names: Names, value: ast.expr) -> ast.expr | None:
    """The one place that a value goes to: its own, or that of the variable which it is assigned to."""
    statement = names.parent(value)
    if not isinstance(statement, ast.Assign):
        return value
    target = statement.targets[0] if len(statement.targets) == 1 else None
    uses = names.reads_of(target)
    return uses[0] if len(names.bound(target)) == len(uses) == 1 else None


def _is_receiver(names: Names, use: ast.expr) -> bool:
    """Whether an expression is the dict of features that raw requests feed."""
    parent = names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) and parent.arg == "features" else parent
    found = symbol_of(names, call.func) if isinstance(call, ast.Call) and use not in call.args[1:] else None
    return found is not None and found.tail == "estimator.export.build_raw_serving_input_receiver_fn"


_OTHER_PACKAGES = ("compat", "contrib", "core", "estimator", "examples", "python", "tools")
"""What ``tensorflow`` holds and ``tensorflow.compat.v1`` does not, or should not give any more."""


def _imports(module: Module) -> dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]]:
    """The names of TensorFlow 1 that imports of TensorFlow alone give a file, and these statements."""
    found: dict[ast.expr, tuple[ast.Import | ast.ImportFrom, ...]] = {}
    for node, _ in module.tf1_only:
        statements = imports_of(module.names, node)
        if statements and all(_can_change(module, statement) for statement in statements):
            found[node] = statements
    return found


def _can_change(module: Module, statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether ``tensorflow.compat.v1`` can give all that an import gives."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names if alias.name.split(".")[0] == "tensorflow"]
        return names == ["tensorflow"] and not _is_given_away(module, statement)
    path = ("." * statement.level + (statement.module or "")).split(".")
    is_tensorflow = path[0] == "tensorflow" and path[1:2] != ["compat"] and not {*path[1:]} & {*_OTHER_PACKAGES}
    return is_tensorflow or bool(_given_by_star(module, statement))


def _of_compat_v1(statement: ast.Import | ast.ImportFrom) -> tuple[list[str], str]:
    """An import's lines for ``tensorflow.compat.v1``, and the name that it gives TensorFlow; "" for only some names."""
    if isinstance(statement, ast.Import):
        own = next(alias for alias in statement.names if alias.name == "tensorflow")
        others = ast.Import([alias for alias in statement.names if alias is not own])
        name = own.asname or own.name
        return [*([ast.unparse(others)] if others.names else []), f"import tensorflow.compat.v1 as {name}"], name
    kept = [alias for alias in statement.names if alias.name not in _OTHER_PACKAGES]
    stay = [alias for alias in statement.names if alias.name == "compat"]
    module = (statement.module or "").replace("tensorflow", "tensorflow.compat.v1", 1)
    lines = [ast.unparse(ast.ImportFrom(module, kept, 0))]
    return [*([ast.unparse(ast.ImportFrom(statement.module, stay, 0))] if stay else []), *lines], ""


def _is_given_away(module: Module, statement: ast.Import) -> bool:
    """Whether a function that imports TensorFlow hands it on, to code whose names are not seen."""
    own = next(alias for alias in statement.names if alias.name == "tensorflow")
    names, name = module.names, own.asname or own.name
    scope = names.scope_of(statement)
    uses = [] if isinstance(scope.node, ast.Module) else names.uses(name, scope)
    return not all(isinstance(names.parent(use), ast.Attribute) for use in uses)
