import inspect
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.files.walk import walk
from migrate.findings.finding import Finding

from .conftest import AsUser, Tree


def files(*paths: str) -> list[str]:
    """The paths that a walk yields, where no path is in trouble."""
    found = list(walk(paths))
    assert [one for one in found if isinstance(one, Finding)] == []
    return [one for one in found if isinstance(one, str)]


def errors(*paths: str) -> list[tuple[str, str]]:
    """Path and message of each error in a walk, every one with something to do."""
    found = [one for one in walk(paths) if isinstance(one, Finding)]
    assert all(one.code == "FT001" and one.error and one.help.endswith(".") for one in found)
    return [(one.path, one.message) for one in found]


def repository(root: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)


# Which files, and how they are spelled


@pytest.mark.parametrize(
    ("argument", "spelled"),
    [
        ("pkg", "pkg/a.py"),
        ("pkg/", "pkg/a.py"),
        ("./pkg", "./pkg/a.py"),
        (".", "./pkg/a.py"),
        ("pkg/../pkg", "pkg/../pkg/a.py"),
    ],
)
def test_a_path_is_spelled_from_its_argument(tree: Tree, argument: str, spelled: str) -> None:
    tree({"pkg/a.py": ""})
    assert files(argument) == [spelled]


def test_an_absolute_argument_gives_absolute_paths(tree: Tree) -> None:
    root = tree({"pkg/a.py": ""})
    assert files(str(root)) == [str(root / "pkg/a.py")]


def test_only_python_files_and_notebooks_are_read(tree: Tree) -> None:
    tree({"a.py": "", "a.pyc": "", "a.txt": "", "py": "", "b.ipynb": "", "c.PY": ""})
    assert files(".") == ["./a.py", "./b.ipynb"]


def test_files_come_sorted_by_path_whatever_the_file_system_says(tree: Tree) -> None:
    paths = ["a/b.py", "a.py", "a-b.py", "a/a/z.py", "a0.py", "b/.py", "B.py", "_.py", "a.py.d/x.py", "é.py"]
    tree(dict.fromkeys(paths, ""))
    assert files(".") == sorted(f"./{path}" for path in paths)


def test_arguments_are_read_in_their_own_order(tree: Tree) -> None:
    tree({"b/x.py": "", "a/x.py": "", "c.py": ""})
    assert files("c.py", "b", "a") == ["c.py", "b/x.py", "a/x.py"]


def test_a_file_named_outright_is_read_whatever_its_name_is(tree: Tree) -> None:
    tree({"script": "", ".hidden": ""})
    assert files("script", ".hidden") == ["script", ".hidden"]


def test_an_empty_directory_holds_nothing(tmp_path: Path) -> None:
    assert files(str(tmp_path)) == []


def test_no_argument_is_no_file() -> None:
    assert files() == []


def test_hidden_files_and_directories_are_read(tree: Tree) -> None:
    tree({".a.py": "", ".d/b.py": ""})
    assert files(".") == ["./.a.py", "./.d/b.py"]


def test_odd_names_come_through_as_the_file_system_spells_them(tree: Tree) -> None:
    tree({"a b.py": "", "new\nline.py": "", "-x.py": ""})
    Path(os.fsdecode(b"latin-\xe9.py")).touch()
    assert files(".") == sorted(["./a b.py", "./new\nline.py", "./-x.py", os.fsdecode(b"./latin-\xe9.py")])


def test_a_tree_deeper_than_the_recursion_limit_is_walked(tree: Tree) -> None:
    deep = "/".join(["d"] * 200)
    tree({f"{deep}/a.py": ""})
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        assert list(walk(["."])) == [f"./{deep}/a.py"]
    finally:
        sys.setrecursionlimit(limit)


# Each file once


def test_a_file_named_twice_is_read_once(tree: Tree) -> None:
    tree({"a.py": ""})
    assert files("a.py", "./a.py", "a.py") == ["a.py"]


def test_a_file_named_beside_its_directory_is_read_in_its_own_turn(tree: Tree) -> None:
    tree({"pkg/a.py": "", "pkg/b.py": ""})
    assert files("pkg", "pkg/a.py") == ["pkg/b.py", "pkg/a.py"]
    assert files("pkg/a.py", "pkg") == ["pkg/a.py", "pkg/b.py"]


def test_a_directory_named_beside_the_one_above_is_read_in_its_own_turn(tree: Tree) -> None:
    tree({"a.py": "", "pkg/a.py": ""})
    assert files(".", "pkg", "./pkg/") == ["./a.py", "pkg/a.py"]


# What git ignores, which git is asked for


def test_what_gitignore_names_is_not_read(tree: Tree) -> None:
    repository(tree({".gitignore": "build/\n*_pb2.py\n", "a.py": "", "a_pb2.py": "", "build/b.py": ""}))
    tree({"sub/c_pb2.py": "", "new\nline_pb2.py": ""})
    assert files(".") == ["./a.py"]


def test_a_gitignore_further_down_has_more_weight(tree: Tree) -> None:
    repository(tree({".gitignore": "gen_*.py\n", "sub/.gitignore": "!gen_a.py\nb.py\n"}))
    tree({"gen_a.py": "", "b.py": "", "sub/gen_a.py": "", "sub/gen_b.py": "", "sub/b.py": ""})
    assert files(".") == ["./b.py", "./sub/gen_a.py"]


def test_ignore_files_above_the_argument_hold_up_to_the_repository(tree: Tree) -> None:
    root = tree({".gitignore": "*.py\n", "repo/.gitignore": "a.py\n", "repo/sub/.gitignore": "/pkg/b.py\n"})
    tree({"repo/sub/pkg/a.py": "", "repo/sub/pkg/b.py": "", "repo/sub/pkg/c.py": ""})
    repository(root / "repo")
    assert files("repo/sub/pkg") == ["repo/sub/pkg/c.py"]


def test_outside_a_repository_ignore_files_mean_nothing(tree: Tree) -> None:
    tree({".gitignore": "a.py\n", "pkg/.gitignore": "a.py\n", "pkg/a.py": ""})
    assert files(".") == ["./pkg/a.py"]


def test_where_git_does_not_answer_every_file_is_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tree({".gitignore": "a.py\n", "a.py": ""}))
    monkeypatch.setenv("PATH", os.devnull)
    assert files(".") == ["./a.py"]


def test_the_exclude_file_of_the_repository_holds(tree: Tree) -> None:
    root = tree({"a.py": "", "pkg/a.py": "", "pkg/b.py": ""})
    repository(root)
    (root / ".git/info/exclude").write_text("/pkg/a.py\n")
    assert files(".") == ["./a.py", "./pkg/b.py"]
    assert files("pkg") == ["pkg/b.py"]


def test_the_exclude_file_holds_in_a_worktree_too(tree: Tree) -> None:
    root = tree({"main/a.py": ""})
    as_author = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", "main"]
    subprocess.run(["git", "init", "-q", "main"], check=True)
    subprocess.run([*as_author, "commit", "-q", "--allow-empty", "-m", "Start"], check=True)
    subprocess.run([*as_author, "worktree", "add", "-q", "../side"], check=True)
    (root / "main/.git/info/exclude").write_text("local.py\n")
    tree({"side/a.py": "", "side/local.py": ""})
    assert files("side") == ["side/a.py"]


def test_what_git_keeps_is_read_though_a_rule_ignores_it(tree: Tree) -> None:
    tree({".gitignore": "build/\nkept*.py\n", "kept.py": "", "kept_not.py": "", "a.py": ""})
    tree({"build/deep/b.py": "", "build/deep/made.py": "", "build/c.py": "", "build/other/d.py": ""})
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "add", "-f", "kept.py", "build/deep/b.py"], check=True)
    assert files(".") == ["./a.py", "./build/deep/b.py", "./kept.py"]


def test_a_rule_of_a_repository_runs_no_program_that_its_settings_name(tree: Tree) -> None:
    root = tree({".gitignore": "kept.py\n", "kept.py": ""})
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "add", "-f", "kept.py"], check=True)
    subprocess.run(["git", "config", "core.fsmonitor", f"touch {root}/ran; false"], check=True)
    assert files(".") == ["./kept.py"]
    assert not (root / "ran").exists()


def test_a_repository_inside_another_has_rules_of_its_own(tree: Tree) -> None:
    root = tree({".gitignore": "a.py\n", "inner/.gitignore": "b.py\n", "inner/a.py": "", "inner/b.py": ""})
    repository(root)
    repository(root / "inner")
    assert files(".") == ["./inner/a.py"]


def test_a_file_named_outright_is_read_even_if_ignored(tree: Tree) -> None:
    repository(tree({".gitignore": "*\n", "a.py": "", "b.py": ""}))
    assert files(".", "a.py") == ["a.py"]


def test_a_directory_named_outright_is_read_even_if_ignored(tree: Tree) -> None:
    root = tree({".gitignore": "build/\nb.py\n", "build/lib/a.py": "", "build/lib/b.py": "", "b.py": ""})
    repository(root)
    assert files("build") == ["build/lib/a.py", "build/lib/b.py"]
    assert files("build/lib") == ["build/lib/a.py", "build/lib/b.py"]


# What is never entered


@pytest.mark.parametrize("directory", [".git", ".tox", ".venv", "node_modules", "pkg/node_modules"])
def test_other_peoples_code_is_skipped(tree: Tree, directory: str) -> None:
    tree({"a.py": "", f"{directory}/sub/b.py": ""})
    assert files(".") == ["./a.py"]


def test_virtual_environments_are_skipped_under_any_name(tree: Tree) -> None:
    tree({"a.py": "", "tools/py/pyvenv.cfg": "", "tools/py/lib/site.py": "", "tools/py/x.py": "", "venv/b.py": ""})
    assert files(".") == ["./a.py", "./venv/b.py"]


def test_what_is_skipped_is_read_when_named_outright(tree: Tree) -> None:
    tree({"py/pyvenv.cfg": "", "py/lib/a.py": "", "node_modules/b.py": ""})
    assert files("py", "node_modules") == ["py/lib/a.py", "node_modules/b.py"]


def test_what_a_killed_write_left_behind_is_not_read(tree: Tree) -> None:
    tree({"a.py": "", ".migrate-0123456789abcdef.tmp": "half a fi"})
    assert files(".") == ["./a.py"]


def test_the_lock_of_an_editor_is_no_dangling_link(tree: Tree) -> None:
    tree({"a.py": ""})
    os.symlink("user@host.1234:5678", ".#a.py")
    assert files(".") == ["./a.py"]


# Symbolic links


def test_a_linked_directory_is_not_followed(tree: Tree) -> None:
    tree({"pkg/a.py": "", "other/b.py": ""})
    os.symlink("../other", "pkg/link")
    os.symlink("../other", "pkg/link.py")
    os.symlink("..", "pkg/loop")
    assert files("pkg") == ["pkg/a.py"]


def test_a_linked_directory_named_outright_is_read(tree: Tree) -> None:
    tree({"pkg/a.py": ""})
    os.symlink("pkg", "link")
    assert files("link") == ["link/a.py"]


def test_a_linked_file_is_read(tree: Tree) -> None:
    tree({"pkg/b.py": "", "elsewhere/real.py": "", "elsewhere/script": ""})
    os.symlink("../elsewhere/real.py", "pkg/a.py")
    os.symlink("../elsewhere/script", "pkg/c.py")
    assert files("pkg") == ["pkg/a.py", "pkg/b.py", "pkg/c.py"]


def test_a_file_and_its_links_are_read_once(tree: Tree) -> None:
    tree({"pkg/b.py": "", "elsewhere/real.py": ""})
    os.symlink("b.py", "pkg/a.py")
    os.symlink("../elsewhere/real.py", "pkg/x.py")
    os.symlink("../elsewhere/real.py", "pkg/y.py")
    assert files("pkg") == ["pkg/b.py", "pkg/x.py"]
    assert files("pkg/a.py", "pkg") == ["pkg/a.py", "pkg/x.py"]


# What cannot be read is said, and the walk goes on


def test_a_path_that_does_not_exist_is_an_error(tree: Tree) -> None:
    tree({"a.py": ""})
    assert errors("lost.py", "a.py") == [("lost.py", "cannot be read: no such file or directory")]
    assert errors("a.py/b.py") == [("a.py/b.py", "cannot be read: not a directory")]
    assert errors("") == [("", "cannot be read: no such file or directory")]


def test_a_path_that_no_file_system_takes_is_an_error(tree: Tree) -> None:
    tree({})
    [(path, message)] = errors("a\0.py")
    assert path == "a\0.py"
    assert "embedded null" in message
    assert errors("x" * 300) == [("x" * 300, "cannot be read: file name too long")]


def test_a_dangling_link_is_an_error_that_names_its_target(tree: Tree) -> None:
    tree({})
    os.symlink("lost.py", "a.py")
    message = "is a symbolic link to lost.py, which does not exist"
    assert errors(".") == [("./a.py", message)]
    assert errors("a.py") == [("a.py", message)]


def test_a_link_to_itself_is_an_error(tree: Tree) -> None:
    tree({})
    os.symlink("a.py", "a.py")
    assert errors(".") == [("./a.py", "cannot be read: too many levels of symbolic links")]


def test_links_to_nothing_that_are_no_python_files_are_nobodys_business(tree: Tree) -> None:
    tree({})
    os.symlink("lost", "data")
    assert files(".") == []


def test_pipes_sockets_and_devices_are_errors_and_are_never_opened(tree: Tree) -> None:
    tree({})
    os.mkfifo("pipe.py")
    os.mkfifo("other")
    os.symlink(os.devnull, "null.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
        assert errors(".", "other") == [
            ("./null.py", "is a device, not a file"),
            ("./pipe.py", "is a named pipe, not a file"),
            ("./socket.py", "is a socket, not a file"),
            ("other", "is a named pipe, not a file"),
        ]
        assert errors(os.devnull) == [(os.devnull, "is a device, not a file")]


def test_a_directory_without_permission_is_an_error(public_directory: Path, as_user: AsUser) -> None:
    Path("closed").mkdir(mode=0o000)
    Path("open").mkdir()
    Path("open/a.py").touch()
    with as_user():
        found = list(walk(["."]))
        assert errors("closed") == [("closed", "cannot be read: permission denied")]
    assert [one if isinstance(one, str) else (one.path, one.message, one.help) for one in found] == [
        ("./closed", "cannot be read: permission denied", "Give yourself permission to read it, or leave it out."),
        "./open/a.py",
    ]


def test_a_directory_that_vanishes_during_the_walk_is_an_error(tree: Tree) -> None:
    tree({"a.py": "", "b/x.py": "", "c.py": ""})
    walked = walk(["."])
    assert next(walked) == "./a.py"
    os.remove("b/x.py")
    os.rmdir("b")
    gone, last = walked
    assert isinstance(gone, Finding)
    assert (gone.path, gone.message) == ("./b", "cannot be read: no such file or directory")
    assert last == "./c.py"


def test_errors_do_not_stop_the_walk(tree: Tree) -> None:
    tree({"a.py": "", "b.py": ""})
    found = list(walk(["lost", "a.py", "gone", "b.py"]))
    assert [one if isinstance(one, str) else one.path for one in found] == ["lost", "a.py", "gone", "b.py"]
