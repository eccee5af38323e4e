"""What judging makes of files: the findings and the plan of each, and what becomes of each program as a whole."""

from typing import TYPE_CHECKING, NamedTuple

from migrate.findings.finding import Cause, Finding

if TYPE_CHECKING:
    from migrate.edits.plan import Plan


class JudgedProgram(NamedTuple):
    """A program as it was judged: its files change together, or none of them does.

    Attributes:
      files: its files as the user named them, that with its estimator first.
      kinds: what it trains, ``premade``, ``model_fn``, ``TPU``, ``Keras`` or ``other``, each kind once; ``exports``
        where it only reads what another program exports, ``hooks`` where it only names what TensorFlow 2 has too.
      form: how it would train, by an ``object`` with the Estimator's methods; ``reader`` where it reads exports alone,
        ``names`` where it only gets other names for the same classes.
      directories: its ``model_dir`` arguments, as they are written.
      cause: what it is skipped for; None where it is rewritten.
    """

    files: tuple[str, ...]
    kinds: tuple[str, ...]
    form: str
    directories: tuple[str, ...] = ()
    cause: Cause | None = None


class Judgement(NamedTuple):
    """What judging makes of one file.

    Attributes:
      programs: the programs whose estimators stand in it.
    """

    findings: list[Finding]
    plan: "Plan"
    programs: list[JudgedProgram]
