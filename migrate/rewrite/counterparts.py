"""What stands for each name of the Estimator API in the object form."""

from dataclasses import dataclass

from migrate.analysis.source.symbols import Symbol
from migrate.helpers import package
from migrate.tensorflow import contrib

_MODULES = frozenset({"", "experimental", "export", "inputs", "predictor", "tpu", "tpu.experimental"})
"""The modules of ``tf.estimator``, and the one of contrib that reads its exports."""

_OTHER_NAMES = {"tpu.RunConfig": "TPURunConfig"}
"""Names whose last part is that of another class."""


@dataclass(frozen=True)
class Counterpart:
    """What stands for a name.

    Attributes:
      name: a class or function of the runtime package, or a name of ``tensorflow.compat.v1``.
      is_emitted: which of the two.
      rest: what the program reads off it, with its dot: ``.TRAIN`` of ``ModeKeys``.
    """

    name: str
    is_emitted: bool
    rest: str = ""

    def words(self) -> str:
        """The name, in words."""
        return f"the generated {self.name}" if self.is_emitted else f"tf.compat.v1.{self.name}"


def is_module(found: Symbol) -> bool:
    """Whether a symbol is a module of the Estimator API, and none of its names."""
    inside = f"{found.tail}.".removeprefix("estimator.").rstrip(".")
    return f"{found.tail}.".startswith("estimator.") and inside in _MODULES


def counterpart(found: Symbol, is_v1: bool) -> Counterpart | None:
    """What stands for a name of ``tf.estimator``, wherever contrib or a private module keeps it; None for nothing.

    Args:
      found: the symbol, whose tail begins with ``estimator.``.
      is_v1: whether a premade estimator of that name is TensorFlow 1's.
    """
    if found.is_contrib_learn:
        return _of_contrib_learn(found)
    parts = found.tail.removeprefix("estimator.").split(".")
    for end in range(len(parts), 0, -1):
        name, rest = ".".join(parts[:end]), "".join(f".{part}" for part in parts[end:])
        if ".".join(parts[: end - 1]) not in _MODULES:
            continue
        emitted = _OTHER_NAMES.get(name, parts[end - 1])
        if not is_v1 and f"{emitted}V2" in package.public():
            emitted += "V2"
        if emitted in package.public():
            return Counterpart(emitted, True, rest)
    return Counterpart(found.other_name, False) if found.other_name is not None else None


def _of_contrib_learn(found: Symbol) -> Counterpart | None:
    private = found.qualified.partition(".contrib.")[2]  # of what no package shows
    for parts in (contrib.name_of(found.qualified).split("."), private.split(".")):
        for end in range(len(parts), 1, -1):
            for row in contrib.rows_of(".".join(parts[:end])):
                piece, *inside = row.successor.split(".")
                if row.kind == "estimator" and piece in package.public():
                    return Counterpart(piece, True, "".join(f".{part}" for part in (*inside, *parts[end:])))
    return None
