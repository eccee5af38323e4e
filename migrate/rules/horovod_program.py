"""FT406 · an Estimator program under Horovod

Each rank runs the whole program: ranks ask for their number in the ``model_dir``, in hooks and in
``steps // hvd.size()``, rank 0 alone saves, and a hook broadcasts what it restored. A rank that makes a step more or
fewer than the others leaves all of them waiting for its gradients.

Instead: by hand, or with ``tf.distribute.MultiWorkerMirroredStrategy`` in ``RunConfig(train_distribute=…)``, which is
rewritten for all workers.

Fidelity: manual. That all ranks resume at one step is shown by no test here, so nothing of the program is rewritten.

See: horovod.tensorflow.BroadcastGlobalVariablesHook, tf.distribute.MultiWorkerMirroredStrategy.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, manual, rule

UNDER_HOROVOD = (
    "uses Horovod: the tool cannot guarantee that all ranks resume at the same step",
    "Use tf.distribute.MultiWorkerMirroredStrategy in train_distribute, or take Horovod out, then migrate again.",
)


@rule(
    "FT406",
    "manual",
    Example("import horovod.tensorflow as hvd; print(hvd.rank())", None, "head", kind="custom"),
    Example("from horovod import tensorflow as hvd; print(hvd.size())", None, "head"),
)
def horovod_program(program: Program, draft: Draft) -> Iterator[Verdict]:
    if program.tree.imports_package("horovod", program.module):
        yield manual(program.site.node, *UNDER_HOROVOD)
