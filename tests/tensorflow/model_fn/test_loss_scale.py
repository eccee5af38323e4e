"""Loss scaling of ``tf.contrib.mixed_precision`` that is emitted scales, skips and counts as its definition says."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.loss_scale import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
    LossScaleOptimizer,
)

from .linear import Job, trained

BAD = [False, False, True, False, True, False, False, False, True, True, False, False, False, False]
"""Whether the gradients of a batch are infinite."""


def scales_by_definition(first, grows_after, shrinks_after, more, less):
    """The scale, good and bad steps after each batch; bad steps need not be in a row, good ones must."""
    scale, good, bad, found = np.float32(first), 0, 0, []
    for is_bad in BAD:
        if not is_bad:
            good += 1
            if good >= grows_after:
                scale, good, bad = np.float32(scale * more), 0, 0
        else:
            good, bad = 0, bad + 1
            if bad >= shrinks_after:
                scale, good, bad = max(np.float32(1), np.float32(scale * less)), 0, 0
        found.append((float(scale), good, bad))
    return found


def dataset(batches):
    return tf.data.Dataset.from_tensor_slices([np.float32("inf") if bad else np.float32(1 / 3) for bad in batches])


def job(folder, manager, batches=BAD):
    def model_fn(features, labels, mode):
        w = tf1.get_variable("w", [], initializer=tf1.ones_initializer())
        optimizer = tf1.train.AdamOptimizer(0.1)
        if manager:
            optimizer = LossScaleOptimizer(optimizer, manager())
        return trained(mode, (w - 3) ** 2 * features, optimizer)

    return Job(folder, model_fn, input_fn=lambda: dataset(batches), every=1)


class Seen(tf1.train.SessionRunHook):
    """What some variables are after each step."""

    def __init__(self, *names):
        self._names, self.found = names, []

    def after_run(self, run_context, run_values):
        session = run_context.session
        variables = {one.op.name: one for one in session.graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES)}
        self.found.append(tuple(one.item() for one in session.run([variables[name] for name in self._names])))


@pytest.mark.parametrize("settings", [(2.0**10, 3, 2, 2, 0.5), (4.0, 2, 1, 4, 0.125), (2.0, 1, 2, 2, 0.8)])
def test_the_scale_grows_and_shrinks_when_it_should_and_bad_steps_are_left_out(tmp_path, settings):
    scaled = job(tmp_path / "scaled", lambda: ExponentialUpdateLossScaleManager(*settings))
    names = ("loss_scale", "good_steps", "bad_steps")
    seen = Seen(*names, "global_step")
    scaled.run(hooks=[seen])
    own = {*names, "w", "w/Adam", "w/Adam_1", "cond/beta1_power", "cond/beta2_power"}
    assert own < set(scaled.estimator.get_variable_names())
    assert [one[:3] for one in seen.found] == scales_by_definition(*settings)
    assert [one[3] for one in seen.found] == list(np.cumsum([not is_bad for is_bad in BAD]))
    if settings[-1] != 0.8:  # by a power of two a float is scaled without rounding
        plain = job(tmp_path / "plain", None, [bad for bad in BAD if not bad])
        plain.run()
        assert plain.value("w") != 1
        assert plain.value("w") == scaled.value("w")


def test_a_fixed_scale_stays_and_leaves_out_what_is_not_finite(tmp_path):
    scaled, plain = job(tmp_path / "1", lambda: FixedLossScaleManager(128.0)), job(tmp_path / "2", None, [False] * 10)
    for one in (scaled, plain):
        one.run()
    assert plain.value("w") == scaled.value("w")
    assert scaled.value("global_step") == BAD.count(False) == 10
    with pytest.raises(ValueError, match="at least 1"):
        FixedLossScaleManager(0.5)
