"""How long ``verify`` takes by default on a premade, a model_fn and a Keras program.

``python -m tests.benchmarks.quick_verify OLD_PYTHON NEW_PYTHON``
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = {"feature_columns/linear_ftrl": "premade", "hooked_model_fn": "model_fn", "keras_to_estimator": "Keras"}


def main(old, new):
    """Prints a row for each program; 0 where every comparison matches."""
    print("| program | kind | seconds | result |\n|---|---|--:|---|")
    codes = [_row(name, kind, old, new) for name, kind in PROGRAMS.items()]
    return max(codes)


def _row(name, kind, old, new):
    programs = [str(ROOT / folder / f"{name}.py") for folder in ("legacy_examples", "tf2_examples")]
    command = [sys.executable, "-m", "migrate", "verify", *programs, "--old-python", old, "--new-python", new]
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    seconds = time.monotonic() - began
    result = next((line for line in done.stdout.splitlines() if "comparisons match" in line), done.stderr[-300:])
    print(f"| `{name}` | {kind} | {seconds:.0f} | {result.strip()} |", flush=True)
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
