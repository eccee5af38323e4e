"""Programs that stand in several files: which files belong together, and their findings and plans."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import repeat

from migrate.analysis.imports import importing_root
from migrate.analysis.module import Module
from migrate.analysis.programs import reached
from migrate.analysis.tree import Tree, facts
from migrate.examined import Examined, Group, failed
from migrate.files.ignore import excluding
from migrate.files.prefilter import may_hold_site
from migrate.files.read import read
from migrate.files.trouble import Unreadable
from migrate.files.walk import NOTEBOOK, walk
from migrate.finding import Finding
from migrate.judging.judge import judge_together
from migrate.processes import Processes
from migrate.settings import Settings

_FEW_GROUPS = 20
"""Below this many groups a second process costs more than it saves."""


def examine_together(
    found: Sequence[Examined],
    notebooks: Sequence[Examined],
    paths: Sequence[str],
    settings: Settings,
    processes: Processes,
) -> Iterator[Examined]:
    """Judges files whose programs reach into other files, and those other files.

    Args:
      found: the files, each with what it reaches.
      notebooks: those of the run that reach files: they stay as they are, and so do these files.
      paths: the files and directories on the command line.
      settings: the user's choices.
      processes: for the work.
    """
    found_below = walk(paths, excluding(settings.exclude, settings.root))
    walked = {os.path.abspath(path): path for path in found_below if isinstance(path, str)}
    ties = _tied_by(found, walked)
    related = {os.path.abspath(one.path) for one in found} | {path for one in found for path in one.reaches}
    related.update(*ties.values())
    given = {absolute: path for absolute, path in walked.items() if absolute in related}
    users = _users(found, paths, settings.canned)
    for one in notebooks:
        for path in one.reaches:
            users.setdefault(path, set()).add(os.path.abspath(one.path))
    groups = _groups(found, given, users, ties)
    for group in processes.map(examine_group, zip(groups, repeat(settings)), few=_FEW_GROUPS):
        yield from group


def _tied_by(found: Sequence[Examined], walked: Collection[str]) -> dict[str, set[str]]:
    """The given files that change with a file that programs reach, by that file.

    They import it and name the Estimator API themselves, so that what stands for the API must be one thing in both.
    """
    tree, ties = Tree(), dict[str, set[str]]()
    waiting = sorted({path for one in found for path in one.reaches})
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        if facts(path).problem or not facts(path).ties or path.endswith(NOTEBOOK):
            continue
        for user in tree.importers_of(path, "estimator"):
            if user in walked and facts(user).names_api and not user.endswith(NOTEBOOK):
                # Whoever was reached was so together with the files that it imports.
                links = set() if user in seen else {link.target.path for link in tree.changing(tree.module(user))}
                ties.setdefault(path, set()).update(links, [user])
                waiting += sorted({user, *links} - seen)
                seen |= {user, *links}
    return ties


def _groups(
    found: Sequence[Examined],
    given: Mapping[str, str],
    users: Mapping[str, set[str]],
    ties: Mapping[str, set[str]],
) -> Iterator[Group]:
    """The files of the run, joined where one program reaches both, whatever the order of the paths."""
    leader: dict[str, str] = {}

    def of(path: str) -> str:
        while leader.setdefault(path, path) != path:
            path = leader[path]
        return path

    joined = [(os.path.abspath(one.path), one.reaches) for one in found]
    for own_path, others in [*joined, *ties.items()]:
        for path in others:
            first, second = sorted((of(own_path), of(path)))
            leader[second] = first
    members: dict[str, list[str]] = {}
    for path in sorted(leader):
        members.setdefault(of(path), []).append(path)
    for paths in members.values():
        own = tuple((path, given[path]) for path in paths if path in given and not path.endswith(NOTEBOOK))
        yield Group(own, tuple((path, tuple(sorted(users[path]))) for path in paths if path in users))


def _users(found: Sequence[Examined], paths: Sequence[str], canned: str) -> dict[str, set[str]]:
    """The files beside the given ones that make an estimator with one of the same files, by that file."""
    wanted = {path for one in found for path in one.reaches}
    named = [os.path.abspath(path) for path in paths]
    users: dict[str, set[str]] = {}
    for root in sorted({importing_root(os.path.dirname(path)) for path in wanted}):
        if _is_given(root, named):
            continue
        for path in walk([root]):
            if isinstance(path, str) and not _is_given(os.path.abspath(path), named):
                for other in _reached(path, canned) & wanted:
                    users.setdefault(other, set()).add(os.path.abspath(path))
    return users


def _is_given(path: str, named: Sequence[str]) -> bool:
    """Whether the user named a path or a directory above it."""
    return any(path == one or path.startswith(os.path.join(one, "")) for one in named)


def _reached(path: str, canned: str) -> set[str]:
    try:
        data = read(path)
        if b"stimator" not in data or not may_hold_site(data):
            return set()
        tree = Tree()
        module = tree.module(os.path.abspath(path))
    except Unreadable:
        return set()
    return set(reached(module, tree, canned))


def examine_group(group: Group, settings: Settings) -> list[Examined]:
    """Judges the files of one group; what goes wrong with them becomes a finding."""
    tree = Tree(dict(group.files), dict(group.users))
    try:
        return _examined(tree, group, settings)
    except Exception as error:  # a mistake of the tool in one group must lose no other
        return [Examined(name, [failed(name, error, "examining")]) for _, name in group.files]


def _examined(tree: Tree, group: Group, settings: Settings) -> list[Examined]:
    modules = list(_readable(tree, group))
    judged = judge_together(modules, settings, tree)
    together = tuple(module.path for module in modules if judged[module.path].plan.shared)
    examined = []
    for module in modules:
        findings, plan, programs = judged[module.path]
        source = tree.source(os.path.abspath(module.path))
        own = together if plan.shared else ()
        examined.append(
            Examined(module.path, findings, source, plan or None, together=own, group=group, programs=programs)
        )
    return examined


def found_in(group: Group, texts: Mapping[str, str], settings: Settings) -> dict[str, list[Finding]]:
    """What is found in a group's files by their names, as they would be with the ``texts`` of some of them."""
    tree = Tree(dict(group.files), dict(group.users))
    for path, name in group.files:
        if name in texts:
            tree.add(path, texts[name])
    judged = judge_together(list(_readable(tree, group)), settings, tree)
    return {path: one.findings for path, one in judged.items()}


def _readable(tree: Tree, group: Group) -> Iterator[Module]:
    """The group's modules; what is wrong with one that cannot be read is said elsewhere."""
    for path, _ in group.files:
        with suppress(Unreadable):
            yield tree.module(path)
