"""Which names mean another thing in TensorFlow 2 is as the installed TensorFlow has it."""

import ast

import pytest
import tensorflow as tf

from migrate.tensorflow.meanings import METHODS_OF_1, has_two_meanings, is_wider, means_same, only_in
from tests.tensorflow_meanings import read_installed

FOUND = read_installed()


def test_a_name_whose_meanings_differ_in_this_tensorflow_stands_in_the_table():
    assert [name for name in FOUND if not has_two_meanings(name)] == []


def test_a_class_that_tensorflow_1s_is_derived_from_is_one_that_can_be_asked_for():
    assert [name for name, row in FOUND.items() if row["wider"] and not is_wider(name)] == []


def test_a_call_means_the_same_if_both_functions_compute_the_same_of_it():
    required = {name: row for name, row in FOUND.items() if not row["same"]}
    call = ast.parse("f()", mode="eval").body
    assert isinstance(call, ast.Call)
    assert [name for name in required if means_same(name, call)] == []


def test_what_one_function_alone_takes_the_other_refuses():
    given = ast.parse("f([[1.0]], keep_dims=True)", mode="eval").body
    assert isinstance(given, ast.Call)
    assert only_in("reduce_sum", given) == 1
    assert float(tf.compat.v1.reduce_sum([[1.0]], keep_dims=True)[0][0]) == 1.0
    with pytest.raises(TypeError):
        tf.reduce_sum([[1.0]], keep_dims=True)


def test_dropout_reads_its_second_argument_as_what_is_kept_in_tensorflow_1_and_as_what_goes_in_2():
    ones = tf.ones([1000])
    assert float(tf.reduce_mean(tf.cast(tf.compat.v1.nn.dropout(ones, 0.9) > 0, tf.float32))) > 0.8
    assert float(tf.reduce_mean(tf.cast(tf.nn.dropout(ones, 0.9) > 0, tf.float32))) < 0.2


def test_a_dataset_of_tensorflow_1_alone_makes_iterators_by_a_method():
    assert all(hasattr(tf.compat.v1.data.Dataset.range(1), name) for name in METHODS_OF_1)
    assert not any(hasattr(tf.data.Dataset.range(1), name) for name in METHODS_OF_1)
