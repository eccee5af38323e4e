"""A loop that trains by itself is recovered whole, or left whole with the lines to write."""

from pathlib import Path
from textwrap import indent

import pytest

from migrate.findings.finding import Finding
from migrate.pipeline.run import run
from migrate.settings import Settings

_GAN = """\
import os
import tensorflow as tf

generator, critic = build(), build()
if os.path.exists("out/g.h5"):
    generator.load_weights("out/g.h5")
    critic.load_weights("out/c.h5")
for epoch in range(90):
    critic.train_on_batch(x, y)
    generator.train_on_batch(x, y)
    if epoch % 10 == 0:
        generator.save_weights("out/g.h5")
        critic.save_weights("out/c.h5")
    print(epoch)
"""
_COUNTED = """\
import os
import tensorflow as tf

step = 0
model = build()
if os.path.exists("out/m.h5"):
    model.load_weights("out/m.h5")
while step < 90:
    model.train_on_batch(x, y)
    if step % 10 == 0:
        model.save_weights("out/m.h5")
    step += 1
    print(step)
"""
_TAPE = """\
import settings
import tensorflow as tf


def step(net, opt, batch):
    with tf.GradientTape() as tape:
        loss = net(batch)
    grads = tape.gradient(loss, net.trainable_variables)
    opt.apply_gradients(zip(grads, net.trainable_variables))


def main(args):
    model = build()
    optimizer = tf.keras.optimizers.Adam()
    if args.resume:
        model.load_weights(args.folder + "/epoch-{}.h5".format(settings.FIRST))
    for epoch in range(settings.FIRST + 1, 50):
        for number, batch in enumerate(data):
            step(model, optimizer, batch)
        model.save_weights(args.folder + "/epoch-{}.h5".format(epoch))
"""


def migrated(files: dict[str, str], directory: Path) -> tuple[dict[str, str], list[Finding]]:
    """The new texts of the files of a program that are changed, without the runtime package, and what is said."""
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text)
    outcome = run([str(directory)], Settings(select=("FT201",)), jobs=1, progress=None)
    changed = {Path(one.path).stem: one.after for one in outcome.changes if "tf2_recovery" not in one.path}
    return changed, outcome.findings


def kept(text: str, directory: Path) -> str:
    """The new text of a program of one file, of which a second run finds nothing."""
    changed, findings = migrated({"train": text}, directory)
    assert [one.rewritten for one in findings] == [True], [one.message for one in findings]
    assert migrated(changed, directory) == ({}, [])
    return changed["train"]


def left(text: str, directory: Path) -> str:
    changed, (finding,) = migrated({"train": text}, directory)
    assert not changed
    assert "tf.train.CheckpointManager" in finding.help
    return finding.message


def test_all_that_is_trained_is_held_and_saved_where_the_loop_saves(tmp_path: Path) -> None:
    text = kept(_GAN, tmp_path)
    for name in ("critic", "generator"):
        assert f"{name}={name}" in text
        assert f"{name}_optimizer={name}.optimizer" in text
    assert "for epoch in range(recovery.restore(), 90):" in text
    assert '        critic.save_weights("out/c.h5")\n        recovery.save(epoch + 1)\n    print(epoch)' in text
    assert 'drop_empty_checkpoint_list("out/g_recovery")' in text


def test_what_a_function_steps_is_held_as_the_loop_knows_it_and_the_epoch_names_the_old_file(tmp_path: Path) -> None:
    text = kept(_TAPE, tmp_path)
    assert "tf.train.Checkpoint(model=model, optimizer=optimizer, epoch=" in " ".join(text.split()).replace("( ", "(")
    assert "recovery.restore(settings.FIRST + 1, named=settings.FIRST + 1)" in text
    assert 'os.path.join(args.folder, "epoch_recovery")' in text
    assert ".format(epoch))\n        recovery.save(epoch + 1)\n" in text


def test_a_save_within_an_epoch_goes_on_at_its_beginning(tmp_path: Path) -> None:
    inner = _TAPE.replace(
        "\n        model.save_weights", "\n            if number % 9 == 0:\n                model.save_weights"
    )
    text = kept(inner, tmp_path)
    assert "                recovery.save(epoch)\n        recovery.save(epoch + 1)\n" in text


def test_the_best_model_of_a_loop_within_is_no_place_to_save_at(tmp_path: Path) -> None:
    loop = "while True:\n    for x in data:\n        model.train_on_batch(x, y)\n        step += 1\n"
    saves = "        if step % 10 == 0:\n            model.save_weights('out/m.h5')\n"
    best = "        if score(model) > best:\n            model.save_weights('out/best.h5')\n"
    text = _COUNTED.partition("while")[0] + loop + saves + best
    after = kept(text, tmp_path)
    assert "            model.save_weights('out/m.h5')\n            recovery.save(step)\n" in after
    assert after.count("recovery.save(") == 1


def test_a_directory_is_spelled_as_python_spells_it(tmp_path: Path) -> None:
    after = kept(_GAN.replace("out/", r"out\"vés"), tmp_path)
    assert """'out"vésg_recovery'""" in after


def test_a_save_before_the_training_of_an_epoch_goes_on_at_that_epoch(tmp_path: Path) -> None:
    first = "    if epoch % 10 == 0:\n" + _GAN.partition("    if epoch % 10 == 0:\n")[2].partition("    print")[0]
    text = _GAN.replace(first, "").replace("    critic.train", first + "    critic.train", 1)
    assert "recovery.save(epoch)\n" in kept(text, tmp_path)


def test_a_loop_whose_best_model_alone_is_saved_is_saved_after_each_epoch(tmp_path: Path) -> None:
    best = _TAPE.replace("\n        model.save_weights", "\n        if loss < best:\n            model.save_weights")
    assert "\n        recovery.save(epoch + 1)\n" in kept(best, tmp_path)


def test_a_file_that_the_help_of_a_flag_says_to_go_on_from_is_named_by_it(tmp_path: Path) -> None:
    text = kept(
        "import argparse\nimport keras\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--file', help='weights to continue training from')\nargs = parser.parse_args()\n"
        "model = build()\nif args.file:\n    model.load_weights(args.file)\nfor epoch in range(9):\n"
        "    model.train_on_batch(x, y)\n    model.save_weights(f'out/{epoch}.weights.h5')\n",
        tmp_path,
    )
    assert "for epoch in range(recovery.restore(named=args.file), 9):" in text


def test_a_flag_that_asks_for_the_old_file_decides_on_the_recovery_too(tmp_path: Path) -> None:
    text = _GAN.replace("if os.path.exists", "if args.resume and os.path.exists").replace(
        "range(90)", "range(start, 90)"
    )
    new = kept(text.replace("generator, critic =", "start = 0\ngenerator, critic =", 1), tmp_path)
    assert "if args.resume:\n    start = recovery.restore(start)\n" in new


def test_a_directory_that_is_searched_for_the_newest_file_is_no_file_that_the_user_names(tmp_path: Path) -> None:
    newest = _TAPE.replace(
        'args.folder + "/epoch-{}.h5".format(settings.FIRST)', "tf.train.latest_checkpoint(args.folder)"
    )
    new = kept(newest.replace("settings.FIRST + 1, ", ""), tmp_path)
    assert "recovery.restore() if args.resume else 0" in new


def test_a_counter_that_is_read_after_the_loop_is_set_for_a_start_with_no_epoch_left(tmp_path: Path) -> None:
    assert "epoch = 90 - 1\n" in kept(_GAN + "print(epoch)\n", tmp_path)


_LEAVES = "if key() == 'q':\n    generator.save_weights('out/g.h5')\n    print('saved')\n    exit()\n"


@pytest.mark.parametrize(
    ("old", "new", "saved"),
    [
        ("    print(epoch)\n", indent(_LEAVES, "    "), "epoch + 1"),
        ("    print(epoch)\n", indent(_LEAVES.replace("exit()", "break"), "    "), "epoch + 1"),
        ("    critic.train", indent(_LEAVES, "    ") + "    critic.train", "epoch"),
        ("    print(epoch)\n", "    for _ in x:\n" + indent(_LEAVES, " " * 8), "epoch"),
        ("    print(epoch)\n", "    for _ in x:\n" + indent(_LEAVES.replace("exit()", "break"), " " * 8), ""),
        ("    critic.train_on_batch(x, y)\n", "    try:\n        critic.train_on_batch(x, y)\n"
         "    except KeyboardInterrupt:\n" + indent(_LEAVES.partition("\n")[2], "    "), "epoch"),
    ],
)  # fmt: skip
def test_what_a_loop_saves_before_it_is_left_is_saved_by_its_recovery_too(
    old: str, new: str, saved: str, tmp_path: Path
) -> None:
    text = kept(_GAN.replace(old, new, 1), tmp_path)
    assert '        critic.save_weights("out/c.h5")\n        recovery.save(epoch + 1)\n' in text
    places = [text[: text.index("print('saved')")].rstrip().splitlines()[-1].strip(), text.count("recovery.save(")]
    assert places == ([f"recovery.save({saved})", 2] if saved else ["generator.save_weights('out/g.h5')", 1])


def test_a_loop_that_a_counter_ends_with_a_save_goes_on_behind_it(tmp_path: Path) -> None:
    text = _COUNTED.replace(
        "    step += 1\n", "    if done():\n        model.save('m.h5')\n        break\n    step += 1\n"
    )
    assert "        model.save('m.h5')\n        recovery.save(step + 1)\n        break\n" in kept(text, tmp_path)


@pytest.mark.parametrize(
    ("turn", "name"),
    [
        ("        sample = x[:4]\n    show(sample)\n", "sample"),
        ("    if epoch > 0:\n        print(last)\n    last = x\n", "last"),
        ("    if epoch == 0:\n        total = 0\n    total += 1\n", "total"),
        ("        sample = x[:4]\n    if epoch % 10 == 0:\n        show(sample)\n", ""),
        ("    if epoch < 9:\n        rate = 1\n    elif epoch < 20:\n        rate = 2\n    else:\n"
         "        rate = 3\n    show(rate)\n", ""),
        ("        sample = x\n    if epoch % 5 == 0:\n        show(sample)\n", "sample"),
        ("        sample = x\n    if epoch % 50 == 0:\n        show(sample)\n", ""),
        ("    if epoch % often == 0:\n        sample = x\n    if epoch % 50 == 0:\n        show(sample)\n", ""),
        ("    for step in x:\n        if (epoch + step) % 9 == 0:\n            sample = step\n    show(sample)\n", ""),
        ("    with open(x) as file:\n        show(file)\n    if epoch:\n        show(file)\n", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("begin", ["", "first, "])
def test_a_loop_whose_turns_read_what_some_of_them_set_by_their_number_is_left(
    turn: str, name: str, begin: str, tmp_path: Path
) -> None:
    text = "first = 0\n" + _GAN.replace("    print(epoch)\n", turn).replace("90", f"{begin}90")
    changed, (finding,) = migrated({"train": text}, tmp_path)
    assert bool(changed) == (not name)
    assert (f"uses `{name}`, which a start that resumes" in finding.message) == bool(name)


def test_what_the_first_turn_of_each_start_sets_by_its_number_is_set(tmp_path: Path) -> None:
    turn = "    if epoch == first:\n        sample = x[:4]\n    show(sample)\n"
    text = "first = 0\n" + _GAN.replace("    print(epoch)\n", turn).replace("90", "first, 90")
    assert "first = recovery.restore(first)\n" in kept(text, tmp_path)


def test_the_files_that_a_loop_saves_again_are_loaded_without_a_test(tmp_path: Path) -> None:
    loads = '    generator.load_weights("out/g.h5")\n    critic.load_weights("out/c.h5")\n'
    text = _GAN.replace('if os.path.exists("out/g.h5"):\n' + loads, loads.replace("    ", ""))
    assert "for epoch in range(recovery.restore(), 90):" in kept(text, tmp_path)


def test_functions_that_load_and_save_both_models_are_followed(tmp_path: Path) -> None:
    functions = (
        "def load_weights(number):\n    generator.load_weights(f'out/g{number}.h5')\n\n\n"
        "def save_weights(number):\n    generator.save_weights(f'out/g{number}.h5')\n\n\n"
        "def train(number=None):\n    if number is not None:\n        load_weights(number)\n"
        "    for epoch in range(90):\n        train_step(x)\n        save_weights(epoch)\n\n\n"
        "def train_step(x):\n    optimizer.minimize(loss, generator.trainable_variables)\n\n\ntrain()\n"
    )
    head = "import tensorflow as tf\n\ngenerator = build()\noptimizer = tf.keras.optimizers.Adam()\n\n\n"
    new = kept(head + functions, tmp_path)
    assert "recovery.restore(named=begun_from())" in new
    assert "generator.load_weights(begin_from(f'out/g{number}.h5'))" in new
    assert "model=generator, optimizer=optimizer" in new


def test_several_files_that_the_user_may_leave_out_are_all_noted(tmp_path: Path) -> None:
    text = (
        "import keras\n\na, b = build(), build()\nif args.a:\n    a.load_weights(args.a)\nif args.b:\n"
        "    b.load_weights(args.b)\nfor epoch in range(9):\n    a.train_on_batch(x, y)\n"
        "    b.train_on_batch(x, y)\n    a.save_weights('a.h5')\n    b.save_weights('b.h5')\n"
    )
    new = kept(text, tmp_path)
    assert "a.load_weights(begin_from(args.a))" in new
    assert "b.load_weights(begin_from(args.b))" in new
    assert "recovery.restore(named=begun_from())" in new


@pytest.mark.parametrize("is_asked", ["args.again and ", ""])
def test_what_a_loop_saves_itself_is_no_file_that_the_user_names_beside_one_that_is(
    is_asked: str, tmp_path: Path
) -> None:
    own = f"if {is_asked}os.path.exists('m.weights.h5'):\n    model.load_weights('m.weights.h5')\n"
    text = (
        f"import os\nimport keras\n\nmodel = build()\n{own}if args.start:\n    model.load_weights(args.start)\n"
        "for epoch in range(9):\n    model.train_on_batch(x, y)\n    model.save_weights('m.weights.h5')\n"
    )
    new = kept(text, tmp_path)
    assert own in new
    assert "range(recovery.restore(named=args.start), 9)" in new


def test_a_test_that_decides_on_the_training_decides_on_the_save(tmp_path: Path) -> None:
    body = _GAN.partition("for epoch in range(90):\n")[2].partition("    print")[0]
    inner = "".join(f"    {line}\n" for line in body.splitlines())
    text = _GAN.replace(body, '    if mode == "train":\n' + inner)
    assert '            critic.save_weights("out/c.h5")\n            recovery.save(epoch + 1)\n' in kept(text, tmp_path)


def test_what_reads_the_epoch_before_the_loop_reads_that_of_the_recovery(tmp_path: Path) -> None:
    text = _TAPE.replace(
        "        model.load_weights", "        first = newest(args.folder)\n        model.load_weights"
    )
    text = text.replace("settings.FIRST + 1", "first").replace("settings.FIRST", "first")
    text = text.replace("    if args", "    first = 0\n    if args").replace(
        "    for epoch", "    log = Log(first)\n    for epoch"
    )
    new = kept(text, tmp_path)
    begun = "    if args.resume:\n        first = recovery.restore(first)\n    log = Log(first)\n"
    assert begun + "    for epoch in range(first, 50)" in new


def test_models_and_files_of_other_functions_and_files_are_followed(tmp_path: Path) -> None:
    files = {
        "train": (
            "from network import build, load_weights, save_weights\n\nmodel, first = build(), 0\n"
            "if args.resume:\n    first = newest()\n    load_weights(first, model)\nfor epoch in range(first, 9):\n"
            "    model.train_on_batch(x, y)\n    save_weights(epoch + 1, model)\n"
        ),
        "network": (
            "import keras\n\n\ndef save_weights(epoch, model):\n    model.save_weights('out/w.{}.h5'.format(epoch))\n"
            "\n\ndef load_weights(epoch, model):\n    model.load_weights('out/w.{}.h5'.format(epoch))\n"
        ),
    }
    changed, (finding,) = migrated(files, tmp_path)
    assert finding.rewritten and set(changed) == {"train"}
    assert "model=model, optimizer=model.optimizer" in changed["train"]
    assert "    save_weights(epoch + 1, model)\n    recovery.save(epoch + 1)\n" in changed["train"]
    assert '"out/w_recovery"' in changed["train"]


def test_a_loop_whose_turns_another_file_s_function_trains_and_saves_goes_on_behind_it(tmp_path: Path) -> None:
    files = {
        "train": (
            "import keras\nfrom turn import fit_one_epoch\n\nmodel = keras.Sequential([keras.layers.Dense(1)])\n"
            "model.compile()\nif RESUME:\n    model.load_weights('logs/m.weights.h5')\n"
            "for epoch in range(9):\n    fit_one_epoch(model, data, epoch)\n"
        ),
        "turn": (
            "def fit_one_epoch(model, data, epoch):\n    for x, y in data:\n        model.train_on_batch(x, y)\n"
            "    print(epoch)\n    model.save_weights('logs/m.weights.h5')\n"
        ),
    }
    after, findings = migrated(files, tmp_path)
    assert [Path(one.path).name for one in findings] == ["train.py"]
    assert "fit_one_epoch(model, data, epoch)\n    recovery.save(epoch + 1)\n" in after["train"]


_AGENT = """\
import argparse
import tensorflow as tf

class actor:
    def __init__(self):
        self.net = tf.keras.Sequential([tf.keras.layers.Dense(4)])
        self.net.compile()
    def save_network(self, path):
        self.net.save_weights(path + "_actor.weights.h5")
    def load_network(self, path):
        self.net.load_weights(path + "_actor.weights.h5")

class agent:
    def __init__(self):
        self.actor = actor()
    def save(self, path):
        self.actor.save_network(path)
    def load(self, path):
        self.actor.load_network(path)

parser = argparse.ArgumentParser()
parser.add_argument("-w", "--weights", help="path to pretrained weights")
args = parser.parse_args()
player = agent()
if args.weights:
    player.load(args.weights)
for episode in range(5000):
    player.actor.net.train_on_batch(x, y)
    player.save("weights/player")
"""


def test_what_one_object_saves_and_loads_for_another_is_the_program_s_own_file_whatever_a_flag_calls_it(
    tmp_path: Path,
) -> None:
    text = kept(_AGENT, tmp_path)
    assert 'self.net.load_weights(begin_from(path + "_actor.weights.h5"))' in text
    assert "for episode in range(recovery.restore(named=begun_from()), 5000):" in text


def test_a_strategy_of_several_workers_that_another_start_may_choose_is_told_of(tmp_path: Path) -> None:
    chosen = "s = tf.distribute.TPUStrategy() if tpu else tf.distribute.MirroredStrategy()\n"
    _, (finding,) = migrated({"train": _GAN.replace("generator, critic", chosen + "generator, critic", 1)}, tmp_path)
    assert finding.rewritten and "on a TPU, the recovery does nothing and says so" in finding.message
    asked = "is_tpu = isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)\n"
    _, (finding,) = migrated({"train": _GAN.replace("generator, critic", asked + "generator, critic", 1)}, tmp_path)
    assert finding.rewritten and "TPU" not in finding.message


def test_the_steps_of_an_optimizer_count_the_epochs_between_two_saves(tmp_path: Path) -> None:
    steps = "    steps = critic.optimizer.iterations.numpy()\n    if steps % 10 == 0:"
    changed, _ = migrated({"train": _GAN.replace("    if epoch % 10 == 0:", steps)}, tmp_path)
    assert '        critic.save_weights("out/c.h5")\n        recovery.save(epoch + 1)\n' in changed["train"]


LEFT = {
    "neither a range nor a variable counts": _GAN.replace("for epoch in range(90):", "epoch = 0\nfor x, y in data:"),
    "its data end it, of which each": _GAN.replace("for epoch in range(90):", "for epoch, (x, y) in enumerate(data):"),
    "counts some turns alone": _COUNTED.replace("    step += 1", "    if good(x):\n        step += 1"),
    "`left` counts what is left": _COUNTED.replace("step < 90", "left").replace(
        "    print", "    left -= 1\n    print"
    ),
    "written for TensorFlow 1": "x = tf.compat.v1.placeholder(tf.float32)\n" + _GAN,
    "strategy of several workers": _GAN.replace(
        "generator, critic", "s = tf.distribute.TPUStrategy()\ngenerator, critic"
    ),
    "how often it saves is not seen": _GAN.replace("epoch % 10 == 0", "wanted()"),
    "puts other weights back than it saves": _GAN.replace("    print", "    averages.restore()\n    print"),
    "line 15 puts other weights back": _GAN.replace(
        "    if epoch", "    averager.apply_ema_weights()\n    if epoch"
    ).replace("    print", "    averager.reset_old()\n    print"),
    "saves amid the training": _GAN.replace("    print(epoch)", "    critic.train_on_batch(x, z)"),
    "changes within an epoch": _GAN.replace("    print(epoch)", "    epoch += 1"),
    "which a start with no epoch left does not set": _GAN.replace("    print(epoch)", "    last = epoch\nprint(last)"),
}


@pytest.mark.parametrize(("reason", "text"), LEFT.items(), ids=LEFT.keys())
def test_a_loop_of_which_something_is_not_seen_is_left_with_the_lines_to_write(
    reason: str, text: str, tmp_path: Path
) -> None:
    assert reason in left(text, tmp_path)


@pytest.mark.parametrize(
    ("above", "turn", "anew"),
    [
        ("best = float('inf')", "if loss() < best:\n        best = loss()", ["best"]),
        ("best, waited = 0.0, 0", "waited += 1\n    if best < 1 and waited > 3:\n        best = 1", ["waited", "best"]),
        ("total = 0", "total = 0\n    total += loss()\n    print(total > 3)", []),
        ("rate = 1.0", "print(rate > loss())", []),
        ("best = build()", "if loss() < best:\n        best = loss()", []),
    ],
)
def test_numbers_that_turns_hand_on_and_compare_are_told_to_start_anew(
    above: str, turn: str, anew: list[str], tmp_path: Path
) -> None:
    source = _GAN.replace("for epoch", f"{above}\nfor epoch").replace("print(epoch)", f"print(epoch)\n    {turn}")
    message = migrated({"train.py": source}, tmp_path)[1][0].message
    assert [part.partition("`")[0] for part in message.split("; `")[1:]] == anew
    assert message.count("starts anew after a resume") == len(anew)


def test_keras_3_does_not_train_what_is_frozen_after_it_is_compiled(tmp_path: Path) -> None:
    _, (finding,) = migrated({"train": _GAN.replace("if os", "critic.trainable = False\nif os", 1)}, tmp_path)
    assert "Keras 3 does not train a model whose `trainable` is set to False" in finding.message


_NUMBERED = """\
import keras

model = build()
first = 100
model.load_weights("out/model-90.h5")
for turn in range(first // 10, 30):
    model.fit(x, y, epochs=10)
    model.save_weights("out/model-" + str(turn * 10) + ".h5")
"""


def test_a_file_of_a_number_that_the_program_names_is_one_of_those_that_its_loop_saves(tmp_path: Path) -> None:
    text = kept(_NUMBERED, tmp_path)
    assert "range(recovery.restore(first // 10, named=begun_from()), 30)" in text
    assert 'model.load_weights(begin_from("out/model-90.h5"))' in text
    assert '"out/model_recovery"' in text


_BY_NUMBER = """\
import tensorflow as tf


class Gan:
    def __init__(self, name, number=None):
        self.model, self.name = build(), name
        if number is not None:
            self.model.load_weights(f"saved/{name}/{number}.h5")

    def train(self, epochs):
        for epoch in range(epochs):
            self.model.train_on_batch(x, y)
            self.model.save_weights(f"saved/{self.name}/{epoch}.h5")


Gan("mnist").train(90)
"""


def test_a_number_that_a_start_gives_says_which_of_the_files_that_a_loop_saves(tmp_path: Path) -> None:
    text = kept(_BY_NUMBER, tmp_path)
    assert 'load_weights(begin_from(f"saved/{name}/{number}.h5"))' in text
    assert "range(recovery.restore(named=begun_from()), epochs)" in text


def test_a_file_of_another_name_is_none_of_those_that_a_loop_saves(tmp_path: Path) -> None:
    text = _NUMBERED.replace("first // 10", "0").replace("model-90.h5", "model-best.h5")
    assert migrated({"train": text}, tmp_path) == ({}, [])


def test_keras_1_that_counts_samples_is_left(tmp_path: Path) -> None:
    text = _NUMBERED.replace("fit(x, y, epochs=10)", "fit_generator(x, samples_per_epoch=9, nb_epoch=1)")
    assert "samples_per_epoch" in left(text, tmp_path)


def test_a_loop_that_may_know_how_many_epochs_are_left_is_left(tmp_path: Path) -> None:
    text = _GAN.replace("range(90)", "range(total)").replace(
        "for epoch", "done = len(open('log').readlines())\ntotal = 90 - done\nfor epoch"
    )
    assert "the number of epochs that are left" in left(text, tmp_path)


@pytest.mark.parametrize("turns", ["reversed({})", "sorted({}, reverse=True)", "list({})[::-1]", "permutation({})"])
def test_a_loop_that_does_not_go_up_is_left(turns: str, tmp_path: Path) -> None:
    assert "counts its turns" in left(_GAN.replace("range(90)", turns.format("range(90)")), tmp_path)
    assert "recovery.restore()" in kept(_GAN.replace("range(90)", "tqdm(list(range(90)))"), tmp_path)


def test_a_loop_under_a_mirrored_strategy_goes_on_and_one_of_several_workers_is_left(tmp_path: Path) -> None:
    text = _GAN.replace("generator, critic =", "with devices.scope():\n    generator, critic =")
    text = text.replace("import os\n", "import os\nfrom cluster import devices\n")
    made = "import tensorflow as tf\n\ndevices = tf.distribute.{}()\n"
    changed, (finding,) = migrated({"train": text, "cluster": made.format("MirroredStrategy")}, tmp_path)
    assert finding.rewritten and set(changed) == {"train"}
    several = made.format("MultiWorkerMirroredStrategy")
    changed, (finding,) = migrated({"train": text, "cluster": several}, tmp_path)
    assert not changed
    assert "several workers" in finding.message


def test_a_loop_goes_on_at_the_variable_that_counts_its_turns(tmp_path: Path) -> None:
    text = kept(_COUNTED, tmp_path)
    assert "step = recovery.restore(step)\nwhile step < 90:\n" in text
    assert '        model.save_weights("out/m.h5")\n        recovery.save(step + 1)\n' in text
    above = _COUNTED.replace("    step += 1\n", "").replace("    model.train", "    step = step + 1\n    model.train")
    assert "        recovery.save(step)\n" in kept(above, tmp_path)
    assert "self.step = recovery.restore(self.step)" in kept(_COUNTED.replace("step", "self.step"), tmp_path)
    data = _COUNTED.replace("while step < 90", "for x, y in data")
    assert "step = recovery.restore(step)\nfor x, y in data:\n" in kept(data, tmp_path)


def test_a_counter_that_is_read_before_the_loop_is_that_of_the_recovery_there(tmp_path: Path) -> None:
    text = kept(
        _COUNTED.replace("while", "with device:\n  print(step)\n  while").replace("\n    ", "\n      "), tmp_path
    )
    assert text.index("step = recovery.restore(step)") < text.index("print(step)")


def test_what_a_program_logs_of_its_old_file_s_number_keeps_no_loop_from_its_recovery(tmp_path: Path) -> None:
    early = "print(step)\nmodel = build_anew()\nmodel.compile()\nwhile"
    text = kept(_COUNTED.replace("while", early), tmp_path)
    assert text.index("print(step)") < text.index("step = recovery.restore(step)\nwhile")
    assert "uses `step` before the loop" in left(_COUNTED.replace("while", early.replace("print", "plan")), tmp_path)


def test_a_loop_whose_epoch_is_read_after_it_sets_it_for_a_start_with_none_left(tmp_path: Path) -> None:
    text = _NUMBERED + "model.save_weights(f'out/last-{turn}.h5')\n"
    assert "\nturn = 30 - 1\n" in kept(text, tmp_path)


def test_a_loop_that_nothing_counts_goes_on_with_what_it_trains(tmp_path: Path) -> None:
    text = kept(_COUNTED.replace("step < 90", "True").replace("    step += 1\n", ""), tmp_path)
    assert "recovery.restore()\nwhile True:\n" in text
    assert "        recovery.save()\n" in text


def test_a_path_that_is_put_together_where_a_function_is_called_tells_where_to_save(tmp_path: Path) -> None:
    text = _COUNTED.replace("while", "def save(path):\n    model.save_weights(path)\n\n\nwhile")
    text = text.replace('        model.save_weights("out/m.h5")', '        save("out/m_" + str(step) + ".h5")')
    text = text.replace('if os.path.exists("out/m.h5")', "if args.resume").replace(
        '"out/m.h5"', '"out/m_" + args.resume'
    )
    assert '"out/m_recovery"' in kept(text, tmp_path)


def test_jobs_that_save_under_names_of_their_own_have_recoveries_of_their_own(tmp_path: Path) -> None:
    for path, where in (
        ("args.out", "directory_beside(args.out)"),
        ('f"out/{args.job}-{step}.h5"', 'directory_beside("out/" + str(args.job) + "-")'),
        ('args.out + "_w.h5"', 'directory_beside(args.out + "_w.h5")'),
        ('os.path.join(args.out, "w.h5")', 'os.path.join(args.out, "w_recovery")'),
        # Each part of a join may be empty, or begin anew by "/".
        ('os.path.join("out", args.out, "w.h5")', 'os.path.join("out", args.out, "w_recovery")'),
        (
            'os.path.join(args.out, args.job + "_w.h5")',
            'directory_beside(os.path.join(args.out, str(args.job) + "_w.h5"))',
        ),
        ('os.path.join(args.out, args.job + "/w.h5")', 'os.path.join(args.out, args.job, "w_recovery")'),
        (
            '(args.out if args.out else "run") + "_w.h5"',
            'directory_beside((args.out if args.out else "run") + "_w.h5")',
        ),
        ('(args.out or "run")', 'directory_beside((args.out or "run"))'),
    ):
        text = _COUNTED.replace("step = 0", "args = parser.parse_args()\nstep = 0")
        text = text.replace('save_weights("out/m.h5")', f"save_weights({path})")
        assert where in kept(text.replace("if os", "if args.resume and os"), tmp_path)


def test_a_loop_is_told_to_end_at_a_total_only_where_each_start_counts_anew(tmp_path: Path) -> None:
    body = _COUNTED.partition("step = 0\n")[2].replace("step", "self.step").replace("\n", "\n        ").rstrip()
    head = (
        "import os\nimport tensorflow as tf\n\n\nclass Job:\n    def __init__(self, step):\n        self.step = {}\n\n"
    )
    for begun, is_total in (("0", True), ("step", False)):
        text = f"{head.format(begun)}    def train(self):\n        {body}\n\n\nJob(newest()).train()\n"
        _, (finding,) = migrated({"train": text}, tmp_path)
        assert finding.rewritten
        assert ("the total over all starts" in finding.message) == is_total


def test_a_picture_that_a_loop_saves_tells_neither_where_nor_when_its_model_is_saved(tmp_path: Path) -> None:
    text = _COUNTED.replace("step += 1", 'shown.save("pictures/{}.jpg".format(step))\n    step += 1')
    after = kept(text, tmp_path)
    assert '"out/m_recovery"' in after
    assert 'model.save_weights("out/m.h5")\n        recovery.save(step + 1)\n' in after


def test_a_field_that_the_loop_fills_is_no_part_of_the_directory(tmp_path: Path) -> None:
    for path, where in (
        ('"out/w-{step}.h5".format(step=step)', '"out/w_recovery"'),
        ('"out/w-{0}.h5".format(step)', '"out/w_recovery"'),
        ('"out/w-{now.step}.h5".format(now=args)', '"out/w_recovery"'),
        ('"out/{job}-{step}.h5".format(step=step, job=args.job)', 'directory_beside("out/" + str(args.job) + "-")'),
    ):
        text = _COUNTED.replace("step = 0", "args = parser.parse_args()\nstep = 0")
        text = text.replace('save_weights("out/m.h5")', f"save_weights({path})")
        assert where in kept(text.replace("if os", "if args.resume and os"), tmp_path)


def test_files_that_each_start_names_anew_are_found_by_all_where_the_newest_is_searched_for(tmp_path: Path) -> None:
    text = """\
import datetime
import tensorflow as tf

args = parser.parse_args()
step = 0
start = datetime.datetime.now().strftime("%y")
model, optimizer = build(), tf.keras.optimizers.Adam()
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
checkpoint.restore(tf.train.latest_checkpoint(args.folder))
for x, y in data:
    step += 1
    with tf.GradientTape() as tape:
        loss = model(x)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    if step % 100 == 0:
        checkpoint.save(args.folder + "{}_step_{}".format(start, step))
"""
    assert "recovery_dir = directory_beside(args.folder)\n" in kept(text, tmp_path)


@pytest.mark.parametrize(("restored", "is_kept"), [("", False), ("manager.restore_or_initialize()\n", True)])
def test_a_manager_from_which_no_start_restores_is_no_recovery(restored: str, is_kept: bool, tmp_path: Path) -> None:
    text = f"""\
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--weights")
args = parser.parse_args()
model = build()
if args.weights is not None:
    model.load_weights(args.weights)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), "out", max_to_keep=3)
{restored}for epoch in range(9):
    for x, y in data:
        model.train_on_batch(x, y)
    model.save_weights("best.weights.h5")
    manager.save()
"""
    (changed, _) = migrated({"train": text}, tmp_path)
    assert is_kept is ("recovery.restore(named=args.weights)" not in changed.get("train", ""))


def test_a_checkpoint_that_a_manager_in_another_file_saves_is_left_without_a_word(tmp_path: Path) -> None:
    saver = """\
import tensorflow as tf


class Saver:
    def __init__(self, held, folder):
        self.checkpoint = tf.train.Checkpoint(**held)
        self.manager = tf.train.CheckpointManager(self.checkpoint, folder, max_to_keep=3)

    def save(self):
        self.manager.save()

    def restore(self):
        return self.checkpoint.restore(self.manager.latest_checkpoint)
"""
    text = """\
import tensorflow as tf
from saver import Saver

model = build()
saver = Saver({"model": model, "optimizer": model.optimizer}, "out")
try:
    saver.restore()
except Exception:
    print("nothing there")
for x, y in data:
    model.train_on_batch(x, y)
    saver.save()
"""
    assert migrated({"train": text, "saver": saver}, tmp_path) == ({}, [])


def test_a_file_that_a_function_of_another_file_is_given_the_parts_of_is_spelled_at_the_loop(tmp_path: Path) -> None:
    saving = """\
import os


def save(model, name, folder, tag):
    def write(kind):
        model.save_weights("%s/%s_weights.h5" % (name, kind))

    write("net" + tag)


def save_below(model, folder):
    if not folder.endswith("/"):
        folder += "/"
    model.save_weights(os.path.join(os.getcwd(), folder, "net.h5"))
"""
    settings = 'FOLDER = os.environ["FOLDER"]\nRESUME = False\n'
    head = "import os\nimport tensorflow as tf\nfrom saving import save, save_below\nfrom settings import *\n\n"
    text = head + _COUNTED.partition("tf\n\n")[2].replace("if os", "if RESUME and os")
    either = '"out" if FOLDER is None else FOLDER'
    for given, loaded, where in (
        (f'save(model, {either}, "", str(step))', '"{}/{}".format(FOLDER, "net_weights.h5")', either),
        (
            "save_below(model, FOLDER)",
            'os.path.join(FOLDER, "net.h5")',
            'os.path.join(os.getcwd(), FOLDER, "net_recovery")',
        ),
    ):
        main = text.replace('model.save_weights("out/m.h5")', given).replace('"out/m.h5"', loaded)
        changed, _ = migrated({"train": main, "saving": saving, "settings": settings}, tmp_path)
        assert set(changed) == {"train"}
        assert where in " ".join(changed["train"].split())
        assert "if RESUME:\n    step = recovery.restore(step)\n" in changed["train"]


def test_an_item_of_a_dictionary_that_is_written_out_is_what_stands_there(tmp_path: Path) -> None:
    to = 'to = {"w": folder + "/epoch-{}.h5".format(epoch)}'
    save = f'def save(net, folder, epoch):\n    {to}\n    net.save_weights(to["w"])\n'
    text = _TAPE.replace(
        'model.save_weights(args.folder + "/epoch-{}.h5".format(epoch))', "save(model, args.folder, epoch)"
    )
    text = text.replace("def main", f"{save}\n\ndef main")
    assert 'os.path.join(args.folder, "epoch_recovery")' in kept(text, tmp_path)
    assert "is not known before the loop" in left(
        text.replace("    net.save", '    to["w"] = 1\n    net.save'), tmp_path
    )


def test_a_folder_that_a_function_makes_another_of_is_not_guessed(tmp_path: Path) -> None:
    saving = "def save(model, folder):\n    folder = other(folder)\n    model.save_weights(folder + '/m.h5')\n"
    text = _COUNTED.replace("import os", "import os\nimport sys\nfrom saving import save\n\nfolder = sys.argv[1]")
    text = text.replace('model.save_weights("out/m.h5")', "save(model, folder)").replace(
        '"out/m.h5"', 'folder + "/m.h5"'
    )
    changed, (finding,) = migrated({"train": text, "saving": saving}, tmp_path)
    assert not changed
    assert finding.message.endswith("where it saves is not known before the loop")


_FROM_A_FOLDER = """\
import sys
import tensorflow as tf


class Trainer:
    def __init__(self, config):
        self.model, self.optimizer = build(), tf.keras.optimizers.Adam()
        self.folder = config["folder"]
        self.first = config.get("first")
        self.checkpoint = tf.train.Checkpoint(model=self.model, optimizer=self.optimizer)
        if self.first is not None:
            self.checkpoint.restore(tf.train.latest_checkpoint(self.first))
        else:
            self.checkpoint.restore(tf.train.latest_checkpoint(self.folder))

    def step(self, x):
        with tf.GradientTape() as tape:
            loss = self.model(x)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))

    def train(self):
        for epoch in range(90):
            for number, x in enumerate(data):
                self.strategy.run(self.step, args=(x,))
            self.checkpoint.save("-".join([self.folder, str(epoch)]))
"""


@pytest.mark.parametrize(
    ("first", "loaded", "named"),
    [
        ('config.get("first")', "self.first", "self.first"),
        ("first_of(config)", "begin_from(self.first)", "begun_from()"),
    ],
)
def test_what_a_strategy_is_given_to_run_trains_and_a_folder_that_the_user_names_is_noted(
    first: str, loaded: str, named: str, tmp_path: Path
) -> None:
    after = kept(_FROM_A_FOLDER.replace('config.get("first")', first), tmp_path)
    assert f"restore(tf.train.latest_checkpoint({loaded}))" in after
    assert "restore(tf.train.latest_checkpoint(self.folder))" in after
    assert f"for epoch in range(recovery.restore(named={named}), 90):" in after
    assert 'recovery_dir = directory_beside(self.folder + "-")\n' in after


def test_a_model_that_the_turns_of_a_loop_make_is_left(tmp_path: Path) -> None:
    text = _FROM_A_FOLDER.replace(
        "with tf", "if self.model is None:\n            self.model = build()\n        with tf"
    )
    assert "line 18 makes, in a turn of the loop, what it trains" in left(text, tmp_path)


def test_a_path_that_is_made_of_itself_is_read_to_its_end(tmp_path: Path) -> None:
    text = _COUNTED.replace("step += 1", "step += 1\n    path = path + '/m.h5'\n    model.save_weights(path)")
    assert "out/m_recovery" in kept(text, tmp_path)


def test_what_enumerate_counts_goes_on_and_its_one_last_number_may_be_passed(tmp_path: Path) -> None:
    text = _GAN.replace("for epoch in range(90):", "for epoch, (x, y) in tqdm(enumerate(data)):")
    text += "    if 90 == epoch:\n        exit(0)\n"
    after = kept(text, tmp_path)
    assert "in tqdm(enumerate(data, recovery.restore())):" in after
    assert "        recovery.save(epoch + 1)\n" in after
    assert "    if 90 <= epoch:\n        exit(0)\n" in after
    flagged = text.replace("if os", "if args.resume and os").replace("import os", "args = parse()\nimport os")
    flagged = flagged.replace("enumerate(data)", "enumerate(data, args.first)")
    after = " ".join(kept(flagged, tmp_path).split())
    assert "recovery.restore(args.first, named=args.first) if args.resume else args.first" in after


def test_a_loop_that_its_own_step_ends_goes_on_with_what_it_trains(tmp_path: Path) -> None:
    text = _TAPE.partition("    for epoch")[0].replace('epoch-{}.h5".format(settings.FIRST)', 'net.h5"')
    text = text.replace("    opt.apply", "    count = opt.iterations\n    opt.apply") + "    for batch in data:\n"
    text = text.replace("variables))\n\n", "variables))\n    return count\n\n", 1)
    text += "        count = step(model, optimizer, batch)\n        if count % 9 == 0:\n"
    text += '            model.save_weights(args.folder + "/net.h5")\n'
    assert "neither a range nor a variable counts" in left(text, tmp_path)
    after = kept(f"{text}        if count == args.steps:\n            break\n", tmp_path)
    assert "    if args.resume:\n        recovery.restore()\n    for batch in data:\n" in after
    assert "            recovery.save()\n" in after


def test_a_range_of_numpy_is_one(tmp_path: Path) -> None:
    assert "for epoch in np.arange(recovery.restore(), 90):" in kept(_GAN.replace("range", "np.arange"), tmp_path)


def test_a_path_of_an_object_that_the_loop_does_not_know_is_not_guessed(tmp_path: Path) -> None:
    text = """\
import os
import tensorflow as tf


class Saver:
    def __init__(self, model, folder):
        self.model, self.folder = model, folder

    def save_weights_of(self):
        self.model.save_weights(os.path.join(self.folder, "m.h5"))


model = build()
if os.path.exists("out/m.h5"):
    model.load_weights("out/m.h5")
for epoch in range(90):
    model.train_on_batch(x, y)
    made()[0].save_weights_of()
    model.save_weights("out/m.h5")
"""
    assert '"out/m_recovery"' in kept(text, tmp_path)


def test_the_best_of_epochs_that_a_function_trains_in_turns_is_saved_by_after_each_and_a_sum_is_no_path(
    tmp_path: Path,
) -> None:
    text = """\
import os
import tensorflow as tf


class Trainer:
    def __init__(self, options):
        self.options, self.model, self.best = options, build(), 0
        if options.weights is not None:
            self.model.load_weights(options.weights)

    def train(self):
        for epoch in range(self.options.epochs):
            actual = self.options.first + epoch
            self.run_epoch()
            self.save(score(self.model), actual)

    def run_epoch(self):
        for batch in data:
            with tf.GradientTape() as tape:
                loss = self.model(batch)
            variables = self.model.trainable_variables
            self.model.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    def save(self, score, epoch):
        if score > self.best:
            name = "best_e{:03d}_{}.h5".format(epoch, score)
            self.model.save_weights(os.path.join(self.options.folder, name))


if __name__ == "__main__":
    Trainer(parser.parse_args()).train()
"""
    after = kept(text, tmp_path)
    assert 'os.path.join(self.options.folder, "best_e_recovery")' in after
    assert "            self.save(score(self.model), actual)\n            recovery.save(epoch + 1)\n" in after
    inline = text.replace("def save(self, score, epoch)", "def save(self, score, given)")
    inline = inline.replace('"best_e{:03d}_{}.h5".format(epoch, score)', 'f"best_e{given + 1}.h5"')
    assert '"best_e_recovery"' in kept(inline, tmp_path)


_MODES = """\
import os
import keras

mode = "TRAIN"
model = build()
if os.path.isfile("w.h5"):
    model.load_weights("w.h5")
for turn in range(1, 300):
    if mode == "TRAIN":
        model.fit(x, y, epochs=1)
        model.save_weights("w.h5")
    generate(model)
    if mode != "TRAIN":
        break
"""


def test_a_loop_that_trains_only_where_a_setting_says_so_is_restored_only_there(tmp_path: Path) -> None:
    assert 'for turn in range(recovery.restore(1) if mode == "TRAIN" else 1, 300):\n' in kept(_MODES, tmp_path)


def test_what_a_turn_may_change_is_no_such_setting(tmp_path: Path) -> None:
    agent = (
        "class Agent:\n    ready = False\n\n    def remember(self):\n        self.ready = True\n\n\nagent = Agent()\n"
    )
    text = _MODES.replace('mode = "TRAIN"\n', agent).replace('mode == "TRAIN"', "agent.ready")
    text = text.replace('    if mode != "TRAIN":\n        break\n', "    agent.remember()\n")
    assert "for turn in range(recovery.restore(1), 300):\n" in kept(text, tmp_path)
    item = text.replace("agent.ready", "state['ready']").replace("self.ready", "state['ready']")
    item = item.replace("agent = Agent()", "agent, state = Agent(), {}")
    assert "for turn in range(recovery.restore(1), 300):\n" in kept(item, tmp_path)


def test_the_number_of_the_newest_file_by_the_names_in_its_folder_is_none_that_a_user_gives(tmp_path: Path) -> None:
    source = """\
import argparse
from pathlib import Path
import keras

parser = argparse.ArgumentParser()
parser.add_argument("--folder")
parser.add_argument("--name")
parser.add_argument("--resume", action="store_true")
args = parser.parse_args()
first = 0
model = build()
if args.resume:
    first = max(int(p.name.split(".")[1]) for p in Path(args.folder).glob("w.*.h5"))
    model.load_weights(args.folder + "/w.{}.h5".format(first))
for epoch in range(first, 9):
    model.train_on_batch(x, y)
    model.save_weights(args.folder + "/w.{}.h5".format(epoch + 1))
"""
    assert "if args.resume:\n    first = recovery.restore(first)\n" in kept(source, tmp_path)


def test_a_function_of_a_library_is_no_method_of_the_program_that_has_its_name(tmp_path: Path) -> None:
    """``json.load`` in a turn was ``Net.load``, which makes what the loop trains."""
    source = """\
import json
import os
import keras


class Net:
    def load(self, path):
        if os.path.exists(path):
            self.model = keras.models.model_from_json(open("net.json").read())
            self.model.load_weights(path)


net = Net()
net.load("w.weights.h5")
for turn in range(9):
    net.model.train_on_batch(*json.load(open("data.json")))
    net.model.save_weights("w.weights.h5")
"""
    assert "for turn in range(recovery.restore(), 9):" in kept(source, tmp_path)
