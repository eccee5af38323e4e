"""Where the variables of a new training begin, for a TensorFlow without Estimator."""

from typing import Any, NamedTuple


class WarmStartSettings(NamedTuple):
    """What to take from an older checkpoint, as ``tf.estimator.WarmStartSettings``.

    Attributes:
      ckpt_to_initialize_from: the path of a checkpoint, or of its directory.
      vars_to_warm_start: a regular expression, or a list of them or of variables.
      var_name_to_vocab_info: a dict from name to ``tf.compat.v1.train.VocabInfo``.
      var_name_to_prev_var_name: a dict from a variable's name to the one it had.
    """

    ckpt_to_initialize_from: str
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Any = None
    var_name_to_prev_var_name: Any = None
