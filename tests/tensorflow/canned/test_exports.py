"""What an Estimator exported, and what its job exports after it went on as an object, answer a server alike."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tests.tensorflow.canned.conftest import HERE
from tests.tensorflow.canned.test_continuation import tolerance

ONE = HERE / "estimators.py"
FED = {
    "x": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], "age": [15.0, 45.0], "word": ["a", "other"], "code": [1, 5],
    "code-of": [1, 5],
}  # fmt: skip
ESTIMATORS = [
    (ONE, "dnn_default", "served"),
    *((ONE, name, "parsed") for name in ("dnn_default", "dnn_named", "linear_values")),
    (ONE, "combined_default", "served"),
]
JOBS = [pytest.param(*one, id=f"{one[1]}-{one[2]}") for one in ESTIMATORS]


@pytest.fixture
def exports(as_object):
    """A function that gives the directory of an Estimator's export, and of that of what it became."""

    def both(program, name, folder):
        job = as_object(program)
        return [next((one / name / folder).iterdir()) for one in (job.old, job.new)]

    return both


def signatures(directory):
    """The signatures as a server reads them: their methods, and the types and shapes of inputs and outputs."""
    with tf1.Session(graph=tf.Graph()) as session:
        graph = tf1.saved_model.load(session, ["serve"], str(directory))
    return {
        key: (signature.method_name, _tensors(signature.inputs), _tensors(signature.outputs))
        for key, signature in graph.signature_def.items()
        if not key.startswith("__")
    }


def _tensors(infos):
    return {name: (info.dtype, [size.size for size in info.tensor_shape.dim]) for name, info in infos.items()}


def answers(directory):
    """What a server answers by each signature."""
    with tf1.Session(graph=tf.Graph()) as session:
        graph = tf1.saved_model.load(session, ["serve"], str(directory))
        found = {}
        for key, signature in graph.signature_def.items():
            if not key.startswith("__"):
                requests = {info.name: FED.get(name, examples()) for name, info in signature.inputs.items()}
                outputs = {name: info.name for name, info in signature.outputs.items()}
                found[key] = session.run(outputs, requests)
        return found


def examples():
    """The same requests as protos."""
    protos = []
    for x, age, word, code in zip(FED["x"], FED["age"], FED["word"], FED["code"], strict=True):
        feature = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=x)),
            "age": tf.train.Feature(float_list=tf.train.FloatList(value=[age])),
            "word": tf.train.Feature(bytes_list=tf.train.BytesList(value=[word.encode()])),
            "code": tf.train.Feature(int64_list=tf.train.Int64List(value=[code])),
        }
        protos.append(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return protos


@pytest.mark.parametrize(("program", "name", "folder"), JOBS)
def test_the_signatures_are_the_estimators(exports, program, name, folder):
    old, new = exports(program, name, folder)
    assert signatures(new) == signatures(old)
    assert new.name.isdigit()


@pytest.mark.parametrize(("program", "name", "folder"), JOBS)
def test_a_server_answers_with_the_same_values(exports, program, name, folder):
    old, new = (answers(directory) for directory in exports(program, name, folder))
    for key, outputs in old.items():
        for output, value in outputs.items():
            message = f"{key} {output}"
            if value.dtype == np.float32:
                near = max(tolerance(program, name), 1e-6)
                np.testing.assert_allclose(new[key][output], value, rtol=near, atol=near, err_msg=message)
            else:
                np.testing.assert_array_equal(new[key][output], value, err_msg=message)


@pytest.mark.parametrize(("program", "name", "folder"), [job for job in JOBS if job.values[2] == "parsed"])
def test_python_loads_it_with_the_same_signatures(exports, program, name, folder):
    old, new = (tf.saved_model.load(str(directory)).signatures for directory in exports(program, name, folder))
    assert sorted(new) == sorted(old)
    for key in old:
        argument = "examples" if key == "predict" else "inputs"
        found, expected = (one[key](**{argument: tf.constant(examples())}) for one in (new, old))
        assert found.keys() == expected.keys()
