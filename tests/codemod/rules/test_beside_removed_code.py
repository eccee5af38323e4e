"""Nothing is deleted that is not recovery: a statement stays wherever it is in a rewritten program."""

import ast
from random import Random

import pytest

from migrate.rules import RULES
from tests.codemod.programs import migrate, program

KEPT = 'notify("kept")'
PLACES = 3
"""So many places in each example are tried."""


def places(text):
    """The lines above which a statement can stand, with their indentation."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        blocks = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
        for statement in (one for block in blocks if isinstance(block, list) for one in block):
            first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])
            line = lines[first - 1]
            indent = line[: len(line) - len(line.lstrip())]
            begins = line[: statement.col_offset].strip() == "" and not line.lstrip().startswith("elif")
            if begins and "__future__" not in line:
                yield first, indent


def is_rewritten_with(text, chosen):
    """Whether a text is rewritten with a statement of the user's in each of some places, all of which must stay."""
    lines = text.split("\n")
    for first, indent in sorted(chosen, reverse=True):
        lines.insert(first - 1, indent + KEPT)
    output, findings = migrate("\n".join(lines))
    assert not [finding for finding in findings if finding.error]
    assert output.count(KEPT) == len(chosen)
    return all(finding.rewritten for finding in findings)


EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.code}-{number}")
    for rule in RULES.values()
    for number, example in enumerate([one for one in rule.examples if one.after is not None][:2])
]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_a_statement_of_the_users_stays_wherever_it_stands(rule, example):
    text = program(example.kind, **{example.slot: example.before})
    found = list(places(text))
    chosen = Random(rule.code).sample(found, min(PLACES, len(found)))
    if not is_rewritten_with(text, chosen):  # a statement may leave the program whole, and hide what becomes of others
        for place in chosen:
            is_rewritten_with(text, [place])
