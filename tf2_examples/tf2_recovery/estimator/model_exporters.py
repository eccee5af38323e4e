# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 8f84a6670d0451c8).
"""The exporters of ``tf.estimator``, for ``train_and_evaluate``."""

import os

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .train_and_evaluate import Exporter


def keep_newest_exports(export_dir_base, exports_to_keep=5):
    """Deletes all exports in a directory except the newest ones.

    Args:
      export_dir_base: the directory of exports, each named by its time.
      exports_to_keep: how many to keep, an int; None for all.
    """
    if exports_to_keep is None or not tf.io.gfile.isdir(export_dir_base):
        return
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(export_dir_base)]
    times = sorted(name for name in names if name.isdigit() and len(name) == 10)
    for name in times[:-exports_to_keep]:
        tf.io.gfile.rmtree(os.path.join(export_dir_base, name))


class ModelExporter(Exporter):
    """Exports at each call; subclasses decide when.

    Args:
      name: of its directory below ``model_dir/export``.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.
      as_text: whether to write the graph as text.
      exports_to_keep: how many exports to keep, an int; None for all.

    Raises:
      ValueError: exports_to_keep is not positive.
    """

    def __init__(
        self,
        name,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        exports_to_keep=5,
    ):
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")
        self._name, self._receiver_fn = name, serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text
        self._keep = exports_to_keep

    @property
    def name(self):
        return self._name

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        exported = estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )
        keep_newest_exports(export_path, self._keep)
        return exported


class LatestExporter(ModelExporter):
    """Exports after every evaluation; its arguments are those of ``ModelExporter``."""


class SavedModelExporter(ModelExporter):
    """Exports at each call, and keeps all exports."""

    def __init__(
        self, name, serving_input_receiver_fn, assets_extra=None, as_text=False
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, None)


class FinalExporter(SavedModelExporter):
    """Exports when the training has reached max_steps, and keeps all exports."""

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if not is_the_final_export:
            return None
        tf1.logging.info("Performing the final export in the end of training.")
        return super().export(
            estimator, export_path, checkpoint_path, eval_result, True
        )
