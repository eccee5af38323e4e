"""What the programs of several files have in common."""

import ast
from collections.abc import Sequence

from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.edits.plan import Plan
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle
from migrate.judging.selection import Selection
from migrate.rules import Rule
from migrate.rules.rule import Verdict
from migrate.settings import Settings


class Files:
    """What the programs of all files have in common."""

    def __init__(self, modules: Sequence[Module], settings: Settings) -> None:
        self.settings = settings
        self.selections = {module.path: Selection(settings, module.path, module.text) for module in modules}
        self.plans = {module.path: Plan() for module in modules}

    def wants(self, finding: Finding) -> bool:
        return self.selections[finding.path].wants(finding.code, finding.span)

    def cause(self, own: Module, verdicts: Sequence[tuple[Rule, Verdict]]) -> Cause | None:
        """Why the program behind some verdicts is left; None where it is not.

        Args:
          own: the file of a verdict that names none.
        """
        causes: dict[Obstacle, Cause] = {}
        for rule, verdict in verdicts:
            module = verdict.module or own
            span = module.span(verdict.node)
            is_blocked = verdict.fidelity is Fidelity.MANUAL
            obstacle = Obstacle.BLOCKED if is_blocked else self.selections[module.path].obstacle(rule.code, span)
            if obstacle is not None:
                causes.setdefault(obstacle, Cause(obstacle, rule.code, module.path, span, symbol=_symbol(verdict.node)))
        return next((causes[obstacle] for obstacle in Obstacle if obstacle in causes), None)


def _symbol(node: ast.expr | ast.stmt) -> str:
    """Returns the last part of the name that a site is about; "" where it has none."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return getattr(node, "module", None) or node.names[0].name
    named = node.func if isinstance(node, ast.Call) else node
    return name_of(named) if isinstance(named, ast.expr) else ""
