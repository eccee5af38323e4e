"""Unchanged session hooks around the steps of a migrated model_fn, which a session runs."""

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.hooks import ProfilerHook

from .linear import Job, Noting, checkpoints, event_values, loss_of, trained


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


def test_what_a_hook_fetches_is_computed_by_the_step_itself(tmp_path):
    hook, plain = Recording(), Noting()
    Job(tmp_path / "a", named_loss).run(6, hooks=[hook])
    Job(tmp_path / "b", named_loss).run(6, hooks=[plain])
    assert hook.losses == plain.losses
    assert hook.steps == [1, 2, 3, 4, 5, 6]
    assert hook.events == ["begin", "session at 0", "end at 6"]


def test_a_resumed_job_begins_its_hooks_at_the_restored_step(tmp_path):
    Job(tmp_path, named_loss).run(6)
    hook = Recording()
    Job(tmp_path, named_loss).run(8, hooks=[hook])
    assert hook.events == ["begin", "session at 6", "end at 8"]


@pytest.mark.parametrize("how", [{"stop_at": 5}, {"error_at": 5}])
def test_a_hook_that_stops_ends_training_with_a_save(tmp_path, how):
    assert Job(tmp_path, named_loss).run(50, hooks=[Recording(**how)]) == 5


@pytest.mark.parametrize(("at", "kept"), [(6, 4), (8, 8)])
def test_an_error_in_a_hook_ends_training_without_a_save_but_the_one_that_was_due(tmp_path, at, kept):
    class Broken(tf1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if run_context.session.run(tf1.train.get_global_step()) == at:
                raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        Job(tmp_path).run(50, hooks=[Broken()])
    assert checkpoints(tmp_path)[-1] == f"model.ckpt-{kept}"


def test_stop_at_step_hook_counts_from_the_restored_step(tmp_path):
    assert Job(tmp_path).run(hooks=[tf1.train.StopAtStepHook(num_steps=5)]) == 5
    assert Job(tmp_path).run(hooks=[tf1.train.StopAtStepHook(num_steps=5)]) == 10
    assert Job(tmp_path).run(hooks=[tf1.train.StopAtStepHook(last_step=12)]) == 12


def test_logging_tensor_hook_logs_every_n_steps(tmp_path, caplog):
    tf.get_logger().propagate = True
    caplog.set_level("INFO", logger="tensorflow")
    hook = tf1.train.LoggingTensorHook({"lost": "the_loss:0"}, every_n_iter=3)
    Job(tmp_path, named_loss).run(8, hooks=[hook])
    lines = {record.getMessage().partition(" (")[0] for record in caplog.records if "lost = " in record.getMessage()}
    assert len(lines) == 3


def test_nan_tensor_hook_ends_training_with_its_error(tmp_path):
    def broken(features, labels, mode):
        step = tf1.train.get_global_step()
        bad = tf.identity(tf.where(step < 5, 0.0, float("nan")), name="bad")
        return trained(mode, loss_of(features, labels), training_hooks=[tf1.train.NanTensorHook(bad)])

    with pytest.raises(tf1.train.NanLossDuringTrainingError):
        Job(tmp_path, broken).run(50)


def test_summary_saver_and_step_counter_hooks_write_their_events(tmp_path):
    def summarizing(features, labels, mode):
        extra = tf1.summary.scalar("extra", tf.cast(tf1.train.get_global_step(), tf.float32), collections=[])
        saver = tf1.train.SummarySaverHook(2, output_dir=str(tmp_path / "extra"), summary_op=extra)
        return trained(mode, loss_of(features, labels), training_hooks=[saver])

    counter = tf1.train.StepCounterHook(3, output_dir=str(tmp_path / "counter"))
    Job(tmp_path / "job", summarizing).run(7, hooks=[counter])
    assert list(event_values(tmp_path / "extra", "extra")) == [1, 3, 5, 7]
    # TensorFlow's own counter leaves its events to the writer's thread, which flushes the first alone at once.
    tf1.summary.FileWriterCache.get(str(tmp_path / "counter")).flush()
    assert list(event_values(tmp_path / "counter", "global_step/sec")) == [4, 7]


def test_training_chief_hooks_of_the_model_fn_run_too(tmp_path):
    hook = Recording()

    def with_hook(features, labels, mode):
        return named_loss(features, labels, mode)._replace(training_chief_hooks=[hook])

    Job(tmp_path, with_hook).run(3)
    assert hook.steps == [1, 2, 3]


def test_summaries_are_written_between_hooks_too(tmp_path):
    Job(tmp_path, named_loss, save_summary_steps=2).run(5, hooks=[Recording()])
    assert list(event_values(tmp_path, "loss")) == [1, 3, 5]


def test_a_hook_feeds_tensors_and_loads_variables(tmp_path):
    def with_rate(features, labels, mode):
        rate = tf1.placeholder_with_default(0.0, [], name="rate")
        return trained(mode, loss_of(features, labels), tf1.train.GradientDescentOptimizer(rate))

    class Feeding(tf1.train.SessionRunHook):
        def before_run(self, run_context):
            return tf1.train.SessionRunArgs(None, {"rate:0": 0.5})

        def end(self, session):
            (w,) = tf1.trainable_variables()
            self.found = session.run(w).tolist()
            w.load([[7.0], [8.0]], session)

    feeding = Feeding()
    job = Job(tmp_path, with_rate)
    job.run(3, hooks=[feeding])
    assert feeding.found != [[0.0], [0.0]]
    Job(tmp_path / "other", with_rate).run(3)
    assert Job(tmp_path / "other").value("w").tolist() == [[0.0], [0.0]]


def test_what_a_hook_makes_in_begin_is_initialized_saved_and_restored(tmp_path):
    class Counting(tf1.train.SessionRunHook):
        def begin(self):
            self.seen = tf1.get_variable("count/seen", [], tf.int64, tf1.zeros_initializer(), trainable=False)
            self.add = self.seen.assign_add(1)

        def before_run(self, run_context):
            return tf1.train.SessionRunArgs(self.add)

    for end in (6, 9):
        job = Job(tmp_path)
        job.run(end, hooks=[Counting()])
        assert job.value("count/seen") == end


def test_a_profiler_hook_may_be_made_before_its_graph_and_writes_what_it_wrote(tmp_path):
    hook = ProfilerHook(save_steps=3, output_dir=str(tmp_path / "profile"))
    assert Job(tmp_path / "job").run(9, hooks=[hook]) == 9
    assert len(list((tmp_path / "profile").glob("timeline-*.json"))) == 3


def test_the_old_profiler_hook_cannot_be_made_outside_a_graph(tmp_path):
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        tf1.train.ProfilerHook(save_steps=3, output_dir=str(tmp_path))


@pytest.mark.parametrize("event", ["after_create_session", "before_run", "after_run"])
def test_a_stop_is_heard_wherever_it_is_asked_for(tmp_path, event):
    class Stopping(tf1.train.SessionRunHook):
        def after_create_session(self, session, coord):
            if event == "after_create_session":
                coord.request_stop()

        def before_run(self, run_context):
            if event == "before_run":
                run_context.request_stop()

        def after_run(self, run_context, run_values):
            if event == "after_run":
                run_context.request_stop()

    assert Job(tmp_path).run(50, hooks=[Stopping()]) == (0 if event == "after_create_session" else 1)
