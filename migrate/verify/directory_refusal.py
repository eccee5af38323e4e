"""Whether a program takes its directory from what ``verify`` gives it; asked before anything is started."""

from migrate.analysis.program.tree import Tree
from migrate.planning.directories import Directory, directories
from migrate.planning.provenance import Origin
from migrate.verify.training_program import Program

MODEL_DIR = "{model_dir}"


def refusal(program: Program) -> str:
    """Why a program would not train in its run's directory, to be put behind its name; empty where it may do so.

    A program is refused where every directory that it is seen to save into comes from elsewhere. Of what is not seen
    nothing is said here: ``recording/guard.py`` stops it.
    """
    found = directories(str(program.script), Tree())
    reasons = [_reason(one, program) for one in found]
    return reasons[0] if reasons and all(reasons) else ""


def _reason(found: Directory, program: Program) -> str:
    where = f"({found.place})"
    if found.origin is Origin.WRITTEN:
        if not found.is_absolute:
            return "" if program.in_own else f"saves into {found.name} {where}, which is in its code: add --own-cwd"
        return f"saves into {found.name} {where}, which is in its code: give it a flag for its directory, --model_dir"
    if found.origin is Origin.TEMPORARY:
        told = f"saves into a temporary directory {where}, from which nothing resumes"
        return f"{told}: give it a flag for its directory, --model_dir"
    if found.origin is Origin.ENVIRONMENT and MODEL_DIR not in program.env.get(found.name, ""):
        told = f"takes its directory from the environment {where}"
        return f"{told}: add --env {found.name}={MODEL_DIR}"
    if found.origin is Origin.FLAG and not program.in_own and not _is_given(found.name, program):
        option = f"--model-dir-flag {found.name}" if found.name.startswith("-") else f"--args '{MODEL_DIR} …'"
        return f"takes its directory from {found.name} {where}: add {option}"
    return ""


def _is_given(flag: str, program: Program) -> bool:
    """Whether the directory is given for a flag, or in any place where the flag has none."""
    if any(MODEL_DIR in value for value in program.env.values()):
        return True
    pairs = zip(["", *program.args], program.args, strict=False)
    for before, arg in pairs:
        if MODEL_DIR not in arg:
            continue
        name = arg.partition("=")[0] if arg.startswith("-") else before
        if not flag.startswith("-") or _bare(name) == _bare(flag):
            return True
    return False


def _bare(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")
