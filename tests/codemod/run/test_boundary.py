"""Nothing outside of the given paths is made, replaced or removed, whatever the tree holds; a look changes nothing."""

import ast
import hashlib
import json
import os
from functools import partial
from pathlib import Path

import pytest

import migrate
from migrate.cli.main import main
from migrate.files.journal import JOURNAL
from migrate.pipeline.run import write
from tests.codemod.bodies import body
from tests.codemod.notebooks.conftest import notebook
from tests.codemod.trees import outcome_of, put

JOB = body("est = DNN()\nest.train(data, max_steps=3)\n")
LOOKS = (["check", "."], ["plan", "."], ["diff", "."], ["renew", "."], ["--check", "job.py"])
WRITES = (["write", "."], ["write", "job.py"], ["renew", "--write", "."])


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree with a job and its notebook, beside which something stands that is nobody's business."""
    root = tmp_path / "tree"
    root.mkdir()
    (tmp_path / "outside/empty").mkdir(parents=True)
    (tmp_path / "outside/other.py").write_text(JOB)
    (root / "job.py").write_text(JOB)
    monkeypatch.chdir(root)
    return root


def contents(root):
    """All that stands below a directory: the bytes of files, where links lead, and directories."""
    found = {}
    for path in root.rglob("*"):
        link = os.readlink(path) if path.is_symlink() else None
        found[str(path.relative_to(root))] = link or (path.read_bytes() if path.is_file() else None)
    return found


def commit_journal(root, directory, made):
    """What a clone brings: a journal that names a new text for the job, and a place elsewhere that its write made."""
    new, identity = b"planted\n", "0123456789abcdef"
    (root / f".migrate-{identity}-0-new.tmp").write_bytes(new)
    old, now = (hashlib.sha256(data).hexdigest() for data in (JOB.encode(), new))
    records = [
        {"version": 1, "id": identity},
        {"directory": directory, "made": made},
        {"steps": {"0": [".", "job.py", old, now]}, "programs": [[[0], []]]},
    ]
    (root / JOURNAL).write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.parametrize("arguments", [*LOOKS, *WRITES])
@pytest.mark.parametrize("directory", ["../outside/empty", "/tmp", "."])
def test_a_journal_that_came_with_a_clone_is_named_and_not_obeyed(arguments, directory, tree, capsys):
    commit_journal(tree, directory, made=True)
    before = contents(tree.parent)
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert f"holds a file {JOURNAL} that this release did not write here" in printed.out + printed.err
    assert contents(tree.parent) == before


def to(target):
    return partial(os.symlink, target)


def cell_that_writes(path):
    return json.dumps(notebook(f"%%writefile {path}\n{JOB}"))


WAYS_OUT = {
    "a linked runtime folder": {"tf2_recovery": to("../outside/empty")},
    "a runtime folder behind two links": {"first": to("../outside"), "tf2_recovery": to("first/empty")},
    "a cell that writes a module": {"n.ipynb": cell_that_writes("../outside/job.py")},
    "a cell that writes one at an absolute path": {"n.ipynb": cell_that_writes("OUTSIDE/job.py")},
    "a cell that writes one behind a link": {"to": to("../outside"), "n.ipynb": cell_that_writes("to/job.py")},
    "a linked notebook": {"../outside/n.ipynb": json.dumps(notebook(JOB)), "n.ipynb": to("../outside/n.ipynb")},
    "a linked module": {"other.py": to("../outside/other.py"), "user.py": f"import other\n{JOB}"},
    "a linked folder of sources": {"pkg": to("../outside"), "user.py": f"from pkg import other\n{JOB}"},
    "a job with a second name": {"../outside/job.py": partial(os.link, "job.py")},
    "a linked list of requirements": {"../outside/list.txt": "numpy\n", "requirements.txt": to("../outside/list.txt")},
}
"""What a tree holds that leads out of it: texts of files, and links."""


def lead_out(way):
    for path, made in WAYS_OUT[way].items():
        made(path) if callable(made) else Path(path).write_text(made.replace("OUTSIDE", os.path.abspath("../outside")))


@pytest.mark.parametrize("helpers", ["copy", "package"])
@pytest.mark.parametrize("way", WAYS_OUT)
def test_nothing_is_written_outside(way, helpers, tree):
    lead_out(way)
    before = contents(tree.parent / "outside")
    for arguments in (["check", "."], ["diff", "."], ["plan", "."], ["write", "."], ["write", "."]):
        main([*arguments, "--helpers", helpers])
        assert contents(tree.parent / "outside") == before
        assert {path.name for path in tree.parent.iterdir()} == {"outside", "tree"}
    assert not any(name.startswith(".migrate") for name in contents(tree))


def test_a_notebook_that_writes_a_module_elsewhere_says_why_it_is_skipped(tree):
    lead_out("a cell that writes a module")
    outcome = outcome_of("n.ipynb")
    assert {"outside of its own directory" in one.message for one in outcome.findings} == {True}
    assert outcome.exit_code == 1


def test_a_file_that_a_link_leads_to_elsewhere_says_why_it_is_skipped(tree):
    (tree / "linked.py").symlink_to("../outside/other.py")
    told = {one.message for one in outcome_of(".").findings if one.path == "linked.py"}
    assert told == {"not rewritten: a symbolic link leads to it out of the given paths"}


def test_a_runtime_folder_that_leads_elsewhere_is_named_and_the_program_skipped(tree, capsys):
    lead_out("a linked runtime folder")
    assert main(["check", "."]) == 2
    printed = capsys.readouterr().out
    assert "lies outside of the given paths" in printed
    assert "to rewrite" not in printed


def test_what_has_become_a_link_since_it_was_read_is_not_followed(tree):
    outcome = outcome_of(".")
    lead_out("a linked runtime folder")
    before = contents(tree.parent)
    assert any("outside of the given paths" in one.message for one in write(outcome))
    assert contents(tree.parent) == before


def test_helpers_of_a_given_file_may_stand_at_the_top_of_its_package(tree):
    put(tree, {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/job.py": "from pkg import sub\n" + JOB})
    assert main(["write", "pkg/sub/job.py"]) == 1
    assert "tf.estimator" not in (tree / "pkg/sub/job.py").read_text()


@pytest.mark.parametrize("name", ["os", "tensorflow", "numpy", "keras"])
def test_the_runtime_files_hide_no_module_that_programs_import(name, tree, capsys):
    (tree / "pyproject.toml").write_text(f'[tool.migrate]\nmodule_name = "{name}"\n')
    before = contents(tree.parent)
    assert main(["write", "."]) == 2
    assert "module_name must not be the name of a module that programs import" in capsys.readouterr().err
    assert contents(tree.parent) == before


def test_the_runtime_files_hide_no_module_that_this_program_imports(tree, capsys):
    put(tree, {"pyproject.toml": '[tool.migrate]\nmodule_name = "yaml"\n', "job.py": "import yaml\n" + JOB})
    before = contents(tree.parent)
    assert main(["write", "."]) == 2
    assert "its program imports another module so named" in capsys.readouterr().err
    assert contents(tree.parent) == before


CHANGES = {"chmod", "chown", "link", "makedirs", "mkdir", "remove", "removedirs", "rename", "renames", "replace",
           "rmdir", "rmtree", "setxattr", "symlink", "truncate", "unlink", "write_bytes", "write_text", "copy2",
           "copyfile", "copytree", "move", "touch"}  # fmt: skip
ELSEWHERE = {"explain"}
"""It changes a directory of the tool's own."""


def test_one_module_alone_changes_the_users_tree():
    root = Path(migrate.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] in ("recovery", "verify") or path.stem in ELSEWHERE:
            continue
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if any(f".{name}(" in text for name in CHANGES) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
                owner = ast.unparse(node.func.value)
                if owner in ("os", "shutil") or node.func.attr.startswith("write_"):
                    found.add((path.stem, f"{owner}.{node.func.attr}"))
    attributes = {("write", "os.chown"), ("write", "os.setxattr"), ("write", "os.chmod")}  # of the file that it made
    assert {stem for stem, _ in found - attributes} == {"boundary"}
