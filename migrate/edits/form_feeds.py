"""Form feeds in front of statements, which LibCST drops where it parses them."""

import re

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from migrate.edits.statements import LINE

_IN_FRONT = re.compile(r"[ \t\f]*\f(?=[ \t]*[^\s#])")


def with_form_feeds(module: cst.Module, text: str) -> cst.Module:
    """The module of a text with what LibCST has dropped of it; without, columns in it would be other ones."""
    if "\f" not in text:
        return module
    lines = enumerate(LINE.findall(text), start=1)
    found = {number: match[0] for number, line in lines if (match := _IN_FRONT.match(line))}
    if not found:
        return module
    # LibCST takes the white space of the first line that is indented for that of all, as in each block below.
    module = module.with_changes(default_indent=module.default_indent.rpartition("\f")[2])
    return MetadataWrapper(module, unsafe_skip_copy=True).visit(_FormFeeds(found))


class _FormFeeds(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, found: dict[int, str]) -> None:
        super().__init__()
        self.found = found

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        if hasattr(updated_node, "leading_lines"):
            space = self.found.pop(self.get_metadata(PositionProvider, original_node).start.line, None)
            if space is not None:
                # A line without an end stands right in front of the statement.
                line = cst.EmptyLine(indent=False, whitespace=cst.SimpleWhitespace(space), newline=cst.Newline(""))
                return updated_node.with_changes(leading_lines=[*updated_node.leading_lines, line])
        if isinstance(updated_node, cst.IndentedBlock) and "\f" in (updated_node.indent or ""):
            return updated_node.with_changes(indent=(updated_node.indent or "").rpartition("\f")[2])
        return updated_node
