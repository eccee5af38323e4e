"""What TensorFlow has by which name, in tables beside these files."""


def read_rows(table: str) -> list[str]:
    """The lines of a table, by its path."""
    with open(table, encoding="utf-8") as file:
        return file.read().splitlines()
