"""FT201 · load_weights or load_model before fit, from the path that ModelCheckpoint writes

Recovery by hand: weights (without the optimizer's state) or a model are loaded before ``fit`` from the very file that
the program's own ``ModelCheckpoint`` writes, behind a test whether there is one, a ``try``, or a search for the newest
file; ``initial_epoch`` is worked out from the file's name. Or the callback loads it itself, by
``load_weights_on_restart=True``.

Instead: ``EpochRecovery`` around a visible ``tf.train.CheckpointManager``: it saves model, optimizer and epoch after
each epoch, and after as many batches as ``ModelCheckpoint`` does (``save_freq``); ``fit`` continues at
``initial_epoch=recovery.restore()``. A flag such as ``args.resume`` still decides. With ``--recovery
backup-and-restore`` it is ``BackupAndRestore``, which saves after each epoch.

The recovery is asked first, and the program's own code stays whole, as the way in for what an old job has saved,
however it finds the file and the epoch (a name's number, the newest by time, a JSON file, rows of a log, a method of a
trainer). ``has_checkpoint(directory)`` keeps the old file from being loaded where the recovery has a checkpoint, so
that a file that a kill cut short is not read; ``recovery.restore(first)`` gives the old code's epoch where it has none.
No statement is removed, and no file is renamed; the finding says where Keras 3 rejects the name of one. Work beside the
load is done at each start. ``ModelCheckpoint`` stays, without the arguments that Keras 3 rejects; ``CSVLogger`` gets
``append=True``. A loop ``for epoch in range(first, epochs)`` that trains and saves one model begins at
``recovery.restore(first)`` and calls ``recovery.save(epoch + 1)`` beside its own save. The checkpoints are saved in the
directory of the old files, which a job's platform keeps; where the program lists it, the listing passes them by:
``without_recovery(os.listdir(folder))``.

The load may be in another file, function, class or callback than ``fit``: what a program loads before it trains, of
what it saves while it trains, is found through its files, by the path or the place that both are given. Where the load
is none to pass by (it is in another file, other code may use the loaded model, or the same code does more), it stays as
it is: each start loads the old file, and the checkpoint is restored over it. So that such a file is never one that a
kill cut short, ``EpochRecovery`` puts what ``model.save`` and ``model.save_weights`` write in training in its place
when it is whole. A ``fit`` that is given its callbacks by others saves beside their ``ModelCheckpoint``'s file
(``directory_beside(callbacks)``). A loop ``for epoch in range(first, epochs)`` over a ``fit`` of one epoch begins at
``recovery.restore(first)``.

A file that the user names is a way in too: a flag (``--resume PATH``), a setting or a constant, also one of another
file or function, where an epoch goes with it or the program says that it resumes, and a flag such as ``--weights``
without a default whose file fills the very model that is trained, whole. Its own code loads the file, and
``recovery.restore(first, named=args.resume)`` restores nothing over it; a start that names no file, or the same again,
as a job does that is started again by its old command, resumes from the newest checkpoint. Where only the epoch that
goes with the file is known at ``fit``, that names it: ``named=args.initial_epoch``.

The one file that ``ModelCheckpoint`` writes, loaded without a test, is loaded by the first start alone. Where only the
training knows where it saves, the old file is loaded at each start. A loop ``for i in range(300)`` that loads before it
what it saves goes on at ``recovery.restore()``.

A model that is loaded before ``fit`` and saved when it has ended, so that each start trains it further, recovers each
start by itself: ``recovery.restore(saved=path)`` restores nothing where the file is newer than the newest checkpoint.

Left with its reason and the lines to write: a load that more than files and flags at hand decides on, a start from
scratch that removes files, a training that runs more than once in a process, several processes, several models, a loop
over a ``tf.train.Checkpoint`` without a manager, a file that the user names where ``fit`` does not know the name, and
one that each start would load though Keras 3 may refuse it (a whole model in HDF5) or a kill can cut it short (a
SavedModel, weights in TensorFlow's format under one name).

Left alone, without a finding: callbacks that only save, weights from elsewhere, for a part of the model or for one with
frozen layers, a load after or between trainings, and ``initial_epoch`` as a number of another stage.

Fidelity: noted. The optimizer's state is recovered too. ``epochs`` is the total over all starts, where a program
without ``initial_epoch`` trained that many more at each start; a finished job that is started again trains nothing.
``fit`` returns the history of all starts of the new code, and with ``BackupAndRestore`` that of one start, which is
empty for a finished job. What ``load_weights_on_restart`` loaded is not read. Files of Keras 2 that Keras 3 does not
load are told of: weights in TensorFlow's format, a SavedModel, some whole models in HDF5. The state of
``EarlyStopping`` and ``ReduceLROnPlateau`` starts anew; a ``ModelCheckpoint`` of a name that keeps the best model goes
on from its best value (``savers=[saver]``). The step that Keras 2 counts at the end of data of unknown
length, in the first epoch of each start, is counted once, as without an interruption. On Keras 3 a subclassed
model must be built before ``fit`` (``model.build(input_shape)``), which says so at the start; ``BackupAndRestore``
needs that of every model there, so that a ``Sequential`` that is seen to tell no shape is skipped, and a kill during
its save can leave a job that cannot start again. Arguments of Keras 1 (``nb_epoch``, ``max_q_size``) get their names of
Keras 2; those that count samples leave the training.

See: tf.keras.callbacks.ModelCheckpoint, tf.keras.callbacks.BackupAndRestore, tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from migrate.analysis.paths import template
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.elsewhere import counted, loaded_before
from migrate.analysis.resume.epoch_loops import EpochLoop, epoch_loops, loops_of_fits
from migrate.analysis.resume.flags import Flags
from migrate.analysis.resume.named import NamedFile, named_file, named_files
from migrate.analysis.resume.old_way_in import Link, OldWayIn, asked_loads, old_way_in
from migrate.analysis.resume.own_loads import OwnLoad, own_loads
from migrate.analysis.resume.savers import path_known_at, restarted, saver_of
from migrate.analysis.resume.spoken import Spoken, spoken
from migrate.analysis.resume.stages import trained_beside
from migrate.analysis.resume.trained_further import Further, trained_further
from migrate.analysis.searches import name_of
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import (
    Fit,
    Saver,
    all_trainings,
    is_on_workers,
    library_of_ranks,
    made_by,
    training_of,
    trainings,
)
from migrate.analysis.values.values import Values
from migrate.rewrite.epoch_loop import EpochLoopRewrite
from migrate.rewrite.old_way_in import OldWayInRewrite
from migrate.rewrite.resumption_hazards import blocked, not_over
from migrate.rewrite.resumption_lines import further_lines, lines, loop_lines, manager_lines
from migrate.rules.rule import Example, Mend, Workbench, manual, noted, site_rule

_HELP = (
    "Save model, optimizer and epoch by tf.train.CheckpointManager after each epoch, and restore them before fit,"
    " instead of loading what ModelCheckpoint wrote."
)
_FURTHER = (
    "each start trains this file further and saves it when fit has ended, and an interruption loses all its epochs"
)
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
_BESIDE = """\
import os
import tensorflow as tf

model = build()
if os.path.exists("w.weights.h5"):
    model.load_weights("w.weights.h5")
    freeze(model)
    first = int(open("epoch.txt").read())
else:
    first = 0
model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[tf.keras.callbacks.ModelCheckpoint("w.weights.h5"), note])
"""
_LOOPED = """\
import os
import keras

model = build()
first = len(os.listdir("out"))
if first:
    model.load_weights(f"out/{first}.weights.h5")
for epoch in range(first, 9):
    model.train_on_batch(x, y)
    model.save_weights(f"out/{epoch + 1}.weights.h5")
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
_RESTORED = """\
import os
import keras


def make_or_restore():
    files = ["ckpt/" + name for name in os.listdir("ckpt")]
    if files:
        return keras.models.load_model(max(files, key=os.path.getctime))
    return build()


model = make_or_restore()
model.fit(x, y, epochs=5, callbacks=[keras.callbacks.ModelCheckpoint("ckpt/{epoch}.keras")])
"""
_ELSEWHERE = """\
from resuming import restore_ckpt

model = build()
first = restore_ckpt(model, directory) // steps
model.fit(x, initial_epoch=first)
"""
_BACKED_UP = """\
import keras

model = build()
first = epochs_in("log.csv")
callbacks = [keras.callbacks.BackupAndRestore("backup"), keras.callbacks.ModelCheckpoint("best.keras")]
model.fit(x, initial_epoch=first, callbacks=callbacks)
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
_FURTHER_EACH = """\
import os
import keras

model = keras.models.load_model("m.h5") if os.path.isfile("m.h5") else build()
model.fit(x, y, epochs=10)
model.save("m.h5")
"""


@site_rule(
    "FT201",
    "noted",
    Example(_WEIGHTS.format(""), "callbacks=[recovery, callback], initial_epoch=recovery.restore()", "module"),
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
    Example(_EPOCH, "if args.resume:\n    initial_epoch = recovery.restore(initial_epoch)", "module"),
    Example(
        _EPOCH.replace("initial_epoch)", "initial_epoch + args.more)"),
        "recovery.restore(initial_epoch + args.more)",
        "module",
    ),
    Example(_BESIDE, "first = recovery.restore(first)", "module"),
    Example(_LOOPED, "for epoch in range(recovery.restore(first), 9):", "module"),
    Example(_ITSELF, "callbacks=[recovery, saver]", "module"),
    Example(_MADE, "*(list(callbacks(params)) or [])], initial_epoch=recovery.restore())", "module"),
    Example(_RESTORED, 'if files and not has_checkpoint("ckpt/recovery"):', "module"),
    Example(_ELSEWHERE, None, "module"),
    Example(_PARSED, None, "module"),
    Example(_BACKED_UP, None, "module"),
    Example(_FURTHER_EACH, None, "module"),
)
def resume_before_fit(bench: Workbench) -> Iterator[Mend]:
    found = list(own_loads(bench.module, bench.tree))
    owned = {own.training: own for own in found if not own.is_named}
    known = set[ast.AST]()
    for again, saver in restarted(bench.module):
        if not again.is_recovered(bench.module.names):
            known.add(again.call)
            yield from _restarted(bench, again, saver)
    for loop in loops_of_fits(bench.module, owned):
        known.add(loop.way.fit.call)
        yield from _looped(bench, loop)
    for call in counted(bench.module):
        if call in known:
            continue
        known.add(call)
        if _is_backed_up(bench, call):
            if "has_checkpoint" in bench.module.names.top.bindings:
                continue  # the old code's number, which this tool left for an old job
            message = "initial_epoch is worked out by the program, and BackupAndRestore overrides it by its own"
            yield Mend((manual(call, message, "Leave initial_epoch out: BackupAndRestore knows the epoch."),))
            continue
        message = "initial_epoch is worked out by the program, which resumes by hand"
        fit = _training(bench, call)
        if fit is None or not fit.is_recovered(bench.module.names):
            known |= _together_with(bench, fit) if fit is not None else set()
            yield from _kept(bench, fit, call, message, own=owned.get(call))
    for fit, load in loaded_before(bench.module):
        if fit.call not in known and not fit.is_recovered(bench.module.names):
            known |= _together_with(bench, fit)
            yield from _kept(bench, fit, load, "what this program saves is loaded to resume training")
    loops = set[ast.AST]()
    for loop in epoch_loops(bench.module, {own.loop for own in found if own.loop is not None}):
        if loop.way.fit.call not in known:
            known.add(loop.way.fit.call)
            loops.add(loop.loop)
            yield from _looped(bench, loop)
    for own in found:
        if own.training not in known and own.loop not in loops:
            fit = _training(bench, own.training)
            known |= {own.training} | (_together_with(bench, fit) if fit is not None else set())
            yield from _of_its_own(bench, own)
    for named in named_files(bench.module, bench.tree):
        if named.fit.call not in known and not named.fit.is_recovered(bench.module.names):
            known |= _together_with(bench, named.fit, is_one_way=True)
            yield from _named(bench, named, "training goes on from a file that the user names")
    for one in trained_further(bench.module, bench.tree):
        call = one.fit.call
        if call not in known and not one.fit.is_recovered(bench.module.names) and not _is_backed_up(bench, call):
            known.add(call)
            yield _further(bench, one)
    told = {bench.module.names.scope_of(call).node for call in known}
    for each in spoken(bench.module, bench.tree):
        if bench.module.names.scope_of(each.training).node not in told and not _is_backed_up(bench, each.training):
            yield from _spoken(bench, each)


def _together_with(bench: Workbench, fit: Fit, *, is_one_way: bool = False) -> set[ast.AST]:
    """A training, and those that are rewritten with it."""
    beside = trained_beside(bench.module, fit)
    return {fit.call, *(one.fit.call for one in beside if one.is_stage or not is_one_way)}


def _spoken(bench: Workbench, each: Spoken) -> Iterator[Mend]:
    """A training that the program says to go on from a file."""
    fit, found = _training(bench, each.training), each.found
    if fit is not None and fit.is_recovered(bench.module.names):
        return
    message = "training goes on from a file that an earlier start saved"
    if fit is not None and found is not None and each.loop is None:
        named = named_file(bench.module, Values(bench.tree), fit, found.module, found.load, found.links)
        yield from _named(bench, named, message)
        return
    site, reason = (
        (each.training, "the loop saves by itself")
        if each.loop is not None
        else (each.training, "it is not fit that trains")
    )
    own = OwnLoad(each.training, each.loop, bench.module, each.training)
    lines = loop_lines(bench.module, bench.vocabulary, own)
    yield Mend((manual(site, f"{message}, and {reason}", lines),))


def _of_its_own(bench: Workbench, own: OwnLoad) -> Iterator[Mend]:
    """A training that goes on from what the program saved, wherever in its files it is loaded."""
    fit, is_here = _training(bench, own.training), own.module is bench.module
    if fit is not None and fit.is_recovered(bench.module.names):
        return
    where = "" if is_here else f" ({own.module.path}, line {own.load.lineno})"
    message = f"what this program saves is loaded to resume training{where}"
    is_load = name_of(own.load.func) in ("load_weights", "load_model")
    if own.loop is None and fit is not None and is_load and own.is_named:
        named = named_file(bench.module, Values(bench.tree), fit, own.module, own.load, own.links)
        others = () if named.name else named_files(bench.module, bench.tree)
        known = (one for one in others if one.fit.call is fit.call and one.name)
        yield from _named(bench, next(known, named), message)
        return
    if own.loop is None and fit is not None and is_load:
        site = own.load if is_here else own.training
        yield from _kept(bench, fit, site, message, [own.load] if is_here else [], own)
        return
    reason = "it is loaded by code that other programs may use"
    if own.loop is not None:
        reason = "the loop saves by itself"
    elif own.is_named:
        reason = "the user may name another file at the start"
    lines = (
        loop_lines(bench.module, bench.vocabulary, own)
        if own.loop is not None
        else manager_lines(bench.module, bench.vocabulary, own.training)
    )
    yield Mend((manual(own.training, f"{message}, and {reason}", lines),))


def _restarted(bench: Workbench, fit: Fit, saver: Saver) -> Iterator[Mend]:
    """A callback that is asked to load what it saved."""
    way = OldWayIn(fit, saver.call, saver)
    reason = blocked(bench.module, bench.settings, fit)
    rewrite = OldWayInRewrite(bench.tree, bench.module, bench.settings, bench.vocabulary, way) if not reason else None
    reason = rewrite.problem if rewrite is not None else reason
    if rewrite is None or reason:
        message = f"ModelCheckpoint loads what it saved to resume training, and {reason}"
        yield Mend((manual(saver.call, message, lines(bench.module, bench.settings, bench.vocabulary, fit)),))
        return
    text = f"{_recovered(bench, fit)}; weights saved by the old program are not read: load them once before fit"
    verdict = noted(saver.call, "; ".join([text, *rewrite.notes]), _help(bench))
    yield Mend((verdict,), tuple(rewrite.edits), rewrite.pieces)


def _kept(
    bench: Workbench,
    fit: Fit | None,
    site: ast.Call,
    message: str,
    loads: Sequence[ast.Call] = (),
    own: OwnLoad | None = None,
) -> Iterator[Mend]:
    """A recovery that is asked before the program's own code, which stays for what an old job has saved."""
    if fit is None:
        yield Mend((manual(site, f"{message}, and its arguments cannot be read", _HELP),))
        return
    way = _way_in(bench, fit, site, loads, own)
    if way.is_named:
        where, load = (own.module, own.load) if own is not None else (bench.module, loads[0] if loads else site)
        links = own.links if own is not None else ()
        yield from _named(bench, named_file(bench.module, Values(bench.tree), fit, where, load, links), message)
        return
    reason, rewrite = _put_before(bench, way, loads, own)
    if rewrite is not None and rewrite.problem and not way.over:  # where it saves is known when it trains
        over = _way_in(bench, fit, site, loads, own, over=rewrite.problem)
        _, other = _put_before(bench, over, loads, own)
        if other is not None and not other.problem:
            way, rewrite = over, other
    reason = reason or (rewrite.problem if rewrite is not None else "")
    if rewrite is None or reason:
        yield Mend(
            tuple(
                manual(one, f"{message}, and {reason}", lines(bench.module, bench.settings, bench.vocabulary, fit))
                for one in loads or [site]
            )
        )
        return
    text = _recovered(bench, fit)
    kept = "; where there is no checkpoint yet, the program's own code resumes from what an old job has saved"
    if way.over:
        kept += ", which it loads at each start, before the checkpoint is restored"
    verdicts = [noted(one, "; ".join([text + kept, *rewrite.notes]), _help(bench)) for one in loads or [site]]
    yield Mend(tuple(verdicts), tuple(rewrite.edits), rewrite.pieces)


def _way_in(
    bench: Workbench, fit: Fit, site: ast.Call, loads: Sequence[ast.Call], own: OwnLoad | None, over: str = ""
) -> OldWayIn:
    if own is None:
        return old_way_in(bench.module, fit, site, loads, over=over)
    return old_way_in(bench.module, fit, site, loads, links=own.links, saves=own.saves, is_own=own.is_sure, over=over)


def _put_before(
    bench: Workbench, way: OldWayIn, loads: Sequence[ast.Call], own: OwnLoad | None
) -> tuple[str, OldWayInRewrite | None]:
    """Why no recovery can be asked first, or the edits that put one there."""
    fit = way.fit
    old = [bench.module.names.statement_of(load) for load in [*loads, *asked_loads(bench.module, fit)]]
    gone = {node for statement in old for node in ast.walk(statement)}
    beside = {one.fit.call for one in trained_beside(bench.module, fit)}
    reason = blocked(bench.module, bench.settings, fit, gone, beside=beside) or way.problem
    if way.flags and _uses_backup(bench):
        reason = reason or "BackupAndRestore resumes without asking for a flag"
    if way.over:
        is_sure = own is None or own.is_sure or not own.links
        reason = reason or (
            "the user names the file at the start" if not is_sure else not_over(bench.module, bench.settings, way)
        )
    if reason:
        return reason, None
    return "", _together(bench, way)


def _together(bench: Workbench, way: OldWayIn, *, is_one_way: bool = False) -> OldWayInRewrite:
    """The rewrite of a training, and of those that the same model goes through beside it."""
    beside = [one for one in trained_beside(bench.module, way.fit) if one.is_stage or not is_one_way]
    stages = sum(one.is_stage for one in beside)
    if stages:
        way.stage, way.is_last = 1, False
    whole = before = OldWayInRewrite(bench.tree, bench.module, bench.settings, bench.vocabulary, way)
    for number, one in enumerate(beside, 2):
        saver = saver_of(bench.module, one.fit) or way.saver
        other = replace(way, fit=one.fit, saver=saver, guards=[], over=way.over or "it is restored before it")
        if one.is_stage:
            other = replace(other, flags=[], stage=number, is_last=number > stages, before=before.recovery)
        reason = blocked(
            bench.module,
            bench.settings,
            one.fit,
            is_one_way=is_one_way,
            beside={b.fit.call for b in beside} | {way.fit.call},
        )
        before = OldWayInRewrite(bench.tree, bench.module, bench.settings, bench.vocabulary, other)
        whole.problem = whole.problem or reason or before.problem
        whole.edits += [edit for edit in before.edits if edit not in whole.edits]
        whole.notes += [note for note in before.notes if note not in whole.notes]
        whole.pieces |= before.pieces
    if stages and _uses_backup(bench):
        whole.problem = whole.problem or "the model is trained by more than one call of fit"
    return whole


def _named(bench: Workbench, found: NamedFile, message: str) -> Iterator[Mend]:
    """A recovery beside a file that the user names, which the program's own code loads."""
    fit, module = found.fit, bench.module
    site = found.load if found.module is module else fit.call
    flags = [found.flag] if found.flag is not None else []
    way = OldWayIn(fit, site, saver_of(module, fit), flags=flags, over="the user names it", name=found.name)
    gone = module.names.statement_of(found.load) if site is found.load else None
    beside = {one.fit.call for one in trained_beside(module, fit) if one.is_stage}
    old = set(ast.walk(gone)) if gone is not None else set()
    reason = blocked(bench.module, bench.settings, fit, old, is_one_way=True, beside=beside)
    if not way.name and not way.flags:
        reason = reason or "what names it is not known where fit is called"
    if _uses_backup(bench):
        reason = reason or "BackupAndRestore restores its own in any case"
    if way.saver is None:
        reason = reason or "no one ModelCheckpoint of this file tells where it saves"
    rewrite = None if reason else _together(bench, way, is_one_way=True)
    reason = rewrite.problem if rewrite is not None else reason
    if rewrite is None or reason:
        yield Mend(
            (manual(site, f"{message}, and {reason}", lines(bench.module, bench.settings, bench.vocabulary, fit)),)
        )
        return
    loaded, epoch = ("is loaded by the program's own code; a start that", fit.arguments.get("initial_epoch"))
    told = (
        f"the file that {found.name} names {loaded} names none, or the same again, resumes from the newest checkpoint"
    )
    if found.flag is not None:
        told = f"the file {loaded} says an epoch resumes from the newest checkpoint, and any other begins anew"
    elif epoch is not None and found.name == ast.unparse(epoch):
        told = f"the file {loaded} says epoch 0, or the same again, resumes from the newest checkpoint"
    text = f"{_recovered(bench, fit)}; {told}"
    yield Mend((noted(site, "; ".join([text, *rewrite.notes])),), tuple(rewrite.edits), rewrite.pieces)


def _further(bench: Workbench, one: Further) -> Mend:
    """A recovery of each start by itself: one after a start that ended trains the file further."""
    module, fit = bench.module, one.fit
    flags = Flags(module, set(module.names.ancestors(fit.call)))
    known = path_known_at(module, one.path, [fit.statement])
    path = template(module.names, one.path) or ""
    saver = Saver(one.save, {"filepath": one.path}, path, None, one.save, is_checkpoint=False)
    way = OldWayIn(fit, one.load, saver, over="each start loads it", links=[Link(module, one.load)])
    way.flags = [flags.spelled_at(flag, fit.call) for flag in flags.around(one.load)]
    reason = blocked(
        bench.module, bench.settings, fit, set(ast.walk(module.names.statement_of(one.load))), is_one_way=True
    )
    if _uses_backup(bench):
        reason = reason or "BackupAndRestore goes on from a start that ended too"
    if known is None or not path.endswith((".h5", ".hdf5", ".keras")):
        reason = reason or "where it saves is not known where fit is called"
    reason = reason or not_over(bench.module, bench.settings, way)
    reason = reason or Conditions(module).undecided(one.load)
    if any(not flags.is_known_at(flag, fit.call) for flag in way.flags):
        reason = reason or "the flag that decides is not known where fit is called"
    way.after = module.source.text(known) if known is not None else ""
    rewrite = None if reason else OldWayInRewrite(bench.tree, module, bench.settings, bench.vocabulary, way)
    reason = rewrite.problem if rewrite is not None else reason
    if rewrite is None or reason:
        return Mend((manual(one.load, f"{_FURTHER}; {reason}", further_lines(bench.vocabulary, fit)),))
    text = (
        "recovered by CheckpointManager, the optimizer's state included: an interrupted start resumes after its last"
        " epoch, and one after a start that ended trains the file further, as before"
    )
    return Mend((noted(one.load, "; ".join([text, *rewrite.notes])),), tuple(rewrite.edits), rewrite.pieces)


def _looped(bench: Workbench, found: EpochLoop) -> Iterator[Mend]:
    """A loop over epochs that begins where an earlier start of it ended."""
    way, message = found.way, "a loop over epochs loads what it saves itself"
    saves = [found.save] if found.save is not None else []
    lines = loop_lines(bench.module, bench.vocabulary, OwnLoad(way.fit.call, found.loop, bench.module, way.site, saves))
    reason = way.problem or (
        not_over(bench.module, bench.settings, way) if way.over and found.save is None else way.over
    )
    if is_on_workers(bench.module) or library_of_ranks(bench.module):
        reason = "it runs in several processes"
    if _uses_backup(bench):
        reason = reason or "BackupAndRestore works in one call of fit alone"
    rewrite = None if reason else EpochLoopRewrite(bench.tree, bench.module, bench.settings, bench.vocabulary, found)
    reason = rewrite.problem if rewrite is not None else reason
    if rewrite is None or reason:
        yield Mend((manual(way.site, f"{message}, and {reason}", lines),))
        return
    text = (
        "the loop begins at the epoch that a CheckpointManager holds, with the optimizer's state; where there is no"
        " checkpoint yet, the program's own code resumes from what an old job has saved"
    )
    if found.first is None or isinstance(found.first, ast.Constant):
        text += "; the loop ends at the total over all starts, where each start trained as many more"
    yield Mend((noted(way.site, "; ".join([text, *rewrite.notes])),), tuple(rewrite.edits), rewrite.pieces)


def _training(bench: Workbench, call: ast.Call) -> Fit | None:
    known = (fit for fit in all_trainings(bench.module) if fit.call is call)
    return next(known, None) or training_of(bench.module, call)


def _is_backed_up(bench: Workbench, call: ast.Call) -> bool:
    """Whether a training call has a ``BackupAndRestore`` among its callbacks."""
    callbacks = next((fit.callbacks for fit in trainings(bench.module) if fit.call is call), [])
    made = [made_by(bench.module.names, element) for element in callbacks]
    found = [symbol_of(bench.module.names, one.func) for one in made if one is not None]
    return any(one is not None and one.tail.endswith("BackupAndRestore") for one in found)


def _uses_backup(bench: Workbench) -> bool:
    return bench.settings.recovery == "backup-and-restore"


def _recovered(bench: Workbench, fit: Fit) -> str:
    api = "BackupAndRestore" if _uses_backup(bench) else "CheckpointManager"
    text = f"recovered by {api}, the optimizer's state included"
    if fit.arguments.get("initial_epoch") is None:
        text += "; epochs is now the total over all starts, where each start trained as many more"
    return text


def _help(bench: Workbench) -> str:
    if _uses_backup(bench):
        return "On Keras 3 a kill during a save can leave a job that cannot start again: CheckpointManager does not."
    return ""
