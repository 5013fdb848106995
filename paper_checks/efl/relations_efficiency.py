"""What EFL's text says about accuracy, rounds and bits: Table 2."""

from __future__ import annotations

from paper_checks.efl.relations_tables import printed, spread_of, stated
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    below,
    canary,
    mean,
    near,
    reading,
    relation_claim,
    reverse,
)

__all__ = ["DATASETS", "EFFICIENCY", "two"]

Comparisons = tuple[Comparison, ...]
DATASETS = ("EMNIST", "CIFAR100", "Shakespeare")
OTHERS = ("FedAvg", "FedProx")


def two(dataset: str, method: str, metric: str = "test_accuracy") -> Quantity:
    """One number of Table 2."""
    return printed("table2", dataset=dataset, method=method, metric=metric)


def _ratios() -> list[Quantity]:
    bits = "total_comm_bits"
    return [
        (two(d, "EFL", bits) / two(d, m, bits)).named(f"EFL's bits over {m}'s, {d}") for d in DATASETS for m in OTHERS
    ]


def _fewer(metric: str, others: tuple[str, ...] = OTHERS) -> Comparisons:
    return tuple(below(two(d, "EFL", metric), two(d, m, metric)) for d in DATASETS for m in others)


def _higher() -> Comparisons:
    return tuple(below(two(d, m), two(d, "EFL")) for d in DATASETS for m in OTHERS)


def _higher_beyond() -> Comparisons:
    """EFL less its deviation above the other plus its own."""
    out = []
    for d in DATASETS:
        for m in OTHERS:
            room = spread_of("table2", dataset=d, method=m, metric="test_accuracy")
            ours = spread_of("table2", dataset=d, method="EFL", metric="test_accuracy")
            out.append(below(two(d, m) + room, two(d, "EFL") - ours))
    return tuple(out)


EFFICIENCY = (
    relation_claim(
        "EFL-P1",
        source="Sec. 5.2; caption of Table 2",
        quote="our method maintains better performances but needs fewer (~10%) communicated bits",
        title="About 10% of the bits",
        says="EFL needs about 10% of the bits that FedAvg and FedProx communicate.",
        assumes=("~10%: between 5% and 15%", "bits as printed in Table 2; only their ratios are used"),
        readings=(
            reading(
                "10% of the bits, in every case",
                "Each of the six ratios lies within 0.10 ± 0.05.",
                lambda: tuple(near(r, stated("EFL-P1", "share") / 100, "0.05") for r in _ratios()),
            ),
            reading(
                "10% fewer bits, in every case",
                "Each of the six ratios lies within 0.90 ± 0.05.",
                lambda: tuple(near(r, 1 - stated("EFL-P1", "share") / 100, "0.05") for r in _ratios()),
            ),
            reading(
                "10% of the bits, on average",
                "Charitable: the mean of the six ratios lies within 0.10 ± 0.05.",
                lambda: (near(mean(_ratios()), stated("EFL-P1", "share") / 100, "0.05"),),
            ),
        ),
        canaries=(
            canary(
                "ratios upside down",
                lambda: tuple(near(1 / r, stated("EFL-P1", "share") / 100, "0.05") for r in _ratios()),
                "EFL sends fewer bits, so every inverted ratio exceeds 1",
            ),
        ),
        words=(
            "EFL's bits are 18% to 20% of the others' on EMNIST, 11% to 12% on CIFAR100 and 9% to 10% on Shakespeare, 13% on "
            "average: about a tenth on two data sets, a fifth on the third. Nowhere is it «10% fewer»."
        ),
    ),
    relation_claim(
        "EFL-P2",
        source="caption of Table 2; Sec. 5.2",
        quote="Our method maintains competitive performance but needs fewer (~10%) communication intermediaries",
        title="Competitive accuracy at fewer bits",
        says="EFL's accuracy is at least that of FedAvg and FedProx on all three data sets.",
        readings=(
            reading("larger mean", "EFL's printed mean is the larger one.", _higher),
            reading("beyond the deviations", "EFL minus its deviation exceeds the other plus its own.", _higher_beyond),
        ),
        canaries=(
            canary("order reversed", lambda: reverse(_higher()), "EMNIST prints 85.93 for EFL against 78.31 and 73.21"),
        ),
        words="EFL has the largest printed accuracy on all three data sets, by more than the printed deviations add up to.",
    ),
    relation_claim(
        "EFL-P3",
        source="Sec. 1; Table 2",
        quote="The algorithm requires both fewer gradient evaluations and communicated bits to converge",
        title="Fewer gradient evaluations and fewer bits",
        says="EFL needs fewer rounds and fewer bits to converge.",
        assumes=("rounds stand in for gradient evaluations, which the paper does not tabulate",),
        readings=(
            reading(
                "than each method of Table 2",
                "Fewer rounds and bits than FedAvg and than FedProx.",
                lambda: _fewer("total_comm_bits") + _fewer("comm_rounds_x100"),
            ),
            reading(
                "than FedAvg",
                "Charitable: the sentence names no method; fewer than the common baseline.",
                lambda: _fewer("total_comm_bits", ("FedAvg",)) + _fewer("comm_rounds_x100", ("FedAvg",)),
            ),
        ),
        canaries=(
            canary(
                "bits the other way round",
                lambda: reverse(_fewer("total_comm_bits")),
                "EFL's bits are the fewest in every row",
            ),
        ),
        words=(
            "Bits: always fewer. Rounds: fewer than FedAvg on all data sets, but FedProx needs fewer on EMNIST (38 against 41 "
            "hundred) and on Shakespeare (238 against 254). The sentence does not say fewer than what."
        ),
    ),
)
