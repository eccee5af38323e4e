"""A RunConfig in object form keeps its strategy."""

import pytest

from migrate.findings.finding import Fidelity
from tests.codemod.programs import judged, migrate, program


def of(strategy, setting):
    config = f'RunConfig(model_dir="/tmp/m", {setting}=strategy)'
    return program("custom", head=f"strategy = {strategy}", config=config)


STRATEGIES = {
    "mirrored": ("tf.distribute.MirroredStrategy()", "train_distribute"),
    "mirrored, of TensorFlow 1": ("tf.compat.v1.distribute.MirroredStrategy()", "train_distribute"),
    "of several workers": ("tf.distribute.MultiWorkerMirroredStrategy()", "train_distribute"),
    "for the evaluation alone": ("tf.distribute.MirroredStrategy()", "eval_distribute"),
    "that a function chooses": ("chosen()", "train_distribute"),
    "of one device": ("tf.distribute.OneDeviceStrategy('/cpu:0')", "train_distribute"),
}


@pytest.mark.parametrize("case", STRATEGIES)
def test_an_object_takes_the_strategy_of_its_config_as_the_program_runs(case):
    source = of(*STRATEGIES[case])
    text, findings = migrate(source)
    assert all(finding.fidelity is not Fidelity.MANUAL for finding in findings), findings
    assert f"strategy = {STRATEGIES[case][0]}\n" in text
    assert f'config = RunConfig(model_dir="/tmp/m", {STRATEGIES[case][1]}=strategy)' in text
    assert "ClusterTraining" in judged(source).plan.runtime_names


def test_the_devices_of_contribs_strategy_may_be_given_by_position():
    source = of("tf.contrib.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])", "train_distribute")
    text, findings = migrate(source)
    assert not [finding for finding in findings if finding.fidelity is Fidelity.MANUAL], findings
    assert "strategy = tf.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])\n" in text
