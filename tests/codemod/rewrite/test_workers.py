"""What becomes of fit under the strategy of several workers, in its many spellings."""

import pytest

from migrate.findings.finding import Fidelity
from tests.cases import cases, each
from tests.codemod.programs import migrate

PROGRAM = """\
import os

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = build()
{}
"""
SAVING = 'callbacks=[tf.keras.callbacks.ModelCheckpoint("/job/ckpt"{})]'


def fit(text, target="portable"):
    return migrate(PROGRAM.format(text), target=target)


def left(text, target="portable"):
    after, findings = fit(text, target)
    assert after == PROGRAM.format(text)
    return [(finding.code, finding.message) for finding in findings if finding.fidelity is Fidelity.MANUAL]


@each("old", "new")(("model.fit", "other = build()\nother.fit"), ("MultiWorkerMirroredStrategy", "MirroredStrategy"))
def test_fit_of_a_model_outside_the_scope_or_under_a_strategy_of_one_worker_is_left_alone(old, new):
    program = PROGRAM.format("model.fit(dataset)").replace(old, new)
    assert migrate(program) == (program, [])


test_fit_that_recovers_already_or_does_not_save_is_left_alone_on_keras_2 = cases(lambda text: left(text, "keras2"), [])(
    'model.fit(dataset, callbacks=[tf.keras.callbacks.BackupAndRestore("/job/backup")])', "model.fit(dataset, epochs=3)"
)


def test_the_history_is_still_what_fit_returns():
    assert "history = fit_on_workers(model, dataset, epochs=3)" in fit("history = model.fit(dataset, epochs=3)")[0]


@each("given", "directory")(
    ('"/opt/ml/checkpoints/"', '"/opt/ml/checkpoints/recovery",'), ("args.dir", 'os.path.join(args.dir, "recovery"),')
)
def test_backup_and_restore_becomes_the_loops_recovery_in_the_directory_that_is_kept(given, directory):
    text, _ = fit(f"model.fit(dataset, steps_per_epoch=9, callbacks=[tf.keras.callbacks.BackupAndRestore({given})])")
    assert directory in text
    assert "BackupAndRestore" not in text


def test_a_save_every_n_batches_becomes_the_interval():
    assert "checkpoint_interval=50," in fit(f"model.fit(dataset, {SAVING.format(', save_freq=50')})")[0]
    assert "save_freq=50" in fit(f"model.fit(dataset, {SAVING.format(', save_freq=50')})", "keras2")[0]


def test_without_steps_per_epoch_the_interval_is_a_pass_over_the_dataset():
    assert "checkpoint_interval=int(dataset.cardinality())," in fit(f"model.fit(dataset, {SAVING.format('')})")[0]


def test_the_other_callbacks_stay():
    listed = "callbacks = [log, tf.keras.callbacks.ModelCheckpoint('/job/c')]\n"
    text, _ = fit(f"{listed}model.fit(dataset, steps_per_epoch=9, callbacks=callbacks)")
    assert "callbacks=[log])" in text.replace(",\n)", ")")
    assert "callbacks = [" not in text


def test_a_callback_in_a_variable_goes_with_its_statement():
    made = "saving = tf.keras.callbacks.ModelCheckpoint('/job/c')\n"
    text, _ = fit(f"{made}model.fit(dataset, steps_per_epoch=9, callbacks=[saving])")
    assert "saving" not in text


def test_fit_inside_the_scope_is_rewritten_there():
    text, _ = fit(f"    model.fit(dataset, steps_per_epoch=9, {SAVING.format('')})")
    assert "    recovery = WorkerRecovery(\n" in text
    assert "    fit_on_workers(model, dataset, recovery, steps_per_epoch=9)" in text


@each("text", "reason")(
    ("model.fit(x, y)", "y"),
    ("model.fit(x, batch_size=8)", "batch_size"),
    ("model.fit(dataset, class_weight=w)", "class_weight"),
    ("model.fit(*given)", "its arguments are in *given"),
    ("model.fit(dataset, callbacks=given())", "not a list"),
    ("c = []\nc.append(log)\nmodel.fit(dataset, callbacks=c)", "changed after it is made"),
    (f"model.fit(dataset, {SAVING.format(', save_best_only=True')})", "keeps the best epoch"),
    (f"model.fit(dataset, {SAVING.format(', period=3')})", "period"),
    ("model.fit(dataset, callbacks=[tf.keras.callbacks.ModelCheckpoint('/j/{epoch}')])", "keeps a file for each epoch"),
    (f"model.fit(dataset, steps_per_epoch=count(), {SAVING.format('')})", "worked out in the call"),
    (
        "c = [tf.keras.callbacks.ModelCheckpoint('/job/c')]\nmodel.fit(dataset, callbacks=c)\nprint(list=c)",
        "what saves is used elsewhere, too",
    ),
)
def test_fit_is_left_with_its_reason(text, reason):
    ((code, message),) = left(text)
    assert code == "FT404"
    assert reason in message


def test_a_strategy_that_is_one_of_several_is_left_for_keras_3():
    program = PROGRAM.format("model.fit(dataset)").replace(
        "strategy = tf.distribute.MultiWorkerMirroredStrategy()",
        "strategy = tf.distribute.MultiWorkerMirroredStrategy()\nif alone:\n    strategy = tf.distribute.Strategy()",
    )
    text, findings = migrate(program)
    assert text == program
    assert [finding.code for finding in findings] == ["FT404"]


def test_the_name_and_the_recovery_are_given_at_once():
    old = PROGRAM.replace("tf.distribute.Multi", "tf.distribute.experimental.Multi")
    text, findings = migrate(old.format(f"model.fit(dataset, steps_per_epoch=9, {SAVING.format('')})"))
    assert {finding.code for finding in findings} == {"FT401", "FT404"}
    assert "experimental" not in text


TWICE = (
    f"model.fit(dataset, epochs=3, steps_per_epoch=9, {SAVING.format('')})\n"
    "{}"
    f"model.fit(dataset, epochs=9, steps_per_epoch=9, {SAVING.format('')})"
)


@pytest.mark.parametrize("target", ["portable", "keras2"])
def test_two_trainings_never_save_in_one_directory(target):
    text, _ = fit(TWICE.format("with strategy.scope():\n    model = build()\n"), target)
    assert text.count('"/job/ckpt/recovery",') == 1
    assert text.count('"/job/ckpt/recovery-2",') == 1


def test_a_model_that_two_fits_train_is_left_because_its_steps_tell_nothing_of_either():
    after, findings = fit(TWICE.format(""))
    assert after == PROGRAM.format(TWICE.format(""))
    assert {finding.message for finding in findings} == {
        "Keras 3 refuses this fit of several workers, and more than one fit trains its model"
    }


@each("path", "directory")(
    ('"/opt/ml/checkpoints/"', '"/opt/ml/checkpoints/recovery"'),
    ('"/opt/ml/checkpoints"', '"/opt/ml/checkpoints/recovery"'),
    ('"/opt/ml/checkpoints/", save_weights_only=True', '"/opt/ml/checkpoints/recovery"'),
    ('os.path.join(out, "model")', 'os.path.join(out, "model", "recovery")'),
    ('out + "/model"', 'os.path.join(out + "/model", "recovery")'),
    ('"/job/w", save_weights_only=True', '"/job/w-recovery"'),
    ('"/job/m.keras"', '"/job/m-recovery"'),
    ('"/job/m.h5"', '"/job/m-recovery"'),
    ("path()", 'str(path()) + "-recovery"'),
)
def test_the_recovery_is_inside_a_directory_that_the_callback_saves_as_or_beside_its_file(path, directory):
    saving = f"callbacks=[tf.keras.callbacks.ModelCheckpoint({path})]"
    text, _ = migrate(PROGRAM.format(f"out = read()\nmodel.fit(dataset, steps_per_epoch=9, {saving})"))
    assert f"{directory},\n" in text


AGAIN = """\
callbacks = [tf.keras.callbacks.BackupAndRestore("backup")]
model.fit(dataset, epochs=2, steps_per_epoch=10)
with strategy.scope():
    model = build()
model.fit(dataset, epochs=3, steps_per_epoch=20, callbacks=callbacks)
"""


def test_a_name_that_is_bound_again_is_another_model_with_a_recovery_of_its_own():
    text, findings = fit(AGAIN)
    assert all(finding.rewritten for finding in findings if finding.code == "FT404")
    assert "fit_on_workers(model, dataset, epochs=2, steps_per_epoch=10)" in text
    assert "fit_on_workers(model, dataset, recovery, epochs=3, steps_per_epoch=20)" in text


def test_no_fit_of_a_file_is_migrated_where_one_cannot_be():
    assert {code for code, _ in left("model.fit(dataset, epochs=2)\nmodel.fit(x, y, epochs=2)")} == {"FT404"}
