"""The summary for stderr: what was found, rewritten and skipped, and what ``--write`` would do."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from migrate.edits.file_change import FileChange
from migrate.findings.finding import Fidelity, Finding, Obstacle
from migrate.findings.printable import printable
from migrate.pipeline.outcome import Outcome
from migrate.report.annotation import result
from migrate.report.terminal import Line

_MAX_REASONS = 10
_MAX_PATHS = 5
_OBSTACLES = {
    Obstacle.BLOCKED: "only because another part of the same program is not rewritten",
    Obstacle.UNSELECTED: "because {} is not selected, and their programs need it",
    Obstacle.IGNORED: "because a comment ignores {} in their programs",
}


def lines(outcome: Outcome, names: Mapping[str, str]) -> Iterator[Line]:
    """Yields the sites by rule and the reasons for what is skipped."""
    sites = [finding for finding in outcome.findings if not finding.error]
    left = [finding for finding in sites if not finding.rewritten]
    if sites:
        yield [("By rule (explain CODE prints its page):", "bold")]
        yield from _by_rule(sites, names)
    if left:
        yield [("Skipped, by reason:", "bold")]
        yield from _by_reason(left)


def unwritten_line(outcome: Outcome) -> Line:
    """Returns the sentence on what the same run would do with ``--write``."""
    verbs = _change_and_create(outcome.changes, "change", "create") if outcome.changes else "change nothing"
    return [(f"--write would {verbs}.", "bold" if outcome.changes else "")]


def written_line(changes: Collection[FileChange], written: Collection[str]) -> Line:
    """Returns the sentence on how many files the run changed, created and could not write."""
    done = [change for change in changes if change.path in written]
    missed = len(changes) - len(done)
    text = _change_and_create(done, "changed", "created") if done else "changed nothing"
    failure = f"; {count_in_words(missed, 'file')} could not be written" if missed else ""
    return [(f"{text[0].upper()}{text[1:]}{failure}.", "bold" if changes else "")]


def uncommitted_note(paths: Sequence[str]) -> str:
    """Returns the note on files that were not committed, whose old content git cannot restore."""
    shown = ", ".join(paths[:_MAX_PATHS])
    more = f" and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else ""
    return f"Not committed in git before this write: {shown}{more}."


def interruption_note(outcome: Outcome) -> str:
    """Returns the note on what a run that Ctrl-C ended has changed; "" for nothing."""
    done = [change for change in outcome.changes if change.path in outcome.written]
    return f"Interrupted after it {_change_and_create(done, 'changed', 'created')}." if done else ""


def fidelities(outcome: Outcome) -> Iterator[Line]:
    """Yields the explanation of ``exact``, if a finding has this fidelity."""
    if any(finding.rewritten and finding.fidelity is Fidelity.EXACT for finding in outcome.findings):
        yield [("exact: this tool's own tests interrupt such programs, old and new, and they resume alike.", "")]


def need_lines(programs: Mapping[str, Sequence[str]]) -> Iterator[Line]:
    """Yields a line for each entry point on what the program needs in addition to TensorFlow."""
    for start, needed in [*programs.items()][:_MAX_REASONS]:
        yield [(f"{printable(start)} needs ", ""), (printable("; ".join(needed)), "bold")]
    if len(programs) > _MAX_REASONS:
        yield [(f"and {len(programs) - _MAX_REASONS} other programs have needs; plan prints them.", "")]


def runtime_notes(outcome: Outcome) -> Iterator[Line]:
    """Yields what the user has to do for the runtime files because the tool cannot do it."""
    if outcome.unlisted:
        from migrate.runtime_files.package import REQUIREMENT

        files = ", ".join(printable(path, keep="") for path in outcome.unlisted)
        yield [(f"Add {REQUIREMENT} to what {files} need: the given paths hold no list of requirements for it.", "")]
    yield from missing_package_note({os.path.dirname(path) for change in outcome.changes for path in change.needs})


def missing_package_note(folders: Iterable[str]) -> Iterator[Line]:
    """Yields a line for each ``setup.py`` that has to list packages so that runtime folders are installed."""
    from migrate.runtime_files.requirement import unlisted_packages

    unlisted: dict[str, list[str]] = {}
    for setup, package_name in unlisted_packages(folders):
        unlisted.setdefault(setup, []).append(repr(package_name))
    for setup, names in unlisted.items():
        text = f"Add {', '.join(names)} to packages in {printable(setup)}, which lists them"
        yield [(f"{text}: {'they are' if len(names) > 1 else 'it is'} not installed else.", "")]


def nothing_found_note(outcome: Outcome, select: Sequence[str]) -> str:
    """Returns the sentence, without a full stop, for a run that found no site."""
    errors = sum(finding.error and finding.code != "FT009" for finding in outcome.findings)  # FT009 is the tool's bug
    if errors and errors >= outcome.files_read:
        return f"No file could be read: {count_in_words(errors, 'error')}"
    return f"Nothing found for {', '.join(select)}" if select else "No Estimator or recovery code found"


def found_counts(outcome: Outcome, written: Collection[str] | None, select: Sequence[str] = ()) -> Line:
    """Returns the sentence on how many sites were found, rewritten and skipped; ``written`` is None without --write."""
    sites = [finding for finding in outcome.findings if not finding.error]
    files = f"Read {count_in_words(outcome.files_read, 'file')}"
    errors = len(outcome.findings) - len(sites)
    trouble = f"; {count_in_words(errors, 'error')}" if errors else ""
    if not sites:
        nothing = nothing_found_note(outcome, select)
        text = (
            nothing
            if errors and errors >= outcome.files_read
            else f"{files}: {nothing[0].lower()}{nothing[1:]}{trouble}"
        )
        return [(f"{text}.", "bold red" if errors else "")]
    rewritten = [finding for finding in sites if finding.rewritten]
    skipped = len(sites) - len(rewritten)
    if written is None:
        becomes = f"{len(rewritten)} to rewrite, {skipped} skipped"
    else:
        done = sum(finding.path in written for finding in rewritten)
        becomes = f"{done} rewritten, {skipped} skipped"
        if done < len(rewritten):
            becomes += f", {len(rewritten) - done} not written"
    text = f"{files}: {count_in_words(len(sites), 'call site')} found, {becomes}{trouble}."
    return [(text, "bold red" if errors else "bold")]


def _by_rule(sites: Collection[Finding], names: Mapping[str, str]) -> Iterator[Line]:
    codes = sorted({finding.code for finding in sites})
    width = max(len(names.get(code, "")) for code in codes)
    for code in codes:
        results = Counter(result(finding) for finding in sites if finding.code == code)
        counts = ", ".join(f"{number} {one}" for one, number in sorted(results.items()))
        yield [(f"  {code}", "cyan"), (f"  {names.get(code, ''):{width}}" if width else "", ""), (f"  {counts}", "")]


def _by_reason(skipped: Collection[Finding]) -> Iterator[Line]:
    reasons = Counter((finding.code, finding.message) for finding in skipped if finding.cause is None)
    causes = Counter(_OBSTACLES[one.cause.obstacle].format(one.cause.code) for one in skipped if one.cause is not None)
    ordered = sorted(reasons.items(), key=lambda reason: (-reason[1], reason[0]))
    width = len(str(max([*causes.values(), *reasons.values()])))
    helps = {(finding.code, finding.message): finding.help for finding in skipped}
    shown = ordered[:_MAX_REASONS]
    for at, (reason, number) in enumerate(shown):
        yield [(f"  {number:{width}}  ", ""), (reason[0], "cyan"), (f" {reason[1]}", "")]
        if helps[reason] not in [helps[later] for later, _ in shown[at + 1 : at + 2]]:  # print the same help once
            yield from ([(f"  {'':{width}}  {text}", "")] for text in helps[reason].split("\n") if text)
    if len(ordered) > _MAX_REASONS:
        yield [(f"  and {len(ordered) - _MAX_REASONS} other reasons; --format text shows each site with its own", "")]
    for cause, number in sorted(causes.items(), key=lambda one: (-one[1], one[0])):
        yield [(f"  {number:{width}}  {cause}", "")]


def _change_and_create(changes: Collection[FileChange], change: str, create: str) -> str:
    new = sum(item.before is None for item in changes)
    old = len(changes) - new
    if not new:
        return f"{change} {count_in_words(old, 'file')}"
    return (
        f"{change} {count_in_words(old, 'file')} and {create} {new}"
        if old
        else f"{create} {count_in_words(new, 'file')}"
    )


def count_in_words(number: int, noun: str) -> str:
    """Returns a number with its noun in the singular or plural."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
