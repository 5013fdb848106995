"""What the text says about accuracies, error bars and the figures."""

from __future__ import annotations

import itertools

from paper_checks.robust_aggregation.relations_r60 import first, order
from paper_checks.robust_aggregation.relations_tables import APPENDIX, HYBRID, IID, PURE, printed, stated, table
from validation import Comparison
from validation.statement.printed import (
    above,
    below,
    canary,
    constant,
    equal,
    needs_run,
    number,
    reading,
    relation_claim,
)
from validation.statement.published import Printed

__all__ = ["FIGURES"]

Comparisons = tuple[Comparison, ...]
ALL = (IID, PURE, HYBRID, APPENDIX)


def _order_up_to_rounding(name: str, *methods: str) -> Comparisons:
    """Ascending for all values that round to what is printed."""
    half = constant("0.005")
    return tuple(below(printed(name, a) + half, printed(name, b) - half) for a, b in itertools.pairwise(methods))


def _with_intervals(*names: str) -> Comparisons:
    """As many printed numbers as printed intervals."""
    out = []
    for name in names:
        rows = table(name).rows
        have = number(Printed(str(sum(r["ci95"] != "" for r in rows)), name, "numbers with an interval"))
        out.append(equal(have, number(Printed(str(len(rows)), name, "numbers"))))
    return tuple(out)


FIGURES = (
    relation_claim(
        "RA-X1a",
        source="Sec. 4.7, pure strategies, IID",
        quote="After 100 global rounds FedSoftWorse has reached the highest accuracy value (89.77%)",
        title="FedSoftWorse most accurate",
        says="On MNIST, IID, FedSoftWorse is the most accurate after 100 rounds.",
        readings=(
            reading(
                "as printed",
                "Above both others.",
                lambda: above(printed(IID, "FedSoftWorse"), [printed(IID, m) for m in ("FedSoftBetter", "FedAvg")]),
            ),
            reading(
                "up to rounding",
                "Whatever was rounded to these numbers.",
                lambda: _order_up_to_rounding(IID, "FedSoftBetter", "FedSoftWorse"),
            ),
        ),
        canaries=(canary("FedAvg", lambda: order(IID, "FedSoftWorse", "FedAvg"), "89.77 against 89.67"),),
        words="89.77 against 89.70 and 89.67. No interval is printed; a tenth of a percent is ten of 10,000 test images.",
    ),
    relation_claim(
        "RA-X1b",
        source="Sec. 4.7, pure strategies, IID",
        quote="followed by FedSoftBetter (89.70%) and FedAvg (89.67%)",
        title="FedSoftBetter second",
        says="On MNIST, IID, FedSoftBetter is more accurate than FedAvg after 100 rounds.",
        readings=(
            reading("as printed", "89.67 < 89.70.", lambda: order(IID, "FedAvg", "FedSoftBetter")),
            reading(
                "up to rounding",
                "Whatever was rounded to these numbers.",
                lambda: _order_up_to_rounding(IID, "FedAvg", "FedSoftBetter"),
            ),
        ),
        canaries=(canary("order reversed", lambda: order(IID, "FedSoftBetter", "FedAvg"), "89.70 against 89.67"),),
        words="89.70 against 89.67: three of 10,000 test images. No interval is printed.",
    ),
    relation_claim(
        "RA-X1c",
        source="Sec. 4.7, pure strategies, IID; Sec. 3.1",
        quote="The results, summarized in Figure 1, are coherent with our theoretical prediction Section 3.1",
        title="Order as the theory predicts",
        says=("The measured accuracies agree with what Section 3.1 predicts by theory: FedSoftWorse ahead of FedAvg."),
        assumes=(
            "IID: the error term vanishes and speed grows with ρ̄; ρ̄ > 1 for FedSoftWorse, 1 for FedAvg, < 1 for FedSoftBetter",
        ),
        readings=(
            reading(
                "whole order",
                "FedSoftBetter < FedAvg < FedSoftWorse: ours, Section 3.1 predicts nowhere that "
                "FedSoftBetter is behind FedAvg.",
                lambda: order(IID, "FedSoftBetter", "FedAvg", "FedSoftWorse"),
            ),
            reading(
                "best and FedAvg",
                "FedAvg < FedSoftWorse, all that Sec. 3.1 predicts by theory: it calls the Better rules "
                "«not justified by theory».",
                lambda: order(IID, "FedAvg", "FedSoftWorse"),
            ),
        ),
        canaries=(canary("order reversed", lambda: order(IID, "FedSoftWorse", "FedAvg"), "89.77 against 89.67"),),
        words=(
            "What Section 3.1 predicts by theory is measured: FedSoftWorse ahead of FedAvg, 89.77 "
            "against 89.67. The Better rules it calls «not justified by theory», with the intuition that "
            "in an easy task they «could enhance the convergence speed». FedSoftBetter between the two, "
            "89.70, fits that as well. An order of all three would have been ours."
        ),
    ),
    relation_claim(
        "RA-X1d",
        source="Sec. 4.7, Figure 1",
        quote="Symmetrically, this result is reflected in the trend of the loss function",
        title="Loss mirrors accuracy",
        says="The loss after 100 rounds orders the three strategies the other way round.",
        readings=needs_run(
            "Loss of FedSoftWorse < FedSoftBetter < FedAvg.",
            "no loss is printed: the three pure strategies on MNIST, IID, loss after 100 rounds",
        ),
        canaries=(
            canary("accuracies reversed", lambda: order(IID, "FedSoftWorse", "FedSoftBetter"), "89.77 against 89.70"),
        ),
        words="No loss is printed. Only a run decides it.",
    ),
    relation_claim(
        "RA-X3",
        source="Sec. 4.7, Figure 2",
        quote="these methods are in practice too instable",
        title="Unstable without softening",
        says="FedWorse and FedBetter fluctuate more from round to round than their softened versions.",
        readings=needs_run(
            "Fluctuation of accuracy from round to round.",
            "Figure 2 carries no numbers: FedWorse, FedBetter and their softened versions on FMNIST, non-IID",
        ),
        canaries=(
            canary(
                "FedAvg first of the pure strategies",
                lambda: order(PURE, "FedAvg", "FedSoftBetter"),
                "5.90 against 5.57",
            ),
        ),
        words="Figure 2 has no printed numbers. Only a run decides it.",
    ),
    relation_claim(
        "RA-X5",
        source="Sec. 4.7, hybrid strategies",
        quote="in MNIST classification, we get a better performance of FedSoftBetterAvgSoftWorse when compared to pure strategies and other hybrid ones",
        title="FedSoftBetterAvgSoftWorse best on MNIST",
        says="On MNIST, IID, FedSoftBetterAvgSoftWorse is more accurate than pure and other hybrid strategies.",
        readings=needs_run(
            "Accuracy after 100 rounds.",
            "no number is printed: FedSoftBetterAvgSoftWorse, the pure and the other hybrid strategies on MNIST, IID",
        ),
        canaries=(
            canary("FedAvg best of the pure ones", lambda: order(IID, "FedSoftWorse", "FedAvg"), "89.77 against 89.67"),
        ),
        words="No number is printed. Only a run decides it.",
    ),
    relation_claim(
        "RA-X7b",
        source="B.1, Figure 2",
        quote="However this difference vanishes after some more epochs and FedAvg finally gets better than the two others",
        title="FedAvg best at the end",
        says="At the last round FedAvg is more accurate than FedSoftWorse and FedSoftBetter.",
        readings=needs_run(
            "Accuracy at the last round.",
            "Figure 2 carries no numbers: the three pure strategies on FMNIST, non-IID, to the last round",
        ),
        canaries=(canary("FedAvg first to 60%", lambda: first(PURE, "FedAvg", "FedSoftWorse"), "5.90 against 5.73"),),
        words="Figure 2 has no printed numbers. Only a run decides it.",
    ),
    relation_claim(
        "RA-X8a",
        source="B.2, Figure 3",
        quote="softening in fact improves significantly the performance of the methods considered",
        title="Softening improves",
        says="The softened versions are more accurate than FedWorse(k) and FedBetter(k).",
        readings=needs_run(
            "Accuracy curves.",
            "Figure 3 carries no numbers: FedWorse(k), FedBetter(k), k = 10%, 20%, and the softened versions on FMNIST, non-IID",
        ),
        canaries=(
            canary(
                "fewer clients are more",
                lambda: (below(stated("RA-X8b", "more"), stated("RA-X8b", "fewer")),),
                "20% against 10%",
            ),
        ),
        words="Figure 3 has no printed numbers. Only a run decides it.",
    ),
    relation_claim(
        "RA-X8b",
        source="B.2, Figure 3",
        quote="augmenting k from 10% to 20% increases the final accuracy",
        title="More clients, more accuracy",
        says="FedWorse(k) and FedBetter(k) end more accurate at k = 20% than at 10%.",
        readings=needs_run(
            "Final accuracy.",
            "Figure 3 carries no numbers: FedWorse(k) and FedBetter(k), k = 10% and 20%, on FMNIST, non-IID",
        ),
        canaries=(
            canary("k falls", lambda: (below(stated("RA-X8b", "more"), stated("RA-X8b", "fewer")),), "from 10% to 20%"),
        ),
        words="Figure 3 has no printed numbers. Only a run decides it.",
    ),
    relation_claim(
        "RA-X9",
        source="Checklist 3(c)",
        quote="All the results are represented with error bars",
        title="Error bars on all results",
        says="Every printed result has an interval.",
        readings=(
            reading("every number", "Text and tables.", lambda: _with_intervals(*ALL)),
            reading(
                "every table", "Charitable: the three tables of R60.", lambda: _with_intervals(PURE, HYBRID, APPENDIX)
            ),
        ),
        canaries=(
            canary("the accuracies of the text", lambda: _with_intervals(IID), "89.77, 89.70 and 89.67 have none"),
        ),
        words="All eleven R60 have a 95% interval. The three accuracies of Sec. 4.7 have none in print, nor is the number of runs stated.",
    ),
)
