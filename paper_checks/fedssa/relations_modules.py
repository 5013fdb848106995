"""What FedSSA's text says about single samples, modularity and the local models: Tables 2, 3 and 4."""

from __future__ import annotations

from paper_checks.fedssa.relations_main import best_in_columns
from paper_checks.fedssa.relations_tables import cell, stated, table
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    above,
    below,
    canary,
    constant,
    difference_is,
    equal,
    needs_run,
    reading,
    relation_claim,
    reverse,
)

__all__ = ["BASED", "LOCAL", "MODULES", "base", "combinations", "combined", "four", "main"]

Comparisons = tuple[Comparison, ...]
LOCAL = ("L1", "L2", "L3", "L4", "L5")
BASED = ("Skew", "Imb-A")  # targets of Table 3 that Table 1 has, too
TARGETS = (*BASED, "Uniform")


def main(method: str, target: str) -> Quantity:
    """One accuracy of Table 1 on CIFAR-10."""
    return cell("table1", dataset="CIFAR-10", method=method, target=target)


def combined(method: str, target: str, metric: str = "accuracy") -> Quantity:
    """One number of Table 3."""
    return cell("table3", metric=metric, method=method, target=target)


def combinations() -> tuple[str, ...]:
    """The methods of Table 3, FedSSA added."""
    return table("table3").values("method")


def base(method: str) -> str:
    """The method that FedSSA was added to."""
    return method.removesuffix("+FedSSA")


def _positive() -> Comparisons:
    return tuple(below(constant(0), combined(m, t, "delta_accuracy")) for t in TARGETS for m in combinations())


def _positive_against_table1() -> Comparisons:
    return tuple(below(main(base(m), t), combined(m, t)) for t in BASED for m in combinations())


def _most_on_skew() -> Comparisons:
    """Every method gains more on Skew than on the two other targets."""
    gains = {t: [combined(m, t, "delta_accuracy") for m in combinations()] for t in TARGETS}
    return tuple(below(b, a) for t in TARGETS[1:] for a, b in zip(gains["Skew"], gains[t], strict=True))


def four(method: str, target: str = "Skew") -> Quantity:
    """One accuracy of Table 4."""
    return cell("table4", method=method, target=target)


def _first_of_local(target: str, first: str = "L1") -> Comparisons:
    return above(four(first, target), [four(m, target) for m in LOCAL if m != first])


def _gain_is(claim: str, target: str = "Skew") -> Comparisons:
    gain = four("FedSSA", target) - four("FedAvg", target)
    return difference_is(gain.named(f"{target}: FedSSA minus FedAvg"), stated(claim, "gain"))


def _alike_on_uniform(points: str) -> Comparisons:
    delta = combined("FedAvg+FedSSA", "Uniform", "delta_accuracy")
    return (below(abs(delta), constant(points), strict=False),)


MODULES = (
    relation_claim(
        "SSA-P09",
        source="Sec. 5.2, Table 2",
        quote="sample-wise FedSSA consistently outperforms other methods with the simple ensemble",
        title="Sample-wise FedSSA is best",
        says="Sample-wise FedSSA has the highest accuracy in every column of Table 2.",
        readings=(
            reading(
                "all methods",
                "Three columns, four other methods.",
                lambda: best_in_columns("table2", "Sample-wise FedSSA"),
            ),
        ),
        canaries=(
            canary(
                "FedAvg + Ensemble", lambda: best_in_columns("table2", "FedAvg + Ensemble"), "Skew: 69.70 against 72.50"
            ),
        ),
        words="Highest in all three columns, by 2.80, 0.54 and 0.64 over FedAvg with the ensemble.",
    ),
    relation_claim(
        "SSA-P10",
        source="Sec. 5.2, Table 3",
        quote="in all target distribution settings, FedSSA consistently enhances the performance of these methods",
        title="Every method improves",
        says="Adding FedSSA improves all five methods for all three targets.",
        readings=(
            reading("printed improvements", "All 15 are positive.", _positive),
            reading(
                "against Table 1",
                "Skew and Imb-A: each accuracy is above that of the method in Table 1.",
                _positive_against_table1,
            ),
            reading(
                "most on Skew",
                "«brings significant improvement, especially for skew target distribution» (caption): each of the five.",
                _most_on_skew,
            ),
        ),
        canaries=(
            canary("all negative", lambda: reverse(_positive()), "FedProx gains 51.70 on Skew"),
            canary(
                "least on Skew", lambda: reverse(_most_on_skew()), "FedAvg gains 30.45 on Skew, 16.23 on Imbalanced"
            ),
        ),
        words=(
            "All 15 printed improvements are positive; those for the uniform target are 0.01 to 0.09. For every method that of "
            "Skew is the largest, as the caption says, by 14.22 (FedAvg) to 34.96 points (MOON) over Imbalanced."
        ),
    ),
    relation_claim(
        "SSA-P13",
        source="Sec. 5.3, Table 4",
        quote="L1 achieves the highest performance",
        title="L1 is the best local model",
        says="Among the local models L1 is the most accurate.",
        readings=(
            reading("Skew", "The target of the section.", lambda: _first_of_local("Skew")),
            reading("both targets", "Skew and Imb.", lambda: _first_of_local("Skew") + _first_of_local("Imb")),
        ),
        canaries=(canary("L2", lambda: _first_of_local("Imb", "L2"), "22.38 against L1's 42.02"),),
        words="97.30 against at most 0.50 on Skew, 42.02 against at most 22.38 on Imb.",
    ),
    relation_claim(
        "SSA-P14",
        source="Sec. 5.3, Table 4",
        quote="FedAvg achieves a moderate performance compared to L1 since its global model is obtained by equal aggregation",
        title="FedAvg below L1",
        says="On Skew FedAvg lies between L1 and the other local models.",
        readings=(
            reading(
                "between",
                "Below L1, above L2 to L5.",
                lambda: (below(four("FedAvg"), four("L1")), *above(four("FedAvg"), [four(m) for m in LOCAL[1:]])),
            ),
        ),
        canaries=(canary("above L1", lambda: (below(four("L1"), four("FedAvg")),), "97.30 against 56.10"),),
        words="56.10, between 97.30 and 0.50. (On Imb FedAvg is above L1, 48.98 against 42.02.)",
    ),
    relation_claim(
        "SSA-P15",
        source="Sec. 5.3, Table 4",
        quote="FedSSA significantly outperforms FedAvg by 33.90%",
        title="33.90% over FedAvg",
        says="On Skew FedSSA is 33.90 points above FedAvg.",
        assumes=("percent: percentage points",),
        readings=(
            reading(
                "exactly as printed",
                "90.00 − 56.10.",
                lambda: (equal(four("FedSSA") - four("FedAvg"), stated("SSA-P15", "gain")),),
            ),
            reading("up to rounding", "Cells and difference rounded to two decimals.", lambda: _gain_is("SSA-P15")),
        ),
        canaries=(canary("on Imb", lambda: _gain_is("SSA-P15", "Imb"), "58.43 − 48.98 = 9.45"),),
        words="90.00 − 56.10 = 33.90.",
    ),
    relation_claim(
        "SSA-P16",
        source="Sec. 5.3, Table 4",
        quote="FedSSA significantly outperforms FedAvg by 33.90% and achieves close to L1",
        title="Close to L1",
        says="On Skew FedSSA is close to L1.",
        assumes=("close: against the lead over FedAvg in the same sentence; 5 points are a threshold of ours",),
        readings=(
            reading(
                "within 5 points",
                "Ours, a threshold: L1 minus FedSSA is at most 5.",
                lambda: (below(four("L1") - four("FedSSA"), constant(5), strict=False),),
            ),
            reading(
                "nearer to L1 than to FedAvg",
                "The gap to L1 is smaller than the lead over FedAvg.",
                lambda: (below(four("L1") - four("FedSSA"), four("FedSSA") - four("FedAvg")),),
            ),
        ),
        canaries=(
            canary(
                "FedAvg within 5 points",
                lambda: (below(four("L1") - four("FedAvg"), constant(5), strict=False),),
                "97.30 − 56.10 = 41.20",
            ),
        ),
        words=(
            "It holds beside the lead of 33.90 over FedAvg in the same sentence: the gap to L1 is 97.30 − 90.00 = 7.30, "
            "about a fifth of that. «Close» has no number; within 5 points, a threshold of ours, it would not hold. A "
            "single local model without any aggregation is still 7 points better."
        ),
    ),
    relation_claim(
        "SSA-P35",
        source="Sec. 5.4, Table 3",
        quote="They perform similarly for uniform target distribution",
        title="Similar on the uniform target",
        says="For the uniform target FedSSA and FedAvg differ little.",
        assumes=(
            "Figure 3, of which the sentence speaks, carries no numbers; Table 3 prints the improvement of FedAvg",
            "little: ours",
        ),
        readings=(
            reading("within a tenth of a point in Table 3", "Δ of FedAvg + FedSSA.", lambda: _alike_on_uniform("0.1")),
            *needs_run(
                "Figure 3.",
                "Figure 3 carries no numbers: FedSSA and FedAvg on CIFAR-10, target Uniform, both partitions",
            ),
        ),
        canaries=(canary("within a hundredth", lambda: _alike_on_uniform("0.01"), "Δ is 0.02"),),
        words="Table 3 prints +0.02. There FedSSA only re-weights the models of the last round; full training is in Figure 3, without numbers.",
    ),
)
