"""Programs that save, select, fine-tune or only predict resume nothing: they keep every byte and get no finding."""

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate

_HEAD = """\
import os
import tensorflow as tf
from keras.callbacks import ModelCheckpoint

path = "out/model.weights.h5"
model = build()
"""
_SAVER = "saver = ModelCheckpoint(path, save_weights_only=True)\n"
_BEST = "saver = ModelCheckpoint(path, save_best_only=True, period=2)\n"
_FIT = "model.fit(x, y, epochs=5, callbacks=[saver])\n"
_END = _SAVER + _FIT

LEFT = {
    "a callback that only saves": _HEAD + _END,
    "an old callback with period and options": _HEAD + "saver = ModelCheckpoint(path, period=5, options=o)\n" + _FIT,
    "a load behind a return": (
        _HEAD + "def load():\n    return False\n    model.load_weights(path)\n    return True\n\nload()\n" + _END
    ),
    "the best model loaded after fit": _HEAD + _BEST + _FIT + "model.load_weights(path)\nmodel.evaluate(x, y)\n",
    "the best model loaded after fit where there is one": (
        _HEAD + _BEST + _FIT + "if os.path.exists(path):\n    model.load_weights(path)\n"
    ),
    "the best of one training as the beginning of the next": (
        _HEAD + _BEST + _FIT + "if os.path.exists(path):\n    model.load_weights(path)\n" + _FIT
    ),
    "pretrained weights from elsewhere": (
        _HEAD + 'if os.path.exists("imagenet.h5"):\n    model.load_weights("imagenet.h5")\n' + _END
    ),
    "pretrained weights of a flag": (_HEAD + "if args.pretrained:\n    model.load_weights(args.pretrained)\n" + _END),
    "weights that a program always begins with, where no whole model is named": (
        "import sys\nimport keras\n\npretrained, weights_file = sys.argv[1:3]\nif sys.argv[3] == 'vgg':\n"
        "    model = build()\nelif pretrained is not None:\n    model = keras.models.load_model(pretrained)\nelse:\n"
        "    model = build()\n    model.load_weights(weights_file)\n"
        "saver = keras.callbacks.ModelCheckpoint(f'{new_name()}.h5')\n" + _FIT
    ),
    "pretrained weights in the same directory": (
        _HEAD + 'if os.path.exists("out/a.h5"):\n    model.load_weights("out/a.h5")\n' + _END
    ),
    "weights of a model with another head, before the first of two stages": (
        _HEAD
        + "Init_Epoch = 0\nFreeze_Epoch = 5\nmodel.load_weights('other.h5', by_name=True, skip_mismatch=True)\n"
        + _SAVER
        + "model.fit(x, y, epochs=Freeze_Epoch, initial_epoch=Init_Epoch, callbacks=[saver])\n"
        "model.fit(x, y, epochs=9, initial_epoch=Freeze_Epoch, callbacks=[saver])\n"
    ),
    "fine-tuning in two stages": (
        _HEAD + _SAVER + "model.fit(x, y, epochs=5)\nmodel.fit(x, y, epochs=9, initial_epoch=5, callbacks=[saver])\n"
    ),
    "fine-tuning that begins with the first stage's best": (
        _HEAD
        + _SAVER
        + "if args.first:\n    model.fit(x, y, epochs=5, callbacks=[saver])\n"
        + "if os.path.exists(path):\n    model.load_weights(path)\n"
        + "model.fit(x, y, epochs=9, initial_epoch=5, callbacks=[saver])\n"
    ),
    "the stages of a progressive training": (
        _HEAD
        + _SAVER
        + "settings = read()\nfor stage in range(4):\n    first = int(float(stage) / 4 * settings.epochs)\n"
        + "    model.fit(x(stage), epochs=first + 2, initial_epoch=first, callbacks=[saver])\n"
    ),
    "a model that is made better and saved as another file": (
        'import keras\nmodel = keras.models.load_model("old.h5")\nmodel.fit(x, y, epochs=5)\nmodel.save("new.h5")\n'
    ),
    "a model that may be there, and is saved under other words": (
        'import os\nimport keras\nmodel = keras.models.load_model("old_net.h5") if os.path.exists("old_net.h5") '
        'else build()\nmodel.fit(x, y, epochs=5)\nmodel.save("new_net.h5")\n'
    ),
    "a model that is loaded instead of being trained": (
        'import os\nimport keras\n\n\ndef made():\n    if os.path.exists("m.h5"):\n'
        '        return keras.models.load_model("m.h5")\n    model = build()\n    model.fit(x, y, epochs=5)\n'
        '    model.save("m.h5")\n    return model\n'
    ),
    "an evaluation script": _HEAD + "if os.path.exists(path):\n    model.load_weights(path)\nmodel.evaluate(x, y)\n",
    "an evaluation in a function of its own": (
        _HEAD
        + "def evaluate():\n    if os.path.exists(path):\n        model.load_weights(path)\n"
        + "    model.evaluate(x, y)\n\n\n"
        + _END
    ),
    "a training where nothing can be loaded": (
        "import keras\n\nmodel = build()\ntry:\n    model = keras.models.load_model('m.h5')\nexcept OSError:\n"
        "    model.fit(x, y, epochs=9)\n    model.save('m.h5')\n"
    ),
    "a function that loads the best after fit": (
        _HEAD
        + "def best(model):\n    if os.path.exists(path):\n        model.load_weights(path)\n\n\n"
        + _BEST
        + _FIT
        + "best(model)\n"
    ),
    "a function that makes the model of pretrained weights": (
        _HEAD.replace("model = build()\n", "")
        + "def made():\n    if os.path.exists('a.h5'):\n        return tf.keras.models.load_model('a.h5')\n"
        + "    return build()\n\n\nmodel = made()\n"
        + _END
    ),
    "a function that loads into another model": (
        _HEAD
        + "def load(given):\n    if os.path.exists(path):\n        given.load_weights(path)\n\n\nload(other)\n"
        + _END
    ),
    "a file of another": (_HEAD + "other = build()\nif os.path.exists(path):\n    other.load_weights(path)\n" + _END),
    "the file of another program for a part of the model": _HEAD
    + "model.load_weights('out/base.weights.h5', by_name=True)\n"
    + _END,
    "a file that a comment above its test says is another job's": (
        "import sys\n"
        + _HEAD
        + "# load pretrained model\nif sys.argv[1:]:\n    model.load_weights(sys.argv[1])\n"
        + _END
    ),
    "a file that a comment says is pre-trained": (
        _HEAD + "# optionally load a pre-trained model\nif args.w:\n    model.load_weights(args.w)\n" + _END
    ),
    "weights for fine-tuning by the names of layers, and the epoch to begin at": (
        "import argparse\n"
        + _HEAD
        + "parser = argparse.ArgumentParser()\nparser.add_argument('--w', help='weights for fine tune')\n"
        + "parser.add_argument('--first', type=int)\nargs = parser.parse_args()\n"
        + "if args.w:\n    model.load_weights(args.w, by_name=True)\n"
        + _SAVER
        + "model.fit(x, y, epochs=9, initial_epoch=args.first, callbacks=[saver])\n"
    ),
    "a download, and the epoch to begin at": (
        _HEAD
        + "if args.weights == 'imagenet':\n    model.load_weights(get_file('net.h5', URL))\n"
        + _SAVER
        + "model.fit(x, y, epochs=9, initial_epoch=args.first, callbacks=[saver])\n"
    ),
    "a text that names the file": (
        _HEAD
        + "model.load_weights(settings['w'])\nwith open('log.txt', 'a') as file:\n    file.write(settings['w'])\n"
        + _END
    ),
    "a load in order to predict, before a training that another flag asks for": (
        _HEAD
        + "if args.predict:\n    model.load_weights(path)\n    model.predict(x)\n"
        + _SAVER
        + "if args.train:\n    "
        + _FIT
    ),
    "a load where no training is asked for": (
        _HEAD + "if not args.train:\n    model.load_weights(path)\n" + _SAVER + "if args.train:\n    " + _FIT
    ),
    "the file of the stage before, which a function of its own trains": (
        "import keras\n\n\ndef first():\n    model = build()\n    model.fit(x, y, epochs=9)\n"
        "    model.save_weights('first.h5')\n\n\ndef second():\n    model = build()\n"
        "    model.load_weights('first.h5')\n    model.fit(x, y, epochs=9)\n    model.save_weights('second.h5')\n\n\n"
        "first()\nsecond()\n"
    ),
    "a load switched off": (_HEAD + "if False and os.path.exists(path):\n    model.load_weights(path)\n" + _END),
    "a load to play, before a loop that trains where it does not play": (
        _HEAD + "if args.mode == 'Run':\n    model.load_weights(path)\n    watched = 10 ** 9\nelse:\n    watched = 9\n"
        "while True:\n    turn = play(model)\n    if turn > watched:\n        model.train_on_batch(x, y)\n"
        "    model.save_weights(path)\n"
    ),
    "a load in each mode but one": (
        _HEAD
        + "if args.mode != 'train':\n    model.load_weights(path)\n"
        + _SAVER
        + "if args.mode == 'train':\n    "
        + _FIT
    ),
    "an object that loads, beside the one that is trained": (
        "import keras\n\n\nclass Net:\n    def __init__(self, weights=None):\n        self.model = build()\n"
        "        if weights:\n            self.model.load_weights(weights)\n\n    def train(self):\n"
        "        self.model.fit(x, y, epochs=9)\n        self.model.save_weights('w.h5')\n\n\n"
        "if args.first:\n    Net().train()\nelse:\n    print(Net('w.h5').model.predict(x))\n"
    ),
    "a function that loads unless its model is to be trained": (
        _HEAD.replace("model = build()\n", "")
        + "def made(is_training):\n    model = build()\n    if not is_training:\n        model.load_weights(path)\n"
        + "    return model\n\n\nmodel = made(True)\n"
        + _END
    ),
    "a file of another stage that every start needs": (
        _HEAD + "model.load_weights(path)\n" + _SAVER.replace("(path", "('next.weights.h5'") + _FIT
    ),
    "another network's weights before stages whose epochs settings give": (
        _HEAD
        + "model.load_weights('yolo.h5', by_name=True)\n"
        + _SAVER
        + "model.fit(x, y, epochs=settings.last, initial_epoch=settings.first, callbacks=[saver])\n"
    ),
    "an object that may load, which each call makes without a file": (
        "class Net:\n    def __init__(self, weights=None):\n        self.model = build()\n"
        "        if weights is not None:\n            self.model.load_weights(f'out/{weights}.h5')\n\n"
        "    def train(self):\n        for epoch in range(9):\n            self.model.train_on_batch(x, y)\n"
        "            self.model.save_weights(f'out/{epoch}.h5')\n\n\nNet(weights=None).train()\n"
    ),
    "weights that a flag names, and a file of others where it does not": (
        _HEAD
        + "parser.add_argument('--weights', default='yolo.h5')\nargs = parser.parse_args()\n"
        + "model.load_weights(args.weights)\n"
        + _END
    ),
    "weights that a flag names, which names a file of others where nothing is said": (
        _HEAD
        + "parser.add_argument('--weights', default='yolo.h5')\nargs = parser.parse_args()\n"
        + "if args.weights:\n    model.load_weights(args.weights)\n"
        + _END
    ),
    "weights of a backbone that a flag names": (
        _HEAD
        + "parser.add_argument('--resnet')\nargs = parser.parse_args()\n"
        + "if args.resnet:\n    model.load_weights(args.resnet)\n"
        + _END
    ),
    "initial weights that the same start has saved": (
        _HEAD + "model.save_weights('initial.h5')\nmodel.load_weights('initial.h5')\n" + _END
    ),
    "a file of a similar name in another folder": (
        _HEAD + "model = tf.keras.models.load_model('models/net2.h5')\nfor i in range(9):\n"
        "    model.fit(x, y, epochs=5)\n    model.save('trained/net2' + str(i) + '.h5')\n"
    ),
    "a load that a call asks for nowhere": (
        _HEAD.replace("model = build()\n", "")
        + "def made(weights=None):\n    model = build()\n    if weights:\n        model.load_weights(weights)\n"
        + "    return model\n\n\nmodel = made()\n"
        + _END
    ),
    "a load that the call for a training alone refuses": (
        _HEAD.replace("model = build()\n", "")
        + "def made(fresh=True):\n    model = build()\n    if not fresh:\n        model.load_weights('w.h5')\n"
        + "    return model\n\n\ndef predict():\n    made(fresh=False).predict(x)\n\n\ndef train():\n"
        + "    model = made(fresh=True)\n    model.fit(x, y, epochs=9)\n    model.save_weights('w.h5')\n"
    ),
    "a class that loads what it has saved, to predict": (
        "import keras\n\n\nclass Net:\n    def fit(self, x, y):\n        self.model.fit(x, y, epochs=9)\n\n"
        "    def save(self):\n        self.model.save('m.h5')\n\n"
        "    def load(self):\n        self.model = keras.models.load_model('m.h5')\n"
    ),
    "a model that another one replaces": _HEAD + "model.load_weights(path)\nmodel = build()\n" + _END,
    "weights beside a loop that always begins at 0": (
        "class Net:\n    def load(self, path):\n        self.model.load_weights(path)\n\n"
        "    def train(self, first=0):\n        for epoch in range(first, 9):\n"
        "            self.model.train_on_batch(x, y)\n"
    ),
    "a path that is set to None at once": (
        _HEAD
        + "def made(weights):\n    model = build()\n    if weights:\n        model.load_weights(weights)\n"
        + "    return model\n\n\nif os.path.exists(path):\n    weights = path\n    weights = None\n"
        + "else:\n    weights = None\nmodel = made(weights)\n"
        + _END
    ),
    "a path that changes": (
        _HEAD + "if os.path.exists(path):\n    model.load_weights(path)\n" + 'path = "other.h5"\n' + _END
    ),
    "recovery by BackupAndRestore beside it": (
        _HEAD
        + _SAVER
        + 'backup = tf.keras.callbacks.BackupAndRestore("b", delete_checkpoint=False)\n'
        + "model.fit(x, y, epochs=5, callbacks=[backup, saver])\n"
    ),
}


@pytest.mark.parametrize("target", ["portable", "keras2", "keras3"])
@pytest.mark.parametrize("source", LEFT.values(), ids=LEFT.keys())
def test_a_file_without_recovery_stays_byte_for_byte_and_gets_no_finding_of_this_kind(source, target):
    text, findings = migrate(source, target=target, select=("FT2",))
    assert text == source
    assert findings == []


SAVER_OF_FILES = "callbacks=[ModelCheckpoint(FILE, save_weights_only=True)]"
HEAD_OF_FILES = "import os\nimport sys\nimport keras\nfrom keras.callbacks import ModelCheckpoint\n"
LEFT_ALONE = {
    "a file that another program saves": {
        "train": (
            f"{HEAD_OF_FILES}from language import LANGUAGE\n\nmodel = build()\nmodel.load_weights(LANGUAGE)\n"
            "model.fit(x, epochs=9, callbacks=[ModelCheckpoint('classes.h5')])\n"
        ),
        "language": (
            f"{HEAD_OF_FILES}LANGUAGE = 'language.h5'\n\n\ndef train(model):\n"
            "    model.fit(x, epochs=9, callbacks=[ModelCheckpoint(LANGUAGE)])\n"
        ),
    },
    "weights from elsewhere that a flag names": {
        "train": (
            f"{HEAD_OF_FILES}from made import made\n\nmodel = made(args.weights)\n"
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
            f'{HEAD_OF_FILES}from evaluate import evaluate\n\nFILE = "out/best.h5"\nmodel = build()\n'
            f"model.fit(x, epochs=9, {SAVER_OF_FILES})\nevaluate(model, FILE)\n"
        ),
        "evaluate": (
            "import os\n\n\ndef evaluate(model, path):\n    if os.path.exists(path):\n"
            "        model.load_weights(path)\n"
            "    return model.evaluate(x)\n"
        ),
    },
    "another mode of the program": {
        "train": (
            f'{HEAD_OF_FILES}from predict import predict\n\nFILE = "out/best.h5"\nmodel = build()\n'
            f'if sys.argv[1] == "predict":\n'
            f"    predict(model, FILE)\n    sys.exit()\nmodel.fit(x, epochs=9, {SAVER_OF_FILES})\n"
        ),
        "predict": (
            "import os\n\n\ndef predict(model, path):\n    if os.path.exists(path):\n        model.load_weights(path)\n"
            "    return model.predict(x)\n"
        ),
    },
    "another library's fit": {
        "train": (
            f'{HEAD_OF_FILES}from made import made\n\nFILE = "out/best.h5"\nscaler.fit(x)\nmodel = made()\n'
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
        )
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
        )
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
    "a loop in one class beside another that resumes and calls its model the same": {
        "train": (
            "import os\nimport keras\n\n\nclass Net:\n    def __init__(self):\n        self.model = build()\n\n\n"
            "class First:\n    def __init__(self, path):\n        self.path = path\n"
            "        self.model = self.made()\n\n"
            "    def made(self):\n        if os.path.isfile(self.path):\n"
            "            return keras.models.load_model(self.path)\n        return build()\n\n\n"
            "class Second:\n    def __init__(self, path):\n        self.path = path\n"
            "        self.model = self.made()\n\n"
            "    def made(self):\n        if os.path.isfile(self.path):\n            raise NotImplementedError\n"
            "        net = Net()\n        return net.model\n\n"
            "    def train(self):\n        for epoch in range(9):\n            self.model.train_on_batch(x, y)\n"
            "            self.model.save(f'out/{epoch}.keras')\n\n\nFirst(args.path)\nSecond(args.path).train()\n"
        )
    },
    "a load for an evaluation, which the training asks not for": {
        "train": "from net import Net\n\nnet = Net()\nnet.make(load=False)\nnet.train()\n",
        "evaluate": "from net import Net\n\nnet = Net()\nnet.make(load=True)\nnet.model.evaluate(x)\n",
        "net": (
            f"{HEAD_OF_FILES}\n\nclass Net:\n    def make(self, load=False):\n        self.model = build()\n"
            "        if load:\n            self.model.load_weights('out/m.h5')\n\n"
            "    def train(self):\n        self.model.fit(x, epochs=9, callbacks=[ModelCheckpoint('out/m.h5')])\n"
        ),
    },
    "a loop that a CheckpointManager recovers": {
        "train": (
            "import tensorflow as tf\n\ncheckpoint = tf.train.Checkpoint(model=model, optimizer=opt, epoch=epoch)\n"
            "manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)\n"
            "checkpoint.restore(manager.latest_checkpoint)\nfor _ in range(9):\n    train_step(data)\n"
            "    manager.save()\n"
        )
    },
}


@pytest.mark.parametrize("files", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_a_program_of_several_files_that_only_looks_like_it_gets_no_finding(files, tmp_path):
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    outcome = run([str(tmp_path)], Settings(select=("FT201",)), jobs=1, progress=None)
    assert not outcome.changes
    assert outcome.findings == []
