"""One rule a file, in folders by what it is about.

Importing this package registers them all in ``RULES``, in the order of their codes.
"""

import importlib
import pkgutil

from migrate.rules.rule import RULES, Rule

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
_in_order = dict(sorted(RULES.items()))
RULES.clear()
RULES.update(_in_order)
NAMED = {rule.name: rule for rule in RULES.values()}

OBJECT_FORM = tuple(
    NAMED[name]
    for name in (
        *("several_files", "horovod_program", "model_to_estimator"),
        *("object_form", "contrib_names", "tensorflow_1_import", "dataset_made_outside"),
        *("visible_checkpoints", "removed_model_dir", "missing_names"),
    )
)
"""The rules of a program in object form, each over all of its files: those of names read what stands for others."""

__all__ = ["NAMED", "OBJECT_FORM", "RULES", "Rule"]
