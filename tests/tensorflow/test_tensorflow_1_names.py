"""Which names mean another thing in TensorFlow 2 is as TensorFlow has it."""

import functools
from typing import Any

import tensorflow as tf

from migrate.analysis.tensorflow_1_names import METHODS_OF_1, OTHER_IN_2, WIDER_IN_2

NOWHERE = object()


def found(module: Any, name: str) -> Any:
    return functools.reduce(lambda part, word: getattr(part, word, NOWHERE), name.split("."), module)


def test_a_name_with_two_meanings_is_another_object_in_compat_v1() -> None:
    same = [name for name in OTHER_IN_2 if found(tf.compat.v1, name) is found(tf, name) is not NOWHERE]
    assert same == []


def test_an_object_of_tensorflow_1_is_one_of_a_class_that_is_only_asked_for() -> None:
    both = {name: (found(tf.compat.v1, name), found(tf, name)) for name in OTHER_IN_2}
    classes = {name: pair for name, pair in both.items() if all(isinstance(one, type) for one in pair)}
    assert {name for name, pair in classes.items() if issubclass(*pair)} == WIDER_IN_2


def test_dropout_reads_its_second_argument_as_what_is_kept_in_tensorflow_1_and_as_what_goes_in_2() -> None:
    ones = tf.ones([1000])
    assert float(tf.reduce_mean(tf.cast(tf.compat.v1.nn.dropout(ones, 0.9) > 0, tf.float32))) > 0.8
    assert float(tf.reduce_mean(tf.cast(tf.nn.dropout(ones, 0.9) > 0, tf.float32))) < 0.2


def test_a_dataset_of_tensorflow_1_alone_makes_iterators_by_a_method() -> None:
    assert all(hasattr(tf.compat.v1.data.Dataset.range(1), name) for name in METHODS_OF_1)
    assert not any(hasattr(tf.data.Dataset.range(1), name) for name in METHODS_OF_1)
