"""Trees of files, and what a run makes of them."""

from migrate.pipeline.run import run
from migrate.settings import Settings


def put(root, files):
    """Writes files by their paths below a directory, which it returns."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def outcome_of(*paths, jobs=1, **settings):
    """Runs the codemod over files and directories, in this process; nothing is written."""
    return run([str(path) for path in paths], Settings(**settings), jobs=jobs, progress=None)


def whole(*paths, **settings):
    """As ``outcome_of``, of programs that are migrated whole."""
    outcome = outcome_of(*paths, **settings)
    assert [finding.message for finding in outcome.findings if not finding.rewritten] == []
    return outcome
