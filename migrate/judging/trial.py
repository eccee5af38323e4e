"""The programs of some files, judged by every rule: those in Keras form first, then the units in object form."""

import ast
from collections.abc import Sequence
from dataclasses import replace

from migrate.analysis.module import Module
from migrate.analysis.program import loose_sites
from migrate.analysis.programs import programs
from migrate.analysis.tree import Tree
from migrate.edits.plan import Edit, ReplaceStatement
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle
from migrate.helpers.share import is_unsure, share
from migrate.judging.kinds import directories, judged_as_object, judged_program
from migrate.judging.run_files import Files
from migrate.judging.sharing import sharing
from migrate.judging.site_findings import blocked, broken_finding, findings_of
from migrate.judging.sites import Sites
from migrate.objects.form import ObjectForm, in_object_form
from migrate.objects.units import units
from migrate.results.judged import Judged
from migrate.rewrite.compose import compose
from migrate.rewrite.draft import ChangedFile, Draft
from migrate.rules import KERAS_FORM, NAMED, Rule
from migrate.rules.rule import Verdict
from migrate.settings import Settings

_ASKED = {Obstacle.UNSELECTED, Obstacle.IGNORED}
"""The obstacles that the user made."""


class Trial:
    """The programs of some files, with what every rule says of those that could become Keras models.

    Args:
      modules: the files.
      settings: the user's choices.
      tree: the files around them.
    """

    def __init__(self, modules: Sequence[Module], settings: Settings, tree: Tree) -> None:
        self.modules, self.settings, self.tree = modules, settings, tree
        self.files = Files(modules, settings)
        for module in modules:
            tree.keep(module)
        found = [(module, programs(module, tree)) for module in modules if settings.canned != "object"]
        self.drafts = [draft for module, own in found for draft in self.files.drafts(module, own)]
        self.verdicts: list[list[tuple[Rule, Verdict]]] = [[] for _ in self.drafts]
        self.findings: list[Finding] = []
        for rule in KERAS_FORM:
            for draft, collected in zip(self.drafts, self.verdicts, strict=True):
                self._check(rule, draft, collected)
        for collected in self.verdicts:
            collected.sort(key=lambda one: one[0].code)
        self.left = {
            index: cause
            for index, (draft, collected) in enumerate(zip(self.drafts, self.verdicts, strict=True))
            if (cause := self.files.cause(draft.module, collected)) is not None
        }
        self.left |= sharing(self.drafts, self.left)

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

    def finished(self) -> dict[str, Judged]:
        """What becomes of each file, by its path."""
        forms = self._object_forms()
        taken = {path for form in forms if form.left is None for path in form.files}
        in_objects = taken | {path for form in forms for path in form.pending}
        plans = self.files.plans
        named = {draft.module.path: draft.module for draft in self.drafts}
        given = {path: directories([module]) for path, module in named.items()}
        judged = {module.path: Judged([], plans[module.path], []) for module in self.modules}
        for index, (draft, collected) in enumerate(zip(self.drafts, self.verdicts, strict=True)):
            if draft.module.path in in_objects and self.settings.canned == "auto":
                continue
            if index not in self.left:
                compose(draft)
                self._add(draft)
            program = judged_program(draft, given[draft.module.path], self.left.get(index))
            judged[draft.module.path].programs.append(program)
            self.findings += findings_of(draft.program, collected, self.left.get(index), self.files)
        told = set[str]()
        for form in forms:
            own = {path: file for path, file in form.files.items() if form.left is None and path not in told}
            told |= own.keys()  # units share files that name nothing but the modes
            for changed in own.values():
                self._add(changed)
            self.findings += self._with_reasons(form)
            judged[form.unit.roots[0].path].programs.append(judged_as_object(form))
        together = [set(form.files) for form in forms if form.left is None and len(form.files) > 1]
        found = [finding for finding in self.findings if self.files.wants(finding)]
        sites = Sites(self.files, self.settings, self.tree)
        sites.judge([module for module in self.modules if module.has_single_sites or module.estimator])
        share(self.tree, [*together, *sites.together], plans)
        found += sites.findings
        found += [unknown for selection in self.files.selections.values() for unknown in selection.unknown()]
        share(self.tree, [{path} for path, plan in plans.items() if is_unsure(path, plan)], plans)
        for path, one in judged.items():
            one.findings.extend(_of_file(found, path))
        return {path: one._replace(reaches=sites.reaches.get(path, ())) for path, one in judged.items()}

    def _add(self, file: ChangedFile) -> None:
        plan = self.files.plans[file.module.path]
        plan.add(_edits(file), file.pieces, file.vocabulary.imports)
        plan.aliases = file.vocabulary.aliases
        plan.statements += file.statements

    def _object_forms(self) -> list[ObjectForm]:
        """The units with a program that does not become a Keras model, in object form."""
        pending = {module.path for module in self.modules if self._is_pending(module)}
        forms: list[ObjectForm] = []
        if not pending:
            return forms
        asked = {self.drafts[index].module.path for index, why in self.left.items() if why.obstacle in _ASKED}
        changing = self.files.plans.keys() - ({draft.module.path for draft in self.drafts} - pending)
        for unit in units(self.modules, self.tree):
            paths = {module.path for module in unit.modules}
            stands = any(one.names_estimator or one.reads_exports or one.uses_library for one in unit.modules)
            if paths.isdisjoint(pending) or paths & asked or not stands:
                continue
            form = in_object_form(unit, self.settings, changing, frozenset(pending & paths))
            form.left = self._cause_in_keras(form) or self.files.cause(unit.roots[0], form.verdicts)
            forms.append(form)
        return forms

    def _cause_in_keras(self, form: ObjectForm) -> Cause | None:
        """Why a unit is left where the user asks for Keras models: one of its programs cannot become one."""
        causes = (cause for i, cause in self.left.items() if self.drafts[i].module.path in form.pending)
        return next(causes, None) if self.settings.canned == "keras" else None

    def _is_pending(self, module: Module) -> bool:
        """Whether a file names the Estimator API, and not all of its programs become Keras models."""
        own = self._drafts_of(module)
        sites = [site for site in module.sites if site.kind == "estimator"]
        if len(own) == len(sites) and own and not own.keys() & self.left.keys():
            renamed = {node for draft in own.values() for node in draft.renamed}
            loose = loose_sites(module, [draft.program for draft in own.values()])
            return any(site.node.func not in renamed for site in loose)
        return bool(module.estimator) or module.names_estimator

    def _drafts_of(self, module: Module) -> dict[int, Draft]:
        return {index: draft for index, draft in enumerate(self.drafts) if draft.module is module}

    def _with_reasons(self, form: ObjectForm) -> list[Finding]:
        """What is said of a unit; of each premade estimator also, why it becomes no Keras model."""
        own = {i: draft for i, draft in enumerate(self.drafts) if draft.module.path in form.pending}
        left = {draft.program.site.node: i for i, draft in own.items() if i in self.left}
        reasons = {(d.module.path, d.module.span(d.program.site.node)): d.program.site.node for d in own.values()}
        others = self._sites_of_drafts(form) if form.left is not None and self.settings.canned == "keras" else set()
        return [
            replace(one, message=f"{one.message}; no Keras model: {self._why(left[node], one.path)}")
            if one.rewritten
            and one.code == NAMED["object_form"].code
            and (node := reasons.get((one.path, one.span))) in left
            else one
            for one in form.findings(others)
        ]

    def _why(self, index: int, path: str) -> str:
        """Why a program that could become a Keras model does not, with the place as seen from a file."""
        cause, verdicts = self.left[index], self.verdicts[index]
        line = f"line {cause.span.line}" + (f" of {cause.path}" if cause.path != path else "")
        blocking = (verdict.message for _, verdict in verdicts if verdict.fidelity is Fidelity.MANUAL)
        reason = next(blocking, "") if cause.obstacle is Obstacle.BLOCKED else ""
        return f"{reason or 'its program stays'} ({line})"

    def _sites_of_drafts(self, form: ObjectForm) -> set[ast.Call]:
        """The sites of a unit's files that the findings of its Keras programs are about."""
        found = set[ast.Call]()
        for module in form.unit.modules:
            loose = loose_sites(module, [draft.program for draft in self._drafts_of(module).values()])
            found |= {site.node for site in module.sites} - {site.node for site in loose}
        return found


def _of_file(findings: list[Finding], path: str) -> list[Finding]:
    """The findings of one file in their order; what two programs say of a name that both use is said once."""
    own = {(finding.span, finding.code, finding.message): finding for finding in findings[::-1] if finding.path == path}
    rewritten = {(finding.span, finding.code) for finding in own.values() if finding.rewritten}
    said = [f for f in own.values() if f.rewritten or f.is_own_reason or (f.span, f.code) not in rewritten]
    return sorted(said, key=lambda f: (f.span, f.code))


def _edits(file: ChangedFile) -> list[Edit]:
    removals = [ReplaceStatement(file.module.span(statement)) for statement in file.absorbed]
    return [*file.edits, *removals]
