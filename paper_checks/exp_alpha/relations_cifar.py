"""What Exp-α's text says about all cells of imbalanced and label-flipped CIFAR-10: Tables 1, 2, 10 and 12."""

from __future__ import annotations

from paper_checks.exp_alpha.relations_tables import (
    FLIPPED,
    FLIPPED_FULL,
    IMBALANCED,
    IMBALANCED_FULL,
    printed,
    spread_of,
    stated,
    table,
)
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    below,
    canary,
    constant,
    count,
    mean,
    number,
    reading,
    relation_claim,
    reverse,
    rival,
    significant,
    total,
)
from validation.statement.published import Printed

__all__ = ["CIFAR", "better_beyond", "distinct", "pairs"]

Comparisons = tuple[Comparison, ...]
METRICS = ("acc40", "val_acc_half", "val_acc_full", "test_acc")


def pairs(name: str, **where: str) -> list[tuple[Quantity, Quantity, dict[str, str]]]:
    """(worse, better, place) as if Exp-α were better: its rounds the fewer, its accuracies the higher."""
    found = []
    for row in table(name).rows:
        if row["strategy"] != "exp_alpha" or any(row[k] != v for k, v in where.items()):
            continue
        place = {k: row[k] for k in ("dataset", "backbone", "E", "metric", "domain")}
        ours, theirs = (printed(name, strategy=s, **place) for s in ("exp_alpha", "proportional"))
        found.append((theirs, ours, place) if row["direction"] == "higher" else (ours, theirs, place))
    return found


def better(name: str, **where: str) -> Comparisons:
    """Exp-α better in every pair."""
    return tuple(below(worse, best) for worse, best, _ in pairs(name, **where))


def better_beyond(name: str, z: str = "2", **where: str) -> Comparisons:
    """Better by more than z standard errors of three independent runs each."""
    out = []
    for worse, best, place in pairs(name, **where):
        spreads = [spread_of(name, strategy=s, **place) for s in ("exp_alpha", "proportional")]
        out.append(significant(worse, best, total(s * s for s in spreads) / stated("EA-P24", "runs"), z=z))
    return tuple(out)


def _better_on_average(name: str) -> Comparisons:
    """For every algorithm and metric, the mean over E is better."""
    out = []
    for backbone in table(name).values("backbone"):
        for metric in METRICS:
            chosen = pairs(name, backbone=backbone, metric=metric)
            worse = mean(p[0] for p in chosen).named(f"{backbone}, {metric}: worse mean over E")
            better_one = mean(p[1] for p in chosen).named(f"{backbone}, {metric}: better mean over E")
            out.append(below(worse, better_one))
    return tuple(out)


def _fewer_rounds_mostly(name: str) -> Comparisons:
    chosen = pairs(name, metric="acc40")
    won = count(theirs - ours for ours, theirs, _ in chosen)
    return (
        below(constant(len(chosen)) / 2, won, f"Exp-α needs fewer rounds in more than half of {len(chosen)} pairs"),
    )


def _fewer_rounds_by_algorithm(name: str) -> Comparisons:
    """More than half of the algorithms need fewer rounds at every E: their smallest gain is positive."""
    backbones = table(name).values("backbone")
    least = [rival([b - a for a, b, _ in pairs(name, metric="acc40", backbone=k)], largest=False) for k in backbones]
    says = f"more than half of {len(backbones)} algorithms need fewer rounds at every E"
    return (below(constant(len(backbones)) / 2, count(least), says),)


def distinct(name: str, column: str) -> Quantity:
    """How many different entries a column has."""
    return number(Printed(str(len(table(name).values(column))), name, f"different entries of {column}"))


CIFAR = (
    relation_claim(
        "EA-P4",
        source="Sec. 4.1, Tables 1 and 10",
        quote="We observe that Exp-α brings improvement to all FL algorithms considered",
        title="Improves all algorithms",
        says="Exp-α improves every FL algorithm considered on imbalanced CIFAR-10.",
        readings=(
            reading("in every cell of Table 1", "Every algorithm, E and metric.", lambda: better(IMBALANCED)),
            reading("in every cell of Table 10", "The complete table.", lambda: better(IMBALANCED_FULL)),
            reading(
                "on average over E",
                "Charitable: every algorithm and metric in the mean over E of Table 10.",
                lambda: _better_on_average(IMBALANCED_FULL),
            ),
        ),
        canaries=(
            canary(
                "order reversed",
                lambda: reverse(_better_on_average(IMBALANCED_FULL)),
                "FedAvg's mean test accuracy rises from 64.28 to 66.09",
            ),
        ),
        words=(
            "On average over E every algorithm improves in every metric; the sentence speaks of algorithms. Cell by cell there are exceptions: FedFor at E = 40 "
            "(rounds 16.67 against 16.33, half-time 64.47 against 64.71), FedAdam at E = 80 and 160 (rounds and half-time accuracy), two "
            "final accuracies at E = 80, and a tie of FedAvg in rounds there."
        ),
    ),
    relation_claim(
        "EA-P5",
        source="Sec. 4.1, Tables 1 and 10",
        quote="most algorithms using Exp-α reach 40% accuracy with fewer rounds of global steps than using proportional aggregation",
        title="Fewer rounds for most algorithms",
        says="For most algorithms Exp-α needs fewer rounds to 40% accuracy.",
        assumes=("most: more than half",),
        readings=(
            reading(
                "algorithms, at every E of Table 1",
                "Three of five suffice.",
                lambda: _fewer_rounds_by_algorithm(IMBALANCED),
            ),
            reading("pairs of Table 1", "Algorithm and E.", lambda: _fewer_rounds_mostly(IMBALANCED)),
            reading(
                "pairs of Table 10", "Algorithm and E, E = 80 included.", lambda: _fewer_rounds_mostly(IMBALANCED_FULL)
            ),
            reading(
                "algorithms, at every E of Table 10",
                "Three of five in the complete table.",
                lambda: _fewer_rounds_by_algorithm(IMBALANCED_FULL),
            ),
        ),
        canaries=(
            canary(
                "fewer rounds in every pair",
                lambda: tuple(below(ours, theirs) for ours, theirs, _ in pairs(IMBALANCED, metric="acc40")),
                "FedAdam at E = 160 prints 11.33 against 10.00",
            ),
        ),
        words=(
            "Fewer rounds in 13 of 15 pairs of Table 1 and 16 of 20 of Table 10. At every E of Table 1: FedAvg, FedProx and FedAvgM, "
            "three of five; in Table 10 FedAvg drops out by its tie at E = 80, which leaves two."
        ),
    ),
    relation_claim(
        "EA-P9",
        source="Sec. 4.2, Tables 2 and 12",
        quote="In all experiments, Exp-α brings significant improvements over proportional aggregation",
        title="Significant improvements under label flipping",
        says="With flipped labels Exp-α is significantly better in all experiments.",
        assumes=("three independent runs on each side", "the text names no test of significance"),
        readings=(
            reading(
                "better in every cell",
                "Tables 2 and 12, printed means.",
                lambda: better(FLIPPED) + better(FLIPPED_FULL),
            ),
            reading(
                "better beyond two standard errors", "Every cell of Table 12.", lambda: better_beyond(FLIPPED_FULL)
            ),
            reading(
                "t-test at 5%",
                "Every cell of Table 12: beyond 2.776 standard errors, four degrees of freedom.",
                lambda: better_beyond(FLIPPED_FULL, "2.776"),
            ),
        ),
        canaries=(
            canary(
                "order reversed",
                lambda: reverse(better(FLIPPED)),
                "FedAvg at E = 20 prints 67.01 for Exp-α against 59.47",
            ),
        ),
        words=(
            "All 80 cells of Table 12 are better, each by more than two standard errors. Three differences in rounds do not pass a "
            "t-test at 5%, for which three runs are few: FedAdam at E = 160 (11.33 ± 1.53 against 18.67 ± 5.51), FedProx at "
            "E = 80 and FedAvgM at E = 40. Every accuracy does."
        ),
    ),
)
