"""Recovery by hand around ``fit``, taken out, and a ``CheckpointManager`` or ``BackupAndRestore`` in its place."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.fractions import may_be_fraction
from migrate.analysis.module import Module
from migrate.analysis.resume.dissolve import is_used_elsewhere
from migrate.analysis.resume.resumption import Resume
from migrate.analysis.resume.saver_stays import saver_stays, uses
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import FIT, FIT_GENERATOR, made_by
from migrate.edits.plan import Edit, InsertBefore, Part, ReplaceExpression, ReplaceStatement, SetArgument
from migrate.rewrite.callback_list import CallbackList
from migrate.rewrite.kept_checkpoint import fit_for_keras3
from migrate.rewrite.recovery_directory import recovery_directory
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings

_STATEFUL = {"keras.callbacks.EarlyStopping": "EarlyStopping", "keras.callbacks.ReduceLROnPlateau": "ReduceLROnPlateau"}


class EpochRecoveryRewrite:
    """The edits that give one ``fit`` a recovery after each epoch.

    Args:
      module: the file.
      settings: the user's choices.
      vocabulary: names for new code.
      resume: how the program resumes by hand.

    Attributes:
      edits: the rewrite.
      notes: what the user is to know of it.
      pieces: the emitted classes that it uses.
    """

    def __init__(self, module: Module, settings: Settings, vocabulary: Vocabulary, resume: Resume) -> None:
        self.module, self.names, self.settings, self.vocabulary = module, module.names, settings, vocabulary
        self.resume = resume
        self.edits: list[Edit] = []
        self.notes: list[str] = []
        self.callbacks = CallbackList(module, resume.fit, self.edits)
        self.removed: list[ast.stmt] = list(resume.removed)
        self.uses_backup = settings.recovery == "backup-and-restore"
        name = "backup" if self.uses_backup else "recovery"
        self.pieces = frozenset() if self.uses_backup else frozenset({"EpochRecovery", "drop_empty_checkpoint_list"})
        self.recovery = vocabulary.fresh(name, self.names.scope_of(resume.fit.call))
        self._rewrite()

    def _rewrite(self) -> None:
        resume, span = self.resume, self.module.span
        stays = saver_stays(self.module, resume, self._going())
        if stays:
            self.notes += fit_for_keras3(resume.saver, self.callbacks, self.settings.target)
        else:
            self.notes.append("what ModelCheckpoint wrote is not written any more")
            if isinstance(resume.saver.element, ast.Name):
                statement = self.names.statement_of(resume.saver.call)
                self.removed += [statement, *self._named_for(resume.saver.arguments["filepath"], statement)]
        self._append_csv()
        frequency = resume.saver.arguments.get("save_freq")
        if frequency is not None and literal(frequency) != "epoch":
            self.notes.append("what is saved within an epoch is saved at its end now")
        self._train(stays)
        if resume.guard is not None and resume.kept:
            text = "\n".join(self._done_again(statement) for statement in resume.kept)
            self.edits.append(ReplaceStatement(span(resume.guard), (Part(text),)))
        elif resume.guard is not None:
            self.removed.append(resume.guard)
        self._remove_functions()
        self.edits += [ReplaceStatement(span(statement)) for statement in self.removed]
        absorbed = tuple(span(statement) for statement in self.removed)
        self.edits.append(InsertBefore(span(resume.fit.statement), self._made(), absorbed))

    def _named_for(self, path: ast.expr, statement: ast.stmt) -> Iterator[ast.stmt]:
        """The statement that gives a path its name, if nothing else uses the name."""
        going = self._going() | set(ast.walk(statement))
        if isinstance(path, ast.Name) and all(use in going for use in uses(self.module, path)):
            value = self.names.only_value(path)
            if isinstance(value, ast.Constant):
                yield self.names.statement_of(value)

    def _train(self, stays: bool) -> None:
        fit, text = self.resume.fit, self.module.source.text
        call = self.module.span(fit.call)
        given = fit.arguments["callbacks"]
        gone = None if stays else self.resume.saver.element
        if isinstance(given, ast.Name):
            value = f"[{self.recovery}, *{text(given)}]"
            self._take_from_list(given, gone)
        else:
            kept = [self.callbacks.text(element) for element in fit.callbacks if element is not gone]
            value = f"[{', '.join([self.recovery, *kept])}]"
        is_generator = fit.call.func.attr == "fit_generator"  # type: ignore[attr-defined]
        first = None if self.uses_backup else f"{self.recovery}.restore()"
        if first is not None and self.resume.condition is not None:
            first += f" if {text(self.resume.condition)} else 0"
        if is_generator:
            self._fit_instead(value, first)
            return
        for name, whole in self._whole_steps():
            self.edits.append(SetArgument(call, name, whole, FIT.index(name)))
        position = FIT.index("initial_epoch")
        if first is not None or "initial_epoch" in fit.arguments:
            self.edits.append(SetArgument(call, "initial_epoch", first, position))
        self.edits.append(SetArgument(call, "callbacks", value, FIT.index("callbacks")))

    def _fit_instead(self, callbacks: str, first: str | None) -> None:
        """``fit`` for ``fit_generator``, which Keras 3 does not have."""
        fit, text = self.resume.fit, self.module.source.text
        arguments = {name: text(value) for name, value in fit.arguments.items()}
        arguments.update(self._whole_steps(), callbacks=callbacks)
        arguments.pop("initial_epoch", None)
        if first is not None:
            arguments["initial_epoch"] = first
        if self.settings.target != "keras2":
            gone = [name for name in ("max_queue_size", "workers", "use_multiprocessing") if arguments.pop(name, None)]
            if gone:
                self.notes.append(f"{', '.join(gone)} go, which fit of Keras 3 does not take")
        x = arguments.pop("x")
        order = [name for name in (*FIT_GENERATOR, *arguments) if name in arguments]
        written = ", ".join([x, *(f"{name}={arguments[name]}" for name in dict.fromkeys(order))])
        new = f"{text(fit.receiver)}.fit({written})"
        self.edits.append(ReplaceExpression(self.module.span(fit.call), new))

    def _whole_steps(self) -> Iterator[tuple[str, str]]:
        """The numbers of steps that may be floats, which Keras 3 does not count to."""
        for name in ("steps_per_epoch", "validation_steps"):
            value = self.resume.fit.arguments.get(name)
            if value is not None and self.settings.target != "keras2" and may_be_fraction(self.names, value):
                self.notes.append(f"{name} is made an int, which Keras 3 wants")
                yield name, f"int({self.module.source.text(value)})"

    def _take_from_list(self, given: ast.Name, gone: ast.expr | None) -> None:
        display = self.resume.fit.display
        if display is None or (gone is None and not self.callbacks.renamed):
            return
        if gone is None or gone in display.elts:
            kept = [self.callbacks.text(element) for element in display.elts if element is not gone]
            self.edits.append(ReplaceExpression(self.module.span(display), f"[{', '.join(kept)}]"))
        else:
            statement = self.names.statement_of(gone)
            if isinstance(statement, ast.Expr):
                self.removed.append(statement)

    def _append_csv(self) -> None:
        for element in self.resume.fit.callbacks:
            made = made_by(self.names, element)
            found = symbol_of(self.names, made.func) if made is not None else None
            if made is None or found is None:
                continue
            if found.tail == "keras.callbacks.CSVLogger" and not any(k.arg == "append" for k in made.keywords):
                if len(made.args) > 2:
                    continue
                if self.callbacks.holds(made):
                    self.callbacks.write_call(made, made.keywords, "append=True")
                else:
                    self.edits.append(SetArgument(self.module.span(made), "append", "True", 2))
                self.notes.append("CSVLogger appends to its file")
            elif found.tail in _STATEFUL:
                self.notes.append(f"{_STATEFUL[found.tail]} starts anew after a resume")

    def _made(self) -> str:
        where = recovery_directory(self.module, self.vocabulary, self.resume.saver.arguments["filepath"])
        tf = self.vocabulary.tf
        if self.uses_backup:
            options = ", double_checkpoint=True" if self.settings.target == "keras3" else ""
            keras = f"{tf}.keras.callbacks.BackupAndRestore"
            return f"{self.recovery} = {keras}({where}, delete_checkpoint=False{options})"
        model = self.module.source.text(self.resume.fit.receiver)
        checkpoint = f"{tf}.train.Checkpoint(model={model}, optimizer={model}.optimizer, epoch={tf}.Variable(0))"
        made = ""
        if not where.startswith('"'):  # not to be worked out twice
            directory = self.vocabulary.fresh("recovery_dir", self.names.scope_of(self.resume.fit.call))
            made, where = f"{directory} = {where}\n", directory
        manager = f"{tf}.train.CheckpointManager({checkpoint}, {where}, max_to_keep=2)"
        drop, kind = (self.vocabulary.piece(name) for name in ("drop_empty_checkpoint_list", "EpochRecovery"))
        return f"{made}{drop}({where})\n{self.recovery} = {kind}({manager})"

    def _going(self) -> set[ast.AST]:
        """All that goes."""
        return self.resume.gone | {node for statement in self.removed for node in ast.walk(statement)}

    def _remove_functions(self) -> None:
        """Takes functions away that only the removed code called."""
        names = self.names
        top = names.top
        again = True
        while again:
            again = False
            going = self._going()
            for name, bindings in top.bindings.items():
                node = bindings[0].node
                reads = names.uses(name, top)
                if len(bindings) != 1 or not isinstance(node, ast.FunctionDef) or node.decorator_list:
                    continue
                is_left_over = reads and node not in self.removed and all(use in going for use in reads)
                if is_left_over and not is_used_elsewhere(self.module, node):
                    self.removed.append(node)
                    again = True

    def _done_again(self, statement: ast.stmt) -> str:
        """A statement for a start from scratch, as each start can do it: a directory may be there already."""
        text, call = self._dedented(statement), statement.value if isinstance(statement, ast.Expr) else None
        made = self.names.qualified(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and made in ("os.mkdir", "os.makedirs"):
            given = [self.module.source.text(argument) for argument in call.args]
            given += [f"{k.arg}={self.module.source.text(k.value)}" for k in call.keywords if k.arg != "exist_ok"]
            owner = self.vocabulary.standard("os")
            return f"{owner}.makedirs({', '.join(given)}, exist_ok=True)"
        return text

    def _dedented(self, statement: ast.stmt) -> str:
        lines = self.module.source.text(statement).removeprefix("el").split("\n")  # of an elif
        column = statement.col_offset
        return "\n".join([lines[0], *(line[column:] if not line[:column].strip() else line for line in lines[1:])])
