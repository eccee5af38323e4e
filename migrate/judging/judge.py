"""What becomes of each program of some files: findings for all sites, and a plan for each file that changes."""

from collections.abc import Mapping, Sequence

from migrate.analysis.module import Module
from migrate.analysis.tree import Tree
from migrate.judged import Judged
from migrate.judging.trial import Trial
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
    canned = {module.path: "model-fn" if settings.canned == "model-fn" else "keras" for module in modules}
    found = _try(modules, settings, tree, canned)
    if settings.canned == "auto" and (reasons := found.left_in_keras()):
        canned |= dict.fromkeys(reasons, "model-fn")
        found = _try(modules, settings, tree, canned)
        found.reasons = reasons
    return found.finished()


def _try(modules: Sequence[Module], settings: Settings, tree: Tree, canned: Mapping[str, str]) -> Trial:
    """Judges all programs in the forms that follow them; ``canned`` tells what premade estimators become, by file."""
    found = Trial(modules, settings, tree, canned)
    becoming_v1 = found.become_v1 & found.need_v1
    if becoming_v1:  # one program's import makes another's names right
        again = Trial(modules, settings, tree, canned, becoming_v1)
        found = again if becoming_v1 <= again.become_v1 else found
    return found
