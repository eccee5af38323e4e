"""Predicts by a SavedModel, as ``tf.contrib.predictor`` did."""

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
    """Returns a function from a dict of input arrays to a dict of output arrays.

    Args:
      export_dir: the SavedModel's directory.
      signature_def_key: the signature's name; None for the default one. Or
      signature_def: a ``SignatureDef``. Or
      input_names, output_names: dicts from keys to names of tensors.
      tags: names of tags, separated by commas; None for "serve".
      graph: the graph to load into; None for a new one.
      config: the session's ``ConfigProto``.

    Raises:
      ValueError: the signature does not exist, or is given in more than one way.
    """
    names = input_names, output_names
    if (input_names is None) != (output_names is None):
        raise ValueError("Give both of input_names and output_names, or neither.")
    given = signature_def_key, signature_def, input_names
    if sum(one is not None for one in given) > 1:
        raise ValueError("Give one of signature_def_key, signature_def and names.")
    graph = graph or tf.Graph()
    with graph.as_default():
        session = tf1.Session(config=config)
        tags = (tags or "serve").split(",")
        loaded = tf1.saved_model.load(session, tags, export_dir)
    if input_names is None:
        known = loaded.signature_def
        names = _names(signature_def or _served_signature(known, signature_def_key))
    return _Predictor(graph, session, *names)


class _Predictor:
    def __init__(self, graph, session, inputs, outputs):
        self.graph, self.session = graph, session
        self.feed_tensors, self.fetch_tensors = (
            {k: graph.get_tensor_by_name(name) for k, name in one.items()}
            for one in (inputs, outputs)
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


def _names(signature):
    both = signature.inputs, signature.outputs
    return [{k: info.name for k, info in one.items()} for one in both]


def _served_signature(signatures, key):
    key = key or tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    for name in (key, f"default_input_alternative:{key}"):
        if name in signatures:
            return signatures[name]
    raise ValueError(f"No signature {key!r}; the model has {sorted(signatures)}.")
