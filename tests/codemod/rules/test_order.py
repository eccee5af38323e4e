"""The rules stand in one table, and each says of which words a file must hold one."""

import importlib
import pkgutil

import migrate.rules
from migrate.rules import CODES, ESTIMATOR_WORDS, FINAL_RULES, PLACES, PROGRAM_WORD_RULES, RULES, SITE_WORDS
from migrate.rules.rule import REGISTERED


def test_every_file_of_a_rule_has_its_place_in_the_order_of_the_codes():
    for module in pkgutil.walk_packages(migrate.rules.__path__, "migrate.rules."):
        importlib.import_module(module.name)
    assert sorted(REGISTERED) == list(RULES) == sorted(PLACES)
    assert {rule.name: code for code, rule in RULES.items()} == CODES


def test_every_rule_for_estimator_programs_is_once_in_their_list():
    speaking = sorted(one.name for one in RULES.values() if one.check_sites is None)
    assert sorted(ESTIMATOR_WORDS) == speaking, "is it once in ESTIMATOR_WORDS of migrate/rules/__init__.py?"


def test_every_rule_of_sites_says_its_words_and_those_of_recovered_files_come_last():
    speaking = sorted(one.name for one in RULES.values() if one.check_sites is not None)
    assert sorted(SITE_WORDS) == speaking, "SITE_WORDS of migrate/rules/__init__.py lacks a rule or has one too many"
    assert {*[*SITE_WORDS][-len(FINAL_RULES) :]} == FINAL_RULES
    assert SITE_WORDS.keys() >= PROGRAM_WORD_RULES
