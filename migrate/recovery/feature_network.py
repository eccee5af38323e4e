"""Layers over a dict of features, one after the other."""

import tensorflow as tf


class FeatureNetwork(tf.keras.Model):
    """What ``tf.keras.Sequential`` is for one tensor, for a dict of features.

    Of Keras 3's Sequential that is called with a dict, and of layers in a list,
    ``tf.train.Checkpoint`` saves nothing: moving averages would be lost at a restart.
    So each layer is an attribute.

    Args:
      stack: the layers, a list; the first takes the dict.
    """

    def __init__(self, stack):
        super().__init__()
        self.stack = list(stack)
        for number, layer in enumerate(self.stack):
            setattr(self, f"layer_{number}", layer)

    def call(self, features, training=None):
        net = features
        for layer in self.stack:
            net = layer(net)  # Keras hands ``training`` on
        return net
