"""FT110 · RunConfig settings that TF2 has no place for

``session_config``, ``device_fn``, ``protocol``, ``experimental_max_worker_delay_secs``,
``session_creation_timeout_secs`` and ``checkpoint_save_graph_def`` speak of sessions and graphs, and TF2 trains
without either.

Instead: nothing; ``tf.config`` has what a ``session_config`` set (threads, memory growth, soft placement), and
``tf.device`` places variables.

Fidelity: noted. Each is named, none is dropped in silence.

See: tf.estimator.RunConfig, tf.config.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, noted, rule

_HELP = {
    "session_config": "Set threads, memory growth or soft placement with tf.config at the start of the program.",
    "device_fn": "Place variables with tf.device around the model.",
    "protocol": "",
    "experimental_max_worker_delay_secs": "",
    "session_creation_timeout_secs": "",
    "checkpoint_save_graph_def": "",
}


@rule(
    "FT110",
    "noted",
    Example("RunConfig(session_config=None, protocol='grpc')", "save_secs=600"),
    Example("RunConfig(device_fn=print)", "save_secs=600"),
    is_setting=True,
)
def settings_without_a_place(program: Program, draft: Draft) -> Iterator[Verdict]:
    for name, help in _HELP.items():
        value = program.config.settings.get(name)
        if value is not None and not is_none(value):
            yield noted(value, f"{name} has no place in TF2 and is dropped", help)
