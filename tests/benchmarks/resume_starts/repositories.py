"""Copies of a repository: as it is, and as the codemod writes it."""

import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).parents[3]
_TEXT = 2**20
_LONG = re.compile(r"^(?!.*initial)(.*\b\w*epochs?\w*['\"]?\]?\s*(?:=|:|default\s*=)\s*)(\d{3,})\b", re.I)
_ROOTS = "tmp opt sda sdb disk raid "
_ROOTS += "home data mnt content media root Users gdrive kaggle workspace nfs var storage export scratch ssd hdd"
_ABSOLUTE = re.compile(rf"((?<!\+)(?<!\+ )['\"])/(?=({'|'.join(_ROOTS.split())})\w*/)")
_WINDOWS = re.compile(r"(?<=['\"])[A-Za-z]:(?=[\\/])([^'\"\n]*)")
_CUT_FROM, _CUT_TO = 200, 60


@dataclass
class Repository:
    """A repository and its programs that are rewritten.

    Args:
      name: its folder's name.
      plain: the folder of a copy as it is.
      old, new: the texts of the files that the codemod changes, before and after, by path.
      rewritten: the files that have a rewritten training, with the lines.
    """

    name: str
    plain: Path
    old: dict[str, str]
    new: dict[str, str]
    rewritten: dict[str, list[int]]


def read(source: Path, work: Path, python: str = sys.executable, tool: Path = TREE) -> Repository:
    """Copy a repository and migrate a second copy.

    Args:
      source: the repository's folder.
      work: a folder for the copies.
      python: an interpreter that has LibCST.
      tool: the checkout whose codemod is asked.
    """
    plain, migrated = work / "plain", work / "migrated"
    shutil.rmtree(work, ignore_errors=True)
    _copy(source, plain)
    for path in [*plain.rglob("*.py"), *plain.rglob("*.ipynb")]:
        _cut(path)
    shutil.copytree(plain, migrated, symlinks=True)
    subprocess.run(["git", "init", "-q", str(migrated)], check=False, capture_output=True)
    command = [python, "-m", "migrate", "--write", "--format", "json", "."]
    done = subprocess.run(
        command, cwd=migrated, env={**os.environ, "PYTHONPATH": str(tool)}, capture_output=True, text=True, timeout=300
    )
    found = json.loads(done.stdout)["findings"] if done.stdout.startswith("{") else []
    rewritten: dict[str, list[int]] = {}
    for one in found:
        if one["code"] in ("FT201", "FT202") and one["rewritten"]:
            rewritten.setdefault(os.path.normpath(one["file"]), []).append(one["start"]["line"])
    for folder in (plain, migrated):
        for path in folder.rglob("*.ipynb"):
            _as_script(path)
    old, new = {}, {}
    for path in migrated.rglob("*.py"):
        name = str(path.relative_to(migrated))
        text = path.read_text(errors="replace")
        before = plain / name
        if not before.exists() or before.read_text(errors="replace") != text:
            new[name] = text
            if before.exists():
                old[name] = before.read_text(errors="replace")
    as_script = {re.sub(r"\.ipynb$", "_ipynb.py", name): lines for name, lines in rewritten.items()}
    shutil.rmtree(migrated)
    return Repository(source.name, plain, old, new, as_script)


def _copy(source, target):
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        is_own = ".git" not in name.parts and "tf2_recovery" not in name.parts
        if is_own and path.is_file() and not path.is_symlink() and path.stat().st_size < _TEXT:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / name)


def _cut(path):
    """Let a program train for fewer epochs, and stay in its folder: its constants and defaults alone are changed."""
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    inside = _WINDOWS.sub(lambda found: "abs" + found[1].replace("\\\\", "/").replace("\\", "/"), text)
    lines = _ABSOLUTE.sub(r"\1abs/", inside).splitlines(keepends=True)
    cut = [_LONG.sub(lambda m: m[1] + (str(_CUT_TO) if int(m[2]) > _CUT_FROM else m[2]), line) for line in lines]
    if "".join(cut) != text:
        path.write_text("".join(cut))


def _as_script(path):
    try:
        cells = json.loads(path.read_text())["cells"]
    except (ValueError, KeyError):
        return
    texts = ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code"]
    kept = [_without_magics(text) for text in texts if not text.lstrip().startswith("%%")]
    path.with_name(path.stem + "_ipynb.py").write_text("\n\n".join(kept) + "\n")


def _without_magics(text):
    """The code of a cell without IPython's magics, one by one until it can be compiled."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile("\n".join(lines), "cell", "exec")
        except SyntaxError:
            magic = re.match(r"^(\s*)([!%?].*|[\w.]+\?+)$", line)
            if magic and not re.match(r"^\s*%\s", line):
                lines[number] = magic[1] + "pass"
    return "\n".join(lines)


def entries(repository: Repository, file: str) -> list[str]:
    """The programs that may start the training of a file: itself, else those that import it."""
    found, waiting = [file], [file]
    texts = {str(one.relative_to(repository.plain)): one.read_text(errors="replace") for one in _scripts(repository)}
    while waiting:
        stem = Path(waiting.pop(0)).stem
        for name, text in texts.items():
            if name not in found and re.search(rf"^\s*(from|import)\b.*\b{re.escape(stem)}\b", text, re.M):
                found.append(name)
                waiting.append(name)
    mains = [name for name in found[1:] if "__main__" in texts[name] or "def " not in texts[name]]
    others = [name for name in found[1:] if name not in mains]
    return [file, *mains, *others][:6]


def _scripts(repository):
    return [one for one in repository.plain.rglob("*.py") if "test" not in one.name.lower()][:400]


def siblings(repository: Repository, program: str) -> list[str]:
    """Other programs of the repository that train and save."""
    found = []
    for path in _scripts(repository):
        name, text = str(path.relative_to(repository.plain)), path.read_text(errors="replace")
        saves = re.search(r"\.save(_weights)?\(|ModelCheckpoint\(", text)
        if name != program and saves and re.search(r"\.fit(_generator)?\(|train_on_batch|apply_gradients", text):
            found.append(name)
    return found[:6]
