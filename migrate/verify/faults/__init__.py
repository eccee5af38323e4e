"""The faults, by the names that ``--fault`` takes; each says in its first line what it does."""

from migrate.verify.faults.changed import ChangedSeed, WrongOptimizer
from migrate.verify.faults.disk import DiskFull
from migrate.verify.faults.fault import Fault, FaultUnavailable, Place
from migrate.verify.faults.files import EmptyState, LostState, TornData, TornIndex
from migrate.verify.faults.kills import Kill, RandomKills, TwoKills
from migrate.verify.faults.raised import (
    ExceptionInHook,
    KeyboardInterruption,
    RaisedException,
    Terminate,
)
from migrate.verify.faults.save import KillInSave
from migrate.verify.faults.workers import (
    KilledChief,
    KilledEvaluator,
    KilledServer,
    KilledTogether,
    KilledWorker,
)

__all__ = ["FAULTS", "Fault", "FaultUnavailable", "Place"]

FAULTS: dict[str, type[Fault]] = {
    fault.name: fault
    for fault in (
        RaisedException,
        ExceptionInHook,
        KeyboardInterruption,
        Terminate,
        Kill,
        RandomKills,
        KillInSave,
        TwoKills,
        TornData,
        TornIndex,
        LostState,
        EmptyState,
        DiskFull,
        KilledWorker,
        KilledChief,
        KilledTogether,
        KilledServer,
        KilledEvaluator,
        WrongOptimizer,
        ChangedSeed,
    )
}
"""Every fault by its name."""
