"""Libraries that create, accept or subclass TensorFlow's Estimators."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.names import Names

LIBRARIES = {
    "adanet": "AdaNet",
    "tensorflow_gan.estimator": "TensorFlow GAN",
    "tensorflow_model_analysis.export": "TensorFlow Model Analysis",
    "tensorflow_model_analysis.exporter": "TensorFlow Model Analysis",
    "tensorflow_ranking.estimator": "TensorFlow Ranking",
    "tensorflow_ranking.head": "TensorFlow Ranking",
    "tensorflow_ranking.model": "TensorFlow Ranking",
    "tensor2tensor": "Tensor2Tensor",
    "tfx": "TFX",
}
"""The libraries' names, by their packages and modules that create, accept or subclass Estimators."""

_PACKAGES = tuple({path.partition(".")[0] for path in LIBRARIES})


def libraries_in(names: Names) -> Iterator[tuple[ast.Name | ast.Attribute, str, str]]:
    """Yields each use of such a library in a file: the whole expression, its dotted name and the library's name."""
    for node, dotted in names.package_uses(_PACKAGES):
        known = [library for path, library in LIBRARIES.items() if f"{dotted}.".startswith(f"{path}.")]
        if known:
            yield node, dotted, known[0]
