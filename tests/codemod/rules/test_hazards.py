"""What the rules for checkpoints say nothing about."""

import pytest

from tests.cases import cases, each
from tests.codemod.programs import codes, migrate

LOOP = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
manager.restore_or_initialize()
for epoch in range(10):
    manager.save()
"""
STEPS = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(1), optimizer=optimizer, net=net)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=3)


def train():
    manager.restore_or_initialize()
    for _ in range(50):
        train_step(net, optimizer)
        checkpoint.step.assign_add(1)
        if int(checkpoint.step) % 10 == 0:
            manager.save()
"""


NOISE = "noise = tf.Variable(tf.random.normal([9]))\n"
NUMBER = "int(manager.latest_checkpoint.split('-')[-1])"


def reports(code, is_reported, base):
    return cases(lambda text: code in codes(text), is_reported, base=base)


@pytest.mark.parametrize(("text", "code"), [(LOOP, "FT509"), (STEPS, "FT509")])
def test_each_program_that_is_changed_below_is_a_finding_itself(text, code):
    assert codes(text) == [code]


test_a_loop_that_counts_and_skips_nothing_is_a_finding_however_it_ends = reports("FT509", True, base=LOOP)(
    ("epoch in range(10)", "step, batch in enumerate(batches)"),
    ("    manager.save()", "    if epoch > limit:\n        break\n    manager.save()"),
    ("range(10)", "trange(1, 11, initial=0)"),
    (
        "for epoch in range(10):\n    manager",
        "with tqdm(range(10)) as turns:\n    for epoch in turns:\n        manager",
    ),
    ("checkpoint = tf.train.Checkpoint(", f"{NOISE}checkpoint = tf.train.Checkpoint(noise=noise, "),
    ("for epoch", f"last = {NUMBER}\nprint(last)\nfor epoch"),
    ("    manager.save()", "    tf.summary.scalar('x', 1, step=optimizer.iterations)\n    manager.save()"),
    ("    manager.save()", "    print(int(optimizer.iterations.numpy()))\n    manager.save()"),
)


IN_A_CLASS = """\
import tensorflow as tf


class Job:
    def __init__(self, model, optimizer):
        self.ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
        self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=2)
        self.ckpt.restore(self.manager.latest_checkpoint).expect_partial()

    def train(self, epochs):
        for epoch in range(epochs):
            self.manager.save()
"""


@each("text", "new")(
    (LOOP, "for epoch in range(checkpoint.save_counter.numpy(), 10):"),
    (LOOP.replace("range(10)", "tqdm(range(10), desc='x')"), "tqdm(range(checkpoint.save_counter.numpy(), 10), d"),
    (LOOP.replace("range", "trange"), "in trange(checkpoint.save_counter.numpy(), 10):"),
    (
        LOOP.replace("    manager", "    if epoch % every == 0:\n        manager"),
        "range(max(0, (checkpoint.save_counter.numpy() - 1) * every + 1), 10)",
    ),
    (
        LOOP.replace("    manager", "    with scope():\n        if (1 + epoch) % a.every == 0:\n            manager"),
        "range(checkpoint.save_counter.numpy() * a.every, 10)",
    ),
    (IN_A_CLASS, "for epoch in range(self.ckpt.save_counter.numpy(), epochs):"),
)
def test_a_loop_that_saves_in_each_nth_turn_begins_where_its_saves_tell(text, new):
    written, findings = migrate(text)
    assert new in written
    assert [(finding.code, finding.rewritten) for finding in findings] == [("FT509", True)]
    assert migrate(written) == (written, [])


@each("old", "new")(
    ("range(10)", "range(10):\n    for batch in batches"),
    ("range(10)", "range(10):\n    if loss < best"),
    ("range(10)", "range(10):\n    if epoch % 2 == 0 and epoch"),
    ("range(10)", "range(10):\n    epoch += 1\n    if epoch % 2 == 0"),
    ("range(10)", "range(10):\n    every = limit\n    if epoch % every == 0"),
    ("    manager.save()", "    try:\n        manager.save()\n    except OSError:\n        pass"),
    ("    manager.save()", "    manager.save()\nmanager.save()"),
    ("    manager.save()", "    manager.save()\n    save_best(manager)"),
    ("    manager.save()", "    loss = step()\n    manager.save()\nprint(loss)"),  # unset with no turn left
    ("    manager.save()", "    manager.save()\nprint(epoch)"),
    ("max_to_keep=2", "max_to_keep=2, checkpoint_interval=5"),
)
def test_a_loop_whose_saves_do_not_tell_its_turns_is_told_and_stays(old, new):
    assert old in LOOP
    text = LOOP.replace(old, new)
    if ":\n" in new and "range" in old:
        text = text.replace("\n    manager", "\n        manager")
    written, findings = migrate(text)
    assert written == text
    assert [(finding.code, finding.rewritten) for finding in findings] == [("FT509", False)]


def test_a_loop_that_a_process_runs_twice_stays():
    body = "".join(f"    {line}\n" for line in LOOP.splitlines()[2:])
    text = f"import tensorflow as tf\n\n\ndef train(model, optimizer):\n{body}\n\ntrain(a, b)\ntrain(c, d)\n"
    assert migrate(text)[0] == text
    assert "save_counter" in migrate(text.replace("train(c, d)\n", ""))[0]


test_a_loop_that_may_know_where_it_was_is_no_finding = reports("FT509", False, base=LOOP)(
    ("epoch in range(10)", "step, batch in enumerate(batches, first)"),
    ("epoch in range(10)", "batch in batches"),
    ("optimizer=optimizer)", "optimizer=optimizer, **more)"),
    ("optimizer=optimizer)", "optimizer=optimizer)\ncheckpoint.epoch = tf.Variable(0)"),
    ("optimizer=optimizer)", "optimizer=optimizer, state=state)"),
    ("range(10)", "range(start, 10)"),
    ("range(10)", f"range({NUMBER}, 10)"),
    ("for epoch in range(10):", f"last = {NUMBER}\nfor epoch in range(10 - last):"),
    ("for epoch in range(10):", "last = int(open(path).read())\nfor epoch in range(10 - last):"),
    ("for epoch in range(10):", f"last = {NUMBER}\nfor epoch in range(10):\n    print(last + epoch)"),
    ("for epoch in range(10):", f"job.last = {NUMBER}\nfor epoch in range(10):\n    print(job.last + epoch)"),
    ("    manager.save()", f"    if epoch + {NUMBER} > 9:\n        break\n    manager.save()"),
    ("    manager.save()", "    epoch += first\n    manager.save()"),
    (
        "checkpoint = tf.train.Checkpoint(",
        f"{NOISE}noise.assign(again)\ncheckpoint = tf.train.Checkpoint(noise=noise, ",
    ),
    ("for epoch", "first = optimizer.iterations\nfor epoch"),
    ("    manager.save()", "    if epoch < first:\n        continue\n    manager.save()"),
    ("manager.restore_or_initialize()", "checkpoint.restore(FLAGS.pretrained).expect_partial()"),
    ("manager.restore_or_initialize()\n", "manager.save()\n"),
    ("    manager.save()\n", "    print(epoch)\nmanager.save()\n"),
)


test_a_loop_that_begins_at_the_restored_counter_or_ends_by_it_is_no_finding = reports("FT509", False, base=STEPS)(
    ("range(50)", "range(int(checkpoint.step), 50)"),
    ("range(50)", "range(50 - int(checkpoint.step))"),
    ("        train_step", "        if int(checkpoint.step) > 50:\n            break\n        train_step"),
    ("        checkpoint.step.assign_add(1)\n", ""),
    ("manager.restore_or_initialize()", "checkpoint.restore(args.pretrained)"),
)


TWICE = """\
import tensorflow as tf


def train(path, model, optimizer):
    checkpoint = tf.train.Checkpoint(model=model)
    checkpoint.restore(path).expect_partial()
{}
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    checkpoint.restore("/tmp/c/ckpt-3")
    checkpoint.save("/tmp/c/ckpt")
"""


def test_a_variable_that_holds_two_checkpoints_one_after_the_other_is_read_in_order():
    text, findings = migrate(TWICE.format(""))
    assert [finding.code for finding in findings] == ["FT502"]
    assert 'checkpoint.restore("/tmp/c/ckpt-3").assert_existing_objects_matched()' in text


def test_a_checkpoint_of_which_two_branches_may_be_the_one_is_told_and_stays():
    either = TWICE.format("    if optimizer:").replace(
        "    checkpoint = tf.train.Checkpoint(model=model, o", "        checkpoint = tf.train.Checkpoint(model=model, o"
    )
    text, findings = migrate(either)
    assert text == either
    assert [finding.code for finding in findings] == ["FT502"]


COUNTED = """\
import tensorflow as tf


def train(optimizer):
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
    if manager.latest_checkpoint:
        first = int(manager.latest_checkpoint.split("-")[-1])
    for epoch in range(first, 10):
        step()
        manager.save()


def evaluate(path):
    tf.train.Checkpoint(model=model).restore(path).expect_partial()
"""


def test_a_loop_that_begins_where_a_checkpoint_says_that_it_never_restores_is_a_finding():
    assert codes(COUNTED) == ["FT503"]


test_a_loop_whose_checkpoint_something_may_restore_is_no_finding = reports("FT503", False, base=COUNTED)(
    ("first = int", "checkpoint.restore(manager.latest_checkpoint).assert_consumed(); first = int"),
    ("first = int", "model.load_weights(manager.latest_checkpoint); first = int"),
    ("first = int", "restore(manager.latest_checkpoint); first = int"),
    ("first = int", "restore(checkpoint); first = int"),
    ("first = int", 'model.load_weights(tf.train.latest_checkpoint("/tmp/c")); first = int'),
)


RESTORED = """\
import tensorflow as tf
from job import args, own

checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
manager = tf.train.CheckpointManager(checkpoint, {}, max_to_keep=2)
if path:
    checkpoint.restore({})
manager.save()
"""


@each("directory", "path", "is_own")(
    ("'/tmp/c'", "manager.latest_checkpoint", True),
    ("'/tmp/c'", "tf.train.latest_checkpoint('/tmp/c/')", True),
    ("args.out", "tf.train.latest_checkpoint(args.out)", True),
    ("own(args.out)", "tf.train.latest_checkpoint(args.out)", True),
    ("'/tmp/c'", "'/tmp/c/ckpt-3'", True),
    ("'/tmp/c'", "tf.train.latest_checkpoint('/tmp/pretrained')", False),
    ("args.out", "tf.train.latest_checkpoint(args.begin_with)", False),
    ("'/tmp/c'", "args.begin_with", False),
    ("'/tmp/c'", "'/tmp/bert/bert_model.ckpt'", False),
)
def test_all_variables_are_asked_of_a_checkpoint_of_ones_own_and_never_of_one_to_begin_with(directory, path, is_own):
    text, findings = migrate(RESTORED.format(directory, path).replace("if path:", f"if {path}:"))
    assert [finding.rewritten for finding in findings if finding.code == "FT502"] == [is_own]
    assert ("assert_existing_objects_matched" in text) == is_own


_SAVED = """\
import tensorflow as tf

model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
model.save("/tmp/keras-model")
"""


@each("old", "new")(
    ("/tmp/keras-model", "/tmp/model.keras"),
    ("/tmp/keras-model", "/tmp/model.h5"),
    ('"/tmp/keras-model"', 'args.out + "/" + args.name'),
    ('"/tmp/keras-model"', '"/tmp/keras-model", save_format="h5"'),
    ("model.save", "vocabulary.save"),
)
def test_a_model_that_is_saved_in_a_file_or_anything_else_that_is_saved_is_no_finding(old, new):
    assert codes(_SAVED) == ["FT203"]
    assert "FT203" not in codes(_SAVED.replace(old, new))
    assert migrate(_SAVED, target="keras2")[1] == []


REMOVING = """\
import argparse
import os
import shutil

import tensorflow as tf


def build(args):
    config = tf.estimator.RunConfig(model_dir=args["out"])
    return tf.estimator.Estimator(model_fn, config=config)


def main():
    args = parser.parse_args()
    shutil.rmtree(args.out)
    build(vars(args)).train(input_fn)


if __name__ == "__main__":
    main()
"""
REMOVED = "    shutil.rmtree(args.out)\n"
UNLESS_MISSING = "    if not os.path.exists(args.out):\n        pass\n    else:\n        tf.io.gfile.rmtree(args.out)\n"


@each("new")(
    REMOVED,
    "    tf.gfile.DeleteRecursively(args.out)\n",
    "    if os.path.exists(args.out):\n        shutil.rmtree(args.out)\n",
    UNLESS_MISSING,
)
@pytest.mark.parametrize("model_dir", ['args["out"]', 'args["out"] + "/job"'])
def test_a_program_that_removes_its_model_dir_at_each_start_is_told(new, model_dir):
    assert "FT513" in codes(REMOVING.replace(REMOVED, new).replace('args["out"]', model_dir))


@each("old", "new", ids=["by a flag", "another directory", "for each fold", "at the end", "in it"])(
    (REMOVED, "    if args.anew:\n        shutil.rmtree(args.out)\n"),
    (REMOVED, "    shutil.rmtree(args.logs)\n"),
    (REMOVED, "    for fold in range(3):\n        shutil.rmtree(args.out)\n"),
    (REMOVED, "    build(vars(args)).evaluate(input_fn)\n    shutil.rmtree(args.out)\n"),
    (REMOVED, "    shutil.rmtree(args.out + '/logs')\n"),
)
def test_nothing_is_said_of_a_directory_that_is_removed_by_choice_or_is_another(old, new):
    assert old in REMOVING
    assert "FT513" not in codes(REMOVING.replace(old, new))


OWN_LOOP = """\
import os
import shutil

import tensorflow as tf


def clean(base):
    directory = os.path.join(base, "ckpt")
    if os.path.exists(directory):
        shutil.rmtree(directory)
    return directory


def main(model, optimizer):
    directory = clean("/tmp/job")
    ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(ckpt, directory, max_to_keep=2)


main(model, optimizer)
"""
MADE = "tf.train.CheckpointManager(ckpt, directory, max_to_keep=2)"


@each("old", "new", "is_found")(
    ("", "", True),
    (MADE, 'ckpt.save(os.path.join(directory, "ckpt"))', True),
    (MADE, 'tf.train.CheckpointManager(ckpt, "/tmp/job/ckpt/best", 2)', True),
    (MADE, "tf.keras.callbacks.BackupAndRestore(directory)", True),
    ('clean("/tmp/job")', '"/tmp/job/ckpt"\n    shutil.rmtree("/tmp/job")', True),
    (MADE, 'tf.train.CheckpointManager(ckpt, "/tmp/other", 2)', False),
    (
        'directory = clean("/tmp/job")',
        'directory = "/tmp/job/ckpt"\n    if args.anew:\n        clean("/tmp/job")',
        False,
    ),
    ('directory = clean("/tmp/job")', 'optimizer.apply_gradients(model)\n    directory = clean("/tmp/job")', False),
    ("\n\nmain(model, optimizer)\n", "", False),
    ("\n\nmain(model, optimizer)\n", "\n\ntf.compat.v1.app.run()\n", True),
)
def test_a_loop_of_ones_own_whose_checkpoints_are_removed_at_each_start_is_told(old, new, is_found):
    assert ("FT513" in codes(OWN_LOOP.replace(old, new))) == is_found


SUBCLASSED = """\
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = []
        for _ in range(3):
            self.blocks.append(tf.keras.layers.Dense(9))

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return x


net = Net()
net(batch)
checkpoint = tf.train.Checkpoint(net=net)
checkpoint.restore(PATH).expect_partial()
"""


def test_layers_that_are_added_to_a_list_are_told_of_where_a_file_saves_or_restores():
    assert codes(SUBCLASSED) == ["FT514"]
    wrapped = "layers.SpectralNormalization(tf.keras.layers.Dense(9))"
    assert codes(SUBCLASSED.replace("layers.Dense(9)", wrapped)) == ["FT514"]
    assert codes(SUBCLASSED.replace("restore(PATH).expect_partial()", "save(PATH)")) == ["FT514"]
    assert codes(SUBCLASSED.replace("checkpoint.restore(PATH).expect_partial()", "print(checkpoint)")) == []


@each("old", "new")(
    ("Net(tf.keras.Model)", "Net(tf.Module)"),
    ("Net(tf.keras.Model)", "Net(Unknown)"),
    ("layers.Dense(9)", "layers.Dropout(0.1)"),
    ("super().__init__()", "super().__init__(inputs=x, outputs=y)"),
    ("    def call", "        self.all = tf.keras.Sequential(self.blocks)\n\n    def call"),
    ("    def call", "        self.all = tuple(self.blocks)\n\n    def call"),
    (
        "    def call",
        "        for i, one in enumerate(self.blocks):\n            setattr(self, str(i), one)\n\n    def call",
    ),
)
def test_a_list_says_nothing_where_its_class_is_not_read_or_something_else_may_hold_the_layers(old, new):
    assert old in SUBCLASSED
    assert codes(SUBCLASSED.replace(old, new)) == []


@each("old", "new", "told")(
    ("net(batch)\n", "", 1),
    ("net(batch)", "net.build((1, 9))", 0),
    ("net(batch)", "fill(net)", 0),
    ("net = Net()\nnet(batch)", "net = Net() if fresh else load()", 0),
    ("checkpoint.restore", "for _ in range(2):\n    checkpoint.restore", 0),
    ("    def call", "        self(batch)\n\n    def call", 0),
)
def test_a_model_without_weights_is_told_where_only_the_checkpoint_reads_it_before_its_restore(old, new, told):
    in_list = "self.blocks = []\n        for _ in range(3):\n            self.blocks.append(tf.keras.layers.Dense(9))"
    text = SUBCLASSED.replace(in_list, "self.blocks = (tf.keras.layers.Dense(9), tf.keras.layers.Dense(9))")
    assert old in text
    assert codes(text.replace(old, new)) == ["FT514"] * told
