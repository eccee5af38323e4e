"""What must hold for the codemod on any text at all; a broken promise is named in a few words."""

import ast
import re
import signal
from contextlib import contextmanager
from dataclasses import dataclass, field

from migrate.edits.plan import InsertBefore
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.findings.finding import Finding
from migrate.pipeline.attempt import attempt_rewrite
from migrate.pipeline.examine import examine_bytes
from migrate.runtime_files.package import imports as runtime_imports
from tests.fuzz.mutations import is_python

SECONDS = 60
_COMMENT = re.compile(r"# c[0-9]+\.")


class _TooLongError(Exception):
    pass


@dataclass
class Trial:
    """What became of one program.

    Attributes:
      broken: what the codemod did wrong, each in a few words; empty if all is well.
      has_site: whether a call site was found in it.
      is_rewritten: whether the text was changed.
    """

    broken: list[str] = field(default_factory=list)
    has_site: bool = False
    is_rewritten: bool = False


def tried(text, settings):
    """Holds the codemod to its promises over one program.

    Args:
      text: the program, Python or not.
      settings: the choices to run with.
    """
    trial = Trial()
    try:
        with _limited(SECONDS):
            trial.broken += _broken(text, settings, trial)
    except Exception as error:
        trial.broken.append(f"crash: {type(error).__name__}: {error}")
    return trial


def rewritten(text, settings):
    """The new text, the findings and the plan; the text as it was where nothing is rewritten."""
    try:
        examined = examine_bytes("program.py", text.encode(errors="surrogatepass"), settings, is_named=True)
    except Unreadable as problem:
        return text, [problem.finding], None
    if examined.source is None:
        return text, examined.findings, None
    after = examined.source.text
    if examined.plan is not None:
        plan = examined.plan
        imports = runtime_imports("tf2_recovery", plan.runtime_names, plan.aliases)
        after = attempt_rewrite(examined.source, examined.plan, imports)
    if isinstance(after, Finding):
        return text, [after], None
    return after, examined.findings, examined.plan


def _broken(text, settings, trial):
    after, findings, plan = rewritten(text, settings)
    trial.has_site = any(not finding.error for finding in findings)
    trial.is_rewritten = plan is not None
    yield from (f"crash: {finding.message}" for finding in findings if finding.code == "FT009")
    if any(finding.error for finding in findings):
        if after != text:
            yield "a file with an error is changed"
        return
    if not all(finding.message for finding in findings):
        yield "a finding says nothing"
    if plan is None:
        if after != text:
            yield "changed without a plan"
        if any(finding.rewritten for finding in findings):
            yield "a finding is called rewritten, and nothing is"
        return
    if not is_python(after):
        yield "the output does not compile"
        return
    lost = set(_COMMENT.findall(_without_deletions(text, plan))) - set(_COMMENT.findall(after))
    if lost:
        yield f"lost comments: {sorted(lost)}"
    missing = _lost_lines(text, after, plan)
    if missing:
        yield f"lost text: {missing[0]!r}"
    again, found, _ = rewritten(after, settings)
    if again != after:
        yield "a second run changes more"
    yield from (f"crash in the second run: {finding.message}" for finding in found if finding.code == "FT009")


def _without_deletions(text, plan):
    """A program without the statements that go and the comments above them, which go with them."""
    lines = list(SourceText.decode("program.py", text.encode()).lines())
    for span in plan.deletions:
        lines[span.line - 1 : span.end_line] = [""] * (span.end_line - span.line + 1)
        for number in range(span.line - 2, -1, -1):
            if not lines[number].strip().startswith("#"):
                break
            lines[number] = ""
    return "\n".join(lines)


def _lost_lines(text, after, plan):
    """The lines outside all edits and imports that do not stand in the output, in their order."""
    inside = set()
    for edit in plan.edits:
        inside.update(range(edit.span.line, edit.span.end_line + 1))
        if isinstance(edit, InsertBefore):
            inside.update(line for span in edit.absorbs for line in range(span.line, span.end_line + 1))
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            inside.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            # The header of a block that a statement is put into may be laid out anew.
            inside.update(range(node.lineno, node.body[0].lineno + (node.body[0].lineno == node.lineno)))
        elif isinstance(node, ast.stmt) and isinstance(getattr(node, "body", None), list):
            body = node.body
            if body[0].lineno == node.lineno:
                inside.add(node.lineno)
    for node in ast.walk(tree):
        # The comment at the end of a line whose first statement goes moves above what is left of it.
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and node.lineno in inside:
            inside.add(node.end_lineno or node.lineno)
    source = SourceText.decode("program.py", text.encode())
    output = iter(SourceText.decode("program.py", after.encode()).lines())
    missing = []
    for number, line in enumerate(source.lines(), start=1):
        if number in inside or not line.strip() or line.strip().startswith("#"):
            continue
        if not any(_spelled(line) == _spelled(candidate) for candidate in output):
            missing.append(line)
            break
    return missing


def _spelled(line):
    """A line with its indentation in spaces: LibCST spells the lines of a block as the first one is."""
    code = line.lstrip(" \t")
    return line[: len(line) - len(code)].expandtabs() + code


@contextmanager
def _limited(seconds):
    """An exception after some time, so that an endless loop is found too."""

    def stop(number, frame):
        raise _TooLongError(f"not done after {seconds} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
