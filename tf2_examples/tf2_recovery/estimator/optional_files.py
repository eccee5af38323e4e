# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 3c4292a138da7040).
"""Loads the files that only some programs have, and compares classes of two copies."""

import importlib

_NEEDED_FOR = {
    "cluster.cluster": "TF_CONFIG names a cluster, or the RunConfig has a "
    "train_distribute: that",
    "estimator.continued_input": "Estimator.input",
    "estimator.export": "An export",
}
_COPIED_WITH = {
    "cluster.cluster": "train_and_evaluate or a line that names TF_CONFIG in it",
    "estimator.continued_input": "--input continue",
    "estimator.export": "a receiver of tf.estimator.export in it",
}


def load_optional_file(name):
    """Returns a module of this package; raises a ValueError if its file is missing.

    Args:
      name: of the module below the package, such as "estimator.export".
    """
    package = __package__.rpartition(".")[0]
    dotted = f"{package}.{name}"
    try:
        return importlib.import_module(dotted)
    except ModuleNotFoundError as error:
        if error.name not in (dotted, dotted.rpartition(".")[0]):
            raise
        path = f"{package.rpartition('.')[2]}/{name.replace('.', '/')}.py"
        raise ValueError(
            f"{_NEEDED_FOR[name]} needs the file {path}, which is not there: "
            f"migrate the old program again, with {_COPIED_WITH[name]}."
        ) from None


def is_of_class(value, kind):
    """Returns whether a value is an instance of a class, or of that in another copy.

    Args:
      value: any object.
      kind: a class of this package; a program may import two copies of the package.
    """
    twins = [one for one in type(value).__mro__ if one.__name__ == kind.__name__]
    return isinstance(value, kind) or any(
        not one.__module__.startswith("tensorflow") for one in twins
    )
