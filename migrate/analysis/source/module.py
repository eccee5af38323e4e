"""One parsed Python module: its tree, its names and its recovery sites."""

import ast
import os
from collections.abc import Collection
from copy import copy
from functools import cached_property, partial
from typing import NamedTuple

from migrate.analysis.source.arguments import Source
from migrate.analysis.source.guards import catches_error, is_guarded
from migrate.analysis.source.libraries import libraries_in
from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import is_annotation
from migrate.analysis.source.stars import star_names
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
from migrate.files.prefilter import may_resume, may_train_imported
from migrate.files.run_cache import tree_cache
from migrate.files.text import SourceText
from migrate.findings.finding import Span
from migrate.records import dataclass, field
from migrate.tensorflow.known_names import NEW, OLD, lines_without, needs_legacy_keras
from migrate.tensorflow.meanings import METHODS_OF_1, is_wider, means_same, only_in
from migrate.tensorflow.moved_names import has_moved


class Site(NamedTuple):
    """A call that decides how a training is saved or resumed.

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
      sites: the recovery sites, in the order of the file.
      mode_calls: the calls that choose eager or graph mode for the whole program.
      meaning: the TensorFlow, 1 or 2, that ``tensorflow`` means in the program; None until that is settled.
      tf1_uses: uses of plain ``tensorflow`` that only TensorFlow 1 has.
      tf2_uses: uses of plain ``tensorflow`` that only TensorFlow 2 has.
      ambiguous_uses: uses of plain ``tensorflow`` with different meanings in TensorFlow 1 and 2.
      unclear_uses: the ambiguous uses, and premade estimators, whose meaning the program does not show.
      tf2_compatible_uses: uses of ambiguous names that work in TensorFlow 2: checks for a class that includes
        TensorFlow 1's objects, and calls with arguments that only TensorFlow 2's function has.
      v1_uses: uses of ``tensorflow.compat.v1``.
      estimator_uses: uses of ``tf.estimator``, which TensorFlow 2.16 removed.
      has_moved: whether it uses a path that TensorFlow 2 lacks for an object that has another name there.
      unread_imports: the imported names that TensorFlow 2 lacks and nothing reads, by the import statement.
      has_tf_keras: whether it uses the package ``tf_keras``.
      uses: the uses of TensorFlow and Keras names, by ``Symbol.tail``, in the order of the file.
    """

    path: str
    text: str
    tree: ast.Module
    names: Names = field(init=False)
    source: Source = field(init=False)
    sites: list[Site] = field(default_factory=list)
    mode_calls: list[tuple[ast.Call, Symbol]] = field(default_factory=list)
    meaning: int | None = None
    tf1_uses: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    tf2_uses: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    ambiguous_uses: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    unclear_uses: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    tf2_compatible_uses: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    v1_uses: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    estimator_uses: list[tuple[ast.expr, Symbol]] = field(default_factory=list)
    has_moved: bool = False
    unread_imports: dict[ast.ImportFrom, list[ast.alias]] = field(default_factory=dict)
    has_tf_keras: bool = False
    uses: dict[str, list[ast.expr]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        directory = os.path.dirname(os.path.abspath(self.path))
        self.names = Names(self.tree, partial(star_names, directory))
        self.source = Source(self.text)
        for node, dotted in self.names.package_uses(ROOTS):
            found = symbol(dotted)
            if found is not None:
                self._add_use(node, self.names.parents[node], found)
        for statement in self.names.nodes(ast.ImportFrom):
            unread = [alias for alias in statement.names if self._is_unread(statement, alias)]
            if unread:
                self.unread_imports[statement] = unread
        self.sites.sort(key=lambda site: (site.node.lineno, site.node.col_offset))

    def _add_use(self, node: ast.expr, parent: ast.AST, found: Symbol) -> None:
        self.uses.setdefault(found.tail, []).append(node)
        self.has_tf_keras |= found.api == "tf_keras"
        if not self.has_moved and has_moved(found.qualified) and not is_guarded(self.names, node):
            self.has_moved = True
        is_of_one = found.is_tf1_only or found.is_tf2_only
        is_changing = is_of_one or found.is_ambiguous or found.tail.startswith("estimator.")
        if is_changing and is_guarded(self.names, node):
            return
        if found.is_tf1_only:
            self.tf1_uses.append((node, found))
        elif found.is_tf2_only:
            self.tf2_uses.append((node, found))
        elif found.is_ambiguous:
            self._add_ambiguous_use(node, parent, found)
        if found.api == "v1":
            self.v1_uses.append((node, found))
        if found.tail.startswith("estimator."):
            self.estimator_uses.append((node, found))
        if not isinstance(parent, ast.Call) or parent.func is not node:
            return
        kind = _site_kind(found)
        if kind is not None:
            self.sites.append(Site(kind, parent, found))
        elif found.tail in MODE_CALLS:
            self.mode_calls.append((parent, found))

    def _add_ambiguous_use(self, node: ast.expr, parent: ast.AST, found: Symbol) -> None:
        """Adds a use of an ambiguous name to the uses of the TensorFlow that its arguments show."""
        call = parent if isinstance(parent, ast.Call) and parent.func is node else None
        line = only_in(found.tail, call) if call is not None else None
        if call is not None and (
            means_same(found.tail, call) or (line is not None and catches_error(self.names, call))
        ):
            return
        if line == 1:
            self.tf1_uses.append((node, found))
        elif line == 2 or self._is_class_check(node, parent, found):
            self.tf2_compatible_uses.append((node, found))
        else:
            self.ambiguous_uses.append((node, found))

    def _is_unread(self, node: ast.ImportFrom, alias: ast.alias) -> bool:
        """Whether an imported name that TensorFlow 2 lacks is never read, and its import would fail unguarded."""
        if node.level or alias.name == "*" or not (node.module or "").startswith("tensorflow"):
            return False
        path = f"{node.module}.{alias.name}"
        return (
            bool(lines_without(path, (OLD, NEW)) or needs_legacy_keras(path))
            and not self.names.uses(alias.asname or alias.name, self.names.scope_of(node))
            and not is_guarded(self.names, node)
        )

    def _is_class_check(self, node: ast.expr, parent: ast.AST, found: Symbol) -> bool:
        """Whether ``isinstance`` or an annotation names a class that includes the objects of TensorFlow 1 as well."""
        if not is_wider(found.tail):
            return False
        holder = self.names.parents[parent] if isinstance(parent, ast.Tuple) else parent
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id in _CLASS_CHECKS:
            return len(holder.args) == 2 and holder.args[1] in (node, parent)
        return is_annotation(parent, node)

    @property
    def tf1_only(self) -> list[tuple[ast.expr, Symbol]]:
        """The uses of names that only TensorFlow 1 has; in a program for TensorFlow 1 the ambiguous uses too."""
        return [*self.tf1_uses, *self.ambiguous_uses] if self.meaning == 1 else self.tf1_uses

    @property
    def ambiguous_unless_tf1(self) -> list[tuple[ast.expr, Symbol]]:
        """The ambiguous uses; [] if the program is for TensorFlow 1."""
        return [] if self.meaning == 1 else self.ambiguous_uses

    @property
    def is_tf1(self) -> bool:
        """Whether plain ``tensorflow`` means TensorFlow 1 here, by public names that only TensorFlow 1 has."""
        used = (self.tf1_uses, self.ambiguous_uses if self.meaning == 1 else ())
        return self.meaning != 2 and any(found.api == "tf" and not found.is_private for one in used for _, found in one)

    @property
    def changes(self) -> bool:
        """Whether it has names that a migration changes: of ``tf.estimator``, of TensorFlow 1 alone, or moved."""
        is_moved = self.has_moved or self.unread_imports
        return bool(self.estimator_uses or self.mode_calls or self.tf1_only or is_moved)

    @property
    def needs_tf1(self) -> bool:
        """Whether only TensorFlow 1 can run this file, which uses its names or its methods of datasets."""
        return self.is_tf1 or bool(self.iterators)

    def mark_as_tf1(self) -> None:
        """Gives every ambiguous name the meaning of TensorFlow 1."""
        self.meaning, self.unclear_uses = 1, []

    def mark_as_tf2(self, unclear: Collection[tuple[ast.expr, Symbol]] = ()) -> None:
        """Gives every ambiguous name the meaning of TensorFlow 2, except the unclear uses."""
        self.meaning, self.unclear_uses = 2, [*unclear]

    @property
    def iterators(self) -> list[ast.Attribute]:
        """The uses of TensorFlow 1's dataset methods on datasets made here; [] in a file that uses ``tf.compat.v1``."""
        if self.v1_uses or not any(found.tail.startswith("data.") for _, found in self.ambiguous_uses):
            return []
        return [node for method in METHODS_OF_1 for node in self.names.attributes.get(method, ())]

    @cached_property
    def names_estimator(self) -> bool:
        """Whether this file names a class of estimators, to call it, subclass it or pass it on."""
        return any(estimator_kind(found) for _, found in self.estimator_uses)

    @cached_property
    def reads_exports(self) -> bool:
        """Whether this file loads an Estimator's export with the function of contrib."""
        return any(found.tail == READER for _, found in self.estimator_uses)

    @cached_property
    def names_hooks_alone(self) -> bool:
        """Whether every name of the Estimator API here also has another name, as hooks do, and no session saves."""
        found = [one for _, one in self.estimator_uses]
        sessions = ("train.Saver", "train.Supervisor", "train.MonitoredTrainingSession", "Session")
        return bool(found) and all(one.has_other_name for one in found) and self.uses.keys().isdisjoint(sessions)

    @cached_property
    def uses_library(self) -> bool:
        """Whether this file uses a library that creates, accepts or subclasses TensorFlow's Estimators."""
        return any(libraries_in(self.names))

    @cached_property
    def names_estimator_of_library(self) -> bool:
        """Whether this file names an estimator of such a library: ``tensorflow_gan.estimator.GANEstimator``."""
        return any("stimator" in dotted.partition(".")[2] for _, dotted, _ in libraries_in(self.names))

    @property
    def lacks_estimator(self) -> bool:
        """Whether this file configures or trains an estimator, but names none of TensorFlow or a library."""
        return bool(self.sites) and not self.names_estimator and not self.uses_library

    @property
    def names_api(self) -> bool:
        """Whether this file uses a name that only the Estimator API has, or chooses eager or graph mode."""
        return bool(self.mode_calls) or not all(found.has_other_name for _, found in self.estimator_uses)

    @property
    def affects_importers(self) -> bool:
        """Whether migrating this file for one program changes it for all programs that import it."""
        return bool(self.mode_calls) or not all(one.has_other_name or one.is_mode for _, one in self.estimator_uses)

    @cached_property
    def has_single_sites(self) -> bool:
        """Whether a rule for single sites may find one here."""
        data = self.text.encode(errors="surrogatepass")
        return may_resume(data) or may_train_imported(data) or not SINGLE_SITES.isdisjoint(self.uses)

    def calls_of(self, *tails: str) -> list[ast.Call]:
        """Returns the calls of TensorFlow or Keras functions, given by ``Symbol.tail`` (``train.Checkpoint``)."""
        nodes = [(node, self.names.parent(node)) for tail in tails for node in self.uses.get(tail, [])]
        calls = [parent for node, parent in nodes if isinstance(parent, ast.Call) and parent.func is node]
        return sorted(calls, key=lambda call: (call.lineno, call.col_offset))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Returns the position of ``node``, with columns in characters."""
        end_line, end_byte = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        column = self.source.column
        return Span(node.lineno, column(node.lineno, node.col_offset), end_line, column(end_line, end_byte))


def module_of(source: SourceText) -> Module:
    """Returns the module of a file, which is analysed once in a run; two files of the same text share no node."""
    own = copy(_bind_module(os.path.abspath(source.path), source.text, parse(source)))
    own.path = source.path
    return own


@tree_cache
def _bind_module(path: str, text: str, tree: ast.Module) -> Module:
    return Module(path, text, tree)


_CLASS_CHECKS = {"isinstance", "issubclass"}
MODE_CALLS = {"disable_eager_execution", "disable_v2_behavior", "enable_eager_execution", "enable_v2_behavior"}


def _site_kind(found: Symbol) -> str | None:
    if found.tail in RUN_CONFIGS:
        return "run_config"
    if found.tail in INPUT_FNS:
        return "input_fn"
    if found.tail == "estimator.train_and_evaluate":
        return "train_and_evaluate"
    return "estimator" if estimator_kind(found) else None
