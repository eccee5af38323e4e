"""FT199 · names of the Estimator API in a file that no estimator reaches

A file with a ``model_fn``, modes or specs must change together with the file that makes the estimator, because the
estimator only accepts its own specs. Alone it is not rewritten, and from TensorFlow 2.16 on it fails.

Instead: pass the file that makes the estimator too, or the directory with both. A file that only names hooks and other
classes that TensorFlow also has under another name is rewritten alone. So is one that only names modes, which are the
words "train", "eval" and "infer".

Fidelity: exact for modes, which are these words in every TensorFlow; otherwise manual, reported once for each file, at
its first such name, but not for a file that is rewritten or skipped with a program.

See: tf.estimator.EstimatorSpec, tf.estimator.ModeKeys.
"""

import os
from collections.abc import Iterator
from contextlib import suppress

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.edits.plan import ReplaceExpression
from migrate.files.trouble import Unreadable
from migrate.findings.invocation import program
from migrate.rules.rule import Example, Fix, Workbench, exact, manual, site_rule
from migrate.tensorflow.advice import advice

_ESTIMATORS = ("Classifier", "Estimator", "Regressor")
_MODES = {
    f"estimator.ModeKeys.{name}": word for name, word in (("TRAIN", "train"), ("EVAL", "eval"), ("PREDICT", "infer"))
}
_MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels))
"""
_USE = "    return tf.nn.dropout(x, 0.5) if mode == {} else x\n"
_MODE = f"import tensorflow as tf\n\n\ndef dropout(x, mode):\n{_USE}"


@site_rule(
    "FT199",
    "exact",
    Example(_MODE.format("tf.estimator.ModeKeys.TRAIN"), _USE.format('"train"'), "module"),
    Example(_MODEL, None, "module"),
)
def names_without_an_estimator(bench: Workbench) -> Iterator[Fix]:
    module = bench.module
    own = [(node, found) for node, found in module.estimator_uses if not found.is_contrib]
    if not own or module.names_estimator or module.uses_library:
        return
    if _is_used_by_a_given_maker(module, bench.tree):
        return  # it is reported with its program
    makers = list(_makers(module, bench.tree))
    if any(maker in bench.tree.given for maker in makers):
        return  # it is reported with its program
    words = [(node, _MODES.get(found.tail)) for node, found in own]
    if not makers and not module.needs_tf1 and all(word is not None for _, word in words):
        for node, word in words:
            edit = ReplaceExpression(module.span(node), f'"{word}"')
            yield Fix((exact(node, f'becomes "{word}", the value of this name'),), (edit,))
        return
    of_contrib = [one for one in module.tf1_uses if one[1].is_contrib and one[1].tail.endswith(_ESTIMATORS)]
    node, found = min(of_contrib or own, key=lambda one: (one[0].lineno, one[0].col_offset))
    if of_contrib:
        yield Fix((manual(node, f"`{found.qualified}` exists in no TensorFlow 2", advice(found.tail)),))
        return
    message = f"`{found.qualified}` is gone since TensorFlow 2.16, and no estimator is made here"
    help = "No file here makes an estimator with it: name the directory of one that does too, or take the code out."
    if found.other_name is not None and not makers:
        help = f"Write tf.compat.v1.{found.other_name}, which is the same."
    if (word := _MODES.get(found.tail)) is not None and not makers:
        help = f'No file here makes an estimator with it: write "{word}", the value of this name.'
    if makers:
        help = (
            f"Migrate it with the file that makes the estimator: {program()} {module.path} {bench.tree.name(makers[0])}"
        )
    yield Fix((manual(node, message, help),))


def _is_used_by_a_given_maker(module: Module, tree: Tree) -> bool:
    """Whether a given file that makes an estimator imports this one, also indirectly; the answer is cached."""
    for path in _importers(module, tree):
        if ("used by a maker", path) in tree.answers or (path in tree.given and _makes_estimator(tree, path)):
            tree.answers["used by a maker", os.path.abspath(module.path)] = True
            return True
    return False


def _importers(module: Module, tree: Tree) -> Iterator[str]:
    """Yields the absolute paths of the files that import a file, directly or indirectly."""
    above, waiting = set[str](), tree.importers(module)
    while waiting:
        path = waiting.pop()
        if path not in above:
            above.add(path)
            yield path
            waiting += tree.importers_of(path)


def _makes_estimator(tree: Tree, path: str) -> bool:
    with suppress(Unreadable):
        return "stimator" in tree.source(path).text and tree.module(path).names_estimator
    return False


def _makers(module: Module, tree: Tree) -> Iterator[str]:
    """Yields the absolute paths of files that name an estimator class, imported by the file or by its importers."""
    above = {*_importers(module, tree)}
    reached = tree.files_with_imports(above) | {link.target.path for link in tree.closure(module)}
    yield from (path for path in sorted(reached) if _makes_estimator(tree, path))
