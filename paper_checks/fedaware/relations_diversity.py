"""What FedAWARE's text says about e-LUDD, Table 2, and about its hyperparameters."""

from __future__ import annotations

from paper_checks.fedaware.relations_table2 import all_gain, gain
from paper_checks.fedaware.relations_tables import DATASETS, EXTENDED, cell, table
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    above,
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
    sign,
    total,
)

__all__ = ["DIVERSITY"]

Comparisons = tuple[Comparison, ...]
VARIANTS = ("raw", "xAWARE")


def _points(dataset: str, variant: str) -> list[tuple[Quantity, Quantity]]:
    """(e-LUDD, accuracy) of every method that has both."""
    rows = [
        r
        for r in table("table2").rows
        if r["dataset"] == dataset and r["variant"] == variant and r["metric"] == "eludd"
    ]
    return [(cell(dataset, r["method"], variant, "eludd"), cell(dataset, r["method"], variant)) for r in rows]


def _concordant(points: list[tuple[Quantity, Quantity]], what: str) -> Comparison:
    """More pairs of points in the same order in both coordinates than in opposite order (Kendall's τ > 0)."""
    signs = [sign((x - u) * (y - v)) for i, (x, y) in enumerate(points) for u, v in points[:i]]
    return below(constant(0), total(signs), f"{what}: e-LUDD and accuracy agree in order more often than not")


def _covariance(points: list[tuple[Quantity, Quantity]], what: str) -> Comparison:
    """The number of points times their covariance, which has the sign of the linear correlation."""
    x0, y0 = mean(x for x, _ in points), mean(y for _, y in points)
    products = total((x - x0) * (y - y0) for x, y in points)
    return below(constant(0), products, f"{what}: positive covariance of e-LUDD and accuracy, summed over methods")


def _between_methods(variants: tuple[str, ...]) -> Comparisons:
    out = []
    for d in DATASETS:
        for v in variants:
            out += [_covariance(_points(d, v), f"{d}, {v}"), _concordant(_points(d, v), f"{d}, {v}")]
    return tuple(out)


def _pooled() -> Comparisons:
    """Raw and extended methods of a data set together."""
    both = {d: _points(d, "raw") + _points(d, "xAWARE") for d in DATASETS}
    return tuple(_covariance(points, f"{d}, raw and extended") for d, points in both.items())


def _within_methods() -> Comparisons:
    """For more than half of the methods and data sets, the extension raises both e-LUDD and accuracy."""
    both = [rival([gain(d, m), gain(d, m, "eludd")], largest=False) for d in DATASETS for m in EXTENDED]
    return (below(constant(len(both)) / 2, count(both), f"both rise in more than half of {len(both)} cases"),)


def _gains() -> Comparisons:
    """Over methods, what the extension adds to e-LUDD against what it adds to accuracy."""
    both = {d: [(gain(d, m, "eludd"), gain(d, m)) for m in EXTENDED] for d in DATASETS}
    return tuple(_covariance(points, f"{d}, gains") for d, points in both.items())


def _not_highest() -> Comparisons:
    """CIFAR-100 with the extension: the most accurate method has not the highest e-LUDD."""
    accuracies = [cell("CIFAR-100", m, "xAWARE") for m in EXTENDED if m != "FedAMS"]
    highest = rival([cell("CIFAR-100", m, "xAWARE", "eludd") for m in EXTENDED if m != "FedAMS"])
    return (
        *above(cell("CIFAR-100", "FedAMS", "xAWARE"), accuracies),
        below(cell("CIFAR-100", "FedAMS", "xAWARE", "eludd"), highest),
    )


def _low(places: int) -> Comparisons:
    """More than `places` of the other methods have a higher e-LUDD than FedAMS."""
    ours = cell("CIFAR-100", "FedAMS", "xAWARE", "eludd")
    higher = count(cell("CIFAR-100", m, "xAWARE", "eludd") - ours for m in EXTENDED if m != "FedAMS")
    return (below(constant(places), higher, f"more than {places} methods have a higher e-LUDD than FedAMS"),)


def _setting(parameter: str, method: str = "all", kind: str = "fixed") -> Quantity:
    (dataset,) = table("hyperparameters").values(
        "dataset", parameter=parameter, method=method, kind=kind, dataset="all"
    )
    where = {"dataset": dataset, "method": method, "parameter": parameter, "kind": kind}
    return number(table("hyperparameters").printed(**where))


def _beta(bound: str, alpha: str | None = None) -> Comparisons:
    """(1 − αp)² at most `bound`, p = clients per round / clients."""
    share = _setting_clients("clients_per_round") / _setting_clients("clients")
    rate = constant(alpha) if alpha else _setting("alpha", "FedAWARE")
    beta = (1 - rate * share) * (1 - rate * share)
    return (below(beta.named("(1 − αp)²"), constant(bound), strict=False),)


def _setting_clients(parameter: str) -> Quantity:
    return number(table("hyperparameters").printed(section="5", parameter=parameter))


def _at_least_one(floor: str = "1") -> Comparisons:
    return tuple(below(constant(floor), q, strict=False) for d in DATASETS for v in VARIANTS for q, _ in _points(d, v))


DIVERSITY = (
    relation_claim(
        "FA-P1",
        source="Sec. 5, Table 2",
        quote="the FedAWARE module enlarges the e-LUDD of ALL algorithms",
        title="e-LUDD rises for all algorithms",
        says="With the extension every algorithm has a larger e-LUDD on every data set.",
        readings=(reading("every cell", "18 pairs.", lambda: all_gain("eludd")),),
        canaries=(canary("falls", lambda: reverse(all_gain("eludd")), "FedAvg on CIFAR-10: 2.58 becomes 3.08"),),
        words="True of all 18 pairs; the smallest rise is 0.06 (FedProx on CIFAR-10). FedDyn was not extended. No deviations are printed.",
    ),
    relation_claim(
        "FA-P7",
        source="Sec. 5; Sec. 6; Table 2",
        quote="federated learning is amenable to better generalization if the training procedure attains high LUD",
        title="Higher e-LUDD, higher accuracy",
        says="Training with higher e-LUDD goes with higher accuracy.",
        assumes=("e-LUDD of Table 2 stands for LUD, accuracy for generalization",),
        readings=(
            reading(
                "between methods",
                "Rank and linear correlation over methods are positive, raw and extended.",
                lambda: _between_methods(VARIANTS),
            ),
            reading(
                "between methods, pooled",
                "Linear correlation over raw and extended methods together is positive.",
                _pooled,
            ),
            reading(
                "between gains",
                "Over methods, a larger gain in e-LUDD goes with a larger gain in accuracy: positive linear correlation.",
                _gains,
            ),
            reading(
                "within a method", "The extension raises both, in more than half of the 18 pairs.", _within_methods
            ),
        ),
        canaries=(
            canary(
                "between extended methods",
                lambda: tuple(_covariance(_points(d, "xAWARE"), d) for d in DATASETS),
                "on CIFAR-100 FedAMS has the highest accuracy and the lowest e-LUDD, FedAvg nearly the reverse",
            ),
        ),
        words=(
            "It depends on what is compared: within a method it is as stated, the extension raising e-LUDD and "
            "accuracy in 17 of 18 cases; between methods it is not. Between methods the relation is positive on "
            "AGNews alone. On CIFAR-100 it is strongly negative (linear correlation −0.81 raw, −0.99 extended), on "
            "CIFAR-10 negative for the extended methods (−0.62) and none for the raw ones (−0.04). With both pooled "
            "there is none on either (−0.08 on CIFAR-10, −0.001 on CIFAR-100). Larger gains in e-LUDD go with larger "
            "gains in accuracy on CIFAR-10 (+0.91) and AGNews (+0.37), not on CIFAR-100 (−0.40). The Limitation says "
            "that the most accurate methods need not have the highest e-LUDD, and calls the causal relation "
            "inconclusive; Sec. 4.3 has «consistently associated»."
        ),
    ),
    relation_claim(
        "FA-P8",
        source="Sec. 5, Limitation",
        quote="methods with the highest accuracy do not necessarily have the highest e-LUDD values",
        title="Highest accuracy without highest e-LUDD",
        says="In some column of Table 2 the most accurate method has not the highest e-LUDD.",
        readings=(
            reading("CIFAR-100 with the extension", "The column the sentence names; one is enough.", _not_highest),
        ),
        canaries=(canary("always the highest", lambda: reverse(_not_highest()[-1:]), "FedAMS has 3.13, FedCM 3.63"),),
        words="FedAMS: accuracy 45.20, the highest; e-LUDD 3.13, the lowest of six.",
    ),
    relation_claim(
        "FA-P9",
        source="Sec. 5, Limitation",
        quote='and may even have relatively low values (e.g., FedAMS in "CIFAR-100 xAWARE") in Table 2',
        title="FedAMS has a low e-LUDD",
        says="On CIFAR-100 with the extension FedAMS has an e-LUDD below the median.",
        readings=(reading("below the median", "At least three of the five others are higher.", lambda: _low(2)),),
        canaries=(
            canary(
                "above FedYogi's",
                lambda: (
                    below(
                        cell("CIFAR-100", "FedYogi", "xAWARE", "eludd"), cell("CIFAR-100", "FedAMS", "xAWARE", "eludd")
                    ),
                ),
                "3.13 against 3.27",
            ),
        ),
        words="3.13 is the lowest of the six.",
    ),
    relation_claim(
        "FA-P21",
        source="A.4",
        quote="As β ≪ 1 in practice, we argue that FedAWARE is robust to partial client participation in theory",
        title="β is much smaller than 1",
        says="β = (1 − αp)² is far below 1 in the experiments.",
        assumes=(
            "p: the probability to be selected, 10 of 100 clients",
            "far below: at most 1/2, a generous bound of ours",
        ),
        readings=(
            reading("α = 0.5", "The setting of B.1.", lambda: _beta("0.5")),
            reading("α = 0.9", "Charitable: the largest α of the ablation.", lambda: _beta("0.5", "0.9")),
        ),
        canaries=(canary("a tenth", lambda: _beta("0.1"), "(1 − 0.05)² is 0.9025"),),
        words=(
            "With 10 of 100 clients a round and α = 0.5, β is 0.9025; with the largest α of the ablation 0.8281. β would be small "
            "only with nearly full participation, and the step that drops powers of β needs it small."
        ),
    ),
    relation_claim(
        "FA-P24",
        source="Definition 4.1, Table 2",
        quote="we define the local update diversity",
        title="e-LUDD is at least 1",
        says="Every printed e-LUDD is at least 1.",
        assumes=("e-LUD is the root of a mean of squares over the square of a mean (Jensen)",),
        readings=(reading("every cell", "All 39 cells.", _at_least_one),),
        canaries=(canary("at least 2", lambda: _at_least_one("2"), "FedAvg on AGNews prints 1.25"),),
        words="The smallest printed value is 1.15 (FedProx on AGNews).",
    ),
)
