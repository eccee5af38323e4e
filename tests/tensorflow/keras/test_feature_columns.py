"""The layers that read feature columns give what TensorFlow's own functions give, for every kind of column."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.classes import class_ids
from migrate.recovery.keras_backup import refuse_old_job
from migrate.recovery.keras_columns import (
    DenseColumns,
    FeatureNetwork,
    LinearColumns,
    WideAndDeep,
    example_batch,
)

FEATURES = {
    "size": np.array([[1.0, 2.0], [3.0, -4.0], [0.0, 7.5]], np.float32),
    "age": np.array([20.0, 19.9, 77.0], np.float32),
    "word": np.array(["a", "zebra", ""]),
    "many": np.array([["b", "a"], ["", "c"], ["", ""]]),
    "code": np.array([3, -1, 5]),
    "kind": np.array([3, 0, 1]),
    "number": np.array([7, -1, 123]),
    "weight": np.array([0.5, 2.0, 3.0], np.float32),
}
column = tf.feature_column


def columns(folder):
    """The wide and the deep columns."""
    vocabulary = folder / "words.txt"
    vocabulary.write_text("a\nb\nc\n")
    size = column.numeric_column("size", (2,), normalizer_fn=lambda size: size * 2.0)
    ages = column.bucketized_column(column.numeric_column("age"), [20, 60])
    words = column.categorical_column_with_vocabulary_list("word", ["a", "b"], num_oov_buckets=2)
    from_file = column.categorical_column_with_vocabulary_file("many", str(vocabulary), default_value=1)
    hashed = column.categorical_column_with_hash_bucket("word", 7)
    codes = column.categorical_column_with_identity("code", 6)
    numbers = column.categorical_column_with_hash_bucket("number", 5, tf.int64)
    kinds = column.categorical_column_with_identity("kind", 4)
    weighted = column.weighted_categorical_column(kinds, "weight")
    crossed = column.crossed_column([hashed.key, ages, codes], 11)
    wide = [size, ages, words, from_file, weighted, crossed, numbers]
    deep = [
        size, ages, column.indicator_column(from_file), column.indicator_column(crossed),
        column.embedding_column(numbers, 3), column.embedding_column(from_file, 2, combiner="sqrtn"),
        column.embedding_column(words, 2, trainable=False),
        column.embedding_column(codes, 2, combiner="sum", max_norm=0.1), column.indicator_column(weighted),
    ]  # fmt: skip
    return wide, deep


def given_by_tensorflow(read, columns):
    """What a function of tf.compat.v1.feature_column gives, and the variables that it made, by their columns."""
    with tf.Graph().as_default(), tf1.Session() as session:
        variables = {}
        output = read({name: tf.constant(value) for name, value in FEATURES.items()}, columns, variables)
        session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
        random = np.random.RandomState(0)
        values = {}
        for key, made in variables.items():
            for variable in made:
                values[getattr(key, "name", key)] = value = random.rand(*variable.shape).astype(np.float32)
                variable.load(value, session)
        return session.run(output), values


def tensors():
    return {name: tf.constant(value) for name, value in FEATURES.items()}


def test_dense_columns_give_what_input_layer_gives(tmp_path):
    _, deep = columns(tmp_path)
    expected, values = given_by_tensorflow(
        lambda features, columns, made: tf1.feature_column.input_layer(features, columns, cols_to_vars=made), deep
    )
    layer = DenseColumns(deep)
    assert layer.embeddings.keys() == values.keys()
    for name, value in values.items():
        layer.embeddings[name].assign(value)
    np.testing.assert_array_equal(layer(tensors()), expected)


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_linear_columns_give_what_linear_model_gives(tmp_path, combiner):
    wide, _ = columns(tmp_path)
    expected, values = given_by_tensorflow(
        lambda features, columns, made: tf1.feature_column.linear_model(
            features, columns, 2, combiner, cols_to_vars=made
        ),
        wide,
    )
    layer = LinearColumns(wide, 2, sparse_combiner=combiner)
    layer.bias.assign(values.pop("bias"))
    assert layer.kernels.keys() == values.keys()
    for name, value in values.items():
        layer.kernels[name].assign(value)
    np.testing.assert_array_equal(layer(tensors()), expected)


def test_sparse_features_and_those_with_dimensions_of_their_own_are_read_alike(tmp_path):
    wide, _ = columns(tmp_path)
    layer = LinearColumns(wide)
    for kernel in layer.kernels.values():
        kernel.assign(np.random.RandomState(0).rand(*kernel.shape))
    one = tensors()
    other = {name: tf.expand_dims(value, -1) if value.shape.rank == 1 else value for name, value in one.items()}
    other["many"] = tf.sparse.from_dense(one["many"])
    np.testing.assert_array_equal(layer(other), layer(one))


def test_a_feature_that_is_missing_is_named(tmp_path):
    layer = LinearColumns(columns(tmp_path)[0])
    with pytest.raises(ValueError, match="no feature 'age'"):
        layer({name: value for name, value in tensors().items() if name != "age"})


def test_each_part_is_trained_by_its_own_optimizer(tmp_path):
    wide, deep = columns(tmp_path)
    deep_part = FeatureNetwork([DenseColumns(deep), tf.keras.layers.Dense(1)])
    model = WideAndDeep(wide=LinearColumns(wide), deep=deep_part)
    model(example_batch([*wide, *deep]))
    model.compile(tf.keras.optimizers.SGD(0.0), wide_optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
    before = [np.array(weight) for weight in model.deep.weights]
    dataset = tf.data.Dataset.from_tensor_slices((FEATURES, [1.0, 2.0, 3.0])).batch(3)
    expected = model.evaluate(dataset, verbose=0)
    found = model.fit(dataset, verbose=0).history["loss"][0]
    assert found == pytest.approx(expected, rel=1e-6)
    for old, new in zip(before, model.deep.weights, strict=True):
        np.testing.assert_array_equal(new, old)
    assert float(model.wide.bias[0]) != 0.0
    assert int(model.optimizer.iterations) == int(model.wide_optimizer.iterations) == 1


def test_keras_own_lookup_numbers_words_otherwise_and_counts_missing_ones():
    words = tf.constant([["a"], ["zebra"], [""]])
    one = column.categorical_column_with_vocabulary_list("word", ["a", "b"], num_oov_buckets=1)
    own = DenseColumns([column.indicator_column(one)])({"word": words})
    lookup = tf.keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="multi_hot")
    np.testing.assert_array_equal(own, [[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(lookup(words), [[0, 1, 0], [1, 0, 0], [1, 0, 0]])


def test_class_ids_are_places_in_the_vocabulary_and_another_label_is_refused():
    assert class_ids(tf.constant([["v"], ["u"]]), ["u", "v"]).numpy().tolist() == [1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in label_vocabulary"):
        class_ids(tf.constant(["w"]), ["u", "v"])


def test_an_estimators_directory_is_refused_and_others_are_not(tmp_path):
    refuse_old_job(str(tmp_path / "new"))
    tf.train.Checkpoint(step=tf.Variable(0)).write(str(tmp_path / "other"))
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.train.get_or_create_global_step()
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver().save(session, str(tmp_path / "old" / "model.ckpt"), 3)
    with pytest.raises(ValueError, match="estimator-migrate checkpoint"):
        refuse_old_job(str(tmp_path / "old"))


def test_a_checkpoint_holds_the_moving_averages_and_gives_them_back(tmp_path):
    _, deep = columns(tmp_path)

    def make():
        model = FeatureNetwork([DenseColumns(deep), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)])
        model(example_batch(deep))
        return model

    saved, restored = make(), make()
    for number, weight in enumerate(saved.weights):
        weight.assign(np.full(weight.shape, number))
    path = tf.train.Checkpoint(model=saved).save(str(tmp_path / "ckpt"))
    tf.train.Checkpoint(model=restored).restore(path).assert_consumed()
    names = [name for name, _ in tf.train.list_variables(path)]
    assert any("moving_variance" in name for name in names)
    assert len([name for name in names if name.startswith("model/")]) == len(saved.weights)
    for one, other in zip(saved.get_weights(), restored.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
