"""FT206 · load_model of a whole model in HDF5, which Keras 3 does not train further

With Keras 3 (3.15.1) ``fit`` cannot train a compiled model that was loaded from HDF5, whether Keras 2 or Keras 3 saved
it. With a loss or a metric like ``"mse"``, ``load_model`` raises ("Could not deserialize 'keras.metrics.mse'");
otherwise ``fit`` raises ("Unknown variable"). A job that resumes from its own file cannot continue.

Instead: ``load_compiled_model``, with the same arguments. It compiles the model with the settings in the file: the
loss, the metrics under the names that callbacks watch, the optimizer with its slots and its step, ``decay`` as a
schedule. It also reads ``LSTM``, ``GRU``, ``Bidirectional`` and separable convolutions of Keras 2. For other files, and
on Keras 2, it calls ``load_model``. Calls in files that the program imports are reported.

Fidelity: noted. It cannot read what Keras 3 cannot read at all: ``Lambda`` layers, operations on tensors between
layers, ``MultiHeadAttention`` of Keras 2, models inside models of Keras 2. It raises, with advice, for Nadam's state of
Keras 2, mixed precision's optimizer and Huber's ``delta``, which Keras 3 does not write to the file.
Of the models in ``.keras`` files of Keras 2.15, Keras 3 loads only a Sequential one with an ``Input``; it trains after
``model.steps_per_execution = 1``, with a new optimizer.

Found only in a program that is rewritten or has a recovery.

See: tf.keras.models.load_model.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.saved_models import LOADERS
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import path_argument
from migrate.analysis.source.paths import template
from migrate.edits.plan import ReplaceExpression
from migrate.rules.keras.imported_files import ImportedFinding, findings_at_imports
from migrate.rules.rule import Example, Fix, Workbench, noted, site_rule

_PROGRAM = """\
import os
import tensorflow as tf

path = "/job/model.h5"
model = tf.keras.models.load_model(path) if os.path.isfile(path) else build()
model.fit(x, y, epochs=9, callbacks=[tf.keras.callbacks.ModelCheckpoint(path)])
"""
_FURTHER = "Keras 3 cannot continue to train a whole model in HDF5, its own or one of Keras 2"
_HDF5 = (".h5", ".hdf5")


@site_rule("FT206", "noted", Example(_PROGRAM, "model = load_compiled_model(path) if os.path.isfile(path)", "module"))
def whole_model(bench: Workbench) -> Iterator[Fix]:
    if bench.settings.target == "keras2":
        return
    for call in hdf5_loads(bench.module):
        name = bench.vocabulary.runtime_name("load_compiled_model")
        edit = ReplaceExpression(bench.module.span(call.func), name)
        verdict = noted(call, f"becomes {name}, for {_FURTHER}; load_model reads other files, and all under Keras 2")
        yield Fix((verdict,), (edit,), frozenset({"load_compiled_model"}))
    yield from findings_at_imports(bench, _findings_in, "Keras 3 cannot continue to train what these lines load")


def _findings_in(module: Module) -> list[ImportedFinding]:
    help = f"{_FURTHER}: write load_compiled_model of tf2_recovery for load_model there, or a name in .keras."
    return [ImportedFinding(call, help) for call in hdf5_loads(module)]


def hdf5_loads(module: Module) -> list[ast.Call]:
    """Returns the calls that may load a compiled model from HDF5, not those of ``tf_keras``, which can train it."""
    calls = [call for call in module.calls_of(*LOADERS) if is_compiled(call) and _may_be_hdf5(module, call)]
    return [call for call in calls if not (module.names.qualified(call.func) or "").startswith("tf_keras.")]


def is_compiled(call: ast.Call) -> bool:
    """Whether ``load_model`` compiles the model: the call has no ``compile=False``."""
    given = [*call.args[2:3], *(keyword.value for keyword in call.keywords if keyword.arg == "compile")]
    return not any(literal(value) is False for value in given)


def _may_be_hdf5(module: Module, call: ast.Call) -> bool:
    path = template(module.names, path_argument(call))
    if path is not None and not path.endswith("⟩"):
        return path.endswith(_HDF5)
    texts = (one.value for one in module.names.nodes(ast.Constant) if isinstance(one.value, str))
    return any(end in text for text in texts for end in _HDF5)
