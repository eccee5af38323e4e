"""What a job has logged up to a save is on disk once it has saved: it does not take those steps again."""

import signal

import tensorflow as tf

from .conftest import kept, losses, started

JOB = """
class Killing(tf1.train.CheckpointSaverListener):
    def after_save(self, session, global_step_value):
        if global_step_value == 6:
            os.kill(os.getpid(), signal.SIGKILL)


config = RunConfig(save_checkpoints_steps=3, save_summary_steps=1)
Estimator(model_fn, sys.argv[1], config).train(data, max_steps=20, saving_listeners=[Killing()])
"""


def test_a_job_killed_at_the_end_of_a_save_has_logged_every_step_up_to_it(tmp_path):
    job = started(tmp_path, JOB)
    job.communicate()
    assert job.returncode == -signal.SIGKILL
    assert kept(tmp_path / "model")[-1] == 6
    assert sorted(losses(tmp_path / "model")) == [1, 2, 3, 4, 5, 6]
    assert tf.train.latest_checkpoint(tmp_path / "model").endswith("-6")
