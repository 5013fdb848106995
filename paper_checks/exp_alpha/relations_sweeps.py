"""What Exp-α's appendix says about α and IID clients, and how its tables repeat each other: Tables 8 to 12."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from paper_checks.exp_alpha.relations_cifar import better_beyond, pairs
from paper_checks.exp_alpha.relations_tables import (
    FLIPPED,
    FLIPPED_FULL,
    IID,
    IMBALANCED,
    IMBALANCED_FULL,
    printed,
    spread_of,
    stated,
    table,
)
from validation import Comparison
from validation.statement.printed import Quantity, below, canary, equal, number, reading, relation_claim, total
from validation.statement.published import Printed

__all__ = ["BY_STEPS", "SWEEPS"]

Comparisons = tuple[Comparison, ...]
BY_STEPS, BY_IMBALANCE = "table08_alpha_by_local_steps", "table09_alpha_by_imbalance"


def _best(name: str, over: str, entry: str) -> tuple[Quantity, Comparisons]:
    """The α of the largest accuracy in one row, and the comparisons that show it is the largest."""
    alphas = table(name).values("alpha", **{over: entry})
    cells = {a: printed(name, **{over: entry, "alpha": a}) for a in alphas}
    top = max(alphas, key=lambda a: Fraction(table(name).printed(**{over: entry, "alpha": a}).text))
    found = number(Printed(top, name, f"{over} = {entry}, best alpha"))
    return found, tuple(below(cells[a], cells[top]) for a in alphas if a != top)


def _best_alphas(name: str, over: str, *, falling: bool, ends: bool = False) -> Comparisons:
    """The best α never rises (falls) along the rows; with `ends`, it differs between the first and the last."""
    found = [_best(name, over, entry) for entry in table(name).values(over)]
    alphas = [a for a, _ in found]
    steps = [(alphas[0], alphas[-1])] if ends else list(pairwise(alphas))
    shown = tuple(c for _, comparisons in found for c in comparisons)
    return shown + tuple(below(b, a, strict=ends) if falling else below(a, b, strict=ends) for a, b in steps)


def _alike() -> Comparisons:
    """No difference beyond two standard errors: d² <= 4·variance."""
    out = []
    for worse, best, place in pairs(IID):
        spreads = [spread_of(IID, strategy=s, **place) for s in ("exp_alpha", "proportional")]
        variance = total(s * s for s in spreads) / stated("EA-P24", "runs")
        gap = abs(best - worse)
        says = f"E = {place['E']}, {place['metric']}: the two differ by at most two standard errors"
        out.append(below(gap * gap, variance * 4, says, strict=False))
    return tuple(out)


def _same_cells(few: str, many: str, *, strategies: tuple[str, str] = ("exp_alpha", "proportional")) -> Comparisons:
    """Every number of the short table stands in the complete one; `strategies` exchanged for the canary."""
    exchanged = dict(zip(("exp_alpha", "proportional"), strategies, strict=True))
    keys = ("dataset", "backbone", "E", "metric", "domain")
    return tuple(
        equal(
            printed(few, strategy=row["strategy"], **{k: row[k] for k in keys}),
            printed(many, strategy=exchanged[row["strategy"]], **{k: row[k] for k in keys}),
        )
        for row in table(few).rows
    )


def _shared_setting(ratio: str = "0.1") -> Comparisons:
    return tuple(
        equal(printed(BY_STEPS, E="160", alpha=a), printed(BY_IMBALANCE, imbalance_ratio=ratio, alpha=a))
        for a in table(BY_STEPS).values("alpha")
    )


SWEEPS = (
    relation_claim(
        "EA-P16",
        source="A.5, Table 8",
        quote="We observe that increasing number of local steps requires smaller α",
        title="More local steps, smaller α",
        says="The best α never rises as the number of local steps grows.",
        readings=(
            reading("never larger", "From each E to the next.", lambda: _best_alphas(BY_STEPS, "E", falling=True)),
            reading(
                "smaller at the end",
                "E = 160 against E = 20.",
                lambda: _best_alphas(BY_STEPS, "E", falling=True, ends=True),
            ),
        ),
        canaries=(
            canary(
                "larger α",
                lambda: _best_alphas(BY_STEPS, "E", falling=False, ends=True),
                "the best α is 125 at E = 20 and 0.2 at E = 160",
            ),
        ),
        words=(
            "Best α: 125, 5, 5, 0.2 for E = 20, 40, 80, 160. Best and second best differ by 0.41, 0.11, 0.04 and 0.14 points and no "
            "deviations are printed for this table; those of FedAvg in Table 10 are 0.25 to 1.44."
        ),
    ),
    relation_claim(
        "EA-P17",
        source="A.5, Table 9",
        quote="We observe that more severe heterogeneity can benefit from smaller α",
        title="More severe imbalance, smaller α",
        says="The best α never falls as the imbalance gets milder.",
        readings=(
            reading(
                "never smaller",
                "From each imbalance ratio to the next.",
                lambda: _best_alphas(BY_IMBALANCE, "imbalance_ratio", falling=False),
            ),
            reading(
                "larger at the end",
                "Ratio 0.5 against 0.1.",
                lambda: _best_alphas(BY_IMBALANCE, "imbalance_ratio", falling=False, ends=True),
            ),
        ),
        canaries=(
            canary(
                "smaller α",
                lambda: _best_alphas(BY_IMBALANCE, "imbalance_ratio", falling=True, ends=True),
                "the best α is 0.2 at ratio 0.1 and 125 at 0.5",
            ),
        ),
        words="Best α: 0.2, 0.2, 0.2, 5, 125 for ratios 0.1 to 0.5. No deviations are printed.",
    ),
    relation_claim(
        "EA-P18",
        source="A.5, Table 11",
        quote="As expected, Exp-α and proportional aggregation perform similarly",
        title="Similar on IID clients",
        says="On IID clients Exp-α and proportional aggregation do not differ beyond two standard errors.",
        assumes=("similarly: within two standard errors of three independent runs each (our rule)",),
        readings=(reading("within two standard errors", "All 16 pairs of Table 11.", _alike),),
        canaries=(
            canary(
                "Exp-α better beyond two standard errors",
                lambda: better_beyond(IID),
                "at E = 20 proportional prints 67.56 against 67.17",
            ),
        ),
        words=(
            "No difference exceeds two standard errors; the largest, test accuracy at E = 160 (67.66 against 66.96), comes to 1.9. "
            "Exp-α is ahead in the four metrics of E = 160 and behind or level in the other twelve."
        ),
    ),
    relation_claim(
        "EA-P20",
        source="caption of Table 1; Table 10",
        quote="A complete table with standard deviation is available at A.5",
        title="Table 1 is part of Table 10",
        says="Every number of Table 1 stands in Table 10.",
        readings=(reading("as printed", "120 cells.", lambda: _same_cells(IMBALANCED, IMBALANCED_FULL)),),
        canaries=(
            canary(
                "strategies exchanged",
                lambda: _same_cells(IMBALANCED, IMBALANCED_FULL, strategies=("proportional", "exp_alpha")),
                "FedAvg at E = 20: 38.00 against 43.33 rounds",
            ),
        ),
        words="All 120 cells agree. Table 10 adds E = 80 and the deviations.",
    ),
    relation_claim(
        "EA-P21",
        source="caption of Table 2; Table 12",
        quote="A complete table with standard deviation is available at A.6",
        title="Table 2 is part of Table 12",
        says="Every number of Table 2 stands in Table 12.",
        readings=(reading("as printed", "120 cells.", lambda: _same_cells(FLIPPED, FLIPPED_FULL)),),
        canaries=(
            canary(
                "strategies exchanged",
                lambda: _same_cells(FLIPPED, FLIPPED_FULL, strategies=("proportional", "exp_alpha")),
                "FedAvg at E = 20: 36.33 against 69.33 rounds",
            ),
        ),
        words="All 120 cells agree. Table 12 adds E = 80 and the deviations.",
    ),
    relation_claim(
        "EA-P22",
        source="A.5, Tables 8 and 9",
        quote="We use a fixed imbalance ratio of 0.1",
        title="The setting that Tables 8 and 9 share",
        says="E = 160 of Table 8 and ratio 0.1 of Table 9 are the same five numbers.",
        readings=(reading("as printed", "Five cells.", _shared_setting),),
        canaries=(
            canary(
                "ratio 0.2",
                lambda: _shared_setting("0.2"),
                "Table 9 prints 67.19 at ratio 0.2, α = 0.2, and 66.50 at 0.1",
            ),
        ),
        words="All five agree, the value 65.53 printed for both α = 5 and α = 25 included.",
    ),
)
