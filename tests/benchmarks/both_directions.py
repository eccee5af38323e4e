"""Estimators and what becomes of them by turns in one directory, killed in between, beside the Estimator alone.

usage: python -m tests.benchmarks.both_directions RESULTS [--program NAME]... OLD PYTHON...
       python -m tests.benchmarks.both_directions RESULTS

OLD has TensorFlow 2.15 and runs the Estimators, each PYTHON what the codemod writes for them. A job is started four
times, by the Estimator (E) first and then by either (M: the migrated program), in all eight orders. Three starts are
killed at a step, the last comes to its end. After each start are compared with what Estimators alone (EEEE) left there

- the steps that were made, and the step that they began at,
- the names of the checkpoints' files, the list of checkpoints, and how many exports there are,
- of every checkpoint on the list, all tensors' bytes.

Each order is a line of RESULTS, a file of JSON lines; a program that is there is not started again. Without an
interpreter a table is printed, and what is not equal. A start is a fork of a process that has imported TensorFlow.
"""

import argparse
import ast
import itertools
import json
import re
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tensorflow as tf
from rich import box
from rich.console import Console
from rich.table import Table

from migrate.verify import FAULTS, Program, run
from tests.interruption.model_fn.conftest import WrittenPair
from tests.nursery import nursery
from tests.pairs import LEGACY, ROOT, for_2
from tests.program_arguments import arguments, census, digits, has_tf_keras, keras_of

KILLED_AT, END = (27, 48, 69), 90
MODEL_FNS, CANNED = ROOT / "tests" / "interruption" / "model_fn", ROOT / "tests" / "tensorflow" / "canned"
EXAMPLES = (
    *("custom_model_fn", "alternating_model_fn", "hooked_model_fn", "model_by_name"),
    *("fine_tuning", "contrib/slim_network"),
    *("feature_columns/linear_ftrl", "feature_columns/warm_start", "feature_columns/wide_and_deep"),
)
SETTINGS = "save_checkpoints_steps=10, tf_random_seed=1, keep_checkpoint_max=3"
"""Of the canned estimators that have no RunConfig: without one, they save by the clock."""


@dataclass(frozen=True)
class Case:
    """A program for Estimators, with its further arguments; ``canned`` is the function that it is to call alone."""

    name: str
    source: Path
    given: tuple[str, ...] = ()
    canned: str = ""


def cases():
    """Every pair of a model_fn, a TPUEstimator, a premade estimator or contrib that TensorFlow 2.15 starts."""
    yield from (Case(name, LEGACY / f"{name}.py") for name in EXAMPLES)
    yield Case("several_replicas", MODEL_FNS / "several_replicas.py")
    for name in ("handed_on", "handed_on_tpu"):
        yield Case(name, MODEL_FNS / f"{name}.py", ("--every", "10"))
    for name in ("adam", "momentum", "adagrad", "rmsprop", "ftrl", "sgd"):
        yield Case(f"optimizers/{name}", MODEL_FNS / "six_optimizers.py", ("--optimizers", name))
    for program in (CANNED / f"{name}.py" for name in ("estimators", "estimators_2", "estimators_handed_on")):
        for node in ast.parse(program.read_text()).body:
            if isinstance(node, ast.FunctionDef) and [one.arg for one in node.args.args] == ["model_dir", "steps"]:
                yield Case(f"{program.stem}/{node.name}", program, canned=node.name)


class _Saving(ast.NodeTransformer):
    """Gives each estimator a RunConfig, and to one that there is what it lacks."""

    def visit_Call(self, node):
        self.generic_visit(node)
        called = ast.unparse(node.func)
        if called.endswith(".RunConfig"):
            node.keywords += ast.parse(f"f({SETTINGS})").body[0].value.keywords
        elif called.endswith(("Classifier", "Regressor")) and "config" not in [one.arg for one in node.keywords]:
            config = ast.parse(f"{called.rpartition('.')[0]}.RunConfig({SETTINGS})").body[0].value
            node.keywords.append(ast.keyword("config", config))
        return node


class Job:
    """A pair of programs, and the directories that they leave by the order of the starts before.

    Args:
      case: the program.
      place: a new directory.
      old: the Estimator's interpreter.
    """

    def __init__(self, case, place, old):
        self.case, self.place, self.old, self.left = case, place, old, {}
        self.digits, self.census = digits(place), census(place)
        source = case.source
        if case.canned:
            source = place / source.name
            shutil.copy(CANNED / "jobs.py", place)
            source.write_text(ast.unparse(_Saving().visit(ast.parse(case.source.read_text()))) + "\n")
        beside = [
            name
            for name in ("modeling", "handed_on_fit", "jobs")
            if re.search(rf"\b(import|from) {name}\b", source.read_text())
        ]
        self.pair = WrittenPair(source, place / "pair", [f"{name}.py" for name in beside])
        if "tensorflow.contrib" in source.read_text():
            for_2(self.pair.old)

    def after(self, order, python):
        """What is there after starts in this order, and in which directory; the migrated program runs under PYTHON."""
        key = order, python if "M" in order else self.old
        if key not in self.left:
            directory = self.place / f"left-{len(self.left)}"
            if len(order) > 1:
                shutil.copytree(self.after(order[:-1], python)[1], directory)
            last = (self.pair.new, python) if order[-1] == "M" else (self.pair.old, self.old)
            attempt = self.start(*last, directory, dict(enumerate(KILLED_AT, 1)).get(len(order)))
            self.left[key] = {"steps": [attempt.started_at, *attempt.steps], **state(directory)}, directory
        return self.left[key]

    def start(self, script, python, directory, kill_at):
        """One start, killed at a step or to its end."""
        text = script.read_text()
        given = arguments(script, "{model_dir}", END, self.census if "census" in text else self.digits)
        given = ("{model_dir}", str(END), self.case.canned) if self.case.canned else (*given, *self.case.given)
        environment = keras_of(script, python)
        if "slim" in text and has_tf_keras(python):
            environment = {"TF_USE_LEGACY_KERAS": "1"}
        launch = nursery(python, bool(environment), recording=True).launch
        fault = FAULTS["sigkill"](at=kill_at) if kill_at else None
        attempt = run(Program(script, python, given, environment, launch=launch), directory, fault)
        if attempt.code != (-9 if kill_at else 0):
            raise SystemExit(f"{script} under {python}: {attempt.error}\n{attempt.output}")
        return attempt


def state(directory):
    """The names of the checkpoints' files, the lists, the number of exports, and all tensors of all checkpoints."""
    files = sorted(str(path.relative_to(directory)) for path in directory.rglob("*ckpt*"))
    exports = Counter(str(path.parent.parent.relative_to(directory)) for path in directory.rglob("saved_model.pb"))
    lists, tensors = {}, {}
    for path in directory.rglob("checkpoint"):
        saved = tf.train.get_checkpoint_state(str(path.parent)).all_model_checkpoint_paths
        own = path.parent.relative_to(directory)
        lists[str(own)] = [Path(each).name for each in saved]
        for name in lists[str(own)]:
            reader = tf.train.load_checkpoint(str(path.with_name(name)))
            tensors |= {f"{own / name}:{key}": reader.get_tensor(key) for key in reader.get_variable_to_shape_map()}
    return {"files": files, "list": lists, "exports": exports, "tensors": tensors}


def differences(found, expected):
    """What is not equal, in words."""
    unlike = [what for what in found if what != "tensors" and found[what] != expected[what]]
    told = [f"{what}: {found[what]} for {expected[what]}"[:300] for what in unlike]
    ours, theirs = found["tensors"], expected["tensors"]
    told += [f"tensor {name}: only on one side" for name in ours.keys() ^ theirs.keys()]
    apart = {name: _apart(ours[name], theirs[name]) for name in ours.keys() & theirs.keys()}
    if any(apart.values()):
        most = max(apart, key=apart.get)
        told.append(f"{np.count_nonzero([*apart.values()])} of {len(apart)} tensors, {most} by {apart[most]:.2g}")
    return told


def _apart(one, other):
    """The largest difference beside the largest number; 0 where all bytes are equal."""
    one, other = np.asarray(one), np.asarray(other)
    is_same = np.array_equal if one.dtype == object else lambda one, other: one.tobytes() == other.tobytes()
    if (one.dtype, one.shape) == (other.dtype, other.shape) and is_same(one, other):
        return 0.0
    if one.shape != other.shape or one.dtype.kind not in "fiu":
        return np.inf
    scale = np.max(np.abs(other)).astype(float) or 1.0
    return float(np.max(np.abs(one.astype(float) - other))) / scale or np.finfo(float).tiny


def lines_of(job, pythons):
    """A line of the results for each order and interpreter."""
    alone = [job.after("E" * count, job.old)[0] for count in range(1, 5)]
    about = {what: len(alone[-1][what]) for what in ("tensors", "files")}
    about["steps"] = [(one["steps"][0], one["steps"][-1]) for one in alone]
    for python, order in itertools.product(pythons, itertools.product("EM", repeat=3)):
        if "M" in order:
            whole, told = "E" + "".join(order), []
            for count in range(2, 5):
                unlike = differences(job.after(whole[:count], python)[0], alone[count - 1])
                told += [f"start {count}: {each}" for each in unlike]
            version = nursery(python, False, recording=True).tensorflow
            yield {"program": job.case.name, "tensorflow": version, "order": whole, **about, "different": told}


def table(lines):
    """The number of orders, and of those that are equal, by program and TensorFlow."""
    made = Table("program", "TensorFlow", "orders", "equal", "tensors", "files", "steps", box=box.MARKDOWN)
    for key, group in itertools.groupby(lines, lambda line: (line["program"], line["tensorflow"])):
        ones = list(group)
        sizes = len(ones), sum(not one["different"] for one in ones), ones[0]["tensors"], ones[0]["files"]
        made.add_row(*key, *map(str, sizes), ", ".join(f"{first}–{last}" for first, last in ones[0]["steps"]))
    made.add_row("all", "", str(len(lines)), str(sum(not line["different"] for line in lines)), "", "", "")
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS", type=Path)
    parser.add_argument("pythons", metavar="PYTHON", nargs="*")
    parser.add_argument("--program", action="append", metavar="NAME", help="only this one; may be given again")
    options = parser.parse_intermixed_args()
    done = [json.loads(line) for line in options.results.read_text().splitlines()] if options.results.exists() else []
    wanted = {case.name: case for case in cases() if not options.program or case.name in options.program}
    missing = [name for name in wanted if name not in {line["program"] for line in done}]
    for name in missing if options.pythons else ():
        began = time.time()
        with tempfile.TemporaryDirectory(prefix="both-directions-") as folder:
            lines = list(lines_of(Job(wanted[name], Path(folder), options.pythons[0]), options.pythons[1:]))
        with open(options.results, "a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        done += lines
        print(name, "done in", round(time.time() - began), "s", flush=True)
    done.sort(key=lambda line: (line["program"], line["tensorflow"], line["order"]))
    Console(width=160).print(table(done))
    for line in done:
        for each in line["different"]:
            print(line["program"], line["tensorflow"], f"{line['order']}: {each}")


if __name__ == "__main__":
    main()
