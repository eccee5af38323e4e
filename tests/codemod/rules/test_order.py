"""The rules that look at a program stand in one list, in the order in which they do."""

from collections import Counter

from migrate.rules import KERAS_FORM, NAMES, RULES


def test_every_rule_of_keras_programs_has_one_place_in_their_list() -> None:
    assert Counter(KERAS_FORM) == Counter(rule for rule in RULES.values() if rule.check is not None)


def test_every_rule_of_names_has_one_place_in_their_list() -> None:
    assert Counter(NAMES) == Counter(rule for rule in RULES.values() if rule.check_file is not None)
