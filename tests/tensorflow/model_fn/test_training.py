"""What the training callable promises of the model_fn's graph."""

import functools
import tempfile

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_spec import EstimatorSpec
from migrate.recovery.model_fn_training import ModelFnTraining
from migrate.recovery.model_fn_warm_start import WarmStartSettings

from .linear import X, Y, input_fn, loss_of, model_fn, trained


def initialized(model_fn, dataset=None, **options):
    dataset = input_fn() if dataset is None else dataset
    train = ModelFnTraining(model_fn, dataset, **options)
    train.restore(tf.train.CheckpointManager(train.checkpoint, tempfile.mkdtemp(), None))
    return train, iter(dataset)


def event_values(directory, tag):
    """Returns the values of one tag, by step, in the event files of a directory."""
    values = {}
    for path in sorted(directory.glob("events*")):
        for event in tf1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if value.tag == tag:
                    values[event.step] = value.simple_value
    return values


def test_reads_and_writes_of_a_variable_run_in_the_order_of_the_program():
    def model_fn(features, labels, mode):
        noted = [tf1.get_variable(f"noted_{i}", [], tf.int64, tf1.zeros_initializer()) for i in range(20)]
        step = tf1.train.get_global_step()
        writes = []
        for variable in noted:
            writes.append(variable.assign(step.read_value()))
            writes.append(step.assign_add(1))
        writes.append(step.assign_sub(19))
        return EstimatorSpec(mode, loss=tf.cast(step.read_value(), tf.float32), train_op=tf.group(*writes))

    train, batches = initialized(model_fn)
    assert train(batches, 50, 0) == 50
    assert [int(train.variables[f"noted_{i}"]) for i in range(20)] == [49 + i for i in range(20)]


def test_an_operation_that_nothing_asks_for_does_not_run():
    def with_more(features, labels, mode):
        tf1.get_variable("w", [2, 1], initializer=tf1.zeros_initializer()).assign(tf.ones([2, 1]))
        tf1.get_variable_scope().reuse_variables()
        return trained(mode, loss_of(features, labels), tf1.train.GradientDescentOptimizer(0.0))

    train, batches = initialized(with_more)
    train(batches, 3, 0)
    assert not train.variables["w"].numpy().any()


@pytest.mark.parametrize(
    "call",
    [
        lambda features, labels: "train",
        lambda features, labels, mode: mode,
        lambda features, labels, params: params["mode"],
        lambda features, labels, mode, config: config,
        lambda features, labels, config, params, mode: mode + config + params["mode"],
        functools.partial(lambda features, labels, mode, params: params, params="bound"),
    ],
)
def test_a_model_fn_gets_the_arguments_that_it_names(call):
    seen = []

    @functools.wraps(call)
    def spying(*args, **kwargs):
        seen.append(call(*args, **kwargs))
        return model_fn(kwargs["features"], kwargs["labels"], "train")

    if isinstance(call, functools.partial):
        spying = functools.partial(spying, **call.keywords)
    ModelFnTraining(spying, input_fn(), params={"mode": "p"}, config="c")
    assert seen in (["train"], ["p"], ["c"], ["traincp"], ["bound"])


def test_a_method_is_a_model_fn():
    class Model:
        def model_fn(self, features, labels, mode):
            return model_fn(features, labels, mode)

    train, batches = initialized(Model().model_fn)
    assert train(batches, 2, 0) > 0


def test_a_model_fn_that_changes_its_params_leaves_the_callers_alone():
    def changing(features, labels, mode, params):
        params["list"].append(1)
        return model_fn(features, labels, mode)

    params = {"list": []}
    ModelFnTraining(changing, input_fn(), params=params)
    assert params == {"list": []}


def test_labels_that_the_model_fn_does_not_take_are_an_error():
    with pytest.raises(ValueError, match="does not take labels"):
        ModelFnTraining(lambda features, mode: None, input_fn())


def test_features_alone_and_sparse_features_are_fed():
    def unlabelled(features, mode):
        return trained(mode, loss_of({"x": tf.sparse.to_dense(features["x"])}, features["y"]))

    dense = tf.data.Dataset.from_tensor_slices({"x": X, "y": Y}).batch(8).repeat()
    sparse = dense.map(lambda batch: {"x": tf.sparse.from_dense(batch["x"]), "y": batch["y"]})
    train, batches = initialized(unlabelled, sparse)
    reference, reference_batches = initialized(model_fn)
    assert train(batches, 5, 0) == reference(reference_batches, 5, 0)


def test_the_seed_repeats_initial_values_and_random_steps():
    def noisy(features, labels, mode):
        w = tf1.get_variable("w", [2, 1])
        return trained(mode, tf1.losses.mean_squared_error(labels, features["x"] @ w + tf.random.normal([8, 1])))

    def losses(seed):
        train, batches = initialized(noisy, seed=seed)
        return [train(batches, until, 0) for until in (1, 2, 5)]

    assert losses(7) == losses(7)
    assert losses(7) != losses(8)


def test_init_from_checkpoint_in_the_model_fn_warm_starts(tmp_path):
    pretrained = str(tf.train.Checkpoint(w=tf.Variable([[3.0], [4.0]])).save(str(tmp_path / "pretrained")))

    def warm(features, labels, mode):
        spec = model_fn(features, labels, mode)
        tf1.train.init_from_checkpoint(pretrained, {"w/.ATTRIBUTES/VARIABLE_VALUE": "w"})
        return spec

    train, _ = initialized(warm)
    assert train.variables["w"].numpy().tolist() == [[3.0], [4.0]]
    assert int(train.global_step) == 0


def test_a_scaffold_initializes_as_it_did():
    def with_scaffold(features, labels, mode):
        w = tf1.get_variable("w", [2, 1], initializer=tf1.zeros_initializer())
        value = tf1.placeholder(tf.float32, [2, 1])
        assign = w.assign(value)
        scaffold = tf1.train.Scaffold(init_fn=lambda scaffold, session: session.run(assign, {value: [[5.0], [6.0]]}))
        loss = tf1.losses.mean_squared_error(labels, features["x"] @ w)
        return trained(mode, loss, tf1.train.GradientDescentOptimizer(0.0), scaffold=scaffold)

    train, batches = initialized(with_scaffold)
    train(batches, 3, 0)
    assert train.variables["w"].numpy().tolist() == [[5.0], [6.0]]


def test_warm_start_from_takes_the_trained_variables_and_begins_at_step_0(tmp_path):
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.train.create_global_step()
        tf1.get_variable("w", [2, 1], initializer=tf1.ones_initializer())
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver().save(session, str(tmp_path / "model.ckpt"), global_step=9)
    for start in (str(tmp_path), (str(tmp_path), ".*w")):
        train, _ = initialized(model_fn, warm_start_from=start)
        assert train.variables["w"].numpy().tolist() == [[1.0], [1.0]]
        assert int(train.global_step) == 0


def test_warm_start_settings_say_which_variables_and_what_they_were_called(tmp_path):
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.get_variable("v", [2, 1], initializer=tf1.ones_initializer())
        tf1.get_variable("b", [], initializer=tf1.ones_initializer())
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver().save(session, str(tmp_path / "model.ckpt"))

    def with_bias(features, labels, mode):
        bias = tf1.get_variable("b", [], initializer=tf1.zeros_initializer())
        return trained(mode, loss_of(features, labels) + bias)

    renamed = WarmStartSettings(str(tmp_path), "w", var_name_to_prev_var_name={"w": "v"})
    train, _ = initialized(with_bias, warm_start_from=renamed)
    assert train.variables["w"].numpy().tolist() == [[1.0], [1.0]]
    assert float(train.variables["b"]) == 0.0
    train, _ = initialized(with_bias, warm_start_from=renamed._replace(vars_to_warm_start="w|b"))
    assert float(train.variables["b"]) == 1.0


def test_two_trainings_in_one_process_have_tables_of_their_own():
    def model_fn_with(words):
        def model_fn(features, labels, mode):
            table = tf.lookup.StaticVocabularyTable(
                tf.lookup.KeyValueTensorInitializer(words, tf.range(2, dtype=tf.int64)), 1
            )
            found = tf.cast(table.lookup(tf.constant(["a"])), tf.float32)
            return trained(mode, loss_of(features, labels) * 0.0 + tf.reduce_sum(found))

        return model_fn

    first, batches = initialized(model_fn_with(["a", "b"]))
    second, _ = initialized(model_fn_with(["b", "a"]))
    assert [first(batches, 1, 0), second(batches, 1, 0)] == [0.0, 1.0]


def test_summaries_are_written_at_the_first_step_and_every_n_after_it(tmp_path):
    def summarizing(features, labels, mode):
        tf1.summary.scalar("before", tf1.train.get_global_step().read_value())
        return model_fn(features, labels, mode)

    train, batches = initialized(summarizing, summary_dir=str(tmp_path), save_summary_steps=3)
    train(batches, 5, 0)
    train(batches, 8, 0)
    train.writer.flush()
    assert list(event_values(tmp_path, "before")) == [1, 4, 7]
    assert list(event_values(tmp_path, "loss")) == [1, 4, 7]


def test_a_summary_belongs_to_its_step(tmp_path):
    train, batches = initialized(model_fn, summary_dir=str(tmp_path), save_summary_steps=1)
    losses = [train(batches, until, 0) for until in range(1, 4)]
    train.writer.flush()
    assert list(event_values(tmp_path, "loss").values()) == [np.float32(loss) for loss in losses]


def test_a_metric_in_a_summary_is_updated_when_the_summary_is_written_and_not_between(tmp_path):
    def counting(features, labels, mode):
        tf1.summary.scalar("count", tf1.metrics.mean(tf.ones([]) * 3.0)[1])
        total = next(v for v in tf1.local_variables() if "total" in v.name)
        tf1.summary.scalar("total", total.read_value())
        return model_fn(features, labels, mode)

    train, batches = initialized(counting, summary_dir=str(tmp_path), save_summary_steps=2)
    train(batches, 5, 0)
    train.writer.flush()
    assert list(event_values(tmp_path, "count").values()) == [3.0, 3.0, 3.0]
    assert list(event_values(tmp_path, "total").values()) == [3.0, 6.0, 9.0]


def test_no_summaries_are_written_without_a_directory_or_an_interval(tmp_path):
    for options in ({}, {"summary_dir": str(tmp_path), "save_summary_steps": None}):
        train, batches = initialized(model_fn, **options)
        train(batches, 2, 0)
    assert event_values(tmp_path, "loss") == {}


def test_a_loss_that_is_not_a_number_ends_the_steps():
    def broken(features, labels, mode):
        step = tf1.train.get_global_step()
        return trained(mode, loss_of(features, labels) + tf.where(step < 3, 0.0, np.nan))

    train, batches = initialized(broken)
    assert np.isnan(train(batches, 100, 0))
    assert int(train.global_step) == 4


def test_the_end_of_the_dataset_leaves_the_steps_before_it_taken():
    train, batches = initialized(model_fn, input_fn(batches=5))
    with pytest.raises(tf.errors.OutOfRangeError):
        train(batches, 100, 0)
    assert int(train.global_step) == 5


def test_what_a_checkpoint_would_lack_is_an_error():
    def with_reference_variable(features, labels, mode):
        tf1.get_variable("reference", [1], use_resource=False)
        return model_fn(features, labels, mode)

    def with_mutable_table(features, labels, mode):
        tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="mutable")
        return model_fn(features, labels, mode)

    for made, name in ((with_reference_variable, "reference"), (with_mutable_table, "mutable")):
        with pytest.raises(ValueError, match=f"would be lost: .*{name}"):
            ModelFnTraining(made, input_fn())
