"""FT101 · tf.estimator.RunConfig

Holds the checkpoint settings of an Estimator, and more that only a session understands.

Instead: its settings become arguments of a visible ``tf.train.CheckpointManager`` (the default) or of ``fit`` and
``BackupAndRestore``; each setting has a rule of its own, FT102 to FT111. The RunConfig is removed.

Fidelity: exact; each setting is reported separately. A config that cannot be followed from where it is made to the
estimator (a parameter, a branch, another module) blocks the Keras model. In object form (FT151) the RunConfig stays,
and its settings are read as the program runs.

See: tf.estimator.RunConfig.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.analysis.run_config_reader import RUN_CONFIG_PARAMETERS
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT101",
    "exact",
    Example("RunConfig('/tmp/m', None, 7, 50)", "checkpoint_interval=50,"),
    Example("RunConfig(**settings)", None),
    Example("args.config", None),
)
def run_config(program: Program, draft: Draft) -> Iterator[Verdict]:
    if program.config.problem is not None:
        node, reason = program.config.problem
        yield manual(node, reason, "Make the RunConfig in this file, in a variable assigned once, for one estimator.")
        return
    unknown = [name for name in program.config.settings if name not in RUN_CONFIG_PARAMETERS]
    for name in unknown:
        yield manual(
            program.config.settings[name],
            f"`{name}` is no argument of tf.estimator.RunConfig in TensorFlow 2.15",
            "Take the argument out; contrib's and TPU configs have some that Estimator dropped.",
        )
    for call in program.config.calls:
        if not unknown:
            yield exact(call, "its settings move to the code that saves and restores")
    draft.absorbed += program.config.statements
