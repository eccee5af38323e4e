"""What the arguments ask for, and how a mistake in them is told."""

import pytest

from migrate import __version__
from migrate.cli.command_line import parse
from migrate.cli.main import main
from migrate.settings import Settings
from tests.cases import cases, each


def mistake(capsys, *arguments):
    """The one line that tells it; the exit code is 2, stdout is empty, and at most the usage's place is said beside."""
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    told, *rest = printed.err.splitlines()
    assert rest in ([], ["`estimator-migrate --help` shows the usage."])
    return told.partition("estimator-migrate: error: ")[2]


def test_by_default_a_diff_goes_to_stdout_and_nothing_is_written(project):
    (project / "src").mkdir()
    asked = parse(["src"])
    assert (asked.paths, asked.settings, asked.write) == (("src",), Settings(), False)
    assert (asked.format, asked.output) == ("diff", None)
    assert asked.jobs >= 1


def test_options_and_paths_stand_in_any_order(project):
    asked = parse(["a.py", "--target", "keras3", "b.py", "-j", "3", "--", "--check"])
    assert asked.paths == ("a.py", "b.py", "--check")
    assert asked.settings.target == "keras3"
    assert asked.jobs == 3


def test_every_choice_reaches_the_settings(project):
    line = "--recovery backup-and-restore --target keras2 --input continue --select FT1 --ignore FT152,ft138 ."
    assert parse([*line.split(), "--ignore", "FT142"]).settings == Settings(
        recovery="backup-and-restore",
        target="keras2",
        input="continue",
        select=("FT1",),
        ignore=("FT152", "FT138", "FT142"),
    )


def test_the_command_line_wins_over_the_settings_file(project):
    (project / "pyproject.toml").write_text('[tool.migrate]\ntarget = "keras2"\ninput = "continue"\nselect = "FT1"\n')
    settings = parse([".", "--target", "keras3", "--select", "FT15"]).settings
    assert (settings.target, settings.input, settings.select) == ("keras3", "continue", ("FT15",))


test_check_prints_lines_and_write_a_report_only_where_one_is_asked_for = cases(lambda line: parse(line.split()).format)(
    ("--check .", "concise"),
    ("--write .", None),
    ("--write --format text .", "text"),
    ("--write --output changes.diff .", "diff"),
)


def test_no_arguments_print_the_usage(project, capsys):
    assert main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("usage: ")
    assert "error: no PATH given\n" in printed.err
    assert len(printed.err.splitlines()) == 4


@each("word", "meant")(
    ("chek", "; did you mean check?"),
    ("verfy", "; did you mean verify?"),
    ("wirte", "; did you mean write?"),
    ("qqqq", ""),
)
def test_a_first_word_that_is_no_path_stops_the_run_and_is_told_with_what_was_meant(project, capsys, word, meant):
    before = {path: path.read_bytes() for path in project.glob("*.py")}
    for arguments in ([word, "--write", "."], ["--write", word, "."], [word, "."]):
        assert mistake(capsys, *arguments) == f"{word}: no such file or directory, and no command{meant}"
    assert {path: path.read_bytes() for path in project.glob("*.py")} == before


def test_a_command_behind_an_option_is_told_where_it_belongs(project, capsys):
    told = "check is a command only as the first word, before all options"
    assert mistake(capsys, "--format", "json", "check") == told


@pytest.mark.parametrize("name", ["missing.py", "no/such/folder", "link.py"])
def test_a_named_path_that_is_not_there_stops_a_write_and_costs_a_report_no_other_file(project, capsys, name):
    (project / "link.py").symlink_to("nowhere.py")
    before = {path: path.read_bytes() for path in project.glob("[!l]*.py")}
    for arguments in ([".", name], [name, "."], [".", "--", name]):
        assert mistake(capsys, "--write", *arguments) == f"{name}: no such file or directory; nothing was written"
    assert {path: path.read_bytes() for path in project.glob("[!l]*.py")} == before
    assert main(["--check", "train.py", name]) == 2
    assert "train.py:" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["explain"], ["plan"], ["renew"], ["rules", "x"], ["verify"]])
def test_a_mistake_behind_a_command_is_told_in_one_line_too(capsys, command):
    assert main(command) == 2
    told, where = capsys.readouterr().err.splitlines()
    assert told.startswith(f"estimator-migrate {command[0]}: error: ")
    assert where == f"`estimator-migrate {command[0]} --help` shows the usage."


@each("line", "expected")(
    ("--chek .", "unrecognized arguments: --chek; did you mean --check or --help?"),
    (". --qqqqqq", "unrecognized arguments: --qqqqqq"),
    ("--sel=FT1 .", "unrecognized arguments: --sel=FT1; did you mean --select or --help?"),
    ("-j 0 .", "argument -j/--jobs: '0' is not a number from 1"),
    ("--write --check .", "argument --check: not allowed with argument --write"),
    ("--output no/such/folder .", "no/such/folder cannot be written: No such file or directory"),
    ("--output train.py .", "--output train.py: the report would overwrite this source file"),
    ("--output list list", "--output list: the report would overwrite this source file"),
)
def test_a_mistake_is_told_in_one_line(project, capsys, line, expected):
    (project / "list").write_text("x = 1\n")
    before = (project / "train.py").read_bytes()
    assert mistake(capsys, *line.split()) == expected
    assert (project / "train.py").read_bytes() == before


def test_a_wrong_word_is_told_with_the_right_ones(project, capsys):
    told = mistake(capsys, "--target", "keras4", ".")
    assert all(word in told for word in ("--target", "keras4", "portable", "keras2", "keras3"))


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_rule_is_told_with_the_nearest_one(project, capsys, option):
    told = mistake(capsys, option, "FT1,FT1S2", ".")
    assert told.startswith(f"{option}: unknown rule 'FT1S2' (`estimator-migrate rules` lists them all); did you mean ")
    assert "FT152" in told


def test_a_rule_is_chosen_by_its_name_too(project, capsys):
    assert main(["--check", "--select", "ft151,visible_checkpoints", "."]) == 1
    by_code_and_name = capsys.readouterr().out
    (project / "pyproject.toml").write_text('[tool.migrate]\nselect = "object_form, FT152"\n')
    assert main(["--check", "."]) == 1
    assert capsys.readouterr().out == by_code_and_name != ""


def test_an_unknown_rule_in_the_settings_file_is_told_with_its_line(project, capsys):
    (project / "pyproject.toml").write_text('[tool.migrate]\nignore = "FT999"\n')
    assert mistake(capsys, ".").startswith("pyproject.toml:2: ignore: unknown rule 'FT999'")


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(capsys, option):
    assert main([option]) == 0
    assert capsys.readouterr().out == f"estimator-migrate {__version__}\n"


def test_the_help_names_every_option_the_commands_and_the_exit_codes(capsys):
    assert main(["--help"]) == 0
    help = capsys.readouterr().out
    options = "--write --check --format --output --select --ignore -j --diff -q -V --recovery --target --input"
    assert all(option in help for option in options.split())
    assert all(word in help for word in ("explain CODE", "rules", "verify", "./rules", "exit code:"))
