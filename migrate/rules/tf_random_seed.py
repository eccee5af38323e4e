"""FT109 · RunConfig(tf_random_seed=S)

The Estimator seeds every graph that it makes, so that runs repeat and a resumed run replays the same shuffle.

Instead: ``tf.keras.utils.set_random_seed(S)`` before the model is made.

With a custom ``model_fn``: ``ModelFnTraining(…, seed=S)``, which seeds its graph as the Estimator did, and
``tf.compat.v1.set_random_seed(S)`` before the input is made. Initial values and dropout are the Estimator's on
TensorFlow 2.15 where every random operation of the input has a seed of its own, as in ``shuffle(1000, seed=3)``.
One that has none took its seed from the Estimator's graph, which counts such operations, input and ``model_fn``
together; outside of that graph it takes another, and those of the ``model_fn`` move up. Every start of the new program
draws alike, as every start of the old one did: a resumed job replays the shuffle that it was interrupted in.

Fidelity: noted. Runs still repeat, with other random numbers than the Estimator's; Python's and NumPy's generators are
seeded too for a Keras model, because Keras 3 draws its own seeds from them.

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
    needs=("model_dir",),
    settles=("seed",),
)
def tf_random_seed(program: Program, draft: Draft) -> Iterator[Verdict]:
    seed, text = draft.policy.seed, draft.seed
    if seed is None:
        return
    if program.has_model_fn:
        yield noted(seed, "runs repeat; a shuffle without a seed of its own draws another order than the Estimator's")
        return
    call = f"{draft.tf}.keras.utils.set_random_seed({text})"
    draft.before.append(call if literal(seed) is not ... else f"if {text} is not None:\n    {call}")
    yield noted(seed, "runs repeat, with other random numbers than the Estimator's; Python and NumPy are seeded too")
