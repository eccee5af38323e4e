"""Unchanged session hooks around the steps of a migrated model_fn."""

import tempfile

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_profiler_hook import ProfilerHook
from migrate.recovery.model_fn_training import ModelFnTraining

from .linear import checkpoints, hooked, input_fn, loss_of, trained
from .test_training import event_values


def named_loss(features, labels, mode):
    return trained(mode, tf.identity(loss_of(features, labels), name="the_loss"))


class Recording(tf1.train.SessionRunHook):
    """Fetches the loss by its name, the step, and an operation; notes every event."""

    def __init__(self, stop_at=None, error_at=None):
        self.events, self.losses, self.steps = [], [], []
        self.stop_at, self.error_at = stop_at, error_at

    def begin(self):
        self.events.append("begin")
        self.step = tf1.train.get_global_step()
        self.double = tf1.get_default_graph().get_tensor_by_name("the_loss:0") * 2.0

    def after_create_session(self, session, coord):
        self.events.append(f"session at {session.run(self.step)}")

    def before_run(self, run_context):
        assert run_context.original_args.fetches
        operation = tf1.get_default_graph().get_operations()[0]
        fetches = {"loss": ["the_loss:0", self.double], "step": self.step, "op": operation}
        return tf1.train.SessionRunArgs(fetches)

    def after_run(self, run_context, run_values):
        loss, double = run_values.results["loss"]
        assert double == loss * 2
        assert run_values.results["op"] is None
        self.losses.append(float(loss))
        self.steps.append(int(run_context.session.run(self.step)))
        if self.steps[-1] == self.stop_at:
            run_context.request_stop()
        if self.steps[-1] == self.error_at:
            raise StopIteration

    def end(self, session):
        self.events.append(f"end at {session.run(self.step)}")


def losses_without_hooks(steps):
    dataset = input_fn()
    train = ModelFnTraining(named_loss, dataset)
    train.restore(tf.train.CheckpointManager(train.checkpoint, tempfile.mkdtemp(), None))
    batches = iter(dataset)
    return [train(batches, until, 0) for until in range(1, steps + 1)]


def test_what_a_hook_fetches_is_computed_by_the_step_itself(tmp_path):
    hook = Recording()
    job = hooked(tmp_path, [hook], named_loss)
    job.run(6)
    assert hook.losses == losses_without_hooks(6)
    assert hook.steps == [1, 2, 3, 4, 5, 6]
    assert hook.events == ["begin", "session at 0", "end at 6"]


def test_a_resumed_job_begins_its_hooks_at_the_restored_step(tmp_path):
    hooked(tmp_path, [], named_loss).run(6)
    hook = Recording()
    hooked(tmp_path, [hook], named_loss).run(8)
    assert hook.events == ["begin", "session at 6", "end at 8"]


@pytest.mark.parametrize("how", [{"stop_at": 5}, {"error_at": 5}])
def test_a_hook_that_stops_ends_training_with_a_save(tmp_path, how):
    job = hooked(tmp_path, [Recording(**how)], named_loss)
    assert job.run(50) == 5
    assert checkpoints(tmp_path)[-1] == "model.ckpt-5"


@pytest.mark.parametrize(("at", "kept"), [(6, 4), (8, 8)])
def test_an_error_in_a_hook_ends_training_without_a_save_but_the_one_that_was_due(tmp_path, at, kept):
    class Broken(tf1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if run_context.session.run(tf1.train.get_global_step()) == at:
                raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        hooked(tmp_path, [Broken()]).run(50)
    assert checkpoints(tmp_path)[-1] == f"model.ckpt-{kept}"


def test_stop_at_step_hook_counts_from_the_restored_step(tmp_path):
    assert hooked(tmp_path, [tf1.train.StopAtStepHook(num_steps=5)]).run() == 5
    assert hooked(tmp_path, [tf1.train.StopAtStepHook(num_steps=5)]).run() == 10
    assert hooked(tmp_path, [tf1.train.StopAtStepHook(last_step=12)]).run() == 12


def test_logging_tensor_hook_logs_every_n_steps(tmp_path, caplog):
    tf.get_logger().propagate = True
    caplog.set_level("INFO", logger="tensorflow")
    hook = tf1.train.LoggingTensorHook({"lost": "the_loss:0"}, every_n_iter=3)
    hooked(tmp_path, [hook], named_loss).run(8)
    assert sum("lost = " in record.getMessage() for record in caplog.records) == 3


def test_nan_tensor_hook_ends_training_with_its_error(tmp_path):
    def broken(features, labels, mode):
        step = tf1.train.get_global_step()
        bad = tf.identity(tf.where(step < 5, 0.0, float("nan")), name="bad")
        return trained(mode, loss_of(features, labels), training_hooks=[tf1.train.NanTensorHook(bad)])

    with pytest.raises(tf1.train.NanLossDuringTrainingError):
        hooked(tmp_path, [], broken).run(50)


def test_summary_saver_and_step_counter_hooks_write_their_events(tmp_path):
    def summarizing(features, labels, mode):
        extra = tf1.summary.scalar("extra", tf.cast(tf1.train.get_global_step(), tf.float32), collections=[])
        saver = tf1.train.SummarySaverHook(2, output_dir=str(tmp_path / "extra"), summary_op=extra)
        return trained(mode, loss_of(features, labels), training_hooks=[saver])

    counter = tf1.train.StepCounterHook(3, output_dir=str(tmp_path / "counter"))
    job = hooked(tmp_path / "job", [counter], summarizing)
    job.run(7)
    assert list(event_values(tmp_path / "extra", "extra")) == [1, 3, 5, 7]
    assert list(event_values(tmp_path / "counter", "global_step/sec")) == [4, 7]


def test_training_chief_hooks_of_the_model_fn_run_too(tmp_path):
    hook = Recording()

    def with_hook(features, labels, mode):
        return named_loss(features, labels, mode)._replace(training_chief_hooks=[hook])

    hooked(tmp_path, [], with_hook).run(3)
    assert hook.steps == [1, 2, 3]


def test_summaries_are_written_between_hooks_too(tmp_path):
    job = hooked(tmp_path, [Recording()], named_loss, summary_dir=str(tmp_path), save_summary_steps=2)
    job.run(5)
    job.train.writer.flush()
    assert list(event_values(tmp_path, "loss")) == [1, 3, 5]


def test_a_hook_that_feeds_tensors_is_an_error(tmp_path):
    class Feeding(tf1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            run_context.session.run("the_loss:0", feed_dict={"x:0": 1})

    with pytest.raises(ValueError, match="cannot feed"):
        hooked(tmp_path, [Feeding()], named_loss).run(3)


def test_a_profiler_hook_profiles_the_steps_that_the_old_one_traced(tmp_path, monkeypatch):
    class Steps(tf1.train.SessionRunHook):
        def begin(self):
            self.taken = 0

        def before_run(self, run_context):
            self.taken += 1

    steps, profiled = Steps(), []
    start = tf.profiler.experimental.start
    monkeypatch.setattr(tf.profiler.experimental, "start", lambda path: (profiled.append(steps.taken), start(path)))
    hook = ProfilerHook(save_steps=3, output_dir=str(tmp_path / "profile"))
    assert hooked(tmp_path / "job", [steps, hook]).run(9) == 9
    assert profiled == [3, 6, 9]
    assert list((tmp_path / "profile").glob("plugins/profile/*/*.xplane.pb"))


def test_the_old_profiler_hook_cannot_be_made_outside_a_graph(tmp_path):
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        tf1.train.ProfilerHook(save_steps=3, output_dir=str(tmp_path))
