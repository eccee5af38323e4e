"""What an expression may be is followed equally far, whatever is asked of it."""

import ast

import pytest

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import MAX_STEPS
from migrate.analysis.values.values import Unfollowable, Values
from migrate.files.run_cache import forget

LED = {
    "a variable": "{head}\nx = {value}\ntrain(x)",
    "a parameter": "{head}\ndef job(x):\n    train(x)\n\n\njob({value})",
    "a parameter given by name": "{head}\ndef job(*, x=3):\n    train(x)\n\n\njob(x={value})",
    "a default": "{head}\ndef job(x={value}):\n    train(x)\n\n\njob()",
    "a function": "{head}\ndef made():\n    return {value}\n\n\ntrain(made())",
    "a lambda": "{head}\nmade = lambda: {value}\ntrain(made())",
    "a method": "{head}\nclass Job:\n    def made(self):\n        return {value}\n\n\njob = Job()\ntrain(job.made())",
    "an attribute": (
        "{head}\nclass Job:\n    def __init__(self):\n        self.x = {value}\n\n    def run(self):\n"
        "        train(self.x)"
    ),
    "an attribute that its class is given": (
        "{head}\nclass Job:\n    def __init__(self, x):\n        self.x = x\n\n    def run(self):\n"
        "        train(self.x)\n\n\n"
        "Job({value}).run()"
    ),
    "an attribute of an object": (
        "{head}\nclass Base(ABC):\n    x = {value}\n\n\nclass Job(Base):\n    y = 3\n\n\njob = Job()\ntrain(job.x)"
    ),
    "an item": "{head}\nsettings = {'x': {value}, 'y': 3}\ntrain(settings['x'])",
    "an item that is asked for": "{head}\nsettings = dict(x={value}, y=3)\ntrain(settings.get('x', 3))",
    "an item that is put in": (
        "{head}\nsettings = {'y': 3}\nsettings['z'] = 3\nsettings['x'] = {value}\ntrain(settings['x'])"
    ),
    "one of all items": "{head}\nsettings = {'a': {value}}\ntrain(settings[name])",
    "a part of a returned tuple": "{head}\ndef made():\n    return 3, {value}\n\n\ny, x = made()\ntrain(x)",
    "a part that an attribute is given": (
        "{head}\ndef made():\n    return 3, {value}\n\n\nclass Job:\n    def __init__(self):\n"
        "        self.y, self.x = made()\n\n    def run(self):\n        train(self.x)"
    ),
    "a part that is asked for": "{head}\ndef made():\n    return 3, {value}\n\n\ntrain(made()[1])",
    "a method that a derived class leaves": (
        "{head}\nclass Job:\n    def made(self):\n        return {value}\n\n    def run(self):\n"
        "        train(self.made())\n\n\nclass Other(Job):\n    y = 3"
    ),
    "a conditional expression": "{head}\nx = None\ntrain(3 if x is not None else {value})",
    "the only branch that runs": "{head}\nx = None\ny = {value}\nif x is not None:\n    y = 3\ntrain(y)",
    "the names that it has": "{head}\n" + "\n".join(f"x{n} = x{n - 1}" for n in range(1, 10)) + "\ntrain(x9)",
}


def given(text):
    module = Module("job.py", text, ast.parse(text))
    calls = [call for call in module.names.nodes(ast.Call) if ast.unparse(call.func) == "train"]
    return module, calls[0].args[0]


@pytest.mark.parametrize("way", LED)
def test_none_a_quotient_and_a_function_are_found_by_the_same_ways(way):
    def led(value):
        head = f"x0 = {value}" if "x9" in LED[way] else ""
        return given(LED[way].replace("{head}", head).replace("{value}", value))

    values = Values(Tree())
    assert values.is_none(*led("None"))
    assert not values.is_none(*led("3"))
    assert values.may_be_fraction(*led("total / 2"))
    assert not values.may_be_fraction(*led("total // 2"))
    assert len(values.functions(*led("lambda features: features"))) == 1
    with pytest.raises(Unfollowable):
        values.functions(*led("3"))


def test_what_another_file_gives_is_followed_there(here):
    (here / "job.py").write_text("def job(steps):\n    train(steps)\n", encoding="utf-8")
    (here / "main.py").write_text("from job import job\n\nhalf = 10 / 4\njob(half)\n", encoding="utf-8")
    path = str(here / "job.py")
    tree = Tree()
    module = tree.module(path)
    call = module.names.nodes(ast.Call)[0]
    values = Values(tree)
    assert values.may_be_fraction(module, call.args[0])
    assert [ast.unparse(one.node) for one in values.of(module, call.args[0])] == ["10 / 4"]
    assert {one.module.path for one in values.of(module, call.args[0])} == {"main.py"}


def test_a_name_of_a_star_import_is_followed_to_its_file_and_back(here):
    (here / "sizes.py").write_text("size = 10 / 4\n\n\ndef job(steps):\n    train(steps)\n", encoding="utf-8")
    (here / "main.py").write_text("from sizes import *\n\njob(size)\n", encoding="utf-8")
    tree = Tree()
    module = tree.module(str(here / "sizes.py"))
    call = next(one for one in module.names.nodes(ast.Call) if ast.unparse(one.func) == "train")
    assert [ast.unparse(one.node) for one in Values(tree).of(module, call.args[0])] == ["10 / 4"]


HIDDEN = {
    "an object that others change": "class Job:\n    x = None\n\n\njob = Job()\nset_up(job)\njob.x = 3\ntrain(job.x)",
    "an object of one of two classes": (
        "class Job:\n    x = None\n\n    def run(self):\n        self.x = None\n        train(self.x)\n"
        "\n\nclass Other(Job):\n    x = 3"
    ),
    "an attribute that is counted up": (
        "class Job:\n    x = None\n\n    def run(self):\n        self.x += 1\n        train(self.x)"
    ),
    "an attribute that is set by its name": (
        "class Job:\n    def run(self):\n        self.x = None\n        setattr(self, name, 3)\n        train(self.x)"
    ),
    "an object that a static method is given": (
        "class Job:\n    x = None\n\n    @staticmethod\n    def run(job):\n        train(job.x)"
    ),
    "a class that is made by another": "@made\nclass Job:\n    x = None\n\n\njob = Job()\ntrain(job.x)",
    "a dictionary that is passed on": "settings = {'x': None}\nread(settings)\ntrain(settings['x'])",
    "a dictionary that is updated": "settings = {'x': None}\nsettings.update(given)\ntrain(settings['x'])",
    "a dictionary that loses an item": "settings = {'x': None}\ndel settings['x']\ntrain(settings['x'])",
    "a dictionary of another one's items": "settings = {'x': None, **given}\ntrain(settings['x'])",
    "an item that is not there": "settings = {'y': None}\ntrain(settings['x'])",
}


@pytest.mark.parametrize("way", HIDDEN)
def test_what_may_be_changed_out_of_sight_is_taken_for_nothing(way):
    values = Values(Tree())
    module, value = given(HIDDEN[way])
    assert not values.is_none(module, value)
    assert [one.node for one in values.of(module, value)] == [value]


def test_an_item_that_is_put_in_later_may_be_asked_for(tmp_path):
    module, value = given("settings = {'x': 3, 'y': 4}\nsettings[name] = None\nlen(settings)\ntrain(settings['x'])")
    assert [ast.unparse(one.node) for one in Values(Tree()).of(module, value)] == ["3", "None"]


def test_an_attribute_and_an_item_of_another_file_are_followed_there(here):
    job = "class Job:\n    def __init__(self, x):\n        self.x = x\n\n    def run(self):\n        train(self.x)\n"
    main = "import settings\nfrom job import Job\n\nJob(settings.SIZES['all']).run()\n"
    other = "def set_up(job):\n    job.x = 3\n"
    for name, text in {"job": job, "main": main, "settings": "SIZES = {'all': None}\n", "other": other}.items():
        (here / f"{name}.py").write_text(text, encoding="utf-8")

    def is_none():
        tree = Tree()
        module = tree.module(str(here / "job.py"))
        call = next(one for one in module.names.nodes(ast.Call) if ast.unparse(one.func) == "train")
        return Values(tree).is_none(module, call.args[0])

    assert is_none()
    (here / "main.py").write_text(main + "settings.SIZES['all'] = 3\n", encoding="utf-8")
    forget()
    assert not is_none()
    (here / "main.py").write_text(main.replace("import settings", "import settings, other"), encoding="utf-8")
    forget()
    assert not is_none()


@pytest.mark.parametrize("text", ["f = f", "f = g\ng = f", "f = f()", "f = lambda: f()", "def f():\n    return f()"])
def test_what_is_made_from_itself_is_followed_to_no_end(text):
    module, value = given(f"{text}\ntrain(f())")
    values = Values(Tree())
    assert not values.is_none(module, value)
    assert not values.may_be_fraction(module, value)
    with pytest.raises(Unfollowable):
        values.functions(module, value)


def test_a_value_is_followed_no_farther_than_the_house_says():
    for last, is_seen in ((MAX_STEPS, True), (MAX_STEPS + 1, False)):
        names = "\n".join(f"x{n} = x{n - 1}" for n in range(1, last + 1))
        module, value = given(f"x0 = None\n{names}\ntrain(x{last})")
        assert Values(Tree()).is_none(module, value) is is_seen
