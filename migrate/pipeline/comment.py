"""The comments of ``--todo`` in the new texts of files that were judged together, or of one by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from migrate.files.cells import CellProgram
from migrate.files.sources import NOTEBOOK
from migrate.findings.finding import Finding
from migrate.pipeline.examine import judge_file
from migrate.pipeline.examined import ExaminedFile
from migrate.pipeline.failure import failure_finding, run_guarded
from migrate.rewrite.todo import Texts, add_comments
from migrate.settings import Settings


def comments(files: Sequence[ExaminedFile], texts: Texts, settings: Settings) -> dict[str, str] | Finding:
    """The texts with the comments, or the finding for a mistake of the tool.

    Args:
      files: one file, or those of one group that hold something.
      texts: by their paths, their texts as they would be without comments.
      settings: the user's choices.
    """

    cells: dict[str, CellProgram] = {}
    encodings = {one.path: one.source.encoding for one in files if one.source is not None}

    def find(texts: Texts) -> Mapping[str, list[Finding]]:
        """What is found, in words that each file's encoding can hold: a name of another file may be in any script."""
        return {
            path: [replace(one, message=_encodable(one.message, encodings.get(path, "utf-8"))) for one in found]
            for path, found in found_in_texts(texts).items()
        }

    def found_in_texts(texts: Texts) -> Mapping[str, list[Finding]]:
        group = files[0].group
        if group is not None:
            from migrate.pipeline.multi_file_programs import found_in

            found = found_in(group, texts, settings)
            return found | {path: _by_cells(found[path], own, texts[path]) for path, own in cells.items()}
        (one,) = files
        assert one.source is not None
        source = replace(one.source, text=texts[one.path])
        return {one.path: judge_file(source, settings).findings}

    def with_comments() -> dict[str, str] | Finding:
        judged_texts = dict(texts)
        for path in [path for path in texts if path.endswith(NOTEBOOK)]:
            from migrate.pipeline.notebooks import own_text

            cells[path], judged_texts[path] = own_text(path, texts[path])
        after = add_comments(judged_texts, find)
        return after | {path: _with_cells(path, texts[path], after[path]) for path in cells}

    return run_guarded(with_comments, lambda error: failure_finding(files[0].path, error, "writing comments"))


def _with_cells(path: str, text: str, own: str) -> str:
    from migrate.pipeline.notebooks import with_own_text

    return with_own_text(path, text, own)


def _by_cells(found: list[Finding], cells: CellProgram, text: str) -> list[Finding]:
    """The findings of a notebook's own program, their messages with the lines of its cells."""
    from migrate.pipeline.notebooks import in_cells

    return [replace(one, message=in_cells(one, {one.path: (cells, text)}).message) for one in found]


def _encodable(text: str, encoding: str) -> str:
    return text.encode(encoding, "backslashreplace").decode(encoding)
