"""What an expression may be is followed equally far, whatever is asked of it."""

import ast
from pathlib import Path

import pytest

from migrate.analysis.module import Module
from migrate.analysis.names import FARTHEST
from migrate.analysis.tree import Tree
from migrate.analysis.values.values import Unfollowable, Values

LED = {
    "a variable": "{head}\nx = {value}\ntrain(x)",
    "a parameter": "{head}\ndef job(x):\n    train(x)\n\n\njob({value})",
    "a parameter given by name": "{head}\ndef job(*, x=3):\n    train(x)\n\n\njob(x={value})",
    "a default": "{head}\ndef job(x={value}):\n    train(x)\n\n\njob()",
    "a function": "{head}\ndef made():\n    return {value}\n\n\ntrain(made())",
    "a lambda": "{head}\nmade = lambda: {value}\ntrain(made())",
    "a method": "{head}\nclass Job:\n    def made(self):\n        return {value}\n\n\njob = Job()\ntrain(job.made())",
    "a conditional expression": "{head}\nx = None\ntrain(3 if x is not None else {value})",
    "the only branch that runs": "{head}\nx = None\ny = {value}\nif x is not None:\n    y = 3\ntrain(y)",
    "the names that it has": "{head}\n" + "\n".join(f"x{n} = x{n - 1}" for n in range(1, 10)) + "\ntrain(x9)",
}


def given(text: str) -> tuple[Module, ast.expr]:
    module = Module("job.py", text, ast.parse(text))
    calls = [call for call in module.names.nodes(ast.Call) if ast.unparse(call.func) == "train"]
    return module, calls[0].args[0]


@pytest.mark.parametrize("way", LED)
def test_none_a_flag_without_a_value_a_quotient_and_a_function_are_found_by_the_same_ways(way: str) -> None:
    def led(value: str) -> tuple[Module, ast.expr]:
        head = 'parser.add_argument("--most")' + (f"\nx0 = {value}" if "x9" in LED[way] else "")
        return given(LED[way].replace("{head}", head).replace("{value}", value))

    values = Values(Tree())
    assert values.is_none(*led("None"))
    assert not values.is_none(*led("3"))
    assert values.may_be_none(*led("args.most"))
    assert not values.may_be_none(*led("args.other"))
    assert values.may_be_fraction(*led("total / 2"))
    assert not values.may_be_fraction(*led("total // 2"))
    assert len(values.functions(*led("lambda features: features"))) == 1
    with pytest.raises(Unfollowable):
        values.functions(*led("3"))


def test_what_another_file_gives_is_followed_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.py").write_text("def job(steps):\n    train(steps)\n", encoding="utf-8")
    (tmp_path / "main.py").write_text("from job import job\n\nhalf = 10 / 4\njob(half)\n", encoding="utf-8")
    path = str(tmp_path / "job.py")
    tree = Tree()
    module = tree.module(path)
    call = module.names.nodes(ast.Call)[0]
    values = Values(tree)
    assert values.may_be_fraction(module, call.args[0])
    assert [ast.unparse(end.node) for end in values.ends(module, call.args[0])] == ["10 / 4"]
    assert {one.path for one in values.givers} == {"main.py"}


@pytest.mark.parametrize("text", ["f = f", "f = g\ng = f", "f = f()", "f = lambda: f()", "def f():\n    return f()"])
def test_what_is_made_from_itself_is_followed_to_no_end(text: str) -> None:
    module, value = given(f"{text}\ntrain(f())")
    values = Values(Tree())
    assert not values.is_none(module, value)
    assert not values.may_be_none(module, value)
    with pytest.raises(Unfollowable):
        values.functions(module, value)


def test_a_value_is_followed_no_farther_than_the_house_says() -> None:
    for last, is_seen in ((FARTHEST, True), (FARTHEST + 1, False)):
        names = "\n".join(f"x{n} = x{n - 1}" for n in range(1, last + 1))
        module, value = given(f"x0 = None\n{names}\ntrain(x{last})")
        assert Values(Tree()).is_none(module, value) is is_seen
