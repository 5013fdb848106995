"""Numbers in Exp-α's text about CIFAR-10: percentages of Table 10, configurations and algorithms."""

from __future__ import annotations

from paper_checks.exp_alpha.relations_tables import (
    FLIPPED,
    FLIPPED_FULL,
    IMBALANCED,
    IMBALANCED_FULL,
    printed,
    stated,
    table,
)
from validation.statement.printed import (
    Quantity,
    agree,
    canary,
    edited,
    equal,
    mean,
    number,
    reading,
    relation_claim,
    rival,
)
from validation.statement.published import Printed

__all__ = ["NUMBERS", "distinct"]


def _fedavg(metric: str, name: str = IMBALANCED_FULL) -> list[tuple[Quantity, Quantity]]:
    """(proportional, Exp-α) of FedAvg at each E."""
    return [
        tuple(printed(name, backbone="FedAvg", strategy=s, E=e, metric=metric) for s in ("proportional", "exp_alpha"))  # type: ignore[misc]
        for e in table(name).values("E")
    ]


def _percent(share: Quantity, label: str) -> Quantity:
    return (100 * share).named(label)


def _error_cut(old: Quantity, new: Quantity) -> Quantity:
    return 1 - (100 - new) / (100 - old)


def distinct(name: str, column: str) -> Quantity:
    """How many different entries a column has."""
    return number(Printed(str(len(table(name).values(column))), name, f"different entries of {column}"))


NUMBERS = (
    relation_claim(
        "EA-P1",
        source="Abstract; Sec. 1; Table 10",
        quote="Exp-α, combined with FedAvg, achieves a relative 12% increase in convergence rate",
        title="12% increase in convergence rate",
        says="With FedAvg Exp-α converges 12% faster on average over the four settings of imbalanced CIFAR-10.",
        assumes=("convergence rate: rounds to 40% accuracy, means over E = 20, 40, 80, 160",),
        readings=(
            reading(
                "speed: one over rounds",
                "The mean of proportional/Exp-α − 1 rounds to 12%.",
                lambda: agree(
                    _percent(mean(p / e - 1 for p, e in _fedavg("acc40")), "mean increase of 1/rounds, %"),
                    stated("EA-P1", "rate"),
                ),
            ),
            reading(
                "reduction of rounds",
                "Charitable, and the measure of Sec. 4.1: the mean of 1 − Exp-α/proportional rounds to 12%.",
                lambda: agree(
                    _percent(mean(1 - e / p for p, e in _fedavg("acc40")), "mean reduction of rounds, %"),
                    stated("EA-P1", "rate"),
                ),
            ),
        ),
        canaries=(
            canary(
                "over the three settings of Table 1",
                lambda: agree(
                    _percent(mean(1 - e / p for p, e in _fedavg("acc40", IMBALANCED)), "mean reduction, %"),
                    stated("EA-P1", "rate"),
                ),
                "without the tie at E = 80 the mean is 16.0%",
            ),
        ),
        words=(
            "Rounds to 40% accuracy fall by 12.3%, 11.9%, 0% and 23.9%: 12.0% on average. As a rate, one over rounds, that is a "
            "gain of 14.7%. At E = 80 there is none: both need 11.33 rounds."
        ),
    ),
    relation_claim(
        "EA-P2",
        source="Abstract; Sec. 1; Table 10",
        quote="and a relative 3% reduction in error across four FL communication settings",
        title="3% reduction in error",
        says="With FedAvg Exp-α has 3% less test error on imbalanced CIFAR-10, across the four settings.",
        assumes=("error: 100 − test accuracy in percent, E = 20, 40, 80, 160",),
        readings=(
            reading(
                "on average",
                "The mean relative reduction rounds to 3%.",
                lambda: agree(
                    _percent(mean(_error_cut(p, e) for p, e in _fedavg("test_acc")), "mean reduction of error, %"),
                    stated("EA-P2", "error"),
                ),
            ),
            reading(
                "in each setting at least",
                "Charitable: the smallest of the four reductions rounds to 3%.",
                lambda: agree(
                    _percent(
                        rival([_error_cut(p, e) for p, e in _fedavg("test_acc")], largest=False),
                        "smallest reduction, %",
                    ),
                    stated("EA-P2", "error"),
                ),
            ),
        ),
        canaries=(
            canary(
                "largest reduction",
                lambda: agree(
                    _percent(rival([_error_cut(p, e) for p, e in _fedavg("test_acc")]), "largest reduction, %"),
                    stated("EA-P2", "error"),
                ),
                "at E = 160 the error falls from 36.45 to 33.91, by 7.0%",
            ),
        ),
        words=(
            "Test error falls by 6.4%, 3.7%, 3.1% and 7.0%, on average by 5.0%: more than stated. 3% is the smallest of the four, "
            "and also, rounded, the mean relative gain in accuracy (2.8%), which is probably what was computed."
        ),
    ),
    relation_claim(
        "EA-P3",
        source="Sec. 4.1, Tables 1 and 10",
        quote="12.3% reduction in number of steps using FedAvg with E = 20",
        title="12.3% fewer rounds at E = 20",
        says="FedAvg with Exp-α needs 12.3% fewer rounds to 40% accuracy at E = 20.",
        readings=(
            reading(
                "rounded to a tenth",
                "1 − 38.00/43.33.",
                lambda: agree(
                    _percent(
                        1 - _fedavg("acc40", IMBALANCED)[0][1] / _fedavg("acc40", IMBALANCED)[0][0],
                        "reduction of rounds, %",
                    ),
                    stated("EA-P3", "steps"),
                ),
            ),
        ),
        canaries=(
            canary(
                "at E = 40",
                lambda: agree(
                    _percent(
                        1 - _fedavg("acc40", IMBALANCED)[1][1] / _fedavg("acc40", IMBALANCED)[1][0],
                        "reduction of rounds, %",
                    ),
                    stated("EA-P3", "steps"),
                ),
                "22.33 to 19.67 is 11.9%",
            ),
        ),
        words="1 − 38.00/43.33 = 12.3%.",
    ),
    relation_claim(
        "EA-P7",
        source="Sec. 4.1, Table 1",
        quote="under four communication-computation configurations",
        title="Four configurations",
        says="The imbalance benchmark has four configurations of E and t.",
        readings=(
            reading(
                "in Table 1",
                "The table the sentence names.",
                lambda: (equal(distinct(IMBALANCED, "E"), stated("EA-P7", "configurations")),),
            ),
            reading(
                "in Table 10",
                "Charitable: the complete table its caption refers to.",
                lambda: (equal(distinct(IMBALANCED_FULL, "E"), stated("EA-P7", "configurations")),),
            ),
        ),
        canaries=(
            canary(
                "five in Table 10",
                lambda: (equal(distinct(IMBALANCED_FULL, "E") - 1, stated("EA-P7", "configurations")),),
                "Table 10 has E = 20, 40, 80, 160",
            ),
        ),
        words="Table 1 shows three (E = 20, 40, 160); the fourth, E = 80, is only in Table 10.",
    ),
    relation_claim(
        "EA-P8",
        source="Sec. 4.1; Sec. 4.2; Tables 1, 2, 10 and 12",
        quote="We benchmark the performance of Exp-α and proportional aggregation in six FL algorithms",
        title="Six FL algorithms",
        says="Each of the two CIFAR-10 benchmarks compares six FL algorithms.",
        readings=(
            reading(
                "in the tables named",
                "Tables 1 and 2.",
                lambda: tuple(
                    equal(distinct(t, "backbone"), stated("EA-P8", "algorithms")) for t in (IMBALANCED, FLIPPED)
                ),
            ),
            reading(
                "in the complete tables",
                "Charitable: Tables 10 and 12 might hold one more.",
                lambda: tuple(
                    equal(distinct(t, "backbone"), stated("EA-P8", "algorithms"))
                    for t in (IMBALANCED_FULL, FLIPPED_FULL)
                ),
            ),
            edited(
                "five instead of six",
                "FedAvg, FedProx, FedFor, FedAvgM, FedAdam.",
                lambda: tuple(
                    equal(distinct(t, "backbone") + 1, stated("EA-P8", "algorithms")) for t in (IMBALANCED, FLIPPED)
                ),
            ),
        ),
        canaries=(
            canary(
                "seven",
                lambda: (equal(distinct(IMBALANCED, "backbone") - 1, stated("EA-P8", "algorithms")),),
                "Table 1 lists five algorithms",
            ),
        ),
        words=(
            "All four tables list five: FedAvg, FedProx, FedFor, FedAvgM and FedAdam, and Sec. 4 itself speaks of «five representative "
            "baselines». A sixth, FedBN, appears only in the domain-shift experiments."
        ),
    ),
)
