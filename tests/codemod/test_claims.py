"""What README and docs say of the tool, sentence by sentence, tried as a reader would."""

import contextlib
import hashlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.cli.main import main
from migrate.rules import RULES

ROOT = Path(__file__).parents[2]
HEAD = "import tensorflow as tf\n\n\n"
MODEL_FN = """def model_fn(features, labels, mode):
    loss = tf.compat.v1.losses.mean_squared_error(labels, features["x"])
    train_op = tf.compat.v1.train.AdamOptimizer().minimize(loss, tf.compat.v1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


"""
TRAIN = """def train(input_fn, model_dir):
    config = tf.estimator.RunConfig(save_checkpoints_steps=9, keep_checkpoint_max=3)
    estimator = tf.estimator.Estimator(model_fn, model_dir, config)
    estimator.train(input_fn, max_steps=90)
"""
JOB = HEAD + MODEL_FN + TRAIN
BOOSTED = HEAD + "estimator = tf.estimator.BoostedTreesClassifier([], 1)\nestimator.train(fn)\n"
CLAIMS = []
SHOWN = r"""
README.md
  prints a row for each program
    planning/test_plan.py::test_a_program_has_a_row_with_its_kind_its_form_and_its_lines
  `estimator-migrate check .` prints one line for each call site.
    cli/test_migration.py::test_check_prints_a_line_for_each_site_with_its_place_and_writes_nothing
  makes a page with each file side by side and the reason for each change
    report/test_html.py::test_old_and_new_stand_side_by_side_in_colour
  Notebooks are files like any other.
    notebooks/test_migration.py::test_a_program_that_spans_cells_is_rewritten_in_them
  A program is migrated all or nothing: completely, in all of its files, or not at all.
    run/test_several_files.py::test_what_cannot_be_rewritten_in_one_file_leaves_the_program_in_all
  the same bytes in every tree
    run/test_placement.py::test_scripts_of_a_directory_share_one_folder_that_holds_what_all_need
  A second program adds only runtime files that are not there yet
    run/test_placement.py::test_a_second_program_adds_only_the_files_that_are_not_there
  `estimator-migrate rules` lists the rules, `estimator-migrate explain FT152` prints one
    cli/test_commands.py::test_rules_lists_every_rule_with_its_fidelity_and_title
  a literal `use_tpu=True` skips the program
    run/test_object_form.py::test_a_tpu_estimator_that_always_runs_on_tpus_is_left_however_it_flows
  found and skipped; TensorFlow 2 still runs them under `tensorflow.compat.v1` (FT301)
    rules/test_saving_session.py::test_a_session_that_trains_in_the_file_that_saves_is_told_of
  `tf2_examples/` holds all examples as they are after the migration.
    test_pairs.py::test_every_legacy_example_has_its_tf2_partner
docs/reference.md
  Scripts in several directories have a folder each
    run/test_placement.py::test_a_folder_without_an_init_below_a_package_that_nothing_imports_has_its_own_copy
  Outside of a repository an import is looked for up to the directory that is given, or the current one.
    run/test_several_files.py::test_without_git_a_module_above_the_given_and_the_current_directory_is_no_part
  The diff is ready for `git apply` in the directory where it was made
    cli/test_migration.py::test_the_diff_is_what_write_would_do
  A file that a program imports is part of it, also where git ignores it
    run/test_several_files.py::test_an_imported_file_that_git_ignores_is_part_of_the_program
  A directory is walked as git sees it: in a git work tree the files that git ignores
    files/test_walk.py::test_git_is_asked_what_it_ignores
  A file that is named outright is always read.
    files/test_walk.py::test_git_is_asked_what_it_ignores
  | 2 | an error in a file, in the settings or in the arguments; the other files are still done |
    cli/test_migration.py::test_an_error_in_one_file_stops_no_other
  | `--exit-zero` | exit with 0 where something is found; an error is still 2 |
    cli/test_commands.py::test_findings_may_leave_the_exit_code_at_zero_and_errors_not
  skip matching files below the given directories
    cli/test_patterns.py::test_the_command_line_excludes_below_the_current_directory
  `--quiet` | print the report and errors, and no summary |
    cli/test_commands.py::test_a_quiet_run_prints_the_report_and_errors_alone
  A first word that is neither a path nor a command ends the run
    cli/test_arguments.py::test_a_first_word_that_is_no_path_stops_the_run_and_is_told_with_what_was_meant
  In a diff the runtime files stand behind your own.
    cli/test_commands.py::test_a_diff_in_a_pipe_shows_the_users_own_files_before_the_runtime_files
  are shown escaped (`\u202e`)
    report/test_steering_text.py::test_no_report_holds_a_character_that_steers
  With `--helpers package` nothing is copied, and the import lines are the same
    run/test_runtime_files.py::test_with_the_package_nothing_is_copied_and_the_imports_are_the_same
  Its requirement is written into the `requirements.txt`
    run/test_runtime_files.py::test_with_the_package_the_requirement_is_written_where_the_repository_lists_what_it_needs
  `# migrate: ignore` at the end of a line leaves the site there alone
    run/test_selection.py::test_a_comment_on_any_line_of_a_site_leaves_its_program
  as in `# migrate: ignore[FT999]`, is an error (FT008)
    run/test_selection.py::test_an_ignored_code_that_no_rule_has_is_told_with_the_nearest_one
  `[tool.migrate]` in `pyproject.toml`; the nearest file that has it counts
    settings/test_project_settings.py::test_pyproject_toml_sets_every_setting
  The schema is `migrate/report/schema.json`.
    cli/test_migration.py::test_json_fits_its_schema
  `--format sarif` prints a SARIF 2.1.0 log
    report/test_sarif.py::test_a_result_names_its_rule_and_stands_where_its_finding_does
  prints the same findings as workflow commands
    report/test_github.py::test_the_command_line_prints_commands_alone
docs/plan.md
  Sites are compared by file and name, so moving lines changes nothing.
    planning/test_plan.py::test_with_a_baseline_only_new_estimator_code_fails
  | 1 | programs found | new Estimator code |
    planning/test_plan.py::test_with_a_baseline_only_new_estimator_code_fails
docs/api.md
  outcome = check(["training/"])
    test_api.py::test_check_finds_the_sites_and_makes_no_text
"""
"""Pages, their sentences that another test shows, and that test."""


def claim(page, sentence):
    """What follows shows a sentence of a page; it is called in an empty directory with the job ``train.py``."""

    def added(check):
        CLAIMS.append((page, sentence, check))
        return check

    return added


def told(*arguments):
    """The exit code of a command line, and what it prints on stdout and stderr."""
    out, errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main([*arguments])
    out.flush()
    return code, out.buffer.getvalue().decode(), errors.getvalue()


def digests(folder):
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def git(*arguments):
    named = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(["git", *named, *arguments], check=True, capture_output=True, text=True).stdout


def committed():
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "before")


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@claim("README.md", "This prints the diff above, and changes nothing.")
def _(place):
    example = ROOT / "legacy_examples" / "custom_model_fn.py"
    before = digests(example.parent)
    (shown,) = re.findall(r"```diff\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    printed = told(str(example))[1].splitlines()
    wanted = [line for line in shown.splitlines() if line != "…"]
    imports = [line for line in wanted if line.startswith("+from ")]
    assert all(any(line.startswith(each.partition(" import ")[0]) for line in printed) for each in imports)
    assert [line for line in wanted if line not in imports and line not in printed] == []
    assert digests(example.parent) == before


@claim("README.md", "TensorFlow is not needed to run the tool.")
def _(place):
    code = "import sys, migrate.cli.main; migrate.cli.main.main(['.']); sys.exit('tensorflow' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL).returncode == 0


@claim("README.md", "| boosted trees, `TPUStrategy`, `ParameterServerStrategy` | – | – | skipped with the reason |")
def _(place):
    (place / "boosted.py").write_text(BOOSTED)
    for name in ("TPUStrategy(resolver)", "experimental.ParameterServerStrategy(resolver)"):
        config = f"RunConfig(train_distribute=tf.distribute.{name}, "
        (place / f"{name[:8]}.py").write_text(JOB.replace("RunConfig(", config))
    assert told("write", *(path.name for path in place.glob("*.py") if path.name != "train.py"))[0] == 1
    assert not (place / "tf2_recovery").exists()


@claim("README.md", "Python 3.10 to 3.13")
def _(place):
    project = (ROOT / "pyproject.toml").read_text()
    assert 'requires-python = ">=3.10"' in project
    assert re.findall(r"Python :: (3\.\d+)", project) == ["3.10", "3.11", "3.12", "3.13"]


@claim("docs/migration.md", "writes each program that is ready on a branch of its own, with one commit")
def _(place):
    (place / "other").mkdir()
    (place / "other" / "task.py").write_text(JOB)
    committed()
    git("config", "user.name", "a")
    git("config", "user.email", "a@b")
    subprocess.run(
        [sys.executable, str(ROOT / "ci" / "branch_per_program.py")], env=_with_the_command(place), check=True
    )
    branches = git("branch", "--format", "%(refname:short)", "--list", "migrate/*").split()
    assert branches == ["migrate/other-task", "migrate/train"]
    assert [git("rev-list", "--count", f"HEAD..{branch}").strip() for branch in branches] == ["1", "1"]


@claim("docs/migration.md", "a job fails for what that plan does not name")
def _(place):
    told("plan", ".", "--format", "json", "--output", "plan.json")
    environment = {**_with_the_command(place), "BASELINE": "plan.json"}
    check = ["bash", str(ROOT / "ci" / "check.sh")]
    assert subprocess.run(check, env=environment, capture_output=True).returncode == 0
    (place / "new.py").write_text(JOB)
    done = subprocess.run(check, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert set(re.findall(r"file=([^,]*)", done.stdout)) == {"new.py"}


@claim("docs/compatibility.md", "a code keeps its meaning, and is not used again when a rule goes")
def _(place):
    gone = {f"FT{number}" for number in (*range(101, 112), *range(119, 126), 128, 130, 131, 132, 190, 191, 193)}
    gone |= {"FT126", "FT137", "FT139", "FT140", "FT143", "FT145", "FT146", "FT149", "FT150", "FT506"}
    assert gone.isdisjoint(RULES)


def _with_the_command(place):
    """An environment in which ``estimator-migrate`` is this tool."""
    folder = place.parent / f"{place.name}-bin"
    folder.mkdir()
    command = folder / "estimator-migrate"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m migrate "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def test_what_a_page_says_has_a_test_that_shows_it():
    page = ""
    for line in SHOWN.splitlines():
        if line.startswith("    "):
            path, _, name = line.strip().partition("::")
            text = (ROOT / "tests" / "codemod" / path).read_text(encoding="utf-8")
            assert f"\ndef {name}(" in text or f"\n{name} = " in text
        elif line.startswith("  "):
            assert line.strip() in page
        elif line:
            page = (ROOT / line).read_text(encoding="utf-8")


@pytest.mark.parametrize(("page", "sentence", "check"), CLAIMS, ids=[sentence for _, sentence, _ in CLAIMS])
def test_what_a_page_says_is_so(page, sentence, check, place):
    assert sentence in (ROOT / page).read_text(encoding="utf-8")
    check(place)
