"""FT198 · names that the target TensorFlow does not have

A name or an import of TensorFlow that no longer exists stops the migrated program: ``tensorflow.examples`` and
``tensorflow.python.estimator`` as soon as their file is imported.

Instead: a private path becomes the public name of the object, if it has one (``array_ops.stack`` is ``tf.stack``), in
every file of the program. So does a path into TensorFlow's private copy of Keras, which does not accept layers of Keras
itself. A name that only TensorFlow 2 has becomes one of ``tf.compat.v2`` where a file's ``tf`` becomes ``compat.v1``.
Some names are generated: the ``PredictionKeys`` and ``MetricKeys`` of the Estimator, its ``fn_args`` and
``_load_global_step_from_checkpoint_dir``, filters of exports, and
``tensorflow.examples.tutorials.mnist.input_data.read_data_sets``, which reads and shuffles the same files.

Fidelity: exact; noted for ``tensorflow.python.keras.optimizers``, whose older classes no longer exist. Any other name
of TensorFlow 1 that 2.15, 2.21 or the ``--target`` lacks blocks the program, unless the program does not run it, tries
it under ``except ImportError``, or checks ``hasattr`` or the version first.

See: migrate/tensorflow/names.txt, which is made from the installed packages.
"""

import ast
import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from migrate.analysis.program.reached_code import ReachedCode
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.module import Module
from migrate.findings.finding import Fidelity
from migrate.rewrite.changed_file import ChangedFile
from migrate.rules.names.missing_symbols import has_failing_import, inner_keras_uses, iter_missing
from migrate.rules.names.removable_imports import is_removable, remove_unread, remove_with_uses
from migrate.rules.rule import EstimatorProgram, Example, Verdict, exact, example, manual, unit_rule
from migrate.tensorflow.advice import advice
from migrate.tensorflow.known_names import absence_message, lines_of, public_path, public_spelling
from migrate.tensorflow.moved_names import runtime_replacement

_PRIVATE = "tensorflow.python."


@unit_rule(
    "FT198",
    "exact",
    Example("from tensorflow.examples.tutorials.mnist import input_data; print(input_data)", None, "head"),
    example(
        "from tensorflow.examples.tutorials.mnist import input_data; x = input_data.read_data_sets('/tmp')",
        "x = read_data_sets('/tmp')",
    ),
    example("from tensorflow.python.ops import array_ops; w = array_ops.stack([1])", "w = tf1.stack([1])"),
    example(
        "from tensorflow.python.layers import normalization; w = normalization.BatchNormalization()",
        "w = tf1.layers.BatchNormalization()",
    ),
    example(
        "from tensorflow.python.estimator import gc; print(gc._negation(gc._largest_export_versions(5)))",
        "print(opposite_filter(largest_export_versions(5)))",
    ),
    example(
        "from tensorflow.python.keras.preprocessing import sequence; w = sequence.pad_sequences([[1]])",
        "w = tf1.keras.preprocessing.sequence.pad_sequences([[1]])",
    ),
    example("from tensorflow.python.training import training_ops as ops; print(ops.apply_adam)", None),
    example("from tensorflow.python.estimator.canned import optimizers; print(optimizers)", None),
    example("print(tf1.lite.experimental.nn)", None),
)
def missing_names(unit: EstimatorProgram) -> Iterator[Verdict]:
    if unit.files:
        known = [(root, node) for root in unit.roots for node, _ in root.estimator_uses]
        below = _imported_modules(unit.tree, unit.roots, {os.path.abspath(module.path) for module in unit.modules})
        yield from _missing_names([*unit.files.values()], below, unit.roots, known, unit.site, unit.settings.target)


def _missing_names(
    files: Sequence[ChangedFile],
    imported: Sequence[Module],
    started: Sequence[Module],
    known: Sequence[tuple[Module, ast.AST]],
    site: ast.expr,
    target: str,
) -> Iterator[Verdict]:
    """Replaces private names of TensorFlow by public ones in the files of a program, and reports missing names.

    Args:
      files: the files that change.
      imported: the other files that they import.
      started: the files that the program may be started by.
      known: nodes that the program is known to run.
      site: where it makes its estimator.
    """
    lines = lines_of(target)
    for one in files:
        yield from _write_runtime_names(one)
        yield from _replace_inner_keras(one, lines)
        yield from remove_unread(one)
    own = {file.module.path: file for file in files}
    modules = [*(file.module for file in files), *(module for module in imported if module.path not in own)]
    found = [(module, *one) for module in modules for one in iter_missing(module, own.get(module.path), lines)]
    reached = ReachedCode(started, modules).with_reached(known) if found else None
    # If one such name of a file is replaced, all are; private names are replaced in each file that changes.
    changing = {file.module.path for file in files if file.edits}
    changed = {module.path for module, node, _ in found if reached is not None and reached.contains(module, node)}
    changed |= {module.path for module, _, name in found if name.startswith(_PRIVATE) and module.path in changing}
    missing: list[tuple[Module, ast.expr | ast.stmt, str]] = []
    for module, node, name in found:
        if is_guarded(module.names, node):
            continue
        file = own.get(module.path)
        is_reached = reached is not None and reached.contains(module, node)
        if not is_reached and (file is None or not (module.path in changed or has_failing_import(module, node, lines))):
            continue
        public = public_path(name, lines) if file is not None and isinstance(node, ast.expr) else None
        if file is None or public is None or isinstance(node, ast.stmt):
            if not is_reached:
                continue
            missing.append((module, node, name))
            continue
        yield _replace_by_public(file, node, public)
    yield from _report_missing(missing, own, (started[0], site), lines)


def _report_missing(
    missing: Sequence[tuple[Module, ast.expr | ast.stmt, str]],
    own: Mapping[str, ChangedFile],
    place: tuple[Module, ast.expr],
    lines: tuple[str, ...],
) -> Iterator[Verdict]:
    """Reports names that TensorFlow lacks, each once a file, imports before uses.

    Args:
      place: the file and node at which names of unchanged files are reported.
      lines: the TensorFlow versions that the output runs on.
    """
    reported = set[tuple[str, str]]()
    for module, node, name in sorted(missing, key=lambda one: isinstance(one[1], ast.expr)):  # imports before uses
        file = own.get(module.path)
        parts = name.split(".")
        is_reported = any((module.path, ".".join(parts[:end])) in reported for end in range(1, len(parts) + 1))
        if file is not None and isinstance(node, ast.Import | ast.ImportFrom) and is_removable(file, node, lines):
            yield from remove_with_uses(file, node, lines)
            continue
        if is_reported:
            continue
        reported.add((module.path, name))
        message = absence_message(name, lines)
        help = advice(public_spelling(name).removeprefix("tensorflow.").removeprefix("compat.v1."))
        if file is not None:
            yield manual(node, message, help, module)
        else:
            message = f"its program needs line {node.lineno} of {module.path}, and {message}"
            yield manual(place[1], message, help, place[0])


def _replace_by_public(file: ChangedFile, node: ast.expr, path: str) -> Verdict:
    """Replaces a node by a public name below ``tf.compat.v1``."""
    # A name that only TensorFlow 2 has is read from tf itself.
    text = f"{file.v1}.{path}".replace(".compat.v1.compat.v2.", ".")
    file.rename(node, text)
    return exact(node, f"becomes {text}, the public name of the same object", file.module)


def _replace_inner_keras(file: ChangedFile, lines: tuple[str, ...]) -> Iterator[Verdict]:
    """Replaces paths into TensorFlow's private copy of Keras, which does not accept layers of Keras itself."""
    for node, name, found in inner_keras_uses(file.module.names):
        path = public_path(name, lines)
        if path is None or node in file.renamed or f"{found.tail}.".startswith("estimator."):
            continue
        if is_guarded(file.module.names, node):
            continue
        verdict = _replace_by_public(file, node, path)
        if found.is_contrib or found.tail.startswith("contrib."):
            message = f"becomes {file.renamed[node]}; the older optimizer of TensorFlow 1 had other variables"
            verdict = verdict._replace(fidelity=Fidelity.NOTED, message=message)
        yield verdict


def _imported_modules(tree: Tree, roots: Sequence[Module], others: Collection[str]) -> list[Module]:
    """Returns the files that the roots import, without ``others``, which are absolute paths."""
    paths = (link.target.path for link in tree.closure(*roots))
    return list({one.path: one for one in tree.readable(path for path in paths if path not in others)}.values())


def _write_runtime_names(file: ChangedFile) -> Iterator[Verdict]:
    """Replaces names that TensorFlow 2 lacks by generated ones."""
    for tail, nodes in file.module.uses.items():
        found = runtime_replacement(tail)
        for node in nodes if found is not None else ():
            if found is not None and node not in file.renamed and not is_guarded(file.module.names, node):
                runtime_name, rest = found
                file.rename(node, file.runtime_name(runtime_name) + rest)
                yield exact(node, f"becomes {file.renamed[node]}, which does the same", file.module)
