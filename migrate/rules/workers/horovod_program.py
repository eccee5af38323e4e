"""FT406 · an Estimator program under Horovod

Each rank runs the whole program. It reads its number in the ``model_dir``, in hooks and in ``steps // hvd.size()``;
only rank 0 saves, and a hook broadcasts the restored variables. If one rank runs more or fewer steps than the others,
all of them wait forever for its gradients.

Instead: the object form (FT151). It trains in a TensorFlow session, as the Estimator did, so that
``hvd.DistributedOptimizer`` and ``hvd.BroadcastGlobalVariablesHook`` stay. A rank whose ``model_dir`` is None saves
into a directory of its own, as before.

Fidelity: noted. Tested with two ranks of Horovod 0.28.1 over Gloo, TensorFlow 2.15.1: killed in turn and restarted,
they resume at the last save, and all variables equal the Estimator's to the last bit, also where one continues the
other's training. Horovod's last release is older than TensorFlow 2.16; later versions were not tested.

See: horovod.tensorflow.BroadcastGlobalVariablesHook, tf.distribute.MultiWorkerMirroredStrategy.
"""

from collections.abc import Iterator

from migrate.findings.finding import Fidelity
from migrate.rules.rule import EstimatorProgram, Verdict, example, unit_rule

_MESSAGE = "trains under Horovod as before, on TensorFlow 2.15: the last release of Horovod is older than 2.16"
_HELP = "For a later TensorFlow use tf.distribute.MultiWorkerMirroredStrategy in train_distribute."


@unit_rule("FT406", "noted", example("import horovod.tensorflow as hvd; print(hvd.rank())", "EstimatorSpec(mode"))
def horovod_program(unit: EstimatorProgram) -> Iterator[Verdict]:
    if unit.tree.imports_package("horovod", *unit.roots):
        yield Verdict(unit.site, Fidelity.NOTED, _MESSAGE, _HELP, unit.roots[0])
