"""Sec. 4.3, A.4, A.7 and figures: what the text says of the tables on domains, of runs behind them, and what has no numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path

from paper_checks.exp_alpha.relations_cifar import (
    BY_STEPS,
    CIFAR,
    FLIPPED,
    FLIPPED_FULL,
    IID,
    IMBALANCED,
    IMBALANCED_FULL,
    NUMBERS,
    SWEEPS,
    better,
    in_text,
    pairs,
    printed,
    table,
)
from validation import Claim, Comparison, Relation
from validation.statement.played import played
from validation.statement.printed import (
    Quantity,
    above,
    agree,
    below,
    constant,
    count,
    difference_is,
    equal,
    mean,
    near,
    number,
    ranked,
    reverse,
    spread,
    total,
)
from validation.world import Words

__all__ = ["CLAIMS", "RELATIONS"]

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


P10 = Words(r"""EA-P10 (relation; Sec. 4.3, Table 3): Similar in most cases
    Quote: We observe that Exp-α leads to similar performance as proportional aggregation in most cases
    Plainly: On most domains Exp-α and proportional aggregation differ little.
    Assumes: Table 3, which prints no deviations | most: more than half
    Open (nowhere) similar: «similar performance … in most cases»: how close is not said, nor whether a case is a domain
      or an average over domains, as in the example that follows; Table 3 prints no deviations
    Reading: within 1 point | More than half of the domains differ by at most 1.0. | option similar = domains, within 1
      point
    Reading b: within 1.5 points | Charitable: at most 1.5. | option similar = domains, within 1.5 points
    Reading c: averages within 1 point | More than half of the six averages over domains differ by at most 1.0. | option
      similar = averages, within 1 point
    Mutant x: on Webcam too | 77.40 becomes 86.44
    Verdict: Five of the six averages over domains are within one point (Office with FedAvg, the example of the text,
      gains 2.61); of the 30 domains 11 are, and 20 within 1.5. How close «similar» is and what a case is, the paper does
      not say, and Table 3 prints no deviations. The largest are 9.04 (Webcam, FedAvg) and 4 to 6 in four domains of
      Digits with FedBN.""").say(
    Relation(lambda: _mostly_within("1")),
    b=Relation(lambda: _mostly_within("1.5")),
    c=Relation(lambda: _mostly_within_on_average("1")),
    x=Relation(lambda: (near(office("Webcam", "exp_alpha"), office("Webcam", "proportional"), "1.5"),)),
)

P19 = Words(r"""EA-P19 (relation; A.7, Table 13): α of 1 or more is better in most cases
    Quote: Exp-α with a moderate α ≥ 1 outperforms proportional aggregation in most cases
    Plainly: In most cases with α >= 1 Exp-α has the higher validation accuracy.
    Assumes: most: more than half | Table 13 prints no deviations
    Open (nowhere) moderate: «a moderate α ≥ 1»: whether 125, the largest tried, is moderate
    Reading: all α >= 1 | α = 1, 5, 25, 125: 24 cases. | option moderate = all of 1 and more
    Reading b: moderate | α = 1, 5, 25: 18 cases. | option moderate = 1, 5 and 25
    Mutant x: α = 0.2 | α = 0.2 is better only with FedBN on DomainNet
    Verdict: 15 of 24 cases, 11 of 18 without α = 125. FedBN on DomainNet is below at every α >= 1.""").say(
    Relation(lambda: _mostly_better(("1.0", "5.0", "25.0", "125.0"))),
    b=Relation(lambda: _mostly_better(("1.0", "5.0", "25.0"))),
    x=Relation(lambda: _mostly_better(("0.2",))),
)

P23 = Words(r"""EA-P23 (relation; Table 3): Averages of Table 3
    Quote: We report test accuracy of each domain and cross-domain average for each benchmark
    Plainly: Each printed average is the mean of its domains.
    Reading: from cells as printed | The mean of the printed cells rounds to the printed average.
    Reading b: up to rounding | Some unrounded cells have such a mean. | ours: weaker than the other: cells before
      rounding
    Mutant x: medians | Digits with FedAvg: median 81.82, printed 81.89
    Verdict: All 12 averages are the mean of their domains, rounded to two decimals.""").say(
    Relation(lambda: _averages("printed")),
    b=Relation(lambda: _averages("rounding")),
    x=Relation(lambda: _averages("median")),
)

P25 = Words(r"""EA-P25 (relation; Sec. 3.3; Tables 5 to 7): Local data sets of equal size
    Quote: we deliberately keep the size of local datasets equal
    Plainly: All clients of a benchmark have training sets of the same size.
    Assumes: one client holds the training split of one domain, as Sec. 4.3 says
    Open (nowhere) size: «the size of local datasets equal»: samples in the training sets, equal or nearly, or samples
      passed in an epoch
    Reading: equal | Tables 5, 6 and 7: largest and smallest training set agree. | option size = training sets, equal
    Reading b: within a tenth | They differ by at most a tenth. | option size = training sets, within a tenth
    Reading c: the samples of an epoch | Charitable: of each training set 4 batches of 64, as Table 4 has it for all
      clients, if there are as many. | option size = the samples of an epoch
    Mutant x: Office within a half | Amazon has 536 samples, DSLR 87
    Verdict: True of Digits (892 each). Office-Caltech10 has 87 to 628 training samples a domain and DomainNet 1472 to
      3404. What A.3 keeps equal there is the number of local steps, 4 batches of 64 an epoch: the samples passed, not
      the data sets, and on Office-Caltech10 DSLR (87) and Webcam (165) do not even have 256. By (1) the weights of
      proportional aggregation would still differ.""").say(
    Relation(lambda: _sizes("0")),
    b=Relation(lambda: _sizes("0.1")),
    c=Relation(_whole_epochs),
    x=Relation(lambda: _sizes("0.5", SPLITS[:1])),
)

P27 = Words(r"""EA-P27 (relation; Sec. 4.3, Table 3): Noticeable improvement in some cases
    Quote: Furthermore, Exp-α even brings noticeable improvement in some cases
    Plainly: In some of the domains Exp-α is noticeably more accurate.
    Assumes: some: at least two | noticeable: by more than two points (ours); Table 3 prints no deviations
    Reading: by more than two points in some domains | In at least two of the 30.
    Reading b: every average is higher | Six pairs. | ours: the sentence says «in some cases», not on every average
    Mutant x: every average by more than two points | Digits with FedAvg: 81.89 becomes 81.92
    Verdict: In five of 30 domains accuracy rises by more than two points, most on Webcam with FedAvg (9.04) and MNIST with
      FedBN (5.96). All six averages are higher, too, by 0.02 to 2.61 points; Digits by 0.03 and 0.02.""").say(
    Relation(lambda: _some_noticeably("2")),
    b=Relation(_higher_average),
    x=Relation(lambda: tuple(below(worse + 2, best) for worse, best, _ in pairs(SHIFT, domain="Avg"))),
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


P11 = Words(r"""EA-P11 (relation; Sec. 4.3, Table 3): 4% on Office-Caltech10
    Quote: Exp-α improves FedAvg with proportional aggregation on Office-Clatech10 by a relatively 4% on average across
      four domains
    Plainly: The average accuracy of FedAvg on Office-Caltech10 rises by a relative 4%.
    Reading: rounded | 65.44/62.83 − 1.
    Mutant x: Amazon instead | 59.03/57.47 − 1 is 2.7%
    Verdict: 65.44/62.83 − 1 = 4.2%.""").say(
    Relation(lambda: agree(_gain("Avg"), in_text("EA-P11", "gain"))),
    x=Relation(lambda: agree(_gain("Amazon"), in_text("EA-P11", "gain"))),
)

P12 = Words(r"""EA-P12 (relation; Sec. 4.3, Table 3): 10% on Webcam
    Quote: the improvement mainly comes from the Webcam (W) domain (relatively 10% improvement)
    Plainly: Webcam improves by a relative 10% and brings most of the improvement.
    Open (nowhere) rounding: «relatively 10% improvement»: to the nearest percent, as the other percentages are, or a
      round number
    Reading: to the nearest percent | The gain lies between 9.5% and 10.5%. | option rounding = to the nearest percent
    Reading b: to one digit | 10 has one digit; the gain lies between 5% and 15%. | option rounding = a round number
    Mutant x: mainly from Amazon | Amazon gains 1.56 points of 10.44
    Verdict: 86.44/77.40 − 1 = 11.7%, or 9.04 points of 10.44 in all. «10%» is right only as a round number.""").say(
    Relation(lambda: _webcam_gain("-0.5", "0.5")),
    b=Relation(lambda: _webcam_gain("-5", "5")),
    x=Relation(lambda: _mainly("Amazon")),
)

P13 = Words(r"""EA-P13 (relation; Sec. 4.3, Table 3): Webcam is best already
    Quote: The Webcam domain is the best performing domain already when using proportional aggregation
    Plainly: With proportional aggregation FedAvg is most accurate on Webcam.
    Reading: FedAvg | The experiment of the passage.
    Mutant x: DSLR | 77.40 against 65.63
    Verdict: 77.40 against 65.63 (DSLR), 57.47 (Amazon) and 50.81 (Caltech).""").say(
    Relation(lambda: above(office("Webcam", "proportional"), [office(d, "proportional") for d in OFFICE[:3]])),
    x=Relation(lambda: (below(office("Webcam", "proportional"), office("DSLR", "proportional")),)),
)

P14 = Words(r"""EA-P14 (relation; Sec. 4.3): Average weights of the four domains
    Quote: the average aggregation weights over the entire training trajectory for Amazon (A), Caltech (C), DSLR (D) and
      Webcam (W) are {0.19, 0.26, 0.22, 0.34}
    Plainly: The stated weights add up to 1, Webcam has the largest and Amazon the smallest.
    Reading: up to rounding | Four weights of two decimals.
    Mutant x: Caltech largest | 0.26 against Webcam's 0.34
    Verdict: They add up to 1.01, within the rounding of four numbers; the order is as stated.""").say(
    Relation(lambda: _weights("Webcam", "Amazon")), x=Relation(lambda: _weights("Caltech", "Amazon"))
)

P15 = Words(r"""EA-P15 (relation; Sec. 4.3, Table 3): 3% on Amazon
    Quote: this did not deteriorate the performance of Exp-α on this domain but rather improved it by a relative 3%
    Plainly: Amazon's accuracy with FedAvg rises by a relative 3%.
    Reading: rounded | 59.03/57.47 − 1.
    Mutant x: DSLR instead | DSLR falls from 65.63 to 64.58
    Verdict: 59.03/57.47 − 1 = 2.7%.""").say(
    Relation(lambda: agree(_gain("Amazon"), in_text("EA-P15", "gain"))),
    x=Relation(lambda: agree(_gain("DSLR") + 0, in_text("EA-P15", "gain"))),
)

RUN_TABLES = (IMBALANCED, IMBALANCED_FULL, FLIPPED, FLIPPED_FULL)


def _thirds(parts: int) -> Comparisons:
    """Each mean number of rounds is a whole number over `parts`, up to rounding."""
    out = []
    for name in (*RUN_TABLES, IID):
        for row in table(name).rows:
            if row["metric"] != "acc40":
                continue
            where = {k: row[k] for k in ("backbone", "strategy", "E", "metric")}
            cell = table(name).printed(**where)
            whole = constant(Fraction(round(cell.value * parts), parts))
            out.append(near(number(cell), whole, cell.half_unit, f"{cell.where} is a multiple of 1/{parts}, rounded"))
    return tuple(out)


def _deviations() -> Comparisons:
    """Each printed deviation of rounds is the sample deviation of three whole numbers with the printed mean.

    Of all such triples the one whose deviation is nearest is compared: (std − ½ unit)² <= s² <= (std + ½ unit)².
    """
    out = []
    for name in (IMBALANCED_FULL, FLIPPED_FULL, IID):
        for row in table(name).rows:
            if row["metric"] != "acc40":
                continue
            where = {k: row[k] for k in ("backbone", "strategy", "E", "metric")}
            std = table(name).printed("std", **where)
            triple = _nearest_triple(round(table(name).printed(**where).value * 3), std.value)
            s2 = constant(_sample_variance(triple))
            cell = number(std)
            low, high = cell - std.half_unit, cell + std.half_unit
            says = f"{std.where} is the deviation of {triple}"
            out += [below(low * abs(low), s2, says, strict=False), below(s2, high * high, says, strict=False)]
    return tuple(out)


def _sample_variance(triple: tuple[int, ...]) -> Fraction:
    centre = Fraction(sum(triple), 3)
    return sum(((x - centre) ** 2 for x in triple), Fraction(0)) / 2


def _nearest_triple(total_rounds: int, std: Fraction) -> tuple[int, ...]:
    reach = int(3 * std) + 2
    middle = total_rounds // 3
    around = range(max(1, middle - reach), middle + reach + 2)
    triples = [
        (a, b, total_rounds - a - b) for a, b in combinations_with_replacement(around, 2) if total_rounds - a - b >= b
    ]
    return min(triples, key=lambda t: abs(float(_sample_variance(t)) ** 0.5 - float(std)))


def _samples(runs: int, *, units: str = "0.5", fedbn: int | None = None) -> Comparisons:
    """Accuracies on Office and DomainNet are whole numbers of `runs` × test samples, up to `units` of the last digit.

    `fedbn`: the number of runs of FedBN with proportional aggregation on Office, if another.
    """
    tested = {"OfficeCaltech10": SPLITS[0], "DomainNet": SPLITS[1]}
    out = []
    for row in table(SHIFT).rows:
        if row["dataset"] not in tested or row["domain"] == "Avg":
            continue
        where = {k: row[k] for k in ("dataset", "backbone", "strategy", "domain")}
        cell, of = table(SHIFT).printed(**where), {"domain": row["domain"], "split": "test"}
        odd = (row["dataset"], row["backbone"], row["strategy"]) == ("OfficeCaltech10", "FedBN", "proportional")
        n = fedbn if odd and fedbn else runs
        samples = int(table(tested[row["dataset"]]).printed(**of).value) * n
        hits = constant(round(cell.value * samples / 100))
        says = f"{cell.where} is a whole number of {samples} samples, rounded"
        whole = 100 * hits / (printed(tested[row["dataset"]], **of) * n)
        out.append(near(number(cell), whole, cell.half_unit * 2 * Fraction(units), says))
    return tuple(out)


def _budget(factor: int = 1) -> Comparisons:
    """E·t at the last round is the same in every setting of a table."""
    out = []
    for name in RUN_TABLES:
        rounds = {e: _rounds(name, e, "val_acc_full") * constant(e) for e in table(name).values("E")}
        first, *rest = rounds
        out += [
            equal(rounds[e], rounds[first] * factor, f"{name}: E·t is the same at E = {e} and {first}") for e in rest
        ]
    return tuple(out)


def _rounds(name: str, steps: str, metric: str) -> Quantity:
    where = {"backbone": "FedAvg", "strategy": "exp_alpha", "E": steps, "metric": metric}
    return number(table(name).printed("round_t", **where))


def _halves(factor: int = 2) -> Comparisons:
    return tuple(
        equal(_rounds(n, e, "val_acc_half") * factor, _rounds(n, e, "val_acc_full"))
        for n in (*RUN_TABLES, IID)
        for e in table(n).values("E")
    )


P24 = Words(r"""EA-P24 (relation; captions of Tables 1, 2, 3, 10, 11 and 12): Means of three runs
    Quote: Results are averaged over 3 runs
    Plainly: The printed means (and deviations) of whole numbers can be those of three runs.
    Assumes: rounds to 40% accuracy are whole numbers in each run; their deviation is the sample deviation | a test
      accuracy of one run is a whole number of the test samples of Tables 5 and 6
    Open (nowhere) rounding: how the printed means were rounded
    Reading: rounded as usual | To half a unit in the last digit. | option rounding = as usual
    Reading b: a unit off | Rounded twice, accuracies may be off by 1.5 units. | option rounding = a unit off
    Reading c: two runs of FedBN with proportional aggregation on Office | All else three runs. | edit: two runs of
      FedBN with proportional aggregation on Office-Caltech10
    Mutant x: four runs | 43.33 is no multiple of a quarter
    Mutant y: one run on Office | 57.47% of 192 samples is 110.3
    Verdict: All 148 mean numbers of rounds on CIFAR-10 are thirds, and some three whole numbers have each printed mean
      and deviation. All 24 accuracies on DomainNet and 13 of 16 on Office-Caltech10 are whole numbers of three times the
      test samples, to a unit of the last digit, which bears out how they were counted. FedBN with proportional
      aggregation on Office-Caltech10 does not fit: 76.30% of 192 test samples is 439.5 of 3 × 192, and Caltech and DSLR
      miss likewise; all four of its accuracies fit two runs, or four. (Exp-α with FedBN on Caltech, 56.45, is one unit
      above 381/675.)""").say(
    Relation(lambda: _thirds(3) + _deviations() + _samples(3)),
    b=Relation(lambda: _thirds(3) + _deviations() + _samples(3, units="1.5")),
    c=Relation(lambda: _thirds(3) + _deviations() + _samples(3, units="1.5", fedbn=2)),
    x=Relation(lambda: _thirds(4)),
    y=Relation(lambda: _samples(1)),
)

P26 = Words(r"""EA-P26 (relation; Sec. 4.1, Tables 1, 2, 10 and 12): E·t is constant
    Quote: four communication-computation configurations with a trade-off between the number of global iterations
      (denoted as t) and local update iterations (denoted as E)
    Plainly: Every setting of a table has the same number E·t of local steps in all.
    Reading: at the last round | Four tables, every E.
    Mutant x: twice as many | 20 · 400 = 40 · 200
    Ours: nowhere is E·t said to be the same in all settings; we set the headers of the tables side by side
    Verdict: E·t = 8000 in every setting of the four tables.""").say(Relation(_budget), x=Relation(lambda: _budget(2)))

TC1 = Words(r"""EA-TC1 (relation; Sec. 4.1, Tables 1, 2, 10, 11 and 12): Half-time is half of the rounds
    Quote: the number of steps to reach 40% accuracy (denoted as acc40), half-time, final validation accuracy, and the
      final test accuracy
    Plainly: The half-time column stands at half of the rounds of the final column.
    Reading: rounds in the headers | Five tables, every E.
    Mutant x: a third | t = 200 and t = 400 at E = 20
    Verdict: Half-time is half of the rounds in every table.""").say(Relation(_halves), x=Relation(lambda: _halves(3)))


def _smaller_alpha(*, rising: bool) -> tuple[Comparison, ...]:
    """Table 8 at E = 160: accuracy at α = 0.2 against 125."""
    small, large = (printed(BY_STEPS, E="160", alpha=a) for a in ("0.2", "125.0"))
    return (below(large, small) if rising else below(small, large),)


def _converged(name: str) -> tuple[Comparison, ...]:
    """Exp-α above proportional in every converged accuracy of a table."""
    return better(name, metric="val_acc_full") + better(name, metric="test_acc")


def _alike_by_symmetry(rounds: str | None = None) -> Comparisons:
    """The largest variance that an average weight over all rounds and runs can have, against that of a tenth of it."""
    clients, runs = in_text("EA-F2", "clients"), in_text("EA-P24", "runs")
    fair = 1 / clients
    most = fair * (1 - fair) / ((constant(rounds) if rounds else in_text("EA-F2", "rounds")) * runs)
    allowed = fair * Fraction(1, 10)
    says = "the average weight of a client has a standard deviation of at most a tenth of 1/10"
    return (below(most, allowed * allowed, says, strict=False),)


P6 = Words(r"""EA-P6 (relation; Sec. 4.1, Tables 1 and 10): Higher converged accuracy for all backbones
    Print: \text{for all backbones and all }E:
      \quad\text{accuracy}[\text{Exp-}\alpha]>\text{accuracy}[\text{proportional}]
    Plainly: All algorithms using Exp-α reach a higher converged accuracy on imbalanced CIFAR-10.
    Assumes: converged accuracy: validation at the last round, and test | printed means, no test of significance
    Open (twice) table: the passage names Table 1, whose caption calls Table 10 the complete one
    Reading: Table 1 | E in 20, 40, 160. | option table = Table 1
    Reading b: Table 10 | E in 20, 40, 80, 160. | option table = Table 10
    Mutant x: order reversed | FedAvg at E = 20 prints 66.86 for Exp-α against 64.60
    Verdict: In Table 1, beside which the sentence stands, every printed pair of converged accuracies is in the stated
      order. The complete Table 10 adds E = 80, and there two pairs are the other way round: FedFor's test accuracy
      (73.29 against 73.34) and FedAdam's validation accuracy (71.91 against 72.01), within deviations.""").say(
    Relation(lambda: _converged(IMBALANCED)),
    b=Relation(lambda: _converged(IMBALANCED_FULL)),
    x=Relation(lambda: reverse(_converged(IMBALANCED))),
)

F1 = Words(r"""EA-F1 (relation; Sec. 4.1, Figure 2a): Balanced clients weigh most
    Quote: The balanced clients always have the highest aggregation weights
    Plainly: Averaged over rounds, balanced clients weigh most, and less imbalanced ones more than the others.
    Assumes: averages over rounds and three runs, as in the figure
    Reading: only a run decides | In Figure 2a.
    Mutant x: Exp-α worse in all of Table 10 | the figure prints no numbers, so the mutant stands on a table, where
      what is printed shows it false: FedAvg at E = 20 prints 66.86 against 64.60
    Verdict: Figure 2a has no printed numbers; a run decides. Theory promises less: weights follow the loss change of a
      round, which mixes how far a client is from the model with how fast it learns (EA-R6).""").say(
    played(
        Path(__file__).parent,
        "EA-F1",
        "average weights of Exp-α (α = 0.2, FedAvg, E = 20, 400 rounds) by imbalance ratio on CIFAR-10, in compositions such as "
        "4 × 1.0, 3 × 0.1, 3 × 0.01",
    ),
    x=Relation(lambda: reverse(better(IMBALANCED_FULL))),
)

F2 = Words(r"""EA-F2 (relation; Sec. 4.1, Figure 2a): Equal weights for balanced clients
    Quote: when all clients are balanced, Exp-α assign roughly equal weights to all clients with marginal variation due to
      stochasticity in sampling
    Plainly: With ten balanced clients, sampled anew in each of 400 rounds, the average weights are roughly equal.
    Assumes: averages over rounds and three runs, as in the figure | the ten clients of a round are alike given the past,
      as they are sampled «at the beginning of each round», all balanced | roughly: a standard deviation of at most a
      tenth of the weight (ours)
    Reading: by symmetry | Weights of clients that are alike have mean 1/10 in every round, whatever network is trained;
      a number from 0 to 1 of mean 1/10 has variance 1/10 · 9/10 at most, and 1200 rounds leave a 1200th of it.
    Mutant x: four rounds | 0.09/12 is 0.0075, against 0.0001
    Verdict: It holds by symmetry, whatever is trained: nothing tells the clients of a round from each other before they
      are drawn, so each has a weight of 1/10 on average, and over 3 × 400 rounds the average strays from that by at most
      0.009 in standard deviation, even if one client had all the weight in every round. Any rule that treats clients
      alike does the same; the weights of a single round need not be equal. The figure has no printed numbers.""").say(
    Relation(_alike_by_symmetry), x=Relation(lambda: _alike_by_symmetry(rounds="4"))
)

F3 = Words(r"""EA-F3 (relation; Sec. 4.2, Figure 2b): Weights follow the severity of flipping
    Quote: Exp-α outperforms proportional aggregation in all configurations; it assigns higher weights to flipped
      clients where only a single class is incorrect
    Plainly: Clients with one flipped class outweigh those with all flipped, and Exp-α is ahead in all four.
    Assumes: averages over rounds and three runs, as in the figure
    Reading: only a run decides | In Figure 2b.
    Mutant x: Exp-α worse in all of Table 12 | the figure prints no numbers, so the mutant stands on a table, where
      what is printed shows it false: FedAvg at E = 20 prints 67.01 for Exp-α, ahead of proportional
    Verdict: Figure 2b has no printed numbers in the text; a run decides both halves. Tables 2 and 12 draw the flipped
      clients anew each round, so they do not show these four settings.""").say(
    played(
        Path(__file__).parent,
        "EA-F3",
        "test accuracy and average weights of Exp-α (α = 0.2) and proportional FedAvg on CIFAR-10, E = 20, 400 rounds, 2 or 4 of 6 "
        "clients flipped, flip ratio 1.0 or 0.1",
    ),
    x=Relation(lambda: reverse(better(FLIPPED_FULL))),
)

F4 = Words(r"""EA-F4 (relation; A.5, Figure 3; A.6, Figure 4): Smaller α is better under severe shift
    Quote: smaller α leads to better performance
    Plainly: At imbalance ratio 0.001 and flip ratio 1.0 accuracy falls as α grows from 0.2 to 125.
    Assumes: averages over rounds and three runs, as in the figure
    Reading: only a run decides | At imbalance ratio 0.001 and flip ratio 1.0 accuracy falls as α grows from 0.2 to 125.
    Mutant x: larger α better in Table 8 at E = 160 | the figure prints no numbers, so the mutant stands on a table,
      where what is printed shows it false: the best α at E = 160 is 0.2
    Verdict: Figures 3 and 4 have no printed numbers; a run decides. Table 8 sweeps α too, at imbalance ratio 0.1, which
      is another setting (EA-P16).""").say(
    played(
        Path(__file__).parent,
        "EA-F4",
        "accuracy by round of Exp-α with α in 0.2, 1, 5, 25, 125 on CIFAR-10, FedAvg and FedAvgM, 200 rounds of 2 epochs: ten "
        "clients, six at imbalance ratio 0.001; and six clients flipped with chance 1/3",
    ),
    x=Relation(lambda: _smaller_alpha(rising=False)),
)

F5 = Words(r"""EA-F5 (relation; Sec. 4.1, Figure 2a): More severe imbalance, larger improvement
    Quote: Exp-α shows more performance improvement when imbalance is more severe
    Plainly: The gain of Exp-α over proportional aggregation grows as the imbalance ratio falls.
    Assumes: averages over rounds and three runs, as in the figure
    Reading: only a run decides | The gain of Exp-α over proportional aggregation grows as the imbalance ratio falls.
    Mutant x: larger α better at ratio 0.1 | the figure prints no numbers, so the mutant stands on a table, where
      what is printed shows it false: the best α at E = 160, ratio 0.1, is 0.2
    Verdict: Figure 2a prints no numbers in the text; a run decides. Table 9 varies the ratio but has no column for
      proportional aggregation (EA-P17).""").say(
    played(
        Path(__file__).parent,
        "EA-F5",
        "test accuracy of Exp-α (α = 0.2) and proportional FedAvg on CIFAR-10, E = 20, 400 rounds, for the compositions of "
        "Figure 2a, ordered by their imbalance ratio",
    ),
    x=Relation(lambda: _smaller_alpha(rising=False)),
)

_DOMAINS, _RUNS, _WEBCAM = (P10, P19, P23, P25, P27), (P24, P26, TC1), (P11, P12, P13, P14, P15)
RELATIONS: tuple[Claim, ...] = (*CIFAR, *_DOMAINS, *NUMBERS, *_RUNS, *SWEEPS, *_WEBCAM)
CLAIMS = (*RELATIONS, P6, F1, F2, F3, F4, F5)
