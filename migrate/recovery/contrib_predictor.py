"""Predictions from a SavedModel, as ``tf.contrib.predictor`` made them."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def from_saved_model(
    export_dir,
    signature_def_key=None,
    signature_def=None,
    input_names=None,
    output_names=None,
    tags=None,
    graph=None,
    config=None,
):
    """Returns a function from a dict of arrays to a dict of arrays.

    Args:
      export_dir: the SavedModel's directory.
      signature_def_key: which signature to take; None for the default one.
      signature_def: a ``SignatureDef`` in its place.
      input_names, output_names: dicts from keys to tensors' names in its place.
      tags: names of tags with commas between them; None for "serve".
      graph: the graph to load into; None for a new one.
      config: the session's ``ConfigProto``.

    Raises:
      ValueError: there is no such signature, or more than one way to it is given.
    """
    return _Predictor(
        export_dir,
        signature_def_key,
        signature_def,
        (input_names, output_names),
        (tags or "serve").split(","),
        graph or tf.Graph(),
        config,
    )


class _Predictor:
    def __init__(self, export_dir, key, signature, names, tags, graph, config):
        if (names[0] is None) != (names[1] is None):
            raise ValueError("Give both of input_names and output_names, or neither.")
        if sum(one is not None for one in (key, signature, names[0])) > 1:
            raise ValueError("Give one of signature_def_key, signature_def and names.")
        self.graph = graph
        with graph.as_default():
            self.session = tf1.Session(config=config)
            loaded = tf1.saved_model.load(self.session, tags, export_dir)
        if names[0] is None:
            signature = signature or _served_signature(loaded.signature_def, key)
            both = signature.inputs, signature.outputs
            names = [{k: info.name for k, info in one.items()} for one in both]
        self.feed_tensors, self.fetch_tensors = (
            {k: graph.get_tensor_by_name(name) for k, name in one.items()}
            for one in names
        )

    def __call__(self, input_dict):
        unknown = input_dict.keys() - self.feed_tensors.keys()
        if unknown:
            known = sorted(self.feed_tensors)
            raise ValueError(
                f"No inputs of the model: {sorted(unknown)}; it has {known}."
            )
        given = {k: value for k, value in input_dict.items() if value is not None}
        feed = {self.feed_tensors[k]: value for k, value in given.items()}
        return self.session.run(self.fetch_tensors, feed)


def _served_signature(signatures, key):
    key = key or tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    for name in (key, f"default_input_alternative:{key}"):
        if name in signatures:
            return signatures[name]
    raise ValueError(f"No signature {key!r}; the model has {sorted(signatures)}.")
