"""What is nested deeply is rewritten like anything else; what cannot be is a finding of its file alone."""

from pathlib import Path

import pytest

from migrate.judging.judge import judge_together
from migrate.pipeline import multi_file_programs
from tests.codemod.changed import names
from tests.codemod.trees import outcome_of, put

DEPTH = 400
DEEP = {
    "sum": "+".join(["1"] * DEPTH),
    "calls": "a" + ".f()" * DEPTH,
    "signs": "-" * DEPTH + "1",
    "lambdas": "lambda: " * DEPTH + "1",
    "strings": '("a"' + ' "a"' * DEPTH + ")",
    "subscripts": "a" + "[0]" * DEPTH,
    "settings": "tf.estimator.RunConfig()" + ".replace(save_summary_steps=3)" * DEPTH,
}
PLACES = {
    "train": "est = tf.estimator.Estimator(model_fn)\nest.train({})\n",
    "config": "est = tf.estimator.Estimator(model_fn, config={})\nest.train(data, max_steps=3)\n",
    "model_fn": (
        "def model_fn(features, labels, mode):\n    loss = {}\n"
        "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.AdamOptimizer().minimize(loss))\n\n\n"
        "est = tf.estimator.Estimator(model_fn)\nest.train(data, max_steps=3)\n"
    ),
}
PLAIN = "import tensorflow as tf\n\nest = tf.estimator.Estimator(model_fn)\nest.train(data, max_steps=3)\n"


def errors(found):
    return {Path(finding.path).name: finding for finding in found.findings if finding.error}


def changed(found):
    return {*names(found)} - {"tf2_recovery"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", DEEP)
def test_a_program_with_a_deep_expression_is_rewritten_around_it(kind, place, tmp_path):
    text = "import tensorflow as tf\n\n" + PLACES[place].replace("{}", DEEP[kind])
    (tmp_path / "job.py").write_text(text)
    found = outcome_of(tmp_path)
    assert errors(found) == {}
    (change,) = (change for change in found.changes if change.path.endswith("job.py"))
    compile(change.after, "job.py", "exec")


def test_a_file_that_imports_leads_nowhere_by_a_deep_path_and_its_neighbours_are_judged(tmp_path):
    deep = f"import sys\nimport other\nsys.path.append({DEEP['sum']})\n({DEEP['subscripts']}).path.append('x')\n"
    put(tmp_path, {"job.py": PLAIN + deep, "other.py": "import tensorflow as tf\n\nMade = tf.estimator.Estimator\n"})
    found = outcome_of(tmp_path)
    assert errors(found) == {}
    assert changed(found) == {"job.py", "other.py"}


@pytest.mark.parametrize(("jobs", "count"), [(1, 3), (2, 230)])
def test_what_python_cannot_parse_is_an_error_of_its_own_file_alone(jobs, count, tmp_path):
    for number in range(count):
        (tmp_path / f"job_{number}.py").write_text(PLAIN)
    (tmp_path / "deep.py").write_text(PLAIN + "x = a" + ".f()" * 200_000 + "\n")
    (tmp_path / "long.py").write_text(PLAIN + "x = " + "-" * 200_000 + "1\n")
    found = outcome_of(tmp_path, jobs=jobs)
    assert {name: one.code for name, one in errors(found).items()} == {"deep.py": "FT003", "long.py": "FT003"}
    assert len(changed(found)) == count


def test_a_rewrite_with_more_brackets_than_python_takes_is_the_error_of_its_file(tmp_path):
    deep = "a if b else " * DEPTH + "1"
    (tmp_path / "deep.py").write_text(
        "import tensorflow as tf\n\n"
        f"est = tf.estimator.DNNClassifier([3], [tf.feature_column.numeric_column('x')], model_dir={deep})\n"
        "est.train(lambda: data(), max_steps=3)\n"
    )
    (tmp_path / "job.py").write_text(PLAIN)
    found = outcome_of(tmp_path)
    assert all(one.code == "FT003" and "internal error" not in one.help for one in errors(found).values())
    assert "job.py" in changed(found)


def test_a_mistake_of_the_tool_in_one_file_of_a_group_is_told_of_it_alone(tmp_path, monkeypatch):
    def failing(modules, settings, tree):
        if any("a_trap" in module.text for module in modules):
            raise ValueError("a mistake")
        return judge_together(modules, settings, tree)

    monkeypatch.setattr(multi_file_programs, "judge_together", failing)
    (tmp_path / "shared.py").write_text("import tensorflow as tf\n\nMade = tf.estimator.Estimator\n")
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.py").write_text(f"import shared\n{PLAIN}")
    (tmp_path / "trap.py").write_text(f"import shared\n{PLAIN}a_trap = 1\n")
    found = outcome_of(tmp_path)
    assert {name: one.code for name, one in errors(found).items()} == {"trap.py": "FT009"}
    judged = {Path(finding.path).name for finding in found.findings if finding.code not in ("FT003", "FT009")}
    assert {"one.py", "two.py", "three.py"} <= judged
