"""Which models FT514 finds without weights before a restore."""

from tests.cases import cases
from tests.codemod.programs import migrate

NET = """\
import tensorflow as tf
from job import batch, batches, x, y


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.one, self.two = tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)

    def call(self, x):
        return self.two(self.one(x))

    def train_step(self, data):
        return {"loss": loss(self(data[0], training=True), data[1])}


"""
ADDED = """\
model = tf.keras.Sequential()
model.add(tf.keras.layers.Dense(8))
model.add(tf.keras.layers.Dense(1))
"""
FACTORY = """\
def made():
    net = Net()
    return net


model = made()
"""


def codes(text):
    return [one.code for one in migrate(text)[1] if one.code == "FT514"]


RESTORE = """\
ckpt = tf.train.Checkpoint(model=model)
ckpt.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
for batch in batches:
    model(batch)
ckpt.save("/tmp/c/ckpt")
"""
IN_A_CLASS = """\
class Trainer:
    def __init__(self):
        self.net = Net()
        self.ckpt = tf.train.Checkpoint(net=self.net)

    def restore(self):
        self.ckpt.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()

    def run(self):
        self.restore()
        self.net(batch)
        self.ckpt.save("/tmp/c/ckpt")


Trainer().run()
"""

test_each_model_that_is_restored_before_it_has_weights_is_found = cases(lambda text: len(codes(NET + text)))(
    ("model = Net()\n" + RESTORE, 1),
    ("model, other = Net(), Net()\n" + RESTORE, 1),
    ("model, other = Net(), Net()\n" + RESTORE.replace("model=model", "model=model, other=other"), 2),
    (FACTORY + RESTORE, 1),
    ("model = Net()\n" + RESTORE.replace("model=model", "models=[model, Net()]"), 2),
    ("models = [Net(), Net()]\n" + RESTORE.replace("model=model", "model=models[0]"), 1),
    (ADDED + RESTORE, 0),  # a Sequential gets them all
    (IN_A_CLASS, 1),
)

test_a_model_that_may_have_weights_before_its_restore_is_no_finding = cases(lambda text: codes(NET + text), [])(
    "model = Net()\nmodel(batch)\n" + RESTORE,
    "model, other = Net(), Net()\nmodel(batch)\n" + RESTORE,
    FACTORY.replace("    return", "    net.build((None, 4))\n    return") + RESTORE,
    "model = Net()\n" + RESTORE.replace("ckpt.restore", "train(model)\nckpt.restore"),
    ADDED.replace("Dense(8)", "Dense(8, input_dim=4)") + RESTORE,
    IN_A_CLASS.replace("        self.restore()\n", "        self.net(batch)\n        self.restore()\n"),
    IN_A_CLASS.replace("Trainer().run()\n", "").replace("        self.restore()\n", ""),
)
