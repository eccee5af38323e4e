"""What a rule decides about a site, and what becomes of one that stands by itself."""

import ast
from typing import NamedTuple

from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import Symbol
from migrate.edits.plan import Edit
from migrate.findings.finding import Fidelity
from migrate.tensorflow.advice import advice
from migrate.tensorflow.known_names import is_in_no_version


class Verdict(NamedTuple):
    """What one rule decided about one site.

    Attributes:
      node: the site.
      fidelity: how closely the rewrite keeps the old behaviour; ``manual`` leaves the whole program.
      message: what was found and what becomes of it, without a final full stop.
      help: what the user can do.
      module: the file that it stands in; None for the one that makes the estimator.
      successor: for a rewritten name, what has its place; told where its program is left for another reason.
      stays: whether the site stays as it is, though its program is rewritten.
    """

    node: ast.expr | ast.stmt
    fidelity: Fidelity
    message: str
    help: str = ""
    module: Module | None = None
    successor: str = ""
    stays: bool = False


def exact(node: ast.expr | ast.stmt, message: str, module: Module | None = None) -> Verdict:
    """The rewrite of ``node`` resumes as the old code did."""
    return Verdict(node, Fidelity.EXACT, message, module=module)


def noted(node: ast.expr | ast.stmt, message: str, help: str = "", module: Module | None = None) -> Verdict:
    """``node`` is rewritten and behaves differently as ``message`` says."""
    return Verdict(node, Fidelity.NOTED, message, help, module)


def manual(node: ast.expr | ast.stmt, message: str, help: str, module: Module | None = None) -> Verdict:
    """``node`` cannot be rewritten, so its program is left whole."""
    return Verdict(node, Fidelity.MANUAL, message, help, module)


def without_counterpart(node: ast.expr, found: Symbol, module: Module) -> Verdict:
    """A name of the Estimator API, contrib's included, that nothing is written for: its program is left whole."""
    if not found.is_contrib and is_in_no_version(found.tail):
        help = "The old program fails there too: correct the name, or take it out."
        return manual(node, f"`{found.qualified}` exists in no TensorFlow", help, module)
    _, _, name = found.qualified.partition(".contrib.")
    help = advice(f"contrib.{name}") if found.is_contrib else "Take it out, or migrate what it does by hand."
    if "BoostedTrees" in found.tail:
        help = "TensorFlow 2 has no successor; the package tensorflow_decision_forests trains such models anew."
    return manual(node, f"`{found.qualified}` is not supported: nothing stands for it", help, module)


class Mend(NamedTuple):
    """What becomes of one site that stands by itself, or of a few that are rewritten together.

    Attributes:
      verdicts: one a site. If one is ``manual``, not selected or ignored by a comment, none of the edits is made.
      pieces: the emitted classes and functions that it uses.
    """

    verdicts: tuple[Verdict, ...]
    edits: tuple[Edit, ...] = ()
    pieces: frozenset[str] = frozenset()
