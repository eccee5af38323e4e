"""A judged program as a whole: its files, its kind, its form."""

import ast
from collections.abc import Sequence

from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import estimator_kind
from migrate.judging.form import ObjectForm
from migrate.judging.judgement import JudgedProgram

_KINDS = {"premade": "premade", "custom": "model_fn", "tpu": "TPU", "keras": "Keras"}
"""The kinds of constructors in the words of TensorFlow's documentation."""


def judged_as_object(form: ObjectForm) -> JudgedProgram:
    modules = form.unit.modules
    sites = [(module, site) for module in modules for site in module.sites if site.kind == "estimator"]
    kinds = [estimator_kind(site.symbol) for _, site in sites]
    named = dict.fromkeys(_KINDS.get(kind or "", "other") for kind in kinds)
    files = tuple(module.path for module in modules)
    if not any(module.names_estimator or module.uses_library for module in modules):
        reads = any(module.reads_exports for module in modules)
        kind, name = ("exports", "reader") if reads else ("hooks", "names")
        return JudgedProgram(files, (kind,), name, cause=form.left)
    return JudgedProgram(files, tuple(named) or ("other",), "object", _directories(modules), form.left)


def _directories(modules: Sequence[Module]) -> tuple[str, ...]:
    """What the sites of some files are given as ``model_dir``, as it is written there."""
    calls = (site.node for module in modules for site in module.sites)
    values = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "model_dir")
    return tuple(dict.fromkeys(map(ast.unparse, values)))
