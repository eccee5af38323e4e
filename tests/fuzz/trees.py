"""Whole trees of mutated files and notebooks under ``--write``: what must hold of every file on the disk."""

import contextlib
import io
import json
import os
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from migrate.cli.main import main
from migrate.files.cells import programs
from migrate.files.notebook import Notebook, invalid
from tests.fuzz.mutations import is_python
from tests.fuzz.notebooks import notebook

NAMES = ("job_{}", "new\nline {}", "‮gnp.{}", "ü{}", "-{}", "a'\"b {}", "_{}", "{}")
MODULE = "tf2_recovery"


def tree_tried(texts, chance):
    """Writes a tree of files and notebooks, migrates it twice, and looks at every byte.

    Args:
      texts: the programs by their numbers; one in three becomes a notebook.
      chance: where names, folders, layouts and settings come from.

    Returns:
      The counts, and what went wrong, each with the number of a program.
    """
    counts = Counter()
    broken = []
    with tempfile.TemporaryDirectory() as directory:
        before = {_path(directory, number, text, chance): number for number, text in texts.items()}
        kept = {path: Path(path).read_bytes() for path in before}
        options = ["--write", "--format", "json", *_options(chance)]
        first = min(texts)
        report, problem = _migrated([directory, *options])
        broken += [(first, problem)] if problem else []
        shown = json.loads(report) if report else {"findings": []}
        for finding in shown["findings"]:
            if finding["code"] == "FT009":
                broken.append((before.get(finding["file"], first), f"crash: {finding['message']}"))
        after = {str(path): path.read_bytes() for path in Path(directory).rglob("*") if path.is_file()}
        broken += [(number, "a file is lost") for path, number in before.items() if path not in after]
        broken += [(first, f"a strange file: {path}") for path in after.keys() - kept.keys() if MODULE not in path]
        failed = {finding["file"] for finding in shown["findings"] if finding["error"]}
        for path, number in before.items():
            counts["notebooks" if path.endswith(".ipynb") else "files"] += 1
            if after.get(path, b"") != kept[path]:
                counts["changed"] += 1
                broken += [(number, "a file with an error is changed")] if path in failed else []
                broken += [(number, one) for one in _changed(path, kept[path], after[path])]
        _, problem = _migrated([directory, *options])
        broken += [(first, f"second run: {problem}")] if problem else []
        for path, data in after.items():
            if Path(path).read_bytes() != data:
                broken.append((before.get(path, first), "a second run changes more"))
    return counts, broken


def _options(chance):
    recovery = chance.choice(["auto", "auto", "backup-and-restore"])
    target = chance.choice(["portable", "portable", "keras3"])
    helpers = chance.choice(["copy", "copy", "package"])
    return ["--recovery", recovery, "--target", target, "--helpers", helpers, "-j", "1"]


def _path(directory, number, text, chance):
    """Writes one program into the tree and gives its path."""
    name = chance.choice(NAMES).format(number)
    folder = os.path.join(directory, *chance.choice([[str(number)], [str(number), "a b"]]))
    os.makedirs(folder, exist_ok=True)
    is_notebook = chance.random() < 1 / 3
    path = os.path.join(folder, name + (".ipynb" if is_notebook else ".py"))
    content = notebook(text, chance) if is_notebook else text
    bom = b"\xef\xbb\xbf" if not is_notebook and chance.random() < 0.05 else b""
    Path(path).write_bytes(bom + content.encode(errors="surrogatepass"))
    return path


def _migrated(arguments):
    """What a run prints, and what went wrong with it as a whole: "" for nothing."""
    output, errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = main(arguments)
    except BaseException:
        return "", f"traceback: {traceback.format_exc()[-400:]}"
    output.flush()
    printed = output.buffer.getvalue().decode(errors="surrogateescape")
    if "Traceback" in errors.getvalue() or code not in (0, 1, 2):
        return printed, f"exit code {code}: {errors.getvalue()[-300:]}"
    return printed, ""


def _changed(path, before, after):
    if not path.endswith(".ipynb"):
        return [] if is_python(after.decode("utf-8-sig")) else ["the output does not compile"]
    problem = invalid(after.decode())
    if problem is not None:
        return [f"the notebook is not valid: {problem[0]}"]
    cells = programs(Notebook.decode(path, after).cells)
    found = [] if all(is_python(program.text) for program in cells) else ["the cells do not compile"]
    if _around(before) != _around(after):
        found.append("what is around the code of the cells is changed")
    if _magics(before) != _magics(after):
        found.append("a line for IPython is lost")
    return found


def _around(data):
    """A notebook without the code of its cells, and without the cells that hold the runtime."""
    top = json.loads(data)
    top["cells"] = [
        {**cell, "source": None} if cell["cell_type"] == "code" else cell
        for cell in top["cells"]
        if not "".join(cell["source"]).startswith(f"%%writefile {MODULE}")
    ]
    return top


def _magics(data):
    sources = ["".join(cell["source"]) for cell in json.loads(data)["cells"] if cell["cell_type"] == "code"]
    lines = [line for source in sources for line in source.split("\n")]
    return [line for line in lines if line.startswith(("%", "!", "?", "files =")) and MODULE not in line]
