"""A ``ModelCheckpoint`` that stays beside the new recovery, without what Keras 3 refuses."""

from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.trainings import Saver

_KERAS3_SUFFIXES = {True: (".weights.h5",), False: (".keras", ".h5")}
"""What the name of a ``ModelCheckpoint``'s file may end in on Keras 3, the best first, by whether it saves weights."""
_GONE = ("load_weights_on_restart", "period", "options")


def fit_for_keras3(saver: Saver, target: str) -> tuple[list[str], list[str]]:
    """The arguments of a callback that Keras 3 refuses, and what the user is to know of it.

    Args:
      saver: the callback, which stays.
      target: the TensorFlow that the output runs on.
    """
    gone = {name for name in _GONE if name in saver.arguments}
    gone = gone if target != "keras2" else gone & {"load_weights_on_restart"}
    told = [f"{name} is removed, because Keras 3 does not take it" for name in sorted(gone)]
    return sorted(gone), [*_refused_suffix(saver, target), *told]


def _refused_suffix(saver: Saver, target: str) -> Iterator[str]:
    """Tells of a file's name that Keras 3 refuses. It stays: an old job's file and other programs have it."""
    given = saver.arguments.get("save_weights_only")
    only_weights = literal(given) if given is not None else False
    if target == "keras2" or not isinstance(only_weights, bool) or saver.path.endswith("⟩"):
        return
    suffixes = _KERAS3_SUFFIXES[only_weights]
    if not saver.path.endswith(suffixes):
        yield (
            f"Keras 3 takes a ModelCheckpoint's file only if it ends in {suffixes[0]}: name it so here and where"
            " others read it; where an old job's file is read its name stays"
        )
