"""Examines one Python file: parses it, and judges it if it has a site."""

import os
from collections.abc import Callable
from itertools import chain

from migrate.files.parse import compile_error, parse
from migrate.files.prefilter import files_without_site, may_train_imported, should_parse
from migrate.files.sources import is_generated
from migrate.files.text import SourceText
from migrate.findings.finding import Finding
from migrate.pipeline.failure import failure_finding, rewrite_guarded, run_guarded
from migrate.pipeline.outcome import ExaminedFile
from migrate.settings import Settings


def examine_bytes(
    path: str, data: bytes, settings: Settings, is_named: bool = False, is_alone: bool = False, may_wait: bool = False
) -> ExaminedFile:
    """Judges the bytes of one file.

    Args:
      is_named: whether the user named the file: then its errors are reported even if it can have no site.
      is_alone: whether no other file may be changed, so that sites which need other files are skipped.
      may_wait: whether to judge a file later if programs of other files may reach it.
    """
    holds_site = holds_code(path, data)
    if not holds_site and not is_named:
        return ExaminedFile(path)
    source = SourceText.decode(path, data)
    if is_generated(source.text):
        return ExaminedFile(path)
    if not holds_site:
        parse(source)  # reports the errors of a named file
        return ExaminedFile(path)
    return examine_guarded(path, lambda: judge_file(source, settings, is_alone=is_alone, may_wait=may_wait))


def holds_code(path: str, code: bytes) -> bool:
    """Whether a file's code may have a site; if it trains and does not name Keras, whether it imports Keras."""
    holds = should_parse(code)
    if not holds and may_train_imported(code):
        from migrate.analysis.program.tree import Tree

        tree, own = Tree(), os.path.abspath(path)
        importers = tree.importers_of(own) if os.path.exists(own) else ()  # these may give it the model
        near = (own, *importers)
        behind = (link.target.path for one in near for link in tree.closure_of(one))
        holds = any(tree.contains_word(one, "keras") for one in chain(near, behind))
    if not holds:
        files_without_site().add(os.path.abspath(path))
    return holds


def judge_file(source: SourceText, settings: Settings, is_alone: bool = False, may_wait: bool = False) -> ExaminedFile:
    """Judges one file that can be parsed; the arguments are those of ``examine_bytes``."""
    from migrate.analysis.source.module import module_of

    path, module = source.path, module_of(source)
    if not (module.sites or module.has_single_sites or module.estimator_uses or module.names_estimator_of_library):
        return ExaminedFile(path)
    from migrate.analysis.program.programs import files_of_programs, may_change_for_others
    from migrate.analysis.program.tree import Tree
    from migrate.judging.judge import judge

    around = Tree()
    others = files_of_programs(module, around)
    if others and not is_alone:
        return ExaminedFile(path, reaches=others)
    if may_wait and may_change_for_others(module, around):
        return ExaminedFile(path, waits=True)
    findings, plan, programs = judge(module, settings, around)
    return ExaminedFile(path, findings, source, plan or None, programs=programs)


def compiled_text(source: SourceText) -> str | Finding:
    """Returns the text of a file, or the compiler's error that would keep the file from being rewritten."""
    return rewrite_guarded(source.path, lambda: compile_error(source) or source.text)


def examine_guarded(path: str, work: Callable[[], ExaminedFile]) -> ExaminedFile:
    """Returns the result of ``work`` on a file; an exception becomes a finding of the file."""
    return run_guarded(work, lambda error: ExaminedFile(path, [failure_finding(path, error, "examining")]))
