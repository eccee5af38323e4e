"""A judged program as a whole: its files, its kind, its form."""

import ast
from collections.abc import Sequence

from migrate.analysis.module import Module
from migrate.analysis.symbols import estimator_kind
from migrate.findings.finding import Cause
from migrate.objects.form import ObjectForm
from migrate.results.judged import JudgedProgram
from migrate.rewrite.draft import Draft

_KINDS = {"canned": "premade", "other-canned": "premade", "custom": "model_fn", "tpu": "TPU", "keras": "Keras"}
"""The kinds of constructors in the words of TensorFlow's documentation."""


def judged_program(draft: Draft, directories: tuple[str, ...], cause: Cause | None) -> JudgedProgram:
    """A program that is followed, and becomes a Keras model; ``directories`` are those of its file."""
    program = draft.program
    kinds = (_KINDS.get(program.kind, "premade"),)
    return JudgedProgram((draft.module.path,), kinds, "keras", directories, cause)


def judged_as_object(form: ObjectForm) -> JudgedProgram:
    modules = form.unit.modules
    sites = [(module, site) for module in modules for site in module.sites if site.kind == "estimator"]
    kinds = [estimator_kind(site.symbol) for _, site in sites]
    named = dict.fromkeys(_KINDS.get(kind or "", "other") for kind in kinds)
    files = tuple(module.path for module in modules)
    if not any(module.names_estimator or module.uses_library for module in modules):
        return JudgedProgram(files, ("exports",), "reader", cause=form.left)
    return JudgedProgram(files, tuple(named) or ("other",), "object", directories(modules), form.left)


def directories(modules: Sequence[Module]) -> tuple[str, ...]:
    """What the sites of some files are given as ``model_dir``, as it is written there."""
    calls = (site.node for module in modules for site in module.sites)
    values = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "model_dir")
    return tuple(dict.fromkeys(map(ast.unparse, values)))
