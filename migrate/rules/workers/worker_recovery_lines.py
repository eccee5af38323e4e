"""Source of the recovery of a fit of several workers (FT404)."""

import ast

from migrate.rewrite.changed_file import PRODUCT, is_one_expression, precedence
from migrate.rules.rule import Workbench
from migrate.rules.workers.old_saving import SkipFit


def unused_directory(directory: str, used_names: set[str]) -> str:
    """Returns source of a directory that no other training of the file uses, whose end would count for this one."""
    own, number = directory, 1
    while own in used_names:
        number += 1
        is_alone = directory.startswith('"') and directory.count('"') == 2 and directory.endswith('"')
        own = f'{directory[:-1]}-{number}"' if is_alone else f"{directory} + '-{number}'"
    used_names.add(own)
    return own


def steps_of_epoch(bench: Workbench, arguments: dict[str, ast.expr]) -> str:
    steps = arguments.get("steps_per_epoch")
    text = bench.module.source.text
    if steps is None:
        if not isinstance(arguments["x"], ast.Name):
            raise SkipFit("the steps of an epoch cannot be counted", "Give fit steps_per_epoch=.")
        return f"int({text(arguments['x'])}.cardinality())"
    if not all(
        isinstance(part, ast.Constant | ast.Name | ast.Attribute | ast.BinOp | ast.expr_context | ast.operator)
        for part in ast.walk(steps)
    ):
        raise SkipFit("steps_per_epoch is worked out in the call of fit", "Put it into a variable first.")
    return text(steps) if precedence(steps) >= PRODUCT and is_one_expression(text(steps)) else f"({text(steps)})"


def manager_lines(bench: Workbench, recovery: str, model: str, directory: str, interval: str) -> str:
    train = f"{bench.vocabulary.tf}.train"
    return (
        f"{recovery} = {bench.vocabulary.runtime_name('WorkerRecovery')}({train}.CheckpointManager("
        f"{train}.Checkpoint(model={model}, optimizer={model}.optimizer), {directory}, max_to_keep=1, "
        f"step_counter={model}.optimizer.iterations, checkpoint_interval={interval}))"
    )
