"""What a report says of a program's sites, rewritten or skipped."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from migrate.analysis.module import Module, Site
from migrate.analysis.program import Program
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle
from migrate.judging.files import Files
from migrate.rules import Rule
from migrate.rules.rule import REWRITTEN, Verdict

METHOD_CODES = {"train": "FT130", "train_and_evaluate": "FT130", "evaluate": "FT131", "predict": "FT132"}

_LOOSE = {
    "run_config": ("FT101", "no estimator in this file is seen to use this RunConfig"),
    "input_fn": ("FT123", "no estimator in this file is seen to use this input function"),
    "train_and_evaluate": ("FT151", "no estimator in this file is seen to be trained and evaluated here"),
}


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
        elif not rule.is_setting or not files.selections[module.path].takes("FT101"):
            yield finding.left_for(cause)  # a setting is reported by its RunConfig, where that is


def silent_findings(program: Program, collected: list[tuple[Rule, Verdict]]) -> Iterator[Finding]:
    """The other sites of a program that no rule can rewrite yet."""
    module = program.module
    if program.kind in REWRITTEN or not collected:
        return
    rule, verdict = collected[0]
    cause = Cause(Obstacle.BLOCKED, rule.code, (verdict.module or module).path, module.span(verdict.node))
    sites = [("FT101", call) for call in program.config.calls]
    sites += [(METHOD_CODES[call.method], call.node) for call in program.calls]
    for code, node in sites:
        symbol = _symbol(program, module, node)
        yield Finding(code, Fidelity.MANUAL, module.path, module.span(node), symbol, "").left_for(cause)


def _symbol(program: Program, module: Module, node: ast.expr | ast.stmt) -> str:
    """The qualified name of what stands at a site: of a name or a call, of a method, else of its estimator."""
    estimator = program.site.symbol.qualified
    method = next((f"{estimator}.{call.method}" for call in program.calls if call.node is node), estimator)
    expression = node.func if isinstance(node, ast.Call) else node
    return (module.names.qualified(expression) if isinstance(expression, ast.expr) else None) or method


def loose_finding(module: Module, site: Site) -> Finding:
    code, message = _LOOSE[site.kind]
    help = "Make it where the estimator is made, in one file, then migrate again."
    return Finding(code, Fidelity.MANUAL, module.path, module.span(site.node), site.symbol.qualified, message, help)


def broken_finding(rule: Rule, program: Program, error: Exception) -> Finding:
    span = program.module.span(program.site.node)
    message = f"rule {rule.code} ({rule.name}) failed here: {type(error).__name__}: {error}"
    help = "This is an internal error (a bug): please report it with this line. The program is not rewritten."
    symbol = program.site.symbol.qualified
    return Finding("FT009", Fidelity.MANUAL, program.module.path, span, symbol, message, help, error=True)


def blocked(program: Program, rule: Rule) -> Verdict:
    return Verdict(program.site.node, Fidelity.MANUAL, f"rule {rule.code} failed here")
