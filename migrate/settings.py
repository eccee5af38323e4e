"""What the user asked for, from the command line and the project's settings file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The choices that decide what is found and what is written.

    Attributes:
      recovery: the recovery target, ``auto``, ``checkpoint-manager`` or ``backup-and-restore``.
      target: the TensorFlow that the output runs on, ``portable`` (both lines), ``keras2`` or ``keras3``.
      input: where the input stands after a resume, ``restart`` (at its first element, as an Estimator's) or ``continue``.
      select: codes or prefixes of the rules to use; empty means all.
      ignore: codes or prefixes of the rules to leave out.
      module_name: the module that the emitted pieces are written to when a file does not hold them itself.
    """

    recovery: str = "auto"
    target: str = "portable"
    input: str = "restart"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    module_name: str = "tf2_recovery"
