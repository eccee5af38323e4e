"""FT192 · import tensorflow as tf, in a file that uses the TensorFlow 1 API

A ``model_fn`` written for TensorFlow 1 uses ``tf.layers``, ``tf.train.AdamOptimizer``, ``x.shape[0].value`` and other
names that TensorFlow 2 keeps under ``tf.compat.v1``.

Instead: ``import tensorflow.compat.v1 as tf`` in each file of a program for TensorFlow 1, which keeps the meaning of
every name. ``tf.disable_v2_tensorshape()`` is added if ``.value`` is read; ``disable_v2_behavior()`` and
``disable_eager_execution()`` are removed, unless other code builds a graph for a session. Names and arguments that only
TensorFlow 2 has become those of ``tf.compat.v2``.

In a program for TensorFlow 2 the import stays: only the missing names change, as to ``tf.compat.v1.FixedLenFeature``.

A program is for TensorFlow 1 if code that it runs needs a name, an argument (``keep_dims``) or a method
(``make_one_shot_iterator``) that TensorFlow 2 lacks. It is for TensorFlow 2 if such names are only in code that nothing
calls, and others are of TensorFlow 2 or ``tf.compat.v1``. If it runs names of both, or those of TensorFlow 1 only in
some branch, each call with two meanings, such as ``tf.nn.dropout(x, 0.1)``, is reported; not a call whose arguments
mean the same in both.

Fidelity: exact. A function with a session of its own gets a graph of its own (``in_own_graph``). A placeholder that
only gives a serving input its type and shape becomes a ``tf.TensorSpec``.

See: migrate/tensorflow/meanings.txt, which is made from the installed packages.
"""

import ast
from collections.abc import Collection, Container, Iterator

from migrate.analysis.program.graph_mode import OTHER_PACKAGES, V1_PATHS, mode_place, reexported_tf, tf1_imports
from migrate.analysis.source.guards import root_import
from migrate.edits.plan import ReplaceStatement
from migrate.rules.names.other_sessions import graph_mode, separate_sessions
from migrate.rules.names.star_imports import lines_with_import, star_import_below
from migrate.rules.names.v1_names import write_v1_names
from migrate.rules.rule import EstimatorFile, Verdict, exact, example, file_rule, manual

_V1 = "tensorflow.compat.v1"


@file_rule(
    "FT192",
    "exact",
    example("tf.logging.info(x)", "import tensorflow.compat.v1 as tf\n"),
    example("import tensorflow as tf; tf.logging.info(x)", "import tensorflow.compat.v1 as tf\n"),
    example("tf.logging.info(x.shape[0].value)", "tf.disable_v2_tensorshape()"),
    example("tf1.disable_v2_behavior()", "model = Estimator("),
    example("tf1.Session()", "tf.compat.v1.disable_eager_execution()"),
    example(
        "f = tf1.estimator.export.build_raw_serving_input_receiver_fn({'x': tf1.placeholder(tf.int64, [None])})",
        "tf.TensorSpec(shape=[None], dtype=tf.int64)",
    ),
    example("f = {'x': tf1.placeholder(tf.int64, [None])}", "tf.compat.v1.disable_eager_execution()"),
    example("def log(): import tensorflow as t; t.logging.info(1)", "import tensorflow.compat.v1 as t"),
    example("def log(): import tensorflow as t; t.logging.info(1); return t", None),
    example("layers = tf.layers; log = tf.logging; log.info(layers)", "import tensorflow.compat.v1 as tf\n"),
    example("from tensorflow import gfile; gfile.MkDir('x')", "from tensorflow.compat.v1 import gfile"),
    example("layers = tf.layers; print(isinstance(layers, tf.Variable))", "isinstance(layers, tf.compat.v2.Variable)"),
    example("tf.logging.info(x); tf.summary.scalar('x', data=x)", "tf.compat.v2.summary.scalar('x', data=x)"),
    example("print(tf.data.AUTOTUNE); tf.logging.info(x)", "print(tf.data.AUTOTUNE); tf1.logging.info(x)"),
    example("print(tf.data.AUTOTUNE); tf.logging.info(x); tf.nn.dropout(x, 0.1)", None),
    example("def export(): tf1.Session()\n    export()", "tf.compat.v1.disable_eager_execution()"),
    example("def f(n):\n        with tf1.Session() as s: x = tf.range(n); s.run(x)\n    f(3)", "model = Estimator("),
    example(
        "def f():\n        x = tf.range(3)\n        with tf1.Session() as s: s.run(x)\n    f()",
        "    @in_own_graph\n    def f():",
    ),
    example("g = tf.Graph(); s = tf1.Session(graph=g)", "model = Estimator("),
    example("def unused(): tf1.Session()", "model = Estimator("),
    example("with tf1.Session(graph=tf.Graph()): tf1.placeholder(tf.int64)", "model = Estimator("),
    example("with tf.Graph().as_default(): tf1.Session()", "model = Estimator("),
)
def tensorflow_1_import(file: EstimatorFile) -> Iterator[Verdict]:
    yield from _keep_meaning(file)
    yield from _star_imports(file)


def _keep_meaning(file: EstimatorFile) -> Iterator[Verdict]:
    """Rewrites one file so that its names of TensorFlow 1 keep their meaning."""
    other_session = yield from separate_sessions(file)
    if isinstance(other_session, Verdict):
        yield other_session
        return
    eager_off_after = mode_place(file.module) if other_session is not None else None
    yield from graph_mode(file, other_session, eager_off_after)
    if file.module.meaning == 2:
        yield from write_v1_names(file)
        _disable_eager_below(file, eager_off_after)
        return
    statements = tf1_imports(file.module)
    blocked = _first_without_import(file, statements.keys())
    if blocked is not None:
        yield blocked
        return
    yield from _replace_imports(
        file, dict.fromkeys(one for found in statements.values() for one in found), eager_off_after
    )


def _first_without_import(file: EstimatorFile, reached: Container[ast.expr]) -> Verdict | None:
    """Reports the first name of TensorFlow 1 with an import that cannot change; None if there is none."""
    for node, found in file.module.tf1_only:
        if node not in reached and node not in file.renamed and not found.is_contrib:  # FT138 judges contrib
            means = "means another thing in TensorFlow 2" if found.is_ambiguous else "exists only in TensorFlow 1"
            message = f"`{found.qualified}` {means}, and is not reached by an import of TensorFlow that can be changed"
            help = "Run tf_upgrade_v2 on the file first, then migrate it again."
            return manual(node, message, help, file.module)
    return None


def _replace_imports(
    file: EstimatorFile,
    imports: Collection[ast.Import | ast.ImportFrom],
    eager_off_after: ast.Call | ast.Import | ast.ImportFrom | None,
) -> Iterator[Verdict]:
    """Replaces imports of TensorFlow by those of ``tensorflow.compat.v1``."""
    module = file.module
    reads_value = "value" in module.names.attributes
    for statement in imports:
        star = reexported_tf(module, statement)
        lines, name = (lines_with_import(module, statement, star, _V1), star) if star else _compat_v1_lines(statement)
        settings = [f"{name}.disable_v2_tensorshape()"] if reads_value else []
        settings += [f"{name}.disable_eager_execution()"] if statement is eager_off_after else []
        if settings and name:
            lines += ["", *settings]
        _replace_import(file, statement, lines, star_import_below(file, statement, name) if name and not star else None)
        for node, found in module.tf2_compatible_uses:
            if name and root_import(module.names, node) is statement:
                # A model_fn makes variables of TensorFlow 2, which are no instances of compat.v1's class.
                file.rename(node, f"{name}.compat.v2.{found.tail}")
        shown = f"`{name}` becomes" if name else "its names become those of"
        yield exact(statement, f"{shown} tensorflow.compat.v1, which has every name used here", module)
    if eager_off_after not in imports:
        _disable_eager_below(file, eager_off_after)


def _disable_eager_below(file: EstimatorFile, eager_off_after: ast.Call | ast.Import | ast.ImportFrom | None) -> None:
    """Adds a line that turns eager mode off below an import that does not change."""
    if isinstance(eager_off_after, ast.Import):
        v1 = next(alias for alias in eager_off_after.names if alias.name in V1_PATHS)
        call = f"{v1.asname or v1.name}{V1_PATHS[v1.name]}.disable_eager_execution()"
        text = f"{file.module.source.text(eager_off_after)}\n\n{call}"
        file.edits.append(ReplaceStatement(file.module.span(eager_off_after), (text,)))


def _replace_import(file: EstimatorFile, statement: ast.stmt, lines: list[str], star: ast.ImportFrom | None) -> None:
    """Replaces an import; with ``star``, writes it below that star import, and above too if code is between."""
    module = file.module
    if star is None:
        file.edits.append(ReplaceStatement(module.span(statement), ("\n".join(lines),)))
        return
    body = module.tree.body
    between = body[body.index(statement) : body.index(star)]
    if all(isinstance(one, ast.Import | ast.ImportFrom) for one in between):
        file.delete(statement)
    else:
        file.edits.append(ReplaceStatement(module.span(statement), ("\n".join(lines),)))
    below = "\n".join([module.source.text(star), *lines])
    file.edits.append(ReplaceStatement(module.span(star), (below,)))


def _star_imports(file: EstimatorFile) -> Iterator[Verdict]:
    """Imports TensorFlow in a file for TensorFlow 2 that got it by a star import of a file that may change."""
    module = file.module
    if module.is_tf1:
        return
    for statement in module.tree.body:
        name = reexported_tf(module, statement)
        if name:
            lines = lines_with_import(module, statement, name, "tensorflow")
            file.edits.append(ReplaceStatement(module.span(statement), ("\n".join(lines),)))
            yield exact(statement, f"gave `{name}`, which is imported here now", module)


def _compat_v1_lines(statement: ast.Import | ast.ImportFrom) -> tuple[list[str], str]:
    """Returns an import's lines for ``tensorflow.compat.v1``, and the name of the module; "" for ``from`` imports."""
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
