"""What is asked of a file for each of many programs is looked up, not searched for again: counted, not timed."""

import ast
import gc
import sys
from collections import Counter
from pathlib import Path
from weakref import WeakKeyDictionary

import pytest

from migrate.analysis.program import facts
from migrate.analysis.program.reached_code import ReachedCode
from migrate.analysis.resume.trained_loops import Trainings
from migrate.cli.main import main
from migrate.files import parse as parsing
from migrate.files.run_cache import forget
from migrate.judging.selection import Files
from migrate.pipeline import processes
from tests.benchmarks.growth import cells, estimators, files, resumptions, trainings
from tests.cases import each


def write(directory, made):
    directory.mkdir()
    (directory / ".git").mkdir()
    for name, text in made.items():
        (directory / name).write_text(text)
    return directory


def calls(made, directory):
    """How many calls a run over these files makes, of functions in Python."""
    made_calls = [0]

    def counting(frame, event, argument):
        made_calls[0] += event == "call"

    write(directory, made)
    forget()
    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        main(["--check", "-j1", str(directory)])
    finally:
        sys.setprofile(before)
    return made_calls[0]


@each("make", "sizes", ids=["files", "estimators", "resumptions", "trainings", "cells"])(
    (files, (160, 200, 240)), *((one, (20, 60, 100)) for one in (estimators, resumptions, trainings, cells))
)
def test_each_further_part_of_a_program_takes_as_many_calls_as_those_before_it(make, sizes, tmp_path):
    calls(make(2), tmp_path / "first")  # what is imported and looked up once
    few, more, most = [calls(make(size), tmp_path / str(size)) for size in sizes]
    assert most - more < 1.07 * (more - few)


def test_each_file_of_a_program_is_decoded_once_for_all_files_that_import_it(tmp_path, monkeypatch):
    asked = Counter()
    own = facts.source_of

    def counting(path, data):
        asked[path] += 1
        return own(path, data)

    monkeypatch.setattr(facts, "source_of", counting)
    directory = write(tmp_path / "program", files(12))
    main(["--check", "-j1", str(directory)])
    assert {path.name for path in map(Path, asked)} == {path.name for path in directory.glob("*.py")}
    assert set(asked.values()) == {1}


def test_the_code_that_programs_of_the_same_files_reach_is_searched_once(tmp_path, monkeypatch):
    searched = [0]
    own = ReachedCode.__init__

    def counting(*given, **named):
        searched[0] += 1
        own(*given, **named)

    monkeypatch.setattr(ReachedCode, "__init__", counting)
    main(["--check", "-j1", str(write(tmp_path / "program", files(16)))])
    assert searched[0] == 2  # for what runs surely and for all that may run


@pytest.mark.parametrize("load", ["saver.restore(sess, path)", "model.load_weights(path)"])
def test_a_training_is_looked_for_where_something_but_a_session_is_restored(load, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(Trainings, "all", property(lambda trainings: asked.append(trainings) or []))
    text = (
        f"import tensorflow as tf\n\nsaver = tf.train.Saver()\n{load}\nfor step in range(9):\n"
        "    model.train_on_batch(sess.run('x'))\n    model.save_weights(path)\n"
    )
    main(["--check", "-j1", str(write(tmp_path / "program", {"train.py": text}))])
    assert bool(asked) is ("sess" not in load)


def test_a_file_that_a_program_reaches_is_judged_with_it_alone(tmp_path, monkeypatch):
    judged = Counter()
    own = Files.__init__

    def counting(files, modules, settings):
        judged.update(Path(module.path).name for module in modules)
        own(files, modules, settings)

    monkeypatch.setattr(Files, "__init__", counting)
    made = {
        "saving.py": "import tensorflow as tf\n\n\ndef saver():\n    return tf.train.Saver()\n",
        "train.py": (
            "import tensorflow as tf\nfrom saving import saver\n\n\ndef model_fn(features, labels, mode):\n"
            "    loss = tf.losses.get_total_loss()\n    scaffold = tf.train.Scaffold(saver=saver())\n"
            "    return tf.estimator.EstimatorSpec(mode, loss=loss, scaffold=scaffold)\n\n\n"
            "tf.estimator.Estimator(model_fn, 'm').train(lambda: None)\n"
        ),
    }
    main(["--check", "-j1", str(write(tmp_path / "program", made))])
    assert judged == {"saving.py": 1, "train.py": 1}


def test_what_is_known_of_files_is_dropped_before_another_repository(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_FEW_CHARACTERS", 0)
    kept = [0]
    own = parsing.characters_of_trees

    def counting():
        kept.append(own())
        return kept[-1]

    monkeypatch.setattr(processes, "characters_of_trees", counting)
    (tmp_path / "repositories").mkdir()
    size = sum(map(len, files(6).values()))
    for number in range(8):
        write(tmp_path / "repositories" / str(number), files(6))
    assert main(["--check", "-j1", str(tmp_path / "repositories")]) == 1
    assert size <= max(kept) < 2 * size


def _sizes_of_trees(monkeypatch, most):
    """How many characters have the texts whose trees are there, at each call of ``ast.parse``."""
    monkeypatch.setattr(parsing, "_MOST_CHARACTERS", most)
    sizes, lengths, own = [], WeakKeyDictionary(), ast.parse

    def counting(text, path="<unknown>", *further, **named):
        sizes.append(sum(lengths.values()))
        tree = own(text, path, *further, **named)
        lengths[tree] = len(text)
        return tree

    monkeypatch.setattr(parsing.ast, "parse", counting)
    return sizes


def test_a_program_of_more_text_than_is_kept_is_parsed_a_few_times(tmp_path, monkeypatch):
    made = files(40)
    size = sum(map(len, made.values()))
    sizes = _sizes_of_trees(monkeypatch, size // 8)
    main(["--check", "-j1", str(write(tmp_path / "program", made))])
    assert 40 < len(sizes) <= 6 * 40  # once for each of what is asked of all files
    assert max(sizes) <= size * 25 // 24


def _check_three_programs(tmp_path):
    for name in ("first", "second", "third"):
        write(tmp_path / name, files(20))
        (tmp_path / name / ".git").rmdir()
    (tmp_path / ".git").mkdir()
    main(["--check", "-j1", str(tmp_path)])


def test_trees_of_programs_that_were_judged_make_room_for_others(tmp_path, monkeypatch):
    size = sum(map(len, files(20).values()))
    sizes = _sizes_of_trees(monkeypatch, size * 3 // 4)
    _check_three_programs(tmp_path)
    assert max(sizes) <= size * 5 // 4


def test_a_program_is_judged_before_the_trees_of_the_next_ones_replace_its_own(tmp_path, monkeypatch):
    sizes = _sizes_of_trees(monkeypatch, 5 * sum(map(len, files(20).values())) // 2)
    _check_three_programs(tmp_path)
    assert len(sizes) == 100  # 110 if all programs are judged last


@each("made")(estimators(2) | files(6), resumptions(2), {"main.py": "global step\n" + files(2)["main.py"]})
def test_no_cycle_of_objects_keeps_a_tree(made, tmp_path):
    forget()
    gc.collect()
    gc.disable()
    try:
        main(["--check", "-j1", str(write(tmp_path / "program", made))])
        forget()
        assert parsing.characters_of_trees() == 0
    finally:
        gc.enable()


_NESTED = {
    "train.py": (
        "import tensorflow as tf\nfrom a.b.c import model\n\ntf.estimator.Estimator(model.model_fn).train(model.data)\n"
    ),
    "a/__init__.py": "",
    "a/b/__init__.py": "from a.b import names\n",
    "a/b/names.py": "DIRECTORY = 'out'\n",
    "a/b/c/__init__.py": "from .. import names\n",
    "a/b/c/model.py": (
        "import tensorflow as tf\nfrom a.b import names\n\n\ndef data():\n    return names.DIRECTORY\n\n\n"
        "def model_fn(features, labels, mode):\n    return tf.estimator.EstimatorSpec(mode, loss=features)\n"
    ),
}


def test_the_files_of_nested_packages_are_not_parsed_anew_for_each_pass_over_repositories(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_FEW_CHARACTERS", 0)
    parsed = Counter()
    own = ast.parse

    def counting(text, path="<unknown>", *further, **named):
        parsed[path] += 1
        return own(text, path, *further, **named)

    monkeypatch.setattr(parsing.ast, "parse", counting)
    (tmp_path / "repositories").mkdir()
    for number in range(3):
        directory = write(tmp_path / "repositories" / str(number), {})
        for name, text in _NESTED.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(text)
    assert main(["--check", "-j1", str(tmp_path / "repositories")]) == 1
    of_name = {name: {times for path, times in parsed.items() if path.endswith(f"/{name}")} for name in _NESTED}
    once = {"train.py", "a/b/c/model.py"}  # no tree is kept of what names no TensorFlow
    assert of_name == {name: {1 if name in once else 2} if text else set() for name, text in _NESTED.items()}
