"""Sec. 3.3, 4.3 and A.7: what the text says of domain shift, Tables 3, 5 to 7 and 13."""

from __future__ import annotations

from paper_checks.exp_alpha.relations_tables import BY_ALPHA, SHIFT, SPLITS, Comparisons, in_text, pairs, printed, table
from validation import Claim, Relation
from validation.published.relations import (
    Quantity,
    above,
    agree,
    below,
    constant,
    count,
    difference_is,
    mean,
    near,
    ranked,
    spread,
    total,
)
from validation.world import mutant, nowhere, reading, relation

__all__ = ["CLAIMS"]


def office(domain: str, strategy: str) -> Quantity:
    """One accuracy of FedAvg on Office-Caltech10."""
    return printed(SHIFT, dataset="OfficeCaltech10", backbone="FedAvg", strategy=strategy, domain=domain)


def _mostly_within(points: str) -> Comparisons:
    """The difference that more than half of the domains stay within is at most `points`."""
    gaps = [abs(a - b) for a, b, place in pairs(SHIFT) if place["domain"] != "Avg"]
    says = f"more than half of {len(gaps)} differences are at most {points} points"
    return (below(ranked(gaps, len(gaps) // 2 + 1), constant(points), says, strict=False),)


def _mostly_within_on_average(points: str) -> Comparisons:
    """The difference that more than half of the averages over domains stay within is at most `points`."""
    gaps = [abs(a - b) for a, b, _ in pairs(SHIFT, domain="Avg")]
    says = f"more than half of {len(gaps)} averages differ by at most {points} point"
    return (below(ranked(gaps, len(gaps) // 2 + 1), constant(points), says, strict=False),)


def _mostly_better(alphas: tuple[str, ...]) -> Comparisons:
    gaps = []
    for dataset in table(BY_ALPHA).values("dataset"):
        for backbone in table(BY_ALPHA).values("backbone", dataset=dataset):
            where = {"dataset": dataset, "backbone": backbone}
            old = printed(BY_ALPHA, strategy="proportional", **where)
            gaps += [printed(BY_ALPHA, strategy="exp_alpha", alpha=a, **where) - old for a in alphas]
    says = f"better in more than half of {len(gaps)} cases"
    return (below(constant(len(gaps)) / 2, count(gaps), says),)


def _averages(how: str) -> Comparisons:
    out: Comparisons = ()
    for row in table(SHIFT).rows:
        if row["domain"] != "Avg":
            continue
        where = {k: row[k] for k in ("dataset", "backbone", "strategy")}
        domains = [d for d in table(SHIFT).values("domain", **where) if d != "Avg"]
        cells = [printed(SHIFT, domain=d, **where) for d in domains]
        average = printed(SHIFT, domain="Avg", **where)
        if how == "median":
            middle = sorted(domains, key=lambda d: table(SHIFT).printed(domain=d, **where).value)[len(domains) // 2]
            out += agree(printed(SHIFT, domain=middle, **where), average)
        elif how == "printed":
            out += agree(mean(cells).named(f"mean of {', '.join(where.values())}"), average)
        else:
            out += difference_is(mean(cells).named(f"mean of {', '.join(where.values())}"), average)
    return out


def _sizes(tolerance: str, names: tuple[str, ...] = SPLITS) -> Comparisons:
    """Largest minus smallest training set of a benchmark, against a share of the largest."""
    out = []
    for name in names:
        cells = [printed(name, domain=d, split="train") for d in table(name).values("domain")]
        first = cells[0] * constant(tolerance)
        out.append(
            below(
                spread(cells), first, f"{name}: training sets differ by at most {tolerance} of the first", strict=False
            )
        )
    return tuple(out)


def _whole_epochs() -> Comparisons:
    """Each training set holds as many samples as the batches of one epoch."""
    out = []
    for name, dataset in zip(SPLITS, ("OfficeCaltech10", "DomainNet", "Digits"), strict=True):
        steps, batch = (
            printed("table04_implementation", column, dataset=dataset) for column in ("steps_per_epoch", "batch_size")
        )
        epoch = (steps * batch).named(f"{dataset}: samples of an epoch")
        out += [
            below(epoch, printed(name, domain=d, split="train"), strict=False) for d in table(name).values("domain")
        ]
    return tuple(out)


def _some_noticeably(points: str) -> Comparisons:
    """In at least two domains Exp-α is better by more than `points`."""
    gains = [best - worse - constant(points) for worse, best, place in pairs(SHIFT) if place["domain"] != "Avg"]
    says = f"better by more than {points} points in at least two of {len(gains)} domains"
    return (below(constant(2), count(gains), says, strict=False),)


def _higher_average() -> Comparisons:
    return tuple(below(worse, best) for worse, best, _ in pairs(SHIFT, domain="Avg"))


P10 = relation(
    "EA-P10",
    "Sec. 4.3, Table 3",
    "Similar in most cases",
    quote="We observe that Exp-α leads to similar performance as proportional aggregation in most cases",
    plainly="On most domains Exp-α and proportional aggregation differ little.",
    assumes=["Table 3, which prints no deviations", "most: more than half"],
    says=Relation(lambda: _mostly_within("1")),
    open={
        "similar": nowhere("""«similar performance … in most cases»: how close is not said, nor whether a case is a
            domain or an average over domains, as in the example that follows; Table 3 prints no deviations""")
    },
    readings=[
        reading(
            "within 1 point",
            "More than half of the domains differ by at most 1.0.",
            options={"similar": "domains, within 1 point"},
        ),
        reading(
            "within 1.5 points",
            "Charitable: at most 1.5.",
            Relation(lambda: _mostly_within("1.5")),
            options={"similar": "domains, within 1.5 points"},
        ),
        reading(
            "averages within 1 point",
            "More than half of the six averages over domains differ by at most 1.0.",
            Relation(lambda: _mostly_within_on_average("1")),
            options={"similar": "averages, within 1 point"},
        ),
    ],
    mutants=[
        mutant(
            "on Webcam too",
            Relation(lambda: (near(office("Webcam", "exp_alpha"), office("Webcam", "proportional"), "1.5"),)),
            "77.40 becomes 86.44",
        )
    ],
    verdict="""Five of the six averages over domains are within one point (Office with FedAvg, the example of the text, gains
        65.44 − 62.83 = 2.61); of the 30 pairs of a domain and an algorithm 11 are, and 20 within 1.5. How close «similar» is and what a case is, the paper
        does not say, and Table 3 prints no deviations. The largest are 86.44 − 77.40 = 9.04 (Webcam, FedAvg) and 4 to 6 in four domains
        of Digits with FedBN.""",
)

P19 = relation(
    "EA-P19",
    "A.7, Table 13",
    "α of 1 or more is better in most cases",
    quote="Exp-α with a moderate α ≥ 1 outperforms proportional aggregation in most cases",
    plainly="In most cases with α >= 1 Exp-α has the higher validation accuracy.",
    assumes=["most: more than half", "Table 13 prints no deviations"],
    says=Relation(lambda: _mostly_better(("1.0", "5.0", "25.0", "125.0"))),
    open={"moderate": nowhere("«a moderate α ≥ 1»: whether 125, the largest tried, is moderate")},
    readings=[
        reading("all α >= 1", "α = 1, 5, 25, 125: 24 cases.", options={"moderate": "all of 1 and more"}),
        reading(
            "moderate",
            "α = 1, 5, 25: 18 cases.",
            Relation(lambda: _mostly_better(("1.0", "5.0", "25.0"))),
            options={"moderate": "1, 5 and 25"},
        ),
    ],
    mutants=[
        mutant("α = 0.2", Relation(lambda: _mostly_better(("0.2",))), "α = 0.2 is better only with FedBN on DomainNet")
    ],
    verdict="15 of 24 cases, 11 of 18 without α = 125. FedBN on DomainNet is below at every α >= 1.",
)

P23 = relation(
    "EA-P23",
    "Table 3",
    "Averages of Table 3",
    quote="We report test accuracy of each domain and cross-domain average for each benchmark",
    plainly="Each printed average is the mean of its domains.",
    says=Relation(lambda: _averages("printed")),
    readings=[
        reading("from cells as printed", "The mean of the printed cells rounds to the printed average."),
        reading(
            "up to rounding",
            "Some unrounded cells have such a mean.",
            Relation(lambda: _averages("rounding")),
            ours="weaker than the other: cells before rounding",
        ),
    ],
    mutants=[
        mutant("medians", Relation(lambda: _averages("median")), "Digits with FedAvg: median 81.82, printed 81.89")
    ],
    verdict="All 12 averages are the mean of their domains, rounded to two decimals.",
)

P25 = relation(
    "EA-P25",
    "Sec. 3.3; Tables 5 to 7",
    "Local data sets of equal size",
    quote="we deliberately keep the size of local datasets equal",
    plainly="All clients of a benchmark have training sets of the same size.",
    assumes=["one client holds the training split of one domain, as Sec. 4.3 says"],
    says=Relation(lambda: _sizes("0")),
    open={
        "size": nowhere("""«the size of local datasets equal»: samples in the training sets, equal or nearly, or
            samples passed in an epoch""")
    },
    readings=[
        reading(
            "equal",
            "Tables 5, 6 and 7: largest and smallest training set agree.",
            options={"size": "training sets, equal"},
        ),
        reading(
            "within a tenth",
            "They differ by at most a tenth.",
            Relation(lambda: _sizes("0.1")),
            options={"size": "training sets, within a tenth"},
        ),
        reading(
            "the samples of an epoch",
            """Charitable: of each training set 4 batches of 64, as Table 4 has it for all clients, if there are as
                many.""",
            Relation(_whole_epochs),
            options={"size": "the samples of an epoch"},
        ),
    ],
    mutants=[
        mutant("Office within a half", Relation(lambda: _sizes("0.5", SPLITS[:1])), "Amazon has 536 samples, DSLR 87")
    ],
    verdict="""True of Digits (892 each). Office-Caltech10 has 87 to 628 training samples a domain and DomainNet 1472 to
        3404. What A.3 keeps equal there is the number of local steps, 4 batches of 64 an epoch: the samples passed, not
        the data sets, and on Office-Caltech10 DSLR (87) and Webcam (165) do not even have 256. By (1) the weights of
        proportional aggregation would still differ.""",
)

P27 = relation(
    "EA-P27",
    "Sec. 4.3, Table 3",
    "Noticeable improvement in some cases",
    quote="Furthermore, Exp-α even brings noticeable improvement in some cases",
    plainly="In some of the domains Exp-α is noticeably more accurate.",
    assumes=["some: at least two", "noticeable: by more than two points (ours); Table 3 prints no deviations"],
    says=Relation(lambda: _some_noticeably("2")),
    readings=[
        reading("by more than two points in some domains", "In at least two of the 30."),
        reading(
            "every average is higher",
            "Six pairs.",
            Relation(_higher_average),
            ours="the sentence says «in some cases», not on every average",
        ),
    ],
    mutants=[
        mutant(
            "every average by more than two points",
            Relation(lambda: tuple(below(worse + 2, best) for worse, best, _ in pairs(SHIFT, domain="Avg"))),
            "Digits with FedAvg: 81.89 becomes 81.92",
        )
    ],
    verdict="""In five of 30 pairs (15 domains, two algorithms) accuracy rises by more than two points, most on Webcam with FedAvg
        (86.44 − 77.40 = 9.04) and MNIST with FedBN (96.73 − 90.77 = 5.96). All six averages are higher, too, by 0.02 to 2.61 points; Digits by 0.03 and 0.02.""",
)

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
    stating = in_text("EA-P12", "gain")
    return (
        below(stating + constant(low), gain, strict=False),
        below(gain, stating + constant(high), strict=False),
        *_mainly("Webcam"),
    )


def _weights(largest: str, smallest: str) -> Comparisons:
    cells = {d: in_text("EA-P14", d) for d in OFFICE}
    sums = below(
        abs(total(cells.values()) - 1), constant("0.02"), "the four weights add up to 1 up to rounding", strict=False
    )
    most = above(cells[largest], [cells[d] for d in OFFICE if d != largest])
    least = tuple(below(cells[smallest], cells[d]) for d in OFFICE if d != smallest)
    return (sums, *most, *least)


P11 = relation(
    "EA-P11",
    "Sec. 4.3, Table 3",
    "4% on Office-Caltech10",
    quote="""Exp-α improves FedAvg with proportional aggregation on Office-Clatech10 by a relatively 4% on average
        across four domains""",
    plainly="The average accuracy of FedAvg on Office-Caltech10 rises by a relative 4%.",
    says=Relation(lambda: agree(_gain("Avg"), in_text("EA-P11", "gain"))),
    readings=[reading("rounded", "65.44/62.83 − 1.")],
    mutants=[
        mutant(
            "Amazon instead",
            Relation(lambda: agree(_gain("Amazon"), in_text("EA-P11", "gain"))),
            "59.03/57.47 − 1 is 2.7%",
        )
    ],
    verdict="65.44/62.83 − 1 = 4.2%.",
)

P12 = relation(
    "EA-P12",
    "Sec. 4.3, Table 3",
    "10% on Webcam",
    quote="the improvement mainly comes from the Webcam (W) domain (relatively 10% improvement)",
    plainly="Webcam improves by a relative 10% and brings most of the improvement.",
    says=Relation(lambda: _webcam_gain("-0.5", "0.5")),
    open={
        "rounding": nowhere("""«relatively 10% improvement»: to the nearest percent, as the other percentages are, or a
            round number""")
    },
    readings=[
        reading(
            "to the nearest percent",
            "The gain lies between 9.5% and 10.5%.",
            options={"rounding": "to the nearest percent"},
        ),
        reading(
            "to one digit",
            "10 has one digit; the gain lies between 5% and 15%.",
            Relation(lambda: _webcam_gain("-5", "5")),
            options={"rounding": "a round number"},
        ),
    ],
    mutants=[
        mutant(
            "mainly from Amazon",
            Relation(lambda: _mainly("Amazon")),
            "Amazon gains 1.56 points, a small part of the whole",
        )
    ],
    verdict="86.44/77.40 − 1 = 11.7%, or 9.04 points of 4 × 2.61 = 10.44 in all, where the average gains 65.44 − 62.83 = 2.61. «10%» is right only as a round number.",
)

P13 = relation(
    "EA-P13",
    "Sec. 4.3, Table 3",
    "Webcam is best already",
    quote="The Webcam domain is the best performing domain already when using proportional aggregation",
    plainly="With proportional aggregation FedAvg is most accurate on Webcam.",
    says=Relation(lambda: above(office("Webcam", "proportional"), [office(d, "proportional") for d in OFFICE[:3]])),
    readings=[reading("FedAvg", "The experiment of the passage.")],
    mutants=[
        mutant(
            "DSLR",
            Relation(lambda: (below(office("Webcam", "proportional"), office("DSLR", "proportional")),)),
            "77.40 against 65.63",
        )
    ],
    verdict="77.40 against 65.63 (DSLR), 57.47 (Amazon) and 50.81 (Caltech).",
)

P14 = relation(
    "EA-P14",
    "Sec. 4.3",
    "Average weights of the four domains",
    quote="""the average aggregation weights over the entire training trajectory for Amazon (A), Caltech (C), DSLR (D)
        and Webcam (W) are {0.19, 0.26, 0.22, 0.34}""",
    plainly="The stated weights add up to 1, Webcam has the largest and Amazon the smallest.",
    says=Relation(lambda: _weights("Webcam", "Amazon")),
    readings=[reading("up to rounding", "Four weights of two decimals.")],
    mutants=[mutant("Caltech largest", Relation(lambda: _weights("Caltech", "Amazon")), "0.26 against Webcam's 0.34")],
    verdict="They add up to 1.01, within the rounding of four numbers; the order is as stated.",
)

P15 = relation(
    "EA-P15",
    "Sec. 4.3, Table 3",
    "3% on Amazon",
    quote="this did not deteriorate the performance of Exp-α on this domain but rather improved it by a relative 3%",
    plainly="Amazon's accuracy with FedAvg rises by a relative 3%.",
    says=Relation(lambda: agree(_gain("Amazon"), in_text("EA-P15", "gain"))),
    readings=[reading("rounded", "59.03/57.47 − 1.")],
    mutants=[
        mutant(
            "DSLR instead",
            Relation(lambda: agree(_gain("DSLR") + 0, in_text("EA-P15", "gain"))),
            "DSLR falls from 65.63 to 64.58",
        )
    ],
    verdict="59.03/57.47 − 1 = 2.7%.",
)

CLAIMS: tuple[Claim, ...] = (P10, P11, P12, P13, P14, P15, P19, P23, P25, P27)
