"""A.5 and A.6: what the text says of α over local steps and imbalance, of IID clients, and of tables that repeat others."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from paper_checks.exp_alpha.relations_tables import (
    BY_IMBALANCE,
    BY_STEPS,
    FLIPPED,
    FLIPPED_FULL,
    IID,
    IMBALANCED,
    IMBALANCED_FULL,
    Comparisons,
    better_beyond,
    pairs,
    printed,
    table,
    variance_of,
)
from validation import Claim, Relation
from validation.published.relations import Quantity, below, equal, number
from validation.published.tables import Printed
from validation.world import mutant, reading, relation

__all__ = ["CLAIMS"]


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
        gap = abs(best - worse)
        says = f"E = {place['E']}, {place['metric']}: the two differ by at most two standard errors"
        out.append(below(gap * gap, variance_of(IID, place) * 4, says, strict=False))
    return tuple(out)


def _same_cells(few: str, many: str, *, exchanged: bool = False) -> Comparisons:
    """Every number of the short table stands in the complete one; the strategies `exchanged` for the mutant."""
    other = {"exp_alpha": "proportional", "proportional": "exp_alpha"}
    keys = ("dataset", "backbone", "E", "metric", "domain")

    def cell(name: str, strategy: str, row: Mapping[str, str]) -> Quantity:
        return printed(name, strategy=strategy, **{k: row[k] for k in keys})

    return tuple(
        equal(
            cell(few, row["strategy"], row), cell(many, other[row["strategy"]] if exchanged else row["strategy"], row)
        )
        for row in table(few).rows
    )


def _shared_setting(ratio: str = "0.1") -> Comparisons:
    return tuple(
        equal(printed(BY_STEPS, E="160", alpha=a), printed(BY_IMBALANCE, imbalance_ratio=ratio, alpha=a))
        for a in table(BY_STEPS).values("alpha")
    )


P16 = relation(
    "EA-P16",
    "A.5, Table 8",
    "More local steps, smaller α",
    quote="We observe that increasing number of local steps requires smaller α",
    plainly="The best α never rises as the number of local steps grows.",
    says=Relation(lambda: _best_alphas(BY_STEPS, "E", falling=True)),
    readings=[
        reading("never larger", "From each E to the next.", part="from each E to the next"),
        reading(
            "smaller at the end",
            "E = 160 against E = 20.",
            Relation(lambda: _best_alphas(BY_STEPS, "E", falling=True, ends=True)),
            part="from the first to the last",
        ),
    ],
    mutants=[
        mutant(
            "larger α",
            Relation(lambda: _best_alphas(BY_STEPS, "E", falling=False, ends=True)),
            "the best α is 125 at E = 20 and 0.2 at E = 160",
        )
    ],
    verdict="""Best α: 125, 5, 5, 0.2 for E = 20, 40, 80, 160. Best and second best differ by 0.41, 0.11, 0.04 and 0.14
        points and no deviations are printed for this table; those of FedAvg in Table 10 are 0.25 to 1.44.""",
)

P17 = relation(
    "EA-P17",
    "A.5, Table 9",
    "More severe imbalance, smaller α",
    quote="We observe that more severe heterogeneity can benefit from smaller α",
    plainly="The best α never falls as the imbalance gets milder.",
    says=Relation(lambda: _best_alphas(BY_IMBALANCE, "imbalance_ratio", falling=False)),
    readings=[
        reading("never smaller", "From each imbalance ratio to the next.", part="from each ratio to the next"),
        reading(
            "larger at the end",
            "Ratio 0.5 against 0.1.",
            Relation(lambda: _best_alphas(BY_IMBALANCE, "imbalance_ratio", falling=False, ends=True)),
            part="from the first to the last",
        ),
    ],
    mutants=[
        mutant(
            "smaller α",
            Relation(lambda: _best_alphas(BY_IMBALANCE, "imbalance_ratio", falling=True, ends=True)),
            "the best α is 0.2 at ratio 0.1 and 125 at 0.5",
        )
    ],
    verdict="Best α: 0.2, 0.2, 0.2, 5, 125 for ratios 0.1 to 0.5. No deviations are printed.",
)

P18 = relation(
    "EA-P18",
    "A.5, Table 11",
    "Similar on IID clients",
    quote="As expected, Exp-α and proportional aggregation perform similarly",
    plainly="On IID clients Exp-α and proportional aggregation do not differ beyond two standard errors.",
    assumes=["similarly: within two standard errors of three independent runs each (our rule)"],
    says=Relation(_alike),
    readings=[reading("within two standard errors", "All 16 pairs of Table 11.")],
    mutants=[
        mutant(
            "Exp-α better beyond two standard errors",
            Relation(lambda: better_beyond(IID)),
            "at E = 20 proportional prints 67.56 against 67.17",
        )
    ],
    verdict="""No difference exceeds two standard errors; the largest, test accuracy at E = 160 (67.66 against 66.96),
        comes to 1.9. Exp-α is ahead in the four metrics of E = 160 and behind or level in the other twelve.""",
)

P20 = relation(
    "EA-P20",
    "caption of Table 1; Table 10",
    "Table 1 is part of Table 10",
    quote="A complete table with standard deviation is available at A.5",
    plainly="Every number of Table 1 stands in Table 10.",
    says=Relation(lambda: _same_cells(IMBALANCED, IMBALANCED_FULL)),
    readings=[reading("as printed", "120 cells.")],
    mutants=[
        mutant(
            "strategies exchanged",
            Relation(lambda: _same_cells(IMBALANCED, IMBALANCED_FULL, exchanged=True)),
            "FedAvg at E = 20: 38.00 against 43.33 rounds",
        )
    ],
    verdict="All 120 cells agree. Table 10 adds E = 80 and the deviations.",
)

P21 = relation(
    "EA-P21",
    "caption of Table 2; Table 12",
    "Table 2 is part of Table 12",
    quote="A complete table with standard deviation is available at A.6",
    plainly="Every number of Table 2 stands in Table 12.",
    says=Relation(lambda: _same_cells(FLIPPED, FLIPPED_FULL)),
    readings=[reading("as printed", "120 cells.")],
    mutants=[
        mutant(
            "strategies exchanged",
            Relation(lambda: _same_cells(FLIPPED, FLIPPED_FULL, exchanged=True)),
            "FedAvg at E = 20: 36.33 against 69.33 rounds",
        )
    ],
    verdict="All 120 cells agree. Table 12 adds E = 80 and the deviations.",
)

P22 = relation(
    "EA-P22",
    "A.5, Tables 8 and 9",
    "The setting that Tables 8 and 9 share",
    quote="We use a fixed imbalance ratio of 0.1",
    plainly="E = 160 of Table 8 and ratio 0.1 of Table 9 are the same five numbers.",
    says=Relation(_shared_setting),
    readings=[reading("as printed", "Five cells.")],
    mutants=[
        mutant(
            "ratio 0.2",
            Relation(lambda: _shared_setting("0.2")),
            "Table 9 prints 67.19 at ratio 0.2, α = 0.2, and 66.50 at 0.1",
        )
    ],
    ours="Tables 8 and 9 are nowhere said to share a row; we set them side by side",
    verdict="All five agree, the value 65.53 printed for both α = 5 and α = 25 included.",
)

CLAIMS: tuple[Claim, ...] = (P16, P17, P18, P20, P21, P22)
