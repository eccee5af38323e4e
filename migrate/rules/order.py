"""The order in which the rules look at a program: from what each settles of it and what each needs, by no number."""

from collections.abc import Iterable
from graphlib import TopologicalSorter

from migrate.rules.rule import Rule

FACTS = {
    "config": "which statements of the RunConfig are removed",
    "model_dir": "the expression of the checkpoint directory",
    "interval": "the steps between two saves",
    "seed": "the random seed, which is set after the directory is known",
    "names": "what the names of the Estimator API become",
    "inputs": "the datasets that input helpers become",
    "model": "the Keras model that stands for a premade estimator",
    "training": "what trains, which ends with a recovery or with BackupAndRestore",
    "replaced": "the statements that new code takes the place of",
}
"""What rules settle for others, by the name that ``settles`` and ``needs`` of a rule call it."""


def in_order(rules: Iterable[Rule]) -> list[Rule]:
    """The rules, each after those that settle what it needs.

    Args:
      rules: all rules. Which of two independent ones comes first is their order here, and makes no difference.

    Raises:
      KeyError: a rule needs what no fact is.
      graphlib.CycleError: rules need one another.
    """
    known = {rule.code: rule for rule in rules}
    settling = {fact: [code for code, rule in known.items() if fact in rule.settles] for fact in FACTS}
    before = {code: [by for fact in rule.needs for by in settling[fact] if by != code] for code, rule in known.items()}
    return [known[code] for code in TopologicalSorter(before).static_order()]
