"""Git itself says what its ignore rules mean."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.files.ignore import IgnoreRules
from migrate.files.walk import walk

NAMES = ("a", "b", "ab", "c d", "x.py", "#x", "!a", "é", ".h", "build")
FILES = ("a.py", "b.py", "ab.py", "x-.py", "#x.py", "!a.py", "é.py", "].py", "c d.py", ".py", "gen_1.py", "test_a.py")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of some hundred empty files, three directories deep."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for outer in ("", *NAMES):
        for inner in ("", "a", "b", "x.py", "build"):
            directory = root / outer / inner
            directory.mkdir(parents=True, exist_ok=True)
            for name in FILES:
                if not (directory / name).is_dir():
                    (directory / name).touch()
    return root


def kept_by_git(root: Path) -> set[str]:
    alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": os.devnull}
    command = ["git", "-C", str(root), "ls-files", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, env=alone, check=True, capture_output=True).stdout
    return {path for path in os.fsdecode(listed).split("\0") if path.endswith(".py")}


def kept_by_walk(root: Path) -> set[str]:
    return {str(path).removeprefix(f"{root}/") for path in walk([str(root)])}


def agree(root: Path, *, top: str = "", below: str = "", exclude: str = "") -> set[str]:
    """What both keep under these ignore files: in the root, in ``a``, and in ``.git/info``."""
    for place, text in ((".gitignore", top), ("a/.gitignore", below), (".git/info/exclude", exclude)):
        (root / place).write_bytes(text.encode())
    kept = kept_by_walk(root)
    assert kept == kept_by_git(root)
    return kept


@pytest.mark.parametrize(
    "patterns",
    [
        "a.py",
        "/a.py",
        "a/",
        "/a/",
        "a/b",
        "a/b/",
        "a/*",
        "a/*.py\n!a/b.py",
        "*",
        "*\n!*/\n!a.py",
        "*.py\n!test_*.py",
        "build/\n!build/",
        "build\n!a/build/a.py",
        "**/build",
        "**/a.py",
        "a/**",
        "a/**/a.py",
        "/**/b/*.py",
        "a**/b",
        "**",
        "***",
        "?.py",
        "*a*.*y",
        "*[ab]*_*1.p*",
        "**/a/**/b/**/*.py",
        "**/*a*b*/**/b/*_*.py",
        "a/**/*/**/*.*",
        "a**/b/**/*a*.py",
        "[ab].py",
        "[!ab].py",
        "[^ab].py",
        "[]a].py",
        "[a-c]*",
        "[[:alpha:]].py",
        "[[:punct:]]*",
        "[[:nonsense:]]",
        "[a",
        "gen_[0-9].py",
        "x[-].py",
        r"\#x.py",
        "#x.py",
        r"\!a.py",
        r"a\.py",
        "a.py\\",
        "a.py   ",
        r"c\ d.py",
        "c d",
        "é.py",
        "é*",
        "/",
        "//",
        "!",
        "",
        "\n\n# a comment\na.py",
        "a.py\r\nb.py\r\n",
        "\ufeffa.py",
    ],
)
def test_a_pattern_means_what_it_means_to_git(repository: Path, patterns: str) -> None:
    agree(repository, top=patterns)


def test_the_file_further_down_wins_then_the_root_then_the_exclude_file(repository: Path) -> None:
    kept = agree(repository, exclude="ab.py\nb.py", top="a.py\n!ab.py", below="!a.py\nx-.py")
    assert {"a/a.py", "ab.py", "b/x-.py"} <= kept
    assert kept.isdisjoint({"a.py", "b.py", "a/x-.py"})


def test_nothing_below_an_ignored_directory_can_be_kept_again(repository: Path) -> None:
    assert "a/a.py" not in agree(repository, top="a/\n!a/a.py", below="!a.py")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 8 + "*b", "a" * 60),
        ("*?" * 40 + "b", "a" * 200),
        ("**/a/" * 8 + "b", "a/" * 60 + "c"),
        ("*a*a*a/" * 4 + "b", ("a" * 40 + "/") * 4 + "c"),
        ("**/*a*a*a/" * 3 + "b", ("a" * 30 + "/") * 12 + "c"),
        ("a**/*" * 8 + "b", "a/" * 60 + "c"),
    ],
)
def test_no_pattern_takes_long_for_a_path_that_it_nearly_matches(pattern: str, path: str) -> None:
    rules = IgnoreRules("/root", pattern.encode())
    began = time.process_time()
    assert not rules.ignores(f"/root/{path}", is_directory=False)
    assert rules.ignores(f"/root/{path[:-1]}b", is_directory=False) or "?" in pattern or "a**" in pattern
    assert time.process_time() - began < 1


PARTS = r"a b ab * a* *b ? ** [ab] [!a] x.py *.py ?.py a** [a-c] [[:alpha:]] [a-] [-a] [z-a] []a] [a [\]] *** \a a\ é*"
part = st.sampled_from([*PARTS.split(), "*a*", "*a*b", "*_*.p*", "c d ", "#x", "!a", "*.*", "a**b"])
pattern = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(part, min_size=1, max_size=4).map("/".join),
    st.sampled_from(["", "", "/", "  "]),
)
ignore_file = st.lists(pattern, max_size=4).map("\n".join)


@settings(max_examples=100, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(top=ignore_file, below=ignore_file, exclude=ignore_file)
def test_patterns_together_mean_what_they_mean_to_git(repository: Path, top: str, below: str, exclude: str) -> None:
    agree(repository, top=top, below=below, exclude=exclude)
