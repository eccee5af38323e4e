"""What a file is left in graph mode for works on a graph alone."""

import pytest
import tensorflow.compat.v1 as tf

from migrate.analysis.program.graph_mode import GRAPH_NAMES

COLUMN = tf.feature_column.categorical_column_with_identity("x", 3)
ARGUMENTS = {
    "feature_column.shared_embedding_columns": ([COLUMN, COLUMN], 2),
    "gradients": (1.0, 1.0),
    "placeholder": (tf.float32,),
    "sparse_placeholder": (tf.float32,),
    "summary.FileWriter": ("events",),
    "summary.merge": ([],),
    "summary.merge_all": (),
    "train.Supervisor": (),
    "train.batch": ([1.0], 2),
    "train.batch_join": ([[1.0]], 2),
    "train.export_meta_graph": (),
    "train.import_meta_graph": ("graph.meta",),
    "train.range_input_producer": (3,),
    "train.shuffle_batch": ([1.0], 2, 8, 1),
    "train.shuffle_batch_join": ([[1.0]], 2, 8, 1),
    "train.slice_input_producer": ([[1.0]],),
    "train.start_queue_runners": (),
    "train.string_input_producer": (["a"],),
}
SESSIONS = {"InteractiveSession", "Session", "global_variables_initializer", "train.MonitoredTrainingSession"}


@pytest.mark.parametrize("name", sorted(GRAPH_NAMES - SESSIONS))
def test_tensorflow_refuses_in_eager_mode(name):
    function = tf
    for part in name.split("."):
        function = getattr(function, part)
    with pytest.raises((RuntimeError, ValueError), match=r"(?i)eager|session"):
        function(*ARGUMENTS[name])
