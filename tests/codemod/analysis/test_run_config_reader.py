"""The settings of a RunConfig are those that the Estimator had, or the program is left."""

import pytest

from tests.codemod.bodies import reason, rewritten

USE = "    est = DNN(config=config)\n    est.train(data, max_steps=3)\n"
RUN = "tf1.estimator.RunConfig"

FOLLOWED = {
    "positional": (f"def f():\n    config = {RUN}(None, 7, 50, 20)\n" + USE, "checkpoint_interval=20,"),
    "none": ("def f():\n    config = None\n" + USE, "save_secs=600,"),
    "annotated": (f"def f():\n    config: {RUN} = {RUN}(save_checkpoints_steps=7)\n" + USE, "checkpoint_interval=7,"),
    "made in the loop that uses it": (
        f"def f():\n  for n in [1, 2]:\n    config = {RUN}(save_checkpoints_steps=n)\n" + USE,
        "checkpoint_interval=n or None,",
    ),
    "made in the try that uses it": (
        f"def f(n):\n  try:\n    config = {RUN}(save_checkpoints_steps=n)\n{USE}  finally:\n    g()\n",
        "checkpoint_interval=n or None,",
    ),
    "made under a with": (
        f"def f(n):\n  with g():\n    config = {RUN}(save_checkpoints_steps=n)\n" + USE,
        "checkpoint_interval=n or None,",
    ),
    "of the main block": (
        f"if __name__ == '__main__':\n    config = {RUN}(save_checkpoints_steps=7)\n" + USE,
        "checkpoint_interval=7,",
    ),
    "with a pure computation that moves": (
        f"def f(n):\n    config = {RUN}(save_checkpoints_steps=int(len(n) / 3))\n    g()\n" + USE,
        "save_checkpoints_steps = int(len(n) / 3)",
    ),
    "with a call that moves over nothing": (
        f"def f(n):\n    config = {RUN}(model_dir=n())\n    x = 3\n    est = tf1.estimator.DNNClassifier([4], "
        '[tf1.feature_column.numeric_column("x")], config=config)\n    est.train(data, max_steps=3)\n',
        "    model_dir = n()\n",
    ),
    "with a name that changes before and after": (
        f"def f(n):\n    n = n + 1\n    config = {RUN}(save_checkpoints_steps=n)\n{USE}    n = 0\n",
        "checkpoint_interval=n or None,",
    ),
}

LEFT = {
    "`n` changes between": f"def f(n):\n    config = {RUN}(save_checkpoints_steps=n)\n    n = 5\n" + USE,
    "`n` changes between line 10 and line 13": f"n = 3\nconfig = {RUN}(save_checkpoints_steps=n)\nn = 5\ndef f():\n"
    + USE,
    "`n` changes between line 10 and line 12": (
        f"def f(n):\n  config = {RUN}(save_checkpoints_steps=n)\n  for i in n:\n{USE}    n = 5\n"
    ),
    "`args.n` changes between": (
        f"def f(args):\n    config = {RUN}(save_checkpoints_steps=args.n)\n    args.n = 5\n" + USE
    ),
    "`args['n']` changes between": (
        f"def f(args):\n    config = {RUN}(save_checkpoints_steps=args['n'])\n    args['n'] = 5\n" + USE
    ),
    "`n` is something else": f"n = 3\nconfig = {RUN}(save_checkpoints_steps=n)\ndef f(n):\n" + USE,
    "`n()` would be evaluated later": (
        f"def f(n):\n    config = {RUN}(save_checkpoints_steps=n())\n    print(1)\n" + USE
    ),
    "`next(n)` would be evaluated later": (
        f"def f(n):\n  config = {RUN}(save_checkpoints_steps=next(n))\n  for i in range(2):\n" + USE
    ),
    "`config` is used here too": f"def f(g):\n    config = {RUN}()\n    g(config=config)\n" + USE,
    "`config` is a parameter": "def f(config):\n" + USE,
    "`config` is imported from": "from settings import config\ndef f():\n" + USE,
    "is assigned in more than one place": (
        f"def f(g):\n    if g:\n        config = {RUN}()\n    else:\n        config = None\n" + USE
    ),
    "`config` is assigned in more than one": f"def f():\n    config = other = {RUN}()\n{USE}    print(other)\n",
    "`config` is assigned under a condition": f"def f(g):\n    if g:\n        config = {RUN}()\n" + USE,
    "under a condition": f"def f(g):\n    try:\n        config = {RUN}()\n    except E:\n        g()\n" + USE,
    "`config` is assigned in": (
        f"def f():\n    config = {RUN}()\n    config = config.replace(save_checkpoints_steps=7)\n" + USE
    ),
    "the config comes from": f"def f():\n    config = {RUN}().replace(save_checkpoints_steps=7)\n" + USE,
    "that cannot be followed": f"def make():\n    return {RUN}()\ndef f():\n    config = make()\n" + USE,
    "`config` is another name": f"c = {RUN}(save_checkpoints_steps=7)\nconfig = c\ndef f():\n" + USE,
    "from an expression": "def f():\n    config = config.replace(keep_checkpoint_max=7)\n" + USE,
    "an attribute of a class": f"class A:\n    config = {RUN}()\n" + USE,
    "older than tf.estimator": "def f():\n    config = tf.contrib.learn.RunConfig('', 1)\n" + USE,
    "`tpu_config` is no argument": "def f(t):\n    config = tf1.estimator.tpu.RunConfig(tpu_config=t)\n" + USE,
    "passed by **kwargs": f"def f(t):\n    config = {RUN}(**t)\n" + USE,
    "from an expression that cannot": f"def f(t):\n    config = {RUN}() if t else None\n" + USE,
}


@pytest.mark.parametrize(("text", "expected"), FOLLOWED.values(), ids=FOLLOWED.keys())
def test_a_config_is_followed_to_its_estimator_and_goes(text: str, expected: str) -> None:
    output = rewritten(text)
    assert expected in output
    assert "RunConfig" not in output


@pytest.mark.parametrize(("expected", "text"), LEFT.items(), ids=LEFT.keys())
def test_a_config_that_may_hold_other_settings_leaves_the_program(expected: str, text: str) -> None:
    assert expected in reason(text)


def test_a_config_that_two_estimators_share_leaves_both_where_one_is_left() -> None:
    two = "    two = DNN(config=config, loss_reduction='w')\n    two.train(data)\n"
    text = f"def f(g):\n    config = {RUN}()\n{USE}{two}"
    assert "this loss_reduction has no Keras counterpart" in reason(text)


def test_a_config_that_two_rewritten_estimators_share_goes_once() -> None:
    text = f"def f(g):\n    config = {RUN}(keep_checkpoint_max=7)\n{USE}    two = DNN(config=config)\n"
    assert rewritten(text + "    two.train(data, max_steps=3)\n").count("max_to_keep=7") == 2
