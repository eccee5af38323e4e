"""Runs the pipeline, which reads files and returns findings and changes; only ``write`` writes files."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from migrate.edits.file_change import FileChange
from migrate.files.boundary import Boundary
from migrate.files.given_directories import set_given_directories
from migrate.files.parse import characters_of_trees, trees_exceed_limit
from migrate.files.patterns import Patterns, patterns_or_none
from migrate.files.prefilter import files_without_site
from migrate.files.read import read
from migrate.files.repository import repository_of
from migrate.files.run_cache import forget
from migrate.files.sources import NOTEBOOK, SUFFIXES, is_below
from migrate.files.trouble import NotWritten, trouble
from migrate.files.walk import leads_outside, run_on_settled_files, walk
from migrate.findings.finding import Finding, skip_with_cause
from migrate.findings.invocation import program
from migrate.pipeline.examine import compiled_text, examine_bytes, examine_guarded
from migrate.pipeline.failure import rewrite_guarded
from migrate.pipeline.outcome import ExaminedFile, Group, Outcome
from migrate.pipeline.processes import Processes, drop_repository
from migrate.settings import Settings

if TYPE_CHECKING:
    from migrate.files.transaction import NewText
    from migrate.runtime_files.placement import Placement

Progress = Callable[[str, int, int], None]

_FEW_FILES = 200
"""With fewer files to read a second process costs more than it saves."""

_FEW_REWRITES = 20
"""With fewer files to rewrite a second process costs more than it saves; each process imports LibCST and black."""


def run(
    paths: Sequence[str],
    settings: Settings,
    *,
    jobs: int,
    progress: Progress | None,
    rewrites: bool = True,
    writes: bool = False,
) -> Outcome:
    """Examines files and returns the findings and changes.

    Args:
      progress: called with ``Reading`` or ``Rewriting``, the number of files done and the number of all files.
      rewrites: whether to make the new texts. Otherwise the outcome has only findings, those of the compiler included.
      writes: whether the changes will be written. Then an interrupted write is ended before anything is read;
        otherwise nothing on the disk changes, and an interrupted write is an error.
    """
    boundary = Boundary(paths)

    def work() -> Outcome:
        set_given_directories(paths)
        forget()
        with Processes(jobs) as processes:
            return _run(paths, settings, processes, progress, rewrites, boundary, writes)

    outcome, notes = run_on_settled_files(work)
    outcome.notes += notes
    return outcome


def run_source(source: bytes, name: str, settings: Settings) -> Outcome:
    """Examines the bytes of one file, and returns its findings and change; no other file is changed or made.

    Args:
      name: the path of the file, from which its imports are found; the file need not exist.
    """
    set_given_directories(())
    forget()
    outcome = Outcome(files_read=1)
    with Processes(1) as processes:
        examined = [_examine_source(source, name, settings)]
        _rewrite_all(examined, settings, processes, None, outcome, True, True, Boundary(()))
    outcome.sort()
    return outcome


def _run(
    paths: Sequence[str],
    settings: Settings,
    processes: Processes,
    progress: Progress | None,
    rewrites: bool,
    boundary: Boundary,
    writes: bool,
) -> Outcome:
    outcome = Outcome(paths=(*paths,))
    exclude = patterns_or_none(settings.exclude, settings.root)
    repositories = _group_by_repository(_files(paths, exclude, boundary if writes else None, outcome))
    calls = ((files, paths, settings, rewrites, boundary) for files in repositories)
    if processes.most > 1 and len(repositories) > 1 and outcome.files_read >= _FEW_FILES:
        found = processes.map(_run_repository, calls, few=2)
    else:
        found = (_run_repository(*call, processes, progress) for call in calls)
    done = 0
    for files, one in zip(repositories, found, strict=True):
        outcome.add(one)
        done += len(files)
        if progress is not None and len(repositories) > 1:
            progress("Reading", done, outcome.files_read)
    outcome.sort()
    return outcome


def _group_by_repository(files: Iterable[str]) -> list[list[str]]:
    """Returns the files of each repository and its nested ones; if some are in no repository, one list of all."""
    own: dict[str, list[str]] = {}
    for path in files:
        own.setdefault(repository_of(os.path.dirname(os.path.abspath(path))), []).append(path)
    found: dict[str, list[str]] = {}
    for place, paths in sorted(own.items()):
        around = next((one for one in found if not one or is_below(place, one)), place)
        found.setdefault(around, []).extend(paths)
    return [*found.values()]


def _run_repository(
    files: Sequence[str],
    paths: Sequence[str],
    settings: Settings,
    rewrites: bool,
    boundary: Boundary,
    processes: Processes | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Returns the findings and changes of the files of one repository."""
    drop_repository()
    processes, outcome, named = processes or Processes(1), Outcome(), set(paths)
    examined, joined = list[ExaminedFile](), list[ExaminedFile]()
    judged, several = dict[Group, list[ExaminedFile]](), dict[str, ExaminedFile]()
    calls = ((path, settings, path in named, rewrites, True) for path in files)
    for done, one in enumerate(processes.map(_examine, calls, few=_FEW_FILES), start=1):
        if one.waits and leads_outside(one.path, paths):
            one = _examine(one.path, settings, one.path in named, rewrites, False)
        if one.reaches or one.waits:
            joined.append(one)
        if one.findings:
            examined.append(_skip_outside(one) if leads_outside(one.path, paths) else one)
        if progress is not None:
            progress("Reading", done, len(files))
        following = files[done] if done < len(files) else None
        if joined and (following is None or trees_exceed_limit(characters_of_trees() // 3)):
            from migrate.pipeline.multi_file_programs import examine_together

            several = examine_together(joined, files, paths, settings, processes, judged, following)
    examined = [one for one in examined if one.path not in several] + list(several.values())
    _rewrite_all(examined, settings, processes, progress, outcome, False, rewrites, boundary)
    return outcome


def _add_unplanned(file: ExaminedFile, outcome: Outcome, needs: tuple[str, ...] = ()) -> None:
    """Adds the findings of a file without a plan, and the change of a notebook that was judged by itself."""
    outcome.findings += file.findings
    if file.source is not None and file.after not in (None, file.source.text):
        outcome.changes.append(FileChange(file.path, file.source.text, file.after, file.source, needs))


def _examine_source(data: bytes, name: str, settings: Settings) -> ExaminedFile:
    if b'"nbformat"' in data:
        from migrate.files.notebook import is_notebook

        if is_notebook(data):
            message = "is a notebook, and Python alone is rewritten without its file"
            help = f"Name its file: {program()} NOTEBOOK.ipynb."
            return ExaminedFile(name, [trouble("FT007", name, message, help)])
    return examine_guarded(name, lambda: examine_bytes(name, data, settings, is_named=True, is_alone=True))


def _files(
    paths: Sequence[str], exclude: Patterns | None, boundary: Boundary | None, outcome: Outcome
) -> Iterator[str]:
    """Yields and counts every file to read; adds the finding of a path that cannot be read."""
    for found in walk(paths, exclude, boundary=boundary):
        if isinstance(found, Finding):
            outcome.findings.append(found)
        else:
            outcome.files_read += 1
            yield found


def _examine(path: str, settings: Settings, is_named: bool, rewrites: bool, may_wait: bool) -> ExaminedFile:
    """Reads and judges one file, or finds the files to judge it with; an exception becomes a finding."""

    def examine() -> ExaminedFile:
        if path.endswith(NOTEBOOK):
            from migrate.pipeline.notebooks import examine_notebook

            return examine_notebook(path, read(path), settings, is_named, rewrites)
        if not is_named and os.path.abspath(path) in files_without_site():
            return ExaminedFile(path)
        return examine_bytes(path, read(path), settings, is_named, may_wait=may_wait)

    return examine_guarded(path, examine)


def _rewrite_all(
    examined: Sequence[ExaminedFile],
    settings: Settings,
    processes: Processes,
    progress: Progress | None,
    outcome: Outcome,
    is_alone: bool,
    rewrites: bool,
    boundary: Boundary,
) -> None:
    """Adds the findings and changes of files to the outcome, and the runtime files that the changes need."""
    planned = [one for one in examined if one.is_planned]
    for one in examined:
        if not one.is_planned:
            _add_unplanned(one, outcome)
        outcome.programs += one.programs
    if not planned:
        return
    from migrate.runtime_files import folder

    placement = _placement(planned, settings)
    folders = {} if is_alone else placement.folders
    texts = {one.path: one.source.text for one in planned if one.source}
    written = {
        where: folder.changes(
            where, names, boundary, [texts[path] for path in placement.users[where] & {*texts}], rewrites
        )
        for where, names in folders.items()
    }
    outcome.findings += [one for one in written.values() if isinstance(one, Finding)]
    foreign = (placement.users[where] for where, one in written.items() if isinstance(one, Finding))
    homeless = set[str]().union(*foreign)
    left = [one for one in planned if homeless and not homeless.isdisjoint({one.path, *one.together})]
    reason = "the folder for the generated code cannot be written"
    outcome.findings += [f.skipped_for(reason) if f.rewritten else f for one in left for f in one.findings]
    free = [one for one in planned if one not in left]
    _rewrite_planned(free, placement, settings, processes, progress if rewrites else None, outcome, rewrites)
    if not rewrites:
        return
    wanted = {path for change in outcome.changes for path in change.needs}
    made = [one for found in written.values() if not isinstance(found, Finding) for one in found]
    outcome.changes += [change for change in made if change.path in wanted or change.before is not None]
    if settings.helpers == "package" and not is_alone:
        _list_package(free, outcome, boundary)


def _list_package(free: Sequence[ExaminedFile], outcome: Outcome, boundary: Boundary) -> None:
    """Adds the installed package to the requirements of the programs."""
    from migrate.runtime_files.requirement import list_requirement

    changed = {change.path for change in outcome.changes}
    with_runtime = [one for one in free if one.runtime_names or (one.plan and one.plan.runtime_names)]
    users = [one.path for one in with_runtime if one.path in changed]
    changes, outcome.unlisted = list_requirement(users, boundary)
    outcome.changes += changes


def _placement(planned: Sequence[ExaminedFile], settings: Settings) -> "Placement":
    from migrate.runtime_files.placement import place

    plans = [(one.path, one.source.text, one.plan) for one in planned if one.source and one.plan is not None]
    placement = place(plans, settings.module_name, settings.helpers)
    for one in planned if settings.helpers == "copy" else ():
        for where, names in one.runtime_names.items():
            placement.add(one.path, where, names)
    placement.share_keras_names()
    return placement


def _rewrite_planned(
    free: Sequence[ExaminedFile],
    placement: "Placement",
    settings: Settings,
    processes: Processes,
    progress: Progress | None,
    outcome: Outcome,
    rewrites: bool,
) -> None:
    """Makes the new texts, and adds the change of each file if the other files of its programs have new texts too."""
    planned = [one for one in free if one.plan is not None]
    texts = []
    calls = ((one, placement.imports[one.path], settings, rewrites) for one in planned)
    for after in processes.map(_rewrite, calls, few=_FEW_REWRITES if rewrites else len(planned) + 1):
        texts.append(after)
        if progress is not None:
            progress("Rewriting", len(texts), len(planned))
    broken = {one.path: after for one, after in zip(planned, texts, strict=True) if isinstance(after, Finding)}
    for one, after in zip(planned, texts, strict=True):
        outcome.findings += [after] if isinstance(after, Finding) else []
        stuck = sorted(broken.keys() & {one.path, *one.together}) if broken else []
        if stuck or isinstance(after, Finding):
            outcome.findings += skip_with_cause(one.findings, broken[stuck[0]])
        else:
            assert one.source is not None
            outcome.findings += one.findings
            needs = placement.needs.get(one.path, ())
            change = FileChange(one.path, one.source.text, after, one.source, needs, one.together)
            outcome.changes += [change] if after != one.source.text else []
    for one in free:
        if one.plan is None:
            _add_unplanned(one, outcome, placement.needs.get(one.path, ()))


def _rewrite(file: ExaminedFile, imports: list[str], settings: Settings, rewrites: bool) -> str | Finding:
    """Returns the new text of a file, or the finding that says why there is none."""
    if file.path.endswith(NOTEBOOK):
        from migrate.pipeline.notebooks import rewritten_notebook

        return rewrite_guarded(file.path, lambda: rewritten_notebook(file, settings, imports, rewrites))
    assert file.source is not None and file.plan is not None
    if not rewrites:
        return compiled_text(file.source)
    from migrate.pipeline.attempt import attempt_rewrite

    return attempt_rewrite(file.source, file.plan, imports)


def write(outcome: Outcome) -> list[Finding]:
    """Writes the changes: the files of a program, and the runtime files that they import, all or none.

    Args:
      outcome: the changes, of which none outside of its ``paths`` is written. Its ``written`` gets the paths of the
        changes made, also if Ctrl-C ends this call, and its ``notes`` what was done about an interrupted write.

    Returns:
      An error for each file that could not be written, or that needs a file that could not be written.
    """
    from migrate.files.transaction import ProgramFiles, WriteOutcome, write_together

    written = WriteOutcome(paths=outcome.written, notes=outcome.notes)
    boundary = Boundary(outcome.paths)
    texts, lists = list["NewText"](), list["NewText"]()
    for change in outcome.changes:
        try:
            text = _new_text(change)
            (texts if change.path.endswith(SUFFIXES) else lists).append(text)
        except NotWritten as problem:
            written.problems[change.path] = problem.finding
    sources = [change for change in outcome.changes if change.path.endswith(SUFFIXES)]
    write_together(texts, [ProgramFiles(files, modules) for files, modules in _programs(sources)], written, boundary)
    for text in lists if not written.problems else ():  # lists of requirements are part of no program
        write_together([text], [ProgramFiles((text.path,))], written, boundary)
    forget()
    return list(written.problems.values())


def _new_text(change: FileChange) -> "NewText":
    from migrate.files.transaction import NewText

    if change.source is None:
        return NewText(change.path, change.after.encode(), None)
    after, before = (change.source.encode(text) for text in (change.after, change.before))
    return NewText(change.path, after, before)


def _programs(changes: Sequence[FileChange]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields the paths of each group of files that change all or none, and of the runtime files that they import."""
    paths = {change.path for change in changes}
    modules = {path for change in changes for path in change.needs} & paths
    groups: dict[str, set[str]] = {}
    for change in changes:
        if change.path not in modules:
            joined = {change.path}.union(*(groups[path] for path in change.together if path in groups))
            groups.update(dict.fromkeys(joined, joined))
    needs = {change.path: modules.intersection(change.needs) for change in changes}
    for files in {min(group): sorted(group) for group in groups.values()}.values():
        yield (*files,), (*sorted({needed for path in files for needed in needs[path]}),)


def _skip_outside(file: ExaminedFile) -> ExaminedFile:
    """Returns the findings of a file behind a symbolic link as skipped: it is outside of the given paths."""
    reason = "not rewritten: a symbolic link leads to it out of the given paths"
    findings = [f.skipped_for(reason, "Name the file itself.") if f.rewritten else f for f in file.findings]
    return ExaminedFile(file.path, findings)
