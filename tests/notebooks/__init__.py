"""Notebooks in the shapes of TensorFlow's documentation: fault tolerance, several workers, migrating estimators.

Their cells stand in texts below ``# %%``, with the line that a cell printed.
"""

import json
from pathlib import Path

HERE = Path(__file__).parent
SHAPES = tuple(sorted(path.stem + ".ipynb" for path in HERE.glob("*.txt")))


def shape(name):
    """The bytes of a notebook, as Jupyter writes them."""
    cells = []
    for text in (HERE / name).with_suffix(".txt").read_text(encoding="utf-8").split("# %%")[1:]:
        head, _, source = text.partition("\n")
        cell = {"id": f"cell-{len(cells) + 1}", "metadata": {}, "source": source[:-1].splitlines(keepends=True)}
        if head == " [markdown]":
            cells.append({"cell_type": "markdown", **cell})
            continue
        printed = head.removeprefix(" prints ")
        outputs = [{"name": "stdout", "output_type": "stream", "text": [f"{printed}\n"]}] if printed else []
        code = {"cell_type": "code", "execution_count": len(cells) if printed else None, "outputs": outputs}
        cells.append({**code, **cell})
    language = {"name": "python", "version": "3.11.7"}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"colab": {"name": name}, "kernelspec": kernel, "language_info": language}
    made = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()
