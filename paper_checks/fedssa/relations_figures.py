"""What FedSSA's text says about its figures, none of which carries a number."""

from __future__ import annotations

from paper_checks.fedssa.relations_main import best_in_columns
from paper_checks.fedssa.relations_tables import stated
from paper_checks.fedssa.relations_weights import ordinary
from validation import Comparison
from validation.statement.printed import (
    below,
    canary,
    equal,
    needs_run,
    reading,
    relation_claim,
    reverse,
)

__all__ = ["FIGURES"]

Comparisons = tuple[Comparison, ...]


def _listed(strict: bool) -> Comparisons:
    named, announced = stated("SSA-P25", "named"), stated("SSA-P25", "announced")
    return (equal(named, announced) if strict else below(named, announced, strict=False),)


FIGURES = (
    relation_claim(
        "SSA-P24",
        source="C.3, Figure 5",
        quote="the performance fluctuations of FedSSA were within 2%, whereas other methods exhibited fluctuations ranging from 75.90% to 46.80%",
        title="Small fluctuations over local epochs",
        says="Over 2, 5, 10 and 20 local epochs FedSSA varies by at most 2 points, other methods by far more.",
        readings=needs_run(
            "Largest minus smallest accuracy over E = 2, 5, 10, 20.",
            "Figure 5 carries no numbers: FedSSA, FedAvg, SCAFFOLD, FedDF and FedDecorr at 2, 5, 10, 20 local epochs, both partitions",
        ),
        canaries=(
            canary(
                "the stated range ascends",
                lambda: (below(stated("SSA-P24", "from"), stated("SSA-P24", "to")),),
                "from 75.90 to 46.80",
            ),
        ),
        words="Figure 5 has no printed numbers. «From 75.90% to 46.80%» reads like two accuracies of one method, not a range of fluctuations.",
    ),
    relation_claim(
        "SSA-P25",
        source="C.3",
        quote="five representative FL methods, including FedAvg (McMahan et al., 2017), SCAFFOLD (Karimireddy et al., 2020), FedDF (Lin et al., 2020) and FedDecorr (Shi et al., 2022)",
        title="Five methods, four named",
        says="The five methods compared include the four that are named.",
        readings=(
            reading(
                "complete list",
                "Ours, as the print says «including»: as many are named as announced.",
                lambda: _listed(strict=True),
            ),
            reading("«including»", "The list may leave some out.", lambda: _listed(strict=False)),
        ),
        canaries=(
            canary("more named than announced", lambda: reverse(_listed(strict=False)), "four names, five announced"),
        ),
        words=(
            "It holds: «including» need not name all five. Four are named: FedAvg, SCAFFOLD, FedDF, FedDecorr. The fifth "
            "may be FedSSA itself."
        ),
    ),
    relation_claim(
        "SSA-P33",
        source="Sec. 5.4, Figure 3",
        quote="FedSSA consistently outperforms FedAvg, indicating its effectiveness in handling various target distributions",
        title="Better than FedAvg for five targets",
        says="FedSSA is above FedAvg for Skew, Imb-100, Imb-50, Imb-10 and Uniform, in both partitions.",
        readings=needs_run(
            "Five targets, two partitions.",
            "Figure 3 carries no numbers: FedSSA and FedAvg on CIFAR-10 for five targets in both partitions (Tables 1 and 5 have three)",
        ),
        canaries=(
            canary(
                "below FedAvg in the tables",
                lambda: reverse(best_in_columns("table9", "FedSSA", ("FedAvg",))),
                "90.00 against 56.10",
            ),
        ),
        words="Figure 3 has no printed numbers. Where Tables 1 and 5 overlap with it the sentence holds (SSA-P06).",
    ),
    relation_claim(
        "SSA-P36",
        source="Sec. 5.4, Figure 4(a)",
        quote="FedSSA outperforms the other 4 FL methods at various heterogeneity levels",
        title="Better at every level of heterogeneity",
        says="For β = 0.1, 0.3, 0.5, 0.7 FedSSA is above the four other methods.",
        readings=needs_run(
            "Four levels, four methods.",
            "Figure 4(a) carries no numbers: FedSSA and four methods on CIFAR-10, target Skew, β = 0.1, 0.3, 0.5, 0.7",
        ),
        canaries=(
            canary(
                "SCAFFOLD best in Table 6", lambda: best_in_columns("table6", "SCAFFOLD"), "K = 10: 67.87 against 79.79"
            ),
        ),
        words=(
            "Only a run can tell: Figure 4(a) has no printed numbers. Its β = 0.5 is the setting of Table 5, where the "
            "sentence holds. The caption of Figure 4(a) says NIID-1, which has no β; the text tunes β in NIID-2."
        ),
    ),
    relation_claim(
        "SSA-P38",
        source="Sec. 5.4, Figures 4(c) and 4(d)",
        quote="FedSSA achieves stable performance with respect to the different learning rates and epochs",
        title="Stable in learning rate and epochs",
        says="FedSSA's accuracy varies little with the learning rate and the epochs of weight learning.",
        readings=needs_run(
            "Learning rates and epochs of Figures 4(c) and 4(d).",
            "Figures 4(c) and 4(d) carry no numbers: FedSSA over learning rates and epochs of weight learning, NIID-1, CIFAR-10",
        ),
        canaries=(canary("Table 8 within 3 points", lambda: ordinary("3", "table8"), "69.78 to 80.87"),),
        words="Figures 4(c) and 4(d) have no printed numbers. Only a run decides it.",
    ),
)
