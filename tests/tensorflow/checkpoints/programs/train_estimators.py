"""Trains canned DNN estimators for 30 steps, saved at 0, 15 and 30, below the directory argv[1]; needs TensorFlow 2.15.

Beside them: data.npz, the evaluation of some as evaluate.json, the predictions of some as predict.pickle.
"""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

v1, legacy = tf.compat.v1.train, tf.keras.optimizers.legacy
CLASSES = {"three": 3, "two": 2}
PROGRAMS = {  # version-labels-name: the optimizer, None for the default
    "v1-three-default": None,
    "v1-three-AdamOptimizer": lambda: v1.AdamOptimizer(0.01),
    "v1-three-FtrlOptimizer": lambda: v1.FtrlOptimizer(
        0.05, l1_regularization_strength=0.01, l2_regularization_strength=0.02
    ),
    "v1-three-GradientDescentOptimizer": lambda: v1.GradientDescentOptimizer(0.01),
    "v1-three-MomentumOptimizer": lambda: v1.MomentumOptimizer(0.01, 0.9),
    "v1-three-Nesterov": lambda: v1.MomentumOptimizer(0.01, 0.9, use_nesterov=True),
    "v1-three-RMSPropOptimizer": lambda: v1.RMSPropOptimizer(0.01, momentum=0.5),
    "v1-three-AdadeltaOptimizer": lambda: v1.AdadeltaOptimizer(0.5),
    "v1-three-Adam": lambda: "Adam",
    "v1-three-RMSProp": lambda: "RMSProp",
    "v2-three-Adagrad": lambda: "Adagrad",
    "v2-three-Adam": lambda: "Adam",
    "v2-three-Ftrl": lambda: "Ftrl",
    "v2-three-RMSProp": lambda: "RMSProp",
    "v2-three-SGD": lambda: "SGD",
    "v2-three-SGD_momentum": lambda: legacy.SGD(0.01, momentum=0.9),
    "v1-two-default": None,
    "v2-two-default": None,
    "v1-value-AdamOptimizer": lambda: v1.AdamOptimizer(0.01),
    "v2-value-default": None,
}
PREDICTED = ("v1-three-default", "v1-two-default", "v1-value-AdamOptimizer")
EVALUATED = (*PREDICTED, "v2-two-default", "v2-value-default")


def main():
    directory = Path(sys.argv[1])
    random = np.random.RandomState(0)
    features = random.rand(240, 6).astype(np.float32)
    labels = {
        "three": np.arange(240) * 7 % 3,
        "two": np.arange(240) * 5 % 7 % 2,
        "value": features[:, :1] * 3 + features[:, 1:2],
    }
    np.savez(directory / "data.npz", x=features, **labels)
    evaluations, predictions = {}, {}
    for name, optimizer in PROGRAMS.items():
        version, target, _ = name.split("-")
        estimator = build(version, target, directory / name, optimizer)
        estimator.train(batches(features, labels[target], batch_size=8, num_epochs=None), max_steps=30)
        once = batches(features, labels[target], batch_size=48, num_epochs=1)
        if name in EVALUATED:
            evaluations[name] = {key: float(value) for key, value in estimator.evaluate(once).items()}
        if name in PREDICTED:
            predictions[name] = list(estimator.predict(once))[:20]
    (directory / "evaluate.json").write_text(json.dumps(evaluations))
    (directory / "predict.pickle").write_bytes(pickle.dumps(predictions))


def build(version, target, model_dir, optimizer):
    module = tf.compat.v1.estimator if version == "v1" else tf.estimator
    arguments = {"optimizer": optimizer()} if optimizer else {}
    if target in CLASSES:
        arguments["n_classes"] = CLASSES[target]
    return (module.DNNClassifier if target in CLASSES else module.DNNRegressor)(
        hidden_units=[8, 5],
        feature_columns=[tf.feature_column.numeric_column("x", shape=(6,))],
        model_dir=str(model_dir),
        config=tf.estimator.RunConfig(save_checkpoints_steps=15, tf_random_seed=3),
        **arguments,
    )


def batches(features, labels, **settings):
    return tf.compat.v1.estimator.inputs.numpy_input_fn({"x": features}, labels, shuffle=False, **settings)


main()
