"""What the codemod writes for ``legacy_examples/``; ``python -m tests.pairs`` writes it into ``tf2_examples/``."""

import ast
import os
import shutil
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import migrate.recovery
from migrate.pipeline.run import run
from migrate.runtime_files.package import PACKAGE
from migrate.settings import Settings

ROOT = Path(__file__).parent.parent
LEGACY = ROOT / "legacy_examples"
TF2 = ROOT / "tf2_examples"
BY_HAND = "fault_tolerance_fit.py", "fault_tolerance_loop.py"
"""The reference programs of ``tf2_examples/``, which no tool writes: docs/model_fit.md is about them."""


@dataclass(frozen=True)
class Variant:
    """One way to migrate the examples whose names match one of some patterns, and the folder for its output."""

    folder: Path
    settings: Settings
    examples: tuple[str, ...] = ("*.py",)


VARIANTS = (
    Variant(TF2, Settings()),
    Variant(TF2 / "backup_and_restore", Settings(recovery="backup-and-restore"), ("resume_*.py",)),
    Variant(TF2 / "contrib", Settings(), ("contrib/*.py",)),
    Variant(TF2 / "feature_columns", Settings(), ("feature_columns/*.py",)),
    Variant(TF2 / "keras2", Settings(target="keras2"), ("multi_worker_*.py",)),
)


_CONTRIB = (
    ("import tensorflow as tf", "import tensorflow.compat.v1 as tf"),
    ("import tensorflow.contrib.slim as slim", "from slim_on_2 import slim"),
    ("from tensorflow.contrib.framework.python.ops import arg_scope", "arg_scope = slim.arg_scope"),
    ("from tensorflow.contrib.layers import l2_regularizer", "l2_regularizer = slim.l2_regularizer"),
    ("tf.contrib.layers", "slim"),
)


def for_2(program):
    """Makes a copy of a legacy example of contrib one that TensorFlow 2.15 runs: ``tf_slim`` has contrib's code."""
    text = program.read_text(encoding="utf-8")
    for before, after in _CONTRIB:
        assert before in text
        text = text.replace(before, after)
    program.write_text(text, encoding="utf-8")
    shutil.copy(Path(migrate.recovery.__file__).with_name("contrib") / "slim.py", program.with_name("slim_on_2.py"))


def written(variant):
    """The text of every program that the codemod writes for all legacy examples, and of what they import, by name."""
    texts = {name: text for name, text in _changed(variant).items() if not name.startswith(PACKAGE)}
    imported = {name for text in texts.values() for node in ast.parse(text).body for name in _imported(node)}
    stay = [path for path in LEGACY.glob("*.py") if path.stem in imported and path.name not in texts]
    return texts | {path.name: path.read_bytes().decode() for path in stay}


def runtime_files(variants=VARIANTS):
    """The text of every runtime file that the codemod copies for any of the variants, by its path."""
    return {name: text for variant in variants for name, text in _changed(variant).items() if name.startswith(PACKAGE)}


@cache
def _changed(variant):
    """The text of every file that the codemod writes, by its path beside the examples."""
    examples = sorted(path for pattern in variant.examples for path in LEGACY.glob(pattern))
    outcome = run([str(path) for path in examples], variant.settings, jobs=1, progress=None)
    found = {os.path.relpath(change.path, examples[0].parent): change.after for change in outcome.changes}
    return {name: text for name, text in found.items() if not name.startswith(os.pardir)}


def put(changes, beside, folder):
    """Writes what the codemod makes of the programs of one folder into another, the runtime folder included."""
    for change in changes:
        path = folder / os.path.relpath(change.path, beside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(change.after, encoding="utf-8")


def write_all(folder, **settings):
    """Writes what the codemod makes of all examples, in folders of their own for what other settings make of them.

    Args:
      folder: in place of ``tf2_examples/``.
      settings: for all of them, besides each variant's.
    """
    if not settings:
        shutil.rmtree(folder / PACKAGE, ignore_errors=True)
        for name, text in runtime_files().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    for one in VARIANTS:
        place = folder / one.folder.relative_to(TF2)
        place.mkdir(exist_ok=True)
        for name, text in written(replace(one, settings=replace(one.settings, **settings))).items():
            (place / name).write_text(text, encoding="utf-8")


def _imported(node):
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


if __name__ == "__main__":
    write_all(TF2)
