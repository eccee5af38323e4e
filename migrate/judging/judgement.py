"""The results of judging: findings and a plan for each file, and a verdict on each program as a whole."""

from typing import TYPE_CHECKING, NamedTuple

from migrate.findings.finding import Cause, Finding

if TYPE_CHECKING:
    from migrate.edits.plan import Plan


class JudgedProgram(NamedTuple):
    """A judged program: all of its files change, or none of them does.

    Attributes:
      files: its files as the user named them, the one with its estimator first.
      kinds: what it trains, ``premade``, ``model_fn``, ``TPU``, ``Keras`` or ``other``, each kind once; ``exports``
        where it only reads what another program exports, ``hooks`` where it only names what TensorFlow 2 has too.
      form: ``object`` where it will train by an object with the Estimator's methods; ``reader`` where it only reads
        exports; ``names`` where it only gets other names for the same classes.
      directories: its ``model_dir`` arguments, as source.
      cause: why it is skipped; None where it is rewritten.
    """

    files: tuple[str, ...]
    kinds: tuple[str, ...]
    form: str
    directories: tuple[str, ...] = ()
    cause: Cause | None = None


class Judgement(NamedTuple):
    """The result of judging one file.

    Attributes:
      programs: the programs whose first estimator is in it.
    """

    findings: list[Finding]
    plan: "Plan"
    programs: list[JudgedProgram]
