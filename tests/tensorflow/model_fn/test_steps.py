"""What run_training promises: where it starts and ends, when it saves, what it logs, what it recovers from."""

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.evaluation_listener import EvaluationListener
from migrate.recovery.model_fn_spec import EstimatorSpec

from .linear import Job, checkpoints, hooked, input_fn, loss_of, trained
from .test_training import event_values


@pytest.fixture
def logged(caplog):
    tf.get_logger().propagate = True
    caplog.set_level("INFO", logger="tensorflow")
    return lambda: [record.getMessage() for record in caplog.records]


def test_saves_at_step_0_every_n_steps_and_at_the_end(tmp_path):
    Job(tmp_path, keep=None).run(10)
    assert checkpoints(tmp_path) == ["model.ckpt-0", "model.ckpt-4", "model.ckpt-8", "model.ckpt-10"]


def test_a_resumed_job_saves_every_n_steps_from_where_it_resumed(tmp_path):
    Job(tmp_path, keep=None).run(10)
    Job(tmp_path, keep=None).run(20)
    assert checkpoints(tmp_path)[-4:] == ["model.ckpt-10", "model.ckpt-14", "model.ckpt-18", "model.ckpt-20"]


def test_a_finished_job_that_is_run_again_does_nothing(tmp_path):
    Job(tmp_path).run(10)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert Job(tmp_path).run(10) == 10
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_max_steps_is_a_total_that_saves_and_log_lines_do_not_move(tmp_path):
    assert Job(tmp_path).run(11, log_every=3) == 11
    assert Job(tmp_path).run(12) == 12


def test_of_a_fraction_it_makes_the_step_that_is_begun_as_an_estimator_does(tmp_path):
    assert Job(tmp_path).run(25 / 4) == 7


def test_without_max_steps_the_end_of_the_dataset_ends_it_and_saves(tmp_path):
    job = Job(tmp_path, dataset=input_fn(batches=7))
    assert job.run() == 7
    assert checkpoints(tmp_path)[-1] == "model.ckpt-7"


def test_an_empty_dataset_ends_it_at_once(tmp_path):
    assert Job(tmp_path, dataset=input_fn(batches=0)).run(10) == 0


def test_the_dataset_starts_again_with_each_run(tmp_path):
    first = Job(tmp_path / "a")
    first.run(3)
    first.run(6)
    again = Job(tmp_path / "b")
    again.run(3)
    again = Job(tmp_path / "b")
    again.run(6)
    assert first.train.variables["w"].numpy().tolist() == again.train.variables["w"].numpy().tolist()


def test_an_iterator_in_the_checkpoint_goes_on_where_the_data_stood(tmp_path):
    def fold(features, mode):
        seen, step = tf1.get_variable("seen", [], initializer=tf1.zeros_initializer()), tf1.train.get_global_step()
        folded = tf.group(seen.assign(seen * 0.9 + features), step.assign_add(1))
        return EstimatorSpec(mode, loss=features, train_op=folded)

    def run(directory, *ends):
        for end in ends:
            dataset = tf.data.Dataset.range(1000).shuffle(50, seed=1).map(lambda i: tf.cast(i, tf.float32))
            job = Job(directory, fold, dataset=dataset, continue_input=True)
            job.run(end)
        return job.train.variables["seen"].numpy()

    assert run(tmp_path / "a", 30) == run(tmp_path / "b", 11, 30)


def test_a_loss_that_is_not_a_number_is_an_error_and_is_not_saved(tmp_path):
    def broken(features, labels, mode):
        step = tf1.train.get_global_step()
        return trained(mode, loss_of(features, labels) + tf.where(step < 5, 0.0, float("nan")))

    with pytest.raises(tf1.train.NanLossDuringTrainingError):
        Job(tmp_path, broken).run(20)
    assert checkpoints(tmp_path)[-1] == "model.ckpt-4"


@pytest.mark.parametrize("error", [tf.errors.AbortedError, tf.errors.UnavailableError])
def test_a_recoverable_error_goes_on_from_the_latest_checkpoint(tmp_path, error):
    job = Job(tmp_path / "a")
    failed = []

    class Failing:
        def __getattr__(self, name):
            return getattr(job.train, name)

        def __call__(self, batches, until, first_step):
            if until > 4 and not failed:
                failed.append(until)
                raise error(None, None, "gone")
            return job.train(batches, until, first_step)

    assert job.run(12, train=Failing()) == 12
    assert failed
    Job(tmp_path / "b").run(4)
    interrupted = Job(tmp_path / "b")
    interrupted.run(12)
    assert job.train.variables["w"].numpy().tolist() == interrupted.train.variables["w"].numpy().tolist()


def test_any_other_error_is_passed_on(tmp_path):
    def failing(features, labels, mode):
        features["x"] = tf.debugging.check_numerics(features["x"] / 0.0, "not finite")
        return trained(mode, loss_of(features, labels))

    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        Job(tmp_path, failing).run(9)


def test_loss_and_speed_are_logged_as_an_estimator_logs_them(tmp_path, logged):
    job = Job(tmp_path, summary_dir=str(tmp_path))
    job.run(11, log_every=5)
    lines = [line for line in logged() if "loss =" in line or "global_step/sec" in line]
    assert [line.split(",")[1].partition(" (")[0] for line in lines if "loss =" in line] == [
        " step = 0",
        " step = 5",
        " step = 10",
    ]
    assert sum("global_step/sec" in line for line in lines) == 2
    job.train.writer.flush()
    assert list(event_values(tmp_path, "global_step/sec")) == [6, 11]


def test_nothing_is_logged_without_an_interval(tmp_path, logged):
    Job(tmp_path).run(11, log_every=None)
    assert not [line for line in logged() if "loss =" in line]


def test_steps_that_move_the_global_step_by_two_end_where_an_estimator_ends(tmp_path):
    def twice(features, labels, mode):
        spec = trained(mode, loss_of(features, labels))
        with tf1.control_dependencies([spec.train_op]):
            return spec._replace(train_op=tf1.train.get_global_step().assign_add(1).op)

    assert Job(tmp_path, twice).run(5) == 6


@pytest.mark.parametrize(("secs", "saved"), [(3600, {0, 10}), (1e-9, set(range(11)))])
def test_saves_by_the_clock_at_the_start_when_the_seconds_are_over_and_at_the_end(tmp_path, secs, saved):
    hooked(tmp_path, [tf1.train.SessionRunHook()], every=1, keep=None).run(10, save_secs=secs)
    assert {int(name.removeprefix("model.ckpt-")) for name in checkpoints(tmp_path)} == saved


def test_without_an_interval_it_never_saves_and_listeners_are_refused(tmp_path):
    job = Job(tmp_path)
    job.manager = tf.train.CheckpointManager(job.train.checkpoint, str(tmp_path), None)
    assert job.run(10) == 10
    assert checkpoints(tmp_path) == []
    with pytest.raises(ValueError, match="save_checkpoints_steps"):
        job.run(12, saving_listeners=[tf1.train.CheckpointSaverListener()])


def test_it_evaluates_after_each_save_but_the_first_and_at_the_end(tmp_path):
    evaluated = []
    job = Job(tmp_path)
    evaluate = lambda: evaluated.append(job.manager.latest_checkpoint.rpartition("-")[2])  # noqa: E731
    listener = EvaluationListener(evaluate, throttle_secs=0)
    job.run(10, saving_listeners=[listener])
    job.run(10, saving_listeners=[listener])
    throttled = EvaluationListener(lambda: evaluated.append("throttled"), throttle_secs=3600)
    job.run(19, saving_listeners=[throttled])
    assert evaluated == ["4", "8", "10", "throttled", "throttled"]


def test_python_is_left_out_for_many_steps(tmp_path):
    calls = []

    class Counting:
        def __getattr__(self, name):
            return getattr(job.train, name)

        def __call__(self, *arguments):
            calls.append(arguments)
            return job.train(*arguments)

    job = Job(tmp_path, every=3000)
    assert job.run(3000, train=Counting(), log_every=None) == 3000
    assert len(calls) < 300
