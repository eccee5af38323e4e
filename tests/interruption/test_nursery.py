"""Programs forked from a process that has imported TensorFlow are what a plain start makes of them."""

import json
from contextlib import closing
from dataclasses import replace

from migrate.verify import Program, run
from migrate.verify.nursery import Starter

JOB = """\
import gc, json, os, random, sys
import numpy as np
imported = "tensorflow" in sys.modules
os.environ["TF_USE_LEGACY_KERAS"] = os.environ["JOB_KERAS"]
import tensorflow as tf
environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
names = [__file__, __name__, sys.argv, sys.path, os.getcwd(), os.getpid() == os.getsid(0)]
chance, keras = [np.random.rand(), random.random()], tf.keras.Model.__module__.split(".")[0]
print(json.dumps([imported, gc.get_freeze_count() > 0, chance, keras, names, environment]))
"""


def test_a_fork_is_what_a_plain_start_is_with_chance_of_its_own(new_python, legacy_keras, tmp_path):
    (tmp_path / "job.py").write_text(JOB)
    chosen = {"JOB_KERAS": "1" if legacy_keras else "0"}  # TensorFlow reads it while it is imported; 2.15 has one Keras
    program = Program(tmp_path / "job.py", new_python, ("--to", "{model_dir}"), chosen)
    with closing(Starter(program)) as starter:
        program = replace(program, launch=starter.launch)
        attempts = [run(program, tmp_path / "model")]
        starter.learn(attempts[0])
        attempts += [run(program, tmp_path / "model") for _ in range(2)]
    imported, spared, chance, versions, names, environments = zip(
        *(json.loads(attempt.output.splitlines()[-1]) for attempt in attempts), strict=True
    )
    assert imported == spared == (False, True, True)
    assert chance[0] != chance[1] != chance[2]
    assert versions[0] == versions[1] == versions[2]
    assert names[0] == names[1] == names[2]
    assert environments[0] == environments[1] == environments[2]
