"""SIGKILL at random moments of the pairs' TF2 programs: a short run of ``python -m tests.benchmarks.durability``.

Each job is gone on with by turns in both forms: with the runtime package, and with the runtime files in its tree.
"""

import math
import random

import pytest

from tests.benchmarks.durability import Job, figures, programs
from tests.kept_runs import IS_NEWEST
from tests.nursery import Nursery
from tests.pairs import LEGACY
from tests.program_arguments import digits, keras_of

KILLS = 10
"""At least, on each of the two lines of TensorFlow."""

NAMES = sorted(path.name for path in LEGACY.glob("*.py") if '"--max_steps"' in path.read_text())
WAYS = "restart", "continue"
CASES = [(WAYS[(number + IS_NEWEST) % 2], name) for number, name in enumerate(NAMES)]
"""What one line of TensorFlow goes through with ``--input restart``, the other does with ``--input continue``."""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The paths of what the codemod writes, by the input's way and the name."""
    return {(way, path.name): path for way, path in programs(tmp_path_factory.mktemp("programs"))}


@pytest.fixture(scope="module")
def packaged(tmp_path_factory):
    """The same with the runtime package installed."""
    found = programs(tmp_path_factory.mktemp("packaged"), helpers="package")
    return {(way, path.name): path for way, path in found}


@pytest.fixture(scope="module")
def start(new_python):
    """A function that gives the process which starts programs of one Keras."""
    made = {}

    def of(script):
        keras = keras_of(script, new_python)
        if tuple(keras) not in made:
            made[tuple(keras)] = Nursery(new_python, keras)
        return made[tuple(keras)]

    yield of
    for nursery in made.values():
        nursery.close()


@pytest.mark.parametrize(("way", "name"), CASES)
def test_a_kill_costs_no_more_than_the_steps_since_the_save(way, name, scripts, packaged, installed, start, tmp_path):
    script, chance = scripts[way, name], random.Random(f"{way} {name}")
    assert "from tf2_recovery." in packaged[way, name].read_text()
    assert "from tf2_recovery." in script.read_text()
    job = Job(
        start(script), script, tmp_path, digits(tmp_path), 0, [packaged[way, name]], {"PYTHONPATH": str(installed)}
    )
    kills, enough = 0, math.ceil(KILLS / len(CASES))
    while kills < enough:
        found = figures(job, job.killed(chance, most_kills=enough))
        kills += found["kills"]
        assert [found[what] for what in ("stuck", "far", "elsewhere")] == [0, 0, 0], found
        assert way == "restart" or found["changed"] == 0, found
        assert found["compared"] >= job.max_steps - found["kills"]  # saved, and killed before it could be told of
