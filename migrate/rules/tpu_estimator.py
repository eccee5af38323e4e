"""FT149 · tf.estimator.tpu.TPUEstimator, used on CPU or GPU

An Estimator for TPUs that most programs run on CPU or GPU, with ``use_tpu=False``. It then is an ``Estimator`` that
adds ``batch_size`` to ``params``, and takes ``TPUEstimatorSpec`` with ``eval_metrics`` and ``scaffold_fn``.

Instead: what is written for ``Estimator(model_fn, …)``, with ``params`` that hold the batch size of each mode.
``TPUEstimatorSpec`` is generated; ``CrossShardOptimizer`` stays, from ``tf.compat.v1.tpu``. Where ``use_tpu`` is not
seen to be false, a check at the start says that the program no longer runs on a TPU. Where the estimator or its config
is passed to other code, the program is written in object form (FT151).

Fidelity: noted. Off a TPU ``TPUConfig`` settles nothing but the interval of the log: saves come every
``save_checkpoints_steps``, whatever ``iterations_per_loop`` is. The loss is logged too, ``examples/sec`` is not, and an
export has no second graph for TPUs. ``master`` and ``cluster`` go: the program trains on this machine. A ``host_call``
runs in every step, as it did off TPUs, and the training comes back to Python after each; the global step that it reads
is that after the update, where it was either. ``embedding_config_spec`` blocks the program, and so does
``use_tpu=True``, which is the default.

See: tf.compat.v1.estimator.tpu.TPUEstimator.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.run_config_reader import TPU_PARAMETERS
from migrate.rewrite.draft import Draft
from migrate.rules.rule import TPU, Example, Verdict, manual, noted, rule

_HELP = "Make it a tf.estimator.Estimator, where TPUs are not used, then migrate again."
_REFUSED = "This program no longer runs on a TPU: use_tpu must be false."


@rule(
    "FT149",
    "noted",
    Example("use_tpu=False", "training = ModelFnTraining(", "estimator", kind="tpu"),
    Example("use_tpu=args.use_tpu", "if args.use_tpu:\n        raise ValueError(", "estimator", kind="tpu"),
    Example(
        "use_tpu=False, train_batch_size=args.size", 'train_params = {"batch_size": args.size}', "estimator", kind="tpu"
    ),
    Example(
        "use_tpu=False, eval_batch_size=8, params={'rate': 1}",
        'eval_params = {**params, "batch_size": 8}',
        "estimator",
        kind="tpu",
    ),
    Example(
        "use_tpu=False, eval_batch_size=8, params=tf.contrib.training.HParams(rate=1)",
        "eval_params = with_values(params, batch_size=8)",
        "estimator",
        kind="tpu",
    ),
    Example("RunConfig(cluster=args.cluster, tpu_config=TPUConfig(100))", "save_secs=600", "config", kind="tpu"),
    Example("use_tpu=True", None, "estimator", kind="tpu"),
    Example("train_batch_size=8", None, "estimator", kind="tpu"),
    kinds=TPU,
    needs=("model_dir", "seed"),
    settles=("model_fn",),
)
def tpu_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    site = program.site.node
    for name in ("embedding_config_spec", "export_saved_model_api_version"):
        if not is_none(program.arguments.get(name)):
            yield manual(program.arguments[name], f"`{name}` is for TPUs alone", _HELP)
    use_tpu = program.arguments.get("use_tpu")
    value = _value(program, use_tpu)
    if value is True:
        yield manual(
            use_tpu or site,
            f"use_tpu is true{'' if use_tpu is not None else ' by default'}, so the program runs on a TPU",
            "Set use_tpu=False where it runs on CPU or GPU; for TPUs there is tf.distribute.TPUStrategy.",
        )
    elif value is ... and use_tpu is not None:
        draft.before.insert(0, f'if {draft.text(use_tpu)}:\n    raise ValueError("{_REFUSED}")')
    for name in TPU_PARAMETERS:
        setting = program.config.settings.get(name)
        if setting is not None and not literal(setting) and name != "tpu_config":
            yield noted(setting, f"{name} is removed: the program trains on this machine")
    refused = "" if value is False else "; it refuses to start where use_tpu is true"
    yield noted(site, f"trains on CPU or GPU, logs the loss, and no examples/sec{refused}")


def _value(program: Program, use_tpu: ast.expr | None) -> object:
    """True, False, or ``...`` where it is known at run time only."""
    if use_tpu is None:
        return True
    found = literal(program.module.names.value(use_tpu))
    return found if found is ... else bool(found)
