"""A file is parsed and bound once in a run, however many programs ask for it."""

import ast
import os
from collections import Counter

import nbformat
import pytest

from migrate.analysis.calls.reach import Reach
from migrate.analysis.program.tree import Tree
from migrate.analysis.source import module as modules
from migrate.analysis.source.module import module_of
from migrate.analysis.source.names import Names
from migrate.cli.main import main
from migrate.files import parse as parsing
from migrate.files.run_cache import forget
from migrate.files.text import SourceText
from tests.codemod.trees import put

HELPER = """\
import tensorflow as tf


def input_fn():
    return tf.data.Dataset.range({number}).make_one_shot_iterator()
"""
MAIN = """\
import tensorflow as tf

from helper import input_fn


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(features))


tf.estimator.Estimator(model_fn, "/tmp/{number}").train(input_fn, max_steps=3)
"""


@pytest.mark.parametrize("arguments", [["--check"], []], ids=["check", "diff"])
def test_each_file_of_a_tree_is_bound_once(arguments, tmp_path, monkeypatch):
    texts = {"helper.py": HELPER.format(number=len(arguments) + 40)}
    texts |= {f"train_{number}.py": MAIN.format(number=number) for number in range(3)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    bound = Counter()
    made = Names.__init__

    def counting(self, tree, *further):
        bound[ast.unparse(tree)] += 1
        made(self, tree, *further)  # type: ignore[arg-type]

    monkeypatch.setattr(Names, "__init__", counting)
    modules._bind_module.cache_clear()
    main([str(tmp_path), "-j1", *arguments])
    assert {text: bound[ast.unparse(ast.parse(text))] for text in texts.values()} == dict.fromkeys(texts.values(), 1)


@pytest.mark.parametrize("arguments", [["--check"], []], ids=["check", "diff"])
def test_each_text_of_a_tree_with_notebooks_is_parsed_once(arguments, tmp_path, monkeypatch):
    number = len(arguments) + 50
    (tmp_path / "helper.py").write_text(HELPER.format(number=number))
    (tmp_path / "broken.py").write_text("import tensorflow as tf\n\ntf.estimator.Estimator(\n")
    for name in "ab":
        (tmp_path / f"train_{name}.py").write_text(MAIN.format(number=number))
        cells = [nbformat.v4.new_code_cell(part) for part in MAIN.format(number=number).split("\n\n\n")]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    parsed = Counter()
    made = ast.parse

    def counting(text, path="", *further, **named):
        if path.startswith(str(tmp_path)):
            parsed[path, text] += 1
        return made(text, path or "<unknown>", *further, **named)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(parsing.ast, "parse", counting)
    main([str(tmp_path), "-j1", *arguments])
    assert {path for path, _ in parsed} == {str(path) for path in tmp_path.iterdir()}
    assert set(parsed.values()) == {1}


def test_what_one_program_makes_of_a_file_is_not_seen_by_another():
    source = SourceText.decode("a.py", b"import tensorflow as tf\n\ntf.nn.dropout(x, 0.9)\n")
    first, second = module_of(source), module_of(source)
    first.mark_as_tf1()
    assert first.is_tf1
    assert not second.is_tf1
    assert first.tree is second.tree


def test_two_files_of_one_text_share_no_node():
    one, other = (module_of(SourceText.decode(path, b"x = 1\n")).tree for path in ("a.py", "b.py"))
    assert one is not other


def test_a_file_with_a_star_import_is_bound_once_until_files_may_be_others(tmp_path):
    (tmp_path / "base.py").write_text("import tensorflow as tf\n")
    source = SourceText.decode(str(tmp_path / "a.py"), b"from base import *\nprint(tf.estimator)\n")
    first, second = module_of(source), module_of(source)
    assert first.names is second.names
    assert first.estimator_uses or first.uses
    (tmp_path / "base.py").write_text("import other as tf\n")
    forget()
    assert not module_of(source).uses


def test_for_a_class_only_files_that_define_one_of_its_name_are_parsed(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text("import nets\nimport tools\nmodel = nets.Net()\n")
    put(tmp_path, {"nets.py": "class \\\n  Net:\n    pass\n", "tools.py": "def made(Net):\n    return Net\n"})
    (tmp_path / "main.py").write_text("import train\nprint(train.model, 'Net')\n")
    tree = Tree()
    reach = Reach(tree.module(str(tmp_path / "train.py")), tree)
    bound = []
    made = Tree.module
    monkeypatch.setattr(Tree, "module", lambda tree, path: bound.append(os.path.basename(path)) or made(tree, path))
    assert [found.name for found in reach.classes("Net")] == ["Net"]
    assert bound == ["nets.py"]
