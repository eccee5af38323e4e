"""A user's own name never replaces a generated one, whatever it is bound to and whatever the rule."""

import ast
from functools import cache

import pytest

from migrate.analysis.source.names import Names
from migrate.rules import RULES
from migrate.runtime_files.package import public_names
from tests.codemod.programs import migrate
from tests.codemod.rules.test_examples import choices

FORMS = {
    "class": "class {0}:\n    pass\n",
    "name of an import": "from theirs import other as {0}\n",
    "parameter": "def own_{0}({0}):\n    return {0}\n",
}


@cache
def programs():
    """A few of the rules' examples, each with the user's choices and what is emitted for it, that emit every name."""
    found = []
    for rule in RULES.values():
        for example in rule.examples:
            if example.after is not None:
                after, _ = migrate(example.source, **choices(example))
                found.append((example.source, choices(example), frozenset(emitted_in(ast.parse(after)))))
    return list(_covering(found))


def _covering(found):
    missing = {name for _, _, names in found for name in names}
    while missing:
        best = max(found, key=lambda program: len(program[2] & missing))
        missing -= best[2]
        yield best


@pytest.mark.slow
def test_the_examples_emit_every_name_that_new_code_calls():
    emitted = {name for _, _, names in programs() for name in names}
    assert emitted <= public_names()
    assert emitted >= {"BackupAndRestore", "Estimator", "ModelCheckpoints", "WorkerRecovery", "fit_on_workers", "slim"}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_user_s_own_name_stays_what_it_is_and_the_emitted_one_gets_another(form):
    left = 0
    for text, settings, names in programs():
        bound = Names(ast.parse(text)).top.bindings
        names -= bound.keys()  # one that the program imports itself keeps its name
        own = "".join(FORMS[form].format(name) for name in sorted(names))
        before = f"{own}{text}" if "import" in form else f"{text}\n\n{own}"
        after, findings = migrate(before, **settings)
        if not all(finding.rewritten for finding in findings):  # the name has a meaning for the rule: left whole
            assert after == before
            left += 1
            continue
        assert own in after, after
        new = ast.parse(after.replace(own, ""))
        used = variables(new)
        assert used & names <= variables(ast.parse(text)), after
        assert {name for name, alias in emitted_in(new).items() if alias in used} >= names, after
    assert left <= 1


def emitted_in(tree):
    """The emitted names that a text imports, each with what it is called there."""
    found = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    imports = [node for node in found if (node.module or "").startswith("tf2_recovery.")]
    return {alias.name: alias.asname or alias.name for node in imports for alias in node.names}


def variables(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
