"""The arguments that make an example a small job, found by the flags that its text names."""

import csv
import functools
import subprocess

import numpy as np

RELATIONSHIPS = ["wife", "husband", "child"]
FLAGS = {
    "--save_steps": lambda data: "20",
    "--data": str,
    # An op's own random state is in no checkpoint: with dropout a resumed model_fn drops other units.
    "--dropout": lambda data: "0",
    "--interrupt_at": lambda data: "0",
}


def arguments(script, model_dir, max_steps, data):
    """The arguments of an example.

    Args:
      script: its path.
      model_dir: where it trains.
      max_steps: the step that it ends at.
      data: a file in MNIST's layout.
    """
    text = script.read_text()
    given = ["--model_dir", str(model_dir), "--max_steps", str(max_steps)]
    for flag, value in FLAGS.items():
        if f'"{flag}"' in text:
            given += [flag, value(data)]
    return tuple(given)


def keras_of(script, python):
    """The variables for an example: what a model_fn may use of TF1's layers needs tf_keras from TensorFlow 2.16 on."""
    return {"TF_USE_LEGACY_KERAS": "1"} if "tf1.layers" in script.read_text() and has_tf_keras(python) else {}


@functools.cache
def has_tf_keras(python):
    """Whether an interpreter has tf_keras."""
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tf_keras') is None)"
    return subprocess.run([python, "-c", look]).returncode == 0


def digits(place, count=600):
    """Write a file in MNIST's layout, of random images, into a directory, and give its path."""
    rng = np.random.RandomState(count)
    path = place / f"digits-{count}.npz"
    images, labels = rng.randint(0, 256, (count + 100, 28, 28)).astype("uint8"), rng.randint(0, 10, count + 100)
    np.savez(path, x_train=images[:count], y_train=labels[:count], x_test=images[count:], y_test=labels[count:])
    return path


def census(folder):
    """Write a small census into a directory, and give that."""
    random = np.random.RandomState(0)
    (folder / "relationship.txt").write_text("\n".join(RELATIONSHIPS))
    with open(folder / "census.csv", "w", newline="") as file:
        rows = csv.writer(file)
        numbers, words = ["age", "education_num", "hours_per_week"], ["workclass", "occupation", "relationship"]
        rows.writerow([*numbers, *words, "region", "income"])
        for _ in range(320):
            age, education, hours = random.randint(17, 80), random.randint(1, 16), random.randint(10, 60)
            words = [random.choice(words) for words in (["private", "state", "none"], list("abcdefg"), RELATIONSHIPS)]
            income = ">50K" if age + 3 * education + hours + random.randint(0, 40) > 130 else "<=50K"
            rows.writerow([age, education, hours, *words, random.randint(0, 5), income])
    return folder
