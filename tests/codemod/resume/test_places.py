"""Where a recovery stands, and what a start loads beside it, where that is told elsewhere than at the training."""

import pytest

from tests.codemod.programs import migrate
from tests.codemod.resume.test_old_way_in import kept, left

_HEAD = """\
import os
import keras
from keras.callbacks import ModelCheckpoint
from settings import args, path_of

"""
_TRAINS = "model.fit(x, y, epochs=9, callbacks={})\n"
_LOADS = "model = build()\nif args.resume:\n    model.load_weights(args.resume)\n"
_SAVER = "ModelCheckpoint(path_of(args))"


@pytest.mark.parametrize(
    ("callbacks", "made"),
    [
        (f"[{_SAVER}]", f"callbacks = [{_SAVER}]"),
        ("made()", "callbacks = made()"),
        ("[*made()]", "callbacks = [*made()]"),
    ],
)
def test_callbacks_that_alone_know_the_file_are_made_before_they_are_asked(callbacks: str, made: str) -> None:
    function = f"def made():\n    return [{_SAVER}]\n\n\n"
    text = kept(_HEAD + function + _LOADS + _TRAINS.format(callbacks))
    assert f"{made}\nrecovery_dir = directory_beside(callbacks)\n" in text
    assert "callbacks=[recovery, *callbacks]" in text
    assert "recovery.restore(named=args.resume)" in text


def test_an_import_of_horovod_in_a_function_is_one_too() -> None:
    source = _HEAD + _LOADS + _TRAINS.format(f"[{_SAVER}]")
    assert "Horovod" in left(
        source.replace("model = build()", "def begin():\n    import horovod.keras\n\n\nmodel = build()")
    )


_OF_ANOTHER = """\
import os
import keras


class Trainer:
    def __init__(self, config):
        self.model = self.made(config)

    def made(self, config):
        model = build()
        if config.pretrained:
            base = keras.models.load_model(config.pretrained)
            model.set_weights(base.get_weights())
        if os.path.exists("out/w.weights.h5"):
            model.load_weights("out/w.weights.h5")
        model.compile("sgd", "mse")
        return model

    def train(self):
        saver = keras.callbacks.ModelCheckpoint("out/w.weights.h5", save_weights_only=True)
        self.model.fit(x, y, epochs=9, callbacks=[saver])
"""


def test_what_another_job_has_made_is_loaded_as_before_beside_what_this_one_saves() -> None:
    text = kept(_OF_ANOTHER)
    assert "load_compiled_model(config.pretrained)" in text
    assert "begin_from" not in text
    assert 'initial_epoch=recovery.restore(saved="out/w.weights.h5"))' in text


def test_a_file_that_the_program_says_to_go_on_from_is_the_users_whatever_its_flag_is_called() -> None:
    head, base, rest = _OF_ANOTHER.partition("            base = ")
    load = head + '            print("{}", config.pretrained)\n            model.load_weights(config.pretrained)\n'
    load += rest.partition("get_weights())\n")[2]
    assert base
    text = kept(load.format("resume from"))
    assert "model.load_weights(begin_from(config.pretrained))" in text
    assert "recovery.restore(named=begun_from())" in text
    assert 'recovery.restore(saved="out/w.weights.h5"))' in kept(load.format("begin with"))


_TWO_WAYS = """\
import os
import keras
from tools import load_optimizer_weights


def train(path, kind, weights_only):
    def compiled():
        if kind == "wide":
            model = wide()
        else:
            raise ValueError(kind)
        model.compile("sgd", "mse")
        return model

    if os.path.exists(path):
        if weights_only:
            model = compiled()
            model.load_weights(path, by_name=True)
            load_optimizer_weights(model, path)
        else:
            model = keras.models.load_model(path)
    else:
        model = compiled()
    model.fit(x, y, epochs=9, callbacks=[keras.callbacks.ModelCheckpoint(path)])
"""


def test_one_test_keeps_each_way_of_loading_from_the_old_file() -> None:
    text = kept(_TWO_WAYS)
    assert text.count("has_checkpoint(recovery_dir)") == 1
    assert "if os.path.exists(path) and not has_checkpoint(recovery_dir):" in text
    assert "recovery.restore()" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "raise ValueError(kind)",
            "model = deep()\n        if os.path.exists('out'):\n            raise ValueError(kind)",
        ),
        (
            "            model = compiled()\n            model.load_w",
            "            model = other()\n            model.load_w",
        ),
    ],
)
def test_a_way_from_scratch_that_looks_for_files_or_makes_another_model_is_not_taken_again(old: str, new: str) -> None:
    assert "Keras 3 may not load the whole model" in left(_TWO_WAYS.replace(old, new))


_ROUNDS = """\
import os
import keras

model = {made}
{load}for turn in range(9):
    {compiles}model.compile("sgd", "mse")
    model.fit(x, y, epochs=2)
    model.save_weights("w.weights.h5")
"""
_ASKED = "if os.path.exists('w.weights.h5'):\n    model.load_weights('w.weights.h5')\n"


def test_a_loop_that_compiles_in_each_turn_holds_no_optimizer() -> None:
    text = kept(_ROUNDS.format(made="build()", load=_ASKED, compiles=""))
    assert "tf.train.Checkpoint(model=model, epoch=tf.Variable(0))" in text
    later = _ROUNDS.format(made="build()", load=_ASKED, compiles="if turn == 4:\n        ")
    assert "line 9 compiles a model again in some of its turns" in left(later)


def test_a_whole_model_that_each_start_is_given_and_a_loop_saves_is_one_that_it_goes_on_from() -> None:
    source = _ROUNDS.format(made="keras.models.load_model('m.keras')", load="", compiles="")
    source = source.replace('save_weights("w.weights.h5")', 'save("m.keras")')
    assert "for turn in range(recovery.restore(), 9):" in kept(source)


def test_the_weights_within_a_whole_model_that_is_saved_are_the_programs_own() -> None:
    load = "model = build()\nif os.path.exists('out/m'):\n    model.load_weights('out/m/variables/variables')\n"
    text = kept(_HEAD + load + _TRAINS.format("[ModelCheckpoint('out/m')]"), target="keras2")
    assert "if os.path.exists('out/m') and not has_checkpoint(\"out/m_recovery\"):" in text


_FOLDS = """\
import os
import keras

{before}def train(folder):
    path = os.path.join(folder, {name})
    model = build()
    if os.path.exists(path):
        model.load_weights(path)
    saver = keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
    model.fit(x, y, epochs=9, callbacks=[saver])


{loop}
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for fold in range(5):\n    train(f'out/{fold}')",
        "for n, fold in enumerate(folds):\n    own = os.path.join('o', 'fold_{:02d}'.format(n + 1))\n    train(own)",
        "def main():\n    for fold in range(5):\n        train(folder='out/%d' % fold)\n\n\nmain()",
    ],
)
def test_each_turn_with_a_directory_of_its_own_is_recovered_and_ends_for_good(loop: str) -> None:
    text = kept(_FOLDS.format(before="", name="'w.weights.h5'", loop=loop))
    assert 'recovery_dir = os.path.join(folder, "w_recovery")' in text
    assert "is_last=False" in text


def test_a_loop_over_folds_is_no_loop_over_epochs_beside_the_training_that_it_calls() -> None:
    begin = "model = keras.models.load_model(args.resume)\n"
    loop = f"{begin}for fold in range(5):\n    train(f'o/{{fold}}')\n    model.save('m.keras')"
    before = "from start import args\n\n"
    assert "is_last=False" in kept(_FOLDS.format(before=before, name="'w.weights.h5'", loop=loop))


def test_it_is_none_either_where_the_user_names_what_both_go_on_from() -> None:
    source = """\
import os
import keras
from start import args


def train(model, folder, first):
    saver = keras.callbacks.ModelCheckpoint(os.path.join(folder, "w.weights.h5"), save_weights_only=True)
    model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[saver])


model = build()
if args.resume:
    model = keras.models.load_model(args.resume)
for fold in range(5):
    train(model, f"o/{fold}", args.first)
    model.save(f"o/{fold}/last.keras")
"""
    text, findings = migrate(source, select=("FT201",))
    assert [finding.rewritten for finding in findings] == [True], [finding.message for finding in findings]
    assert "is_last=False" in text


@pytest.mark.parametrize(
    "loop",
    [
        "for fold in range(5):\n    train('out')",
        "for fold in range(5):\n    train(f'out/{fold % 2}')",
        "for fold in folds:\n    train(f'out/{fold}')",
        "for again in range(2):\n    for fold in range(5):\n        train(f'out/{fold}')",
        "for fold in range(5):\n    train(f'out/{fold}')\ntrain('out/all')",
        "[train(f'out/{fold}') for fold in range(5)]\n",
    ],
)
def test_turns_that_may_share_a_directory_are_left(loop: str) -> None:
    assert "the function that calls fit runs more than once" in left(
        _FOLDS.format(before="", name="'w.weights.h5'", loop=loop)
    )


def test_a_directory_that_the_function_changes_is_not_told_by_what_it_is_given() -> None:
    source = _FOLDS.format(before="", name="'w.weights.h5'", loop="for fold in range(5):\n    train(f'out/{fold}')")
    assert "runs more than once" in left(
        source.replace("    model = build()", "    folder = 'out'\n    model = build()")
    )


def test_a_turn_is_told_by_what_stands_before_the_fields_of_a_name() -> None:
    loop = "for fold in range(5):\n    train(fold)"
    for name, is_told in (("kind + '-{epoch}.weights.h5'", False), ("str(fold), kind + '-{epoch}.weights.h5'", True)):
        source = _FOLDS.format(before="", name=name, loop=loop).replace("train(folder)", "train(fold)")
        source = source.replace("join(folder, ", "join(out, ")
        assert is_told == ("recovery.restore(" in migrate(source)[0]), name


@pytest.mark.parametrize(("test", "is_asked"), [("", True), ("    if args.save:\n    ", False)])
def test_callbacks_that_may_hold_no_file_are_not_asked_for_one(test: str, is_asked: bool) -> None:
    made = f"def made():\n    found = []\n{test or '    '}    found = [Redirect({_SAVER})]\n    return found\n\n\n"
    made = made.replace("        found", "    found") if is_asked else made
    source = _HEAD + made + _LOADS + _TRAINS.format("made()")
    assert ("directory_beside(callbacks)" in kept(source)) if is_asked else left(source)


def test_callbacks_that_another_function_appends_to_are_asked_where_no_test_decides_on_the_file() -> None:
    head = _HEAD.replace("args, path_of", "args, config, path_of")
    made = f"def begin():\n    config.callbacks = []\n    config.callbacks.append({_SAVER})\n\n\nbegin()\n"
    source = head + made + _LOADS + _TRAINS.format("config.callbacks")
    assert "recovery_dir = directory_beside(config.callbacks)" in kept(source)
    assert left(source.replace("    config.callbacks.append", "    if args.save:\n        config.callbacks.append"))


def test_the_time_of_the_start_in_the_name_of_a_log_is_none_in_that_of_the_files() -> None:
    made = f"import time\n\ncallbacks = [keras.callbacks.TensorBoard(time.ctime())]\ncallbacks += [{_SAVER}]\n"
    assert "directory_beside(callbacks)" in kept(_HEAD + made + _LOADS + _TRAINS.format("callbacks"))


def test_callbacks_of_the_branch_that_trains_are_asked_for_their_file() -> None:
    head = _HEAD.replace("args, path_of", "args, run, path_of")
    train = "def train(callbacks):\n" + "".join(
        f"    {line}\n" for line in (_LOADS + _TRAINS.format("callbacks")).splitlines()
    )
    branch = f"\n\nif args.kind == 'big':\n    found = [{_SAVER}]\n    train(found)\nelse:\n    run(args)\n"
    assert "directory_beside(callbacks)" in kept(head + train + branch)
    assert left(
        head
        + train
        + branch.replace("    train(found)\n", "").replace("    run(args)\n", "    found = []\ntrain(found)\n")
    )


@pytest.mark.parametrize(
    "name",
    [
        '"%s_{epoch}.h5" % args.kind',
        '"{}_{{epoch}}.h5".format(args.kind)',
        'os.path.join("out", "{}_{{epoch}}.h5".format(args.kind))',
    ],
)
def test_a_directory_has_in_its_name_what_the_program_fills_in(name: str) -> None:
    text = kept(_HEAD + _LOADS + _TRAINS.format(f"[ModelCheckpoint({name}, save_weights_only=True)]"))
    text = "".join(text.split())
    assert f"directory_beside({''.join(name.split())})" in text


def test_what_a_function_that_makes_the_callbacks_fills_in_is_filled_in_where_the_training_is() -> None:
    made = (
        "def made(options):\n    name = os.path.join(options.out, '{kind}_{{epoch}}.h5'.format(kind=options.kind))\n"
        "    return ModelCheckpoint(name, save_weights_only=True)\n\n\nsaver = made(args)\n"
    )
    text = "".join(kept(_HEAD + made + _LOADS + _TRAINS.format("[saver]")).split())
    assert 'directory_beside(os.path.join(args.out,"{kind}_{{epoch}}.h5".format(kind=args.kind)))' in text


def test_a_place_that_a_test_asks_for_is_not_worked_out_before_it() -> None:
    made = f"found = []\nif path is not None:\n    found = [{_SAVER.replace('path_of(args)', 'path + x')}]\n"
    source = _HEAD.replace("path_of", "path, x") + made + _LOADS + _TRAINS.format("found")
    assert "line 7 asks whether there is a place to save at" in left(source), source


@pytest.mark.parametrize("asked", ["args.again", "(args.again or not args.first)"])
def test_a_job_that_saves_elsewhere_where_it_goes_on_is_left(asked: str) -> None:
    made = "if args.again:\n    name = 'again.weights.h5'\nelse:\n    name = 'first.weights.h5'\n"
    made += f"where = os.path.join(args.out, name)\nmodel = build()\nif {asked} and os.path.exists(where):\n"
    source = _HEAD + made + "    model.load_weights(where)\n"
    source += _TRAINS.format("[ModelCheckpoint(where, save_weights_only=True)]")
    assert "saves elsewhere, by line 6" in left(source)
    assert kept(source.replace("if args.again:\n    name", "if args.small:\n    name"))


_MADE_BY_FLAG = """\
import os
import keras

args = parser.parse_args()


def make(args):
    callbacks = []
    saver = keras.callbacks.ModelCheckpoint(os.path.join(args.path, "r_{}_{{epoch}}.h5".format(name)))
    if args.snapshots:
        PUT
    return callbacks


model = build()
if args.resume:
    model.load_weights(args.resume)
model.fit(x, y, epochs=3, callbacks=make(args))
"""
_PUTS = [
    "callbacks.append(saver)",
    "callbacks += [saver]",
    "callbacks.extend([saver])",
    "callbacks = [*callbacks, saver]",
    "return [saver]",
    "callbacks.append(Redirect(saver))",
]


@pytest.mark.parametrize("put", _PUTS)
def test_a_flag_by_which_no_callback_has_a_file_keeps_it_from_the_recovery(put: str) -> None:
    source = _MADE_BY_FLAG.replace("PUT", put)
    assert "where it saves is not known at line 18" in left(source)
    assert "directory_beside(callbacks)" in kept(source.replace("    if args.snapshots:\n    ", ""))
    within = source.replace("    if args.snapshots:\n", "")
    within = within.replace("    saver =", "    if args.snapshots:\n        saver =")
    assert "where it saves is not known" in left(within)


@pytest.mark.parametrize("put", _PUTS[:4])
def test_a_flag_around_what_puts_a_callback_into_the_list_is_told(put: str) -> None:
    source = (
        'import os\nimport keras\n\nargs = parser.parse_args()\nmodel = build()\nif os.path.exists("w.h5"):\n'
        '    model.load_weights("w.h5")\ncallbacks = []\nsaver = keras.callbacks.ModelCheckpoint("w.h5")\n'
        f"if args.save:\n    {put}\nmodel.fit(x, y, epochs=3, callbacks=callbacks)\n"
    )
    assert "it saves also where a test keeps" in migrate(source)[1][0].message
    around = source.replace("if args.save:\n    ", "if args.save:\n    print(saver)\n")
    assert "it saves also" not in migrate(around)[1][0].message


def test_a_test_around_callback_and_training_keeps_neither_from_the_other() -> None:
    source = """\
import os
import keras

model = build()
if os.path.exists("w.h5"):
    model.load_weights("w.h5")
if training:
    saver = keras.callbacks.ModelCheckpoint("w.h5", save_weights_only=True)
    model.fit(x, y, epochs=3, callbacks=[saver])
"""
    assert "it saves also" not in migrate(source)[1][0].message
    inside = source.replace("[saver]", '[keras.callbacks.ModelCheckpoint("w.h5")]')
    assert "it saves also" not in migrate(inside)[1][0].message
    source = source.replace("[saver]", "callbacks").replace(
        "    saver =", "    callbacks = []\n    if saved:\n        saver ="
    )
    source = source.replace("    model.fit", "        callbacks.append(saver)\n    model.fit")
    assert "it saves also where a test keeps" in migrate(source)[1][0].message


def test_savers_of_one_path_in_the_branches_of_a_test_are_one() -> None:
    source = """\
import os
import keras
from settings import gpus

class SingleModelCheckpoint(keras.callbacks.ModelCheckpoint):
    def __init__(self, single, filepath, period=1):
        super().__init__(filepath)
        self.single = single

model = build()
if os.path.exists("w.h5"):
    model.load_weights("w.h5")
if gpus == 1:
    saver = keras.callbacks.ModelCheckpoint("w.h5", save_best_only=True, period=1)
elif gpus > 1:
    saver = SingleModelCheckpoint(model, filepath="w.h5")
model.fit(x, y, epochs=3, callbacks=[saver])
"""
    text = kept(source)
    assert "savers=[saver]" in text and "save_best_only=True)" in text
    assert "it saves also" not in migrate(source)[1][0].message


def test_a_training_in_each_branch_has_the_saver_and_the_load_of_its_own() -> None:
    branch = """\
if sys.argv[1] == "{0}":
    saver = keras.callbacks.ModelCheckpoint(os.path.join(sys.argv[2], "{0}.h5"))
    model = keras.models.load_model(sys.argv[3], compile=False)  # resume training
    model.compile("adam", "mse")
    model.fit(x, y, epochs=9, callbacks=[saver])
"""
    for first in ("if", "elif"):
        source = "import os\nimport sys\nimport keras\n\n" + branch.format("one") + branch.format("two")
        source = source.replace('if sys.argv[1] == "two"', f'{first} sys.argv[1] == "two"')
        text, findings = migrate(source, select=("FT201",))
        assert [one.rewritten for one in findings] == [True, True]
        for number in ("", "_2"):
            assert f"callbacks{number} = [saver]\n    recovery_dir{number} = directory_beside(" in text
            assert f"recovery{number}.restore(named=sys.argv[3])" in text
    source = source.replace('"two.h5"', 'f"{random.randrange(100)}.h5"').replace("import os", "import os, random")
    assert "each start saves under a name of its own" in "".join(one.message for one in migrate(source)[1])


@pytest.mark.parametrize("given", ["saver", "keras.callbacks.ModelCheckpoint(path, save_best_only=True, period=1)"])
def test_one_callback_that_is_no_list_becomes_one_of_two(given: str) -> None:
    source = f"""\
import os
import keras

path = "w.h5"
saver = keras.callbacks.ModelCheckpoint(path, save_best_only=True, period=1)
model = build()
if os.path.exists(path):
    model.load_weights(path)
model.fit(x, y, epochs=3, callbacks={given})
"""
    assert f"callbacks=[recovery, {given.replace(', period=1', '')}]" in kept(source)
    source = source.replace("os.path.exists(path)", "args.resume").replace("weights(path", "weights(args.resume")
    text = kept(source.replace("Checkpoint(path", "Checkpoint(path_of(args)"))
    assert f"callbacks=[{given.partition('(')[0]}" in "".join(text.split()) and "directory_beside(callbacks)" in text


def test_one_callback_that_an_attribute_holds_stays_whole_beside_the_recovery() -> None:
    source = """\
import os
import keras


class Job:
    def __init__(self):
        self.model = build()
        self.saver = keras.callbacks.ModelCheckpoint("w.weights.h5", save_weights_only=True)

    def run(self):
        if os.path.exists("w.weights.h5"):
            self.model.load_weights("w.weights.h5")
        self.model.fit(x, y, epochs=9, callbacks=self.saver)


Job().run()
"""
    assert "callbacks=[recovery, self.saver], " in kept(source)
