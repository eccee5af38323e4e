"""FT106 · model_dir, of the estimator or of its RunConfig

The directory of the checkpoints. The estimator's own argument comes first, then the RunConfig's; without either the
Estimator makes a temporary directory. A flag that is required, or has a text for its default, names one always.

Instead: the directory of the ``CheckpointManager``; with ``--recovery backup-and-restore`` a directory ``backup`` in
it, because Keras 3 removes the whole backup directory at the end of a successful ``fit``.

Fidelity: exact. A Keras model rejects the Estimator's own checkpoints in an old ``model_dir`` at the start and never
trains over them: ``CheckpointRecovery`` names the command that converts them, and ``refuse_old_job`` runs before
``BackupAndRestore``, which can resume from none.

See: tf.estimator.Estimator, tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.analysis.values.required_flags import is_given_flag
from migrate.rewrite.draft import Draft
from migrate.rewrite.precedence import OR
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT106",
    "exact",
    Example('RunConfig(model_dir="/tmp/m")', '"/tmp/m",'),
    Example("RunConfig(model_dir=args.model_dir)", "model_dir = args.model_dir or tempfile.mkdtemp()"),
    Example("RunConfig()", "model_dir = tempfile.mkdtemp()"),
    Example('RunConfig(model_dir=args.get("dir"))', 'model_dir = args.get("dir") or tempfile.mkdtemp()'),
    is_setting=True,
)
def model_dir(program: Program, draft: Draft) -> Iterator[Verdict]:
    own, of_config = program.arguments.get("model_dir"), program.config.settings.get("model_dir")
    if not is_none(own) and not is_none(of_config) and ast.dump(own or of_config) != ast.dump(of_config or own):  # type: ignore[arg-type]
        assert of_config is not None
        yield manual(
            of_config,
            "the RunConfig and the estimator name different directories, which the Estimator allows only when equal",
            "Give model_dir in one place.",
        )
        return
    given = own if not is_none(own) else of_config
    tempfile = f"{draft.vocabulary.standard('tempfile')}.mkdtemp()" if _may_be_none(program.module, given) else ""
    if given is None or is_none(given):
        draft.model_dir = draft.fresh("model_dir")
        draft.before.append(f"{draft.model_dir} = {tempfile}")
    elif tempfile:
        draft.model_dir = draft.fresh("model_dir")
        draft.before.append(f"{draft.model_dir} = {draft.text(given, OR)} or {tempfile}")
    else:
        draft.model_dir = draft.repeatable(given, "model_dir")
    if of_config is not None and given is of_config:
        yield exact(of_config, "the checkpoint directory becomes the manager's", why=_old_jobs(draft))


def _old_jobs(draft: Draft) -> str:
    """What becomes of a job that the Estimator began in the directory."""
    how = "" if draft.uses_backup else ", with the command that converts it"
    return f"exact; an old model_dir that holds the Estimator's own checkpoints is rejected at the start{how}"


def _may_be_none(module: Module, value: ast.expr | None) -> bool:
    """Whether an expression is, or could be, None."""
    if isinstance(value, ast.Name):
        held = module.names.value(value)
        return isinstance(held, ast.Name) or _may_be_none(module, held)
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        return _may_be_none(module, value.values[-1])
    if value is not None and is_given_flag(module, value):
        return False
    if isinstance(value, ast.Constant):
        return value.value is None
    if isinstance(value, ast.Call):  # os.environ.get("X"), os.getenv("X")
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return called in ("get", "getenv")
    return not isinstance(value, ast.JoinedStr | ast.BinOp)
