"""An input function is called where its dataset is used only if that gives what the Estimator got."""

import pytest

from tests.codemod.bodies import reason, rewritten

DEF = "def f(x):\n"
HELPER = "tf1.estimator.inputs.numpy_input_fn({'x': x}, x, "
FROM = "tf.data.Dataset.from_tensors(({'x': [1.0]}, [0]))"


def use(input_fn: str) -> str:
    return f"    est = DNN()\n    est.train({input_fn}, max_steps=3)\n"


FOLLOWED = {
    "a function": (DEF + use("data"), "    data()"),
    "a lambda": (DEF + use("lambda: data()"), "data().map("),
    "a lambda with a default": (DEF + use("lambda n=3: data()"), "(lambda n=3: data())().map("),
    "a lambda over lines": (
        DEF + use("lambda: data(\n        )"),
        "data().map(",
    ),
    "a named lambda": ("g = lambda: data()\ndef f(x):\n" + use("g"), "g().map("),
    "one that changes its dataset": (
        f"def g(n):\n    d = {FROM}\n    if n:\n        d = d.shuffle(9)\n    return d.batch(3)\ndef f(x):\n"
        + use("lambda: g(1)"),
        "g(1).map(",
    ),
    "one of two functions of that name": (
        "def g(x): return data()\ndef f(x):\n    pass\n"
        "est = DNN()\nest.train(lambda: g(3), max_steps=3)\ndef g(y, z): return data()\n",
        "g(3).map(",
    ),
    "one that calls itself": (
        "def g(n):\n    if n:\n        return g(n - 1)\n    return data()\n" + DEF + use("lambda: g(2)"),
        "g(2).map(",
    ),
    "a split of TensorFlow Datasets": (
        "import tensorflow_datasets as tfds\ndef g():\n    s = tfds.Split.TRAIN\n"
        "    d = tfds.load('iris', split=s, as_supervised=True)\n    return d.batch(3)\ndef f(x):\n" + use("g"),
        "g().map(",
    ),
    "one of the splits of TensorFlow Datasets": (
        "import tensorflow_datasets as tfds\ndef g():\n    d = tfds.load('iris')\n"
        "    return d['train'].batch(3)\ndef f(x):\n" + use("g"),
        "g().map(",
    ),
    "a helper": (
        f"def f(x):\n    train_input_fn = {HELPER}shuffle=False)\n" + use("train_input_fn"),
        "train_dataset.take(",
    ),
    "an inline helper": (DEF + use(f"{HELPER}shuffle=False)"), ".batch(128)\n            .take("),
    "a helper of the module": (f"x = 3\nfn = {HELPER}shuffle=False)\ndef f():\n" + use("fn"), "dataset.take("),
}
LEFT = {
    "takes `mode`": "def g(mode='train'):\n    return data()\ndef f(x):\n" + use("g"),
    "takes `params`": "def g(params=None):\n    return data()\ndef f(x):\n" + use("g"),
    "`functools.partial(g, 3)` is not a": "import functools\ndef g(n):\n    return data()\n"
    + DEF
    + use("functools.partial(g, 3)"),
    "`make(3)` is not": f"def make(x):\n    return {HELPER}shuffle=False)\n{DEF}" + use("make(3)"),
    "takes `features`": "def g(features):\n    return data()\ndef f(x):\n" + use("g"),
    "`lambda` is not seen to return a": (
        "def g(x): return data()\nest = DNN()\nest.train(lambda: g(3), max_steps=3)\ndef g(y, z): return 3\n"
    ),
    "`g` is no plain function": "@cache\ndef g():\n    return data()\ndef f(x):\n" + use("g"),
    "`h` is no plain function": "async def h():\n    return data()\ndef f(x):\n" + use("h"),
    "is not seen to return": "def g():\n    yield 3\n    return data()\ndef f(x):\n" + use("g"),
    "`h` is not seen to return": (
        "def h():\n    return tf1.data.make_one_shot_iterator(data())\ndef f(x):\n" + use("h")
    ),
    "`lambda` is not seen to return": "def k(x):\n    if x:\n        return 3\n    return data()\ndef f(x):\n"
    + use("lambda: k(x)"),
    "is not seen to return a tf.data": (
        "import tensorflow_datasets as tfds\ndef g():\n    return tfds.load('iris', split='a', with_info=True)\n"
        "def f(x):\n" + use("g")
    ),
    "not seen to return a tf.data": (
        "import tensorflow_datasets as tfds\ndef g():\n    return tfds.load('iris')\ndef f(x):\n" + use("g")
    ),
    "not seen to return a tf.data.Dataset": (
        "import tensorflow_datasets as tfds\ndef g():\n    return tfds.load('iris', split=['a'])\n"
        "def f(x):\n" + use("g")
    ),
    "`make(3)` is not a function of this file": (
        "def make(n):\n    if n:\n        return other\n    return data\ndef f(x):\n" + use("make(3)")
    ),
    "`fn` is a global name": f"def g(x):\n    global fn\n    fn = {HELPER}shuffle=False)\ndef f():\n" + use("fn"),
    "`fn` is also used": f"def f(x):\n    fn = {HELPER}shuffle=False)\n{use('fn')}    print(fn)\n",
    "`fn` is not a function": f"def f(x):\n    fn = g = {HELPER}shuffle=False)\n{use('fn')}    print(g)\n",
    "`fn` is not a function of": "def f(x):\n    fn = fn(3)\n" + use("fn"),
    "its argument `extra` has no counterpart here": DEF + use(f"{HELPER}shuffle=False, extra=1)"),
    "queue_capacity=None": DEF + use(f"{HELPER}shuffle=True, queue_capacity=None)"),
}


@pytest.mark.parametrize(("text", "expected"), FOLLOWED.values(), ids=FOLLOWED.keys())
def test_an_input_function_is_followed(text: str, expected: str) -> None:
    assert "".join(expected.split()) in "".join(rewritten(text).split())


@pytest.mark.parametrize(("expected", "text"), LEFT.items(), ids=LEFT.keys())
def test_an_input_that_may_be_another_leaves_the_program(expected: str, text: str) -> None:
    assert expected in reason(text)


def test_numbers_of_a_helper_that_change_before_its_use_leave_a_program_that_continues_its_input() -> None:
    text = f"def f(x, n):\n    fn = {HELPER}n, shuffle=True)\n    n = 3\n{use('fn')}"
    assert "`n` changes between" in reason(text, input="continue")
    assert "train" in rewritten(text)


def test_a_helper_that_stands_inside_a_call_changes_with_the_call() -> None:
    made = f"{HELPER}shuffle=False)"
    text = f"{DEF}    est = DNN()\n    est.train({made}, max_steps=3)\n    est.evaluate(input_fn={made})\n"
    text += f"    return list(est.predict({made}))\n"
    migrated = rewritten(text)
    assert "numpy_input_fn" not in migrated
    assert migrated.count(".batch(128)") == 3
