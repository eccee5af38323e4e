"""FT519 · tf.train.latest_checkpoint(directory) of files that end in .h5 or .keras

``latest_checkpoint`` reads a list that only saves in TensorFlow's own format write. For ``.weights.h5``, ``.h5`` and
``.keras`` files there is none: it returns None at each start. The job starts over, or ``load_weights(None)`` raises.

Instead: the newest file, ``max(glob.glob(f"{directory}/*.weights.h5"), key=os.path.getmtime, default=None)``; or one
file whose name stays the same.

Fidelity: manual. Found where the program saves only such files into the directory.

See: tf.train.latest_checkpoint.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.tracked_objects import keyword_arguments
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import directory, normalize, template
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_ENDS = (".h5", ".hdf5", ".keras")
_JOB = """\
import tensorflow as tf

latest = tf.train.latest_checkpoint("/tmp/c")
if latest:
    model.load_weights(latest)
saver = tf.keras.callbacks.ModelCheckpoint("/tmp/c/{epoch:02d}.weights.h5", save_weights_only=True)
train(model, saver)
"""


@site_rule("FT519", "manual", Example(_JOB, None, "module"))
def latest_of_h5(bench: Workbench) -> Iterator[Fix]:
    module, names = bench.module, bench.module.names
    searches = module.calls_of("train.latest_checkpoint")
    saved = [*_saved_files(bench)] if searches and not module.calls_of("train.Checkpoint") else []
    for call in searches if None not in saved else ():
        searched = template(names, _argument(bench, call, "checkpoint_dir"))
        here = [end for folder, end in filter(None, saved) if searched is not None and folder == normalize(searched)]
        if here and all(end.endswith(_ENDS) for end in here):
            ending = here[0][here[0].rindex(".") :]
            message = f"latest_checkpoint() finds no `{ending}` files: it is None at each start"
            yield Fix((manual(call, message, "Take the newest file by glob, or a name that stays the same."),))


def _saved_files(bench: Workbench) -> Iterator[tuple[str, str] | None]:
    """Yields the directory and the name's end of each saved file of weights; None for one that is not known."""
    savers = bench.module.calls_of("keras.callbacks.ModelCheckpoint")
    calls = [call for call in bench.module.names.nodes(ast.Call) if name_of(call.func) in ("save_weights", "save")]
    for call in [*savers, *calls]:
        found = _folder_and_end(bench.module.names, _argument(bench, call, "filepath"))
        is_model = name_of(call.func) == "save"  # a whole model in a folder is no checkpoint
        if not is_model or (found is not None and found[1].endswith(_ENDS)):
            yield found


def _argument(bench: Workbench, call: ast.Call, name: str) -> ast.expr | None:
    """Returns the first argument of a call, or its keyword ``name``, also from ``**dictionary``; None for neither."""
    return call.args[0] if call.args else keyword_arguments(bench.reach, bench.values, bench.module, call)[0].get(name)


def _folder_and_end(names: Names, path: ast.expr | None) -> tuple[str, str] | None:
    """Returns the directory of a path and the end of its name, after any numbers in it; None where not known."""
    known = template(names, path)
    if path is None or known is not None:
        return None if known is None else (directory(known), known)
    value = names.value(path)
    if value is not path:
        return _folder_and_end(names, value)
    is_filled = isinstance(value, ast.Call) and name_of(value.func) == "format"
    if is_filled or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod)):
        found = _folder_and_end(names, value.func.value if is_filled else value.left)  # type: ignore[attr-defined]
        return found if found is not None and not found[1].endswith("⟩") else None
    is_joined = isinstance(value, ast.Call) and name_of(value.func) == "join" and len(value.args) > 1
    if is_joined and isinstance(value, ast.Call):
        folder = template(names, ast.Call(value.func, value.args[:-1], []))
        last = _folder_and_end(names, value.args[-1])
        return (normalize(folder), last[1]) if folder is not None and last is not None else None
    return None
