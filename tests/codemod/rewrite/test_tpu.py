"""TPUEstimator programs in the manner of BERT: what only TPUs read goes, and the rest stays."""

from textwrap import indent

import pytest

from migrate.finding import Fidelity
from tests.codemod.programs import migrate

BERT = """\
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS


def model_fn(features, labels, mode, params):
    optimizer = tf.train.AdamOptimizer()
    if FLAGS.use_tpu:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
    loss = tf.reduce_mean(features)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op, scaffold_fn=None)


def input_fn(params):
    return tf.data.Dataset.from_tensors([1.0]).repeat().batch(params["batch_size"])


def main(_):
    tpu_cluster_resolver = None
    if FLAGS.use_tpu and FLAGS.tpu_name:
        # The TPU's address.
        tpu_cluster_resolver = tf.contrib.cluster_resolver.TPUClusterResolver(
            FLAGS.tpu_name, zone=FLAGS.tpu_zone, project=FLAGS.gcp_project)

    is_per_host = tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2
    run_config = tf.contrib.tpu.RunConfig(
        cluster=tpu_cluster_resolver,
        master=FLAGS.master,
        model_dir=FLAGS.output_dir,
        save_checkpoints_steps=FLAGS.save_checkpoints_steps,
        tpu_config=tf.contrib.tpu.TPUConfig(
            iterations_per_loop=FLAGS.iterations_per_loop,
            num_shards=FLAGS.num_tpu_cores,
            per_host_input_for_training=is_per_host))
    estimator = tf.contrib.tpu.TPUEstimator(
        use_tpu=FLAGS.use_tpu,
        model_fn=model_fn,
        config=run_config,
        train_batch_size=FLAGS.train_batch_size,
        eval_batch_size=FLAGS.eval_batch_size)
    estimator.train(input_fn=input_fn, max_steps=FLAGS.num_train_steps)
    result = estimator.evaluate(input_fn=input_fn, steps=FLAGS.max_eval_steps)
    tf.logging.info("***** Eval results ***** %s", result)


if __name__ == "__main__":
    tf.app.run()
"""


def rewritten(text: str) -> str:
    output, findings = migrate(text)
    assert output != text, findings
    assert all(finding.rewritten for finding in findings), findings
    return output


def reasons(text: str) -> list[str]:
    output, findings = migrate(text)
    assert output == text
    return [finding.message for finding in findings if finding.fidelity is Fidelity.MANUAL]


def test_a_program_in_the_manner_of_bert_is_rewritten_whole_and_names_no_contrib() -> None:
    output = rewritten(BERT)
    assert "contrib" not in output
    assert "import tensorflow.compat.v1 as tf\n" in output
    assert migrate(output) == (output, [])


def test_what_only_the_config_of_a_tpu_was_given_goes_with_it() -> None:
    output = rewritten(BERT)
    for name in ("tpu_cluster_resolver", "is_per_host", "run_config", "InputPipelineConfig", "tpu_name"):
        assert name not in output
    assert "# The TPU's address." in output


def test_what_else_uses_a_cluster_resolver_keeps_it() -> None:
    kept = BERT.replace("    is_per_host = ", "    print(tpu_cluster_resolver)\n    is_per_host = ")
    output = rewritten(kept)
    assert "tpu_cluster_resolver = tf.distribute.cluster_resolver.TPUClusterResolver(" in output
    assert "print(tpu_cluster_resolver)" in output


def test_use_tpu_that_is_known_at_run_time_only_is_refused_before_anything_else() -> None:
    main = rewritten(BERT).split("def main(_):\n")[1]
    # Comments of what goes stand first.
    statements = [line for line in main.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert statements[0] == "    if FLAGS.use_tpu:"
    assert statements[1].startswith("        raise ValueError(")


def test_cross_shard_optimizer_stays() -> None:
    assert "optimizer = tf.tpu.CrossShardOptimizer(optimizer)" in rewritten(BERT)


def test_each_mode_has_its_batch_size() -> None:
    output = rewritten(BERT)
    assert 'train_params = {"batch_size": FLAGS.train_batch_size}' in output
    assert 'eval_params = {"batch_size": FLAGS.eval_batch_size}' in output
    assert "predict_params" not in output


def test_modes_of_one_batch_size_share_their_params() -> None:
    output = rewritten(BERT.replace("FLAGS.eval_batch_size", "FLAGS.train_batch_size"))
    assert output.count('"batch_size": ') == 1
    assert output.count("params=train_params") == 3


def test_use_tpu_that_the_model_fn_reads_is_filled_in() -> None:
    output = rewritten(BERT.replace("    if FLAGS.use_tpu:\n        opt", '    if params["use_tpu"]:\n        opt'))
    assert 'train_params = {"use_tpu": False, "batch_size": FLAGS.train_batch_size}' in output


def test_a_host_call_runs_between_the_steps() -> None:
    output = rewritten(BERT.replace("scaffold_fn=None)", "host_call=(print, [loss]))"))
    assert "hooks=TrainingHooks(training)" in output


@pytest.mark.parametrize(
    ("before", "host_call"),
    [
        ("", "None"),
        ("host_call = None", "host_call"),
        ("host_call = None if summary is None else summary.calls", "host_call"),
        ("host_call = summary.calls if summary else None", "host_call"),
        ("if summary:\n        host_call = summary.calls\n    else:\n        host_call = None", "host_call"),
        ("if not summary:\n        host_call = None\n    else:\n        host_call = summary.calls", "host_call"),
    ],
)
def test_a_host_call_that_is_seen_to_be_none_costs_no_hooks(before: str, host_call: str) -> None:
    output = rewritten(with_host_call(before, host_call))
    assert "ModelFnTraining(" in output
    assert "TrainingHooks(" not in output


@pytest.mark.parametrize(
    ("before", "host_call"),
    [
        ("", "summary"),
        ("host_call = summary.calls if other else None", "host_call"),
        ("host_call = summary.calls if summary is None else None", "host_call"),
        ("if other:\n        host_call = summary.calls\n    else:\n        host_call = None", "host_call"),
        ("for host_call in other:\n        pass", "host_call"),
    ],
)
def test_a_host_call_that_may_be_one_runs_between_the_steps(before: str, host_call: str) -> None:
    given = "build(False, other=1)" if "other" in before else "build(False, [])" if not before else "build(False)"
    assert "TrainingHooks(" in rewritten(with_host_call(before, host_call, given))


def with_host_call(before: str, host_call: str, built: str = "build(False)") -> str:
    """The program with a host_call in its TPUEstimatorSpec, and a builder whose last parameters it leaves at None."""
    start, end = BERT.index("def model_fn("), BERT.index("\n\ndef input_fn(")
    model_fn = BERT[start:end].replace("scaffold_fn=None)", f"host_call={host_call})")
    builder = f"def build(flag, summary=None, other=None):\n    {before or 'pass'}\n\n{indent(model_fn, '    ')}"
    text = f"{BERT[:start]}{builder}\n    return model_fn\n{BERT[end:]}"
    return text.replace("model_fn=model_fn,", f"model_fn={built},")


def test_a_contrib_name_without_a_successor_is_named() -> None:
    messages = reasons(BERT.replace("tf.reduce_mean(features)", "tf.contrib.seq2seq.hardmax(features)"))
    assert any("tensorflow.contrib.seq2seq.hardmax" in message for message in messages)


def test_all_spellings_of_a_tpu_estimator_are_found() -> None:
    for spelling in ("tf.estimator.tpu.", "tf.compat.v1.estimator.tpu.", "tf.contrib.tpu.python.tpu.tpu_estimator."):
        output = rewritten(BERT.replace("tf.contrib.tpu.TPUEst", f"{spelling}TPUEst"))
        assert "ModelFnTraining(" in output
