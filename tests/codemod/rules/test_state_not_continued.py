"""Which state FT503, FT509, FT517 and FT518 find that a restart does not continue."""

from tests.cases import cases
from tests.codemod.programs import migrate


def codes(text, code):
    return [one.code for one in migrate(text)[1] if one.code == code]


def finds(code, *expected, base=None):
    return cases(lambda text: codes(text, code), *expected, base=base)


BEST = """\
import tensorflow as tf
from job import build, evaluate, train

model = build()
ckpt = tf.train.Checkpoint(model=model, best=tf.Variable(1.0))
ckpt.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
while train(model):
    loss = float(evaluate(model))
    if loss < ckpt.best:
        ckpt.best = loss
        ckpt.save("/tmp/c/ckpt")
"""
ANEW = """\
import tensorflow as tf
from job import build, train


class Job:
    def __init__(self):
        self.model = build()
        self.optimizer = tf.keras.optimizers.Adam()
        self.ckpt = tf.train.Checkpoint(model=self.model, optimizer=self.optimizer)

    def train(self, rate):
        self.optimizer = tf.keras.optimizers.Adam(rate)
        train(self.model, self.optimizer)
        self.ckpt.save("/tmp/c/ckpt")


Job().train(0.1)
"""

test_tracked_state_that_is_replaced_is_found = finds("FT517", ["FT517"])(
    *(BEST, ANEW),
    BEST.replace("ckpt.best = loss", "ckpt.best = ckpt.best * 0.9"),
    BEST.replace("ckpt.best = loss", "ckpt.best = min(loss, ckpt.best)"),
    BEST.replace("        ckpt.best = loss", "        note(ckpt, loss)").replace(
        "model = build()", "def note(checkpoint, value):\n    checkpoint.best = int(value)\n\n\nmodel = build()"
    ),
    BEST.replace("while", "opt = tf.keras.optimizers.Adam()\nwhile")
    .replace("best=tf.Variable(1.0)", "opt=opt")
    .replace("ckpt =", "opt = tf.keras.optimizers.SGD()\nckpt ="),
)

test_state_that_the_checkpoint_still_tracks_is_no_finding = finds("FT517", [])(
    BEST.replace("ckpt.best = loss", "ckpt.best.assign(loss)"),
    BEST.replace("ckpt.best = loss", "ckpt.best = tf.Variable(loss)"),
    BEST.replace("ckpt.best = loss", "ckpt.lowest = loss"),
    ANEW.replace('        self.ckpt.save("/tmp/c/ckpt")\n', ""),
    ANEW.replace("    def train(self, rate):\n", "\n\nclass Other:\n    def train(self, rate):\n"),
    BEST.replace("loss = float(evaluate(model))", "loss = tf.Variable(evaluate(model))"),
    ANEW.replace("        train(", "        self.ckpt = tf.train.Checkpoint(optimizer=self.optimizer)\n        train("),
    ANEW.replace("        self.optimizer = tf.keras.optimizers.Adam()\n", "        self.set(1)\n").replace(
        "    def train(self, rate):\n", "    def train(self, rate):\n        pass\n\n    def set(self, rate):\n"
    ),
)

MODEL_ALONE = """\
import tensorflow as tf
from job import build, batches, gradients

model = build()
optimizer = tf.keras.optimizers.Adam()
ckpt = tf.train.Checkpoint(model=model)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=2)
ckpt.restore(manager.latest_checkpoint).expect_partial()
for batch in batches:
    optimizer.apply_gradients(zip(gradients(batch), model.trainable_variables))
manager.save()
"""

test_an_optimizer_in_no_checkpoint_is_found = finds("FT518", ["FT518"], base=MODEL_ALONE)(
    ("", ""),
    ("tf.keras.optimizers.Adam()", "tf.optimizers.RMSprop(1e-3)"),
    ("tf.keras.optimizers.Adam()", "tf.keras.optimizers.SGD(0.1, momentum=0.9)"),
    ("manager.latest_checkpoint", 'tf.train.latest_checkpoint("/tmp/c")'),
    ("optimizer.apply_gradients(zip(gradients(batch), model.trainable_variables))", "train_step(model, optimizer)"),
)

test_an_optimizer_that_may_be_saved_or_has_no_state_is_no_finding = finds("FT518", [], base=MODEL_ALONE)(
    ("model=model)", "model=model, optimizer=optimizer)"),
    ("tf.keras.optimizers.Adam()", "tf.keras.optimizers.SGD(0.1)"),
    ("manager.save()\n", ""),
    ("manager.latest_checkpoint", "pretrained"),
    ("ckpt =", "slots = tf.train.Checkpoint(o=optimizer)\nckpt ="),
    ("ckpt =", "model.compile(optimizer)\nckpt ="),
)

POOL = MODEL_ALONE.replace("model=model)", "model=model, optimizer=optimizer)").replace(
    "\nmodel =", "\npool = ImagePool(50)\nmodel ="
)
POOL = POOL.replace("gradients(batch)", "gradients(pool(batch))")

test_a_memory_of_samples_in_no_checkpoint_is_found = finds("FT518", ["FT518"])(
    POOL,
    POOL.replace("ImagePool(50)", "data.ReplayBuffer(50)"),
    POOL.replace("ImagePool(50)", "deque(maxlen=50)").replace("pool", "replay"),
    POOL.replace("ImagePool(50)", "PrioritizedReplayMemory(50)"),
    POOL.replace("ImagePool(50)", "data.ItemPool(50)"),
    POOL.replace("ckpt.restore(manager.latest_checkpoint).expect_partial()", "manager.restore_or_initialize()"),
)

test_a_memory_that_may_be_kept_or_of_no_resumed_training_is_no_finding = finds("FT518", [], base=POOL)(
    ("model=model,", "model=model, pool=pool,"),
    ("manager.save()\n", "manager.save()\npickle.dump(pool, open('/tmp/c/pool', 'wb'))\n"),
    ("manager.save()\n", "manager.save()\npool.save('/tmp/c/pool')\n"),
    ("manager.save()\n", ""),
    ("ckpt.restore(manager.latest_checkpoint).expect_partial()\n", ""),
    ("ImagePool(50)", "MaxPool(50)"),
    ("manager.save()\n", "manager.save()\npool.clear()\n"),
)

LOOP = """\
import tensorflow as tf
from job import batches, model, train


def restore(ckpt, manager):
    ckpt.restore(manager.latest_checkpoint).expect_partial()


def main(epochs):
    optimizer = tf.keras.optimizers.Adam()
    ckpt = tf.train.Checkpoint(step=tf.Variable(0), model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=2)
    restore(ckpt, manager)
    for epoch in range(epochs):
        for batch in batches:
            train(batch, optimizer)
            ckpt.step.assign_add(1)
        if epoch > 3:
            manager.save()


main(9)
"""
IN_A_BASE = """\
import tensorflow as tf
from job import batches, model, train


class Base:
    def open(self):
        self.ckpt = tf.train.Checkpoint(step=tf.Variable(1), model=self.model)
        self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=2)
        self.ckpt.restore(self.manager.latest_checkpoint).expect_partial()


class Trainer(Base):
    def train(self, epochs):
        self.open()
        for epoch in range(epochs):
            train(self.model)
            self.ckpt.step.assign_add(1)
            if epoch > 3:
                self.manager.save()
"""

test_a_counter_that_a_loop_ignores_is_found_wherever_it_is_restored = finds("FT509", ["FT509"])(
    *(LOOP, IN_A_BASE),
    LOOP.replace("            ckpt.step.assign_add(1)\n", "").replace(
        "restore(ckpt, manager)\n    for", "manager.restore_or_initialize()\n    for"
    ),
    LOOP.replace("manager.latest_checkpoint", 'tf.train.latest_checkpoint("/tmp/c")').replace(
        "            manager.save()", '            ckpt.save("/tmp/c/ckpt")'
    ),
)


def test_a_loop_begins_by_its_saves_only_where_it_sees_the_checkpoint():
    text = LOOP.replace("        if epoch > 3:\n            manager.save()", "        manager.save()")
    assert "ckpt.save_counter" not in migrate(text)[0]  # the function that it is passed to may save it too
    other = IN_A_BASE.replace("            if epoch > 3:\n                self.manager", "            self.manager")
    assert "range(self.ckpt.save_counter.numpy(), epochs)" in migrate(other)[0]
    apart = (
        other.replace("(Base)", "")
        .replace("self.open()", "self.base = Base()\n        self.base.open()")
        .replace("            self.manager", "            self.base.manager")
        .replace("            self.ckpt", "            self.base.ckpt")
    )
    assert "save_counter" not in migrate(apart)[0]


test_a_counter_that_is_read_or_not_restored_is_no_finding = finds("FT509", [])(
    LOOP.replace("range(epochs)", "range(int(ckpt.step), epochs)"),
    LOOP.replace(
        "    for epoch in range(epochs)", "    done = manager.checkpoint.step\n    for epoch in range(epochs - done)"
    ),
    LOOP.replace("    restore(ckpt, manager)\n", ""),
    LOOP.replace("            ckpt.step.assign_add(1)\n", "")
    .replace("main(9)", "print(ckpt.step)\nmain(9)")
    .replace("    restore(ckpt", "    global ckpt\n    restore(ckpt"),
    IN_A_BASE.replace("        self.open()\n", ""),
)

SAVED = """\
import tensorflow as tf
from job import batches, build, gradients

model = build()
optimizer = tf.keras.optimizers.Adam()
ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
for epoch in range(9):
    for batch in batches:
        optimizer.apply_gradients(gradients(model, batch))
    ckpt.save("/tmp/c/ckpt")
"""
EVALUATED = """\
again = build()
other = tf.train.Checkpoint(model=again)
other.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
"""

test_a_checkpoint_that_a_training_saves_and_never_restores_is_found = finds("FT503", ["FT503"])(
    *(SAVED, SAVED + EVALUATED, SAVED + EVALUATED.replace("model=again", "model=model")),
    SAVED.replace("range(9):", "range(9):\n    pass\n    print(1)"),
    SAVED.replace("batches:", 'open("list").read():'),
)

test_a_checkpoint_that_may_be_restored_is_no_finding = finds("FT503", [])(
    SAVED.replace("for epoch", EVALUATED.replace("model=again", "model=model") + "for epoch"),
    SAVED.replace("    ckpt.save", "ckpt.save"),
    SAVED.replace("for epoch", "restore(ckpt)\nfor epoch"),
    SAVED.replace("for epoch", "model.load_weights(FLAGS.path)\nfor epoch"),
)

LOWEST = """\
import numpy as np
import tensorflow as tf
from job import epoch, model, read, train

ckpt = tf.train.Checkpoint(model=model, epoch=epoch)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)
manager.restore_or_initialize()
best = float("inf")
for number in range(int(epoch), 9):
    loss = train(model)
    epoch.assign_add(1)
    if loss < best:
        best = loss
        manager.save()
"""

test_a_best_value_in_no_checkpoint_is_found = finds("FT520", ["FT520"], base=LOWEST)(
    ("", ""),
    ('float("inf")', "-np.inf"),
    ("loss < best", "best > loss and number > 2"),
    ('best = float("inf")', "best = None"),
    ("    if loss < best", "    if best > 100:\n        best = loss\n    if loss < best"),
    ("manager.restore_or_initialize()", "ckpt.restore(manager.latest_checkpoint).expect_partial()"),
    ("manager.save()\n", "print(best)\n        with scope():\n            manager.save()\n"),
)

test_a_best_value_that_may_be_kept_is_no_finding = finds("FT520", [], base=LOWEST)(
    ('float("inf")', "read()"),
    ("        best = loss\n", ""),
    ('best = float("inf")', "loss = best = read()"),
    ("    if loss < best:\n        best = loss\n        manager", "    best = min(best, loss)\n    manager"),
    ("manager.restore_or_initialize()\n", ""),
    ("epoch=epoch)", "epoch=epoch, best=best)"),
)


def test_a_restore_of_the_best_behind_the_training_resumes_nothing():
    restore = "ckpt.restore(manager.latest_checkpoint)\n"
    begun = LOWEST.replace("manager.restore_or_initialize()\n", "")
    assert codes(begun + restore, "FT520") == []
    ended = begun + f"    if loss > 9:\n        {restore}        break\n"
    assert codes(ended, "FT520") == codes(ended, "FT502") == []


PATIENT = LOWEST.replace('best = float("inf")', "waited = 0").replace(
    "    if loss < best:\n        best = loss\n        manager.save()\n",
    "    if loss > 1:\n        waited += 1\n    manager.save()\n    if waited == 3:\n        break\n",
)

test_a_patience_in_no_checkpoint_is_found_unless_each_turn_begins_it_or_it_may_be_kept = finds("FT520", base=PATIENT)(
    ("", "", ["FT520"]),
    ("waited == 3", "number > 7 or waited >= 3", ["FT520"]),
    ("        waited += 1", "        waited += 1\n    else:\n        waited = 0", ["FT520"]),
    ("manager.restore_or_initialize()", "ckpt.restore(manager.latest_checkpoint).expect_partial()", ["FT520"]),
    ("epoch=epoch)", "epoch=epoch, waited=waited)", []),
    ("    if loss > 1", "    waited = 0\n    if loss > 1", []),
    ("waited = 0", "waited = read()", []),
)

NEVER_SAVED = """\
import tensorflow as tf
from job import batches, gradients, model

optimizer = tf.keras.optimizers.Adam()
ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
ckpt.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
for batch in batches:
    optimizer.apply_gradients(zip(gradients(batch), model.trainable_variables))
model.save("/tmp/model.keras")
"""
RESTORES = 'ckpt.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()'

test_a_training_that_saves_no_checkpoint_is_found = finds("FT521", ["FT521"], base=NEVER_SAVED)(
    ("", ""),
    (RESTORES, 'manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)'),
    (RESTORES, 'manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)\nmanager.restore_or_initialize()'),
    ("tf.keras.optimizers.Adam()", "tf.optimizers.SGD()"),
    (
        f"{RESTORES}\n",
        'manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)\nmodel.save_weights("/tmp/w")\n',
    ),
)

test_a_training_that_may_be_saved_is_no_finding = finds("FT521", [], base=NEVER_SAVED)(
    ("model.save(", "ckpt.save("),
    ("model.save(", "model.save_weights("),
    ("model.save(", "save(ckpt, "),
    (", optimizer=optimizer)", ")"),
    ("optimizer.apply_gradients(zip(gradients(batch), model.trainable_variables))", "model(batch)"),
    ("model.save(", "tf.train.Checkpoint(model=model).save("),
)

PASSED_OVER = """\
import lib
from job import model, optimizer, step

checkpoint = lib.Checkpoint(dict(model=model), "/tmp/c")
try:
    checkpoint.restore().assert_existing_objects_matched()
except Exception as error:
    print(error)
optimizer.apply_gradients(step())
checkpoint.save(3)
"""


def test_a_failed_restore_by_an_object_of_the_programs_own_that_is_passed_over_is_found():
    assert codes(PASSED_OVER, "FT502") == ["FT502"]
    assert codes(PASSED_OVER.replace("    print(error)", "    raise"), "FT502") == []
    assert codes(PASSED_OVER.replace("checkpoint.save(3)", "print(3)"), "FT502") == []


LOADED = """\
import tensorflow as tf
from job import batches, build, step

model = build()
try:
    model.load_weights(tf.train.latest_checkpoint("/tmp/w"))
except Exception as error:
    print(error)
for batch in batches:
    step(model, batch)
model.save_weights("/tmp/w/ckpt")
"""
READ, KEPT = 'tf.train.latest_checkpoint("/tmp/w")', 'model.save_weights("/tmp/w/ckpt")'


test_weights_of_the_programs_own_that_it_fails_to_load_are_not_passed_over = finds("FT502", base=LOADED)(
    ("", "", ["FT502"]),
    ("except Exception as error:", "except:", ["FT502"]),
    (READ, '"/tmp/w/ckpt"', ["FT502"]),
    (KEPT, 'model.fit(x, callbacks=[tf.keras.callbacks.ModelCheckpoint("/tmp/w/{epoch}")])', ["FT502"]),
    ("except Exception as error:", "except OSError as error:", []),
    (READ, '"/tmp/pretrained"', []),
    (KEPT, "print(model)", []),
    ("    print(error)", "    raise SystemExit(error)", []),
)

ITEMS = """\
import tensorflow as tf


class Gan:
    def open(self, name, model, optimizer, path):
        self.ckpts[name] = tf.train.Checkpoint(model=model, optimizer=optimizer)
        self.managers[name] = tf.train.CheckpointManager(self.ckpts[name], path, max_to_keep=2)
        if self.managers[name].latest_checkpoint:
            self.ckpts[name].restore(self.managers[name].latest_checkpoint)

    def save(self, name):
        self.managers[name].save()
"""


def test_a_restore_by_an_item_of_a_dictionary_is_found():
    assert codes(ITEMS, "FT502") == ["FT502"]
    assert codes(ITEMS.replace("latest_checkpoint)", "latest_checkpoint).expect_partial()"), "FT502") == []


def test_a_restore_within_the_turns_of_a_loop_resumes_no_job():
    text = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
for epoch in range(3):
    if epoch > 0:
        checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()
    checkpoint.step.assign_add(1)
    manager.save()
"""
    assert migrate(text) == (text, [])
