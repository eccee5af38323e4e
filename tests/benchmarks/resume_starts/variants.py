"""Other ways to start a program: flags and constants that it has."""

import os
import re
from dataclasses import dataclass

from tests.benchmarks.resume_starts.jobs import Job, Start
from tests.benchmarks.resume_starts.prepared import known_values

_FILE = re.compile(
    r"weight|model|ckpt|check_?point|resume|load|restor|pretrain|snapshot|init|continue|start|from|path", re.I
)
_EPOCH = re.compile(
    r"(init|start|begin|resum|last|load|from|prev)\w*(epoch|step|iter)|(epoch|step|iter)\w*(start|init)", re.I
)
_CONSTANT = r"^(\s*(?:self\.|\w+\.)*{name}\s*(?::\s*\w+\s*)?=\s*){value}(?=\s*(?:#.*)?$)"


@dataclass(frozen=True)
class Variant:
    """A way to start.

    Args:
      told: it in words.
      args: the arguments.
      edits: changes of constants, as (pattern, new text).
      file: the file that it names, if it names one.
      is_chosen: whether the program itself knows several values: not so for the text of a constant.
    """

    told: str
    args: tuple = ()
    edits: tuple = ()
    is_chosen: bool = True
    file: str = ""

    def naming(self, path: str) -> "Variant":
        """The same way to start, with another file."""
        args = tuple(path if one == self.file else one for one in self.args)
        edits = tuple((pattern, repr(path) if text == repr(self.file) else text) for pattern, text in self.edits)
        return Variant(self.told, args, edits, self.is_chosen, path)


def flags_of(start: Start) -> list[dict]:
    """The flags that a start has told, each once."""
    return list({(one["dest"], *one["flags"]): one for event in start.of("flags") for one in event["flags"]}.values())


def is_boolean(flag: dict) -> bool:
    """Whether a flag is on or off."""
    return flag["kind"] in ("StoreTrue", "StoreFalse") or flag["type"] in ("bool", "str2bool", "boolean")


def toggled(flag: dict) -> tuple:
    """The arguments that turn a flag to what it is not by default."""
    name = flag["flags"][-1]
    if flag["kind"] in ("StoreTrue", "StoreFalse"):
        if flag["default"] is True and flag["kind"] == "StoreTrue":  # Of absl.
            return (f"--no{flag['dest']}",)
        return (name,)
    return (name, "" if flag["default"] and flag["type"] == "bool" else str(not flag["default"]))


def switches(start: Start, texts: dict[str, str]) -> list[Variant]:
    """Each flag and each constant that is on or off, turned."""
    found = [
        Variant(" ".join(toggled(one)), toggled(one)) for one in flags_of(start) if one["flags"] and is_boolean(one)
    ]
    for one in flags_of(start):
        if one["flags"] and one["type"] == "int" and _EPOCH.search(one["dest"]):
            found.append(Variant(f"{one['flags'][-1]} 2", (one["flags"][-1], "2"), file="2"))
    for name, text in texts.items():
        for line in re.finditer(r"^[ \t]*(?:\w+\.)*(\w+)\s*=\s*(0|-1|None)\s*(?:#.*)?$", text, re.M):
            if _EPOCH.search(line[1]):
                pattern = _CONSTANT.format(name=re.escape(line[1]), value=line[2])
                found.append(Variant(f"{line[1]} = 2 in {name}", (), ((pattern, "2"),), file="2"))
    for number, given in enumerate(start.args):
        for other in dict.fromkeys(one[1] for text in texts.values() for one in known_values(text, number + 1)):
            if other != given and given[:1] != "-":
                args = (*start.args[:number], other, *start.args[number + 1 :])
                found.append(Variant(f"argument {number + 1} {other}", args))
    for name, text in texts.items():
        for line in re.finditer(r"^[ \t]*((?:\w+\.)*)(\w+)\s*=\s*(True|False)\s*(?:#.*)?$", text, re.M):
            if "trainable" not in line[2] and re.search(
                r"resum|load|restor|contin|retrain|pretrain|scratch|new|train|init|start|last|from", line[2], re.I
            ):
                other = str(line[3] == "False")
                pattern = _CONSTANT.format(name=re.escape(line[2]), value=line[3])
                found.append(Variant(f"{line[2]} = {other} in {name}", (), ((pattern, other),)))
        for one in re.finditer(r"\b(\w+)\s*=\s*(True|False)(?=\s*[,)])", text):
            if re.search(r"resum|load|restor|contin|retrain|scratch", one[1], re.I) and "workers" not in one[1]:
                other = str(one[2] == "False")
                pattern = rf"(\b{one[1]}\s*=\s*){one[2]}(?=\s*[,)])"
                found.append(Variant(f"{one[1]}={other} in {name}", (), ((pattern, other),)))
    return list(dict.fromkeys(found))


def with_file(start: Start, paths: list[str], texts: dict[str, str]) -> list[Variant]:
    """Each flag, and each constant that is none yet, that may name a file, with each of some paths."""
    found = []
    for name, text in texts.items():
        for one in re.finditer(r"\b(\w+)\s*=\s*(None|''|\"\")(?=\s*(?:[,)]|#.*$|$))", text, re.M):
            if re.search(r"weights|resum|load|saved_?model|model_(path|file)|checkpoint|ckpt|pretrain", one[1], re.I):
                pattern = rf"(\b{one[1]}\s*=\s*)(?:None|''|\"\")(?=\s*(?:[,)]|#.*$|$))"
                for path in paths:
                    edits = ((pattern, repr(path)),)
                    found.append(Variant(f"{one[1]} = {path!r} in {name}", (), edits, file=path))
    positional = [one for one in start.args if str(one).startswith("given_")]
    for number, given in enumerate(start.args):
        for other in [*paths, *positional] if given in positional else ():
            if other != given:
                args = (*start.args[:number], other, *start.args[number + 1 :])
                found.append(Variant(f"argument {number + 1} {other}", args, file=other))
    for flag in flags_of(start):
        is_text = flag["kind"] == "Store" and flag["type"] in (None, "str") and not flag["choices"] and flag["flags"]
        if (
            is_text
            and _FILE.search(f"{flag['dest']} {flag['help']}")
            and not re.search("save|log|out|data", flag["dest"])
        ):
            found += [Variant(f"{flag['flags'][-1]} {path}", (flag["flags"][-1], path), file=path) for path in paths]
    return list(dict.fromkeys(found))


def other_names(start: Start, texts: dict[str, str]) -> list[Variant]:
    """Each flag and constant that is a text, with another one."""
    found = []
    for flag in flags_of(start):
        if not flag["flags"] or flag["kind"] != "Store" or flag["type"] not in (None, "str"):
            continue
        known = flag["choices"] or _compared("\n".join(texts.values()), flag["dest"], flag["default"])
        known = [one for one in known if one != str(flag["default"])][:2]
        others = known if flag["choices"] else [*known, f"{flag['default'] or 'another'}_2"]
        found += [Variant(f"{flag['flags'][-1]} {one}", (flag["flags"][-1], one), (), True) for one in others]
    for number, given in enumerate(start.args):
        if str(given).startswith("given_"):
            args = [*start.args[:number], f"{given}_2", *start.args[number + 1 :]]
            found.append(Variant(f"argument {number + 1} another", tuple(args)))
    for name, text in texts.items():
        for line in re.finditer(r"^[ \t]*((?:\w+\.)*)(\w+)\s*=\s*(['\"])([^'\"\n]{1,80})\3\s*(?:#.*)?$", text, re.M):
            if re.search(
                r"name|model|dataset|data|backbone|exp|dir|path|type|run|version|task|folder|prefix|file|save",
                line[2],
                re.I,
            ):
                value = line[3] + re.escape(line[4]) + line[3]
                pattern = _CONSTANT.format(name=re.escape(line[2]), value=value)
                stem, dot, suffix = line[4].rpartition(".")
                is_file = dot and suffix.isalnum() and len(suffix) < 7 and stem
                slash = "/" if line[4].endswith("/") else ""
                other = f"{stem}_2.{suffix}" if is_file else f"{line[4].rstrip('/')}_2{slash}"
                if line[2].startswith("__"):
                    continue
                known = _compared(text, line[2], line[4])
                for each in dict.fromkeys([*known, other]):
                    told = f"{line[2]} = {each!r} in {name}"
                    found.append(Variant(told, (), ((pattern, repr(each)),), each in known))
    return list({(one.args, one.edits): one for one in found}.values())


def _compared(text, name, value):
    """Other texts that a constant is compared with: the program knows them."""
    known = re.findall(rf"\b{re.escape(name)}\s*==\s*['\"]([^'\"]+)['\"]", text)
    return [one for one in dict.fromkeys(known) if one != value][:1]


def started(job: Job, code: str, args, variant: Variant, kill="never:0") -> Start:
    """Start a job's program in a variant; constants stay as they are changed."""
    job.edits = variant.edits
    given = list(variant.args) if variant.told.startswith("argument ") else [*args, *variant.args]
    return job.start(code, given, kill)


def literals(path: str, texts: dict[str, str]) -> list[str]:
    """The texts of a program that are the name of a file, as they stand there."""
    found = [one for text in texts.values() for one in re.findall(r"['\"]([^'\"\n]{3,120})['\"]", text)]
    return [one for one in dict.fromkeys(found) if os.path.normpath(one) == path]
