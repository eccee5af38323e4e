"""Keras optimizers for TensorFlow 2's premade estimators, with the names of their slots."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def keras_optimizer(optimizer, learning_rate):
    """Returns a ``CannedKerasOptimizer`` with an optimizer's settings.

    Args:
      optimizer: a ``tf.keras`` optimizer, a function that returns one, or its name.
      learning_rate: a float; used only with a name.

    Raises:
      ValueError: the optimizer or one of its settings is not supported.
    """
    if isinstance(optimizer, str):
        return CannedKerasOptimizer(
            {"RMSProp": "RMSprop"}.get(optimizer, optimizer), learning_rate
        )
    if callable(optimizer):
        optimizer = optimizer()
    kind, config = type(optimizer).__name__, optimizer.get_config()
    other = [name for name in _UNSUPPORTED if config.get(name)]
    if kind not in _KINDS or other:
        what = f"A {kind}" + (f" with {', '.join(other)}" if other else "")
        raise ValueError(f"{what} is not supported.")
    rate = config["learning_rate"]
    if isinstance(rate, dict):
        rate = tf.keras.optimizers.schedules.deserialize(rate)
    _, hypers, fixed = _KINDS[kind]
    known = "decay", *hypers, *fixed
    settings = {name: config[name] for name in known if name in config}
    return CannedKerasOptimizer(kind, rate, **settings)


class CannedKerasOptimizer:
    """A ``tf.keras.optimizers`` optimizer of TensorFlow 2.10, in a graph.

    It has the Estimator's names of slots and settings, and the same operations. A value
    of a setting in a checkpoint replaces the argument.

    Args:
      kind: "SGD", "Adagrad", "Adam", "Ftrl" or "RMSprop".
      learning_rate: a float, or a schedule of ``tf.keras.optimizers.schedules``.
      settings: the other arguments of the optimizer.
    """

    def __init__(self, kind, learning_rate=0.001, **settings):
        slots, hypers, fixed = _KINDS[kind]
        self._kind = kind
        self._schedule = learning_rate if callable(learning_rate) else None
        self._hypers = {"decay": 0.0, **hypers}
        if self._schedule is None:
            self._hypers["learning_rate"] = learning_rate
        self._fixed = dict(fixed)
        for name, value in settings.items():
            (self._hypers if name in self._hypers else self._fixed)[name] = value
        has_momentum = self._hypers.get("momentum") and "momentum" not in slots
        self._slots = (*slots, "momentum") if has_momentum else slots

    def train_op(self, loss, variables, step, counts_steps):
        """Returns the operation of a training step.

        Args:
          loss: a scalar tensor.
          variables: those to train, a list.
          step: the global step, a ``tf.Variable``.
          counts_steps: whether this optimizer increments step; else it counts its own.
        """
        scope = f"training/{self._kind}"
        hypers = {
            name: tf1.get_variable(
                f"{scope}/{name}", initializer=float(value), trainable=False
            )
            for name, value in self._hypers.items()
        }
        if not counts_steps:
            zero = tf.constant(0, tf.int64)
            step = tf1.get_variable(f"{scope}/iter", initializer=zero, trainable=False)
        values = {name: tf.identity(variable) for name, variable in hypers.items()}
        if self._schedule is not None:
            values["learning_rate"] = tf.cast(self._schedule(step), tf.float32)
        if self._hypers["decay"]:
            steps = tf.cast(step, tf.float32)
            values["learning_rate"] /= 1.0 + values["decay"] * steps
        gradients = tf1.gradients(loss, variables)
        updates = []
        for variable, gradient in zip(variables, gradients):
            start = self._fixed.get("initial_accumulator_value", 0.0)
            slots = {
                name: tf1.get_variable(
                    f"{scope}/{variable.op.name}/{name}",
                    variable.shape,
                    initializer=tf1.constant_initializer(
                        start if name == "accumulator" else 0.0
                    ),
                    trainable=False,
                )
                for name in self._slots
            }
            update = getattr(self, f"_{self._kind.lower()}")
            updates.append(update(variable, gradient, values, slots, step))
        with tf1.control_dependencies(updates):
            return tf1.assign_add(step, 1)

    def _sgd(self, variable, gradient, values, slots, step):
        rate = values["learning_rate"]
        if "momentum" in slots:
            return _apply(
                "KerasMomentum",
                variable,
                gradient,
                accum=slots["momentum"].handle,
                lr=rate,
                momentum=values["momentum"],
                use_nesterov=self._fixed["nesterov"],
            )
        if isinstance(gradient, tf.IndexedSlices):
            return tf.raw_ops.ResourceScatterAdd(
                resource=variable.handle,
                indices=gradient.indices,
                updates=-gradient.values * rate,
            )
        return tf.raw_ops.ResourceApplyGradientDescent(
            var=variable.handle, alpha=rate, delta=gradient
        )

    def _adagrad(self, variable, gradient, values, slots, step):
        return _apply(
            "AdagradV2",
            variable,
            gradient,
            accum=slots["accumulator"].handle,
            lr=values["learning_rate"],
            epsilon=self._fixed["epsilon"],
        )

    def _ftrl(self, variable, gradient, values, slots, step):
        rate = values["learning_rate"]
        return _apply(
            "Ftrl",
            variable,
            gradient,
            accum=slots["accumulator"].handle,
            linear=slots["linear"].handle,
            lr=rate,
            l1=values["l1_regularization_strength"],
            l2=values["l2_regularization_strength"] + values["beta"] / (2.0 * rate),
            lr_power=values["learning_rate_power"],
        )

    def _rmsprop(self, variable, gradient, values, slots, step):
        rate, rho = values["learning_rate"], values["rho"]
        epsilon, rms = self._fixed["epsilon"], slots["rms"]
        if "momentum" in slots:
            return _apply(
                "RMSProp",
                variable,
                gradient,
                ms=rms.handle,
                mom=slots["momentum"].handle,
                lr=rate,
                rho=rho,
                momentum=values["momentum"],
                epsilon=epsilon,
            )
        if not isinstance(gradient, tf.IndexedSlices):
            rms = tf1.assign(rms, rho * rms + (1.0 - rho) * tf.square(gradient))
            change = rate * gradient / (tf.sqrt(rms) + epsilon)
            return tf1.assign(variable, variable - change)
        gradient, indices = _sum_rows(gradient)
        with tf1.control_dependencies([tf1.assign(rms, rms * rho)]):
            scaled = (gradient * gradient) * (1.0 - rho)
            rms = _scatter_add(rms, indices, scaled)
        step_size = -rate * gradient / (tf.sqrt(tf.gather(rms, indices)) + epsilon)
        return _scatter_add(variable, indices, step_size)

    def _adam(self, variable, gradient, values, slots, step):
        beta_1, beta_2 = values["beta_1"], values["beta_2"]
        steps = tf.cast(step + 1, tf.float32)
        power_1, power_2 = tf.pow(beta_1, steps), tf.pow(beta_2, steps)
        rate, epsilon = values["learning_rate"], self._fixed["epsilon"]
        m, v = slots["m"], slots["v"]
        if not isinstance(gradient, tf.IndexedSlices):
            return tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=m.handle,
                v=v.handle,
                beta1_power=power_1,
                beta2_power=power_2,
                lr=rate,
                beta1=beta_1,
                beta2=beta_2,
                epsilon=epsilon,
                grad=gradient,
            )
        rate *= tf.sqrt(1 - power_2) / (1 - power_1)
        gradient, indices = _sum_rows(gradient)
        with tf1.control_dependencies([tf1.assign(m, m * beta_1)]):
            m = _scatter_add(m, indices, gradient * (1 - beta_1))
        with tf1.control_dependencies([tf1.assign(v, v * beta_2)]):
            v = _scatter_add(v, indices, (gradient * gradient) * (1 - beta_2))
        return tf1.assign_sub(variable, rate * m / (tf.sqrt(v) + epsilon))


_UNSUPPORTED = (
    *("amsgrad", "centered", "clipnorm", "clipvalue", "global_clipnorm", "use_ema"),
    *("gradient_accumulation_steps", "l2_shrinkage_regularization_strength"),
    *("loss_scale_factor", "weight_decay"),
)

# By kind: its slots, its settings in checkpoints, and its other settings.
_KINDS = {
    "SGD": ((), {"momentum": 0.0}, {"nesterov": False}),
    "Adagrad": (
        ("accumulator",),
        {},
        {"epsilon": 1e-7, "initial_accumulator_value": 0.1},
    ),
    "Adam": (("m", "v"), {"beta_1": 0.9, "beta_2": 0.999}, {"epsilon": 1e-7}),
    "Ftrl": (
        ("accumulator", "linear"),
        {
            "beta": 0.0,
            "l1_regularization_strength": 0.0,
            "l2_regularization_strength": 0.0,
            "learning_rate_power": -0.5,
        },
        {"initial_accumulator_value": 0.1},
    ),
    "RMSprop": (("rms",), {"momentum": 0.0, "rho": 0.9}, {"epsilon": 1e-7}),
}


def _apply(name, variable, gradient, **settings):
    if isinstance(gradient, tf.IndexedSlices):
        name = f"ResourceSparseApply{name}"
        gradient, settings["indices"] = _sum_rows(gradient)
    else:
        name = f"ResourceApply{name}"
    operation = getattr(tf.raw_ops, name)
    return operation(var=variable.handle, grad=gradient, **settings)


def _sum_rows(gradient):
    """Returns the gradients of a sparse gradient, summed for each row, and the rows."""
    rows, positions = tf.unique(gradient.indices)
    values = tf.math.unsorted_segment_sum(gradient.values, positions, tf.shape(rows)[0])
    return values, rows


def _scatter_add(variable, rows, values):
    """Adds values to rows of a variable; returns a tensor of the new variable."""
    added = tf.raw_ops.ResourceScatterAdd(
        resource=variable.handle, indices=rows, updates=values
    )
    with tf1.control_dependencies([added]):
        return variable.read_value()
