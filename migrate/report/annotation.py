"""The level, title, text and path of a finding in the formats of other tools."""

import os

from migrate.files.repository import repository
from migrate.findings.finding import Fidelity, Finding, sentences

ERROR, WARNING, NOTE = "error", "warning", "note"
"""SARIF's levels; GitHub calls a note ``notice``."""

LEVELS = {Fidelity.EXACT: NOTE, Fidelity.NOTED: WARNING, Fidelity.MANUAL: ERROR}


def level(finding: Finding) -> str:
    """Returns the level: an error needs a person's work, a warning a person's review.

    A site that is skipped only because its program is skipped needs no work of its own, so it is a note.
    """
    if finding.error or finding.is_own_reason:
        return ERROR
    return NOTE if finding.fidelity is Fidelity.MANUAL else LEVELS[finding.fidelity]


def title(finding: Finding) -> str:
    """Returns the code and ``rewritten``, ``skipped`` or ``error``."""
    return f"{finding.code} {'rewritten' if finding.rewritten else 'error' if finding.error else 'skipped'}"


def text(finding: Finding) -> str:
    """Returns the message and the help; in a notebook after the cell, because the tool's own place is in the JSON."""
    cell = "" if finding.cell is None else f"{finding.in_file}: "
    return sentences(f"{cell}{finding.message}", finding.help)


def result(finding: Finding) -> str:
    """Returns the result for a site in one word: its fidelity, ``skipped`` or ``error``."""
    return "error" if finding.error else finding.fidelity.value if finding.rewritten else "skipped"


def root() -> str:
    """Returns the directory that relative paths are relative to: the root of the repository, else the current one."""
    here = os.getcwd()
    return repository(here) or here


def below(path: str, directory: str) -> str | None:
    """Returns the path relative to a directory, with slashes; None if it is not below it."""
    absolute = os.path.abspath(path)
    if os.path.commonpath((directory, absolute)) != directory:
        return None
    return os.path.relpath(absolute, directory).replace(os.sep, "/")
