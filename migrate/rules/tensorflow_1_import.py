"""FT192 · import tensorflow as tf, in a file that speaks TensorFlow 1

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

A function that imports TensorFlow itself gets the same import, unless it hands ``tf`` on to code that is not seen.

Fidelity: exact. Sessions beside the estimator, and names imported one by one from ``tensorflow``, leave the program;
a session in a ``tf.Graph`` of its own works eagerly as before and stays, and so does one that a function enters by
``with`` and that runs only what is made there. A session in a function leaves the program where the code around the
estimator calls that function.

See: tf.compat.v1.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.analysis.sessions import eager_functions, runs_beside
from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import Part, ReplaceExpression, ReplaceStatement
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule

_SESSIONS = {
    "InteractiveSession", "Session", "global_variables_initializer", "placeholder", "train.MonitoredTrainingSession",
    "train.Supervisor",
}  # fmt: skip
_MOST_ALIASES = 10
_V1 = "tensorflow.compat.v1"


@rule(
    "FT192",
    "exact",
    Example("tf.logging.info(x)", "import tensorflow.compat.v1 as tf\n", "head", kind="custom"),
    Example("tf.logging.info(x.shape[0].value)", "tf.disable_v2_tensorshape()", "head", kind="custom"),
    Example("tf1.disable_v2_behavior()", "training = ModelFnTraining(", "head", kind="custom"),
    Example("tf1.Session()", None, "head", kind="custom"),
    Example(
        "f = tf1.estimator.export.build_raw_serving_input_receiver_fn({'x': tf1.placeholder(tf.int64, [None])})",
        "tf.TensorSpec(shape=[None], dtype=tf.int64)",
        "head",
        kind="custom",
    ),
    Example("f = {'x': tf1.placeholder(tf.int64, [None])}", None, "head", kind="custom"),
    Example(
        "def log(): import tensorflow as t; t.logging.info(1)",
        "import tensorflow.compat.v1 as t",
        "head",
        kind="custom",
    ),
    Example("def log(): import tensorflow as t; t.logging.info(1); return t", None, "head", kind="custom"),
    Example(
        "layers = tf.layers; log = tf.logging; log.info(layers)",
        "import tensorflow.compat.v1 as tf\n",
        "head",
        kind="custom",
    ),
    Example("from tensorflow import gfile; gfile.MkDir('x')", None, "head", kind="custom"),
    Example("def export(): tf1.Session()\n    export()", None, "head", kind="custom"),
    Example(
        "def f(n):\n        with tf1.Session() as s: x = tf.range(n); s.run(x)\n    f(3)",
        "training = ModelFnTraining(",
        "head",
        kind="custom",
    ),
    Example(
        "def f():\n        x = tf.range(3)\n        with tf1.Session() as s: s.run(x)\n    f()",
        None,
        "head",
        kind="custom",
    ),
    Example("g = tf.Graph(); s = tf1.Session(graph=g)", "training = ModelFnTraining(", "head", kind="custom"),
    Example("def unused(): tf1.Session()", "training = ModelFnTraining(", "head", kind="custom"),
    Example(
        "with tf1.Session(graph=tf.Graph()): tf1.placeholder(tf.int64)",
        "training = ModelFnTraining(",
        "head",
        kind="custom",
    ),
    Example("with tf.Graph().as_default(): tf1.Session()", "training = ModelFnTraining(", "head", kind="custom"),
    kinds=CUSTOM,
)
def tensorflow_1_import(program: Program, draft: Draft) -> Iterator[Verdict]:
    files = draft.changed_files
    is_beside = any(found.tail in _SESSIONS for file in files for _, found in [*file.module.v1, *file.module.tf1_only])
    eager = eager_functions(program, [file.module for file in draft.files]) if is_beside else set[ast.AST]()
    for file in files:
        yield from _of_file(file, eager)


def _of_file(file: Draft | OtherFile, eager: set[ast.AST]) -> Iterator[Verdict]:
    module = file.module
    for node, found in [*module.v1, *module.tf1_only]:
        text = _spec_of_feature(file, node) if found.tail == "placeholder" else None
        if text is not None:
            call = module.names.parent(node)
            assert isinstance(call, ast.Call)
            file.renamed[call] = text
            file.edits.append(ReplaceExpression(module.span(call), text))
            yield exact(node, "only says what a request feeds, and becomes a tf.TensorSpec", module)
        elif found.tail in _SESSIONS and runs_beside(module, node, eager):
            yield manual(
                node,
                f"`{found.qualified}` works on a session beside the estimator, and graph mode goes",
                "Move the code with the session to another program.",
                module,
            )
            return
    for call, found in module.modes:
        statement = module.names.parent(call)
        if isinstance(statement, ast.Expr):
            file.absorbed.append(statement)
            yield exact(call, f"{found.tail}() goes: the loop runs eagerly, the model_fn in its own graph", module)
    plain = _plain_imports(module)
    # What has another name now does not need the import that it came by.
    other = [
        (node, found)
        for node, found in module.tf1_only
        if node not in plain and not _goes(file, node) and not found.is_contrib
    ]  # contrib's have a rule of their own
    if other:
        node, found = other[0]
        means = "means another thing in TensorFlow 2" if found.is_other_in_2 else "exists in TensorFlow 1 alone"
        yield manual(
            node,
            f"`{found.qualified}` {means}, and is not reached by `import tensorflow as NAME`",
            "Run tf_upgrade_v2 on the file first, then migrate it again.",
            module,
        )
        return
    reads_value = any(isinstance(node, ast.Attribute) and node.attr == "value" for node in module.names.parents)
    for statement in dict.fromkeys(plain.values()):
        name = statement.names[0].asname
        lines = [f"import tensorflow.compat.v1 as {name}"]
        if reads_value:
            lines += ["", f"{name}.disable_v2_tensorshape()"]
        file.edits.append(ReplaceStatement(module.span(statement), (Part("\n".join(lines)),)))
        yield exact(statement, f"`{name}` becomes tensorflow.compat.v1, which has all names of this file", module)


def _spec_of_feature(file: Draft | OtherFile, node: ast.expr) -> str | None:
    """The ``TensorSpec`` for a placeholder in a dict that ``build_raw_serving_input_receiver_fn`` alone is given."""
    names, call = file.module.names, file.module.names.parent(node)
    display = names.parent(call)
    if not isinstance(call, ast.Call) or call.func is not node or not isinstance(display, ast.Dict):
        return None
    taker, uses = names.parent(display), list[ast.expr]([display])
    if isinstance(taker, ast.Assign) and len(taker.targets) == 1 and isinstance(taker.targets[0], ast.Name):
        variable = taker.targets[0]
        found = names.scope_of(variable).lookup(variable.id)
        assert found is not None
        is_only = len(found[1]) == 1
        uses = [*names.uses(variable.id, found[0])] if is_only else []
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


def _is_receiver(names: Names, use: ast.expr) -> bool:
    """Whether an expression is the dict of features that raw requests feed."""
    parent = names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) and parent.arg == "features" else parent
    found = symbol_of(names, call.func) if isinstance(call, ast.Call) and use not in call.args[1:] else None
    return found is not None and found.tail == "estimator.export.build_raw_serving_input_receiver_fn"


def _goes(file: Draft | OtherFile, node: ast.expr) -> bool:
    return node in file.renamed or (isinstance(file, Draft) and (node in file.constructors or file.goes(node)))


def _plain_imports(module: Module) -> dict[ast.expr, ast.Import]:
    """The names of TensorFlow 1 that some ``import tensorflow as NAME`` alone gives a file, and that statement."""
    found: dict[ast.expr, ast.Import] = {}
    for node, _ in module.tf1_only:
        statement = _import_of(module.names, node)
        is_plain = statement is not None and len(statement.names) == 1 and statement.names[0].name == "tensorflow"
        if statement is not None and is_plain and statement.names[0].asname and not _is_given_away(module, statement):
            found[node] = statement
    return found


def _is_given_away(module: Module, statement: ast.Import) -> bool:
    """Whether a function that imports TensorFlow hands it on, to code whose names are not seen."""
    names, name = module.names, statement.names[0].asname or ""
    scope = names.scope_of(statement)
    uses = [] if isinstance(scope.node, ast.Module) else names.uses(name, scope)
    return not all(isinstance(names.parent(use), ast.Attribute) for use in uses)


def _import_of(names: Names, node: ast.expr) -> ast.Import | None:
    """The ``import`` that a dotted name begins with, also by another name (``layers = tf.layers``)."""
    for _ in range(_MOST_ALIASES):
        while isinstance(node, ast.Attribute):
            node = node.value
        seen = names.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
        if seen is None:
            return None
        binding = seen[1][0]
        # A second import, guarded, may give the same name compat.v1 where there is TensorFlow 2.
        if isinstance(binding.node, ast.Import) and {one.imported for one in seen[1][1:]} <= {_V1}:
            return binding.node
        if len(seen[1]) != 1 or binding.value is None:
            return None
        node = binding.value
    return None
