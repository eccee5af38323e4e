"""FT506 · BackupAndRestore in a directory that holds other files

At the end of a successful ``fit`` Keras 3 removes the whole backup directory, with all that others wrote into it: the
logs, the checkpoints, the model.

Instead: the directory ``backup`` inside it.

Fidelity: noted. A backup that an unfinished job has left in the old place is not found.

In 466 public repositories it fired nowhere; it stays because what it finds deletes a user's files.

See: tf.keras.callbacks.BackupAndRestore.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.paths import directory, normal, template
from migrate.edits.plan import SetArgument
from migrate.rules.hazards.backup_settings import BACKUPS, given
from migrate.rules.rule import Example, Mend, Workbench, noted, site_rule

_DIRECTORIES = {  # the parameter that names a directory, and where it stands
    "train.CheckpointManager": ("directory", 1),
    "keras.callbacks.TensorBoard": ("log_dir", 0),
    "summary.create_file_writer": ("logdir", 0),
    "estimator.RunConfig": ("model_dir", 0),
}
_FILES = {"keras.callbacks.ModelCheckpoint": ("filepath", 0), "keras.callbacks.CSVLogger": ("filename", 0)}
_FIT = """\
import tensorflow as tf

model.fit(
    x,
    y,
    callbacks=[tf.keras.callbacks.BackupAndRestore({}), tf.keras.callbacks.TensorBoard({})],
)
"""


@site_rule(
    "FT506",
    "noted",
    Example(_FIT.format('"/tmp/m"', '"/tmp/m"'), 'BackupAndRestore("/tmp/m/backup")', "module"),
    Example(
        "log_dir = make()\n" + _FIT.format("log_dir", "log_dir"),
        'BackupAndRestore(os.path.join(log_dir, "backup"))',
        "module",
    ),
    Example(
        _FIT.format("job.options.model_dir", "job.options.model_dir").replace("model.fit", "job = read()\nmodel.fit"),
        'BackupAndRestore(os.path.join(job.options.model_dir, "backup"))',
        "module",
    ),
)
def shared_backup_dir(bench: Workbench) -> Iterator[Mend]:
    names = bench.module.names
    used = set(_used(bench))
    for call in bench.module.calls_of(*BACKUPS):
        place = given(call, "backup_dir", 0)
        path = template(names, place)
        if place is None or path is None or normal(path) not in used:
            continue
        if isinstance(place, ast.Constant):
            text = f'"{str(place.value).rstrip("/")}/backup"'
        else:
            join = f"{bench.vocabulary.standard('os')}.path.join"
            text = f'{join}({bench.module.source.text(place)}, "backup")'
        message = "Keras 3 removes this directory after fit, with the other files in it; the backup has its own now"
        edit = SetArgument(bench.module.span(call), "backup_dir", text, 0)
        yield Mend((noted(call, message),), (edit,))


def _used(bench: Workbench) -> Iterator[str]:
    """The directories that something else writes into."""
    module, names = bench.module, bench.module.names
    for tail, (name, position) in [*_DIRECTORIES.items(), *_FILES.items()]:
        for call in module.calls_of(tail):
            path = template(names, given(call, name, position))
            if path is not None:
                yield directory(path) if tail in _FILES else normal(path)
