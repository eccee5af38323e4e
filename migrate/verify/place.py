"""Where a run takes place."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """Where a run takes place.

    Attributes:
      directory: the program's directory, as this process reaches it.
      command: what the program's own command is put behind.
    """

    directory: Path
    command: list[str] = field(default_factory=list)
