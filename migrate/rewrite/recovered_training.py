"""Makes a training recover by one changed line: it wraps the callbacks, or the range of the loop."""

import ast
import posixpath
import re

from migrate.analysis.calls.branches import is_bound_at
from migrate.analysis.calls.reach import Reach
from migrate.analysis.keras.trainings import Fit
from migrate.analysis.resume.carried_values import turns_of
from migrate.analysis.resume.loads_before import Load
from migrate.analysis.resume.model_saves import ModelSaves, path_argument
from migrate.analysis.resume.trained_loops import TrainedLoop
from migrate.analysis.source.arguments import is_none
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import root_of, walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import template
from migrate.edits.plan import Edit, LoopOver, ReplaceExpression, SetArgument
from migrate.records import dataclass, field
from migrate.rewrite.loop_directory import loop_directory, python_string
from migrate.rewrite.vocabulary import Vocabulary

OWN_CODE = "Nothing changes: the program resumes by its own code alone."
_NO_NAME = re.compile(r"\W+")
_PLACES = {"fit": 5, "fit_generator": 4}
"""The index of the parameter ``callbacks``."""


@dataclass
class RecoveredTraining:
    """The edits that make a training recover.

    Attributes:
      runtime_names: the runtime names that the new code uses.
      problem: why there are no edits, as a part of a sentence; "" where there are.
      help: what the user should do then.
    """

    edits: tuple[Edit, ...] = ()
    runtime_names: frozenset[str] = field(default_factory=frozenset)
    problem: str = ""
    help: str = ""


def recovered_fit(reach: Reach, vocabulary: Vocabulary, fit: Fit, name: str) -> RecoveredTraining:
    """Wraps the callbacks of a ``fit``.

    Args:
      name: distinguishes it from the other trainings of the file; "" for the first.
    """
    module, call = reach.module, fit.call
    given, callback = fit.arguments.get("callbacks"), vocabulary.runtime_name("BackupAndRestore")
    more = f", name={python_string(name)}" if name else ""
    if given is not None and not is_none(given):
        edit: Edit = ReplaceExpression(module.span(given), f"{callback}.beside({module.source.text(given)}{more})")
    else:
        saved = _path_saved_after(module, reach.search(ModelSaves), fit)
        text = f"{callback}.beside([]{f', saved={saved}' if saved else ''}{more})"
        edit = SetArgument(module.span(call), "callbacks", text, _PLACES[name_of(call.func)])
    return RecoveredTraining((edit,), frozenset({"BackupAndRestore"}))


def keras_backup(reach: Reach, vocabulary: Vocabulary, fit: Fit, name: str, is_keras3: bool) -> RecoveredTraining:
    """Like ``recovered_fit``, with Keras' own callback; only that of Keras 3 can keep two copies of its file."""
    module, call = reach.module, fit.call
    saves = [one for one in reach.search(ModelSaves).calls if name_of(one.func).endswith("ModelCheckpoint")]
    texts = [text for one in saves for parts in reach.search(ModelSaves).paths(one) for text in sorted(parts.spelled)]
    folders = [posixpath.dirname(one) for one in texts if "{}" not in posixpath.dirname(one)]
    directory = posixpath.join(*folders[:1], f"backup_{name}" if name else "backup")
    more = ", double_checkpoint=True" if is_keras3 else ""
    backup = f"{vocabulary.tf}.keras.callbacks.BackupAndRestore({python_string(directory)}{more})"
    given = fit.arguments.get("callbacks")
    if given is None or is_none(given):
        return RecoveredTraining(
            (SetArgument(module.span(call), "callbacks", f"[{backup}]", _PLACES[name_of(call.func)]),)
        )
    text = module.source.text(given)
    if isinstance(given, ast.List):
        listed = [module.source.text(one) for one in given.elts]
        return RecoveredTraining((ReplaceExpression(module.span(given), f"[{', '.join([*listed, backup])}]"),))
    return RecoveredTraining((ReplaceExpression(module.span(given), f"[{'' if fit.is_one else '*'}{text}, {backup}]"),))


def recovered_loop(reach: Reach, vocabulary: Vocabulary, training: TrainedLoop, load: Load) -> RecoveredTraining:
    """Wraps the range of a custom training loop, given the load of the model before it."""
    module, text = reach.module, reach.module.source.text
    directory = loop_directory(reach, training, load)
    models = [one for one in training.models if one not in training.optimizers]
    optimizers = [one for one in training.optimizers if one.removesuffix(".optimizer") not in models]
    problem = ""
    if training.unseen or not models:
        problem = f"line {training.unseen or training.loop.lineno} trains an object that has no name at the loop"
    elif not (turns := _turns(module, training)):
        problem = "no range counts its turns"
    elif line := _line_of_own_count(module, training):
        return RecoveredTraining(problem=f"line {line} continues the count of an earlier start", help=OWN_CODE)
    elif training.carried.problem:
        return RecoveredTraining(problem=training.carried.problem, help=OWN_CODE)
    elif unset := training.carried.unset:
        help = f"Give `{unset[0]}` a value above the loop, then run the tool again."
        return RecoveredTraining(
            problem=f"line {unset[1]} reads `{unset[0]}`, which a resumed start may not set", help=help
        )
    if problem:
        return RecoveredTraining(problem=problem, help=_manual_advice(vocabulary, training, models, optimizers))
    given = [turns, directory, *models]
    given += [f"optimizers=[{', '.join(optimizers)}]"] if optimizers else []
    carried = [*training.carried.assigned]
    given += [f"carried=lambda: ({', '.join(carried)}{',' * (len(carried) == 1)})"] if carried else []
    wrapped = f"{vocabulary.runtime_name('recovered')}({', '.join(given)})"
    if training.turns is None or not isinstance(training.loop, ast.For):
        edits: list[Edit] = [LoopOver(module.span(training.loop), ", ".join(["_", *carried]), wrapped)]
    else:
        target = training.loop.target
        edits = [ReplaceExpression(module.span(training.turns), wrapped)]
        edits += [ReplaceExpression(module.span(target), ", ".join([text(target), *carried]))] if carried else []
    return RecoveredTraining(tuple(edits), frozenset({"recovered"}))


def _turns(module: Module, training: TrainedLoop) -> str:
    """Returns the range of a loop as source, or a function of the test of a ``while``; "" for another loop."""
    if training.turns is not None:
        return module.source.text(training.turns)
    test = training.loop.test if isinstance(training.loop, ast.While) else None
    is_other = test is None or any(isinstance(one, ast.NamedExpr | ast.Await) for one in walk(test))
    return "" if test is None or is_other else f"lambda: {module.source.text(test)}"


def _line_of_own_count(module: Module, training: TrainedLoop) -> int:
    """Returns the line that adds what is known above the loop to the number of a turn; 0 for none."""
    counted, loop = turns_of(training.loop), training.loop
    inside = {part.id for part in walk(loop) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    bounds = {*map(ast.unparse, training.turns.args if training.turns is not None else ())}
    for node in (one for one in walk(loop) if isinstance(one, ast.BinOp)):
        sides = _added(node)
        if counted.isdisjoint(map(ast.unparse, sides)) or isinstance(module.names.parent(node), ast.Slice):
            continue
        others = [one for one in sides if ast.unparse(one) not in counted | bounds]
        read = [{part.id for part in walk(one) if isinstance(part, ast.Name)} for one in others]
        if any(names and names.isdisjoint(inside) for names in read):
            return node.lineno
    return 0


def _added(node: ast.expr) -> list[ast.expr]:
    """Returns the terms of a sum."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_added(node.left), *_added(node.right)]
    return [node]


def _manual_advice(vocabulary: Vocabulary, training: TrainedLoop, models: list[str], optimizers: list[str]) -> str:
    """Returns the advice to make a loop recover by hand."""
    tf = vocabulary.tf
    compiled = [f"{one}.optimizer" for one in models] if not optimizers else []
    named = dict.fromkeys([*models, *compiled, *optimizers])
    held = [f"{_NO_NAME.sub('_', one.removeprefix('self.')).strip('_')}={one}" for one in named] or ["model=MODEL"]
    made = (
        f"state = {tf}.train.Checkpoint({', '.join(held)}, turn={tf}.Variable(0))",
        f'manager = {tf}.train.CheckpointManager(state, "DIRECTORY", max_to_keep=2)',
        "manager.restore_or_initialize()",
    )
    above = ", ".join(f"`{one}`" for one in made)
    unseen = f"; what line {training.unseen} trains has to be in it too" if training.unseen else ""
    return (
        f"Above line {training.loop.lineno} build each optimizer by `OPTIMIZER.build(MODEL.trainable_variables)`, and"
        f" write {above}{unseen}. At the end of each turn write `state.turn.assign_add(1)` and `manager.save()`; where"
        " a turn is one batch, give the manager `step_counter=state.turn, checkpoint_interval=1000`. A start that finds"
        " DIRECTORY continues from `int(state.turn)`. Remove DIRECTORY when the loop has ended."
    )


def _path_saved_after(module: Module, saves: ModelSaves, fit: Fit) -> str:
    """Returns the path that the program saves after a training, as source; "" where it is not known at the training."""
    names, scope = module.names, module.names.scope_of(fit.call)
    for call in saves.calls:
        path = path_argument(call)
        is_later = saves.reach.module_of(call) is module and call.lineno > fit.call.lineno
        if path is None or not is_later or names.scope_of(call) is not scope or name_of(call.func) == "ModelCheckpoint":
            continue
        if isinstance(path, ast.Constant) and isinstance(path.value, str):
            return module.source.text(path)
        if not isinstance(path, ast.Name | ast.Attribute):
            known = template(names, path, into_parameters=False)
            if known is not None and "⟨" not in known and "{" not in known:
                return python_string(known)
            continue
        root = root_of(path)
        bound, text = names.bindings(root), module.source.text(path)
        stores = [one for one in names.stores if names.scope_of(one) is scope and ast.unparse(one) == text]
        is_above = all(getattr(n, "lineno", 0) < fit.call.lineno for n in [*(one.node for one in bound), *stores])
        if bound and is_above and isinstance(root, ast.Name) and is_bound_at(names, root, fit.call):
            return text
    return ""
