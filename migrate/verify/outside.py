"""What to tell of a program that would have changed, or resumed from, something outside of its run's directory."""

import os
import re
from pathlib import Path

from migrate.verify.record import Attempt, Event

OF_CHECKPOINTS = ("save to", "restore from")
GIVE = (
    "let it take its directory from an argument (--model-dir-flag, or {model_dir} in --args) "
    "or from a variable (--env NAME={model_dir})"
)
RECOVERY = ".recovery"
"""Where a recovery keeps its files: beside the folder that the program saves in, or that around it."""
_TIME = re.compile("[0-9]{8}")  # an export is named by the second in which it was made
_REFUSED = re.compile(r"(?P<path>/[^\s;:'\"]+)['\"]?;? .*[Pp]ermission denied|[Pp]ermission denied: '(?P<named>[^']+)'")


def start_refusal(model_dir: Path, attempt: Attempt) -> str:
    """Returns why a start cannot count, as the end of a sentence about the program; empty where it can.

    It cannot where a checkpoint of its own is outside, or where it failed because it was kept from changing something.
    """
    events = attempt.of("stopped")
    told = next((event for event in events if event["what"] in OF_CHECKPOINTS), None)
    if told is None and not attempt.finished:
        told = next(iter(events), None) or _refused_by_the_kernel(attempt)
    return _sentence(told, model_dir) if told is not None else ""


def notes(attempt: Attempt) -> list[str]:
    """What a start was kept from and did without."""
    return list(dict.fromkeys(f"it was kept from this: {_would(event)}" for event in attempt.of("stopped")))


def _would(event: Event) -> str:
    at = f" ({event['place']})" if event["place"] else ""
    return f"{event['what']} {event['path']}{at}"


def _sentence(event: Event, model_dir: Path) -> str:
    told = f"would {_would(event)}, outside of the directory that it is given, {model_dir}: that was stopped before"
    if event["what"] == "restore from":
        return f"{told}; {GIVE}; if it is an input, such as pretrained weights, add --allow {_above(event)}"
    if event["what"] == "save to":
        return f"{told}; {GIVE}"
    if _holds_checkpoints(_above(event)):
        return f"{told}; {GIVE}"
    return f"{told}; if it is meant, as a download or a log is, add --allow {_above(event)}; else {GIVE}"


def _above(event: Event) -> str:
    """The directory to allow, which is the same in each start."""
    path = str(event["path"])
    is_directory = event["what"].endswith("directory") or os.path.isdir(path)
    path = path if is_directory or not os.path.splitext(path)[1] else os.path.dirname(path)
    while _TIME.search(os.path.basename(path)):
        path = os.path.dirname(path)
    return path


def _holds_checkpoints(directory: str) -> bool:
    """Whether a real job seems to be in a directory, or beside what is made in it."""
    places = (Path(directory), Path(directory).parent)
    return any(next(place.glob(name), None) is not None for place in places for name in ("checkpoint", "*.index"))


def _refused_by_the_kernel(attempt: Attempt) -> Event | None:
    """What the kernel refused, which only the error tells."""
    for event in attempt.of("exception"):
        found = _REFUSED.search(event["message"])
        if found:
            path = os.path.abspath(found["path"] or found["named"])
            return {"what": "change", "path": path, "place": event.get("place", "")}
    return None


def elsewhere(model_dir: Path, attempt: Attempt) -> str:
    """What to tell of a program whose checkpoints are all in a temporary directory of its own; else nothing."""
    used = [event["path"] for event in attempt.events if event["event"] in ("save", "restore", "restore_failed")]
    paths = [path for path in used if os.path.isabs(path) or "://" in path]
    beside = [above / RECOVERY for above in (model_dir.parent, model_dir.parent.parent)]
    own = [Path(os.path.realpath(path)) for path in (model_dir, *beside)]
    if not paths or any(Path(os.path.realpath(path)).is_relative_to(one) for path in paths for one in own):
        return ""
    return f"uses {paths[0]}, not the directory that it is given, so that nothing of it can resume: {GIVE}"
