"""The record of a program: the events of each attempt, and the steps, saves and losses computed from them."""

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

Event = dict[str, Any]


@dataclass(frozen=True)
class Attempt:
    """One start of the program.

    Attributes:
      code: the process' exit status, negative for a signal as in ``subprocess``.
      output: the last lines that it printed.
    """

    events: list[Event]
    code: int
    output: str = ""
    began: float = 0.0
    ended: float = 0.0
    timed_out: bool = False

    def events_of(self, kind: str) -> list[Event]:
        """Returns the events of one kind, such as ``step``."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def steps(self) -> list[int]:
        """The number of each step that was made, in order."""
        return [event["step"] for event in self.events_of("step")]

    @property
    def started_at(self) -> int | None:
        """The step that training began at; None if it did not begin."""
        starts = self.events_of("start")
        return starts[0]["step"] if starts else None

    @property
    def fault(self) -> Event | None:
        """The event of the fault that struck this attempt; None if none did."""
        return next(iter(self.events_of("fault")), None)

    @property
    def finished(self) -> bool:
        """Whether the program ended by itself without an error."""
        return self.code == 0 and not self.timed_out

    @property
    def seconds_to_first_step(self) -> float | None:
        """The seconds from TensorFlow's import, which forks save, to the end of the first step; None without a step."""
        steps, imported = self.events_of("step"), self.events_of("tensorflow")
        return steps[0]["time"] - (imported[0]["time"] if imported else self.began) if steps else None

    @property
    def error(self) -> str:
        """How it failed, in one line; "" if it did not."""
        if self.finished:
            return ""
        if self.timed_out:
            return "not done in the time that --timeout gives; end it after some hundred steps by --args"
        exceptions = self.events_of("exception")
        if exceptions:
            last = exceptions[-1]
            message = last["message"].strip().splitlines()
            return f"{last['type']}: {message[0] if message else ''}".strip()
        return f"killed by signal {-self.code}" if self.code < 0 else f"exit status {self.code}"


@dataclass(frozen=True)
class Record:
    """A program's run from its first start to its end, with all interruptions.

    Attributes:
      attempts: each start; all but the last were interrupted.
      model_dir: the directory of the run, which may have been removed.
      kept: the steps of the checkpoints that were in the directory at the end.
      variables: the last checkpoint's variables; empty if they were not read.
      notes: what could not be done as asked.
      handed_over: the steps of the checkpoints that were in the directory at the start, where an earlier program saved.
      exports: the signatures and outputs of the newest SavedModels; empty if they were not read.
    """

    attempts: list[Attempt]
    model_dir: Path
    fault: str = ""
    kept: list[int] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    handed_over: list[int] = field(default_factory=list)
    exports: dict[str, Any] = field(default_factory=dict)

    def all_events(self, kind: str) -> list[Event]:
        """Returns the events of one kind in all attempts."""
        return [event for attempt in self.attempts for event in attempt.events_of(kind)]

    @property
    def finished(self) -> bool:
        """Whether the last attempt ended by itself without an error."""
        return bool(self.attempts) and self.attempts[-1].finished

    @property
    def needs_person(self) -> bool:
        """Whether a start after an interruption failed, so that a person has to repair the directory."""
        return len(self.attempts) > 1 and not self.finished

    @property
    def resumed_at(self) -> list[int | None]:
        """The step that training resumed at, for each start after the first; None where it did not begin."""
        return [attempt.started_at for attempt in self.attempts[1:]]

    @property
    def resumed_later(self) -> bool:
        """Whether a start after an interruption began at a later step than the first start."""
        begun = (self.attempts[0].started_at or 0) if self.attempts else 0
        return any(step is not None and step > begun for step in self.resumed_at)

    @property
    def interrupted_at(self) -> list[int]:
        """The last step made before each interruption; 0 if none was made."""
        return [max(attempt.steps, default=attempt.started_at or 0) for attempt in self.attempts[:-1]]

    @property
    def steps_lost(self) -> list[int | None]:
        """The number of steps lost by each interruption; None where training did not begin again."""
        pairs = zip(self.interrupted_at, self.resumed_at, strict=True)
        return [None if at is None else before - at for before, at in pairs]

    @property
    def steps_run(self) -> int:
        """The number of steps made in all attempts."""
        return sum(len(attempt.steps) for attempt in self.attempts)

    @property
    def steps_repeated(self) -> int:
        """The number of steps that were made again."""
        numbers = [step for attempt in self.attempts for step in attempt.steps]
        return len(numbers) - len(set(numbers))

    @property
    def final_step(self) -> int | None:
        for attempt in reversed(self.attempts):
            at = attempt.steps[-1] if attempt.steps else attempt.started_at
            if at is None:
                continue
            # A later start had nothing to do: the kill came after the last step was saved but before it was recorded.
            done = [] if attempt is self.attempts[-1] else [event["step"] or 0 for event in attempt.events_of("saving")]
            return max([at, *done])
        return None

    @property
    def saved_steps(self) -> list[int]:
        """The steps at which a checkpoint was written, in order.

        A step counts once, however often it is saved: an Estimator saves again at the step that it has restored, which
        changes nothing for a later start. A save that was killed counts if its checkpoint is whole: the next start
        resumed from it or, if the job was done by then, it is in the directory at the end.
        """
        done = {event["step"] for event in self.all_events("save") if event["step"] is not None}
        for attempt, after in pairwise(self.attempts):
            begun = [event["step"] for event in attempt.events_of("saving")]
            there = self.kept if after.started_at is None else [after.started_at]
            if begun and begun[-1] is not None and begun[-1] in there:
                done.add(begun[-1])
        return sorted(done)

    @property
    def saves_by_clock(self) -> bool:
        """Whether it saves every so many seconds, so that no two runs save at the same steps."""
        return bool(self.all_events("saves_by_clock"))

    @property
    def seconds_in_saves(self) -> float:
        """The seconds spent in completed saves."""
        return float(sum(event["seconds"] for event in self.all_events("save")))

    @property
    def evaluations(self) -> list[tuple[int | None, dict[str, float]]]:
        """The step and metrics of each evaluation."""
        return [(event["step"], event["metrics"]) for event in self.all_events("evaluation")]

    def by_step(self, name: str) -> dict[int, Any]:
        """Maps each step that the final state depends on to its ``name``, which is "loss" or "batch"."""
        values: dict[int, Any] = {}
        for attempt in self.attempts:
            if attempt.started_at is not None:
                values = {step: value for step, value in values.items() if step <= attempt.started_at}
            values.update((event["step"], event[name]) for event in attempt.events_of("step") if name in event)
        return values

    @property
    def losses_are_means(self) -> bool:
        """Whether the recorded losses are running means."""
        return any(event.get("mean") for event in self.all_events("step"))
