"""What a project's settings file may say, where it is looked for, and how a mistake in it is told."""

import os

import pytest

from migrate.settings import ProjectSettings, Settings, SettingsError, read_project


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """An empty repository that is also the current directory."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def message(project):
    with pytest.raises(SettingsError) as caught:
        read_project(str(project))
    return str(caught.value)


def test_without_a_settings_file_or_a_section_for_migrate_the_defaults_hold_even_in_a_broken_file(project):
    assert read_project(str(project)) == ProjectSettings()
    for text in ('[tool.black]\nname = "migrate"\n', "[tool.black\n"):
        (project / "pyproject.toml").write_text(text)
        assert read_project(str(project)) == ProjectSettings()


def test_pyproject_toml_sets_every_setting(project):
    (project / "pyproject.toml").write_text(
        '[tool.migrate]\nrecovery = "backup-and-restore"\ntarget = "keras2"\ninput = "restart"\n'
        'select = ["FT1", "FT201"]\nignore = "FT152"\nmodule-name = "recovery"\n'
    )
    assert read_project(str(project)).settings == Settings(
        recovery="backup-and-restore",
        target="keras2",
        input="restart",
        select=("FT1", "FT201"),
        ignore=("FT152",),
        module_name="recovery",
    )


def test_the_place_of_each_setting_is_known(project):
    text = '[tool.ruff]\nselect = "E"\n\n[tool.migrate]\ntarget = "keras3"\nselect = "FT1"\n'
    (project / "pyproject.toml").write_text(text)
    assert read_project(str(project)).places == {"target": "pyproject.toml:5", "select": "pyproject.toml:6"}


def test_the_nearest_file_wins(project):
    (project / "pyproject.toml").write_text('[tool.migrate]\ntarget = "keras2"\n')
    inner = project / "models" / "bert"
    inner.mkdir(parents=True)
    (project / "models" / "pyproject.toml").write_text('[tool.migrate]\ntarget = "keras3"\n')
    assert read_project(str(inner)).settings.target == "keras3"
    assert read_project(str(project)).settings.target == "keras2"


def test_the_search_ends_at_the_root_of_the_repository(project):
    (project / "pyproject.toml").write_text('[tool.migrate]\ntarget = "keras2"\n')
    inner = project / "vendored"
    (inner / ".git").mkdir(parents=True)
    assert read_project(str(inner)) == ProjectSettings()


def test_without_a_repository_the_search_goes_on_upwards(project):
    (project / ".git").rmdir()
    (project / "pyproject.toml").write_text('[tool.migrate]\ntarget = "keras2"\n')
    (project / "src").mkdir()
    assert read_project(str(project / "src")).settings.target == "keras2"


MISTAKES = {
    '[tool.migrate]\n\nrecovry = "auto"\n': (
        "pyproject.toml:3: unknown setting 'recovry' in [tool.migrate]; did you mean recovery?"
    ),
    '[tool.estimator-migrate]\nrecovery = "auto"\n': (
        "pyproject.toml: [tool.estimator-migrate] is not read; rename it to [tool.migrate]"
    ),
    "[tool.migrate]\ncolour = true\n": "pyproject.toml:2: unknown setting 'colour' in [tool.migrate]",
    '[tool.migrate]\ntarget = "keras4"\n': "pyproject.toml:2: target must be portable, keras2 or keras3, not 'keras4'",
    "[tool.migrate]\ninput = 3\n": "pyproject.toml:2: input must be restart or continue, not 3",
    '[tool.migrate]\nselect = ["FT1", 2]\n': "pyproject.toml:2: select must be a list of rule codes, not ['FT1', 2]",
    '[tool.migrate]\nmodule_name = "tf2/recovery.py"\n': (
        "pyproject.toml:2: module_name must be the name of a Python module, without .py and without dots, "
        "not 'tf2/recovery.py'"
    ),
    '[tool.migrate]\nmodule-name = "a"\nmodule_name = "b"\n': "pyproject.toml:3: 'module_name' is set twice",
    '[tool]\nmigrate = "yes"\n': "pyproject.toml: tool.migrate must be a table, not 'yes'",
}
"""The text of a settings file, and what is said of it."""


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_told_with_the_file_and_its_line(project, text):
    (project / "pyproject.toml").write_text(text)
    assert message(project) == MISTAKES[text]


def test_toml_that_cannot_be_parsed_is_told_with_its_line(project):
    (project / "pyproject.toml").write_text("[tool.migrate]\ntarget = keras2\n")
    assert message(project).startswith("pyproject.toml: cannot be parsed: ")
    assert "line 2" in message(project)


def test_bytes_that_are_no_text_are_told_with_their_line(project):
    (project / "pyproject.toml").write_bytes(b"[tool.migrate]\n# caf\xe9\n")
    assert message(project) == "pyproject.toml:2: cannot be read: not UTF-8"


def test_a_file_that_cannot_be_read_is_told(project):
    # Reading another process's memory from address 0 fails for every user, root included.
    (project / "pyproject.toml").symlink_to("/proc/self/mem")
    assert message(project) == "pyproject.toml: cannot be read: Input/output error"


def test_the_file_is_named_as_seen_from_the_current_directory(project, monkeypatch):
    (project / "pyproject.toml").write_text('[tool.migrate]\ntarget = "2"\n')
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    with pytest.raises(SettingsError, match=r"^\.\./pyproject\.toml:2: target must be "):
        read_project(os.getcwd())


def test_patterns_say_what_is_not_read(project):
    (project / "pyproject.toml").write_text('[tool.migrate]\nexclude = ["third_party/", "*_test.py"]\n')
    (project / "jobs").mkdir()
    settings = read_project(str(project / "jobs")).settings
    assert (settings.exclude, settings.root) == (("third_party/", "*_test.py"), str(project))


@pytest.mark.parametrize("value", ["exclude = 3", "exclude = [1]"])
def test_patterns_of_another_form_are_told(project, value):
    (project / "pyproject.toml").write_text(f"[tool.migrate]\n{value}\n")
    assert "pyproject.toml:2" in message(project)
