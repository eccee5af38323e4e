"""Rewrites imports of moved names of Keras (FT204)."""

import ast
import re

from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.nodes import bound_name, imported_paths
from migrate.edits.plan import ReplaceStatement
from migrate.rules.rule import Fix, Verdict, Workbench, exact, noted
from migrate.tensorflow.keras import lack

ImportStatement = ast.Import | ast.ImportFrom
_SYMBOLIC = "; on Keras 3 it takes the tensors within a layer or a loss, and not those between layers"


def moved_import(bench: Workbench, statement: ImportStatement) -> Fix | None:
    """Returns the rewrite of an import to the places where every Keras has its names; None where none moved."""
    new: dict[ast.alias, str] = {}
    for alias, path in imported_paths(statement):
        if isinstance(statement, ast.ImportFrom) or alias.asname is not None:
            place = _place(bench, statement, alias, path)
            new |= {} if place is None or alias.name == "*" else {alias: place}
    if not new:
        return None
    kept = [alias for alias in statement.names if alias not in new]
    modules = {place.rpartition(".")[0] for place in new.values()}
    text, [first, *more] = bench.module.source.text(statement), sorted(modules)
    is_same = all(place.rpartition(".")[2] in ("", alias.name) for alias, place in new.items())
    if isinstance(statement, ast.ImportFrom) and first and not (more or kept) and is_same:
        lines = [re.sub(r"from\s+[\w.]+", f"from {first}", text, count=1)]
    else:
        rest = type(statement)(**{**vars(statement), "names": kept})
        lines = [ast.unparse(rest)] if kept else []
        for place in sorted(modules - {""}):
            inside = ((alias, one.rpartition(".")[2]) for alias, one in new.items() if one.startswith(f"{place}."))
            own = (name if name == bound_name(one) else f"{name} as {bound_name(one)}" for one, name in inside)
            lines.append(f"from {place} import {', '.join(own)}")
    message = f"becomes {'; '.join(lines)}" if lines else "is removed: nothing uses it"
    places = " ".join(new.values())
    edit = ReplaceStatement(bench.module.span(statement), (*lines,))
    return Fix((moved_verdict(statement, message, places),), (edit,))


def _place(bench: Workbench, statement: ImportStatement, alias: ast.alias, path: str) -> str | None:
    """Returns the path where every Keras has an imported name; "" if it is unused, None if it stays."""
    names, target = bench.module.names, bench.settings.target
    one = lack(path, target)
    if is_guarded(names, statement) or (one is not None and one.place):
        return None if is_guarded(names, statement) or one is None else one.place
    uses = [names.parent(use) for use in names.uses(bound_name(alias), names.scope_of(statement))]
    if one is not None and not uses:
        return ""
    places = set[str]()
    for use in uses:
        tail = use.attr if isinstance(use, ast.Attribute) else ""
        below = lack(f"{path}.{tail}", target)
        if below is not None and below.place.endswith(f".{tail}"):
            places.add(below.place.removesuffix(f".{tail}"))
        elif one is not None:
            return None  # a name without a replacement needs the old import
    is_all = len(places) == 1 and all(
        lack(f"{path}.{use.attr}", target) is not None or lack(f"{min(places)}.{use.attr}", target) is None
        for use in uses
        if isinstance(use, ast.Attribute)
    )
    return min(places) if is_all else None


def moved_verdict(node: ast.expr | ast.stmt, message: str, places: str) -> Verdict:
    if "tensorflow.keras.backend" in places:
        return noted(node, f"{message}, which every Keras has{_SYMBOLIC}")
    return exact(node, f"{message}, which every Keras has" if places.strip() else message)
