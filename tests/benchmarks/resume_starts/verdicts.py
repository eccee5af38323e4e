"""What a start should have begun with, and whether it did."""

from dataclasses import dataclass

from tests.benchmarks.resume_starts.jobs import Begin, Start, chains, length, longest, told

RIGHT, WRONG, NOT_TRIED = "right", "wrong", "not tried"


@dataclass
class Verdict:
    """Of one scenario of a program."""

    scenario: str
    status: str
    why: str = ""

    def __str__(self):
        return f"{self.scenario}: {self.status}" + (f" ({self.why})" if self.why else "")


def begun(start: Start) -> str:
    """With what a start began, in words."""
    if start.begins:
        return f"start {start.number} ({start.code} {' '.join(start.args)}) began at {start.trainings[0]}"
    return f"start {start.number} ({start.code} {' '.join(start.args)}) trained nothing{error_of(start)}"


def error_of(start: Start) -> str:
    """What ended a start, in words."""
    return f"; it ended with {start.error}" if start.error else ""


def same(new: list[Begin], old: list[Begin]) -> bool:
    """Whether two starts begin alike: of a ``fit`` the first, of a loop all models."""
    if not new or not old:
        return not new and not old
    if new[0].kind == "fit" or old[0].kind == "fit":
        return (new[0].epoch, new[0].chains) == (old[0].epoch, old[0].chains)
    # A start that was killed early has not begun all of them.
    mine, other = ({one.kind: one.chains for one in each if one.kind != "fit"} for each in (new, old))
    both = mine.keys() & other.keys()
    if not both:  # A model that is loaded has another name.
        return new[0].chains == old[0].chains
    return all(mine[kind] == other[kind] for kind in both)


def as_the_old(scenario: str, new: Start, old: Start) -> Verdict:
    """Right where the new code's start is as the old code's from the same files."""
    if old.error and not old.begins:
        return Verdict(scenario, NOT_TRIED, f"the old code ends with {old.error}; the new: {begun(new)}")
    if new.error and not old.error:
        return Verdict(
            scenario, WRONG, f"{begun(new)}{error_of(new) if new.begins else ''}; the old code: {begun(old)}"
        )
    if same(new.trainings, old.trainings):
        return Verdict(scenario, RIGHT, begun(new))
    return Verdict(scenario, WRONG, f"{begun(new)}; the old code from the same files: {begun(old)}")


def after_kill(scenario: str, killed: Start, new: Start, may_lose: bool, old: Start | None = None) -> Verdict:
    """Right where a start begins with what the recovery of the killed one saved last.

    Args:
      scenario: its name.
      killed: the start before.
      new: the start after the kill.
      may_lose: whether the kill was behind a save, so that the one before is as good.
      old: the old code's start from the same files, whose way to come back is as good.
    """
    saves = killed.saves(is_own=False)
    if not saves:
        if old is not None and same(new.trainings, old.trainings) and not new.error:
            return Verdict(scenario, RIGHT, "no save of the recovery yet; as the old code: " + begun(new))
        if same(new.trainings, killed.trainings) and not new.error:
            return Verdict(scenario, RIGHT, "no save of the recovery yet; as the start before: " + begun(new))
        return Verdict(scenario, WRONG, f"no save of the recovery before the kill; {begun(new)}")
    if not new.begins:
        also = f"; the old code: {begun(old)}" if old is not None and old.error else ""
        return Verdict(scenario, WRONG, begun(new) + also)
    distinct = []
    for one in saves:
        state = (chains(one["weights"]), one.get("numbers", {}).get("epoch"))
        if state not in distinct:
            distinct.append(state)
    # What was trained before counts where the start had saved only once.
    wanted = distinct[-2:] if may_lose else distinct[-1:]
    # One that has ended begins too, and trains nothing.
    until = new.begins.index(new.trainings[0]) + 1
    found = None
    for first in new.begins[:until]:
        for saved, number in reversed(wanted):
            if first.chains <= saved and longest(first.chains) == _longest_of(saved, first.chains):
                found = found or _judged(scenario, new, first, number)
                if found.status == WRONG and first is not new.trainings[0]:
                    found = None
    if found is not None:
        return found
    first = new.trainings[0]
    if may_lose and killed.trainings and first.chains == killed.trainings[0].chains and len(distinct) == 1:
        return Verdict(scenario, RIGHT, begun(new))
    saved = told(longest(wanted[-1][0]))
    return Verdict(
        scenario, WRONG, f"{begun(new)}, not with {saved}, epoch {wanted[-1][1]}, that was saved before the kill"
    )


def _judged(scenario, new, first, number):
    # The number of a loop of fits is not the epoch of one of them.
    is_counted = "EpochRecovery" in first.callbacks and number is not None
    if is_counted and first.epoch != number:
        return Verdict(scenario, WRONG, f"{begun(new)}, its recovery saved epoch {number}")
    if new.error:
        return Verdict(scenario, WRONG, f"{begun(new)}{error_of(new)}")
    return Verdict(scenario, RIGHT, begun(new))


def _longest_of(saved, trained):
    """The chain trained most of what was saved, where the frozen layers of another model do not count."""
    among = [one for one in saved if any(one[0] == each[0] for each in trained)]
    return longest(frozenset(among))


def same_end(scenario: str, new: Start, undisturbed: Start) -> Verdict:
    """Right where the last start has trained as much, in all, as an undisturbed job."""
    if not new.is_ended or not undisturbed.is_ended:
        why = error_of(new) or "too long to be started to its end"
        return Verdict(scenario, WRONG if new.error and not undisturbed.error else NOT_TRIED, why)
    if not new.final or not undisturbed.final:
        return Verdict(scenario, NOT_TRIED, "nothing is known of its end")
    mine, other = longest(new.final), longest(undisturbed.final)
    if length(mine) == length(other):
        return Verdict(scenario, RIGHT, f"ended with {told(mine)}")
    return Verdict(scenario, WRONG, f"ended with {told(mine)}, an undisturbed job with {told(other)}")


def next_training(scenario: str, new: Start, old: Start) -> Verdict:
    """After the end of a training the new code trains nothing, which is told, or as the old code does."""
    if new.error and not old.error:
        return Verdict(scenario, WRONG, begun(new) + (error_of(new) if new.begins else ""))
    if not new.batches:
        return Verdict(scenario, RIGHT, f"trained nothing; the old code: {begun(old)}")
    return as_the_old(scenario, new, old)
