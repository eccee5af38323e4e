"""FT125 · hooks=[…] with SessionRunHook classes of the file

A hook runs around every step of the session: ``begin``, ``before_run``, ``after_run``, ``end``.

Instead: the class becomes a ``tf.keras.callbacks.Callback`` with ``on_train_begin``, ``on_train_batch_begin``,
``on_train_batch_end`` and ``on_train_end``; ``run_context.request_stop()`` becomes ``self.model.stop_training = True``.
It comes after the callback that saves, as the Estimator ran its hooks after its own.

Fidelity: exact for hooks that use their own state and ``request_stop``. A hook that fetches tensors, uses the session,
or comes from TensorFlow or another module blocks the program.

See: tf.compat.v1.train.SessionRunHook, tf.keras.callbacks.Callback.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.hooks import HOOK_METHODS, TAKEN_BY_CALLBACK, HookClass
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.edits.plan import InsertFirst, Part, Redefine, ReplaceExpression, ReplaceStatement
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, rule

_CALLBACK_METHODS = {
    "begin": ("on_train_begin", ("logs=None",)),
    "before_run": ("on_train_batch_begin", ("batch", "logs=None")),
    "after_run": ("on_train_batch_end", ("batch", "logs=None")),
    "end": ("on_train_end", ("logs=None",)),
}


@rule(
    "FT125",
    "exact",
    Example("self.count = 0", "def on_train_begin(self, logs=None):\n        self.count = 0", "hook"),
    Example("self.session = run_context.session", None, "hook"),
)
def hooks(program: Program, draft: Draft) -> Iterator[Verdict]:
    seen: set[ast.ClassDef] = set()
    for call in program.calls:
        for hook in call.hooks:
            if hook.node not in seen:
                seen.add(hook.node)
                yield _rewrite(program, draft, hook)


def _rewrite(program: Program, draft: Draft, hook: HookClass) -> Verdict:
    name = hook.node.name
    if hook.problem is not None:
        node, reason = hook.problem
        assert isinstance(node, ast.expr | ast.stmt)
        return manual(node, reason, "Rewrite the hook as a Keras callback by hand, or take it out.")
    for use in program.module.names.uses(name, program.module.names.scope_of(hook.node)):
        if not _is_own_super(program.module.names, hook, use) and not _is_made_for_training(program, draft, use):
            return manual(
                use,
                f"`{name}` is used here too, where it must stay a SessionRunHook",
                "Give the Estimator program a hook class of its own.",
            )
    span = program.module.span
    draft.edits.append(ReplaceExpression(span(hook.base), f"{draft.tf}.keras.callbacks.Callback"))
    for method_name, method in hook.methods.items():
        new_name, parameters = _CALLBACK_METHODS[method_name]
        own = method.args.args[0].arg
        draft.edits.append(Redefine(span(method), new_name, ", ".join((own, *parameters))))
    for stop in hook.stops:
        method = next(m for m in hook.methods.values() if stop in ast.walk(m))
        draft.edits.append(
            ReplaceStatement(span(stop), (Part(f"{method.args.args[0].arg}.model.stop_training = True"),))
        )
    initializer = hook.initializer
    if initializer is not None and not _calls_super(initializer):
        draft.edits.append(InsertFirst(span(initializer), "super().__init__()"))
    return exact(hook.base, f"the hook `{name}` becomes a Keras callback")


def _is_made_for_training(program: Program, draft: Draft, use: ast.Name) -> bool:
    call = program.module.names.parent(use)
    return isinstance(call, ast.Call) and call.func is use and _reaches_training(program.module.names, draft, call)


def _reaches_training(names: Names, draft: Draft, value: ast.expr) -> bool:
    """Whether a hook, or a list of hooks, is given to rewritten train calls and to nothing else."""
    calls = (call for other in draft.all for call in other.program.calls)
    if any(value in ast.walk(call.arguments["hooks"]) for call in calls if "hooks" in call.arguments):
        return True
    parent = names.parent(value)
    if isinstance(parent, ast.List | ast.Tuple):
        return _reaches_training(names, draft, parent)
    if not isinstance(parent, ast.Assign) or len(parent.targets) != 1 or len(names.bound(parent.targets[0])) != 1:
        return False
    uses = names.reads_of(parent.targets[0])
    if any(use in ast.walk(parent) for use in uses):  # made from itself
        return False
    return all(_is_attribute(names, use) or _reaches_training(names, draft, use) for use in uses)


def _is_attribute(names: Names, use: ast.Name) -> bool:
    """Whether a hook is asked for an attribute that a callback still has."""
    parent = names.parent(use)
    return isinstance(parent, ast.Attribute) and parent.attr not in {*HOOK_METHODS, *TAKEN_BY_CALLBACK}


def _is_own_super(names: Names, hook: HookClass, use: ast.Name) -> bool:
    """Whether a class names itself in ``super(X, self)``."""
    call = names.parent(use)
    is_super = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "super"
    return is_super and hook.node in names.ancestors(use)


def _calls_super(initializer: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "__init__" for node in ast.walk(initializer))
