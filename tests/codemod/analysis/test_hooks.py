"""A hook becomes a callback only if nothing needs it as a hook any more, and it still does all that it did."""

import pytest

from tests.codemod.bodies import reason, rewritten

BODY = "    def after_run(self, context, values):\n        self.n = 3\n"


def used(
    lines: str = "    pass\n", hooks: str = "[H()]", before: str = "", after: str = "", head: str = "class H("
) -> str:
    return (
        f"{head}tf1.train.SessionRunHook):\n{BODY}{lines}\ndef f(a):\n    {before}\n    est = DNN()\n"
        f"    est.train(data, max_steps=3, hooks={hooks})\n    {after}\n"
    )


FOLLOWED = {
    "a list": (used(), "callbacks=[training_log, recovery, H()],"),
    "a tuple": (used(hooks="(H(), H())"), "callbacks=[training_log, recovery, H(), H()],"),
    "none": (
        used(hooks="None").replace("(tf1.train.SessionRunHook)", ""),
        "callbacks=[training_log, recovery],",
    ),
    "a variable": (used(hooks="[h]", before="h = H()", after="print(h.n)"), "callbacks=[training_log, recovery, h],"),
    "a list in a variable": (used(hooks="hs", before="hs = [H()]"), "callbacks=[training_log, recovery, *hs],"),
    "a variable in a list in a variable": (used(hooks="hs", before="h = H(); hs = [h]"), "recovery, *hs],"),
    "without an initializer": (used("    m = 4\n"), "class H(tf.keras.callbacks.Callback):"),
    "an initializer": (
        used("    def __init__(self, n=1):\n        self.n = n\n"),
        "(self, n=1):\n        super().__init__()\n",
    ),
    "an initializer with a docstring": (
        used('    def __init__(self, n=1):\n        """Doc."""\n        self.n = n\n'),
        '        """Doc."""\n        super().__init__()\n',
    ),
    "an initializer on one line": (
        used("    def __init__(self, n=1): self.n = n; self.m = 2  # why\n"),
        "(self, n=1):  # why\n        super().__init__()\n        self.n = n\n        self.m = 2\n",
    ),
    "an initializer that calls the base's": (
        used("    def __init__(self):\n        super(H, self).__init__()\n"),
        "    def __init__(self):\n        super(H, self).__init__()\n",
    ),
    "annotations": (
        used("    def before_run(self, c: tf1.train.SessionRunContext) -> tf1.train.SessionRunArgs:\n        pass\n"),
        "    def on_train_batch_begin(self, batch, logs=None):\n        pass\n",
    ),
    "a stop on one line": (
        used("    def before_run(self, c):\n        if self.n: c.request_stop()\n"),
        "if self.n:\n            self.model.stop_training = True\n",
    ),
    "logging": (used("    def begin(self):\n        tf1.logging.info('x')\n"), "tf1.logging.info('x')"),
}
LEFT = {
    "calls `begin` itself": used("    def begin(self): pass\n    def end(self, s): self.begin()\n"),
    "calls `begin` itself, which": used("    def begin(self):\n        super().begin()\n"),
    "has a decorator": used(head="@dataclass\nclass H("),
    "has an attribute `params`": used("    params = {}\n"),
    "has an attribute `model`": used("    @property\n    def model(self): pass\n"),
    "has an attribute `on_epoch_end`": used("    def on_epoch_end(self): pass\n"),
    "an attribute `model`, which": used("    def begin(self):\n        self.model = 3\n"),
    "initializer of a class by its name": used(
        "    def __init__(self):\n        tf1.train.SessionRunHook.__init__(self)\n"
    ),
    "which works on a graph": used("    def begin(self):\n        self.step = tf1.train.get_global_step()\n"),
    "`logs` is a global name": "logs = []\n" + used("    def begin(self):\n        logs.append(3)\n"),
    "works on the session": used("    def after_create_session(self, session, coordinator): pass\n"),
    "fetches tensors": used("    def before_run(self, c):\n        return tf1.train.SessionRunArgs(self.t)\n"),
    "uses `c` for more": used("    def before_run(self, c):\n        self.c = c\n"),
    "has unusual parameters": used("    def before_run(self, c, *, n=3): pass\n"),
    "`H.end` has unusual": used("    @staticmethod\n    def end(self, s): pass\n"),
    "`H.after_run` has unusual": used("    def after_run(logs, c, v): pass\n"),
    "`H.end` is not one": used("    def end(self, s): pass\n    def end(self, s): self.done = 1\n"),
    "`H.end` is not one plain": used("    end = print\n"),
    "`H.begin` is not one": used("    if a:\n        def begin(self): pass\n"),
    "`H` is used here too": used(after="print(isinstance(a, H))"),
    "is used here too, where": used(hooks="[h]", before="h = H()", after="a(h)"),
    "is used here too, where it": used(hooks="[h]", before="h = H()", after="h.end(a)"),
    "must stay a SessionRunHook": used(after="class G(H): pass"),
    "`hs` may be changed": used(hooks="hs", before="hs = []", after="hs.append(tf1.train.StopAtStepHook(3))"),
    "the hooks are not a list": used(hooks="a"),
    "the hooks are not": used(hooks="[H()] if a else []"),
    "is not a SessionRunHook of this file": used(hooks="[H(), a]"),
    "the hook `*a` is not": used(hooks="[*a]"),
}


@pytest.mark.parametrize(("text", "expected"), FOLLOWED.values(), ids=FOLLOWED.keys())
def test_a_hook_becomes_a_callback(text: str, expected: str) -> None:
    output = rewritten(text)
    assert expected in output
    assert "SessionRunHook" not in output


@pytest.mark.parametrize(("expected", "text"), LEFT.items(), ids=LEFT.keys())
def test_a_hook_that_must_stay_one_leaves_the_program(expected: str, text: str) -> None:
    assert expected in reason(text)
