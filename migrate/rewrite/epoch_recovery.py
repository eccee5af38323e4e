"""Recovery by hand around ``fit``, taken out, and a ``CheckpointManager`` or ``BackupAndRestore`` in its place."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.resume.dissolve import is_used_elsewhere
from migrate.analysis.resume.resumption import Resume
from migrate.analysis.resume.saver_stays import saver_stays
from migrate.analysis.trainings import FIT
from migrate.analysis.tree import Tree
from migrate.edits.plan import InsertBefore, Part, ReplaceStatement, SetArgument
from migrate.rewrite.kept_checkpoint import fit_for_keras3
from migrate.rewrite.recovered_fit import RecoveredFit
from migrate.rewrite.recovery_directory import recovery_directory
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings


class EpochRecoveryRewrite(RecoveredFit):
    """The edits that give one ``fit`` a recovery after each epoch.

    Args:
      tree: the files around it.
      module: the file.
      settings: the user's choices.
      vocabulary: names for new code.
      resume: how the program resumes by hand.
    """

    def __init__(self, tree: Tree, module: Module, settings: Settings, vocabulary: Vocabulary, resume: Resume) -> None:
        super().__init__(tree, module, settings, vocabulary, resume.fit)
        self.resume = resume
        self.removed += resume.removed
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
        self.append_csv()
        frequency = resume.saver.arguments.get("save_freq")
        if frequency is not None and literal(frequency) != "epoch":
            self.notes.append("what is saved within an epoch is saved at its end now")
        self._train(None if stays else resume.saver.element)
        if resume.guard is not None and resume.kept:
            text = "\n".join(self._done_again(statement) for statement in resume.kept)
            self.edits.append(ReplaceStatement(span(resume.guard), (Part(text),)))
        elif resume.guard is not None:
            self.removed.append(resume.guard)
        self._remove_functions()
        self.edits += [ReplaceStatement(span(statement)) for statement in self.removed]
        absorbed = tuple(span(statement) for statement in self.removed)
        where = recovery_directory(self.module, self.vocabulary, resume.saver.arguments["filepath"])
        self.edits.append(InsertBefore(span(resume.fit.statement), self.made(where), absorbed))

    def _train(self, gone: ast.expr | None) -> None:
        fit = self.resume.fit
        if self.uses_backup:
            if fit.arguments.pop("initial_epoch", None) is not None:
                position = FIT.index("initial_epoch")
                self.edits.append(SetArgument(self.module.span(fit.call), "initial_epoch", None, position))
            self.train(None, gone)
            return
        asked = self.resume.condition
        is_asked = f" if {self.module.source.text(asked)} else 0" if asked is not None else ""
        self.train(f"{self.recovery}.restore(){is_asked}", gone)

    def _named_for(self, path: ast.expr, statement: ast.stmt) -> Iterator[ast.stmt]:
        """The statement that gives a path its name, if nothing else uses the name."""
        going = self._going() | set(ast.walk(statement))
        if isinstance(path, ast.Name) and all(use in going for use in self.names.reads_of(path)):
            value = self.names.only_value(path)
            if isinstance(value, ast.Constant):
                yield self.names.statement_of(value)

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
