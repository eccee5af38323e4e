"""Runs a program, interrupts it, starts it again until it ends, and records each start and what the guard stopped."""

import os
import re
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from migrate.verify.child import Child, attempt_of_all
from migrate.verify.differences import read_variables
from migrate.verify.exports import read_exports
from migrate.verify.faults.fault import Fault
from migrate.verify.record import Attempt, Event, Record
from migrate.verify.training_program import PREFIX, Program, ProgramError, copy_directory, fault_task, task_variables

CHECKPOINT_ACTIONS = ("save to", "restore from")
DIRECTORY_ADVICE = (
    "let it take its directory from an argument (--model-dir-flag, or {model_dir} in --args) "
    "or from a variable (--env NAME={model_dir})"
)
RECOVERY = ".recovery"
"""The directory with a recovery's files, a sibling of the directory that the program saves in, or of its parent."""
_TIME = re.compile("[0-9]{8}")  # an export's directory is named after the second in which it was made
_DENIAL = re.compile(r"(?P<path>/[^\s;:'\"]+)['\"]?;? .*[Pp]ermission denied|[Pp]ermission denied: '(?P<named>[^']+)'")


def start_refusal(model_dir: Path, attempt: Attempt) -> str:
    """Returns why a start does not count, as the end of a sentence about the program; "" if it counts.

    It does not if the program's checkpoints are outside its directory, or if it failed because the guard stopped it.
    """
    events = attempt.events_of("stopped")
    stopped = next((event for event in events if event["what"] in CHECKPOINT_ACTIONS), None)
    if stopped is None and not attempt.finished:
        stopped = next(iter(events), None) or _kernel_refusal(attempt)
    return _refusal_text(stopped, model_dir) if stopped is not None else ""


def notes(attempt: Attempt) -> list[str]:
    """Returns a note for each thing that the guard stopped."""
    texts = map(_action_text, attempt.events_of("stopped"))
    return [f"it was kept from this: {text}" for text in dict.fromkeys(texts)]


def _action_text(event: Event) -> str:
    at = f" ({event['place']})" if event["place"] else ""
    return f"{event['what']} {event['path']}{at}"


def _refusal_text(event: Event, model_dir: Path) -> str:
    outside = f"outside of the directory that it is given, {model_dir}: that was stopped before"
    told, directory = f"would {_action_text(event)}, {outside}", _directory_to_allow(event)
    if event["what"] == "restore from":
        return f"{told}; {DIRECTORY_ADVICE}; if it is an input, such as pretrained weights, add --allow {directory}"
    if event["what"] == "save to":
        return f"{told}; {DIRECTORY_ADVICE}"
    if _holds_checkpoints(directory):
        return f"{told}; {DIRECTORY_ADVICE}; or move away the files of an earlier run from {directory}"
    return f"{told}; if it is meant, as a download or a log is, add --allow {directory}; else {DIRECTORY_ADVICE}"


def _directory_to_allow(event: Event) -> str:
    """Returns the directory for ``--allow``, without the parts of the path that differ between starts."""
    path = str(event["path"])
    is_directory = event["what"].endswith("directory") or os.path.isdir(path)
    path = path if is_directory or not os.path.splitext(path)[1] else os.path.dirname(path)
    while _TIME.search(os.path.basename(path)):
        path = os.path.dirname(path)
    return path


def _holds_checkpoints(directory: str) -> bool:
    """Whether a directory or its parent has checkpoints, as of a real job."""
    places = (Path(directory), Path(directory).parent)
    return any(next(place.glob(name), None) is not None for place in places for name in ("checkpoint", "*.index"))


def _kernel_refusal(attempt: Attempt) -> Event | None:
    """Returns the change that the kernel refused, as found in the message of an exception; None if it refused none."""
    for event in attempt.events_of("exception"):
        found = _DENIAL.search(event["message"])
        if found:
            path = os.path.abspath(found["path"] or found["named"])
            return {"what": "change", "path": path, "place": event.get("place", "")}
    return None


def outside_reason(model_dir: Path, attempt: Attempt) -> str:
    """Returns the end of a sentence on a program that has checkpoints only outside ``model_dir``; else ""."""
    used = [event["path"] for event in attempt.events if event["event"] in ("save", "restore", "restore_failed")]
    paths = [path for path in used if os.path.isabs(path) or "://" in path]
    beside = [above / RECOVERY for above in (model_dir.parent, model_dir.parent.parent)]
    own = [Path(os.path.realpath(path)) for path in (model_dir, *beside)]
    if not paths or any(Path(os.path.realpath(path)).is_relative_to(one) for path in paths for one in own):
        return ""
    return f"uses {paths[0]}, not the directory that it is given, so that nothing of it can resume: {DIRECTORY_ADVICE}"


TIMEOUT_SECONDS = 300.0

TENSORFLOW_LOG = re.compile(r"[IW]0000 |\d{4}-\d\d-\d\d .*: [IW] |WARNING: All log messages before absl")

Progress = Callable[[str], None]
"""Is called with a few words on what is being done."""


def run(
    program: Program,
    model_dir: str | Path,
    fault: Fault | None = None,
    start: int = 0,
    timeout: float = TIMEOUT_SECONDS,
) -> Attempt:
    """Starts the program once, and waits for its end.

    Args:
      start: the number of this start in an interrupted run, from 0; a fault strikes only at some starts.
    """
    deadline = time.time() + timeout
    directory = Path(model_dir)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as scratch, ExitStack() as stack:
        children = [
            stack.enter_context(Child(program, directory, Path(scratch) / str(index), each, variables))
            for index, (each, variables) in enumerate(
                zip(_instructions(program, fault, start), task_variables(program.tasks), strict=True)
            )
        ]
        for each in children:
            each.job = children
            each.first_tasks = dict(zip(reversed(program.tasks), reversed(children), strict=True))
        if fault and start < fault.interruptions:
            fault.watch(children[fault_task(program.tasks, fault.worker)], start, deadline)
        return attempt_of_all(children, program.tasks, deadline)


def _instructions(program: Program, fault: Fault | None, start: int) -> list[dict[str, Any] | None]:
    """Returns the instruction of each task; all but the task that the fault strikes have None."""
    instructions: list[dict[str, Any] | None] = [None] * len(program.tasks)
    if fault is not None and start < fault.interruptions:
        instructions[fault_task(program.tasks, fault.worker)] = fault.instruction(start)
    return instructions


def run_interrupted(
    program: Program,
    fault: Fault | None = None,
    model_dir: str | Path | None = None,
    initial: str | Path | None = None,
    timeout: float = TIMEOUT_SECONDS,
    progress: Progress = lambda what: None,
    variables: bool = False,
    seen: Callable[[Attempt], None] = lambda attempt: None,
) -> Record:
    """Runs the program to its end, interrupted by ``fault`` and started again with the same command.

    Args:
      model_dir: its directory; None for a temporary one, which is removed at the end.
      initial: a directory that is copied into ``model_dir`` first, so that two programs start from one checkpoint.
      variables: whether to read the last checkpoint's variables into the record, and the exports of an undisturbed
        run; each of both starts TensorFlow once more.
      seen: is called with the attempt of an undisturbed run.

    Raises:
      ProgramError: if the interpreter is missing, or the program failed before the fault struck.
    """
    if model_dir is None:
        with tempfile.TemporaryDirectory(prefix=PREFIX) as place:
            return run_interrupted(program, fault, Path(place) / "model", initial, timeout, progress, variables, seen)
    directory = Path(model_dir).resolve()
    if initial is not None:
        copy_directory(Path(initial), directory)
    if fault is None:
        progress("undisturbed")
        attempt = run(program, directory, timeout=timeout)
        outside = start_refusal(directory, attempt) or (outside_reason(directory, attempt) if attempt.finished else "")
        if outside:
            raise ProgramError(f"the program {outside}")
        if not attempt.finished:
            raise ProgramError(f"the program fails by itself: {attempt.error}\n{_log_of(program, directory, attempt)}")
        seen(attempt)
        attempts = [attempt]
    else:
        with fault.prepare(program, directory) as prepared:
            attempts = _attempts(prepared, fault, directory, timeout, progress)
    return Record(
        attempts,
        directory,
        fault.name if fault else "",
        steps_on_disk(directory, attempts),
        read_variables(program, directory) if variables else {},
        [*(fault.notes if fault else []), *notes(attempts[0])],
        steps_on_disk(Path(initial), []) if initial is not None else [],
        read_exports(program, directory) if variables and fault is None else {},
    )


def _attempts(program: Program, fault: Fault, model_dir: Path, timeout: float, progress: Progress) -> list[Attempt]:
    attempts: list[Attempt] = []
    for start in range(fault.interruptions):
        progress(f"start {start + 1}, until {fault.name}")
        attempt = run(program, model_dir, fault, start, timeout)
        attempts.append(attempt)
        if attempt.finished:
            fault.notes.append(f"start {start + 1} finished before it could be interrupted ({fault.name})")
            return attempts
        _expect_struck(program, model_dir, attempt)
        fault.after_interruption(model_dir, attempt)
    progress(f"start {len(attempts) + 1}, to the end")
    return [*attempts, run(program, model_dir, fault, fault.interruptions, timeout)]


def _expect_struck(program: Program, model_dir: Path, attempt: Attempt) -> None:
    """Raises ProgramError if the program failed by itself, as by a crash in native code, before the fault struck."""
    killed = attempt.code == -signal.SIGKILL and not attempt.timed_out
    if attempt.fault is None and not killed:
        last = attempt.steps[-1] if attempt.steps else attempt.started_at
        where = "before its first step" if last is None else f"at step {last}"
        log = _log_of(program, model_dir, attempt)
        raise ProgramError(f"the program fails by itself {where}: {attempt.error}\n{log}")


def _log_of(program: Program, model_dir: Path, attempt: Attempt) -> str:
    """Returns the command of a start and its last 12 lines of output, without TensorFlow's own log."""
    own = [line for line in attempt.output.strip().splitlines() if not TENSORFLOW_LOG.match(line)]
    outside = start_refusal(model_dir, attempt) or outside_reason(model_dir, attempt)
    log = [f"started as: {program.shell_command(model_dir)}", *own[-12:]]
    return "\n".join([*log, f"The program {outside}"] if outside else log)


def steps_on_disk(model_dir: Path, attempts: list[Attempt]) -> list[int]:
    """Returns the steps of the checkpoints in the directory, as recorded when they were saved or as in their names."""
    saved = {
        Path(event["path"]).name: event["step"]
        for attempt in attempts
        for event in attempt.events
        if event["event"] in ("save", "restore") and event.get("step") is not None
    }
    steps = set()
    for index in model_dir.rglob("*.index"):
        name = index.name[: -len(".index")]
        number = name.rpartition("-")[2]
        if name in saved:
            steps.add(saved[name])
        elif number.isdigit():
            steps.add(int(number))
    return sorted(steps)
