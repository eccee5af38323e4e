"""The verdict on a name of the Estimator API that is replaced (FT151)."""

import ast

from migrate.analysis.source.symbols import Symbol, estimator_kind
from migrate.findings.finding import Fidelity
from migrate.rules.rule import EstimatorFile, Verdict, exact


def name_verdict(file: EstimatorFile, node: ast.expr, call: ast.Call | None, symbol: Symbol, text: str) -> Verdict:
    module, kind = file.module, estimator_kind(symbol)
    if call is None:
        return exact(node, f"becomes {text}", module)
    if kind is not None:
        refused = "; it rejects a TPU when it starts" if kind == "tpu" else ""
        if kind == "keras":
            refused = "; the training changes the Keras model's own weights, and hooks see only the step"
        needed = f"; needs {file.need}" if file.need else ""
        message = f"becomes {text}, an object with the Estimator's methods; the calls stay{refused}{needed}"
        return Verdict(call, Fidelity.NOTED if refused or needed else Fidelity.EXACT, message, module=module)
    if symbol.tail.startswith("estimator.inputs."):
        message = f"becomes {text}, which gives a tf.data.Dataset; if shuffled, in another random order"
        return Verdict(call, Fidelity.NOTED, message, module=module)
    if symbol.is_contrib:
        from migrate.tensorflow.contrib import name_of, rows_of

        advice = (row.advice for row in rows_of(name_of(symbol.qualified)) if row.kind == "estimator")
        if differs := next(advice, ""):
            return Verdict(call, Fidelity.NOTED, f"becomes {text}: {differs}", module=module)
    return exact(call, f"becomes {text}", module)
