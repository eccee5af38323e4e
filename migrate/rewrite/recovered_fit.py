"""One ``fit`` with a ``CheckpointManager`` or ``BackupAndRestore`` among its callbacks."""

import ast
from collections.abc import Mapping
from functools import cached_property

from migrate.analysis.arguments import literal
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.flags import is_same_name
from migrate.analysis.resume.reach import Reach
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import FIT, Fit, append_of, made_by
from migrate.analysis.values.values import Values
from migrate.edits.plan import Edit, InsertFirst, SetArgument
from migrate.rewrite.renewed_call import GENERATORS, renewed
from migrate.rewrite.vocabulary import Vocabulary
from migrate.settings import Settings

_STATEFUL = {"keras.callbacks.EarlyStopping": "EarlyStopping", "keras.callbacks.ReduceLROnPlateau": "ReduceLROnPlateau"}


class RecoveredFit:
    """The edits of one ``fit`` that give it a recovery after each epoch.

    Args:
      reach: the calls of the program, from its file.
      settings: the user's choices.
      vocabulary: names for new code.
      fit: the training.

    Attributes:
      edits: the rewrite.
      notes: what the user is to know of it.
      renamed: the new text of callbacks whose list is written elsewhere.
      named: the variable that the callbacks get, where the recovery asks them for the directory; "" for none.
      recovery: the variable that holds the recovery.
      uses_backup: whether that is a ``BackupAndRestore``.
      save_freq: the batches between two saves within an epoch, as source; "" for none.
      is_last: whether no other training of the model comes after it.
      best: the callbacks among which those are that keep the best model, as source; "" for none.
      pieces: the emitted classes that it uses.
    """

    def __init__(self, reach: Reach, settings: Settings, vocabulary: Vocabulary, fit: Fit) -> None:
        module, self.reach, self.values = reach.module, reach, Values(reach.tree)
        self.module, self.names, self.settings, self.vocabulary = module, module.names, settings, vocabulary
        self.fit, self.save_freq, self.is_last = fit, "", True
        self.named = self.best = ""
        self.edits: list[Edit] = []
        self.notes: list[str] = []
        self.renamed: dict[ast.expr, str] = {}
        self.uses_backup = settings.recovery == "backup-and-restore"
        self.pieces = frozenset() if self.uses_backup else frozenset({"EpochRecovery", "drop_empty_checkpoint_list"})

    @cached_property
    def recovery(self) -> str:
        name = "backup" if self.uses_backup else "recovery"
        return self.vocabulary.fresh(name, self.names.scope_of(self.fit.call))

    def beside(self, path: str) -> str:
        """An expression for the directory beside a file, or beside what callbacks save, which are known at run time."""
        self.pieces |= {"directory_beside"}
        return f"{self.vocabulary.piece('directory_beside')}({path})"

    def train(self, first: str | None) -> None:
        """Gives ``fit`` the recovery.

        Args:
          first: what it gets as ``initial_epoch``; None leaves that argument as it is.
        """
        fit, text = self.fit, self.module.source.text
        call = self.module.span(fit.call)
        given = fit.arguments.get("callbacks")
        if self.named:
            value = f"[{self.recovery}, *{self.named}]"
        elif fit.is_one and given is not None:
            value = f"[{self.recovery}, {text(given, self.renamed)}]"
        elif fit.display is None and given is not None:
            made = [one.value or one.node for one in self.names.bound(given)] or [given]
            is_list = all(isinstance(one, ast.List | ast.BinOp | ast.AugAssign) for one in made)  # and no None
            whole = text(given) if isinstance(given, ast.Name | ast.Attribute | ast.Call) else f"({text(given)})"
            value = f"[{self.recovery}, *{whole}]" if is_list else f"[{self.recovery}, *({whole} or [])]"
        elif isinstance(given, ast.Name):
            value = f"[{self.recovery}, *{text(given)}]"
        else:
            value = f"[{self.recovery}]"
        self._renew(fit.call)
        where = GENERATORS.get(fit.call.func.attr, FIT)  # type: ignore[attr-defined]
        if first is not None:
            self.edits.append(SetArgument(call, "initial_epoch", first, where.index("initial_epoch")))
        if isinstance(given, ast.List) and not self.named:
            self.edits.append(InsertFirst(self.module.span(given), self.recovery))
        else:
            self.edits.append(SetArgument(call, "callbacks", value, where.index("callbacks")))

    def _renew(self, training: ast.Call) -> None:
        """Writes a training by the names and arguments that Keras 3 has."""
        edits, notes = renewed(self.module, self.values, training, self.settings.target)
        self.edits += edits
        self.notes += notes

    def change(self, callback: ast.Call, arguments: Mapping[str, str | None], position: int | None = None) -> None:
        """Gives a callback other arguments, or takes some away, also in a list that is written elsewhere."""
        text, given = self.module.source.text, self.fit.arguments.get("callbacks")
        is_anew = self.named or self.fit.is_one
        if is_anew and given is not None and any(node is callback for node in ast.walk(given)):
            rest = [f"{one.arg}={text(one.value)}" for one in callback.keywords if one.arg not in arguments]
            more = [f"{name}={value}" for name, value in arguments.items() if value is not None]
            kept = [*map(text, callback.args[:position]), *rest, *more]
            self.renamed[callback] = f"{text(callback.func)}({', '.join(kept)})"
            return
        where, is_one_line = self.module.span(callback), callback.end_lineno == callback.lineno != self.fit.call.lineno
        for name, value in arguments.items():
            self.edits.append(SetArgument(where, name, value, position, is_one_line and value is not None))

    def keep_best(self) -> None:
        """Gives the recovery the callbacks that keep the best model, or all, where variables hold them."""
        fit, given = self.fit, self.fit.arguments.get("callbacks")
        named = {
            one.call: one.element.id
            for one in fit.savers
            if isinstance(one.element, ast.Name) and is_same_name(self.module, one.element, fit.call)
        }
        if fit.display is not None or fit.is_one:
            made = [one for element in fit.callbacks if (one := made_by(self.names, element)) is not None]
            made += [one.call for one in fit.savers if one.call not in made]  # of several branches
        else:
            files = self.reach.holding("save_best_only") if given is not None else ()
            made = [one for module in files for one in module.names.nodes(ast.Call)]
        best = [one for one in made if _keeps_best(one)]
        is_held = isinstance(given, ast.Name | ast.Attribute) and not fit.is_one
        held = self.named or (self.module.source.text(given) if given is not None and is_held else "")
        if best and not self.uses_backup:
            is_seen = all(one in named for one in best)
            self.best = f"[{', '.join(dict.fromkeys(named[one] for one in best))}]" if is_seen else held
        if best and not self.best:
            self.notes.append(
                "ModelCheckpoint's best value starts anew after a resume: give it initial_value_threshold"
            )

    def append_csv(self) -> None:
        """Lets ``CSVLogger`` append, and tells which callbacks start anew."""
        for element in self.fit.callbacks:
            made = made_by(self.names, element)
            found = symbol_of(self.names, made.func) if made is not None else None
            if made is None or found is None:
                continue
            if found.tail == "keras.callbacks.CSVLogger":
                append = append_of(made)
                if append is None or literal(append) is False:
                    self.change(made, {"append": "True"}, 2)
                    self.notes.append("CSVLogger appends to its file")
                elif literal(append) is not True:
                    text = self.module.source.text(append)
                    self.notes.append(f"CSVLogger empties its file at a start where `{text}` is false")
            elif found.tail in _STATEFUL:
                self.notes.append(f"{_STATEFUL[found.tail]} starts anew after a resume")
        if self.fit.display is None and not self.fit.is_one:
            anew = [name for tail, name in _STATEFUL.items() if tail in self.module.uses]
            self.notes += [f"{name} starts anew after a resume" for name in anew]

    def made(self, where: str) -> str:
        """The statements that make the recovery.

        Args:
          where: an expression for its directory.
        """
        tf = self.vocabulary.tf
        if self.uses_backup:
            options = ", double_checkpoint=True" if self.settings.target == "keras3" else ""
            keras = f"{tf}.keras.callbacks.BackupAndRestore"
            return f"{self.recovery} = {keras}({where}, delete_checkpoint=False{options})"
        model = self.module.source.text(self.fit.receiver)
        batch = f", batch={tf}.Variable(0)" if self.save_freq else ""
        held = f"model={model}, optimizer={model}.optimizer, epoch={tf}.Variable(0){batch}"
        checkpoint = f"{tf}.train.Checkpoint({held})"
        made = ""
        if not where.startswith('"') and not where.isidentifier():  # not to be worked out twice
            directory = self.vocabulary.fresh("recovery_dir", self.names.scope_of(self.fit.call))
            made, where = f"{directory} = {where}\n", directory
        manager = f"{tf}.train.CheckpointManager({checkpoint}, {where}, max_to_keep=2)"
        drop, kind = (self.vocabulary.piece(name) for name in ("drop_empty_checkpoint_list", "EpochRecovery"))
        often = f", save_freq={self.save_freq}" if self.save_freq else ""
        often += "" if self.is_last else ", is_last=False"
        often += f", savers={self.best}" if self.best else ""
        return f"{made}{drop}({where})\n{self.recovery} = {kind}({manager}{often})"


def _keeps_best(callback: ast.Call) -> bool:
    """Whether a call makes a ``ModelCheckpoint`` that keeps the best model; its fourth argument says so too."""
    given = [one.value for one in callback.keywords if one.arg == "save_best_only"]
    given += callback.args[3:4] if name_of(callback.func) == "ModelCheckpoint" else []
    return any(literal(one) is not False for one in given)
