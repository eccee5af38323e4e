"""A program under Horovod is migrated in every form that real programs have it."""

import pytest

from tests.codemod.run.test_several_files import MODELING, main
from tests.codemod.trees import outcome_of, put

BROADCAST = "hooks=[hvd.BroadcastGlobalVariablesHook(0)]"
HVD = "import horovod.tensorflow as hvd\n"
TOLD = "trains under Horovod as before, on TensorFlow 2.15: the last release of Horovod is older than 2.16"
FORMS = {
    "the number of the rank in the directory": main().replace('"/tmp/m"', '"/tmp/m" if hvd.rank() == 0 else None'),
    "steps for each rank": main().replace("max_steps=10", "steps=10 // hvd.size()"),
    "a hook that broadcasts": main().replace("max_steps=10", f"max_steps=10, {BROADCAST}"),
    "a checkpoint of rank 0 alone": main().replace("steps=5", "steps=5 if hvd.rank() == 0 else None"),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_a_file_that_asks_horovod_keeps_what_it_asks(tmp_path, text):
    outcome = outcome_of(put(tmp_path, {"main.py": HVD + text, "modeling.py": MODELING}))
    (after,) = (change.after for change in outcome.changes if change.path.endswith("main.py"))
    asked = [word for word in ("hvd.rank() == 0 else None", "10 // hvd.size()", BROADCAST) if word in text]
    assert [word for word in asked if word not in after] == []
    assert TOLD in [finding.message for finding in outcome.findings]


def test_so_does_a_program_of_which_another_file_imports_it(tmp_path):
    modeling = MODELING.replace("import tensorflow as tf\n", "import ranks\nimport tensorflow as tf\n", 1)
    put(tmp_path, {"main.py": main(), "modeling.py": modeling, "ranks.py": HVD + "\n\nrank = hvd.rank\n"})
    outcome = outcome_of(tmp_path)
    assert outcome.changes != []
    assert TOLD in [finding.message for finding in outcome.findings]
