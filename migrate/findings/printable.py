"""Makes text from files and names safe to print: it cannot control a terminal or reverse a line."""


def printable(text: str, keep: str = "\t") -> str:
    """Returns ``text`` with its control characters escaped, those for writing from right to left included."""
    if text.isprintable():
        return text
    shown = (one if one.isprintable() or one in keep else one.encode("unicode_escape").decode("ascii") for one in text)
    return "".join(shown)
