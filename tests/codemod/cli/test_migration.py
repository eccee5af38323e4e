"""From a path to a diff, a report, or a changed tree."""

import io
import json
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from migrate.cli.main import main
from tests.codemod.cli.conftest import Command
from tests.codemod.programs import program

BROKEN = "import tensorflow as tf\ntf.estimator.RunConfig(\n"
LEFT = "import tensorflow as tf\n\nestimator = tf.estimator.DNNClassifier(**arguments)\nestimator._train_model(fn)\n"


def tree(project: Path) -> dict[str, str]:
    return {str(path.relative_to(project)): path.read_text() for path in project.rglob("*.py")}


def on_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_tree_without_estimators_is_nothing_found(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").unlink()
    assert main(["."]) == 0
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err == "Read 1 file: no Estimator or recovery code found. --write would change nothing.\n"


def test_the_diff_is_what_write_would_do(project: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = tree(project)
    assert main(["."]) == 1
    printed = capfdbinary.readouterr()
    assert tree(project) == before
    assert b"--write would change 1 file" in printed.err
    assert main([".", "--write"]) == 1
    written = tree(project)
    assert written != before
    for path in project.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in before.items():
        (project / name).write_text(text)
    subprocess.run(["git", "apply"], input=printed.out, check=True)
    assert tree(project) == written


def test_after_a_write_nothing_is_left_to_do(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--write", "."]) == 1
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "0 skipped. Changed 1 file" in printed.err
    assert main(["."]) == 0
    assert capfd.readouterr().out == ""


def test_check_prints_a_line_for_each_site_with_its_place_and_writes_nothing(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = tree(project)
    assert main(["--check", "train.py"]) == 1
    printed = capfd.readouterr()
    lines = printed.out.splitlines()
    assert "train.py:21:14: FT152 " in printed.out
    assert all(re.fullmatch(r"train\.py:\d+:\d+: FT\d{3} .* \[(exact|noted|skipped)\]", line) for line in lines)
    assert printed.err == f"Read 1 file: {len(lines)} call sites found, {len(lines)} to rewrite, 0 skipped.\n"
    assert tree(project) == before


@pytest.mark.parametrize("format", ["diff", "text", "concise", "github", "html"])
def test_check_prints_what_every_format_does_without_it(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], format: str
) -> None:
    before = tree(project)
    (project / "broken.py").write_text(BROKEN)
    assert main(["--format", format, "."]) == 2
    alone = capfdbinary.readouterr().out
    assert main(["--check", "--format", format, "."]) == 2
    assert capfdbinary.readouterr().out == alone
    (project / "broken.py").unlink()
    assert tree(project) == before


def test_check_finds_the_same_in_json_and_makes_no_changes(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--format", "json", "."]) == 1
    alone = json.loads(capfdbinary.readouterr().out)
    monkeypatch.setattr("migrate.pipeline.attempt.apply", None)
    assert main(["--check", "--format", "json", "."]) == 1
    checked = json.loads(capfdbinary.readouterr().out)
    assert checked["findings"] == alone["findings"]
    assert alone["changes"] and not checked["changes"]


@pytest.mark.slow
def test_check_works_out_no_rewrite_that_nothing_shows(command: Command) -> None:
    """LibCST and black do the rewriting."""
    code = (
        "import sys; from migrate.cli.main import main; assert main(['--check', *sys.argv[1:], '.']) == 1\n"
        "print(sorted({'libcst', 'black'} & set(sys.modules)), file=sys.stderr)"
    )
    for format, imported in (("concise", "[]"), ("text", "[]"), ("github", "[]"), ("diff", "['black', 'libcst']")):
        done = command("--format", format, code=code)
        assert done.stderr.splitlines()[-1] == imported


def test_an_error_in_one_file_stops_no_other(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "broken.py").write_text(BROKEN)
    assert main([".", "missing.py"]) == 2
    printed = capfd.readouterr()
    assert "+++ b/train.py\n" in printed.out
    assert "broken.py:2:" in printed.err
    assert "2 | tf.estimator.RunConfig(" in printed.err
    assert "missing.py:1:1: FT001" in printed.err
    assert "2 errors." in printed.err


def test_an_error_in_one_file_stops_no_write(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "broken.py").write_text(BROKEN)
    before = tree(project)
    assert main([".", "--write"]) == 2
    assert tree(project)["broken.py"] == before["broken.py"]
    assert tree(project)["train.py"] != before["train.py"]


def test_text_tells_each_finding_once(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "broken.py").write_text(BROKEN)
    main(["--format", "text", "."])
    printed = capfd.readouterr()
    assert "train.py:" in printed.out
    assert "= rewritten: exact" in printed.out
    assert (printed.out + printed.err).count("this tool's own tests") == 1
    assert printed.out.count("broken.py:2:") == 1
    assert "broken.py" not in printed.err


@pytest.mark.parametrize("options", [[], ["--write", "--output", "report.json"]])
def test_json_fits_its_schema(project: Path, capfd: pytest.CaptureFixture[str], options: list[str]) -> None:
    (project / "left.py").write_text(LEFT)
    (project / "broken.py").write_text(BROKEN)
    main([".", "--format", "json", *options])
    printed = capfd.readouterr().out
    document = json.loads((project / "report.json").read_text() if options else printed)
    jsonschema.validate(document, json.loads(files("migrate.report").joinpath("schema.json").read_text()))
    assert {finding["rewritten"] for finding in document["findings"]} == {True, False}
    assert {change["written"] for change in document["changes"]} == {bool(options)}


def test_output_holds_what_stdout_would(project: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for format in ("diff", "text", "json"):
        main([".", "--format", format])
        printed = capfdbinary.readouterr().out
        main([".", "--format", format, "--output", "report"])
        assert capfdbinary.readouterr().out == b""
        assert (project / "report").read_bytes() == printed


def test_a_file_on_stdin_becomes_a_diff(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_stdin(monkeypatch, program().encode())
    assert main(["-"]) == 1
    printed = capfd.readouterr()
    assert printed.out.startswith("--- a/<stdin>\n+++ b/<stdin>\n@@ ")
    assert printed.err.endswith("--write would print the rewritten source.\n")


def test_a_file_on_stdin_is_printed_rewritten(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(project)
    source = "# -*- coding: latin-1 -*-\r\n# modèle\r\n" + program().replace("\n", "\r\n")
    on_stdin(monkeypatch, source.encode("latin-1"))
    assert main(["-", "--write"]) == 1
    rewritten = capfdbinary.readouterr().out
    assert b"DNNClassifier(" in rewritten
    assert rewritten.startswith(b"# -*- coding: latin-1 -*-\r\n# mod\xe8le\r\n")
    assert tree(project) == before


@pytest.mark.parametrize(
    "source", [b"", b"x = 1\r\n\xff", LEFT.encode(), b"import tensorflow.estimator as e\ne.RunConfig("]
)
def test_a_file_on_stdin_that_is_not_rewritten_is_printed_as_it_is(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, source: bytes
) -> None:
    on_stdin(monkeypatch, source)
    main(["-", "--write"])
    printed = capfdbinary.readouterr()
    assert printed.out == source
    assert printed.err.endswith(b"Printed the source as it is.\n")


def test_a_notebook_on_stdin_is_told_to_be_named(
    project: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (Path(__file__).parents[2] / "notebooks" / "migrating_estimators.ipynb").read_bytes()
    on_stdin(monkeypatch, source)
    assert main(["-", "--write"]) == 2
    printed = capfdbinary.readouterr()
    assert printed.out == source
    assert b"FT007 is a notebook, and standard input takes Python" in printed.err
    assert b"migrate NOTEBOOK.ipynb" in printed.err


def test_a_file_from_standard_input_is_read_under_the_name_that_is_given(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "model.py").write_text(
        "import tensorflow as tf\n\n\ndef model_fn(features, labels, mode):\n"
        '    loss = tf.get_variable("w", [])\n'
        "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.no_op())\n"
    )
    text = (
        "import tensorflow as tf\nfrom model import model_fn\n\n"
        'estimator = tf.estimator.Estimator(model_fn, "d")\nestimator.train(input_fn, max_steps=3)\n'
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["-", "--stdin-filename", "unsaved.py", "--format", "text"]) == 1
    out = capsys.readouterr().out
    assert "unsaved.py:4:13: FT194 its program needs model.py" in out
    assert 'estimator = tf.estimator.Estimator(model_fn, "d")' in out


def test_the_name_of_standard_input_is_for_standard_input(project: Path) -> None:
    assert main(["--stdin-filename", "train.py", "."]) == 2
