"""The arguments of a function, as the Estimator's private function listed them."""

import functools
import inspect


def fn_args(fn):
    """Returns the names of the arguments that a function takes by place, a tuple."""
    if isinstance(fn, functools.partial):
        args = fn_args(fn.func)[len(fn.args) :]
        return tuple(arg for arg in args if arg not in fn.keywords)
    is_object = not inspect.isclass(fn) and not inspect.isroutine(fn)
    fn = fn.__call__ if is_object and callable(fn) else fn
    args = inspect.getfullargspec(fn).args
    return tuple(args[1:] if inspect.ismethod(fn) else args)
