"""FT401 · tf.distribute.experimental.MultiWorkerMirroredStrategy(communication, cluster_resolver)

The first name of the strategy for several workers. In TensorFlow 1 it was
``tf.contrib.distribute.CollectiveAllReduceStrategy``.

Instead: ``tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=…, communication_options=…)``. It has the two
parameters in the other order, so both are written by name; ``communication`` becomes
``CommunicationOptions(implementation=…)``, and is removed where it is ``AUTO``, the default.

Fidelity: exact. The old class does the same with these arguments (TensorFlow 2.15 and 2.21), but is another object: if
a file passes the class itself on, which may be patched or compared, its calls do not change. contrib's
``num_gpus_per_worker`` is removed with a note, because TensorFlow 2 uses all GPUs that the process sees.

See: tf.distribute.MultiWorkerMirroredStrategy, tf.distribute.experimental.CommunicationOptions.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.workers import CONTRIB, EXPERIMENTAL
from migrate.analysis.source.arguments import Unbindable, bind, is_none
from migrate.analysis.source.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import Example, Fix, Verdict, Workbench, exact, manual, noted, site_rule

_IMPORT = "import tensorflow as tf\n\n"
_OLD = "tf.distribute.experimental.MultiWorkerMirroredStrategy"
_OLD_CHOICE = "distribute.experimental.CollectiveCommunication"
_RING = f"tf.{_OLD_CHOICE}.RING"
_OPTIONS = (
    "tf.distribute.experimental.CommunicationOptions("
    "implementation=tf.distribute.experimental.CommunicationImplementation.RING)"
)


@site_rule(
    "FT401",
    "exact",
    Example(f"{_IMPORT}s = {_OLD}()\n", "s = tf.distribute.MultiWorkerMirroredStrategy()", "module"),
    Example(
        f"{_IMPORT}s = {_OLD}({_RING}, resolver())\n",
        f"tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver(), communication_options={_OPTIONS},)",
        "module",
    ),
    Example(
        f"{_IMPORT}s = {_OLD}(communication=tf.distribute.experimental.CollectiveCommunication.AUTO)\n",
        "s = tf.distribute.MultiWorkerMirroredStrategy()",
        "module",
    ),
    Example(
        "from tensorflow.distribute.experimental import MultiWorkerMirroredStrategy as M\n\nmade = M()\n",
        "import tensorflow as tf\n\nmade = tf.distribute.MultiWorkerMirroredStrategy()",
        "module",
    ),
    Example(
        f"{_IMPORT}s = tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=2)\n",
        "s = tf.distribute.MultiWorkerMirroredStrategy()",
        "module",
    ),
    Example(
        f"def main():\n    import tensorflow as tf\n\n    return {_OLD}()\n",
        "def main():\n    import tensorflow as tf\n\n    return tf.distribute.MultiWorkerMirroredStrategy()",
        "module",
    ),
    Example(f"{_IMPORT}s = {_OLD}(*given)\n", None, "module"),
    Example(f"{_IMPORT}choices = [{_OLD}]\n", None, "module"),
    Example(f"{_IMPORT}patch({_OLD})\ns = {_OLD}()\n", None, "module"),
    Example(f"{_IMPORT}{_OLD}._started = hook\ns = {_OLD}()\n", None, "module"),
    Example(
        f"{_IMPORT}made = {_OLD}\n\n\ndef f(s: {_OLD}):\n    return made()\n",
        "made = tf.distribute.MultiWorkerMirroredStrategy\n\n\ndef f(s: tf.distribute.MultiWorkerMirroredStrategy):",
        "module",
    ),
)
def multi_worker_strategy(bench: Workbench) -> Iterator[Fix]:
    module = bench.module
    for tail in (EXPERIMENTAL, CONTRIB):
        uses = [node for node in module.uses.get(tail, []) if not _is_alias(bench, node)]
        changed = (symbol_of(module.names, store.value) for store in module.names.stores)
        is_passed_on = any(one is not None and one.tail == tail for one in changed)
        is_passed_on |= any(_is_passed_on(bench, node) for node in uses)
        for node in uses:
            call = module.names.parent(node)
            is_called = isinstance(call, ast.Call) and call.func is node
            if is_passed_on if is_called else _is_passed_on(bench, node):
                help = "Where it is called, write tf.distribute.MultiWorkerMirroredStrategy with arguments by name."
                yield Fix((manual(node, "the class is passed on, and its new name takes other arguments", help),))
            elif isinstance(call, ast.Call) and is_called:
                yield _replace_call(bench, call, tail)
            else:
                verdict = exact(node, "the strategy has its stable name")
                yield Fix((verdict,), (ReplaceExpression(module.span(node), _new_name(bench, node)),))


def _is_passed_on(bench: Workbench, node: ast.expr) -> bool:
    """Whether the class is used for more than a call, ``isinstance`` or an annotation, and so may be changed."""
    above = bench.module.names.parent(node)
    if isinstance(above, ast.Call) and (above.func is node or ast.unparse(above.func) == "isinstance"):
        return False
    if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name):
        return not _is_alias(bench, above.targets[0])
    is_type = isinstance(above, ast.arg | ast.AnnAssign) and above.annotation is node
    return not (is_type or (isinstance(above, ast.FunctionDef) and above.returns is node))


def _is_alias(bench: Workbench, node: ast.expr) -> bool:
    """Whether a name is an alias of the class, assigned once, that is only called, without arguments."""
    names = bench.module.names
    if names.only_value(node) is None:
        return False
    above = [(use, names.parent(use)) for use in names.reads_of(node)]
    is_called = (isinstance(c, ast.Call) and c.func is use and not c.args and not c.keywords for use, c in above)
    return bool(above) and all(is_called)


def _replace_call(bench: Workbench, call: ast.Call, tail: str) -> Fix:
    module = bench.module
    found = symbol_of(module.names, call.func)
    if found is not None and found.api == "v1":
        help = (
            "Write tf.distribute.MultiWorkerMirroredStrategy, with arguments by name, where the code is TensorFlow 2's."
        )
        return Fix((manual(call, "compat.v1's strategy is another class, for sessions", help),))
    if module.sites and module.is_tf1:
        help = "Migrate the Estimator program first; TensorFlow 1 has no tf.distribute.MultiWorkerMirroredStrategy."
        return Fix((manual(call, "the strategy belongs to an Estimator program of TensorFlow 1", help),))
    parameters = ("communication", "cluster_resolver") if tail == EXPERIMENTAL else ("num_gpus_per_worker",)
    help = "Write tf.distribute.MultiWorkerMirroredStrategy with cluster_resolver= and communication_options=."
    try:
        given = bind(call, parameters)
    except Unbindable as problem:
        return Fix((manual(call, f"the strategy's arguments cannot be read: {problem}", help),))
    unknown = given.keys() - set(parameters)
    if unknown:
        return Fix((manual(call, f"the strategy has no argument {', '.join(sorted(unknown))}", help),))
    arguments = [*_resolver(bench, given), *_options(bench, call, given)]
    text = f"{_new_name(bench, call.func)}({', '.join(arguments)})"
    return Fix((_verdict(call, given),), (ReplaceExpression(module.span(call), text),))


def _verdict(call: ast.Call, arguments: dict[str, ast.expr]) -> Verdict:
    if "num_gpus_per_worker" in arguments:
        help = "Set CUDA_VISIBLE_DEVICES where a worker is not to take all GPUs."
        return noted(call, "the strategy has its stable name, and takes all GPUs that the process sees", help)
    return exact(call, "the strategy has its stable name, and its arguments are written by name")


def _new_name(bench: Workbench, node: ast.expr) -> str:
    return f"{bench.tf_at(node)}.distribute.MultiWorkerMirroredStrategy"


def _resolver(bench: Workbench, arguments: dict[str, ast.expr]) -> Iterator[str]:
    resolver = arguments.get("cluster_resolver")
    if not is_none(resolver):
        assert resolver is not None
        yield f"cluster_resolver={bench.module.source.text(resolver)}"


def _options(bench: Workbench, call: ast.Call, arguments: dict[str, ast.expr]) -> Iterator[str]:
    communication = arguments.get("communication")
    if communication is None:
        return
    found = symbol_of(bench.module.names, communication)
    if found is not None and found.tail.endswith(("CollectiveCommunication.AUTO", "CommunicationImplementation.AUTO")):
        return
    experimental = f"{bench.tf_at(call.func)}.distribute.experimental"
    text = bench.module.source.text(communication)
    if found is not None and found.tail.startswith(f"{_OLD_CHOICE}."):
        text = f"{experimental}.CommunicationImplementation.{found.tail.rpartition('.')[2]}"
    yield f"communication_options={experimental}.CommunicationOptions(implementation={text})"
