"""Which trainings FT515 finds to share one backup directory."""

from tests.cases import cases
from tests.codemod.programs import migrate

STAGES = """\
import tensorflow as tf
from job import build, x, y, FLAGS, fine_tunes

model = build()
backup = tf.keras.callbacks.BackupAndRestore("/tmp/b")
model.fit(x, y, epochs=3, callbacks=[backup])
model.fit(x, y, epochs=6, initial_epoch=3, callbacks=[backup])
"""
TWO_MODELS = """\
import tensorflow as tf
from job import build, x, y


def train(model, where, epochs):
    model.fit(x, y, epochs=epochs, callbacks=[tf.keras.callbacks.BackupAndRestore(where)])


backup_dir = "backup"
train(build(), backup_dir, 3)
train(build(), backup_dir, 6)
"""
FOLDS = """\
import tensorflow as tf
from job import build, folds

for number, fold in enumerate(folds):
    model = build()
    model.fit(fold, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/b")])
"""
IN_A_CLASS = """\
import tensorflow as tf
from job import build, x, y


class Trainer:
    def __init__(self, directory):
        self.directory = directory

    def train(self, model):
        backup = tf.keras.callbacks.BackupAndRestore(self.directory)
        model.fit(x, y, callbacks=[backup])

    def run(self):
        self.train(build())
        self.train(build())


Trainer("/tmp/b").run()
"""
SEARCH = """\
import tensorflow as tf
from job import build, x, y, draw


def trial(rate):
    model = build(rate)
    callbacks = [tf.keras.callbacks.BackupAndRestore(backup_dir="/tmp/b")]
    return model.fit(x, y, callbacks=callbacks)


for _ in range(20):
    trial(draw())
"""


def codes(text):
    return [one.code for one in migrate(text)[1] if one.code == "FT515"]


test_trainings_of_one_start_that_share_a_backup_are_found = cases(codes, ["FT515"])(
    *(STAGES, TWO_MODELS, FOLDS, SEARCH),
    STAGES.replace("initial_epoch=3, callbacks=[backup]", 'callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/b")]'),
    STAGES.replace('"/tmp/b"', "FLAGS.out"),
    STAGES.replace("model.fit(x, y, epochs=6", "if fine_tunes:\n    model.fit(x, y, epochs=6"),
    TWO_MODELS.replace("(where)", 'where + "/backup")').replace("BackupAndRestorewhere", "BackupAndRestore(where"),
    TWO_MODELS.replace("train(build(), backup_dir, 6)", 'train(build(), "backup", 6)'),
    FOLDS.replace('"/tmp/b"', 'f"/tmp/{run}"').replace("for number", "run = FLAGS.run\nfor number"),
)


def test_the_trainings_of_one_object_share_what_it_holds():
    assert codes(IN_A_CLASS) == ["FT515"]
    text = IN_A_CLASS.replace("        self.train(build())\n\n", "\n").replace(
        'Trainer("/tmp/b")', 'Trainer("/tmp/a").run()\nTrainer("/tmp/b")'
    )
    assert text.count("self.train(") == 1
    assert codes(text) == []


test_trainings_with_a_directory_each_or_one_training_are_no_finding = cases(codes, [])(
    STAGES.replace("initial_epoch=3, callbacks=[backup]", 'callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/c")]'),
    STAGES.replace("model.fit(x, y, epochs=3", "if FLAGS.begin:\n    model.fit(x, y, epochs=3"),
    STAGES.replace("model.fit(x, y, epochs=3", "if FLAGS.a:\n    model.fit(x, y, epochs=3").replace(
        "model.fit(x, y, epochs=6", "else:\n    model.fit(x, y, epochs=6"
    ),
    STAGES.replace(", callbacks=[backup])\nmodel", ")\nmodel"),
    TWO_MODELS.replace("train(build(), backup_dir, 6)", 'train(build(), "other", 6)'),
    TWO_MODELS.replace("train(build(), backup_dir, 6)\n", ""),
    FOLDS.replace('"/tmp/b"', 'f"/tmp/{number}"'),
    FOLDS.replace("    model = build()", "    if done(number):\n        continue\n    model = build()"),
    FOLDS.replace('"/tmp/b"', "tempfile.mkdtemp()"),
    SEARCH.replace("for _ in range(20):\n    trial", "trial"),
)
