"""One Python module as the analysis sees it: its tree, its names and its sites."""

import ast
import os
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

from migrate.analysis.source.arguments import Source
from migrate.analysis.source.guards import is_guarded, is_tried
from migrate.analysis.source.libraries import libraries_in
from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import is_annotation
from migrate.analysis.source.stars import given_by_star
from migrate.analysis.source.symbols import (
    INPUT_FNS,
    READER,
    ROOTS,
    RUN_CONFIGS,
    SINGLE_SITES,
    Symbol,
    estimator_kind,
    symbol,
)
from migrate.files.parse import parse
from migrate.files.prefilter import may_resume
from migrate.files.run_cache import tree_cache
from migrate.files.text import SourceText
from migrate.findings.finding import Span
from migrate.tensorflow.known_names import NEW, OLD, lines_without, needs_legacy_keras
from migrate.tensorflow.meanings import METHODS_OF_1, is_one_in, is_wider, only_in
from migrate.tensorflow.moved_names import has_moved


class Site(NamedTuple):
    """A call that settles how training is saved or resumed.

    Attributes:
      kind: ``run_config``, ``estimator``, ``input_fn`` or ``train_and_evaluate``.
    """

    kind: str
    node: ast.Call
    symbol: Symbol


@dataclass(eq=False)
class Module:
    """A parsed file.

    Attributes:
      path: the file, as the user named it.
      sites: every recovery site, in the order of the file.
      modes: calls that settle eager or graph mode for the whole program.
      meaning: the TensorFlow that plain ``tensorflow`` is here, 1 or 2, as the whole program shows; None until then.
      of_1: uses of plain ``tensorflow`` that TensorFlow 1 alone understands.
      tf2_only: uses of plain ``tensorflow`` that TensorFlow 2 alone understands.
      of_two: uses of plain ``tensorflow`` that mean one thing in TensorFlow 1 and another in TensorFlow 2.
      unclear: those of them of which the program does not show what they mean.
      asked: uses of plain ``tensorflow`` that only ask for a class of which both TensorFlows' objects are, and calls
        with arguments that only TensorFlow 2's function of that name has.
      v1: uses of ``tensorflow.compat.v1``.
      estimator: uses of ``tf.estimator``, which TensorFlow 2.16 removed.
      has_moved: whether it names, by a path that TensorFlow 2 lacks, what has another name there.
      in_vain: what it imports of names that TensorFlow 2 lacks and nothing reads, by the statement.
      has_tf_keras: whether a name of Keras is imported from ``tf_keras``.
      uses: every use of a TensorFlow or Keras name, by its name within the API, in the order of the file.
    """

    path: str
    text: str
    tree: ast.Module
    names: Names = field(init=False)
    source: Source = field(init=False)
    sites: list[Site] = field(default_factory=list)
    modes: list[tuple[ast.Call, Symbol]] = field(default_factory=list)
    meaning: int | None = None
    of_1: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    tf2_only: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    of_two: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    unclear: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    asked: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    v1: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    estimator: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    has_moved: bool = False
    in_vain: dict[ast.ImportFrom, list[ast.alias]] = field(default_factory=dict)
    has_tf_keras: bool = False
    uses: dict[str, list[ast.expr]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        directory = os.path.dirname(os.path.abspath(self.path))
        self.names = Names(self.tree, partial(given_by_star, directory))
        self.source = Source(self.text)
        for node, dotted in self.names.of_packages(ROOTS):
            found = symbol(dotted)
            if found is not None:
                self._look_at(node, self.names.parents[node], found)
        for statement in self.names.nodes(ast.ImportFrom):
            unread = [alias for alias in statement.names if self._is_in_vain(statement, alias)]
            if unread:
                self.in_vain[statement] = unread
        self.sites.sort(key=lambda site: (site.node.lineno, site.node.col_offset))

    def _look_at(self, node: ast.expr, parent: ast.AST, found: Symbol) -> None:
        self.uses.setdefault(found.tail, []).append(node)
        self.has_tf_keras |= found.api == "tf_keras"
        if not self.has_moved and has_moved(found.qualified) and not is_guarded(self.names, node):
            self.has_moved = True
        is_of_one = found.is_tf1_only or found.is_tf2_only
        is_changing = is_of_one or found.is_other_in_2 or found.tail.startswith("estimator.")
        if is_changing and is_guarded(self.names, node):
            return
        if found.is_tf1_only:
            self.of_1.append((node, found))
        elif found.is_tf2_only:
            self.tf2_only.append((node, found))
        elif found.is_other_in_2:
            self._look_at_other(node, parent, found)
        if found.api == "v1":
            self.v1.append((node, found))
        if found.tail.startswith("estimator."):
            self.estimator.append((node, found))
        if not isinstance(parent, ast.Call) or parent.func is not node:
            return
        kind = _site_kind(found)
        if kind is not None:
            self.sites.append(Site(kind, parent, found))
        elif found.tail in MODE_CALLS:
            self.modes.append((parent, found))

    def _look_at_other(self, node: ast.expr, parent: ast.AST, found: Symbol) -> None:
        """Sorts a use of a name with two meanings by which of them its arguments leave it."""
        call = parent if isinstance(parent, ast.Call) and parent.func is node else None
        line = only_in(found.tail, call) if call is not None else None
        if call is not None and (is_one_in(found.tail, call) or (line is not None and is_tried(self.names, call))):
            return
        if line == 1:
            self.of_1.append((node, found))
        elif line == 2 or self._is_only_asked(node, parent, found):
            self.asked.append((node, found))
        else:
            self.of_two.append((node, found))

    def _is_in_vain(self, node: ast.ImportFrom, alias: ast.alias) -> bool:
        if node.level or alias.name == "*" or not (node.module or "").startswith("tensorflow"):
            return False
        path = f"{node.module}.{alias.name}"
        return (
            bool(lines_without(path, (OLD, NEW)) or needs_legacy_keras(path))
            and not self.names.uses(alias.asname or alias.name, self.names.scope_of(node))
            and not is_guarded(self.names, node)
        )

    def _is_only_asked(self, node: ast.expr, parent: ast.AST, found: Symbol) -> bool:
        """Whether code only asks for a class of TensorFlow 2 that objects of TensorFlow 1 belong to as well."""
        if not is_wider(found.tail):
            return False
        holder = self.names.parents[parent] if isinstance(parent, ast.Tuple) else parent
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id in _ASKING:
            return len(holder.args) == 2 and holder.args[1] in (node, parent)
        return is_annotation(parent, node)

    @property
    def tf1_only(self) -> list[tuple[ast.expr, Symbol]]:
        """What TensorFlow 1 alone understands; in a file of a program for it also what TensorFlow 2 has otherwise."""
        return [*self.of_1, *self.of_two] if self.meaning == 1 else self.of_1

    @property
    def other_in_2(self) -> list[tuple[ast.expr, Symbol]]:
        """What means another thing in TensorFlow 2, where it is not known to be meant as in TensorFlow 1."""
        return [] if self.meaning == 1 else self.of_two

    @property
    def is_tf1(self) -> bool:
        """Whether plain ``tensorflow`` means TensorFlow 1 here, and names of it alone stand here."""
        return self.meaning != 2 and any(found.api == "tf" and not found.is_private for _, found in self.tf1_only)

    @property
    def needs_tf1(self) -> bool:
        """Whether only TensorFlow 1 can run this file: by a name, or by a method of the datasets that it makes."""
        return self.is_tf1 or bool(self.iterators)

    def take_for_tf1(self) -> None:
        """Counts every name that TensorFlow 2 has otherwise as TensorFlow 1's: the file belongs to such a program."""
        self.meaning, self.unclear = 1, []

    def take_for_tf2(self, unclear: Collection[tuple[ast.expr, Symbol]] = ()) -> None:
        """Leaves every name that both have to TensorFlow 2."""
        self.meaning, self.unclear = 2, [*unclear]

    @property
    def iterators(self) -> list[ast.Attribute]:
        """The methods of TensorFlow 1's datasets that are called of those made here; none beside ``tf.compat.v1``."""
        if self.v1 or not any(found.tail.startswith("data.") for _, found in self.of_two):
            return []
        return [node for method in METHODS_OF_1 for node in self.names.attributes.get(method, ())]

    @cached_property
    def names_estimator(self) -> bool:
        """Whether a class of estimators is named here: to be called, derived from or kept for later."""
        return any(estimator_kind(found) for _, found in self.estimator)

    @cached_property
    def reads_exports(self) -> bool:
        """Whether an Estimator's export is loaded here by what only contrib had."""
        return any(found.tail == READER for _, found in self.estimator)

    @cached_property
    def names_hooks_alone(self) -> bool:
        """Whether all that is named of the Estimator API has another name too, such as hooks, and no session saves."""
        found = [one for _, one in self.estimator]
        sessions = ("train.Saver", "train.Supervisor", "train.MonitoredTrainingSession", "Session")
        return bool(found) and all(one.has_other_name for one in found) and self.uses.keys().isdisjoint(sessions)

    @cached_property
    def uses_library(self) -> bool:
        """Whether a library is used here that makes, takes or derives from an Estimator of TensorFlow's."""
        return any(libraries_in(self.names))

    @cached_property
    def names_estimator_of_library(self) -> bool:
        """Whether an estimator of such a library is named here: ``tensorflow_gan.estimator.GANEstimator``."""
        return any("stimator" in dotted.partition(".")[2] for _, dotted, _ in libraries_in(self.names))

    @property
    def lacks_estimator(self) -> bool:
        """Whether an estimator is configured or trained here, and none is named, of a library neither."""
        return bool(self.sites) and not self.names_estimator and not self.uses_library

    @property
    def names_api(self) -> bool:
        """Whether this file names the Estimator API by more than names that TensorFlow has elsewhere too."""
        return bool(self.modes) or not all(found.has_other_name for _, found in self.estimator)

    @property
    def is_tied(self) -> bool:
        """Whether migrating this file for one program changes it for the others that import it."""
        return bool(self.modes) or not all(found.has_other_name or found.is_mode for _, found in self.estimator)

    @cached_property
    def has_single_sites(self) -> bool:
        """Whether a rule for sites that stand by themselves may find one here."""
        return may_resume(self.text.encode(errors="surrogatepass")) or not SINGLE_SITES.isdisjoint(self.uses)

    def calls_of(self, *tails: str) -> list[ast.Call]:
        """The calls of some TensorFlow or Keras names, given within the API (``train.Checkpoint``)."""
        nodes = [(node, self.names.parent(node)) for tail in tails for node in self.uses.get(tail, [])]
        calls = [parent for node, parent in nodes if isinstance(parent, ast.Call) and parent.func is node]
        return sorted(calls, key=lambda call: (call.lineno, call.col_offset))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where ``node`` stands, with columns in characters."""
        end_line, end_byte = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        column = self.source.column
        return Span(node.lineno, column(node.lineno, node.col_offset), end_line, column(end_line, end_byte))


def module_of(source: SourceText) -> Module:
    """The module of a file, bound once in a run, however many programs ask for it; two of one text share no node."""
    own = copy(_bind_module(os.path.abspath(source.path), source.text, parse(source)))
    own.path = source.path
    return own


@tree_cache
def _bind_module(path: str, text: str, tree: ast.Module) -> Module:
    return Module(path, text, tree)


_ASKING = {"isinstance", "issubclass"}
MODE_CALLS = {"disable_eager_execution", "disable_v2_behavior", "enable_eager_execution", "enable_v2_behavior"}


def _site_kind(found: Symbol) -> str | None:
    if found.tail in RUN_CONFIGS:
        return "run_config"
    if found.tail in INPUT_FNS:
        return "input_fn"
    if found.tail == "estimator.train_and_evaluate":
        return "train_and_evaluate"
    return "estimator" if estimator_kind(found) else None
