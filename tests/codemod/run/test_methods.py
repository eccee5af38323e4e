"""A model_fn that is a method is migrated with the estimator, wherever the class of its object stands."""

import re
from pathlib import Path

import pytest

from .test_several_files import MODELING, main, migrated, new_text, put

FUNCTION = MODELING.partition("def model_fn_builder")[0].partition("\n\n\n")
HEAD, BODY = FUNCTION[0], FUNCTION[2].rstrip()


def indented(text: str, by: int = 4) -> str:
    return "".join(" " * by + line if line.strip() else line for line in text.splitlines(keepends=True))


METHOD = indented(BODY.replace("def model_fn(", "def model_fn(self, "))
BUILDER = "    def build(self):\n" + indented(BODY, 8) + "\n\n        return model_fn"
PLAIN = f"{HEAD}\n\n\nclass Net:\n{METHOD}\n"
BUILDS = f"{HEAD}\n\n\nclass Net:\n{BUILDER}\n"
DERIVED = f"{HEAD}\n\n\nclass Base:\n{METHOD}\n\n\nclass Net(Base):\n    size = 1\n"
FOLLOWED = {
    "of a new object": (PLAIN, "from modeling import Net", "Net().model_fn"),
    "of an object in a variable": (PLAIN, "from modeling import Net\n\nnet = Net()", "net.model_fn"),
    "of a module's class": (PLAIN, "import modeling", "modeling.Net().model_fn"),
    "of the class that it derives from": (DERIVED, "from modeling import Net", "Net().model_fn"),
    "that a builder's method returns": (BUILDS, "from modeling import Net", "Net().build()"),
    "of a builder in a variable": (BUILDS, "from modeling import Net\n\nnet = Net()", "net.build()"),
}


@pytest.mark.parametrize("case", FOLLOWED)
def test_a_method_whose_class_is_seen_is_migrated_with_the_estimator(tmp_path: Path, case: str) -> None:
    modeling, imported, model_fn = FOLLOWED[case]
    put(tmp_path, {"main.py": main(imported, model_fn), "modeling.py": modeling})
    outcome = migrated(tmp_path)
    text = new_text(outcome, tmp_path / "main.py")
    called = rf"estimator = Estimator\(\s*{re.escape(model_fn)},\s*checkpoints=ModelCheckpoints\("
    assert re.search(called, text)
    assert " import EstimatorSpec\n" in new_text(outcome, tmp_path / "modeling.py")
