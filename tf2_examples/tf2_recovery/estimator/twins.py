# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content cff5735a5a322599).
"""What is told apart by the names of classes, as two programs may each have the files."""


def is_of_class(value, kind):
    """Returns whether a value is an instance of a class, or of its twin in another file.

    Args:
      value: any object.
      kind: a class of these helpers.
    """
    twins = [one for one in type(value).__mro__ if one.__name__ == kind.__name__]
    return isinstance(value, kind) or any(
        not one.__module__.startswith("tensorflow") for one in twins
    )
