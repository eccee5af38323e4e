"""The files of helpers that come only with programs that name their parts."""

import importlib

_NEEDED_FOR = {
    "cluster": "TF_CONFIG names a cluster, or the RunConfig has a train_distribute: that",
    "continued_input": "Estimator.input",
    "export": "An export",
}
_COMES_WITH = {
    "cluster": "train_and_evaluate or a line that names TF_CONFIG in it",
    "continued_input": "--input continue",
    "export": "a receiver of tf.estimator.export in it",
}


def rarer(name):
    """Returns the module of a file; raises a ValueError where the program lacks it."""
    try:
        return importlib.import_module(f"{__package__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__package__}.{name}":
            raise
        raise ValueError(
            f"{_NEEDED_FOR[name]} needs the helper file {name}.py, which is not beside "
            f"estimator.py: migrate the old program again, with {_COMES_WITH[name]}."
        ) from None
