"""Comments keep their place and their meaning, and names that are free are not renamed."""

from migrate.api import rewrite_source

MODEL = """\
import sys

import tensorflow as tf

tf1 = tf.compat.v1


def model_fn(features, labels, mode):
    loss = tf1.losses.mean_squared_error(labels, tf1.layers.dense(features, 1))
    op = tf1.train.AdamOptimizer().minimize(loss, global_step=tf1.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=op)  # noqa: E501


def data():
    return tf.data.Dataset.from_tensors(([1.0], [1.0])).repeat().batch(2)
"""


def migrated(text):
    (change,) = rewrite_source(text.encode(), "job.py").changes
    compile(change.after, "job.py", "exec")
    return change.after


# Behind a statement


def test_a_comment_behind_a_statement_that_changes_stays_behind_it():
    text = MODEL + "est = tf.estimator.Estimator(model_fn, sys.argv[1])  # pylint: disable=invalid-name\n"
    after = migrated(text + "est.train(data, max_steps=30)\n")
    assert "    return EstimatorSpec(mode, loss=loss, train_op=op)  # noqa: E501\n" in after
    assert "est = Estimator(model_fn, sys.argv[1])  # pylint: disable=invalid-name\n" in after


def test_the_comment_of_a_removed_config_stands_above_the_estimator_that_shares_a_line():
    config = "# Every five steps.\nconfig = tf.estimator.RunConfig(save_checkpoints_steps=5)\n"
    after = migrated(MODEL + config + "m = 'm'; est = tf.estimator.Estimator(model_fn, m, config)\nest.train(data)\n")
    assert "m = 'm'\n# Every five steps.\nest = Estimator(\n" in after


# Inside a call


SETTINGS = """

def main():
    # the estimator of the nightly job
    estimator = tf.estimator.Estimator(
        model_fn,
        # do not move: the pager reads it
        model_dir=sys.argv[1],
        config=tf.estimator.RunConfig(
            tf_random_seed=3,  # the paper's
            save_checkpoints_steps=10,  # tuned by ops, ask before changing
            keep_checkpoint_max=2,  # quota
        ),
    )
    # train for a night
    estimator.train(data, max_steps=30)


main()
"""
SETTINGS_AFTER = """
    # the estimator of the nightly job
    estimator = Estimator(
        model_fn,
        config=RunConfig(
            tf_random_seed=3,  # the paper's
        ),
        checkpoints=ModelCheckpoints(
            # do not move: the pager reads it
            sys.argv[1],
            max_to_keep=2,  # quota
            checkpoint_interval=10,  # tuned by ops, ask before changing
        ),
    )
    # train for a night
"""


def test_a_comment_moves_with_its_argument():
    assert SETTINGS_AFTER in migrated(MODEL + SETTINGS)


CONFIG = """


# keep these numbers in step with the pager
config = tf.estimator.RunConfig(
    # every ten, the disk is slow
    save_checkpoints_steps=10,  # tuned
    # two are enough
    # (see wiki)
    keep_checkpoint_max=2,
    # last line
)
est = tf.estimator.Estimator(model_fn, sys.argv[1], config)
est.train(data, max_steps=30)
"""
CONFIG_AFTER = """


# keep these numbers in step with the pager
# last line
est = Estimator(
    model_fn,
    checkpoints=ModelCheckpoints(
        sys.argv[1],
        # two are enough
        # (see wiki)
        max_to_keep=2,
        # every ten, the disk is slow
        checkpoint_interval=10,  # tuned
    ),
)
"""


def test_the_comments_and_the_blank_lines_of_a_config_that_goes_are_kept():
    assert CONFIG_AFTER in migrated(MODEL + CONFIG)


def test_a_comment_of_a_call_on_one_line_moves_too():
    call = (
        'est = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig("m", save_checkpoints_steps=10,  # ten\n'
        "    keep_checkpoint_max=3))\n"
    )
    after = migrated(MODEL + call + "est.train(data, max_steps=30)\n")
    assert "checkpoint_interval=10,  # ten\n" in after
    assert "))\n" in after
    assert after.count("#") == (MODEL + call).count("#")


# Places that comments mark


REGIONS = """
# region config
# why ten
config = tf.estimator.RunConfig(save_checkpoints_steps=10)  # tuned
# endregion


# region train
est = tf.estimator.Estimator(model_fn, "m", config)
est.train(data, max_steps=30)
# endregion
"""


def comments(text):
    return [line.partition("#")[2] for line in text.splitlines() if "#" in line]


def test_regions_keep_their_order():
    for text in (MODEL + REGIONS, MODEL + "\ndef main():\n    x = 1\n" + REGIONS.replace("\n", "\n    ")):
        assert comments(migrated(text)) == comments(text)


def test_a_region_around_a_statement_that_goes_is_still_closed():
    text = MODEL + "\n# region api\nest = tf.estimator\n# endregion\n\n\nest.Estimator(model_fn, 'm').train(data)\n"
    after = migrated(text)
    assert after.index("# region api") < after.index("# endregion")


def test_a_comment_above_what_goes_does_not_get_into_the_block_below_it():
    text = MODEL + (
        "\n\ndef main():\n    x = 1\n    # region config\n    api = tf.estimator\n    # endregion\n"
        "    if x:\n        api.Estimator(model_fn, 'm').train(data, max_steps=3)\n"
    )
    assert "    # region config\n    # endregion\n    if x:\n        Estimator(" in migrated(text)


def test_blank_lines_around_a_statement_that_goes_stay():
    config = "\n\nconfig = tf.estimator.RunConfig(save_checkpoints_steps=10)\n"
    text = MODEL + config + "est = tf.estimator.Estimator(model_fn, 'm', config)\n"
    assert "batch(2)\n\n\nest = Estimator(" in migrated(text + "est.train(data, max_steps=3)\n")


# Names


SLIM = """\
import tensorflow as tf

slim = tf.contrib.slim
list_devices = tf.contrib.eager.list_devices


def words(text):
    return list_devices(text)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.square(slim.fully_connected(features, 1) - labels))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


tf.estimator.Estimator(model_fn, "m").train(lambda: tf.data.Dataset.from_tensors(([1.0], [1.0])), max_steps=20)
"""


def test_a_name_whose_binding_goes_is_free():
    after = migrated(SLIM)
    assert "_2" not in after
    assert "import slim\n" in after
    assert "import list_devices\n" in after
    assert "slim = " not in after
    assert "list_devices = " not in after


def test_a_name_that_something_else_has_too_is_not_free():
    after = migrated(SLIM.replace("return list_devices(text)", "slim = list_devices = str(text); return slim"))
    assert "slim as slim_2" in after
    assert "list_devices as list_devices_2" in after


def test_a_name_that_only_other_files_use_stays_bound():
    after = migrated(SLIM.replace("return list_devices(text)", "return text"))
    assert "list_devices = list_devices_2" in after
