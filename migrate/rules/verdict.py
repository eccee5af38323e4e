"""The verdicts of rules on sites, and the edits that fix single sites."""

import ast
from typing import NamedTuple

from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import Symbol
from migrate.edits.plan import Edit
from migrate.findings.finding import Fidelity
from migrate.tensorflow.advice import advice
from migrate.tensorflow.known_names import is_in_no_version


class Verdict(NamedTuple):
    """The verdict of a rule on a site.

    Attributes:
      node: the site.
      fidelity: how closely the rewrite keeps the old behaviour; ``manual`` skips the whole program.
      message: what was found and how it is rewritten, without a final full stop.
      help: what the user can do; "" for nothing.
      module: the file of the site; None for the first root of the program, or the only file that is judged.
      successor: the replacement of a name, reported where the program is skipped for another reason; "" for none.
      keeps_code: whether the site does not change, though its program is rewritten.
    """

    node: ast.expr | ast.stmt
    fidelity: Fidelity
    message: str
    help: str = ""
    module: Module | None = None
    successor: str = ""
    keeps_code: bool = False


def exact(node: ast.expr | ast.stmt, message: str, module: Module | None = None) -> Verdict:
    """Returns the verdict that ``node`` is rewritten and behaves as before."""
    return Verdict(node, Fidelity.EXACT, message, module=module)


def noted(node: ast.expr | ast.stmt, message: str, help: str = "", module: Module | None = None) -> Verdict:
    """Returns the verdict that ``node`` is rewritten and behaves differently, as ``message`` says."""
    return Verdict(node, Fidelity.NOTED, message, help, module)


def manual(node: ast.expr | ast.stmt, message: str, help: str, module: Module | None = None) -> Verdict:
    """Returns the verdict that ``node`` cannot be rewritten, so that its whole program is skipped."""
    return Verdict(node, Fidelity.MANUAL, message, help, module)


def without_counterpart(node: ast.expr, symbol: Symbol, module: Module) -> Verdict:
    """Returns the verdict on a name of the Estimator API, contrib's included, that has no replacement."""
    if not symbol.is_contrib and is_in_no_version(symbol.tail):
        help = "The old program fails there too: correct the name, or remove it."
        return manual(node, f"`{symbol.qualified}` exists in no TensorFlow", help, module)
    _, _, name = symbol.qualified.partition(".contrib.")
    help = advice(f"contrib.{name}") if symbol.is_contrib else "Remove it, or migrate what it does by hand."
    if "BoostedTrees" in symbol.tail:
        help = "TensorFlow 2 has no successor; the package tensorflow_decision_forests trains such models anew."
    return manual(node, f"`{symbol.qualified}` is not supported: it has no replacement", help, module)


class Fix(NamedTuple):
    """The fix of one single site, or of a few that are rewritten together.

    Attributes:
      verdicts: one for each site. If one is ``manual``, not selected or ignored by a comment, no edit is made.
      runtime_names: the runtime classes and functions that the new code uses.
    """

    verdicts: tuple[Verdict, ...]
    edits: tuple[Edit, ...] = ()
    runtime_names: frozenset[str] = frozenset()
