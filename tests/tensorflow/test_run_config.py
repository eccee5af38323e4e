"""The table of RunConfig's settings is TensorFlow's own signature."""

import json
import os

from migrate.analysis.run_config import RUN_CONFIG
from tests import nursery

_SIGNATURE = """
import inspect, json, tensorflow as tf
print(json.dumps(list(inspect.signature(tf.estimator.RunConfig.__init__).parameters)[1:]))
config = tf.estimator.RunConfig()
names = ["save_summary_steps", "save_checkpoints_secs", "keep_checkpoint_max", "keep_checkpoint_every_n_hours"]
print(json.dumps({name: getattr(config, name) for name in [*names, "log_step_count_steps"]}))
"""


def test_names_order_and_defaults_are_those_of_tensorflow_2_15() -> None:
    command = [os.environ["MIGRATE_OLD_PYTHON"], "-c", _SIGNATURE]
    names, defaults = nursery.run(command, os.environ.copy()).stdout.splitlines()
    assert json.loads(names) == [setting.name for setting in RUN_CONFIG]
    table = {setting.name: setting.default for setting in RUN_CONFIG}
    assert {name: str(value) for name, value in json.loads(defaults).items()}.items() <= table.items()
