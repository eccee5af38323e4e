"""What a branch or a loop's body assigns is assigned in training, as a session does it, to the last bit."""

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .linear import Job, trained

DATA = [1.0, 3.0, 0.5, 4.0, 0.25]


class _OnSomeSteps(tf1.train.GradientDescentOptimizer):
    """Applies gradients on some steps alone, as programs do that accumulate gradients or scale losses."""

    def __init__(self, branch):
        super().__init__(0.1)
        self._branch = branch

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        step = super().apply_gradients
        pairs = list(grads_and_vars)
        return self._branch(
            lambda: step(pairs, global_step), tf1.get_variable("seen", [], tf.int64, tf1.zeros_initializer())
        )


def _cond(apply, seen):
    with tf1.control_dependencies([seen.assign_add(1)]):
        return tf1.cond(tf.equal(seen.read_value() % 2, 1), apply, tf1.no_op)


def _nested(apply, seen):
    def inner():
        with tf1.control_dependencies([tf1.cond(seen < 9, apply, tf1.no_op)]):
            return tf.constant(True)

    with tf1.control_dependencies([tf1.cond(seen >= 0, inner, lambda: tf.constant(False))]):
        return tf.group(seen.assign_add(3))


def _loop(apply, seen):
    def body(i):
        with tf1.control_dependencies([seen.assign_add(tf.cast(i, tf.int64))]):
            return i + 1

    counted = tf1.while_loop(lambda i: i < 4, body, [tf.constant(1)])
    with tf1.control_dependencies([counted]):
        return apply()


def _result_unused(apply, seen):
    with tf1.control_dependencies([tf1.cond(seen < 2, lambda: seen.assign_add(1), seen.read_value)]):
        return apply()


def model_fn_with(branch):
    def model_fn(features, labels, mode):
        w = tf1.get_variable("w", [], initializer=tf1.zeros_initializer())
        return trained(mode, (w - features) ** 2, _OnSomeSteps(branch))

    return model_fn


def in_a_session(branch):
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.train.create_global_step()
        feature = tf1.placeholder(tf.float32, [])
        spec = model_fn_with(branch)(feature, None, "train")
        session.run(tf1.global_variables_initializer())
        for value in DATA[: 3 if branch is _nested else 5]:
            session.run(spec.train_op, {feature: value})
        return {v.op.name: session.run(v) for v in tf1.global_variables()}


@pytest.mark.parametrize("branch", [_cond, _nested, _loop, _result_unused])
def test_a_branch_assigns_what_it_assigned_in_a_session(tmp_path, branch):
    job = Job(tmp_path, model_fn_with(branch), input_fn=lambda: tf.data.Dataset.from_tensor_slices(DATA), every=2)
    job.run(max_steps={_cond: 3, _nested: 3}.get(branch, 5))
    found = {name: job.value(name) for name in job.estimator.get_variable_names()}
    assert found == in_a_session(branch)
    assert found["w"] != 0


def test_a_hook_runs_a_branch_in_the_graph_that_is_finished(tmp_path):
    class Hook(tf1.train.SessionRunHook):
        def begin(self):
            (w,) = (each for each in tf1.global_variables() if each.op.name == "w")
            self.added = tf1.cond(w >= 0, lambda: w.assign_add(2), w.read_value)

        def after_create_session(self, session, coord):
            self.found = [float(session.run(self.added)) for _ in range(2)]

    hook = Hook()
    job = Job(tmp_path, model_fn_with(_cond), input_fn=lambda: tf.data.Dataset.from_tensor_slices(DATA), every=2)
    job.run(max_steps=2, hooks=[hook])
    assert hook.found == [2.0, 4.0]


def test_an_assertion_in_a_branch_still_fails(tmp_path):
    def branch(apply, seen):
        with tf1.control_dependencies([tf1.debugging.Assert(seen < 2, ["seen", seen])]):
            return tf.group(apply(), seen.assign_add(1))

    job = Job(tmp_path, model_fn_with(branch), input_fn=lambda: tf.data.Dataset.from_tensor_slices(DATA), every=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="seen"):
        job.run()
