"""What ``train_and_evaluate`` exports with."""


class Exporter:
    """What ``train_and_evaluate`` calls after its evaluations; a base to derive from."""

    @property
    def name(self):
        """The name of the directory that it exports to, below ``export``."""
        raise NotImplementedError

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        """Exports a checkpoint into a directory, or not; returns the export's path, or None.

        Args:
          estimator, checkpoint_path, eval_result: what was evaluated, and its metrics.
          export_path: the directory to make the export in.
          is_the_final_export: whether the training is at its max_steps.
        """
        raise NotImplementedError
