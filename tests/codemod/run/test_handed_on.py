"""An estimator or a config that is handed on stays an object, and its loops read it; what hides one is named."""

from pathlib import Path

import pytest

from migrate.finding import Finding
from migrate.run import run
from migrate.settings import Settings

HEAD = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels))


def input_fn():
    return tf.data.Dataset.from_tensors((0, 1)).repeat()


"""
FLOWS = {
    "config by branches": """\
def main(flag):
    if flag:
        config = tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5)
    else:
        config = tf.estimator.RunConfig("/tmp/m", save_checkpoints_secs=60)
    est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)
""",
    "config as a parameter": """\
def fit(config):
    est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)


def main():
    fit(tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5))
""",
    "config returned by a function that does more": """\
def make():
    print("making")
    return tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5)


def main():
    est = tf.estimator.Estimator(model_fn, config=make())
    est.train(input_fn, max_steps=10)
""",
    "config by keywords in a dict": """\
def main(settings):
    est = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(**settings))
    est.train(input_fn, max_steps=10)
""",
    "config that is read elsewhere": """\
def main():
    config = tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5)
    print(config.model_dir)
    est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)
""",
    "estimator by branches": """\
def main(flag):
    if flag:
        est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    else:
        est = tf.estimator.Estimator(model_fn, model_dir="/tmp/n")
    est.train(input_fn, max_steps=10)
""",
    "estimator as a parameter": """\
def fit(steps, est):
    est.train(input_fn, max_steps=steps)


def main():
    fit(10, est=tf.estimator.Estimator(model_fn, model_dir="/tmp/m"))
""",
    "estimator returned by a function": """\
def make(folder):
    return tf.estimator.Estimator(model_fn, model_dir=folder)


def main():
    est = make("/tmp/m")
    est.train(input_fn, max_steps=10)
""",
    "estimator as an attribute": """\
class Runner:
    def __init__(self):
        self.est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")

    def fit(self):
        self.est.train(input_fn, max_steps=10)
        print(self.est.model_dir)
""",
    "estimator made in a method": """\
class Runner:
    def make(self, config=None):
        return tf.estimator.Estimator(model_fn, config=config)

    def fit(self):
        est = self.make()
        if est is not None:
            est.train(input_fn, max_steps=10)
""",
    "estimator trained and evaluated in another function": """\
def fit(est):
    train = tf.estimator.TrainSpec(input_fn, max_steps=10)
    tf.estimator.train_and_evaluate(est, train, tf.estimator.EvalSpec(input_fn))


def main():
    est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    fit(est)
""",
}
LEFT = {
    "given to what is no function of the file": (
        """\
def main():
    est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)
    print(est)
""",
        15,
        "`est` is handed on here, so its training cannot be followed",
    ),
    "kept in a list": (
        """\
def main():
    ests = [tf.estimator.Estimator(model_fn, model_dir="/tmp/m")]
    ests[0].train(input_fn, max_steps=10)
""",
        13,
        "`tf.estimator.Estimator(model_fn, model_dir='/tmp/m')` is handed on here, so its training cannot be followed",
    ),
    "made from a model_fn that only the program knows": (
        """\
class Runner:
    def fit(self):
        self.est = tf.estimator.Estimator(self.model, model_dir="/tmp/m")
        self.est.train(input_fn, max_steps=10)
""",
        14,
        "`self.model` is not seen to be one plain method of `Runner`, so its EstimatorSpec cannot be replaced",
    ),
    "made from a builder that returns nothing at one place": (
        """\
def build(flag):
    if flag:
        return
    return model_fn


def main(flag):
    est = tf.estimator.Estimator(build(flag), model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)
""",
        19,
        "`build` does not end in the function that it returns, so its EstimatorSpec cannot be replaced",
    ),
    "made from a method that another class may replace": (
        """\
class Runner:
    def fit(self):
        est = tf.estimator.Estimator(self.model, model_dir="/tmp/m")
        est.train(input_fn, max_steps=10)

    def model(self, features, labels, mode):
        return model_fn(features, labels, mode)


class Other(Runner):
    def model(self, features, labels, mode):
        return None
""",
        14,
        "`self.model` may be that of a class that derives from `Runner` (",
    ),
    "a default that is something else": (
        """\
def fit(steps, est=print):
    est.train(input_fn, max_steps=steps)


def main():
    fit(3, tf.estimator.Estimator(model_fn, model_dir="/tmp/m"))
    fit(3)
""",
        12,
        "`est` may be something else than this estimator: it is set at line 12 too",
    ),
    "a parameter that is set anew for one caller alone": (
        """\
def fit(est=None):
    if est is None:
        est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)


fit(print)
""",
        18,
        "`est` may be something else than this estimator: it is set at line 18 too",
    ),
    "callers that disagree": (
        """\
def fit(est):
    est.train(input_fn, max_steps=10)


def main(other):
    est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    fit(est)
    fit(other)
""",
        19,
        "`other` may be something else than this estimator: nothing in the tree calls `main`",
    ),
}


def migrated(path: Path, text: str) -> tuple[str, list[Finding]]:
    path.write_text(HEAD + text)
    outcome = run([str(path.parent)], Settings(form="loop", canned="keras"), jobs=1, progress=None)
    after = [change.after for change in outcome.changes if change.path == str(path)]
    return (after or [""])[0], outcome.findings


TPU_FLOWS = {
    "config by branches": """\
def main(flag):
    if flag:
        config = tf.estimator.tpu.RunConfig(
            model_dir="/tmp/m", tpu_config=tf.estimator.tpu.TPUConfig(5, per_host_input_for_training=True)
        )
    else:
        config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m")
    est = tf.estimator.tpu.TPUEstimator(model_fn, config=config, use_tpu=False, train_batch_size=8)
    est.train(input_fn, max_steps=10)
""",
    "estimator as an attribute": """\
class Runner:
    def __init__(self, est):
        self.est = est

    def fit(self):
        self.est.train(input_fn, max_steps=10)


def main(flag):
    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m")
    Runner(tf.estimator.tpu.TPUEstimator(model_fn, config=config, use_tpu=flag, train_batch_size=8)).fit()
""",
}


@pytest.mark.parametrize("flow", TPU_FLOWS)
def test_a_program_for_tpus_that_runs_off_them_is_migrated_however_its_objects_flow(tmp_path: Path, flow: str) -> None:
    after, findings = migrated(tmp_path / "program.py", TPU_FLOWS[flow])
    assert all(finding.rewritten for finding in findings), findings
    assert "TPUTrainingJob(model_fn, config=config, use_tpu=" in after
    assert 'est.params_of("train")' in after
    assert "TPURunConfig(" in after
    assert "tf.estimator" not in after


def test_a_variable_that_holds_a_name_of_the_estimator_stays_in_its_place(tmp_path: Path) -> None:
    per_host = "tf.estimator.tpu.InputPipelineConfig.PER_HOST_V2"
    text = TPU_FLOWS["estimator as an attribute"].replace(
        '    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m")\n',
        f"    per_host = {per_host}\n    parts = tf.estimator.tpu.TPUConfig(5, per_host_input_for_training=per_host)\n"
        '    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m", tpu_config=parts)\n',
    )
    after, _ = migrated(tmp_path / "program.py", text)
    assert "    per_host = InputPipelineConfig.PER_HOST_V2\n" in after
    assert "TPUConfig(5, per_host_input_for_training=per_host)\n" in after


EITHER = """\
def main(flag):
    config = tf.estimator.tpu.RunConfig(model_dir="/tmp/m")
    if flag:
        est = tf.estimator.tpu.TPUEstimator(model_fn, config=config, use_tpu=flag, train_batch_size=8)
    else:
        est = tf.estimator.Estimator(model_fn, config=config)
    est.train(input_fn, max_steps=10)
"""


def test_one_loop_reads_the_job_of_a_tpu_estimator_or_of_another(tmp_path: Path) -> None:
    after, findings = migrated(tmp_path / "program.py", EITHER)
    assert all(finding.rewritten for finding in findings), findings
    assert "est = TPUTrainingJob(model_fn, config=config, use_tpu=flag, train_batch_size=8)" in after
    assert "est = TrainingJob(model_fn, config=config)" in after
    assert after.count('params=est.params_of("train")') == 1


def test_a_tpu_estimator_that_meets_a_canned_one_is_left(tmp_path: Path) -> None:
    canned = EITHER.replace("tf.estimator.Estimator(model_fn, ", "tf.estimator.DNNClassifier([8], [], ")
    after, findings = migrated(tmp_path / "program.py", canned)
    assert after == ""
    messages = [finding.message for finding in findings]
    assert "`est` may be something else than this estimator: it is set at line 17 too" in messages


def test_a_strategy_of_contrib_in_a_config_that_is_handed_on_is_told_of(tmp_path: Path) -> None:
    strategy = "tf.contrib.distribute.MirroredStrategy(num_gpus=flag) if flag else None"
    text = EITHER.replace('model_dir="/tmp/m"', f'model_dir="/tmp/m", train_distribute={strategy}')
    after, findings = migrated(tmp_path / "program.py", text)
    assert "contrib" not in after
    assert any("refuses it as the program starts" in finding.message for finding in findings)


def test_a_tpu_estimator_that_runs_on_tpus_is_left_however_it_flows(tmp_path: Path) -> None:
    text = TPU_FLOWS["estimator as an attribute"].replace("use_tpu=flag", "use_tpu=True")
    after, findings = migrated(tmp_path / "program.py", text)
    assert after == ""
    assert any(finding.message.startswith("use_tpu is true, so the program runs on a TPU") for finding in findings)


MODEL_FNS = {
    "a builder that returns in branches": """\
def build(flag):
    def other(features, labels, mode):
        return model_fn(features, labels, mode)

    if flag:
        return other
    return lambda features, labels, mode: model_fn(features, labels, mode)


def main(flag):
    est = tf.estimator.Estimator(build(flag), model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)
""",
    "by branches": """\
def main(flag):
    if flag:
        chosen = model_fn
    else:
        chosen = lambda features, labels, mode: model_fn(features, labels, mode)
    est = tf.estimator.Estimator(chosen, model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)
""",
    "a parameter, by all callers": """\
def fit(steps, chosen=model_fn):
    est = tf.estimator.Estimator(chosen, model_dir="/tmp/m")
    est.train(input_fn, max_steps=steps)


def main():
    fit(10)
    fit(20, chosen=lambda features, labels, mode: model_fn(features, labels, mode))
""",
    "a parameter of a function around": """\
def main(steps):
    def fit(chosen):
        est = tf.estimator.Estimator(chosen, model_dir="/tmp/m")
        est.train(input_fn, max_steps=steps)

    fit(model_fn)
""",
    "a method": """\
class Runner:
    def model(self, features, labels, mode):
        return model_fn(features, labels, mode)

    def fit(self):
        est = tf.estimator.Estimator(self.model, model_dir="/tmp/m")
        est.train(input_fn, max_steps=10)
""",
}


@pytest.mark.parametrize("flow", MODEL_FNS)
def test_a_program_is_migrated_whole_wherever_its_model_fn_comes_from(tmp_path: Path, flow: str) -> None:
    after, findings = migrated(tmp_path / "program.py", MODEL_FNS[flow])
    assert all(finding.rewritten for finding in findings), findings
    assert "run_training(" in after
    assert "tf.estimator" not in after


FIT = """\
def fit(chosen):
    est = tf.estimator.Estimator(chosen, model_dir="/tmp/m")
    est.train(input_fn, max_steps=10)


"""
PARAMETERS = {
    "`chosen` is a parameter of `fit`, which nothing in the tree calls": "",
    "`chosen` is a parameter of `fit`, which is handed on (": "fit(model_fn)\nprint(fit)\n",
    "`chosen` is a parameter of `fit`, and a call of it cannot be read (": "fit(*[model_fn])\n",
    "`chosen` is a parameter of `fit`, and a call does not give it (": "fit()\n",
    "`print` is not bound in this file": "fit(model_fn)\nfit(print)\n",
}


@pytest.mark.parametrize("reason", PARAMETERS)
def test_a_model_fn_that_a_caller_hides_leaves_the_program(tmp_path: Path, reason: str) -> None:
    after, findings = migrated(tmp_path / "program.py", FIT + PARAMETERS[reason])
    assert after == ""
    assert any(reason in finding.message for finding in findings), findings


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        ("params = {'rate': 2}", "params_2 = params\n"),
        ("params['rate'] = 2", "params_2 = copy.deepcopy(params)\n"),
        ("params.update(rate=2)", "params_2 = copy.deepcopy(params)\n"),
    ],
)
def test_the_model_fn_gets_the_params_that_the_estimator_got(tmp_path: Path, between: str, kept: str) -> None:
    text = f"""\
def main():
    params = {{'rate': 1}}
    est = tf.estimator.Estimator(model_fn, model_dir="/tmp/m", params=params)
    {between}
    est.train(input_fn, max_steps=10)
"""
    after, findings = migrated(tmp_path / "program.py", text)
    assert all(finding.rewritten for finding in findings), findings
    assert kept in after
    assert "params=params_2," in after


@pytest.mark.parametrize("flow", FLOWS)
def test_a_program_is_migrated_whole_however_its_objects_flow(tmp_path: Path, flow: str) -> None:
    after, findings = migrated(tmp_path / "program.py", FLOWS[flow])
    assert all(finding.rewritten for finding in findings), findings
    assert "run_training(" in after
    assert "tf.train.CheckpointManager(" in after
    assert "tf.estimator" not in after


def test_both_branches_make_a_job_and_one_loop_reads_it(tmp_path: Path) -> None:
    after, _ = migrated(tmp_path / "program.py", FLOWS["estimator by branches"])
    assert after.count("est = TrainingJob(model_fn, model_dir=") == 2
    assert after.count("max_to_keep=est.config.keep_checkpoint_max or None") == 1


def test_the_loop_of_an_attribute_reads_the_attribute(tmp_path: Path) -> None:
    after, _ = migrated(tmp_path / "program.py", FLOWS["estimator as an attribute"])
    assert "self.est.model_dir,\n" in after
    assert "print(self.est.model_dir)" in after


@pytest.mark.parametrize("case", LEFT)
def test_what_hides_the_estimator_leaves_the_program_and_is_named(tmp_path: Path, case: str) -> None:
    text, line, reason = LEFT[case]
    after, findings = migrated(tmp_path / "program.py", text)
    assert after == ""
    assert not any(finding.error for finding in findings)
    assert any(finding.span.line == line and finding.message.startswith(reason) for finding in findings), findings


def test_a_config_of_another_file_becomes_the_emitted_one_there(tmp_path: Path) -> None:
    config = 'import tensorflow as tf\n\nCONFIG = tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5)\n'
    (tmp_path / "settings.py").write_text(config)
    text = """\
def main():
    est = tf.estimator.Estimator(model_fn, config=settings.CONFIG)
    est.train(input_fn, max_steps=10)
"""
    path = tmp_path / "program.py"
    path.write_text("import settings\n" + HEAD + text)
    outcome = run([str(tmp_path)], Settings(form="loop", canned="keras"), jobs=1, progress=None)
    assert all(finding.rewritten for finding in outcome.findings), outcome.findings
    texts = {Path(change.path).name: change.after for change in outcome.changes}
    assert 'CONFIG = RunConfig("/tmp/m", save_checkpoints_steps=5)' in texts["settings.py"]
    assert "TrainingJob(model_fn, config=settings.CONFIG)" in texts["program.py"]


def test_a_program_that_only_exports_needs_no_save_interval(tmp_path: Path) -> None:
    after, findings = migrated(
        tmp_path / "program.py",
        """\
def receive():
    x = tf.compat.v1.placeholder(tf.float32, [None])
    return tf.estimator.export.TensorServingInputReceiver(x, x)


def export(path, folder):
    config = tf.estimator.RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)
    est = tf.estimator.Estimator(model_fn, model_dir=path, config=config)
    est.export_saved_model(folder, receive)
""",
    )
    assert all(finding.rewritten for finding in findings)
    assert "TensorServingInputReceiver(x, x)" in after
    assert "RunConfig" not in after


def test_a_loop_asks_its_config_whether_it_saves_at_all(tmp_path: Path) -> None:
    after, _ = migrated(tmp_path / "program.py", FLOWS["config by branches"])
    assert "manager = est.config.saving(manager)\n" in after
    evaluated = FLOWS["config by branches"].replace(
        "est.train(input_fn, max_steps=10)",
        "tf.estimator.train_and_evaluate(est, tf.estimator.TrainSpec(input_fn, 9), tf.estimator.EvalSpec(input_fn))",
    )
    after, _ = migrated(tmp_path / "evaluated.py", evaluated)
    assert "manager = est.config.saving(manager, needed=True)\n" in after
