"""A CheckpointManager that the program writes is obeyed as the RunConfig was that it came from."""

import json
import tempfile
from pathlib import Path

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.estimator import Estimator, EstimatorSpec
from migrate.recovery.estimator.model_checkpoints import ModelCheckpoints
from migrate.recovery.estimator.run_config import RunConfig
from migrate.recovery.estimator.tpu import TPUEstimator, TPURunConfig
from tests.cases import each
from tests.contrib_successors import piece

X = [tf.feature_column.numeric_column("x")]
KINDS = ("Classifier", "Regressor", "ClassifierV2", "RegressorV2")
PREMADE = {
    "DNN": {"hidden_units": [4], "feature_columns": X},
    "Linear": {"feature_columns": X},
    "Baseline": {},
    "DNNLinearCombined": {"linear_feature_columns": X, "dnn_feature_columns": X, "dnn_hidden_units": [4]},
}
SEEN = []


def model_fn(features, labels, mode, config):
    SEEN.append((config.save_checkpoints_steps, config.save_checkpoints_secs, config.keep_checkpoint_max))
    weight = tf1.get_variable("w", [], initializer=tf1.zeros_initializer())
    train_op = tf1.group(weight.assign_add(1.0), tf1.train.get_global_step().assign_add(1))
    return EstimatorSpec(mode, loss=weight * tf.reduce_mean(features), train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([1.0]).repeat()


def kept(directory):
    state = tf.train.get_checkpoint_state(str(directory))
    return [int(path.rpartition("-")[2]) for path in state.all_model_checkpoint_paths]


def test_it_saves_and_keeps_as_the_run_config_did(tmp_path):
    config = RunConfig(save_checkpoints_steps=4, keep_checkpoint_max=2)
    Estimator(model_fn, str(tmp_path / "config"), config).train(input_fn, max_steps=10)
    checkpoints = ModelCheckpoints(str(tmp_path / "manager"), max_to_keep=2, checkpoint_interval=4)
    assert isinstance(checkpoints, tf.train.CheckpointManager)
    estimator = Estimator(model_fn, checkpoints=checkpoints, config=RunConfig(tf_random_seed=1))
    estimator.train(input_fn, max_steps=10)
    assert kept(tmp_path / "manager") == kept(tmp_path / "config") == [8, 10]
    estimator.train(input_fn, max_steps=13)
    assert kept(tmp_path / "manager") == [10, 13]


def test_what_reads_the_config_finds_the_managers_settings(tmp_path):
    checkpoints = ModelCheckpoints(str(tmp_path), max_to_keep=2, checkpoint_interval=4)
    estimator = Estimator(model_fn, checkpoints=checkpoints)
    assert (estimator.model_dir, estimator.config.model_dir) == (str(tmp_path), str(tmp_path))
    SEEN.clear()
    estimator.train(input_fn, max_steps=3)
    assert set(SEEN) == {(4, None, 2)}
    assert estimator.config.save_checkpoints_steps == 4


def test_another_directory_beside_it_is_refused(tmp_path):
    with pytest.raises(ValueError, match="that of checkpoints"):
        Estimator(model_fn, "/tmp/other", checkpoints=ModelCheckpoints(str(tmp_path)))
    Estimator(model_fn, str(tmp_path), checkpoints=ModelCheckpoints(str(tmp_path)))


def test_both_intervals_are_refused(tmp_path):
    with pytest.raises(ValueError, match="both"):
        ModelCheckpoints(str(tmp_path), checkpoint_interval=3, save_secs=3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PREMADE)
def test_every_premade_estimator_takes_it(name, kind, tmp_path):
    checkpoints = ModelCheckpoints(str(tmp_path), max_to_keep=3, save_secs=7)
    estimator = piece(f"{name}{kind}")(**PREMADE[name], checkpoints=checkpoints, config=RunConfig(tf_random_seed=3))
    config = estimator.config
    assert (config.model_dir, config.save_checkpoints_secs, config.keep_checkpoint_max) == (str(tmp_path), 7, 3)
    assert config.save_checkpoints_steps is None


def test_a_tpu_estimator_takes_it(tmp_path):
    checkpoints = ModelCheckpoints(str(tmp_path), checkpoint_interval=7)
    estimator = TPUEstimator(
        lambda features, params: None, config=TPURunConfig(), use_tpu=False, train_batch_size=8, checkpoints=checkpoints
    )
    assert (estimator.config.save_checkpoints_steps, estimator.config.save_checkpoints_secs) == (7, None)


def test_none_is_the_directory_of_an_estimator_that_is_given_none(tmp_path, monkeypatch):
    new = ModelCheckpoints(None, checkpoint_interval=3)
    assert Estimator(model_fn, checkpoints=new).model_dir == new.directory
    assert (Path(new.directory).parent, list(Path(new.directory).iterdir())) == (Path(tempfile.gettempdir()), [])
    monkeypatch.setenv("TF_CONFIG", json.dumps({"model_dir": str(tmp_path)}))
    named = ModelCheckpoints(None, checkpoint_interval=3)
    estimator = Estimator(model_fn, config=RunConfig(), checkpoints=named)
    assert estimator.model_dir == named.directory == str(tmp_path) == Estimator(model_fn).model_dir


def saved(directory):
    return sorted(int(path.stem.rpartition("-")[2]) for path in Path(directory).glob("*.index"))


@each("settings", "first", "listed")(
    ({"keep_checkpoint_max": 1, "keep_checkpoint_every_n_hours": None}, [0, 10, 20, 30, 40], [40]),
    ({"keep_checkpoint_every_n_hours": None}, [0, 10, 20, 30, 40], [0, 10, 20, 30, 40]),
    ({"keep_checkpoint_max": 0}, [0, 10, 20, 30, 40], [40]),
    ({"keep_checkpoint_max": None}, [0, 10, 20, 30, 40], [40]),
    ({"keep_checkpoint_max": 2}, [30, 40], [30, 40]),
)
def test_settings_that_are_none_or_0_mean_what_they_meant_to_an_estimator(tmp_path, settings, first, listed):
    def train(steps):
        config = RunConfig(save_checkpoints_steps=10, **settings)
        Estimator(model_fn, str(tmp_path / "new"), config).train(input_fn, max_steps=steps)
        if hasattr(tf, "estimator"):

            def old_model_fn(features, labels, mode, config):
                spec = model_fn(features, labels, mode, config)
                return tf.estimator.EstimatorSpec(mode, loss=spec.loss, train_op=spec.train_op)

            old = tf.estimator.RunConfig(save_checkpoints_steps=10, **settings)
            tf.estimator.Estimator(old_model_fn, str(tmp_path / "old"), old).train(input_fn, max_steps=steps)
            assert saved(tmp_path / "old") == saved(tmp_path / "new")

    train(40)
    assert (saved(tmp_path / "new"), kept(tmp_path / "new")) == (first, listed)
    if hasattr(tf, "estimator"):
        assert kept(tmp_path / "old") == listed
    train(60)  # of the checkpoints of an earlier process those go that the list has no place for
    is_five = settings == {"keep_checkpoint_every_n_hours": None}
    later = [50, 60] if "keep_checkpoint_max" in settings and settings["keep_checkpoint_max"] == 2 else [*first, 50, 60]
    assert saved(tmp_path / "new") == ([20, 30, 40, 50, 60] if is_five else later)
