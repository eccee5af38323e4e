"""No program text makes the tool fail, and what it writes compiles, is stable and keeps every comment."""

import io
import re
import tokenize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.pipeline.examine import examine_bytes
from migrate.rules import RULES
from migrate.settings import Settings
from tests.codemod.bodies import COLUMNS, body
from tests.codemod.programs import SLOTS, migrate, program

EXPRESSIONS = [
    "x", "7", "None", "args.n", "x[0]", "f()", "f(x)()", "a or b", "a if b else c", "lambda: x", "(y := 3)", "-x",
    "a + b", "not a", "a < b", "a | b", "[x for x in y]", "(x for x in y)", "{**a}", "[*a]", "'é'", "f'{x}'",
    "(\n    x  # why\n)", "'''a\n  b'''", "x.replace(a=3)", "RunConfig()", "Hook()", "model", "config",
    "train_input_fn", "tf", "tf1",
]  # fmt: skip
BY_SLOT = {
    slot: sorted({e.before for rule in RULES.values() for e in rule.examples if e.slot == slot and e.kind == "premade"})
    for slot in SLOTS
}
CONFIGS = st.lists(
    st.tuples(
        st.sampled_from(
            ["model_dir", "tf_random_seed", "save_checkpoints_steps", "keep_checkpoint_max", "session_config"]
        ),
        st.sampled_from(EXPRESSIONS),
    ),
    unique_by=lambda setting: setting[0],
).map(lambda settings: f"RunConfig({', '.join(f'{name}={value}' for name, value in settings)})")
ARGUMENTS = {
    "config": CONFIGS,
    "columns": st.sampled_from(EXPRESSIONS).map(lambda e: f"[tf1.feature_column.numeric_column({e})]"),
    "train": st.sampled_from(EXPRESSIONS).map(lambda e: f"max_steps={e}"),
    "evaluate": st.sampled_from(EXPRESSIONS).map(lambda e: f"steps={e}"),
    "train_input_fn": st.sampled_from(EXPRESSIONS),
    "estimator": st.tuples(
        st.sampled_from(["dropout", "activation_fn", "optimizer", "n_classes", "batch_norm", "model_dir"]),
        st.sampled_from(EXPRESSIONS),
    ).map(lambda pair: f"hidden_units=[8], {pair[0]}={pair[1]}"),
    "hook": st.sampled_from(EXPRESSIONS).map(lambda e: f"self.count = {e}"),
    "head": st.sampled_from(EXPRESSIONS).map(lambda e: f"config_2 = {e}"),
}
PROGRAMS = st.fixed_dictionaries(
    {},
    optional={
        slot: st.one_of(st.sampled_from(BY_SLOT[slot] or [SLOTS[slot]]), ARGUMENTS.get(slot, st.just(SLOTS[slot])))
        for slot in SLOTS
    },
).map(lambda slots: program(**slots))


def commented(text: str) -> str:
    """The text with a comment above the statements that begin a line of their own."""
    lines, depth, starts = text.split("\n"), 0, []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NEWLINE:
            starts.append(token.start[0])
        depth = max(depth, token.end[0])
    for number in starts:
        if "import" not in lines[number - 1]:
            lines[number - 1] += f"  # c{number}"
    return "\n".join(lines)


LAYOUTS = {
    "as it is": lambda text: text,
    "two spaces": lambda text: re.sub("^(    )+", lambda m: "  " * (len(m[0]) // 4), text, flags=re.MULTILINE),
    "tabs": lambda text: re.sub("^(    )+", lambda m: "\t" * (len(m[0]) // 4), text, flags=re.MULTILINE),
    "newlines of Windows": lambda text: text.replace("\n", "\r\n"),
    "comments": commented,
    "in a function": lambda text: "def outer():\n    " + text.replace("\n", "\n    ") + "pass\n",
    "in a class": lambda text: "class Outer:\n    " + text.replace("\n", "\n    ") + "pass\n",
    "under if": lambda text: "if True:\n    " + text.replace("\n", "\n    ") + "pass\n",
    "of another name": lambda text: text.replace("model", "recovery").replace("columns", "inputs"),
}


def is_python(text: str) -> bool:
    try:
        compile(text, "program.py", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(text=PROGRAMS, layout=st.sampled_from(sorted(LAYOUTS)), recovery=st.sampled_from(["auto", "backup-and-restore"]))
def test_any_program_is_rewritten_to_one_that_compiles_or_left_as_it_is(text: str, layout: str, recovery: str) -> None:
    text = LAYOUTS[layout](text)
    if not is_python(text):
        return
    output, findings = migrate(text, recovery=recovery)
    assert not [finding for finding in findings if finding.error]
    if output == text:
        assert not any(finding.rewritten for finding in findings)
        return
    assert is_python(output)
    assert migrate(output, recovery=recovery) == (output, [])
    assert set(re.findall("# c[0-9]+", text)) == set(re.findall("# c[0-9]+", output))


@pytest.mark.parametrize(
    "text",
    [
        "est = est\nest.train(est)\nDNN(config=est)\n",
        "config = config.replace(a=config)\nest = DNN(config=config)\nest.train(data)\n",
        "f = f(f)\nest = DNN()\nest.train(f, hooks=f)\n",
        "def f(): return f\nest = DNN(config=f())\nest.train(f(), hooks=[f()])\n",
        f"cs = cs\nest = tf1.estimator.DNNClassifier(cs, {COLUMNS})\nest.train(lambda: data()" + ".map(f)" * 90 + ")\n",
        "est = DNN(dropout=" + "-" * 90 + "1)\nest.train(data)\n",
        "est = tf1.estimator.DNNClassifier()\nest.train()\nest.evaluate()\nest.predict()\n",
        "est = tf1.estimator.DNNClassifier(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)\nest.train(1, 2, 3, 4, 5)\n",
    ],
    ids=range(8),
)
def test_a_strange_program_is_left_or_becomes_an_error_that_loses_no_other_file(text: str) -> None:
    examined = examine_bytes("program.py", body(text).encode(), Settings())
    assert examined.findings
    assert all(finding.message for finding in examined.findings)
