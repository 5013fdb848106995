"""What Exp-α's text says about all domains: Tables 3, 5, 6, 7 and 13."""

from __future__ import annotations

from paper_checks.exp_alpha.relations_cifar import pairs
from paper_checks.exp_alpha.relations_tables import printed, table
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    agree,
    below,
    canary,
    constant,
    count,
    difference_is,
    mean,
    near,
    ranked,
    reading,
    relation_claim,
    reverse,
    spread,
)

__all__ = ["DOMAINS", "SHIFT", "office"]

Comparisons = tuple[Comparison, ...]
SHIFT, BY_ALPHA = "table03_domain_shift", "table13_alpha_domain_shift"
SPLITS = ("table05_splits_office", "table06_splits_domainnet", "table07_splits_digits")


def office(domain: str, strategy: str) -> Quantity:
    """One accuracy of FedAvg on Office-Caltech10."""
    return printed(SHIFT, dataset="OfficeCaltech10", backbone="FedAvg", strategy=strategy, domain=domain)


def _mostly_within(points: str) -> Comparisons:
    """The difference that more than half of the domains stay within is at most `points`."""
    gaps = [abs(a - b) for a, b, place in pairs(SHIFT) if place["domain"] != "Avg"]
    says = f"more than half of {len(gaps)} differences are at most {points} points"
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


def _higher_average() -> Comparisons:
    return tuple(below(worse, best) for worse, best, _ in pairs(SHIFT, domain="Avg"))


DOMAINS = (
    relation_claim(
        "EA-P10",
        source="Sec. 4.3, Table 3",
        quote="We observe that Exp-α leads to similar performance as proportional aggregation in most cases",
        title="Similar in most cases",
        says="On most domains Exp-α and proportional aggregation differ little.",
        assumes=("30 domain cells of Table 3, which prints no deviations", "most: more than half"),
        readings=(
            reading(
                "within 1 point", "More than half of the domains differ by at most 1.0.", lambda: _mostly_within("1")
            ),
            reading("within 1.5 points", "Charitable: at most 1.5.", lambda: _mostly_within("1.5")),
        ),
        canaries=(
            canary(
                "on Webcam too",
                lambda: (near(office("Webcam", "exp_alpha"), office("Webcam", "proportional"), "1.5"),),
                "77.40 becomes 86.44",
            ),
        ),
        words=(
            "11 of 30 domains are within one point, 20 within 1.5. How close «similar» is, the paper does not say, and Table 3 "
            "prints no deviations. The largest differences are 9.04 (Webcam, FedAvg) and about 4 to 6 in four domains of "
            "Digits with FedBN."
        ),
    ),
    relation_claim(
        "EA-P19",
        source="A.7, Table 13",
        quote="Exp-α with a moderate α ≥ 1 outperforms proportional aggregation in most cases",
        title="α of 1 or more is better in most cases",
        says="In most cases with α >= 1 Exp-α has the higher validation accuracy.",
        assumes=("most: more than half", "Table 13 prints no deviations"),
        readings=(
            reading(
                "all α >= 1", "α = 1, 5, 25, 125: 24 cases.", lambda: _mostly_better(("1.0", "5.0", "25.0", "125.0"))
            ),
            reading("moderate", "α = 1, 5, 25: 18 cases.", lambda: _mostly_better(("1.0", "5.0", "25.0"))),
        ),
        canaries=(
            canary("α = 0.2", lambda: _mostly_better(("0.2",)), "α = 0.2 is better only with FedBN on DomainNet"),
        ),
        words="Better in 15 of 24 cases, and in 11 of 18 without α = 125. FedBN on DomainNet is below proportional at every α >= 1.",
    ),
    relation_claim(
        "EA-P23",
        source="Table 3",
        quote="We report test accuracy of each domain and cross-domain average for each benchmark",
        title="Averages of Table 3",
        says="Each printed average is the mean of its domains.",
        readings=(
            reading(
                "from cells as printed",
                "The mean of the printed cells rounds to the printed average.",
                lambda: _averages("printed"),
            ),
            reading(
                "up to rounding",
                "Some unrounded cells have a mean that rounds to the printed average.",
                lambda: _averages("rounding"),
            ),
        ),
        canaries=(canary("medians", lambda: _averages("median"), "Digits with FedAvg: median 81.82, printed 81.89"),),
        words="All 12 averages are the mean of their domains, rounded to two decimals.",
    ),
    relation_claim(
        "EA-P25",
        source="Sec. 3.3; Tables 5 to 7",
        quote="we deliberately keep the size of local datasets equal",
        title="Local data sets of equal size",
        says="All clients of a benchmark have training sets of the same size.",
        assumes=("one client holds the training split of one domain, as Sec. 4.3 says",),
        readings=(
            reading("equal", "Tables 5, 6 and 7: largest and smallest training set agree.", lambda: _sizes("0")),
            reading("within a tenth", "Charitable: they differ by at most a tenth.", lambda: _sizes("0.1")),
            reading(
                "the samples of an epoch",
                "Charitable: of each training set 4 batches of 64, as Table 4 has it for all clients, if there are as many.",
                _whole_epochs,
            ),
        ),
        canaries=(
            canary("Office within a half", lambda: _sizes("0.5", SPLITS[:1]), "Amazon has 536 samples, DSLR 87"),
        ),
        words=(
            "True of Digits (892 each). Office-Caltech10 has 87 to 628 training samples a domain and DomainNet 1472 to 3404. What "
            "A.3 keeps equal there is the number of local steps, 4 batches of 64 an epoch: the samples passed, not the data "
            "sets, and on Office-Caltech10 DSLR (87) and Webcam (165) do not even have 256. By (1) the weights of proportional aggregation would still differ."
        ),
    ),
    relation_claim(
        "EA-P27",
        source="Sec. 4.3, Table 3",
        quote="Furthermore, Exp-α even brings noticeable improvement in some cases",
        title="Higher averages on all benchmarks",
        says="Exp-α has the higher average on each benchmark, with FedAvg and with FedBN.",
        readings=(reading("printed averages", "Six pairs.", _higher_average),),
        canaries=(
            canary("order reversed", lambda: reverse(_higher_average()), "Office with FedAvg: 65.44 against 62.83"),
        ),
        words="All six averages are higher, by 0.02 to 2.61 points; those of Digits by 0.03 and 0.02, which no deviation puts in perspective.",
    ),
)
