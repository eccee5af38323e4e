"""Programs for the tests of analysis and rewrite: what a test gives, below imports and an input function."""

from migrate.findings.finding import Fidelity
from tests.codemod.programs import migrate

PRELUDE = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def data():
    return tf.data.Dataset.from_tensor_slices(({"x": [1.0]}, [0])).batch(1)


"""
COLUMNS = '[tf1.feature_column.numeric_column("x")]'


def body(text):
    """The whole file; ``DNN(…)`` in ``text`` stands for an estimator with columns, units and a directory."""
    made = f'tf1.estimator.DNNClassifier(feature_columns={COLUMNS}, hidden_units=[4], model_dir="m"'
    return PRELUDE + text.replace("DNN()", f"{made})").replace("DNN(", f"{made}, ")


def rewritten(text, **settings):
    """The output for a program that must be rewritten without a finding that says otherwise."""
    source = body(text)
    output, findings = migrate(source, **settings)
    assert output != source, findings
    assert all(finding.rewritten for finding in findings), findings
    return output


def reason(text, **settings):
    """Why a program is left, in one line; it must be left whole and without an error."""
    source = body(text)
    output, findings = migrate(source, **settings)
    assert output == source, output
    assert not any(finding.rewritten or finding.error for finding in findings), findings
    return "; ".join(f.message for f in findings if f.fidelity is Fidelity.MANUAL and f.is_own_reason)
