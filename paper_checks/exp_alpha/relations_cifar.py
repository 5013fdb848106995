"""Abstract, Sec. 4.1 and 4.2: what the text says of CIFAR-10 with imbalanced or flipped clients, Tables 1, 2, 10 and 12."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from paper_checks.exp_alpha.relations_tables import (
    FLIPPED,
    FLIPPED_FULL,
    IMBALANCED,
    IMBALANCED_FULL,
    Comparisons,
    better,
    better_beyond,
    in_text,
    pairs,
    printed,
    table,
)
from validation import Claim, Comparison, Relation
from validation.published.relations import Quantity, agree, below, constant, count, equal, mean, number, reverse, rival
from validation.published.tables import Printed
from validation.world import Words

__all__ = ["CLAIMS"]

METRICS = ("acc40", "val_acc_half", "val_acc_full", "test_acc")


def _better_on_average(name: str) -> Comparisons:
    """For every algorithm and metric, the mean over E is better."""
    out = []
    for backbone in table(name).values("backbone"):
        for metric in METRICS:
            chosen = pairs(name, backbone=backbone, metric=metric)
            worse = mean(p[0] for p in chosen).named(f"{backbone}, {metric}: worse mean over E")
            better_one = mean(p[1] for p in chosen).named(f"{backbone}, {metric}: better mean over E")
            out.append(below(worse, better_one))
    return tuple(out)


def _fewer_rounds_mostly(name: str) -> Comparisons:
    chosen = pairs(name, metric="acc40")
    won = count(theirs - ours for ours, theirs, _ in chosen)
    return (
        below(constant(len(chosen)) / 2, won, f"Exp-α needs fewer rounds in more than half of {len(chosen)} pairs"),
    )


def _fewer_rounds_by_algorithm(name: str) -> Comparisons:
    """More than half of the algorithms need fewer rounds at every E: their smallest gain is positive."""
    backbones = table(name).values("backbone")
    least = [rival([b - a for a, b, _ in pairs(name, metric="acc40", backbone=k)], largest=False) for k in backbones]
    says = f"more than half of {len(backbones)} algorithms need fewer rounds at every E"
    return (below(constant(len(backbones)) / 2, count(least), says),)


def distinct(name: str, column: str) -> Quantity:
    """How many different entries a column has."""
    return number(Printed(str(len(table(name).values(column))), name, f"different entries of {column}"))


P4 = Words(r"""EA-P4 (relation; Sec. 4.1, Tables 1 and 10): Improves all algorithms
    Quote: We observe that Exp-α brings improvement to all FL algorithms considered
    Plainly: Exp-α improves every FL algorithm considered on imbalanced CIFAR-10.
    Reading: in every cell of Table 1 | Every algorithm, E and metric. | ours: the sentence speaks of algorithms
    Reading b: in every cell of Table 10 | The complete table. | ours: the sentence speaks of algorithms
    Reading c: on average over E | Charitable: every algorithm and metric in the mean over E of Table 10.
    Mutant x: order reversed | FedAvg's mean test accuracy rises from 64.28 to 66.09
    Verdict: On average over E every algorithm improves in every metric; the sentence speaks of algorithms. Cell by cell
      there are exceptions: FedFor at E = 40 (rounds 16.67 against 16.33, half-time 64.47 against 64.71), FedAdam at E =
      80 and 160 (rounds and half-time accuracy), two final accuracies at E = 80, and one tie.""").say(
    Relation(lambda: better(IMBALANCED)),
    b=Relation(lambda: better(IMBALANCED_FULL)),
    c=Relation(lambda: _better_on_average(IMBALANCED_FULL)),
    x=Relation(lambda: reverse(_better_on_average(IMBALANCED_FULL))),
)

P5 = Words(r"""EA-P5 (relation; Sec. 4.1, Tables 1 and 10): Fewer rounds for most algorithms
    Quote: most algorithms using Exp-α reach 40% accuracy with fewer rounds of global steps than using proportional
      aggregation
    Plainly: For most algorithms Exp-α needs fewer rounds to 40% accuracy.
    Assumes: most: more than half
    Open (nowhere) most: «most algorithms … reach 40 %»: at every E, or counted over algorithms and E
    Open (twice) table: the passage names Table 1, whose caption calls Table 10 the complete one
    Reading: algorithms, at every E of Table 1 | Three of five. | option most = at every E | option table = Table 1
    Reading b: pairs of Table 1 | Algorithm and E. | option most = over algorithms and E | option table = Table 1
    Reading c: pairs of Table 10 | Algorithm and E, E = 80 included. | option most = over algorithms and E | option
      table = Table 10
    Reading d: algorithms, at every E of Table 10 | Three of five. | option most = at every E | option table = Table 10
    Mutant x: fewer rounds in every pair | FedAdam at E = 160 prints 11.33 against 10.00
    Verdict: Fewer rounds in 13 of 15 pairs of Table 1 and 16 of 20 of Table 10. At every E of Table 1: FedAvg, FedProx
      and FedAvgM, three of five; in Table 10 FedAvg drops out by its tie at E = 80, which leaves two.""").say(
    Relation(lambda: _fewer_rounds_by_algorithm(IMBALANCED)),
    b=Relation(lambda: _fewer_rounds_mostly(IMBALANCED)),
    c=Relation(lambda: _fewer_rounds_mostly(IMBALANCED_FULL)),
    d=Relation(lambda: _fewer_rounds_by_algorithm(IMBALANCED_FULL)),
    x=Relation(lambda: tuple(below(ours, theirs) for ours, theirs, _ in pairs(IMBALANCED, metric="acc40"))),
)


def _converged(name: str) -> tuple[Comparison, ...]:
    """Exp-α above proportional in every converged accuracy of a table."""
    return better(name, metric="val_acc_full") + better(name, metric="test_acc")


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

P9 = Words(r"""EA-P9 (relation; Sec. 4.2, Tables 2 and 12): Significant improvements under label flipping
    Quote: In all experiments, Exp-α brings significant improvements over proportional aggregation
    Plainly: With flipped labels Exp-α is significantly better in all experiments.
    Assumes: three independent runs on each side | the text names no test of significance
    Open (nowhere) significant: «significant improvements»: no test is named
    Reading: better in every cell | Tables 2 and 12, printed means. | ours: weaker than the print: without significance
    Reading b: better beyond two standard errors | Every cell of Table 12. | option significant = two standard errors
    Reading c: t-test at 5% | Table 12: beyond 2.776 standard errors. | option significant = a t-test at 5 %
    Mutant x: order reversed | FedAvg at E = 20 prints 67.01 for Exp-α against 59.47
    Verdict: All 80 cells of Table 12 are better, each by more than two standard errors. Three differences in rounds do
      not pass a t-test at 5%, for which three runs are few: FedAdam at E = 160 (11.33 ± 1.53 against 18.67 ± 5.51),
      FedProx at E = 80 and FedAvgM at E = 40. Every accuracy does.""").say(
    Relation(lambda: better(FLIPPED) + better(FLIPPED_FULL)),
    b=Relation(lambda: better_beyond(FLIPPED_FULL)),
    c=Relation(lambda: better_beyond(FLIPPED_FULL, "2.776")),
    x=Relation(lambda: reverse(better(FLIPPED))),
)


def _fedavg(metric: str, name: str = IMBALANCED_FULL) -> list[tuple[Quantity, Quantity]]:
    """(proportional, Exp-α) of FedAvg at each E."""
    return [
        tuple(printed(name, backbone="FedAvg", strategy=s, E=e, metric=metric) for s in ("proportional", "exp_alpha"))  # type: ignore[misc]
        for e in table(name).values("E")
    ]


def _in_percent(share: Quantity, label: str, claim: str, name: str) -> Comparisons:
    """A share, in percent, against a number of the text."""
    return agree((100 * share).named(label), in_text(claim, name))


def _speed(gain: Callable[[Quantity, Quantity], Quantity], label: str, name: str = IMBALANCED_FULL) -> Relation:
    """The mean over E of what FedAvg gains in rounds to 40%."""
    return Relation(lambda: _in_percent(mean(gain(p, e) for p, e in _fedavg("acc40", name)), label, "EA-P1", "rate"))


def _cut(chosen: Callable[[list[Quantity]], Quantity], label: str) -> Relation:
    """Of the relative reductions of FedAvg's test error the one chosen."""

    def compared() -> Comparisons:
        cuts = [1 - (100 - new) / (100 - old) for old, new in _fedavg("test_acc")]
        return _in_percent(chosen(cuts), label, "EA-P2", "error")

    return Relation(compared)


def _saved(row: int) -> Relation:
    """The share of rounds to 40% that FedAvg saves in one row of Table 1."""

    def compared() -> Comparisons:
        old, new = _fedavg("acc40", IMBALANCED)[row]
        return _in_percent(1 - new / old, "reduction of rounds, %", "EA-P3", "steps")

    return Relation(compared)


def _entries(column: str, claim: str, name: str, *tables: str, more: int = 0) -> Relation:
    """How many different entries a column of each table has, `more` added, against the text."""

    def counted(table_name: str) -> Quantity:
        found = distinct(table_name, column)
        return found + more if more > 0 else found - abs(more) if more else found

    return Relation(lambda: tuple(equal(counted(t), in_text(claim, name)) for t in tables))


_algorithms = partial(_entries, "backbone", "EA-P8", "algorithms")


P1 = Words(r"""EA-P1 (relation; Abstract; Sec. 1; Table 10): 12% increase in convergence rate
    Quote: Exp-α, combined with FedAvg, achieves a relative 12% increase in convergence rate
    Plainly: With FedAvg Exp-α converges 12% faster on average over the four settings of imbalanced CIFAR-10.
    Assumes: convergence rate: rounds to 40% accuracy, means over E = 20, 40, 80, 160
    Open (nowhere) rate: «convergence rate»: one over the rounds to 40 %, or the share of rounds saved, as Sec. 4.1
      counts them
    Reading: speed: one over rounds | The mean of proportional/Exp-α − 1 rounds to 12%. | option rate = one over rounds
    Reading b: reduction of rounds | Sec. 4.1: 1 − Exp-α/proportional, on average 12%. | option rate = rounds saved
    Mutant x: over the three settings of Table 1 | without the tie at E = 80 the mean is 16.0%
    Verdict: Rounds to 40% accuracy fall by 12.3%, 11.9%, 0% and 23.9%: 12.0% on average. As a rate, one over rounds,
      that is a gain of 14.7%. At E = 80 there is none: both need 11.33 rounds.""").say(
    _speed(lambda p, e: p / e - 1, "mean increase of 1/rounds, %"),
    b=_speed(lambda p, e: 1 - e / p, "mean reduction of rounds, %"),
    x=_speed(lambda p, e: 1 - e / p, "mean reduction, %", IMBALANCED),
)

P2 = Words(r"""EA-P2 (relation; Abstract; Sec. 1; Table 10): 3% reduction in error
    Quote: and a relative 3% reduction in error across four FL communication settings
    Plainly: With FedAvg Exp-α has 3% less test error on imbalanced CIFAR-10, across the four settings.
    Assumes: error: 100 − test accuracy in percent, E = 20, 40, 80, 160
    Open (nowhere) across: «across four FL communication settings»: on average, or in each at least
    Reading: on average | The mean relative reduction rounds to 3%. | option across = on average
    Reading b: in each setting at least | The smallest of the four rounds to 3%. | option across = in each at least
    Mutant x: largest reduction | at E = 160 the error falls from 36.45 to 33.91, by 7.0%
    Verdict: Test error falls by 6.4%, 3.7%, 3.1% and 7.0%, on average by 5.0%: more than stated. 3% is the smallest of
      the four, and, rounded, the mean relative gain in accuracy (2.8%).""").say(
    _cut(mean, "mean reduction of error, %"),
    b=_cut(partial(rival, largest=False), "smallest reduction, %"),
    x=_cut(rival, "largest reduction, %"),
)

P3 = Words(r"""EA-P3 (relation; Sec. 4.1, Tables 1 and 10): 12.3% fewer rounds at E = 20
    Quote: 12.3% reduction in number of steps using FedAvg with E = 20
    Plainly: FedAvg with Exp-α needs 12.3% fewer rounds to 40% accuracy at E = 20.
    Reading: rounded to a tenth | 1 − 38.00/43.33.
    Mutant x: at E = 40 | 22.33 to 19.67 is 11.9%
    Verdict: 1 − 38.00/43.33 = 12.3%.""").say(_saved(0), x=_saved(1))

P7 = Words(r"""EA-P7 (relation; Sec. 4.1, Table 1): Four configurations
    Quote: under four communication-computation configurations
    Plainly: The imbalance benchmark has four configurations of E and t.
    Open (twice) table: the passage names Table 1, whose caption calls Table 10 the complete one
    Reading: in Table 1 | The table the sentence names. | option table = Table 1
    Reading b: in Table 10 | Charitable: the complete table its caption refers to. | option table = Table 10
    Mutant x: five in Table 10 | Table 10 has E = 20, 40, 80, 160
    Verdict: Table 1 shows three (E = 20, 40, 160); the fourth, E = 80, is only in Table 10.""").say(
    _entries("E", "EA-P7", "configurations", IMBALANCED),
    b=_entries("E", "EA-P7", "configurations", IMBALANCED_FULL),
    x=_entries("E", "EA-P7", "configurations", IMBALANCED_FULL, more=-1),
)

P8 = Words(r"""EA-P8 (relation; Sec. 4.1; Sec. 4.2; Tables 1, 2, 10 and 12): Six FL algorithms
    Quote: We benchmark the performance of Exp-α and proportional aggregation in six FL algorithms
    Plainly: Each of the two CIFAR-10 benchmarks compares six FL algorithms.
    Open (twice) table: the passages name Tables 1 and 2, whose captions call Tables 10 and 12 the complete ones
    Reading: in the tables named | Tables 1 and 2. | option table = Tables 1 and 2
    Reading b: in the complete tables | Charitable: these might hold one more. | option table = Tables 10 and 12
    Reading c: five instead of six | FedAvg, FedProx, FedFor, FedAvgM, FedAdam. | edit: five in place of six | token |
      forced by: all four tables list five, and Sec. 4 speaks of «five representative baselines»
    Mutant x: seven | Table 1 lists five algorithms
    Verdict: All four tables list five: FedAvg, FedProx, FedFor, FedAvgM and FedAdam, and Sec. 4 itself speaks of «five
      representative baselines». A sixth, FedBN, appears only in the domain-shift experiments.""").say(
    _algorithms(IMBALANCED, FLIPPED),
    b=_algorithms(IMBALANCED_FULL, FLIPPED_FULL),
    c=_algorithms(IMBALANCED, FLIPPED, more=1),
    x=_algorithms(IMBALANCED, more=-1),
)

CLAIMS: tuple[Claim, ...] = (P4, P5, P6, P9, P1, P2, P3, P7, P8)
