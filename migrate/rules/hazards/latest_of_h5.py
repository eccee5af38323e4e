"""FT519 · tf.train.latest_checkpoint(directory) of files that end in .h5 or .keras

``latest_checkpoint`` reads a list that only saves in TensorFlow's own format write. For ``.weights.h5``, ``.h5`` and
``.keras`` files there is none: it returns None at each start. The job starts over, or ``load_weights(None)`` raises.

Instead: the newest file, ``max(glob.glob(f"{directory}/*.weights.h5"), key=os.path.getmtime, default=None)``; or one
file whose name stays the same.

Fidelity: manual. Found where the program saves only such files into the directory.

See: tf.train.latest_checkpoint.
"""

import ast
import posixpath
from collections.abc import Iterator

from migrate.analysis.keras.tracked_objects import keyword_arguments
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.values.origins import Origins
from migrate.analysis.values.path_parts import PathParts
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
    module, origins = bench.module, Origins(bench.reach)
    searches = module.calls_of("train.latest_checkpoint")
    saved = [*_saved_paths(bench, origins)] if searches and not module.calls_of("train.Checkpoint") else []
    is_known = all(one.spelled and "{}" not in one.spelled for one in saved)
    for call in searches if is_known and any(text.endswith(_ENDS) for one in saved for text in one.spelled) else ():
        searched = _paths(bench, origins, call, "checkpoint_dir")
        folders = {folder for one in searched for folder in one.spelled if one.unknown or "{}" not in folder}
        around = [one for one in saved if all(folder.unknown <= one.unknown for folder in searched)]
        here = [text for one in around for text in one.spelled if (posixpath.dirname(text) or ".") in folders]
        if here and all(text.endswith(_ENDS) for text in here):
            ending = here[0][here[0].rindex(".") :]
            message = f"latest_checkpoint() finds no `{ending}` files: it is None at each start"
            yield Fix((manual(call, message, "Take the newest file by glob, or a name that stays the same."),))


def _saved_paths(bench: Workbench, origins: Origins) -> Iterator[PathParts]:
    """Yields the paths to which the file saves weights, and whole models if in one file."""
    savers = bench.module.calls_of("keras.callbacks.ModelCheckpoint")
    calls = [call for call in bench.module.names.nodes(ast.Call) if name_of(call.func) in ("save_weights", "save")]
    for call in [*savers, *calls]:
        is_model = name_of(call.func) == "save"  # a whole model in a folder is no checkpoint
        found = _paths(bench, origins, call, "filepath") or [PathParts()]
        yield from (one for one in found if not is_model or any(text.endswith(_ENDS) for text in one.spelled))


def _paths(bench: Workbench, origins: Origins, call: ast.Call, name: str) -> list[PathParts]:
    """Returns the paths that the first argument of a call may be, or its keyword ``name``; [] for neither."""
    keywords = keyword_arguments(bench.reach, bench.values, bench.module, call)[0]
    path = call.args[0] if call.args else keywords.get(name)
    return origins.of_paths(bench.module, path) if path is not None else []
