"""What a program needs beside TensorFlow before it starts: a package, a variable of the environment."""

import ast
import os
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from migrate.analysis.program.checkpoint_callbacks import refused_on_keras3
from migrate.analysis.program.numpy_names import GONE, may_name_gone, names_gone
from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.imports import target_from
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import imported_paths
from migrate.files.sources import NOTEBOOK

VARIABLE = "TF_USE_LEGACY_KERAS=1"
KERAS_2 = f"tf_keras and {VARIABLE} from TensorFlow 2.16 on"
OLD_TENSORFLOW = "TensorFlow 2.15"
TENSORBOARD = "tensorboard from TensorFlow 2.21 on"
"""A package that TensorFlow up to 2.20 brings along."""
_OF_LATER = {KERAS_2, TENSORBOARD}
"""What TensorFlow 2.15 does not need."""
_ON_2_15_ALONE = {
    "adanet", "deepctr.estimator", "gin.tf", "mesh_tensorflow", "neural_structured_learning", "tensor2tensor",
    "tensorflow_addons", "tensorflow_gan", "tensorflow_privacy", "tensorflow_ranking",
}  # fmt: skip
"""What TensorFlow 2.21 fails to import of packages: most take tf.estimator. Their newest releases of 2026-11."""
_ON_1_ALONE = {"bert.modeling", "bert.run_classifier", "bert.run_pretraining", "bert.run_squad"}
"""What no TensorFlow 2 imports of packages: bert-tensorflow 1.0.4, its last release, imports ``tensorflow.contrib``."""
_HUB_OF_1 = {
    "LatestModuleExporter", "Module", "add_signature", "create_module_spec", "get_expected_image_size",
    "image_embedding_column", "load_module_spec", "register_module_for_export", "sparse_text_embedding_column",
    "text_embedding_column", "text_embedding_column_v2",
}  # fmt: skip
"""What tensorflow_hub 0.15.0 has last, which TensorFlow 2.16 does not import: it takes tf.estimator."""
PACKAGES = {"tf_slim": "tf_slim==1.1.0", "tensorflow_probability": "tensorflow_probability"}
"""What to install for a package that a program imports."""
_LAYERS = ("layers.", "contrib.layers.flatten", "nn.rnn_cell.", "contrib.rnn.", "contrib.seq2seq.")
"""TensorFlow 1's names that are made from Keras 2."""
_LEGACY = "keras.optimizers.legacy."
"""The optimizers that the premade estimators of TensorFlow 2.11 to 2.15 take, and Keras 3 rejects."""
_IN_GRAPHS = ("keras.layers.", "keras.Model", "keras.Sequential", "keras.models.", "keras.applications.")
"""What of Keras makes variables, in the graph of a model_fn as Keras 2 does."""
SUMMARIES = ("audio", "histogram", "image", "scalar", "text")
"""What of ``tf.summary`` of TensorFlow 2 is in the package ``tensorboard``, and its Keras callback writes."""
_WITHOUT_MODEL_FN, _WITH_MODEL_FN = {"premade", "keras"}, {"custom", "tpu"}


class Use(NamedTuple):
    """Something in a file for which a program needs more than the newest TensorFlow and NumPy.

    Attributes:
      in_graphs: whether only a ``model_fn`` makes it fail.
      remedy: what else to do about it; "" where only the need helps.
      need: what the program needs for it.
    """

    in_graphs: bool
    what: str
    line: int
    remedy: str = ""
    need: str = KERAS_2


def uses_with_needs(module: Module) -> tuple[Use, ...]:
    """The uses of a file that need more than the newest TensorFlow and NumPy, those of every program first."""
    return (*_everywhere(module), *_first(module, _IN_GRAPHS, in_graphs=True))


def _everywhere(module: Module) -> Iterator[Use]:
    yield from _packages(module)
    if module.has_tf_keras:
        lines = (one.lineno for one in module.names.imports if "tf_keras" in ast.unparse(one))
        yield Use(False, "import tf_keras", next(lines, 1))
    for node, found in [*module.v1_uses, *module.tf1_only]:
        if found.tail.startswith(_LAYERS):
            yield Use(False, found.tail, node.lineno)
            break
    yield from _first(module, (_LEGACY,), in_graphs=False)
    for call, remedy in refused_on_keras3(module):
        if module.has_tf_keras or is_guarded(module.names, call):
            continue
        yield Use(False, "ModelCheckpoint", call.lineno, remedy)
        break
    yield from _first(module, ("keras.callbacks.TensorBoard",), in_graphs=False, need=TENSORBOARD)
    yield from _summaries(module)
    if may_name_gone(module.text):
        yield from (Use(False, f"numpy.{one}", node.lineno, need=GONE[one]) for node, one in names_gone(module.names))


def _summaries(module: Module) -> Iterator[Use]:
    """The first summary that is TensorFlow 2's, wherever the file stays with TensorFlow 2."""
    of_two = [] if module.is_tf1 else [*module.ambiguous_unless_tf1, *module.tf2_compatible_uses]
    own = {node for node, _ in of_two}
    for name in SUMMARIES:
        for node in module.uses.get(f"summary.{name}", ()):
            if node in own or (module.names.qualified(node) or "").startswith("tensorflow.compat.v2."):
                yield Use(False, f"summary.{name}", node.lineno, need=TENSORBOARD)
                return


def _packages(module: Module) -> Iterator[Use]:
    """The packages that no later TensorFlow imports, or none of TensorFlow 2, but for those of the program itself."""
    for package, line in _imports_of(module, _ON_2_15_ALONE):
        yield Use(False, f"later ones do not import {package}", line, need=OLD_TENSORFLOW)
    for package, line in _imports_of(module, _ON_1_ALONE):
        need = f"the files of {package.partition('.')[0]} beside it, migrated with it"
        yield Use(False, f"the installed {package} imports tensorflow.contrib", line, need=need)
    for node, dotted in module.names.package_uses(("tensorflow_hub.",)) if "tensorflow_hub" in module.text else ():
        name = dotted.split(".")[1]
        if name in _HUB_OF_1 and not is_guarded(module.names, node):
            yield Use(False, f"tensorflow_hub 0.15.0 is the last with {name}", node.lineno, need=OLD_TENSORFLOW)
            return


def _imports_of(module: Module, packages: Collection[str]) -> Iterator[tuple[str, int]]:
    """The first import of such packages that are not the program's own, with its line."""
    for statement in module.names.imports:
        imported = [f"{path}." for _, path in imported_paths(statement)]
        package = next((one for one in packages if any(name.startswith(f"{one}.") for name in imported)), None)
        if package is None or is_guarded(module.names, statement):
            continue
        if target_from(os.path.dirname(os.path.abspath(module.path)), package) is None:
            yield package, statement.lineno
            return


def _first(module: Module, beginnings: tuple[str, ...], in_graphs: bool, need: str = KERAS_2) -> Iterator[Use]:
    for tail, nodes in module.uses.items():
        for node in nodes if tail.startswith(beginnings) else ():
            if not is_guarded(module.names, node):
                yield Use(in_graphs, tail, node.lineno, need=need)
                return


def has_model_fn(kinds: Iterable[str | None]) -> bool:
    """Whether estimators of some kinds, as ``estimator_kind`` calls them, may run a ``model_fn``."""
    found = {*kinds}
    return not _WITH_MODEL_FN.isdisjoint(found) or _WITHOUT_MODEL_FN.isdisjoint(found)


def needs_of(uses: Iterable[tuple[str, Use]], in_graphs: bool) -> list[str]:
    """What the uses of a program need, each need once, with the place of the first use."""
    found = dict[str, str]()
    for path, use in sorted(uses, key=lambda one: (one[1].need in _OF_LATER, one[1].in_graphs)):
        is_moot = use.need in _OF_LATER and OLD_TENSORFLOW in found
        if (in_graphs or not use.in_graphs) and use.need not in found and not is_moot:
            other = f", or {use.remedy}" if use.remedy else ""
            found[use.need] = f"{use.need}{other}: {use.what} ({path}:{_line_in_file(path, use.line)})"
    return [*found.values()]


def _line_in_file(path: str, line: int) -> str:
    if not path.endswith(NOTEBOOK):
        return str(line)
    from migrate.files.cells import place_in_cell

    return place_in_cell(path, line)
