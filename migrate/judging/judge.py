"""What becomes of each program of some files: findings for all sites, and a plan for each file that changes."""

from collections.abc import Sequence

from migrate.analysis.module import Module
from migrate.analysis.tree import Tree
from migrate.judging.trial import Trial
from migrate.results.judged import Judged
from migrate.settings import Settings


def judge(module: Module, settings: Settings, tree: Tree | None = None) -> Judged:
    """Runs every rule over every program of one file; a program is rewritten whole or left whole."""
    return judge_together([module], settings, tree or Tree())[module.path]


def judge_together(modules: Sequence[Module], settings: Settings, tree: Tree) -> dict[str, Judged]:
    """Runs every rule over the programs of several files, in which one program may stand.

    Args:
      modules: the files, those included in which a program's names are to change.
      settings: the user's choices.
      tree: the files around them.

    Returns:
      What becomes of each file, by its path.
    """
    return Trial(modules, settings, tree).finished()
