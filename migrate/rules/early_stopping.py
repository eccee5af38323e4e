"""FT150 · tf.estimator.experimental.stop_if_no_decrease_hook(estimator, …) and the like

Hooks that end a training by the metrics that its evaluations wrote, or by a function of the user's.

Instead: hooks of the same names, generated, which take the directory of the metrics in the place of the estimator;
``make_early_stopping_hook`` becomes ``EarlyStoppingHook``. They run in ``TrainingHooks``, as every hook does.

Fidelity: noted. An Estimator's session reads the step in no stated order with the training operation, so that one run
may stop a step before another; here it is always read before. The Estimator kept a variable
``signal_early_stopping/STOP`` in its checkpoints, by which the chief stopped other workers; the new checkpoints have
none. Any other use of these names blocks the program.

See: tf.estimator.experimental.make_early_stopping_hook.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.early_stopping import EARLY_STOPPING, EarlyStop
from migrate.analysis.program import Program
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.rule import CUSTOM, Example, Verdict, manual, noted, rule


@rule(
    "FT150",
    "noted",
    Example(
        "hooks=[tf1.estimator.experimental.stop_if_no_decrease_hook(model, 'loss', 9, min_steps=3)]",
        'stop_if_no_decrease_hook(os.path.join(model_dir, "eval"), "loss", 9, min_steps=3)',
        "train",
        kind="custom",
    ),
    Example(
        "hooks=[tf1.estimator.experimental.stop_if_lower_hook(model, 'loss', 9, args.dir)]",
        'stop_if_lower_hook(args.dir, "loss", 9)',
        "train",
        kind="custom",
    ),
    Example(
        "hooks=[tf1.estimator.experimental.make_early_stopping_hook(model, lambda: x, None, 5)]",
        "EarlyStoppingHook(lambda: x, None, 5)",
        "train",
        kind="custom",
    ),
    Example("hooks=[tf1.estimator.experimental.stop_if_lower_hook(model, *x)]", None, "train", kind="custom"),
    Example(
        "hooks=[tf1.estimator.experimental.stop_if_lower_hook(model, 'loss', 9, n=1)]", None, "train", kind="custom"
    ),
    kinds=CUSTOM,
    needs=("model_dir",),
)
def early_stopping(program: Program, draft: Draft) -> Iterator[Verdict]:
    for stop in program.early_stops:
        try:
            text = _rewritten(draft, stop)
        except Unbindable as reason:
            yield manual(stop.node, str(reason), "Write the arguments out.")
            continue
        draft.renamed[stop.node] = text
        draft.edits.append(ReplaceExpression(program.module.span(stop.node), draft.renamed[stop.node]))
        yield noted(stop.node, "reads the metrics in their directory; an Estimator's own runs may stop a step apart")


def _rewritten(draft: Draft, stop: EarlyStop) -> str:
    """The call that stands for one that makes a hook."""
    parameters = EARLY_STOPPING[stop.name]
    given = bind(stop.node, parameters, no_others=True)
    positional = len(stop.node.args)
    if stop.name == "make_early_stopping_hook":
        piece, first = "EarlyStoppingHook", []
    else:
        own = given.get("eval_dir")
        join = f"{draft.vocabulary.standard('os')}.path.join"
        directory = f'{join}({draft.model_dir}, "eval")' if own is None or is_none(own) else draft.text(own)
        piece, first = stop.name, [directory]
    rest = [(index, name) for index, name in enumerate(parameters) if name in given and name not in _REPLACED]
    # What follows eval_dir is given by name, since that is the first now.
    last = parameters.index("eval_dir") if "eval_dir" in parameters else len(parameters)
    written = [
        draft.text(given[name]) if index < min(positional, last) else f"{name}={draft.text(given[name])}"
        for index, name in rest
    ]
    return f"{draft.piece(piece)}({', '.join([*first, *written])})"


_REPLACED = ("estimator", "eval_dir")
