"""Finds replay memories and image pools that are empty after a resume (FT518)."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import assignment_target
from migrate.analysis.keras.own_checkpoints import is_resumed
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import stores_of
from migrate.rules.rule import Fix, Workbench, manual

_MEMORY_CLASS = re.compile(
    r"(Replay|Experience)_?(Buffer|Memory|Pool)|(Image|Item|Fake|History)_?(Pool|Buffer)", re.IGNORECASE
)
_MEMORY_LIST = re.compile(r"(replay|experience)s?_?(buffer|memory|pool)", re.IGNORECASE)
_MEMORY_VARIABLE = re.compile(r"replay|memory|(image|fake|item)s?_?(pool|buffer)", re.IGNORECASE)
_CHECKPOINT = re.compile(r"check_?point|ckpt", re.IGNORECASE)
_SAVE_WORDS = re.compile(r"clear|save|load|dump|restore|persist|snapshot|pickle|check_?point|ckpt|state", re.IGNORECASE)


def unsaved_memories(bench: Workbench) -> Iterator[Fix]:
    """Yields each memory of past samples that a program which resumes its training does not save."""
    names = bench.module.names
    made = [one for one in (*names.nodes(ast.Call), *names.nodes(ast.List)) if _is_memory(bench, one)]
    for call in made if made and _restores_saves(bench) else ():
        target = assignment_target(names, call)
        assert target is not None
        uses = names.reads_of(target) if isinstance(target, ast.Name) else names.attributes.get(name_of(target), [])
        if uses and not any(_may_save(bench, use) for use in uses) and len(stores_of(names, target)) == 1:
            text = bench.module.source.text(target)
            message = f"`{text}` is in no checkpoint: after a restart it is empty"
            yield Fix((manual(call, message, f"Save {text} beside the checkpoint, and load it at the restore."),))


def _is_memory(bench: Workbench, call: ast.expr) -> bool:
    """Whether a call or an empty list makes a memory of past samples, by the names of its class and variable."""
    target = assignment_target(bench.module.names, call)
    if isinstance(call, ast.List):
        return target is not None and not call.elts and _MEMORY_LIST.search(ast.unparse(target)) is not None
    name = name_of(getattr(call, "func", call))
    is_queue = name == "deque" and target is not None and _MEMORY_VARIABLE.search(ast.unparse(target)) is not None
    return target is not None and (is_queue or (name[:1].isupper() and _MEMORY_CLASS.search(name) is not None))


def _may_save(bench: Workbench, use: ast.expr) -> bool:
    """Whether a use of a memory may save it, by the names of the functions called."""
    statement, names = bench.module.names.statement_of(use), bench.module.names
    around = [
        one for one in (use, *names.ancestors(use)) if one is statement or isinstance(one, ast.expr | ast.keyword)
    ]
    calls = [name_of(one.func) for one in around if isinstance(one, ast.Call)]
    parent = names.parent(use)
    asked = [parent.attr] if isinstance(parent, ast.Attribute) else []
    return any(_SAVE_WORDS.search(one) for one in (*calls, *asked))


def _restores_saves(bench: Workbench) -> bool:
    """Whether a file restores what it saves: a checkpoint, or an object with "checkpoint" in its name."""
    if any(is_resumed(bench.checkpoints, one, bench.values) for one in bench.checkpoints.all):
        return True
    ways = [bench.module.names.attributes.get(way, []) for way in ("restore", "save")]
    restored, saved = ({ast.unparse(one.value) for one in each} for each in ways)
    return any(_CHECKPOINT.search(one) for one in restored & saved)
