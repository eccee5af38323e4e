"""A tree of Python files made by a seeded generator: code of varied shape, a share of it Estimator programs."""

import random
from collections.abc import Iterator
from pathlib import Path

FILES = 1_600
LINES = 450_000
REWRITTEN, LEFT, MERELY_TENSORFLOW = 0.08, 0.04, 0.06
"""The shares of files: the first two hold a hit, 12 % together; the third passes the prefilter and holds none."""

_NOUNS = (
    "batch", "item", "record", "user", "order", "index", "token", "layer",
    "weight", "path", "shard", "queue", "cache", "event", "frame", "result",
)  # fmt: skip
_VERBS = (
    "load", "parse", "merge", "split", "update", "filter", "resolve", "collect",
    "render", "score", "flush", "scan", "convert", "validate",
)  # fmt: skip
_KINDS = ("Reader", "Writer", "Store", "Client", "Handler", "Builder", "Session", "Registry", "Worker", "Planner")

_HEADERS = (
    "import os\nimport sys\nfrom collections import defaultdict\n",
    "import json\nimport logging\nfrom pathlib import Path\n\nlogger = logging.getLogger(__name__)\n",
    "from __future__ import annotations\n\nimport itertools\nimport re\nfrom typing import Any, Optional\n",
    "import argparse\nimport math\n\nimport numpy as np\nimport pandas as pd\n",
)

_STATEMENTS = (
    "{a} = [{b}.{c}({d}) for {b} in self.{e} if {b} is not None and {b}.{d} > {n}]\n",
    "{a} = {{{b}: {c} for {b}, {c} in zip({d}, {e}, strict=True) if {b} not in ({n}, {m}, None)}}\n",
    "if not {a} and {b} != {n}:\n    raise ValueError(f'{a} must not be {{{b}}}, got {{len({c})}} of {n}')\n",
    "for {a}, ({b}, {c}) in enumerate(sorted({d}.items(), key=lambda pair: (pair[1], -{n}))):\n"
    "    if {a} % {m} == 0:\n        {e}.append(({b}, {c} * {n} / {m}))\n    elif {c} <= {n}:\n        continue\n",
    "try:\n    {a} = {b}[{c}]['{d}'][{n}:{m}]\nexcept (KeyError, IndexError) as error:\n"
    "    logger.warning('no %s in %s: %s', {c}, {b}, error)\n    {a} = None\nelse:\n    {e}.update({d}={a})\n",
    "with open(os.path.join({a}, '{b}_{n}.json'), encoding='utf-8') as handle:\n    {c} = json.load(handle)\n",
    "# The {a} of every {b} has to stand before its {c}: see the note above on {d}.\n"
    "{e} = {a} if {b} else {c}({d}, {n}, default={m}, {b}={b}[-1])\n",
    "while {a} < {n} and not {b}.{c}:\n    {a} += {m}\n    {d} = {d}.{e}({a} ** 2, *{b}, **{c}) or {d}\n",
    "assert isinstance({a}, (int, float)), {a!r}\n{b} = max(min({a} * {n}.5, {m}), -{m})  # within {c}\n",
    "logger.info(\n    'done with %d %s of %d in %.2f s',\n    len({a}),\n    {b},\n    {n},\n    {c} - {d},\n)\n",
    "{a} = np.where({b}[:, {n}:] > 0, {c}[..., None] @ {d}.T, np.zeros(({n}, {m}), dtype=np.float32)).sum(axis=-1)\n",
)

_FUNCTION = '''\
def {verb}_{a}_{n}({b}, {c}=None, *, {d}: int = {m}, **{e}):
    """{Verb} the {a} of a {b}.

    Args:
      {b}: the {b} that holds the {a}; at most {n} of them.
      {c}: by default the {c} of {b}.
    """
{body}
    return {a}, {b}
'''
_CLASS = '''\
class {A}{kind}{n}(object):
    """Keeps every {a} by its {b}, and the {c} beside it."""

    {d}_SIZES = {{"{a}": {n}, "{b}": [{m}, {n}, {m}], "{c}": None}}

    def __init__(self, {a}, {b}=None, {c}=({n}, {m})):
        self.{a} = {a}
        self._{b} = {b} or defaultdict(list)
        self.{c}, self.{d} = {c}

    @property
    def {d}_{e}(self):
        return self.{a}[self._{b}] if self._{b} in self.{a} else {n}

    def {verb}(self, {e}, {d}=False):
{body}
        return self.{a}.{verb}({e})
'''

_IMPORTS = """\
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

"""
_MODEL_FN = """\
def model_fn(features, labels, mode, params):
    net = tf1.layers.dense(features["x"], params["width"], activation=tf.nn.relu)
    logits = tf1.layers.dense(net, 10)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf1.train.AdamOptimizer(0.001).minimize(loss, tf1.train.get_global_step())
    return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
_KERAS = """\
def model(width, classes=10):
    layers = [tf.keras.layers.Dense(width, activation="relu"), tf.keras.layers.Dense(classes)]
    net = tf.keras.Sequential(layers)
    net.compile(tf.keras.optimizers.Adam(0.001), tf.keras.losses.MeanSquaredError(), metrics=["mae"])
    return net


def save(net, path):
    checkpoint = tf.train.Checkpoint(model=net)
    return checkpoint.save(path)
"""
_HOOK = """\
class InterruptHook(tf1.train.SessionRunHook):
    def __init__(self, steps):
        self._steps = steps

    def begin(self):
        self._step = 0

    def after_run(self, run_context, run_values):
        self._step += 1
        if self._step == self._steps:  # the job is asked to stop
            run_context.request_stop()


"""
_PROGRAM = """\
def main(args, x_train, y_train, x_test, y_test):
    columns = [tf1.feature_column.numeric_column("x", shape=[28, 28])]
    # Nothing is lost, whenever the job dies.
    config = tf1.estimator.RunConfig({config})
    estimator = tf1.estimator.{estimator}(
        feature_columns=columns,
        hidden_units=[256, 32],
        model_dir=args.model_dir,
        config=config,
        {arguments}
    )
    train_input_fn = tf1.estimator.inputs.numpy_input_fn(
        x={{"x": x_train}}, y=y_train.astype(np.int32), num_epochs=None, batch_size={n}, shuffle=True
    )
    test_input_fn = tf1.estimator.inputs.numpy_input_fn(
        x={{"x": x_test}}, y=y_test.astype(np.int32), num_epochs=1, shuffle=False
    )
    estimator.train(input_fn=train_input_fn, max_steps={m}00{hooks})
    estimator.train(input_fn=train_input_fn, max_steps=args.max_steps)
    metrics = estimator.evaluate(input_fn=test_input_fn)
    print("step", metrics["global_step"])
"""
_CONFIGS = (
    "save_summary_steps=1, save_checkpoints_steps=1",
    "model_dir=args.model_dir, save_checkpoints_steps=args.every, keep_checkpoint_max=3",
    "save_checkpoints_secs=60, tf_random_seed=7, log_step_count_steps=50",
    "",
)
_CLASSIFIER = "optimizer=tf1.train.AdamOptimizer(0.001), n_classes=10, dropout=0.2"
_ESTIMATORS = {
    True: (
        ("DNNClassifier", _CLASSIFIER),
        ("DNNClassifier", "n_classes=10, batch_norm=True, activation_fn=tf.nn.tanh"),
        ("DNNRegressor", "optimizer='Adagrad'"),
    ),
    False: (
        ("DNNClassifier", f"{_CLASSIFIER}, weight_column='weight'"),
        ("DNNLinearCombinedClassifier", "n_classes=10"),
        ("DNNClassifier", "n_classes=args.classes"),
    ),
}


def generate(tree: Path, files: int = FILES, lines: int = LINES, share: float = 1.0) -> list[str]:
    """Writes the tree and returns the paths of its files; the same arguments give the same bytes.

    Args:
      tree: a directory to make.
      files: how many files, 40 to a directory, their sizes log-normal.
      lines: how many lines they have in all; the last definition of a file may run over by a few.
      share: what to multiply the shares of files with a hit, or with TensorFlow, by.
    """
    rng = random.Random(2)
    sizes = [rng.lognormvariate(0, 0.7) for _ in range(files)]
    parts = [_program(rng, True) for _ in range(round(files * REWRITTEN * share))]
    parts += [_program(rng, False) for _ in range(round(files * LEFT * share))]
    parts += [(_IMPORTS, _KERAS)] * round(files * MERELY_TENSORFLOW * share)
    parts += [("", "")] * (files - len(parts))
    rng.shuffle(parts)
    paths, written, wanted = [], 0, 0.0
    for number, (size, (imports, program)) in enumerate(zip(sizes, parts, strict=True)):
        wanted += lines * size / sum(sizes)
        path = tree / f"package_{number // 40:03}" / f"{rng.choice(_NOUNS)}_{number:04}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = _file(rng, imports, program, wanted - written)
        path.write_text(text, encoding="utf-8")
        written += text.count("\n")
        paths.append(str(path))
    return paths


def _program(rng: random.Random, is_rewritten: bool) -> tuple[str, str]:
    """The imports and the definitions of a file with a canned DNN."""
    estimator, arguments = rng.choice(_ESTIMATORS[is_rewritten])
    has_hook = rng.random() < 0.5
    program = _PROGRAM.format(
        config=rng.choice(_CONFIGS),
        estimator=estimator,
        arguments=arguments,
        hooks=f", hooks=[InterruptHook({rng.randrange(2, 90)})]" if has_hook else "",
        n=rng.randrange(8, 256),
        m=rng.randrange(1, 90),
    )
    definitions = [_HOOK] * has_hook + [_MODEL_FN + "\n\n"] * (rng.random() < 0.3 and not is_rewritten)
    return _IMPORTS, "".join([*definitions, program])


def _file(rng: random.Random, imports: str, program: str, lines: float) -> str:
    blocks = [f'"""The {rng.choice(_NOUNS)} of a {rng.choice(_NOUNS)}."""\n\n{rng.choice(_HEADERS)}{imports}']
    length = blocks[0].count("\n") + program.count("\n") + 2
    while length < lines:
        blocks.append(rng.choice((_function, _function, _class, _table))(rng))
        length += blocks[-1].count("\n") + 2
    if program:
        blocks.insert(rng.randrange(1, len(blocks) + 1), program)
    return "\n\n".join(blocks)


def _function(rng: random.Random) -> str:
    return _filled(rng, _FUNCTION, body="".join(_body(rng, 1, rng.randrange(2, 8))).rstrip("\n"))


def _class(rng: random.Random) -> str:
    return _filled(rng, _CLASS, body="".join(_body(rng, 2, rng.randrange(2, 6))).rstrip("\n"))


def _table(rng: random.Random) -> str:
    rows = "".join(_filled(rng, '    ("{a}_{b}", {n}, {m}.25, None, "{c}"),\n') for _ in range(rng.randrange(3, 20)))
    return f"{rng.choice(_NOUNS).upper()}_{rng.randrange(100)} = [\n{rows}]\n"


def _body(rng: random.Random, depth: int, statements: int) -> Iterator[str]:
    """Statements of which some stand inside ``if`` and ``for``."""
    indent = "    " * depth
    for _ in range(statements):
        if depth < 5 and rng.random() < 0.2:
            yield _filled(rng, indent + rng.choice(("if {a}.{b} in {c}:\n", "for {a} in range({n}, len({b})):\n")))
            yield from _body(rng, depth + 1, rng.randrange(1, 4))
        else:
            statement = _filled(rng, rng.choice(_STATEMENTS))
            yield "".join(f"{indent}{line}\n" for line in statement.splitlines())


def _filled(rng: random.Random, template: str, **parts: str) -> str:
    names = dict(zip("abcde", rng.sample(_NOUNS, 5), strict=True))
    verb = rng.choice(_VERBS)
    words: dict[str, object] = {**names, **parts, "A": names["a"].title(), "verb": verb, "Verb": verb.title()}
    words.update(kind=rng.choice(_KINDS), n=rng.randrange(2, 100), m=rng.randrange(2, 1000))
    return template.format(**words)
