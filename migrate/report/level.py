"""How loud a finding is for machines that know errors, warnings and notes."""

from migrate.findings.finding import Fidelity, Finding

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
