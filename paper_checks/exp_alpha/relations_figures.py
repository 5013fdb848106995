"""Sec. 4.1, 4.2, A.5 and A.6: what the text says of figures, none of which carries a number."""

from __future__ import annotations

from fractions import Fraction

from paper_checks.exp_alpha.relations_tables import (
    BY_STEPS,
    FLIPPED_FULL,
    FOLDER,
    IMBALANCED_FULL,
    Comparisons,
    better,
    in_text,
    printed,
)
from validation import Claim, Relation
from validation.published.relations import below, constant, reverse
from validation.published.runs import played
from validation.world import mutant, reading, relation

__all__ = ["CLAIMS"]


def _larger_alpha() -> Comparisons:
    """Table 8 at E = 160: accuracy at α = 125 above that at 0.2, which is false."""
    small, large = (printed(BY_STEPS, E="160", alpha=a) for a in ("0.2", "125.0"))
    return (below(small, large),)


def _alike_by_symmetry(rounds: str | None = None) -> Comparisons:
    """The largest variance that an average weight over all rounds and runs can have, against that of a tenth of it."""
    clients, runs = in_text("EA-F2", "clients"), in_text("EA-P24", "runs")
    fair = 1 / clients
    most = fair * (1 - fair) / ((constant(rounds) if rounds else in_text("EA-F2", "rounds")) * runs)
    allowed = fair * Fraction(1, 10)
    says = "the average weight of a client has a standard deviation of at most a tenth of 1/10"
    return (below(most, allowed * allowed, says, strict=False),)


F1 = relation(
    "EA-F1",
    "Sec. 4.1, Figure 2a",
    "Balanced clients weigh most",
    quote="The balanced clients always have the highest aggregation weights",
    plainly="Averaged over rounds, balanced clients weigh most, and less imbalanced ones more than the others.",
    assumes=["averages over rounds and three runs, as in the figure"],
    says=played(
        FOLDER.parent,
        "EA-F1",
        "average weights of Exp-α (α = 0.2, FedAvg, E = 20, 400 rounds) by imbalance ratio on CIFAR-10, in compositions such as "
        "4 × 1.0, 3 × 0.1, 3 × 0.01",
    ),
    readings=[reading("only a run decides", "In Figure 2a.")],
    mutants=[
        mutant(
            "Exp-α worse in all of Table 10",
            Relation(lambda: reverse(better(IMBALANCED_FULL))),
            """the figure prints no numbers, so the mutant stands on a table, where what is printed shows it false:
                FedAvg at E = 20 prints 66.86 against 64.60""",
        )
    ],
    verdict="""Figure 2a has no printed numbers; a run decides. Theory promises less: weights follow the loss change of
        a round, which mixes how far a client is from the model with how fast it learns (EA-R6).""",
)

F2 = relation(
    "EA-F2",
    "Sec. 4.1, Figure 2a",
    "Equal weights for balanced clients",
    quote="""when all clients are balanced, Exp-α assign roughly equal weights to all clients with marginal variation
        due to stochasticity in sampling""",
    plainly="With ten balanced clients, sampled anew in each of 400 rounds, the average weights are roughly equal.",
    assumes=[
        "averages over rounds and three runs, as in the figure",
        """the ten clients of a round are alike given the past, as they are sampled «at the beginning of each round»,
            all balanced""",
        "roughly: a standard deviation of at most a tenth of the weight (ours)",
    ],
    says=Relation(_alike_by_symmetry),
    readings=[
        reading(
            "by symmetry",
            """Weights of clients that are alike have mean 1/10 in every round, whatever network is trained; a number
                from 0 to 1 of mean 1/10 has variance 1/10 · 9/10 at most, and 1200 rounds leave a 1200th of it.""",
        )
    ],
    mutants=[
        mutant(
            "four rounds",
            Relation(lambda: _alike_by_symmetry(rounds="4")),
            "the variance is then 0.0075, against 0.0001",
        )
    ],
    verdict="""It holds by symmetry, whatever is trained: nothing tells the clients of a round from each other before
        they are drawn, so each has a weight of 1/10 on average, and over 3 × 400 rounds the average strays from that by less than a hundredth in standard deviation, even if one client had all the weight in every round. Any rule that treats
        clients alike does the same; the weights of a single round need not be equal. The figure has no printed
        numbers.""",
)

F3 = relation(
    "EA-F3",
    "Sec. 4.2, Figure 2b",
    "Weights follow the severity of flipping",
    quote="""Exp-α outperforms proportional aggregation in all configurations … it assigns higher weights to flipped
        clients where only a single class is incorrect than to those where all classes are incorrect""",
    plainly="Clients with one flipped class outweigh those with all flipped, and Exp-α is ahead in all four.",
    assumes=["averages over rounds and three runs, as in the figure"],
    says=played(
        FOLDER.parent,
        "EA-F3",
        "test accuracy and average weights of Exp-α (α = 0.2) and proportional FedAvg on CIFAR-10, E = 20, 400 rounds, 2 or 4 of 6 "
        "clients flipped, flip ratio 1.0 or 0.1",
    ),
    readings=[reading("only a run decides", "In Figure 2b.")],
    mutants=[
        mutant(
            "Exp-α worse in all of Table 12",
            Relation(lambda: reverse(better(FLIPPED_FULL))),
            """the figure prints no numbers, so the mutant stands on a table, where what is printed shows it false:
                FedAvg at E = 20 prints 67.01 for Exp-α, ahead of proportional""",
        )
    ],
    verdict="""Figure 2b has no printed numbers in the text; a run decides both halves. In Tables 2 and 12 each
        client is flipped with the same chance, so that their number varies; the figure has two or four flipped of six in
        every round, and a flip ratio of 0.1, too. So the tables do not show these four settings.""",
)

F4 = relation(
    "EA-F4",
    "A.5, Figure 3; A.6, Figure 4",
    "Smaller α is better under severe shift",
    quote="""smaller α leads to better performance … Exp-α with small α values provides significant convergence
        improvement compared to proportional aggregation""",
    plainly="""At imbalance ratio 0.001 accuracy falls as α grows from 0.2 to 125; at flip ratio 1.0 a small α is ahead
        of proportional aggregation.""",
    assumes=["averages over rounds and three runs, as in the figure"],
    says=played(
        FOLDER.parent,
        "EA-F4",
        "accuracy by round of Exp-α with α in 0.2, 1, 5, 25, 125 on CIFAR-10, FedAvg and FedAvgM, 200 rounds of 2 epochs: ten "
        "clients, six at imbalance ratio 0.001; and six clients flipped with chance 1/3",
    ),
    readings=[reading("only a run decides", "Both, in Figures 3 and 4; small: 0.2, «in the main paper».")],
    mutants=[
        mutant(
            "larger α better in Table 8 at E = 160",
            Relation(_larger_alpha),
            """the figure prints no numbers, so the mutant stands on a table, where what is printed shows it false: the
                best α at E = 160 is 0.2""",
        )
    ],
    verdict="""Figures 3 and 4 have no printed numbers; a run decides. Table 8 sweeps α too, at imbalance ratio 0.1,
        which is another setting (EA-P16).""",
)

F5 = relation(
    "EA-F5",
    "Sec. 4.1, Figure 2a",
    "More severe imbalance, larger improvement",
    quote="Exp-α shows more performance improvement when imbalance is more severe",
    plainly="The gain of Exp-α over proportional aggregation grows as the imbalance ratio falls.",
    assumes=["averages over rounds and three runs, as in the figure"],
    says=played(
        FOLDER.parent,
        "EA-F5",
        "test accuracy of Exp-α (α = 0.2) and proportional FedAvg on CIFAR-10, E = 20, 400 rounds, for the compositions of "
        "Figure 2a, ordered by their imbalance ratio",
    ),
    readings=[
        reading(
            "only a run decides", "The gain of Exp-α over proportional aggregation grows as the imbalance ratio falls."
        )
    ],
    mutants=[
        mutant(
            "larger α better at ratio 0.1",
            Relation(_larger_alpha),
            """the figure prints no numbers, so the mutant stands on a table, where what is printed shows it false: the
                best α at E = 160, ratio 0.1, is 0.2""",
        )
    ],
    verdict="""Figure 2a prints no numbers in the text; a run decides. Table 9 varies the ratio but has no column for
        proportional aggregation (EA-P17).""",
)

CLAIMS: tuple[Claim, ...] = (F1, F2, F3, F4, F5)
