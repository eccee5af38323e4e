"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .contrib_cells import (
    CudnnCompatibleLSTMCell,
    GRUBlockCell,
    GRUBlockCellV2,
    LSTMBlockCell,
    NASCell,
    RecurrentCell,
    UGRNNCell,
)
from .contrib_rnn_linear import LinearMap, OutputProjectionWrapper
from .contrib_rnn_normed import LayerNormBasicLSTMCell
from .contrib_rnn_sequences import (
    select_last_activations,
    stack_bidirectional_dynamic_rnn,
    transpose_batch_time,
)
