"""A loop that trains by itself, with a visible ``CheckpointManager`` of all that it trains."""

import ast
import posixpath
from collections.abc import Iterator
from functools import cached_property

from migrate.analysis.arguments import literal
from migrate.analysis.path_searches import called, name_of
from migrate.analysis.resume.called_names import TELLS
from migrate.analysis.resume.counters import handed_on
from migrate.analysis.resume.hand_loops import HandLoop
from migrate.analysis.resume.known_at_loop import Joint
from migrate.analysis.resume.old_way_in import OldWayIn
from migrate.analysis.resume.reach import Reach
from migrate.analysis.resume.trained_in_loop import path_saved
from migrate.edits.plan import InsertAfter, InsertBefore, Part, ReplaceExpression, ReplaceStatement
from migrate.rewrite.old_way_in import OldWayInRewrite
from migrate.rewrite.recovery_directory import directory_of, folder_of, is_new_at_each_start, quoted
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings


class HandLoopRewrite(OldWayInRewrite):
    """The edits of one loop.

    Args:
      reach: the calls of the program, from its file.
      settings: the user's choices.
      vocabulary: names for new code.
      found: the loop.
      way: what is loaded before it.
    """

    def __init__(
        self, reach: Reach, settings: Settings, vocabulary: Vocabulary, found: HandLoop, way: OldWayIn
    ) -> None:
        self.found = found
        super().__init__(reach, settings, vocabulary, way)

    def _rewrite(self) -> None:
        self.pieces = frozenset({"LoopRecovery", "drop_empty_checkpoint_list"})
        where = self._where()
        if where is None:
            self.problem = "where it saves is not known before the loop"
            return
        if is_new_at_each_start(self.reach, where, self.found.loop):
            self.problem = "each start saves under a name of its own, so that none finds what another has saved"
            return
        self.listed = self._not_listed(self.saver.path if self.saver is not None else "")
        if self.problem:
            return
        paths = ((one.module, path_saved(one.call)) for one in self.found.paths)
        where = self._apart(where, [(module, path) for module, path in paths if path is not None])
        self._tell_of_saver()
        self._tell_of_frozen()
        self._tell_of_own_checkpoint()
        self._tell_of_strategy()
        counted = {self.found.epoch, self.found.counter.name if self.found.counter is not None else ""}
        anew = [name for name in handed_on(self.module, self.found.loop) if name not in counted]
        self.notes += [f"`{name}` starts anew after a resume" for name in anew]
        self._renew(self.fit.call)
        self._restore(self.made(where))

    def _where(self) -> str | None:
        """The directory of the recovery, in that of the files that the loop saves."""
        for saved in self.found.paths:
            begin = list(saved.begin)
            new = next((number for number, part in enumerate(begin) if self._is_new(part)), 0)
            if new and not self.way.name:  # each start finds what the others have saved, by what its names begin with
                begin = begin[:new]
            if begin and all(isinstance(part, str) for part in begin):
                texts = ("".join(map(str, one)) for one in _between_joints(begin))
                if path := posixpath.join(*texts):
                    return directory_of(path)
            elif begin:
                return self._joined(begin)
        return None

    def _is_new(self, part: str | tuple[str]) -> bool:
        """Whether each start gives a part of a path another value."""
        return isinstance(part, tuple) and is_new_at_each_start(self.reach, part[0], self.found.loop)

    def _joined(self, parts: list[str | tuple[str]]) -> str:
        """A directory beside a file whose path begins with some parts: another one where one of these is another."""
        join = f"{self.vocabulary.standard('os')}.path.join"
        *folders, last = _between_joints(parts)
        if len(last) > 1 and isinstance(last[-1], str) and last[-1].startswith("/"):
            folders, last = [*folders, last[:-1]], [last[-1][1:]]
        *named, text = [
            _sum([quoted(one) if isinstance(one, str) else one[0] for one in each]) for each in (*folders, last)
        ]
        name = "" if not last else last[0] if len(last) == 1 else None
        if named and isinstance(name, str) and "/" not in name:
            return f"{join}({', '.join([*named, quoted(folder_of(name))])})"
        return self.beside(f"{join}({', '.join([*named, text])})" if named else text)

    def _tell_of_frozen(self) -> None:
        stores = [self.names.parent(one) for one in self.names.stores if getattr(one, "attr", "") == "trainable"]
        frozen = any(isinstance(one, ast.Assign) and literal(one.value) is False for one in stores)
        if frozen and len(self.found.held) > 2 and self.settings.target != "keras2":
            self.notes.append(
                "Keras 3 does not train a model whose `trainable` is set to False after it is compiled, as Keras 2"
                " does: continue such a job on tf_keras or TensorFlow 2.15"
            )

    def _tell_of_strategy(self) -> None:
        if self.found.is_on_choice:
            self.notes.append(
                "under a strategy of several workers, or on a TPU, the recovery does nothing and says so, and the"
                " program's own code resumes as before"
            )

    def _tell_of_own_checkpoint(self) -> None:
        is_held = "train.Checkpoint" in self.module.uses and "restore" in called(self.names)
        if is_held and self.settings.target != "keras2":
            self.notes.append(
                "Keras 3 takes an optimizer's state in a tf.train.Checkpoint of Keras 2 for another, and says nothing:"
                " continue such a job on tf_keras or TensorFlow 2.15"
            )

    @cached_property
    def new_epoch(self) -> str:
        """The variable of a loop that counts its epochs as ``_``."""
        return self.vocabulary.fresh("epoch", self.names.scope_of(self.found.loop))

    def _written_anew(self) -> Iterator[ast.AST]:
        if self.found.begun is not None:
            yield self.found.begun

    def made(self, where: str) -> str:
        """The statements that make the recovery.

        Args:
          where: an expression for its directory.
        """
        tf, made = self.vocabulary.tf, ""
        if not where.startswith('"') and not where.isidentifier():
            directory = self.vocabulary.fresh("recovery_dir", self.names.scope_of(self.found.loop))
            made, where = f"{directory} = {where}\n", directory
        held = ", ".join(f"{name}={text}" for name, text in self.found.held.items())
        checkpoint = f"{tf}.train.Checkpoint({held}, epoch={tf}.Variable(0))"
        manager = f"{tf}.train.CheckpointManager({checkpoint}, {where}, max_to_keep=2)"
        drop, kind = (self.vocabulary.piece(name) for name in ("drop_empty_checkpoint_list", "LoopRecovery"))
        return f"{made}{drop}({where})\n{self.recovery} = {kind}({manager})"

    def _asked(self) -> str:
        asked = [self.way.asked] if self.way.asked else map(self._flag, self.way.flags)
        return " and ".join(dict.fromkeys([*asked, *map(self._flag, self.found.asked)]))

    def _restore(self, made: str) -> None:
        span, text = self.module.span, self.module.source.text
        found, begun, counter = self.found, self.found.begun, self.found.counter
        old = text(found.first, self.listed) if found.first is not None else ""
        old = counter.name if counter is not None and counter.call is None else old
        asked = self._asked()
        given = ", ".join(part for part in (old, f"named={self.way.name}" if self.way.name else "") if part)
        begin = f"{self.recovery}.restore({given})"
        if found.is_read_after and begun is not None:
            made = f"{found.epoch} = {text(begun.args[-1])} - 1\n{made}"
            self.notes.append(f"`{found.epoch}` is set before the loop too, for a start with no epoch left")
        held = self._variable()
        anchor = self._anchor(held) if held else None
        if counter is not None and counter.call is not None:
            self.edits.append(InsertBefore(span(found.loop), made))
            begin += f" if {asked} else {old or 0}" if asked else ""
            numbered = f"{text(counter.call.func)}({text(counter.call.args[0], self.listed)}, {begin})"
            self.edits.append(ReplaceExpression(span(counter.call), numbered))
        elif anchor is not None or begun is None:
            begin = f"{held} = {begin}" if held else begin
            made += "\n" + (f"if {asked}:\n    {begin}" if asked else begin)
            self.edits.append(InsertBefore(span(anchor or found.loop), made))
        else:
            self.edits.append(InsertBefore(span(found.loop), made))
            begin += f" if {asked} else {old or 0}" if asked else ""
            rest = [text(one) for one in (begun.args[1:] if found.first is not None else begun.args)]
            self.edits.append(ReplaceExpression(span(begun), f"{text(begun.func)}({', '.join([begin, *rest])})"))
        if begun is not None and not found.epoch and isinstance(found.loop, ast.For):
            self.edits.append(ReplaceExpression(span(found.loop.target), self.new_epoch))
        for test in found.last:
            left, right = text(test.left), text(test.comparators[0])
            sign = ">=" if counter is not None and left == counter.name else "<="
            self.edits.append(ReplaceExpression(span(test), f"{left} {sign} {right}"))
            self.notes.append(f"`{left} == {right}` becomes {sign}, for a start after the last one")
        for save in found.saves:
            is_own = begun is None or found.epoch
            number = save.number if is_own else save.number.replace("epoch", self.new_epoch, 1)
            self._add(save.after, f"{self.recovery}.save({number})")

    def _add(self, after: ast.stmt, line: str) -> None:
        block = next(value for _, value in ast.iter_fields(self.names.parent(after)) if _holds(value, after))
        if any(one is not after and one.lineno == after.lineno for one in block):  # a; b
            line = f"{self.module.source.text(after, self.listed)}\n{line}"
            self.edits.append(ReplaceStatement(self.module.span(after), (Part(line),)))
        else:
            self.edits.append(InsertAfter(self.module.span(after), line))

    def _variable(self) -> str:
        """The variable that holds what the loop begins at; "" where the range alone is given it."""
        if self.found.counter is not None:
            return self.found.counter.name if self.found.counter.call is None else ""
        first, begun = self.found.first, self.found.begun
        if not isinstance(first, ast.Name) or first.id not in self.names.scope_of(self.found.loop).bindings:
            return ""
        rest = [node for one in begun.args[1:] for node in ast.walk(one)] if begun is not None else []
        if any(isinstance(node, ast.Name) and node.id == first.id for node in rest):
            return ""  # the number of epochs that a start trains is added to it
        return first.id

    def _anchor(self, held: str) -> ast.stmt | None:
        """The statement above which the variable that the loop begins at is given its number."""
        loop = self.found.loop
        scope = self.names.scope_of(loop)
        lines = [getattr(one.node, "lineno", 0) for one in scope.bindings.get(held, [])]
        here = [link.call for link in self.way.links if link.module is self.module]
        loads = [call.lineno for call in here if self.names.scope_of(call) is scope]
        after = max([line for line in lines if line < loop.lineno] + loads, default=0)
        if not lines:
            return loop
        uses = [use for use in self.names.uses(held, scope) if after < use.lineno < loop.lineno]
        others = [use for use in uses if not _tells(self.names.statement_of(use))]
        anchor = self._above(uses, after) or self._above(others, after)
        if anchor is None:
            self.problem = f"line {others[0].lineno} uses `{held}` before the loop"
        return anchor

    def _above(self, uses: list[ast.Name], after: int) -> ast.stmt | None:
        """The statement below a line and above some uses, or else the loop; None where the recovery lacks its parts."""
        loop = self.found.loop
        if not uses:
            return loop
        first = min(use.lineno for use in uses)
        around = [one for one in (loop, *self.names.ancestors(loop)) if isinstance(one, ast.stmt)]
        blocks = [value for one in around for _, value in ast.iter_fields(self.names.parent(one)) if _holds(value, one)]
        above = [one for block in blocks for one in block if after < one.lineno <= first]
        anchor = next((one for one in reversed(above) if (one.end_lineno or 0) >= first), None)
        texts = [*self.found.held.values(), self.way.name]
        roots = {node.id for text in texts if text for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        made = [one for root in roots for one in self.names.scope_of(loop).bindings.get(root, [])]
        is_early = anchor is not None and any(getattr(one.node, "lineno", 0) >= anchor.lineno for one in made)
        return None if is_early else anchor


def _tells(statement: ast.stmt) -> bool:
    """Whether a statement prints or logs, and nothing depends on it: it may tell the number of the old file."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and name_of(call.func) in TELLS


def _between_joints(parts: list[str | tuple[str]]) -> list[list[str | tuple[str]]]:
    """The parts of each argument of ``os.path.join``, with literal text that stands side by side as one."""
    found: list[list[str | tuple[str]]] = [[]]
    for part in parts:
        last = found[-1]
        if isinstance(part, Joint):
            found.append([])
        elif isinstance(part, str) and last and isinstance(last[-1], str):
            last[-1] += part[1:] if last[-1].endswith("/") and part.startswith("/") else part
        elif part:
            last.append(part)
    return [one for number, one in enumerate(found) if one or number == len(found) - 1]


def _sum(texts: list[str]) -> str:
    """A sum of texts, as source, for ``os.path.join``, which takes a ``Path`` too."""
    is_made = len(texts) == 1 and texts[0].startswith("str(")
    return texts[0][len("str(") : -1] if is_made else " + ".join(texts)


def _holds(value: object, statement: ast.stmt) -> bool:
    return isinstance(value, list) and statement in value
