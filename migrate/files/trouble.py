"""Exceptions with the finding to report for a file; the other files are processed."""

from migrate.findings.finding import Fidelity, Finding, Span

FIRST_CHARACTER = Span(1, 0, 1, 0)

PAGES = {
    "FT001": "A path cannot be read: it does not exist, may not be read, or is no regular file.",
    "FT002": "A file's bytes cannot be decoded: it has no encoding cookie and is not UTF-8, or holds a NUL byte.",
    "FT003": "A file cannot be parsed: a syntax error, Python 2, too deep, or too large for the machine.",
    "FT004": "A file changed since it was read, so it was not overwritten. Run the tool again.",
    "FT005": "A file could not be written: no permission, no space, or a character that its encoding lacks.",
    "FT006": "The runtime folder is not the tool's own, or another release wrote a file there that was edited.",
    "FT007": "A notebook cannot be read: it is not of format 4, is not valid, or nbformat is not installed.",
    "FT008": "A comment `# migrate: ignore[…]` names no rule, and so ignores nothing.",
    "FT009": "A rule or the rewriting failed: an internal error (a bug). All other work was done. Please report it.",
}
"""Code -> its meaning, for errors with a file or in the tool itself; the file is never changed then."""


class FileTrouble(Exception):
    """Work on one file had to stop; ``finding`` says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding

    def __str__(self) -> str:
        return f"{self.finding.place}: {self.finding.message}"


class Unreadable(FileTrouble):
    """A file that cannot be read (FT001), decoded (FT002) or parsed (FT003)."""


class NotWritten(FileTrouble):
    """A file was not written, and its old content is whole."""


class StaleFile(NotWritten):
    """A file has changed since it was read, so that writing it would lose somebody's work (FT004)."""


class Unwritable(NotWritten):
    """A file cannot be written, for lack of permission, space or a character in its encoding (FT005)."""


def trouble(code: str, path: str, message: str, help: str, span: Span = FIRST_CHARACTER) -> Finding:
    return Finding(code, Fidelity.MANUAL, path, span, symbol="", message=message, help=help, error=True)


def reason(error: OSError | ValueError) -> str:
    """Returns the operating system's message with a lower-case first letter: ``permission denied``."""
    text = getattr(error, "strerror", None) or str(error)
    return text[:1].lower() + text[1:]
