"""Why a verdict is what it is, in one line: said of an entry's readings, which hold all it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from validation.verdict import Verdict

__all__ = ["why"]

Row = Mapping[str, Any]


def why(readings: Sequence[Row], worst_cases: Sequence[Row] = ()) -> str:
    """The printed readings' verdicts with their reasons, then what repairs them, then the programs that went beyond.

    A repair that a claim states has a verdict. One that the search found by itself, an extra condition or an edit of
    the formula, has none: it is said on how many instances it was not refuted, as it may depend on the sizes searched.
    `worst_cases`: those semidefinite programs whose value exceeds the bound.
    """
    parts = [f"{r['name']}: {r['verdict']} ({r['why']})" for r in readings if r["as_printed"]]
    for r in readings:
        if r["repair"] is not None and Verdict(r["verdict"]).true:
            parts.append(f"with {r['name'].removeprefix('with ')}: {r['verdict']}")
        parts += [_found(r, " and ".join(s["switches"]), s) for s in r["restored_by"]]
        parts += [_found(r, s["says"], s) for s in r["edits"][:1]]
    return "; ".join(parts + [f"beyond the bound over the class at {p['at']}" for p in worst_cases])


def _found(reading: Row, words: str, repair: Row) -> str:
    return f"{reading['name']} with {words}: not refuted on {repair['instances']:,} instances"
