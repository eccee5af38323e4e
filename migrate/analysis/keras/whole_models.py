"""Where a file loads whole models by Keras."""

import ast

from migrate.analysis.keras.saved_models import LOADS
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import path_of
from migrate.analysis.source.paths import template

_HDF5 = (".h5", ".hdf5")


def hdf5_loads(module: Module) -> list[ast.Call]:
    """The calls of ``load_model`` whose file may be HDF5 and whose model is compiled by what the file holds.

    ``tf_keras`` is Keras 2, which trains such a model further by itself: its calls are left out.
    """
    return [
        call
        for call in module.calls_of(*LOADS)
        if not (module.names.qualified(call.func) or "").startswith("tf_keras.")
        and is_compiled(call)
        and _may_be_hdf5(module, call)
    ]


def is_compiled(call: ast.Call) -> bool:
    """Whether ``load_model`` compiles what it loads: it is not given ``compile=False``."""
    given = [*call.args[2:3], *(keyword.value for keyword in call.keywords if keyword.arg == "compile")]
    return not any(literal(value) is False for value in given)


def _may_be_hdf5(module: Module, call: ast.Call) -> bool:
    path = template(module.names, path_of(call))
    if path is not None and not path.endswith("⟩"):
        return path.endswith(_HDF5)
    texts = (one.value for one in module.names.nodes(ast.Constant) if isinstance(one.value, str))
    return any(end in text for text in texts for end in _HDF5)
