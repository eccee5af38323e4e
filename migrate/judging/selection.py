"""Which findings the user wants: ``--select``, ``--ignore``, and ``# migrate: ignore`` in the files."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.edits.plan import Plan
from migrate.files.trouble import trouble
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle, Span
from migrate.rules import CODES, RULES, Rule
from migrate.rules.rule import Verdict
from migrate.settings import Settings, SettingsError, unknown_code

_IGNORE = re.compile(r"#\s*migrate:\s*ignore(?:\s*\[([^\]]*)\])?")


def by_code(settings: Settings, places: Mapping[str, str]) -> Settings:
    """The settings with the codes of all rules that were chosen by their names.

    Args:
      places: where ``select`` and ``ignore`` were given, for the message.
    """

    def codes(chosen: Iterable[str], setting: str) -> tuple[str, ...]:
        for each in chosen:
            if not is_known(each):
                raise SettingsError(f"{places.get(setting, setting)}: {unknown_code(each, (*RULES, *CODES))}")
        return tuple(map(code_of, chosen))

    return replace(settings, select=codes(settings.select, "select"), ignore=codes(settings.ignore, "ignore"))


def code_of(rule: str) -> str:
    """The code, or the beginning of codes, of a rule that is named by it or by its name."""
    return CODES.get(rule.lower(), rule.upper())


def is_known(rule: str) -> bool:
    """Whether a word names a rule, or begins one's code."""
    return any(code.startswith(code_of(rule)) for code in RULES)


class Selection:
    """The choices that hold in one file."""

    def __init__(self, settings: Settings, path: str, text: str) -> None:
        selected = [code for code in RULES if not settings.select or code.startswith(settings.select)]
        self._codes = {code for code in selected if not settings.ignore or not code.startswith(settings.ignore)}
        self._path = path
        self._ignored = _ignored_lines(text)

    def takes(self, code: str) -> bool:
        return code in self._codes

    def is_ignored(self, code: str, span: Span) -> bool:
        """Whether a comment on a line of a site says to leave it."""
        return any(
            span.line <= line <= span.end_line
            and (not codes or any(code.startswith(code_of(named)) for named in codes))
            for line, codes in self._ignored.items()
        )

    def obstacle(self, code: str, span: Span) -> Obstacle | None:
        """What the user has against the rewrite of a site by the rule ``code``; None for nothing."""
        if not self.takes(code):
            return Obstacle.UNSELECTED
        return Obstacle.IGNORED if self.is_ignored(code, span) else None

    def unknown(self) -> Iterator[Finding]:
        """An error for each comment that names a code which begins no rule's: it ignores nothing."""
        for line, codes in self._ignored.items():
            for code in sorted(code for code in codes if not is_known(code)):
                message = f"`migrate: ignore[{code}]` ignores nothing: {unknown_code(code, (*RULES, *CODES))}"
                help = "Name a rule, or leave out the brackets to ignore every rule at this line."
                yield trouble("FT008", self._path, message, help, Span(line, 0, line, 1))

    def wants(self, code: str, span: Span) -> bool:
        """Whether a finding is to be reported."""
        return self.takes(code) and not self.is_ignored(code, span)


def _ignored_lines(text: str) -> dict[int, set[str]]:
    """The lines with ``# migrate: ignore``, and the codes it names; an empty set stands for all."""
    if "migrate:" not in text:
        return {}
    lines: dict[int, set[str]] = {}
    # Not splitlines: a form feed ends no line for Python.
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        match = _IGNORE.search(line)
        if match:
            lines[number] = set((match[1] or "").replace(",", " ").split())
    return lines


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
