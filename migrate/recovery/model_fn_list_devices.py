"""The devices' names, which ``tf.contrib.eager`` told."""

import tensorflow as tf


def list_devices():
    """Returns the names of the devices that operations can run on."""
    names = [device.name for device in tf.config.list_logical_devices()]
    here = "/job:localhost/replica:0/task:0"
    return [here + name if name.startswith("/device:") else name for name in names]
