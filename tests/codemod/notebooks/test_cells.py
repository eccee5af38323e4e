"""Cells are joined to programs and cut again, and what only IPython understands comes back as it was."""

import ast

import pytest

from migrate.files.cells import CellsDiffer, programs
from migrate.files.notebook import Cell
from tests.cases import each


def found(*sources):
    return programs([Cell(number, source) for number, source in enumerate(sources, start=1)])


@each("source")(
    "%matplotlib inline",
    "!pip install -q x\nx = 1",
    "files = !ls *.py\n",
    "  !ls",
    "x = %sql SELECT 1",
    "tf.keras.Input?",
    "??x",
    "%run a.py \\\n  --flag\nx = 1",
    "%time classifier.train(f)",
    "%%time\nx = 1",
    "%%capture out\n!ls\n",
    "from __future__ import print_function\nx",
    "from __future__ import (a,\n  b)\nx",
    "if x:\n    !ls {x}\nelse:\n    %cd ..",
    "\n\nx = 1\n\n",
    "# only a comment",
    "",
    "\n",
    "  x = 1\n  y = 2\n",
    "await x",
    "'''\n!no magic\n%here\n'''",
    "x = (\n  a\n  % b)\n",
    "y = a \\\n % b",
    "def f():\n  '''x?'''\n",
    "ls ./taxifare/trainer/",
    "\ncd ..\n",
    "conda install graphviz",
    "pip install -q x",
    "ls = 1",
    "rm(x)",
)
def test_what_python_does_not_understand_comes_back_as_it_was(source):
    program = found("import a", source, "b = 2")[0]
    ast.parse(program.text)
    changed = program.text.replace("import a\n", "import z\n").replace("b = 2", "c = 3")
    assert program.cut(changed) == {1: "import z", 3: "c = 3"}


@each("source")("%%bash\npython x.py", "%%html", "%%writefile a.txt\nx", "%bash\ngcloud config set")
def test_cells_in_other_languages_belong_to_no_program(source):
    assert [part.cell for program in found(source, "x = 1") for part in program.parts] == [2]


def test_a_cell_that_writes_a_module_is_a_program_of_its_own():
    own, task, other = found(
        "x = 1", "%%writefile a/task.py\ny = 1", "%%writefile -a a/task.py\nz = 1", "%%file b.py\n"
    )
    assert (own.written, task.written, other.written) == (None, "a/task.py", "b.py")
    assert [part.cell for part in task.parts] == [2, 3]
    assert task.cut(task.text.replace("z = 1", "z = 2")) == {3: "%%writefile -a a/task.py\nz = 2"}


def test_a_line_of_the_program_is_found_in_its_cell():
    program = found("a = 1\nb = 2", "%%time\nc = 3\n\nd = 4", " e = 5")[0]
    lines = program.text.split("\n")
    found_at = [
        program.place(lines.index(f"{name} = {value}") + 1, program.text) for value, name in enumerate("abcde", 1)
    ]
    assert found_at == [(1, 1, 0), (1, 2, 0), (2, 2, 0), (2, 4, 0), (3, 1, 1)]


def test_what_a_magic_uses_counts_as_used():
    program = found("%time est.train(data)", "!ls {model_dir} $HOME_DIR plain", "%cd folder")[0]
    used = {node.id for node in ast.walk(ast.parse(program.text)) if isinstance(node, ast.Name)}
    assert used == {"est", "data", "model_dir", "HOME_DIR"}


def test_a_text_that_lost_a_border_or_a_magic_is_refused():
    program = found("a = 1\n!ls", "b = 2")[0]
    for lost in ([line for line in program.text.split("\n") if "cell 1" in line][-1], 'magic 0"'):
        with pytest.raises(CellsDiffer):
            program.cut(program.text.replace(lost, ""))


def test_a_text_that_holds_the_mark_of_a_border_is_no_trouble():
    program = found('x = "migrate-cell 1"', "y = 2")[0]
    assert program.cut(program.text.replace("y = 2", "y = 3")) == {2: "y = 3"}


@each("sources", "apart")(
    (("a = 1", "def f():\n    pass", "# c", "", "d"), True),
    (("print(", ", 1)"), False),
    (("x = '''", "'''"), False),
    (("y = 1", "x = [", ", 2]"), False),
)
def test_cells_stand_apart_where_no_statement_crosses_a_border(sources, apart):
    program = found(*sources)[0]
    assert program.separates_parts(ast.parse(program.text)) is apart
