"""Copies the params of a model_fn with changed values."""

import copy


def copy_with(params, **values):
    """Returns a copy of params in which values replace or join the old ones.

    Args:
      params: a dict or an ``HParams``; it is not changed.
      values: the new values, by name.
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
