"""FT123 · numpy_input_fn, pandas_input_fn

``tf.compat.v1.estimator.inputs`` makes an ``input_fn`` from arrays or a data frame by queues, which TF2 does not have.

Instead: a ``tf.data.Dataset`` with the same batches: they run on over the end of an epoch, and the last one may be
short. ``queue_capacity`` becomes the shuffle buffer.

Fidelity: exact without shuffling; with it the examples come in another random order. ``num_threads`` has no
counterpart. With ``--input continue`` the shuffle gets a seed, without which a resumed job could not find its place.

See: tf.compat.v1.estimator.inputs.numpy_input_fn, tf.data.Dataset.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.inputs import Input
from migrate.analysis.movable import why_not_movable
from migrate.analysis.program import Program
from migrate.edits.plan import Part, ReplaceStatement
from migrate.rewrite.draft import Draft
from migrate.rewrite.precedence import OR
from migrate.rules.rule import Example, Verdict, exact, manual, noted, rule

_PARAMETERS = ("x", "y", "batch_size", "num_epochs", "shuffle", "queue_capacity", "num_threads", "target_column")


@rule(
    "FT123",
    "exact",
    Example(
        'numpy_input_fn({"x": x}, y, shuffle=False)', 'from_tensor_slices(({"x": x}, y)).batch(128)', "train_input_fn"
    ),
    Example("numpy_input_fn({'x': x}, y, num_epochs=None, shuffle=False)", ".repeat().batch(128)", "train_input_fn"),
    Example("numpy_input_fn({'x': x}, y, 8, 2, True)", ".shuffle(1000)", "train_input_fn"),
    Example("pandas_input_fn(x, y, shuffle=False)", "from_tensor_slices((dict(x), y))", "train_input_fn"),
    Example("numpy_input_fn({'x': x}, y, shuffle=args.every)", ".shuffle(1000 if args.every else 1)", "train_input_fn"),
    Example("numpy_input_fn({'x': x}, y)", None, "train_input_fn"),
)
def input_helpers(program: Program, draft: Draft) -> Iterator[Verdict]:
    seen: set[ast.Call] = set()
    for call in program.calls:
        given = call.input
        if given is None or given.helper is None or given.helper in seen:
            continue
        seen.add(given.helper)
        yield _rewrite(program, draft, given)


@dataclass(frozen=True)
class _Dataset:
    """A dataset in the place of a helper.

    Attributes:
      examples: the expression for the dataset of single examples.
      batches: the method calls that shuffle, repeat and batch it.
      is_shuffled: whether one of them shuffles.
    """

    examples: str
    batches: str
    is_shuffled: bool

    @property
    def text(self) -> str:
        return self.examples + self.batches


def _rewrite(program: Program, draft: Draft, given: Input) -> Verdict:
    assert given.helper is not None and given.symbol is not None
    helper = given.helper
    try:
        arguments = bind(helper, _PARAMETERS, no_others=True)
        dataset = _dataset(draft, given.symbol.tail.endswith("pandas_input_fn"), arguments)
        if given.statement is not None:
            _claim(program, draft, given, dataset)
        else:
            draft.inline_datasets[helper] = dataset.text
    except Unbindable as reason:
        return manual(helper, str(reason), "Write the input as a function that returns a tf.data.Dataset.")
    name = given.symbol.tail.rpartition(".")[2]
    if dataset.is_shuffled:
        return noted(
            helper, f"{name} becomes a tf.data.Dataset with the same batches, shuffled in another random order"
        )
    return exact(helper, f"{name} becomes a tf.data.Dataset with the same batches in the same order")


def _claim(program: Program, draft: Draft, given: Input, dataset: _Dataset) -> None:
    """Replaces the statement that made the helper; every use of its name must be a call that is rewritten."""
    assert given.statement is not None and given.name is not None
    names, calls = program.module.names, [one for other in draft.all for one in other.program.calls]
    for use in names.reads_of(given.node):
        keyword = names.parent(use)
        call = names.parent(keyword) if isinstance(keyword, ast.keyword) else keyword
        if not any(call is one.node or use in one.arguments.values() for one in calls):
            raise Unbindable(f"`{given.name}` is also used at line {use.lineno}, where it must stay a function")
    stem = given.name.removesuffix("_input_fn").removesuffix("_fn")
    if given.statement not in draft.dataset_names:
        draft.dataset_names[given.statement] = draft.vocabulary.fresh(f"{stem}_dataset" if stem else "dataset")
    variable = draft.dataset_names[given.statement]
    held, at_use = dataset.text, ""
    if draft.continues_input and dataset.is_shuffled:
        # A shuffle gives every pass another order; made anew for each fit, it repeats the one of the interrupted run.
        held, at_use = dataset.examples, dataset.batches
        _hold_at(program, given)
    draft.datasets[given.statement] = variable + at_use
    new = (Part(f"{variable} = {held}"),)
    draft.edits.append(ReplaceStatement(program.module.span(given.statement), new))


def _hold_at(program: Program, given: Input) -> None:
    """Refuses numbers of the helper that may have changed where its dataset is used."""
    assert given.helper is not None
    names, uses = program.module.names, [call.node for call in program.calls if call.input == given]
    for argument in [*given.helper.args[2:], *(k.value for k in given.helper.keywords if k.arg not in ("x", "y"))]:
        for use in uses:
            reason = why_not_movable(names, argument, names.statement_of(use))
            if reason is not None:
                raise Unbindable(reason)


def _dataset(draft: Draft, is_pandas: bool, arguments: dict[str, ast.expr]) -> _Dataset:
    """The dataset that gives what a helper with these arguments gave."""
    if "x" not in arguments:
        raise Unbindable("the helper is called without x")
    shuffle = literal(arguments.get("shuffle"))
    if "shuffle" not in arguments or (shuffle is not ... and not isinstance(shuffle, bool)):
        raise Unbindable("shuffle is not True or False, which is an error in the Estimator")
    features = draft.text(arguments["x"])
    features = f"dict({features})" if is_pandas else features
    labels = arguments.get("y")
    parts = features if is_none(labels) or labels is None else f"({features}, {draft.text(labels)})"
    batches = ""
    if shuffle:
        capacity = arguments.get("queue_capacity")
        if capacity is not None and is_none(capacity):
            raise Unbindable("queue_capacity=None is an error in the Estimator where the examples are shuffled")
        size = "1000" if capacity is None else draft.text(capacity)
        if shuffle is ...:  # a buffer of one example leaves the order as it is
            size = f"{size} if {draft.text(arguments['shuffle'], OR)} else 1"
        seed = ", seed=0" if draft.continues_input else ""
        batches = f".shuffle({size}{seed})"
    epochs = arguments.get("num_epochs")
    if epochs is not None and literal(epochs) != 1:
        batches += ".repeat()" if is_none(epochs) else f".repeat({draft.text(epochs)})"
    batch_size = arguments.get("batch_size")
    batches += f".batch({'128' if batch_size is None else draft.text(batch_size)})"
    return _Dataset(f"{draft.tf}.data.Dataset.from_tensor_slices({parts})", batches, is_shuffled=bool(shuffle))
