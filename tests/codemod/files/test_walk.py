import inspect
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.files.walk import walk
from migrate.findings.finding import Finding


def files(*paths):
    """The paths that a walk yields, where no path is in trouble."""
    found = list(walk(paths))
    assert [one for one in found if isinstance(one, Finding)] == []
    return [one for one in found if isinstance(one, str)]


def errors(*paths):
    """Path and message of each error in a walk, every one with something to do."""
    found = [one for one in walk(paths) if isinstance(one, Finding)]
    assert all(one.code == "FT001" and one.error and one.help.endswith(".") for one in found)
    return [(one.path, one.message) for one in found]


def repository(root):
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)


ODD = ["a/b.py", "a.py", "a-b.py", "a/a/z.py", "a0.py", "b/.py", "B.py", "_.py", "a.py.d/x.py", "é.py"]
WALKS = {
    "a path is spelled from its argument": (["pkg/a.py"], ["pkg"], ["pkg/a.py"]),
    "with a slash at its end": (["pkg/a.py"], ["pkg/"], ["pkg/a.py"]),
    "with a dot before it": (["pkg/a.py"], ["./pkg"], ["pkg/a.py"]),
    "as a dot": (["pkg/a.py"], ["."], ["pkg/a.py"]),
    "by a detour": (["pkg/a.py"], ["pkg/../pkg"], ["pkg/../pkg/a.py"]),
    "Python and notebooks alone": (["a.py", "a.pyc", "a.txt", "py", "b.ipynb", "c.PY"], ["."], ["a.py", "b.ipynb"]),
    "files come sorted by path whatever the file system says": (ODD, ["."], sorted(ODD)),
    "arguments in their order": (["b/x.py", "a/x.py", "c.py"], ["c.py", "b", "a"], ["c.py", "b/x.py", "a/x.py"]),
    "a file named outright, whatever its name": (["script", ".hidden"], ["script", ".hidden"], ["script", ".hidden"]),
    "an empty directory holds nothing": ([], ["."], []),
    "no argument is no file": (["a.py"], [], []),
    "hidden files and directories are read": ([".a.py", ".d/b.py"], ["."], [".a.py", ".d/b.py"]),
    "odd names come through as the file system spells them": (
        ["a b.py", "new\nline.py", "-x.py"], ["."], ["-x.py", "a b.py", "new\nline.py"],
    ),
    "a file named twice is read once": (["a.py"], ["a.py", "./a.py", "a.py"], ["a.py"]),
    "a file named behind its directory": (["pkg/a.py", "pkg/b.py"], ["pkg", "pkg/a.py"], ["pkg/b.py", "pkg/a.py"]),
    "a file named before its directory": (["pkg/a.py", "pkg/b.py"], ["pkg/a.py", "pkg"], ["pkg/a.py", "pkg/b.py"]),
    "a directory named beside the one above": (["a.py", "pkg/a.py"], [".", "pkg", "./pkg/"], ["a.py", "pkg/a.py"]),
    "virtual environments are skipped under any name": (
        ["a.py", "tools/py/pyvenv.cfg", "tools/py/lib/site.py", "tools/py/x.py", "venv/b.py"],
        ["."], ["a.py", "venv/b.py"],
    ),
    "what is skipped is read when named outright": (
        ["py/pyvenv.cfg", "py/lib/a.py", "node_modules/b.py"],
        ["py", "node_modules"], ["py/lib/a.py", "node_modules/b.py"],
    ),
    "what a killed write left behind is not read": (["a.py", ".migrate-0123456789abcdef.tmp"], ["."], ["a.py"]),
    **{
        f"other people's code in {name} is skipped": (["a.py", f"{name}/sub/b.py"], ["."], ["a.py"])
        for name in (".git", ".tox", ".venv", "node_modules", "pkg/node_modules")
    },
}  # fmt: skip
"""Which files are there, what is named, and what is read."""


@pytest.mark.parametrize("promise", WALKS)
def test_what_is_named_is_read(tree, promise):
    names, arguments, expected = WALKS[promise]
    tree(dict.fromkeys(names, ""))
    assert files(*arguments) == expected


def test_an_absolute_argument_gives_absolute_paths(tree):
    root = tree({"pkg/a.py": ""})
    assert files(str(root)) == [str(root / "pkg/a.py")]


def test_a_name_that_is_no_text_comes_through(tree):
    tree({})
    Path(os.fsdecode(b"latin-\xe9.py")).touch()
    assert files(".") == [os.fsdecode(b"latin-\xe9.py")]


def test_a_tree_deeper_than_the_recursion_limit_is_walked(tree):
    deep = "/".join(["d"] * 200)
    tree({f"{deep}/a.py": ""})
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        assert list(walk(["."])) == [f"{deep}/a.py"]
    finally:
        sys.setrecursionlimit(limit)


# What git ignores, which git is asked for

IGNORED = {
    "what gitignore names is not read": (
        {".gitignore": "build/\n*_pb2.py\n", "a.py": "", "a_pb2.py": "", "build/b.py": "", "sub/c_pb2.py": ""},
        ["."], ["a.py"],
    ),
    "a gitignore further down has more weight": (
        {".gitignore": "gen_*.py\n", "sub/.gitignore": "!gen_a.py\nb.py\n", "gen_a.py": "", "b.py": "",
         "sub/gen_a.py": "", "sub/gen_b.py": "", "sub/b.py": ""},
        ["."], ["b.py", "sub/gen_a.py"],
    ),
    "ignore files above the argument hold up to the repository": (
        {".gitignore": "a.py\n", "sub/.gitignore": "/pkg/b.py\n", "sub/pkg/a.py": "", "sub/pkg/b.py": "",
         "sub/pkg/c.py": ""},
        ["sub/pkg"], ["sub/pkg/c.py"],
    ),
    "a file named outright, though ignored": ({".gitignore": "*\n", "a.py": "", "b.py": ""}, [".", "a.py"], ["a.py"]),
    "a directory named outright is read even if ignored": (
        {".gitignore": "build/\nb.py\n", "build/lib/a.py": "", "build/lib/b.py": "", "b.py": ""},
        ["build"], ["build/lib/a.py", "build/lib/b.py"],
    ),
    "the exclude file of the repository holds": (
        {".git/info/exclude": "/pkg/a.py\n", "a.py": "", "pkg/a.py": "", "pkg/b.py": ""},
        ["."], ["a.py", "pkg/b.py"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("promise", IGNORED)
def test_git_is_asked_what_it_ignores(tree, promise):
    texts, arguments, expected = IGNORED[promise]
    repository(tree(texts))
    assert files(*arguments) == expected


def test_outside_a_repository_ignore_files_mean_nothing(tree):
    tree({".gitignore": "a.py\n", "pkg/.gitignore": "a.py\n", "pkg/a.py": ""})
    assert files(".") == ["pkg/a.py"]


def test_where_git_does_not_answer_every_file_is_read(tree, monkeypatch):
    repository(tree({".gitignore": "a.py\n", "a.py": ""}))
    monkeypatch.setenv("PATH", os.devnull)
    assert files(".") == ["a.py"]


def test_the_exclude_file_holds_in_a_worktree_too(tree):
    root = tree({"main/a.py": ""})
    as_author = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", "main"]
    subprocess.run(["git", "init", "-q", "main"], check=True)
    subprocess.run([*as_author, "commit", "-q", "--allow-empty", "-m", "Start"], check=True)
    subprocess.run([*as_author, "worktree", "add", "-q", "../side"], check=True)
    (root / "main/.git/info/exclude").write_text("local.py\n")
    tree({"side/a.py": "", "side/local.py": ""})
    assert files("side") == ["side/a.py"]


def test_what_git_keeps_is_read_though_a_rule_ignores_it(tree):
    tree({".gitignore": "build/\nkept*.py\n", "kept.py": "", "kept_not.py": "", "a.py": ""})
    repository(tree({"build/deep/b.py": "", "build/deep/made.py": "", "build/c.py": "", "build/other/d.py": ""}))
    subprocess.run(["git", "add", "-f", "kept.py", "build/deep/b.py"], check=True)
    assert files(".") == ["a.py", "build/deep/b.py", "kept.py"]


def test_a_rule_of_a_repository_runs_no_program_that_its_settings_name(tree):
    root = tree({".gitignore": "kept.py\n", "kept.py": ""})
    repository(root)
    subprocess.run(["git", "add", "-f", "kept.py"], check=True)
    subprocess.run(["git", "config", "core.fsmonitor", f"touch {root}/ran; false"], check=True)
    assert files(".") == ["kept.py"]
    assert not (root / "ran").exists()


def test_a_repository_inside_another_has_rules_of_its_own(tree):
    root = tree({".gitignore": "a.py\n", "inner/.gitignore": "b.py\n", "inner/a.py": "", "inner/b.py": ""})
    repository(root)
    repository(root / "inner")
    assert files(".") == ["inner/a.py"]


# Symbolic links

LINKS = {
    "the lock of an editor is no dangling link": (["a.py"], {".#a.py": "user@host.1234:5678"}, ["."], ["a.py"]),
    "a linked directory is not followed": (
        ["pkg/a.py", "other/b.py"],
        {"pkg/link": "../other", "pkg/link.py": "../other", "pkg/loop": ".."}, ["pkg"], ["pkg/a.py"],
    ),
    "a linked directory named outright is read": (["pkg/a.py"], {"link": "pkg"}, ["link"], ["link/a.py"]),
    "a linked file is read": (
        ["pkg/b.py", "elsewhere/real.py", "elsewhere/script"],
        {"pkg/a.py": "../elsewhere/real.py", "pkg/c.py": "../elsewhere/script"},
        ["pkg"], ["pkg/a.py", "pkg/b.py", "pkg/c.py"],
    ),
    "a file and its links are read once": (
        ["pkg/b.py", "elsewhere/real.py"],
        {"pkg/a.py": "b.py", "pkg/x.py": "../elsewhere/real.py", "pkg/y.py": "../elsewhere/real.py"},
        ["pkg"], ["pkg/b.py", "pkg/x.py"],
    ),
    "links to nothing that are no Python files are nobody's business": ([], {"data": "lost"}, ["."], []),
}  # fmt: skip


@pytest.mark.parametrize("promise", LINKS)
def test_links_are_read_where_they_are_files(tree, promise):
    names, links, arguments, expected = LINKS[promise]
    tree(dict.fromkeys(names, ""))
    for name, target in links.items():
        os.symlink(target, name)
    assert files(*arguments) == expected


# What cannot be read is said, and the walk goes on


def test_a_path_that_does_not_exist_is_an_error(tree):
    tree({"a.py": ""})
    assert errors("lost.py", "a.py") == [("lost.py", "cannot be read: no such file or directory")]
    assert errors("a.py/b.py") == [("a.py/b.py", "cannot be read: not a directory")]
    assert errors("") == [("", "cannot be read: no such file or directory")]


def test_a_path_that_no_file_system_takes_is_an_error(tree):
    tree({})
    [(path, message)] = errors("a\0.py")
    assert path == "a\0.py"
    assert "embedded null" in message
    assert errors("x" * 300) == [("x" * 300, "cannot be read: file name too long")]


def test_a_dangling_link_is_an_error_that_names_its_target(tree):
    tree({})
    os.symlink("lost.py", "a.py")
    message = "is a symbolic link to lost.py, which does not exist"
    assert errors(".") == [("a.py", message)]
    assert errors("a.py") == [("a.py", message)]


def test_a_link_to_itself_is_an_error(tree):
    tree({})
    os.symlink("a.py", "a.py")
    assert errors(".") == [("a.py", "cannot be read: too many levels of symbolic links")]


def test_pipes_sockets_and_devices_are_errors_and_are_never_opened(tree):
    tree({})
    os.mkfifo("pipe.py")
    os.mkfifo("other")
    os.symlink(os.devnull, "null.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.py")
        assert errors(".", "other") == [
            ("null.py", "is a device, not a file"),
            ("pipe.py", "is a named pipe, not a file"),
            ("socket.py", "is a socket, not a file"),
            ("other", "is a named pipe, not a file"),
        ]
        assert errors(os.devnull) == [(os.devnull, "is a device, not a file")]


def test_a_directory_without_permission_is_an_error(public_directory, as_user):
    Path("closed").mkdir(mode=0o000)
    Path("open").mkdir()
    Path("open/a.py").touch()
    with as_user():
        found = list(walk(["."]))
        assert errors("closed") == [("closed", "cannot be read: permission denied")]
    assert [one if isinstance(one, str) else (one.path, one.message, one.help) for one in found] == [
        ("closed", "cannot be read: permission denied", "Give yourself permission to read it, or leave it out."),
        "open/a.py",
    ]


def test_a_directory_that_vanishes_during_the_walk_is_an_error(tree):
    tree({"a.py": "", "b/x.py": "", "c.py": ""})
    walked = walk(["."])
    assert next(walked) == "a.py"
    os.remove("b/x.py")
    os.rmdir("b")
    gone, last = walked
    assert isinstance(gone, Finding)
    assert (gone.path, gone.message) == ("b", "cannot be read: no such file or directory")
    assert last == "c.py"
