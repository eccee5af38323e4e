"""A recovery for a ``fit`` whose own code that loads and counts stays, for what an old job has saved."""

import ast
import posixpath
from collections.abc import Iterator, Sequence
from functools import cached_property

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import called
from migrate.analysis.paths import template
from migrate.analysis.resume.epochs import grown_total, off_by
from migrate.analysis.resume.flags import is_same_name
from migrate.analysis.resume.listings import listings
from migrate.analysis.resume.old_way_in import OldWayIn
from migrate.analysis.resume.once import runs_again
from migrate.analysis.resume.one_place import is_no_one_place
from migrate.analysis.resume.reach import Reach
from migrate.analysis.resume.savers import (
    given_files,
    is_always_given,
    is_chosen,
    path_known_at,
    text_known_at,
    whole_known_at,
)
from migrate.analysis.resume.turns import has_own_place
from migrate.edits.plan import Edit, InsertBefore, ReplaceExpression
from migrate.rewrite.kept_checkpoint import fit_for_keras3
from migrate.rewrite.recovered_fit import RecoveredFit
from migrate.rewrite.recovery_directory import (
    directory_of,
    folder_of,
    in_folder,
    is_new_at_each_start,
    program_beside,
    quoted,
    with_program,
)
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings


class OldWayInRewrite(RecoveredFit):
    """The edits that put a recovery before what a program resumed by.

    Args:
      reach: the calls of the program, from its file.
      settings: the user's choices.
      vocabulary: names for new code.
      way: how the program resumes by hand.

    Attributes:
      problem: why it cannot be rewritten; "" where it can.
    """

    def __init__(self, reach: Reach, settings: Settings, vocabulary: Vocabulary, way: OldWayIn) -> None:
        super().__init__(reach, settings, vocabulary, way.fit)
        self.way, self.saver, self.problem, self.is_last = way, way.saver, "", way.is_last
        self.pieces |= {"has_checkpoint"} if way.guards else set()
        self._rewrite()

    def _rewrite(self) -> None:
        fit, scope = self.fit, self.names.scope_of(self.fit.call)
        first = min(self.way.guards, key=lambda test: test.lineno, default=fit.statement)
        anchor = statement_beside(self.names, first, fit.statement)
        places = [anchor] if anchor is not None else []
        own = self._directory(self.saver.arguments["filepath"], places) if self.saver is not None else None
        where = own or self._beside_callbacks()
        given = given_files(self.reach, fit) if own is None else []
        saved = [(self.module, self.saver.arguments["filepath"])] if self.saver is not None else []
        given += saved if where is None else []
        if is_new_at_each_start(self.reach, own or '""', fit.call, given):
            self.problem = "each start saves under a name of its own, so that none finds what another has saved"
            return
        if anchor is None or where is None:
            line = min([test.lineno for test in self.way.guards], default=fit.call.lineno)
            self.problem = f"where it saves is not known at line {line}, where the old file is loaded"
            return
        self.problem = is_no_one_place(self.module, self.way) if own is not None else ""
        if self.problem:
            return
        where = self._of_stage(self._apart(where, saved or given))
        again = runs_again(self.module, fit.statement)
        if self.way.name and self.reach.runs_in_turns(self.module, fit.statement):
            again = again or "the function that calls fit runs more than once"
        self.is_last &= not again  # a turn that has ended is not trained again
        if again and not has_own_place(self.reach, fit.statement, where):
            self.problem = again
            return
        path = self.saver.path if self.saver is not None else ""
        self.listed = self._not_listed(path) if self.way.stage < 2 else {}
        if self.problem:
            return
        named = where
        if self.way.guards and not where.startswith('"'):
            named = self.vocabulary.fresh("recovery_dir", scope)
            self.edits.append(InsertBefore(self.module.span(anchor), f"{named} = {where}"))
        self.edits += [self._guarded(test, named) for test in self.way.guards]
        every = {one.call: one for one in [self.saver, *fit.savers] if one is not None and one.path}
        for saver in [one for one in every.values() if one.is_checkpoint]:
            gone, notes = fit_for_keras3(saver, self.settings.target)
            self.change(saver.call, dict.fromkeys(gone))
            self.notes += [note for note in notes if note not in self.notes]
        self._save_as_often()
        self.keep_best()
        self._tell_of_saver()
        self._tell_of_epochs()
        self.append_csv()
        self._restore(self.made(named))

    def _directory(self, path: ast.expr, places: Sequence[ast.stmt]) -> str | None:
        """An expression for the directory of the recovery that means the same at some places.

        Of a file whose name is made where it is saved, such as one that a loop counts, the folder is enough.
        """
        own = in_folder(self.names, path, is_any=self.saver is not None and not self.saver.is_checkpoint)
        texts = [text_known_at(self.module, part, places) for part in own[0]] if own is not None else []
        if own is not None and all(texts):
            return f"{self.vocabulary.standard('os')}.path.join({', '.join(texts)}, {quoted(folder_of(own[1]))})"
        known = path_known_at(self.module, path, places)
        if known is not None:
            text = template(self.names, known, into_parameters=False)
            shown = self.module.source.text(known)
            return self.beside(shown) if text is None or "⟨" in text else self._beside_constant(text, known, shown)
        # Of a path that the program fills in itself, but for the epoch, all that it fills in.
        whole = whole_known_at(self.module, path, places)
        return self.beside(whole) if whole else None

    def _beside_constant(self, text: str, known: ast.expr, shown: str) -> str:
        """The directory beside a file, by the variable that holds its name where that gives it the same name."""
        where = directory_of(text)
        if isinstance(known, ast.Name) and quoted(f"{text}_recovery") == where:
            return f'{shown} + "_recovery"'
        if isinstance(known, ast.Name) and quoted(f"{posixpath.splitext(text)[0]}_recovery") == where:
            return f'{self.vocabulary.standard("os")}.path.splitext({shown})[0] + "_recovery"'
        return where

    def _apart(self, where: str, saved: Sequence[tuple[Module, ast.expr]]) -> str:
        """A directory of the program's own, where another one of the repository saves files of the same name."""
        other = program_beside(self.reach, saved)
        if not other:
            return where
        self.notes.append(
            f"its checkpoints stand apart from those of {self.reach.tree.name(other)}, which saves under the same name"
        )
        return with_program(self.reach, where)

    def _of_stage(self, where: str) -> str:
        """A directory of its own for a later stage."""
        if self.way.stage < 2:
            return where
        end = f"_{self.way.stage}"
        if where.endswith(('"', '")')) and "directory_beside" not in self.pieces:  # of the name's last part
            text, quote, after = where.rpartition('"')
            return f"{text}{end}{quote}{after}"
        return f'{where} + "{end}"'

    def _beside_callbacks(self) -> str | None:
        """The directory beside a file that one of the callbacks knows when the training begins."""
        given = self.fit.arguments.get("callbacks")
        is_saver = self.saver is None or self.saver.is_checkpoint
        if not self.way.over or not is_saver or given is None:
            return None
        if is_chosen(self.module, self.saver.call) if self.saver is not None else not given_files(self.reach, self.fit):
            return None  # a start that makes no ModelCheckpoint would be stopped
        if not is_always_given(self.reach, self.fit):
            return None
        if self.fit.is_one or not isinstance(given, ast.Name | ast.Attribute):  # not to be made twice
            self.named = self.vocabulary.fresh("callbacks", self.names.scope_of(self.fit.call))
        return self.beside(self.named or self.module.source.text(given))

    def _not_listed(self, saved: str) -> dict[ast.expr, str]:
        """What stands for each listing of the directory that would find the new checkpoints in it."""
        found = list(listings(self.module, saved))
        for link in self.way.links:
            if link.module is not self.module and any(listings(link.module, saved, [link.call])):
                self.problem = f"{link.module.path} lists the directory where the new checkpoints would be"
        opened = next((call for call in found if isinstance(self.names.parent(call), ast.withitem)), None)
        if opened is not None:
            self.problem = f"line {opened.lineno} lists the directory where the new checkpoints would be"
        if not found or self.problem:
            return {}
        self.pieces |= {"without_recovery"}
        piece = self.vocabulary.piece("without_recovery")
        texts: dict[ast.expr, str] = {call: f"{piece}({self.module.source.text(call)})" for call in found}
        inside = {node for one in self._written_anew() for node in ast.walk(one)}
        self.edits += [ReplaceExpression(self.module.span(call), texts[call]) for call in found if call not in inside]
        return texts

    def _written_anew(self) -> Iterator[ast.AST]:
        """The code that is not changed in place."""
        yield from self.way.guards
        if self.way.first is not None:
            yield self.way.first

    def _guarded(self, test: ast.expr, where: str) -> Edit:
        text = self.module.source.text(test, self.listed)
        is_or = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)
        text = f"({text})" if is_or or isinstance(test, ast.IfExp | ast.Lambda | ast.NamedExpr) else text
        return ReplaceExpression(
            self.module.span(test), f"{text} and not {self.vocabulary.piece('has_checkpoint')}({where})"
        )

    def _restore(self, made: str) -> None:
        """Makes the recovery before ``fit``, and asks it for the epoch."""
        statement = self.module.span(self.fit.statement)
        if self.named:
            given = self.fit.arguments["callbacks"]
            held = self.module.source.text(given, self.renamed)
            made = f"{self.named} = {f'[{held}]' if self.fit.is_one else held}\n{made}"
        if self.uses_backup:
            self.edits.append(InsertBefore(statement, made))
            self.train(None)
            return
        old = self.way.first
        asked = self._asked()
        found = self.names.scope_of(self.fit.call)
        if isinstance(old, ast.Name) and old.id in found.bindings and not self._keeps_total:
            restored = f"{old.id} = {self.recovery}.restore({self._given(old.id)})"
            restored = f"if {asked}:\n    {restored}" if asked else restored
            self.edits.append(InsertBefore(statement, f"{made}\n{restored}"))
            self.train(None)
            return
        self.edits.append(InsertBefore(statement, made))
        text = self.module.source.text(old, self.listed) if old is not None and literal(old) != 0 else ""
        self.train(f"{self.recovery}.restore({self._given(text)}){f' if {asked} else {text or 0}' if asked else ''}")

    def _given(self, first: str) -> str:
        """The arguments of ``restore``."""
        way = self.way
        named = f"named={way.name}" if way.name else ""
        saved = f"saved={way.after}" if way.after else ""
        after = f"after={way.before}" if way.before else ""
        return ", ".join(part for part in (first, named, saved, after) if part)

    def _asked(self) -> str:
        """What must hold for the recovery to be restored, as source; "" for nothing."""
        return self.way.asked or " and ".join(map(self._flag, self.way.flags))

    def _flag(self, flag: ast.expr) -> str:
        if isinstance(flag, ast.BoolOp):  # of several ways
            return f"({(' or ' if isinstance(flag.op, ast.Or) else ' and ').join(map(self._flag, flag.values))})"
        if isinstance(flag, ast.UnaryOp):
            inner = self._flag(flag.operand)
            return f"not ({inner})" if isinstance(flag.operand, ast.Compare) else f"not {inner}"
        return self.module.source.text(flag)

    def _save_as_often(self) -> None:
        """Keeps the number of batches after which the callback saves."""
        given = (one.arguments.get("save_freq") for one in [self.saver, *self.fit.savers] if one is not None)
        often = next((one for one in given if one is not None and literal(one) != "epoch"), None)
        if often is None:
            return
        names = [node for node in ast.walk(often) if isinstance(node, ast.Name)]
        if self.uses_backup or not all(is_same_name(self.module, name, self.fit.call) for name in names):
            self.notes.append("a run resumes after a whole epoch, also where ModelCheckpoint saved within one")
            return
        self.save_freq = self.module.source.text(often)
        self.notes.append(
            f"saved after {self.save_freq} batches too, as by ModelCheckpoint; an epoch that was interrupted trains as"
            " many batches as it lacks, from the first of its data on"
        )

    def _tell_of_epochs(self) -> None:
        total = grown_total(self.names, self.fit)
        if total is not None:
            text = self.module.source.text(total)
            still = f"is still {text}, with the epoch that the old files tell, and grows with them, as before"
            grows = still if self._keeps_total else f"grows with each start, which trains to {text}"
            self.notes.append(f"the total of epochs {grows}: give fit the total of the whole job")
        off = off_by(self.values, self.module, self.fit, self.saver)
        if off:
            done = "leaves an epoch out" if off > 0 else "trains an epoch twice"
            self.notes.append(
                f"the program's own number {done} once, where it resumes from an old job's file: ModelCheckpoint counts"
                " from 1, so that the number in a file's name is the epoch to begin at"
            )

    @cached_property
    def _keeps_total(self) -> bool:
        """Whether the total of epochs is reckoned from what the old files tell at each start, also with a checkpoint.

        It would grow with each start, also with one that a kill makes, if the recovery's epoch stood in its place.
        """
        if grown_total(self.names, self.fit) is None or not isinstance(self.way.first, ast.Name):
            return False
        stores = [node for node in self.names.nodes(ast.Name) if isinstance(node.ctx, ast.Store)]
        own = [node for node in stores if node.id == self.way.first.id]
        tested = {self.names.statement_of(test) for test in self.way.guards}
        return all(tested.isdisjoint(self.names.ancestors(node)) for node in own)

    def _tell_of_saver(self) -> None:
        if self.saver is None:
            return
        if self.saver.is_checkpoint and is_chosen(self.module, self.saver.call):
            self.notes.append("it saves also where a test keeps the program's ModelCheckpoint from it")
        if "keras.layers.Dropout" in self.module.uses:
            self.notes.append("Dropout's random state is not held")
        if self.settings.target != "keras2":
            self.notes += _of_files(self.names, self.saver.path)


def _of_files(names: Names, path: str) -> list[str]:
    """What Keras 3 does with files of this name that Keras 2 wrote."""
    loads = called(names)
    if path.endswith((".weights.h5", "⟩")) or not path:
        return []
    if "load_model" in loads:
        is_file = path.endswith((".h5", ".hdf5", ".keras"))
        kind, may = ("a whole model", "may not load") if is_file else ("a SavedModel", "does not load")
        name = path.rpartition("/")[2] or path
        return [
            f"Keras 3 {may} {kind} that Keras 2 saved as {name}: continue such a job on tf_keras or TensorFlow 2.15"
        ]
    if "load_weights" in loads and not path.endswith((".h5", ".hdf5")):
        return [
            "Keras 3 does not load weights in TensorFlow's format: continue such a job on tf_keras or TensorFlow 2.15"
        ]
    return []


def statement_beside(names: Names, node: ast.AST, training: ast.stmt) -> ast.stmt | None:
    """The statement around a node that stands in one block with the one around ``fit``."""
    around = [one for one in (node, *names.ancestors(node)) if isinstance(one, ast.stmt)]
    beside = {training, *(one for one in names.ancestors(training) if isinstance(one, ast.stmt))}
    for one in around:
        parent = names.parents.get(one)
        blocks = (
            [value for _, value in ast.iter_fields(parent) if isinstance(value, list)] if parent is not None else []
        )
        if any(one in block and any(other in block for other in beside) for block in blocks):
            return one
    return None
