"""What becomes of each program of one module: findings for all sites, and one plan for those that are rewritten."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from migrate.analysis.module import Module, Site
from migrate.analysis.program import Program, loose_sites
from migrate.analysis.programs import makes_from_model_fn, programs
from migrate.analysis.serving import BUILDERS, RECEIVERS
from migrate.analysis.tree import Tree
from migrate.edits.plan import Edit, Plan, ReplaceStatement
from migrate.finding import Cause, Fidelity, Finding, Obstacle
from migrate.judge_sites import judge_sites
from migrate.rewrite.compose import compose
from migrate.rewrite.draft import Draft, LoopNames, OtherFile
from migrate.rewrite.eager_names import eager_names
from migrate.rewrite.share import share
from migrate.rewrite.vocabulary import Vocabulary
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


def judge(module: Module, settings: Settings, tree: Tree | None = None) -> tuple[list[Finding], Plan]:
    """Runs every rule over every program of one file; a program is rewritten whole or left whole."""
    return judge_together([module], settings, tree or Tree())[module.path]


def judge_together(modules: Sequence[Module], settings: Settings, tree: Tree) -> dict[str, tuple[list[Finding], Plan]]:
    """Runs every rule over the programs of several files, in which one program may stand.

    Args:
      modules: the files, those included in which a program's names are to change.
      settings: the user's choices.
      tree: the files around them.

    Returns:
      The findings and the plan of each file, by its path.
    """
    found = _judged(modules, settings, tree)
    becoming_v1 = found.become_v1 & found.need_v1
    if becoming_v1:  # one program's import makes another's names right
        again = _judged(modules, settings, tree, becoming_v1)
        found = again if becoming_v1 <= again.become_v1 else found
    return found.of_files


@dataclass(frozen=True)
class _Judged:
    """What is found in some files.

    Attributes:
      of_files: the findings and the plan of each file, by its path.
      become_v1: the files whose ``tensorflow`` becomes ``tensorflow.compat.v1`` for a ``model_fn``.
      need_v1: those with a Keras program that is left for names which that import would have.
    """

    of_files: dict[str, tuple[list[Finding], Plan]]
    become_v1: frozenset[str]
    need_v1: frozenset[str]


def _judged(
    modules: Sequence[Module], settings: Settings, tree: Tree, becoming_v1: frozenset[str] = frozenset()
) -> _Judged:
    """Judges the files, of which those in ``becoming_v1`` are known to become files of ``tensorflow.compat.v1``."""
    files = _Files(modules, settings, becoming_v1)
    drafts = [draft for module in modules for draft in files.drafts(module, programs(module, tree, settings.canned))]
    verdicts: list[list[tuple[Rule, Verdict]]] = [[] for _ in drafts]
    findings: list[Finding] = []
    for rule in RULES.values():
        for draft, collected in zip(drafts, verdicts, strict=True):
            if rule.check is None or not rule.speaks_of(draft.program):
                continue
            try:
                for part in (draft, *draft.elsewhere) if rule.of_calls else (draft,):
                    verdicts_of_part = rule.check(part.program, part)
                    collected += [(rule, replace(one, module=one.module or part.module)) for one in verdicts_of_part]
            except Exception as error:  # one rule's mistake must lose nothing else
                findings.append(_broken(rule, draft.program, error))
                collected.append((rule, _blocked(draft.program, rule)))
    left = _left(drafts, verdicts, files)
    for index, (draft, collected) in enumerate(zip(drafts, verdicts, strict=True)):
        if index not in left:
            compose(draft)
            for file in draft.files:
                files.plans[file.module.path].add(_edits(file), file.pieces, file.vocabulary.imports)
                files.plans[file.module.path].aliases = file.vocabulary.aliases
        made = [*_findings(draft.program, collected, left.get(index), files), *_silent(draft.program, collected)]
        findings += [finding for finding in made if files.wants(finding)]
    share([draft for index, draft in enumerate(drafts) if index not in left and draft.others], files.plans)
    for module in modules:
        known = {node for draft in drafts for file in draft.files for node in file.renamed}
        sites = loose_sites(module, [part.program for draft in drafts for part in (draft, *draft.elsewhere)])
        loose = [_loose(module, site) for site in sites if site.node.func not in known]
        findings += [finding for finding in loose if files.wants(finding)]
        if module.has_single_sites:
            findings += judge_sites(module, settings, files.selections[module.path], files.plans[module.path])
    of_files = {module.path: (_of_file(findings, module.path), files.plans[module.path]) for module in modules}
    become_v1, need_v1 = set[str](), set[str]()
    for index, (draft, collected) in enumerate(zip(drafts, verdicts, strict=True)):
        for rule, verdict in collected:
            module = verdict.module or draft.module
            if index not in left and rule.code == "FT192" and isinstance(verdict.node, ast.Import):
                become_v1.add(module.path)
            elif index in left and rule.code == "FT191" and any(verdict.node is node for node, _ in module.tf1_only):
                need_v1.add(module.path)
    return _Judged(of_files, frozenset(become_v1), frozenset(need_v1))


def _of_file(findings: list[Finding], path: str) -> list[Finding]:
    """The findings of one file in their order; what two programs say of a name that both use is said once."""
    own = {(finding.span, finding.code, finding.message): finding for finding in findings[::-1] if finding.path == path}
    rewritten = {(finding.span, finding.code) for finding in own.values() if finding.rewritten}
    said = [f for f in own.values() if f.rewritten or f.is_own_reason or (f.span, f.code) not in rewritten]
    return sorted(said, key=lambda f: (f.span, f.code))


def _edits(file: Draft | OtherFile) -> list[Edit]:
    removals = [ReplaceStatement(file.module.span(statement)) for statement in file.absorbed]
    return [*file.edits, *removals]


class _Files:
    """What the drafts of all files have in common."""

    def __init__(self, modules: Sequence[Module], settings: Settings, becoming_v1: frozenset[str]) -> None:
        self.settings = settings
        self.vocabularies = {module.path: Vocabulary(module, module.path in becoming_v1) for module in modules}
        self.selections = {module.path: Selection(settings, module.path, module.text) for module in modules}
        self.plans = {module.path: Plan() for module in modules}
        self._loop_names: dict[str, tuple[str, LoopNames]] = {}

    def wants(self, finding: Finding) -> bool:
        """Whether a finding is to be reported."""
        return self.selections[finding.path].wants(finding.code, finding.span)

    def drafts(self, module: Module, found: list[Program]) -> list[Draft]:
        """The empty drafts of the programs of one module."""
        vocabulary = self.vocabularies[module.path]
        calls = {call.node for program in found for call in program.calls}
        keras = [call for program in found if program.has_fit for call in program.calls]
        hooks = [call.arguments["hooks"] for call in keras if "hooks" in call.arguments]
        datasets: dict[ast.stmt, str] = {}
        drafts: list[Draft] = []
        for program in found:
            number = len(drafts)
            draft = Draft(program, self.settings, vocabulary, datasets, calls, hooks, drafts)
            draft.others = list(self._others(program))
            fresh = draft.fresh
            draft.model = program.variable or fresh("model")
            stem = f"{draft.model}_" if number else ""
            draft.inputs, draft.net = fresh(f"{stem}inputs"), fresh("net")
            draft.recovery, draft.backup = fresh(f"{stem}recovery"), fresh(f"{stem}backup")
            draft.log = fresh(f"{stem}training_log")
            if program.has_fit:
                draft.renamed |= eager_names(module, vocabulary)
            if program.has_model_fn:
                draft.constructors = {site.node.func for site in module.sites}
            if program.has_model_fn and not program.is_handed_on:
                draft.model = fresh("training")
                draft.loop_names = LoopNames(*(fresh(field.name) for field in fields(LoopNames)))
            if program.is_handed_on:
                draft.model, draft.loop_names = self._names_of_loops(module)
            if program.elsewhere:
                draft.elsewhere = [part for one in program.elsewhere for part in self._elsewhere(draft, one)]
            drafts.append(draft)
        return drafts

    def _names_of_loops(self, module: Module) -> tuple[str, LoopNames]:
        """The variables of the loops that read a job, the same for all jobs: two of them may share a loop."""
        if module.path not in self._loop_names:
            fresh = self.vocabularies[module.path].fresh
            names = LoopNames(*(fresh(field.name) for field in fields(LoopNames)))
            self._loop_names[module.path] = fresh("training"), names
        return self._loop_names[module.path]

    def _elsewhere(self, draft: Draft, part: Program) -> Iterator[Draft]:
        """The draft of a program's uses in another file, whose edits are those of that file."""
        for own in draft.others:
            if own.module is part.module:  # else it is not given, and the program is left
                calls = {call.node for call in part.calls}
                made = Draft(part, self.settings, own.vocabulary, {}, calls, [], draft.all)
                made.others = [draft.as_other, *(other for other in draft.others if other is not own)]
                made.renamed, made.absorbed, made.edits, made.pieces = own.renamed, own.absorbed, own.edits, own.pieces
                made.model, made.loop_names = self._names_of_loops(part.module)
                yield made

    def _others(self, program: Program) -> Iterator[OtherFile]:
        for link in program.others:
            name = program.tree.name(link.target.path)
            if name in self.vocabularies:  # else it is not given or not readable, and the program is left
                other = program.tree.module(link.target.path)
                yield OtherFile(other, self.vocabularies[name], makes_from_model_fn(other, self.settings.canned))


def _left(drafts: list[Draft], verdicts: list[list[tuple[Rule, Verdict]]], files: _Files) -> dict[int, Cause]:
    """Which programs are left, with the cause, by their index."""
    left: dict[int, Cause] = {}
    for index, (draft, collected) in enumerate(zip(drafts, verdicts, strict=True)):
        causes: dict[Obstacle, Cause] = {}
        for rule, verdict in collected:
            module = verdict.module or draft.module
            span = module.span(verdict.node)
            is_blocked = verdict.fidelity is Fidelity.MANUAL
            obstacle = Obstacle.BLOCKED if is_blocked else files.selections[module.path].obstacle(rule.code, span)
            if obstacle is not None:
                causes.setdefault(obstacle, Cause(obstacle, rule.code, module.path, span))
        if causes:
            left[index] = next(causes[obstacle] for obstacle in Obstacle if obstacle in causes)
    again = True
    while again:  # a program that shares a statement with one that is left cannot change it
        again = False
        kept = {node: index for index in left for node in _shared(drafts[index])}
        for index, draft in enumerate(drafts):
            owner = next((kept[node] for node in _shared(draft) if node in kept), None)
            if index not in left and owner is not None:
                other = drafts[owner].program
                span = other.module.span(other.site.node)
                left[index] = Cause(Obstacle.SHARED, "", other.module.path, span)
                again = True
    return left


def _shared(draft: Draft) -> Iterator[ast.AST]:
    """The statements of a program that another one may use too."""
    program = draft.program
    yield from program.config.statements
    yield from draft.absorbed
    yield from draft.serving
    yield from draft.shared
    if not program.has_fit:  # its rules do not follow them
        nodes = (node for tail in (*RECEIVERS, *BUILDERS) for node in program.module.uses.get(tail, ()))
        yield from (around for node in nodes for around in program.module.names.ancestors(node))
    for call in program.calls:
        if call.input is not None and call.input.statement is not None:
            yield call.input.statement
        if call.input is not None and call.input.maker is not None:
            yield call.input.maker
        yield from (hook.node for hook in call.hooks)
    if program.has_model_fn:
        yield program.module.tree  # the names around a model_fn are replaced in the whole file
        yield from (part.module.tree for part in program.elsewhere)
        for other in draft.others:
            if other.module.is_tied:  # another import of TensorFlow hurts no other program
                yield other.module.tree


def _findings(
    program: Program, collected: list[tuple[Rule, Verdict]], cause: Cause | None, files: _Files
) -> Iterator[Finding]:
    for rule, verdict in collected:
        module = verdict.module or program.module
        span = module.span(verdict.node)
        symbol = _symbol(program, module, verdict.node)
        finding = Finding(rule.code, verdict.fidelity, module.path, span, symbol, verdict.message, verdict.help)
        if cause is None:
            yield replace(finding, rewritten=True)
        elif verdict.fidelity is Fidelity.MANUAL:
            yield finding
        elif not rule.is_setting or not files.selections[module.path].takes("FT101"):
            yield finding.left_for(cause)  # a setting is reported by its RunConfig, where that is


def _silent(program: Program, collected: list[tuple[Rule, Verdict]]) -> Iterator[Finding]:
    """The other sites of a program that no rule can rewrite yet."""
    module = program.module
    if program.kind in REWRITTEN or not collected:
        return
    rule, verdict = collected[0]
    cause = Cause(Obstacle.BLOCKED, rule.code, (verdict.module or module).path, module.span(verdict.node))
    sites = [("FT101", call) for call in program.config.calls]
    sites += [(METHOD_CODES.get(call.method, "FT146"), call.node) for call in program.calls]
    for code, node in sites:
        symbol = _symbol(program, module, node)
        yield Finding(code, Fidelity.MANUAL, module.path, module.span(node), symbol, "").left_for(cause)


def _symbol(program: Program, module: Module, node: ast.expr | ast.stmt) -> str:
    """The qualified name of what stands at a site: of the call, of a method, else of its estimator."""
    estimator = program.site.symbol.qualified
    if not isinstance(node, ast.Call):
        return estimator
    calls = (call for part in (program, *program.elsewhere) for call in part.calls)
    method = next((f"{estimator}.{call.method}" for call in calls if call.node is node), estimator)
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
    return Verdict(program.site.node, Fidelity.MANUAL, f"rule {rule.code} failed here")
