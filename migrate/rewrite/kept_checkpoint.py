"""A ``ModelCheckpoint`` that stays beside the new recovery, without what Keras 3 refuses."""

import ast
import posixpath
import re
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.names import Names
from migrate.analysis.trainings import Saver
from migrate.edits.plan import SetArgument
from migrate.rewrite.callback_list import CallbackList

SUFFIX = re.compile(r"(\.weights)?\.(h5|hdf5|ckpt|tf|keras|index|cpkt)$")
"""The end of a checkpoint's name."""

_KERAS3_SUFFIX = {True: ".weights.h5", False: ".keras"}
_GONE = ("load_weights_on_restart", "period", "options")


def fit_for_keras3(saver: Saver, callbacks: CallbackList, target: str) -> Iterator[str]:
    """Takes what Keras 3 refuses out of a callback that stays.

    Args:
      saver: the callback.
      callbacks: where it stands.
      target: the TensorFlow that the output runs on.

    Yields:
      what the user is to know of it.
    """
    yield from _rename_file(saver, callbacks, target)
    gone = {name for name in _GONE if name in saver.arguments}
    gone = gone if target != "keras2" else gone & {"load_weights_on_restart"}
    yield from (f"{name} is removed, because Keras 3 does not take it" for name in sorted(gone))
    if gone and callbacks.holds(saver.call):
        callbacks.write_call(saver.call, [k for k in saver.call.keywords if k.arg not in gone])
    else:
        callbacks.edits += [SetArgument(callbacks.module.span(saver.call), name, None) for name in gone]


def _rename_file(saver: Saver, callbacks: CallbackList, target: str) -> Iterator[str]:
    path = saver.arguments["filepath"]
    only_weights = saver.arguments.get("save_weights_only")
    suffix = _KERAS3_SUFFIX.get(bool(literal(only_weights)) if only_weights is not None else False, "")
    if target == "keras2" or not suffix or saver.path.endswith((suffix, "⟩")):
        return
    constant = _last_string(callbacks, path) if target == "keras3" else None
    if constant is None:  # another program may read the file by its old name
        yield f"Keras 3 wants the best model's file to end in {suffix}, here and where it is read"
        return
    new = SUFFIX.sub("", str(constant.value)) + suffix
    callbacks.replace_string(constant, new)
    yield f"the best model is kept as {posixpath.basename(new)}, the name that Keras 3 takes"


def _last_string(callbacks: CallbackList, path: ast.expr) -> ast.Constant | None:
    """The text at the end of a path, if it stands in this file and nothing else reads it."""
    names: Names = callbacks.module.names
    if isinstance(path, ast.Name):
        value = names.only_value(path)
        return _last_string(callbacks, value) if value is not None else None
    if isinstance(path, ast.Call) and path.args and (names.qualified(path.func) or "") == "os.path.join":
        return _last_string(callbacks, path.args[-1])
    if isinstance(path, ast.BinOp):
        return _last_string(callbacks, path.right)
    if isinstance(path, ast.Constant) and isinstance(path.value, str) and path.value.strip("."):
        text = callbacks.module.source.text(path)
        return path if text[:1] in "'\"" and text[1:2] not in "'\"" and "\\" not in text else None
    return None
