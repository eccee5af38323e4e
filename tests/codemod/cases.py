"""A promise as a table: what a function gives of each row."""

import pytest


def cases(function, *expected, base=None):
    """Returns a function that makes a test of rows.

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

        @pytest.mark.parametrize(("arguments", "outcome"), tried, ids=[str(number) for number in range(len(tried))])
        def test(arguments, outcome):
            assert function(*arguments) == outcome, arguments

        return test

    return test_of
