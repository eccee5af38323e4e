"""What Estimators come to does not depend on the new TensorFlow: both test lines share it.

``MIGRATE_KEPT_RUNS`` names the directory that it is kept in; without it, it is kept as long as this process lives.
"""

import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
from functools import cache
from importlib import metadata, util
from pathlib import Path

IS_NEWEST = util.find_spec("keras") is not None and metadata.version("keras").startswith("3.")
"""Whether this is the test line of the newest TensorFlow, and not that of 2.15."""


def old_python():
    """The interpreter with TensorFlow 2.15."""
    return os.environ.get("MIGRATE_OLD_PYTHON", sys.executable)


@cache
def _place():
    if "MIGRATE_KEPT_RUNS" in os.environ:
        place = Path(os.environ["MIGRATE_KEPT_RUNS"])
        place.mkdir(parents=True, exist_ok=True)
        return place
    made = tempfile.TemporaryDirectory(prefix="kept-runs-")
    _place.until_the_end = made
    return Path(made.name)


def kept_run(name, sources, make, told=""):
    """The directory that ``make`` filled, in this run of the tests or in one before; its user leaves it as it is.

    Args:
      name: what tells it from other runs of the same programs.
      sources: the files that decide what it holds: the programs and their data.
      make: is called with the empty directory.
      told: what else decides that, such as arguments.
    """
    environment = Path(old_python()).absolute().parents[1]
    versions = sorted(path.name for path in environment.glob("lib/*/site-packages/*-*.dist-info"))
    decides = [name, told, str(environment), *versions, *(Path(source).read_bytes() for source in [*sources, __file__])]
    texts = [each.encode() if isinstance(each, str) else each for each in decides]
    digest = hashlib.sha256(b"".join(hashlib.sha256(text).digest() for text in texts)).hexdigest()
    return made_once(_place() / f"{name}-{digest[:16]}", make)


def made_once(directory, make):
    """The directory, which the first that asks for it has ``make`` fill, while any other process waits."""
    done = directory.with_suffix(".done")
    with open(directory.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            make(directory)
            done.touch()
    return directory
