"""``fit`` for several workers, on Keras 2 and Keras 3."""

import math

import tensorflow as tf


def fit_on_workers(
    model,
    dataset,
    recovery=None,
    epochs=1,
    steps_per_epoch=None,
    callbacks=(),
    validation_data=None,
    validation_steps=None,
    verbose=1,
):
    """Trains a compiled model under its strategy, as ``Model.fit`` would.

    Keras 3 refuses ``fit`` where ``MultiWorkerMirroredStrategy`` has several workers.
    Callbacks get the metrics at the end of an epoch only.

    Args:
      model: a ``tf.keras.Model``, made and compiled in the scope of its strategy.
      dataset: a ``tf.data.Dataset`` of global batches; each worker takes its shard.
      recovery: a ``WorkerRecovery``, which tells the step to resume at.
      epochs: the total number of epochs, an int, with those before an interruption.
      steps_per_epoch: the steps in an epoch; None for a whole pass over ``dataset``.
      callbacks: more ``tf.keras.callbacks.Callback`` objects.
      validation_data: a ``tf.data.Dataset`` of global batches; None for none.
      validation_steps: as ``steps_per_epoch``, for ``validation_data``.
      verbose: as in ``Model.fit``, an int.

    Returns:
      The ``History`` that ``Model.fit`` returns.
    """
    strategy = model.distribute_strategy
    if not model.built:
        with strategy.scope():
            model(_zeros(dataset.element_spec[0]))
    done = 0 if recovery is None else recovery.restore()

    @tf.function
    def train(batches):
        strategy.run(model.train_step, args=(next(batches),))

    @tf.function
    def test(batches):
        strategy.run(model.test_step, args=(next(batches),))

    steps = math.ceil(steps_per_epoch or _length(dataset))
    batches = iter(strategy.experimental_distribute_dataset(dataset.repeat()))
    calls = tf.keras.callbacks.CallbackList(
        [*callbacks, *([] if recovery is None else [recovery])],
        add_history=True,
        add_progbar=verbose != 0,
        model=model,
        verbose=verbose,
        epochs=epochs,
        steps=steps,
    )
    model.stop_training = False
    logs = {}
    calls.on_train_begin()
    for epoch in range(done // steps, epochs):
        model.reset_metrics()
        calls.on_epoch_begin(epoch)
        for batch in range(max(0, done - epoch * steps), steps):
            calls.on_train_batch_begin(batch)
            train(batches)
            calls.on_train_batch_end(batch)
            if model.stop_training:
                break
        logs = _metrics(model)
        if validation_data is not None:
            model.reset_metrics()
            held_out = iter(strategy.experimental_distribute_dataset(validation_data))
            for _ in range(math.ceil(validation_steps or _length(validation_data))):
                test(held_out)
            logs |= {f"val_{name}": value for name, value in _metrics(model).items()}
        calls.on_epoch_end(epoch, logs)
        if model.stop_training:
            break
    calls.on_train_end(logs)
    return model.history


def _metrics(model):
    return {name: float(value) for name, value in model.get_metrics_result().items()}


def _length(dataset):
    length = int(dataset.cardinality())
    if length < 0:
        raise ValueError("Say how many steps an epoch has: the dataset has no length.")
    return length


def _zeros(features):
    return tf.nest.map_structure(
        lambda spec: tf.zeros([1, *spec.shape[1:]], spec.dtype), features
    )
