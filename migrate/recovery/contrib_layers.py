"""The names that release 1.0 had in this file, for programs that import them from it."""

# ruff: noqa: F401

from .contrib_initializers import (
    Initializers,
    variance_scaling_initializer,
    xavier_initializer,
)
from .contrib_layer_functions import batch_norm, fully_connected
from .contrib_layer_norm import layer_norm
from .contrib_regularizers import l1_regularizer, l2_regularizer
from .contrib_variables import (
    collect_named_outputs,
    embed_sequence,
    get_variable_collections,
    model_variable,
)
