"""Replaces the names in the files of an Estimator program, with a verdict for each name."""

import ast
import os
from collections.abc import Iterator, Set

from migrate.analysis.program.graph_mode import is_in_graph_mode, works_on_graphs
from migrate.analysis.program.needs import has_model_fn, needs_of, uses_with_needs
from migrate.analysis.program.sessions import EagerCode, uses_of_estimators
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import estimator_kind
from migrate.findings.finding import Cause, Fidelity, Finding
from migrate.judging.units import Unit
from migrate.records import dataclass, field, replace
from migrate.rewrite.vocabulary import Vocabulary
from migrate.rules import CODES, ESTIMATOR_WORDS, RULES
from migrate.rules.rule import EstimatorFile, EstimatorProgram, Rule, Verdict
from migrate.settings import Settings


@dataclass
class ProgramRewrite:
    """The rewrite of an Estimator program, whose calls stay (the object form, FT151).

    Attributes:
      files: the files that change, by their paths.
      verdicts: the verdict on each name, with the rule that found it.
      cause: why the unit is skipped; None where it is rewritten.
    """

    unit: Unit
    files: dict[str, EstimatorFile] = field(default_factory=dict)
    verdicts: list[tuple[Rule, Verdict]] = field(default_factory=list)
    cause: Cause | None = None

    def findings(self) -> Iterator[Finding]:
        """Yields the findings of the unit; if it is skipped, each of them has the cause."""
        for rule, verdict in self.verdicts:
            module = verdict.module or self.unit.roots[0]
            span, symbol = module.span(verdict.node), _symbol(module, verdict.node)
            finding = Finding(rule.code, verdict.fidelity, module.path, span, symbol, verdict.message, verdict.help)
            finding = replace(finding, successor=verdict.successor)
            if self.cause is None:
                yield replace(finding, rewritten=not verdict.keeps_code)
            elif verdict.fidelity is Fidelity.MANUAL:
                yield finding
            else:
                yield finding.skipped_with(self.cause)


def rewrite_program(unit: Unit, settings: Settings, given: Set[str]) -> ProgramRewrite:
    """Returns a unit with the names in its files replaced.

    Args:
      given: the paths of the files that may change.
    """
    rewrite = ProgramRewrite(unit)
    modules = unit.modules
    eager = _eager_code(unit)
    need = _needs_of_unit(unit)
    for module in modules:
        if module.path not in given:
            continue
        file = EstimatorFile(
            module=module,
            vocabulary=Vocabulary(module),
            settings=settings,
            tree=unit.tree,
            modules=modules,
            files=rewrite.files,
            eager=eager,
            is_tf1=module.meaning == 1,
            need=need,
        )
        rewrite.files[module.path] = file
    program = EstimatorProgram(unit.tree, unit.roots, unit.links, modules, rewrite.files, settings)
    for name, words in ESTIMATOR_WORDS.items():
        if words and not any(word in module.text for module in modules for word in (*words, "import *")):
            continue
        rule = RULES[CODES[name]]
        if rule.check_unit is not None:
            rewrite.verdicts += [(rule, verdict) for verdict in rule.check_unit(program)]
        else:
            assert rule.check_file is not None
            for file in rewrite.files.values():
                rewrite.verdicts += [(rule, verdict) for verdict in rule.check_file(file)]
    return rewrite


def _needs_of_unit(unit: Unit) -> str:
    """Returns what the program needs in addition to the newest TensorFlow and NumPy; "" for nothing."""
    own = [(module.path, use) for module in unit.modules for use in uses_with_needs(module)]
    kinds = {estimator_kind(site.symbol) for module in unit.modules for site in module.sites}
    return "; ".join(needs_of([*own, *unit.tree.uses_with_needs(*unit.modules)], has_model_fn(kinds)))


def _eager_code(unit: Unit) -> EagerCode | None:
    """Returns the code of a unit that runs eagerly; None where none of its files works on graphs."""
    modules = unit.modules
    if not any(map(works_on_graphs, modules)) or not is_in_graph_mode(modules):
        return None
    tree, paths = unit.tree, {os.path.abspath(module.path): module.path for module in modules}
    known = {path for importer in tree.files_with_imports(paths) for path in tree.targets_of(importer)}
    imported = {name for path, name in paths.items() if path in known or tree.importers_of(path)}
    return EagerCode(tree, modules, uses_of_estimators(modules), frozenset(imported))


def _symbol(module: Module, node: ast.expr | ast.stmt) -> str:
    expression = node.func if isinstance(node, ast.Call) else node
    found = module.names.qualified(expression) if isinstance(expression, ast.expr) else None
    return found or "tensorflow.estimator"
