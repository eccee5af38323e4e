"""Which lines of two texts are the same, in a time that grows with the texts and not with their square.

``SequenceMatcher`` compares a line with every line that is equal to it, so that 16,000 equal lines take half a minute.
Here the lines that stand once in both texts come first, then the equal ones next to these; it sees what is left.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

CONTEXT = 3
"""How many equal lines a diff shows around a change."""
Opcode = tuple[str, int, int, int, int]
"""What becomes of some lines, as ``SequenceMatcher.get_opcodes`` says it: a word, and from where to where in both."""
_Block = tuple[int, int, int]
"""Where some equal lines begin in both texts, and how many they are."""


class _Matcher(SequenceMatcher[Any]):
    def __init__(self, old: Sequence[Any], new: Sequence[Any]) -> None:
        super().__init__(None, (), ())
        self.a, self.b = old, new

    def get_opcodes(self) -> Any:
        return [*opcodes(self.a, self.b)]


def hunks_of(old: Sequence[Any], new: Sequence[Any], context: int) -> Iterable[list[Opcode]]:
    """The changes with so many equal lines around them, in one list those that have some of these in common: a hunk."""
    return _Matcher(old, new).get_grouped_opcodes(context)


def place(hunk: list[Opcode]) -> str:
    """Where a hunk stands in both texts, as its header says it: ``-3,7 +3,8``."""
    return f"-{_line_count(hunk[0][1], hunk[-1][2])} +{_line_count(hunk[0][3], hunk[-1][4])}"


def signed_lines(hunk: list[Opcode], old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The lines of a hunk, each with its sign."""
    for tag, start, end, new_start, new_end in hunk:
        if tag == "equal":
            yield from ((" ", line) for line in old[start:end])
        else:
            yield from (("-", line) for line in old[start:end])
            yield from (("+", line) for line in new[new_start:new_end])


def unified_lines(old: Sequence[str], new: Sequence[str], old_name: str, new_name: str) -> Iterator[str]:
    """The lines of a unified diff, without their ends; nothing where the texts are equal."""
    for number, hunk in enumerate(hunks_of(old, new, CONTEXT)):
        if not number:
            yield from (f"--- {old_name}", f"+++ {new_name}")
        yield f"@@ {place(hunk)} @@"
        yield from (f"{sign}{line}" for sign, line in signed_lines(hunk, old, new))


def _line_count(start: int, end: int) -> str:
    """Lines ``start`` to ``end`` as a hunk's header counts them: from 1, or the line before where there are none."""
    length = end - start
    return f"{start + 1 if length else start}" + ("" if length == 1 else f",{length}")


def opcodes(old: Sequence[Any], new: Sequence[Any]) -> Iterator[Opcode]:
    """How the lines of one text become those of another, in the form of ``SequenceMatcher.get_opcodes``."""
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
    """The blocks without those that are empty, but for the last, and each with those that follow it at once."""
    begun = blocks[0]
    for start, new_start, size in blocks[1:]:
        if (start, new_start) == (begun[0] + begun[2], begun[1] + begun[2]):
            begun = begun[0], begun[1], begun[2] + size
            continue
        if begun[2]:
            yield begun
        begun = start, new_start, size
    yield begun


def _blocks(old: Sequence[Any], new: Sequence[Any]) -> Iterator[_Block]:
    here, there = 0, 0
    for start, new_start in [*_anchors(old, new), (len(old), len(new))]:
        yield from _between(old, new, (here, start), (there, new_start))
        if start < len(old):
            yield start, new_start, 1
        here, there = start + 1, new_start + 1


def _between(old: Sequence[Any], new: Sequence[Any], own: tuple[int, int], other: tuple[int, int]) -> Iterator[_Block]:
    """The equal lines of a part of each text, without those that the other one lacks: the same begin, the same end."""
    known, new_known = {*old[slice(*own)]}, {*new[slice(*other)]}
    at = [place for place in range(*own) if old[place] in new_known]
    new_at = [place for place in range(*other) if new[place] in known]
    shorter = min(len(at), len(new_at))
    begins = next((n for n in range(shorter) if old[at[n]] != new[new_at[n]]), shorter)
    rest = shorter - begins
    ends = next((n for n in range(1, rest + 1) if old[at[-n]] != new[new_at[-n]]), rest + 1) - 1
    middle, new_middle = at[begins : len(at) - ends], new_at[begins : len(new_at) - ends]
    yield from ((at[n], new_at[n], 1) for n in range(begins))
    lines, new_lines = [old[place] for place in middle], [new[place] for place in new_middle]
    found = (
        SequenceMatcher(None, lines, new_lines, autojunk=False).get_matching_blocks() if middle and new_middle else []
    )
    yield from ((middle[one.a + n], new_middle[one.b + n], 1) for one in found for n in range(one.size))
    yield from ((at[-n], new_at[-n], 1) for n in range(ends, 0, -1))


def _anchors(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[int, int]]:
    """The lines that stand once in both texts, as many of them as keep their order."""
    often, new_often = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new) if new_often[line] == 1}
    pairs = [(place, places[line]) for place, line in enumerate(old) if often[line] == 1 and line in places]
    heads: list[int] = []  # by the length of a chain, the least place that one ends at
    chains: list[Any] = []  # that chain, each pair with the chain before it
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
