# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 0c9d6bc449bb839f).
"""Labels and predictions of a premade classifier."""

import tensorflow as tf


def class_ids(labels, names):
    """Returns the places of labels among the names of the classes, [batch].

    Args:
      labels: a tensor of strings, [batch] or [batch, 1].
      names: a list of strings.

    Raises:
      tf.errors.InvalidArgumentError: a label is none of them.
    """
    is_name = tf.equal(tf.reshape(labels, [-1, 1]), tf.constant(names))
    is_known = tf.reduce_all(tf.reduce_any(is_name, 1))
    with tf.control_dependencies(
        [tf.debugging.Assert(is_known, ["A label is not in label_vocabulary.", labels])]
    ):
        return tf.argmax(is_name, 1)


def class_predictions(logits, names=None):
    """Returns the predictions for a batch, a dict of tensors by the Estimator's keys.

    Args:
      logits: a tensor, [batch, n_classes], or [batch, 1] for two classes.
      names: of the classes, a list of strings; None where they are numbers.
    """
    scores, logistic = logits, {}
    if logits.shape[-1] == 1:
        logistic = {"logistic": tf.sigmoid(logits)}
        scores = tf.concat([tf.zeros_like(logits), logits], -1)
    class_ids = tf.expand_dims(tf.argmax(scores, -1), -1)
    all_ids = tf.range(scores.shape[-1])
    if names:
        names = tf.constant(names)
        classes, all_classes = tf.gather(names, class_ids), names
    else:
        classes = tf.strings.as_string(class_ids)
        all_classes = tf.strings.as_string(all_ids)
    each = [tf.shape(logits)[0], 1]
    return {
        "logits": logits,
        **logistic,
        "probabilities": tf.nn.softmax(scores),
        "class_ids": class_ids,
        "classes": classes,
        "all_class_ids": tf.tile(all_ids[tf.newaxis], each),
        "all_classes": tf.tile(all_classes[tf.newaxis], each),
    }
