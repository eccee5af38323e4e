"""Text from files and names as it may be shown: nothing in it steers a terminal, or turns a line about."""


def printable(text: str, keep: str = "\t") -> str:
    """``text`` with its control characters escaped, those of terminals and those of writing from right to left."""
    if text.isprintable():
        return text
    shown = (one if one.isprintable() or one in keep else one.encode("unicode_escape").decode("ascii") for one in text)
    return "".join(shown)
