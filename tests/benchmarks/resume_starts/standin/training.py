"""``fit``: epochs of a few batches, with callbacks in the order in which Keras asks them."""

import os
import string

from .anything import Anything
from .callbacks import History
from .state import start

BATCHES = 4
_USUAL = ("loss", "accuracy", "acc", "val_loss", "val_accuracy", "val_acc")


class Logs(dict):
    """The losses and metrics of an epoch."""


def names_in(callbacks, model):
    """The metrics that somebody asks for."""
    found = dict.fromkeys([*_USUAL, *model.metrics_names, *(f"val_{one}" for one in model.metrics_names)])
    for one in callbacks:
        for text in (getattr(one, "monitor", None), getattr(one, "filepath", None)):
            if isinstance(text, str) and "{" in text:
                found.update(dict.fromkeys(name for _, name, _, _ in string.Formatter().parse(text) if name))
            elif isinstance(text, str) and text is getattr(one, "monitor", None):
                found[text] = None
    return [name for name in found if name and name not in ("epoch", "batch")]


class Fit:
    """What a model has for its training."""

    def fit(self, x=None, y=None, *args, **kwargs):
        """Train, and give the history."""
        names = ["batch_size", "epochs", "verbose", "callbacks", "validation_split", "validation_data", "shuffle"]
        names += ["class_weight", "sample_weight", "initial_epoch", "steps_per_epoch"]
        return self._train(**dict(zip(names, args, strict=False)), **kwargs)

    def fit_generator(self, generator=None, *args, **kwargs):
        """Train by a generator."""
        names = ["steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data", "validation_steps"]
        names += ["class_weight", "max_queue_size", "workers", "use_multiprocessing", "shuffle", "initial_epoch"]
        return self._train(**dict(zip(names, args, strict=False)), **kwargs)

    def _train(self, epochs=1, callbacks=None, initial_epoch=0, verbose=1, **others):
        from .models import begin_of, train

        optimizer, leaves = self._its_optimizer, self._trained
        epochs, first = int(others.get("nb_epoch", epochs)), int(initial_epoch or 0)
        given = list(getattr(callbacks, "callbacks", None) or []) or callbacks or []
        given = [one for one in (given if isinstance(given, (list, tuple)) else [given]) if one is not None]
        history = History()
        every = [*(one for one in given if not isinstance(one, Anything)), history]
        self.stop_training, self.history = False, history
        for one in every:
            one.set_params({"verbose": verbose, "epochs": epochs, "steps": BATCHES})
            one.set_model(self)
        self._epoch_restored = None
        names = names_in(every, self)
        begin_of("fit", leaves, None, epoch=first, epochs=epochs, callbacks=[type(one).__name__ for one in given])
        call(every, "on_train_begin", {})
        first = first if self._epoch_restored is None else self._epoch_restored
        for epoch in range(first, epochs):
            call(every, "on_epoch_begin", epoch, {})
            for batch in range(BATCHES):
                call(every, "on_train_batch_begin", batch, {})
                start.batch()
                train(leaves, epoch)
                optimizer.iterations.assign_add(1)
                call(every, "on_train_batch_end", batch, self._logs(names[:2]))
                if self.stop_training:
                    break
            start.write("epoch", epoch=epoch, weights=_weights(leaves))
            if others.get("validation_data") is not None or others.get("validation_split"):
                call(every, "on_test_begin", {})
                call(every, "on_test_end", {})
            call(every, "on_epoch_end", epoch, self._logs(names))
            if self.stop_training:
                break
        call(every, "on_train_end", {})
        start.write("end", kind="fit", weights=_weights(leaves))
        return history

    def _logs(self, names):
        loss = float(self._numbers())
        if os.environ.get("STAND_IN_METRICS") == "worse" and loss < 1 / 3:
            loss = 1 - loss  # From the third epoch on.
        falling = ("loss", "err", "mse", "mae")
        return Logs({name: loss if any(one in name for one in falling) else 1 - loss for name in names})


def _weights(leaves):
    from .layers import weights_of

    return weights_of(leaves)


def call(callbacks, name, *args):
    """Ask each callback; those of batches have an older name."""
    for one in callbacks:
        method = getattr(one, name, None)
        if method is not None:
            method(*args)
