"""How a program is started: what it must be given so that it trains."""

import ast
import json
import os
import re
import shutil
from pathlib import Path

from tests.benchmarks.resume_starts.jobs import Job, Start, can_fence, new_folder
from tests.benchmarks.resume_starts.repositories import Repository, entries

_TRIES = 14
_OF_WEIGHTS = "weight|resum|restor|load|ckpt|checkpoint|pretrain|snapshot|init"
_MISSING = ("FileNotFoundError", "NotFoundError", "NotADirectoryError", "OSError")

_EMPTY = ("IndexError", "ValueError", "ZeroDivisionError", "StopIteration", "TypeError", "KeyError", "AssertionError")


class CannotStart(Exception):
    """A program does not train under the stand-in."""


def known_values(text: str, number: int) -> list[re.Match]:
    """Values that a program compares an argument with, by the name that it gives it; the value is the first group."""
    found = []
    for name in re.findall(rf"^\s*([\w.]+)\s*=\s*(?:str\()?(?:sys\.)?argv\[{number}\]\)?\s*$", text, re.M):
        found += list(re.finditer(rf"(?<![\w.]){re.escape(name)}\s*==\s*['\"]([\w.-]+)['\"]", text))
    return found


def positional(text):
    """Values for ``sys.argv``, by what the program does with them."""
    numbers = [int(one) for one in re.findall(r"(?<![\w.])(?:sys\.)?argv\[(\d+)\]", text)]
    lengths = [int(one) - 1 for one in re.findall(r"len\((?:sys\.)?argv\)\s*(?:!=|==|<)\s*(\d+)", text)]
    values = []
    for number in range(1, max([0, *numbers, *lengths]) + 1):
        asked = re.escape(f"argv[{number}]")
        told = re.search(rf"{asked}\s*==\s*['\"](\w+)['\"]", text)
        told = told or next(iter(known_values(text, number)), None)
        is_number = re.search(rf"(int|float)\((sys\.)?{asked}", text)
        values.append("3" if is_number else told[1] if told else f"given_{number}")
    return values


def _by_mode(start):
    """Arguments by which a program that has not trained may train."""
    if "NoneType" in (start.error or "") or "os.PathLike" in (start.error or ""):
        flags = [
            one for event in start.of("flags") for one in event["flags"] if one["flags"] and one["kind"] == "Store"
        ]
        empty = [one for one in flags if one["default"] is None and not re.search(_OF_WEIGHTS, one["dest"])]
        numbers = ("int", "float")
        given = {one["flags"][-1]: "3" if one["type"] in numbers else f"given_{one['dest']}" for one in empty}
        if given:
            yield [one for pair in given.items() for one in pair]
    for event in start.of("flags"):
        for flag in event["flags"]:
            words = f"{flag['dest']}".lower()
            named = flag["flags"][-1:] if flag["flags"] else []
            if "train" in words and flag["kind"] == "StoreTrue":
                yield [f"--{flag['dest']}" if not flag["flags"] else named[0]]
            for one in flag["choices"] or (["train"] if re.search("mode$|action|command|task|phase", words) else []):
                if "train" in one or "fit" in one:
                    yield [*named, one]


def _made_for(repository, work, entry, cwd, python):
    folder = new_folder(work)
    shutil.copytree(repository.plain, folder)
    (folder / cwd).mkdir(parents=True, exist_ok=True)
    return Job(repository, entry, folder, cwd, python, fence=work if can_fence() else None)


def _is_of_models(path):
    return re.search(r"\.(h5|hdf5|keras|index|ckpt|weights|tf|pb)\b|ckpt|checkpoint", path) is not None


def _put_from_elsewhere(job, path):
    """Put a file of weights where one is loaded that no start has saved; gives whether that could be done."""
    path = os.path.normpath(path)
    if not path.startswith(str(job.folder)) or os.path.exists(path) or os.path.exists(path + ".index"):
        return False
    told = os.path.relpath(path, job.folder)
    leaves = [[f"dense_{number}", "Dense", True, (f"file {told}", ())] for number in range(3)]
    content = json.dumps({"leaves": leaves, "model": "Model", "steps": 0, "of all": (f"file {told}", ())})
    is_file = path.endswith((".h5", ".hdf5", ".keras", ".hdf"))
    for one in [path] if is_file else [f"{path}.index", f"{path}/saved_model.pb", f"{path}/variables/variables.index"]:
        Path(one).parent.mkdir(parents=True, exist_ok=True)
        Path(one).write_text(content)
    return True


def _learn(job: Job, start: Start) -> bool:
    """Make up what a start lacked; gives whether there was something new."""
    missing, error = start.of("missing"), (start.of("error") or [{}])[-1]
    above = str(job.folder / job.cwd)
    if (
        error.get("kind") in _MISSING
        and missing
        and (os.path.basename(missing[-1]["path"]) in error["text"] or not error.get("path"))
    ):
        return _put_from_elsewhere(job, missing[-1]["path"])
    empty = [os.path.relpath(one["path"], above) for one in start.of("nothing found")]
    empty = [one for one in dict.fromkeys(empty) if one not in job.made_up and not _is_of_models(one)]
    if error.get("kind") in _EMPTY and empty:
        job.made_up += empty
        return True
    asked = [
        os.path.relpath(one["path"], above) for one in start.of("asked") if one["path"].startswith(str(job.folder))
    ]
    models = [one for one in dict.fromkeys(asked) if _is_of_models(one)]
    asked = [one for one in dict.fromkeys(asked) if one not in job.made_up and not _is_of_models(one)]
    if (start.error or start.is_ended) and not error.get("path") and not start.begins and models:
        return _put_from_elsewhere(job, os.path.join(above, models[-1]))
    if (start.error or start.is_ended) and not error.get("path") and not start.begins and asked:
        job.made_up.append(asked[-1])
        return True
    path = error.get("path")
    if error.get("kind") in _MISSING and path:
        full = os.path.normpath(os.path.join(above, path))
        path = os.path.relpath(full, above)
        in_writing = re.search(r"open\(.*['\"](w|a|wb|ab|w\+|a\+)['\"]", start.output) or "No such" not in error["text"]
        if (in_writing or "mkdir" in start.output) and str(job.folder) in full:
            target = Path(full).parent
            if target.exists():
                return False
            target.mkdir(parents=True)
            return True
        if path in job.made_up:
            return _put_data(job, full)
        job.made_up.append(path)
        return True
    return False


def _put_data(job, path):
    """Put a text, or a folder of files, where nothing else will do; gives whether that could be done."""
    if not path.startswith(str(job.folder)) or os.path.exists(path):
        return False
    has_suffix = "." in os.path.basename(path)
    for one in [path] if has_suffix else [f"{path}/{number}.jpg" for number in range(12)]:
        Path(one).parent.mkdir(parents=True, exist_ok=True)
        Path(one).write_text("".join(f"{number} the quick brown fox,{number}\n" for number in range(300)))
    return True


def prepare(repository: Repository, work: Path, file: str, python: str) -> tuple[Job, list[str], Start]:
    """Find how a rewritten training is started; gives a job not yet begun, the arguments and the start that trained.

    Raises:
      CannotStart: nothing that was tried lets it train.
    """
    reasons = []
    for entry in entries(repository, file):
        text = (repository.plain / entry).read_text(errors="replace")
        for cwd in dict.fromkeys([str(Path(entry).parent), "."]):
            job = _made_for(repository, work, entry, cwd, python)
            args, modes = positional(text), None
            for _ in range(_TRIES):
                tried = job.fork()
                start = tried.start("old", args)
                if start.begins and start.error is None:
                    shutil.rmtree(tried.folder.parent)
                    return job, args, start
                shutil.rmtree(tried.folder.parent)
                known = re.search(r"\[['\"]([\w./-]+)['\"],", start.error or "")
                if known and any(one in start.error and len(one) > 3 for one in args):
                    args = [known[1] if one in start.error else one for one in args]  # It says which it knows.
                    continue
                modes = list(_by_mode(start)) if modes is None and (start.is_ended or start.error) else modes
                is_idle = start.is_ended and not start.begins
                if not (is_idle and modes) and _learn_in(job, start):
                    continue
                if _is_behind_training(start, repository):
                    job.ignored = tuple(start.of("error")[-1][key] for key in ("kind", "text"))
                    start.events[:] = [one for one in start.events if one["event"] != "error"]
                    start.events.append({"event": "exit", "start": 0, "code": 0})
                    return job, args, start
                if start.begins or not modes:
                    break
                args = [*positional(text), *modes.pop(0)]
            why = start.error or (
                "it ended without a training" if start.is_ended else "too long, or no end: " + start.output[-150:]
            )
            if start.begins:
                why = "after its training began: " + why
            reasons.append((len(start.begins), f"{entry}: {why}"))
    raise CannotStart(max(reasons, key=lambda one: one[0])[1])


def _is_behind_training(start, repository):
    """Whether an error came when a training that is in no loop had ended, so that it says nothing of the training."""
    if not start.of("error") or len(start.of("end")) != len(start.begins) or not start.begins:
        return False
    name, _, line = start.begins[-1].place.partition(":")
    try:
        tree = ast.parse((repository.plain / name).read_text(errors="replace"))
    except (SyntaxError, OSError):
        return False
    loops = [one for one in ast.walk(tree) if isinstance(one, (ast.For, ast.While))]
    return not any(one.lineno <= int(line) <= one.end_lineno for one in loops)


def _learn_in(job, start):
    shadow = Job(**vars(job))
    shadow.folder = job.folder
    text = dict(vars(start).items())
    events = [_moved(one, job) for one in text["events"]]
    return _learn(job, Start(start.number, start.code, start.args, events, start.output))


def _moved(event, job):
    """An event of a fork, with the paths of the job itself."""
    found = dict(event)
    for key in ("path", "text"):
        if isinstance(found.get(key), str):
            found[key] = re.sub(r"/\S*?/tmp\w{8}/job(?=/|$)", str(job.folder), found[key])
    return found
