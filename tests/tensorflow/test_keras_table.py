"""The table of Keras's names is what the installed Keras has, and what moved is the same on both lines."""

import importlib
import math
import types
from functools import reduce
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from migrate.tensorflow.keras import TABLE

LINE = "2.15" if keras.__version__.startswith("2.") else "3"
ROWS = [row.partition(": ") for row in Path(TABLE).read_text(encoding="utf-8").splitlines()]
NAMES = [(*head.replace(" >", "").split(" "), name) for head, _, names in ROWS for name in names.split(" ")]
RAISES_AS_IT_IS_MADE = "LegacyOptimizerWarning"
"""What Keras 3 has by the names of the optimizers that it has no more."""


def found(module, name):
    """What stands at a name of Keras; None for nothing."""
    if module.startswith("tensorflow."):
        made = reduce(lambda above, one: getattr(above, one, None), f"{module}.{name}".split(".")[1:], tf)
    else:
        try:
            made = importlib.import_module(module)
        except ImportError:
            return None
        made = getattr(made, name, None)
    is_legacy = any(base.__name__ == RAISES_AS_IT_IS_MADE for base in getattr(made, "__mro__", ()))
    return None if is_legacy else made


def test_keras_lacks_what_the_table_says_it_lacks():
    is_here = [
        f"{module}.{name}" for lines, module, _, name in NAMES if LINE in lines.split(",") and found(module, name)
    ]
    assert [one for one in is_here if ".experimental." not in one] == []


def test_keras_has_what_the_table_says_it_has():
    there = {(module, name) for lines, module, _, name in NAMES if LINE not in lines.split(",")}
    assert [one for one in there if found(*one) is None] == []


def test_every_place_has_the_name():
    assert [(place, name) for _, _, place, name in NAMES if place != "-" and found(place, name) is None] == []


def test_a_place_has_the_same_object_where_both_are_there():
    pairs = [(found(module, name), found(place, name)) for _, module, place, name in NAMES if place != "-"]
    objects = [(old, new) for old, new in pairs if old is not None and not isinstance(old, types.ModuleType)]
    assert [(old, new) for old, new in objects if old is not new] == []


ROWS_OF_3 = np.arange(1, 13, dtype="float32").reshape(3, 4) / 10
PICTURE = np.arange(32, dtype="float32").reshape(1, 4, 4, 2)
SERIES = np.arange(24, dtype="float32").reshape(2, 3, 4)
BACKEND = {
    "sum": ((tf.constant(ROWS_OF_3), 0), ROWS_OF_3.sum(0)),
    "mean": ((tf.constant(ROWS_OF_3), 1), ROWS_OF_3.mean(1)),
    "max": ((tf.constant(ROWS_OF_3),), ROWS_OF_3.max()),
    "square": ((ROWS_OF_3,), ROWS_OF_3**2),
    "sqrt": ((tf.constant(ROWS_OF_3),), np.sqrt(ROWS_OF_3)),
    "exp": ((ROWS_OF_3,), np.exp(ROWS_OF_3)),
    "log": ((ROWS_OF_3,), np.log(ROWS_OF_3)),
    "clip": ((ROWS_OF_3, 0.2, 0.8), ROWS_OF_3.clip(0.2, 0.8)),
    "cast": ((ROWS_OF_3, "int32"), ROWS_OF_3.astype("int32")),
    "dot": ((tf.constant(ROWS_OF_3), tf.ones((4, 2))), ROWS_OF_3 @ np.ones((4, 2))),
    "batch_dot": ((tf.constant(SERIES), tf.ones((2, 4, 5))), SERIES @ np.ones((2, 4, 5))),
    "concatenate": (([tf.constant(ROWS_OF_3)] * 2,), np.concatenate([ROWS_OF_3] * 2, -1)),
    "stack": (([ROWS_OF_3, ROWS_OF_3],), np.stack([ROWS_OF_3] * 2)),
    "reshape": ((ROWS_OF_3, (4, 3)), ROWS_OF_3.reshape(4, 3)),
    "permute_dimensions": ((ROWS_OF_3, (1, 0)), ROWS_OF_3.T),
    "repeat_elements": ((tf.constant(ROWS_OF_3), 2, 0), ROWS_OF_3.repeat(2, 0)),
    "tile": ((ROWS_OF_3, (1, 2)), np.tile(ROWS_OF_3, (1, 2))),
    "expand_dims": ((ROWS_OF_3, 1), ROWS_OF_3[:, None]),
    "gather": ((ROWS_OF_3, [2, 0]), ROWS_OF_3[[2, 0]]),
    "argmax": ((ROWS_OF_3,), ROWS_OF_3.argmax(-1)),
    "one_hot": (([1, 2], 4), np.eye(4)[[1, 2]]),
    "zeros_like": ((ROWS_OF_3,), np.zeros((3, 4))),
    "l2_normalize": ((ROWS_OF_3, 1), ROWS_OF_3 / np.linalg.norm(ROWS_OF_3, axis=1, keepdims=True)),
    "binary_crossentropy": (([1.0, 0.0], [0.5, 0.5]), [np.log(2)] * 2),
    "categorical_crossentropy": (([[1.0, 0.0]], [[0.25, 0.75]]), [np.log(4)]),
    "relu": (([-1.0, 2.0],), [0.0, 2.0]),
    "sigmoid": (([0.0],), [0.5]),
    "softmax": ((tf.constant([[0.0, 0.0]]),), [[0.5, 0.5]]),
    "switch": ((tf.constant(True), lambda: 1.0, lambda: 2.0), 1.0),
    "pool2d": ((PICTURE, (2, 2), (2, 2)), PICTURE.reshape(1, 2, 2, 2, 2, 2).max((2, 4))),
    "resize_images": ((tf.constant(PICTURE), 2, 2, "channels_last"), PICTURE.repeat(2, 1).repeat(2, 2)),
    "int_shape": ((tf.constant(PICTURE),), (1, 4, 4, 2)),
}
"""Calls of the functions of ``keras.backend`` that programs have most, and what comes of them in every Keras."""


@pytest.mark.parametrize("name", BACKEND)
def test_a_function_of_the_back_end_computes_the_same_on_both_lines(name):
    arguments, expected = BACKEND[name]
    assert ("3", "keras.backend", "tensorflow.keras.backend", name) in NAMES
    np.testing.assert_allclose(getattr(tf.keras.backend, name)(*arguments), expected, rtol=1e-5)


def test_within_a_layer_and_a_loss_the_back_end_takes_its_tensors():
    backend = tf.keras.backend
    inputs = tf.keras.Input((2,))
    outputs = tf.keras.layers.Lambda(lambda x: backend.sum(x, axis=1, keepdims=True), output_shape=(1,))(inputs)
    model = tf.keras.Model(inputs, outputs)
    model.compile("sgd", lambda true, made: backend.mean(backend.square(true - made)))
    assert model.evaluate(np.ones((4, 2)), np.ones((4, 1)), verbose=0) == 1.0


def test_between_layers_keras_3_refuses_a_tensor_of_its_own():
    inputs = tf.keras.Input((2,))
    if LINE == "3":
        with pytest.raises(ValueError, match="KerasTensor"):
            tf.keras.backend.sum(inputs)
    else:
        assert tf.keras.backend.sum(inputs) is not None


def adam(keras=tf.keras, **arguments):
    """The rate of an optimizer, or the error that making it raises."""
    try:
        return round(float(keras.optimizers.Adam(**arguments).learning_rate.numpy()), 6)
    except ValueError:
        return "ValueError"


def test_each_line_reads_the_old_arguments_of_an_optimizer_in_its_own_way():
    old = [adam(lr=0.5), adam(decay=0.1), adam(decay=0.0), adam(learning_rate=tf.constant(0.5))]
    assert old == (
        ["ValueError", 0.001, 0.001, "ValueError"] if LINE == "3" else [0.001, "ValueError", "ValueError", 0.5]
    )
    assert adam(learning_rate=0.5) == 0.5


def test_compat_v1_takes_the_old_arguments_of_an_optimizer_on_keras_2_alone():
    keras = tf.compat.v1.keras
    old = [adam(keras, lr=0.5), adam(keras, learning_rate=0.5, decay=0.1)]
    assert old == (["ValueError", 0.5] if LINE == "3" else [0.5, 0.5])
    assert adam(keras, learning_rate=0.5) == 0.5


def test_the_rate_of_a_compiled_model_is_set_by_what_is_written_on_both_lines():
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.optimizer.learning_rate.assign(0.25)
    assert float(model.optimizer.learning_rate.numpy()) == 0.25
    assert hasattr(model.optimizer, "lr") == (LINE != "3")
    if LINE == "3":
        with pytest.raises(AttributeError):
            tf.keras.backend.set_value(model.optimizer.learning_rate, 0.5)


def test_models_have_the_short_methods_alone_on_keras_3_and_take_no_queue(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    batches = (one for one in [(np.ones((4, 2)), np.ones((4, 1)))] * 9)
    assert hasattr(model, "evaluate_generator") == hasattr(model, "predict_generator") == (LINE != "3")
    assert model.evaluate(batches, steps=2, verbose=0) >= 0
    if LINE == "3":
        with pytest.raises(TypeError):
            model.predict(np.ones((4, 2)), workers=1)
        with pytest.raises(ValueError, match=r"weights\.h5"):
            model.save_weights(str(tmp_path / "last.h5"))


def test_keras_2_rounds_fractions_of_steps_up_and_keras_3_refuses_them():
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    batches = tf.data.Dataset.from_tensors((np.ones((4, 2)), np.ones((4, 1)))).repeat()
    for steps in (5 / 2, math.ceil(5 / 2)):
        model.optimizer.iterations.assign(0)
        if LINE == "3" and steps == 2.5:
            with pytest.raises(TypeError):
                model.fit(batches, steps_per_epoch=steps, verbose=0)
        else:
            model.fit(batches, steps_per_epoch=steps, epochs=2, verbose=0)
            assert int(model.optimizer.iterations.numpy()) == 6
