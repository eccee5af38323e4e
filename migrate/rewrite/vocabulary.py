"""Chooses names for new code in a module: of modules, runtime classes and new variables."""

from migrate.analysis.source.module import Module
from migrate.analysis.source.scopes import Binding, Scope
from migrate.runtime_files.package import PACKAGE


class Vocabulary:
    """The names that new code in one module may use.

    Attributes:
      tf: the name of plain ``tensorflow`` in this module.
      imports: the imports that these names need.
      aliases: the names to import runtime classes and functions as, where the module uses their own names otherwise.
      freed: the bindings of removed statements, whose names new code may use.
    """

    def __init__(self, module: Module, aliases: dict[str, str] | None = None) -> None:
        self.module = module
        self.imports: set[str] = set()
        self.aliases: dict[str, str] = {} if aliases is None else aliases
        self.freed: set[Binding] = set()
        self._taken: set[str] = set()
        self._standard: dict[str, str] = {}
        self._tf = self._existing_name("tensorflow")
        self._tf2 = ""

    @property
    def tf(self) -> str:
        if self._tf is None:
            names = self.module.names
            is_free = not names.is_bound_anywhere("tf") or names.is_only_import_of("tf", "tensorflow")
            self._tf = "tf" if is_free else self.unused_name("tf2")
            self._import("tensorflow", self._tf)
        elif not self.module.is_tf1:
            self._import("tensorflow", self._tf)
        return self._tf

    @property
    def tf2(self) -> str:
        """The name of plain ``tensorflow``, also where the rewrite makes ``tf`` a name of ``tensorflow.compat.v1``."""
        if not self.module.is_tf1:
            return self.tf
        self._tf2 = self._tf2 or self.unused_name("tf2")
        self._import("tensorflow", self._tf2)
        return self._tf2

    @property
    def v1_or_tf(self) -> str:
        """The name of plain ``tensorflow``, or of ``tensorflow.compat.v1`` where the file imports only that."""
        own = self._existing_name("tensorflow.compat.v1") if self._tf is None else None
        return own or self.tf

    def v1(self, becomes_v1: bool) -> str:
        """Returns source for ``tensorflow.compat.v1``; the name of plain ``tensorflow`` where that ``becomes_v1``."""
        own = (self._tf if becomes_v1 else None) or self._existing_name("tensorflow.compat.v1")
        return own or f"{self.tf}.compat.v1"

    def standard_module(self, name: str) -> str:
        """Returns the name of a standard library module, and imports it where the file does not."""
        names, known = self.module.names, self._standard.get(name) or self._existing_name(name)
        if known is None:
            is_free = not names.is_bound_anywhere(name) or names.is_only_import_of(name, name)
            known = name if is_free else self.unused_name(name)
        self._standard[name] = known
        self._import(name, known)
        return known

    def runtime_name(self, name: str) -> str:
        """Returns the name of a runtime class or function in this module."""
        bindings = [one for one in self.module.names.bindings_of(name) if one not in self.freed]
        if name not in self.aliases and any(map(is_users_binding, bindings)):
            self.aliases[name] = self.unused_name(name)
        return self.aliases.get(name, name)

    def _import(self, module: str, name: str) -> None:
        """Asks for an import, which is not added where the file has it above the first use."""
        self.imports.add(f"import {module}" if name == module else f"import {module} as {name}")

    def unused_name(self, name: str, scope: Scope | None = None) -> str:
        """Returns ``name``, or ``name_2`` and so on where the file uses it already.

        Args:
          scope: the scope that will bind it; None for several scopes.
        """
        candidate, number = name, 1
        names = self.module.names
        while candidate in self._taken or (
            names.is_bound_anywhere(candidate) if scope is None else names.is_visible_in(scope, candidate)
        ):
            number += 1
            candidate = f"{name}_{number}"
        self._taken.add(candidate)
        return candidate

    def _existing_name(self, module: str) -> str | None:
        names = self.module.names
        return next((name for name in names.top.bindings if names.is_only_import_of(name, module)), None)


def is_users_binding(binding: Binding) -> bool:
    """Whether a binding is of the user's code, not an import of TensorFlow or of the runtime."""
    origin = (binding.imported or "").split(".")
    return not origin[0].startswith("tensorflow") and PACKAGE not in origin[:-1]
