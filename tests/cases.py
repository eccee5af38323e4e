"""A promise as a table of rows."""

import pytest


def each(*names, **options):
    """Returns a function that takes rows, and gives the decorator of a test that is run with each of them.

    Args:
      names: the parameters of the test that a row has the values of; a row of one is that value.
      options: of ``pytest.mark.parametrize``.
    """
    return lambda *rows: pytest.mark.parametrize(names[0] if len(names) == 1 else names, rows, **options)


def cases(function, *expected, base=None):
    """Returns a function that takes rows, and gives one test of what a function returns for all of them.

    Args:
      function: what is tried.
      expected: what it gives of every row, which then has the arguments alone; else a row ends with what it gives.
      base: a text in which each row replaces its first part by its second; ``function`` gets the outcome.
    """

    def test_of(*rows):
        tried = [row if isinstance(row, tuple) else (row,) for row in rows]
        tried = [(row, *expected) if expected else (row[:-1], row[-1]) for row in tried]
        if base is not None:
            assert all(old in base for (old, _), _ in tried), "a change that changes nothing"
            tried = [((base.replace(*change),), outcome) for change, outcome in tried]

        def test():
            for arguments, outcome in tried:
                assert function(*arguments) == outcome, arguments

        return test

    return test_of
