"""FT203: which models that are saved in a directory are saved in a file or exported, and which are left."""

import pytest

from tests.cases import each
from tests.codemod.programs import migrate
from tests.codemod.trees import outcome_of

PROGRAM = """\
import os
import tensorflow as tf

args = parser.parse_args()

model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.ModelCheckpoint("best.keras")])
model.save({path})
"""
LOADED = PROGRAM + "other = tf.keras.models.load_model({read})\n"


def rewritten(text):
    return [one.rewritten for one in migrate(text)[1] if one.code == "FT203"] == [True]


@each("path", "written")(
    ('"model"', '"model.keras"'),
    ('"model/"', '"model.keras"'),
    ('"model_v1.0"', '"model_v1.0.keras"'),
    ('"/tmp/model"', '"/tmp/model.keras"'),
    ('"out_" "model"', '"out_" "model.keras"'),
)
def test_the_string_gets_the_suffix(path, written):
    text, _ = migrate(PROGRAM.format(path=path))
    assert f"model.save({written})" in text


def test_a_variable_keeps_its_name_and_the_loader_that_reads_it_follows():
    before = LOADED.replace("model = build()", 'path = "model"\nmodel = build()').format(path="path", read="path")
    text, _ = migrate(before)
    assert 'path = "model.keras"' in text
    assert "model.save(path)\nother = tf.keras.models.load_model(path)" in text


@pytest.mark.parametrize("path", ['"model.keras"', '"model.h5"', "args.model", 'f"hf://{args.out}/model"'])
def test_what_keras_3_may_take_is_not_reported(path):
    assert "FT203" not in [one.code for one in migrate(PROGRAM.format(path=path))[1]]


@each("before", "why")(
    (PROGRAM.format(path='os.path.join(args.out, "model")'), "put together"),
    (PROGRAM.format(path='f"{args.out}/export/3"'), "put together"),
    (PROGRAM.format(path='"out/model"'), "its folder"),
    (PROGRAM.format(path='"export"'), "is served"),
    (PROGRAM.format(path='"/srv/saved_model/1"'), "is served"),
    ('tf.keras.models.load_model("m")\n', "earlier start"),
    (LOADED.format(path='"m"', read="args.model"), "may read it"),
    (LOADED.format(path='"m"', read='args.out + "/m"'), "may read it"),
    (PROGRAM.format(path='"m"') + 'os.system("tar cf m.tar m")\nos.listdir("m/assets")\n', "names the path too"),
    (PROGRAM.replace("model =", 'p = "m"\nmodel =').format(path="p") + "upload(p)\n", "uses the path"),
    (PROGRAM.format(path='"m", include_optimizer=False'), "include_optimizer"),
    (LOADED.format(path='"m"', read='"m"').replace("model.save", "if args.new:\n    model.save"), "earlier start"),
    ("class Own(tf.keras.layers.Layer): pass\n", "the class Own"),
    ("tf.keras.layers.Lambda(f)\n", "safe_mode"),
)
def test_what_may_be_read_otherwise_is_left_with_the_reason_and_the_lines_to_write(before, why):
    if "model.save" not in before:
        before = LOADED.format(path='"m"', read='"m"').replace("model = build()", f"{before}model = build()")
    text, findings = migrate(before)
    [found] = [one for one in findings if one.code == "FT203"]
    assert text == before or not found.rewritten
    assert why in found.message
    assert ".keras" in found.help
    assert "model.export(" in found.help
    assert "TFSMLayer" in found.help


def test_custom_objects_name_the_classes_and_the_program_is_rewritten():
    text = LOADED.format(path='"m"', read='"m", custom_objects={"Own": Own}')
    assert rewritten(text.replace("model = build()", "class Own(tf.keras.layers.Layer): pass\nmodel = build()"))


def test_a_path_that_is_only_printed_or_whose_folder_is_removed_is_rewritten():
    before = PROGRAM.replace("model = build()", 'p = "/tmp/m"\nmodel = build()').format(path="p")
    assert rewritten(before + "print('saved in %s' % p)\ntf.io.gfile.rmtree(os.path.dirname(p))\n")


def test_a_loader_in_another_file_leaves_the_name_and_is_reported(here):
    (here / "train.py").write_text(PROGRAM.format(path='"net"'))
    (here / "predict.py").write_text('from keras.models import load_model\n\nmodel = load_model("net")\n')
    [found] = [one for one in outcome_of(".").findings if one.code == "FT203"]
    assert not found.rewritten
    assert "predict.py may read it" in found.message


def test_nothing_is_said_where_keras_2_trains():
    assert "FT203" not in [one.code for one in migrate(PROGRAM.format(path='"m"'), target="keras2")[1]]


def test_a_program_on_the_keras_of_contrib_keeps_every_byte():
    source = """\
import tensorflow as tf

model = tf.contrib.keras.models.Sequential([tf.contrib.keras.layers.Dense(1)])
model.fit(x, y, callbacks=[tf.contrib.keras.callbacks.ModelCheckpoint("/tmp/w.h5")])
model.save("/tmp/keras-model")
"""
    assert migrate(source) == (source, [])
    by_name = source.replace("tf.contrib.keras", "keras").replace(
        "tf\n\n", "tf\nfrom tensorflow.contrib import keras\n\n"
    )
    assert "contrib.keras" not in by_name
    assert migrate(by_name)[0] == by_name
