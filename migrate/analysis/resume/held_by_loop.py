"""What a checkpoint of all that a loop trains holds."""

import ast
import re
from collections.abc import Sequence

from migrate.analysis.checkpoints import Checkpoints
from migrate.analysis.resume.trained_in_loop import TrainedInLoop


def held_of(
    own: Checkpoints, trained: TrainedInLoop, loop: ast.For | ast.While, others: Sequence[str] = ()
) -> dict[str, str]:
    """What a checkpoint of all that a loop trains holds, as source at the loop's place, by the name there.

    Args:
      own: the checkpoints of the loop's file, of which those that the loop saves are held as they are.
      trained: what the loop trains and saves.
      loop: the loop.
      others: the checkpoints that it saves too, and that another function makes, as source.
    """
    receivers = [call.func.value for call in trained.saves if isinstance(call.func, ast.Attribute)]
    saved = {ast.unparse(one): checkpoint for one in receivers if (checkpoint := own.of(one)) is not None}
    tracked = {ast.unparse(value) for one in saved.values() for value in one.tracked().values()}
    models = [*dict.fromkeys([*saved, *others]), *(text for text in trained.models if text not in tracked)]
    anew = compiled_anew(loop, trained)  # each turn has an optimizer of its own
    optimizers = [text for text in trained.optimizers if text not in tracked and text not in anew]
    if len(models) == 1 and len(optimizers) < 2 and not (saved or others):
        return dict(zip(("model", "optimizer"), [*models, *optimizers], strict=False))
    kept = dict[str, str]()
    for text in [*models, *optimizers]:
        kept[_called(text, kept)] = text
    return kept


def compiled_anew(loop: ast.For | ast.While, trained: TrainedInLoop) -> dict[str, ast.Call]:
    """The optimizers that a loop makes anew, each as source with the call that compiles its model."""
    calls = {ast.unparse(one.func): one for one in ast.walk(loop) if isinstance(one, ast.Call)}
    made = {model: calls.get(f"{model}.compile") for model in trained.models}
    return {f"{model}.optimizer": call for model, call in made.items() if call is not None}


def _called(text: str, taken: dict[str, str]) -> str:
    """A name in the checkpoint for a variable."""
    name = re.sub(r"\W+", "_", text.removeprefix("self.")).strip("_") or "held"
    name = f"{name}_" if name in ("epoch", "save_counter", "root") else name
    number = 1
    while (f"{name}_{number}" if number > 1 else name) in taken:
        number += 1
    return f"{name}_{number}" if number > 1 else name
