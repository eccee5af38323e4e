"""The faults, by the names that ``--fault`` takes; each says in its first line what it does."""

from migrate.verify.faults.changed import ChangedSeed, WrongOptimizer
from migrate.verify.faults.disk import DiskFull
from migrate.verify.faults.fault import Fault, FaultUnavailable
from migrate.verify.faults.files import (
    EmptyState,
    FlippedData,
    FlippedIndex,
    GarbledState,
    LostState,
    TornData,
    TornIndex,
    ZeroedData,
    ZeroedIndex,
)
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

__all__ = ["FAULTS", "Fault", "FaultUnavailable"]

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
        ZeroedData,
        ZeroedIndex,
        FlippedData,
        FlippedIndex,
        LostState,
        EmptyState,
        GarbledState,
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
