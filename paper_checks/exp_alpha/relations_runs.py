"""Captions and headers: whether the printed means are of three runs, and the rounds of the settings."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

from paper_checks.exp_alpha.relations_tables import (
    FLIPPED,
    FLIPPED_FULL,
    IID,
    IMBALANCED,
    IMBALANCED_FULL,
    SHIFT,
    SPLITS,
    Comparisons,
    printed,
    table,
)
from validation import Claim, Relation
from validation.published.relations import Quantity, below, constant, equal, near, number
from validation.world import mutant, nowhere, reading, relation

__all__ = ["CLAIMS"]

RUN_TABLES = (IMBALANCED, IMBALANCED_FULL, FLIPPED, FLIPPED_FULL)


def _round_counts(*names: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Table and place of every printed mean number of rounds to 40 % accuracy."""
    for name in names:
        for row in table(name).rows:
            if row["metric"] == "acc40":
                yield name, {k: row[k] for k in ("backbone", "strategy", "E", "metric")}


def _thirds(parts: int) -> Comparisons:
    """Each mean number of rounds is a whole number over `parts`, up to rounding."""
    out = []
    for name, where in _round_counts(*RUN_TABLES, IID):
        cell = table(name).printed(**where)
        whole = constant(Fraction(round(cell.value * parts), parts))
        out.append(near(number(cell), whole, cell.half_unit, f"{cell.where} is a multiple of 1/{parts}, rounded"))
    return tuple(out)


def _deviations() -> Comparisons:
    """Each printed deviation of rounds is the sample deviation of three whole numbers with the printed mean.

    Of all such triples the one whose deviation is nearest is compared: (std − ½ unit)² <= s² <= (std + ½ unit)².
    """
    out = []
    for name, where in _round_counts(IMBALANCED_FULL, FLIPPED_FULL, IID):
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


P24 = relation(
    "EA-P24",
    "captions of Tables 1, 2, 3, 10, 11 and 12",
    "Means of three runs",
    quote="Results are averaged over 3 runs",
    plainly="The printed means (and deviations) of whole numbers can be those of three runs.",
    assumes=[
        "rounds to 40% accuracy are whole numbers in each run; their deviation is the sample deviation",
        "a test accuracy of one run is a whole number of the test samples of Tables 5 and 6",
    ],
    says=Relation(lambda: _thirds(3) + _deviations() + _samples(3)),
    open={"rounding": nowhere("how the printed means were rounded")},
    readings=[
        reading("rounded as usual", "To half a unit in the last digit.", options={"rounding": "as usual"}),
        reading(
            "a unit off",
            "Rounded twice, accuracies may be off by 1.5 units.",
            Relation(lambda: _thirds(3) + _deviations() + _samples(3, units="1.5")),
            options={"rounding": "a unit off"},
        ),
        reading(
            "two runs of FedBN with proportional aggregation on Office",
            "All else three runs.",
            Relation(lambda: _thirds(3) + _deviations() + _samples(3, units="1.5", fedbn=2)),
            edits=["two runs of FedBN with proportional aggregation on Office-Caltech10"],
        ),
    ],
    mutants=[
        mutant("four runs", Relation(lambda: _thirds(4)), "43.33 is no multiple of a quarter"),
        mutant("one run on Office", Relation(lambda: _samples(1)), "57.47% of 192 samples is no whole number"),
    ],
    verdict="""All 148 mean numbers of rounds on CIFAR-10 are thirds, and some three whole numbers have each printed
        mean and deviation. All 24 accuracies on DomainNet and 13 of 16 on Office-Caltech10 are whole numbers of three
        times the test samples, to a unit of the last digit, which bears out how they were counted. FedBN with
        proportional aggregation on Office-Caltech10 does not fit: 76.30% of 192 test samples is no whole number of 3 × 192, and
        Caltech and DSLR miss likewise; all four of its accuracies fit two runs, or four. (Exp-α with FedBN on Caltech,
        56.45, is one unit above such a number.)""",
)

P26 = relation(
    "EA-P26",
    "Sec. 4.1, Tables 1, 2, 10 and 12",
    "E·t is constant",
    quote="""four communication-computation configurations with a trade-off between the number of global iterations
        (denoted as t) and local update iterations (denoted as E)""",
    plainly="Every setting of a table has the same number E·t of local steps in all.",
    says=Relation(_budget),
    readings=[reading("at the last round", "Four tables, every E.")],
    mutants=[mutant("twice as many", Relation(lambda: _budget(2)), "20 · 400 = 40 · 200")],
    ours="nowhere is E·t said to be the same in all settings; we set the headers of the tables side by side",
    verdict="E·t = 8000 in every setting of the four tables.",
)

TC1 = relation(
    "EA-TC1",
    "Sec. 4.1, Tables 1, 2, 10, 11 and 12",
    "Half-time is half of the rounds",
    quote="""the number of steps to reach 40% accuracy (denoted as acc40), half-time, final validation accuracy, and the
        final test accuracy""",
    plainly="The half-time column stands at half of the rounds of the final column.",
    says=Relation(_halves),
    readings=[reading("rounds in the headers", "Five tables, every E.")],
    mutants=[mutant("a third", Relation(lambda: _halves(3)), "t = 200 and t = 400 at E = 20")],
    verdict="Half-time is half of the rounds in every table.",
)

CLAIMS: tuple[Claim, ...] = (P24, P26, TC1)
