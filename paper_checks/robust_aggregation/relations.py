"""RA-X4c: whether «the result is clear» follows from the printed intervals of R60."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import sympy as sp

from paper_checks.robust_aggregation.relations_figures import FIGURES
from paper_checks.robust_aggregation.relations_r60 import R60
from validation import Canary, Claim, Comparison, Kind, Reading, Relation, Table, load_table, symbols

__all__ = ["RA_X4C", "RELATIONS"]

best, other, best_ci, other_ci = symbols("best other best_ci other_ci")


@cache
def _table() -> Table:
    return load_table(Path(__file__).parent / "published" / "r60_hybrid.csv")


def _separated(half_width: sp.Expr, *, reverse: bool = False) -> tuple[Comparison, ...]:
    """The 95% interval of R60(other) − R60(FedSoftBetterAvg) lies above 0, for a half width of the difference."""
    out = []
    for method in ("FedAvg", "FedSoftWorseAvg"):
        cells = {
            "best": _table().cell(method="FedSoftBetterAvg"),
            "best_ci": _table().cell("ci95", method="FedSoftBetterAvg"),
            "other": _table().cell(method=method),
            "other_ci": _table().cell("ci95", method=method),
        }
        gap = best - other if reverse else other - best
        # Squared, so that it stays rational: gap > 0 and gap² > half_width².
        out.append(Comparison(f"FedSoftBetterAvg reaches 60% before {method}", sp.Integer(0), "<", gap, cells))
        says = f"the interval of R60({method}) − R60(FedSoftBetterAvg) excludes 0"
        out.append(Comparison(says, half_width, "<", gap**2, cells))
    return tuple(out)


_INDEPENDENT = best_ci**2 + other_ci**2
_PAIRED = (best_ci - other_ci) ** 2
_OPPOSED = (best_ci + other_ci) ** 2

RA_X4C = Claim(
    id="RA-X4c",
    kind=Kind.RELATION,
    source="Sec. 4.7, hybrid strategies, table of R60",
    title="The result is clear despite the intervals",
    statement=(
        r"R_{60}(\text{FedSoftBetterAvg})=4.97\pm0.57<5.48\pm0.75=R_{60}(\text{FedAvg}),\ "
        r"6.13\pm0.91=R_{60}(\text{FedSoftWorseAvg})"
    ),
    says="That FedSoftBetterAvg reaches 60% first is clear even though the 95% intervals are wide.",
    assumes=("the printed ± are 95% intervals of means", "clear: the 95% interval of the difference excludes 0"),
    readings=(
        Reading("independent runs", "Half widths add in squares.", Relation(lambda: _separated(_INDEPENDENT))),
        Reading(
            "paired runs, perfectly correlated",
            "Same seeds for all strategies, the most favourable case: half widths subtract.",
            Relation(lambda: _separated(_PAIRED)),
        ),
        Reading("worst dependence", "Perfectly opposed runs: half widths add.", Relation(lambda: _separated(_OPPOSED))),
    ),
    canaries=(
        Canary(
            "order reversed",
            Relation(lambda: _separated(_PAIRED, reverse=True)),
            "FedSoftBetterAvg has the smallest printed R60",
        ),
    ),
    verdict_words=(
        "The order of the means is as stated. Whether it is clear depends on something the paper does not say: how the "
        "runs of two strategies were paired. Taken as independent, the difference to FedAvg is 0.51 ± 0.94 and does "
        "not exclude 0 (that to FedSoftWorseAvg, 1.16 ± 1.07, does); only strongly paired runs would make both clear."
    ),
)

RELATIONS = (*FIGURES, *R60)
