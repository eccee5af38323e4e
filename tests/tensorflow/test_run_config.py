"""The arguments of RunConfig are TensorFlow's own."""

import json
import os

from migrate.analysis.source.constructors import RUN_CONFIG_PARAMETERS
from tests import nursery

_SIGNATURE = """
import inspect, json, tensorflow as tf
print(json.dumps(list(inspect.signature(tf.estimator.RunConfig.__init__).parameters)[1:]))
config = tf.estimator.RunConfig()
print(json.dumps([config.save_checkpoints_secs, config.keep_checkpoint_max]))
"""


def test_names_order_and_the_defaults_that_the_manager_gets_are_those_of_tensorflow_2_15():
    command = [os.environ["MIGRATE_OLD_PYTHON"], "-c", _SIGNATURE]
    names, defaults = nursery.run(command, os.environ.copy()).stdout.splitlines()
    assert json.loads(names) == [*RUN_CONFIG_PARAMETERS]
    assert json.loads(defaults) == [600, 5]
