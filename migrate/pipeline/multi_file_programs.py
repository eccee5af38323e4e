"""Judges programs of several files: groups the files of each program, and makes their findings and plans."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from migrate.analysis.program.facts import facts
from migrate.analysis.program.programs import files_of_programs
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.imports import importing_root
from migrate.edits.plan import Plan
from migrate.files.cells import CellProgram
from migrate.files.parse import drop_trees
from migrate.files.patterns import patterns_or_none
from migrate.files.prefilter import may_hold_site
from migrate.files.read import read
from migrate.files.sources import NOTEBOOK, is_below
from migrate.files.trouble import Unreadable
from migrate.files.walk import imported_below, walk
from migrate.findings.finding import Finding
from migrate.judging.judge import judge_together
from migrate.pipeline.failure import failure_finding, run_guarded
from migrate.pipeline.outcome import ExaminedFile, Group
from migrate.pipeline.processes import Processes
from migrate.records import replace
from migrate.settings import Settings

_FEW_GROUPS = 20
"""With fewer groups a second process costs more than it saves."""


def examine_together(
    found: Sequence[ExaminedFile],
    files: Sequence[str],
    paths: Sequence[str],
    settings: Settings,
    processes: Processes,
    judged: dict[Group, list[ExaminedFile]],
    following: str | None,
) -> dict[str, ExaminedFile]:
    """Judges the files whose programs reach other files, with those files and the files that wait for them.

    Args:
      found: the files, each with the files that it reaches.
      files: all files of their repository that are read.
      judged: the groups judged so far, to which those judged now are added.
      following: the file that is read next; groups in a directory around it wait, and the trees are dropped.
    """
    walked = {os.path.abspath(path): path for path in files}
    joins = {os.path.abspath(one.path): {*one.reaches} for one in found}
    groups = [one for one in _groups(joins, walked, paths, settings) if not following or not _is_around(one, following)]
    # The last ones first: the trees of the files that were read last are kept.
    new = [group for group in reversed(groups) if group not in judged]
    results = processes.map(examine_group, ((one, settings) for one in new), few=_FEW_GROUPS)
    judged.update(zip(new, results, strict=True))
    if following:
        drop_trees()
    return {one.path: one for group in groups for one in judged[group]}


def _is_around(group: Group, path: str) -> bool:
    """Whether a file is in a directory that contains all files of a group."""
    directories = [os.path.dirname(one) for one, _ in group.files] or [os.sep]
    return is_below(os.path.abspath(path), os.path.commonpath(directories))


def _dependents(reached: Collection[str], walked: Collection[str]) -> dict[str, set[str]]:
    """Maps a file that programs reach to the given files that must be rewritten with it.

    These import it and name the Estimator API themselves, and both must use the same generated code for the API.
    """
    tree, ties = Tree(), dict[str, set[str]]()
    waiting = sorted(reached)
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        if facts(path).problem or not facts(path).ties:
            continue
        for user in tree.importers_of(path, "estimator"):
            if user in walked and facts(user).names_api:
                # If a file was reached, so were the files that it imports.
                changing = 0 if user in seen else tree.changing_files(tree.module(user))
                links = {*tree.graph.paths(changing)}
                ties.setdefault(path, set()).update(links, [user])
                waiting += sorted({user, *links} - seen)
                seen |= {user, *links}
    return ties


def _groups(
    joins: Mapping[str, set[str]], walked: Mapping[str, str], paths: Sequence[str], settings: Settings
) -> Iterator[Group]:
    """Yields groups of the run's files: two files are in one group if a program reaches both."""
    exclude = patterns_or_none(settings.exclude, settings.root)
    reached = set[str]().union(*joins.values())
    ties = run_guarded(lambda: _dependents(reached, walked), lambda error: dict[str, set[str]]())
    users = _users(reached, [os.path.abspath(path) for path in paths])
    members: dict[str, set[str]] = {}  # file -> all files of its group, one set for all of them
    for own_path, others in [*joins.items(), *ties.items()]:
        together = members.setdefault(own_path, {own_path})
        for path in others - together:
            if (further := members.setdefault(path, {path})) is not together:
                together, further = sorted((together, further), key=len, reverse=True)
                together |= further
                members.update(dict.fromkeys(further, together))
    outside = {path: imported_below(path, paths, exclude) for path in members.keys() - walked.keys()}
    given = {**walked, **{path: name for path, name in outside.items() if name is not None}}
    for joined in sorted({id(one): sorted(one) for one in members.values()}.values()):
        own = tuple((path, given[path]) for path in joined if path in given)
        yield Group(own, tuple((path, tuple(sorted(users[path]))) for path in joined if path in users))


def _users(wanted: Collection[str], named: Sequence[str]) -> dict[str, set[str]]:
    """Maps each of some files to the files that make an estimator with it and were not named by the user."""
    users: dict[str, set[str]] = {}
    for root in sorted({importing_root(os.path.dirname(path)) for path in wanted}):
        if _is_given(root, named):
            continue
        for path in walk([root]):
            if isinstance(path, str) and not _is_given(os.path.abspath(path), named):
                for other in _files_reached(path).intersection(wanted):
                    users.setdefault(other, set()).add(os.path.abspath(path))
    return users


def _is_given(path: str, named: Sequence[str]) -> bool:
    """Whether the user named a path or a directory above it."""
    return any(is_below(path, one) for one in named)


def _files_reached(path: str) -> set[str]:
    """Returns the files that a file's programs reach; empty if it cannot be judged."""

    def find() -> set[str]:
        data = read(path)
        if b"stimator" not in data or not may_hold_site(data):
            return set()
        tree = Tree()
        return set(files_of_programs(tree.module(os.path.abspath(path)), tree))

    return run_guarded(find, lambda error: set())


def examine_group(group: Group, settings: Settings) -> list[ExaminedFile]:
    """Judges the files of one group; an exception in a file becomes a finding of that file."""
    return run_guarded(lambda: _examine_files(group, settings), lambda error: _drop_broken(group, settings, error))


def _drop_broken(group: Group, settings: Settings, error: Exception) -> list[ExaminedFile]:
    """Judges the group without the files that also fail alone; if no file does, each gets the error as a finding."""
    broken: dict[tuple[str, str], Finding] = {}
    for file in group.files if len(group.files) > 1 else ():
        run_guarded(partial(_examine_files, group._replace(files=(file,)), settings), partial(_record, broken, file))
    if not broken:
        return [ExaminedFile(name, [failure_finding(name, error, "examining")]) for _, name in group.files]
    others = group._replace(files=tuple(file for file in group.files if file not in broken))
    return [*(ExaminedFile(name, [found]) for (_, name), found in broken.items()), *examine_group(others, settings)]


def _record(broken: dict[tuple[str, str], Finding], file: tuple[str, str], error: Exception) -> list[ExaminedFile]:
    broken[file] = failure_finding(file[1], error, "examining")
    return []


def _examine_files(group: Group, settings: Settings) -> list[ExaminedFile]:
    tree = Tree(dict(group.files), dict(group.users))
    notebooks = _notebooks(tree, group)
    modules = list(tree.readable(path for path, _ in group.files))  # errors of the others are reported elsewhere
    judged = judge_together(modules, settings, tree)
    together = tuple(module.path for module in modules if judged[module.path].plan.shared)
    examined = []
    for module in modules:
        findings, plan, programs = judged[module.path]
        source = tree.source(os.path.abspath(module.path))
        own = together if plan.shared else ()
        one = ExaminedFile(module.path, findings, source, plan or None, together=own, programs=programs)
        examined.append(_join_notebook(one, plan, settings) if module.path in notebooks else one)
    if notebooks:
        from migrate.pipeline.notebooks import cause_in_cells, place_in_cells

        for one in examined:
            one.findings = [place_in_cells(finding, notebooks) for finding in one.findings]
            one.programs = [each._replace(cause=cause_in_cells(each.cause, notebooks)) for each in one.programs]
    return examined


def _join_notebook(file: ExaminedFile, plan: Plan, settings: Settings) -> ExaminedFile:
    """Returns a notebook with the findings in the modules that its cells write, and with its own file as source."""
    from migrate.pipeline.notebooks import examine_notebook

    whole = examine_notebook(file.path, read(file.path), settings, own=file, rewrites=False)
    if whole.source is None:  # its findings are errors
        return whole
    return replace(whole, plan=plan, together=file.together)


def _notebooks(tree: Tree, group: Group) -> dict[str, tuple[CellProgram, str]]:
    """Adds the program text of each notebook to the tree; maps the notebooks' names to their programs and texts."""
    found: dict[str, tuple[CellProgram, str]] = {}
    for path, name in group.files:
        if path.endswith(NOTEBOOK):
            from migrate.pipeline.notebooks import own_text

            with suppress(Unreadable):
                found[name] = own_text(name)
                tree.add(path, found[name][1])
    return found
