"""That a checkpoint is followed into every file of its program, by whatever name it has there."""

import pytest

from migrate.cli.main import main
from tests.cases import each

MADE = """\
import tensorflow as tf
from net import build

model = build()
optimizer = tf.keras.optimizers.Adam()
{}
"""
CKPT = "ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)"
MANAGER = 'manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=2)'
TRAIN = """\
import tensorflow as tf
{}


def train(batches):
    {}
    for batch in batches:
        optimizer.apply_gradients(batch)
        {}


train(load())
"""
RETURNED = f"\n\ndef made():\n    {CKPT}\n    {MANAGER}\n    return ckpt, manager\n"
IN_A_CLASS = f"\n\nclass Job:\n    def __init__(self):\n        self.{CKPT}\n"
SHAPES = {
    "a star": (CKPT, "from made import *", "pass", 'ckpt.save("/tmp/c/ckpt")'),
    "a module": (CKPT, "import made", "pass", 'made.ckpt.write("/tmp/c/ckpt")'),
    "a returned tuple": (RETURNED, "from made import made", "ckpt, saver = made()", "saver.save()"),
    "an object": (IN_A_CLASS, "from made import Job", "job = Job()", 'job.ckpt.save("/tmp/c/ckpt")'),
    "an argument": (
        f"from train import run\n{CKPT}\n{MANAGER}\nrun(manager, load())",
        "",
        "pass\n\n\ndef run(saver, batches):",
        "saver.save()",
    ),
}


def codes(tmp_path, capsys, made, train, other="", select="FT502,FT503"):
    for name, text in (("made", MADE.format(made)), ("train", train), ("other", other)):
        (tmp_path / f"{name}.py").write_text(text)
    main(["--check", "--select", select, str(tmp_path)])
    return [word for word in capsys.readouterr().out.split() if word.startswith("FT5")]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_checkpoint_that_another_file_saves_and_nothing_restores_is_found(shape, tmp_path, capsys):
    made, *parts = SHAPES[shape]
    evaluates = "import tensorflow as tf\nfrom made import *\n\nckpt.restore(tf.train.latest_checkpoint('/tmp/c'))\n"
    found = codes(tmp_path, capsys, made, TRAIN.format(*parts), evaluates.replace("ckpt.restore", "show"))
    assert found == ["FT503"]
    if shape == "a star":  # a program that saves nothing restores it for a prediction
        assert codes(tmp_path, capsys, made, TRAIN.format(*parts), evaluates) == ["FT503"]


@pytest.mark.parametrize(("shape", "name"), [("a star", "ckpt"), ("a module", "made.ckpt"), ("an object", "job.ckpt")])
def test_one_that_its_program_restores_is_not_and_is_asked_what_it_found(shape, name, tmp_path, capsys):
    made, line, begin, save = SHAPES[shape]
    restore = f'{begin}\n    {name}.restore(tf.train.latest_checkpoint("/tmp/c"))'
    text = TRAIN.format(line, restore, save.replace(".write", ".save"))
    assert codes(tmp_path, capsys, made, text) == ["FT502"]
    asked = text.replace('"))', '")).expect_partial()')
    assert codes(tmp_path, capsys, made, asked) == []


def test_one_that_goes_where_nothing_is_seen_is_no_finding(tmp_path, capsys):
    made, *parts = SHAPES["a star"]
    for line in ("controller(ckpt)", "jobs.append(ckpt)"):
        assert codes(tmp_path, capsys, f"{made}\n{line}", TRAIN.format(*parts)) == []


def test_what_a_base_class_of_another_file_saves_is_saved(tmp_path, capsys):
    base = """\
import tensorflow as tf


class Base:
    def train(self, batches):
        for batch in batches:
            self.step(batch)
            self.manager.save()
"""
    derived = """\
from train import Base


class Job(Base):
    def __init__(self):
        self.optimizer = tf.keras.optimizers.Adam()
        self.ckpt = tf.train.Checkpoint(model=model, optimizer=self.optimizer)
        self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=2)
        self.ckpt.restore(self.manager.latest_checkpoint).expect_partial()

    def step(self, batch):
        self.optimizer.apply_gradients(batch)
"""
    alone = "import tensorflow as tf\n"
    assert codes(tmp_path, capsys, derived, base, select="FT503,FT521") == []
    assert codes(tmp_path, capsys, derived, alone, select="FT503,FT521") == ["FT521"]
    begun = derived.replace("        self.ckpt.restore(self.manager.latest_checkpoint).expect_partial()\n", "")
    assert codes(tmp_path, capsys, begun, base, select="FT503,FT521") == ["FT503"]


def test_a_class_that_is_derived_from_a_checkpoint_is_one(tmp_path, capsys):
    text = """\
import tensorflow as tf


class Kept(tf.train.Checkpoint):
    def __init__(self, model, directory):
        super().__init__(model=model)
        self.restore(tf.train.latest_checkpoint(directory))

    def keep(self):
        self.save("/tmp/c/ckpt")

    def averaged(self, path):
        self.restore(path)
"""
    assert codes(tmp_path, capsys, "", text) == ["FT502"]
    assert codes(tmp_path, capsys, "", text.replace("(directory))", "(directory)).expect_partial()")) == []
    assert codes(tmp_path, capsys, "", text.replace("tf.train.Checkpoint", "Other")) == []


WEIGHTS = f"{CKPT}\nmodel.load_weights({{}})\nfor batch in batches:\n    optimizer.apply_gradients(batch)\n"
WEIGHTS += '    ckpt.save("/tmp/c/ckpt")\n    model.save_weights("/tmp/w/now.h5")\n'


@each("path", "found")(
    ('"/data/vgg19.h5"', ["FT503"]),
    ("args.pretrained", ["FT503"]),
    ('os.path.join(data, "imagenet.h5")', ["FT503"]),
    ("PRE_TRAINED", ["FT503"]),
    ("args.weights", []),
    ('"/tmp/w/now.h5"', []),
    ("f'/data/{name}.h5'", []),
)
def test_weights_of_another_program_restore_no_checkpoint(path, found, tmp_path, capsys):
    assert codes(tmp_path, capsys, WEIGHTS.format(path), "") == found


RESTORED = """\
import tensorflow as tf


def load(model):
    ckpt = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=2)
    manager.restore_or_initialize()
    return manager
"""


def is_found_in(train, old, new, code, tmp_path, capsys):
    """Whether a file that saves what ``load`` of another file restores has a finding when a part of it is replaced."""
    assert old in train
    for name, text in (("made", RESTORED), ("train", train.replace(old, new))):
        (tmp_path / f"{name}.py").write_text(text)
    main(["--check", "--select", code, str(tmp_path)])
    return code in capsys.readouterr().out


SAVING = TRAIN.format(
    "from made import load", "optimizer = tf.keras.optimizers.Adam()\n    saver = load(build())", "saver.save()"
).replace("train(load())", "train([])")


@each("old", "new", "is_found")(
    ("", "", True),
    ("    optimizer =", "    global optimizer\n    optimizer =", True),
    ("        saver.save()", "        print(saver)", False),
    ("optimizers.Adam()", "optimizers.SGD(0.1)", False),
    ("    optimizer =", "    kept = tf.train.Checkpoint(optimizer=optimizer)\n    optimizer =", False),
)
def test_an_optimizer_of_the_file_that_saves_is_asked_for(old, new, is_found, tmp_path, capsys):
    assert is_found_in(SAVING, old, new, "FT518", tmp_path, capsys) == is_found


@each("old", "new", "is_found")(
    ("", "", True),
    ("range(9)", "range(1, 10)", True),
    ("range(9)", "range(first, 9)", False),
    ("saver.save()", "saver.save()\n        print(optimizer.iterations)", False),
    ("load(build())", "made(build())", False),
    ("saver.save()", "print(saver)", False),
)
def test_a_loop_of_the_file_that_saves_begins_at_its_first_epoch_again(old, new, is_found, tmp_path, capsys):
    counted = SAVING.replace("batch in batches", "epoch in range(9)")
    assert is_found_in(counted, old, new, "FT509", tmp_path, capsys) == is_found
