"""Names mean what Python says they mean, so that nothing else is taken for an estimator."""

import ast

import pytest

from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from tests.codemod.programs import migrate

SPELLINGS = [
    "import tensorflow\ntensorflow.estimator.RunConfig()",
    "import tensorflow as t\nt.compat.v1.estimator.RunConfig()",
    "import tensorflow.compat.v1 as tf1\ntf1.estimator.RunConfig()",
    "import tensorflow.compat.v1\ntensorflow.compat.v1.estimator.RunConfig()",
    "from tensorflow import estimator as e\ne.RunConfig()",
    "from tensorflow.compat.v1.estimator import RunConfig\nRunConfig()",
    "from tensorflow.compat.v1.estimator import RunConfig as C\nC()",
    "from tensorflow.compat import v1\nv1.estimator.RunConfig()",
    "import tensorflow as tf\ntf1 = tf.compat.v1\ntf1.estimator.RunConfig()",
    "import tensorflow as tf\na = b = tf.estimator\nb.RunConfig()",
    "import tensorflow as tf\nC = tf.estimator.RunConfig\nC()",
    "from tensorflow.compat.v1 import *\nestimator.RunConfig()",
    "from tensorflow_estimator import estimator\nestimator.RunConfig()",
    "import tensorflow_estimator as tfe\ntfe.estimator.RunConfig()",
    "from tensorflow.python.estimator.run_config import RunConfig\nRunConfig()",
    "try:\n    import tensorflow.compat.v1 as tf\nexcept E:\n    import tensorflow as tf\ntf.estimator.RunConfig()",
    "def f():\n    import tensorflow as tf\n    def g():\n        return tf.estimator.RunConfig()",
    "import tensorflow as tf\nclass A:\n    tf = None\n    def f(self):\n        return tf.estimator.RunConfig()",
    "import tensorflow as tf\nclass A:\n    c = tf.estimator.RunConfig()",
    "import tensorflow as tf\nf = lambda c=tf.estimator.RunConfig(): c",
    "import tensorflow as tf\n[tf.estimator.RunConfig() for x in y]",
    "from other import estimator\nimport os\nfrom tensorflow import estimator\nestimator.RunConfig()",
]
OTHERS = [
    "import tensorflow as tf\ndef f(tf):\n    tf.estimator.RunConfig()",
    "import tensorflow as tf\ndef f():\n    tf = g()\n    tf.estimator.RunConfig()",
    "import tensorflow as tf\ndef f():\n    tf.estimator.RunConfig()\n    del tf",
    "import tensorflow as tf\nlambda tf: tf.estimator.RunConfig()",
    "import tensorflow as tf\n[tf.estimator.RunConfig() for tf in y]",
    "import tensorflow as tf\ndef f():\n    [tf := x for x in y]\n    tf.estimator.RunConfig()",
    "import tensorflow as tf\nclass A:\n    tf = None\n    c = tf.estimator.RunConfig()",
    "import tensorflow as tf\ndef f():\n    global tf\n    tf = g()\ntf.estimator.RunConfig()",
    "def f():\n def g():\n  nonlocal tf\n  tf = h()\n import tensorflow as tf\n tf.estimator.RunConfig()",
    "import tensorflow as tf\ntry:\n    x()\nexcept E as tf:\n    tf.estimator.RunConfig()",
    "import tensorflow as tf\nmatch x:\n    case {'a': 1, **tf}:\n        tf.estimator.RunConfig()",
    "from .tensorflow import estimator\nestimator.RunConfig()",
    "def f():\n    from tensorflow import estimator\n    from other import estimator\n    estimator.RunConfig()",
    "a = b\nb = a\na.estimator.RunConfig()",
    "tf.estimator.RunConfig()",
]


@pytest.mark.parametrize("source", SPELLINGS)
def test_a_run_config_is_found_however_it_is_spelled(source):
    assert [site.kind for site in Module("a.py", source, ast.parse(source)).sites] == ["run_config"]


@pytest.mark.parametrize("source", OTHERS)
def test_a_name_that_stands_for_something_else_is_no_site(source):
    assert Module("a.py", source, ast.parse(source)).sites == []


def test_a_value_is_read_through_any_number_of_variables_that_are_assigned_once():
    tree = ast.parse("a = 3\nb = a\nc = b\nd = c\ntwice = a\ntwice = b\nx = y\ny = x\n[d, twice, x, unbound]\n")
    names = Names(tree)
    d, twice, x, unbound = tree.body[-1].value.elts  # type: ignore[attr-defined]
    assert ast.unparse(names.value(d)) == "3"
    assert names.value(twice) is twice
    assert isinstance(names.value(x), ast.Name)  # in a circle
    assert names.value(unbound) is unbound


def test_tensorflow_keeps_its_name_where_only_functions_import_it_and_gets_another_where_it_is_taken():
    estimator = "est = e.DNNClassifier([4], [c('x')], 'm')\nest.train(data, max_steps=3)\n"
    imports = (
        "from tensorflow import estimator as e\nfrom tensorflow.feature_column import numeric_column as c\n"
        "def data():\n    {}\n    return tf.data.Dataset.from_tensors(({{'x': [1.0]}}, [0]))\n"
    )
    hook = "hook = e.StepCounterHook()\n"
    own, _ = migrate(imports.format("import tensorflow as tf") + estimator + hook)
    assert "import tensorflow as tf\n" in own
    assert "hook = tf.compat.v1.train.StepCounterHook()" in own
    other = imports.format("import tensorflow as t").replace("tf.data", "t.data")
    taken, _ = migrate("tf = 3\n" + other + estimator + hook)
    assert "hook = tf2.compat.v1.train.StepCounterHook()" in taken


HELD = {
    "a = [1]\nread(a)": "[1]",
    "a = [1]\na = [2]\nread(a)\na = [3]": "[2]",
    "a = [1]\nif b:\n    read(a)\na = [2]": "[1]",
    "a = [1]\nif b:\n    a = [2]\nread(a)": None,
    "a = [1]\na = [2]; read(a)": "[2]",
    "a = [1]\na = read(\n    a\n)": "[1]",
    "a = [1]\nif b:\n    a = [2]\nelse:\n    read(a)": None,
    "a = [1]\ntry:\n    a = [2]\nexcept E:\n    read(a)": None,
    "a = [1]\nfor x in y:\n    read(a)\n    a = [2]": None,
    "a = [1]\na += [2]\nread(a)": None,
    "def f():\n    global a\n    a = [2]\n\n\na = [1]\nread(a)": None,
}


@pytest.mark.parametrize(("source", "held"), HELD.items())
def test_a_variable_that_is_given_more_than_once_holds_what_stands_above_it_on_a_straight_way(source, held):
    tree = ast.parse(source)
    names = Names(tree)
    (call,) = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert isinstance(call.args[0], ast.Name)
    value = names.value_at_use(call.args[0])
    assert (None if value is None else ast.unparse(value)) == held
