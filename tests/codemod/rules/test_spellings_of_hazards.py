"""Other spellings of the faults that the hazard rules find, each beside one that is sound."""

from tests.cases import each
from tests.codemod.programs import codes

KEPT = """\
import tensorflow as tf
from job import args, batches, build, data, evaluate, fit, random

model, optimizer = build(), tf.keras.optimizers.Adam()
epoch = tf.Variable(0)
tracked = {"model": model, "optimizer": optimizer, "epoch": epoch}
ckpt = tf.train.Checkpoint(**tracked)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=2)
PATH = manager.latest_checkpoint
if PATH:
    ckpt.restore(PATH).expect_partial()
rate = 1.0
for number in range(int(epoch), 9):
    fit(model, optimizer, rate)
    optimizer.apply_gradients(zip(data(), model.trainable_variables))
    epoch.assign_add(1)
    manager.save()
"""
HEAD = "for number in range(int(epoch), 9):"
SELF = """\
import tensorflow as tf
from job import x


class Base(tf.keras.Model):
    def restore(self):
        self.ckpt = tf.train.Checkpoint(model=self)
        manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=2)
        self.ckpt.restore(manager.latest_checkpoint).expect_partial()
        self.train(manager)

    def train(self, manager):
        self(x)
        manager.save()


class Net(Base):
    def __init__(self):
        super().__init__()
        self.net = tf.keras.Sequential()
        self.net.add(tf.keras.layers.Dense(2))

    def call(self, x):
        return self.net(x)


net = Net()
net.restore()
"""


@each("text", "old", "new", "found", "sound")(
    (KEPT, '"optimizer": optimizer, ', "", ["FT518"], "ckpt.optimizer = optimizer\nPATH"),
    (KEPT, "    epoch.assign_add(1)", "    epoch = epoch + 1", ["FT517"], ""),
    (KEPT, "    manager", "    if random.random() < rate:\n        rate *= 0.9\n    manager", ["FT520"], ""),
    (KEPT, HEAD, "number = 0\nwhile number < 9:\n    number += 1", ["FT509"], ""),
    (KEPT, "PATH = ", "PATH = args.resume or ", [], ""),
    (KEPT, "PATH = manager.latest_checkpoint", "PATH = manager.latest_checkpoint or args.begin", [], ""),
    (SELF, "", "", ["FT514"], ""),
    (SELF, "net.restore()", "net(x)\nnet.restore()", [], ""),
)
def test_a_fault_is_found_by_what_it_does(text, old, new, found, sound):
    broken = text.replace(old, new, 1) if old else text
    assert codes(KEPT) == []
    assert [code for code in codes(broken) if code != "FT502"] == found
    assert not sound or codes(broken.replace(sound.rpartition("\n")[2], sound, 1)) == []


@each("old", "new")(
    ("rate = 1.0\n", "rate = 1.0\nimage_buffers = []\nimage_buffers.append(rate)\n"),
    ("rate = 1.0\n", 'base = tf.keras.models.load_model("/tmp/base")\nrate = 1.0\n'),
    ("    fit(", "    other = tf.keras.optimizers.Adam()\n    other.apply_gradients(data())\n    fit("),
    ("    manager.save()\n", "    manager.save()\nckpt.restore(manager.latest_checkpoint)\nprint(evaluate(model))\n"),
)
def test_what_is_beside_a_sound_loop_is_no_finding(old, new):
    assert codes(KEPT.replace(old, new, 1)) == []
