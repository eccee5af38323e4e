"""A program that goes on from what it saved is found wherever in its files it loads, and left with the lines."""

import json
import os
from pathlib import Path

import pytest

from migrate.findings.finding import Fidelity, Finding
from migrate.pipeline.run import run, write
from migrate.results.outcome import Outcome
from migrate.settings import Settings

_SAVER = "callbacks=[ModelCheckpoint(FILE, save_weights_only=True)]"
_HEAD = "import os\nimport sys\nimport keras\nfrom keras.callbacks import ModelCheckpoint\n"

FOUND = {
    "a trainer of another file, and the newest file's epoch in the settings": {
        "train": (
            "from keras.callbacks import ModelCheckpoint\nfrom start import model_for\n\n\nclass Trainer:\n"
            "    def __init__(self, model):\n        self.model = model\n\n    def run(self, init_epoch=0):\n"
            "        self.model.fit(x, epochs=9, initial_epoch=init_epoch, callbacks=read_callbacks())\n\n\n"
            "Trainer(model_for(hparams)).run(**hparams['fit'])\n"
        ),
        "start": (
            "import glob\n\n\ndef newest(folder):\n    found = sorted(glob.glob(folder + '/@epoch*'))\n"
            "    return found[-1] if found else None\n\n\ndef model_for(hparams):\n    model = build(hparams)\n"
            "    path = newest(hparams['folder'])\n    if path:\n        model.load_weights(path)\n"
            "        hparams['fit']['init_epoch'] = int(path.split('_')[1])\n    return model\n"
        ),
    },
    "a callback of another file that loads when training begins": {
        "train": (
            "import keras\nfrom loading import LoadingCheckpoint\n\nmodel = build()\n"
            "model.fit(x, epochs=9, callbacks=[LoadingCheckpoint(folder)])\n"
        ),
        "loading": (
            "import keras\n\n\nclass LoadingCheckpoint(keras.callbacks.ModelCheckpoint):\n"
            "    def on_train_begin(self, logs=None):\n        self.restore()\n\n    def restore(self):\n"
            "        if newest(self.folder):\n            self.model.load_weights(newest(self.folder))\n"
        ),
    },
    "an object that saves by a method of its own after each round of fit": {
        "train": (
            "import keras\nfrom network import Network\n\n\nclass Worker:\n    def start(self):\n"
            "        self.network = self.load()\n"
            "        while True:\n            self.network.model.fit(x, epochs=2, callbacks=[])\n"
            "            self.network.save(self.path())\n\n    def path(self):\n"
            "        return FOLDER + '/weights.h5'\n\n"
            "    def load(self):\n        network = Network()\n        if network.load(self.path()):\n"
            "            return network\n        return network\n\n\nWorker().start()\n"
        ),
        "network": (
            "import os\nimport keras\n\n\nclass Network:\n    def load(self, path):\n        if os.path.exists(path):\n"
            "            self.model.load_weights(path)\n            return True\n        return False\n\n"
            "    def save(self, path):\n        self.model.save_weights(path)\n"
        ),
    },
    "a loop with a tape that saves weights": {
        "train": (
            "import tensorflow as tf\n\n\ndef main(args):\n    model = build()\n    if args.resume:\n"
            "        model.load_weights(args.path)\n    for epoch in range(9):\n        for batch in data:\n"
            "            with tf.GradientTape() as tape:\n                loss = model(batch)\n"
            "            optimizer.apply_gradients(zip(tape.gradient(loss, model.weights), model.weights))\n"
            "        model.save_weights(args.path)\n"
        ),
    },
    "a fit in both ways of the test whether there is a file": {
        "train": (
            f"{_HEAD}\nmodel = build()\nsaver = ModelCheckpoint('saved/w-{{epoch}}.h5', save_weights_only=True)\n"
            "if os.listdir('saved'):\n    newest = sorted(os.listdir('saved'))[-1]\n"
            "    model.load_weights(os.path.join('saved', newest))\n"
            "    model.fit(x, epochs=9 - int(newest[2:-3]), callbacks=[saver])\n"
            "else:\n    model.fit(x, epochs=9, callbacks=[saver])\n"
        ),
    },
    "a loop that saves a Checkpoint without a manager": {
        "train": (
            "import tensorflow as tf\n\ncheckpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)\n"
            "newest = tf.train.latest_checkpoint(folder)\nfirst = 0\nif newest:\n    checkpoint.restore(newest)\n"
            "    first = optimizer.iterations.numpy() // steps\nfor epoch in range(first, 9):\n"
            "    train_step(data)\n    checkpoint.save(folder + '/c')\n"
        ),
    },
}

LEFT_ALONE = {
    "weights from elsewhere that a flag names": {
        "train": (
            f"{_HEAD}from made import made\n\nmodel = made(args.weights)\n"
            "model.fit(x, epochs=9, callbacks=[ModelCheckpoint(args.folder + '/w-{epoch}.h5')])\n"
        ),
        "made": (
            "def made(weights):\n    model = build()\n    if weights:\n"
            "        model.load_weights(weights, by_name=True)\n"
            "    return model\n"
        ),
    },
    "the best model of a training, in another file": {
        "train": (
            f'{_HEAD}from evaluate import evaluate\n\nFILE = "out/best.h5"\nmodel = build()\n'
            f"model.fit(x, epochs=9, {_SAVER})\nevaluate(model, FILE)\n"
        ),
        "evaluate": (
            "import os\n\n\ndef evaluate(model, path):\n    if os.path.exists(path):\n"
            "        model.load_weights(path)\n"
            "    return model.evaluate(x)\n"
        ),
    },
    "another mode of the program": {
        "train": (
            f'{_HEAD}from predict import predict\n\nFILE = "out/best.h5"\nmodel = build()\n'
            f'if sys.argv[1] == "predict":\n'
            f"    predict(model, FILE)\n    sys.exit()\nmodel.fit(x, epochs=9, {_SAVER})\n"
        ),
        "predict": (
            "import os\n\n\ndef predict(model, path):\n    if os.path.exists(path):\n        model.load_weights(path)\n"
            "    return model.predict(x)\n"
        ),
    },
    "another library's fit": {
        "train": (
            f'{_HEAD}from made import made\n\nFILE = "out/best.h5"\nscaler.fit(x)\nmodel = made()\n'
            "model.fit(x, epochs=9, callbacks=[ModelCheckpoint(FILE)])\n"
        ),
        "made": "def made():\n    return build()\n",
    },
    "a model that is loaded instead of being trained, as a method says": {
        "train": (
            "import os\nimport keras\n\n\nclass Network:\n    def loaded(self, path):\n"
            "        if os.path.exists(path):\n            self.model.load_weights(path)\n            return True\n"
            "        return False\n\n    def run(self, path):\n        if not self.loaded(path):\n"
            "            self.model.fit(x, y, epochs=9, callbacks=[])\n            self.model.save_weights(path)\n"
        ),
    },
    "the best of a stage that the next one begins with": {
        "train": (
            "import os\nimport keras\nfrom fitted import fitted\n\nmodel = build()\nfitted(model, 0.1)\n"
            "if os.path.exists('m.weights.h5'):\n    model.load_weights('m.weights.h5')\nfitted(model, 0.01)\n"
        ),
        "fitted": (
            "from keras.callbacks import ModelCheckpoint\n\n\ndef fitted(model, rate):\n"
            "    model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('m.weights.h5', save_weights_only=True)])\n"
        ),
    },
    "another model of the same weights, which never trains": {
        "train": (
            "import keras\n\nmodel = build(32)\nplayer = build(1)\nplayer.load_weights('m.weights.h5')\n"
            "while True:\n    model.fit(x, y, epochs=1)\n    model.save_weights('m.weights.h5')\n"
        ),
    },
    "a callback that loads to evaluate what it saved": {
        "train": (
            "import keras\nfrom scoring import Scoring\n\nmodel = build()\n"
            "model.fit(x, epochs=9, callbacks=[Scoring('out/m.h5')])\n"
        ),
        "scoring": (
            "import keras\n\n\nclass Scoring(keras.callbacks.Callback):\n"
            "    def on_epoch_end(self, epoch, logs=None):\n"
            "        self.model.save_weights(self.path)\n        if epoch:\n            other.load_weights(self.path)\n"
        ),
    },
    "a loop that a CheckpointManager recovers": {
        "train": (
            "import tensorflow as tf\n\ncheckpoint = tf.train.Checkpoint(model=model, optimizer=opt, epoch=epoch)\n"
            "manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)\n"
            "checkpoint.restore(manager.latest_checkpoint)\nfor _ in range(9):\n    train_step(data)\n"
            "    manager.save()\n"
        ),
    },
}


def findings(files: dict[str, str], directory: Path) -> list[Finding]:
    """What the tool says of the recovery in a program of several files, which must keep every byte."""
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text)
    outcome = run([str(directory)], Settings(select=("FT201",)), jobs=1, progress=None)
    assert not outcome.changes
    return outcome.findings


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND.keys())
def test_it_is_found_at_the_training_and_left_with_the_lines_to_write(files: dict[str, str], tmp_path: Path) -> None:
    (finding,) = findings(files, tmp_path)
    assert finding.fidelity is Fidelity.MANUAL
    assert "tf.train.CheckpointManager(" in finding.help
    assert "BackupAndRestore" not in finding.help


@pytest.mark.parametrize("files", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_what_only_looks_like_it_gets_no_finding(files: dict[str, str], tmp_path: Path) -> None:
    assert findings(files, tmp_path) == []


def test_a_loop_is_recovered_in_a_file_that_knows_fit_alone_where_the_start_loads_and_the_model_saves(
    tmp_path: Path,
) -> None:
    files = {
        "trainer": (
            "from keras.optimizers import SGD\n\n\nclass Trainer:\n    def __init__(self, net):\n"
            "        self.net = net\n\n    def train(self, rounds):\n        self.net.model.compile(SGD(), 'mse')\n"
            "        for _ in range(rounds):\n            self.net.model.fit(x, y, epochs=5)\n"
            "            self.net.save()\n"
        ),
        "main": (
            "from options import options\nfrom network import Net\nfrom trainer import Trainer\n\nnet = Net()\n"
            "if options.file is not None:\n    print('resuming training of ' + options.file)\n"
            "    net.load(options.file)\nTrainer(net).train(50)\n"
        ),
        "network": (
            "import keras\n\n\nclass Net:\n    def __init__(self):\n        self.model = build()\n\n"
            "    def save(self, name='newest.h5'):\n        self.model.save_weights('out/' + name)\n\n"
            "    def load(self, name):\n        self.model.load_weights('out/' + name)\n"
        ),
    }
    text = _rewritten(files, tmp_path)
    assert "recovery.restore(named=begun_from())" in text
    assert "load_weights(begin_from(" in text


@pytest.mark.parametrize(("library", "is_found"), [("keras", True), ("torch", False)])
def test_a_training_needs_no_import_of_keras_where_it_trains_what_another_file_makes(
    library: str, is_found: bool, tmp_path: Path
) -> None:
    (tmp_path / "network.py").write_text(f"import {library}\n\n\ndef build():\n    return {library}.Sequential([])\n")
    text = (
        "from network import build\nmodel = build()\nif RESUME:\n    model.load_weights('m.weights.h5')\n"
        "for epoch in range(9):\n    model.fit(x, y, epochs=1)\n    model.save_weights('m.weights.h5')\n"
    )
    (tmp_path / "train.py").write_text(text)
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}
    (tmp_path / "train.ipynb").write_text(
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
    )
    found = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None).findings
    rewritten = [Path(one.path).name for one in found if one.fidelity is Fidelity.NOTED]
    assert rewritten == (["train.ipynb", "train.py"] if is_found else [])
    assert len(found) == len(rewritten)


def _rewritten(files: dict[str, str], directory: Path) -> str:
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text)
    outcome = run([str(directory)], Settings(select=("FT201",)), jobs=1, progress=None)
    return "".join(one.after for one in outcome.changes if Path(one.path).stem in files)


_TRAINER = """\
import tensorflow as tf


def train(model, epochs):
    saver = tf.keras.callbacks.ModelCheckpoint({}save_weights_only={})
    model.fit(x, y, epochs=epochs, callbacks=[saver])
"""
_HEAD_OF_MORE = """\
import argparse
import keras

parser = argparse.ArgumentParser()
parser.add_argument("--resume", help="the model to go on from")
args = parser.parse_args()
"""
_FIRST = "import trainer\n\ntrainer.train(build(), 9)\n"


def test_a_program_that_trains_by_the_same_function_and_loads_nothing_begins_anew(tmp_path: Path) -> None:
    more = "import trainer\n\nmodel = keras.models.load_model({})\ntrainer.train(model, 9)\n"
    trainer = _TRAINER.format('"out/m.keras", ', False)
    text = _rewritten({"trainer": trainer, "more": "import keras\n" + more.format('"out/m.keras"')}, tmp_path)
    assert 'initial_epoch=recovery.restore(saved="out/m.keras")' in text
    files = {"trainer": trainer, "more": "import keras\n" + more.format('"out/m.keras"'), "first": _FIRST}
    text = _rewritten(files, tmp_path)
    assert "initial_epoch=recovery.restore() if begun_from() else 0" in text
    assert 'load_model(begin_from("out/m.keras"))' in text
    files["more"] = _HEAD_OF_MORE + more.format("args.resume")
    assert "recovery.restore(named=begun_from()) if begun_from() else 0" in _rewritten(files, tmp_path)


def test_what_a_start_loads_at_once_in_another_file_must_be_whole_after_a_kill(tmp_path: Path) -> None:
    more = 'import keras\nimport trainer\n\nmodel = keras.models.load_model("./out")\ntrainer.train(model, 9)\n'
    (finding,) = findings({"trainer": _TRAINER.format('"./out/", ', False), "more": more}, tmp_path)
    assert "it is in another file, and a kill while it is saved can cut it short" in finding.message


_NET = """\
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self, weights=None):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)
        if weights is not None:
            self.build((None, 2))
            self.load_weights(weights)
"""
_OF_NET = """\
import os
import tensorflow as tf
from net import Net

RESUMES = False
path = "m.weights.h5"
model = Net(path) if {} else Net()
model.compile("adam", "mse")
"""


def test_a_model_of_a_class_that_loads_for_itself_is_the_one_that_its_program_makes(tmp_path: Path) -> None:
    fit = "saver = tf.keras.callbacks.ModelCheckpoint(path)\nmodel.fit(x, y, epochs=9, callbacks=[saver])\n"
    text = _rewritten({"train": _OF_NET.format("RESUMES") + fit, "net": _NET}, tmp_path)
    assert "initial_epoch=recovery.restore() if begun_from() else 0" in text
    assert "self.load_weights(begin_from(weights))" in text


@pytest.mark.parametrize("is_class", [False, True])
def test_each_start_trains_a_file_further_that_code_of_another_file_loads(is_class: bool, tmp_path: Path) -> None:
    fit = "model.fit(x, y, epochs=9)\nmodel.save_weights(path)\n"
    loads = 'model = Net()\nif os.path.exists(path):\n    load(model, path)\nmodel.compile("adam", "mse")\n'
    made = "model = Net(path) if os.path.exists(path) else Net()\n"
    head = _OF_NET.format("RESUMES").partition("model = ")[0].replace("import Net", "import Net, load")
    net = _NET + "\n\ndef load(model, path):\n    model.load_weights(path)\n"
    text = _rewritten({"train": head + (made if is_class else loads) + fit, "net": net}, tmp_path)
    assert "initial_epoch=recovery.restore(saved=path)" in text


def test_the_file_of_a_saver_that_another_file_makes_is_loaded_without_a_test(tmp_path: Path) -> None:
    files = {
        "train": (
            "import keras\nimport config\nfrom callbacks import made\n\nmodel = build()\n"
            "model.load_weights(config.BEST)\nmodel.fit(x, y, epochs=9, callbacks=made(path=config.BEST))\n"
        ),
        "config": "import os\n\nBEST = os.path.join('out', 'best.weights.h5')\n",
        "callbacks": (
            "from keras.callbacks import ModelCheckpoint\n\n\ndef made(path):\n"
            "    return [ModelCheckpoint(path, save_weights_only=True)]\n"
        ),
    }
    assert "initial_epoch=recovery.restore()" in _rewritten(files, tmp_path)


@pytest.mark.parametrize("end", [".weights.h5", ".h5"])
@pytest.mark.parametrize(("number", "is_noted"), [("m-07", True), ("7th", False), ("pretrained-m-07", False)])
def test_a_file_that_has_a_number_where_the_saver_fills_it_in_is_one_of_an_earlier_start(
    number: str, is_noted: bool, end: str, tmp_path: Path
) -> None:
    files = {
        "train": f"from network import Network\n\none = Network()\none.load('old/{number}{end}')\none.train()\n",
        "network": (
            "import keras\n\n\nclass Network:\n    def __init__(self):\n        self.model = build()\n\n"
            "    def load(self, path):\n        self.model.load_weights(path)\n\n    def train(self):\n"
            f"        saver = keras.callbacks.ModelCheckpoint('out/m-{{epoch:02d}}{end}', save_weights_only=True)\n"
            "        self.model.fit(x, y, epochs=9, callbacks=[saver])\n"
        ),
    }
    text = _rewritten(files, tmp_path)
    assert ("begin_from(path)" in text and "restore(named=begun_from())" in text) is is_noted
    assert bool(text) is is_noted


def test_the_lines_for_several_models_hold_each_with_its_optimizer(tmp_path: Path) -> None:
    text = (
        "import os\nimport keras\n\ngenerator, critic = build(), build()\nif os.path.exists('g.h5'):\n"
        "    generator.load_weights('g.h5')\n    critic.load_weights('c.h5')\nfor x, y in data:\n"
        "    critic.train_on_batch(x, y)\n    generator.train_on_batch(x, y)\n    generator.save_weights('g.h5')\n"
        "    critic.save_weights('c.h5')\n"
    )
    (finding,) = findings({"train": text}, tmp_path)
    for model in ("generator", "critic"):
        assert f"{model}={model}, " in finding.help and f"{model}_optimizer={model}.optimizer, " in finding.help
    assert "optimizer.build" not in finding.help  # of a model that is frozen in another it would know no variable


@pytest.mark.parametrize(("library", "name"), [("horovod.keras", "hvd"), ("byteps.keras", "bps")])
def test_where_one_of_several_processes_saves_the_lines_save_in_one(library: str, name: str, tmp_path: Path) -> None:
    text = (
        f"{_HEAD}import {library} as {name}\n\nmodel = build()\nif os.path.exists('m.h5'):\n"
        f"    model.load_weights('m.h5')\ncallbacks = [{name}.callbacks.BroadcastGlobalVariablesCallback(0)]\n"
        f"if {name}.rank() == 0:\n    callbacks.append(ModelCheckpoint('m.h5'))\n"
        "model.fit(x, epochs=9, callbacks=callbacks)\n"
    )
    (finding,) = findings({"train": text}, tmp_path)
    assert "runs it in several processes, of which one alone saves" in finding.message
    assert f"*([save_epoch] if {name}.rank() == 0 else [])" in finding.help


def test_a_notebook_that_loads_is_part_of_the_program_that_it_imports(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(
        "from keras.callbacks import ModelCheckpoint\n\n\nclass Network:\n    def load_weights(self, path):\n"
        "        self.model.load_weights(path)\n\n    def train(self, x, folder):\n"
        "        saver = ModelCheckpoint(folder + '/weights.h5', save_weights_only=True)\n"
        "        self.model.fit(x, epochs=9, callbacks=[saver])\n"
    )
    lines = (
        "from network import Network\nMODE = 'load'\nnetwork = Network()\nif MODE == 'load':\n"
        "    network.load_weights('run/weights.h5')\nnetwork.train(x, 'run')"
    )
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": lines}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(notebook))
    found = run([str(tmp_path)], Settings(), jobs=1, progress=None).findings
    assert [(Path(finding.path).name, finding.fidelity) for finding in found] == [("network.py", Fidelity.MANUAL)]


_NAMED = {
    "train": (
        f"{_HEAD}from network import Network\n\n\ndef train(model, first):\n"
        "    saver = ModelCheckpoint('out/m-{epoch}.weights.h5', save_weights_only=True)\n"
        "    model.fit(x, epochs=9, initial_epoch=first, callbacks=[saver])\n\n\n"
        "def main(args):\n    train(Network(args).model, args.first)\n"
    ),
    "network": (
        "class Network:\n    def __init__(self, args):\n        self.model = build()\n        if args.resume:\n"
        "            self.model.load_weights(args.folder + '/' + args.resume)\n"
    ),
}
"""A program whose training does not know the file that another of its files loads."""


def _changed(directory: Path, given: list[str], jobs: int = 1, **settings: str) -> Outcome:
    for name, text in _NAMED.items():
        (directory / f"{name}.py").write_text(text)
    return run([str(directory / one) for one in given], Settings(**settings), jobs=jobs, progress=None)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_another_file_loads_is_noted_there_and_both_change_together(jobs: int, tmp_path: Path) -> None:
    outcome = _changed(tmp_path, ["train.py", "network.py"], jobs)
    new = {Path(change.path).stem: change for change in outcome.changes if change.before is not None}
    assert new.keys() == {"train", "network"}
    assert "recovery.restore(first, named=begun_from())" in new["train"].after
    assert "self.model.load_weights(begin_from(args.folder + '/' + args.resume))" in new["network"].after
    assert "from tf2_recovery.keras_named_file import begin_from\n" in new["network"].after
    assert {*map(os.path.basename, new["network"].together)} == {"train.py", "network.py"}
    assert [finding.rewritten for finding in outcome.findings] == [True, True]


def test_a_program_of_a_second_run_is_left_as_the_first_one_wrote_it(tmp_path: Path) -> None:
    assert write(_changed(tmp_path, ["."])) == []
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    assert (outcome.findings, outcome.changes) == ([], [])


def test_a_program_is_left_whole_where_the_file_that_loads_is_not_given(tmp_path: Path) -> None:
    outcome = _changed(tmp_path, ["train.py"])
    (finding,) = outcome.findings
    assert not outcome.changes
    assert "network.py, which changes with it, is not among the given files" in finding.message


def test_a_program_is_left_whole_where_a_comment_ignores_the_load(tmp_path: Path) -> None:
    load = "            self.model.load_weights(args.folder + '/' + args.resume)"
    ignored = {**_NAMED, "network": _NAMED["network"].replace(load, load + "  # migrate: ignore")}
    for name, text in ignored.items():
        (tmp_path / f"{name}.py").write_text(text)
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    assert not outcome.changes
    assert [finding.rewritten for finding in outcome.findings] == [False]


def test_files_of_a_package_import_what_notes_the_file_by_their_package(tmp_path: Path) -> None:
    package = tmp_path / "jobs"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "train.py").write_text(_NAMED["train"].replace("from network", "from .network"))
    (package / "network.py").write_text(_NAMED["network"])
    new = {Path(c.path).stem: c.after for c in run([str(tmp_path)], Settings(), jobs=1, progress=None).changes}
    for name, piece in (("train", "begun_from"), ("network", "begin_from")):
        assert f"from .tf2_recovery.keras_named_file import {piece}\n" in new[name]


def test_two_programs_that_load_by_one_function_note_its_file_once(tmp_path: Path) -> None:
    (tmp_path / "again.py").write_text(_NAMED["train"])
    new = {Path(change.path).stem: change.after for change in _changed(tmp_path, ["."]).changes}
    assert new["network"].count("begin_from(") == 1
    assert all("named=begun_from()" in new[name] for name in ("train", "again"))


def test_a_training_that_another_file_starts_in_a_loop_asks_no_load(tmp_path: Path) -> None:
    files, _ = next(iter(ACROSS.values()))
    text = files["train"].replace("load_newest(model, FILE)", "load_newest(model, FILE, args.go_on)")
    head, _, body = text.partition("model.compile")
    body = "    model.compile" + body.replace("\n", "\n    ").rstrip() + "\n"
    changed = {
        "train": f"{head}\n\ndef train():\n{body}",
        "start": files["start"].replace("allowed=True", "allowed"),
        "all": "import train\n\nfor _ in range(3):\n    train.train()\n",
    }
    (finding,) = findings(changed, tmp_path)
    assert "runs more than once" in finding.message


@pytest.mark.parametrize(("old", "new"), [("allowed=True", "allowed"), ("os.path.exists(path)", "wanted(path)")])
def test_what_decides_in_another_file_is_asked_of_the_load(old: str, new: str, tmp_path: Path) -> None:
    files, _ = next(iter(ACROSS.values()))
    for name, text in files.items():
        text = text.replace(old, new).replace("(model, FILE)", "(model, FILE, args.go_on)")
        (tmp_path / f"{name}.py").write_text(text)
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    new = {Path(change.path).stem: change.after for change in outcome.changes}
    assert "recovery.restore() if begun_from() else 0" in new["train"]
    assert "model.load_weights(begin_from(path))" in new["start"]


def test_the_newest_file_and_its_epoch_are_a_resumption_without_a_test_for_them_too(tmp_path: Path) -> None:
    text = (
        f"{_HEAD}from glob import glob\n\nnewest = sorted(glob('model_*'))[-1]\n"
        "model = keras.models.load_model(newest)\nsaver = ModelCheckpoint('model_{epoch:02d}_{loss:.4f}')\n"
        "model.fit(x, y, epochs=9, initial_epoch=int(newest.split('_')[1]), callbacks=[saver])\n"
    )
    (finding,) = findings({"train": text}, tmp_path)
    assert finding.fidelity is Fidelity.MANUAL


ACROSS = {
    "a function of another file that loads into the model, with a default that asks for it": (
        {
            "train": (
                f'{_HEAD}from start import load_newest\n\nFILE = "out/m.weights.h5"\nmodel = build()\n'
                f"model.compile('sgd', 'mse')\nload_newest(model, FILE)\nmodel.fit(x, y, epochs=9, {_SAVER})\n"
            ),
            "start": (
                "import os\n\n\ndef load_newest(model, path, allowed=True):\n"
                "    if allowed and os.path.exists(path):\n        model.load_weights(path)\n"
            ),
            "predict": "from start import load_newest\n\nload_newest(model, 'out/m.weights.h5')\n",
        },
        "callbacks=[recovery, ModelCheckpoint(FILE, save_weights_only=True)],"
        " initial_epoch=recovery.restore(saved=FILE))",
    ),
    "a class of another file whose method trains what another method loads": (
        {
            "train": (
                "import os\nfrom network import Network\n\nnetwork = Network()\n"
                "path = os.path.join('out', args.name, 'm.weights.h5')\nnetwork.resume(path)\n"
                "network.train(x, network.callbacks(path))\n"
            ),
            "network": (
                "import os\nfrom keras.callbacks import ModelCheckpoint\n\n\nclass Network:\n"
                "    def resume(self, path):\n        if os.path.isfile(path):\n"
                "            self.model.load_weights(path)\n\n    def callbacks(self, path):\n"
                "        return [ModelCheckpoint(path, save_weights_only=True)]\n\n"
                "    def train(self, x, callbacks=None, initial_epoch=0):\n"
                "        self.model.fit(x, epochs=9, initial_epoch=initial_epoch, callbacks=callbacks)\n"
            ),
        },
        "recovery_dir = directory_beside(callbacks)",
    ),
    "a method of a class of another file": (
        {
            "train": (
                f"{_HEAD}from network import Network\n\nargs = parser.parse_args()\nnetwork = Network()\n"
                "if os.path.isfile(args.model):\n    network.load(args.model)\nelse:\n    network.create()\n"
                "network.inner.fit(x, y, epochs=9, callbacks=[ModelCheckpoint(filepath=args.model)])\n"
            ),
            "network": (
                "import keras\n\n\nclass Network:\n    def create(self, weights=None):\n"
                "        self.inner = keras.Sequential([keras.layers.Dense(1)])\n        if weights:\n"
                "            self.inner.load_weights(weights)\n\n    def load(self, weights):\n"
                "        self.create(weights=weights)\n"
            ),
        },
        "recovery_dir = directory_beside(args.model)",
    ),
    "a function of another file that tries to load, and a path that the training has from one more": (
        {
            "train": (
                "from keras.callbacks import ModelCheckpoint\nfrom made import *\n\n\ndef train(models):\n"
                f"    models[0].fit(x, y, epochs=9, {_SAVER})\n\n\ntrain(build_or_load())\n"
            ),
            "made": (
                "from constants import *\n\n\ndef build_or_load():\n    models = build_models()\n    try:\n"
                "        models[0].load_weights(FILE)\n    except OSError:\n        print('new')\n    return models\n"
            ),
            "constants": 'FILE = "out/model.h5"\n',
        },
        "callbacks = [ModelCheckpoint(FILE, save_weights_only=True)]\n    recovery_dir = directory_beside(callbacks)\n",
    ),
}


@pytest.mark.parametrize(("files", "expected"), ACROSS.values(), ids=ACROSS.keys())
def test_what_another_file_loads_stays_and_is_restored_over(
    files: dict[str, str], expected: str, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    assert [finding.rewritten for finding in outcome.findings] == [True], outcome.findings
    new = {Path(change.path).stem: change.after for change in outcome.changes if change.before is not None}
    (text,) = new.values()
    assert expected in text
    assert "has_checkpoint" not in text


@pytest.mark.parametrize(
    ("head", "path", "settings"),
    [
        ("from settings import Config", "Config.file", 'class Config:\n    file = "out/best.weights.h5"\n'),
        ("import settings", "settings.FILE", 'FILE = "out/best.weights.h5"\n'),
    ],
    ids=["an attribute of a class", "a name at its top"],
)
def test_a_path_that_another_file_holds_is_one_for_the_load_and_the_save(
    head: str, path: str, settings: str, tmp_path: Path
) -> None:
    (tmp_path / "settings.py").write_text(settings)
    (tmp_path / "train.py").write_text(
        f"import tensorflow as tf\n{head}\n\nmodel = build()\noptimizer = tf.keras.optimizers.Adam()\n"
        f"try:\n    model.load_weights({path})\nexcept OSError:\n    print('new')\n"
        "for epoch in range(9):\n    step(model, optimizer)\n    with tf.GradientTape() as tape:\n"
        "        loss = model(x)\n    gradients = tape.gradient(loss, model.trainable_variables)\n"
        "    optimizer.apply_gradients(zip(gradients, model.trainable_variables))\n"
        f"    model.save_weights({path})\n"
    )
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    assert [finding.rewritten for finding in outcome.findings] == [True], outcome.findings
    new = {Path(change.path).stem: change.after for change in outcome.changes if change.before is not None}
    assert "for epoch in range(recovery.restore(" in new["train"]


def test_an_object_that_is_made_by_its_own_method_is_followed_to_an_end(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        f"{_HEAD}\n\nclass Net:\n    def __init__(self):\n        self.model = build()\n"
        "        self.twin = self.copy()\n\n    def copy(self):\n        return self.twin.copy()\n\n"
        "    def train(self):\n"
        "        if os.path.exists('m.weights.h5'):\n            self.model.load_weights('m.weights.h5')\n"
        "        saver = ModelCheckpoint('m.weights.h5', save_weights_only=True)\n"
        "        self.model.fit(x, epochs=9, callbacks=[saver])\n        self.twin.copy().train()\n"
    )
    findings = run([str(tmp_path)], Settings(), jobs=1, progress=None).findings
    assert [(finding.code, finding.rewritten) for finding in findings] == [("FT201", True)]


def test_a_file_that_each_start_loads_is_not_cut_short_where_a_callback_saves_another_model(tmp_path: Path) -> None:
    text = _OWN.replace(
        "file, model = self.file, self.model",
        "file, inner = self.file, self.model\n        model = keras.Model(inner.input, head(inner.output))",
    )
    text = text.replace("model.save_weights(file)", "inner.save_weights(file)")
    text = text.replace("build()", "keras.Model(*layers)")
    (tmp_path / "train.py").write_text(text + "\n\nReader().train()\n")
    (finding,) = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None).findings
    assert not finding.rewritten and "cut short" in finding.message


@pytest.mark.parametrize(("given", "is_asked"), [("", False), ("[ModelCheckpoint(other)]", True)])
def test_callbacks_that_a_call_leaves_out_are_not_asked_for_a_file(given: str, is_asked: bool, tmp_path: Path) -> None:
    files, _ = ACROSS["a class of another file whose method trains what another method loads"]
    other = "from keras.callbacks import ModelCheckpoint\nfrom network import Network\n\n"
    for name, text in {**files, "other": f"{other}Network().train(x, {given})\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    assert [finding.rewritten for finding in outcome.findings] == [is_asked]


def test_a_method_of_what_another_file_makes_is_looked_for_there(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        f"{_HEAD}from making import build\n\nmodel = build().to(device)\n"
        "if os.path.exists('m.weights.h5'):\n    model.load_weights('m.weights.h5')\n"
        "model.fit(x, epochs=9, callbacks=[ModelCheckpoint('m.weights.h5', save_weights_only=True)])\n"
    )
    (tmp_path / "making.py").write_text(
        "class Layer:\n    def to(self, device):\n        return self\n\n\n"
        "def build():\n    kind = chosen()\n    net = kind()\n    return net\n"
    )
    findings = run([str(tmp_path)], Settings(), jobs=1, progress=None).findings
    assert [(finding.code, finding.rewritten) for finding in findings] == [("FT201", True)]


_OWN = """\
import os
import keras
import tensorflow as tf


class Reader:
    def __init__(self, file=None):
        if file is None:
            file = os.path.join(os.getcwd(), "trained.h5")
        self.file = file
        self.model = build()
        if os.path.isfile(file):
            self.model.load_weights(file)

    def train(self):
        file, model = self.file, self.model

        class Saver(keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                model.save_weights(file)

        model.fit(x, y, epochs=9, callbacks=[Saver()])
"""


def test_the_program_s_own_file_is_restored_over_also_where_an_argument_may_name_it(tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text(_OWN)
    (tmp_path / "train.py").write_text("from reader import Reader\n\nReader(config['file']).train()\n")
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    new = {Path(change.path).stem: change.after for change in outcome.changes}
    assert "initial_epoch=recovery.restore()" in new["reader"]
    assert "begin_from" not in new["reader"]  # it would be named anew by the first start after a kill


_NUMBERED = """\
import keras


class Gan:
    def __init__(self, number=None):
        self.model = build()
        if number is not None:
            self.load_weights(f"out/gan_{number}.h5")

    def load_weights(self, path):
        self.model.load_weights(path)

    def train(self, epochs):
        for epoch in range(epochs):
            self.model.train_on_batch(x, y)
            self.model.save_weights(f"out/gan_{epoch}.h5")


Gan(number=None).train(90)
"""


def test_a_file_of_a_number_that_the_text_leaves_out_is_noted_where_a_method_of_that_name_loads_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "gan.py").write_text(_NUMBERED)
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    new = {Path(change.path).stem: change.after for change in outcome.changes}
    assert "self.model.load_weights(begin_from(path))" in new["gan"]
    assert "for epoch in range(recovery.restore(named=begun_from()), epochs):" in new["gan"]


def test_an_object_is_followed_through_a_function_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "maker.py").write_text("def made(name):\n    KIND = KINDS[name]\n    one = KIND(3)\n    return one\n")
    (tmp_path / "train.py").write_text(
        f"{_HEAD}from maker import made\n\n\nclass Net:\n    def wrapped(self):\n        return build(self)\n\n\n"
        "model = made('a').wrapped()\nif os.path.exists('m.weights.h5'):\n    model.load_weights('m.weights.h5')\n"
        "saver = ModelCheckpoint('m.weights.h5', save_weights_only=True)\nmodel.fit(x, epochs=9, callbacks=[saver])\n"
    )
    findings = run([str(tmp_path / "train.py")], Settings(), jobs=1, progress=None).findings
    assert [(finding.code, finding.rewritten) for finding in findings] == [("FT201", True)]


@pytest.mark.parametrize("settings", [None, "class Job:\n    pass\n\n\njob = Job()\nread_into(job, 'job.yaml')\n"])
def test_a_file_that_the_settings_name_for_the_save_and_the_load_is_the_programs_own(
    tmp_path: Path, settings: str | None
) -> None:
    """A Boolean decides: a start in which it is off begins anew."""
    (tmp_path / "train.py").write_text(
        "import keras\nfrom settings import job\n\nmodel = build()\n\n\nclass Best(keras.callbacks.Callback):\n"
        "    def on_epoch_end(self, epoch, logs=None):\n        model.save_weights(job.path)\n\n\n"
        "if job.goes_on:\n    model.load_weights(job.path)\n"
        "model.fit(x, y, epochs=9, initial_epoch=job.first, callbacks=[Best()])\n"
    )
    if settings is not None:
        (tmp_path / "settings.py").write_text(settings)
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    assert [one.rewritten for one in outcome.findings] == [True]
    text = "".join(one.after for one in outcome.changes if one.path.endswith("train.py"))
    assert "recovery.restore(job.first) if job.goes_on else job.first" in text
