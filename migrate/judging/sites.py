"""What becomes of the sites of one module that stand by themselves, each rewritten or left alone."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from migrate.analysis.legacy_keras import is_on_keras_2
from migrate.analysis.module import Module
from migrate.analysis.trainings import has_recovery
from migrate.analysis.tree import Tree
from migrate.edits.plan import Edit, Plan, ReplaceExpression, ReplaceStatement
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle, Span
from migrate.judging.selection import Selection
from migrate.rewrite.vocabulary import Vocabulary
from migrate.rules import RULES, Rule
from migrate.rules.rule import Mend, Verdict, Workbench
from migrate.settings import Settings


def judge_sites(module: Module, settings: Settings, selection: Selection, plan: Plan, tree: Tree) -> list[Finding]:
    """Runs every rule for single sites, and adds what is to be written to the plan."""
    if settings.target == "portable" and is_on_keras_2(module):
        settings = replace(settings, target="keras2")
    bench = Workbench(module, settings, Vocabulary(module, aliases=plan.aliases), tree)
    mends: list[tuple[Rule, Mend]] = []
    findings: list[Finding] = []
    for rule in sorted(RULES.values(), key=lambda one: one.of_recovered):
        if rule.check_sites is None or (rule.of_recovered and not (_is_written(mends) or has_recovery(module))):
            continue
        try:
            mends += [(rule, mend) for mend in rule.check_sites(bench)]
        except RecursionError:  # the whole file is tried again with more room
            raise
        except Exception as error:  # one rule's mistake must lose nothing else
            findings.append(_broken(module, rule, error))
    whole = _ByLine(plan.edits)
    replaced = {edit.span for edit in plan.edits if isinstance(edit, ReplaceExpression)}
    for rule, mend in sorted(mends, key=_outer_first):
        inside = any(whole.holds(edit.span) for edit in mend.edits)
        cause = _cause(module, rule, mend, selection)
        if not mend.edits and all(module.span(verdict.node) in replaced for verdict in mend.verdicts):
            continue  # a program or another rule has something else in its place
        if inside and cause is None:
            continue  # the site goes
        if mend.edits and cause is None:
            plan.add(mend.edits, set(mend.pieces), bench.vocabulary.imports)
            whole.add(mend.edits)
            replaced.update(edit.span for edit in mend.edits if isinstance(edit, ReplaceExpression))
        made = [_finding(module, rule, verdict, bool(mend.edits), cause) for verdict in mend.verdicts]
        findings += [finding for finding in made if selection.wants(finding.code, finding.span)]
    return findings


class _ByLine:
    """The edits that leave nothing of what they replace, by the lines that they take."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._spans: dict[int, list[Span]] = {}
        self.add(edits)

    def add(self, edits: Iterable[Edit]) -> None:
        for span in (edit.span for edit in edits if _is_whole(edit)):
            for line in range(span.line, span.end_line + 1):
                self._spans.setdefault(line, []).append(span)

    def holds(self, inner: Span) -> bool:
        return any(_holds(span, inner) for span in self._spans.get(inner.line, ()))


def _is_written(mends: list[tuple[Rule, Mend]]) -> bool:
    return any(mend.edits for _, mend in mends)


def _outer_first(found: tuple[Rule, Mend]) -> tuple[int, int, str]:
    """The key by which a rewrite that takes code away comes before one inside it, whichever rule speaks first."""
    rule, mend = found
    spans = [edit.span for edit in mend.edits if isinstance(edit, ReplaceStatement | ReplaceExpression)]
    lines, columns = max(((one.end_line - one.line, one.end_column - one.column) for one in spans), default=(-1, 0))
    return -lines, -columns, rule.code


def _cause(module: Module, rule: Rule, mend: Mend, selection: Selection) -> Cause | None:
    """Why the edits of a mend are not made; None where they are."""
    for verdict in mend.verdicts:
        span = module.span(verdict.node)
        is_blocked = verdict.fidelity is Fidelity.MANUAL
        obstacle = Obstacle.BLOCKED if is_blocked else selection.obstacle(rule.code, span)
        if obstacle is not None:
            return Cause(obstacle, rule.code, module.path, span)
    return None


def _finding(module: Module, rule: Rule, verdict: Verdict, is_rewritten: bool, cause: Cause | None) -> Finding:
    symbol = next((name for name in _names(module, verdict.node) if name is not None), rule.name)
    span = module.span(verdict.node)
    finding = Finding(
        rule.code, verdict.fidelity, module.path, span, symbol, verdict.message, verdict.help, why=verdict.why
    )
    if cause is None:
        return replace(finding, rewritten=is_rewritten)
    return finding if verdict.fidelity is Fidelity.MANUAL else finding.left_for(cause)


def _names(module: Module, node: ast.expr | ast.stmt) -> Iterator[str | None]:
    """The qualified names that stand at a site, the outermost first."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            yield module.names.qualified(part.func)
        elif isinstance(part, ast.Attribute | ast.Name):
            yield module.names.qualified(part)


def _is_whole(edit: Edit) -> bool:
    return isinstance(edit, ReplaceStatement | ReplaceExpression)


def _holds(outer: Span, inner: Span) -> bool:
    start, end = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (outer.line, outer.column) <= start and end <= (outer.end_line, outer.end_column)


def _broken(module: Module, rule: Rule, error: Exception) -> Finding:
    message = f"rule {rule.code} ({rule.name}) failed in this file: {type(error).__name__}: {error}"
    help = "This is an internal error (a bug): please report it with this line. The rule's sites are not rewritten."
    return Finding("FT009", Fidelity.MANUAL, module.path, Span(1, 0, 1, 1), rule.name, message, help, error=True)
