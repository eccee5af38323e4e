import json

import pytest


def notebook(*cells, **top):
    """A notebook of code cells; one that begins with ``# md`` is text."""
    found = []
    for source in cells:
        if source.startswith("# md"):
            found.append({"cell_type": "markdown", "metadata": {}, "source": source.splitlines(keepends=True)})
            continue
        output = {"name": "stdout", "output_type": "stream", "text": ["kept\n"]}
        code = {"execution_count": 3, "metadata": {"tags": ["kept"]}, "outputs": [output]}
        found.append({"cell_type": "code", **code, "source": source.splitlines(keepends=True)})
    return {"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 4, **top}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes ``job.ipynb`` into an empty current directory, from the texts of its cells."""
    monkeypatch.chdir(tmp_path)

    def make(*cells, **top):
        path = tmp_path / "job.ipynb"
        path.write_text(json.dumps(notebook(*cells, **top), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path

    return make
