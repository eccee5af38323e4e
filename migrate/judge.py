"""What becomes of each program of one module: findings for all sites, and one plan for those that are rewritten."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace

from migrate.analysis.module import Module, Site
from migrate.analysis.program import Program, loose_sites
from migrate.analysis.programs import makes_from_model_fn, programs
from migrate.analysis.reader import kind_of
from migrate.analysis.serving import BUILDERS, RECEIVERS
from migrate.analysis.tree import Tree
from migrate.edits.plan import Edit, Plan, ReplaceStatement
from migrate.finding import Cause, Fidelity, Finding, Obstacle
from migrate.judge_sites import judge_sites
from migrate.judged import Judged, JudgedProgram
from migrate.objects.form import ObjectForm, in_object_form
from migrate.objects.units import units
from migrate.rewrite.compose import compose
from migrate.rewrite.draft import Draft, LoopNames, OtherFile
from migrate.rewrite.eager_names import eager_names
from migrate.rewrite.share import share
from migrate.rewrite.vocabulary import Vocabulary
from migrate.rules import RULES, Rule
from migrate.rules.order import in_order
from migrate.rules.rule import REWRITTEN, Verdict
from migrate.selection import Selection
from migrate.settings import Settings

METHOD_CODES = {"train": "FT130", "evaluate": "FT131", "predict": "FT132", "train_and_evaluate": "FT143"}
_LOOSE = {
    "run_config": ("FT101", "no estimator in this file is seen to use this RunConfig"),
    "input_fn": ("FT123", "no estimator in this file is seen to use this input function"),
    "train_and_evaluate": ("FT143", "no estimator in this file is seen to be trained and evaluated here"),
}


def judge(module: Module, settings: Settings, tree: Tree | None = None) -> Judged:
    """Runs every rule over every program of one file; a program is rewritten whole or left whole."""
    return judge_together([module], settings, tree or Tree())[module.path]


def judge_together(modules: Sequence[Module], settings: Settings, tree: Tree) -> dict[str, Judged]:
    """Runs every rule over the programs of several files, in which one program may stand.

    Args:
      modules: the files, those included in which a program's names are to change.
      settings: the user's choices.
      tree: the files around them.

    Returns:
      What becomes of each file, by its path.
    """
    canned = {module.path: "model-fn" if settings.canned == "model-fn" else "keras" for module in modules}
    found = _attempt(modules, settings, tree, canned)
    if settings.canned == "auto" and (reasons := found.left_in_keras()):
        canned |= dict.fromkeys(reasons, "model-fn")
        found = _attempt(modules, settings, tree, canned)
        found.reasons = reasons
    return found.finished()


def _attempt(modules: Sequence[Module], settings: Settings, tree: Tree, canned: Mapping[str, str]) -> "_Attempt":
    """Judges all programs in the forms that follow them; ``canned`` tells what premade estimators become, by file."""
    found = _Attempt(modules, settings, tree, canned)
    becoming_v1 = found.become_v1 & found.need_v1
    if becoming_v1:  # one program's import makes another's names right
        again = _Attempt(modules, settings, tree, canned, becoming_v1)
        found = again if becoming_v1 <= again.become_v1 else found
    return found


class _Attempt:
    """The programs of some files as they would be in a loop, or as a Keras model.

    Args:
      modules: the files.
      settings: the user's choices.
      tree: the files around them.
      canned: what premade estimators become, by file.
      becoming_v1: the files that are known to become files of ``tensorflow.compat.v1``.

    Attributes:
      become_v1: the files whose ``tensorflow`` becomes ``tensorflow.compat.v1`` for a ``model_fn``.
      need_v1: those with a Keras program that is left for names which that import would have.
      reasons: why premade estimators do not become Keras models, by file.
    """

    def __init__(
        self,
        modules: Sequence[Module],
        settings: Settings,
        tree: Tree,
        canned: Mapping[str, str],
        becoming_v1: frozenset[str] = frozenset(),
    ) -> None:
        self.modules, self.settings, self.tree = modules, settings, tree
        self.files = _Files(modules, settings, becoming_v1, canned)
        found = [(module, programs(module, tree, canned[module.path])) for module in modules]
        self.drafts = [draft for module, own in found for draft in self.files.drafts(module, own)]
        self.verdicts: list[list[tuple[Rule, Verdict]]] = [[] for _ in self.drafts]
        self.findings: list[Finding] = []
        self.reasons: dict[str, str] = {}
        for rule in in_order(RULES.values()):
            for draft, collected in zip(self.drafts, self.verdicts, strict=True):
                if rule.check is not None and rule.speaks_of(draft.program):
                    self._check(rule, draft, collected)
        for collected in self.verdicts:
            collected.sort(key=lambda one: one[0].code)
        self.left = {
            index: cause
            for index, (draft, collected) in enumerate(zip(self.drafts, self.verdicts, strict=True))
            if (cause := self.files.cause(draft.module, collected)) is not None
        }
        self.become_v1, self.need_v1 = self._v1()

    def _check(self, rule: Rule, draft: Draft, collected: list[tuple[Rule, Verdict]]) -> None:
        assert rule.check is not None
        try:
            verdicts = rule.check(draft.program, draft)
            collected += [(rule, replace(one, module=one.module or draft.module)) for one in verdicts]
        except Exception as error:  # one rule's mistake must lose nothing else
            self.findings.append(_broken(rule, draft.program, error))
            collected.append((rule, _blocked(draft.program, rule)))

    def _v1(self) -> tuple[frozenset[str], frozenset[str]]:
        become_v1, need_v1 = set[str](), set[str]()
        left = {**self.left, **_sharing(self.drafts, self.left)}
        for index, (draft, collected) in enumerate(zip(self.drafts, self.verdicts, strict=True)):
            for rule, verdict in collected:
                module = verdict.module or draft.module
                if index not in left and rule.code == "FT192" and isinstance(verdict.node, ast.Import):
                    become_v1.add(module.path)
                elif (
                    index in left and rule.code == "FT191" and any(verdict.node is node for node, _ in module.tf1_only)
                ):
                    need_v1.add(module.path)
        return frozenset(become_v1), frozenset(need_v1)

    def left_in_keras(self) -> dict[str, str]:
        """The files with premade estimators that cannot become Keras models, and why the first of each cannot."""
        left = {**self.left, **_sharing(self.drafts, self.left)}
        reasons: dict[str, str] = {}
        for index in sorted(left):
            draft = self.drafts[index]
            if draft.program.kind == "canned" and left[index].obstacle not in _ASKED:
                cause = left[index]
                line = f"line {cause.span.line}" + (f" of {cause.path}" if cause.path != draft.module.path else "")
                reasons.setdefault(draft.module.path, f"{cause.code}, {line}" if cause.code else line)
        return reasons

    def finished(self) -> dict[str, Judged]:
        """What becomes of each file, by its path."""
        forms = self._object_forms()
        taken = {path for form in forms if form.left is None for path in form.files}
        judged_as_objects = taken | {path for form in forms for path in form.pending}
        left = {i: why for i, why in self.left.items() if self.drafts[i].module.path not in taken}
        for form in forms if self.settings.form == "object" else ():
            in_form = [i for i, draft in enumerate(self.drafts) if draft.module.path in form.pending]
            left |= {i: form.left for i in in_form if form.left is not None}
        others = [i for i, draft in enumerate(self.drafts) if draft.module.path not in taken]
        left |= {i: why for i, why in _sharing(self.drafts, left).items() if i in others}
        plans = self.files.plans
        judged = {module.path: Judged([], plans[module.path], []) for module in self.modules}
        for index in others:
            draft, collected = self.drafts[index], self.verdicts[index]
            if index not in left:
                compose(draft)
                for file in draft.files:
                    if file.module.path not in taken:
                        plans[file.module.path].add(_edits(file), file.pieces, file.vocabulary.imports)
                        plans[file.module.path].aliases = file.vocabulary.aliases
            elif draft.module.path in judged_as_objects:
                continue
            judged[draft.module.path].programs.append(_judged(draft, left.get(index)))
            made = _findings(draft.program, collected, left.get(index), self.files)
            self.findings += self._with_reasons([*made, *_silent(draft.program, collected)])
        told = set[str]()
        for form in forms:
            own = {path: file for path, file in form.files.items() if form.left is None and path not in told}
            told |= own.keys()  # units share files that name nothing but the modes
            for path, changed in own.items():
                plans[path].add(_edits(changed), changed.pieces, changed.vocabulary.imports)
                plans[path].aliases = changed.vocabulary.aliases
            self.findings += form.findings(self._rewritten_sites(form, left))
            judged[form.unit.roots[0].path].programs.append(_judged_as_object(form))
        together = [
            {draft.module.path, *(other.module.path for other in draft.others)} for draft in self._rewritten(left)
        ]
        together += [set(form.files) for form in forms if form.left is None]
        share(self.tree, [paths for paths in together if len(paths) > 1], plans)
        for module in self.modules:
            known = {node for draft in self.drafts for file in draft.files for node in file.renamed}
            sites = loose_sites(module, [draft.program for draft in self.drafts])
            if module.path not in judged_as_objects:
                self.findings += [_loose(module, site) for site in sites if site.node.func not in known]
        found = [finding for finding in self.findings if self.files.wants(finding)]
        for module in self.modules:
            if module.has_single_sites:
                selection = self.files.selections[module.path]
                found += judge_sites(module, self.settings, selection, plans[module.path])
        found += [unknown for selection in self.files.selections.values() for unknown in selection.unknown()]
        for path, one in judged.items():
            one.findings.extend(_of_file(found, path))
        return judged

    def _rewritten_sites(self, form: ObjectForm, left: Mapping[int, Cause]) -> set[ast.Call]:
        """The sites of a unit's files that another form rewrites although the unit is left."""
        found = set[ast.Call]()
        for module in self.modules if form.left is not None else ():
            own = [draft for i, draft in enumerate(self.drafts) if i not in left and draft.module is module]
            loose = loose_sites(module, [draft.program for draft in own])
            found |= {site.node for site in module.sites} - {site.node for site in loose}
        return found

    def _rewritten(self, left: Mapping[int, Cause]) -> list[Draft]:
        return [draft for index, draft in enumerate(self.drafts) if index not in left and draft.others]

    def _with_reasons(self, findings: list[Finding]) -> list[Finding]:
        """Tells of each premade estimator that gets a model_fn why it becomes no Keras model."""
        return [
            replace(one, message=f"{one.message}; no Keras model: {self.reasons[one.path]}")
            if one.rewritten and one.code == "FT126" and one.path in self.reasons
            else one
            for one in findings
        ]

    def _object_forms(self) -> list[ObjectForm]:
        """The units with a program that is not followed whole, in object form."""
        settings = self.settings
        if settings.form == "loop" or settings.recovery == "backup-and-restore" or settings.input == "continue":
            return []
        pending = {module.path for module in self.modules if self._is_pending(module)}
        forms: list[ObjectForm] = []
        if not pending:
            return forms
        asked = {self.drafts[index].module.path for index, why in self.left.items() if why.obstacle in _ASKED}
        # Who asks for Keras models gets them, also where another program of the file is left for it.
        in_keras = self._in_keras() if settings.canned == "keras" and settings.form == "auto" else set[str]()
        for unit in units(self.modules, self.tree):
            paths = {module.path for module in unit.modules}
            if (
                paths.isdisjoint(pending)
                or paths & (asked | (in_keras & pending))
                or not any(one.names_estimator for one in unit.modules)
            ):
                continue
            changing = self.files.plans.keys() - ({draft.module.path for draft in self.drafts} - pending)
            form = in_object_form(unit, settings, changing, frozenset(pending & paths))
            form.left = self.files.cause(unit.roots[0], form.verdicts)
            forms.append(form)
        return forms

    def _in_keras(self) -> set[str]:
        """The files with a program that is followed whole and becomes a Keras model."""
        left = {**self.left, **_sharing(self.drafts, self.left)}
        return {
            draft.module.path
            for index, draft in enumerate(self.drafts)
            if index not in left and draft.program.has_fit and not draft.program.has_model_fn
        }

    def _is_pending(self, module: Module) -> bool:
        """Whether a file names the Estimator API and the forms that follow a program do not rewrite it whole."""
        own = [index for index, draft in enumerate(self.drafts) if draft.module is module]
        if self.settings.form == "object" or any(index in self.left for index in own):
            return bool(module.estimator)
        followed = [draft for index, draft in enumerate(self.drafts) if index not in self.left]
        renamed = {node for draft in followed for file in draft.files for node in file.renamed}
        loose = loose_sites(module, [draft.program for draft in followed])
        if any(site.node.func not in renamed for site in loose):
            return bool(module.estimator)
        return not own and module.names_estimator


_KINDS = {"canned": "premade", "other-canned": "premade", "custom": "model_fn", "tpu": "TPU", "keras": "Keras"}
"""The kinds of constructors in the words of TensorFlow's documentation."""


def _judged(draft: Draft, cause: Cause | None) -> JudgedProgram:
    """A program that is followed, in a loop or as a Keras model."""
    program = draft.program
    files = (draft.module.path, *(other.module.path for other in draft.others))
    form = "keras" if program.has_fit else "loop"
    return JudgedProgram(files, (_KINDS.get(program.kind, "premade"),), form, _directories([draft.module]), cause)


def _judged_as_object(form: ObjectForm) -> JudgedProgram:
    modules = form.unit.modules
    sites = [(module, site) for module in modules for site in module.sites if site.kind == "estimator"]
    kinds = [kind_of(module, site.symbol, "keras") for module, site in sites]
    named = dict.fromkeys(_KINDS.get(kind or "", "other") for kind in kinds)
    return JudgedProgram(
        tuple(module.path for module in modules), tuple(named) or ("other",), "object", _directories(modules), form.left
    )


def _directories(modules: Sequence[Module]) -> tuple[str, ...]:
    """What the sites of some files are given as ``model_dir``, as it is written there."""
    calls = (site.node for module in modules for site in module.sites)
    values = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "model_dir")
    return tuple(dict.fromkeys(map(ast.unparse, values)))


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

    def __init__(
        self,
        modules: Sequence[Module],
        settings: Settings,
        becoming_v1: frozenset[str],
        canned: Mapping[str, str],
    ) -> None:
        self.settings, self.canned = settings, canned
        self.vocabularies = {module.path: Vocabulary(module, module.path in becoming_v1) for module in modules}
        self.selections = {module.path: Selection(settings, module.path, module.text) for module in modules}
        self.plans = {module.path: Plan() for module in modules}

    def wants(self, finding: Finding) -> bool:
        """Whether a finding is to be reported."""
        return self.selections[finding.path].wants(finding.code, finding.span)

    def cause(self, own: Module, verdicts: Sequence[tuple[Rule, Verdict]]) -> Cause | None:
        """Why the program behind some verdicts is left; None where it is not.

        Args:
          own: the file of a verdict that names none.
          verdicts: the verdicts, each with its rule.
        """
        causes: dict[Obstacle, Cause] = {}
        for rule, verdict in verdicts:
            module = verdict.module or own
            span = module.span(verdict.node)
            is_blocked = verdict.fidelity is Fidelity.MANUAL
            obstacle = Obstacle.BLOCKED if is_blocked else self.selections[module.path].obstacle(rule.code, span)
            if obstacle is not None:
                causes.setdefault(obstacle, Cause(obstacle, rule.code, module.path, span))
        return next((causes[obstacle] for obstacle in Obstacle if obstacle in causes), None)

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
                draft.model = fresh("training")
                draft.loop_names = LoopNames(*(fresh(field.name) for field in fields(LoopNames)))
            drafts.append(draft)
        return drafts

    def _others(self, program: Program) -> Iterator[OtherFile]:
        for link in program.others:
            name = program.tree.name(link.target.path)
            if name in self.vocabularies:  # else it is not given or not readable, and the program is left
                other = program.tree.module(link.target.path)
                yield OtherFile(other, self.vocabularies[name], makes_from_model_fn(other, self.canned[name]))


_ASKED = {Obstacle.UNSELECTED, Obstacle.IGNORED, Obstacle.DECLINED}
"""The obstacles that the user made."""


def _sharing(drafts: Sequence[Draft], left: Mapping[int, Cause]) -> dict[int, Cause]:
    """Which programs are left because they share a statement with one that is, by their index."""
    found: dict[int, Cause] = {}
    again = True
    while again:
        again = False
        kept = {node: index for index in (*left, *found) for node in _shared(drafts[index])}
        for index, draft in enumerate(drafts):
            owner = next((kept[node] for node in _shared(draft) if node in kept), None)
            if index not in left and index not in found and owner is not None:
                other = drafts[owner].program
                span = other.module.span(other.site.node)
                found[index] = Cause(Obstacle.SHARED, "", other.module.path, span)
                again = True
    return found


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
        finding = replace(finding, why=verdict.why, successor=verdict.successor)
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
    method = next((f"{estimator}.{call.method}" for call in program.calls if call.node is node), estimator)
    return module.names.qualified(node.func) or method


def _loose(module: Module, site: Site) -> Finding:
    code, message = _LOOSE[site.kind]
    help = "Make it where the estimator is made, in one file, then migrate again."
    return Finding(code, Fidelity.MANUAL, module.path, module.span(site.node), site.symbol.qualified, message, help)


def _broken(rule: Rule, program: Program, error: Exception) -> Finding:
    span = program.module.span(program.site.node)
    message = f"rule {rule.code} ({rule.name}) failed here: {type(error).__name__}: {error}"
    help = "This is an internal error (a bug): please report it with this line. The program is not rewritten."
    symbol = program.site.symbol.qualified
    return Finding("FT009", Fidelity.MANUAL, program.module.path, span, symbol, message, help, error=True)


def _blocked(program: Program, rule: Rule) -> Verdict:
    return Verdict(program.site.node, Fidelity.MANUAL, f"rule {rule.code} failed here")
