"""The faults, by the names that ``--fault`` takes; each says in its first line what it does."""

import importlib

from migrate.verify.faults.fault import FAULTS, Fault, FaultUnavailable

for _module in ("save", "damage", "tasks"):  # the help lists their faults in this order, after those of fault.py
    importlib.import_module(f"{__name__}.{_module}")

__all__ = ["FAULTS", "Fault", "FaultUnavailable"]
