"""Every rule keeps its own page and its own examples."""

import ast
import re

import pytest

from migrate.findings.finding import Fidelity
from migrate.rules import RULES
from migrate.rules.example import SLOTS
from tests.codemod.programs import deleted_lines, migrate

EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.code}-{example.slot}-{name[:40]}")
    for rule in RULES.values()
    for number, example in enumerate(rule.examples)
    for name in [str(number) if example.slot == "module" else example.before]
]
REWRITTEN = [parameter for parameter in EXAMPLES if parameter.values[1].after is not None]
LEFT = [parameter for parameter in EXAMPLES if parameter.values[1].after is None]


def choices(example):
    return {name: getattr(example.settings, name) for name in ("recovery", "target")}


@pytest.mark.parametrize(("rule", "example"), REWRITTEN)
def test_an_example_is_rewritten_as_its_rule_says_and_compiles(rule, example):
    text, findings = migrate(example.source, **choices(example))
    assert example.after is not None
    assert "".join(example.after.split()) in "".join(text.split()), text
    left = [finding for finding in findings if not finding.rewritten]
    assert all(one.fidelity is Fidelity.NOTED and example.before in text for one in left), findings
    names = {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
    assert not names & {"estimator", "RunConfig"}
    assert example.kind in ("custom", "tpu") or "SessionRunHook" not in names


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_every_rule_says_something_of_its_examples(rule):
    said = {finding.code for one in rule.examples for finding in migrate(one.source, **choices(one))[1]}
    message = f"{rule.name} says nothing of its examples, others {said}: is it in a list of rules/__init__?"
    assert rule.code in said or not rule.examples, message


@pytest.mark.parametrize(("rule", "example"), LEFT)
def test_an_example_that_cannot_be_rewritten_is_left_whole_with_its_reason(rule, example):
    text, findings = migrate(example.source, **choices(example))
    assert text == example.source
    reasons = [f for f in findings if f.is_own_reason]
    said = [finding.code for finding in findings if finding.message]
    assert rule.code in said, f"{rule.name} finds nothing in its example, others {said}: is each name in it assigned?"
    assert reasons
    assert all(finding.message and finding.help for finding in reasons)
    assert not any(finding.rewritten or finding.error for finding in findings)


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_every_comment_survives_but_those_of_statements_that_are_deleted(rule, example):
    commented = "\n".join(
        line if "import" in line or not line.strip() else f"{line}  # line {number}"
        for number, line in enumerate(example.source.splitlines())
    )
    text, _ = migrate(commented, **choices(example))
    deleted = deleted_lines(commented, **choices(example))
    assert len(deleted) <= 1  # the examples are about statements of which something is carried over, but for a few
    for number in set(range(len(commented.splitlines()))).difference(deleted):
        assert (f"# line {number}\n" in commented + "\n") == (f"# line {number}\n" in text + "\n"), text


def test_every_rule_has_a_page_that_names_its_code_and_says_what_to_do():
    for rule in RULES.values():
        assert rule.page.startswith(f"{rule.code} · ")
        for part in ("Instead:", "See:", f"Fidelity: {rule.fidelity.value}"):
            assert part in rule.page


def test_every_rule_stands_in_a_file_of_its_own_name():
    for rule in RULES.values():
        check = rule.check_sites or rule.check_file or rule.check_unit
        assert check is not None
        assert re.fullmatch(rf"migrate\.rules\.\w+\.{rule.name}", check.__module__)
        assert all(example.slot in {*SLOTS, "module"} for example in rule.examples)
        assert rule.check_sites is None or all(example.slot == "module" for example in rule.examples)
