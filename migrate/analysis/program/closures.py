"""Sets of files as bits of an integer, because a list of imported files for each file would grow quadratically."""

from collections.abc import Callable, Iterable
from itertools import compress

from migrate.analysis.program.facts import Facts


class FileNumbers:
    """FileNumbers files in the order in which they first occur."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def bits(self, paths: Iterable[str]) -> int:
        """Returns the set of some files."""
        bits = 0
        for path in paths:
            bits |= 1 << self._numbers.setdefault(path, len(self._numbers))
        return bits

    def paths(self, bits: int) -> list[str]:
        """Returns the files of a set, in the order of their numbers."""
        return [*compress(self._numbers, map("1".__eq__, f"{bits:b}"[::-1]))]


class Closures:
    """The union of the bits of ``own`` over files and all files that they lead to."""

    def __init__(self, leads_to: Callable[[str], Iterable[str]], own: Callable[[str], int]) -> None:
        self._leads_to, self._own = leads_to, own
        self._unions: dict[str, int] = {}

    def union(self, paths: Iterable[str]) -> int:
        """Returns the union over some files and all that they lead to."""
        bits = 0
        for path in paths:
            if path not in self._unions:
                self._search(path)
            bits |= self._unions[path]
        return bits

    def _search(self, start: str) -> None:
        """Computes the union for a file; the files of a cycle have the same union (Tarjan's algorithm)."""
        lowest, order, open_ones = {start: 0}, {start: 0}, [start]
        stack = [(start, iter(self._leads_to(start)))]
        while stack:
            path, following = stack[-1]
            one = next((one for one in following if one not in self._unions), None)
            if one is not None and one not in order:
                lowest[one] = order[one] = len(order)
                open_ones.append(one)
                stack.append((one, iter(self._leads_to(one))))
            elif one is not None:
                lowest[path] = min(lowest[path], order[one])
            else:
                stack.pop()
                if stack:
                    lowest[stack[-1][0]] = min(lowest[stack[-1][0]], lowest[path])
                if lowest[path] == order[path]:
                    cycle = [path]
                    while (one := open_ones.pop()) != path:
                        cycle.append(one)
                    union = 0
                    for one in cycle:
                        union |= self._own(one)
                        for further in self._leads_to(one):
                            union |= self._unions.get(further, 0)
                    self._unions |= dict.fromkeys(cycle, union)


class FileFilter:
    """The files for which a predicate is true; each file is tested once."""

    def __init__(self, numbers: FileNumbers, predicate: Callable[[str], object]) -> None:
        self._numbers, self._predicate = numbers, predicate
        self._tested = self._matching = 0

    def select(self, bits: int) -> int:
        """Returns the files of a set for which the predicate is true."""
        new = bits & ~self._tested
        if new:
            self._tested |= new
            self._matching |= self._numbers.bits(filter(self._predicate, self._numbers.paths(new)))
        return bits & self._matching


class FileGraph(FileNumbers):
    """The files that files import, and the files with certain facts, as sets."""

    def __init__(self, targets: Callable[[str], Iterable[str]], look: Callable[[str], Facts]) -> None:
        super().__init__()
        self.imported_files = Closures(targets, lambda path: self.bits(targets(path)))
        self.relevant_files = FileFilter(self, lambda path: look(path).is_relevant)
        self.tying_files = FileFilter(self, lambda path: look(path).ties)
        self.tf1_files = FileFilter(self, lambda path: look(path).needs_tf1)
        self.ambiguous_files = FileFilter(self, lambda path: look(path).has_ambiguous_names)
