"""FT109 · RunConfig(tf_random_seed=S)

The Estimator seeds every graph that it makes, so that runs repeat and a resumed run replays the same shuffle.

Instead: ``tf.keras.utils.set_random_seed(S)`` before the model is made.

Fidelity: noted. Runs still repeat, with other random numbers than the Estimator's; Python's and NumPy's generators are
seeded too, because Keras 3 draws its own seeds from them.

See: tf.estimator.RunConfig, tf.keras.utils.set_random_seed.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, noted, rule


@rule(
    "FT109",
    "noted",
    Example("RunConfig(tf_random_seed=7)", "tf.keras.utils.set_random_seed(7)"),
    Example("RunConfig(tf_random_seed=args.every)", "if args.every is not None:"),
    is_setting=True,
)
def tf_random_seed(program: Program, draft: Draft) -> Iterator[Verdict]:
    seed, text = draft.policy.seed, draft.seed
    if seed is None:
        return
    call = f"{draft.tf}.keras.utils.set_random_seed({text})"
    draft.before.append(call if literal(seed) is not ... else f"if {text} is not None:\n    {call}")
    yield noted(seed, "runs repeat, with other random numbers than the Estimator's; Python and NumPy are seeded too")
