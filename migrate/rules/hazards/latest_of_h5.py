"""FT519 · tf.train.latest_checkpoint(directory) of files that end in .h5 or .keras

``latest_checkpoint`` reads the list that TensorFlow's own format keeps. Beside ``.weights.h5``, ``.h5`` and ``.keras``
files there is none: it returns None at each start, and the job begins anew, or ``load_weights(None)`` raises.

Instead: the newest file, ``max(glob.glob(f"{directory}/*.weights.h5"), key=os.path.getmtime, default=None)``; or one
file whose name stays the same.

Fidelity: manual. Found where the file saves such files into the directory, and nothing in TensorFlow's own format.

See: tf.train.latest_checkpoint.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import directory, normal, template
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule

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
def latest_of_h5(bench: Workbench) -> Iterator[Mend]:
    module, names = bench.module, bench.module.names
    searches = [call for call in module.calls_of("train.latest_checkpoint") if call.args]
    saved = [*_saved(bench)] if searches and not module.calls_of("train.Checkpoint") else []
    for call in searches if None not in saved else ():
        searched = template(names, call.args[0])
        here = [path for path in saved if path and searched is not None and directory(path) == normal(searched)]
        if here and all(path.endswith(_ENDS) for path in here):
            ending = here[0][here[0].rindex(".") :]
            message = f"latest_checkpoint() finds no `{ending}` files: it is None at each start"
            yield Mend((manual(call, message, "Take the newest file by glob, or a name that stays the same."),))


def _saved(bench: Workbench) -> Iterator[str | None]:
    """The files that a file saves weights into; None for one that is not seen."""
    savers = bench.module.calls_of("keras.callbacks.ModelCheckpoint")
    saves = [call for call in bench.module.names.nodes(ast.Call) if name_of(call.func) == "save_weights"]
    for call in [*savers, *saves]:
        named = (one.value for one in call.keywords if one.arg == "filepath")
        yield template(bench.module.names, call.args[0] if call.args else next(named, None))
