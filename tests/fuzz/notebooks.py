"""A program's text as a notebook that a person could have saved, each choice by chance."""

import ast
import json
import warnings

MAGICS = (
    "%matplotlib inline",
    "!pip install tensorflow==1.15",
    "%tensorflow_version 1.x",
    "?tf.estimator",
    "files = !ls",
)
HEADS = ("%%time", "%%capture out")
FOREIGN = ("%%bash\nls *.py\n", "%%html\n<b>é</b>", "%%writefile task.py\nimport os\nprint(os.name)\n", "%%js\n1")


def notebook(text, chance):
    """The JSON of a notebook whose cells hold the text, from top-level statement to top-level statement.

    Args:
      text: a program, Python or not.
      chance: where every choice comes from.
    """
    minor = chance.choice([2, 4, 5])
    cells = []
    for source in _sources(text, chance):
        if chance.random() < 0.2:
            cells.append({"cell_type": "markdown", "metadata": {}, "source": ["# Estimator\n", "`tf.train` 🚂 \u202e"]})
        if chance.random() < 0.1:
            cells.append(_code(chance.choice(FOREIGN), chance))
        if chance.random() < 0.15:
            source = f"{chance.choice(MAGICS)}\n{source}"
        if chance.random() < 0.05:
            source = f"{chance.choice(HEADS)}\n{source}"
        cells.append(_code(source, chance))
    if minor >= 5:
        for number, cell in enumerate(cells):
            cell["id"] = f"cell-{number}"
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    top = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}
    indent = chance.choice([None, 1, 1, 1, 2, "\t"])
    saved = json.dumps(top, indent=indent, ensure_ascii=chance.random() < 0.3) + chance.choice(["", "\n"])
    return saved.replace("\n", "\r\n") if chance.random() < 0.1 else saved


def _code(source, chance):
    outputs = [{"name": "stdout", "output_type": "stream", "text": ["loss = 0.5\n"]}] if chance.random() < 0.2 else []
    kept = source if chance.random() < 0.2 else source.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": outputs, "source": kept}


def _sources(text, chance):
    """The text in pieces, cut above some of its top-level statements; whole where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [text]
    lines = text.split("\n")
    firsts = [
        min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) for node in tree.body[1:]
    ]
    cuts = sorted({first - 1 for first in firsts if chance.random() < 0.4 and _starts_line(lines, first)})
    pieces = [lines[start:end] for start, end in zip([0, *cuts], [*cuts, len(lines)], strict=True)]
    return ["\n".join(piece).rstrip("\n") for piece in pieces]


def _starts_line(lines, number):
    """Whether a statement begins at the margin of its line, so that it can begin a cell."""
    if not 1 < number <= len(lines):  # a text that ends its lines by \r
        return False
    above = lines[number - 2]
    return lines[number - 1][:1].strip() != "" and not above.rstrip().endswith((";", "\\"))
