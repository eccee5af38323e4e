"""A plan of an earlier run: what is new since then, and what was done."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from migrate.findings.finding import Finding
from migrate.findings.invocation import program
from migrate.planning.rows import BLOCKED, WHOLE, ProgramRow
from migrate.settings import SettingsError


@dataclass(frozen=True)
class Comparison:
    """What changed since an earlier plan.

    Attributes:
      baseline: the file of that plan.
      new: the sites that it does not have, ``path: symbol``, each with how many.
      gone: how many of its sites are no longer there.
      unblocked: the entry points of programs that were blocked, and are rewritten whole now.
      blocked: those that were rewritten whole, and are blocked now.
      new_errors: files that cannot be read or parsed and that it does not name.
    """

    baseline: str
    new: Mapping[str, int]
    gone: int
    unblocked: tuple[str, ...]
    blocked: tuple[str, ...]
    new_errors: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 nothing new, 1 new sites, 2 an error in a file that the earlier plan does not name."""
        return 2 if self.new_errors else 1 if self.new else 0


def not_in(comparison: Comparison | None, findings: Sequence[Finding]) -> list[Finding]:
    """The findings that an earlier plan does not hold: of sites with one name in one file, the last ones.

    Args:
      comparison: what changed since that plan; None where there is none.
      findings: those of today, in the order of the files.
    """
    if comparison is None:
        return [*findings]
    left, found = dict(comparison.new), list[Finding]()
    for finding in reversed(findings):
        name = f"{finding.path}: {finding.symbol}"
        if finding.path in comparison.new_errors if finding.error else left.get(name, 0) > 0:
            found.append(finding)
            left[name] = left.get(name, 0) - 1
    return found[::-1]


def compare_plans(path: str, rows: Sequence[ProgramRow], errors: Sequence[Finding]) -> Comparison:
    """What changed since the plan in a file, which ``plan --format json`` printed.

    Args:
      path: the file.
      rows: the programs of today.
      errors: what cannot be read today.

    Raises:
      SettingsError: the file holds no plan.
    """
    document = _read(path)
    before: dict[str, int] = {}
    status: dict[str, str] = {}
    for one in document["programs"]:
        status |= dict.fromkeys(one["entry_points"], one["status"])
        for file, symbols in one["sites"].items():
            for symbol, count in symbols.items():
                before[f"{file}: {symbol}"] = before.get(f"{file}: {symbol}", 0) + count
    now: dict[str, int] = {}
    changed: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for start in row.entry_points:
            changed.setdefault((status.get(start, ""), row.status), []).append(start)
        for file, sites in row.sites.items():
            for symbol, count in sites.items():
                now[f"{file}: {symbol}"] = now.get(f"{file}: {symbol}", 0) + count
    known = {error["file"] for error in document["errors"]}
    return Comparison(
        baseline=path,
        new={name: count - before.get(name, 0) for name, count in now.items() if count > before.get(name, 0)},
        gone=sum(count - now.get(name, 0) for name, count in before.items() if count > now.get(name, 0)),
        unblocked=tuple(start for status in WHOLE for start in changed.get((BLOCKED, status), ())),
        blocked=tuple(start for status in WHOLE for start in changed.get((status, BLOCKED), ())),
        new_errors=tuple(dict.fromkeys(error.path for error in errors if error.path not in known)),
    )


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document["kind"] != "plan" or document["schema_version"] not in (1, 2, 3):
            raise ValueError
        return dict(document)
    except OSError as error:
        raise SettingsError(f"--baseline {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SettingsError(f"--baseline {path}: holds no plan; `{program()} plan --format json` prints one") from None
