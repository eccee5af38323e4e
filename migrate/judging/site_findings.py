"""What a report says of a program's sites, rewritten or skipped."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.findings.finding import Cause, Fidelity, Finding
from migrate.judging.run_files import Files
from migrate.rules import NAMED, Rule
from migrate.rules.rule import Verdict


def findings_of(
    program: Program, collected: list[tuple[Rule, Verdict]], cause: Cause | None, files: Files
) -> Iterator[Finding]:
    for rule, verdict in collected:
        module = verdict.module or program.module
        span = module.span(verdict.node)
        symbol = _symbol(program, module, verdict.node)
        finding = Finding(rule.code, verdict.fidelity, module.path, span, symbol, verdict.message, verdict.help)
        finding = replace(finding, why=verdict.why, successor=verdict.successor)
        if cause is None:
            yield replace(finding, rewritten=True)
        elif verdict.fidelity is Fidelity.MANUAL:
            yield finding
        elif not rule.is_setting or not files.selections[module.path].takes(NAMED["run_config"].code):
            yield finding.left_for(cause)  # a setting is reported by its RunConfig, where that is


def _symbol(program: Program, module: Module, node: ast.expr | ast.stmt) -> str:
    """The qualified name of what stands at a site: of a name or a call, of a method, else of its estimator."""
    estimator = program.site.symbol.qualified
    method = next((f"{estimator}.{call.method}" for call in program.calls if call.node is node), estimator)
    expression = node.func if isinstance(node, ast.Call) else node
    return (module.names.qualified(expression) if isinstance(expression, ast.expr) else None) or method


def broken_finding(rule: Rule, program: Program, error: Exception) -> Finding:
    span = program.module.span(program.site.node)
    message = f"rule {rule.code} ({rule.name}) failed here: {type(error).__name__}: {error}"
    help = "This is an internal error (a bug): please report it with this line. The program is not rewritten."
    symbol = program.site.symbol.qualified
    return Finding("FT009", Fidelity.MANUAL, program.module.path, span, symbol, message, help, error=True)


def blocked(program: Program, rule: Rule) -> Verdict:
    return Verdict(program.site.node, Fidelity.MANUAL, f"rule {rule.code} failed here")
