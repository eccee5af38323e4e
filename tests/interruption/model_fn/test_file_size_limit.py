"""A job whose checkpoint may not be written ends with an error, and keeps the checkpoint before."""

from .conftest import kept, started

JOB = """
class Limiting(tf1.train.CheckpointSaverListener):
    def after_save(self, session, global_step_value):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))


signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
estimator = Estimator(model_fn, sys.argv[1], RunConfig(save_checkpoints_steps=3))
estimator.train(data, max_steps=10, saving_listeners=[Limiting()])
"""


def test_a_checkpoint_that_grows_over_a_limit_is_an_error_and_not_the_end_of_the_training(tmp_path):
    job = started(tmp_path, JOB)
    output, _ = job.communicate()
    assert job.returncode == 1
    assert "ResourceExhaustedError" in output
    assert kept(tmp_path / "model") == [0]
