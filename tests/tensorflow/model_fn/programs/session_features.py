"""What only a session carries natively, under an Estimator or the object that stands for it: a line of JSON each.

Each feature trains to step 7 and again to 15, and tells the digests of all variables, the files, and what was heard.

usage: session_features.py old|new [FEATURE…]
"""

import functools
import glob
import hashlib
import json
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

if sys.argv[1] == "old":
    from tensorflow.compat.v1.estimator import Estimator, EstimatorSpec, RunConfig

    ProfilerHook = tf1.train.ProfilerHook
else:
    from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
    from migrate.recovery.estimator.run_config import RunConfig
    from migrate.recovery.estimator.training import ProfilerHook

tf1.logging.set_verbosity(tf1.logging.ERROR)
X = np.random.RandomState(0).rand(32, 4).astype("f")
WORDS = np.array(["a", "b", "c", "z"] * 8)
LOG = []
FEATURES = {}


def feature(function):
    FEATURES[function.__name__] = function


def of_model_fn(model_fn):
    FEATURES[model_fn.__name__] = functools.partial(trained, model_fn)


def input_fn():
    return (
        tf.data.Dataset.from_tensor_slices(({"x": X, "w": WORDS}, X.sum(1, keepdims=True)))
        .repeat()
        .batch(4, drop_remainder=True)
    )


def dense(features, name="w", **settings):
    return tf.matmul(features["x"], tf1.get_variable(name, [4, 1], initializer=tf1.zeros_initializer(), **settings))


def finish(mode, loss, optimizer=None, **more):
    optimizer = optimizer or tf1.train.AdamOptimizer(0.05)
    op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=op, **more)


def plain(features, labels, mode):
    return finish(mode, tf1.losses.mean_squared_error(labels, dense(features)))


def digest(value):
    return hashlib.sha1(np.ascontiguousarray(value).tobytes()).hexdigest()[:12]


def left(model_dir):
    path = tf.train.latest_checkpoint(model_dir)
    found = {name: digest(tf.train.load_variable(path, name)) for name, _ in tf.train.list_variables(path)}
    files = sorted(os.path.basename(name) for name in glob.glob(glob.escape(model_dir) + "/*.ckpt*"))
    return [found, files, list(LOG)]


def trained(model_fn=plain, input_fn=input_fn, ends=(7, 15), config=None, **train):
    """Trains to each end in turn by an estimator of its own; returns what is left."""
    with tempfile.TemporaryDirectory() as model_dir:
        for end in ends:
            settings = {"save_checkpoints_steps": 4, "keep_checkpoint_max": 3, "tf_random_seed": 1, **(config or {})}
            given = {name: [one(model_dir) for one in made] for name, made in train.items()}
            Estimator(model_fn, model_dir, RunConfig(**settings)).train(input_fn, max_steps=end, **given)
        return left(model_dir)


class Told(tf1.train.SessionRunHook):
    """Notes its events with the step."""

    def __init__(self, name="", then=lambda event, context: None):
        self._name, self._then = name, then

    def _note(self, event, session, context=None):
        LOG.append([self._name, event, int(session.run(self._step))])
        self._then(event, context)

    def begin(self):
        self._step = tf1.train.get_global_step()

    def after_create_session(self, session, coord):
        self._note("created", session, coord)

    def before_run(self, run_context):
        self._note("before", run_context.session, run_context)

    def after_run(self, run_context, run_values):
        self._note("after", run_context.session, run_context)

    def end(self, session):
        self._note("end", session)


class Hearing(tf1.train.CheckpointSaverListener):
    def __init__(self, name="", stop_at=None):
        self._name, self._stop_at = name, stop_at

    def begin(self):
        LOG.append([self._name, "begin"])

    def before_save(self, session, global_step_value):
        LOG.append([self._name, "before", int(global_step_value)])

    def after_save(self, session, global_step_value):
        LOG.append([self._name, "after", int(global_step_value)])
        return self._stop_at is not None and global_step_value >= self._stop_at

    def end(self, session, global_step_value):
        LOG.append([self._name, "end", int(global_step_value)])


@feature
def nothing_special():
    return trained()


@of_model_fn
def a_saver_of_the_model_fns_own_with_other_names(features, labels, mode):
    spec = plain(features, labels, mode)
    names = {("renamed/" + v.op.name if "step" not in v.op.name else v.op.name): v for v in tf1.global_variables()}
    return spec._replace(scaffold=tf1.train.Scaffold(saver=tf1.train.Saver(names, max_to_keep=2)))


@of_model_fn
def a_saver_in_the_collection(features, labels, mode):
    spec = plain(features, labels, mode)
    tf1.add_to_collection(tf1.GraphKeys.SAVERS, tf1.train.Saver(max_to_keep=2, sharded=True))
    return spec


@feature
def several_savers():
    def model_fn(features, labels, mode):
        spec = plain(features, labels, mode)
        second = tf1.train.Saver(tf1.trainable_variables(), max_to_keep=1)
        return spec._replace(training_hooks=[Second(second)])

    class Second(tf1.train.SessionRunHook):
        def __init__(self, saver):
            self._saver = saver

        def end(self, session):
            folder = tempfile.mkdtemp()
            self._saver.save(session, folder + "/second.ckpt", write_meta_graph=False)
            LOG.append(sorted(os.listdir(folder)))

    return trained(model_fn)


@of_model_fn
def partitioned_variables(features, labels, mode):
    with tf1.variable_scope("p", partitioner=tf1.fixed_size_partitioner(2)):
        w = tf1.get_variable("w", [4, 1], initializer=tf1.zeros_initializer())
    return finish(mode, tf1.losses.mean_squared_error(labels, tf.matmul(features["x"], tf.convert_to_tensor(w))))


@of_model_fn
def a_table_and_an_embedding(features, labels, mode):
    words = tf.feature_column.categorical_column_with_vocabulary_list("w", ["a", "b", "c"], num_oov_buckets=1)
    column = tf.feature_column.embedding_column(words, 2, initializer=tf1.ones_initializer())
    ids = tf1.feature_column.input_layer(features, [column])
    total = dense(features) + tf.reduce_sum(ids, 1, keepdims=True)
    return finish(mode, tf1.losses.mean_squared_error(labels, total))


@of_model_fn
def branches_that_assign_and_a_python_function(features, labels, mode):
    out = dense(features)
    count = tf1.get_variable("count", [], initializer=tf1.zeros_initializer(), trainable=False)
    step = tf1.train.get_global_step()
    noted = tf1.py_func(lambda s: LOG.append(int(s)) or np.float32(0), [step], tf.float32)
    with tf1.control_dependencies([noted]):
        bumped = tf.cond(step % 3 < 1, lambda: tf1.assign_add(count, 1.0), lambda: tf1.assign_add(count, 0.0))
    with tf1.control_dependencies([bumped]):
        return finish(mode, tf1.losses.mean_squared_error(labels, out))


@of_model_fn
def a_moving_average(features, labels, mode):
    spec = plain(features, labels, mode)
    average = tf1.train.ExponentialMovingAverage(0.9, tf1.train.get_global_step())
    with tf1.control_dependencies([spec.train_op]):
        return spec._replace(train_op=average.apply(tf1.trainable_variables()))


@feature
def init_from_checkpoint():
    with tempfile.TemporaryDirectory() as source:
        Estimator(plain, source, RunConfig(save_checkpoints_steps=4)).train(input_fn, max_steps=3)

        def model_fn(features, labels, mode):
            out = dense(features)
            tf1.train.init_from_checkpoint(source, {"w": "w"})
            return finish(mode, tf1.losses.mean_squared_error(labels, out))

        return trained(model_fn)


@of_model_fn
def reference_variables(features, labels, mode):
    return finish(mode, tf1.losses.mean_squared_error(labels, dense(features, "r", use_resource=False)))


@feature
def local_variables_of_a_metric():
    def model_fn(features, labels, mode):
        out = dense(features)
        _, mean = tf1.metrics.mean(out)
        with tf1.control_dependencies([mean]):
            spec = finish(mode, tf1.losses.mean_squared_error(labels, out))
        return spec._replace(training_hooks=[Locals()])

    class Locals(tf1.train.SessionRunHook):
        def end(self, session):
            LOG.append([digest(value) for value in session.run(tf1.local_variables())])

    return trained(model_fn)


@of_model_fn
def an_init_fn_and_an_init_feed_dict(features, labels, mode):
    spec = plain(features, labels, mode)
    value = tf1.placeholder(tf.float32, [4, 1])
    given = tf1.get_variable("given", initializer=value, validate_shape=True, trainable=False)
    assign = tf1.trainable_variables("w")[0].assign(given + 1.0)

    def init_fn(scaffold, session):
        LOG.append("init_fn")
        session.run(assign)

    feed = {value: np.full([4, 1], 2, "f")}
    return spec._replace(scaffold=tf1.train.Scaffold(init_fn=init_fn, init_feed_dict=feed))


@feature
def a_ready_op_and_a_local_init_op():
    def model_fn(features, labels, mode):
        spec = plain(features, labels, mode)
        local = tf1.get_local_variable("mine", [], initializer=tf1.zeros_initializer())
        set_local = local.assign(3.0)
        scaffold = tf1.train.Scaffold(
            ready_op=tf1.report_uninitialized_variables(tf1.global_variables()),
            local_init_op=tf.group(set_local, tf1.tables_initializer()),
        )
        return spec._replace(scaffold=scaffold, training_hooks=[Mine(local)])

    class Mine(tf1.train.SessionRunHook):
        def __init__(self, local):
            self._local = local

        def after_create_session(self, session, coord):
            LOG.append(float(session.run(self._local)))

    return trained(model_fn)


class Feeding(tf1.train.SessionRunHook):
    """Feeds a placeholder, loads a variable, reads the step in each hook."""

    def begin(self):
        self._rate = tf1.get_default_graph().get_tensor_by_name("rate:0")

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(tf1.train.get_global_step(), feed_dict={self._rate: 0.5})

    def after_run(self, run_context, run_values):
        if run_context.session.run(tf1.train.get_global_step()) == 5:
            tf1.trainable_variables()[0].load(np.ones([4, 1], "f"), run_context.session)


def fed(features, labels, mode):
    rate = tf1.placeholder_with_default(0.01, [], name="rate")
    loss = tf1.losses.mean_squared_error(labels, dense(features))
    return finish(mode, loss, tf1.train.GradientDescentOptimizer(rate))


@feature
def a_hook_that_feeds_and_loads():
    return trained(fed, hooks=[lambda _: Feeding()])


@feature
def a_feed_fn_hook():
    hook = lambda _: tf1.train.FeedFnHook(lambda: {"rate:0": 0.3})  # noqa: E731
    return trained(fed, hooks=[hook])


@feature
def a_hook_that_makes_variables():
    class Counting(tf1.train.SessionRunHook):
        def begin(self):
            self._seen = tf1.get_variable("seen/count", [], tf.int64, tf1.zeros_initializer(), trainable=False)
            self._add = self._seen.assign_add(1)

        def before_run(self, run_context):
            return tf1.train.SessionRunArgs(self._add)

    return trained(hooks=[lambda _: Counting()])


@feature
def a_listener_that_makes_variables():
    class Making(tf1.train.CheckpointSaverListener):
        def begin(self):
            self._saves = tf1.get_variable("saves", [], tf.int64, tf1.zeros_initializer(), trainable=False)
            self._add = self._saves.assign_add(1)

        def before_save(self, session, global_step_value):
            session.run(self._add)

    return trained(saving_listeners=[lambda _: Making()])


@feature
def the_order_of_hooks():
    def model_fn(features, labels, mode):
        spec = plain(features, labels, mode)
        return spec._replace(training_hooks=[Told("model")], training_chief_hooks=[Told("chief")])

    return trained(model_fn, ends=(3, 5), hooks=[lambda _: Told("a"), lambda _: Told("b")])


def _stops(where, at):
    def then(event, context):
        if event == where and LOG[-1][2] >= at and context is not None:
            context.request_stop()

    return trained(ends=(9,), hooks=[lambda _: Told("stops", then)])


for _where, _at in (("created", 0), ("before", 3), ("after", 3)):
    FEATURES[f"a_stop_asked_for_when_{_where}"] = functools.partial(_stops, _where, _at)


@feature
def a_listener_that_stops():
    return trained(saving_listeners=[lambda _: Hearing("a"), lambda _: Hearing("b", stop_at=8)])


@feature
def a_saver_hook_of_the_users():
    hook = lambda model_dir: tf1.train.CheckpointSaverHook(model_dir, save_steps=3)  # noqa: E731
    return trained(hooks=[hook], saving_listeners=[lambda _: Hearing()])


@feature
def two_saver_hooks_of_another_name():
    def hook(name, steps):
        return lambda model_dir: tf1.train.CheckpointSaverHook(model_dir, save_steps=steps, checkpoint_basename=name)

    hooks, every = [hook("other.ckpt", 5), hook("model.ckpt", 3)], {"keep_checkpoint_max": None}
    return trained(hooks=hooks, saving_listeners=[lambda _: Hearing()], config=every)


@feature
def a_profiler_hook():
    class Made(tf1.train.SessionRunHook):
        """Makes the hook in a graph: the old one cannot be made outside one."""

        def __init__(self, folder):
            self._folder = folder

        def begin(self):
            # Once in each training, also where it reads a step beside its update.
            self.hook = ProfilerHook(save_steps=6, output_dir=self._folder)
            self.hook.begin()

        def before_run(self, run_context):
            return self.hook.before_run(run_context)

        def after_run(self, run_context, run_values):
            self.hook.after_run(run_context, run_values)

        def end(self, session):
            LOG.append(len(glob.glob(self._folder + "/timeline-*.json")))

    return trained(hooks=[lambda _: Made(tempfile.mkdtemp())])


@feature
def hooks_of_tensorflow():
    def hooks():
        yield lambda _: tf1.train.StepCounterHook(every_n_steps=2, output_dir=tempfile.mkdtemp())
        yield lambda _: tf1.train.LoggingTensorHook(["w"], every_n_iter=2)
        yield lambda _: tf1.train.StopAtStepHook(num_steps=6)
        yield lambda _: tf1.train.GlobalStepWaiterHook(0)
        yield lambda _: tf1.train.FinalOpsHook(tf1.no_op) if False else tf1.train.SessionRunHook()

    return trained(hooks=list(hooks()))


@feature
def a_summary_saver_hook_with_its_own_summaries():
    folder = tempfile.mkdtemp()

    def model_fn(features, labels, mode):
        spec = plain(features, labels, mode)
        own = tf1.summary.scalar("own", spec.loss, collections=[])
        return spec._replace(training_hooks=[tf1.train.SummarySaverHook(2, output_dir=folder, summary_op=own)])

    found = trained(model_fn)
    for path in sorted(glob.glob(folder + "/events*")):
        for event in tf1.train.summary_iterator(path):
            found[2] += [[event.step, value.tag, value.simple_value] for value in event.summary.value]
    return found


def queued(num_epochs=None):
    x, y = tf.constant(X), tf.constant(X.sum(1, keepdims=True))
    one, label = tf1.train.slice_input_producer([x, y], num_epochs=num_epochs, shuffle=False)
    features, labels = tf1.train.batch([one, label], 4)
    return {"x": features}, labels


@feature
def an_input_of_queues():
    return trained(input_fn=queued)


@feature
def an_input_of_queues_that_ends():
    return trained(input_fn=lambda: queued(num_epochs=1))


@feature
def an_input_of_tensors():
    return trained(input_fn=lambda: tf1.data.make_one_shot_iterator(input_fn()).get_next())


@feature
def an_input_that_ends():
    return trained(input_fn=lambda: input_fn().take(5), ends=(7, 15))


@feature
def random_operations_without_a_seed_of_their_own():
    def model_fn(features, labels, mode):
        out = tf.nn.dropout(dense(features), rate=0.4) + tf1.random.normal([4, 1]) * 0.1
        w = tf1.get_variable("random", [3])
        return finish(mode, tf1.losses.mean_squared_error(labels, out) + tf.reduce_sum(w**2))

    return trained(model_fn, lambda: input_fn().shuffle(10))


@feature
def an_input_pipeline_hook_of_checkpoints():
    def shuffled():
        return input_fn().shuffle(10, seed=3)

    with tempfile.TemporaryDirectory() as model_dir:
        for end in (7, 15):
            settings = {"save_checkpoints_steps": 4, "keep_checkpoint_max": 3, "tf_random_seed": 1}
            one = Estimator(plain, model_dir, RunConfig(**settings))
            one.train(shuffled, max_steps=end, hooks=[tf.data.experimental.CheckpointInputPipelineHook(one)])
        return left(model_dir)


@feature
def a_broadcast_of_variables_when_the_session_is_there():
    """As Horovod's hook does it: an operation that is made in begin assigns all variables."""

    class Broadcast(tf1.train.SessionRunHook):
        def begin(self):
            self._take = tf.group(*[v.assign(tf.identity(v) * 1) for v in tf1.global_variables()])

        def after_create_session(self, session, coord):
            session.run(self._take)

    return trained(hooks=[lambda _: Broadcast()])


@feature
def an_error_to_recover_from():
    class Failing(tf1.train.SessionRunHook):
        failed = False

        def begin(self):
            self._step = tf1.train.get_global_step()

        def after_run(self, run_context, run_values):
            if run_context.session.run(self._step) == 6 and not self.failed:
                self.failed = True
                raise tf.errors.AbortedError(None, None, "gone")

    return trained(hooks=[lambda _: Failing(), lambda _: Told("told")])


@of_model_fn
def sparse_gradients_and_a_clipped_norm(features, labels, mode):
    table = tf1.get_variable("table", [5, 1], initializer=tf1.ones_initializer())
    out = dense(features) + tf.gather(table, tf.range(4))
    loss = tf1.losses.mean_squared_error(labels, out)
    optimizer = tf1.train.AdagradOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    clipped, _ = tf1.clip_by_global_norm([gradient for gradient, _ in pairs], 0.1)
    op = optimizer.apply_gradients(
        zip(clipped, [v for _, v in pairs], strict=True), global_step=tf1.train.get_global_step()
    )
    return EstimatorSpec(mode, loss=loss, train_op=op)


@of_model_fn
def operations_that_nothing_runs(features, labels, mode):
    spec = plain(features, labels, mode)
    tf1.get_variable("count", [], initializer=tf1.zeros_initializer(), trainable=False).assign_add(1.0)
    tf1.train.GradientDescentOptimizer(100.0).minimize(spec.loss)
    return spec


@of_model_fn
def a_loop_and_a_loss_of_one_element(features, labels, mode):
    x = tf1.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.nn.relu(x * 1.1 - 0.01)), (0, features["x"]))[1]
    spec = finish(mode, tf1.losses.mean_squared_error(labels, dense({"x": x})), tf1.train.FtrlOptimizer(0.1))
    return spec._replace(loss=tf.reshape(spec.loss, [1]))


@of_model_fn
def a_step_that_moves_by_two(features, labels, mode):
    spec = plain(features, labels, mode)
    with tf1.control_dependencies([spec.train_op]):
        return spec._replace(train_op=tf1.train.get_global_step().assign_add(1).op)


@feature
def an_alternation_with_evaluations():
    def model_fn(features, labels, mode):
        if mode == "eval":
            out = dense(features)
            metrics = {"mean": tf1.metrics.mean(out)}
            loss = tf1.losses.mean_squared_error(labels, out)
            return EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
        return plain(features, labels, mode)

    with tempfile.TemporaryDirectory() as model_dir:
        one = Estimator(model_fn, model_dir, RunConfig(save_checkpoints_steps=4, tf_random_seed=1))
        for end in (5, 10, 15):
            one.train(input_fn, max_steps=end)
            metrics = one.evaluate(input_fn, steps=3)
            LOG.append({name: float(value) for name, value in sorted(metrics.items())})
        return left(model_dir)


def outcome_of(call):
    LOG.clear()
    try:
        return call()
    except Exception as error:
        return [type(error).__name__, str(error)[:200]]


if not hasattr(tf.data.experimental, "CheckpointInputPipelineHook"):  # TensorFlow 2.21 has it no more
    del FEATURES["an_input_pipeline_hook_of_checkpoints"]

for name in sys.argv[2:] or FEATURES:
    print(json.dumps([name, outcome_of(FEATURES[name])]), flush=True)
