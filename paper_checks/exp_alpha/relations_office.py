"""What Exp-α's text says about FedAvg on Office-Caltech10: Table 3."""

from __future__ import annotations

from paper_checks.exp_alpha.relations_domains import office
from paper_checks.exp_alpha.relations_tables import stated
from validation import Comparison
from validation.statement.printed import Quantity, above, agree, below, canary, constant, reading, relation_claim, total

__all__ = ["WEBCAM"]

Comparisons = tuple[Comparison, ...]
OFFICE = ("Amazon", "Caltech", "DSLR", "Webcam")


def _gain(domain: str) -> Quantity:
    """Relative gain in percent."""
    share = office(domain, "exp_alpha") / office(domain, "proportional") - 1
    return (100 * share).named(f"{domain}: relative gain, %")


def _rise(domain: str) -> Quantity:
    return office(domain, "exp_alpha") - office(domain, "proportional")


def _mainly(domain: str) -> Comparisons:
    """More than half of the summed change comes from one domain."""
    whole = total(_rise(d) for d in OFFICE)
    return (below(whole / 2, _rise(domain), f"{domain} brings more than half of the change"),)


def _webcam_gain(low: str, high: str) -> Comparisons:
    gain = _gain("Webcam")
    stating = stated("EA-P12", "gain")
    return (
        below(stating + constant(low), gain, strict=False),
        below(gain, stating + constant(high), strict=False),
        *_mainly("Webcam"),
    )


def _weights(largest: str, smallest: str) -> Comparisons:
    cells = {d: stated("EA-P14", d) for d in OFFICE}
    sums = below(
        abs(total(cells.values()) - 1), constant("0.02"), "the four weights add up to 1 up to rounding", strict=False
    )
    most = above(cells[largest], [cells[d] for d in OFFICE if d != largest])
    least = tuple(below(cells[smallest], cells[d]) for d in OFFICE if d != smallest)
    return (sums, *most, *least)


WEBCAM = (
    relation_claim(
        "EA-P11",
        source="Sec. 4.3, Table 3",
        quote="Exp-α improves FedAvg with proportional aggregation on Office-Clatech10 by a relatively 4% on average across four domains",
        title="4% on Office-Caltech10",
        says="The average accuracy of FedAvg on Office-Caltech10 rises by a relative 4%.",
        readings=(reading("rounded", "65.44/62.83 − 1.", lambda: agree(_gain("Avg"), stated("EA-P11", "gain"))),),
        canaries=(
            canary(
                "Amazon instead", lambda: agree(_gain("Amazon"), stated("EA-P11", "gain")), "59.03/57.47 − 1 is 2.7%"
            ),
        ),
        words="65.44/62.83 − 1 = 4.2%.",
    ),
    relation_claim(
        "EA-P12",
        source="Sec. 4.3, Table 3",
        quote="the improvement mainly comes from the Webcam (W) domain (relatively 10% improvement)",
        title="10% on Webcam",
        says="Webcam improves by a relative 10% and brings most of the improvement.",
        readings=(
            reading(
                "to the nearest percent", "The gain lies between 9.5% and 10.5%.", lambda: _webcam_gain("-0.5", "0.5")
            ),
            reading(
                "to one digit",
                "Charitable: 10 has one digit; the gain lies between 5% and 15%.",
                lambda: _webcam_gain("-5", "5"),
            ),
        ),
        canaries=(canary("mainly from Amazon", lambda: _mainly("Amazon"), "Amazon gains 1.56 points of 10.44"),),
        words="86.44/77.40 − 1 = 11.7%, or 9.04 points; the four domains together change by 10.44. «10%» is right only as a round number.",
    ),
    relation_claim(
        "EA-P13",
        source="Sec. 4.3, Table 3",
        quote="The Webcam domain is the best performing domain already when using proportional aggregation",
        title="Webcam is best already",
        says="With proportional aggregation FedAvg is most accurate on Webcam.",
        readings=(
            reading(
                "FedAvg",
                "The experiment of the passage.",
                lambda: above(office("Webcam", "proportional"), [office(d, "proportional") for d in OFFICE[:3]]),
            ),
        ),
        canaries=(
            canary(
                "DSLR",
                lambda: (below(office("Webcam", "proportional"), office("DSLR", "proportional")),),
                "77.40 against 65.63",
            ),
        ),
        words="77.40 against 65.63 (DSLR), 57.47 (Amazon) and 50.81 (Caltech).",
    ),
    relation_claim(
        "EA-P14",
        source="Sec. 4.3",
        quote="the average aggregation weights over the entire training trajectory for Amazon (A), Caltech (C), DSLR (D) and Webcam (W) are {0.19, 0.26, 0.22, 0.34}",
        title="Average weights of the four domains",
        says="The stated weights add up to 1, Webcam has the largest and Amazon the smallest.",
        readings=(reading("up to rounding", "Four weights of two decimals.", lambda: _weights("Webcam", "Amazon")),),
        canaries=(canary("Caltech largest", lambda: _weights("Caltech", "Amazon"), "0.26 against Webcam's 0.34"),),
        words="They add up to 1.01, within the rounding of four numbers; the order is as stated.",
    ),
    relation_claim(
        "EA-P15",
        source="Sec. 4.3, Table 3",
        quote="this did not deteriorate the performance of Exp-α on this domain but rather improved it by a relative 3%",
        title="3% on Amazon",
        says="Amazon's accuracy with FedAvg rises by a relative 3%.",
        readings=(reading("rounded", "59.03/57.47 − 1.", lambda: agree(_gain("Amazon"), stated("EA-P15", "gain"))),),
        canaries=(
            canary(
                "DSLR instead",
                lambda: agree(_gain("DSLR") + 0, stated("EA-P15", "gain")),
                "DSLR falls from 65.63 to 64.58",
            ),
        ),
        words="59.03/57.47 − 1 = 2.7%.",
    ),
)
