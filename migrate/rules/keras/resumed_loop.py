"""A loop that saves by itself, and trainings that are found in other files or by what the program says."""

from collections.abc import Iterator

from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.named import named_file
from migrate.analysis.resume.own_loads import OwnLoad
from migrate.analysis.resume.spoken import Spoken, said_before
from migrate.analysis.trainings import training_of
from migrate.rewrite.resumption_lines import loop_lines, manager_lines
from migrate.rules.keras.file_named import named_by_user
from migrate.rules.keras.hand_loop import by_hand
from migrate.rules.keras.old_way_kept import kept
from migrate.rules.rule import Mend, Workbench, manual


def of_its_own(bench: Workbench, own: OwnLoad) -> Iterator[Mend]:
    """A training that goes on from what the program saved, wherever in its files it is loaded."""
    fit, is_here = training_of(bench.module, own.training), own.module is bench.module
    if fit is not None and fit.is_recovered(bench.module.names):
        return
    if own.loop is not None or name_of(own.training.func) == "train_on_batch":
        yield from by_hand(bench, own)
        return
    where = "" if is_here else f" ({own.module.path}, line {own.load.lineno})"
    message = f"what this program saves is loaded to resume training{where}"
    is_load = name_of(own.load.func) in ("load_weights", "load_model")
    if own.loop is None and fit is not None and is_load and own.is_named:
        named = named_file(bench.reach, fit, own.module, own.load, own.links)
        said = said_before(bench.reach, fit.call) if not named.name else None
        other = named_file(bench.reach, fit, said.module, said.load, said.links) if said is not None else named
        yield from named_by_user(bench, other if other.name or not named.is_known else named, message)
        return
    if own.loop is None and fit is not None and is_load:
        site = own.load if is_here else own.training
        yield from kept(bench, fit, site, message, [own.load] if is_here else [], own)
        return
    reason = "it is loaded by code that other programs may use"
    if own.is_named:
        reason = "the user may name another file at the start"
    lines = manager_lines(bench.reach, bench.settings, bench.vocabulary, own.training)
    yield Mend((manual(own.training, f"{message}, and {reason}", lines),))


def said_by_program(bench: Workbench, each: Spoken) -> Iterator[Mend]:
    """A training that the program says to go on from a file."""
    fit, found = training_of(bench.module, each.training), each.found
    if fit is not None and fit.is_recovered(bench.module.names):
        return
    message = "training goes on from a file that an earlier start saved"
    if fit is not None and found is not None and (each.loop is None or fit.savers):
        named = named_file(bench.reach, fit, found.module, found.load, found.links)
        yield from named_by_user(bench, named, message)
        return
    own = OwnLoad(each.training, each.loop, bench.module, each.training)
    is_fit = name_of(each.training.func) in ("fit", "fit_generator")
    reason = "fit gets its arguments from elsewhere" if is_fit else "it is not fit that trains"
    reason = reason if fit is None or found is not None else "what loads it is not seen"
    reason = reason if each.loop is None else ""
    if reason:
        given = (bench.reach, bench.settings, bench.vocabulary)
        lines = manager_lines(*given, each.training) if is_fit else loop_lines(*given, own)
        yield Mend((manual(each.training, f"{message}, and {reason}", lines),))
        return
    if found is not None:
        own = OwnLoad(each.training, each.loop, found.module, found.load, links=found.links, is_named=True)
    yield from by_hand(bench, own)
