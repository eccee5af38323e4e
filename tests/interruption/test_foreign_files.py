"""Whatever a program calls its directory, ``verify`` touches no file outside of the runs' own directories."""

import hashlib
import os
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.verify import Program, run
from migrate.verify.cli import main
from tests import nursery

LOOP = """
import argparse, json, os, pathlib, shutil, subprocess, sys, tempfile
import tensorflow as tf
{above}

def train(directory):
    step, weight = tf.Variable(0, dtype=tf.int64), tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(step=step, weight=weight)
    manager = tf.train.CheckpointManager(checkpoint, directory, max_to_keep=1, step_counter=step)
    checkpoint.restore(manager.latest_checkpoint)

    @tf.function
    def one():
        with tf.GradientTape() as tape:
            loss = weight * weight
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
        step.assign_add(1)
        return loss

    for _ in range(int(step), 20):
        one()
        if int(step) % 5 == 0:
            manager.save(checkpoint_number=int(step))

{main}
"""
FLAG = 'parser = argparse.ArgumentParser()\nparser.add_argument("--model_dir")\nargs, _ = parser.parse_known_args()\n'
BESIDE = FLAG + "{}\ntrain(args.model_dir)"
"""A program with the right directory, which does something to another one as well."""

REFUSED = {
    "a text in the call": ("", "train('PROD')", "saves into 'PROD' (job.py:11), which is in its code"),
    "a constant of another file": ("from settings import DIRECTORY", "train(DIRECTORY)", "saves into 'PROD'"),
    "a path below a constant": ("ROOT = 'PROD'", "train(os.path.join(ROOT, 'run'))", "saves into os.path.join(ROOT"),
    "a temporary directory": ("", "train(tempfile.mkdtemp())", "saves into a temporary directory (job.py:11)"),
    "the environment": ("", "train(os.environ['MODEL_DIR'])", "add --env MODEL_DIR={model_dir}"),
    "another flag": (
        "from absl import app, flags\nflags.DEFINE_string('model_dir', '', '')\nflags.DEFINE_string('out', 'PROD', '')",
        "app.run(lambda _: train(flags.FLAGS.out))",
        "takes its directory from --out",
    ),
}
"""Programs whose directory is seen to come from elsewhere: what stands above, what trains, and what is told."""

STOPPED = {
    "a configuration file": ("", "train(json.load(open('config.json'))['directory'])"),
    "a text that is put together": ("", "train(''.join(map(chr, DIRECTORY)))"),
    "a directory that is removed": ("", BESIDE.format("shutil.rmtree('PROD')")),
    "a directory that TensorFlow removes": ("", BESIDE.format("tf.io.gfile.rmtree('PROD')")),
    "a checkpoint that is overwritten": ("", BESIDE.format("tf.train.Checkpoint().write('PROD/ckpt-9')")),
    "a file that is opened": ("", BESIDE.format("open('PROD/ckpt-9.index', 'ab')")),
    "a log of summaries": ("", BESIDE.format("tf.summary.create_file_writer('PROD/log')")),
    "an export": ("", BESIDE.format("tf.saved_model.save(tf.Module(), 'PROD/export')")),
    "a file of records": ("", BESIDE.format("tf.io.TFRecordWriter('PROD/records')")),
    "an operation that writes": ("", BESIDE.format("tf.io.write_file('PROD/file', 'x')")),
}
"""Programs that are started, and stopped at their line before it does anything."""


@pytest.fixture
def job(tmp_path, monkeypatch, forks):
    """Write a program beside a directory with a job in it, and give both; the tests stand there."""
    prod = tmp_path / "production"
    prod.mkdir()
    for name in ("checkpoint", "ckpt-9.index", "ckpt-9.data-00000-of-00001"):
        (prod / name).write_text(f"{name} of a real job")
    (tmp_path / "settings.py").write_text(f"DIRECTORY = {str(prod)!r}\n")
    (tmp_path / "config.json").write_text(f'{{"directory": "{prod}"}}')
    monkeypatch.setenv("MODEL_DIR", str(prod))
    monkeypatch.chdir(tmp_path)

    def write(above, trains):
        above = above or f"DIRECTORY = {[*map(ord, str(prod))]}"
        text = LOOP.format(above=above, main=textwrap.dedent(trains)).replace("PROD", str(prod))
        (tmp_path / "job.py").write_text(text)
        return "job.py", prod

    return write


def everything(*roots):
    """Each file and directory below some: its inode, time and content."""
    found = {}
    for root in roots:
        for folder, _, files in os.walk(root):
            for path in (folder, *(os.path.join(folder, file) for file in files)):
                status = os.lstat(path)
                content = Path(path).read_bytes() if os.path.isfile(path) else b""
                found[path] = status.st_ino, status.st_mtime_ns, status.st_mode, hashlib.sha256(content).hexdigest()
    return found


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_program_whose_directory_comes_from_elsewhere_is_refused_before_it_is_started(
    name, job, tmp_path, old_python, new_python, capsys
):
    above, trains, told = REFUSED[name]
    script, prod = job(above, trains)
    before = everything(tmp_path)
    assert main([script, script, "--old-python", old_python, "--new-python", new_python]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert told.replace("PROD", str(prod)).replace("job.py:11", f"job.py:{line_of(script)}") in said
    assert said.endswith("nothing was started")
    assert everything(tmp_path) == before


def line_of(script):
    return next(n for n, line in enumerate(Path(script).read_text().splitlines(), 1) if "CheckpointManager(" in line)


@pytest.mark.parametrize("name", list(STOPPED))
def test_a_program_is_stopped_before_it_touches_a_file_outside_of_its_directory_and_its_line_is_told(
    name, job, tmp_path, old_python, new_python, capsys
):
    script, prod = job(*STOPPED[name])
    before = everything(tmp_path)
    assert main([script, script, "--old-python", old_python, "--new-python", new_python]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"{prod}" in said
    assert f"{tmp_path / 'job.py'}:" in said
    assert "outside of the directory that it is given" in said
    assert "that was stopped before" in said
    assert everything(tmp_path) == before


@pytest.mark.parametrize("python", ["old_python", "new_python"])
def test_a_program_that_another_one_starts_cannot_touch_a_file_outside_either(python, job, tmp_path, request):
    script, _ = job("", BESIDE.format("subprocess.run(['rm', '-rf', 'PROD'], stderr=-1)"))
    before = everything(tmp_path / "production")
    attempt = run(Program(script, request.getfixturevalue(python), launch=nursery.launch), tmp_path / "run")
    assert attempt.finished, attempt.output
    assert everything(tmp_path / "production") == before


@pytest.mark.parametrize("python", ["old_python", "new_python"])
def test_a_checkpoint_elsewhere_is_restored_only_if_an_argument_tells_the_program_of_it(python, job, tmp_path, request):
    script, prod = job("", FLAG + "tf.train.Checkpoint().read(sys.argv[-1] or 'PROD/own-1')\ntrain(args.model_dir)")
    python = request.getfixturevalue(python)
    make = f"import tensorflow as tf; tf.train.Checkpoint().write({str(prod / 'own-1')!r})"
    assert nursery.run([python, "-c", make], dict(os.environ)).returncode == 0
    hard_coded = Program(script, python, ("--model_dir", "{model_dir}", ""), launch=nursery.launch)
    given = replace(hard_coded, args=("--model_dir", "{model_dir}", str(prod / "own-1")))
    assert run(given, tmp_path / "run").finished
    [stopped] = run(hard_coded, tmp_path / "other").events_of("stopped")
    assert (stopped["what"], stopped["path"]) == ("restore from", str(prod / "own-1"))
    assert run(replace(hard_coded, allowed=(str(prod),)), tmp_path / "third").finished


def test_a_directory_that_is_allowed_may_be_written_to(job, tmp_path, new_python):
    script, prod = job("", BESIDE.format("open('PROD/log', 'w').write('x')"))
    assert run(Program(script, new_python, allowed=(str(prod),), launch=nursery.launch), tmp_path / "run").finished
    assert (prod / "log").read_text() == "x"


RELATIVE = "Path(open('settings.py').name).exists() or sys.exit('no data')\n{}\ntrain('production')"
"""A program that reads a file beside it, and saves into a directory there that holds an earlier training's files."""


def test_a_program_that_saves_into_a_relative_path_runs_in_a_directory_of_its_own_without_the_earlier_saves(
    job, tmp_path, new_python, capsys
):
    script, _ = job("from pathlib import Path", RELATIVE.format(""))
    before = everything(tmp_path)
    assert main([script, "--new-python", new_python]) == 2
    assert "add --own-cwd; nothing was started" in " ".join(capsys.readouterr().err.split())
    assert main([script, "--new-python", new_python, "--fault", "sigkill", "--own-cwd"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "sigkill at step 13: matches, resumed at step 10" in said
    assert "Note: the runs begin without production/checkpoint, production/ckpt-9.data-00000-of-00001" in said
    assert everything(tmp_path) == before


def test_the_model_each_run_begins_with_is_named_where_missed_and_copied_where_given(job, tmp_path, new_python, capsys):
    script, _ = job("from pathlib import Path", RELATIVE.format("open('models/start.keras', 'a').write('more')"))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "start.keras").write_text("begun")
    reads = Path(script).read_text().replace("open('models", "open('models/start.keras').read()\nopen('models", 1)
    Path(script).write_text(reads)
    before = everything(tmp_path)
    once = [script, "--new-python", new_python, "--fault", "sigkill", "--own-cwd"]
    assert main(once) == 2
    assert "--begin-with models/start.keras" in " ".join(capsys.readouterr().err.split())
    assert main([*once, "--begin-with", "models/start.keras"]) == 0
    assert "models/start.keras" not in capsys.readouterr().out
    assert everything(tmp_path) == before


def test_a_file_that_is_linked_into_a_run_is_not_written_to(job, tmp_path, new_python, capsys):
    script, _ = job("from pathlib import Path", RELATIVE.format("open('config.json', 'a').write('x')"))
    before = everything(tmp_path)
    assert main([script, "--new-python", new_python, "--own-cwd"]) == 2
    assert f"would write to {tmp_path}/config.json ({tmp_path}/job.py:" in " ".join(capsys.readouterr().err.split())
    assert everything(tmp_path) == before
