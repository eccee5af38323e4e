"""Compares a plan with that of an earlier run: what is new, and what was done."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from migrate.files.sources import is_below
from migrate.findings.finding import Finding
from migrate.findings.invocation import program
from migrate.planning.rows import BLOCKED, WHOLE, ProgramRow
from migrate.records import dataclass
from migrate.settings import SettingsError


@dataclass(frozen=True)
class Comparison:
    """What changed since an earlier plan.

    Attributes:
      baseline: the file of the earlier plan.
      new: the sites that it does not have, as ``path: symbol``, each with its number.
      gone: the number of its sites that no longer exist.
      unblocked: the entry points of programs that were blocked, and are rewritten whole now.
      blocked: those that were rewritten whole, and are blocked now.
      new_errors: files that cannot be read or parsed now, and that it does not list as errors.
    """

    baseline: str
    new: Mapping[str, int]
    gone: int
    unblocked: tuple[str, ...]
    blocked: tuple[str, ...]
    new_errors: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 for nothing new, 1 for new sites, 2 for an error in a file that had none in the earlier plan."""
        return 2 if self.new_errors else 1 if self.new else 0


def new_findings(comparison: Comparison | None, findings: Sequence[Finding]) -> list[Finding]:
    """Returns the findings that an earlier plan does not have; of equal symbols in one file, the last ones."""
    if comparison is None:
        return [*findings]
    left, found = Counter(comparison.new), list[Finding]()
    for finding in reversed(findings):
        name = _site(finding.path, finding.symbol)
        if finding.path in comparison.new_errors if finding.error else left[name] > 0:
            found.append(finding)
            left[name] -= 1
    return found[::-1]


def compare_plans(
    path: str, rows: Sequence[ProgramRow], errors: Sequence[Finding], paths: Sequence[str] = (os.curdir,)
) -> Comparison:
    """Returns what changed since the plan in a file, which ``plan --format json`` printed.

    Args:
      errors: the findings of files that cannot be read now.
      paths: the files and directories read now: sites of the plan elsewhere do not count as gone.

    Raises:
      SettingsError: the file holds no plan.
    """
    document = _read_plan(path)
    status = {os.path.normpath(start): one["status"] for one in document["programs"] for start in one["entry_points"]}
    before = _sites(one["sites"] for one in document["programs"])
    changed: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for start in row.entry_points:
            changed.setdefault((status.get(os.path.normpath(start), ""), row.status), []).append(start)
    now = _sites(row.sites for row in rows)
    known = {os.path.normpath(error["file"]) for error in document["errors"]}
    return Comparison(
        baseline=path,
        new=dict(now - before),
        gone=sum(count for name, count in (before - now).items() if _is_read(name, paths)),
        unblocked=tuple(start for status in WHOLE for start in changed.get((BLOCKED, status), ())),
        blocked=tuple(start for status in WHOLE for start in changed.get((status, BLOCKED), ())),
        new_errors=tuple(dict.fromkeys(error.path for error in errors if os.path.normpath(error.path) not in known)),
    )


def _sites(programs: Iterable[Mapping[str, Mapping[str, int]]]) -> Counter[str]:
    """Counts each symbol of each file."""
    found = Counter[str]()
    for sites in programs:
        for file, symbols in sites.items():
            found.update({_site(file, symbol): count for symbol, count in symbols.items()})
    return found


def _site(file: str, symbol: str) -> str:
    """Returns the key of a symbol in a file, the same for each spelling of the path."""
    return f"{os.path.normpath(file)}: {symbol}"


def _is_read(site: str, paths: Sequence[str]) -> bool:
    """Whether the file of a site is one of some files, or below one of some directories."""
    file = os.path.abspath(site.rpartition(": ")[0])
    return any(is_below(file, os.path.abspath(path)) for path in paths)


def _read_plan(path: str) -> dict[str, Any]:
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
