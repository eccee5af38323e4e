"""A program under Horovod is skipped whole, in every form that real programs have it."""

from pathlib import Path

import pytest

from tests.codemod.run.test_several_files import MODELING, main, migrated, put, reasons

BROADCAST = "hooks=[hvd.BroadcastGlobalVariablesHook(0)]"
HVD = "import horovod.tensorflow as hvd\n"
REASON = "uses Horovod: the tool cannot guarantee that all ranks resume at the same step"
FORMS = {
    "the number of the rank in the directory": main().replace('"/tmp/m"', '"/tmp/m" if hvd.rank() == 0 else None'),
    "steps for each rank": main().replace("max_steps=10", "steps=10 // hvd.size()"),
    "a hook that broadcasts": main().replace("max_steps=10", f"max_steps=10, {BROADCAST}"),
    "a checkpoint of rank 0 alone": main().replace("steps=5", "steps=5 if hvd.rank() == 0 else None"),
}


@pytest.mark.parametrize("canned", ["auto", "object"])
@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_a_file_that_asks_horovod_is_left_with_its_reason(tmp_path: Path, text: str, canned: str) -> None:
    assert "hvd." in text
    put(tmp_path, {"main.py": HVD + text, "modeling.py": MODELING})
    outcome = migrated(tmp_path, canned=canned)
    assert outcome.changes == []
    assert REASON in reasons(outcome)


@pytest.mark.parametrize("canned", ["auto", "object"])
def test_so_is_a_program_of_which_another_file_imports_it(tmp_path: Path, canned: str) -> None:
    modeling = MODELING.replace("import tensorflow as tf\n", "import ranks\nimport tensorflow as tf\n", 1)
    put(tmp_path, {"main.py": main(), "modeling.py": modeling, "ranks.py": HVD + "\n\nrank = hvd.rank\n"})
    outcome = migrated(tmp_path, canned=canned)
    assert outcome.changes == []
    assert REASON in reasons(outcome)
