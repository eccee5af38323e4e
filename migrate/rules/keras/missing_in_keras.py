"""FT204 · names that the target Keras or TensorFlow does not have, in a program that resumes

A program that does not start cannot recover. ``keras.layers.convolutional`` and ``keras.utils.np_utils`` no longer
exist in the Keras of TensorFlow 2.15 and in Keras 3, most of ``keras.backend`` in Keras 3, ``tf.Session`` in
TensorFlow 2.

Instead: a moved name is imported from where every Keras has the same object: ``keras.layers`` for
``keras.layers.merge``, ``tensorflow.keras.backend`` for ``keras.backend``. Such names in files that the program imports
are reported, with their lines.

Fidelity: exact; noted for ``tensorflow.keras.backend``, whose functions on Keras 3 accept tensors within a layer or a
loss, but not those between layers. A name without a replacement is reported with advice, and so is any name of
TensorFlow 1 that 2.15, 2.21 or the ``--target`` lacks.

Found only in a program that has a recovery, or gets one. Code that the program does not run, or that is tried under
``except ImportError``, is not reported.

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
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule
from migrate.tensorflow.keras import Lack, lack
from migrate.tensorflow.known_names import NEW, OLD, lines_of, lines_without, public_path

_ADVICE = {
    "keras.utils.multi_gpu_model": "Make the model under tf.distribute.MirroredStrategy().scope().",
    "keras.backend.get_session": "Remove it: Keras of TensorFlow 2 has no session.",
    "keras.backend.set_session": "Remove it: Keras of TensorFlow 2 has no session.",
    "keras.backend.tensorflow_backend.set_session": "Remove it: Keras of TensorFlow 2 has no session.",
    "keras.backend.learning_phase": "Take training as an argument of call.",
    "keras.backend.image_dim_ordering": 'Write keras.backend.image_data_format(): "th" is "channels_first" there.',
    "keras.backend.set_image_dim_ordering": 'Write keras.backend.set_image_data_format("channels_first") for "th".',
    "keras.layers.Merge": "Write keras.layers.concatenate([…]), add([…]) or the like, of what the layers give.",
    "keras.layers.CuDNNLSTM": "Write keras.layers.LSTM, which uses cuDNN where it can.",
    "keras.layers.CuDNNGRU": "Write keras.layers.GRU, which uses cuDNN where it can.",
    "tensorflow.ConfigProto": "Remove it; set_memory_growth of tf.config.experimental is its allow_growth.",
    "tensorflow.Session": "Remove it: Keras of TensorFlow 2 has no session.",
}
"""Advice for frequent names without a replacement."""
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


def _case(head: str, end: str, after: str | None) -> Example:
    return Example(_PROGRAM.format(head, end), after, "module")


@site_rule(
    "FT204",
    "exact",
    _case("", "", "from keras.layers import Conv2D\n"),
    _case("from keras import backend as K", "print(K.sum(x))", "from tensorflow.keras import backend as K\n"),
    _case("import keras", "print(keras.utils.np_utils.to_categorical(y))", "print(keras.utils.to_categorical(y))"),
)
def missing_in_keras(bench: Workbench) -> Iterator[Fix]:
    yield from _judge_names(bench)
    yield from findings_at_imports(bench, partial(_findings, bench), "the names in these lines are gone", _REMEDY)


_REMEDY = "Run tf_upgrade_v2 on these files first; check prints what it leaves when it is given them."


def _findings(bench: Workbench, other: Module) -> list[ImportedFinding]:
    found = _missing(other, bench.settings.target)
    return [ImportedFinding(node, f"{one.path}: {_advice(one)}") for node, one in found]


def _judge_names(bench: Workbench) -> Iterator[Fix]:
    """Replaces the moved names of a file, and reports those without a replacement."""
    module, reported, written = bench.module, set[str](), dict[ImportStatement, Fix | None]()
    found = _missing(module, bench.settings.target)
    reached = reached_from(bench)
    for node, one in found:
        imports = [node] if isinstance(node, ImportStatement) else root_imports(module.names, node)
        for statement in imports:
            if statement not in written:
                written[statement] = fix = moved_import(bench, statement)
                yield from [] if fix is None else [fix]
        is_written = any(written[statement] is not None for statement in imports)
        root, _, rest = one.place.partition(".")
        is_star = root != "tensorflow" and any(each.names[0].name == "*" for each in imports)  # binds no ``keras``
        if isinstance(node, ast.expr) and one.place and not is_written and not is_star:
            text = f"{bench.tf_at(node)}.{rest}" if root == "tensorflow" else _name_of(module, node, one.place)
            yield Fix(
                (moved_verdict(node, f"becomes {text}", one.place),), (ReplaceExpression(module.span(node), text),)
            )
        elif (one.place and not is_star) or one.path in reported or (is_written and isinstance(node, ImportStatement)):
            continue  # a missing name that a rewritten import keeps is reported at its uses
        elif reached.contains(module, node):
            reported.add(one.path)
            yield Fix((manual(node, f"`{one.path}` does not exist in {one.lines}", _advice(one)),))


def _name_of(module: Module, node: ast.expr, place: str) -> str:
    """Returns a place in Keras by the import that a name begins with: ``optimizers.Adam`` for ``optimizers.adam``."""
    while isinstance(node, ast.Attribute):
        node = node.value
        known = module.names.qualified(node)
        if known is not None and place.startswith(f"{known}."):
            return module.source.text(node) + place.removeprefix(known)
    return place


def _missing(module: Module, target: str) -> list[tuple[ast.expr | ImportStatement, Lack]]:
    """Returns the imports and names of a file that the target lacks, without those under a guard."""
    names = module.names
    found: list[tuple[ast.expr | ImportStatement, Lack]] = []
    for node in module.names.imports:
        lacks = [one for _, path in imported_paths(node) if (one := lack(path, target)) and not _has_rule(one)]
        found += [(node, one) for one in lacks if not is_guarded(names, node)]
    for use, dotted in names.package_uses(("keras", "tf_keras", "tensorflow")):
        one = lack(dotted, target)
        imports = root_imports(names, use)  # none for a name that two imports bind
        is_tried = any(is_guarded(names, each) for each in (use, *imports))
        if one is not None and imports and not is_tried and not _has_rule(one):
            found.append((use, one))
    return found + [(node, one) for node, one in _gone_names(module, target) if not _has_rule(one)]


def _gone_names(module: Module, target: str) -> Iterator[tuple[ast.expr | ImportStatement, Lack]]:
    """Yields the names of a file that TensorFlow lacks, without those in the table of Keras."""
    lines = lines_of(target)
    for node, name in iter_missing(module, None, lines):
        if lack(name, target) is None and "estimator" not in name:  # other rules judge those
            parts = name.split(".")
            path = next(one for end in range(2, len(parts) + 1) if lines_without(one := ".".join(parts[:end]), lines))
            if isinstance(node, ast.expr | ImportStatement) and not is_guarded(module.names, node):
                yield node, Lack(path, f"TensorFlow {' and '.join(lines_without(path, lines))}", "", name)


def _has_rule(one: Lack) -> bool:
    """Whether another rule rewrites a name (FT401)."""
    return "contrib.distribute" in one.name


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
