"""Writes the result as JSON and as JUnit's XML, for other programs.

``SCHEMA_VERSION`` grows when a change would break a reader, not when a field is added. The document::

    schema          1
    migrate         this package's version
    matches         whether nothing that was compared differs
    headline        the result in a few words: how the programs resume, and whether what they compute differs
    first           the first difference in a sentence, or ""
    programs        old and new, the same if one is verified alone: script, python, args, env, module
    not_tried       faults that could not be brought about, with the reason
    comparisons[]   one for each fault and step
      title, fault  what was done; fault is "" for the undisturbed runs
      matches
      rows[]        name, old, new (texts), verdict (same, different, information, not compared), note
      old, new      the records
        resumed_at[], interrupted_at[], steps_lost[], saved_steps[], kept[], handed_over[]   step numbers, null for none
        steps_run, steps_repeated, final_step, needs_person, seconds_in_saves
        losses, batches    by step
        evaluations[]      step, metrics
        notes[]
        attempts[]         code, error, began, ended (seconds since the epoch), events[] as recorded
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from migrate import __version__
from migrate.verify.comparison import Comparison
from migrate.verify.record import Record
from migrate.verify.training_program import Program
from migrate.verify.verification import Verification

SCHEMA_VERSION = 1


def document(verification: Verification) -> dict[str, Any]:
    """Returns the whole result as lists and dictionaries."""
    return {
        "schema": SCHEMA_VERSION,
        "migrate": __version__,
        "matches": verification.matches,
        "headline": verification.headline,
        "first": verification.first,
        "programs": {"old": _program(verification.request.old), "new": _program(verification.request.new)},
        "not_tried": verification.not_tried,
        "comparisons": [_comparison(title, comparison) for title, comparison in verification.comparisons],
    }


def text(verification: Verification) -> str:
    """Returns the document as JSON; NaN and infinity, which JSON lacks, become null."""
    return json.dumps(_plain(document(verification)), indent=1, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value


def _program(program: Program) -> dict[str, Any]:
    of_paths = {"script": str(program.script), "python": str(program.python)}
    return {**of_paths, "args": program.args, "env": program.env, "module": program.module}


def _comparison(title: str, comparison: Comparison) -> dict[str, Any]:
    return {
        "title": title,
        "fault": comparison.fault,
        "matches": comparison.matches,
        "rows": [asdict(row) for row in comparison.rows],
        "old": _record(comparison.old),
        "new": _record(comparison.new),
    }


_OF_RECORD = (
    *("resumed_at", "interrupted_at", "steps_lost", "steps_repeated", "steps_run", "final_step", "saved_steps", "kept"),
    *("handed_over", "needs_person", "seconds_in_saves"),
)


def _record(record: Record) -> dict[str, Any]:
    return {
        **{name: getattr(record, name) for name in _OF_RECORD},
        "losses": record.by_step("loss"),
        "batches": record.by_step("batch"),
        "evaluations": [{"step": step, "metrics": metrics} for step, metrics in record.evaluations],
        "notes": record.notes,
        "attempts": [
            {name: getattr(one, name) for name in ("code", "error", "began", "ended", "events")}
            for one in record.attempts
        ],
    }


def junit(verification: Verification) -> str:
    """Returns JUnit's XML: a comparison that differs is a failure, a fault that could not be tried is skipped."""
    comparisons, missed = verification.comparisons, verification.not_tried
    failures = sum(not comparison.matches for _, comparison in comparisons)
    counts = {"tests": len(comparisons) + len(missed), "failures": failures, "skipped": len(missed), "errors": 0}
    of_all = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", of_all)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "estimator-migrate verify", **of_all})
    owner = Path(verification.request.new.script).stem
    for title, comparison in comparisons:
        seconds = sum(
            each.ended - each.began for record in (comparison.old, comparison.new) for each in record.attempts
        )
        names = {"classname": owner, "name": title, "time": f"{seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", names)
        if not comparison.matches:
            ElementTree.SubElement(case, "failure", {"message": comparison.first}).text = comparison.text
    for reason in missed:
        name, _, why = reason.partition(": ")
        case = ElementTree.SubElement(suite, "testcase", {"classname": owner, "name": name})
        ElementTree.SubElement(case, "skipped", {"message": why})
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
