"""What counts as a difference between two records."""

from dataclasses import replace

import pytest

from migrate.verify import Attempt, compare
from migrate.verify.comparison import Verdict
from migrate.verify.differences import loss_difference, variable_difference
from tests.cases import each
from tests.codemod.verify.conftest import attempt


def stuck(record):
    """The same record, but the second start failed at once."""
    return replace(record, attempts=[record.attempts[0], replace(record.attempts[1], events=[], code=1)])


def test_a_record_matches_itself(record):
    result = compare(record(), record())
    assert result.matches
    assert result.first == ""
    assert "losses" in result.row_names


@each("change", "first")(
    ({"resumed": 5}, "resumed at step: OLD 10, NEW 5"),
    ({"final": 22}, "final step: OLD 20, NEW 22"),
    ({"every": 4}, "saved at steps: OLD 5, 10, 15, 20, NEW 4, 8, 12, 16, 20"),
    (
        {"batch": lambda step: -step},
        "batches: OLD 20 steps seen, NEW 20 steps seen (20 of 20 differ, the first at step 1)",
    ),
)
def test_the_first_difference_is_named(change, first, record):
    assert compare(record(), record(**change)).first == first


def test_steps_lost_and_repeated_are_counted(record):
    made = record(resumed=10)
    assert made.interrupted_at == [13]
    assert made.steps_lost == [3]
    assert made.steps_repeated == 3
    assert made.steps_run == 23


def test_a_step_that_was_lost_does_not_count_where_the_later_start_was_not_seen_to_make_it(record):
    made = record(resumed=10)
    for event in made.attempts[1].events_of("step"):
        del event["loss"]
    assert max(made.by_step("loss")) == 10


def test_a_last_step_that_was_saved_but_not_told_before_the_kill_counts(record):
    made = record()
    killed = replace(made.attempts[0], events=[*made.attempts[0].events, {"event": "saving", "step": 14, "time": 15.0}])
    assert replace(made, attempts=[killed, replace(made.attempts[1], events=[])]).final_step == 14


def test_a_step_that_is_saved_twice_counts_once(record):
    again = record()
    again.attempts[1].events.append({"event": "save", "step": 10, "path": "ckpt-10", "seconds": 0.1, "time": 21.0})
    assert again.saved_steps == [5, 10, 15, 20]
    assert compare(record(), again).matches


def test_losses_do_not_count_where_the_programs_began_apart(record):
    result = compare(record(), record(loss=lambda step: 2.0 / step))
    assert result.matches
    assert result.row("losses").verdict is Verdict.NOT_COMPARED


def test_losses_count_where_they_are_asked_for(record):
    result = compare(record(), record(loss=lambda step: 2.0 / step), losses=True)
    assert [row.name for row in result.differences] == ["losses"]


def test_losses_count_where_the_first_ones_are_equal(record):
    result = compare(record(), record(loss=lambda step: 1.0 / step + (step > 12) * 1e-9))
    assert "the first difference at step 13, of 1.3e-08 relative; 12 of 20 equal" in result.first


def test_a_difference_within_the_tolerance_is_none(record):
    apart = record(loss=lambda step: 1.0 / step * (1 + (step > 12) * 1e-9))
    assert compare(record(), apart, tolerance=1e-6).matches
    assert not compare(record(), apart, tolerance=1e-12).matches


def test_a_new_program_that_cannot_start_again_differs(record):
    assert compare(record(), stuck(record())).first == "failed starts: OLD none, NEW exit status 1"


def test_a_new_program_that_starts_again_where_the_old_could_not_is_no_difference(record):
    result = compare(stuck(record()), record(resumed=5))
    assert result.matches
    assert result.row("resumed at step").note == "OLD could not start again"


def test_a_new_program_that_still_finds_a_checkpoint_after_damage_is_no_difference(record):
    result = compare(record(resumed=0, fault="lost-checkpoint-file"), record(fault="lost-checkpoint-file"))
    assert result.matches
    assert result.row("resumed at step").note == "OLD went back further, past a checkpoint that was there"
    assert result.row("final step").verdict is Verdict.SAME


def test_an_old_program_that_begins_anew_beside_a_first_checkpoint_goes_back_further(record):
    old, new = (record(resumed=0, fault="lost-checkpoint-file") for _ in range(2))
    for made in new.attempts:
        made.events.append({"event": "save", "step": 0, "path": "ckpt-0", "seconds": 0.1, "time": 0.1})
    assert compare(old, new).row("resumed at step").verdict is Verdict.SAME
    restored = {"event": "restore", "step": 0, "path": "ckpt-0", "phase": "train", "time": 20.1}
    new.attempts[1].events.insert(0, restored)
    assert compare(old, new).row("resumed at step").verdict is Verdict.NOT_COMPARED


def test_to_save_again_what_was_handed_over_is_no_difference(record):
    old, new = record(handed_over=(5,)), record(handed_over=(5,))
    for made in new.attempts:
        made.events[:] = [event for event in made.events if (event["event"], event["step"]) != ("save", 5)]
    assert old.saved_steps != new.saved_steps
    assert compare(old, new).row("saved at steps").verdict is Verdict.SAME
    assert compare(replace(old, handed_over=[]), replace(new, handed_over=[])).first.startswith("saved at steps")


def test_of_a_directory_that_is_taken_over_the_checkpoints_of_each_ones_own_saves_count(record):
    old, new = record(kept=[10, 15, 20], handed_over=[5, 10]), record(kept=[5, 10, 15, 20], handed_over=[5, 10])
    row = next(row for row in compare(old, new).rows if row.name == "checkpoints kept")
    assert (row.verdict, row.old, row.new) == (Verdict.SAME, "15, 20", "15, 20")
    assert row.note == "kept from the run before: OLD 10, NEW 5, 10"
    new = replace(new, kept=[5, 10, 20])
    assert compare(old, new).first.startswith("checkpoints kept: OLD 15, 20, NEW 20 (kept from the run before")


def test_a_new_program_that_goes_back_further_after_damage_differs(record):
    result = compare(record(fault="lost-checkpoint-file"), record(resumed=0, fault="lost-checkpoint-file"))
    assert result.first == "resumed at step: OLD 10, NEW 0"


def test_steps_lost_are_not_compared_where_a_fault_struck_late(record):
    late = record()
    late.attempts[0].events.append({"event": "fault", "kind": "signal", "step": 15, "wanted": 13, "time": 13.5})
    assert compare(record(), late).row("steps lost").verdict is Verdict.NOT_COMPARED


def test_at_moments_of_their_own_both_must_go_on_from_a_save_and_lose_little(record):
    good = compare(record(fault="sigkill-in-save"), record(fault="sigkill-in-save"))
    assert good.matches
    assert "resumed at step" not in good.row_names
    assert compare(record(fault="sigkill-in-save"), record(fault="sigkill-in-save", resumed=12)).first == (
        "resumed at a saved step: OLD always, NEW not at 12"
    )
    assert compare(record(fault="sigkill-in-save"), record(fault="sigkill-in-save", resumed=0)).first == (
        "most steps lost at once: OLD 3, NEW 13 (5 steps between two saves)"
    )


@pytest.fixture
def by_clock(record):
    """Make a record of a job that saves by the clock, with an evaluation at each save."""

    def make(resumed=10, kept=(10, 15, 20), **how):
        made = record(resumed=resumed, kept=kept, **how)
        for one in made.attempts:
            saves = [event["step"] for event in one.events_of("save")]
            one.events.append({"event": "saves_by_clock", "seconds": 60, "time": 0})
            one.events.extend({"event": "evaluation", "step": at, "metrics": {"loss": 1 / at}} for at in saves)
        return made

    return make


def test_a_job_that_saves_by_the_clock_may_save_and_go_on_at_steps_of_its_own(by_clock):
    result = compare(by_clock(), by_clock(resumed=12, kept=(4, 12, 20), every=4))
    assert result.matches
    assert (
        result.row("evaluations").note == "the last step only: the job saves by the clock, each run at steps of its own"
    )
    assert {"saved at steps", "resumed at step", "losses"}.isdisjoint(result.row_names)
    assert compare(by_clock(), by_clock(resumed=7)).first == "resumed at a saved step: OLD always, NEW not at 7"
    assert "final step" in compare(by_clock(), by_clock(final=16, kept=(10, 15))).first


def test_runs_by_the_clock_that_save_at_the_same_steps_are_compared_as_all_others_are(by_clock):
    assert {"saved at steps", "resumed at step", "losses", "evaluations"} <= set(
        compare(by_clock(), by_clock()).row_names
    )
    assert compare(by_clock(), by_clock(loss=lambda step: 2.0 / step), losses=True).first.startswith("losses: ")


def test_at_moments_of_their_own_a_kill_may_fall_between_a_save_and_its_evaluation(record):
    old, new, other = (record(fault="sigkill-in-save") for _ in range(3))
    for made, steps in ((old, [20]), (new, [15, 20]), (other, [15])):
        made.attempts[-1].events.extend(
            {"event": "evaluation", "step": step, "metrics": {}, "time": 30} for step in steps
        )
    assert compare(old, new).row("evaluations").verdict is Verdict.SAME
    assert compare(old, other).row("evaluations").verdict is Verdict.DIFFERENT


def test_at_moments_of_their_own_a_kill_may_fall_before_each_evaluation_of_one(record):
    old, new = record(fault="sigkill-in-save"), record(fault="sigkill-in-save")
    old.attempts[0].events.append({"event": "evaluation", "step": 5, "metrics": {}, "time": 6})
    row = compare(old, new).row("evaluations")
    assert (row.verdict, row.note) == (Verdict.NOT_COMPARED, "a kill fell before each evaluation of NEW")


def test_losses_that_are_not_numbers_equal_one_another_and_nothing_else():
    nan = float("nan")
    assert loss_difference({1: nan}, {1: nan}).gaps == {}
    assert loss_difference({1: nan}, {1: 1.0}).gaps == {1: float("inf")}
    assert loss_difference({1: 1.0}, {2: 1.0}) is None


def variable(*values):
    return {"shape": [len(values)], "values": list(values), "digest": repr(values)}


def test_variables_are_paired_by_name_and_then_by_shape_and_nearness():
    old = {"same": variable(1.0, 2.0), "dense/kernel": variable(5.0, 5.0), "beta1_power": variable(0.9)}
    new = {"same": variable(1.0, 2.0), "layer/kernel": variable(5.0, 5.5), "other": variable(9.0, 9.0)}
    found = variable_difference(old, new)
    assert (found.by_name, found.by_shape) == (1, 1)
    assert found.alone == ["beta1_power", "other"]
    assert found.worst == "dense/kernel"
    assert found.relative == pytest.approx(0.5 / 5.5)


def test_a_variable_that_is_no_number_any_more_differs_whatever_the_others_do():
    nan = float("nan")
    old = {"a": variable(1.0, 2.0), "b": variable(3.0, 4.0)}
    for name, broken in (("a", variable(1.5, nan)), ("b", variable(nan, 4.0))):
        assert variable_difference(old, {**old, name: broken}).relative == float("inf")
    assert variable_difference({"a": variable(1.0, nan)}, {"a": variable(1.5, nan)}).relative == pytest.approx(1 / 3)


def test_a_save_that_was_killed_when_its_checkpoint_was_whole_counts_where_the_next_start_goes_on_from_it(record):
    made = record(fault="sigkill-in-save", resumed=15)
    for number, step in ((0, 14), (0, 15)):
        made.attempts[number].events.append({"event": "step", "step": step, "time": 15.0})
    made.attempts[0].events.append({"event": "saving", "step": 15, "time": 15.0})
    assert made.saved_steps == [5, 10, 15, 20]
    assert compare(record(fault="sigkill-in-save"), made).matches
    begun_before = replace(made, attempts=[made.attempts[0], replace(made.attempts[1], events=[])], kept=[5, 10])
    assert begun_before.saved_steps == [5, 10]


def test_a_kill_between_a_last_saves_files_and_its_end_on_one_side_only_is_no_difference(record):
    """OLD dies when its last checkpoint is whole and not told yet, NEW when it is told; nothing is left to train."""
    old, new = (record(fault="sigkill-in-save", kept=(15, 20)) for _ in range(2))
    for made in (old, new):
        last = attempt(0, 20, -9)
        saved = last.events.pop()
        last.events.append({"event": "saving", "step": 20, "time": 20.0})
        made.attempts[:] = [last, Attempt([], 0, began=30.0, ended=31.0)]
        if made is new:
            last.events.append(saved)
    assert new.saved_steps == old.saved_steps == [5, 10, 15, 20]
    assert compare(old, new).matches
    assert replace(old, kept=[10, 15]).saved_steps == [5, 10, 15]


def test_evaluations_without_a_common_metric_are_not_said_to_agree_in_value(record):
    def evaluated(metrics):
        made = record()
        made.attempts[-1].events.append({"event": "evaluation", "step": 20, "metrics": metrics, "time": 30.0})
        return made

    old = evaluated({"accuracy": 0.5, "loss": 1.0})
    assert compare(old, evaluated({"acc": 0.7})).row("evaluations").note == (
        "steps only: no metric has the same name in both"
    )
    assert compare(old, evaluated({"accuracy": 0.5})).row("evaluations").note == "accuracy"
    assert compare(old, evaluated({"accuracy": 0.6})).row("evaluations").verdict is Verdict.DIFFERENT
    nan = float("nan")
    assert compare(evaluated({"loss": nan}), evaluated({"loss": nan})).row("evaluations").verdict is Verdict.SAME


@pytest.mark.parametrize("side", ["OLD", "NEW"])
def test_what_a_program_that_saves_by_keras_alone_keeps_is_not_compared(side, record):
    by_manager, by_keras = record(), record(kept=())
    for made, kind in ((by_manager, "checkpoint"), (by_keras, "save_weights")):
        for event in made.all_events("save"):
            event["kind"] = kind
    pair = (by_keras, by_manager) if side == "OLD" else (by_manager, by_keras)
    row = compare(*pair).row("checkpoints kept")
    assert row.verdict is Verdict.NOT_COMPARED
    assert row.note == f"{side} keeps no TensorFlow checkpoints"
    for event in by_keras.all_events("save"):
        event["kind"] = "checkpoint"
    assert compare(*pair).row("checkpoints kept").verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(("seconds", "verdict"), [(2, Verdict.SAME), (0, Verdict.DIFFERENT), (600, Verdict.DIFFERENT)])
def test_evaluations_that_wait_for_the_clock_may_be_at_other_steps_but_for_the_last(record, seconds, verdict):
    def evaluated(*steps):
        made = record()
        last = replace(made.attempts[-1], began=20.0, ended=30.0)
        last.events.append({"event": "evaluates_by_clock", "seconds": seconds})
        last.events.extend({"event": "evaluation", "step": step, "metrics": {}, "time": 30.0} for step in steps)
        return replace(made, attempts=[*made.attempts[:-1], last])

    assert compare(evaluated(5, 20), evaluated(5, 10, 20)).row("evaluations").verdict is verdict
    assert compare(evaluated(5, 20), evaluated(5, 10)).row("evaluations").verdict is Verdict.DIFFERENT
