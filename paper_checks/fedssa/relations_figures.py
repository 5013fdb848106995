"""Sec. 5.4 and C.3: what the text says of figures, none of which carries a number."""

from __future__ import annotations

from paper_checks.fedssa.relations_tables import FOLDER, Comparisons, best_in_columns, in_text
from paper_checks.fedssa.relations_weights import ordinary
from validation import Claim, Relation
from validation.published.relations import below, equal, reverse
from validation.published.runs import played
from validation.world import mutant, reading, relation

__all__ = ["CLAIMS"]


def _listed(strict: bool) -> Comparisons:
    named, announced = in_text("SSA-P25", "named"), in_text("SSA-P25", "announced")
    return (equal(named, announced) if strict else below(named, announced, strict=False),)


CLAIMS: tuple[Claim, ...] = (
    relation(
        "SSA-P24",
        "C.3, Figure 5",
        "Small fluctuations over local epochs",
        quote="""the performance fluctuations of FedSSA were within 2%, whereas other methods exhibited fluctuations
            ranging from 75.90% to 46.80%""",
        plainly="Over 2, 5, 10 and 20 local epochs FedSSA varies by at most 2 points, other methods by far more.",
        says=Relation(
            tuple,
            needs_run="Figure 5 carries no numbers: FedSSA, FedAvg, SCAFFOLD, FedDF and FedDecorr at 2, 5, 10, 20 local epochs, both partitions",
        ),
        readings=[reading("only a run decides", "Largest minus smallest accuracy over E = 2, 5, 10, 20.")],
        mutants=[
            mutant(
                "the stated range ascends",
                Relation(lambda: (below(in_text("SSA-P24", "from"), in_text("SSA-P24", "to")),)),
                "from 75.90 to 46.80",
            )
        ],
        verdict="""Figure 5 has no printed numbers. «From 75.90% to 46.80%» reads like two accuracies of one method, not
            a range of fluctuations.""",
    ),
    relation(
        "SSA-P25",
        "C.3",
        "Five methods, four named",
        quote="""five representative FL methods, including FedAvg (McMahan et al., 2017), SCAFFOLD (Karimireddy et al.,
            2020), FedDF (Lin et al., 2020) and FedDecorr (Shi et al., 2022)""",
        plainly="The five methods compared include the four that are named.",
        says=Relation(lambda: _listed(strict=True)),
        readings=[
            reading(
                "complete list",
                "Ours, as the print says «including»: as many are named as announced.",
                ours="the print says «including»",
            ),
            reading("«including»", "The list may leave some out.", Relation(lambda: _listed(strict=False))),
        ],
        mutants=[
            mutant(
                "more named than announced",
                Relation(lambda: reverse(_listed(strict=False))),
                "four names, five announced",
            )
        ],
        verdict="""It holds: «including» need not name all five. Four are named: FedAvg, SCAFFOLD, FedDF, FedDecorr. Which is the fifth is not said; FedSSA, which is compared «with» the five, is none of them.""",
    ),
    relation(
        "SSA-P33",
        "Sec. 5.4, Figure 3",
        "Better than FedAvg for five targets",
        quote="""FedSSA consistently outperforms FedAvg, indicating its effectiveness in handling various target
            distributions""",
        plainly="FedSSA is above FedAvg for Skew, Imb-100, Imb-50, Imb-10 and Uniform, in both partitions.",
        says=played(
            FOLDER.parent,
            "SSA-P33",
            "Figure 3 carries no numbers: FedSSA and FedAvg on CIFAR-10 for five targets in both partitions (Tables 1 and 5 have three)",
        ),
        readings=[reading("only a run decides", "Five targets, two partitions.")],
        mutants=[
            mutant(
                "below FedAvg in the tables",
                Relation(lambda: reverse(best_in_columns("table9", "FedSSA", ("FedAvg",)))),
                "90.00 against 56.10",
            )
        ],
        verdict="Figure 3 has no printed numbers. Where Tables 1 and 5 overlap with it the sentence holds (SSA-P06).",
    ),
    relation(
        "SSA-P36",
        "Sec. 5.4, Figure 4(a)",
        "Better at every level of heterogeneity",
        quote="FedSSA outperforms the other 4 FL methods at various heterogeneity levels",
        plainly="For β = 0.1, 0.3, 0.5, 0.7 FedSSA is above the four other methods.",
        says=played(
            FOLDER.parent,
            "SSA-P36",
            "Figure 4(a) carries no numbers: FedSSA and four methods on CIFAR-10, target Skew, β = 0.1, 0.3, 0.5, 0.7",
        ),
        readings=[reading("only a run decides", "Four levels, four methods.")],
        mutants=[
            mutant(
                "SCAFFOLD best in Table 6",
                Relation(lambda: best_in_columns("table6", "SCAFFOLD")),
                "K = 10: 67.87 against 79.79",
            )
        ],
        verdict="""Only a run can tell: Figure 4(a) has no printed numbers. Its β = 0.5 is the setting of Table 5, where
            the sentence holds. The caption of Figure 4(a) says NIID-1, which has no β; the text tunes β in NIID-2.""",
    ),
    relation(
        "SSA-P38",
        "Sec. 5.4, Figures 4(c) and 4(d)",
        "Stable in learning rate and epochs",
        quote="FedSSA achieves stable performance with respect to the different learning rates and epochs",
        plainly="FedSSA's accuracy varies little with the learning rate and the epochs of weight learning.",
        says=played(
            FOLDER.parent,
            "SSA-P38",
            "Figures 4(c) and 4(d) carry no numbers: FedSSA over learning rates and epochs of weight learning, NIID-1, CIFAR-10",
        ),
        readings=[reading("only a run decides", "Learning rates and epochs of Figures 4(c) and 4(d).")],
        mutants=[mutant("Table 8 within 3 points", Relation(lambda: ordinary("3", "table8")), "69.78 to 80.87")],
        verdict="Figures 4(c) and 4(d) have no printed numbers. Only a run decides it.",
    ),
)
