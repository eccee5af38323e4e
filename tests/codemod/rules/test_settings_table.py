"""The table of RunConfig's settings is what the rules do."""

import pytest

from migrate.analysis.run_config import RUN_CONFIG, Setting, table
from migrate.rules import RULES


@pytest.mark.parametrize("setting", RUN_CONFIG, ids=lambda setting: setting.name)
def test_every_setting_has_a_rule_whose_page_shows_its_row(setting: Setting) -> None:
    rule = RULES[setting.code]
    assert rule.is_setting, f"{rule.name} is about a setting: @rule(..., is_setting=True)"
    assert rule.fidelity.value == setting.fidelity, f"the row of {setting.name} in migrate/analysis/run_config.py"
    assert f"| {setting.name} " in rule.page


def test_the_page_of_run_config_shows_the_whole_table() -> None:
    assert table() in RULES["FT101"].page
