"""FT152 · the checkpoint settings of a RunConfig

``save_checkpoints_steps``, ``save_checkpoints_secs``, ``keep_checkpoint_max`` and ``keep_checkpoint_every_n_hours`` of
a ``RunConfig`` set when an Estimator saves and what it keeps. The directory is the estimator's or the RunConfig's.

Instead: a ``tf.train.CheckpointManager`` at the estimator's call, ``checkpoints=ModelCheckpoints(directory, …)``, which
has the settings under the names of ``CheckpointManager``. ``ModelCheckpoints`` is generated: a manager of a session's
variables, with the Estimator's names for them, that can also save by time (``save_secs``; 600 if the RunConfig sets
neither steps nor seconds). The other settings stay in the RunConfig; an empty one is removed. ``estimator.config`` and
the ``config`` of a ``model_fn`` still have all settings.

This is done where the RunConfig is written out, each use of it is an estimator's ``config=``, also in other files, a
directory is given, and each moved expression has the same value at the estimator's call. A directory that is None at
run time is a new one, for the manager as for an Estimator. Otherwise the RunConfig stays, the object makes the same
manager from it at run time, and the finding names the settings that the estimator receives, after any ``replace``, or
only "its settings" where they are not known.

As under an Estimator, ``keep_checkpoint_every_n_hours=None`` keeps every checkpoint that a process saves, and with
``keep_checkpoint_max`` of 0 or None the list of checkpoints has only the newest. ``model_to_estimator`` keeps five.

Fidelity: exact.

See: tf.train.CheckpointManager, tf.estimator.RunConfig.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from migrate.analysis.source.arguments import ArgumentComments, Unbindable, bind, comments_of_argument, is_none, literal
from migrate.analysis.source.constructors import RUN_CONFIG_PARAMETERS
from migrate.analysis.source.module import Site
from migrate.edits.plan import InsertBefore, SetArgument
from migrate.rules.rule import EstimatorFile, Example, Verdict, exact, file_rule
from migrate.rules.run_config.configured_estimators import (
    ConfiguredEstimator,
    NotMovable,
    check_movable,
    estimator_of_config,
    uses_of,
)
from migrate.rules.run_config.received_settings import INTERVALS, MANAGER_PARAMETERS, describe_kept_config


@file_rule(
    "FT152",
    "exact",
    Example(
        "RunConfig(save_checkpoints_steps=50)", 'ModelCheckpoints("/tmp/m", checkpoint_interval=50)', kind="custom"
    ),
    Example(
        "RunConfig(tf_random_seed=1, keep_checkpoint_max=3, keep_checkpoint_every_n_hours=2)",
        'checkpoints=ModelCheckpoints("/tmp/m", max_to_keep=3, save_secs=600, keep_checkpoint_every_n_hours=2)',
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
def visible_checkpoints(file: EstimatorFile) -> Iterator[Verdict]:
    for site in file.module.sites:
        if site.kind != "run_config" or site.symbol.is_contrib_learn:
            continue
        try:
            manager = _move_settings(file, site)
        except NotMovable as reason:
            yield describe_kept_config(file, site.node, str(reason))
        else:
            yield exact(
                site.node, f"its checkpoint settings become a tf.train.CheckpointManager: {manager}", file.module
            )


def _move_settings(file: EstimatorFile, site: Site) -> str:
    """Moves the settings of a RunConfig to its estimators; returns the manager's call, or raises NotMovable."""
    made, is_tpu = site.node, site.symbol.tail.startswith("estimator.tpu.")
    try:
        given = bind(made, () if is_tpu else RUN_CONFIG_PARAMETERS)
    except Unbindable as reason:
        raise NotMovable(str(reason)) from reason
    moving = {name: value for name, value in given.items() if name in MANAGER_PARAMETERS}
    if not moving:
        raise NotMovable("")
    settings = _settings(file, made, moving)
    estimators = [estimator_of_config(file, made, given, where, use) for where, use in uses_of(file, made)]
    if not estimators:
        raise NotMovable("no estimator is known to get it")
    for estimator in estimators:
        for value in moving.values():
            check_movable(file, value, estimator)
        check_movable(estimator.source, estimator.directory, estimator)
    directory = given.get("model_dir")
    moved = [*moving, *(["model_dir"] if directory is not None and not is_none(directory) else [])]
    is_last = all(one.arguments["config"] not in one.call.args[:-1] for one in estimators)  # or given by its name
    is_empty = not is_tpu and set(moved) == set(given) and is_last
    if made.args and not is_empty and made.args != [directory]:
        raise NotMovable("it is given by position")
    text = ""
    for estimator in estimators:
        text = _write_manager(estimator, file, made, settings, is_empty)
    if not is_empty:
        for name in moved:
            _set_argument(file, made, name, None, 0 if name == "model_dir" and made.args else None)
    elif not any(estimator.call in file.module.names.ancestors(made) for estimator in estimators):
        _remove(file, file.module.names.statement_of(made), estimators)
    return text


class _Argument(NamedTuple):
    """An argument of the manager, and its comments in the RunConfig or in the estimator's call."""

    text: str
    comments: ArgumentComments = ArgumentComments()


def _settings(file: EstimatorFile, config: ast.Call, moving: dict[str, ast.expr]) -> list[_Argument]:
    """Returns the manager's arguments after the directory; raises NotMovable where the RunConfig turns saving off."""
    given = {name: value for name, value in moving.items() if name not in INTERVALS or not is_none(value)}
    intervals = [given[name] for name in INTERVALS if name in given]
    is_default = not any(name in moving for name in INTERVALS)
    if len(intervals) > 1:
        raise NotMovable("it names both steps and seconds")
    if not is_default and (not intervals or literal(intervals[0]) == 0):
        raise NotMovable("it turns saving off")
    source, found = file.module.source, dict[str, _Argument]()
    for name, value in given.items():
        text = f"{MANAGER_PARAMETERS[name]}={source.text(value, file.renamed)}"
        found[MANAGER_PARAMETERS[name]] = _Argument(text, comments_of_argument(source, config, value))
    if is_default:
        found["save_secs"] = _Argument("save_secs=600")
    return [found[name] for name in MANAGER_PARAMETERS.values() if name in found]


def _directory(estimator: ConfiguredEstimator, file: EstimatorFile, config: ast.Call) -> _Argument:
    """Returns the manager's directory, with the comments of the argument that moves there."""
    source, value = estimator.source.module.source, estimator.directory
    text, comments = source.text(value, estimator.source.renamed), ArgumentComments()
    for where, call in ((estimator.file, estimator.call), (file, config)):
        if where is estimator.source and value in (*call.args, *(keyword.value for keyword in call.keywords)):
            comments = comments_of_argument(source, call, value)
    return _Argument(text, comments)


def _write_manager(
    estimator: ConfiguredEstimator,
    source: EstimatorFile,
    config: ast.Call,
    settings: list[_Argument],
    loses_config: bool,
) -> str:
    """Adds the manager to an estimator's call, in place of its directory if possible; returns its source."""
    file, call = estimator.file, estimator.call
    arguments = [_directory(estimator, source, config), *settings]
    name, inside = file.runtime_name("ModelCheckpoints"), ", ".join(one.text for one in arguments)
    manager = written = f"{name}({inside})"
    if any(any(one.comments) for one in arguments):
        lines = [one.comments.attach_to(one.text) for one in arguments]
        written = "\n".join([f"{name}(", *lines, ")"])
    last = len(call.args) - 1
    for name, is_removed in (("config", loses_config), ("model_dir", estimator.is_own)):
        value = estimator.arguments.get(name)
        at = call.args.index(value) if value in call.args else None
        if is_removed and at in (None, last):
            _set_argument(file, call, name, None, at)
            last -= at is not None
    _set_argument(file, call, "checkpoints", written)
    return manager


def _set_argument(file: EstimatorFile, call: ast.Call, name: str, value: str | None, at: int | None = None) -> None:
    file.edits.append(SetArgument(file.module.span(call), name, value, at, fits=True))


def _remove(file: EstimatorFile, statement: ast.stmt, estimators: Sequence[ConfiguredEstimator]) -> None:
    """Removes the statement of an empty RunConfig; its comments move to an estimator of the file."""
    span = file.module.span(statement)
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    file.edits[:] = [one for one in file.edits if not start <= (one.span.line, one.span.column) <= end]
    file.delete(statement)
    heir = next((file.module.names.statement_of(one.call) for one in estimators if one.file is file), None)
    if heir is not None:
        file.edits.append(InsertBefore(file.module.span(heir), "", (span,)))
