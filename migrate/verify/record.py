"""What a recorded program did: its events, attempt by attempt, and what can be read off them."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

Event = dict[str, Any]


@dataclass(frozen=True)
class Attempt:
    """One start of the program.

    Attributes:
      code: the process' exit status as ``subprocess`` gives it: negative for a signal.
      output: the end of what it printed.
    """

    events: list[Event]
    code: int
    output: str = ""
    began: float = 0.0
    ended: float = 0.0
    timed_out: bool = False

    def of(self, kind: str) -> list[Event]:
        """The events of one kind, such as ``step``."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def steps(self) -> list[int]:
        """The number of each step that was run."""
        return [event["step"] for event in self.of("step")]

    @property
    def started_at(self) -> int | None:
        """The step that training began at, None if it did not begin."""
        starts = self.of("start")
        return starts[0]["step"] if starts else None

    @property
    def fault(self) -> Event | None:
        """Returns the fault that was injected from inside, with its step."""
        return next(iter(self.of("fault")), None)

    @property
    def finished(self) -> bool:
        """Whether the program came to its own end without an error."""
        return self.code == 0 and not self.timed_out

    @property
    def seconds_to_first_step(self) -> float | None:
        """The time to the end of its first step, without the import of TensorFlow, which few starts make anew."""
        steps, imported = self.of("step"), self.of("tensorflow")
        return steps[0]["time"] - (imported[0]["time"] if imported else self.began) if steps else None

    @property
    def error(self) -> str:
        """How it failed, in one line; empty if it did not."""
        if self.finished:
            return ""
        if self.timed_out:
            return "not done in the time that --timeout gives; end it after some hundred steps by --args"
        exceptions = self.of("exception")
        if exceptions:
            last = exceptions[-1]
            message = last["message"].strip().splitlines()
            return f"{last['type']}: {message[0] if message else ''}".strip()
        return f"killed by signal {-self.code}" if self.code < 0 else f"exit status {self.code}"


@dataclass(frozen=True)
class Record:
    """A program's run from its first start to its end, with the interruptions between.

    Attributes:
      attempts: each start; all but the last were interrupted.
      model_dir: the directory of the run, which may be gone.
      kept: the steps of the checkpoints that the directory held at the end.
      variables: the last checkpoint's variables, where they were read.
      notes: what the harness could not do as asked.
      handed_over: the steps of the checkpoints that were there before, where one program goes on in what another began.
      exports: what the newest SavedModels answer, where they were read.
    """

    attempts: list[Attempt]
    model_dir: Path
    fault: str = ""
    kept: list[int] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    handed_over: list[int] = field(default_factory=list)
    exports: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def events(self) -> list[Event]:
        return [event for attempt in self.attempts for event in attempt.events]

    def of(self, kind: str) -> list[Event]:
        """The events of one kind over all attempts."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def finished(self) -> bool:
        """Whether the last attempt came to its end without an error."""
        return bool(self.attempts) and self.attempts[-1].finished

    @property
    def needs_person(self) -> bool:
        """Whether a start after an interruption failed, so that somebody has to repair the directory."""
        return len(self.attempts) > 1 and not self.finished

    @property
    def resumed_at(self) -> list[int | None]:
        """The step that training went on from, for each start after the first."""
        return [attempt.started_at for attempt in self.attempts[1:]]

    @property
    def went_on(self) -> bool:
        """Whether a start after an interruption began behind the step that the first one began at."""
        begun = (self.attempts[0].started_at or 0) if self.attempts else 0
        return any(step is not None and step > begun for step in self.resumed_at)

    @property
    def interrupted_at(self) -> list[int]:
        """The last step made before each interruption, 0 where there was none."""
        return [max(attempt.steps, default=attempt.started_at or 0) for attempt in self.attempts[:-1]]

    @property
    def steps_lost(self) -> list[int | None]:
        """For each interruption, how many steps back training went on."""
        pairs = zip(self.interrupted_at, self.resumed_at, strict=True)
        return [None if at is None else before - at for before, at in pairs]

    @property
    def steps_run(self) -> int:
        """How many steps were made in all."""
        return sum(len(attempt.steps) for attempt in self.attempts)

    @property
    def steps_repeated(self) -> int:
        """How many steps were made of a number that had been made before."""
        numbers = [step for attempt in self.attempts for step in attempt.steps]
        return len(numbers) - len(set(numbers))

    @property
    def final_step(self) -> int | None:
        for attempt in reversed(self.attempts):
            at = attempt.steps[-1] if attempt.steps else attempt.started_at
            if at is None:
                continue
            # Where nothing was left to do after it, a start was killed when its last step had been saved, if not told.
            done = [] if attempt is self.attempts[-1] else [event["step"] or 0 for event in attempt.of("saving")]
            return max([at, *done])
        return None

    @property
    def saved_steps(self) -> list[int]:
        """The steps that a checkpoint was written at, in order.

        A step counts once, however often it is saved: an Estimator saves again at the step that it has restored, which
        changes nothing that a later start could see. A save that a kill ended counts where its checkpoint was whole:
        where the next start went on from it, or, of a job that was done by then, where it is there at the end.
        """
        done = {event["step"] for event in self.of("save") if event["step"] is not None}
        for attempt, after in pairwise(self.attempts):
            begun = [event["step"] for event in attempt.of("saving")]
            there = self.kept if after.started_at is None else [after.started_at]
            if begun and begun[-1] is not None and begun[-1] in there:
                done.add(begun[-1])
        return sorted(done)

    @property
    def saves_by_clock(self) -> bool:
        """Whether a number of seconds settles when it saves, so that no two runs save at the same steps."""
        return bool(self.of("saves_by_clock"))

    @property
    def seconds_in_saves(self) -> float:
        """The time spent in saves that were completed."""
        return float(sum(event["seconds"] for event in self.of("save")))

    @property
    def evaluations(self) -> list[tuple[int | None, dict[str, float]]]:
        """The step and metrics of each evaluation."""
        return [(event["step"], event["metrics"]) for event in self.of("evaluation")]

    def by_step(self, name: str) -> dict[int, Any]:
        """Returns ``loss`` or ``batch`` of each step that the final state depends on."""
        values: dict[int, Any] = {}
        for attempt in self.attempts:
            if attempt.started_at is not None:
                values = {step: value for step, value in values.items() if step <= attempt.started_at}
            values.update((event["step"], event[name]) for event in attempt.of("step") if name in event)
        return values

    @property
    def losses_are_means(self) -> bool:
        """Whether only running means of the loss could be seen."""
        return any(event.get("mean") for event in self.of("step"))
