"""Copies of a job's directory that stand on their own."""

from __future__ import annotations

import shutil
from pathlib import Path


def copy_directory(source: Path, copy: Path) -> None:
    """Copy a job's directory, so that a program goes on in the copy.

    An Estimator's ``checkpoint`` file names its checkpoints by absolute paths: in the copy they name the copy's own.
    """
    shutil.copytree(source, copy, symlinks=True, dirs_exist_ok=True)
    for state in copy.rglob("checkpoint"):
        if state.is_file():
            text = state.read_text(encoding="utf-8", errors="surrogateescape")
            text = text.replace(f'"{source}/', f'"{copy}/').replace(f'"{source.resolve()}/', f'"{copy}/')
            state.write_text(text, encoding="utf-8", errors="surrogateescape")
