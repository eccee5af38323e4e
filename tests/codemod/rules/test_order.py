"""The rules that look at a program stand in one list, in the order in which they do."""

from collections import Counter

from migrate.rules import KERAS_FORM, OBJECT_FORM, RULES


def test_every_rule_of_keras_programs_has_one_place_in_their_list() -> None:
    assert Counter(KERAS_FORM) == Counter(rule for rule in RULES.values() if rule.check is not None)


def test_every_rule_of_programs_in_object_form_has_one_place_in_their_list() -> None:
    speaking = [rule for rule in RULES.values() if rule.check_file is not None or rule.check_unit is not None]
    assert Counter(OBJECT_FORM) == Counter(speaking)
