"""What keeps a call of evaluate or predict from being one of a Keras model."""

from migrate.analysis.arguments import is_none
from migrate.analysis.program import MethodCall
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual


def left(draft: Draft, call: MethodCall, verb: str, noun: str, *unsupported: str) -> Verdict | None:
    """The verdict on a call that stays as it is; None for one that can be rewritten.

    Args:
      draft: what is to be written.
      call: the call.
      verb, noun: what it does, and what that is.
      unsupported: the arguments that it must not have.
    """
    if call.problem is not None:
        return manual(call.problem[0], call.problem[1], f"{verb} without hooks.")
    if call.input is None:
        return manual(call.node, f"{call.method}() is called without input_fn", "Give an input_fn.")
    for name in unsupported:
        if not is_none(call.arguments.get(name)):
            return manual(call.arguments[name], f"{name} of {call.method}() is not supported", f"Take {name} out.")
    if draft.uses_backup and not draft.has_backup_fit:
        reason = f"nothing restores the model before this {noun}: BackupAndRestore restores in fit() alone"
        return manual(call.node, reason, "Use --recovery checkpoint-manager.")
    return None
