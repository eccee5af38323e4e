"""The names of TensorFlow, Keras and tf_slim in their versions, from tables in this directory."""

from functools import cache


@cache
def read_rows(table: str) -> list[str]:
    """Returns the lines of the table at a path."""
    with open(table, encoding="utf-8") as file:
        return file.read().splitlines()
