"""FT192 · import tensorflow as tf, in a file that uses the TensorFlow 1 API

A ``model_fn`` written for TensorFlow 1 uses ``tf.layers``, ``tf.train.AdamOptimizer``, ``x.shape[0].value`` and other
names that TensorFlow 2 keeps under ``tf.compat.v1``.

Instead: ``import tensorflow.compat.v1 as tf`` in each file of a program for TensorFlow 1, which keeps the meaning of
every name. ``tf.disable_v2_tensorshape()`` comes where ``.value`` is read; ``disable_v2_behavior()`` and
``disable_eager_execution()`` go, unless other code builds a graph for a session. What only TensorFlow 2 takes goes to
``tf.compat.v2``.

In a program for TensorFlow 2 the import stays: only the missing name is written, ``tf.compat.v1.FixedLenFeature``.

A program is for TensorFlow 1 if code that it runs needs it: by a name, an argument (``keep_dims``) or a method
(``make_one_shot_iterator``) that TensorFlow 2 lacks. It is for TensorFlow 2 if such names stand only in code that
nothing calls, beside names of TensorFlow 2 or ``tf.compat.v1``. Where it runs names of both, or runs TensorFlow 1's in
some branch only, each name with two meanings, as ``tf.nn.dropout(x, 0.1)``, is reported. A call whose arguments mean
the same in both is none.

Fidelity: exact. A function that keeps its session to itself gets a graph of its own (``in_own_graph``); a placeholder
that only tells a type and a shape to a serving input becomes a ``tf.TensorSpec``.

See: migrate/tensorflow/meanings.txt, which is made from the installed packages.
"""

import ast
from collections.abc import Collection, Container, Iterator

from migrate.analysis.program.graph_mode import OTHER_PACKAGES, V1_PATHS, mode_place, reexported_tf, tf1_imports
from migrate.analysis.source.guards import root_import
from migrate.edits.plan import ReplaceStatement
from migrate.rules.names.names_by_name import write_v1_names
from migrate.rules.names.sessions_beside import graph_mode, settle_sessions
from migrate.rules.names.star_imports import hidden_by_star, lines_beside
from migrate.rules.rule import ObjectFile, Verdict, exact, file_rule, line, manual

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
    line("tf.logging.info(x); tf.summary.scalar('x', data=x)", "tf.compat.v2.summary.scalar('x', data=x)"),
    line("print(tf.data.AUTOTUNE); tf.logging.info(x)", "print(tf.data.AUTOTUNE); tf1.logging.info(x)"),
    line("print(tf.data.AUTOTUNE); tf.logging.info(x); tf.nn.dropout(x, 0.1)", None),
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


def _names(file: ObjectFile) -> Iterator[Verdict]:
    """Keeps the meaning of the names of TensorFlow 1 in one file."""
    beside = yield from settle_sessions(file)
    if isinstance(beside, Verdict):
        yield beside
        return
    place = mode_place(file.module) if beside is not None else None
    yield from graph_mode(file, beside, place)
    if file.module.meaning == 2:
        yield from write_v1_names(file)
        _disable_eager_below(file, place)
        return
    statements = tf1_imports(file.module)
    unreached = _first_unreached(file, statements.keys())
    if unreached is not None:
        yield unreached
        return
    yield from _imports(file, dict.fromkeys(one for found in statements.values() for one in found), place)


def _first_unreached(file: ObjectFile, reached: Container[ast.expr]) -> Verdict | None:
    """The first name of TensorFlow 1 whose import cannot be changed; what has another name now needs none."""
    for node, found in file.module.tf1_only:
        if node not in reached and node not in file.renamed and not found.is_contrib:  # which has a rule of its own
            means = "means another thing in TensorFlow 2" if found.is_ambiguous else "exists in TensorFlow 1 alone"
            message = f"`{found.qualified}` {means}, and is not reached by an import of TensorFlow that can be changed"
            help = "Run tf_upgrade_v2 on the file first, then migrate it again."
            return manual(node, message, help, file.module)
    return None


def _imports(
    file: ObjectFile,
    importing: Collection[ast.Import | ast.ImportFrom],
    place: ast.Call | ast.Import | ast.ImportFrom | None,
) -> Iterator[Verdict]:
    """Imports ``tensorflow.compat.v1`` in the place of TensorFlow."""
    module = file.module
    reads_value = "value" in module.names.attributes
    for statement in importing:
        star = reexported_tf(module, statement)
        lines, name = _compat_v1_lines(statement) if not star else (lines_beside(module, statement, star, _V1), star)
        settings = [f"{name}.disable_v2_tensorshape()"] if reads_value else []
        settings += [f"{name}.disable_eager_execution()"] if statement is place else []
        if settings and name:
            lines += ["", *settings]
        _write(file, statement, lines, hidden_by_star(file, statement, name) if name and not star else None)
        for node, found in module.tf2_compatible_uses:
            if name and root_import(module.names, node) is statement:
                # What a model_fn makes are variables of TensorFlow 2, which compat.v1's class does not hold.
                file.rename(node, f"{name}.compat.v2.{found.tail}")
        shown = f"`{name}` becomes" if name else "its names become those of"
        yield exact(statement, f"{shown} tensorflow.compat.v1, which has every name used here", module)
    if place not in importing:
        _disable_eager_below(file, place)


def _disable_eager_below(file: ObjectFile, place: ast.Call | ast.Import | ast.ImportFrom | None) -> None:
    """Turns eager mode off below an import that stays."""
    if isinstance(place, ast.Import):
        v1 = next(alias for alias in place.names if alias.name in V1_PATHS)
        text = (
            f"{file.module.source.text(place)}\n\n{v1.asname or v1.name}{V1_PATHS[v1.name]}.disable_eager_execution()"
        )
        file.edits.append(ReplaceStatement(file.module.span(place), (text,)))


def _write(file: ObjectFile, statement: ast.stmt, lines: list[str], hidden_by: ast.ImportFrom | None) -> None:
    """Writes an import, below the one that would hide it; where it was too, unless imports alone are between."""
    module = file.module
    if hidden_by is None:
        file.edits.append(ReplaceStatement(module.span(statement), ("\n".join(lines),)))
        return
    body = module.tree.body
    between = body[body.index(statement) : body.index(hidden_by)]
    if all(isinstance(one, ast.Import | ast.ImportFrom) for one in between):
        file.delete(statement)
    else:
        file.edits.append(ReplaceStatement(module.span(statement), ("\n".join(lines),)))
    below = "\n".join([module.source.text(hidden_by), *lines])
    file.edits.append(ReplaceStatement(module.span(hidden_by), (below,)))


def _star_imports(file: ObjectFile) -> Iterator[Verdict]:
    """Imports TensorFlow where ``from … import *`` gave it to a file that is not TensorFlow 1's: there it may go."""
    module = file.module
    if module.is_tf1:
        return
    for statement in module.tree.body:
        name = reexported_tf(module, statement)
        if name:
            lines = lines_beside(module, statement, name, "tensorflow")
            file.edits.append(ReplaceStatement(module.span(statement), ("\n".join(lines),)))
            yield exact(statement, f"gave `{name}`, which is imported here now", module)


def _compat_v1_lines(statement: ast.Import | ast.ImportFrom) -> tuple[list[str], str]:
    """An import's lines for ``tensorflow.compat.v1``, and the name that it gives TensorFlow; "" for only some names."""
    if isinstance(statement, ast.Import):
        own = next(alias for alias in statement.names if alias.name == "tensorflow")
        others = ast.Import([alias for alias in statement.names if alias is not own])
        name = own.asname or own.name
        return [*([ast.unparse(others)] if others.names else []), f"import tensorflow.compat.v1 as {name}"], name
    kept = [alias for alias in statement.names if alias.name not in OTHER_PACKAGES]
    stay = [alias for alias in statement.names if alias.name == "compat"]
    module = (statement.module or "").replace("tensorflow", "tensorflow.compat.v1", 1)
    lines = [ast.unparse(ast.ImportFrom(module, kept, 0))]
    return [*([ast.unparse(ast.ImportFrom(statement.module, stay, 0))] if stay else []), *lines], ""
