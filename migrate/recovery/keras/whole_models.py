"""Loads compiled models in HDF5, which Keras 3 reads but cannot train further."""

import inspect
import json

import tensorflow as tf

_SLOTS = {
    "m": "momentum",
    "v": "velocity",
    "u": "norm",
    "vhat": "velocity_hat",
    "rms": "velocity",
    "mg": "average_gradient",
    "accum_grad": "accumulated_grad",
    "accum_var": "accumulated_delta_var",
}
"""The name in Keras 3 of each optimizer slot of Keras 2."""
_SEPARABLE = "groups kernel_initializer kernel_regularizer kernel_constraint"
_LAYERS = {
    "time_major": "LSTM GRU SimpleRNN ConvLSTM1D ConvLSTM2D ConvLSTM3D",
    "groups": "DepthwiseConv1D DepthwiseConv2D "
    "Conv1DTranspose Conv2DTranspose Conv3DTranspose",
    _SEPARABLE: "SeparableConv1D SeparableConv2D",
    "trainable noise_shape": "SpatialDropout1D SpatialDropout2D SpatialDropout3D",
    "": "Bidirectional TimeDistributed",  # They wrap one of the others.
}
_UNUSED = {x: keys.split() for keys, names in _LAYERS.items() for x in names.split()}
"""The settings of layers that Keras 2 writes without a use, and Keras 3 rejects."""


def load_compiled_model(filepath, custom_objects=None, compile=True, **options):
    """Loads a model as ``tf.keras.models.load_model`` does, ready for ``fit``.

    For a compiled model in HDF5, Keras 3.15 raises an error if its loss is one like
    "mse", and otherwise makes an optimizer that ``fit`` cannot use. This function compiles
    the model with the loss, the named metrics, and the optimizer's slots and step of the
    file. It also reads LSTM, GRU and some other layers of Keras 2. Any other file, and
    under Keras 2 every file, is loaded by Keras alone.

    Args:
      filepath: of the model, a str or a path.
      custom_objects: a dict from names to the program's classes and functions.
      compile: whether to compile the model, a bool.
      **options: further arguments of ``tf.keras.models.load_model``.

    Returns:
      A ``tf.keras.Model``.

    Raises:
      ValueError: the optimizer in the file is unknown, or its state does not fit; or a
        layer has Keras 2's ``hard_sigmoid``, which is another function in Keras 3.
    """
    load = tf.keras.models.load_model
    is_hdf5 = str(filepath).endswith((".h5", ".hdf5"))
    if not (is_hdf5 and hasattr(tf.keras, "ops")):
        return load(filepath, custom_objects, compile, **options)
    _refuse_other_activation(filepath)
    own = {**{name: _readable(name) for name in _UNUSED}, **(custom_objects or {})}
    model = load(filepath, own, False, **options)
    return _compiled(model, filepath, custom_objects) if compile else model


def _refuse_other_activation(filepath):
    import h5py  # Keras 3 requires it.

    with h5py.File(str(filepath), "r") as file:
        names = "model_config", "keras_version"
        layers, version = (file.attrs.get(name, "") for name in names)
    if version.startswith("2") and '"hard_sigmoid"' in layers:
        raise ValueError(
            f"{filepath} is of Keras 2, where hard_sigmoid is 0.2 * x + 0.5, from 0 to 1; of "
            "Keras 3 it is x / 6 + 0.5, and the model would compute otherwise. Go on with it "
            "on tf_keras or TensorFlow 2.15."
        )


def _readable(name):
    kind = getattr(tf.keras.layers, name)

    class Readable(kind):
        @classmethod
        def from_config(cls, config):
            return kind.from_config(_used(name, config))

    return Readable


def _used(name, config):
    """Returns the settings of a layer without those that Keras 3 rejects."""
    unused = [
        key
        for key in _UNUSED.get(name, ())
        if key != "time_major" or not config.get(key)
    ]
    used = {key: value for key, value in config.items() if key not in unused}
    inner = used.get("layer")
    if isinstance(inner, dict):
        settings = _used(inner["class_name"], inner["config"])
        used["layer"] = {**inner, "config": settings}
    return used


def _compiled(model, filepath, custom_objects):
    """Compiles a model by the settings in its file, and returns it."""
    import h5py  # Keras 3 requires it.

    with h5py.File(str(filepath), "r") as file:
        config = json.loads(file.attrs.get("training_config", "null"))
        if config is None:
            return model
        outputs = getattr(model, "output_names", [""])  # A Sequential has one.
        known, is_one = _Known(custom_objects, outputs), len(outputs) == 1
        try:
            metrics, weighted = (
                known.each(known.metric, config.get(name))
                for name in ("metrics", "weighted_metrics")
            )
            model.compile(
                optimizer=known.optimizer(config["optimizer_config"]),
                loss=known.each(known.loss, config["loss"]),
                metrics=_of_one(metrics) if is_one else metrics,
                weighted_metrics=_of_one(weighted) if is_one else weighted,
                loss_weights=config.get("loss_weights"),
            )
            if "optimizer_weights" in file:
                version = str(file.attrs.get("keras_version", "2"))
                is_of_3 = version.startswith("3")
                _restore_optimizer(model, file["optimizer_weights"], is_of_3)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            model.compiled = False  # Keras refuses to train it before it is compiled.
            tf.get_logger().warning("%s has to be compiled: %s.", filepath, error)
    return model


class _Known:
    """Makes the losses, metrics and optimizer of ``compile`` from a file's settings.

    Args:
      custom_objects: a dict from names to the program's objects, or None.
      outputs: the names of the model's outputs, a list.
    """

    def __init__(self, custom_objects, outputs):
        self._custom_objects = custom_objects or {}
        self._outputs = outputs if len(outputs) > 1 else []

    def each(self, make, config):
        """Makes each loss or metric in a config: nested lists, or dicts by output."""
        if isinstance(config, list):
            return [self.each(make, one) for one in config]
        if isinstance(config, dict) and "class_name" not in config:
            return {name: self.each(make, one) for name, one in config.items()}
        if isinstance(config, dict) and isinstance(config["config"], str):
            config = config["config"]  # A function.
        if isinstance(config, str):
            return self._own(config) or {"logcosh": "log_cosh"}.get(config, config)
        return config and make(config["class_name"], dict(config["config"]))

    def loss(self, name, settings):
        settings.pop("fn", None)
        if settings.get("reduction") == "auto":  # Keras 2's.
            settings["reduction"] = "sum_over_batch_size"
        if name == "Huber" and "delta" not in settings:  # Keras 3 does not save it.
            raise ValueError("the file does not hold the delta of its loss, Huber")
        return (self._own(name) or getattr(tf.keras.losses, name)).from_config(settings)

    def metric(self, name, settings):
        function = settings.pop("fn", None)
        if isinstance(function, str) and name == "MeanMetricWrapper":
            own, outputs = settings["name"], [f"{one}_" for one in self._outputs]
            # Keras prefixes the name of the output.
            own = own.removeprefix(next(filter(own.startswith, outputs), ""))
            return self._metric_of(function, own)
        kind = self._own(name) or getattr(tf.keras.metrics, name)
        return kind.from_config(settings)

    def _metric_of(self, function, name):
        found = self._own(function)
        if found is None and hasattr(tf.keras.losses, function):
            found = tf.keras.losses.get(function)
        if found is None:
            return type(tf.keras.metrics.get(function))(name=name)
        return tf.keras.metrics.MeanMetricWrapper(found, name=name)

    def optimizer(self, config):
        name, settings = config["class_name"].rpartition(">")[2], config["config"]
        kind = self._own(name) or getattr(tf.keras.optimizers, name, None)
        if kind is None or "inner_optimizer" in settings:
            raise ValueError(f"its optimizer is {name}")
        rate, decay = settings.get("learning_rate"), settings.get("decay")
        if isinstance(rate, dict):
            given = {k: v for k, v in rate["config"].items() if v is not None}
            rate = tf.keras.optimizers.schedules.deserialize(
                {**rate, "config": given}, self._custom_objects
            )
        if decay:
            rate = tf.keras.optimizers.schedules.InverseTimeDecay(rate, 1, decay)
        taken = inspect.signature(kind).parameters
        kept = {key: value for key, value in settings.items() if key in taken}
        return kind(**{**kept, "learning_rate": rate})

    def _own(self, name):
        return tf.keras.utils.get_registered_object(name, self._custom_objects)


def _of_one(metrics):
    """Returns the metrics of a model with one output; Keras 2 nests them in a list."""
    is_nested = isinstance(metrics, list) and len(metrics) == 1
    return metrics[0] if is_nested and isinstance(metrics[0], list) else metrics


def _restore_optimizer(model, group, is_of_keras_3):
    """Sets the step and the slots of a model's optimizer to those of a file."""
    optimizer, variables = model.optimizer, model.trainable_variables
    optimizer.build(variables)
    names = [tf.compat.as_str(name) for name in group.attrs["weight_names"]]
    saved = {name.rpartition(":")[0] or name: group[name][()] for name in names}
    lasts = {name.rpartition("/")[2]: value for name, value in saved.items()}
    steps = lasts.get("iteration", lasts.get("iter", 0))
    if not steps:
        return  # It has not trained yet, and may have no slots.
    if is_of_keras_3:
        if len(saved) != len(optimizer.variables):
            raise ValueError(f"its optimizer has {len(saved)} variables")
        for variable, value in zip(optimizer.variables, saved.values()):
            variable.assign(value)
        return
    kind = type(optimizer).__name__
    if kind == "Nadam":
        raise ValueError("Keras 2 does not save the whole state of Nadam")
    slots, places = {}, {}
    is_old = "iter" in lasts  # Before Keras 2.11.
    optimizer.iterations.assign(steps)
    for name, value in saved.items():
        parts = name.split("/")
        # Adam/m/dense/kernel; m/dense/kernel after a loaded model has trained further;
        # Adam/dense/kernel/m before Keras 2.11.
        if parts[0].startswith(optimizer.name):
            parts = parts[1:]
        if len(parts) > 1:
            slot, place = (parts[-1], parts[:-1]) if is_old else (parts[0], parts[1:])
            number = places.setdefault("/".join(place), len(places))
            slot = "u" if (kind, slot) == ("Adamax", "v") else slot
            slots[number, _SLOTS.get(slot, slot)] = value
    for number, variable in enumerate(variables):
        beginning = variable.path.replace("/", "_") + "_"
        for one in optimizer.variables:
            slot = one.name.removeprefix(beginning)
            if slot != one.name and one.shape == variable.shape:
                one.assign(slots[number, slot])
