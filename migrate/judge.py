"""What becomes of each program of one module: findings for all sites, and one plan for those that are rewritten."""

import ast
from collections.abc import Iterator
from dataclasses import fields, replace

from migrate.analysis.module import Module, Site
from migrate.analysis.program import Program, loose_sites, programs
from migrate.finding import Fidelity, Finding
from migrate.judge_sites import judge_sites
from migrate.rewrite.compose import compose
from migrate.rewrite.draft import Draft, LoopNames, Vocabulary
from migrate.rewrite.plan import Plan, ReplaceStatement
from migrate.rules import RULES, Rule
from migrate.rules.rule import REWRITTEN, Verdict
from migrate.selection import Selection
from migrate.settings import Settings

METHOD_CODES = {"train": "FT130", "evaluate": "FT131", "predict": "FT132", "train_and_evaluate": "FT143"}
_LOOSE = {
    "run_config": ("FT101", "no estimator in this file is seen to use this RunConfig"),
    "input_fn": ("FT123", "no estimator in this file is seen to use this input function"),
    "train_and_evaluate": ("FT143", "no estimator in this file is seen to be trained and evaluated here"),
}


def judge(module: Module, settings: Settings) -> tuple[list[Finding], Plan]:
    """Runs every rule over every program; a program is rewritten whole or left whole."""
    found = programs(module)
    drafts = _drafts(module, found, settings)
    verdicts: list[list[tuple[Rule, Verdict]]] = [[] for _ in drafts]
    findings: list[Finding] = []
    for rule in RULES.values():
        for draft, collected in zip(drafts, verdicts, strict=True):
            if rule.check is None or draft.program.kind not in rule.kinds:
                continue
            try:
                collected += [(rule, verdict) for verdict in rule.check(draft.program, draft)]
            except Exception as error:  # one rule's mistake must lose nothing else
                findings.append(_broken(rule, draft.program, error))
                collected.append((rule, _blocked(draft.program, rule)))
    selection = Selection(settings, module.text)
    left = _left(drafts, verdicts, selection)
    plan = Plan()
    for index, (draft, collected) in enumerate(zip(drafts, verdicts, strict=True)):
        if index not in left:
            compose(draft)
            removals = [ReplaceStatement(module.span(statement)) for statement in draft.absorbed]
            plan.add([*draft.edits, *removals], draft.pieces, draft.vocabulary.imports)
        made = [
            *_findings(module, draft.program, collected, left.get(index)),
            *_silent(module, draft.program, collected),
        ]
        findings += [f for f in made if selection.wants(f.code, f.span)]
    loose = [_loose(module, site) for site in loose_sites(module, found)]
    findings += [f for f in loose if selection.wants(f.code, f.span)]
    if module.has_single_sites:
        findings += judge_sites(module, settings, selection, plan)
    return sorted(findings, key=lambda f: (f.span, f.code)), plan


def _drafts(module: Module, found: list[Program], settings: Settings) -> list[Draft]:
    vocabulary = Vocabulary(module)
    calls = {call.node for program in found for call in program.calls}
    keras = [call for program in found if program.kind == "dnn" for call in program.calls]
    hooks = [call.arguments["hooks"] for call in keras if "hooks" in call.arguments]
    datasets: dict[ast.stmt, str] = {}
    drafts: list[Draft] = []
    for program in found:
        number = len(drafts)
        draft = Draft(program, settings, vocabulary, datasets, calls, hooks, drafts)
        fresh = draft.fresh
        draft.model = program.variable or fresh("model")
        stem = f"{draft.model}_" if number else ""
        draft.inputs, draft.net = fresh(f"{stem}inputs"), fresh("net")
        draft.recovery, draft.backup = fresh(f"{stem}recovery"), fresh(f"{stem}backup")
        draft.log = fresh(f"{stem}training_log")
        if program.has_model_fn:
            draft.constructors = {site.node.func for site in module.sites}
            draft.model = fresh("training")
            draft.loop_names = LoopNames(*(fresh(field.name) for field in fields(LoopNames)))
        drafts.append(draft)
    return drafts


def _left(
    drafts: list[Draft],
    verdicts: list[list[tuple[Rule, Verdict]]],
    selection: Selection,
) -> dict[int, str]:
    """Which programs are left, with the reason, by their index."""
    left: dict[int, str] = {}
    for index, (draft, collected) in enumerate(zip(drafts, verdicts, strict=True)):
        for rule, verdict in collected:
            line = verdict.node.lineno
            if verdict.fidelity is Fidelity.MANUAL:
                left.setdefault(index, f"{rule.code} at line {line}")
            elif not selection.takes(rule.code):
                left.setdefault(index, f"{rule.code} at line {line}, which is not selected")
            elif selection.is_ignored(rule.code, draft.module.span(verdict.node)):
                left.setdefault(index, f"{rule.code} at line {line}, which a comment says to ignore")
    again = True
    while again:  # a program that shares a statement with one that is left cannot change it
        again = False
        kept = {node: index for index in left for node in _shared(drafts[index])}
        for index, draft in enumerate(drafts):
            owner = next((kept[node] for node in _shared(draft) if node in kept), None)
            if index not in left and owner is not None:
                left[index] = f"the program at line {drafts[owner].program.site.node.lineno}, which shares code with it"
                again = True
    return left


def _shared(draft: Draft) -> Iterator[ast.AST]:
    """The statements of a program that another one may use too."""
    program = draft.program
    yield from program.config.statements
    yield from draft.absorbed
    for call in program.calls:
        if call.input is not None and call.input.statement is not None:
            yield call.input.statement
        yield from (hook.node for hook in call.hooks)
    if program.has_model_fn:
        yield program.module.tree  # the names around a model_fn are replaced in the whole file


def _findings(
    module: Module, program: Program, collected: list[tuple[Rule, Verdict]], reason: str | None
) -> Iterator[Finding]:
    for rule, verdict in collected:
        span = module.span(verdict.node)
        symbol = _symbol(module, program, verdict.node)
        finding = Finding(rule.code, verdict.fidelity, module.path, span, symbol, verdict.message, verdict.help)
        if reason is None:
            yield replace(finding, rewritten=True)
        elif verdict.fidelity is Fidelity.MANUAL:
            yield finding
        elif not rule.is_setting:  # a setting goes with its RunConfig, which is reported
            yield finding.left("left, because its program is", f"See {reason}.")


def _silent(module: Module, program: Program, collected: list[tuple[Rule, Verdict]]) -> Iterator[Finding]:
    """The other sites of a program that no rule can rewrite yet."""
    if program.kind in REWRITTEN or not collected:
        return
    rule, verdict = collected[0]
    see = f"See {rule.code} at line {verdict.node.lineno}."
    sites = [("FT101", call) for call in program.config.calls]
    sites += [(METHOD_CODES.get(call.method, "FT146"), call.node) for call in program.calls]
    for code, node in sites:
        symbol = _symbol(module, program, node)
        message = "left, because its program is"
        yield Finding(code, Fidelity.MANUAL, module.path, module.span(node), symbol, message, see)


def _symbol(module: Module, program: Program, node: ast.expr | ast.stmt) -> str:
    """The qualified name of what stands at a site: of the call, of a method, else of its estimator."""
    estimator = program.site.symbol.qualified
    if not isinstance(node, ast.Call):
        return estimator
    method = next((f"{estimator}.{call.method}" for call in program.calls if call.node is node), estimator)
    return module.names.qualified(node.func) or method


def _loose(module: Module, site: Site) -> Finding:
    code, message = _LOOSE[site.kind]
    help = "Make it where the estimator is made, in one file, then migrate again."
    return Finding(code, Fidelity.MANUAL, module.path, module.span(site.node), site.symbol.qualified, message, help)


def _broken(rule: Rule, program: Program, error: Exception) -> Finding:
    span = program.module.span(program.site.node)
    message = f"rule {rule.code} ({rule.name}) failed here: {type(error).__name__}: {error}"
    help = "This is a mistake in the tool: please report it with this line. The program is left as it is."
    symbol = program.site.symbol.qualified
    return Finding("FT009", Fidelity.MANUAL, program.module.path, span, symbol, message, help, error=True)


def _blocked(program: Program, rule: Rule) -> Verdict:
    return Verdict(program.site.node, Fidelity.MANUAL, f"left, because rule {rule.code} failed")
