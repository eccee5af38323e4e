"""Callbacks that save, select or fine-tune are no recovery: such files keep every byte and get no finding."""

import pytest

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

LEFT = {
    "a callback that only saves": _HEAD + _SAVER + _FIT,
    "an old callback with period and options": _HEAD + "saver = ModelCheckpoint(path, period=5, options=o)\n" + _FIT,
    "the best model loaded after fit": _HEAD + _BEST + _FIT + "model.load_weights(path)\nmodel.evaluate(x, y)\n",
    "the best model loaded after fit where there is one": (
        _HEAD + _BEST + _FIT + "if os.path.exists(path):\n    model.load_weights(path)\n"
    ),
    "the best of one training as the beginning of the next": (
        _HEAD + _BEST + _FIT + "if os.path.exists(path):\n    model.load_weights(path)\n" + _FIT
    ),
    "pretrained weights from elsewhere": (
        _HEAD + 'if os.path.exists("imagenet.h5"):\n    model.load_weights("imagenet.h5")\n' + _SAVER + _FIT
    ),
    "pretrained weights given by a flag": (
        _HEAD + "if args.pretrained:\n    model.load_weights(args.pretrained)\n" + _SAVER + _FIT
    ),
    "pretrained weights in the same directory": (
        _HEAD + 'if os.path.exists("out/a.h5"):\n    model.load_weights("out/a.h5")\n' + _SAVER + _FIT
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
        + _SAVER
        + _FIT
    ),
    "a function that loads and needs the file": (
        _HEAD + "def load(model):\n    model.load_weights(path)\n\n\nload(model)\n" + _SAVER + _FIT
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
        + _SAVER
        + _FIT
    ),
    "a function that loads into another model": (
        _HEAD
        + "def load(given):\n    if os.path.exists(path):\n        given.load_weights(path)\n\n\nload(other)\n"
        + _SAVER
        + _FIT
    ),
    "another model's file": (
        _HEAD + "other = build()\nif os.path.exists(path):\n    other.load_weights(path)\n" + _SAVER + _FIT
    ),
    "its own file for a part of the model": _HEAD + "model.load_weights(path, by_name=True)\n" + _SAVER + _FIT,
    "its own file for a model whose layers are frozen": (
        _HEAD + "model.load_weights(path)\nmodel.layers[0].trainable = False\n" + _SAVER + _FIT
    ),
    "a file of another stage that every start needs": (
        _HEAD + "model.load_weights(path)\n" + _SAVER.replace("(path", "('next.weights.h5'") + _FIT
    ),
    "weights that a flag names, and a file of others where it does not": (
        _HEAD
        + "parser.add_argument('--weights', default='yolo.h5')\nargs = parser.parse_args()\n"
        + "model.load_weights(args.weights)\n"
        + _SAVER
        + _FIT
    ),
    "weights that a flag names, which names a file of others where nothing is said": (
        _HEAD
        + "parser.add_argument('--weights', default='yolo.h5')\nargs = parser.parse_args()\n"
        + "if args.weights:\n    model.load_weights(args.weights)\n"
        + _SAVER
        + _FIT
    ),
    "weights of a backbone that a flag names": (
        _HEAD
        + "parser.add_argument('--resnet')\nargs = parser.parse_args()\n"
        + "if args.resnet:\n    model.load_weights(args.resnet)\n"
        + _SAVER
        + _FIT
    ),
    "a path that changes": (
        _HEAD + "if os.path.exists(path):\n    model.load_weights(path)\n" + 'path = "other.h5"\n' + _SAVER + _FIT
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
def test_a_file_without_recovery_stays_byte_for_byte_and_gets_no_finding_of_this_kind(source: str, target: str) -> None:
    text, findings = migrate(source, target=target, select=("FT2",))
    assert text == source
    assert findings == []
