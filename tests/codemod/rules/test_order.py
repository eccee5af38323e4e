"""The rules that look at a program stand in one list, in the order in which they do."""

from collections.abc import Iterable

from migrate.rules import OBJECT_FORM, RULES, Rule


def names(rules: Iterable[Rule]) -> list[str]:
    return sorted(rule.name for rule in rules)


def test_every_rule_of_programs_in_object_form_has_one_place_in_their_list() -> None:
    speaking = names(one for one in RULES.values() if one.check_file is not None or one.check_unit is not None)
    assert names(OBJECT_FORM) == speaking, "OBJECT_FORM of migrate/rules/__init__.py lacks a rule or has one too many"
