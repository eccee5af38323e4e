"""Compares the lines of two texts in a time that grows with their length and not with its square.

``SequenceMatcher`` compares a line with every equal line, so that 16,000 equal lines take half a minute. Here lines
that occur once in each text are matched first, then equal lines next to these; ``SequenceMatcher`` gets the rest.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

CONTEXT = 3
"""How many equal lines a diff shows around a change."""
Opcode = tuple[str, int, int, int, int]
"""A tag and the range of lines in each text, as from ``SequenceMatcher.get_opcodes``."""
_Range = tuple[int, int]
_Block = tuple[int, int, int]
"""The first of some equal lines in each text, and their number."""


class _Matcher(SequenceMatcher[Any]):
    def __init__(self, old: Sequence[Any], new: Sequence[Any]) -> None:
        super().__init__(None, (), ())
        self.a, self.b = old, new

    def get_opcodes(self) -> Any:
        return [*opcodes(self.a, self.b)]


def diff_hunks(old: Sequence[Any], new: Sequence[Any], context: int) -> Iterable[list[Opcode]]:
    """Returns the hunks of a diff: changes with ``context`` equal lines around them, joined if these overlap."""
    return _Matcher(old, new).get_grouped_opcodes(context)


def hunk_place(hunk: list[Opcode]) -> str:
    """Returns the place of a hunk in both texts as in its header: ``-3,7 +3,8``."""
    return f"-{_line_count(hunk[0][1], hunk[-1][2])} +{_line_count(hunk[0][3], hunk[-1][4])}"


def signed_lines(hunk: list[Opcode], old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yields the lines of a hunk, each with its sign: a space, ``-`` or ``+``."""
    for tag, start, end, new_start, new_end in hunk:
        if tag == "equal":
            yield from ((" ", line) for line in old[start:end])
        else:
            yield from (("-", line) for line in old[start:end])
            yield from (("+", line) for line in new[new_start:new_end])


def unified_lines(old: Sequence[str], new: Sequence[str], old_name: str, new_name: str) -> Iterator[str]:
    """Yields the lines of a unified diff without their ends; nothing if the texts are equal."""
    for number, hunk in enumerate(diff_hunks(old, new, CONTEXT)):
        if not number:
            yield from (f"--- {old_name}", f"+++ {new_name}")
        yield f"@@ {hunk_place(hunk)} @@"
        yield from (f"{sign}{line}" for sign, line in signed_lines(hunk, old, new))


def _line_count(start: int, end: int) -> str:
    """Returns a range of lines as in a hunk's header, counted from 1; an empty range names the line before it."""
    length = end - start
    return f"{start + 1 if length else start}" + ("" if length == 1 else f",{length}")


def opcodes(old: Sequence[Any], new: Sequence[Any]) -> Iterator[Opcode]:
    """Yields the opcodes that turn one text into another, as from ``SequenceMatcher.get_opcodes``."""
    here, there = 0, 0
    for start, new_start, size in _join_blocks([*_blocks(old, new), (len(old), len(new), 0)]):
        tags = {(True, True): "replace", (True, False): "delete", (False, True): "insert"}
        tag = tags.get((here < start, there < new_start))
        if tag is not None:
            yield tag, here, start, there, new_start
        if size:
            yield "equal", start, start + size, new_start, new_start + size
        here, there = start + size, new_start + size


def _join_blocks(blocks: Sequence[_Block]) -> Iterator[_Block]:
    """Yields the blocks with adjacent ones joined and empty ones left out, except the last one."""
    joined = blocks[0]
    for start, new_start, size in blocks[1:]:
        if (start, new_start) == (joined[0] + joined[2], joined[1] + joined[2]):
            joined = joined[0], joined[1], joined[2] + size
            continue
        if joined[2]:
            yield joined
        joined = start, new_start, size
    yield joined


def _blocks(old: Sequence[Any], new: Sequence[Any]) -> Iterator[_Block]:
    here, there = 0, 0
    for start, new_start in [*_anchors(old, new), (len(old), len(new))]:
        yield from _blocks_between(old, new, (here, start), (there, new_start))
        if start < len(old):
            yield start, new_start, 1
        here, there = start + 1, new_start + 1


def _blocks_between(old: Sequence[Any], new: Sequence[Any], own: _Range, other: _Range) -> Iterator[_Block]:
    """Yields the equal lines in a range of each text, after a removal of those that the other range lacks."""
    known, new_known = {*old[slice(*own)]}, {*new[slice(*other)]}
    at = [index for index in range(*own) if old[index] in new_known]
    new_at = [index for index in range(*other) if new[index] in known]
    shorter = min(len(at), len(new_at))
    begins = next((n for n in range(shorter) if old[at[n]] != new[new_at[n]]), shorter)
    rest = shorter - begins
    ends = next((n for n in range(1, rest + 1) if old[at[-n]] != new[new_at[-n]]), rest + 1) - 1
    middle, new_middle = at[begins : len(at) - ends], new_at[begins : len(new_at) - ends]
    yield from ((at[n], new_at[n], 1) for n in range(begins))
    lines, new_lines = [old[index] for index in middle], [new[index] for index in new_middle]
    found = (
        SequenceMatcher(None, lines, new_lines, autojunk=False).get_matching_blocks() if middle and new_middle else []
    )
    yield from ((middle[one.a + n], new_middle[one.b + n], 1) for one in found for n in range(one.size))
    yield from ((at[-n], new_at[-n], 1) for n in range(ends, 0, -1))


def _anchors(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[int, int]]:
    """Returns pairs of lines that occur once in each text: the longest sequence of them in the same order."""
    often, new_often = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new) if new_often[line] == 1}
    pairs = [(place, places[line]) for place, line in enumerate(old) if often[line] == 1 and line in places]
    heads: list[int] = []  # at index n, the smallest end of a chain of n + 1 pairs
    chains: list[Any] = []  # at index n, that chain: its last pair and the chain before it
    for place, new_place in pairs:
        at = bisect_left(heads, new_place)
        heads[at : at + 1] = [new_place]
        chains[at : at + 1] = [((place, new_place), chains[at - 1] if at else None)]
    found: list[tuple[int, int]] = []
    chain = chains[-1] if chains else None
    while chain is not None:
        pair, chain = chain
        found.append(pair)
    return found[::-1]
