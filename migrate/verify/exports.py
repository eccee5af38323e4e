"""Compares what two programs export: the signatures of their newest SavedModels and the outputs of these."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from migrate.verify import child
from migrate.verify.training_program import Program

READER = Path(__file__).parent / "export_reader.py"

Exports = dict[str, dict[str, dict[str, Any]]]
"""Directory of exports -> signature -> ``inputs``, ``outputs``, ``values`` and ``problem``."""


def read_exports(program: Program, model_dir: Path) -> Exports:
    """Returns the signatures and outputs of the newest exports below ``model_dir``; empty if there is no export."""
    if next(model_dir.rglob("saved_model.pb"), None) is None:
        return {}
    found: Exports = child.printed_json(program, model_dir, READER)
    return found


def signatures_line(exports: Exports) -> str:
    """Returns the exports and their signatures in one line; "-" for none."""
    return "; ".join(f"{place}: {', '.join(map(_label, signatures))}" for place, signatures in exports.items()) or "-"


def _label(signature: str) -> str:
    return signature or "cannot be loaded"


def difference(old: Exports, new: Exports, tolerance: float, with_values: bool) -> str:
    """Returns the first difference of the exports; "" for none."""
    return next(_differences(old, new, tolerance, with_values), "")


def first_failed_signature(old: Exports, new: Exports) -> str:
    """Returns the first signature that could not be called, with the reason; "" for none."""
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
        if "" in old[place]:  # OLD's own TensorFlow cannot load it, so there is nothing to compare NEW with
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
                values_differ = _value_difference(one["values"][output], other["values"].get(output, []), tolerance)
                if values_differ:
                    yield f"{output} of {place} {name}: {values_differ}"


def _specs(specs: dict[str, list[Any]]) -> str:
    return ", ".join(f"{name} {kind}{shape if shape is not None else ''}" for name, (kind, shape) in specs.items())


def _value_difference(old: list[Any], new: list[Any], tolerance: float) -> str:
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
