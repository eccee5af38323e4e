"""One rule a file. Importing this package registers them all in ``RULES``, in the order of their codes."""

import importlib
import pkgutil

from migrate.rules.rule import RULES, Rule

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
_in_order = dict(sorted(RULES.items()))
RULES.clear()
RULES.update(_in_order)

__all__ = ["RULES", "Rule"]
