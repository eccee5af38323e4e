"""A training that a program says to go on from a file is told of, whatever it trains and saves by."""

from pathlib import Path

import pytest

from migrate.findings.finding import Finding
from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate

_ARGS = "import argparse\nimport os\nimport keras\n\nparser = argparse.ArgumentParser()\n{}args = parser.parse_args()\n"
FOUND = {
    "a flag, and weights that are saved after fit": {
        "train": (
            _ARGS.format("parser.add_argument('--resume', action='store_true')\n")
            + "model = build()\nif args.resume:\n    model.load_weights(args.old)\n"
            + "model.fit(x, y, epochs=5)\nmodel.save_weights(args.new)\n"
        )
    },
    "a number that names the file and begins the loop": {
        "gan": (
            "import keras\n\n\nclass Gan:\n    def __init__(self, flags):\n        self.model = build()\n"
            "        if flags.number != -1:\n            self.model.load_weights('out/w%d.h5' % flags.number)\n\n"
            "    def train(self, first):\n        for epoch in range(first, 99):\n"
            "            self.model.train_on_batch(x, y)\n            save(self.model, epoch)\n"
        ),
        "main": (
            "from absl import flags\nfrom gan import Gan\n\nFLAGS = flags.FLAGS\n"
            "flags.DEFINE_integer('number', -1, '')\nGan(FLAGS).train(FLAGS.number + 1)\n"
        ),
    },
    "a file that is called after what it does": {
        "resume_training": (
            "import keras\n\nmodel = keras.models.load_model('best.keras')\n"
            "model.fit(x, y, epochs=9, callbacks=callbacks)\n"
        )
    },
    "a comment": {
        "train": (
            "import keras\n\nmodel = build()\n# 继续训练\nmodel.load_weights('last.h5')\n"
            "model.fit(x, y, epochs=9)\nmodel.save_weights('new.h5')\n"
        )
    },
    "a loop that begins where a flag lets it": {
        "train": (
            "import keras\nfrom parts import Model, paths\n\nfirst = paths.resumed() + 1 if args.resume else 1\n"
            "model = Model(args)\nfor epoch in range(first, 99):\n    model.train_batch(x)\n"
            "    model.save(paths.of(epoch))\n"
        )
    },
    "a loop that lets a function save its best model": {
        "train": (
            "import os\nimport tensorflow as tf\nfrom settings import FLAGS\n\n\n"
            "def keep_best(model, loss, folder):\n    model.save(os.path.join(folder, 'model.h5'))\n\n\n"
            "def train(folder):\n    model = build()\n    if FLAGS.checkpoint_path:\n"
            "        model.load_weights(FLAGS.checkpoint_path)\n    optimizer = tf.keras.optimizers.Adam()\n"
            "    for epoch in range(9):\n        loss = train_step(model, optimizer)\n"
            "        keep_best(model, loss, folder)\n"
        ),
        "settings": "class FLAGS:\n    checkpoint_path = None\n",
    },
    "a function that makes the trained model of a file": {
        "train": (
            "import argparse\nfrom models import made\n\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('--weights')\nparser.add_argument('--init_epoch', type=int, default=0)\n"
            "args = parser.parse_args()\nmodel = made(3, weights_path=args.weights)\n"
            "model.fit_generator(x, epochs=9, initial_epoch=args.init_epoch)\n"
        ),
        "models": (
            "import keras\n\n\ndef made(classes, weights_path=None):\n    model = keras.Sequential()\n"
            "    if weights_path:\n        model.load_weights(weights_path)\n    return model\n"
        ),
    },
    "weights that a loop begins with where the user names them, saved by a function inside": {
        "train": (
            "import keras\nfrom absl import flags\n\nFLAGS = flags.FLAGS\n\n\ndef run(model):\n    def keep():\n"
            "        model.save_weights(FLAGS.out)\n\n    for epoch in range(9):\n        train_step(model)\n"
            "        keep()\n\n\ndef main(_):\n    model = build()\n    if FLAGS.weights is not None:\n"
            "        model.load_weights(FLAGS.weights)\n    run(model)\n"
        )
    },
    "an epoch in the program's text, of its one training": {
        "train": (
            "import keras\n\nmodel = build()\nmodel.load_weights('weights/last.h5')\n"
            "model.fit(x, y, epochs=25, initial_epoch=20)\nmodel.save_weights(folder + 'last.h5')\n"
        )
    },
    "a file of a number, among those that are saved with the time": {
        "train": (
            "import time\nimport keras\n\nmodel = build()\nmodel.load_weights('/data/weights_2023.h5')\n"
            "model.fit(x, y, epochs=9)\nmodel.save_weights(f'weights_{time.time()}.h5')\n"
        )
    },
    "a number that is found with the newest file": {
        "train": (
            "import keras\nimport tensorflow as tf\n\n\nclass Trainer:\n    def __init__(self, again):\n"
            "        self.first = 0\n        self.model = build()\n        if again:\n"
            "            self.restore_model()\n\n    def restore_model(self):\n"
            "        newest = tf.train.latest_checkpoint('out')\n"
            "        self.model.load_weights(newest)\n        self.first = int(newest.split('-')[-1])\n\n"
            "    def train(self):\n        for epoch in range(self.first, 9):\n            self.train_step(x)\n"
            "            self.save_model(epoch)\n\n    def save_model(self, epoch):\n"
            "        self.model.save_weights('out/w-%d' % epoch)\n"
        )
    },
    "a method that loads and one that saves one file": {
        "train": (
            "import os\nimport keras\n\n\nclass Trainer:\n    FILE = 'last.h5'\n\n    def __init__(self):\n"
            "        self.model = build()\n        self.model.load_weights(self.FILE)\n\n    def train(self):\n"
            "        self.model.fit(x, y, epochs=9)\n\n    def save(self):\n"
            "        self.model.save_weights(self.FILE)\n"
        )
    },
    "a file that the settings of another file name": {
        "train": (
            "import importlib\nimport keras\n\nsettings = importlib.import_module('settings').train\nmodel = build()\n"
            "if settings['file'] is not None:\n    model.load_weights(settings['file'])\n"
            "model.fit(x, y, epochs=9, callbacks=callbacks)\n"
        )
    },
    "a file of the settings' text, which may be left out": {
        "train": (
            "import tensorflow as tf\nfrom settings import Settings\n\n\n@tf.function\ndef step(model, x):\n"
            "    optimizer.apply_gradients(zip(gradients(x), model.trainable_variables))\n\n\ndef main():\n"
            "    model = build()\n    if Settings.weights:\n        model.load_weights(Settings.weights)\n"
            "    while True:\n        for x in data:\n            step(model, x)\n"
            "        model.save_weights(Settings.folder + f'{epoch}.h5')\n"
        ),
        "settings": "class Settings:\n    weights = './old/best.h5'\n    folder = './new/'\n",
    },
    "a name that may be that of a file": {
        "train": (
            "import argparse\nimport keras\nfrom models import made\n\nparser = argparse.ArgumentParser()\n"
            "parser.add_argument('model')\nargs = parser.parse_args()\nmodel = made(args.model)\n"
            "model.fit(x, y, epochs=9, callbacks=callbacks)\n"
        ),
        "models": (
            "import keras\n\n\ndef made(name):\n    if name.endswith('.h5'):\n"
            "        return keras.models.load_model(name)\n    return NETS[name]()\n"
        ),
    },
    "a method of the trained model that loads a part of it": {
        "train": (
            "import keras\nfrom net import Net\n\nmodel = Net(build())\nif args.weights:\n"
            "    model.load_weights(args.weights)\nmodel.compile()\nmodel.fit(x, y, epochs=9, callbacks=callbacks)\n"
        ),
        "net": (
            "import keras\n\n\nclass Net(keras.Model):\n    def __init__(self, inner):\n        super().__init__()\n"
            "        self.inner = inner\n\n    def load_weights(self, file):\n        self.inner.load_weights(file)\n"
        ),
    },
    "a callback that loads when training begins": {
        "train": (
            "import keras\nfrom backs import Loader\n\nmodel, callbacks = build(), []\nif settings.again:\n"
            "    callbacks.append(Loader(settings.out))\nmodel.fit(x, y, epochs=9, callbacks=callbacks)\n"
        ),
        "backs": (
            "import os\nimport keras\n\n\nclass Loader(keras.callbacks.Callback):\n    def __init__(self, folder):\n"
            "        self.folder = folder\n\n    def on_train_begin(self, logs=None):\n"
            "        self.model.load_weights(os.path.join(self.folder, 'w.h5'))\n"
        ),
    },
    "a checkpoint that is read and written": {
        "train": (
            "import os\nimport tensorflow as tf\n\n\nclass Gan:\n    def __init__(self, folder):\n"
            "        self.model, self.optimizer = build(), tf.keras.optimizers.Adam()\n        self.prefix = folder\n"
            "        self.checkpoint = tf.train.Checkpoint(model=self.model, optimizer=self.optimizer)\n\n"
            "    def save(self):\n        self.checkpoint.write(self.prefix)\n\n"
            "    def load(self):\n        if os.path.exists(self.prefix + '.index'):\n"
            "            self.checkpoint.read(self.prefix)\n\n    def step(self, x):\n"
            "        self.optimizer.minimize(loss, self.model.trainable_variables)\n\n\n"
            "gan = Gan(args.folder)\ngan.load()\nfor epoch in range(9):\n    gan.step(x)\n    gan.save()\n"
        )
    },
    "the newest checkpoint, saved in a function inside": {
        "train": (
            "import tensorflow as tf\n\n\ndef main():\n    model, optimizer = build(), tf.keras.optimizers.Adam()\n"
            "    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)\n"
            "    checkpoint.restore(tf.train.latest_checkpoint('out'))\n\n    def train(x):\n"
            "        if optimizer.iterations % 100 == 0:\n            checkpoint.save('out/ckpt')\n"
            "            model.save_weights('out/model')\n"
            "        optimizer.apply_gradients(zip(gradients(x), model.trainable_variables))\n\n"
            "    while True:\n        for x in data:\n            train(x)\n"
        )
    },
}
LEFT = {
    "weights that a start is told to fine-tune": {
        "train": (
            "import tensorflow as tf\n\nmodel, optimizer = build(), tf.keras.optimizers.Adam()\nif args.finetune:\n"
            "    model.load_weights(args.weights)\nfor epoch in range(9):\n"
            "    optimizer.apply_gradients(zip(gradients(model), model.trainable_variables))\n"
            "    model.save_weights('out/%d.h5' % epoch)\n"
        )
    },
    "what fits beside a model: an encoder of labels": {
        "train": (
            "import keras\nfrom sklearn.preprocessing import LabelEncoder\n\n"
            "saver = keras.callbacks.ModelCheckpoint('m.h5')\nmodel = build()\n"
            "encoder = LabelEncoder()\nif args.resume:\n    model.load_weights(args.resume)\n"
            "encoder.fit(labels)\n"
        )
    },
    "another head in a file that is called after going on": {
        "continue_training": (
            "import keras\n\nmodel = keras.models.load_model('best.keras')\nmodel.pop()\n"
            "model.add(keras.layers.Dense(3))\nmodel.fit(x, y, epochs=9)\n"
        )
    },
    "pretrained weights": {
        "train": (
            _ARGS.format("parser.add_argument('--weights', help='pretrained weights')\n")
            + "model = build()\nmodel.load_weights(args.weights)\nmodel.fit(x, y, epochs=5)\n"
        )
    },
    "an epoch that is a number": {
        "train": (
            "import keras\n\nmodel = build()\nmodel.load_weights('yolo.h5')\nmodel.fit(x, epochs=50, initial_epoch=0)\n"
            "model.fit(x, epochs=100, initial_epoch=50)\nmodel.save_weights('new.h5')\n"
        )
    },
    "a method of the program's own that is called fit": {
        "train": (
            "import keras\n\n\nclass Trainer:\n    def fit(self, x, epochs):\n        return None\n\n"
            "    def resume(self, file):\n        self.net.load_weights(file)\n        self.fit(x, epochs=9)\n"
        )
    },
    "a loop of PyTorch": {
        "train": (
            "import torch\n\nfirst = resumed() if args.resume else 0\nfor epoch in range(first, 9):\n"
            "    train(model)\n    torch.save(model, 'model.pt')\n"
        )
    },
    "an epoch alone: nothing is loaded": {
        "train": (
            "import keras\n\nmodel = build()\n"
            "model.fit(x, y, epochs=9, initial_epoch=args.start, callbacks=[keras.callbacks.ModelCheckpoint('m.h5')])\n"
        )
    },
    "a CheckpointManager of the program's own": {
        "train": (
            "import tensorflow as tf\n\nmodel, optimizer = build(), tf.keras.optimizers.Adam()\n"
            "checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, epoch=tf.Variable(0))\n"
            "manager = tf.train.CheckpointManager(checkpoint, 'out', max_to_keep=3)\nif args.resume:\n"
            "    checkpoint.restore(manager.latest_checkpoint)\nfor epoch in range(int(checkpoint.epoch), 9):\n"
            "    with tf.GradientTape() as tape:\n        loss = model(x)\n"
            "    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables),"
            " model.trainable_variables))\n    manager.save()\n"
        )
    },
    "a checkpoint that a CheckpointManager finds and the program saves": {
        "train": (
            "import tensorflow as tf\n\nmodel, optimizer = build(), tf.keras.optimizers.Adam()\n"
            "checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)\n"
            "manager = tf.train.CheckpointManager(checkpoint, 'out', 5)\nif manager.latest_checkpoint:\n"
            "    checkpoint.restore(manager.latest_checkpoint)\nfor epoch in range(9):\n"
            "    with tf.GradientTape() as tape:\n        loss = model(x)\n"
            "    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables),"
            " model.trainable_variables))\n    checkpoint.save('out/ckpt')\n"
        )
    },
    "another model, frozen, whose layers the trained one gets": {
        "train": (
            "import os\nimport keras\n\nsnapshot_name = os.path.join(config['snapshots'], 'detector.h5')\n"
            "if not os.path.exists(snapshot_name):\n    raise FileNotFoundError(snapshot_name)\n"
            "detector = keras.models.load_model(snapshot_name)\nfor layer in detector.layers:\n"
            "    layer.trainable = False\nmodel = keras.Model(detector.inputs[0], head(detector))\n"
            "model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint('m.h5')])\n"
        )
    },
    "a model that another load replaces before it is trained": {
        "train": (
            "import keras\n\nsnapshot = args.snapshot\nmodel = keras.models.load_model(snapshot)\n"
            "score(model)\nmodel = build()\n"
            "model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint('m.h5')])\n"
        )
    },
    "weights that an object's own model is tried with: its class loads and trains elsewhere": {
        "gan": (
            "import keras\n\n\nclass Gan:\n    def __init__(self):\n"
            "        self.generator = keras.Sequential()\n\n"
            "    def load_weights(self, file=None):\n        if file:\n"
            "            self.generator.load_weights(file)\n\n"
            "    def train(self, epochs):\n        for epoch in range(epochs):\n"
            "            self.generator.train_on_batch(x, y)\n"
            "            self.generator.save_weights('out/gan_%d.h5' % epoch)\n\n\n"
            "gan = Gan()\ngan.generator.load_weights('out/gan_90.h5')\nshow(gan)\n"
        ),
        "other": (
            "import gan\nimport keras\n\n\nclass Other:\n    def __init__(self):\n"
            "        self.net = keras.Sequential()\n\n"
            "    def train(self, epochs):\n        self.net.fit(x, y, epochs=epochs)\n\n\n"
            "other = Other()\nother.net.load_weights('out/gan_90.h5')\nother.train(9)\n"
        ),
    },
    "a model that each turn of a loop loads anew": {
        "train": (
            "import keras\n\nfor part in range(9):\n    model = keras.models.load_model(args.base)\n"
            "    model = pruned(model)\n"
            "    model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint('m.h5')])\n"
        )
    },
}


def findings(files: dict[str, str], directory: Path) -> list[Finding]:
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text)
    return run([str(directory)], Settings(select=("FT201",)), jobs=1, progress=None).findings


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND.keys())
def test_it_is_found_with_the_lines_to_write(files: dict[str, str], tmp_path: Path) -> None:
    (finding,) = findings(files, tmp_path)
    assert "goes on from a file" in finding.message
    assert "tf.train.CheckpointManager" in finding.help and "epoch" in finding.help


@pytest.mark.parametrize("files", LEFT.values(), ids=LEFT.keys())
def test_what_begins_with_the_weights_of_another_gets_no_finding(files: dict[str, str], tmp_path: Path) -> None:
    assert findings(files, tmp_path) == []


def test_the_lines_to_write_name_no_fit_generator_which_keras_3_lacks():
    text = "import tensorflow as tf\n\nargs = parser.parse_args()\nmodel = build()\nif args.weights_path:\n"
    text += "    model.load_weights(args.weights_path)\n"
    text += "model.fit_generator(data, epochs=9, initial_epoch=args.init_epoch)\n"
    [found] = [one for one in migrate(text)[1] if one.code == "FT201"]
    assert "`model.fit(..., initial_epoch=" in found.help
    assert "fit_generator" not in found.help


def test_a_step_that_is_read_out_of_the_name_of_a_file_says_that_a_loop_goes_on_from_it(tmp_path: Path) -> None:
    text = "import keras\n\nmodel, step = build(), 0\nif cfg['file'] is not None:\n"
    text += "    model.load_weights(cfg['file'], by_name=True, skip_mismatch=True)\n"
    text += "    step = int(cfg['file'].split('step')[1])\nwhile True:\n    step += 1\n"
    text += "    model.train_on_batch(x, y)\n    model.save_weights('step%d.h5' % step)\n"
    (finding,) = findings({"train": text}, tmp_path)
    assert "the loop goes on" in finding.message


@pytest.mark.parametrize("folder", ["'out'", "args.out"])
def test_a_file_that_each_start_loads_and_none_writes_is_another_jobs_unless_the_program_says_more(
    folder: str, tmp_path: Path
) -> None:
    text = (
        _ARGS.format("parser.add_argument('--out')\n")
        + f"BASE = os.path.join({folder}, 'checkpoint_resume.h5')\nmodel = build()\nmodel.load_weights(BASE)\n"
        + f"saver = keras.callbacks.ModelCheckpoint(os.path.join({folder}, 'tuned.h5'), save_weights_only=True)\n"
        + "model.fit(x, y, epochs=9, callbacks=[saver])\n"
    )
    assert migrate(text) == (text, [])
    said = text.replace("model.load_weights", "# resume training\nmodel.load_weights")
    own, numbered = text.replace("tuned", "checkpoint_resume"), text.replace("epochs=9", "epochs=9, initial_epoch=4")
    matched = text.replace("tuned", "checkpoint_{epoch}")
    for one in (said, own, numbered, matched):
        assert "FT201" in {finding.code for finding in migrate(one)[1]}, one
