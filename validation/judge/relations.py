"""How a relation is judged, each comparison by itself: between printed cells exactly, of runs by what they decided.

Means over seeds come with intervals and corrected p-values, so that no script confirms them and nothing of them is
called exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from validation.published.runs import OURS
from validation.published.tables import decide
from validation.script.printed_relation import comparison_script
from validation.statement.bound import exact_value
from validation.statement.claim import Comparison, Relation
from validation.statement.outcome import Outcome
from validation.statement.verdict import Verdict

__all__ = ["judge_relation"]

__judges__ = "relations"


def judge_relation(test: Relation, claim_id: str, name: str) -> Outcome:
    """The verdict on a relation between printed cells, or between means of our runs that are decided beyond chance."""
    if test.needs_run is not None:
        return Outcome(Verdict.NEEDS_RUN, test.needs_run)
    comparisons = test.comparisons()
    if not comparisons:
        return Outcome(Verdict.INCONCLUSIVE, "nothing is compared: the relation names no cells")
    failed = [c for c in comparisons if not decide(c)]
    cells = [cell for c in comparisons for cell in c.cells.values()]
    shown = [cell for c in failed for cell in c.cells.values()] or {cell.where: cell for cell in cells}.values()
    of_runs = any(cell.where.startswith(OURS) for cell in cells)
    stage = "runs" if of_runs else "cells"
    detail: dict[str, Any] = {
        "cells": [{"cell": cell.where, "value": cell.value} for cell in shown],
        "stages": {stage: len(comparisons)},
    }
    outcome = partial(Outcome, instances=len(comparisons), admissible=len(comparisons), detail=detail)
    if of_runs:
        return _of_runs(comparisons, failed, outcome)
    if not failed:
        return outcome(Verdict.HOLDS, f"all {len(comparisons)} comparisons of printed cells hold, exactly")
    first = failed[0]
    values = {n: c.value for n, c in first.cells.items()}
    left, right = (float(exact_value(side, values)) for side in (first.left, first.right))
    why = f"{len(failed)} of {len(comparisons)} comparisons fail; «{first.says}»"
    why += f": {left:.6g} {first.relation} {right:.6g} is false"
    return outcome(Verdict.REFUTED, why, script=comparison_script(claim_id, name, first), stage=stage)


def _of_runs(all_: Sequence[Comparison], failed: Sequence[Comparison], outcome: partial[Outcome]) -> Outcome:
    """Of means over seeds: what each is, with its interval and p, and no script."""
    told = "; ".join(f"«{one.says}»" for one in failed or all_)
    if failed:
        why = f"{len(failed)} of {len(all_)} comparisons of means of our runs fail: {told}"
        return outcome(Verdict.REFUTED, why, stage="runs")
    return outcome(Verdict.HOLDS, f"all {len(all_)} comparisons of means of our runs hold: {told}")
