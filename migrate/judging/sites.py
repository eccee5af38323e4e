"""Judges sites outside of Estimator programs: each is rewritten or skipped by itself."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from migrate.analysis.keras.trainings import has_recovery
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.legacy_keras import uses_keras_2
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.edits.plan import Edit, ReplaceExpression, ReplaceStatement
from migrate.findings.finding import Cause, Fidelity, Finding, Span
from migrate.judging.selection import Files
from migrate.records import replace
from migrate.rewrite.vocabulary import Vocabulary
from migrate.rules import CODES, FINAL_ESTIMATOR_RULES, FINAL_RULES, PROGRAM_WORD_RULES, RULES, SITE_WORDS, Rule
from migrate.rules.rule import Fix, Verdict, Workbench
from migrate.settings import Settings

_WORDS = frozenset().union(*SITE_WORDS.values())


class Sites:
    """Judges the single sites of some files, and adds their rewrites to the plans of the files.

    Args:
      files: the selections and plans of the files.
      settings: the user's choices.
      tree: the source tree that contains them.

    Attributes:
      findings: the findings so far.
    """

    def __init__(self, files: Files, settings: Settings, tree: Tree) -> None:
        self.files, self.settings, self.tree = files, settings, tree
        self.findings: list[Finding] = []
        self._whole = {path: _ReplacedSpans(plan.edits) for path, plan in files.plans.items()}
        self._replaced = {
            path: {edit.span for edit in plan.edits if isinstance(edit, ReplaceExpression)}
            for path, plan in files.plans.items()
        }

    def judge(self, modules: Sequence[Module]) -> None:
        """Runs every rule for single sites over some files."""
        benches = [self._bench(module) for module in modules]
        found = [(bench, *one) for bench in benches for one in self._run_rules(bench)]
        for bench, rule, fix in sorted(found, key=lambda one: _outer_first(one[1:])):
            self._add_fix(bench, rule, fix)
        for bench in benches:
            bench.end_searches()

    def _bench(self, module: Module) -> Workbench:
        is_on_2 = self.settings.target == "portable" and uses_keras_2(module)
        settings = replace(self.settings, target="keras2") if is_on_2 else self.settings
        return Workbench(module, settings, Vocabulary(module, self.files.plans[module.path].aliases), self.tree)

    def _run_rules(self, bench: Workbench) -> list[tuple[Rule, Fix]]:
        module, fixes = bench.module, list[tuple[Rule, Fix]]()
        may_bind_any = "import *" in module.text
        here = {word for word in _WORDS if may_bind_any or word in module.text}
        for name, words in SITE_WORDS.items():
            if name in FINAL_RULES and not (
                any(fix.edits for _, fix in fixes) or has_recovery(module) or self._is_keras_in_program(name, module)
            ):
                continue
            if words and not (here & {*words} if name not in PROGRAM_WORD_RULES else _trains_with(bench, words)):
                continue
            rule = RULES[CODES[name]]
            assert rule.check_sites is not None
            try:
                fixes += [(rule, fix) for fix in rule.check_sites(bench)]
            except RecursionError:  # the code is nested too deeply for every rule
                raise
            except Exception as error:  # one rule's bug must not lose the results of the others
                self.findings.append(_failure_finding(module, rule, error))
        return fixes

    def _is_keras_in_program(self, name: str, module: Module) -> bool:
        """Whether a file belongs to a rewritten Estimator program and uses Keras, which some rules then judge."""
        is_asked = name in FINAL_ESTIMATOR_RULES and bool(self.files.plans[module.path].edits)
        return is_asked and any(tail.startswith("keras.") for tail in module.uses)

    def _add_fix(self, bench: Workbench, rule: Rule, fix: Fix) -> None:
        module = bench.module
        new = self.files.plans[module.path].missing(fix.edits)  # that no other training needs too
        inside = any(self._whole[module.path].covers(edit.span) for edit in new)
        known = [one for one in fix.verdicts if (one.module or module).path in self.files.plans]
        cause = self.files.cause(module, [(rule, verdict) for verdict in known])
        replaced = self._replaced[module.path]
        if not fix.edits and all(module.span(verdict.node) in replaced for verdict in fix.verdicts):
            return  # a program or another rule replaces the site
        if cause is None and (inside or (fix.edits and not new)):
            return  # the site is replaced, or another rule makes the same edits
        if fix.edits and cause is None:
            self._add_edits(module, fix.edits, fix.runtime_names, bench.vocabulary.imports)
        made = (_finding(module, rule, verdict, bool(fix.edits), cause) for verdict in known)
        self.findings += filter(self.files.shows, made)

    def _add_edits(self, module: Module, edits: tuple[Edit, ...], names: frozenset[str], imports: set[str]) -> None:
        path = module.path
        self.files.plans[path].add(edits, set(names), imports)
        self._whole[path].add(edits)
        self._replaced[path].update(edit.span for edit in edits if isinstance(edit, ReplaceExpression))


class _ReplacedSpans:
    """Finds edits that replace all the code in a span."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._spans: dict[int, list[Span]] = {}
        self.add(edits)

    def add(self, edits: Iterable[Edit]) -> None:
        for span in (edit.span for edit in edits if isinstance(edit, ReplaceStatement | ReplaceExpression)):
            for line in range(span.line, span.end_line + 1):
                self._spans.setdefault(line, []).append(span)

    def covers(self, inner: Span) -> bool:
        """Whether one of them replaces the code of a span."""
        return any(_contains(span, inner) for span in self._spans.get(inner.line, ()))


def _trains_with(bench: Workbench, words: Sequence[str]) -> bool:
    """Whether a file may train, and a file of its program contains one of some words."""
    trains = "fit" in bench.module.text or any(map(bench.module.names.nodes, (ast.For, ast.While)))
    return trains and bench.reach.contains_word(*words)


def _outer_first(found: tuple[Rule, Fix]) -> tuple[int, int, str]:
    """Returns a sort key: rewrites of more code first, so that they come before rewrites inside that code."""
    rule, fix = found
    spans = [edit.span for edit in fix.edits if isinstance(edit, ReplaceStatement | ReplaceExpression)]
    lines, columns = max(((one.end_line - one.line, one.end_column - one.column) for one in spans), default=(-1, 0))
    return -lines, -columns, rule.code


def _finding(own: Module, rule: Rule, verdict: Verdict, is_rewritten: bool, cause: Cause | None) -> Finding:
    module = verdict.module or own
    symbol = next((name for name in _names(module, verdict.node) if name is not None), rule.name)
    span = module.span(verdict.node)
    finding = Finding(rule.code, verdict.fidelity, module.path, span, symbol, verdict.message, verdict.help)
    if cause is None:
        return replace(finding, rewritten=is_rewritten)
    return finding if verdict.fidelity is Fidelity.MANUAL else finding.skipped_with(cause)


def _names(module: Module, node: ast.expr | ast.stmt) -> Iterator[str | None]:
    """Yields the qualified names in a site, the outermost first; for other methods, their bare names."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            yield module.names.qualified(part.func) or name_of(part.func) or None
        elif isinstance(part, ast.Attribute | ast.Name):
            yield module.names.qualified(part)


def _contains(outer: Span, inner: Span) -> bool:
    start, end = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (outer.line, outer.column) <= start and end <= (outer.end_line, outer.end_column)


def _failure_finding(module: Module, rule: Rule, error: Exception) -> Finding:
    message = f"rule {rule.code} ({rule.name}) failed in this file: {type(error).__name__}: {error}"
    help = "This is an internal error (a bug): please report it with this line. The rule's sites are not rewritten."
    return Finding("FT009", Fidelity.MANUAL, module.path, Span(1, 0, 1, 1), rule.name, message, help, error=True)
