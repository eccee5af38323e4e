"""``assert_consumed()`` where it cannot hold, because an optimizer is not built yet (FT502)."""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.calls_before import calls_before
from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.optimizers import COMPILED, builds, is_trained, made_optimizers
from migrate.analysis.keras.places import key
from migrate.rules.rule import Mend, Workbench, manual

_EXISTING = "call assert_existing_objects_matched()"


def assertions_at_restart(bench: Workbench) -> Iterator[Mend]:
    """Yields each ``assert_consumed()`` that fails at every start which restores what the program saved."""
    checks = [call for call in bench.module.names.nodes(ast.Call) if _is_check(call)]
    for check in checks:
        assert isinstance(check.func, ast.Attribute)
        around = [one for one in bench.module.names.ancestors(check) if isinstance(one, ast.Try)]
        asked = {end.node for end in bench.values.ends(bench.module, check.func.value)}
        for found in () if any(one.handlers for one in around) else _find_problem(bench, asked):
            yield Mend((manual(check, *found),))


def _is_check(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "assert_consumed"


def _find_problem(bench: Workbench, asked: set[ast.AST]) -> Iterator[tuple[str, str]]:
    """What is wrong with an assertion on one of some calls, and what to do about it; at most one."""
    methods = [one for one in asked if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]
    for load in (one for one in methods if one.func.attr == "load_weights"):  # type: ignore[attr-defined]
        if is_trained(bench.module, load.func.value, COMPILED) and not _is_built(bench, load):  # type: ignore[attr-defined]
            message = "assert_consumed() fails after load_weights(): no optimizer is built, and Keras 3 returns None"
            yield message, f"On Keras 2 {_EXISTING}; Keras 3 checks the weights itself, so take the assertion out."
            return
    for checkpoint in bench.checkpoints.all:
        reads = [one for one in checkpoint.calls("read") if one in asked]
        restores = [one for one in checkpoint.calls("restore") if one in asked]
        if not checkpoint.saves or not (reads or restores):
            continue
        if reads and "save" in checkpoint.methods and "save_counter" not in bench.module.names.attributes:
            message = "assert_consumed() fails after read(): it leaves the save_counter that save() writes"
            yield message, "Call restore() in place of read(), with optimizer.build(variables) before it."
            return
        name = _unbuilt(bench, checkpoint, (reads or restores)[0])
        if name:
            message = f"`{name}` is not built where it is restored: assert_consumed() fails at every start after a save"
            yield message, f"Call {name}.build(model.trainable_variables) before it, or {_EXISTING} instead."
            return


def _unbuilt(bench: Workbench, checkpoint: Checkpoint, restore: ast.Call) -> str:
    """An optimizer in a checkpoint that nothing gives its variables before a restore; "" for none."""
    module, tracked = bench.module, checkpoint.objects()
    made = [one for one in tracked if made_optimizers(bench.values, module, one)]
    if not made:
        keys = {key(module.names, one): one for one in tracked if key(module.names, one) is not None}
        before = [call.func for where, call in calls_before(bench.reach, module, restore) if where is module]
        compiled = [one.value for one in before if isinstance(one, ast.Attribute) and one.attr == "compile"]
        models = [keys[key(module.names, one)] for one in compiled if key(module.names, one) in keys]
        shown = [f"{module.source.text(one)}.optimizer" for one in models]
    else:
        shown = [module.source.text(one) for one in made]
    return shown[0] if shown and not _is_built(bench, restore) else ""


def _is_built(bench: Workbench, restore: ast.Call) -> bool:
    return any(builds(call) for _, call in calls_before(bench.reach, bench.module, restore))
