"""FT510 · an iterator in a checkpoint, over Python code, random operations or an unseeded shuffle

An iterator in a ``tf.train.Checkpoint`` continues at its place in the data. It cannot be saved over ``from_generator``,
``py_function`` or ``numpy_function``, whose state is Python's, nor over a ``map`` with ``tf.random.uniform``,
``tf.random.normal`` or ``tf.random.shuffle``, seeded or not: ``save()`` raises FailedPreconditionError.

Over a ``shuffle`` without a seed it is saved, and the rest of the epoch comes as it would have come. The epochs after
it are shuffled in another order than without the interruption: each example comes once in each all the same.

Instead: ``tf.random.stateless_uniform`` and the like with a seed from the element; for Python code the step in the
checkpoint and ``dataset.skip(step)``; ``shuffle(…, seed=…)``. Each of them changes what is trained on, so none is
written for you.

Fidelity: manual. Found where the iterator and its dataset are in one chain of this file, and nothing in it has to do
with seeds.

See: tf.data.Iterator, tf.data.Dataset.shuffle.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.checkpoints import Checkpoints
from migrate.analysis.names import Names
from migrate.analysis.symbols import symbol_of
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

_PYTHON = {"data.Dataset.from_generator", "py_function", "numpy_function"}
_RANDOM = {"random.uniform", "random.normal", "random.shuffle"}
_FILE = """\
import tensorflow as tf

dataset = tf.data.Dataset.{}.batch(2)
batches = iter(dataset)
checkpoint = tf.train.Checkpoint(step=tf.Variable(0), batches=batches)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
manager.restore_or_initialize()
manager.save()
"""


@site_rule(
    "FT510",
    "manual",
    Example(_FILE.format("range(9).shuffle(9).repeat()"), None, "module"),
    Example(_FILE.format("from_generator(make, tf.int64)"), None, "module"),
    Example(_FILE.format("range(9).map(lambda x: x + tf.random.uniform((), 0, 9, tf.int64))"), None, "module"),
)
def iterator_checkpoint(bench: Workbench) -> Iterator[Mend]:
    names = bench.module.names
    for checkpoint in Checkpoints(bench.module).all:
        if "save" not in checkpoint.methods:
            continue
        is_resumed = bool({"restore", "restore_or_initialize"} & checkpoint.methods.keys())
        for value in checkpoint.tracked().values():
            chain = _chain(names, value)
            for call in (inner for one in chain for inner in _work(names, one)):
                found = symbol_of(names, call.func)
                if found is not None and found.tail in _PYTHON | _RANDOM and not _is_stateless(call):
                    message = f"an iterator over {found.tail.rpartition('.')[2]} cannot be saved: save() raises"
                    help = "Use tf.random.stateless_… with a seed from the element."
                    if found.tail in _PYTHON:
                        help = "Save the step in place of the iterator, and begin with dataset.skip(step)."
                    yield Mend((manual(call, message, help),))
            shuffle = _reshuffled(chain)
            if is_resumed and shuffle is not None and not _speaks_of_seeds(names):
                message = "after a resume, the epochs that follow are shuffled in another order than without it"
                yield Mend((manual(shuffle, message, "Give shuffle a seed: shuffle(…, seed=…)."),))


def _chain(names: Names, value: ast.expr) -> list[ast.Call]:
    """The calls that make the dataset behind ``iter(dataset)``, the last first; none for anything else."""
    made = names.value(value)
    if not (isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "iter" and made.args):
        return []
    calls, node = [], names.value(made.args[0])
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        calls.append(node)
        node = names.value(node.func.value)
    return calls


def _work(names: Names, call: ast.Call) -> Iterator[ast.Call]:
    """One call of the chain, and the calls in the function that it maps."""
    yield call
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr in ("map", "flat_map", "interleave") and call.args:
        function: ast.AST | None = call.args[0]
        if isinstance(function, ast.Name):
            function = names.definition(function)
        if isinstance(function, ast.Lambda | ast.FunctionDef):
            yield from (part for part in ast.walk(function) if isinstance(part, ast.Call))


def _is_stateless(call: ast.Call) -> bool:
    return any(keyword.arg == "stateful" for keyword in call.keywords)


def _reshuffled(chain: list[ast.Call]) -> ast.Call | None:
    """The ``shuffle`` without a seed whose epochs ``repeat`` follow one another in one iterator."""
    is_repeated = False
    for call in chain:
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr == "cache":
            return None  # the order of the first epoch is kept
        is_repeated = is_repeated or call.func.attr == "repeat"
        if call.func.attr == "shuffle" and is_repeated:
            seeds = [keyword.value for keyword in call.keywords if keyword.arg == "seed"] + call.args[1:2]
            return call if all(is_none(seed) for seed in seeds) else None
    return None


def _speaks_of_seeds(names: Names) -> bool:
    """Whether the file calls anything that sets a seed, TensorFlow's or its own."""
    functions = [node.func for node in names.nodes(ast.Call)]
    return any("seed" in (f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")) for f in functions)
