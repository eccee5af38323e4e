"""A loop that trains by itself, with a visible ``CheckpointManager`` of all that it trains."""

import ast
import json
import posixpath
from collections.abc import Iterator
from functools import cached_property

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.resume.hand_loops import HandLoop
from migrate.analysis.resume.old_way_in import OldWayIn
from migrate.analysis.tree import Tree
from migrate.edits.plan import InsertAfter, InsertBefore, Part, ReplaceExpression, ReplaceStatement
from migrate.rewrite.old_way_in import OldWayInRewrite
from migrate.rewrite.recovery_directory import folder_of, is_new_at_each_start
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings


class HandLoopRewrite(OldWayInRewrite):
    """The edits of one loop.

    Args:
      tree: the files around it.
      module: the file.
      settings: the user's choices.
      vocabulary: names for new code.
      found: the loop.
      way: what is loaded before it.
    """

    def __init__(
        self, tree: Tree, module: Module, settings: Settings, vocabulary: Vocabulary, found: HandLoop, way: OldWayIn
    ) -> None:
        self.found = found
        super().__init__(tree, module, settings, vocabulary, way)

    def _rewrite(self) -> None:
        self.pieces = frozenset({"LoopRecovery", "drop_empty_checkpoint_list"})
        where = self._where()
        if where is None:
            self.problem = "where it saves is not known before the loop"
            return
        if is_new_at_each_start(self.names, where, self.found.loop):
            self.problem = "each start saves under a name of its own, so that none finds what another has saved"
            return
        self.listed = self._not_listed(self.saver.path if self.saver is not None else "")
        if self.problem:
            return
        self._tell_of_saver()
        self._tell_of_frozen()
        self._name_anew(self.fit.call)
        self._restore(self.made(where))

    def _where(self) -> str | None:
        """The directory of the recovery, in that of the files that the loop saves."""
        for saved in self.found.paths:
            known = [part if isinstance(part, str) else part[0] for part in saved.begin]
            if not known:
                continue
            if all(isinstance(part, str) for part in saved.begin):
                folder, name = posixpath.split("".join(known))
                if folder or name:
                    return f'"{posixpath.join(folder, folder_of(name))}"'
                continue
            return self._joined(list(saved.begin))
        return None

    def _joined(self, parts: list[str | tuple[str]]) -> str:
        """A directory beside a file whose path begins with some parts."""
        join, name = f"{self.vocabulary.standard('os')}.path", ""
        last = parts[-1]
        if isinstance(last, str):
            folder, slash, name = last.rpartition("/")
            parts = [*parts[:-1], *([folder + slash] if folder + slash else [])]
        texts = [json.dumps(part) if isinstance(part, str) else part[0] for part in parts]
        if len(parts) == 2 and parts[1] == "/":
            return f'{join}.join({texts[0]}, "{folder_of(name)}")'
        whole = " + ".join([*texts, *([json.dumps(name)] if name else [])])
        return f'{join}.join({join}.dirname({whole}), "{folder_of(name)}")'

    def _tell_of_frozen(self) -> None:
        stores = [self.names.parent(one) for one in self.names.stores if getattr(one, "attr", "") == "trainable"]
        frozen = any(isinstance(one, ast.Assign) and literal(one.value) is False for one in stores)
        if frozen and len(self.found.held) > 2 and self.settings.target != "keras2":
            self.notes.append(
                "Keras 3 does not train a model whose `trainable` is set to False after it is compiled, as Keras 2"
                " does: continue such a job on tf_keras or TensorFlow 2.15"
            )

    @cached_property
    def counter(self) -> str:
        """The variable of a loop that counts its epochs as ``_``."""
        return self.vocabulary.fresh("epoch", self.names.scope_of(self.found.loop))

    def _written_anew(self) -> Iterator[ast.AST]:
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

    def _restore(self, made: str) -> None:
        span, text = self.module.span, self.module.source.text
        begun, first = self.found.begun, self.found.first
        old = text(first, self.listed) if first is not None else ""
        asked = " and ".join(self._flag(flag) for flag in self.way.flags)
        given = ", ".join(part for part in (old, f"named={self.way.name}" if self.way.name else "") if part)
        begin = f"{self.recovery}.restore({given})"
        if self.found.is_read_after:
            made = f"{self.found.epoch} = {text(begun.args[-1])} - 1\n{made}"
            self.notes.append(f"`{self.found.epoch}` is set before the loop too, for a start with no epoch left")
        anchor = self._anchor()
        if isinstance(first, ast.Name) and anchor is not None:
            begin = f"{first.id} = {begin}"
            made += "\n" + (f"if {asked}:\n    {begin}" if asked else begin)
            self.edits.append(InsertBefore(span(anchor), made))
        else:
            self.edits.append(InsertBefore(span(self.found.loop), made))
            begin += f" if {asked} else {old or 0}" if asked else ""
            rest = [text(one) for one in (begun.args[1:] if first is not None else begun.args)]
            self.edits.append(ReplaceExpression(span(begun), f"{text(begun.func)}({', '.join([begin, *rest])})"))
        if not self.found.epoch:
            self.edits.append(ReplaceExpression(span(self.found.loop.target), self.counter))
        for save in self.found.saves:
            number = save.number if self.found.epoch else save.number.replace("epoch", self.counter, 1)
            self._add(save.after, f"{self.recovery}.save({number})")

    def _add(self, after: ast.stmt, line: str) -> None:
        block = next(value for _, value in ast.iter_fields(self.names.parent(after)) if _holds(value, after))
        if any(one is not after and one.lineno == after.lineno for one in block):  # a; b
            line = f"{self.module.source.text(after, self.listed)}\n{line}"
            self.edits.append(ReplaceStatement(self.module.span(after), (Part(line),)))
        else:
            self.edits.append(InsertAfter(self.module.span(after), line))

    def _anchor(self) -> ast.stmt | None:
        """The statement above which the variable that the loop begins at is given its number; None for the range."""
        first, loop = self.found.first, self.found.loop
        scope = self.names.scope_of(loop)
        if not isinstance(first, ast.Name) or first.id not in scope.bindings:
            return None
        rest = [node for one in self.found.begun.args[1:] for node in ast.walk(one)]
        if any(isinstance(node, ast.Name) and node.id == first.id for node in rest):
            return None  # the number of epochs that a start trains is added to it
        bound = max(getattr(one.node, "lineno", 0) for one in scope.bindings[first.id])
        here = [link.call for link in self.way.links if link.module is self.module]
        loads = [call.lineno for call in here if self.names.scope_of(call) is scope]
        after = max(bound, *loads, 0)
        between = [use.lineno for use in self.names.uses(first.id, scope) if after < use.lineno < loop.lineno]
        if not between:
            return loop
        block = next(value for _, value in ast.iter_fields(self.names.parent(loop)) if _holds(value, loop))
        above = [one for one in block if after < one.lineno <= min(between)]
        anchor = next((one for one in reversed(above) if (one.end_lineno or 0) >= min(between)), None)
        texts = [*self.found.held.values(), self.way.name]
        roots = {node.id for text in texts if text for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        made = [one for root in roots for one in scope.bindings.get(root, [])]
        if anchor is None or any(getattr(one.node, "lineno", 0) >= anchor.lineno for one in made):
            self.problem = f"line {min(between)} uses `{first.id}` before the loop"
        return anchor


def _holds(value: object, statement: ast.stmt) -> bool:
    return isinstance(value, list) and statement in value
