"""What ``plan`` says of each program, and of what is new since an earlier plan."""

import json
import re

import pytest

from migrate.analysis.program.defined_flags import Flag
from migrate.cli.main import main
from migrate.planning.command_flags import directory_flag, flags_of, verify_options
from migrate.planning.rows import owners
from tests.cases import each
from tests.codemod.programs import program
from tests.codemod.trees import put

MODEL_FN = """\
import argparse
import tensorflow as tf


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    step = tf.train.get_global_step()
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.AdamOptimizer(0.1).minimize(loss, step))


def input_fn():
    return tf.data.Dataset.from_tensors([[1.0]]).repeat()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out_dir", default="out")
    parser.add_argument("--data", required=True)
    args = parser.parse_args()
    config = tf.estimator.RunConfig(model_dir=args.out_dir)
    estimator = tf.estimator.Estimator(model_fn, config=config)
    estimator.train(input_fn, max_steps=3)


if __name__ == "__main__":
    main()
"""
BLOCKED = """\
import tensorflow as tf

estimator = tf.estimator.BoostedTreesClassifier([], 1)
estimator.train(lambda: None)
"""


def plan(capsys, *arguments):
    main(["plan", *(arguments or ["."]), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    return document


def test_a_program_has_a_row_with_its_kind_its_form_and_its_lines(project, capsys):
    [row] = plan(capsys)["programs"]
    assert (row["entry_points"], row["kinds"], row["forms"]) == (["train.py"], ["premade"], ["object"])
    assert (row["status"], row["blocked_by"], row["skipped"]) == ("ready", None, 0)
    main(["--format", "diff", "."])
    own = capsys.readouterr().out.partition("+++ b/train.py\n")[2].partition("\n--- ")[0].splitlines()
    assert row["added"] + row["generated"] >= sum(line.startswith("+") for line in own)
    assert row["removed"] == sum(line.startswith("-") for line in own)


def test_its_commands_have_its_own_flags_and_what_it_needs_at_run_time(project, capsys):
    (project / "train.py").write_text(MODEL_FN)
    [row] = plan(capsys)["programs"]
    [command] = row["commands"]
    assert row["needs"] == ["tf_keras and TF_USE_LEGACY_KERAS=1 from TensorFlow 2.16 on: layers.dense (train.py:6)"]
    assert command["verify"].endswith(
        "before/train.py train.py --old-python OLD --new-python NEW --model-dir-flag --out_dir --args '--data DATA'"
        " --new-env TF_USE_LEGACY_KERAS=1"
    )
    assert command["first"] == ""


@each("train", "steps", ids=["max_steps", "specification", "handed on", "a number", "evaluation"])(
    ("estimator.train(input_fn, max_steps=args.steps)", " --steps STEPS"),
    ("spec = tf.estimator.TrainSpec(input_fn, int(args.steps))", " --steps STEPS"),
    ("def run(many):\n        estimator.train(input_fn, steps=many)\n    run(args.steps)", " --steps STEPS"),
    ("estimator.train(input_fn, max_steps=1000)", ""),
    ("estimator.evaluate(input_fn, steps=args.steps)", ""),
)
def test_the_flag_that_ends_the_training_is_among_the_arguments_as_a_short_run_needs_it(train, steps, project, capsys):
    flag = 'parser.add_argument("--steps", type=int, default=10**6)'
    text = MODEL_FN.replace("    args = parser", f"    {flag}\n    args = parser")
    (project / "train.py").write_text(text.replace("estimator.train(input_fn, max_steps=3)", train))
    [row] = plan(capsys)["programs"]
    assert f"--args '--data DATA{steps}'" in row["commands"][0]["verify"]


@pytest.mark.parametrize(("tensorflow", "is_1"), [("tensorflow", True), ("tensorflow.compat.v1", False)])
def test_the_tensorflow_that_old_needs_is_told_with_the_name_that_needs_it(tensorflow, is_1, project, capsys):
    (project / "train.py").write_text(MODEL_FN.replace("import tensorflow", f"import {tensorflow}"))
    [command] = plan(capsys)["programs"][0]["commands"]
    told = "TensorFlow 1.15 on Python 3.7 (tf.layers.dense, train.py:6)"
    assert command["old"] == (told if is_1 else "TensorFlow 2.15 or earlier")
    main(["plan", "."])
    assert (f"OLD has: {told}" in " ".join(capsys.readouterr().out.split())) == is_1


def test_what_the_generated_module_imports_is_needed_by_the_program_that_takes_it_alone(project, capsys):
    plain = MODEL_FN.replace("tf.layers.dense(features, 1)", "features")
    (project / "train.py").write_text(plain)
    slim = plain.replace("tf.reduce_mean(features)", "tf.reduce_mean(tf.contrib.slim.conv2d(features, 1, 1))")
    (project / "slim.py").write_text(slim)
    needs = {row["entry_points"][0]: row["needs"] for row in plan(capsys)["programs"]}
    assert needs["train.py"] == []
    assert [need for need in needs["slim.py"] if need.startswith("tf_slim")]
    assert len(needs["slim.py"]) == 2


@each("made", "told")(
    ("estimator.Estimator(model_fn, '/tmp/m')", "read as they are: start it in the old directory"),
    ("keras.estimator.model_to_estimator(model)", "read by their names; copy the directory if the old program"),
)
def test_where_the_old_checkpoints_are_read_is_told(made, told, project, capsys):
    text = f"{MODEL_FN.partition('def main')[0]}tf.{made}.train(input_fn, max_steps=9)\n"
    (project / "train.py").write_text(text)
    main(["plan", "."])
    assert f"checkpoints: {told}" in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--rate", "--log_dir"])
def test_a_program_without_a_flag_for_its_directory_is_told_to_get_one_first(flag, project, capsys):
    (project / "train.py").write_text(MODEL_FN.replace("args.out_dir", "'/data/model'").replace("--out_dir", flag))
    [row] = plan(capsys)["programs"]
    [command] = row["commands"]
    assert command["first"] == "Give train.py a flag for its model_dir, which is '/data/model'"
    assert command["verify"] == ""
    main(["plan", "."])
    assert " verify: " not in capsys.readouterr().out


def test_a_program_that_takes_its_directory_from_the_environment_is_verified_by_that(project, capsys):
    text = MODEL_FN.replace("args.out_dir", "os.environ['OUT']").replace(
        "import argparse", "import argparse\nimport os"
    )
    (project / "train.py").write_text(text.replace("--out_dir", "--rate"))
    [row] = plan(capsys)["programs"]
    [command] = row["commands"]
    assert command["first"] == ""
    assert "--env OUT={model_dir} --args '--data DATA'" in command["verify"]


def test_a_blocked_program_has_one_reason_and_the_next_step(project, capsys):
    (project / "train.py").write_text(BLOCKED)
    [row] = plan(capsys)["programs"]
    assert (row["status"], row["forms"], row["commands"]) == ("blocked", [], [])
    assert row["blocked_by"]["place"].startswith("train.py:3:")
    assert row["blocked_by"]["next_step"]


def test_files_that_change_together_are_one_row_which_starts_where_the_program_does(project, capsys):
    model, main_function = MODEL_FN.split("def main():")
    (project / "model.py").write_text(model)
    (project / "train.py").write_text(
        "import argparse\nimport tensorflow as tf\nfrom model import input_fn, model_fn\n\n\ndef main():"
        + main_function
    )
    [row] = plan(capsys)["programs"]
    assert row["entry_points"] == ["train.py"]
    assert sorted(row["files"]) == ["model.py", "train.py"]


def test_a_program_starts_in_the_file_that_imports_it(project, capsys):
    (project / "train.py").write_text(MODEL_FN.partition("if __name__")[0])
    (project / "start.py").write_text("import train\n\nif __name__ == '__main__':\n    train.main()\n")
    [row] = plan(capsys)["programs"]
    assert row["entry_points"] == ["start.py"]


def test_each_of_several_repositories_has_its_own_old_tree(here, capsys):
    for name in ("one", "two"):
        put(here, {f"{name}/.git/HEAD": "", f"{name}/train.py": MODEL_FN})
    rows = plan(capsys, "one", "two")["programs"]
    olds = [row["commands"][0]["verify"].partition(" verify ")[2].split()[0] for row in rows]
    assert olds == ["before/one/train.py", "before/two/train.py"]


def test_a_script_that_trains_comes_before_those_that_import_it_and_before_its_tests(project, capsys):
    (project / "train.py").write_text(MODEL_FN)
    (project / "a_test.py").write_text(f"import train\n{MODEL_FN}")
    export = "import tensorflow as tf\nfrom train import model_fn\n\n\ndef main():\n"
    export += "    print(tf.estimator.Estimator(model_fn, 'out').latest_checkpoint())\n\n\n"
    (project / "export.py").write_text(export + "if __name__ == '__main__':\n    main()\n")
    [row] = plan(capsys)["programs"]
    assert row["entry_points"] == ["train.py", "export.py", "a_test.py"]


def test_the_text_rolls_up_by_directory_and_owner(project, capsys):
    put(project, {"ads/train.py": BLOCKED, "search/train.py": program(), "CODEOWNERS": "* @all\n/ads/ @ads # theirs\n"})
    assert main(["plan", "ads", "search"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert next(line for line in lines if line[:1] == ["ads"])[:5] == ["ads", "1", "program", "(1", "blocked),"]
    assert next(line for line in lines if line[:1] == ["@ads"])[:3] == ["@ads", "1", "program"]
    assert next(line for line in lines if line[:1] == ["@all"])[:3] == ["@all", "1", "program"]
    assert lines[-1][:6] == ["2", "programs", "(1", "ready,", "1", "blocked),"]


def test_the_last_line_of_codeowners_that_matches_wins(project):
    lines = "* @all\n*.py @python\n/jobs/**/train.py @jobs a@b.c\n/jobs/old\n"
    put(project, {".github/CODEOWNERS": lines, "jobs/old/train.py": "", "jobs/new/train.py": ""})
    assert owners("train.py") == ("@python",)
    assert owners("jobs/new/train.py") == ("@jobs", "a@b.c")
    assert owners("jobs/old/train.py") == ()


def test_with_a_baseline_only_new_estimator_code_fails(project, capsys):
    assert main(["plan", ".", "--format", "json", "--output", "plan.json"]) == 1
    assert main(["plan", ".", "--baseline", "plan.json"]) == 0
    (project / "train.py").write_text("# moved down by a line\n" + (project / "train.py").read_text())
    assert main(["plan", ".", "--baseline", "plan.json"]) == 0
    (project / "new.py").write_text(BLOCKED)
    capsys.readouterr()
    assert main(["plan", ".", "--baseline", "plan.json"]) == 1
    assert "new: new.py: tensorflow.estimator.BoostedTreesClassifier" in capsys.readouterr().out
    assert main(["plan", ".", "--baseline", "plan.json", "--exit-zero"]) == 0


def test_a_baseline_of_the_whole_tree_serves_a_run_on_a_part_of_it_however_its_path_is_spelled(project, capsys):
    torn = "import tensorflow as tf\nprint tf.estimator.Estimator\n"
    put(project, {"jobs/old.py": (project / "train.py").read_text(), "jobs/torn.py": torn})
    assert main(["plan", ".", "--format", "json", "--output", "plan.json"]) == 2
    for spelled in ("jobs", "./jobs", "jobs/../jobs"):
        capsys.readouterr()
        assert main(["plan", spelled, "--baseline", "plan.json"]) == 0
        assert "  0 new call sites, 0 gone\n" in capsys.readouterr().out
    (project / "jobs" / "old.py").unlink()
    main(["plan", "./jobs", "--baseline", "plan.json"])
    assert re.search(r"  0 new call sites, [1-9]\d* gone\n", capsys.readouterr().out)


def test_a_plan_and_its_programs_spell_a_file_alike(project, capsys):
    session = 'with tf1.train.MonitoredTrainingSession(checkpoint_dir="/d") as session:\n    session.run(train)\n'
    (project / "session.py").write_text(f"import tensorflow.compat.v1 as tf1\n\n{session}")
    row = next(one for one in plan(capsys, ".")["programs"] if one["kinds"] == ["session"])
    assert (row["entry_points"], row["files"], row["target"]) == (["session.py"], ["session.py"], "")


def test_a_program_that_is_blocked_no_longer_has_no_new_sites(project, capsys):
    (project / "train.py").write_text(f"{MODEL_FN}tf.contrib.cloud.BigQueryReader(1)\n")
    main(["plan", ".", "--format", "json", "--output", "plan.json"])
    (project / "train.py").write_text(MODEL_FN)
    capsys.readouterr()
    assert main(["plan", ".", "--baseline", "plan.json"]) == 0
    assert "  ready now: train.py\n  0 new call sites, 1 gone\n" in capsys.readouterr().out


def test_an_error_that_the_baseline_names_fails_no_later_run(project, capsys):
    (project / "old.py").write_text("import tensorflow as tf\nprint tf.estimator.Estimator\n")
    assert main(["plan", ".", "--format", "json", "--output", "plan.json"]) == 2
    assert main(["plan", ".", "--baseline", "plan.json"]) == 0
    (project / "new.py").write_text("import tensorflow as tf\nprint tf.estimator.Estimator\n")
    assert main(["plan", ".", "--baseline", "plan.json"]) == 2


@pytest.mark.parametrize("content", ["", "[]", '{"kind": "other"}'])
def test_a_baseline_that_is_no_plan_is_refused(project, capsys, content):
    (project / "plan.json").write_text(content)
    assert main(["plan", ".", "--baseline", "plan.json"]) == 2
    assert "--baseline plan.json: holds no plan" in capsys.readouterr().err


def test_a_tree_without_programs_has_an_empty_plan(project, capsys):
    assert main(["plan", "other.py"]) == 0
    assert capsys.readouterr().out == "No Estimator or recovery code found.\n"


def test_a_plan_of_chosen_rules_or_of_unreadable_files_says_what_it_looked_for(project, capsys):
    assert main(["plan", "--select", "FT401", "."]) == 0
    assert capsys.readouterr().out == "Nothing found for FT401.\n"
    (project / "broken.py").write_text("import tensorflow as tf\ndef (")
    assert main(["plan", "broken.py"]) == 2
    said = capsys.readouterr().out
    assert "\n        next step: Fix it, exclude the file, or run the tool on a Python newer than" in said
    assert said.endswith("\n\nNo file could be read: 1 error.\n")
    main(["plan", "missing.py"])
    assert capsys.readouterr().out.endswith("\n\nNo file could be read: 1 error.\n")


def test_a_program_that_is_named_by_its_whole_path_has_its_old_one_named_so_too(project, capsys):
    main(["plan", str(project)])
    verify = re.search(r"verify (\S+) (\S+) --old-python", capsys.readouterr().out)
    assert verify is not None
    assert verify.groups() == (str(project.parent / "before" / "train.py"), str(project / "train.py"))


def test_a_quiet_plan_prints_the_programs_alone(project, capsys):
    main(["plan", "-q", "."])
    printed = capsys.readouterr().out
    assert printed.startswith("ready")
    assert "1 program" not in printed


def test_a_line_for_colab_has_a_next_step_of_two_sentences(project, capsys):
    call = "tf.contrib.cloud.configure_gcs(tf.Session(), {})\n"
    (project / "train.py").write_text(MODEL_FN.replace("import tensorflow as tf\n", f"import tensorflow as tf\n{call}"))
    [row] = plan(capsys)["programs"]
    step = "Remove it, or run the line only in TensorFlow 1. Then migrate again."
    assert row["blocked_by"]["next_step"] == step


def test_the_review_page_begins_with_the_programs(project, capsys):
    (project / "blocked.py").write_text(BLOCKED)
    main([".", "--format", "html", "--output", "review.html"])
    page = (project / "review.html").read_text()
    assert page.index("<caption>Programs") < page.index("<caption>By rule")
    assert re.search(r'<th scope=row><a href="#file-\w+">blocked\.py</a></th><td data-label="Kind">premade</td>', page)


FLAGS = {
    "parser.add_argument('--job-dir', '-j', required=True)": Flag("--job-dir", "job_dir", True),
    "parser.add_argument('-o', dest='out')": Flag("-o", "out", False),
    "parser.add_argument('source')": Flag("source", "source", True),
    "parser.add_argument('rest', nargs='*')": Flag("rest", "rest", False),
    "flags.DEFINE_string('model_dir', None, 'where')": Flag("--model_dir", "model_dir", False),
    "flags.DEFINE_string('data', None, '')\nflags.mark_flag_as_required('data')": Flag("--data", "data", True),
    "tf.flags.DEFINE_integer('n', 1, '')\napp.mark_flags_as_required(['n'])": Flag("--n", "n", True),
    "@click.option('--out', required=True)\ndef f(): pass": Flag("--out", "out", True),
}


@pytest.mark.parametrize("code", list(FLAGS))
def test_the_flags_of_every_library_are_read(tmp_path, code):
    (tmp_path / "flags.py").write_text(code + "\n")
    assert flags_of([str(tmp_path / "flags.py")]) == [FLAGS[code]]


def test_the_directory_is_given_by_the_flag_that_the_code_reads_there():
    flags = [Flag("--model_dir", "model_dir", False), Flag("--out", "out", True), Flag("name", "name", True)]
    directory = directory_flag(flags, ["os.path.join(args.out, 'x')"])
    assert directory == flags[1]
    assert verify_options(flags, directory) == "--model-dir-flag --out --args NAME"
    assert verify_options(flags, flags[2]) == "--args '{model_dir} --out OUT'"
    assert verify_options(flags[:1], directory_flag(flags, [])) == ""


def test_a_flag_that_stands_behind_a_prefix_gives_no_directory():
    flags = [Flag("--out", "out", True)]
    assert directory_flag(flags, ["paths['save'] + '/' + args.out"]) is None
    assert directory_flag(flags, ["args.out + '/model'"]) == flags[0]


LYRICS = """\
import os
from keras.callbacks import ModelCheckpoint


class Lyrics:
    def fit(self, args):
        model = build()
        if os.path.exists("w.weights.h5"):
            model.load_weights("w.weights.h5")
        model.fit(args.x, args.y, callbacks=[ModelCheckpoint("w.weights.h5", save_weights_only=True)])
"""


def test_a_keras_program_starts_in_the_script_that_uses_its_class_and_is_verified_alone(project, capsys):
    (project / "model").mkdir()
    put(project / "model", {"__init__.py": "from .lyrics import Lyrics\n", "lyrics.py": LYRICS})
    script = "import argparse\nfrom model import Lyrics\n\nparser = argparse.ArgumentParser()\n"
    script += "parser.add_argument('--text', required=True)\nLyrics().fit(parser.parse_args())\n"
    (project / "start.py").write_text(script)
    (project / "train.py").unlink()
    [row] = plan(capsys)["programs"]
    assert row["entry_points"] == ["start.py"]
    [commands] = row["commands"]
    assert commands["verify"].partition(" verify ")[2] == "start.py --new-python NEW --own-cwd --args '--text TEXT'"


@each("packages", "missing")(
    ("['lib']", "'lib.tf2_recovery', 'lib.tf2_recovery.estimator'"),
    ("['lib', 'lib.tf2_recovery']", "'lib.tf2_recovery.estimator'"),
    ("['lib', 'lib.tf2_recovery', 'lib.tf2_recovery.estimator']", ""),
    ("find_packages()", ""),
)
def test_a_setup_py_that_lists_its_packages_is_told_to_name_the_runtime_files(tmp_path, capsys, packages, missing):
    setup = f"setup(name='lib', packages={packages})\n"
    put(tmp_path, {"lib/__init__.py": "", "lib/train.py": MODEL_FN, "setup.py": setup})
    told = f"Add {missing} to packages in {tmp_path / 'setup.py'}, which lists them: "
    for command in ("plan", "write"):
        main([command, str(tmp_path)])
        printed = capsys.readouterr()
        assert (told in printed.out + printed.err) == (missing != "")
        assert ("to packages in" in printed.out + printed.err) == (missing != "")


@pytest.mark.parametrize(("folders", "is_told"), [(2, False), (3, True)])
def test_three_copies_of_the_runtime_files_are_told_with_the_lines_a_package_saves(tmp_path, capsys, folders, is_told):
    put(tmp_path, {f"{number}/train.py": MODEL_FN for number in range(folders)})
    main(["plan", str(tmp_path)])
    line = r"^3 copies of tf2_recovery would be written, of \d{4} lines; --helpers package writes none"
    assert bool(re.search(line, capsys.readouterr().out, re.MULTILINE)) == is_told
