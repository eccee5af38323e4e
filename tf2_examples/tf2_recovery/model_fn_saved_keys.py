# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content cfaa0b4e1ec18d2e).
"""Finds out under which names TensorFlow 1 saves the variables of a graph."""

import tensorflow as tf


def saved_keys(variables, saver):
    """Returns where a TensorFlow 1 checkpoint has the variables of the current graph.

    Args:
      variables: a dict from name to variable.
      saver: the ``tf.compat.v1.train.Saver`` of a Scaffold; None for the default one,
        which saves all.

    Returns:
      A dict from the name of a variable that is elsewhere than under it, to its name
      in the checkpoint and the part of that which it is, "" for all, as
      ``tf.raw_ops.SaveV2`` wants both.

    Raises:
      ValueError: the saver saves what is no variable.
    """
    keys = {}
    for name, variable in variables.items():
        part = variable.to_proto().save_slice_info_def
        if part.full_name:
            whole = " ".join(map(str, part.full_shape))
            ranges = [f"{o},{s}" for o, s in zip(part.var_offset, part.var_shape)]
            keys[name] = part.full_name, f"{whole} {':'.join(ranges)}"
    if saver is not None:
        keys.update(_keys_of(saver, variables))
    return keys


def _keys_of(saver, variables):
    saver.build()
    names = {variable.handle.op.name: name for name, variable in variables.items()}
    keys, others = {}, []
    for save in _saves_before(saver.as_saver_def().save_tensor_name):
        _, saved, parts, *tensors = save.inputs
        found = zip(tf.get_static_value(saved), tf.get_static_value(parts), tensors)
        for key, part, tensor in found:
            source = tensor.op
            while source.inputs:  # a read of a variable, and what moves the value
                source = source.inputs[0].op
            if source.name in names:
                keys[names[source.name]] = key.decode(), part.decode()
            else:
                others.append(key.decode())
    if others:
        raise ValueError(f"Not variables, so the Saver's would be lost: {others}.")
    more = sorted(variables.keys() - keys.keys())
    if more:
        tf.get_logger().warning(
            "Saved beside what the model_fn's Saver saves: %s", more
        )
    return keys


def _saves_before(tensor_name):
    """Returns the operations that write a checkpoint's variables."""
    graph = tf.compat.v1.get_default_graph()
    ahead, found = [graph.get_tensor_by_name(tensor_name).op], {}
    while ahead:
        operation = ahead.pop()
        if operation.name not in found:
            found[operation.name] = operation
            ahead += [tensor.op for tensor in operation.inputs]
            ahead += operation.control_inputs
    return [operation for operation in found.values() if operation.type == "SaveV2"]
