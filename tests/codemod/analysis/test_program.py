"""An estimator is followed from where it is made to all its calls, or left with the place that hides one."""

import pytest

from tests.codemod.bodies import reason, rewritten

TRAIN = "est.train(data, max_steps=3)\n"
OPTIONS = "data, max_steps=3"

FOLLOWED = {
    "of the module": (f"est = DNN()\n{TRAIN}", "\nif recovery.restore() < 3:\n    est.fit("),
    "of the main block": (
        f"if __name__ == '__main__':\n    est = DNN()\n    {TRAIN}",
        "    if recovery.restore() < 3:\n",
    ),
    "of a method": (f"class A:\n    def f(self):\n        est = DNN()\n        {TRAIN}", "        est.fit("),
    "of an async function": (f"async def f():\n    est = DNN()\n    {TRAIN}", "    est.fit("),
    "of the module, used in a function": (f"est = DNN()\ndef f():\n    {TRAIN}", "    est.fit("),
    "of a function, used in one inside": (
        f"def f():\n    est = DNN()\n    def g():\n        {TRAIN}    g()\n",
        "est.fit(",
    ),
    "made before its branch": (f"def f(a):\n    est = DNN()\n    if a:\n        {TRAIN}", "        est.fit("),
    "made and trained in a loop": (
        f"def f(a):\n    for i in a:\n        est = DNN()\n        {TRAIN}",
        "        est.fit(",
    ),
    "under try and with": (
        f"def f(a):\n  with a:\n    try:\n            est = DNN()\n            {TRAIN}    finally:\n      a()\n",
        "            est.fit(",
    ),
    "trained on one line": (
        f"def f(a):\n    est = DNN()\n    if a: {TRAIN}",
        "    if a:\n        if recovery.restore()",
    ),
    "trained behind another statement": (
        f"def f(a):\n    est = DNN()\n    a(); {TRAIN}",
        "    a()\n    if recovery.restore()",
    ),
    "all on one line": (
        f"def f(a): a(); est = DNN(); {TRAIN}",
        "def f(a):\n    a()\n    inputs =",
    ),
    "trained into its own variable": (
        f"def f(a):\n    est = DNN()\n    est = est.{TRAIN.strip().partition('.')[2]}\n    print(est.evaluate(data))\n",
        "    if recovery.restore()",
    ),
    "of two of one name, one after the other": (
        f"def f():\n    est = DNN()\n    {TRAIN}    est = DNN(dropout=0.5)\n    {TRAIN}",
        "    if est_recovery.restore() < 3:\n",
    ),
    "of two of one name in a loop": (
        f"for i in range(3):\n    est = DNN()\n    {TRAIN}    est = DNN()\n    if i:\n        {TRAIN}",
        "        if est_recovery.restore() < 3:\n",
    ),
}
LEFT = {
    "`est` is assigned in more than": f"def f(a):\n    est = DNN()\n    if a:\n        est = DNN()\n    {TRAIN}",
    "`est` is assigned in more": (
        f"def f(a):\n    for i in a:\n        {TRAIN}        est = DNN()\n        est = DNN()\n"
    ),
    "`est` is assigned in": f"est = DNN()\n{TRAIN}est = DNN()\ndef f():\n    {TRAIN}f()\n",
    "`est` is assigned in more than one": f"est = DNN()\n{TRAIN}est += 1\n",
    "`est` is assigned": f"if a:\n    est = DNN()\n    {TRAIN}    est = DNN()\n{TRAIN}",
    "is inside an f-string": f"def f():\n    est = DNN()\n    {TRAIN}    print(f'{{est.evaluate(data)}}')\n",
    "the call is part of a larger expression": (
        "def f():\n    est = DNN()\n    est.train(data, max_steps=est.evaluate(data)['global_step'] + 3)\n"
    ),
    "the call is part of a larger expression that is rewritten": (
        f"def f():\n    est = DNN()\n    two = DNN(weight_column=list(est.predict(data)))\n    {TRAIN}"
    ),
    "under `with tf.Graph().as_default()`": f"def f():\n  with tf.Graph().as_default():\n    est = DNN()\n    {TRAIN}",
    "under `with tf1.Session()": f"def f():\n    est = DNN()\n    with tf1.Session() as s:\n        {TRAIN}",
    "under `with strategy.scope()`": f"def f(strategy):\n    with strategy.scope():\n        est = DNN()\n    {TRAIN}",
    "`est` is a global name": f"def f():\n    global est\n    est = DNN()\ndef g():\n    {TRAIN}",
    "an attribute of a class": f"class A:\n    est = DNN()\n    {TRAIN}",
    "is not kept in a variable": f"class A:\n    def f(self):\n        self.est = DNN()\n        self.{TRAIN}",
    "is not kept in a variable of its own": f"DNN().train({OPTIONS})\n",
    "the estimator is not kept": f"def f():\n    a, est = 3, DNN()\n    {TRAIN}",
    "`est` is passed on here": f"def f(g):\n    est = DNN()\n    g(est)\n    {TRAIN}",
    "what train() returns is used": f"def f():\n    est = DNN()\n    return est.train({OPTIONS})\n",
    "what train() returns": f"def f():\n    est = DNN()\n    x = est.train({OPTIONS})\n",
    "what train() returns is": f"def f():\n    est = DNN()\n    est.train({OPTIONS}).evaluate(data)\n",
    "train() returns": f"def f():\n    est = DNN()\n    g = lambda: est.train({OPTIONS})\n",
    "`est.experiment` has no counterpart": f"def f():\n    est = DNN()\n    est.experiment()\n    {TRAIN}",
    "`est.train` has no counterpart": "def f(g):\n    est = DNN()\n    g(est.train)\n",
    "passed by **kwargs": "def f(g):\n    est = DNN()\n    est.train(data, **g)\n",
    "passed by *args": f"def f(g):\n    est = DNN(*g)\n    {TRAIN}",
    "is not kept in a variable of": f"def make():\n    return DNN()\ndef f():\n    est = make()\n    {TRAIN}",
    "`e` is passed on": f"def make():\n    e = DNN()\n    return e\ndef f():\n    est = make()\n    {TRAIN}",
    "`est.export_saved_model` has no": f"est = DNN()\n{TRAIN}est.export_saved_model('out', serve)\n",
    "`est` is passed": "est = DNN()\ntf1.estimator.train_and_evaluate(est, TrainSpec(data, 3), EvalSpec(data))\n",
}


@pytest.mark.parametrize(("text", "expected"), FOLLOWED.values(), ids=FOLLOWED.keys())
def test_an_estimator_is_followed_to_its_calls(text: str, expected: str) -> None:
    output = rewritten(text)
    assert expected in output
    assert "estimator" not in output


@pytest.mark.parametrize(("expected", "text"), LEFT.items(), ids=LEFT.keys())
def test_an_estimator_that_cannot_be_followed_leaves_the_program(expected: str, text: str) -> None:
    assert expected in reason(text)


def test_the_result_of_evaluate_and_predict_may_stand_anywhere() -> None:
    output = rewritten(
        f"def f(g):\n    est = DNN()\n    {TRAIN}"
        "    g(est.evaluate(data), *est.predict(data))\n"
        "    loss = est.evaluate(data)['loss']\n"
        "    all = [est.evaluate(data) for _ in range(3)]\n"
        "    if est.evaluate(data)['accuracy'] > 0.5: g()\n"
        "    for i, p in enumerate(est.predict(data)): g(i, p)\n"
        "    h = lambda: est.evaluate(data)\n"
        "    est.evaluate(data)\n"
        "    return est.evaluate(data)\n"
    )
    assert output.count('"global_step": recovery.restore()') == 7
    assert output.count("predict_classes(") == 2


def test_two_estimators_of_one_function_have_variables_of_their_own() -> None:
    output = rewritten(f"def f():\n    est = DNN()\n    two = DNN()\n    {TRAIN}    two.train({OPTIONS})\n")
    assert "callbacks=[training_log, recovery]" in output
    assert "callbacks=[two_training_log, two_recovery]" in output
