"""The directory of a recovery, beside the files that a program saved: another one for files of another name."""

import json
import posixpath
import re

_SUFFIX = re.compile(r"(\.weights)?\.(h5|hdf5|ckpt|tf|keras|index|cpkt)$")
"""The end of a checkpoint's name."""
_BRACKET = re.compile(r"[\[\]]|\((?=[^)]*$)")
"""Of TensorFlow's patterns, or cut from its other half by what the program fills in."""


def directory_of(path: str) -> str:
    """Returns the directory beside a file whose path is known, as source."""
    folder, name = posixpath.split(path.partition("{")[0].replace("\\", "/"))
    stem = _BRACKET.sub("_", _SUFFIX.sub("", name)).strip("._-= ")
    return python_string(posixpath.join(folder, f"{stem}_recovery" if stem else "recovery"))


def python_string(text: str) -> str:
    """Returns a text as Python source, in double quotes."""
    return json.dumps(text, ensure_ascii=False)
