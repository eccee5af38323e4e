"""Interrupts programs and compares how they resume; the programs need not cooperate.

A pair's interruption tests are a few lines::

    from migrate.verify import FAULTS, Program, compare, run_interrupted

    old = Program("legacy_examples/job.py", python=OLD_PYTHON, args=("--model_dir", "{model_dir}"))
    new = Program("tf2_examples/job.py", python=NEW_PYTHON, args=("--model_dir", "{model_dir}"))

    def test_resumes_as_the_estimator_did():
        fault = FAULTS["sigkill"]
        result = compare(run_interrupted(old, fault(at=13)), run_interrupted(new, fault(at=13)))
        assert result.matches, result.text

- ``Program`` is an interpreter, a script and its arguments; ``{model_dir}`` in them is replaced by the run's directory.
- ``FAULTS`` maps names to faults; ``FAULTS[name](at=STEP)`` makes one, which serves for one run.
- ``run_interrupted(program, fault, model_dir, initial)`` runs, interrupts, starts again, and returns a ``Record``;
  without a fault the run is undisturbed. ``run(program, model_dir, fault)`` starts once and returns an ``Attempt``.
- ``Record`` has ``resumed_at``, ``steps_lost``, ``steps_repeated``, ``steps_run``, ``final_step``, ``saved_steps``,
  ``kept``, ``evaluations``, ``by_step("loss")``, ``by_step("batch")``, ``needs_person`` and its ``attempts``.
- ``compare(old, new)`` returns a ``Comparison``: ``matches``, ``first`` (the first difference in a sentence), ``rows``
  and ``text``. Losses are compared if both runs have the same first loss, to the last bit, or with ``losses=True``.

Nothing here imports TensorFlow: only the programs do, in processes of their own. The recorder, ``recording/``, needs
nothing but Python 3.7 and its standard library.
"""

from migrate.verify.compare import compare
from migrate.verify.comparison import Comparison, Row
from migrate.verify.faults import FAULTS, Fault
from migrate.verify.interruption import run, run_interrupted
from migrate.verify.record import Attempt, Record
from migrate.verify.training_program import Program, ProgramError

__all__ = [
    "FAULTS",
    "Attempt",
    "Comparison",
    "Fault",
    "Program",
    "ProgramError",
    "Record",
    "Row",
    "compare",
    "run",
    "run_interrupted",
]
