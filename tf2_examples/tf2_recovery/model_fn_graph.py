# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 3deb8c609edb5341).
"""Runs a part of a TF1 graph inside a ``tf.function``."""

import concurrent.futures

import tensorflow as tf
import tensorflow.compat.v1 as tf1

_RESOURCE = tf.resource.as_datatype_enum
_EFFECTS = {"Assert", "EagerPyFunc", "Print", "PrintV2", "PyFunc"}


class GraphPart:
    """The part of a TF1 graph that some results need, to be run in a ``tf.function``.

    It runs what ``Session.run(results)`` would run and nothing else. Unlike a session,
    it reads and writes a variable in program order: ``tf.function`` sees to that.

    Args:
      graph: the ``tf.Graph``.
      results: tensors and operations of the graph, to be computed.
      given: names of the tensors that each run is given from outside.
      prefix: begins the names under which the part's tables are shared.

    Attributes:
      needs: names of the tensors, of those given, that the part uses.
      operations: names of the operations that it runs.
    """

    def __init__(self, graph, results, given, prefix=""):
        self._results = [result.name for result in results]
        sources = {name.split(":")[0] for name in given}
        self.operations = _operations_behind(results, sources)
        self.needs = set(given).intersection(self._results)
        whole = graph.as_graph_def()
        _keep_effects(whole)
        _stay_in_this_process(whole)
        self._nodes = tf1.GraphDef(versions=whole.versions, library=whole.library)
        _register(self._nodes)
        for node in whole.node:  # in the order in which the program made them
            if node.name in self.operations:
                self._add(node, given, prefix)

    def _add(self, node, given, prefix):
        inputs = [name for name in node.input if not name.startswith("^")]
        controls = [name for name in node.input if name[1:] in self.operations]
        tensors = [name if ":" in name else f"{name}:0" for name in inputs]
        self.needs.update(set(given).intersection(tensors))
        del node.input[:]
        node.input.extend(inputs + controls)
        # A variable's handle is given: there is nothing to be placed beside.
        node.attr.pop("_class", None)
        if "shared_name" in node.attr and not node.attr["shared_name"].s:
            node.attr["shared_name"].s = (prefix + node.name).encode()
        self._nodes.node.append(node)

    def run(self, given):
        """Adds the part to the current ``tf.function``, and returns its results.

        Args:
          given: a dict from name to tensor, or from a handle's name to ``tf.Variable``.
        """
        known = {name: _inside(given[name]) for name in self.needs}
        inside = [name for name in self._results if name not in known]
        computed = tf.graph_util.import_graph_def(
            self._nodes, input_map=known, return_elements=inside, name=""
        )
        known.update(zip(inside, computed))
        return [known[name] for name in self._results]


def _register(graph_def):
    """Makes functions known outside of graphs, from where a ``tf.function`` calls them."""
    if graph_def.library.function:
        # A hook may be what asks, in the graph that it works on; a new thread is in none.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            thread.submit(tf.graph_util.import_graph_def, graph_def, name="").result()


def _keep_effects(graph_def):
    """Has ``tf.function`` do what branches of ``tf.cond`` and bodies of loops do.

    A session does what the results of a branch depend on. ``tf.function`` leaves out
    assignments there, unless the branch names them among its control outputs.

    Args:
      graph_def: a ``GraphDef``, whose functions are changed, and get names of their own.
    """
    library = graph_def.library.function
    renamed = {one.signature.name: f"{one.signature.name}_run" for one in library}
    for function in library:
        function.signature.name = renamed[function.signature.name]
        for name in () if function.control_ret else _effects(function):
            function.control_ret[name] = name
            function.signature.control_output.append(name)
    for one in graph_def.library.gradient:
        one.function_name = renamed.get(one.function_name, one.function_name)
        one.gradient_func = renamed.get(one.gradient_func, one.gradient_func)
    for node in [*graph_def.node, *(node for one in library for node in one.node_def)]:
        for attribute in node.attr.values():
            called = [attribute.func] if attribute.HasField("func") else []
            for one in [*called, *attribute.list.func]:
                one.name = renamed.get(one.name, one.name)


def without_task(device):
    """Returns a device's name without the process that it is in."""
    spec = tf.DeviceSpec.from_string(device)
    return spec.replace(job=None, replica=None, task=None).to_string()


def _stay_in_this_process(graph_def):
    """Has the nodes run in this process, by whichever name a cluster knows it."""
    functions = graph_def.library.function
    for node in [
        *graph_def.node,
        *(node for one in functions for node in one.node_def),
    ]:
        if node.device:
            node.device = without_task(node.device)


def _effects(function):
    """Returns the names of nodes with effects, of those that a function's results need."""
    nodes = {node.name: node for node in function.node_def}
    state = {arg.name for arg in function.signature.input_arg if arg.type == _RESOURCE}
    ahead, found = [name.split(":")[0] for name in function.ret.values()], {}
    while ahead:
        name = ahead.pop()
        if name in nodes and name not in found:
            inputs = [one.lstrip("^").split(":")[0] for one in nodes[name].input]
            found[name] = nodes[name].op in _EFFECTS or not state.isdisjoint(inputs)
            ahead += inputs
    return [name for name, has_effect in found.items() if has_effect]


def _operations_behind(results, sources):
    found, ahead = set(), [getattr(result, "op", result) for result in results]
    while ahead:
        operation = ahead.pop()
        if operation.name not in found and operation.name not in sources:
            found.add(operation.name)
            ahead += [tensor.op for tensor in operation.inputs]
            ahead += operation.control_inputs
    return found


def _inside(given):
    """Brings a tensor or a variable into the function that is being traced."""
    if isinstance(given, tf.Variable):
        return tf.convert_to_tensor(given.handle)
    return tf.identity(given)
