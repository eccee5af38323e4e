"""FT152 · the checkpoint settings of a RunConfig, beside an estimator in object form

``save_checkpoints_steps``, ``save_checkpoints_secs``, ``keep_checkpoint_max``, ``keep_checkpoint_every_n_hours`` of a
``RunConfig`` say when an Estimator saves and what it keeps; the directory is the estimator's or the RunConfig's.

Instead: a ``tf.train.CheckpointManager`` at the estimator's call, ``checkpoints=ModelCheckpoints(directory, …)``, which
has them under the names of ``CheckpointManager``. ``ModelCheckpoints``, generated, is such a manager of a session's
variables under the Estimator's names, and saves by the clock too (``save_secs``; 600 where the RunConfig names neither
steps nor seconds). The rest of the RunConfig stays; one of which nothing is left is removed. What reads
``estimator.config``, or the ``config`` of a ``model_fn``, still finds the settings there.

So it is where the RunConfig is written out, every use of it is an estimator's ``config=``, also in other files, a
directory is named, and each moved expression has the same value at the estimator's call. A directory that is None as
the program runs is a new one, for the manager as for an Estimator. Elsewhere the RunConfig stays whole, the object
makes the same manager of it, and the finding tells the manager's settings.

Fidelity: exact.

See: tf.train.CheckpointManager, tf.estimator.RunConfig.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.constructors import parameters
from migrate.analysis.module import Module, Site
from migrate.analysis.movable import is_pure, why_not_movable
from migrate.analysis.run_config_reader import RUN_CONFIG_PARAMETERS
from migrate.analysis.values.uses import Hidden, uses
from migrate.analysis.values.values import Values
from migrate.edits.plan import InsertBefore, SetArgument
from migrate.rules.rule import Example, ObjectFile, Verdict, exact, file_rule

_MANAGER = {
    "keep_checkpoint_max": "max_to_keep",
    "save_checkpoints_steps": "checkpoint_interval",
    "save_checkpoints_secs": "save_secs",
    "keep_checkpoint_every_n_hours": "keep_checkpoint_every_n_hours",
}
"""What a ``CheckpointManager`` calls each setting, in the order of ``ModelCheckpoints``."""
_INTERVALS = ("save_checkpoints_steps", "save_checkpoints_secs")
_FIRST = ("model_fn", "model_dir", "config", "params")
_TAKING = {
    "estimator.Estimator": (*_FIRST, "warm_start_from"),
    "estimator.EstimatorV2": (*_FIRST, "warm_start_from"),
    "estimator.tpu.TPUEstimator": (*_FIRST, "use_tpu"),
}
_LONGEST = 30


class _Stays(Exception):
    """Why the settings stay in the RunConfig."""


@dataclass(frozen=True)
class _Taker:
    """An estimator that is given the RunConfig.

    Attributes:
      file: where it is made.
      call: its constructor's.
      arguments: the expressions given, by parameter name.
      directory: the expression of its directory.
      source: the file in which that stands.
      is_own: whether it is the estimator's argument, and not the RunConfig's.
    """

    file: ObjectFile
    call: ast.Call
    arguments: dict[str, ast.expr]
    directory: ast.expr
    source: ObjectFile
    is_own: bool


@file_rule(
    "FT152",
    "exact",
    Example(
        "RunConfig(save_checkpoints_steps=50)", 'ModelCheckpoints("/tmp/m", checkpoint_interval=50)', kind="custom"
    ),
    Example(
        "RunConfig(tf_random_seed=1, keep_checkpoint_max=3)",
        'checkpoints=ModelCheckpoints("/tmp/m", max_to_keep=3, save_secs=600)',
        kind="custom",
    ),
    Example("RunConfig(keep_checkpoint_max=3)", "Estimator(model_fn=model_fn, checkpoints=", kind="custom"),
    Example(
        "RunConfig(save_checkpoints_steps=args.n if args else 5)",
        "checkpoint_interval=args.n if args else 5",
        kind="custom",
    ),
    Example("RunConfig(save_checkpoints_secs=60); print(config)", "RunConfig(save_checkpoints_secs=60)", kind="custom"),
    Example(
        "RunConfig(save_checkpoints_steps=next(x))", "config = RunConfig(save_checkpoints_steps=next(x))", kind="custom"
    ),
    Example("RunConfig(save_checkpoints_steps=None)", "RunConfig(save_checkpoints_steps=None)", kind="custom"),
)
def visible_checkpoints(file: ObjectFile) -> Iterator[Verdict]:
    for site in file.module.sites:
        if site.kind != "run_config" or site.symbol.is_contrib_learn:
            continue
        try:
            manager = _moved(file, site)
        except _Stays as reason:
            yield _staying(file.module, site.node, str(reason))
        else:
            yield exact(
                site.node, f"its checkpoint settings become a tf.train.CheckpointManager: {manager}", file.module
            )


def _moved(file: ObjectFile, site: Site) -> str:
    """Moves the settings of a RunConfig to its estimators; the call that makes the manager.

    Raises:
      _Stays: they cannot be moved.
    """
    made, is_tpu = site.node, site.symbol.tail.startswith("estimator.tpu.")
    try:
        given = bind(made, () if is_tpu else RUN_CONFIG_PARAMETERS)
    except Unbindable as reason:
        raise _Stays(str(reason)) from reason
    moving = {name: value for name, value in given.items() if name in _MANAGER}
    if not moving:
        raise _Stays("")
    settings = _settings(file, moving)
    takers = [_taker(file, made, given, where, use) for where, use in _uses(file, made)]
    if not takers:
        raise _Stays("no estimator is seen to be given it")
    for taker in takers:
        for value in moving.values():
            _check_movable(file, value, taker)
        _check_movable(taker.source, taker.directory, taker)
    directory = given.get("model_dir")
    going = [*moving, *(["model_dir"] if directory is not None and not is_none(directory) else [])]
    is_empty = not is_tpu and set(going) == set(given) and all(map(_may_lose_config, takers))
    if made.args and not is_empty and made.args != [directory]:
        raise _Stays("it is given by position")
    text = ""
    for taker in takers:
        text = _write_manager(taker, settings, is_empty)
    if not is_empty:
        for name in going:
            _edit(file, made, name, None, 0 if name == "model_dir" and made.args else None)
    elif not any(taker.call in file.module.names.ancestors(made) for taker in takers):
        _remove(file, file.module.names.statement_of(made), takers)
    return text


def _settings(file: ObjectFile, moving: dict[str, ast.expr]) -> str:
    """The manager's arguments behind its directory.

    Raises:
      _Stays: the RunConfig turns saving off, or is rejected.
    """
    given = {name: value for name, value in moving.items() if name not in _INTERVALS or not is_none(value)}
    intervals = [given[name] for name in _INTERVALS if name in given]
    is_default = not any(name in moving for name in _INTERVALS)
    if len(intervals) > 1:
        raise _Stays("it names both steps and seconds")
    if not is_default and (not intervals or literal(intervals[0]) == 0):
        raise _Stays("it turns saving off")
    written = {_MANAGER[name]: file.module.source.text(value, file.renamed) for name, value in given.items()}
    if is_default:
        written["save_secs"] = "600"
    return "".join(f", {name}={written[name]}" for name in _MANAGER.values() if name in written)


def _uses(file: ObjectFile, made: ast.Call) -> list[tuple[ObjectFile, ast.expr]]:
    """Where a RunConfig is used, with the file.

    Raises:
      _Stays: not all of that is seen.
    """
    names, parent = file.module.names, file.module.names.parent(made)
    if not isinstance(parent, ast.Assign) or parent.value is not made:
        return [(file, made)]
    target = parent.targets[0]
    found = names.scope_of(target).lookup(target.id) if isinstance(target, ast.Name) else None
    if len(parent.targets) > 1 or not isinstance(target, ast.Name) or found is None or len(found[1]) != 1:
        raise _Stays("it is not kept in one variable of its own")
    if found[0] is not names.top:
        return [(file, use) for use in names.uses(target.id, found[0])]
    try:
        everywhere = uses(file.tree, file.module, target.id)
    except Hidden as reason:
        raise _Stays(str(reason)) from reason
    if any(where.path not in file.files for where, _ in everywhere):
        raise _Stays("a file that does not change uses it")
    return [(file.files[where.path], use) for where, use in everywhere]


def _taker(config: ObjectFile, made: ast.Call, given: dict[str, ast.expr], file: ObjectFile, use: ast.expr) -> _Taker:
    """The estimator behind a use of a RunConfig.

    Raises:
      _Stays: there is none, or its directory is not seen.
    """
    names, parent = file.module.names, file.module.names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) else parent
    site = next((one for one in file.module.sites if one.node is call and one.kind == "estimator"), None)
    known = _parameters(file, site) if site is not None else ()
    if site is None or not known:
        raise _Stays(f"it is used at line {use.lineno} otherwise than as an estimator's config")
    try:
        arguments = bind(site.node, known)
    except Unbindable as reason:
        raise _Stays(str(reason)) from reason
    if arguments.get("config") is not use or [end.node for end in Values(file.tree).ends(file.module, use)] != [made]:
        raise _Stays("its estimator may get another one")
    own, of_config = arguments.get("model_dir"), given.get("model_dir")
    if not is_none(own) and not is_none(of_config) and ast.dump(own or use) != ast.dump(of_config or use):
        raise _Stays("its estimator names another directory")
    directory, where = (own, file) if not is_none(own) else (of_config, config)
    if directory is None or is_none(directory):
        raise _Stays("it names no directory")
    return _Taker(file, site.node, arguments, directory, where, directory is own)


def _parameters(file: ObjectFile, site: Site) -> tuple[str, ...]:
    """The parameters of a constructor that takes ``checkpoints``; none of another one."""
    found = site.symbol
    if found.is_contrib_learn:
        return ()
    is_v1 = found.api == "v1" or (found.api == "tf" and file.is_tf1)
    return _TAKING.get(found.tail) or parameters(found.tail.rpartition(".")[2], is_v1=is_v1)


def _check_movable(file: ObjectFile, value: ast.expr, taker: _Taker) -> None:
    """Makes sure that an expression has the same value as an argument of the manager.

    Raises:
      _Stays: it may have another.
    """
    if all(isinstance(node, ast.Constant | ast.UnaryOp | ast.unaryop) for node in ast.walk(value)):
        return
    names = file.module.names
    shown = f"`{ast.unparse(value)[:_LONGEST]}`"
    if taker.file is not file:
        raise _Stays(f"{shown} is of another file")
    reason = why_not_movable(names, value, names.statement_of(taker.call))
    if reason is not None or not is_pure(names, value):
        raise _Stays(reason or f"{shown} would be evaluated at another time")


def _may_lose_config(taker: _Taker) -> bool:
    """Whether the estimator's config can be taken away: by position only the last argument can."""
    config = taker.arguments["config"]
    return config not in taker.call.args or taker.call.args[-1] is config


def _write_manager(taker: _Taker, settings: str, loses_config: bool) -> str:
    """Gives an estimator its manager, in the place of its directory where nothing stands behind it; the manager."""
    file, call = taker.file, taker.call
    directory = taker.source.module.source.text(taker.directory, taker.source.renamed)
    manager = f"{file.piece('ModelCheckpoints')}({directory}{settings})"
    last = len(call.args) - 1
    for name, goes in (("config", loses_config), ("model_dir", taker.is_own)):
        value = taker.arguments.get(name)
        at = call.args.index(value) if value in call.args else None
        if goes and at in (None, last):
            _edit(file, call, name, None, at)
            last -= at is not None
    _edit(file, call, "checkpoints", manager)
    return manager


def _edit(file: ObjectFile, call: ast.Call, name: str, value: str | None, position: int | None = None) -> None:
    file.edits.append(SetArgument(file.module.span(call), name, value, position, fits=True))


def _remove(file: ObjectFile, statement: ast.stmt, takers: Sequence[_Taker]) -> None:
    """Removes the statement of a RunConfig of which nothing is left; its comments go to an estimator of the file."""
    span = file.module.span(statement)
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    file.edits[:] = [one for one in file.edits if not start <= (one.span.line, one.span.column) <= end]
    file.delete(statement)
    heir = next((file.module.names.statement_of(one.call) for one in takers if one.file is file), None)
    if heir is not None:
        file.edits.append(InsertBefore(file.module.span(heir), "", (span,)))


def _staying(module: Module, made: ast.Call, reason: str) -> Verdict:
    """What is said of a RunConfig that keeps its settings: those of the manager that the object makes of it."""
    why = f": {reason}" if reason else ""
    return exact(made, f"in object form: stays where it is{why}; its object saves by {_told(module, made)}", module)


def _told(module: Module, made: ast.Call) -> str:
    """The manager of an object whose RunConfig stays, in words."""
    if made.args or any(keyword.arg is None for keyword in made.keywords):
        return "a tf.train.CheckpointManager with its settings"
    given = {keyword.arg: keyword.value for keyword in made.keywords}
    shown = {_MANAGER[name]: _short(module, given[name]) for name in _MANAGER if name in given}
    if not any(name in given for name in _INTERVALS):
        shown["save_secs"] = "600"
    shown = {"max_to_keep": "5", **shown}
    return f"a tf.train.CheckpointManager with {', '.join(f'{name}={value}' for name, value in shown.items())}"


def _short(module: Module, value: ast.expr) -> str:
    text = " ".join(module.source.text(value).split())
    return text if len(text) <= _LONGEST else "…"
