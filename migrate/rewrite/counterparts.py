"""What stands for each name of the Estimator API in the object form."""

from dataclasses import dataclass

from migrate.analysis.symbols import CANNED, Symbol
from migrate.rewrite.pieces import pieces

_MODULES = frozenset({"", "experimental", "export", "inputs", "tpu", "tpu.experimental"})
"""The modules of ``tf.estimator``."""

_OTHER_NAMES = {"tpu.RunConfig": "TPURunConfig"}
"""Names whose last part is that of another class."""

_OF_CONTRIB_LEARN = {
    "ModeKeys": "ModeKeys",
    "RunConfig": "RunConfig",
    "datasets.load_dataset": "load_dataset",
    "datasets.mnist.load_mnist": "load_mnist",
    "datasets.mnist.read_data_sets": "read_data_sets",
}
"""What ``tf.contrib.learn`` has as ``tf.estimator`` has it."""

_ATTRIBUTES_OF_CONTRIB_LEARN = {".INFER": ".PREDICT"}


@dataclass(frozen=True)
class Counterpart:
    """What stands for a name.

    Attributes:
      name: an emitted class or function, or a name of ``tensorflow.compat.v1``.
      is_emitted: which of the two.
      rest: what the program reads off it, with its dot: ``.TRAIN`` of ``ModeKeys``.
    """

    name: str
    is_emitted: bool
    rest: str = ""


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
    parts = found.tail.removeprefix("estimator.").split(".")
    for end in range(len(parts), 0, -1):
        name, rest = ".".join(parts[:end]), "".join(f".{part}" for part in parts[end:])
        if found.is_contrib_learn:
            if name in _OF_CONTRIB_LEARN:
                return Counterpart(_OF_CONTRIB_LEARN[name], True, _ATTRIBUTES_OF_CONTRIB_LEARN.get(rest, rest))
            continue
        if ".".join(parts[: end - 1]) not in _MODULES:
            continue
        emitted = _OTHER_NAMES.get(name, parts[end - 1])
        if name in CANNED and not is_v1:
            emitted += "V2"
        if emitted in pieces():
            return Counterpart(emitted, True, rest)
    return Counterpart(found.other_name, False) if found.other_name is not None else None
