"""FT204 · names of Keras or TensorFlow that the ones to run on do not have, in a program that resumes

A recovery is of no use to a program that does not start: ``keras.layers.convolutional`` and ``keras.utils.np_utils``
are gone from the Keras of TensorFlow 2.15 and from Keras 3, and most of ``keras.backend`` from Keras 3; ``tf.Session``
is gone from TensorFlow 2.

Instead: a name that only moved is written where every Keras has the same object: ``keras.layers`` for
``keras.layers.merge``, ``tensorflow.keras.backend`` for ``keras.backend``. Of the files that the program imports the
same is told, with their lines.

Fidelity: exact; noted for ``tensorflow.keras.backend``, whose functions take the tensors within a layer or a loss on
Keras 3, and not those between layers. A name that has no place is told, with what to write, and so is any name of
TensorFlow 1 that 2.15 or 2.21 lacks, or the one of ``--target``.

Found only in a program that has a recovery, or gets one. Code that the program does not run, or that is tried under
``except ImportError``, is no finding.

See: migrate/tensorflow/keras.txt and names.txt, which are made from the installed packages.
"""

import ast
from collections.abc import Iterator
from functools import partial

from migrate.analysis.source.guards import is_guarded, root_imports
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import imported_paths
from migrate.edits.plan import ReplaceExpression
from migrate.rules.keras.imported_files import ImportedFinding, findings_at_imports, reached_from
from migrate.rules.keras.moved_imports import ImportStatement, moved_import, moved_verdict
from migrate.rules.names.missing_symbols import iter_missing
from migrate.rules.rule import Example, Mend, Workbench, manual, site_rule
from migrate.tensorflow.keras import Lack, lack
from migrate.tensorflow.known_names import NEW, OLD, lines_of, lines_without, public_path

_ADVICE = {
    "keras.utils.multi_gpu_model": "Make the model under tf.distribute.MirroredStrategy().scope().",
    "keras.backend.get_session": "Take it out: Keras of TensorFlow 2 has no session.",
    "keras.backend.set_session": "Take it out: Keras of TensorFlow 2 has no session.",
    "keras.backend.tensorflow_backend.set_session": "Take it out: Keras of TensorFlow 2 has no session.",
    "keras.backend.learning_phase": "Take training as an argument of call.",
    "keras.backend.image_dim_ordering": 'Write keras.backend.image_data_format(): "th" is "channels_first" there.',
    "keras.backend.set_image_dim_ordering": 'Write keras.backend.set_image_data_format("channels_first") for "th".',
    "keras.layers.Merge": "Write keras.layers.concatenate([…]), add([…]) or the like, of what the layers give.",
    "keras.layers.CuDNNLSTM": "Write keras.layers.LSTM, which uses cuDNN where it can.",
    "keras.layers.CuDNNGRU": "Write keras.layers.GRU, which uses cuDNN where it can.",
    "tensorflow.ConfigProto": "Take it out; set_memory_growth of tf.config.experimental is its allow_growth.",
    "tensorflow.Session": "Take it out: Keras of TensorFlow 2 has no session.",
}
"""What to write for names without a place that programs often have."""
_PROGRAM = """\
from keras.callbacks import ModelCheckpoint
from keras.layers.convolutional import Conv2D
import os
{}

model = build(Conv2D)
if os.path.exists("/job/w.weights.h5"):
    model.load_weights("/job/w.weights.h5")
model.fit(x, y, callbacks=[ModelCheckpoint("/job/w.weights.h5", save_weights_only=True)])
{}
"""


def _with(head: str, end: str, after: str | None) -> Example:
    return Example(_PROGRAM.format(head, end), after, "module")


@site_rule(
    "FT204",
    "exact",
    _with("", "", "from keras.layers import Conv2D\n"),
    _with("from keras import backend as K", "print(K.sum(x))", "from tensorflow.keras import backend as K\n"),
    _with("import keras", "print(keras.utils.np_utils.to_categorical(y))", "print(keras.utils.to_categorical(y))"),
)
def missing_in_keras(bench: Workbench) -> Iterator[Mend]:
    yield from _names(bench)
    yield from findings_at_imports(bench, partial(_told_of, bench), "the names in these lines are gone", _REMEDY)


_REMEDY = "Run tf_upgrade_v2 on these files first; check prints what it leaves when it is given them."


def _told_of(bench: Workbench, other: Module) -> list[ImportedFinding]:
    return [ImportedFinding(node, f"{one.path}: {_advice(one)}") for node, one in _lacked(other, bench.settings.target)]


def _names(bench: Workbench) -> Iterator[Mend]:
    """The names of a file that some Keras lacks, written where they only moved."""
    module, told, written = bench.module, set[str](), dict[ImportStatement, Mend | None]()
    found = _lacked(module, bench.settings.target)
    reached = reached_from(bench)
    for node, one in found:
        imports = [node] if isinstance(node, ImportStatement) else root_imports(module.names, node)
        for statement in imports:
            if statement not in written:
                written[statement] = mend = moved_import(bench, statement)
                yield from [] if mend is None else [mend]
        is_written = any(written[statement] is not None for statement in imports)
        root, _, rest = one.place.partition(".")
        is_star = root != "tensorflow" and any(each.names[0].name == "*" for each in imports)  # no ``keras`` to write
        if isinstance(node, ast.expr) and one.place and not is_written and not is_star:
            text = f"{bench.tf_at(node)}.{rest}" if root == "tensorflow" else one.place
            yield Mend(
                (moved_verdict(node, f"becomes {text}", one.place),), (ReplaceExpression(module.span(node), text),)
            )
        elif (one.place and not is_star) or one.path in told or (is_written and isinstance(node, ImportStatement)):
            continue  # what an import that is written keeps is told where it is used
        elif reached.contains(module, node):
            told.add(one.path)
            yield Mend((manual(node, f"`{one.path}` does not exist in {one.lines}", _advice(one)),))


def _lacked(module: Module, target: str) -> list[tuple[ast.expr | ImportStatement, Lack]]:
    """The imports and the names of a file that some Keras lacks, but for those that it tries first."""
    names = module.names
    found: list[tuple[ast.expr | ImportStatement, Lack]] = []
    for node in module.names.imports:
        lacks = [
            one for _, path in imported_paths(node) if (one := lack(path, target)) is not None and not _is_others(one)
        ]
        found += [(node, one) for one in lacks if not is_guarded(names, node)]
    for use, dotted in names.package_uses(("keras", "tf_keras", "tensorflow")):
        one = lack(dotted, target)
        imports = root_imports(names, use)  # none for a name that two imports give
        if (
            one is not None
            and imports
            and not _is_others(one)
            and not any(is_guarded(names, each) for each in (use, *imports))
        ):
            found.append((use, one))
    return found + [(node, one) for node, one in _lacked_of_tensorflow(module, target) if not _is_others(one)]


def _lacked_of_tensorflow(module: Module, target: str) -> Iterator[tuple[ast.expr | ImportStatement, Lack]]:
    """The names of a file that are gone from TensorFlow, but for those of Keras that the table knows."""
    lines = lines_of(target)
    for node, name in iter_missing(module, None, lines):
        if lack(name, target) is None and "estimator" not in name:  # of which other rules speak
            parts = name.split(".")
            path = next(one for end in range(2, len(parts) + 1) if lines_without(one := ".".join(parts[:end]), lines))
            if isinstance(node, ast.expr | ImportStatement) and not is_guarded(module.names, node):
                yield node, Lack(path, f"TensorFlow {' and '.join(lines_without(path, lines))}", "", name)


def _is_others(one: Lack) -> bool:
    """Whether another rule writes a name (FT202, FT401)."""
    return "callbacks.experimental" in one.path or "contrib.distribute" in one.name


def _advice(one: Lack) -> str:
    if one.place:
        return f"Write {one.place}, which every Keras has."
    name, is_keras = one.name.removeprefix("tensorflow.keras."), "keras." in one.name
    name = f"keras.{name}" if name != one.name else name
    found = next((text for known, text in _ADVICE.items() if f"{name}.".startswith(f"{known}.")), "")
    if not found and not is_keras and (public := public_path(one.path, (OLD, NEW))):
        return f"Write tf.compat.v1.{public}, which works where no session is needed."
    if found or not is_keras or lack(one.name, "keras2") is not None or "Keras" not in one.lines:
        return found or "Replace it by hand."
    as_keras = "import tf_keras as keras" if one.path.startswith("keras.") else "install tf_keras"
    return f"Replace it by hand, or {as_keras} and set TF_USE_LEGACY_KERAS=1."
