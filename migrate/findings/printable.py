"""Text from files and names as it may be shown: nothing in it steers a terminal, or turns a line about."""


def printable(text: str, keep: str = "\t") -> str:
    """``text`` with its control characters escaped, those of terminals and those of writing from right to left."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in keep else _escape(character) for character in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
