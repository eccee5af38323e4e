# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 642797ae773a0a4b).
"""Params, a dict or an ``HParams``, with other values."""

import copy


def with_values(params, **values):
    """Returns a copy of params with more values.

    Args:
      params: a dict, or an ``HParams``.
      values: by name.
    """
    params = copy.deepcopy(params)
    for name, value in values.items():
        if not hasattr(params, "set_hparam"):
            params[name] = value
        elif name in params:
            params.set_hparam(name, value)
        else:
            params.add_hparam(name, value)
    return params
