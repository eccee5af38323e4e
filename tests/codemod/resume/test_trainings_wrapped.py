"""FT201 writes one wrapper around the callbacks of a fit, or the range of a loop, and touches nothing else."""

import difflib

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.cases import each
from tests.codemod.programs import migrate

HEAD = """\
import os
import keras
from keras.callbacks import ModelCheckpoint

model = build()
if os.path.exists("w.weights.h5"):
    model.load_weights("w.weights.h5")
saver = ModelCheckpoint("w.weights.h5", save_weights_only=True)
"""
LOOP = """\
import os
import keras

critic, generator = build(), build()
if os.path.exists("out/c.weights.h5"):
    critic.load_weights("out/c.weights.h5")
    generator.load_weights("out/g.weights.h5")
{}
    critic.train_on_batch(x, y)
    generator.train_on_batch(x, y)
    critic.save_weights("out/c.weights.h5")
    generator.save_weights("out/g.weights.h5")
"""


def added(source, **settings):
    """The lines that the output has more than the source."""
    text, _ = migrate(source, select=("FT201",), **settings)
    lines = difflib.ndiff(source.splitlines(), text.splitlines())
    return [one[2:] for one in lines if one.startswith("+ ") and one[2:]]


def found(source, **settings):
    text, findings = migrate(source, select=("FT201",), **settings)
    assert all(one.rewritten for one in findings) or text == source
    return findings


IMPORT = "from tf2_recovery.keras.backup_and_restore import BackupAndRestore"

FITS = {
    "a list": ("model.fit(x, y, callbacks=[saver])", "model.fit(x, y, callbacks=BackupAndRestore.beside([saver]))"),
    "a name": ("model.fit(x, y, callbacks=made)", "model.fit(x, y, callbacks=BackupAndRestore.beside(made))"),
    "a call": ("model.fit(x, y, callbacks=made(1))", "model.fit(x, y, callbacks=BackupAndRestore.beside(made(1)))"),
    "by position": ("model.fit(x, y, 8, 5, 0, [saver])", "model.fit(x, y, 8, 5, 0, BackupAndRestore.beside([saver]))"),
    "of a generator": (
        "model.fit_generator(data, 9, 5, 1, [saver])",
        "model.fit_generator(data, 9, 5, 1, BackupAndRestore.beside([saver]))",
    ),
    "none": ("model.fit(x, y, epochs=5)", "model.fit(x, y, epochs=5, callbacks=BackupAndRestore.beside([]))"),
    "None": (
        "model.fit(x, y, epochs=5, callbacks=None)",
        "model.fit(x, y, epochs=5, callbacks=BackupAndRestore.beside([]))",
    ),
    "beside other arguments that ** gives": (
        "model.fit(x, y, callbacks=[saver], **more)",
        "model.fit(x, y, callbacks=BackupAndRestore.beside([saver]), **more)",
    ),
}


@pytest.mark.parametrize(("before", "after"), FITS.values(), ids=FITS.keys())
def test_the_callbacks_of_fit_are_wrapped_as_they_are_written(before, after):
    assert added(f"{HEAD}{before}\n") == [IMPORT, after]


SAVED = {
    "a text": ('model.save("m.keras")', 'saved="m.keras"'),
    "a name above": ("model.save(path)", "saved=path"),
    "a path that is put together of text": ('model.save(os.path.join("out", "m.keras"))', 'saved="out/m.keras"'),
}


@pytest.mark.parametrize(("save", "named"), SAVED.values(), ids=SAVED.keys())
def test_what_is_saved_after_fit_names_the_place_where_no_callback_does(save, named):
    source = f'path = "m.keras"\n{HEAD}model.fit(x, y, epochs=5)\n{save}\n'
    assert added(source)[-1] == f"model.fit(x, y, epochs=5, callbacks=BackupAndRestore.beside([], {named}))"


def test_a_name_that_is_made_after_fit_does_not_name_the_place():
    source = f"{HEAD}model.fit(x, y, epochs=5)\nlast = next_name()\nmodel.save_weights(last)\n"
    assert added(source)[-1] == "model.fit(x, y, epochs=5, callbacks=BackupAndRestore.beside([]))"


def test_an_attribute_that_is_set_after_fit_does_not_name_the_place():
    source = f"{HEAD}model.fit(x, y, epochs=5)\nmodel.out = next_name()\nmodel.save_weights(model.out)\n"
    assert added(source)[-1] == "model.fit(x, y, epochs=5, callbacks=BackupAndRestore.beside([]))"


def test_a_path_that_a_loop_may_not_have_does_not_name_its_place():
    lines = "for epoch in range(9):\n    if args.save:\n        critic.save_weights(os.path.join(args.save, 'c.h5'))"
    assert "args.save" not in added(LOOP.format(lines))[-1]
    assert "recovered(range(9), args.save, critic" in added(LOOP.format(lines.replace("if args.save", "if epoch")))[-1]


def test_a_name_that_some_starts_do_not_make_names_no_place():
    source = f"{HEAD}if resumed:\n    path = 'm.keras'\n    print(path)\n"
    fit, save = "model.fit(x, y, epochs=5)\n", "if resumed:\n    model.save(path)\n"
    assert "saved=" not in added(source + fit + save)[-1]
    other = "else:\n    path = 'n.keras'\n"
    assert "saved=path" in added(source + other + fit + save)[-1]
    loop = """\
import sys
import keras

critic = build()
if sys.argv[1:]:
    file = sys.argv[1]
    critic.load_weights(file)
for epoch in range(9):
    critic.train_on_batch(x, y)
    critic.save_weights(name(epoch))
"""
    assert added(loop)[-1] == 'for epoch in recovered(range(9), ".", critic):'


def test_each_fit_of_a_file_after_the_first_has_a_name_of_its_own():
    fits = "model.fit(x, y, callbacks=[saver])\nmodel.fit(x, y, callbacks=[saver])\n"
    function = "def tune():\n    model.fit(x, y, callbacks=[saver])\n"
    assert added(f"{HEAD}{fits}{function}")[1:] == [
        "model.fit(x, y, callbacks=BackupAndRestore.beside([saver]))",
        'model.fit(x, y, callbacks=BackupAndRestore.beside([saver], name="stage_2"))',
        '    model.fit(x, y, callbacks=BackupAndRestore.beside([saver], name="tune"))',
    ]


def test_a_second_run_changes_nothing():
    once, _ = migrate(f"{HEAD}model.fit(x, y, callbacks=[saver])\n", select=("FT201",))
    assert migrate(once, select=("FT201",)) == (once, [])
    loop, _ = migrate(LOOP.format("for epoch in range(9):"), select=("FT201",))
    assert migrate(loop, select=("FT201",)) == (loop, [])


KERAS = {
    "a list": ("callbacks=[saver]", '[saver, tf.keras.callbacks.BackupAndRestore("backup")]'),
    "a name": ("callbacks=made", '[*made, tf.keras.callbacks.BackupAndRestore("backup")]'),
    "one": ("callbacks=ModelCheckpoint(p)", '[ModelCheckpoint(p), tf.keras.callbacks.BackupAndRestore("backup")]'),
    "none": ("epochs=5", '[tf.keras.callbacks.BackupAndRestore("backup")]'),
}


@pytest.mark.parametrize(("given", "written"), KERAS.values(), ids=KERAS.keys())
def test_keras_own_callback_is_added_in_the_call_with_no_generated_code(given, written):
    text, _ = migrate(f"{HEAD}model.fit(x, y, {given})\n", select=("FT201",), recovery="backup-and-restore")
    assert "".join(f"callbacks={written}".split()) in "".join(text.split()).replace(",)", ")").replace(",]", "]")
    assert "tf2_recovery" not in text


RANGES = {
    "of epochs": ("for epoch in range(9):", "for epoch in recovered(range(9), {}):"),
    "from a first one": ("for epoch in range(first, 9):", "for epoch in recovered(range(first, 9), {}):"),
    "in steps": ("for epoch in range(0, 9, 3):", "for epoch in recovered(range(0, 9, 3), {}):"),
    "in a progress bar": ("for epoch in tqdm(range(9)):", "for epoch in tqdm(recovered(range(9), {})):"),
}


@pytest.mark.parametrize(("before", "after"), RANGES.values(), ids=RANGES.keys())
def test_the_range_of_a_loop_is_wrapped_with_the_models_that_it_trains(before, after):
    assert added(LOOP.format(before))[-1] == after.format('"out", critic, generator')


CARRIED = {
    "nothing that a turn sets anew": ("best = 9", "best = 1\n    print(best)", []),
    "nothing that an inner loop sets": ("loss = 0", "for x in data:\n        loss = step(x)\n    print(loss)", []),
    "no time": ("begun = time.time()", "print(time.time() - begun)\n    begun = time.time()", []),
    "no optimizer's rate": ("adam = 1", "critic.rate *= 0.5", []),
    "a number that is multiplied": ("rate = 1.0", "rate *= 0.9", ["rate"]),
    "a count": ("step = 0", "for x in data:\n        step += 1", ["step"]),
    "a count of the file that a function changes": ("count = 0", "add()", ["count"]),
    "a count of the file that Python itself changes": ("count = 0", "__next__()", ["count"]),
    "the lowest loss": ("best = 9", "if loss < best:\n        best = loss", ["best"]),
    "what some turns set before they read it": ("a = 1", "if epoch == 4:\n        a = 0\n    show(a)", ["a"]),
    "nothing that both branches set": ("a = 1", "if epoch:\n        a = 2\n    else:\n        a = 3\n    show(a)", []),
    "what an inner loop may leave": (
        "a = 1",
        "for x in data:\n        if epoch < 4:\n            a = x\n        else:\n            break\n    show(a)",
        ["a"],
    ),
    "nothing that a setting of the program decides": (
        "a = 1",
        "if mode == 2:\n        rate = 2\n    elif mode == 3:\n        rate = 3\n    show(rate)",
        [],
    ),
    "what a function reads": ("a = 1\nshow = lambda: a", "if epoch == 4:\n        a = 0", ["a"]),
    "what is read behind the loop": ("at = 0", "if loss < 3:\n        at = epoch", ["at"]),
    "where a turn begins": ("at = 3", "for i in range(at, 9):\n        show(i)\n    at = 0", ["at"]),
    "no attribute, which the runtime sees": ("agent = Agent()", "agent.epsilon *= 0.9", []),
    "no list that it fills": ("losses = []", "losses.append(loss)", []),
    "a list and a number": ("rate, losses = 1.0, []", "losses += [1]\n    rate = decayed(rate)", ["losses", "rate"]),
    "no module": ("import numpy as np", "print(np.append(1, 2))", []),
}


@pytest.mark.parametrize(("above", "turn", "assigned"), CARRIED.values(), ids=CARRIED.keys())
def test_a_loop_is_given_the_variables_that_its_turns_leave_to_the_next_one(above, turn, assigned):
    source = LOOP.format(f"{above}\nfor epoch in range(9):\n    {turn}") + ("print(at)\n" if above == "at = 0" else "")
    source += f"\n\ndef {turn[:-2]}():\n    global count\n    count += 1\n" if above == "count = 0" else ""
    text, _ = migrate(source, select=("FT201",))
    given = [", ".join(["for epoch", *assigned]) + " in recovered(range(9)", '"out"', "critic", "generator"]
    given += [f"carried=lambda: ({', '.join(assigned)}{',' * (len(assigned) == 1)})"] if assigned else []
    line, written = ("".join(one.split()).replace(",)", ")") for one in (", ".join(given) + "):", text))
    assert line in written


def test_a_while_loop_goes_on_with_what_its_test_reads():
    source = LOOP.format("step, best = 0, 9\nwhile step < 9 and best > 1:  # short\n    show(step)")
    source = source.replace("\n    critic.train", "\n    best = min(best, loss())\n    step += 1\n    critic.train")
    text, _ = migrate(source, select=("FT201",))
    given = 'lambda: step < 9 and best > 1, "out", critic, generator, carried=lambda: (best, step)'
    head = f"for _, best, step in recovered({given}):"
    assert "".join(head.split()) in "".join(text.split()).replace(",)", ")") and "# short" in text


TAPE = """\
import tensorflow as tf


class Trainer:
    def __init__(self, folder):
        self.folder, self.model = folder, build()
        self.optimizer = tf.keras.optimizers.Adam()
        if tf.train.latest_checkpoint(folder):
            self.model.load_weights(tf.train.latest_checkpoint(folder))

    def step(self, batch):
        with tf.GradientTape() as tape:
            loss = self.model(batch)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))

    def train(self, epochs):
        for epoch in range(epochs):
            for batch in data:
                self.step(batch)
            self.model.save_weights({})
"""

FOLDERS = {
    "joined": ('os.path.join(self.folder, f"{epoch}")', "self.folder"),
    "added": ('self.folder + "/w-" + str(epoch)', "self.folder"),
    "in an f-string": ('f"{self.folder}/w-{epoch}"', "self.folder"),
    "in a format": ('"out/w-{}".format(epoch)', '"out"'),
    "by percent": ('"out/w-%d" % epoch', '"out"'),
    "in the current one": ('"w-%d.h5" % epoch', '"."'),
}


@pytest.mark.parametrize(("path", "folder"), FOLDERS.values(), ids=FOLDERS.keys())
def test_the_folder_in_which_a_loop_saves_is_named_before_its_first_turn(path, folder):
    text, _ = migrate(TAPE.format(path), select=("FT201",))
    line = f"for epoch in recovered(range(epochs), {folder}, self.model, optimizers=[self.optimizer]):"
    assert "".join(line.split()) in "".join(text.split()).replace(",)", ")")


def test_a_step_that_a_strategy_runs_trains_what_the_loop_names():
    source = TAPE.format('self.folder + "/w"').replace("self.step(batch)", "self.run(batch)")
    source += "\n    def run(self, batch):\n        self.strategy.run(self.step, args=(batch,))\n"
    assert {"self.model,", "optimizers=[self.optimizer],"} <= {one.strip() for one in added(source)}


def test_a_picture_that_is_saved_has_no_models_of_a_class_with_such_a_method():
    source = LOOP.format("picture = drawn()\nfor epoch in range(9):\n    picture.save()")
    source += "\n\nclass Pair:\n    def save(self):\n        self.first.save_weights('out/f.weights.h5')\n"
    assert added(source)[-1] == 'for epoch in recovered(range(9), "out", critic, generator):'


def test_an_attribute_that_is_None_at_first_is_what_it_becomes():
    source = TAPE.format("self.folder + '/w'").replace("self.model = folder, build()", "self.model = folder, None")
    source = source.replace(
        "        self.optimizer =", "        self.model = tf.keras.Sequential()\n        self.optimizer ="
    )
    source += "\n\nclass Pair:\n    def save_weights(self, path):\n        self.first.save_weights(path)\n"
    assert "self.model.first" not in " ".join(added(source))


def test_a_loop_over_folds_that_makes_its_model_anew_has_its_fit_wrapped():
    source = """\
import os
import keras

for fold in range(5):
    model = build()
    path = f"fold-{fold}.weights.h5"
    if os.path.exists(path):
        model.load_weights(path)
    model.fit(x, y, epochs=50, callbacks=[keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])
"""
    wrapped = "BackupAndRestore.beside([keras.callbacks.ModelCheckpoint(path, save_weights_only=True)])"
    assert added(source)[-1] == f"    model.fit(x, y, epochs=50, callbacks={wrapped})"


def test_a_loop_is_given_the_variables_of_the_function_around_its_own():
    above, turn = LOOP.split("{}")
    head = "\ndef run():\n    rate = 1.0\n\n    def train():\n        nonlocal rate\n        for epoch in range(9):\n"
    turn = "            rate *= 0.9" + turn.replace("\n    ", "\n            ")
    source = f"{above}{head}{turn}\n    train()\n\n\nrun()\n"
    assert "carried=lambda: (rate,)" in "".join(added(source))


def test_a_fit_of_another_library_or_of_the_program_is_left():
    source = f"import lightgbm as lgb\n{HEAD}model.fit(x, y, callbacks=[saver])\n"
    source += "trees = lgb.LGBMRegressor()\ntrees.fit(x, y, callbacks=[lgb.early_stopping(10)])\n"
    source += "model = mine.Judge()\nmodel.fit(x, y, epochs=9, plot=True)\n"
    assert [one for one in added(source) if "fit" in one] == [
        "model.fit(x, y, callbacks=BackupAndRestore.beside([saver]))"
    ]


LEFT = {
    "a loop whose test assigns": (
        LOOP.format("while (x := data()) is not None:"),
        "no range counts its turns",
        "manager.save()",
    ),
    "a loop over data": (LOOP.format("for x, y in data:"), "no range counts its turns", "critic_optimizer=critic"),
    "a variable that some turns alone set": (
        LOOP.format("for epoch in range(9):\n    if epoch % 5 == 0:\n        sample = x\n    show(sample)"),
        "line 11 reads `sample`, which a resumed start may not set",
        "Give `sample` a value above the loop",
    ),
    "a variable that a carried one decides about": (
        LOOP.format("is_won = 1\nfor epoch in range(9):\n    if is_won:\n        turn = x\n    is_won = play(turn)"),
        "line 12 reads `turn`, which a resumed start may not set",
        "Give `turn` a value above the loop",
    ),
    "a variable that the best turn sets, read behind the loop": (
        LOOP.format("best = 9\nfor epoch in range(9):\n    if epoch < best:\n        best = at = epoch") + "show(at)\n",
        "line 16 reads `at`, which a resumed start may not set",
        "Give `at` a value above the loop",
    ),
    "layers that are frozen from a turn on": (
        LOOP.format("for epoch in range(9):\n    if epoch == 3:\n        critic.layers[0].trainable = False"),
        "line 10 compiles or freezes layers in some turns alone",
        "Nothing changes",
    ),
    "an offset that each start adds to its turns": (
        LOOP.format("for epoch in range(9):\n    show(first + 1 + epoch)"),
        "line 9 continues the count of an earlier start",
        "Nothing changes",
    ),
    "callbacks among other arguments": (
        f"{HEAD}model.fit(x, y, **settings)\n",
        "its callbacks may be among `**` arguments",
        "run the tool again",
    ),
    "callbacks that a caller may give": (
        f"{HEAD}def train(**settings):\n    model.fit(x, y, initial_epoch=3, **settings)\n\n\ntrain()\n",
        "its callbacks may be among `**` arguments",
        "run the tool again",
    ),
    "a fit within an f-string": (
        f"{HEAD}print(f'{{model.fit(x, y, callbacks=[saver])}}')\n",
        "it is within an f-string",
        "Give its result a name",
    ),
    "a value that some starts alone have above": (
        LOOP.format("if early:\n    best = 9\nfor epoch in range(9):\n    best = best - 1"),
        "`best` has a value above it in some starts alone",
        "Nothing changes",
    ),
    "a Keras on JAX": (
        f"import os\nos.environ['KERAS_BACKEND'] = 'jax'\n{HEAD}model.fit(x, y, callbacks=[saver])\n",
        "it names another backend",
        "Keras on TensorFlow first",
    ),
    "a session": (
        f"import tensorflow as tf\n{HEAD}tf.compat.v1.disable_eager_execution()\nmodel.fit(x, y, callbacks=[saver])\n",
        "it is written for TensorFlow 1",
        "tf_upgrade_v2",
    ),
    "a Keras on Theano": (
        f"from theano import tensor\n{HEAD}model.fit(x, y, nb_epoch=5, callbacks=[saver])\n",
        "it needs Theano",
        "a Keras of TensorFlow 2",
    ),
    "a fit of each turn of a loop that begins where the last start ended": (
        f"{HEAD}for turn in range(len(os.listdir('out')), 9):\n    model.fit(x, y, epochs=20, callbacks=[saver])\n",
        "continues the count of earlier starts",
        "Nothing changes",
    ),
    "Horovod": (
        f"import horovod.keras as hvd\n{HEAD}model.fit(x, y, callbacks=[saver])\n",
        "it runs in several processes",
        "Nothing changes",
    ),
}


@pytest.mark.parametrize(("source", "reason", "help"), LEFT.values(), ids=LEFT.keys())
def test_what_is_left_keeps_every_byte_and_is_told_with_what_to_do(source, reason, help):
    text, findings = migrate(source, select=("FT201",))
    assert text == source
    (finding,) = findings
    assert finding.message.endswith(reason)
    assert help in finding.help


def test_a_session_in_a_branch_of_its_own_is_no_matter_of_the_training():
    debugged = "if 'debug' in sys.argv:\n    keras.backend.set_session(watched(keras.backend.get_session()))\n"
    assert "callbacks=BackupAndRestore.beside([saver])" in "".join(
        added(f"import sys\n{HEAD}{debugged}if 'train' in sys.argv:\n    model.fit(x, y, callbacks=[saver])\n")
    )


FIT = "model.fit(x, y, epochs=20, callbacks=[saver])"
WORK = {
    "jobs without a file of their own": (
        f"rest = [job for job in jobs if not os.path.exists(job)]\nfor job in rest:\n    {FIT}\n",
        "line 10",
    ),
    "jobs that a file does not name": (
        "import json\n\ndone = json.load(open('done.json'))['done']\n"
        f"for job in sorted(set(jobs) - set(done)):\n    {FIT}\n",
        "line 12",
    ),
    "jobs that a function collects": (
        "def rest():\n    found = []\n    for job in jobs:\n        if not os.path.exists(job):\n"
        f"            found.append(job)\n    return found\n\n\nfor job in rest():\n    {FIT}\n",
        "line 17",
    ),
    "a turn that is passed by": (
        f"for job in range(9):\n    if os.path.exists(str(job)):\n        continue\n    {FIT}\n",
        "line 10",
    ),
    "a function that is called for each job": (
        "def train(job):\n    if job in open('done').read().split():\n        return\n"
        f"    {FIT}\n\n\ntrain('a')\ntrain('b')\n",
        "line 10",
    ),
}


@pytest.mark.parametrize(("work", "line"), WORK.values(), ids=WORK.keys())
def test_a_fit_for_each_job_that_no_earlier_start_has_done_is_left(work, line):
    text, (finding,) = migrate(HEAD + work, select=("FT201",))
    assert text == HEAD + work
    assert finding.message.endswith(f"{line} skips what earlier starts have finished")


SAME = {
    "parts of the data": f"for part in sorted(os.listdir('data')):\n    {FIT}\n",
    "folds of files": (
        "files = [one for one in os.listdir('d') if os.path.isfile(one)]\n"
        f"for fold in KFold(5).split(files):\n    {FIT}\n"
    ),
    "files that are there": f"for one in [one for one in os.listdir('d') if os.path.isfile(one)]:\n    {FIT}\n",
    "an earlier training that is continued if its folder is there": (
        f"def train():\n    {FIT}\n\n\ndef resume():\n    if os.path.isdir('out'):\n        train()\n\n\n"
        "train() if 'new' in sys.argv else resume()\n"
    ),
    "a test of the number": f"for turn in range(9):\n    if turn in (1, 2):\n        continue\n    {FIT}\n",
    "epochs that the newest file leaves": (
        "done = int(tf.train.latest_checkpoint('out')[-4:])\nrest = 20 - done\n" + FIT.replace("20", "rest") + "\n"
    ),
    "epochs less those of a stage": FIT.replace("20", "20 - warm") + "\n",
    "one fit below a test": f"if not os.path.exists('done'):\n    {FIT}\n",
}


@pytest.mark.parametrize("work", SAME.values(), ids=SAME.keys())
def test_a_fit_that_every_start_reaches_as_often_is_wrapped(work):
    assert any("BackupAndRestore.beside([saver])" in line for line in added(HEAD + work))


@pytest.mark.parametrize(
    "turns", ["range(9)", "range(20 - len(os.listdir('out')))", "itertools.count(first)", "tqdm(range(9))"]
)
def test_a_loop_is_wrapped_that_counts_what_is_left_or_without_end_and_is_read_behind(turns):
    source = LOOP.format(f"for epoch in {turns}:") + "print(epoch)\n"
    wrapped = turns.replace("tqdm(range(9))", "range(9)")
    lines = [line.strip().replace('"', "'") for line in added(source)]
    assert any(f"recovered({wrapped}, " in line or f"{wrapped}," == line for line in lines)


_AGENT = (
    "import keras\n\n\nclass Agent:\n    def __init__(self):\n        self.model = build()\n\n"
    "    def learn(self):\n        self.model.train_on_batch(x, y)\n\n"
    "    def save_model(self, path):\n        self.model.save_weights(path)\n\n"
    "    def load_model(self, path):\n        self.model.load_weights(path)\n"
)
_START = (
    "import os\nfrom agent import Agent\n\nagent = Agent()\nif os.path.exists('a.h5'):\n    agent.load_model('a.h5')\n"
)
_TURNS = "for turn in range(9):\n    agent.learn()\nagent.save_model('a.h5')\n"


@pytest.mark.parametrize(
    "files",
    [
        {"agent": _AGENT, "start": _START + _TURNS},
        {name: text.replace("_model", "") for name, text in {"agent": _AGENT, "start": _START + _TURNS}.items()},
        {
            "agent": _AGENT,
            "coach": f"def learn(agent):\n    {_TURNS.replace(chr(10), chr(10) + '    ')}\n",
            "start": f"{_START}from coach import learn\n\nlearn(agent)\n",
        },
    ],
    ids=["by methods of another file", "by methods with names of their own", "of an object that it is given"],
)
def test_a_loop_is_wrapped_that_trains_loads_and_saves(files, tmp_path):
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    (changed,) = [change.after for change in outcome.changes if change.before]
    assert 'for turn in recovered(range(9), ".", agent.model):' in changed


def test_a_fit_in_a_function_that_a_loop_without_end_calls_goes_on_by_that_loop():
    source = """\
import glob
import keras


class Worker:
    def start(self):
        self.model = build()
        files = sorted(glob.glob("models/*.weights.h5"))
        if files:
            self.model.load_weights(files[-1])
        while True:
            self.train_epoch()

    def train_epoch(self):
        self.model.fit(x, y, epochs=self.epochs, callbacks=[])
        self.model.save_weights("models/latest.weights.h5")
"""
    assert added(source)[1:] == ['        for _ in recovered(lambda: True, "models", self.model):']


def test_a_fit_that_a_loop_without_a_count_and_another_call_lead_to_is_left(tmp_path):
    train = "def train(model, x, epochs=20):\n    model.fit(x, epochs=epochs, callbacks=[saver(x)])\n\n\n"
    (tmp_path / "ai.py").write_text(
        f"import keras\n\n\n{train}if __name__ == '__main__':\n    model = keras.models.load_model('m.keras')\n"
        "    train(model, x)\n    model.save('m.keras')\n"
    )
    (tmp_path / "main.py").write_text(
        "import keras\nfrom ai import train\n\nmodel = keras.models.load_model('m.keras')\nwhile True:\n"
        "    train(model, played())\n    model.save('m.keras')\n"
    )
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    assert 'for _ in recovered(lambda: True, ".", model):' in next(one.after for one in outcome.changes if one.before)
    assert any("main.py, line 5 calls it again" in one.message for one in outcome.findings)


def test_what_keras_3_asks_for_is_told_once_a_file():
    source = HEAD.replace("w.weights.h5", "w.h5").replace(", save", ", period=2, save")
    fit = "model.fit(x, y, callbacks=[saver])\n"
    first, second = found(f"{source}{fit}{fit}")
    told = ["On Keras 3, line 8: remove period.", "On Keras 3, line 8: name the file ….weights.h5."]
    assert first.help.split("\n") == told
    assert second.help == ""
    assert [one.help for one in found(f"{source}{fit}", target="keras2")] == [""]


SAVED_BY_A_FUNCTION = """\
import os
import tensorflow as tf

model = tf.keras.models.load_model("out/m.keras") if os.path.exists("out/m.keras") else build()
for epoch in range(9):
    model.train_on_batch(x, y)
    {}
"""


@pytest.mark.parametrize("save", ["tf.keras.models.save_model(model, path)", "tf.saved_model.save(model, path)"])
def test_a_function_that_saves_is_given_the_model_first_and_the_path_second(save):
    source = SAVED_BY_A_FUNCTION.format(save.replace("path", '"out/m.keras"'))
    line = 'for epoch in recovered(range(9), "out", model):'
    assert line in added(source)


IN_A_CLASS = """\
import os
import sys
import keras


class Trainer:
    def __init__(self, folder):
        self.folder, self.start = folder, 0
        self.model = build()

    def load_newest(self):
        epochs = [int(name.split("-")[1].split(".")[0]) for name in os.listdir(self.folder)]
        if epochs:
            self.start = max(epochs)
            self.model.load_weights(f"{self.folder}/m-{self.start}.weights.h5")

    def save(self, epoch):
        self.model.save_weights(f"{self.folder}/m-{epoch}.weights.h5")

    def train(self, epochs):
        for epoch in range(self.start, epochs):
            self.model.train_on_batch(x, y)
            self.save(epoch + 1)


trainer = Trainer(sys.argv[1])
trainer.load_newest()
trainer.train(9)
"""


IN_A_SAVE = 'f"{self.folder}/m-{epoch}.weights.h5"'


@each("path", "folder")((IN_A_SAVE, "self.folder"), ('os.path.join(self.folder, "last.weights.h5")', "self.folder"))
def test_what_an_object_is_made_with_names_the_folder_in_which_another_method_saves(path, folder):
    line = f"for epoch in recovered(range(self.start, epochs), {folder}, self.model):"
    assert line in "\n".join(added(IN_A_CLASS.replace(IN_A_SAVE, path)))


@pytest.mark.parametrize("test", ["newest", "newest is not None", "use and newest"])
def test_the_folder_of_a_file_that_a_start_may_not_have_is_not_named(test):
    source = (
        f"import keras\n\nnewest = found()\nmodel = build()\nif {test}:\n    model.load_weights(newest)\n"
        "for epoch in range(9):\n    model.train_on_batch(x, y)\n    model.save_weights(name(epoch))\n"
    )
    assert 'for epoch in recovered(range(9), ".", model):' in added(source)


def test_a_folder_that_another_method_sets_is_not_taken_for_the_current_one():
    setter = "    def move(self, folder):\n        self.folder = folder\n\n"
    source = IN_A_CLASS.replace("    def save(self", setter + "    def save(self")
    for path in (IN_A_SAVE, 'os.path.join(self.folder, "last.weights.h5")'):
        given = source.replace(IN_A_SAVE, path)
        assert 'recovered(range(self.start, epochs), "program", self.model):' in "\n".join(added(given))
