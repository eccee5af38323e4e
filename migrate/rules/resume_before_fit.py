"""FT201 · load_weights or load_model before fit, from the path that ModelCheckpoint writes

Recovery by hand: weights (without the optimizer's state) or a model are loaded before ``fit`` from the very file that
the program's own ``ModelCheckpoint`` writes, behind a test whether there is one, a ``try``, or a search for the newest
file; ``initial_epoch`` is worked out from the file's name. Or the callback loads it itself, by
``load_weights_on_restart=True``.

Instead: ``EpochRecovery`` around a visible ``tf.train.CheckpointManager``: it saves model, optimizer and epoch after
each epoch, in a directory of its own, and ``fit`` goes on at ``initial_epoch=recovery.restore()``. A flag such as
``args.resume`` still decides. With ``--recovery backup-and-restore`` it is ``BackupAndRestore``. The load, what
searches for its file, and imports and functions that nothing else uses go. A ``ModelCheckpoint`` that keeps the best
model, or whose file something else reads, stays; the arguments that Keras 3 refuses go, and with ``--target keras3``
its file gets a suffix that Keras 3 takes; without it the finding says so, since other programs may read it.
``CSVLogger`` gets ``append=True``.

A load in another function than ``fit``, and an ``initial_epoch`` that is worked out from what was loaded elsewhere, are
found and left.

Left alone, without a finding: callbacks that only save, weights from elsewhere, a load after or between trainings, and
``initial_epoch`` as a number.

Fidelity: noted. The optimizer's state is recovered too. ``epochs`` is the total over all starts, where a program
without ``initial_epoch`` trained that many more at each start; a finished job that is started again trains nothing, and
its ``history`` is empty. Weights that the old program saved are not read. The state of ``EarlyStopping`` and
``ReduceLROnPlateau`` starts anew. On Keras 3 a subclassed model must be built before ``fit``
(``model.build(input_shape)``), which says so at the start; ``BackupAndRestore`` needs that of every model there, so
that a ``Sequential`` that is seen to tell no shape is left, and a kill during its save can leave a job that cannot
start again.

See: tf.keras.callbacks.ModelCheckpoint, tf.keras.callbacks.BackupAndRestore, tf.train.CheckpointManager.
"""

import ast
import posixpath
import re
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.built import is_unbuilt
from migrate.analysis.dissolve import Resume
from migrate.analysis.paths import directory, is_written_to, template
from migrate.analysis.resume import resumptions
from migrate.analysis.resume_elsewhere import counted, loaded_by_function
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import FIT, FIT_GENERATOR, is_on_workers, made_by
from migrate.rewrite.plan import Edit, InsertBefore, Part, ReplaceExpression, ReplaceStatement, SetArgument
from migrate.rewrite.precedence import ARGUMENT, stands_alone, strength
from migrate.rules.rule import Example, Mend, Workbench, manual, noted, site_rule

_HELP = (
    "Save model, optimizer and epoch by tf.train.CheckpointManager, or give fit a BackupAndRestore callback, instead"
    " of loading what ModelCheckpoint wrote."
)
_KERAS3_SUFFIX = {True: ".weights.h5", False: ".keras"}
_SUFFIX = re.compile(r"(\.weights)?\.(h5|hdf5|ckpt|tf|keras|index|cpkt)$")
_GONE = ("load_weights_on_restart", "period", "options")
_READERS = {"load_weights", "load_model", "copy", "open", "latest_checkpoint"}
_STATEFUL = {"keras.callbacks.EarlyStopping": "EarlyStopping", "keras.callbacks.ReduceLROnPlateau": "ReduceLROnPlateau"}

_WEIGHTS = """\
import os
import tensorflow as tf

path = "./checkpoint/mnist.ckpt"
model = build()
if os.path.exists(path + ".index"):
    print("load the model")
    model.load_weights(path)
callback = tf.keras.callbacks.ModelCheckpoint(filepath=path, save_weights_only=True{})
model.fit(x, y, epochs=5, callbacks=[callback])
"""
_EPOCH = """\
import glob
import os
import re
from keras.callbacks import CSVLogger, ModelCheckpoint


def newest(directory):
    files = glob.glob(os.path.join(directory, "*.h5"))
    return max(files, key=os.path.getctime) if files else None


def main(args, model):
    initial_epoch = 0
    latest = newest(args.dir)
    if args.resume and latest is not None:
        model.load_weights(latest)
        initial_epoch = int(re.findall("[0-9]+", latest)[-1])
    saver = ModelCheckpoint(os.path.join(args.dir, "w-{epoch:02d}.h5"), save_weights_only=True)
    model.fit_generator(batches, 10, 5, callbacks=[saver, CSVLogger("log.csv")], initial_epoch=initial_epoch)
"""
_ITSELF = """\
import tensorflow as tf

model = build()
saver = tf.keras.callbacks.ModelCheckpoint("w/{epoch}", load_weights_on_restart=True)
model.fit(x, y, callbacks=[saver])
"""
_MADE = """\
import tensorflow as tf


def made(params):
    model = build()
    newest = tf.train.latest_checkpoint(params.dir)
    if newest is not None:
        model.load_weights(newest).expect_partial()
    return model


def callbacks(params):
    yield tf.keras.callbacks.ModelCheckpoint(filepath=params.dir + "/{epoch}", save_weights_only=True)


def train(params):
    model = made(params)
    model.fit(x, y, callbacks=list(callbacks(params)))
"""
_ELSEWHERE = """\
from resuming import restore_ckpt

model = build()
first = restore_ckpt(model, directory) // steps
model.fit(x, initial_epoch=first)
"""
_PARSED = """\
import re
import keras


class Job:
    def begin(self, path):
        self.epoch = int(re.match("w-([0-9]+)", path).group(1)) + 1

    def train(self):
        saver = keras.callbacks.ModelCheckpoint(self.path, save_weights_only=True)
        self.model.fit_generator(batches, initial_epoch=self.epoch, callbacks=[saver])
"""


@site_rule(
    "FT201",
    "noted",
    Example(_WEIGHTS.format(""), "callbacks=[recovery], initial_epoch=recovery.restore()", "module"),
    Example(_WEIGHTS.format(", save_best_only=True"), "callbacks=[recovery, callback]", "module"),
    Example(
        _WEIGHTS.format(""),
        'backup = tf.keras.callbacks.BackupAndRestore("./checkpoint/mnist_recovery", delete_checkpoint=False)',
        "module",
        recovery="backup-and-restore",
    ),
    Example(
        _WEIGHTS.format("").replace("build()", "tf.keras.Sequential([tf.keras.layers.Dense(1)])"),
        None,
        "module",
        recovery="backup-and-restore",
    ),
    Example(_EPOCH, "initial_epoch=recovery.restore() if args.resume else 0", "module"),
    Example(_EPOCH.replace("initial_epoch)", "initial_epoch + args.more)"), None, "module"),
    Example(_ITSELF, "callbacks=[recovery]", "module"),
    Example(_MADE, None, "module"),
    Example(_ELSEWHERE, None, "module"),
    Example(_PARSED, None, "module"),
)
def resume_before_fit(bench: Workbench) -> Iterator[Mend]:
    for resume in resumptions(bench.module):
        reason = resume.problem or _problem(bench, resume)
        if reason:
            how = (
                "ModelCheckpoint loads what it saved"
                if resume.guard is None
                else "what ModelCheckpoint wrote is loaded"
            )
            message = f"{how} to resume training, and {reason}"
            yield Mend((manual(resume.load, message, _HELP),))
        else:
            yield _Rewrite(bench, resume).mend()
    found = list(resumptions(bench.module))
    for call in counted(bench.module):
        if all(call is not resume.fit.call for resume in found):
            message = "initial_epoch is worked out by the program, which resumes by hand in a way that is not followed"
            yield Mend((manual(call, message, _HELP),))
    for load in loaded_by_function(bench.module):
        if all(load is not resume.load for resume in found):
            message = (
                "the model that fit trains is made in a function that loads the newest of what ModelCheckpoint wrote"
            )
            yield Mend((manual(load, message, _HELP),))


def _uses_backup(bench: Workbench) -> bool:
    return bench.settings.recovery == "backup-and-restore"


def _problem(bench: Workbench, resume: Resume) -> str:
    fit, saver = resume.fit, resume.saver
    if is_on_workers(bench.module):
        return "fit runs on several workers"
    if saver.subclass is not None:
        return f"`{saver.subclass.name}` is a subclass of ModelCheckpoint, whose own code may matter"
    if resume.condition is not None and _uses_backup(bench):
        return "BackupAndRestore resumes without asking for a flag"
    if (
        _uses_backup(bench)
        and bench.settings.target != "keras2"
        and is_unbuilt(bench.module, fit.receiver, resume.gone)
    ):
        return "BackupAndRestore raises on Keras 3 without a tf.keras.Input(shape) first among the model's layers"
    if not isinstance(fit.statement, ast.Expr | ast.Assign | ast.Return | ast.AnnAssign):
        return "fit does not stand in a statement of its own"
    if fit.display is None or fit.arguments.get("callbacks") is None:
        return "its callbacks are not a list of this file"
    if fit.call.args and len(fit.call.args) > 5 and fit.call.func.attr == "fit":  # type: ignore[attr-defined]
        return "fit gets its callbacks by position"
    return ""


class _Rewrite:
    def __init__(self, bench: Workbench, resume: Resume) -> None:
        self.bench, self.resume = bench, resume
        self.module, self.names = bench.module, bench.module.names
        self.edits: list[Edit] = []
        self.notes: list[str] = []
        self.renamed: dict[ast.expr, str] = {}  # what changes inside the list of callbacks
        self.removed: list[ast.stmt] = list(resume.removed)
        self.uses_backup = _uses_backup(bench)
        name = "backup" if self.uses_backup else "recovery"
        self.recovery = bench.vocabulary.fresh(name, self.names.scope_of(resume.fit.call))

    def mend(self) -> Mend:
        resume, span = self.resume, self.module.span
        stays = self._saver_stays()
        if stays:
            self._fit_for_keras3()
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
            text = "\n".join(self._dedented(statement) for statement in resume.kept)
            self.edits.append(ReplaceStatement(span(resume.guard), (Part(text),)))
        elif resume.guard is not None:
            self.removed.append(resume.guard)
        self._remove_functions()
        self.edits += [ReplaceStatement(span(statement)) for statement in self.removed]
        absorbed = tuple(span(statement) for statement in self.removed)
        self.edits.append(InsertBefore(span(resume.fit.statement), self._made(), absorbed))
        pieces = frozenset() if self.uses_backup else frozenset({"EpochRecovery"})
        verdict = noted(resume.load, self._message(), self._help())
        return Mend((verdict,), tuple(self.edits), pieces)

    def _message(self) -> str:
        api = "BackupAndRestore" if self.uses_backup else "CheckpointManager"
        text = f"recovered by {api}, the optimizer's state included"
        if self.resume.fit.arguments.get("initial_epoch") is None:
            text += "; epochs is now the total over all starts, where each start trained as many more"
        return "; ".join([text, "weights saved by the old program are not read", *self.notes])

    def _help(self) -> str:
        if self.uses_backup:
            return (
                "On Keras 3 a kill during a save can leave a job that cannot start again: CheckpointManager does not."
            )
        return ""

    def _uses(self, name: ast.Name) -> list[ast.Name]:
        found = self.names.scope_of(name).lookup(name.id)
        return self.names.uses(name.id, found[0]) if found is not None else []

    def _is_listed(self, use: ast.Name) -> bool:
        return use in self.resume.fit.callbacks

    def _saver_stays(self) -> bool:
        """Whether the callback keeps the best model, or something else needs it or its file."""
        saver = self.resume.saver
        best = saver.arguments.get("save_best_only")
        if best is not None and literal(best) is not False:
            return True
        element = saver.element
        if isinstance(element, ast.Name) and not all(self._is_listed(use) for use in self._uses(element)):
            return True
        going = self._going()
        path = saver.arguments["filepath"]
        if isinstance(path, ast.Name) and any(self._reads_file(use) for use in self._uses(path) if use not in going):
            return True
        for node in self.names.parents:
            if isinstance(node, ast.Call) and node not in going and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                given = template(self.names, node.args[0])
                if name in _READERS and given is not None and self._is_read_from(given):
                    return True
        return False

    def _reads_file(self, use: ast.Name) -> bool:
        """Whether a use of the path is another than giving it to the callback or making its directory."""
        nodes = [node for node in self.names.ancestors(use) if isinstance(node, ast.Call)]
        return not any(node is self.resume.saver.call or ast.unparse(node.func).endswith("dirname") for node in nodes)

    def _named_for(self, path: ast.expr, statement: ast.stmt) -> Iterator[ast.stmt]:
        """The statement that gives a path its name, if nothing else uses the name."""
        going = self._going() | set(ast.walk(statement))
        if isinstance(path, ast.Name) and all(use in going for use in self._uses(path)):
            value = self.names.only_value(path)
            if isinstance(value, ast.Constant):
                yield self.names.statement_of(value)

    def _in_list(self, call: ast.Call) -> bool:
        """Whether a callback is made inside an expression that is written anew."""
        display = self.resume.fit.display
        return display is not None and any(node is call for node in ast.walk(display))

    def _written(self, positional: list[ast.expr], keywords: list[ast.keyword]) -> list[str]:
        given = [f"{keyword.arg}={self._text(keyword.value)}" for keyword in keywords]
        return [*(self._text(argument) for argument in positional), *given]

    def _rewrite_call(self, call: ast.Call, arguments: list[str]) -> None:
        self.renamed[call] = f"{self.module.source.text(call.func)}({', '.join(arguments)})"

    def _text(self, node: ast.expr) -> str:
        """An argument's or element's own source, in parentheses where it needs them: ``(yield)``."""
        text = self.module.source.text(node, self.renamed)
        return text if strength(node) >= ARGUMENT and stands_alone(text) else f"({text})"

    def _is_read_from(self, path: str) -> bool:
        saved = self.resume.saver.path
        return is_written_to(path, saved) or directory(saved) == directory(f"{path}/x")

    def _fit_for_keras3(self) -> None:
        """Takes what Keras 3 refuses out of a callback that stays."""
        self._rename_file()
        saver, target = self.resume.saver, self.bench.settings.target
        gone = {name for name in _GONE if name in saver.arguments}
        gone = gone if target != "keras2" else gone & {"load_weights_on_restart"}
        self.notes += [f"{name} goes, which Keras 3 does not take" for name in sorted(gone)]
        if gone and self._in_list(saver.call):
            kept = [k for k in saver.call.keywords if k.arg not in gone]
            self._rewrite_call(saver.call, self._written(saver.call.args, kept))
        else:
            self.edits += [SetArgument(self.module.span(saver.call), name, None) for name in gone]

    def _rename_file(self) -> None:
        saver, target = self.resume.saver, self.bench.settings.target
        path = saver.arguments["filepath"]
        only_weights = saver.arguments.get("save_weights_only")
        suffix = _KERAS3_SUFFIX.get(bool(literal(only_weights)) if only_weights is not None else False, "")
        if target == "keras2" or not suffix or saver.path.endswith((suffix, "⟩")):
            return
        constant = self._last_constant(path) if target == "keras3" else None
        if constant is None:  # another program may read the file by its old name
            self.notes.append(f"Keras 3 wants the best model's file to end in {suffix}, here and where it is read")
            return
        new = _SUFFIX.sub("", str(constant.value)) + suffix
        self._replace_constant(constant, new)
        self.notes.append(f"the best model is kept as {posixpath.basename(new)}, the name that Keras 3 takes")

    def _last_constant(self, path: ast.expr) -> ast.Constant | None:
        """The text at the end of a path, if it stands in this file and nothing else reads it."""
        if isinstance(path, ast.Name):
            value = self.names.only_value(path)
            return self._last_constant(value) if value is not None else None
        if isinstance(path, ast.Call) and path.args and (self.names.qualified(path.func) or "") == "os.path.join":
            return self._last_constant(path.args[-1])
        if isinstance(path, ast.BinOp):
            return self._last_constant(path.right)
        if isinstance(path, ast.Constant) and isinstance(path.value, str) and path.value.strip("."):
            text = self.module.source.text(path)
            return path if text[:1] in "'\"" and text[1:2] not in "'\"" and "\\" not in text else None
        return None

    def _replace_constant(self, constant: ast.Constant, new: str) -> None:
        quote = self.module.source.text(constant)[0]
        display = self.resume.fit.display
        if display is not None and any(node is constant for node in ast.walk(display)):
            self.renamed[constant] = f"{quote}{new}{quote}"
        else:
            self.edits.append(ReplaceExpression(self.module.span(constant), f"{quote}{new}{quote}"))

    def _train(self, stays: bool) -> None:
        fit, text = self.resume.fit, self.module.source.text
        call = self.module.span(fit.call)
        given = fit.arguments["callbacks"]
        gone = None if stays else self.resume.saver.element
        if isinstance(given, ast.Name):
            value = f"[{self.recovery}, *{text(given)}]"
            self._take_from_list(given, gone)
        else:
            kept = [self._text(element) for element in fit.callbacks if element is not gone]
            value = f"[{', '.join([self.recovery, *kept])}]"
        is_generator = fit.call.func.attr == "fit_generator"  # type: ignore[attr-defined]
        first = None if self.uses_backup else f"{self.recovery}.restore()"
        if first is not None and self.resume.condition is not None:
            first += f" if {text(self.resume.condition)} else 0"
        if is_generator:
            self._fit_instead(value, first)
            return
        position = FIT.index("initial_epoch")
        if first is not None or "initial_epoch" in fit.arguments:
            self.edits.append(SetArgument(call, "initial_epoch", first, position))
        self.edits.append(SetArgument(call, "callbacks", value, FIT.index("callbacks")))

    def _fit_instead(self, callbacks: str, first: str | None) -> None:
        """``fit`` for ``fit_generator``, which Keras 3 does not have."""
        fit, text = self.resume.fit, self.module.source.text
        arguments = {name: text(value) for name, value in fit.arguments.items()}
        arguments["callbacks"] = callbacks
        arguments.pop("initial_epoch", None)
        if first is not None:
            arguments["initial_epoch"] = first
        if self.bench.settings.target != "keras2":
            gone = [name for name in ("max_queue_size", "workers", "use_multiprocessing") if arguments.pop(name, None)]
            if gone:
                self.notes.append(f"{', '.join(gone)} go, which fit of Keras 3 does not take")
        x = arguments.pop("x")
        order = [name for name in (*FIT_GENERATOR, *arguments) if name in arguments]
        written = ", ".join([x, *(f"{name}={arguments[name]}" for name in dict.fromkeys(order))])
        new = f"{text(fit.receiver)}.fit({written})"
        self.edits.append(ReplaceExpression(self.module.span(fit.call), new))

    def _take_from_list(self, given: ast.Name, gone: ast.expr | None) -> None:
        display = self.resume.fit.display
        if display is None or (gone is None and not self.renamed):
            return
        if gone is None or gone in display.elts:
            kept = [self._text(element) for element in display.elts if element is not gone]
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
                if self._in_list(made):
                    self._rewrite_call(made, [*self._written(made.args, made.keywords), "append=True"])
                else:
                    self.edits.append(SetArgument(self.module.span(made), "append", "True", 2))
                self.notes.append("CSVLogger appends to its file")
            elif found.tail in _STATEFUL:
                self.notes.append(f"{_STATEFUL[found.tail]} starts anew after a resume")

    def _made(self) -> str:
        where = self._directory()
        tf = self.bench.vocabulary.tf
        if self.uses_backup:
            options = ", double_checkpoint=True" if self.bench.settings.target == "keras3" else ""
            keras = f"{tf}.keras.callbacks.BackupAndRestore"
            return f"{self.recovery} = {keras}({where}, delete_checkpoint=False{options})"
        model = self.module.source.text(self.resume.fit.receiver)
        checkpoint = f"{tf}.train.Checkpoint(model={model}, optimizer={model}.optimizer, epoch={tf}.Variable(0))"
        manager = f"{tf}.train.CheckpointManager({checkpoint}, {where}, max_to_keep=2)"
        return f"{self.recovery} = EpochRecovery({manager})"

    def _directory(self) -> str:
        """A directory of its own beside the old file."""
        path, expression = self.resume.saver.path, self.resume.saver.arguments["filepath"]
        if "⟨" not in path:
            stem = posixpath.basename(path).partition("{")[0]
            stem = _SUFFIX.sub("", stem).strip("._-")
            folder = f"{stem}_recovery" if stem else "recovery"
            return repr(posixpath.join(posixpath.dirname(path), folder)).replace("'", '"')
        join = f"{self.bench.vocabulary.standard('os')}.path"
        text = self.module.source.text(expression)
        if isinstance(expression, ast.Call) and (self.names.qualified(expression.func) or "") == "os.path.join":
            parts = [self.module.source.text(argument) for argument in expression.args[:-1]]
            if parts and not isinstance(expression.args[-1], ast.Starred):
                return f'{join}.join({", ".join(parts)}, "recovery")'
        return f'{join}.join({join}.dirname({text}), "recovery")'

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
                uses = names.uses(name, top)
                is_function = len(bindings) == 1 and isinstance(node, ast.FunctionDef) and not node.decorator_list
                if is_function and uses and node not in self.removed and all(use in going for use in uses):
                    assert isinstance(node, ast.FunctionDef)
                    self.removed.append(node)
                    again = True

    def _dedented(self, statement: ast.stmt) -> str:
        lines = self.module.source.text(statement).split("\n")
        column = statement.col_offset
        return "\n".join([lines[0], *(line[column:] if not line[:column].strip() else line for line in lines[1:])])
