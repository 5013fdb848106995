"""What FedAWARE's text says about accuracy: Table 2."""

from __future__ import annotations

from paper_checks.fedaware.relations_tables import DATASETS, EXTENDED, cell, raw_methods
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    above,
    below,
    canary,
    constant,
    count,
    mean,
    reading,
    relation_claim,
    reverse,
    rival,
)

__all__ = ["TABLE2", "all_gain", "gain"]

Comparisons = tuple[Comparison, ...]
ADAPTIVE = ("FedYogi", "FedAMS")
MOMENTUM = ("FedAvgM", "FedYogi", "FedAMS")


def gain(dataset: str, method: str, metric: str = "accuracy") -> Quantity:
    """What the extension adds."""
    after, before = (cell(dataset, method, v, metric) for v in ("xAWARE", "raw"))
    return (after - before).named(f"{dataset}, {method}: gain in {metric}")


def all_gain(
    metric: str, methods: tuple[str, ...] = EXTENDED, by: str = "0", datasets: tuple[str, ...] = DATASETS
) -> Comparisons:
    """Every gain exceeds `by`."""
    return tuple(below(constant(by), gain(d, m, metric)) for d in datasets for m in methods)


def _mostly_gain(by: str) -> Comparisons:
    gains = [gain(d, m) - constant(by) for d in DATASETS for m in EXTENDED]
    says = f"accuracy rises by more than {by} in more than half of {len(gains)} cases"
    return (below(constant(len(gains)) / 2, count(gains), says),)


def _mean_gain(methods: tuple[str, ...], by: str) -> Comparisons:
    return tuple(
        below(constant(by), mean(gain(d, m) for d in DATASETS).named(f"{m}: mean gain over the data sets"))
        for m in methods
    )


def _plugged_best(method: str) -> Comparisons:
    return above(cell("CIFAR-100", method, "xAWARE"), [cell("CIFAR-100", m) for m in raw_methods("CIFAR-100")])


def _aware_above(methods: tuple[str, ...], datasets: tuple[str, ...]) -> Comparisons:
    return tuple(below(cell(d, m), cell(d, "FedAWARE")) for d in datasets for m in methods)


def _marginal(methods: tuple[str, ...], points: str) -> Comparisons:
    """Above each of the methods, and by at most `points`."""
    ours = cell("CIFAR-100", "FedAWARE")
    small = tuple(below(ours - cell("CIFAR-100", m), constant(points), strict=False) for m in methods)
    return _aware_above(methods, ("CIFAR-100",)) + small


def _marginal_over_best(points: str) -> Comparisons:
    best = rival([cell("CIFAR-100", m) for m in MOMENTUM]).named("the best of the three")
    gap = cell("CIFAR-100", "FedAWARE") - best
    return (below(constant(0), gap), below(gap, constant(points), strict=False))


def _others(dataset: str) -> tuple[str, ...]:
    return raw_methods(dataset, "FedAWARE")


TABLE2 = (
    relation_claim(
        "FA-P2",
        source="Sec. 5, Table 2",
        quote="the test accuracy of most algorithms is significantly improved",
        title="Accuracy of most improves",
        says="With the extension most algorithms are more accurate.",
        assumes=(
            "most: more than half of 18 pairs",
            "significantly: by more than a point (ours); no deviations are printed",
        ),
        readings=(
            reading("improved", "Accuracy rises in more than half of the pairs.", lambda: _mostly_gain("0")),
            reading(
                "by more than a point", "In more than half of the pairs by more than 1.00.", lambda: _mostly_gain("1")
            ),
        ),
        canaries=(canary("all improve", lambda: all_gain("accuracy"), "FedCM on AGNews falls from 80.79 to 80.24"),),
        words="17 of 18 accuracies rise, 15 by more than a point. Whether that is significant no printed number says: there are no deviations.",
    ),
    relation_claim(
        "FA-P3",
        source="Sec. 5, Table 2",
        quote="on CIFAR100 implements superior accuracy than all raw algorithms",
        title="FedAMS with AWARE beats all raw algorithms",
        says="On CIFAR-100 FedAMS with the extension is more accurate than every raw algorithm.",
        readings=(reading("CIFAR-100", "FedDyn and FedAWARE included.", lambda: _plugged_best("FedAMS")),),
        canaries=(canary("FedAvg instead", lambda: _plugged_best("FedAvg"), "32.72 against FedDyn's 39.04"),),
        words="45.20 against at most 39.04 (FedDyn).",
    ),
    relation_claim(
        "FA-P4",
        source="Sec. 5, Table 2 and Figure 2",
        quote="On CIFAR-10 and AGNews tasks, we surprisingly observed that FedAWARE converges faster than most baselines and even outperforms adaptive federated optimization methods (FedYogi and FedAMS)",
        title="FedAWARE outperforms adaptive methods",
        says="On CIFAR-10 and AGNews FedAWARE is more accurate than FedYogi and FedAMS.",
        assumes=("outperforms: in accuracy, Table 2; the speed of Figure 2 is not printed",),
        readings=(reading("accuracy", "Four pairs.", lambda: _aware_above(ADAPTIVE, ("CIFAR-10", "AGNews"))),),
        canaries=(
            canary(
                "order reversed",
                lambda: reverse(_aware_above(ADAPTIVE, ("CIFAR-10", "AGNews"))),
                "87.70 against 83.33 on AGNews",
            ),
        ),
        words="59.78 against 54.62 and 57.09; 87.70 against 83.15 and 83.33.",
    ),
    relation_claim(
        "FA-P5",
        source="Sec. 5, Table 2",
        quote="the test accuracy of FedAWARE also implements marginal improvement to FedAvgM, FedYogi, and FedAMS methods",
        title="Marginal improvement on CIFAR-100",
        says="On CIFAR-100 FedAWARE is slightly more accurate than FedAvgM, FedYogi and FedAMS.",
        assumes=("marginal: at most 2 points (ours)",),
        readings=(
            reading("over each", "Above each of the three, by at most 2 points.", lambda: _marginal(MOMENTUM, "2")),
            reading(
                "over the best of them",
                "Charitable: above the best of the three by at most 2 points.",
                lambda: _marginal_over_best("2"),
            ),
        ),
        canaries=(canary("over FedDyn", lambda: _marginal(("FedDyn",), "2"), "FedDyn prints 39.04 against 38.77"),),
        words="Ahead by 7.73 (FedAvgM), 1.65 (FedYogi) and 0.58 (FedAMS): an improvement on all, a marginal one on the last two.",
    ),
    relation_claim(
        "FA-P6",
        source="Sec. 5, Table 2",
        quote="we observe that FedAWARE greatly enhances FedAvgM, FedYogi, and FedAMS",
        title="Greatly enhances three methods",
        says="The extension raises the accuracy of FedAvgM, FedYogi and FedAMS by much.",
        assumes=("greatly: by more than 3 points (ours)",),
        readings=(
            reading(
                "in every cell", "By more than 3 points on each data set.", lambda: all_gain("accuracy", MOMENTUM, "3")
            ),
            reading(
                "on average",
                "Charitable: by more than 3 points in the mean of the three data sets.",
                lambda: _mean_gain(MOMENTUM, "3"),
            ),
        ),
        canaries=(
            canary("FedCM on average", lambda: _mean_gain(("FedCM",), "3"), "its gains are 1.29, 2.47 and −0.55"),
        ),
        words=(
            "On CIFAR-100 by 9.62, 6.90 and 7.01; on average by 6.81, 3.31 and 3.71. But FedYogi gains only 0.30 and FedAMS 1.36 on "
            "CIFAR-10, and all three between 1.30 and 2.75 on AGNews."
        ),
    ),
    relation_claim(
        "FA-P25",
        source="Abstract, Table 2",
        quote="FedAWARE ensures faster convergence and better generalization in heterogeneous client settings",
        title="Better generalization",
        says="FedAWARE generalizes better.",
        assumes=("generalization: test accuracy of Table 2; the speed of convergence is not printed",),
        readings=(
            reading(
                "than every method, on every data set",
                "All raw algorithms.",
                lambda: tuple(c for d in DATASETS for c in _aware_above(_others(d), (d,))),
            ),
            reading(
                "than every method, on average",
                "In the mean of the three data sets.",
                lambda: tuple(
                    below(
                        mean(cell(d, m) for d in DATASETS).named(f"{m}: mean"),
                        mean(cell(d, "FedAWARE") for d in DATASETS).named("FedAWARE: mean"),
                    )
                    for m in _others(DATASETS[0])
                ),
            ),
            reading(
                "than FedAvg",
                "On each data set; the sentence names no method.",
                lambda: _aware_above(("FedAvg",), DATASETS),
            ),
        ),
        canaries=(
            canary(
                "order reversed",
                lambda: reverse(_aware_above(("FedAvg",), DATASETS)),
                "59.78 against 42.78 on CIFAR-10",
            ),
        ),
        words=(
            "FedAWARE is more accurate than FedAvg on every data set, and the most accurate of all on average and on "
            "CIFAR-10 and AGNews. That it leads on every data set is more than the print says: Sec. 1 has «better "
            "generalization than most baselines». On CIFAR-100 FedDyn is ahead, 39.04 against 38.77. The speed of "
            "convergence is not judged here (FA-P10)."
        ),
    ),
    relation_claim(
        "FA-P26",
        source="Abstract, Table 2",
        quote="FedAWARE can significantly enhance the generalization performance of advanced FL algorithms when used as a plug-in module",
        title="Plug-in enhances generalization",
        says="The extension can make advanced FL algorithms more accurate.",
        readings=(
            reading("in every cell", "18 pairs.", lambda: all_gain("accuracy")),
            reading(
                "on average",
                "Each algorithm in the mean of the three data sets.",
                lambda: _mean_gain(EXTENDED, "0"),
            ),
        ),
        canaries=(
            canary("order reversed", lambda: reverse(_mean_gain(EXTENDED, "0")), "FedAvg gains 3.81 on average"),
        ),
        words=(
            "On average over the data sets every algorithm gains, and 17 of 18 accuracies rise. That all rise is "
            "more than the print says: the abstract has «can», Sec. 5 «most algorithms». FedCM on AGNews falls by "
            "0.55. Whether a gain is significant no printed number says (FA-P2)."
        ),
    ),
)
