"""The lines that a user can write where a resumption by hand is not rewritten."""

import ast
from collections.abc import Sequence

from migrate.analysis.checkpoints import Checkpoints
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.hand_loops import hand_loop
from migrate.analysis.resume.held_by_loop import held_of
from migrate.analysis.resume.own_loads import OwnLoad, turn_of
from migrate.analysis.resume.reach import FunctionNode, Reach
from migrate.analysis.resume.trained_in_loop import TrainedInLoop, trained_in_loop
from migrate.analysis.scopes import Scope
from migrate.analysis.trainings import Fit, is_on_workers, library_of_ranks, rank_asked
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings

_RANGES = ("range", "trange", "arange")
_OVER = "a start resumes after the last epoch, and loads what it saved over what the program has loaded"
_TOTAL = "`epochs` is the total over all starts"
_DIRECTORY = "DIRECTORY outlives the start, and each {one} has one of its own."
_WHOLE = 'Load the old files only where `{tf}.train.latest_checkpoint("DIRECTORY")` is None: a kill can cut them short.'
_MODELS = ("(Model)", "keras.Model)", "models.Model)")
_BUILT = (
    " Where the model is of a class of its own, call it once before: Keras 3 restores none that is not built, and says"
    " nothing."
)


def lines(reach: Reach, settings: Settings, vocabulary: Vocabulary, fit: Fit) -> str:
    """The lines that the user can write."""
    module = reach.module
    turn, loops = turn_of(reach, fit.call, is_led=True)
    if loops and (turn is fit.call or _held(module, loops[-1], trained_in_loop(reach, loops[-1]))):
        return loop_lines(reach, settings, vocabulary, OwnLoad(turn, None, module, turn))
    if not is_on_workers(module) and settings.recovery != "backup-and-restore":
        return manager_lines(reach, settings, vocabulary, fit.call)
    model, tf = module.source.text(fit.receiver), vocabulary.tf
    backup = f'backup = {tf}.keras.callbacks.BackupAndRestore("DIRECTORY", delete_checkpoint=False)'
    written = _above(module, vocabulary, fit.call, [backup])
    return (
        f"{written}, and `{model}.fit(..., callbacks=[backup, ...])`: {_OVER}. {_DIRECTORY.format(one='call of fit')}"
    )


def further_lines(reach: Reach, settings: Settings, vocabulary: Vocabulary, fit: Fit) -> str:
    """The lines for a program that each start trains further: one that ended leaves nothing to resume."""
    module = reach.module
    if turn_of(reach, fit.call, is_led=True)[1]:
        return lines(reach, settings, vocabulary, fit)
    backup = f'backup = {vocabulary.tf}.keras.callbacks.BackupAndRestore("DIRECTORY")'
    written = _above(module, vocabulary, fit.call, [backup])
    return (
        f"{written}, and `{ast.unparse(fit.receiver)}.fit(..., callbacks=[backup, ...])`: an interrupted start resumes"
        f" after its last epoch, and one after a finished start trains further. {_DIRECTORY.format(one='call of fit')}"
    )


def manager_lines(reach: Reach, settings: Settings, vocabulary: Vocabulary, training: ast.Call) -> str:
    """The lines for one call of ``fit``."""
    assert isinstance(training.func, ast.Attribute)
    module, tf = reach.module, vocabulary.tf
    state, manager, save = _free(module, training, "state", "manager", "save_epoch")
    model = module.source.text(training.func.value)
    asked = rank_asked(module.names)
    rank = module.source.text(asked) if asked is not None else "hvd.rank()"
    first = f"*([{save}] if {rank} == 0 else [])" if library_of_ranks(module) else save
    held = f"model={model}, " + (f"optimizer={model}.optimizer, " if _has_optimizer(reach, training.func.value) else "")
    written = (
        *_made(tf, state, manager, held),
        f"{save} = {tf}.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs:"
        f" ({state}.epoch.assign(epoch + 1), {manager}.save()))",
    )
    called = name_of(training.func).replace("fit_generator", "fit")  # which takes what it took, also on Keras 3
    begun = next((one.value for one in training.keywords if one.arg == "initial_epoch"), None)
    otherwise = "" if begun is None else f" if {manager}.latest_checkpoint else {module.source.text(begun)}"
    fit = f"{model}.{called}(..., initial_epoch=int({state}.epoch.numpy()){otherwise}, callbacks=[{first}, ...])"
    return (
        f"{_above(module, vocabulary, training, written)}, and there `{fit}`: {_OVER}; {_TOTAL}."
        f" {_WHOLE.format(tf=tf)} {_DIRECTORY.format(one='call of fit')}{_built(reach, settings)}"
    )


def loop_lines(reach: Reach, settings: Settings, vocabulary: Vocabulary, own: OwnLoad) -> str:
    """The lines for a loop that trains and saves."""
    module, tf = reach.module, vocabulary.tf
    loop = _outermost(module, own.training) or own.loop
    trained = trained_in_loop(reach, loop) if loop is not None else TrainedInLoop()
    held = _held(module, loop, trained) if loop is not None else _trained_at(module, own.training)
    beside = _own_checkpoint(module, own.training)
    held = held if beside in held.values() or not beside else {"checkpoint": beside, **held}
    text = "".join(
        f"{name}={value}, " for name, value in (held or {"model": "MODEL", "optimizer": "OPTIMIZER"}).items()
    )
    state, manager, epoch = _free(module, loop or own.training, "state", "manager", "epoch")
    begun = f"int({state}.epoch.numpy())"
    written, turns, end, note = list(_made(tf, state, manager, text)), f"begin it at `{begun}`", f"{epoch} + 1", _TURNS
    if isinstance(loop, ast.For):
        head, end, note = _for(module, loop, begun, f"{manager}.latest_checkpoint", epoch)
        turns = f"make that line `{head}`"
        written = ["import itertools", *written] if "itertools." in head else written
    elif loop is not None:
        found = hand_loop(reach, own.training)
        counter = found.counter.name if found is not None and found.counter is not None else ""
        if counter:
            written.append(f"{counter} = {begun} if {manager}.latest_checkpoint else {counter}")
        turns, end, note = "", counter, ""
    count = f"`{state}.epoch.assign({end})` and " if end else ""
    place = _above(module, vocabulary, loop or own.training, written, "the loop that leads to " if loop is None else "")
    then, rare = ", ".join(part for part in (place, turns) if part), _interval(module, list(trained.saves), loop)
    return (
        f"{then}, and write {count}`{manager}.save()` at the end of its turns{rare}."
        f"{note} {_WHOLE.format(tf=tf)} {_DIRECTORY.format(one='run of the loop')}"
        + ("" if held else " MODEL and OPTIMIZER stand for what the loop trains.")
        + (f" What line {trained.unseen} trains has to be in the checkpoint too." if held and trained.unseen else "")
        + _built(reach, settings)
    )


_TURNS = " Its turns are the total over all starts."


def _above(module: Module, vocabulary: Vocabulary, place: ast.AST, written: Sequence[str], what: str = "") -> str:
    """Where some lines go, with the import that they need."""
    tf = vocabulary.tf
    imports = (
        [] if tf in module.names.top.bindings else [f"import tensorflow{'' if tf == 'tensorflow' else f' as {tf}'}"]
    )
    line = module.names.statement_of(place).lineno
    return f"Above {what}line {line} write " + ", ".join(f"`{one}`" for one in [*imports, *written])


def _made(tf: str, state: str, manager: str, held: str) -> tuple[str, str, str]:
    # The slots of an optimizer are restored when its first step makes them: building it before, with the variables
    # that are trainable then, would leave out those of a model that is frozen in another, or is not built yet.
    return (
        f"{state} = {tf}.train.Checkpoint({held}epoch={tf}.Variable(0))",
        f'{manager} = {tf}.train.CheckpointManager({state}, "DIRECTORY", max_to_keep=2)',
        f"{manager}.restore_or_initialize()",
    )


def _for(module: Module, loop: ast.For, begun: str, restored: str, epoch: str) -> tuple[str, str, str]:
    """The head of a ``for`` that goes on, the number that is saved at the end of a turn, and what is told of it."""
    text, target = module.source.text, loop.target
    calls = [node for node in ast.walk(loop.iter) if isinstance(node, ast.Call)]
    ranges = [one for one in calls if name_of(one.func) in _RANGES and one.args and not one.keywords]
    if len(ranges) != 1 or not isinstance(target, ast.Name) or any(name_of(one.func) == "enumerate" for one in calls):
        count = begun.removeprefix("int(").removesuffix(".numpy())")
        return f"for {text(target)} in itertools.islice({text(loop.iter)}, {begun}, None):", f"{count} + 1", _TURNS
    found = ranges[0]
    step = text(found.args[2]) if len(found.args) > 2 else "1"
    first = text(found.args[0]) if len(found.args) > 1 else ""
    rest = [text(one) for one in (found.args[1:] if first else found.args)]
    given = f"{begun} if {restored} else {first}" if first else begun
    anew = f"{text(found.func)}({', '.join([given, *rest])})"
    name = epoch if target.id == "_" else target.id
    head = f"for {name} in {text(loop.iter).replace(text(found), anew)}:"
    is_new = not first or isinstance(found.args[0], ast.Constant)
    return head, f"{name} + {step}", _TURNS if is_new else ""


def _interval(module: Module, saves: Sequence[ast.Call], loop: ast.AST | None) -> str:
    """The test under which the loop saves each so many turns, as a sentence's part; "" where it saves otherwise."""
    tests = [_test(module, save, loop) for save in saves]
    if not tests or None in tests:
        return ""
    text = module.source.text(tests[0])  # type: ignore[arg-type]
    return f", under `if {text}:` as line {saves[0].lineno} has it"


def _test(module: Module, save: ast.Call, loop: ast.AST | None) -> ast.expr | None:
    child: ast.AST = save
    for node in module.names.ancestors(save):
        if node is loop or isinstance(node, ast.For | ast.While | FunctionNode):
            return None
        counts = isinstance(node, ast.If) and any(isinstance(one, ast.Mod) for one in ast.walk(node.test))
        if counts and isinstance(node, ast.If):
            return node.test if child in node.body else None
        child = node
    return None


def _held(module: Module, loop: ast.For | ast.While, trained: TrainedInLoop) -> dict[str, str]:
    """What the checkpoint holds, as far as the loop's place knows it by a name."""
    found = held_of(Checkpoints(module), trained, loop)
    return {name: text for name, text in found.items() if "[" not in text}


def _own_checkpoint(module: Module, save: ast.Call) -> str:
    """The checkpoint of the program's own that saves, which may hold more, the place in the data; "" for none."""
    if not isinstance(save.func, ast.Attribute) or save.func.attr not in ("save", "write"):
        return ""
    own = module.source.text(save.func.value)
    restores = (one.func for one in module.names.nodes(ast.Call) if name_of(one.func) == "restore")
    is_one = any(isinstance(one, ast.Attribute) and module.source.text(one.value) == own for one in restores)
    return own if is_one else ""


def _has_optimizer(reach: Reach, model: ast.expr) -> bool:
    """Whether ``compile`` gives a model its ``optimizer``; one of a class that keeps its own is held with them."""
    made = reach.module.names.value(model)
    owners = reach.classes(name_of(made.func)) if isinstance(made, ast.Call) else []
    own = (one for owner in owners for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "compile")
    for one in own:
        takes = any(argument.arg == "optimizer" for argument in [*one.args.args, *one.args.kwonlyargs])
        passed = (node for node in ast.walk(one) if isinstance(node, ast.Call) and name_of(node.func) == "compile")
        given = ("optimizer",) if takes else ("optimizer", None)  # **kwargs
        if not any(call.args or any(keyword.arg in given for keyword in call.keywords) for call in passed):
            return False
    return True


def _trained_at(module: Module, training: ast.Call) -> dict[str, str]:
    model = module.source.text(training.func.value) if isinstance(training.func, ast.Attribute) else ""
    return {"model": model, "optimizer": f"{model}.optimizer"} if model else {}


def _outermost(module: Module, place: ast.AST) -> ast.For | ast.While | None:
    """The outermost loop around a place within its function."""
    scope = module.names.scope_of(place)
    around = [one for one in (place, *module.names.ancestors(place)) if isinstance(one, ast.For | ast.While)]
    return next((one for one in reversed(around) if module.names.scope_of(one) is scope), None)


def _free(module: Module, place: ast.AST, *wanted: str) -> list[str]:
    """Names for what the lines make, each of which stands for nothing yet."""
    scope: Scope = module.names.scope_of(place)
    numbered = ([name, *(f"{name}_{number}" for number in range(2, 9))] for name in wanted)
    return [next(one for one in names if not module.names.is_seen_from(scope, one)) for names in numbered]


def _built(reach: Reach, settings: Settings) -> str:
    return _BUILT if settings.target != "keras2" and reach.holds(*_MODELS) else ""
