"""FT406 · an Estimator program under Horovod

Each rank runs the whole program: ranks ask for their number in the ``model_dir``, in hooks and in
``steps // hvd.size()``, rank 0 alone saves, and a hook broadcasts what it restored. A rank that makes a step more or
fewer than the others leaves all of them waiting for its gradients.

Instead: the object form (FT151). Its training runs in TensorFlow's own session, as an
Estimator's, so that ``hvd.DistributedOptimizer`` and ``hvd.BroadcastGlobalVariablesHook`` stay. A rank whose
``model_dir`` is None saves into a directory of its own, as it did.

Fidelity: noted. Two ranks of Horovod 0.28.1 over Gloo, TensorFlow 2.15.1: killed in turn and started again they resume
at the last save, and all variables are the Estimator's to the last bit, also where the one goes on from the other.
Horovod's last release is older than TensorFlow 2.16: on later ones nothing was tried.

See: horovod.tensorflow.BroadcastGlobalVariablesHook, tf.distribute.MultiWorkerMirroredStrategy.
"""

from collections.abc import Iterator

from migrate.findings.finding import Fidelity
from migrate.rules.rule import ObjectUnit, Verdict, line, unit_rule

_MESSAGE = "trains under Horovod as before, on TensorFlow 2.15: the last release of Horovod is older than 2.16"
_HELP = "For a later TensorFlow use tf.distribute.MultiWorkerMirroredStrategy in train_distribute."


@unit_rule("FT406", "noted", line("import horovod.tensorflow as hvd; print(hvd.rank())", "EstimatorSpec(mode"))
def horovod_program(unit: ObjectUnit) -> Iterator[Verdict]:
    if unit.tree.imports_package("horovod", *unit.roots):
        yield Verdict(unit.site, Fidelity.NOTED, _MESSAGE, _HELP, unit.roots[0])
