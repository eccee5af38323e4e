"""Canned estimators that start with the variables of another job, whole and in part; TensorFlow 2.12 to 2.15.

usage: warm_started.py DIRECTORY [DONOR]; without DONOR, the directory of its first job, that of the one of this run.
"""

import sys

import numpy as np
import tensorflow as tf

random = np.random.RandomState(0)
FEATURES = {"x": random.rand(80, 3).astype(np.float32), "code": random.randint(0, 6, 80)}
VALUES = random.rand(80).astype(np.float32)
X = tf.feature_column.numeric_column("x", (3,))
CODE = tf.feature_column.categorical_column_with_identity("code", 9)  # no batch reads the last three
DEEP = [X, tf.feature_column.embedding_column(CODE, 4)]


def batches():
    return tf.data.Dataset.from_tensor_slices((FEATURES, VALUES)).batch(16).repeat()


def trained(model_dir, steps, donor):
    estimator = tf.estimator.DNNLinearCombinedRegressor(
        model_dir,
        [X, CODE],
        linear_optimizer="SGD",
        dnn_feature_columns=DEEP,
        dnn_hidden_units=[8],
        config=tf.estimator.RunConfig(save_summary_steps=1, save_checkpoints_steps=1000),
        warm_start_from=donor,
    )
    estimator.train(batches, max_steps=steps)


def in_part(model_dir, donor):
    old = tf.estimator.WarmStartSettings(donor, vars_to_warm_start="dnn/(input|hidden)")
    estimator = tf.compat.v1.estimator.DNNRegressor([8], DEEP, model_dir, warm_start_from=old)
    estimator.train(batches, max_steps=1)


def main():
    directory, *donors = sys.argv[1:]
    trained(f"{directory}/first", 20, None)
    trained(f"{directory}/own", 50, f"{directory}/first")
    in_part(f"{directory}/part", donors[0] if donors else f"{directory}/first")
    for donor in donors:
        trained(f"{directory}/whole", 50, donor)
        trained(f"{directory}/whole", 55, "/no/such/job")  # it has a checkpoint


if __name__ == "__main__":
    main()
