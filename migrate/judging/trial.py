"""The programs of some files in the forms that follow them, judged by every rule; then, what becomes of each file."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from migrate.analysis.module import Module
from migrate.analysis.program import loose_sites
from migrate.analysis.programs import programs
from migrate.analysis.tree import Tree
from migrate.edits.plan import Edit, ReplaceStatement
from migrate.finding import Cause, Finding, Obstacle
from migrate.helpers.share import share
from migrate.judged import Judged
from migrate.judging.files import Files
from migrate.judging.findings import blocked, broken_finding, findings_of, loose_finding, silent_findings
from migrate.judging.kinds import judged_as_object, judged_program
from migrate.judging.sharing import sharing
from migrate.judging.sites import judge_sites
from migrate.objects.form import ObjectForm, in_object_form
from migrate.objects.units import units
from migrate.rewrite.compose import compose
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rules import RULES, Rule
from migrate.rules.order import in_order
from migrate.rules.rule import Verdict
from migrate.settings import Settings

_ASKED = {Obstacle.UNSELECTED, Obstacle.IGNORED, Obstacle.DECLINED}
"""The obstacles that the user made."""


class Trial:
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
        self.files = Files(modules, settings, becoming_v1, canned)
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
        except RecursionError:  # the whole file is tried again with more room
            raise
        except Exception as error:  # one rule's mistake must lose nothing else
            self.findings.append(broken_finding(rule, draft.program, error))
            collected.append((rule, blocked(draft.program, rule)))

    def _v1(self) -> tuple[frozenset[str], frozenset[str]]:
        become_v1, need_v1 = set[str](), set[str]()
        left = {**self.left, **sharing(self.drafts, self.left)}
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
        left = {**self.left, **sharing(self.drafts, self.left)}
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
        left |= {i: why for i, why in sharing(self.drafts, left).items() if i in others}
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
            judged[draft.module.path].programs.append(judged_program(draft, left.get(index)))
            made = findings_of(draft.program, collected, left.get(index), self.files)
            self.findings += self._with_reasons([*made, *silent_findings(draft.program, collected)])
        told = set[str]()
        for form in forms:
            own = {path: file for path, file in form.files.items() if form.left is None and path not in told}
            told |= own.keys()  # units share files that name nothing but the modes
            for path, changed in own.items():
                plans[path].add(_edits(changed), changed.pieces, changed.vocabulary.imports)
                plans[path].aliases = changed.vocabulary.aliases
            self.findings += form.findings(self._rewritten_sites(form, left))
            judged[form.unit.roots[0].path].programs.append(judged_as_object(form))
        together = [
            {draft.module.path, *(other.module.path for other in draft.others)} for draft in self._rewritten(left)
        ]
        together += [set(form.files) for form in forms if form.left is None]
        share(self.tree, [paths for paths in together if len(paths) > 1], plans)
        for module in self.modules:
            known = {node for draft in self.drafts for file in draft.files for node in file.renamed}
            sites = loose_sites(module, [draft.program for draft in self.drafts])
            if module.path not in judged_as_objects:
                self.findings += [loose_finding(module, site) for site in sites if site.node.func not in known]
        found = [finding for finding in self.findings if self.files.wants(finding)]
        for module in self.modules:
            if module.has_single_sites:
                selection = self.files.selections[module.path]
                found += judge_sites(module, self.settings, selection, plans[module.path], self.tree)
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
        left = {**self.left, **sharing(self.drafts, self.left)}
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


def _of_file(findings: list[Finding], path: str) -> list[Finding]:
    """The findings of one file in their order; what two programs say of a name that both use is said once."""
    own = {(finding.span, finding.code, finding.message): finding for finding in findings[::-1] if finding.path == path}
    rewritten = {(finding.span, finding.code) for finding in own.values() if finding.rewritten}
    said = [f for f in own.values() if f.rewritten or f.is_own_reason or (f.span, f.code) not in rewritten]
    return sorted(said, key=lambda f: (f.span, f.code))


def _edits(file: Draft | OtherFile) -> list[Edit]:
    removals = [ReplaceStatement(file.module.span(statement)) for statement in file.absorbed]
    return [*file.edits, *removals]
