"""EA-F1 to EA-F5: what the text says of Figures 2 to 4, which carry no printed numbers, and the run that would decide it."""

from __future__ import annotations

from paper_checks.exp_alpha.relations_cifar import better, better_beyond
from paper_checks.exp_alpha.relations_sweeps import BY_STEPS
from paper_checks.exp_alpha.relations_tables import FLIPPED_FULL, IID, IMBALANCED_FULL, printed
from validation import Canary, Claim, Comparison
from validation.statement.printed import below, canary, needs_run, relation_claim, reverse

__all__ = ["CLAIMS"]


def _smaller_alpha(*, rising: bool) -> tuple[Comparison, ...]:
    """Table 8 at E = 160: accuracy at α = 0.2 against 125."""
    small, large = (printed(BY_STEPS, E="160", alpha=a) for a in ("0.2", "125.0"))
    return (below(large, small) if rising else below(small, large),)


_NOT_PRINTED = "this canary stands on a table, to show that a false relation here would be seen: "


def _claim(name: str, source: str, quote: str, title: str, says: str, run: str, words: str, mutant: Canary) -> Claim:
    return relation_claim(
        name,
        source=source,
        quote=quote,
        title=title,
        says=says,
        assumes=("averages over rounds and three runs, as in the figure",),
        readings=needs_run(says, run),
        canaries=(mutant,),
        words=words,
    )


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "EA-F1",
        "Sec. 4.1, Figure 2a",
        "The balanced clients always have the highest aggregation weights",
        "Balanced clients weigh most",
        "Averaged over rounds, balanced clients have the highest weight, and less imbalanced ones more than the others.",
        "average weights of Exp-α (α = 0.2, FedAvg, E = 20, 400 rounds) by imbalance ratio on CIFAR-10, in compositions such as "
        "4 × 1.0, 3 × 0.1, 3 × 0.01",
        (
            "Figure 2a has no printed numbers; a run decides. Theory promises less: weights follow the loss change of a round, "
            "which mixes how far a client is from the model with how fast it learns (EA-R6)."
        ),
        canary(
            "Exp-α worse in all of Table 10",
            lambda: reverse(better(IMBALANCED_FULL)),
            _NOT_PRINTED + "FedAvg at E = 20 prints 66.86 against 64.60",
        ),
    ),
    _claim(
        "EA-F2",
        "Sec. 4.1, Figure 2a",
        "when all clients are balanced, Exp-α assign roughly equal weights to all clients",
        "Equal weights for balanced clients",
        "With ten balanced clients the average weights are roughly equal.",
        "average weights of Exp-α (α = 0.2, FedAvg, E = 20, 400 rounds) over ten balanced clients of CIFAR-10, with their "
        "spread over clients and runs",
        (
            "Figure 2a has no printed numbers; a run decides, and has to say what «roughly» allows. For clients of one "
            "distribution the average weights are equal by symmetry; those of a single round need not be."
        ),
        canary(
            "Exp-α better beyond two standard errors on IID clients",
            lambda: better_beyond(IID),
            _NOT_PRINTED + "at E = 20 proportional prints 67.56 against 67.17",
        ),
    ),
    _claim(
        "EA-F3",
        "Sec. 4.2, Figure 2b",
        "Exp-α outperforms proportional aggregation in all configurations; it assigns higher weights to flipped clients where "
        "only a single class is incorrect",
        "Weights follow the severity of flipping",
        "Clients with one flipped class weigh more than those with all flipped, and Exp-α is ahead in all four settings.",
        "test accuracy and average weights of Exp-α (α = 0.2) and proportional FedAvg on CIFAR-10, E = 20, 400 rounds, 2 or 4 of 6 "
        "clients flipped, flip ratio 1.0 or 0.1",
        (
            "Figure 2b has no printed numbers in the text; a run decides both halves. Tables 2 and 12 draw the flipped clients "
            "anew each round, so they do not show these four settings."
        ),
        canary(
            "Exp-α worse in all of Table 12",
            lambda: reverse(better(FLIPPED_FULL)),
            _NOT_PRINTED + "FedAvg at E = 20 prints 67.01 for Exp-α, ahead of proportional",
        ),
    ),
    _claim(
        "EA-F4",
        "A.5, Figure 3; A.6, Figure 4",
        "smaller α leads to better performance",
        "Smaller α is better under severe shift",
        "At imbalance ratio 0.001, and at flip ratio 1.0, accuracy falls as α grows from 0.2 to 125.",
        "accuracy by round of Exp-α with α in 0.2, 1, 5, 25, 125 on CIFAR-10, FedAvg and FedAvgM, 200 rounds of 2 epochs: ten "
        "clients, six at imbalance ratio 0.001; and six clients flipped with chance 1/3",
        (
            "Figures 3 and 4 have no printed numbers; a run decides. Table 8 sweeps α too, at imbalance ratio 0.1, which is another "
            "setting (EA-P16)."
        ),
        canary(
            "larger α better in Table 8 at E = 160",
            lambda: _smaller_alpha(rising=False),
            _NOT_PRINTED + "the best α at E = 160 is 0.2",
        ),
    ),
    _claim(
        "EA-F5",
        "Sec. 4.1, Figure 2a",
        "Exp-α shows more performance improvement when imbalance is more severe",
        "More severe imbalance, larger improvement",
        "The gain of Exp-α over proportional aggregation grows as the imbalance ratio falls.",
        "test accuracy of Exp-α (α = 0.2) and proportional FedAvg on CIFAR-10, E = 20, 400 rounds, for the compositions of "
        "Figure 2a, ordered by their imbalance ratio",
        (
            "Figure 2a prints no numbers in the text; a run decides. Table 9 varies the ratio but has no column for proportional "
            "aggregation (EA-P17)."
        ),
        canary(
            "larger α better at ratio 0.1",
            lambda: _smaller_alpha(rising=False),
            _NOT_PRINTED + "the best α at E = 160, ratio 0.1, is 0.2",
        ),
    ),
)
