"""FT301 · a session that saves: tf.train.Saver, MonitoredTrainingSession, Supervisor

A program that makes its own session, and saves in it, uses neither an Estimator nor a Keras model: it is not rewritten.

Instead: TensorFlow 2 still has all three, 2.21 too, and they resume as before. The file needs ``import
tensorflow.compat.v1 as tf`` and ``tf.disable_v2_behavior()`` at its start, which ``tf_upgrade_v2`` writes; checkpoints
do not change. A training loop for TensorFlow 2 saves by ``tf.train.CheckpointManager``, and reads the old checkpoints
only if its variables have the old names.

Not reported: a ``Saver`` that only restores, as for predictions, that a hook saves with, or that is passed to a
``Scaffold``; and one that saves where nothing trains, in its file, in one that imports it or, if it counts steps, in
one that it imports: an exporter, a converter or a test does not resume.

Fidelity: manual. Only the program knows what its session runs, and in which order.

See: tf.compat.v1.train.Saver, tf.compat.v1.train.MonitoredTrainingSession, tf.compat.v1.train.Supervisor.
"""

import ast
import os
import re
from collections.abc import Iterator

from migrate.analysis.source.arguments import is_none
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import symbol_of
from migrate.files.sources import is_test
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_HELP = (
    "TensorFlow 2 still runs it, and it resumes as before: import tensorflow.compat.v1 as tf, and call "
    "tf.disable_v2_behavior() first."
)
_SAVER = """\
import tensorflow as tf

saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, tf.train.latest_checkpoint("/job"))
    sess.run(train_op)
    saver.save(sess, "/job/model.ckpt")
"""
_MONITORED_PROGRAM = """\
import tensorflow as tf

with tf.train.MonitoredTrainingSession(checkpoint_dir="/job", save_checkpoint_secs=60) as sess:
    sess.run(train_op)
"""
_SUPERVISOR = """\
import tensorflow as tf

with tf.train.Supervisor(logdir="/job").managed_session() as sess:
    sess.run(train_op)
"""
_TRAINING = {
    "minimize", "apply_gradients", "compute_gradients", "create_train_op", "optimize_loss", "train_op", "train_step",
    "train_fn", "training_op", "optimizer", "optim",
}  # fmt: skip
"""Names by which a file whose session trains is recognised."""
_EXPORT = re.compile(r"(?:export|freeze|convert)\w*\.py$")
_TRAINER = re.compile(r"def _?train\w*\(")
_DIRECTORY = {"train.MonitoredTrainingSession": ("checkpoint_dir", 2), "train.Supervisor": ("logdir", 4)}
"""The parameter of the directory that each saves in, and its index."""


@site_rule(
    "FT301",
    "manual",
    Example(_SAVER, None, "module"),
    Example(_MONITORED_PROGRAM, None, "module"),
    Example(_SUPERVISOR, None, "module"),
)
def saving_session(bench: Workbench) -> Iterator[Fix]:
    module = bench.module
    for call in module.calls_of("train.Saver", *_DIRECTORY):
        if _saves(bench, call):
            name = (module.names.qualified(call.func) or "").rpartition(".")[2]
            message = f"a session saves by {name} here, and such a program is not rewritten"
            yield Fix((manual(call, message, _HELP),))


def _saves(bench: Workbench, call: ast.Call) -> bool:
    """Whether a session that trains saves by the object that a call makes."""
    module = bench.module
    named = next((tail for tail in _DIRECTORY if any(call.func is node for node in module.uses.get(tail, ()))), None)
    if named is not None:
        name, position = _DIRECTORY[named]
        given = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
        given = call.args[position] if given is None and len(call.args) > position else given
        return given is not None and not is_none(given)
    parent = module.names.parent(call)
    targets = parent.targets if isinstance(parent, ast.Assign) else [call]
    kept = {_last_name(target) for target in targets}
    return any(_last_name(save.value) in kept for save in _saves_in_sessions(module)) and _contains_training(bench)


def _contains_training(bench: Workbench) -> bool:
    """Whether a file, an importer of it or, if it counts steps, an imported file trains, by the words in them.

    A test or an exporter often builds a model with its step, but does not train it.
    """
    path = os.path.abspath(bench.module.path)
    if is_test(path):
        return False
    words = set(re.findall(r"\w+", bench.module.text))
    if not _TRAINING.isdisjoint(words) or ("global_step" in words and _TRAINER.search(bench.module.text)):
        return True
    near = list(bench.tree.importers_of(path)) if os.path.exists(path) else []
    if "global_step" in words and not _EXPORT.search(path):
        near += [link.target.path for link in bench.tree.closure(bench.module) if link.importer == path]
    return any(bench.tree.contains_word(one, *_TRAINING) for one in near if not is_test(one))


def _saves_in_sessions(module: Module) -> Iterator[ast.Attribute]:
    """Yields the uses of ``save`` with a session and a path, except those in hooks."""
    for node in module.names.attributes.get("save", ()):
        call = module.names.parent(node)
        given = len(call.args) + len(call.keywords) if isinstance(call, ast.Call) and call.func is node else 0
        if given > 1 and not any(_is_hook(module, around) for around in module.names.ancestors(node)):
            yield node


def _is_hook(module: Module, node: ast.AST) -> bool:
    base = symbol_of(module.names, node.bases[0]) if isinstance(node, ast.ClassDef) and len(node.bases) == 1 else None
    return base is not None and base.tail in ("train.SessionRunHook", "estimator.SessionRunHook")


def _last_name(node: ast.expr) -> str | int:
    """Returns the last name of a variable or attribute, the same for ``self.saver`` and ``saver``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else id(node)
