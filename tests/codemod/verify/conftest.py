"""Records as verify would make them, written by hand."""

from pathlib import Path

import pytest

from migrate.verify import Attempt, Program, Record, compare
from migrate.verify.bench import Request
from migrate.verify.verification import Verification


def attempt(first, last, code=0, every=5, loss=lambda step: 1.0 / step, batch=lambda step: step, began=0.0):
    """A start that goes from step ``first`` to ``last`` and saves every ``every`` steps, one second a step."""
    events = [{"event": "start", "kind": "loop", "step": first, "time": began + 0.5}]
    for step in range(first + 1, last + 1):
        time = began + step - first
        events.append({"event": "step", "step": step, "loss": loss(step), "batch": batch(step), "time": time})
        if step % every == 0:
            events.append({"event": "save", "step": step, "path": f"ckpt-{step}", "seconds": 0.1, "time": time + 0.2})
    return Attempt(events, code, began=began, ended=began + last - first + 1)


@pytest.fixture
def record():
    """Make the record of a program killed at step 13 that goes on at ``resumed``, to ``final``."""

    def make(resumed=10, final=20, fault="sigkill", kept=(10, 15, 20), handed_over=(), **how):
        attempts = [attempt(0, 13, -9, **how), attempt(resumed, final, began=20.0, **how)]
        return Record(attempts, Path("model"), fault, kept=[*kept], handed_over=[*handed_over])

    return make


@pytest.fixture
def verification(record, tmp_path):
    """Make a whole result of an OLD and a NEW record."""

    def make(old=None, new=None):
        scripts = tmp_path / "old.py", tmp_path / "new.py"
        scripts[0].write_text("estimator.train(input_fn)\n")
        scripts[1].write_text("model.fit(data)  # <b>\n")
        made = Verification(Request(Program(scripts[0]), Program(scripts[1])))
        made.comparisons.append(("sigkill at step 13", compare(old or record(), new or record())))
        return made

    return make
