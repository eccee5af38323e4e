"""What a program needs besides TensorFlow before it starts: packages and environment variables."""

import ast
import os
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from migrate.analysis.program.checkpoint_callbacks import callbacks_rejected_by_keras3
from migrate.analysis.program.numpy_names import REMOVED_NUMPY_NAMES, may_need_old_numpy, removed_names
from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.imports import target_from
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import imported_paths
from migrate.files.sources import NOTEBOOK

VARIABLE = "TF_USE_LEGACY_KERAS=1"
KERAS_2 = f"tf_keras and {VARIABLE} from TensorFlow 2.16 on"
OLD_TENSORFLOW = "TensorFlow 2.15"
TENSORBOARD = "tensorboard from TensorFlow 2.21 on"
"""A package that TensorFlow installs up to 2.20."""
_NEEDS_AFTER_2_15 = {KERAS_2, TENSORBOARD}
"""The needs that TensorFlow 2.15 does not have."""
_BROKEN_AFTER_2_15 = {
    "adanet", "deepctr.estimator", "gin.tf", "mesh_tensorflow", "neural_structured_learning", "tensor2tensor",
    "tensorflow_addons", "tensorflow_gan", "tensorflow_privacy", "tensorflow_ranking",
}  # fmt: skip
"""Packages and modules that fail to import with TensorFlow 2.21, mostly for tf.estimator (releases of 2026-11)."""
_BROKEN_IN_2 = {"bert.modeling", "bert.run_classifier", "bert.run_pretraining", "bert.run_squad"}
"""Modules that fail to import with every TensorFlow 2: bert-tensorflow 1.0.4, the last, needs ``tf.contrib``."""
_REMOVED_HUB_NAMES = {
    "LatestModuleExporter", "Module", "add_signature", "create_module_spec", "get_expected_image_size",
    "image_embedding_column", "load_module_spec", "register_module_for_export", "sparse_text_embedding_column",
    "text_embedding_column", "text_embedding_column_v2",
}  # fmt: skip
"""Names that tensorflow_hub removed after 0.15.0, which needs tf.estimator and so fails with TensorFlow 2.16."""
REQUIREMENTS = {"tf_slim": "tf_slim==1.1.0", "tensorflow_probability": "tensorflow_probability"}
"""The ``pip`` requirement for each package that a program imports."""
_BUILT_ON_KERAS_2 = ("layers.", "contrib.layers.flatten", "nn.rnn_cell.", "contrib.rnn.", "contrib.seq2seq.")
"""Beginnings of TensorFlow 1's names that are built on Keras 2."""
_LEGACY = "keras.optimizers.legacy."
"""The optimizers that premade estimators of TensorFlow 2.11 to 2.15 accept, and Keras 3 rejects."""
_IN_GRAPHS = ("keras.layers.", "keras.Model", "keras.Sequential", "keras.models.", "keras.applications.")
"""Names of Keras that create variables, which only Keras 2 can do in the graph of a model_fn."""
SUMMARIES = ("audio", "histogram", "image", "scalar", "text")
"""Functions of TensorFlow 2's ``tf.summary`` that are implemented in the package ``tensorboard``."""
_WITHOUT_MODEL_FN, _WITH_MODEL_FN = {"premade", "keras"}, {"custom", "tpu"}


class Use(NamedTuple):
    """A use in a file for which a program needs more than the newest TensorFlow and NumPy.

    Attributes:
      in_graphs: whether it fails only in a ``model_fn``.
      what: what is used.
      remedy: another way to make it work; "" for none.
      need: what the program needs for it.
    """

    in_graphs: bool
    what: str
    line: int
    remedy: str = ""
    need: str = KERAS_2


def uses_with_needs(module: Module) -> tuple[Use, ...]:
    """Returns the uses that need more than the newest TensorFlow and NumPy; those only for graphs come last."""
    return (*_general_uses(module), *_first_use(module, _IN_GRAPHS, in_graphs=True))


def _general_uses(module: Module) -> Iterator[Use]:
    yield from _broken_imports(module)
    if module.has_tf_keras:
        lines = (one.lineno for one in module.names.imports if "tf_keras" in ast.unparse(one))
        yield Use(False, "import tf_keras", next(lines, 1))
    for node, found in [*module.v1_uses, *module.tf1_only]:
        if found.tail.startswith(_BUILT_ON_KERAS_2):
            yield Use(False, found.tail, node.lineno)
            break
    yield from _first_use(module, (_LEGACY,), in_graphs=False)
    for call, remedy in callbacks_rejected_by_keras3(module):
        if module.has_tf_keras or is_guarded(module.names, call):
            continue
        yield Use(False, "ModelCheckpoint", call.lineno, remedy)
        break
    yield from _first_use(module, ("keras.callbacks.TensorBoard",), in_graphs=False, need=TENSORBOARD)
    yield from _summaries(module)
    if may_need_old_numpy(module.text):
        for node, one in removed_names(module.names):
            yield Use(False, f"numpy.{one}", node.lineno, need=REMOVED_NUMPY_NAMES[one])


def _summaries(module: Module) -> Iterator[Use]:
    """Yields the first use of TensorFlow 2's summaries."""
    tf2_uses = [] if module.is_tf1 else [*module.ambiguous_unless_tf1, *module.tf2_compatible_uses]
    own = {node for node, _ in tf2_uses}
    for name in SUMMARIES:
        for node in module.uses.get(f"summary.{name}", ()):
            if node in own or (module.names.qualified(node) or "").startswith("tensorflow.compat.v2."):
                yield Use(False, f"summary.{name}", node.lineno, need=TENSORBOARD)
                return


def _broken_imports(module: Module) -> Iterator[Use]:
    """Yields the imports that fail with later releases of TensorFlow, except of the program's own packages."""
    for package, line in _first_import(module, _BROKEN_AFTER_2_15):
        yield Use(False, f"later ones do not import {package}", line, need=OLD_TENSORFLOW)
    for package, line in _first_import(module, _BROKEN_IN_2):
        need = f"the files of {package.partition('.')[0]} beside it, migrated with it"
        yield Use(False, f"the installed {package} imports tensorflow.contrib", line, need=need)
    for node, dotted in module.names.package_uses(("tensorflow_hub.",)) if "tensorflow_hub" in module.text else ():
        name = dotted.split(".")[1]
        if name in _REMOVED_HUB_NAMES and not is_guarded(module.names, node):
            yield Use(False, f"tensorflow_hub 0.15.0 is the last with {name}", node.lineno, need=OLD_TENSORFLOW)
            return


def _first_import(module: Module, packages: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yields the first import of some packages that are not the program's own, with its line."""
    beginnings = {f"{one}.": one for one in packages}
    for statement in module.names.imports:
        imported = [f"{path}." for _, path in imported_paths(statement)]
        package = next((beginnings[one] for one in beginnings if any(name.startswith(one) for name in imported)), None)
        if package is None or is_guarded(module.names, statement):
            continue
        if target_from(os.path.dirname(os.path.abspath(module.path)), package) is None:
            yield package, statement.lineno
            return


def _first_use(module: Module, beginnings: tuple[str, ...], in_graphs: bool, need: str = KERAS_2) -> Iterator[Use]:
    for tail, nodes in module.uses.items():
        for node in nodes if tail.startswith(beginnings) else ():
            if not is_guarded(module.names, node):
                yield Use(in_graphs, tail, node.lineno, need=need)
                return


def has_model_fn(kinds: Iterable[str | None]) -> bool:
    """Whether estimators of some kinds (see ``estimator_kind``) may run a ``model_fn``."""
    found = {*kinds}
    return not _WITH_MODEL_FN.isdisjoint(found) or _WITHOUT_MODEL_FN.isdisjoint(found)


def needs_of(uses: Iterable[tuple[str, Use]], in_graphs: bool) -> list[str]:
    """Returns the needs of a program as text, each once, with the place of its first use."""
    found = dict[str, str]()
    for path, use in sorted(uses, key=lambda one: (one[1].need in _NEEDS_AFTER_2_15, one[1].in_graphs)):
        is_covered = use.need in _NEEDS_AFTER_2_15 and OLD_TENSORFLOW in found
        if (in_graphs or not use.in_graphs) and use.need not in found and not is_covered:
            other = f", or {use.remedy}" if use.remedy else ""
            found[use.need] = f"{use.need}{other}: {use.what} ({path}:{_line_in_file(path, use.line)})"
    return [*found.values()]


def _line_in_file(path: str, line: int) -> str:
    if not path.endswith(NOTEBOOK):
        return str(line)
    from migrate.files.cells import place_in_cell

    return place_in_cell(path, line)
