"""That the rules for checkpoints see the saves, the restores and the loops of a program where it writes them."""

from migrate.cli.main import main
from tests.cases import cases, each
from tests.codemod.programs import codes, migrate

RESTORE = 'ckpt.restore(tf.train.latest_checkpoint("/tmp/c"))\n'
STORED = """\
import tensorflow as tf
from job import batches, build, evaluate, gradients

model = build()
optimizer = tf.keras.optimizers.Adam()
ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)


def train(epochs):
    for epoch in range(3, epochs):
        optimizer.apply_gradients(gradients(model, batches))
        ckpt.save("/tmp/c/ckpt")


train(9)
"""


test_a_restore_that_no_save_follows_is_an_evaluation_and_resumes_nothing = cases(codes, ["FT503"])(
    STORED + RESTORE + "evaluate(model)\n",
    STORED + f"def test():\n    {RESTORE}\n\ntest()\n",
    STORED.replace("train(9)\n", f"def main():\n    train(9)\n    {RESTORE}\n\nmain()\n"),
    STORED.replace("train(9)", f"if batches:\n    train(9)\nelse:\n    {RESTORE}"),
)

test_a_restore_that_a_save_may_follow_is_asked_what_it_found = cases(
    lambda text: {"FT502", "FT503"} & {*codes(text)}, {"FT502"}
)(
    STORED.replace("train(9)", RESTORE + "train(9)"),
    STORED.replace("train(9)", f"for stage in (1, 2):\n    train(9)\n    {RESTORE}"),
    STORED.replace("train(9)", f"def resume():\n    {RESTORE}\n\nresume()\ntrain(9)\nresume()"),
)

IN_METHODS = """\
import tensorflow as tf


class Job:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
        self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=2)

    def train(self, batches):
        for batch in batches:
            self.optimizer.apply_gradients(self.model(batch))
            self.manager.save()

    def test(self, batch):
        self.ckpt.restore(self.manager.latest_checkpoint)
        print(self.model(batch))


job = Job(model, optimizer)
if train:
    job.train(batches)
else:
    job.test(batch)
"""

test_a_method_that_restores_is_asked_unless_it_is_called_for_a_prediction_alone = cases(codes, base=IN_METHODS)(
    ("", "", ["FT503"]),
    ("else:\n    job.test(batch)\n", "", ["FT503"]),
    ("    job.train(batches)\n", "    print(job)\n", ["FT503"]),
    ("if train:\n", "if train:\n    job.test(batch)\n", ["FT502"]),
    (
        "self.ckpt.restore(self.manager",
        'other = tf.train.CheckpointManager(self.ckpt, "/tmp/d", 1)\n        self.ckpt.restore(other',
        ["FT503"],
    ),
)


def test_what_another_manager_saved_is_a_checkpoint_to_begin_with():
    base = 'self.base = tf.train.CheckpointManager(self.ckpt, "/tmp/b", 1)'
    restore = f"        {base}\n        self.ckpt.restore(self.base.latest_checkpoint)\n"
    text = IN_METHODS.replace("        for batch", f"{restore}        for batch")
    written, found = migrate(text)
    assert written == text
    assert [one.code for one in found] == ["FT502"]


CONVERTED = """\
import tensorflow as tf
from job import build, copy, step


def convert(path):
    model = copy(build(), path)
    ckpt = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)
    manager.save()
"""


def test_a_save_that_no_loop_comes_to_begins_nothing_anew():
    assert codes(CONVERTED) == []
    looped = CONVERTED.replace("    manager.save()", "    for _ in step():\n        manager.save()")
    assert codes(looped) == ["FT503"]
    once = CONVERTED.replace("    ckpt =", "    for _ in step():\n        optimizer.apply_gradients(model)\n    ckpt =")
    assert codes(once) == []


def test_a_checkpoint_that_a_function_of_another_file_restores_is_no_finding(tmp_path, capsys):
    (tmp_path / "loop.py").write_text(
        "import tensorflow as tf\nfrom models import load\n\nmodel, step = load()\nfor batch in batches:\n"
        "    optimizer.apply_gradients(gradients(model, batch))\n"
        '    ckpt = tf.train.Checkpoint(step=step, model=model)\n    ckpt.save("/tmp/c/ckpt")\n'
    )
    other = "import tensorflow as tf\n\n\ndef load():\n    model = build()\n    {}\n    return model, tf.Variable(0)\n"
    for text, is_found in (("pass", True), ("tf.train.Checkpoint(model=model).restore(PATH).expect_partial()", False)):
        (tmp_path / "models.py").write_text(other.format(text))
        main(["--check", "--select", "FT503", str(tmp_path)])
        assert ("FT503" in capsys.readouterr().out) == is_found


BRANCHES = """\
import tensorflow as tf
from job import batches, gradients


class Trainer:
    def __init__(self, model, optimizer, old):
        if old:
            self.ckpt = tf.train.Checkpoint(step=tf.Variable(1), model=model, old=old)
        else:
            self.ckpt = tf.train.Checkpoint(step=tf.Variable(1), model=model)
        self.optimizer = tf.keras.optimizers.Adam()
        self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=3)

    def train(self, epochs):
        self.ckpt.restore(self.manager.latest_checkpoint)
        for epoch in range(epochs):
            self.optimizer.apply_gradients(gradients(batches))
            self.count()
            self.manager.save()

    def count(self):
        self.ckpt.step.assign_add(1)
"""

test_what_two_branches_assign_is_each_of_the_two = cases(lambda text: sorted(codes(text)), ["FT502", "FT509"])(
    BRANCHES,
    BRANCHES.replace("self.manager.save()", "tf.py_function(self.manager.save, [], [])"),
    BRANCHES.replace("range(epochs)", "range(1, epochs + 1)"),
    BRANCHES.replace("            self.manager.save()", "            self.store()")
    + "\n    def store(self):\n        self.manager.save()\n",
)

test_a_counter_of_two_branches_that_is_read_is_no_finding = cases(lambda text: len(codes(text)), 1, base=BRANCHES)(
    ("range(epochs)", "range(int(self.ckpt.step), epochs)"),
    ("assign_add(1)", "assign_add(1)\n        if self.ckpt.step > 9:\n            return True"),
    ("self.manager.latest_checkpoint)", "self.manager.latest_checkpoint).expect_partial()"),
)

LATER = """\
import tensorflow as tf


class Job:
    def build(self, model, phase):
        optimizer = tf.keras.optimizers.Adam()
        if phase == "train":
            self.ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
            self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=1)
            self.first = int(self.manager.latest_checkpoint.split("-")[-1])
            self.ckpt.restore(self.manager.latest_checkpoint).expect_partial()
            optimizer.apply_gradients(model)
        else:
            self.ckpt = tf.train.Checkpoint(model=model)
            self.manager = tf.train.CheckpointManager(self.ckpt, "/tmp/c", max_to_keep=1)
            self.ckpt.restore(self.manager.latest_checkpoint).expect_partial()

    def train(self):
        for step in range(self.first, 9):
            self.manager.save()
"""


def test_a_save_by_an_attribute_of_two_branches_is_one_of_both():
    assert codes(LATER) == []
    assert codes(LATER.replace("            self.manager.save()", "            print(step)")) == ["FT521"]


def test_a_best_value_and_an_optimizer_are_seen_where_a_function_saves():
    text = """\
import tensorflow as tf
from job import batches, model, validate

optimizer = tf.keras.optimizers.Adam()
ckpt = tf.train.Checkpoint(model=model)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)
ckpt.restore(tf.train.latest_checkpoint(checkpoint_dir="/tmp/c")).expect_partial()
best = 0.0


def check():
    global best
    score = validate(model)
    if score > best:
        best = score
        manager.save()


for batch in batches:
    optimizer.apply_gradients(batch, model.trainable_variables)
    check()
"""
    assert sorted(codes(text)) == ["FT518", "FT520"]
    assert codes(text.replace("    check()", "    pass")) == ["FT518"]


PASSED = """\
import tensorflow as tf
from job import Trainer, batches


class Job(Trainer):
    def __init__(self, model):
        self.optimizer = tf.keras.optimizers.Adam()
        self.checkpoint = tf.train.Checkpoint(model=model, optimizer=self.optimizer)
        self.checkpoint.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()

    def step(self, batch):
        self.optimizer.apply_gradients(batch)


job = Job(build())
job.train(batches)
"""


def test_a_checkpoint_that_another_name_of_its_object_passes_on_may_be_saved_there():
    assert codes(PASSED) == ["FT521"]
    assert codes(PASSED.replace("job.train(batches)", "job.train(job.checkpoint, batches)")) == []


COUNTED = """\
import tensorflow as tf
from job import batches, model

optimizer = tf.keras.optimizers.Adam()
ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)
ckpt.restore(manager.latest_checkpoint).expect_partial()
first = 0
for epoch in range(first, 9):
    optimizer.apply_gradients(batches, model.trainable_variables)
    manager.save()
"""


def test_a_loop_from_a_variable_that_stays_0_begins_at_its_first_epoch_again():
    assert codes(COUNTED) == ["FT509"]
    assert codes(COUNTED.replace("for epoch", "if found():\n    first = last()\nfor epoch")) == []


def test_an_optimizer_of_another_library_may_have_no_state():
    text = COUNTED.replace(", optimizer=optimizer", ", epoch=tf.Variable(0)").replace(
        "range(first", "range(int(ckpt.epoch)"
    )
    assert codes(text) == ["FT518"]
    assert codes(text.replace("tf.keras.optimizers.Adam", "gpflow.optimizers.Scipy")) == []


test_a_method_that_predicts_and_that_nothing_calls_resumes_nothing = cases(
    lambda predicts: codes(IN_METHODS.partition("job = ")[0].replace("print(self.model(batch))", predicts))
)(
    ("print(self.model(batch))", ["FT503"]),
    ("print(self.model.predict(batch))", ["FT503"]),
    ("self.show(batch)\n\n    def show(self, batch):\n        self.model(batch)", ["FT503"]),
    ("print(batch)", ["FT502"]),
    ("self.model(batch)\n        self.train(batch)", ["FT502"]),
)


@each("restore", "found")(
    ("", ["FT503"]),
    ("print(manager.latest_checkpoint)", ["FT503"]),
    ("if manager.latest_checkpoint is not None:\n    print(manager.latest_checkpoint)", ["FT503"]),
    ("if manager.latest_checkpoint:\n    first = int(manager.latest_checkpoint[-1])", ["FT503"]),
    ("first = 0 if not manager.latest_checkpoint else int(manager.latest_checkpoint[-1])", ["FT503"]),
    ("load(model, manager.latest_checkpoint)", []),
    ("newest = manager.latest_checkpoint", []),
)
def test_a_newest_checkpoint_that_is_only_asked_for_is_not_restored(restore, found):
    made = 'manager = tf.train.CheckpointManager(ckpt, "/tmp/c", 2)\n'
    saved = STORED.replace("\n\ndef train", f"\n{made}{restore}\n\n\ndef train").replace(
        'ckpt.save("/tmp/c/ckpt")', "manager.save()"
    )
    assert codes(saved) == found


@each("begin", "end", "is_found")(
    ("", "    job.ckpt.save(PATH)\n", True),
    ("job.ckpt.restore(PATH)\n", "    job.ckpt.save(PATH)\n", False),
    ("", "", False),
)
def test_a_checkpoint_that_another_file_saves_as_it_trains_is_a_finding(begin, end, is_found, tmp_path, capsys):
    (tmp_path / "job.py").write_text(
        "import tensorflow as tf\n\n\nclass Job:\n    def __init__(self, model, optimizer):\n"
        "        self.model, self.optimizer = model, optimizer\n"
        "        self.ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)\n"
    )
    loop = "for batch in batches:\n    job.optimizer.apply_gradients(batch)\n"
    (tmp_path / "train.py").write_text(f"from job import Job\n\njob = Job(model, optimizer)\n{begin}{loop}{end}")
    main(["--check", "--select", "FT503", str(tmp_path)])
    assert ("FT503" in capsys.readouterr().out) == is_found


PASSED_ON = """\
import tensorflow as tf
from job import batches, model


def test(model, manager):
    print(manager.directory, model(batches))


ckpt = tf.train.Checkpoint(model=model)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)
ckpt.restore(manager.latest_checkpoint)
test(model, manager)
"""

test_a_manager_that_is_passed_to_what_saves_nothing_saves_nothing = cases(
    lambda old, new: codes(PASSED_ON.replace(old, new, 1))
)(
    ("", "", []),
    ("print(manager.directory, model(batches))", "manager.save()", ["FT502"]),
    ("test(model, manager)\n", "unseen(model, manager)\n", ["FT502"]),
    ("test(model, manager)\n", "train(model)\ntest(model, manager)\n", ["FT502"]),
    ("test(model, manager)\n", "as_pretrained(model)\ntest(model, manager)\n", []),
)

CALLED_FOR_A_TEST = IN_METHODS.replace("        print(self.model(batch))\n", "").replace(
    "    job.train(batches)", "    print(job)"
)


def test_a_restore_is_no_resume_where_the_program_calls_it_and_nothing_that_saves():
    assert codes(CALLED_FOR_A_TEST) == ["FT503"]
    assert codes(CALLED_FOR_A_TEST.replace("print(job)", "job.train(batches)")) == ["FT503"]
    made = CALLED_FOR_A_TEST.index("job = ")
    assert codes(CALLED_FOR_A_TEST[:made]) == ["FT502"]
    assert codes(f"{CALLED_FOR_A_TEST[:made]}def begin(job: Job):\n    job.test(batch)\n") == ["FT502"]


OWN_MODEL = """\
import tensorflow as tf
from job import batches


class Tagger(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(2)


ner, path = Tagger(), "/tmp/c"
ner(batches)
ckpt = tf.train.Checkpoint(ner=ner)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)
ckpt.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
for epoch in range(9):
    ner.fit(batches)
    manager.save()
"""

test_a_loop_begins_anew_beside_a_model_of_the_programs_own_whatever_its_name = cases(
    lambda text: [one for one in codes(text) if one == "FT509"], base=OWN_MODEL
)(
    ("", "", ["FT509"]),
    ("range(9)", "range(1)", []),
    ('latest_checkpoint("/tmp/c")', "latest_checkpoint(batches.begin_with)", []),
    ("Tagger(), ", "batches.tagger(), ", []),
    (
        'restore(tf.train.latest_checkpoint("/tmp/c"))',
        "restore(tf.train.latest_checkpoint(path)).expect_partial()\npath += batches.name\nckpt.restore(None)",
        ["FT509"],
    ),
)

MADE_AGAIN = """\
import tensorflow as tf


def load(directory, model, optimizer):
    ckpt = tf.train.Checkpoint(net=model, optimizer=optimizer)
    ckpt.restore(tf.train.latest_checkpoint(directory))


def save(directory, model, optimizer):
    ckpt = tf.train.Checkpoint(net=model, optimizer=optimizer)
    ckpt.save(directory + "/ckpt")
"""


@each("end", "found")(
    ("", ["FT502"]),
    ("load(a, b, c)\nsave(a, b, c)\n", ["FT502"]),
    ("if train:\n    save(a, b, c)\nelse:\n    load(a, b, c)\n", []),
)
def test_a_checkpoint_that_is_made_again_to_be_saved_is_the_one_that_is_restored(end, found):
    assert codes(MADE_AGAIN + end) == found
    assert codes(MADE_AGAIN.replace("(net=", "(other=", 1) + end) == []


def test_a_step_that_nothing_calls_trains_nothing():
    text = """\
import tensorflow as tf
from job import build, gradients, show

model = build()
optimizer = tf.keras.optimizers.Adam()
ckpt = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(ckpt, "/tmp/c", max_to_keep=1)
ckpt.restore(manager.latest_checkpoint)


def step(batch):
    optimizer.apply_gradients(gradients(model, batch))


show(model)
"""
    assert codes(text) == []
    assert sorted(codes(text + "step(1)\n")) == ["FT502", "FT521"]
