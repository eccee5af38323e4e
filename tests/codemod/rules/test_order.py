"""A rule depends on what other rules settle, and on no number and no place among them."""

import ast
import random
from collections.abc import Iterator
from graphlib import CycleError
from pathlib import Path

import pytest

from migrate.analysis.module import Module
from migrate.edits.apply import apply
from migrate.helpers.package import imports
from migrate.judged import Judged
from migrate.judging.judge import judge
from migrate.rules import RULES
from migrate.rules.example import Example
from migrate.rules.order import FACTS
from migrate.rules.order import in_order as ordered
from migrate.rules.rule import Rule
from migrate.settings import Settings
from tests.codemod.programs import judged as in_written_order
from tests.codemod.programs import migrate
from tests.codemod.rules.test_examples import EXAMPLES, choices
from tests.codemod.shared import in_order

LEGACY = sorted(Path("legacy_examples").rglob("*.py"))


@pytest.fixture
def registry() -> Iterator[dict[str, Rule]]:
    """The registry, to be put in another order."""
    before = dict(RULES)
    yield RULES
    RULES.clear()
    RULES.update(before)


def shuffle(registry: dict[str, Rule], seed: int) -> None:
    rules = list(registry.items())
    random.Random(seed).shuffle(rules)
    registry.clear()
    registry.update(rules)


def judged(text: str, **settings: str) -> Judged:
    return judge(Module("program.py", text, ast.parse(text)), Settings(**settings))


def written(text: str, made: Judged) -> str:
    plan = made.plan
    return apply(text, plan, imports("tf2_recovery", plan.pieces, plan.aliases))


@pytest.mark.slow
@pytest.mark.parametrize("path", LEGACY, ids=[path.stem for path in LEGACY])
@pytest.mark.parametrize("canned", ["keras", "object"])
def test_twenty_orders_of_the_registry_write_the_same(path: Path, canned: str, registry: dict[str, Rule]) -> None:
    text = path.read_text(encoding="utf-8")
    expected = judged(text, canned=canned)
    for seed in range(20):
        shuffle(registry, seed)
        made = judged(text, canned=canned)
        assert made.findings == expected.findings, f"the registry shuffled by {seed}"
        assert sorted(map(repr, made.plan.edits)) == sorted(map(repr, expected.plan.edits))
        assert (made.plan.pieces, made.plan.imports) == (expected.plan.pieces, expected.plan.imports)


@pytest.mark.slow
def test_each_example_becomes_the_same_bytes_in_an_order_of_its_own(registry: dict[str, Rule]) -> None:
    for seed, parameter in enumerate(EXAMPLES):
        example = parameter.values[1]
        assert isinstance(example, Example)
        text, settings = example.source, choices(example)
        expected = in_written_order(text, **settings)
        shuffle(registry, seed)
        made = judged(text, **settings)
        order = f"{parameter.id}, the registry shuffled by {seed}"
        assert made.findings == expected.findings, order
        if repr(in_order(made.plan)) != repr(in_order(expected.plan)):  # what one plan writes is one text
            assert written(text, made) == migrate(text, **settings)[0], order


def test_a_rule_comes_after_those_that_settle_what_it_needs() -> None:
    order = [rule.code for rule in ordered(RULES.values())]
    for rule in RULES.values():
        for fact in rule.needs:
            settling = [one.code for one in RULES.values() if fact in one.settles and one is not rule]
            assert settling, f"nothing settles {fact}"
            assert all(order.index(code) < order.index(rule.code) for code in settling)


def test_every_fact_is_settled_and_needed() -> None:
    assert {fact for rule in RULES.values() for fact in rule.settles} == set(FACTS)
    assert {fact for rule in RULES.values() for fact in rule.needs} == set(FACTS)


def test_rules_that_need_one_another_are_refused() -> None:
    one, other = list(RULES.values())[:2]
    circle = [
        Rule(one.code, one.name, one.fidelity, needs=("seed",), settles=("model",)),
        Rule(other.code, other.name, other.fidelity, needs=("model",), settles=("seed",)),
    ]
    with pytest.raises(CycleError):
        ordered(circle)
