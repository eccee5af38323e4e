"""The runtime package ``tf2_recovery`` in a wheel: the files that ``--write`` copies, for ``--helpers package``.

usage: python -m tests.runtime_package FOLDER

Writes ``tf2_recovery-VERSION-py3-none-any.whl``, VERSION being the tool's, into FOLDER; the same bytes each time.
Within a minor version the numbers that a training comes to stay equal to the last bit. It needs TensorFlow, and what
``tf_slim`` programs import also tf_slim.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

from migrate import __version__
from migrate.runtime_files.package import PACKAGE, files_of_names, sources, text_of, with_imported_files
from tests.pairs import ROOT

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


def contents():
    """The package's files by their paths."""
    return {f"{PACKAGE}/{file}.py": text_of(file) for file in sources()}


def files_beside(directory):
    """The texts of the package's files beside a program, by the files' names in the package."""
    folder = directory / PACKAGE
    return {one.relative_to(folder).with_suffix("").as_posix(): one.read_text() for one in folder.rglob("*.py")}


def copy(folder, names=(), files=()):
    """Puts some files, and those of some names, into a folder, as ``--write`` does beside a program."""
    for file in with_imported_files([*files_of_names(names), *files]):
        path = folder / PACKAGE / f"{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(file), encoding="utf-8")


def build(folder):
    """Writes the wheel into a folder, which is made if it is not there; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
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
