"""What is said of a RunConfig that stays are the settings that the estimator receives, or none."""

import pytest

from tests.codemod.programs import judged
from tests.codemod.run.test_object_form import HEAD

MANAGER = "the new Estimator saves by a tf.train.CheckpointManager with "
CASES = {
    """config = tf.estimator.RunConfig()
config = config.replace(keep_checkpoint_max=2).replace(save_checkpoints_steps=10)
tf.estimator.Estimator(model_fn, "d", config)""": "max_to_keep=2, checkpoint_interval=10",
    """config = tf.estimator.RunConfig(save_checkpoints_steps=10).replace(save_checkpoints_secs=60)
tf.estimator.Estimator(model_fn, "d", config)""": "max_to_keep=5, save_secs=60",
    """config = tf.estimator.RunConfig(keep_checkpoint_max=3)
other = config.replace(save_checkpoints_steps=7)
tf.estimator.LinearRegressor([], "d", config=other)""": "max_to_keep=3, checkpoint_interval=7",
    """def make():
    config = tf.estimator.RunConfig("d")
    config = config.replace(save_checkpoints_steps=10)
    if model_fn:
        config = config.replace(keep_checkpoint_max=2)
    return config


tf.estimator.Estimator(model_fn, config=make())""": (
        "max_to_keep=5, checkpoint_interval=10 or max_to_keep=2, checkpoint_interval=10"
    ),
    """config = tf.estimator.RunConfig("d", save_checkpoints_steps=500)
if model_fn:
    config = config.replace(save_checkpoints_steps=5)
else:
    tf.estimator.Estimator(model_fn, config=config)""": (
        "max_to_keep=5, checkpoint_interval=500 or max_to_keep=5, checkpoint_interval=5"
    ),
    """def build(config):
    return tf.estimator.Estimator(model_fn, "d", config.replace(save_checkpoints_steps=4))


build(tf.estimator.RunConfig(keep_checkpoint_max=9))""": "max_to_keep=9, checkpoint_interval=4",
    """config = tf.estimator.RunConfig("d", save_checkpoints_steps=10, keep_checkpoint_max=3)
tf.keras.estimator.model_to_estimator(model_fn, config=config)""": "max_to_keep=5, checkpoint_interval=10",
    """config = tf.estimator.RunConfig("d", save_checkpoints_steps=10)
for i in range(3):
    config = config.replace(keep_checkpoint_max=i)
    tf.estimator.Estimator(model_fn, config=config)""": "its settings",
    """config = tf.estimator.RunConfig("d", save_checkpoints_steps=10)
config = config.replace(**model_fn())
tf.estimator.Estimator(model_fn, config=config)""": "its settings",
    """config = tf.estimator.RunConfig("d", save_checkpoints_steps=10)
tf.estimator.Estimator(model_fn, config=model_fn(config))""": "its settings",
    """config = tf.estimator.RunConfig("d", save_checkpoints_steps=10)
print(config, tf.estimator.Estimator(model_fn))""": "its settings",
}


@pytest.mark.parametrize("lines", CASES)
def test_the_settings_are_those_that_an_estimator_receives(lines):
    findings = judged(f"{HEAD}{lines}\n").findings
    [told] = [finding.message for finding in findings if finding.code == "FT152"]
    assert told.endswith(MANAGER + CASES[lines])
