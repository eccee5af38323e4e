"""Vocabularies are compared by their words, wherever these stand."""

import pytest
import tensorflow as tf

from migrate.checkpoints.vocabularies import compare
from migrate.recovery.keras_columns import DenseColumns, FeatureNetwork

column = tf.feature_column


def model(*columns):
    return FeatureNetwork([DenseColumns(columns)])


def in_file(path, words, **settings):
    path.write_text("".join(f"{word}\n" for word in words))
    return column.categorical_column_with_vocabulary_file("w", str(path), num_oov_buckets=1, **settings)


def listed(words):
    return column.categorical_column_with_vocabulary_list("w", words, num_oov_buckets=1)


def embedded(categorical):
    return column.embedding_column(categorical, 2)


@pytest.fixture
def save(tmp_path):
    """Write the graph of a DNN's input layer, as its Estimator does beside a checkpoint, whose prefix it gives."""

    def write(*columns):
        prefix = str(tmp_path / "model.ckpt-5")
        with tf.Graph().as_default() as graph, tf.compat.v1.variable_scope("dnn/input_from_feature_columns"):
            features = {"w": tf.constant([["a"]])}
            if any(one.dtype.is_integer for each in columns for one in [each.categorical_column]):
                features = {"w": tf.constant([[3]], tf.int64)}
            tf.compat.v1.feature_column.input_layer(features, columns)
            tf.compat.v1.train.export_meta_graph(f"{prefix}.meta", graph=graph)
        return prefix

    return write


SAME = [
    (lambda old: in_file(old / "old.txt", "abc"), lambda new: in_file(new / "new.txt", "abc")),
    (lambda old: in_file(old / "old.txt", "abc"), lambda new: listed(["a", "b", "c"])),
    (lambda old: listed(["a", "b", "c"]), lambda new: in_file(new / "new.txt", "abc")),
    (lambda old: listed(["ä", "b"]), lambda new: listed(["ä", "b"])),
    (lambda old: in_file(old / "old.txt", "abcd", vocabulary_size=2), lambda new: listed(["a", "b"])),
    (lambda old: in_file(old / "old.txt", [3, 5], dtype=tf.int64), lambda new: listed([3, 5])),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_the_same_words_fit(save, tmp_path, old, new):
    prefix = save(embedded(old(tmp_path)))
    assert compare(prefix, model(embedded(new(tmp_path)))).same == ["w"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("acb", "w: number 1 was b'b' ({old}) and is b'c' ({new})"),
        ("ab", "w: number 2 was b'c' ({old}) and is 'no more' ({new})"),
    ],
)
def test_other_words_are_told_with_the_first_that_differs(save, tmp_path, words, message):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    prefix = save(embedded(in_file(old, "abc")))
    found = compare(prefix, model(embedded(in_file(new, words))))
    assert found.different == [message.replace("'no more'", "no more").format(old=old, new=new)]


def test_what_cannot_be_looked_at_is_told(save, tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    prefix = save(embedded(in_file(old, "abc")))
    own = model(embedded(in_file(new, "abc")))
    assert compare(prefix, model(embedded(in_file(old, "abc")))).unchecked == [
        f"w: both read {old}, which is as it is now, not as it was then"
    ]
    old.unlink()
    assert compare(prefix, own).unchecked == [f"w: {old} is not at hand"]
    assert compare(str(tmp_path / "other"), own).unchecked == ["w: there is no other.meta with the old program's graph"]


def test_columns_in_crosses_and_under_weights_are_found(save, tmp_path):
    prefix = save(column.indicator_column(listed(["a", "b"])))
    other = listed(["b", "a"])
    for one in (column.crossed_column([other, "x"], 5), column.weighted_categorical_column(other, "x")):
        assert compare(prefix, model(column.indicator_column(one))).different
