"""The devices' names, which ``tf.contrib.eager`` told."""

import tensorflow as tf


def list_devices():
    """Returns the names of the devices that operations can run on."""
    return [device.name for device in tf.config.list_logical_devices()]
