"""More of ``tests.contrib_cases``: what tf_slim computes by other code than contrib's, ``tests.slim_sources``."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tests.contrib_cases import evaluated

ROWS = np.cos(np.arange(12)).reshape(4, 3).astype(np.float32)
LABELS = [[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 1]]


def slim_layers(of):
    layers = of("layers")

    def gradients():
        x = tf1.get_variable("x", [4, 3], use_resource=True)
        y = layers.scale_gradient(x, tf.constant(0.25))
        return {"y": y, "loss": tf.reduce_sum(tf.square(y))}

    def reversible():
        def part(x):
            return tf1.layers.dense(x, 3, tf.tanh, kernel_initializer=tf1.constant_initializer(ROWS[:3]))

        with tf1.variable_scope("reversible", use_resource=True):
            first, second = layers.rev_block(tf.constant(ROWS), tf.constant(-ROWS), part, part, num_layers=2)
        return {"first": first, "second": second, "loss": tf.reduce_sum(tf.square(first) + second)}

    def recomputed():
        def part(x):
            return tf1.layers.dense(x, 3, tf.tanh, kernel_initializer=tf1.constant_initializer(ROWS[:3]))

        with tf1.variable_scope("recomputed", use_resource=True):
            y = layers.recompute_grad(part)(tf.constant(ROWS))
        return {"y": y, "loss": tf.reduce_sum(tf.square(y))}

    for make in (gradients, reversible, recomputed):
        yield f"slim: {make.__name__}", evaluated(make)

    def embedded():
        ids = tf.constant([[1, 2, 1], [0, 3, 2]])
        first = layers.embed_sequence(ids, 4, 2)
        second = layers.embed_sequence(ids, 4, 2, unique=True, scope="own")
        again = layers.embed_sequence(ids[:1], 4, 2, scope="own", reuse=True)
        return {"first": first, "second": second, "loss": tf.reduce_sum(tf.square(first) * second) + again[0, 0, 0]}

    yield "embed_sequence", evaluated(embedded)

    def optimized():
        tf1.train.create_global_step()
        loss = tf.reduce_sum(tf.square(tf1.get_variable("w", [3]) - 1.0))
        return {"train": of("slim").optimize_loss(loss, tf1.train.get_global_step(), 0.1, "SGD")}

    yield "slim: optimize_loss", evaluated(optimized, steps=2)


def slim_metrics(of):
    metrics = of("metrics")

    def make():
        labels, scores = tf.constant(LABELS), tf.constant((ROWS + 1) / 2)
        truth, flat = tf.cast(tf.reshape(labels, [-1]), tf.bool), tf.reshape(scores, [-1])
        found = {}
        found["histogram"], found["histogram update"] = metrics.auc_using_histogram(truth, flat, [0.0, 1.0], nbins=9)
        found["f1"], found["f1 update"] = of("slim.metrics").f1_score(labels, scores, num_thresholds=9)
        found["concat"], found["concat update"] = metrics.streaming_concat(flat)
        area, found["area update"] = metrics.auc_with_confidence_intervals(tf.cast(truth, tf.int64), flat)
        curve, more = metrics.precision_recall_at_equal_thresholds(truth, flat, num_thresholds=5)
        found.update({f"area {key}": value for key, value in area._asdict().items()})
        found.update({f"curve {key}": value for key, value in curve._asdict().items()})
        with tf.control_dependencies([more]):
            found["curve update"] = tf.constant(1)
        return found

    yield "slim: metrics", evaluated(make, steps=1)


def slim_variables(of):
    framework = of("framework")
    yield "slim: devices", [framework.VariableDeviceChooser(2)(None) for _ in range(2)]
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "model")
        with tf.Graph().as_default(), tf1.Session() as session:
            made = tf1.get_variable("a/w", initializer=[1.0, 2.0])
            session.run(made.initializer)
            tf1.train.Saver().save(session, path)
        with tf.Graph().as_default(), tf1.Session() as session:
            first, second = (tf1.get_variable(name, [2]) for name in ("a/w", "b/w"))
            assign, feed = framework.assign_from_checkpoint(path, {"a/w": second})
            session.run(assign, feed)
            framework.assign_from_checkpoint_fn(path, [first])(session)
            yield "slim: assigned", session.run([first, second])
            with tf1.variable_scope("b") as scope:
                found = [framework.get_variables(scope), framework.get_variables("a"), framework.get_variables()]
                found.append(framework.get_variables_by_suffix("w", "a"))
            yield "slim: variables by scope", [[one.op.name for one in each] for each in found]


def slim_trainings(of):
    training = of("training")
    with tempfile.TemporaryDirectory() as directory:
        with tf.Graph().as_default():
            step = tf1.train.create_global_step()
            w = tf1.get_variable("w", [2], initializer=tf1.zeros_initializer())
            loss = tf.reduce_sum(tf.square(w - 1.0))
            train_op = training.create_train_op(loss, tf1.train.GradientDescentOptimizer(0.1), step)
            last = training.train(train_op, directory, hooks=[tf1.train.StopAtStepHook(3)], save_checkpoint_secs=600)
            yield "slim: trained", last
        yield "slim: checkpoint", os.path.basename(training.wait_for_new_checkpoint(directory, None, timeout=9))
        with tf.Graph().as_default():
            tf1.train.create_global_step()
            w = tf1.get_variable("w", [2])
            tf1.summary.scalar("w", w[0])
            hook = training.SummaryAtEndHook(os.path.join(directory, "eval"))
            values = training.evaluate_repeatedly(directory, final_ops=w, hooks=[hook], max_number_of_evaluations=1)
            yield "slim: evaluated", values
        with tf.Graph().as_default():
            tf1.train.create_global_step()
            w = tf1.get_variable("w", [2])
            path, told = tf.train.latest_checkpoint(directory), os.path.join(directory, "once")
            evaluate = of("slim.evaluation").evaluate_once
            yield "slim: evaluated once", evaluate("", path, told, num_evals=2, final_op={"w": w})
        with tf.Graph().as_default():
            tf1.train.create_global_step()
            w = tf1.get_variable("w", [2])
            count = tf1.assign_add(training.get_or_create_eval_step(), 1, use_locking=True)
            hooks = [training.StopAfterNEvalsHook(3)]
            ops, path = (
                {"eval_ops": count, "final_ops": {"w": w, "count": count}},
                tf.train.latest_checkpoint(directory),
            )
            yield "slim: evaluated by a hook", training.evaluate_once(path, hooks=hooks, **ops)
        (events,) = os.scandir(os.path.join(directory, "eval"))
        told = [(v.tag, e.step) for e in tf1.train.summary_iterator(events.path) for v in e.summary.value]
        yield "slim: summary at the end", told


def private_slim(of):
    """What programs take from modules of slim that contrib does not show."""

    with tf.Graph().as_default():
        made = of("slim.python.slim.nets.inception_v3").inception_v3
        logits, ends = made(tf.zeros([1, 139, 139, 3]), 3, is_training=False, depth_multiplier=0.01, min_depth=2)
        shapes = {one.op.name: one.shape.as_list() for one in tf1.global_variables()}
        told = {name: one.shape.as_list() for name, one in ends.items()}
        yield "slim: inception_v3", [logits.shape.as_list(), told, shapes]


SLIM_CASES = (slim_layers, slim_metrics, slim_variables, slim_trainings, private_slim)
