"""Judges the programs of some files: returns the findings for all sites, and a plan for each file."""

import ast
import os
from collections.abc import Sequence

from migrate.analysis.program.closures import FileFilter
from migrate.analysis.program.facts import facts
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import estimator_kind
from migrate.findings.finding import Finding
from migrate.judging.judgement import JudgedProgram, Judgement
from migrate.judging.program_rewrite import ProgramRewrite, rewrite_program
from migrate.judging.selection import Files
from migrate.judging.sites import Sites
from migrate.judging.units import units
from migrate.rules.rule import EstimatorFile
from migrate.runtime_files.placement import is_rewritten_alone, set_places
from migrate.settings import Settings


def judge(module: Module, settings: Settings, tree: Tree | None = None) -> Judgement:
    """Runs every rule over every program of one file; a program is rewritten as a whole or skipped as a whole."""
    return judge_together([module], settings, tree or Tree())[module.path]


def judge_together(modules: Sequence[Module], settings: Settings, tree: Tree) -> dict[str, Judgement]:
    """Runs every rule over the programs of several files; returns the judgement of each file, by its path.

    Args:
      modules: the files, those included that only change with another file's program.
    """
    files = Files(modules, settings)
    for module in modules:
        tree.add_module(module)
    rewrites = _rewrites(modules, files, tree)
    judged = {module.path: Judgement([], files.plans[module.path], []) for module in modules}
    found: list[Finding] = []
    for rewrite in rewrites:
        found += rewrite.findings()
        judged[rewrite.unit.roots[0].path].programs.append(_judged_program(rewrite))
    written = [rewrite for rewrite in rewrites if rewrite.cause is None]
    _add_to_plans(written, files)
    found = [finding for finding in found if files.shows(finding)]
    sites = Sites(files, settings, tree)
    sites.judge([module for module in modules if module.has_single_sites or module.estimator_uses])
    together = [set(rewrite.files) for rewrite in written if len(rewrite.files) > 1]
    set_places(tree, together, files.plans)
    found += sites.findings
    found += [unknown for selection in files.selections.values() for unknown in selection.unknown_rules()]
    set_places(tree, [{path} for path, plan in files.plans.items() if is_rewritten_alone(path, plan)], files.plans)
    of_path: dict[str, list[Finding]] = {}
    for finding in found:
        of_path.setdefault(finding.path, []).append(finding)
    for path, one in judged.items():
        one.findings.extend(_sort_findings(of_path.get(path, [])))
    for rewrite in rewrites:
        rewrite.files.clear()  # the files of a program refer to each other, and would keep their trees
    return judged


def _rewrites(modules: Sequence[Module], files: Files, tree: Tree) -> list[ProgramRewrite]:
    """Returns the rewrites of the programs that name the Estimator API."""
    graph, own = tree.graph, {os.path.abspath(module.path): module for module in modules}
    naming = graph.bits(path for path, one in own.items() if one.estimator_uses or one.names_estimator_of_library)
    makers = FileFilter(
        graph,
        lambda path: (path in own or not facts(path).problem) and _makes_estimator(own.get(path) or tree.module(path)),
    )
    alone = graph.bits(path for path, one in own.items() if one.names_hooks_alone)
    rewrites: list[ProgramRewrite] = []
    found = [unit for unit in units(modules, tree) if naming & unit.files]
    made = [unit for unit in found if makers.select(unit.files)]
    for unit in made:
        alone &= ~unit.files
    for unit in [*made, *(unit for unit in found if not makers.select(unit.files) and not unit.root_files & ~alone)]:
        rewrite = rewrite_program(unit, files.settings, files.plans.keys())
        rewrite.cause = files.cause(unit.roots[0], rewrite.verdicts)
        rewrites.append(rewrite)
    return rewrites


def _makes_estimator(module: Module) -> bool:
    """Whether a file makes an estimator, or reads the exports of one."""
    return module.names_estimator or module.reads_exports or module.uses_library


def _add_to_plans(rewrites: Sequence[ProgramRewrite], files: Files) -> None:
    """Adds the changes of the programs to the plans; a file that programs share is added once."""
    changed: dict[str, EstimatorFile] = {}
    for rewrite in rewrites:
        changed = {**rewrite.files, **changed}
    for path, file in changed.items():
        plan = files.plans[path]
        plan.add(file.edits, file.runtime_names, file.vocabulary.imports)
        plan.aliases = file.vocabulary.aliases
        plan.statements += file.statements


def _sort_findings(findings: list[Finding]) -> list[Finding]:
    """Returns the findings of one file in order; two programs that both use a name report it once."""
    own = {(finding.span, finding.code, finding.message): finding for finding in findings[::-1]}
    rewritten = {(finding.span, finding.code) for finding in own.values() if finding.rewritten}
    said = [f for f in own.values() if f.rewritten or f.is_own_reason or (f.span, f.code) not in rewritten]
    return sorted(said, key=lambda f: (f.span, f.code))


_KINDS = {"premade": "premade", "custom": "model_fn", "tpu": "TPU", "keras": "Keras"}
"""The kinds of constructors in the words of TensorFlow's documentation."""


def _judged_program(rewrite: ProgramRewrite) -> JudgedProgram:
    modules = rewrite.unit.modules
    sites = [(module, site) for module in modules for site in module.sites if site.kind == "estimator"]
    kinds = [estimator_kind(site.symbol) for _, site in sites]
    named = dict.fromkeys(_KINDS.get(kind or "", "other") for kind in kinds)
    files = tuple(module.path for module in modules)
    if not any(module.names_estimator or module.uses_library for module in modules):
        reads = any(module.reads_exports for module in modules)
        kind, name = ("exports", "reader") if reads else ("hooks", "names")
        return JudgedProgram(files, (kind,), name, cause=rewrite.cause)
    return JudgedProgram(files, tuple(named) or ("other",), "object", _directories(modules), rewrite.cause)


def _directories(modules: Sequence[Module]) -> tuple[str, ...]:
    """Returns the ``model_dir`` arguments of the sites in some files, as source."""
    calls = (site.node for module in modules for site in module.sites)
    values = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "model_dir")
    return tuple(dict.fromkeys(map(ast.unparse, values)))
