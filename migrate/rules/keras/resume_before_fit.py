"""FT201 · load_weights or load_model before fit, from the path that ModelCheckpoint writes

Recovery by hand: weights (without the optimizer's state) or a model are loaded before ``fit`` from the very file that
the program's own ``ModelCheckpoint`` writes, behind a test whether there is one, a ``try``, or a search for the newest
file; ``initial_epoch`` is worked out from the file's name. Or the callback loads it itself, by
``load_weights_on_restart=True``.

Instead: ``EpochRecovery`` around a visible ``tf.train.CheckpointManager``: it saves model, optimizer and epoch after
each epoch, and after as many batches as ``ModelCheckpoint`` does (``save_freq``); ``fit`` continues at
``initial_epoch=recovery.restore()``. A flag such as ``args.resume`` still decides, also one by which a function is
given no file or a variable that is tested its value, and one of several is enough; a start that loads to play, and
never trains, has no say. With ``--recovery backup-and-restore`` it is ``BackupAndRestore``, which saves after each
epoch.

What stays: the program's own code, whole, as the way in for what an old job has saved, however it finds the file and
the epoch. The recovery is asked first: ``has_checkpoint(directory)`` in the test around the load keeps a file from
being read that a kill may have cut short, and ``recovery.restore(first)`` gives the old code's epoch where there is no
checkpoint. No statement is removed and no file renamed. ``ModelCheckpoint`` loses what Keras 3 rejects; ``CSVLogger``
gets ``append=True``. The checkpoints stand in the directory of the old files, which a job's platform keeps; where the
program lists it, the listing passes them by: ``without_recovery(os.listdir(folder))``.

A load that no test can pass by (it is in another file or function, no test stands around it, or the same code does
more) is made at each start, and the checkpoint is restored over it. So that its file is never one that a kill cut
short, ``EpochRecovery`` puts what ``model.save`` and ``model.save_weights`` write in its place when it is whole. A
``fit`` whose callbacks alone know their file saves beside it (``directory_beside(callbacks)``), as one whose file has a
name that a flag, a setting or a constant gives that its user edits: the file's own, or one by which the program chooses
(``directory_beside(args.weights)``; ``weights = "run1.h5"``; ``name = "fcn"``, ``if name == "unet":``). Where another
program of the repository trains and saves the same file, the directory has this one's name too
(``mnist_train_recovery``). What another job has made (pretrained weights) is loaded as before. Where it is one file
that the training saves too, and that another program may write anew, ``recovery.restore(saved=path)`` knows by its
content whether this training has saved it.

A loop that trains by itself (``train_on_batch``, ``fit`` of one epoch, gradients of a tape), one model or several, has
a ``LoopRecovery`` of all models and optimizers that it trains, also in functions that it calls, of the program's own
``tf.train.Checkpoint`` where it saves one, and of the epoch. ``for epoch in range(first, epochs)`` begins at
``recovery.restore(first)`` and calls ``recovery.save(epoch + 1)`` behind its own save, as often as that, and behind one
that it is left after (``save(); break``); where it saves within an epoch, or the best model alone, after each epoch
too. A loop that a variable counts goes on at ``step = recovery.restore(step)``, one that ``enumerate`` counts to a
number that ends it at ``enumerate(data, recovery.restore())``, one that nothing counts (``while True:``), or of which
each start trains after some steps alone, with what it trains; ``step == steps``, at which one ends, becomes ``>=``. One
that trains only where a setting says so (``if mode == "train":``) is restored there alone. A loop that may train under
several workers or on a TPU, and on one device too, is recovered on the latter alone: under the others ``LoopRecovery``
does nothing and says so.

A file that the user names is a way in too: a flag (``--resume PATH``), a setting or a constant, in whichever file or
function. The program's own code loads it, and ``recovery.restore(first, named=args.resume)`` restores nothing over it;
a start that names no file, or the same again, as a job does that is started again by its old command, resumes from the
newest checkpoint, unless the file holds by now what another program has saved. Where the training does not know the
name, or more than the name decides, the file is noted where it is loaded (for a loop also the folder in which the
newest is searched for): ``model.load_weights(begin_from(path))`` there, ``named=begun_from()`` at the training. So are
the files of a generator and a discriminator; a start that names fewer of them than an earlier one resumes. All files
change together or not at all. ``recovery.restore(first) if begun_from() else first`` asks whether a load of the
program's own file was made.

Stages and turns: a model that is trained in stages (``fit``, unfreeze, ``fit`` again) has a recovery in each:
``recovery_2.restore(3, after=recovery)`` restores what was saved since the stage before it was trained last
(``recovery`` is None where a start passes that by), and a stage before another (``is_last=False``) has ended for good
when it ends, also by ``EarlyStopping``. Each turn of a loop that saves in a directory of its own has one too, as the
folds of a cross-validation. A model that is loaded before ``fit`` and saved when it has ended, so that each start
trains it further, recovers each start by itself: ``recovery.restore(saved=path)`` restores nothing over what was saved
when the training before it had ended.

Left with its reason and the lines to write: a start from scratch that removes files, or each that removes the folder of
its files, turns of a loop in one directory, several processes, one that each start saves under a name of its own, a
loop over data that no variable counts, one whose turns read what others of them set by their number (``if epoch % 100
== 0: sample = x``), or one that trains under a strategy of several workers alone or what it knows by no name, works out
how many epochs are left, whose total of epochs an old file settles, whose model has a ``fit`` of its class, that loads
where a test asks for the folder alone that the recovery would be in, or is written for TensorFlow 1 (it turns eager
execution off, makes a placeholder or runs a session; what FT204 tells of is mended in a line and no reason: the
``tf.ConfigProto`` of a GPU), and one that each start would load though Keras 3 may refuse it (a whole model in HDF5) or
a kill can cut it short (a SavedModel, weights in TensorFlow's format under one name, another model's than ``fit``
trains).

Found by what the program does: the very model, or the checkpoint that its loop saves, is filled before the training
from a file of its own, one that is searched for, or one that is asked for and that a flag, a setting, an argument or
the program's saves name, whichever function, method, callback or file loads it; or from one with a number where its
``ModelCheckpoint`` fills in the epoch. And where it says so: "resume" or
"continue training" in a flag, its help, a test, a function, a comment or a file's name beside the load, or a number
that both names the file and begins the loop.

Left alone, without a finding: a loop that a ``CheckpointManager`` of the program's own saves, callbacks that only save,
weights from elsewhere (that the program calls pretrained, of ImageNet or to be fine-tuned, or that a flag names by
default, or that no start writes under the one name by which each start loads them), for a part of the model or for
one with frozen layers, a load after, between or in place of trainings, and ``initial_epoch`` as a number of another
stage.

Fidelity: noted. The optimizer's state is recovered too. ``epochs`` is the total over all starts, where a program
without ``initial_epoch`` trained that many more at each start; a finished job that is started again trains nothing.
``fit`` returns the history of all starts of the new code, and with ``BackupAndRestore`` that of one start, which is
empty for a finished job. What ``load_weights_on_restart`` loaded is not read. Files of Keras 2 that Keras 3 does not
load are told of: weights in TensorFlow's format, a SavedModel, some whole models in HDF5. The state of
``EarlyStopping`` and ``ReduceLROnPlateau`` starts anew, and so does a loop's own best value, told by its name; a
``ModelCheckpoint`` that keeps the best model goes on from its best value where a variable holds it or the callbacks
(``savers=[saver]``, ``savers=callbacks``). The step that Keras 2 counts at the end of data of unknown
length, in the first epoch of each start, is counted once, as without an interruption. With ``save_freq``
as a number, and ``steps_per_epoch`` beside data of just as many batches, the epoch after the interrupted one has on
Keras 3 but the batches that are left of the data: leave ``steps_per_epoch`` out. On Keras 3 a subclassed
model must be built before ``fit`` (``model.build(input_shape)``), which says so at the start; ``BackupAndRestore``
needs that of every model there, so that a ``Sequential`` that is seen to tell no shape is skipped, and a kill during
its save can leave a job that cannot start again. Arguments of Keras 1 (``nb_epoch``, ``max_q_size``) get their names of
Keras 2; those that count samples leave the training.

See: tf.keras.callbacks.ModelCheckpoint, tf.keras.callbacks.BackupAndRestore, tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.resume.own_loads import own_loads
from migrate.analysis.resume.savers import restarted
from migrate.analysis.resume.spoken import spoken
from migrate.analysis.resume.trained_further import trained_further
from migrate.analysis.trainings import is_training, training_of
from migrate.rules.keras import resume_examples as examples
from migrate.rules.keras.file_named import trained_on
from migrate.rules.keras.old_way_kept import restarted_by_callback
from migrate.rules.keras.resumed_loop import of_its_own, said_by_program
from migrate.rules.keras.resumption import is_backed_up, rewritten_with
from migrate.rules.rule import Example, Mend, Workbench, site_rule


@site_rule(
    "FT201",
    "noted",
    Example(examples.WEIGHTS.format(""), "callbacks=[recovery, callback], initial_epoch=recovery.restore()", "module"),
    Example(examples.WEIGHTS.format(", save_best_only=True"), "callbacks=[recovery, callback]", "module"),
    Example(
        examples.WEIGHTS.format(""),
        "backup = tf.keras.callbacks.BackupAndRestore(recovery_dir, delete_checkpoint=False)",
        "module",
        recovery="backup-and-restore",
    ),
    Example(
        examples.WEIGHTS.format("").replace("build()", "tf.keras.Sequential([tf.keras.layers.Dense(1)])"),
        None,
        "module",
        recovery="backup-and-restore",
    ),
    Example(examples.EPOCH, "if args.resume:\n    initial_epoch = recovery.restore(initial_epoch)", "module"),
    Example(
        examples.EPOCH.replace("initial_epoch)", "initial_epoch + args.more)"),
        "recovery.restore(initial_epoch + args.more)",
        "module",
    ),
    Example(examples.BESIDE, 'first = recovery.restore(first, saved="w.weights.h5")', "module"),
    Example(examples.LOOPED, "first = recovery.restore(first)\nfor epoch in range(first, 9):", "module"),
    Example(examples.ITSELF, "callbacks=[recovery, saver]", "module"),
    Example(examples.MADE, "*(list(callbacks(params)) or [])], initial_epoch=recovery.restore())", "module"),
    Example(examples.RESTORED, 'model = make_or_restore()\ndrop_empty_checkpoint_list("ckpt/recovery")', "module"),
    Example(examples.ELSEWHERE, None, "module"),
    Example(examples.FURTHER_EACH, None, "module", recovery="backup-and-restore"),
)
def resume_before_fit(bench: Workbench) -> Iterator[Mend]:
    found = [*own_loads(bench.reach)]
    known = set[ast.AST]()
    for again, saver in restarted(bench.module):
        if not again.is_recovered(bench.module.names):
            known.add(again.call)
            yield from restarted_by_callback(bench, again, saver)
    for own in found:
        if own.training not in known:
            fit = training_of(bench.module, own.training)
            known |= {own.training} | (rewritten_with(bench, fit) if fit is not None else set())
            yield from of_its_own(bench, own)
    for one in trained_further(bench.reach):
        call = one.fit.call
        if call not in known and not one.fit.is_recovered(bench.module.names) and not is_backed_up(bench, call):
            known.add(call)
            yield trained_on(bench, one)
    turns = [call for own in found if own.loop for call in ast.walk(own.loop) if isinstance(call, ast.Call)]
    told = {bench.module.names.scope_of(call).node for call in known}
    told |= {one for call in turns for one in bench.reach.functions(call)}
    fitted = {
        bench.module.names.scope_of(call).node for call in known if isinstance(call, ast.Call) and is_training(call)
    }
    for each in spoken(bench.reach):
        turns = [call for call in ast.walk(each.loop or ast.Pass()) if isinstance(call, ast.Call)]
        ran = {one for call in turns for one in bench.reach.functions(call)}  # of a loop over folds
        is_told = bench.module.names.scope_of(each.training).node in told or each.training in known
        if not (is_told or not fitted.isdisjoint(ran)) and not is_backed_up(bench, each.training):
            fit = training_of(bench.module, each.training)
            known |= rewritten_with(bench, fit, is_one_way=True) if fit is not None else set()
            fitted |= {bench.module.names.scope_of(each.training).node} if fit is not None else set()
            yield from said_by_program(bench, each)
