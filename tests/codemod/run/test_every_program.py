"""Over every example of every rule and every fixture: what is not rewritten keeps its bytes, and once is enough."""

import os
from pathlib import Path

import pytest

from migrate.pipeline.run import write
from migrate.rules import RULES
from tests.codemod.rules.test_examples import choices
from tests.codemod.trees import outcome_of
from tests.fuzz.seeds import LEGACY, PUBLIC_SHAPES
from tests.notebooks import SHAPES, shape

LAYOUTS = (
    lambda text: text.encode(),
    lambda text: text.replace("\n", "\r\n").encode(),
    lambda text: text.encode("utf-8-sig"),
    lambda text: f"# -*- coding: latin-1 -*-\n# mod\u00e8le\n{text}".encode("latin-1", "replace"),
    lambda text: text.rstrip("\n").encode(),
    lambda text: text.replace("    ", "\t").encode(),
)


def programs():
    """The files to try, by the settings to try them with; each in one of the layouts that a file may have."""
    examples = [(rule, example) for rule in RULES.values() for example in rule.examples]
    found = {}
    for number, (rule, example) in enumerate(examples):
        files = found.setdefault(tuple(choices(example).items()), {})
        files[f"{rule.code}_{number}.py"] = LAYOUTS[number % len(LAYOUTS)](example.source)
    whole = found[tuple(choices(examples[0][1]).items())]
    whole |= {path.name: path.read_bytes() for path in LEGACY.glob("*.py")} | {name: shape(name) for name in SHAPES}
    whole |= {f"shape_{number}.py": text.encode() for number, text in enumerate(PUBLIC_SHAPES)}
    return found


PROGRAMS = programs()


def state(tree):
    """Inode, time and bytes of every file."""
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    return {
        str(path.relative_to(tree)): (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in files
    }


@pytest.mark.slow
@pytest.mark.usefixtures("rewritten_once")
@pytest.mark.parametrize("settings", PROGRAMS, ids=lambda each: "-".join(value for _, value in each))
def test_a_write_changes_what_it_says_and_no_byte_else_and_a_second_one_nothing(settings, here):
    for name, data in [*PROGRAMS[settings].items()]:
        Path(name).write_bytes(data)

    def found():
        return outcome_of(".", **dict(settings))

    before, outcome = state(here), found()
    assert write(outcome) == []
    after = state(here)
    changed = {os.path.relpath(change.path): change for change in outcome.changes}
    assert changed
    assert {name for name in after if after[name] != before.get(name)} == changed.keys()
    assert after.keys() == before.keys() | changed.keys()
    for name, change in changed.items():
        data = change.after.encode() if change.source is None else change.source.encode(change.after)
        assert after[name][2] == data
    again = found()
    assert not again.changes
    assert not any(finding.rewritten or finding.error for finding in again.findings)
    rewritten = {finding.path for finding in outcome.findings if finding.rewritten}
    whole = rewritten.difference(finding.path for finding in outcome.findings if not finding.rewritten)
    assert whole.isdisjoint(finding.path for finding in again.findings)
    assert write(again) == []
    assert state(here) == after
