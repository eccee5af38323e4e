"""The runtime package: the modules of ``migrate/recovery`` in a wheel of their own, for ``--helpers package``.

usage: python -m tests.runtime_package FOLDER

Writes ``estimator_recovery-VERSION-py3-none-any.whl``, VERSION being the tool's, into FOLDER; the same bytes each time.
Within a minor version the numbers that a training comes to stay equal to the last bit. It needs TensorFlow, and what
``tf_slim`` programs import also tf_slim.
"""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

from migrate import __version__
from migrate.edits.plan import PACKAGE
from migrate.rewrite.pieces import provided_by
from tests.pairs import ROOT

RECOVERY = ROOT / "migrate" / "recovery"
PART = f"{PACKAGE}.parts"

METADATA = f"""\
Metadata-Version: 2.1
Name: {PACKAGE.replace("_", "-")}
Version: {__version__}
Summary: What programs import that estimator-migrate moved off TensorFlow's Estimator with --helpers package
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: tensorflow>=2.12
Provides-Extra: slim
Requires-Dist: tf_slim==1.1.0; extra == 'slim'
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: tests.runtime_package\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

INIT = '''\
"""Checkpoint recovery for TensorFlow 2, for programs that estimator-migrate rewrote with --helpers package."""

import importlib
import sys

__version__ = "{version}"

_PARTS = {{
{parts}}}

_FOUND_BY_THE_ESTIMATOR = {found}
__all__ = sorted(_PARTS)


def __getattr__(name):
    if name not in _PARTS:
        raise AttributeError(f"{{__name__}} {{__version__}} has no {{name!r}}")
    value = getattr(importlib.import_module(f"{{__name__}}.parts.{{_PARTS[name]}}"), name)
    if f"{{__name__}}.parts.estimator" in sys.modules:
        for part in _FOUND_BY_THE_ESTIMATOR:
            importlib.import_module(f"{{__name__}}.parts.{{part}}")
    return value
'''


def contents() -> dict[str, str]:
    """The package's files by their paths."""
    found, names = {f"{PACKAGE}/parts/__init__.py": ""}, {}
    by_estimator = []
    for path in sorted(RECOVERY.glob("*.py")):
        if path.name == "__init__.py":
            continue
        text = path.read_text(encoding="utf-8")
        found[f"{PACKAGE}/parts/{path.name}"] = re.sub(r"\bmigrate\.recovery\b", PART, text)
        names.update(dict.fromkeys(provided_by(text), path.stem))
        if re.search(r"^Estimator\.\w+ = ", text, re.MULTILINE):
            by_estimator.append(path.stem)
    parts = "".join(f'    "{name}": "{part}",\n' for name, part in sorted(names.items()))
    found[f"{PACKAGE}/__init__.py"] = INIT.format(version=__version__, parts=parts, found=by_estimator)
    return found


def build(folder: Path) -> Path:
    """Writes the wheel; returns its path."""
    about = f"{PACKAGE}-{__version__}.dist-info"
    files = {**contents(), f"{about}/METADATA": METADATA, f"{about}/WHEEL": WHEEL}
    files[f"{about}/LICENSE"] = (ROOT / "LICENSE").read_text(encoding="utf-8")
    record = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(text.encode())}\n")
    files[f"{about}/RECORD"] = "".join([*record, f"{about}/RECORD,,\n"])
    wheel = folder / f"{PACKAGE}-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return wheel


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
