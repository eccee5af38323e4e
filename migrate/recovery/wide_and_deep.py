"""A wide and a deep part that train together, each with an optimizer of its own."""

import tensorflow as tf

from migrate.recovery.column_batch import trained_variable


class WideAndDeep(tf.keras.Model):
    """Adds up what a wide and a deep part make of the features.

    Args:
      wide: the part that ``wide_optimizer`` trains, a layer or model.
      deep: the part that ``optimizer`` trains.
    """

    def __init__(self, wide, deep):
        super().__init__()
        self.wide, self.deep = wide, deep

    def call(self, features, training=None):
        return self.deep(features, training=training) + self.wide(features)

    def compile(self, optimizer, wide_optimizer, **settings):
        super().compile(optimizer=optimizer, **settings)
        self.wide_optimizer = wide_optimizer
        self.optimizer.build(self.deep.trainable_variables)
        wide_optimizer.build(self.wide.trainable_variables)

    def train_step(self, data):
        features, labels, weights = tf.keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape(persistent=True) as tape:
            logits = self(features, training=True)
            loss = self.compute_loss(features, labels, logits, weights)
        for part, optimizer in (
            (self.deep, self.optimizer),
            (self.wide, self.wide_optimizer),
        ):
            trained = part.trainable_variables
            gradients = tape.gradient(loss, [trained_variable(v) for v in trained])
            optimizer.apply_gradients(zip(gradients, trained))
        for metric in self.metrics:
            if metric.name == "loss":  # Keras 3 leaves this to a train_step
                metric.update_state(loss, sample_weight=tf.shape(logits)[0])
        return self.compute_metrics(features, labels, logits, weights)
