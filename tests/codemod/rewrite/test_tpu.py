"""TPUEstimator programs in the manner of BERT: names change, and the calls stay."""

from migrate.findings.finding import Fidelity
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


def rewritten(text):
    output, findings = migrate(text)
    assert output != text, findings
    assert all(finding.rewritten for finding in findings), findings
    return output


def reasons(text):
    output, findings = migrate(text)
    assert output == text
    return [finding.message for finding in findings if finding.fidelity is Fidelity.MANUAL]


def test_a_program_in_the_manner_of_bert_is_rewritten_whole_and_names_no_contrib():
    output = rewritten(BERT)
    assert "contrib" not in output
    assert "import tensorflow.compat.v1 as tf\n" in output
    assert migrate(output) == (output, [])


def test_what_else_uses_a_cluster_resolver_keeps_it():
    kept = BERT.replace("    is_per_host = ", "    print(tpu_cluster_resolver)\n    is_per_host = ")
    output = rewritten(kept)
    assert "tpu_cluster_resolver = tf.distribute.cluster_resolver.TPUClusterResolver(" in output
    assert "print(tpu_cluster_resolver)" in output


def test_cross_shard_optimizer_stays():
    assert "optimizer = tf.tpu.CrossShardOptimizer(optimizer)" in rewritten(BERT)


def test_a_contrib_name_without_a_successor_is_named():
    messages = reasons(BERT.replace("tf.reduce_mean(features)", "tf.contrib.seq2seq.hardmax(features)"))
    assert any("tensorflow.contrib.seq2seq.hardmax" in message for message in messages)


def test_all_spellings_of_a_tpu_estimator_are_found():
    for spelling in ("tf.estimator.tpu.", "tf.compat.v1.estimator.tpu.", "tf.contrib.tpu.python.tpu.tpu_estimator."):
        output = rewritten(BERT.replace("tf.contrib.tpu.TPUEst", f"{spelling}TPUEst"))
        assert "estimator = TPUEstimator(" in output
