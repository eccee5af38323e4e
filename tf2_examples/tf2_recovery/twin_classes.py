# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content b1d4670fcd230441).
"""Whether a value is of a class of these helpers, also where they are there twice.

A file that is imported by two names holds its helpers itself: what another file of the
program gives it is then of a class of that file.
"""


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
