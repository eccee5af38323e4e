"""The checkpoint settings of a RunConfig become a CheckpointManager at the estimator's call, or stay with a reason."""

import ast
from pathlib import Path

import pytest

from tests.codemod.trees import whole

HEAD = """\
import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--folder", required=True)
parser.add_argument("--maybe")
parser.add_argument("--every", type=int, default=5)
args = parser.parse_args()


def model_fn(features, labels, mode, config):
    print(config.save_checkpoints_steps)
    return tf.estimator.EstimatorSpec(mode, loss=features, train_op=features)


"""
RUN = "tf.estimator.RunConfig"
ONE = "tf.estimator.Estimator(model_fn, args.folder, "


def migrated(folder, body, **others):
    (folder / "program.py").write_text(HEAD + body)
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    outcome = whole(folder)
    return {Path(change.path).stem: change.after for change in outcome.changes}, outcome.findings


MOVED = {
    "steps and how many are kept": (
        f"e = {ONE}{RUN}(save_checkpoints_steps=9, keep_checkpoint_max=3))",
        "e = Estimator(model_fn, checkpoints=ModelCheckpoints(args.folder, max_to_keep=3, checkpoint_interval=9))",
    ),
    "by the clock": (
        f"e = {ONE}{RUN}(save_checkpoints_secs=args.every))",
        "e = Estimator(model_fn, checkpoints=ModelCheckpoints(args.folder, save_secs=args.every))",
    ),
    "by the clock of 600 seconds where neither is named": (
        f"e = {ONE}{RUN}(keep_checkpoint_every_n_hours=2))",
        "e = Estimator(model_fn, checkpoints=ModelCheckpoints("
        "args.folder, save_secs=600, keep_checkpoint_every_n_hours=2))",
    ),
    "all are kept": (
        f"e = {ONE}{RUN}(keep_checkpoint_max=None, save_checkpoints_steps=9, save_checkpoints_secs=None))",
        "e = Estimator(model_fn, checkpoints=ModelCheckpoints(args.folder, max_to_keep=None, checkpoint_interval=9))",
    ),
    "the rest of the RunConfig stays": (
        f"c = {RUN}(tf_random_seed=1, save_checkpoints_steps=9)\ne = {ONE}c)",
        "c = RunConfig(tf_random_seed=1)\ne = Estimator(model_fn,args.folder,c,"
        "checkpoints=ModelCheckpoints(args.folder,checkpoint_interval=9))",
    ),
    "its directory goes with them": (
        f"c = {RUN}(model_dir=args.folder, save_checkpoints_steps=9)\ne = tf.estimator.Estimator(model_fn, config=c)",
        "e = Estimator(model_fn, checkpoints=ModelCheckpoints(args.folder, checkpoint_interval=9))",
    ),
    "so it does by position": (
        f"c = {RUN}('/tmp/m', save_summary_steps=9, save_checkpoints_steps=9)\n"
        "e = tf.estimator.Estimator(model_fn, config=c)",
        "c = RunConfig(save_summary_steps=9)\ne = Estimator(model_fn, config=c, "
        "checkpoints=ModelCheckpoints('/tmp/m', checkpoint_interval=9))",
    ),
    "an own directory stays where arguments follow it": (
        f"e = {ONE}{RUN}(save_checkpoints_steps=9, tf_random_seed=3), {{}})",
        "e = Estimator(model_fn,args.folder,RunConfig(tf_random_seed=3),{},"
        "checkpoints=ModelCheckpoints(args.folder,checkpoint_interval=9))",
    ),
    "a premade estimator": (
        "COLUMNS = [tf.feature_column.numeric_column('x')]\n"
        f"es = [tf.estimator.DNNClassifier([4], COLUMNS, args.folder, config={RUN}(save_checkpoints_steps=9))]",
        "es = [DNNClassifierV2([4],COLUMNS,checkpoints=ModelCheckpoints(args.folder,checkpoint_interval=9))]",
    ),
    "a TPUEstimator, which must have a config": (
        "e = tf.estimator.tpu.TPUEstimator(model_fn, args.folder, config=tf.estimator.tpu.RunConfig("
        "save_checkpoints_steps=9), use_tpu=False)",
        "e = TPUEstimator(model_fn, config=TPURunConfig(), use_tpu=False, "
        "checkpoints=ModelCheckpoints(args.folder, checkpoint_interval=9))",
    ),
    "one config of two estimators": (
        f"c = {RUN}(save_checkpoints_steps=args.every)\ne = {ONE}config=c)\n"
        "f = tf.estimator.Estimator(model_fn, '/tmp/f', config=c)",
        "e = Estimator(model_fn,checkpoints=ModelCheckpoints(args.folder,checkpoint_interval=args.every))\n"
        "f = Estimator(model_fn,checkpoints=ModelCheckpoints('/tmp/f',checkpoint_interval=args.every))",
    ),
    "a directory that may be None": (
        f"e = tf.estimator.Estimator(model_fn, args.maybe, {RUN}(save_checkpoints_steps=9))",
        "e = Estimator(model_fn, checkpoints=ModelCheckpoints(args.maybe, checkpoint_interval=9))",
    ),
}


@pytest.mark.parametrize("case", MOVED)
def test_the_settings_stand_in_a_manager_at_the_estimators_call(tmp_path, case):
    body, after = MOVED[case]
    texts, findings = migrated(tmp_path, body + "\n")
    assert ast.unparse(ast.parse(after)) in ast.unparse(ast.parse(texts["program"]))
    assert any("become a tf.train.CheckpointManager" in one.message for one in findings if one.code == "FT152")


STAYING = {
    "a directory of None": (f"e = tf.estimator.Estimator(model_fn, None, {RUN}(save_checkpoints_secs=9))", "no dir"),
    "no directory": (f"e = tf.estimator.Estimator(model_fn, config={RUN}(save_checkpoints_steps=9))", "no directory"),
    "two directories": (f"e = {ONE}{RUN}('/tmp/m', save_checkpoints_steps=9))", "names another directory"),
    "saving turned off": (f"e = {ONE}{RUN}(save_checkpoints_steps=None))", "turns saving off"),
    "saving turned off by 0": (f"e = {ONE}{RUN}(save_checkpoints_secs=0))", "turns saving off"),
    "both intervals": (f"e = {ONE}{RUN}(save_checkpoints_steps=9, save_checkpoints_secs=9))", "both steps and seconds"),
    "keywords in a dictionary": (
        f"k = {{}}\ne = {ONE}{RUN}(save_checkpoints_steps=9, **k))",
        "kept as RunConfig (its arguments are in **k); the new Estimator",
    ),
    "other settings by position": (f"e = {ONE}{RUN}(args.folder, 3, save_checkpoints_steps=9))", "given by position"),
    "a config that is replaced": (
        f"c = {RUN}(save_checkpoints_steps=9)\nc = c.replace(tf_random_seed=3)\ne = {ONE}c)",
        "one variable of its own",
    ),
    "a config that is read": (
        f"c = {RUN}(save_checkpoints_steps=9)\nprint(c.save_checkpoints_steps)\ne = {ONE}c)",
        "for something else than an estimator's config",
    ),
    "a config of two estimators, one of them of a class of the program's": (
        f"class Own(tf.estimator.Estimator):\n    pass\n\n\nc = {RUN}(save_checkpoints_steps=9)\n"
        f"e = {ONE}c)\nf = Own(model_fn, args.folder, c)",
        "for something else than an estimator's config",
    ),
    "a number that changes before the estimator is made": (
        f"n = 3\nc = {RUN}(save_checkpoints_steps=n)\nn = 4\ne = {ONE}c)",
        "`n` changes between",
    ),
    "a config that nothing is given": (f"c = {RUN}(save_checkpoints_steps=9)\ne = {ONE})", "no estimator is known"),
    "a number with an effect": (f"e = {ONE}{RUN}(save_checkpoints_steps=next(args)))", "at another time"),
    "one of two configs": (
        f"c = {RUN}(save_checkpoints_steps=9)\ne = {ONE}c if args.maybe else None)",
        "for something else than an estimator's config",
    ),
}


@pytest.mark.parametrize("case", STAYING)
def test_where_it_is_not_sure_the_run_config_stays_and_the_finding_says_why(tmp_path, case):
    body, reason = STAYING[case]
    texts, findings = migrated(tmp_path, body + "\n")
    assert "ModelCheckpoints" not in texts["program"]
    [told] = [one.message for one in findings if one.code == "FT152"]
    assert reason in told
    assert "the new Estimator saves by a tf.train.CheckpointManager with" in told


def test_the_finding_of_a_run_config_that_stays_tells_the_managers_settings(tmp_path):
    body = f"c = {RUN}(save_checkpoints_steps=args.every, keep_checkpoint_max=3)\nprint(c)\ne = {ONE}c)\n"
    _, findings = migrated(tmp_path, body)
    [told] = [one.message for one in findings if one.code == "FT152"]
    assert told.endswith("a tf.train.CheckpointManager with max_to_keep=3, checkpoint_interval=args.every")


CONFIGS = "import tensorflow as tf\n\nCONFIG = tf.estimator.RunConfig('/tmp/m', save_checkpoints_steps={})\n"


def test_numbers_of_another_file_are_written_at_the_estimators_call(tmp_path):
    body = "import configs\n\ne = tf.estimator.Estimator(model_fn, config=configs.CONFIG)\n"
    texts, _ = migrated(tmp_path, body, configs=CONFIGS.format(9))
    expected = "e = Estimator(model_fn, checkpoints=ModelCheckpoints('/tmp/m', checkpoint_interval=9))"
    assert expected in ast.unparse(ast.parse(texts["program"]))
    assert "RunConfig" not in texts["configs"]


def test_names_of_another_file_stay_in_its_run_config(tmp_path):
    body = "import configs\n\ne = tf.estimator.Estimator(model_fn, config=configs.CONFIG)\n"
    texts, findings = migrated(tmp_path, body, configs="STEPS = 9\n" + CONFIGS.format("STEPS"))
    assert "config=configs.CONFIG" in texts["program"]
    assert "save_checkpoints_steps=STEPS" in texts["configs"]
    assert any("`STEPS` is of another file" in one.message for one in findings)
