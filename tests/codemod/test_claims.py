"""What README and docs say of the tool, sentence by sentence, tried as a reader would."""

import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from migrate import api
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
Check = Callable[[Path], None]
CLAIMS: list[tuple[str, str, Check]] = []


def claim(page: str, sentence: str) -> Callable[[Check], Check]:
    """What follows shows a sentence of a page; it is called in an empty directory with the job ``train.py``."""

    def added(check: Check) -> Check:
        CLAIMS.append((page, sentence, check))
        return check

    return added


def told(*arguments: str) -> tuple[int, str, str]:
    """The exit code of a command line, and what it prints on stdout and stderr."""
    out, errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main([*arguments])
    out.flush()
    return code, out.buffer.getvalue().decode(), errors.getvalue()  # type: ignore[attr-defined]


def digests(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def git(*arguments: str) -> str:
    named = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(["git", *named, *arguments], check=True, capture_output=True, text=True).stdout


def committed() -> None:
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "before")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "train.py").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@claim("README.md", "This prints the diff above, and changes nothing.")
def _(place: Path) -> None:
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
def _(place: Path) -> None:
    code = "import sys, migrate.cli.main; migrate.cli.main.main(['.']); sys.exit('tensorflow' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL).returncode == 0


@claim("README.md", "prints a row for each program")
def _(place: Path) -> None:
    (place / "other").mkdir()
    (place / "other" / "task.py").write_text(JOB)
    rows = [line for line in told("plan", ".")[1].splitlines() if line.startswith("ready")]
    assert [line.split()[1] for line in rows] == ["./other/task.py:", "./train.py:"]


@claim("README.md", "`estimator-migrate check .` prints one line for each call site.")
def _(place: Path) -> None:
    found = json.loads(told("check", "--format", "json", ".")[1])["findings"]
    assert len(told("check", ".")[1].splitlines()) == len(found) == 3


@claim("README.md", "makes a page with each file side by side and the reason for each change")
def _(place: Path) -> None:
    assert told(".", "--format", "html", "--output", "review.html")[0] == 1
    assert "<!DOCTYPE html>" in (place / "review.html").read_text()


@claim("README.md", "Notebooks are files like any other.")
def _(place: Path) -> None:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": JOB}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (place / "job.ipynb").write_text(json.dumps(notebook))
    assert told("write", "job.ipynb")[0] == 1
    assert "tf2_recovery.estimator" in (place / "job.ipynb").read_text()


@claim("README.md", "A program is migrated all or nothing: completely, in all of its files, or not at all.")
def _(place: Path) -> None:
    (place / "model.py").write_text(HEAD + MODEL_FN)
    made = (
        "from model import model_fn\n\ntf.estimator.Estimator(model_fn)\ntf.estimator.BoostedTreesClassifier([], 1)\n"
    )
    (place / "train.py").write_text("import tensorflow as tf\n" + made)
    before = digests(place)
    assert told("write", ".")[0] == 1
    assert digests(place) == before


@claim("README.md", "the same bytes in every tree")
def _(place: Path) -> None:
    for name in ("one", "two"):
        (place / name).mkdir()
        (place / name / f"{name}.py").write_text(JOB.replace("9", "7") if name == "two" else JOB)
        (place / name / ".git").mkdir()  # a repository of its own
        told("write", name)
    assert digests(place / "one" / "tf2_recovery") == digests(place / "two" / "tf2_recovery") != {}


@claim("README.md", "A second program adds only helper files that are not there yet")
def _(place: Path) -> None:
    told("write", "train.py")
    first = digests(place / "tf2_recovery")
    both = "tf.estimator.train_and_evaluate(estimator, tf.estimator.TrainSpec(fn), tf.estimator.EvalSpec(fn))"
    (place / "again.py").write_text(JOB.replace("estimator.train(input_fn, max_steps=90)", both))
    told("write", "again.py")
    assert first.items() < digests(place / "tf2_recovery").items()


@claim("README.md", "`estimator-migrate rules` lists the rules, `estimator-migrate explain FT104` prints one")
def _(place: Path) -> None:
    assert len(told("rules")[1].splitlines()) == len(RULES)
    assert told("explain", "FT104")[1].startswith("FT104 · ")
    page = (ROOT / "docs" / "rules.md").read_text()
    assert [code for code in RULES if f'<a id="{code.lower()}">' not in page] == []


@claim("README.md", "a literal `use_tpu=True` skips the program")
def _(place: Path) -> None:
    (place / "train.py").write_text(
        HEAD + MODEL_FN + "tf.compat.v1.estimator.tpu.TPUEstimator(model_fn, use_tpu=True, train_batch_size=8)\n"
    )
    before = digests(place)
    assert told("write", ".")[0] == 1
    assert digests(place) == before


@claim("README.md", "| boosted trees, `TPUStrategy`, `ParameterServerStrategy` | – | – | skipped with the reason |")
def _(place: Path) -> None:
    (place / "boosted.py").write_text(BOOSTED)
    for name in ("TPUStrategy(resolver)", "experimental.ParameterServerStrategy(resolver)"):
        config = f"RunConfig(train_distribute=tf.distribute.{name}, "
        (place / f"{name[:8]}.py").write_text(JOB.replace("RunConfig(", config))
    assert told("write", *(path.name for path in place.glob("*.py") if path.name != "train.py"))[0] == 1
    assert not (place / "tf2_recovery").exists()


@claim("README.md", "found and skipped; TensorFlow 2 still runs them under `tensorflow.compat.v1` (FT301)")
def _(place: Path) -> None:
    session = "with tf.train.MonitoredTrainingSession(checkpoint_dir='d') as session:\n    session.run(train_op)\n"
    (place / "train.py").write_text("import tensorflow as tf\n\n" + session)
    assert " FT301 " in told("check", ".")[1]


@claim("README.md", "`tf2_examples/` holds all examples as they are after the migration.")
def _(place: Path) -> None:
    old = {path.name for path in (ROOT / "legacy_examples").glob("*.py")}
    assert old <= {path.name for path in (ROOT / "tf2_examples").glob("*.py")}


@claim("README.md", "Python 3.10 to 3.13")
def _(place: Path) -> None:
    project = (ROOT / "pyproject.toml").read_text()
    assert 'requires-python = ">=3.10"' in project
    assert re.findall(r"Python :: (3\.\d+)", project) == ["3.10", "3.11", "3.12", "3.13"]


@claim("docs/reference.md", "The diff is ready for `git apply` in the directory where it was made")
def _(place: Path) -> None:
    committed()
    diff = told(".")[1]
    subprocess.run(["git", "apply", "-"], input=diff.encode(), check=True)
    applied = digests(place)
    git("checkout", "--quiet", ".")
    git("clean", "--quiet", "-fd")
    told("write", ".")
    assert {name: digest for name, digest in digests(place).items() if ".git/" not in name} == {
        name: digest for name, digest in applied.items() if ".git/" not in name
    }


@claim("docs/reference.md", "A directory is walked as git sees it: ignored files")
def _(place: Path) -> None:
    (place / ".gitignore").write_text("train.py\n")
    assert told("check", ".")[0] == 0


@claim("docs/reference.md", "A file that is named outright is always read.")
def _(place: Path) -> None:
    (place / ".gitignore").write_text("train.py\n")
    assert told("check", "train.py")[0] == 1


@claim(
    "docs/reference.md",
    "| 2 | an error in a file, in the settings or in the arguments; the other files are still done |",
)
def _(place: Path) -> None:
    (place / "torn.py").write_text("import tensorflow as tf\ntf.estimator.Estimator(\n")
    assert told("write", ".")[0] == 2
    assert (place / "tf2_recovery").is_dir()
    assert told("write", "train.py")[0] == 0


@claim("docs/reference.md", "| `--exit-zero` | exit with 0 where something is found; an error is still 2 |")
def _(place: Path) -> None:
    assert told("check", "--exit-zero", ".")[0] == 0
    (place / "torn.py").write_text("import tensorflow as tf\ntf.estimator.Estimator(\n")
    assert told("check", "--exit-zero", ".")[0] == 2


@claim("docs/reference.md", "| `--todo` | put `# TODO(migrate): FTnnn reason` above each call site that is skipped |")
def _(place: Path) -> None:
    (place / "train.py").write_text(BOOSTED)
    told("write", "--todo", ".")
    assert "# TODO(migrate): FT" in (place / "train.py").read_text()


@claim("docs/reference.md", "read no file that matches, as a line of `.gitignore` would")
def _(place: Path) -> None:
    assert told("check", "--exclude", "tr*.py", ".")[0] == 0


@claim("docs/reference.md", "print a line for each rule, with how many sites it found and what becomes of them")
def _(place: Path) -> None:
    codes = {finding["code"] for finding in json.loads(told(".", "--format", "json")[1])["findings"]}
    lines = told("check", "--statistics", ".")[1].splitlines()
    assert codes == {word for line in lines for word in line.split() if re.fullmatch(r"FT\d+", word)}


@claim("docs/reference.md", "`--quiet` | print the report and errors, and no summary |")
def _(place: Path) -> None:
    assert told("check", "--quiet", ".")[2] == ""


@claim("docs/reference.md", "one per line, or separated by NUL")
def _(place: Path) -> None:
    for content in ("train.py\n", "train.py\0"):
        (place / "list").write_text(content)
        assert told("check", "--files-from", "list")[0] == 1


@claim("docs/reference.md", "read one file from stdin; with `--write` the rewritten source goes to stdout")
def _(place: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "--write", "-"], input=JOB, env=environment, capture_output=True, text=True
    )
    told("write", "train.py")
    assert done.stdout == (place / "train.py").read_text()


@claim("docs/reference.md", "A first word that is neither a path nor a command ends the run")
def _(place: Path) -> None:
    before = digests(place)
    code, _, errors = told("chek", "--write", ".")
    assert (code, digests(place)) == (2, before)
    assert "did you mean check?" in errors


@claim("docs/reference.md", "In a diff the files of helpers stand behind your own.")
def _(place: Path) -> None:
    names = [line for line in told(".")[1].splitlines() if line.startswith("+++ ")]
    assert names[0] == "+++ b/train.py"
    assert all("tf2_recovery/" in name for name in names[1:])


@claim("docs/reference.md", "are shown escaped (`\\u202e`)")
def _(place: Path) -> None:
    (place / "a\u202eb.py").write_text(JOB)
    printed = told("check", ".")[1]
    assert "\\u202e" in printed
    assert "\u202e" not in printed


@claim("docs/reference.md", "With `--helpers package` nothing is copied, and the import lines are the same")
def _(place: Path) -> None:
    (place / "requirements.txt").write_text("tensorflow\n")
    told("write", "--helpers", "package", ".")
    packaged = (place / "train.py").read_text()
    assert not (place / "tf2_recovery").exists()
    (place / "train.py").write_text(JOB)
    told("write", "train.py")
    assert (place / "train.py").read_text() == packaged


@claim("docs/reference.md", "Its requirement is written into the `requirements.txt`")
def _(place: Path) -> None:
    (place / "requirements.txt").write_text("tensorflow\n")
    told("write", "--helpers", "package", ".")
    assert "tf2-recovery" in (place / "requirements.txt").read_text()


@claim("docs/reference.md", "`# migrate: ignore` at the end of a line leaves the site there alone")
def _(place: Path) -> None:
    (place / "train.py").write_text(JOB.replace("keep_checkpoint_max=3)", "keep_checkpoint_max=3)  # migrate: ignore"))
    before = digests(place)
    told("write", ".")
    assert digests(place) == before


@claim("docs/reference.md", "as in `# migrate: ignore[FT999]`, is an error (FT008)")
def _(place: Path) -> None:
    (place / "train.py").write_text(JOB.replace("max_steps=90)", "max_steps=90)  # migrate: ignore[FT999]"))
    code, printed, errors = told("check", ".")
    assert code == 2
    assert "FT008" in printed + errors


@claim("docs/reference.md", "`[migrate]` in `setup.cfg` or `[tool.migrate]` in `pyproject.toml`")
def _(place: Path) -> None:
    for name, text in (
        ("setup.cfg", "[migrate]\nignore = FT\n"),
        ("pyproject.toml", '[tool.migrate]\nignore = ["FT"]\n'),
    ):
        (place / name).write_text(text)
        assert told("check", ".")[0] == 0
        (place / name).unlink()
    assert told("check", ".")[0] == 1


@claim("docs/reference.md", "The schema is `migrate/report/schema.json`.")
def _(place: Path) -> None:
    schema = json.loads((ROOT / "migrate" / "report" / "schema.json").read_text())
    jsonschema.validate(json.loads(told(".", "--format", "json")[1]), schema)


@claim("docs/reference.md", "`--format sarif` prints a SARIF 2.1.0 log")
def _(place: Path) -> None:
    assert json.loads(told(".", "--format", "sarif")[1])["version"] == "2.1.0"


@claim("docs/reference.md", "prints the same findings as workflow commands")
def _(place: Path) -> None:
    lines = told("check", ".", "--format", "github")[1].splitlines()
    assert lines
    assert all(line.startswith(("::notice ", "::warning ", "::error ")) for line in lines)


@claim("docs/plan.md", "Sites are compared by file and name, so moving lines changes nothing.")
def _(place: Path) -> None:
    told("plan", ".", "--format", "json", "--output", "plan.json")
    (place / "train.py").write_text("# moved\n\n" + JOB)
    assert told("plan", ".", "--baseline", "plan.json")[0] == 0


@claim("docs/plan.md", "| 1 | programs found | new Estimator code |")
def _(place: Path) -> None:
    assert told("plan", ".", "--format", "json", "--output", "plan.json")[0] == 1
    (place / "new.py").write_text(JOB)
    assert told("plan", ".", "--baseline", "plan.json")[0] == 1


@claim("docs/migration.md", "writes each program that is ready on a branch of its own, with one commit")
def _(place: Path) -> None:
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
def _(place: Path) -> None:
    told("plan", ".", "--format", "json", "--output", "plan.json")
    environment = {**_with_the_command(place), "BASELINE": "plan.json"}
    check = ["bash", str(ROOT / "ci" / "check.sh")]
    assert subprocess.run(check, env=environment, capture_output=True).returncode == 0
    (place / "new.py").write_text(JOB)
    done = subprocess.run(check, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "file=new.py" in done.stdout


@claim("docs/api.md", 'outcome = check(["training/"])')
def _(place: Path) -> None:
    assert api.check("train.py").findings == api.check(["train.py"]).findings != []


@claim("docs/compatibility.md", "a code keeps its meaning, and is not used again when a rule goes")
def _(place: Path) -> None:
    gone = {"FT126", "FT137", "FT139", "FT140", "FT143", "FT145", "FT146", "FT149", "FT150"}
    assert gone.isdisjoint(RULES)


def _with_the_command(place: Path) -> dict[str, str]:
    """An environment in which ``estimator-migrate`` is this tool."""
    folder = place.parent / f"{place.name}-bin"
    folder.mkdir()
    command = folder / "estimator-migrate"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m migrate "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def test_at_least_forty_claims_are_tried() -> None:
    assert len(CLAIMS) >= 40


@pytest.mark.parametrize(("page", "sentence", "check"), CLAIMS, ids=[sentence for _, sentence, _ in CLAIMS])
def test_what_a_page_says_is_so(page: str, sentence: str, check: Check, place: Path) -> None:
    assert sentence in (ROOT / page).read_text(encoding="utf-8")
    check(place)
