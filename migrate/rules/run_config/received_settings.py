"""The settings of a RunConfig as the estimators receive them: ``replace`` may change some on the way."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import Unbindable, bind, is_none
from migrate.analysis.source.constructors import (
    CUSTOM_PARAMETERS,
    KERAS_PARAMETERS,
    RUN_CONFIG_PARAMETERS,
    TPU_PARAMETERS,
)
from migrate.analysis.source.module import Module, Site
from migrate.analysis.source.names import FARTHEST
from migrate.analysis.source.scopes import Binding, FunctionNode
from migrate.analysis.source.symbols import RUN_CONFIGS, estimator_kind, symbol_of
from migrate.analysis.values.callers import given_for
from migrate.analysis.values.uses import HiddenUse
from migrate.analysis.values.values import Unfollowable, Values

_PARAMETERS = {"custom": CUSTOM_PARAMETERS, "keras": KERAS_PARAMETERS, "tpu": TPU_PARAMETERS}
_OF_PREMADE = ("", "", "")
"""What stands before the config of a premade estimator, at least."""
_OTHER_INTERVAL = {"save_checkpoints_steps": "save_checkpoints_secs", "save_checkpoints_secs": "save_checkpoints_steps"}


@dataclass(frozen=True)
class ReceivedSettings:
    """The settings that one estimator receives of a RunConfig.

    Attributes:
      settings: the expressions by parameter name, each with its file; a cleared interval is missing.
      is_keras: whether ``model_to_estimator`` receives them, which keeps five checkpoints whatever they say.
    """

    made: ast.Call
    settings: Mapping[str, tuple[Module, ast.expr]]
    is_keras: bool = False


class _Unknown(Exception):
    """The settings are not seen."""


def received_settings(tree: Tree, modules: Sequence[Module], made: ast.Call) -> list[ReceivedSettings]:
    """The settings that the estimators of some files receive of a RunConfig; none where not all of that is seen."""
    found: list[ReceivedSettings] = []
    follower = _Follower(tree)
    for module in modules:
        for site in module.sites:
            if site.kind != "estimator":
                continue
            try:
                found += follower.of_estimator(module, site)
            except _Unknown:
                return []
    return [one for one in found if one.made is made]


class _Follower:
    def __init__(self, tree: Tree) -> None:
        self._tree, self._values = tree, Values(tree)

    def of_estimator(self, module: Module, site: Site) -> list[ReceivedSettings]:
        kind = estimator_kind(site.symbol) or ""
        try:
            given = bind(site.node, _PARAMETERS.get(kind, _OF_PREMADE))
        except Unbindable as reason:
            raise _Unknown from reason
        config = given.get("config")
        if config is None or is_none(config):
            return []
        return [ReceivedSettings(one.made, one.settings, kind == "keras") for one in self._of(module, config, 0)]

    def _of(self, module: Module, node: ast.expr, depth: int) -> Iterator[ReceivedSettings]:
        """The configs that an expression may be."""
        if depth > FARTHEST:
            raise _Unknown
        if isinstance(node, ast.IfExp):
            yield from self._of(module, node.body, depth + 1)
            yield from self._of(module, node.orelse, depth + 1)
        elif isinstance(node, ast.Name):
            yield from self._of_name(module, node, depth + 1)
        elif isinstance(node, ast.Call):
            yield from self._of_call(module, node, depth + 1)
        elif not is_none(node):
            ends = self._values.ends(module, node)
            if any(end.node is node for end in ends):
                raise _Unknown
            for end in ends:
                if not isinstance(end.node, ast.expr):
                    raise _Unknown
                yield from self._of(end.module, end.node, depth + 1)

    def _of_name(self, module: Module, name: ast.Name, depth: int) -> Iterator[ReceivedSettings]:
        names = module.names
        value = names.value_there(name)
        if value is not None:
            yield from self._of(module, value, depth)
            return
        bindings = names.bound(name)
        if len(bindings) == 1 and isinstance(bindings[0].node, ast.arg):
            try:
                given = given_for(self._tree, module, bindings[0].node)
            except HiddenUse as reason:
                raise _Unknown from reason
            for where, one in given:
                yield from self._of(where, one, depth)
            return
        if len(bindings) == 1 and bindings[0].imported is not None:
            owner, own = self._tree.owner(module, bindings[0].imported)
            values = owner.names.top.bindings.get(own, []) if owner is not None else []
            if owner is None or len(values) != 1 or values[0].value is None:
                raise _Unknown
            yield from self._of(owner, values[0].value, depth)
            return
        for one in _last_assigned(module, name, bindings):
            yield from self._of(module, one, depth)

    def _of_call(self, module: Module, call: ast.Call, depth: int) -> Iterator[ReceivedSettings]:
        found = symbol_of(module.names, call.func)
        if found is not None and found.tail in RUN_CONFIGS and not found.is_contrib_learn:
            is_tpu = found.tail.startswith("estimator.tpu.")
            yield ReceivedSettings(call, self._bind(module, call, () if is_tpu else RUN_CONFIG_PARAMETERS))
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "replace" and not call.args:
            changes = self._bind(module, call, ())
            for one in self._of(module, call.func.value, depth):
                yield ReceivedSettings(one.made, _replace_settings(one.settings, changes))
        else:
            yield from self._settings_returned(module, call, depth)

    def _bind(self, module: Module, call: ast.Call, parameters: Sequence[str]) -> dict[str, tuple[Module, ast.expr]]:
        try:
            return {name: (module, value) for name, value in bind(call, parameters).items()}
        except Unbindable as reason:
            raise _Unknown from reason

    def _settings_returned(self, module: Module, call: ast.Call, depth: int) -> Iterator[ReceivedSettings]:
        """What a function of the user's returns."""
        try:
            functions = self._values.functions(module, call.func)
        except Unfollowable as reason:
            raise _Unknown from reason
        for function in functions:
            assert isinstance(function.node, FunctionNode)
            names = function.module.names
            values = [one.value for one in names.returns(function.node)]
            if isinstance(function.node, ast.Lambda):
                values = [function.node.body]
            if not values or function.node in names.yielding:
                raise _Unknown
            for value in values:
                if value is None:
                    raise _Unknown
                yield from self._of(function.module, value, depth)


def _last_assigned(module: Module, name: ast.Name, bindings: Sequence[Binding]) -> list[ast.expr]:
    """What a variable may hold where it is read: what was assigned to it last, and in branches after that."""
    names = module.names
    around = {*names.ancestors(name)}
    before = sorted((one for one in bindings if _line(one.node) < name.lineno), key=lambda one: _line(one.node))
    is_again = any(isinstance(one, ast.For | ast.While) for one in around)
    if (
        is_again
        or not before
        or any(one.value is None or names.scope_of(one.node) is not names.scope_of(name) for one in bindings)
    ):
        raise _Unknown
    straight = [at for at, one in enumerate(before) if names.parent(names.statement_of(one.node)) in around]
    return [one.value for one in before[straight[-1] if straight else 0 :] if one.value is not None]


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _replace_settings(
    settings: Mapping[str, tuple[Module, ast.expr]], changes: Mapping[str, tuple[Module, ast.expr]]
) -> dict[str, tuple[Module, ast.expr]]:
    """The settings after a ``replace``: an interval that it gives takes the place of the other one."""
    cleared = {other for name, other in _OTHER_INTERVAL.items() if name in changes and not is_none(changes[name][1])}
    return {**{name: value for name, value in settings.items() if name not in cleared}, **changes}
