"""A canned estimator's exports become exports of its Keras model; the function that reads requests stays in a graph."""

import pytest

from tests.codemod.bodies import body, reason, rewritten
from tests.codemod.programs import migrate

EXPORT = "tf1.estimator.export"
SERVE = f"""\
def serve():
    fed = {{"x": tf1.placeholder(tf.float32, [None])}}
    return {EXPORT}.ServingInputReceiver(dict(fed), fed)


"""
USES = "def f(flag, x):\n    est = DNN({})\n    est.train(data, max_steps=3)\n    {}\n"


def exported(serving: str, more: str = "", arguments: str = "", serve: str = SERVE) -> str:
    return serve + USES.format(arguments, f"path = est.export_saved_model('out', {serving}{more})")


def evaluated(exporters: str, before: str = "pass") -> str:
    spec = f"tf1.estimator.EvalSpec(data, exporters={exporters})"
    train = f"tf1.estimator.train_and_evaluate(est, tf1.estimator.TrainSpec(data, 9), {spec})"
    return f"{SERVE}def f(flag, x):\n    est = DNN()\n    {before}\n    {train}\n"


CARRIED = [
    (exported("serve"), 'path = export_classes(recovery, "out", serve, features=inputs)'),
    (exported("serve"), "return ServingInputReceiver(dict(fed), fed)"),
    (exported("serve", ", assets_extra={'a': 'b'}"), 'features=inputs, assets_extra={"a": "b"}'),
    (exported("lambda: serve()"), "lambda: serve()"),
    (exported("serve", "", "weight_column='w'"), 'export_classes(recovery, "out", serve)'),
    (
        exported("serve", "", "n_classes=3, label_vocabulary=['a', 'b', 'c']"),
        'export_classes(recovery, "out", serve, label_vocabulary, features=inputs)',
    ),
    (
        exported(f"{EXPORT}.build_parsing_serving_input_receiver_fn(x)", serve=""),
        "build_parsing_serving_input_receiver_fn(x)",
    ),
    (exported(f"{EXPORT}.build_raw_serving_input_receiver_fn(x)", serve=""), "build_raw_serving_input_receiver_fn(x)"),
    (evaluated("tf1.estimator.LatestExporter('e', serve)"), 'export_dir = os.path.join("m", "export", "e")'),
    (evaluated("[tf1.estimator.LatestExporter('e', serve)]"), "export=export,"),
    (evaluated("e", "e = tf1.estimator.FinalExporter('e', serve)"), 'if metrics["global_step"] >= 9:'),
    (evaluated("tf1.estimator.BestExporter('e', serve)"), "if best.improves(metrics):"),
]


@pytest.mark.parametrize(("text", "expected"), CARRIED)
def test_an_export_is_carried_over(text: str, expected: str) -> None:
    output = "".join(rewritten(text).split())
    assert "".join(expected.split()) in output
    assert "tf1.estimator" not in output


LEFT = [
    (exported("x"), "`x` is not seen to be a function of this file"),
    (exported("x.serve"), "`x.serve` is not seen to be a function of this file"),
    (exported("serve", ", as_text=True"), "as_text is not carried over"),
    (exported("serve", ", checkpoint_path='c'"), "checkpoint_path of an export is not carried over"),
    (exported("serve").replace("path =", "serve()\n    path ="), "`serve` is called at line"),
    (
        exported("serve").replace("dict(fed), fed)", "fed, fed, {'other': fed})"),
        "receiver_tensors_alternatives are not carried over",
    ),
    (exported("serve").replace("tf1.placeholder", "tf1.sparse_placeholder"), "a sparse placeholder is no input"),
    (
        exported(f"{EXPORT}.build_raw_serving_input_receiver_fn({{'x': tf1.placeholder(tf.float32, [None])}})"),
        "a placeholder is outside of the function",
    ),
    (evaluated("x"), "the exporter `x` is not carried over yet"),
    (evaluated("tf1.estimator.LatestExporter('e', x)"), "`x` is not seen to be a function of this file"),
]


@pytest.mark.parametrize(("text", "expected"), LEFT)
def test_an_export_that_cannot_be_carried_over_leaves_the_program(text: str, expected: str) -> None:
    assert expected in reason(text)


def test_names_of_tensorflow_1_in_a_serving_function_get_their_spelling() -> None:
    text = body(exported("serve").replace("tf1.placeholder", "tf.placeholder"))
    output, _ = migrate(text.replace("tf.float32", "tf.placeholder_with_default and tf.float32"))
    assert "tf1.placeholder(" in output
    assert "tf1.placeholder_with_default and" in output


def test_a_serving_function_that_a_program_needs_as_it_is_ties_both() -> None:
    other = (
        "\n\ndef g(x):\n    old = tf1.estimator.BoostedTreesClassifier([], 1)\n    old.export_saved_model('o', serve)\n"
    )
    text = body(exported("serve") + other)
    output, findings = migrate(text)
    assert output == text
    assert not any(finding.error for finding in findings)
