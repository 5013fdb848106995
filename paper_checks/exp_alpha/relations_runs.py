"""What Exp-α's captions say about runs and rounds behind the tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

from paper_checks.exp_alpha.relations_tables import (
    FLIPPED,
    FLIPPED_FULL,
    IID,
    IMBALANCED,
    IMBALANCED_FULL,
    printed,
    table,
)
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    below,
    canary,
    constant,
    edited,
    equal,
    near,
    number,
    reading,
    relation_claim,
)

__all__ = ["RUNS"]

Comparisons = tuple[Comparison, ...]
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
    """Office accuracies are whole numbers of `runs` × test samples, up to `units` of the last digit.

    `fedbn`: the number of runs of FedBN with proportional aggregation, if another.
    """
    out = []
    for row in table("table03_domain_shift").rows:
        if row["dataset"] != "OfficeCaltech10" or row["domain"] == "Avg":
            continue
        where = {k: row[k] for k in ("dataset", "backbone", "strategy", "domain")}
        cell = table("table03_domain_shift").printed(**where)
        other = fedbn if (row["backbone"], row["strategy"]) == ("FedBN", "proportional") else None
        n = other or runs
        tested = printed("table05_splits_office", domain=row["domain"], split="test") * n
        samples = int(table("table05_splits_office").printed(domain=row["domain"], split="test").value) * n
        hits = constant(round(cell.value * samples / 100))
        says = f"{cell.where} is a whole number of {samples} samples, rounded"
        out.append(near(number(cell), 100 * hits / tested, cell.half_unit * 2 * Fraction(units), says))
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


RUNS = (
    relation_claim(
        "EA-P24",
        source="captions of Tables 1, 2, 3, 10, 11 and 12",
        quote="Results are averaged over 3 runs",
        title="Means of three runs",
        says="The printed means (and deviations) of whole numbers can be those of three runs.",
        assumes=(
            "rounds to 40% accuracy are whole numbers in each run; their deviation is the sample deviation",
            "a test accuracy of one run is a whole number of the test samples of Table 5",
        ),
        readings=(
            reading(
                "rounded as usual",
                "Rounds on CIFAR-10 and test accuracies on Office-Caltech10, to half a unit in the last digit.",
                lambda: _thirds(3) + _deviations() + _samples(3),
            ),
            reading(
                "a unit off",
                "Charitable: rounded more than once, accuracies may be off by 1.5 units in the last digit.",
                lambda: _thirds(3) + _deviations() + _samples(3, units="1.5"),
            ),
            edited(
                "two runs of FedBN with proportional aggregation on Office",
                "All else three runs.",
                lambda: _thirds(3) + _deviations() + _samples(3, units="1.5", fedbn=2),
            ),
        ),
        canaries=(
            canary("four runs", lambda: _thirds(4), "43.33 is no multiple of a quarter"),
            canary("one run on Office", lambda: _samples(1), "57.47% of 192 samples is 110.3"),
        ),
        words=(
            "All 148 mean numbers of rounds on CIFAR-10 are thirds, and some three whole numbers have each printed mean and "
            "deviation. On Office-Caltech10 FedBN with proportional aggregation does not fit: 76.30% of 192 test samples is 439.5 "
            "of 3 × 192, and Caltech and DSLR miss likewise; all four of its accuracies fit two runs, or four. (Exp-α with FedBN on "
            "Caltech, 56.45, is one unit above 381/675.)"
        ),
    ),
    relation_claim(
        "EA-P26",
        source="Sec. 4.1, Tables 1, 2, 10 and 12",
        quote="four communication-computation configurations with a trade-off between the number of global iterations (denoted as t) and local update iterations (denoted as E)",
        title="E·t is constant",
        says="Every setting of a table has the same number E·t of local steps in all.",
        readings=(reading("at the last round", "Four tables, every E.", _budget),),
        canaries=(canary("twice as many", lambda: _budget(2), "20 · 400 = 40 · 200"),),
        words="E·t = 8000 in every setting of the four tables.",
    ),
    relation_claim(
        "EA-TC1",
        source="Sec. 4.1, Tables 1, 2, 10, 11 and 12",
        quote="the number of steps to reach 40% accuracy (denoted as acc40), half-time, final validation accuracy, and the final test accuracy",
        title="Half-time is half of the rounds",
        says="The half-time column stands at half of the rounds of the final column.",
        readings=(reading("rounds in the headers", "Five tables, every E.", _halves),),
        canaries=(canary("a third", lambda: _halves(3), "t = 200 and t = 400 at E = 20"),),
        words="Half-time is half of the rounds in every table.",
    ),
)
