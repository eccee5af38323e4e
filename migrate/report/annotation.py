"""What the formats of other tools say of a finding: how loud it is, in which words, and where its file is."""

import os

from migrate.files.repository import repository
from migrate.findings.finding import Fidelity, Finding, sentences

ERROR, WARNING, NOTE = "error", "warning", "note"
"""SARIF's words; GitHub says ``notice`` for a note."""

OF_FIDELITY = {Fidelity.EXACT: NOTE, Fidelity.NOTED: WARNING, Fidelity.MANUAL: ERROR}


def level(finding: Finding) -> str:
    """An error needs a person's work, a warning a person's look.

    A site that is left only because its program is has no work of its own, so it is a note.
    """
    if finding.error or finding.is_own_reason:
        return ERROR
    return NOTE if finding.fidelity is Fidelity.MANUAL else OF_FIDELITY[finding.fidelity]


def title(finding: Finding) -> str:
    """The code, and what becomes of the site."""
    return f"{finding.code} {'rewritten' if finding.rewritten else 'error' if finding.error else 'skipped'}"


def text(finding: Finding) -> str:
    """What was found and what to do; in a notebook with the cell, for the reader thinks in cells and not in JSON."""
    cell = "" if finding.cell is None else f"{finding.in_file}: "
    return sentences(f"{cell}{finding.message}", finding.help)


def result(finding: Finding) -> str:
    """What becomes of a site, in one word: its fidelity, ``skipped`` or ``error``."""
    return "error" if finding.error else finding.fidelity.value if finding.rewritten else "skipped"


def root() -> str:
    """What relative paths are relative to: the root of the repository, else the current directory."""
    here = os.getcwd()
    return repository(here) or here


def below(path: str, directory: str) -> str | None:
    """The path relative to a directory, with slashes; None where it does not lie below it."""
    absolute = os.path.abspath(path)
    if os.path.commonpath((directory, absolute)) != directory:
        return None
    return os.path.relpath(absolute, directory).replace(os.sep, "/")
