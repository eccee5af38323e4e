"""What the process does to its surroundings: streams, signals, imports."""

import os
import pty
import signal
import subprocess
import sys

import pytest


def test_a_terminal_gets_colour(command):
    other_end, terminal = pty.openpty()
    command("--check", ".", stderr=terminal)
    os.close(terminal)
    assert b"\x1b[1m" in os.read(other_end, 65536)
    os.close(other_end)


def test_a_reader_that_leaves_early_ends_it_quietly(command):
    for arguments, code in ((["--check", "."], 1), (["rules"], 0)):
        reader, writer = os.pipe()
        os.close(reader)
        done = command(*arguments, stdout=writer)
        os.close(writer)
        assert done.returncode == code
        assert "Error" not in done.stderr


def test_a_reader_of_everything_that_leaves_early_ends_it_quietly(command):
    reader, writer = os.pipe()
    os.close(reader)
    # A crash would make it 1.
    assert command("--check", ".", "missing.py", stdout=writer, stderr=writer).returncode == 2
    os.close(writer)


def test_a_full_disk_is_told(command):
    with open("/dev/full", "w") as full:
        done = command("--check", ".", stdout=full)
    assert done.returncode == 2
    assert done.stderr.endswith("error: <stdout> cannot be written: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_crash(command, environment, closed):
    shell = f'"{sys.executable}" -m migrate --check . {closed}'
    done = subprocess.run(shell, shell=True, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_it_with_one_line(project, environment):
    os.mkfifo(project / "list")
    arguments = [sys.executable, "-m", "migrate", "plan", "--baseline", "list", "."]
    process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # Opening the pipe waits until the process opens it too, and so is at work.
    with open(project / "list", "w"):
        process.send_signal(signal.SIGINT)
        printed = process.communicate()
    assert process.returncode == 130
    assert printed == (b"", b"Interrupted: no file was changed.\n")


def test_ctrl_c_while_the_modules_are_imported_is_one_line_too(command):
    code = (
        "import runpy, signal, sys; from importlib.abc import MetaPathFinder\n"
        "class Interrupt(MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'migrate.settings':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "runpy.run_module('migrate', run_name='__main__', alter_sys=True)\n"
    )
    done = command("--write", ".", code=code)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted: no file was changed.\n")


def test_names_and_text_of_any_kind_fit_a_narrow_encoding(command, project, environment):
    environment["PYTHONIOENCODING"] = "ascii"
    (project / "modèle.py").write_text("import tensorflow as tf\nname = 'modèle'; tf.estimator.RunConfig(\n")
    done = command("--format", "text", ".")
    assert done.returncode == 2
    assert r"mod\xe8le.py:2:" in done.stdout
