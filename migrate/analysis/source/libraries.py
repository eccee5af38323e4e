"""Libraries that make, take or derive from an Estimator of TensorFlow's."""

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
"""Packages, and modules of packages, that make, take or derive from an Estimator of TensorFlow's."""

_PACKAGES = tuple({path.partition(".")[0] for path in LIBRARIES})


def libraries_in(names: Names) -> Iterator[tuple[ast.Name | ast.Attribute, str, str]]:
    """What a file uses of such libraries, each whole, with its dotted name and the library's name."""
    for node, dotted in names.of_packages(_PACKAGES):
        known = [library for path, library in LIBRARIES.items() if f"{dotted}.".startswith(f"{path}.")]
        if known:
            yield node, dotted, known[0]
