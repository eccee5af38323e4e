"""Maps the optimizers of ``tf.compat.v1.train`` to Keras optimizers that train in the same way."""

import ast

from migrate.analysis.source.arguments import Unbindable, bind
from migrate.analysis.source.names import Names
from migrate.analysis.source.scopes import FunctionNode
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.values import iter_parts
from migrate.records import dataclass, field
from migrate.rewrite.changed_file import ChangedFile


@dataclass(frozen=True)
class V1Optimizer:
    """The Keras class for a v1 optimizer.

    Attributes:
      parameters: the v1 parameters in the order of the signature.
      renamed: v1 parameter → Keras parameter, in the order to write them; any other v1 parameter blocks the program.
      constants: Keras arguments for v1 defaults that differ from those of Keras.
    """

    keras: str
    parameters: tuple[str, ...]
    renamed: dict[str, str]
    constants: dict[str, str] = field(default_factory=dict)


_RATE = {"learning_rate": "learning_rate"}
V1_OPTIMIZERS = {
    "AdamOptimizer": V1Optimizer(
        "Adam",
        ("learning_rate", "beta1", "beta2", "epsilon"),
        {**_RATE, "beta1": "beta_1", "beta2": "beta_2", "epsilon": "epsilon"},
        {"learning_rate": "0.001", "epsilon": "1e-08"},
    ),
    "AdagradOptimizer": V1Optimizer(
        "Adagrad",
        ("learning_rate", "initial_accumulator_value"),
        {**_RATE, "initial_accumulator_value": "initial_accumulator_value"},
        {"epsilon": "0.0"},
    ),
    "FtrlOptimizer": V1Optimizer(
        "Ftrl",
        (
            "learning_rate",
            "learning_rate_power",
            "initial_accumulator_value",
            "l1_regularization_strength",
            "l2_regularization_strength",
        ),
        {
            **_RATE,
            "learning_rate_power": "learning_rate_power",
            "initial_accumulator_value": "initial_accumulator_value",
            "l1_regularization_strength": "l1_regularization_strength",
            "l2_regularization_strength": "l2_regularization_strength",
            "l2_shrinkage_regularization_strength": "l2_shrinkage_regularization_strength",
        },
    ),
    "GradientDescentOptimizer": V1Optimizer("SGD", ("learning_rate",), _RATE),
    "MomentumOptimizer": V1Optimizer(
        "SGD",
        ("learning_rate", "momentum", "use_locking", "name", "use_nesterov"),
        {**_RATE, "momentum": "momentum", "use_nesterov": "nesterov"},
    ),
    "AdadeltaOptimizer": V1Optimizer(
        "Adadelta",
        ("learning_rate", "rho", "epsilon"),
        {**_RATE, "rho": "rho", "epsilon": "epsilon"},
        {"epsilon": "1e-08"},
    ),
}
_IGNORED_ARGUMENTS = {"use_locking", "name"}


def keras_counterpart(file: ChangedFile, name: str, call: ast.Call) -> str:
    """Returns the Keras call for an optimizer of ``tf.compat.v1.train``; raises Unbindable where there is none."""
    if name not in V1_OPTIMIZERS:
        raise Unbindable(f"`train.{name}` has no Keras counterpart that is known to train the same")
    known = V1_OPTIMIZERS[name]
    arguments = bind(call, known.parameters)
    settings = dict(known.constants)
    for parameter, value in arguments.items():
        if parameter in _IGNORED_ARGUMENTS:
            continue
        if parameter not in known.renamed:
            raise Unbindable(f"`{parameter}` has no counterpart in Keras's {known.keras}")
        if parameter == "learning_rate" and not _is_constant(file.module.names, value):
            raise Unbindable("the learning rate is computed, perhaps from the global step")
        settings[known.renamed[parameter]] = file.text(value)
    order = [keras for keras in (*known.renamed.values(), *known.constants) if keras in settings]
    return f"{known.keras}({arguments_text({keras: settings[keras] for keras in dict.fromkeys(order)})})"


def arguments_text(arguments: dict[str, str]) -> str:
    """Returns the source of keyword arguments; a learning rate comes first, without its name."""
    rate = [arguments["learning_rate"]] if "learning_rate" in arguments else []
    return ", ".join([*rate, *(f"{name}={text}" for name, text in arguments.items() if name != "learning_rate")])


def _is_constant(names: Names, value: ast.expr) -> bool:
    """Whether a learning rate calls neither TensorFlow nor a function of the file."""
    for node in iter_parts(names, value):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and isinstance(names.definition(node.func), FunctionNode):
                return False
            if symbol_of(names, node.func) is not None:
                return False
    return True
