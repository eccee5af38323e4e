"""``python -m libcst.tool codemod -x migrate.codemods.estimator.EstimatorCommand PATH``."""

import argparse

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext

from migrate.api import rewrite_source
from migrate.files.text import STDIN
from migrate.findings.finding import Fidelity, sentences
from migrate.helpers.package import PACKAGE
from migrate.settings import CHOICES, Settings


class EstimatorCommand(CodemodCommand):
    """Rewrites one file at a time: helpers are not copied, and a program of several files is left.

    Args:
      context: LibCST's.
      choices: ``recovery``, ``target`` and ``input`` in the words of the settings.
    """

    DESCRIPTION = "Turns tf.estimator training code into TensorFlow 2 code that recovers the same way."

    def __init__(self, context: CodemodContext, **choices: str) -> None:
        super().__init__(context)
        self._settings = Settings(**choices)  # type: ignore[arg-type]

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Adds the options that the settings take words for."""
        for name, words in CHOICES.items():
            arg_parser.add_argument(f"--{name}", choices=words, default=words[0])

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The rewritten module; each site that is left, or behaves differently after the rewrite, is a warning."""
        name = self.context.filename or STDIN
        outcome = rewrite_source(tree.bytes, name, self._settings)
        for finding in outcome.findings:
            if not finding.rewritten or finding.fidelity is Fidelity.NOTED:
                line, column = finding.span.line, finding.span.column + 1
                self.warn(f"{line}:{column}: {finding.code} {sentences(finding.message, finding.help)}")
        for change in outcome.changes:
            if change.needs:
                self.warn(f"{name} imports {PACKAGE}: `estimator-migrate --write` copies it beside a file.")
            return cst.parse_module(change.after, tree.config_for_parsing)
        return tree
