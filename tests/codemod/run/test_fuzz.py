"""Estimator programs changed by chance keep every promise; ``python -m tests.fuzz`` tries many more of them."""

from migrate.pipeline.examine import examine_bytes
from migrate.settings import Settings
from tests.cases import each
from tests.codemod.bodies import COLUMNS, body
from tests.fuzz.__main__ import made, trees_tried
from tests.fuzz.promises import tried


def test_programs_changed_by_chance_are_rewritten_well_or_left():
    trials = [tried(*made(0, number)) for number in range(30)]
    assert [trial.broken for trial in trials] == [[]] * 30
    assert any(trial.has_site for trial in trials)
    assert any(trial.is_rewritten for trial in trials)


def test_a_tree_of_files_and_notebooks_changed_by_chance_is_written_well_or_left():
    counts, broken = trees_tried(0, 0, 20)
    assert broken == []
    assert min(counts["files"], counts["notebooks"], counts["changed"]) > 0


@each("text", ids=range(8))(
    "est = est\nest.train(est)\nDNN(config=est)\n",
    "config = config.replace(a=config)\nest = DNN(config=config)\nest.train(data)\n",
    "f = f(f)\nest = DNN()\nest.train(f, hooks=f)\n",
    "def f(): return f\nest = DNN(config=f())\nest.train(f(), hooks=[f()])\n",
    f"cs = cs\nest = tf1.estimator.DNNClassifier(cs, {COLUMNS})\nest.train(lambda: data()" + ".map(f)" * 90 + ")\n",
    "est = DNN(dropout=" + "-" * 90 + "1)\nest.train(data)\n",
    "est = tf1.estimator.DNNClassifier()\nest.train()\nest.evaluate()\nest.predict()\n",
    "est = tf1.estimator.DNNClassifier(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)\nest.train(1, 2, 3, 4, 5)\n",
)
def test_a_strange_program_is_left_or_becomes_an_error_that_loses_no_other_file(text):
    examined = examine_bytes("program.py", body(text).encode(), Settings())
    assert examined.findings
    assert all(finding.message for finding in examined.findings)
