"""Whether two programs export the same: the signatures of their newest SavedModels, and their answers."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from migrate.verify import child
from migrate.verify.training_program import Program

READER = Path(__file__).parent / "export_reader.py"

Exports = dict[str, dict[str, dict[str, Any]]]
"""By the directory of exports and the name of the signature: ``inputs``, ``outputs``, ``values`` and ``problem``."""


def read_exports(program: Program, model_dir: Path) -> Exports:
    """What the newest exports below ``model_dir`` answer; empty where there is none."""
    if next(model_dir.rglob("saved_model.pb"), None) is None:
        return {}
    found: Exports = child.printed_json(program, model_dir, READER)
    return found


def signatures_line(exports: Exports) -> str:
    """The exports and their signatures in a line."""
    return "; ".join(f"{place}: {', '.join(map(_label, signatures))}" for place, signatures in exports.items()) or "-"


def _label(signature: str) -> str:
    return signature or "cannot be loaded"


def difference(old: Exports, new: Exports, tolerance: float, with_values: bool) -> str:
    """The first thing in which the exports differ; empty for none."""
    return next(_differences(old, new, tolerance, with_values), "")


def first_failed_signature(old: Exports, new: Exports) -> str:
    """The first signature that could not be called, with the reason; empty for none."""
    for side, exports in (("OLD", old), ("NEW", new)):
        for place, signatures in exports.items():
            for name, one in signatures.items():
                if one["problem"] and not name:
                    return f"{side}'s export in {place} cannot be loaded ({one['problem']})"
                if one["problem"]:
                    return f"{side}'s {place} {name}: {one['problem']}"
    return ""


def _differences(old: Exports, new: Exports, tolerance: float, with_values: bool) -> Iterator[str]:
    for place in sorted(old.keys() ^ new.keys()):
        yield f"only {'OLD' if place in old else 'NEW'} exports to {place}"
    for place in sorted(old.keys() & new.keys()):
        if "" in old[place]:  # what its own TensorFlow cannot load says nothing of NEW
            continue
        if "" in new[place]:
            yield f"NEW's export in {place} cannot be loaded ({new[place]['']['problem']})"
            continue
        for name in sorted(old[place].keys() ^ new[place].keys()):
            yield f"only {'OLD' if name in old[place] else 'NEW'} has the signature {_label(name)} in {place}"
        for name in sorted(old[place].keys() & new[place].keys()):
            one, other = old[place][name], new[place][name]
            for what in ("inputs", "outputs"):
                if one[what] != other[what]:
                    yield f"{what} of {place} {name}: {_specs(one[what])} and {_specs(other[what])}"
            for output in one["values"] if with_values else ():
                apart = _apart(one["values"][output], other["values"].get(output, []), tolerance)
                if apart:
                    yield f"{output} of {place} {name}: {apart}"


def _specs(specs: dict[str, list[Any]]) -> str:
    return ", ".join(f"{name} {kind}{shape if shape is not None else ''}" for name, (kind, shape) in specs.items())


def _apart(old: list[Any], new: list[Any], tolerance: float) -> str:
    if len(old) != len(new):
        return f"{len(old)} values and {len(new)}" if new else ""
    for one, other in zip(old, new, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            same = one == other
        else:
            same = math.isclose(one, other, rel_tol=tolerance) or (math.isnan(one) and math.isnan(other))
        if not same:
            return f"{one} and {other}"
    return ""
