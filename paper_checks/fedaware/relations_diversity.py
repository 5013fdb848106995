"""Sec. 4.3, 5 and 6: what the text says of e-LUDD in Table 2, by itself and against accuracy."""

from __future__ import annotations

from paper_checks.fedaware.relations_tables import DATASETS, EXTENDED, VARIANTS, Comparisons, cell, gain, table
from validation import Claim, Comparison, Relation
from validation.published.relations import Quantity, above, below, constant, count, mean, reverse, rival, sign, total
from validation.world import mutant, nowhere, reading, relation

__all__ = ["CLAIMS"]


def _points(dataset: str, variant: str) -> list[tuple[Quantity, Quantity]]:
    """(e-LUDD, accuracy) of every method that has both."""
    methods = table("table2").values("method", dataset=dataset, variant=variant, metric="eludd")
    return [(cell(dataset, m, variant, "eludd"), cell(dataset, m, variant)) for m in methods]


def _concordant(points: list[tuple[Quantity, Quantity]], what: str) -> Comparison:
    """More pairs of points in the same order in both coordinates than in opposite order (Kendall's τ > 0)."""
    signs = [sign((x - u) * (y - v)) for i, (x, y) in enumerate(points) for u, v in points[:i]]
    return below(constant(0), total(signs), f"{what}: e-LUDD and accuracy agree in order more often than not")


def _covariance(points: list[tuple[Quantity, Quantity]], what: str) -> Comparison:
    """The number of points times their covariance, which has the sign of the linear correlation."""
    x0, y0 = mean(x for x, _ in points), mean(y for _, y in points)
    products = total((x - x0) * (y - y0) for x, y in points)
    return below(constant(0), products, f"{what}: positive covariance of e-LUDD and accuracy, summed over methods")


def _between_methods() -> Comparisons:
    out = []
    for d in DATASETS:
        for v in VARIANTS:
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


def _above_fedyogi() -> Comparisons:
    low, high = (cell("CIFAR-100", m, "xAWARE", "eludd") for m in ("FedYogi", "FedAMS"))
    return (below(low, high),)


def _at_least(floor: str) -> Comparisons:
    return tuple(below(constant(floor), q, strict=False) for d in DATASETS for v in VARIANTS for q, _ in _points(d, v))


CLAIMS: tuple[Claim, ...] = (
    relation(
        "FA-P7",
        "Sec. 5; Sec. 6; Table 2",
        "Higher e-LUDD, higher accuracy",
        quote="federated learning is amenable to better generalization if the training procedure attains high LUD",
        plainly="Training with higher e-LUDD goes with higher accuracy.",
        assumes=["e-LUDD of Table 2 stands for LUD, accuracy for generalization"],
        says=Relation(_between_methods),
        open={
            "relation": nowhere("""«amenable to better generalization if the training procedure attains high LUD»:
                between methods, or for one method with and without the extension, of which the paragraph speaks""")
        },
        readings=[
            reading(
                "between methods",
                "Rank and linear correlation over methods are positive, raw and extended.",
                options={"relation": "between methods"},
            ),
            reading(
                "between methods, pooled",
                "Linear correlation over raw and extended methods together is positive.",
                Relation(_pooled),
                options={"relation": "between methods, pooled"},
            ),
            reading(
                "between gains",
                """Over methods, a larger gain in e-LUDD goes with a larger gain in accuracy: positive linear
                    correlation.""",
                Relation(_gains),
                options={"relation": "between gains"},
            ),
            reading(
                "within a method",
                "The extension raises both, in more than half of the 18 pairs.",
                Relation(_within_methods),
                options={"relation": "within a method"},
            ),
        ],
        mutants=[
            mutant(
                "between extended methods",
                Relation(lambda: tuple(_covariance(_points(d, "xAWARE"), d) for d in DATASETS)),
                "on CIFAR-100 FedAMS has the highest accuracy and the lowest e-LUDD, FedAvg nearly the reverse",
            )
        ],
        verdict="""It depends on what is compared: within a method it is as stated, the extension raising e-LUDD and
            accuracy in 17 of 18 cases; between methods it is not. Between methods the relation is positive on AGNews
            alone. On CIFAR-100 the linear correlation is strongly
        negative, on CIFAR-10 negative for the extended methods and next to none for the raw ones. With both pooled there
        is none on either. Larger gains in e-LUDD go with larger gains in accuracy on CIFAR-10 and AGNews, not on
        CIFAR-100. The Limitation says that the most accurate
            methods need not have the highest e-LUDD, and calls the causal relation inconclusive; Sec. 4.3 has
            «consistently associated».""",
    ),
    relation(
        "FA-P8",
        "Sec. 5, Limitation",
        "Highest accuracy without highest e-LUDD",
        quote="methods with the highest accuracy do not necessarily have the highest e-LUDD values",
        plainly="In some column of Table 2 the most accurate method has not the highest e-LUDD.",
        says=Relation(_not_highest),
        readings=[reading("CIFAR-100 with the extension", "The column the sentence names; one is enough.")],
        mutants=[
            mutant("always the highest", Relation(lambda: reverse(_not_highest()[-1:])), "FedAMS has 3.13, FedCM 3.63")
        ],
        verdict="FedAMS: accuracy 45.20, the highest; e-LUDD 3.13, the lowest of six.",
    ),
    relation(
        "FA-P9",
        "Sec. 5, Limitation",
        "FedAMS has a low e-LUDD",
        quote='and may even have relatively low values (e.g., FedAMS in "CIFAR-100 xAWARE") in Table 2',
        plainly="On CIFAR-100 with the extension FedAMS has an e-LUDD below the median.",
        says=Relation(lambda: _low(2)),
        readings=[reading("below the median", "At least three of the five others are higher.")],
        mutants=[mutant("above FedYogi's", Relation(_above_fedyogi), "3.13 against 3.27")],
        verdict="3.13 is the lowest of the six.",
    ),
    relation(
        "FA-P24",
        "Definition 4.1, Table 2",
        "e-LUDD is at least 1",
        quote="we define the local update diversity",
        plainly="Every printed e-LUDD is at least 1.",
        assumes=["e-LUD is the root of a mean of squares over the square of a mean (Jensen)"],
        says=Relation(lambda: _at_least("1")),
        readings=[reading("every cell", "All 39 cells.")],
        mutants=[mutant("at least 2", Relation(lambda: _at_least("2")), "FedAvg on AGNews prints 1.25")],
        ours="""the paper nowhere says that an e-LUDD is at least 1; it follows from the definition, and we look whether
            the table obeys it""",
        verdict="The smallest printed value is 1.15 (FedProx on AGNews).",
    ),
)
