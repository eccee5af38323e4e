"""A program that resumes is found by what it does, wherever in its files, and by its own words."""

from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate

_HEAD = "import argparse\nimport glob\nimport os\nimport keras\nfrom keras.callbacks import ModelCheckpoint\n\n"
_ARGS = "parser = argparse.ArgumentParser()\nparser.add_argument({})\nargs = parser.parse_args()\n"
_FIT = "model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('out/w-{epoch}.weights.h5', save_weights_only=True)])\n"

BY_WHAT_IT_DOES = {
    "its one file, where there is one": (
        "model = build()\nif os.path.exists('w.h5'):\n    model.load_weights('w.h5')\n"
        "model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('w.h5')])\n"
    ),
    "the newest file, which a function finds where it is given none": (
        "def load(model, path=None):\n    if path is None:\n        path = sorted(glob.glob('out/*.h5'))[-1]\n"
        "    model.load_weights(path)\n\n\nmodel = build()\nload(model)\n" + _FIT
    ),
    "its one file, if it can be read": (
        "model = build()\ntry:\n    model.load_weights('w.h5')\nexcept OSError:\n    pass\n"
        "model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('w.h5')])\n"
    ),
    "its one file, at each start": (
        "model = keras.models.load_model('m.keras')\nmodel.fit(x, y, epochs=9)\nmodel.save('m.keras')\n"
    ),
    "the file that a setting names, whatever it prints": (
        "def made(path):\n    model = build()\n    if os.path.exists(path):\n        print('pretrained weights')\n"
        "        model.load_weights(path)\n    return model\n\n\n"
        "def savers(path):\n    return [ModelCheckpoint(path)]\n\n\n"
        "model = made(settings['w'])\nmodel.fit(x, y, epochs=9, callbacks=savers(settings['w']))\n"
    ),
    "the last file of its series, whose number it notes": (
        "[best, last] = np.load('config.npy')\nmodel = keras.models.load_model(f'm/{last}.keras')\n"
        "last += 1\nmodel.fit(x, y, epochs=9)\nmodel.save(f'm/{last}.keras')\nnp.save('config', [best, last])\n"
    ),
    "a file of a name that is put together alike": (
        "path = 'm_%d.h5' % len(x)\nmodel = keras.models.load_model(path)\n"
        "model.fit(x, y, epochs=9)\nmodel.save(path)\n"
    ),
    "the newest file": (
        "model = build()\nfiles = sorted(glob.glob('out/*.weights.h5'))\nif files:\n"
        f"    model.load_weights(files[-1])\n{_FIT}"
    ),
    "the newest file, by a function that makes the model": (
        "def made():\n    files = glob.glob('out/*')\n    if files:\n"
        "        return keras.models.load_model(max(files))\n"
        f"    return build()\n\n\nmodel = made()\n{_FIT}"
    ),
    "a file that a flag names": (
        _ARGS.format("'--load'") + f"model = build()\nif args.load:\n    model.load_weights(args.load)\n{_FIT}"
    ),
    "a file that an option names, which a loop reads": (
        "import getopt\nimport sys\n\nfile, old = 'new', False\n"
        "for name, value in getopt.getopt(sys.argv[1:], 'l:')[0]:\n    file, old = value, True\n"
        "model = keras.models.load_model(file + '.h5') if old else build()\n"
        "model.fit(x, y, epochs=9)\nmodel.save('%s-9.h5' % file)\n"
    ),
    "a file and an epoch that flags name, which may also be pretrained": (
        _ARGS.format("'--weights', help='Pretrained weights for fine tune'")
        + "model = build()\nif args.weights:\n    model.load_weights(args.weights, by_name=True)\n"
        "model.fit(x, y, epochs=9, initial_epoch=args.init_epoch)\nmodel.save('final.h5')\n"
    ),
    "its one file, in each mode but `train`, before a training that every mode reaches": (
        "model = build()\nif mode != 'train':\n    model.load_weights('w.h5')\n"
        "model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('w.h5')])\n"
    ),
    "its one file, in a mode that is neither the first training nor an inference": (
        "model = build()\nif mode == 'train':\n    pass\nelif mode == 'retrain':\n    model.load_weights('w.h5')\n"
        "for turn in range(9):\n    model.train_on_batch(x, y)\n    model.save_weights('w.h5')\n"
    ),
    "a fit that is tried again where it fails": (
        "model = build()\nif os.path.exists('w.h5'):\n    model.load_weights('w.h5')\nwhile True:\n    try:\n"
        "        model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('w.h5')])\n        break\n"
        "    except MemoryError:\n        x = smaller(x)\n"
    ),
    "the epoch that a file's name holds": (
        "model, first = build(), 0\nif args.weights:\n    model.load_weights(args.weights)\n"
        "    first = int(args.weights.split('-')[1])\n"
        "model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[made()])\nmodel.save_weights('last.h5')\n"
    ),
    "the step that a file's name holds, of a model with another head": (
        "model, step = build(), 0\nif settings['path']:\n"
        "    model.load_weights(settings['path'], by_name=True, skip_mismatch=True)\n"
        "    parts = settings['path'].split('step')\n    step = int(parts[1][:8])\n"
        "for turn in range(step, 9):\n    model.train_on_batch(x, y)\n    model.save_weights(f'out/step{turn}.h5')\n"
    ),
    "the model that an object is given": (
        "def train(net, number=0):\n    if number > 0:\n"
        "        net.model = keras.models.load_model(f'net-{number}.h5')\n    for turn in range(number, 9):\n"
        "        net.model.train_on_batch(x, y)\n        net.model.save(f'net-{turn}.h5')\n"
    ),
    "the turn that the name of a setting's file holds": (
        "import settings\n\nmodel, turn = build(), 0\nif settings.PRETRAINED and os.path.isfile(settings.FILE):\n"
        "    model.load_weights(settings.FILE)\n    turn = int(settings.FILE.split('_')[-1])\n"
        "for number in range(turn, 9):\n    model.train_on_batch(x, y)\n    model.save_weights('iter_%d' % number)\n"
    ),
    "its file in a folder, whose path a method puts together": (
        "class Job:\n    def path(self, *parts):\n        return os.path.join(self.folder, *parts)\n\n"
        "    def run(self, folder=None):\n        model = build()\n        if folder:\n"
        "            model.load_weights(os.path.join(folder, 'last.h5'))\n"
        "        model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint(self.path('last.h5'))])\n"
    ),
    "an earlier file of the pattern that its callback writes": (
        f"model = build()\nmodel.load_weights('out/w-07.weights.h5')\n{_FIT}"
    ),
    "a file whose words are those of its own file, where there is one": (
        "try:\n    model = keras.models.load_model('net.h5')\nexcept OSError:\n    model = build()\n"
        "model.fit(x, y, epochs=9)\nmodel.save('out/BestNet-2.keras')\n"
    ),
    "its own file by the names of its layers": (
        f"model = build()\nmodel.load_weights('out/w-{{0}}.weights.h5'.format(7), by_name=True)\n{_FIT}"
    ),
    "an earlier file, of the numbers that its name has there": (
        "model = build()\nmodel.load_weights('ep03-0.52.h5')\n"
        "model.fit(x, y, callbacks=[ModelCheckpoint('out/ep{epoch:02d}-{loss:.2f}.h5')])\n"
    ),
    "a flag whose default is the file that it saves": (
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--weights', default='out/w-07.weights.h5')\nargs = parser.parse_args()\n"
        f"model = build()\nmodel.load_weights(args.weights)\n{_FIT}"
    ),
    "a file that settings in the text name": (
        "settings = {'weights': 'out/w-07.weights.h5'}\nmodel = build()\n"
        f"model.load_weights(settings['weights'])\n{_FIT}"
    ),
    "a file that a setting in the text may name": (
        "class Settings:\n    weights = None\n\n\nmodel = build()\nif Settings.weights is not None:\n"
        f"    model.load_weights(Settings.weights)\n{_FIT}"
    ),
    "its one file at each start, of a model whose layers are frozen": (
        "model = keras.models.load_model('m.keras')\nfor layer in model.layers:\n    layer.trainable = False\n"
        "model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('m.keras')])\n"
    ),
    "its own file, whatever a flag calls it": (
        _ARGS.format("'--use_pretrained'")
        + "model = build()\nif args.use_pretrained:\n    model.load_weights('w.h5')\n"
        "model.fit(x, y, epochs=9)\nmodel.save_weights('w.h5')\n"
    ),
    "a method of what holds the model": (
        "class Net:\n    def __init__(self):\n        self.model = build()\n"
        "        self.other = part_of(self.model)\n\n"
        "    def load(self, path):\n        self.other.load_weights(path)\n\n\nnet = Net()\nnet.load('w.h5')\n"
        "net.model.fit(x, y, epochs=9)\nnet.model.save_weights('w.h5')\n"
    ),
    "a model in a class that loads when it is made": (
        "class Net:\n    def __init__(self):\n        self.model = build()\n        if os.path.exists('w.h5'):\n"
        "            self.model.load_weights('w.h5')\n\n    def train(self):\n"
        "        self.model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('w.h5')])\n"
    ),
    "methods of a class that no file calls": (
        "class Net:\n    def load(self):\n        self.model.load_weights('w.h5')\n\n    def train(self):\n"
        "        self.model.fit(x, y, epochs=9, initial_epoch=self.first, callbacks=[ModelCheckpoint('w.h5')])\n"
    ),
    "a file of the same name, in another folder, where there is one": (
        "model = build()\nif os.path.isfile('/in/text.h5'):\n    model = keras.models.load_model('/in/text.h5')\n"
        "model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('/out/text.h5')])\n"
    ),
    "an epoch of its own beside 0, with weights that are called pretrained": (
        "model, first = build(), 0\nif args.pretrained:\n    model.load_weights(args.pretrained)\n"
        "    first = int(args.pretrained.split('-')[-1])\nmodel.fit(x, y, epochs=9, initial_epoch=first)\n"
    ),
    "two models of a loop": (
        "critic, maker = build(), build()\nif os.path.exists('out/c.h5'):\n    critic.load_weights('out/c.h5')\n"
        "for epoch in range(9):\n    critic.train_on_batch(x, y)\n    maker.train_on_batch(x, y)\n"
        "    critic.save_weights('out/c.h5')\n"
    ),
    "a branch of its own, in which it also trains": (
        _ARGS.format("'--new_train', action='store_true'")
        + "if not args.new_train:\n    model = keras.models.load_model('w.h5')\n"
        "    model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('w.h5')])\n"
    ),
    "a model whose weights another one gets": (
        "model = build()\nif os.path.exists('m.keras'):\n    old = keras.models.load_model('m.keras')\n"
        "    model.set_weights(old.get_weights())\nmodel.fit(x, y, epochs=9)\nmodel.save('m.keras')\n"
    ),
    "the parts of the model that it trains": (
        "model = Net()\nif os.path.exists('e.h5'):\n    model.encoder.load_weights('e.h5')\n"
        "model.fit(x, y, epochs=9)\nmodel.encoder.save_weights('e.h5')\n"
    ),
    "its one file, before a thread trains": (
        "import threading\n\nmodel = build()\nif os.path.exists('w.h5'):\n    model.load_weights('w.h5')\n\n\n"
        "def train():\n    model.fit(x, y, epochs=9, callbacks=[ModelCheckpoint('w.h5')])\n\n\n"
        "threading.Thread(target=train).start()\n"
    ),
    "a file that has the name of the model, unless it is missing": (
        "def load(model):\n    if not os.listdir('out'):\n        return\n    model.load_weights('out/net.h5')\n\n\n"
        "model = build()\nload(model)\nfor turn in range(9):\n    model.train_on_batch(x, y)\n"
        "    model.save_weights(f'out/{model.name}.h5')\n"
    ),
    "a checkpoint of the program's own": (
        "import tensorflow as tf\n\nmodel, optimizer = build(), tf.keras.optimizers.Adam()\n"
        "checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)\n"
        "checkpoint.restore(tf.train.latest_checkpoint('out'))\nfor epoch in range(9):\n"
        "    optimizer.apply_gradients(zip(gradients(x), model.trainable_variables))\n    checkpoint.save('out/ckpt')\n"
    ),
}


@pytest.mark.parametrize("program", BY_WHAT_IT_DOES.values(), ids=BY_WHAT_IT_DOES.keys())
def test_a_program_that_loads_what_it_saves_before_it_trains_is_rewritten(program):
    text, findings = migrate(_HEAD + program, select=("FT201",))
    assert [one.rewritten for one in findings] == [True]
    assert "from tf2_recovery.keras." in text


def given(above, path, beside=""):
    return f"model = build()\n{above}\nmodel.load_weights({path}){beside}\n{_FIT}"


BY_ITS_WORDS = {
    "a flag": _ARGS.format("'--resume'") + given("", "args.resume"),
    "a flag's help": _ARGS.format("'--w', help='continue training from'") + given("", "args.w"),
    "a comment above": given("# restart from here", "'a.h5'"),
    "a variable that counts the continued trainings": given("Continuation_Train = 2", "f'a{Continuation_Train}.h5'"),
    "a comment of the switch": (
        "# Begin with trained weights, such as to continue training\nUSE_WEIGHTS = False\nmodel = build()\n"
        f"if USE_WEIGHTS:\n    model.load_weights('...')\n{_FIT}"
    ),
    "a comment beside": given("", "'a.h5'", "  # continue the training"),
    "a printed line": given("print('resuming')", "'a.h5'"),
    "a variable's name": given("resume_path = 'a.h5'", "resume_path"),
    "what it calls the file, where there is one": (
        f"model = build()\nif os.path.exists('checkpoint.h5'):\n    model.load_weights('checkpoint.h5')\n{_FIT}"
    ),
    "a test": f"model = build()\nif RESUME:\n    model.load_weights('a.h5')\n{_FIT}",
    "a function's name": (
        f"def resume(model):\n    model.load_weights('a.h5')\n\n\nmodel = build()\nresume(model)\n{_FIT}"
    ),
    "Chinese": given("# 断点续训", "'a.h5'"),
}


@pytest.mark.parametrize("program", BY_ITS_WORDS.values(), ids=BY_ITS_WORDS.keys())
def test_a_program_that_says_so_is_rewritten(program):
    text, findings = migrate(_HEAD + program, select=("FT201",))
    assert [one.rewritten for one in findings] == [True]
    assert "BackupAndRestore.beside(" in text


_SAVES = "callbacks=[ModelCheckpoint(FILE, save_weights_only=True)]"
IN_SEVERAL_FILES = {
    "the load in a file that it imports": {
        "train": (
            f"{_HEAD}from parts import made\n\nFILE = 'w.h5'\nmodel = made(FILE)\nmodel.fit(x, epochs=9, {_SAVES})\n"
        ),
        "parts": (
            "import os\n\n\ndef made(path):\n    model = build()\n    if os.path.exists(path):\n"
            "        model.load_weights(path)\n    return model\n"
        ),
    },
    "an answer that a function of another file asks for": {
        "train": (
            f"{_HEAD}FILE = 'out/w-{{epoch}}.h5'\n\n\ndef train(model, first=0):\n"
            f"    model.fit(x, epochs=9, initial_epoch=first, {_SAVES})\n\n\n"
            "def newest():\n    path = max(glob.glob('out/*.h5'))\n"
            "    return keras.models.load_model(path), int(path[6:-3])\n"
        ),
        "start": (
            "import train\n\nmodel, first = build(), 0\nif input('Load? ') == 'y':\n"
            "    model, first = train.newest()\ntrain.train(model, first)\n"
        ),
    },
    "a flag of another file, by default the file that it saves": {
        "train": (
            f"{_HEAD}from flags import args\n\nmodel = build()\nmodel.load_weights(args.weights)\n"
            f"model.fit(x, epochs=9, {_SAVES.replace('FILE', chr(39) + 'out/w.h5' + chr(39))})\n"
        ),
        "flags": (
            "import argparse\n\nOWN = 'out/w.h5'\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--weights', default=OWN or 'w.h5')\nparser.add_argument('--file', default='w.h5')\n"
            "args = parser.parse_args()\n"
        ),
    },
    "a model from a file, beside a class with a method of the same name": {
        "train": (
            f"{_HEAD}from network import Network\n\nFILE = 'out/w.h5'\nif os.path.exists(FILE):\n"
            "    model = keras.models.load_model(FILE)\nelse:\n    model = Network.made()\n"
            f"model.fit(x, epochs=9, {_SAVES})\n"
        ),
        "network": (
            "class Network:\n    @staticmethod\n    def made():\n        return build()\n\n"
            "    def fit(self, x):\n        return x\n"
        ),
    },
    "its own file, beside a program for TensorFlow 1": {
        "__init__": "",
        "train": f"{_HEAD}FILE = 'w.h5'\nmodel = build()\nmodel.load_weights(FILE)\nmodel.fit(x, epochs=9, {_SAVES})\n",
        "older": "import tensorflow as tf\n\ntf.train.AdamOptimizer().minimize(loss)\n",
    },
    "a class of another file, whose object the program makes": {
        "train": (
            f"{_HEAD}from network import Network\n\nFILE = 'out/w.h5'\nnetwork = Network()\nnetwork.load(FILE)\n"
            f"network.model.fit(x, epochs=9, {_SAVES})\n"
        ),
        "network": (
            "import os\n\n\nclass Network:\n    def __init__(self):\n        self.model = build()\n\n"
            "    def load(self, path):\n        if os.path.exists(path):\n            self.model.load_weights(path)\n"
        ),
    },
}


@pytest.mark.parametrize("files", IN_SEVERAL_FILES.values(), ids=IN_SEVERAL_FILES.keys())
def test_only_the_training_changes_wherever_the_load_stands(files, tmp_path):
    tmp_path = tmp_path / "tests"  # a folder above the user's project says nothing of it
    tmp_path.mkdir()
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    changed = [change for change in outcome.changes if change.before]
    assert [Path(change.path).name for change in changed] == ["train.py"]
    assert changed[0].after is not None and "BackupAndRestore.beside([" in changed[0].after
