"""Which assertions on a restore FT502 finds to fail at every start after a save."""

from tests.cases import cases, each
from tests.codemod.programs import migrate

JOB = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.1)
ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=2)
if manager.latest_checkpoint:
    ckpt.restore(manager.latest_checkpoint).assert_consumed()
for batch in batches:
    optimizer.apply_gradients(gradients(model, batch))
manager.save()
"""
RESTORE = "    ckpt.restore(manager.latest_checkpoint).assert_consumed()\n"
IN_A_CLASS = """\
import tensorflow as tf


class Trainer:
    def __init__(self, model):
        self.model, self.optimizer = model, tf.keras.optimizers.Adam()
        self.ckpt = tf.train.Checkpoint(model=model, optimizer=self.optimizer)
        self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=2)

    def restore(self):
        self.ckpt.restore(self.manager.latest_checkpoint).assert_consumed()

    def run(self):
        self.restore()
        self.optimizer.apply_gradients(gradients(self.model))
        self.manager.save()


Trainer(build()).run()
"""
IN_FUNCTIONS = """\
import tensorflow as tf


def restore(ckpt, manager):
    status = ckpt.restore(manager.latest_checkpoint)
    return status


def main():
    opt = tf.optimizers.RMSprop()
    ckpt = tf.train.Checkpoint(net=net, opt=opt)
    manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=2)
    status = restore(ckpt, manager)
    status.assert_consumed()
    opt.apply_gradients(gradients(net))
    manager.save()


main()
"""
READ = JOB.replace("restore", "read").replace("manager.save()", 'ckpt.save("/tmp/c/ckpt")')
COMPILED = JOB.replace(", optimizer=optimizer)", ")").replace("manager =", "model.compile(optimizer)\nmanager =")
WEIGHTS = JOB.replace("ckpt.restore(manager.latest_checkpoint)", 'model.load_weights("/tmp/w")').replace(
    "optimizer.apply_gradients(gradients(model, batch))", "model.train_on_batch(batch)"
)


def codes(text):
    """Returns the codes of the findings that speak of ``assert_consumed``."""
    return [one.code for one in migrate(text)[1] if "assert_consumed() fails" in one.message]


test_an_assertion_that_fails_at_every_restart_is_found = cases(codes, ["FT502"])(
    JOB,
    JOB.replace(RESTORE, "    status = ckpt.restore(manager.latest_checkpoint)\n    status.assert_consumed()\n"),
    JOB.replace("ckpt.restore", "manager.checkpoint.restore"),
    JOB.replace("optimizer=optimizer", "o=optimizer"),
    *(IN_A_CLASS, IN_FUNCTIONS, READ, COMPILED, WEIGHTS),
    READ.replace("for batch", "optimizer.build(model.trainable_variables)\nfor batch"),
)

test_an_assertion_that_can_hold_is_no_finding = cases(codes, [])(
    JOB.replace("ckpt =", "optimizer.build(model.trainable_variables)\nckpt ="),
    JOB.replace("ckpt =", "optimizer.apply_gradients(zeros(model))\nckpt ="),
    JOB.replace("ckpt =", "make_slots(model, optimizer)\nckpt =").replace(
        "model =", "def make_slots(net, opt):\n    opt.build(net.trainable_variables)\n\n\nmodel =", 1
    ),
    JOB.replace(", optimizer=optimizer)", ")"),
    JOB.replace("assert_consumed", "assert_existing_objects_matched"),
    JOB.replace("manager.save()", ""),
    JOB.replace("if manager", "manager.save()\nwhile manager").replace(RESTORE, RESTORE + "    optimizer.apply(g)\n"),
    IN_A_CLASS.replace("        self.restore()\n", "").replace("save()\n", "save()\n        self.restore()\n"),
    IN_FUNCTIONS.replace("    manager =", "    opt.build(net.trainable_variables)\n    manager ="),
    READ.replace('ckpt.save("/tmp/c/ckpt")', 'ckpt.write("/tmp/c/ckpt")').replace(", optimizer=optimizer)", ")"),
    WEIGHTS.replace("model.train_on_batch(batch)", "model.predict(batch)"),
    WEIGHTS.replace("model.train_on_batch(batch)", "optimizer.apply_gradients(model.trainable_variables)"),
    JOB.replace("ckpt =", "optimizer._create_all_weights(model.trainable_variables)\nckpt ="),
)


@each("path", "guard")(
    ("manager.latest_checkpoint", "if path:"),
    ('manager.latest_checkpoint if resume else ""', None),
    ("manager.latest_checkpoint if resume else start", None),
    ("manager.checkpoints[-1]", "if path is not None:"),
)
def test_the_guard_passes_over_nothing_but_a_missing_checkpoint(path, guard):
    text = JOB.replace(f"if manager.latest_checkpoint:\n{RESTORE}", f"path = {path}\nckpt.restore(path)\n")
    written = migrate(text)[0]
    assert ("assert_existing_objects_matched" in written) == (guard is not None)
    assert guard is None or f"{guard}\n    ckpt.restore(path)" in written


READING = """\
import tensorflow as tf

optimizer = tf.keras.optimizers.Adam()
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=1)
checkpoint.restore(manager.latest_checkpoint)
print(model.predict(x))
"""


def test_a_program_that_only_predicts_is_no_finding_and_one_that_trains_is():
    assert migrate(READING) == (READING, [])
    for new in ("model.fit(x)", "optimizer.minimize(loss, model.variables)", "train(model, optimizer)"):
        assert [one.code for one in migrate(READING.replace("print(model.predict(x))", new))[1]] == ["FT502"]
