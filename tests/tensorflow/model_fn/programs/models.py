"""TF1 model functions and their data, as users wrote them; both sides of a comparison train these."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

try:
    from tensorflow.compat.v1.estimator import EstimatorSpec
except ImportError:
    from migrate.recovery.estimator.estimator import EstimatorSpec

_random = np.random.RandomState(0)
X = _random.rand(640, 8).astype("f")
Y = _random.randint(0, 10, 640).astype("int32")
WORDS = np.array(["a", "b", "c", "zz"])[_random.randint(0, 4, 640)]


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X, "words": WORDS}, Y)).repeat().batch(64)


def _spec(mode, loss, train_op, **more):
    return EstimatorSpec(mode=mode, loss=tf.identity(loss, name="the_loss"), train_op=train_op, **more)


def _logits(features):
    hidden = tf.nn.relu(tf.matmul(features["x"], tf1.get_variable("w1", [8, 16])) + tf1.get_variable("b1", [16]))
    return tf.matmul(hidden, tf1.get_variable("w2", [16, 10]))


def ftrl(features, labels, mode):
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=_logits(features))
    optimizer = tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001)
    return _spec(mode, loss, optimizer.minimize(loss, global_step=tf1.train.get_global_step()))


def layers(features, labels, mode, params):
    """Layers, batch normalization with UPDATE_OPS, seeded dropout, a decayed learning rate, summaries."""
    training = mode == "train"
    net = tf1.layers.dense(features["x"], 16, activation=tf.nn.relu, name="hidden")
    net = tf1.layers.batch_normalization(net, training=training)
    net = tf1.layers.dropout(net, 0.3, seed=3, training=training)
    logits = tf1.layers.dense(net, 10)
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    step = tf1.train.get_global_step()
    rate = tf1.train.exponential_decay(params["rate"], step, 5, 0.9)
    tf1.summary.scalar("rate", rate)
    tf1.summary.histogram("net", net)
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        train_op = tf1.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    return _spec(mode, loss, train_op)


def columns(features, labels, mode):
    """Feature columns: a vocabulary table, a hash bucket, an embedding; an exponential moving average."""
    listed = tf.feature_column.categorical_column_with_vocabulary_list("words", ["a", "b", "c"], num_oov_buckets=1)
    hashed = tf.feature_column.categorical_column_with_hash_bucket("words", 10)
    net = tf1.feature_column.input_layer(
        features,
        [
            tf.feature_column.numeric_column("x", shape=(8,)),
            tf.feature_column.indicator_column(listed),
            tf.feature_column.embedding_column(hashed, 4),
        ],
    )
    logits = tf.matmul(net, tf1.get_variable("w", [net.shape[-1], 10]))
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    step = tf1.train.get_or_create_global_step()
    with tf1.control_dependencies([tf1.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)]):
        train_op = tf.train.ExponentialMovingAverage(0.9).apply(tf1.trainable_variables())
    return _spec(mode, loss, train_op)


def partitioned(features, labels, mode):
    """A partitioned embedding, which an Estimator saves under one name."""
    with tf1.variable_scope("embedding", partitioner=tf1.fixed_size_partitioner(3)):
        table = tf1.get_variable("table", [10, 16])
    ids = tf.cast(features["x"] * 10, tf.int32)
    net = tf.reduce_mean(tf.nn.embedding_lookup(table, ids), axis=1)
    loss = tf1.losses.sparse_softmax_cross_entropy(
        labels=labels, logits=tf1.matmul(net, tf1.get_variable("w", [16, 10]))
    )
    train_op = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=tf1.train.get_global_step())
    return _spec(mode, loss, train_op)


def own_optimizer(features, labels, mode):
    """A hand-written Adam with weight decay that moves the global step itself, without control dependencies."""
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=_logits(features))
    step = tf1.train.get_or_create_global_step()
    variables = tf1.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf1.gradients(loss, variables), 1.0)
    updates = []
    for gradient, variable in zip(gradients, variables, strict=True):
        name = variable.op.name
        zeros = tf1.zeros_initializer()
        m = tf1.get_variable(name + "/adam_m", variable.shape, trainable=False, initializer=zeros)
        v = tf1.get_variable(name + "/adam_v", variable.shape, trainable=False, initializer=zeros)
        next_m = 0.9 * m + 0.1 * gradient
        next_v = 0.999 * v + 0.001 * tf.square(gradient)
        update = next_m / (tf.sqrt(next_v) + 1e-6) + 0.01 * variable
        updates += [variable.assign(variable - 1e-3 * update), m.assign(next_m), v.assign(next_v)]
    train_op = tf.group(*updates, [step.assign(step + 1)])
    return _spec(mode, loss, train_op)


def unused_operations(features, labels, mode):
    """Makes operations that no session would run: they must not run here either."""
    counter = tf1.get_variable("counter", [], initializer=tf1.zeros_initializer(), trainable=False)
    counter.assign_add(1.0)
    logits = _logits(features)
    tf1.summary.scalar("accuracy", tf1.metrics.accuracy(labels, tf.argmax(logits, axis=1))[1])
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits) + counter
    tf1.train.GradientDescentOptimizer(100.0).minimize(loss)
    train_op = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf1.train.get_global_step())
    return _spec(mode, loss, train_op)


def control_flow(features, labels, mode):
    """A loop, a condition on the step, and a loss of shape [1]."""
    step = tf1.train.get_global_step()
    net = tf1.while_loop(lambda i, n: i < 3, lambda i, n: (i + 1, tf.nn.relu(n * 1.1 - 0.01)), (0, features["x"]))[1]
    logits = tf.matmul(net, tf1.get_variable("w", [8, 10]))
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    weight = tf1.cond(step % 2 < 1, lambda: 1.0, lambda: 0.5)
    train_op = tf1.train.RMSPropOptimizer(0.01, momentum=0.5).minimize(loss * weight, global_step=step)
    return _spec(mode, tf.reshape(loss, [1]), train_op)


def classifier(features, labels, mode):
    """A model_fn of all three modes."""
    logits = _logits(features)
    classes = tf.argmax(logits, axis=1)
    if mode == "infer":
        return EstimatorSpec(mode=mode, predictions={"class": classes, "probability": tf.nn.softmax(logits)})
    loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    if mode == "eval":
        metrics = {"accuracy": tf1.metrics.accuracy(labels, classes), "logit": tf1.metrics.mean(logits)}
        return EstimatorSpec(mode=mode, loss=loss, eval_metric_ops=metrics)
    train_op = tf1.train.AdamOptimizer(0.01).minimize(loss, global_step=tf1.train.get_global_step())
    return _spec(mode, loss, train_op)


def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": X, "words": WORDS}, Y)).batch(48)


MODELS = {
    one.__name__: one
    for one in (ftrl, layers, columns, partitioned, own_optimizer, unused_operations, control_flow, classifier)
}
PARAMS = {"rate": 0.1}
