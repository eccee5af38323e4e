"""Selects findings by ``--select``, ``--ignore``, and ``# migrate: ignore`` in the files."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.edits.plan import Plan
from migrate.files.trouble import trouble
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle, Span
from migrate.records import replace
from migrate.rules import CODES, RULES, Rule
from migrate.rules.rule import Verdict
from migrate.settings import Settings, SettingsError, unknown_code

_IGNORE = re.compile(r"#\s*migrate:\s*ignore(?:\s*\[([^\]]*)\])?")


def with_rule_codes(settings: Settings, places: Mapping[str, str]) -> Settings:
    """Returns the settings with the codes of rules in place of their names.

    Args:
      places: the option or file that set ``select`` and ``ignore``, for the message of a SettingsError.
    """

    def rule_codes(chosen: Iterable[str], setting: str) -> tuple[str, ...]:
        for each in chosen:
            if not is_known(each):
                raise SettingsError(f"{places.get(setting, setting)}: {unknown_code(each, (*RULES, *CODES))}")
        return tuple(map(code_of, chosen))

    return replace(settings, select=rule_codes(settings.select, "select"), ignore=rule_codes(settings.ignore, "ignore"))


def code_of(rule: str) -> str:
    """Returns the code of a rule given by its name; a code, or the beginning of one, in upper case."""
    return CODES.get(rule.lower(), rule.upper())


def is_known(rule: str) -> bool:
    """Whether a word is the name of a rule, or its code or the beginning of it."""
    return any(code.startswith(code_of(rule)) for code in RULES)


class Selection:
    """The rules selected for one file, without those that its comments ignore."""

    def __init__(self, settings: Settings, path: str, text: str) -> None:
        selected = [code for code in RULES if not settings.select or code.startswith(settings.select)]
        self._codes = {code for code in selected if not settings.ignore or not code.startswith(settings.ignore)}
        self._path = path
        self._ignored = _ignored_lines(text)

    def is_selected(self, code: str) -> bool:
        return code in self._codes

    def is_ignored(self, code: str, span: Span) -> bool:
        """Whether a comment on a line of a site ignores the rule."""
        return any(
            span.line <= line <= span.end_line
            and (not codes or any(code.startswith(code_of(named)) for named in codes))
            for line, codes in self._ignored.items()
        )

    def obstacle(self, code: str, span: Span) -> Obstacle | None:
        """Returns why the user's choices forbid the rule ``code`` to rewrite a site; None where they do not."""
        if not self.is_selected(code):
            return Obstacle.UNSELECTED
        return Obstacle.IGNORED if self.is_ignored(code, span) else None

    def unknown_rules(self) -> Iterator[Finding]:
        """Yields an error for each comment that names an unknown rule, and so ignores nothing."""
        for line, codes in self._ignored.items():
            for code in sorted(code for code in codes if not is_known(code)):
                message = f"`migrate: ignore[{code}]` ignores nothing: {unknown_code(code, (*RULES, *CODES))}"
                help = "Name a rule, or leave out the brackets to ignore every rule at this line."
                yield trouble("FT008", self._path, message, help, Span(line, 0, line, 1))

    def shows(self, code: str, span: Span) -> bool:
        """Whether a finding is to be reported."""
        return self.is_selected(code) and not self.is_ignored(code, span)


def _ignored_lines(text: str) -> dict[int, set[str]]:
    """Returns the lines with ``# migrate: ignore`` and the codes named there; an empty set means all rules."""
    if "migrate:" not in text:
        return {}
    lines: dict[int, set[str]] = {}
    # Not splitlines: to Python a form feed is no line break.
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        match = _IGNORE.search(line)
        if match:
            lines[number] = set((match[1] or "").replace(",", " ").split())
    return lines


class Files:
    """The selections and the plans of all files, by their paths."""

    def __init__(self, modules: Sequence[Module], settings: Settings) -> None:
        self.settings = settings
        self.selections = {module.path: Selection(settings, module.path, module.text) for module in modules}
        self.plans = {module.path: Plan() for module in modules}

    def shows(self, finding: Finding) -> bool:
        return self.selections[finding.path].shows(finding.code, finding.span)

    def cause(self, own: Module, verdicts: Sequence[tuple[Rule, Verdict]]) -> Cause | None:
        """Returns why the program with some verdicts is skipped; None where it is not.

        Args:
          own: the file of the verdicts whose module is None.
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
