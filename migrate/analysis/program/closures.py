"""Sets of files as the bits of a number: lists of all that each file of a program leads to take the square of it."""

from collections.abc import Callable, Iterable
from itertools import compress

from migrate.analysis.program.facts import Facts


class Numbers:
    """A number for each file, in the order in which they are first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def bits(self, paths: Iterable[str]) -> int:
        """The set of some files."""
        bits = 0
        for path in paths:
            bits |= 1 << self._numbers.setdefault(path, len(self._numbers))
        return bits

    def paths(self, bits: int) -> list[str]:
        """The files of a set, in the order of their numbers."""
        return [*compress(self._numbers, map("1".__eq__, f"{bits:b}"[::-1]))]


class Closures:
    """What files, and all that they lead to, have together."""

    def __init__(self, leads_to: Callable[[str], Iterable[str]], own: Callable[[str], int]) -> None:
        self._leads_to, self._own = leads_to, own
        self._whole: dict[str, int] = {}

    def of(self, paths: Iterable[str]) -> int:
        """What some files have together, with all that they lead to."""
        bits = 0
        for path in paths:
            if path not in self._whole:
                self._search(path)
            bits |= self._whole[path]
        return bits

    def _search(self, start: str) -> None:
        """Adds what a file has and those that it leads to; those of a circle have the same (Tarjan's algorithm)."""
        lowest, order, open_ones = {start: 0}, {start: 0}, [start]
        stack = [(start, iter(self._leads_to(start)))]
        while stack:
            path, following = stack[-1]
            one = next((one for one in following if one not in self._whole), None)
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
                    circle = [path]
                    while (one := open_ones.pop()) != path:
                        circle.append(one)
                    whole = 0
                    for one in circle:
                        whole |= self._own(one)
                        for further in self._leads_to(one):
                            whole |= self._whole.get(further, 0)
                    self._whole |= dict.fromkeys(circle, whole)


class Marks:
    """Those files of a set for which the answer to a question is yes; each file is asked once."""

    def __init__(self, numbers: Numbers, question: Callable[[str], object]) -> None:
        self._numbers, self._question = numbers, question
        self._asked = self._marked = 0

    def of(self, bits: int) -> int:
        """Those of a set that are marked."""
        new = bits & ~self._asked
        if new:
            self._asked |= new
            self._marked |= self._numbers.bits(filter(self._question, self._numbers.paths(new)))
        return bits & self._marked


class FileGraph(Numbers):
    """What files lead to by their imports, and what they tell, in sets of them."""

    def __init__(self, targets: Callable[[str], Iterable[str]], look: Callable[[str], Facts]) -> None:
        super().__init__()
        self.below = Closures(targets, lambda path: self.bits(targets(path)))
        self.matters = Marks(self, lambda path: look(path).matters)
        self.ties = Marks(self, lambda path: look(path).ties)
        self.needs_tf1 = Marks(self, lambda path: look(path).needs_tf1)
        self.has_ambiguous_names = Marks(self, lambda path: look(path).has_ambiguous_names)
