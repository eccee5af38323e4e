"""FT133 · estimator.export_saved_model(export_dir_base, serving_input_receiver_fn)

Writes a SavedModel of the newest checkpoint to a new directory, named by the time, and returns its path.

Instead: ``export_classes``, ``export_values`` or ``export_outputs``, generated functions that do the same with the
Keras model: the same signatures (``serving_default``, ``predict``, ``classification``, ``regression``) with the names,
shapes and types of their inputs and outputs.

Fidelity: exact. As under the Estimator, requests that are no ``tf.Example`` protos have the signature ``predict``
alone. An input whose name Python cannot have, such as ``hours-per-week``, has it for a server; what
``tf.saved_model.load`` gives takes ``hours_per_week``. ``as_text``, ``checkpoint_path`` and a distribution strategy
block the program.

See: tf.estimator.Estimator.export_saved_model, tf.saved_model.save.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import MethodCall, Program
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rewrite.exports import keras_export
from migrate.rules.rule import Example, Verdict, exact, manual, rule

_EXPORT = "max_steps=10, hooks=[Hook()])\n    model.export_saved_model('/tmp/e', lambda: tf1.estimator.export."
_RECEIVER = "ServingInputReceiver({}, {})"


@rule(
    "FT133",
    "exact",
    Example(
        f"{_EXPORT}{_RECEIVER}",
        'export_classes(recovery, "/tmp/e", lambda: ServingInputReceiver({}, {}), features=inputs)',
        "train",
    ),
    Example(f"{_EXPORT}{_RECEIVER}, as_text=True", None, "train"),
    Example(f"{_EXPORT}{_RECEIVER}, checkpoint_path='/tmp/c'", None, "train"),
    Example("max_steps=10, hooks=[Hook()])\n    model.export_saved_model('/tmp/e'", None, "train"),
    needs=("strategy", "serving", "model", "training"),
)
def export_in_keras(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method.startswith("export_"):
            yield _rewrite(program, draft, call)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    if call.problem is not None:
        return manual(call.problem[0], call.problem[1], "Write the arguments out.")
    arguments = call.arguments
    if not {"export_dir_base", "serving_input_receiver_fn"} <= arguments.keys():
        return manual(call.node, f"{call.method}() is called without a serving function", "Give one.")
    if not is_none(arguments.get("as_text")) and literal(arguments["as_text"]) is not False:
        return manual(arguments["as_text"], "as_text is not carried over", "Take as_text out.")
    if not is_none(arguments.get("checkpoint_path")):
        reason = "checkpoint_path of an export is not carried over to Keras"
        return manual(arguments["checkpoint_path"], reason, "Use --canned object.")
    if draft.strategy:
        reason = "the export of a model under a distribution strategy is not carried over yet"
        return manual(call.node, reason, "Export in a program of its own.")
    if draft.uses_backup and not draft.has_backup_fit:
        return manual(
            call.node,
            "nothing restores the model before this export: BackupAndRestore restores in fit() alone",
            "Use --recovery checkpoint-manager.",
        )
    source = call.estimator if draft.uses_backup else draft.recovery
    text = keras_export(draft, source, draft.text(arguments["export_dir_base"]), arguments)
    draft.edits.append(ReplaceExpression(program.module.span(call.node), text))
    return exact(call.node, "exports the newest checkpoint with the signatures that the Estimator gave")
