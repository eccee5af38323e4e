"""``tf2_examples/`` is the codemod's own output for ``legacy_examples/``."""

import os

import black
import pytest

from tests.codemod import forks
from tests.pairs import BY_HAND, LEGACY, ROOT, TF2, VARIANTS, runtime_files, written
from tests.runtime_package import files_beside

FOLDERS = [pytest.param(variant, id=variant.folder.name) for variant in VARIANTS]


def migrate(*arguments, cwd=ROOT):
    return forks.run(arguments, cwd, os.environ)


@pytest.mark.parametrize("variant", FOLDERS)
def test_tf2_examples_equal_what_the_codemod_writes_byte_for_byte(variant):
    stored = {path.name: path.read_bytes().decode() for path in variant.folder.glob("*.py") if path.name not in BY_HAND}
    assert stored == written(variant), "run `python -m tests.pairs`"


def test_the_examples_of_all_folders_have_their_runtime_files_once():
    stored = {f"tf2_recovery/{file}.py": text for file, text in files_beside(TF2).items()}
    assert stored == runtime_files(), "run `python -m tests.pairs`"
    assert list(TF2.rglob("tf2_recovery*")) == [TF2 / "tf2_recovery"]


def test_every_legacy_example_has_its_tf2_partner():
    assert {path.name for path in LEGACY.glob("*.py")} <= {path.name for path in TF2.glob("*.py")}


@pytest.mark.parametrize("variant", FOLDERS)
def test_a_second_run_over_the_output_prints_nothing_and_exits_0(variant):
    files = [str(path.relative_to(ROOT)) for path in variant.folder.glob("*.py")]
    result = migrate("--target", variant.settings.target, *files)
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.parametrize("variant", FOLDERS)
def test_the_output_is_formatted_as_black_does(variant):
    for path in variant.folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert black.format_str(text, mode=black.Mode()) == text, path


def test_write_gives_the_tf2_examples_too(tmp_path):
    for path in LEGACY.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert migrate("--write", ".", cwd=tmp_path).returncode == 1
    for path in (path for path in TF2.glob("*.py") if path.name not in BY_HAND):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    again = migrate("--write", ".", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, "")


def test_the_page_about_model_fit_shows_the_lines_of_its_program():
    program = (TF2 / "fault_tolerance_fit.py").read_text(encoding="utf-8")
    shown = (ROOT / "docs" / "model_fit.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert shown.startswith("def load_estimator_checkpoint(")
    assert f"\n\n\n{shown}\n\n" in program
