"""FT203: which models that are saved in a directory are saved in a file or exported, and which are left."""

from pathlib import Path

import pytest

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate

PROGRAM = """\
import os
import tensorflow as tf

args = parser.parse_args()

model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.ModelCheckpoint("best.keras")])
model.save({path})
"""
LOADED = PROGRAM + "other = tf.keras.models.load_model({read})\n"


def rewritten(text: str) -> bool:
    return [one.rewritten for one in migrate(text)[1] if one.code == "FT203"] == [True]


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ('"model"', '"model.keras"'),
        ('"model/"', '"model.keras"'),
        ('"model_v1.0"', '"model_v1.0.keras"'),
        ('os.path.join(args.out, "model")', 'os.path.join(args.out, "model.keras")'),
        ('f"{args.out}/model"', 'f"{args.out}/model.keras"'),
        ('args.out + "/model"', 'args.out + "/model.keras"'),
        ('"out_" "model"', '"out_" "model.keras"'),
        ('f"model_{args.size}_end"', 'f"model_{args.size}_end.keras"'),
    ],
)
def test_the_literal_that_ends_the_path_gets_the_suffix(path: str, written: str) -> None:
    text, _ = migrate(PROGRAM.format(path=path))
    assert f"model.save({written})" in text


def test_a_variable_keeps_its_name_and_the_loader_that_reads_it_follows() -> None:
    before = LOADED.replace("model = build()", 'path = "out/model"\nmodel = build()').format(path="path", read="path")
    text, _ = migrate(before)
    assert 'path = "out/model.keras"' in text
    assert "model.save(path)\nother = tf.keras.models.load_model(path)" in text


def test_the_folder_that_keras_made_for_a_directory_is_made_for_the_file_but_where_the_program_makes_it() -> None:
    assert 'tf.io.gfile.makedirs("out")\nmodel.save' in migrate(PROGRAM.format(path='"out/model"'))[0]
    made = PROGRAM.replace("model = build()", 'os.makedirs("out")\nmodel = build()').format(path='"out/model"')
    assert "gfile" not in migrate(made)[0]


@pytest.mark.parametrize("path", ['"export/3"', '"/srv/serving/model"', 'os.path.join(args.out, "saved_model")'])
def test_a_directory_whose_name_says_that_it_is_served_stays_one(path: str) -> None:
    text, findings = migrate(PROGRAM.format(path=path))
    assert f"model.export({path})" in text
    assert "output_0" in findings[-1].message


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ('tf.keras.models.load_model("m")\n', "earlier start"),
        (LOADED.format(path='"m"', read="args.model"), "is not seen"),
        (LOADED.format(path='"a/m"', read='args.out + "/m"'), "may read it"),
        (PROGRAM.format(path='"a/m"') + 'os.system("tar cf m.tar a/m")\nos.listdir("a/m")\n', "names the path too"),
        (PROGRAM.replace("model =", 'p = "m"\nmodel =').format(path="p") + "upload(p)\n", "uses the path"),
        (PROGRAM.format(path='"m", include_optimizer=False'), "include_optimizer"),
        (LOADED.format(path='"m"', read='"m"').replace("model.save", "if args.new:\n    model.save"), "earlier start"),
        ("class Own(tf.keras.layers.Layer): pass\n", "the class Own"),
        ("tf.keras.layers.Lambda(f)\n", "safe_mode"),
    ],
)  # fmt: skip
def test_what_may_be_read_otherwise_is_left_with_the_reason_and_the_lines_to_write(before: str, why: str) -> None:
    if "model.save" not in before:
        before = LOADED.format(path='"m"', read='"m"').replace("model = build()", f"{before}model = build()")
    text, findings = migrate(before)
    [found] = [one for one in findings if one.code == "FT203"]
    assert text == before or not found.rewritten
    assert why in found.message
    assert ".keras" in found.help
    assert "TFSMLayer" in found.help


def test_custom_objects_name_the_classes_and_the_program_is_rewritten() -> None:
    text = LOADED.format(path='"m"', read='"m", custom_objects={"Own": Own}')
    assert rewritten(text.replace("model = build()", "class Own(tf.keras.layers.Layer): pass\nmodel = build()"))


def test_a_path_that_is_only_told_or_whose_folder_is_removed_keeps_its_rewrite() -> None:
    before = PROGRAM.replace("model = build()", 'p = "a/m"\nmodel = build()').format(path="p")
    assert rewritten(before + "print('saved in %s' % p)\ntf.io.gfile.rmtree(os.path.dirname(p))\n")


def test_a_loader_in_another_file_leaves_the_name_and_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM.format(path='"out/model"'))
    (tmp_path / "predict.py").write_text('from keras.models import load_model\n\nmodel = load_model("out/model")\n')
    [found] = [one for one in run(["."], Settings(), jobs=1, progress=None).findings if one.code == "FT203"]
    assert not found.rewritten
    assert "predict.py, line 3, may read it" in found.message


def test_nothing_is_said_where_keras_2_trains() -> None:
    assert "FT203" not in [one.code for one in migrate(PROGRAM.format(path='"m"'), target="keras2")[1]]


_BY_CHIEF = """\
import tensorflow as tf

if is_chief():
    path = "/tmp/model_dir"
else:
    path = "/tmp/worker_tmp_" + str(worker_id)
model = build()
model.fit(x, y, callbacks=[tf.keras.callbacks.BackupAndRestore("/tmp/backup")])
model.save(path)
"""


def test_a_path_that_branches_give_for_the_chief_and_the_others_ends_in_keras_for_both() -> None:
    assert 'model.save(f"{path}.keras")' in migrate(_BY_CHIEF)[0]
