"""What FedSSA's text says about every column of Tables 1 and 5."""

from __future__ import annotations

from collections.abc import Callable

from paper_checks.fedssa.relations_tables import MAIN, cell, columns, in_text, methods
from validation import Comparison, Relation
from validation.statement.printed import (
    Quantity,
    above,
    below,
    constant,
    count,
    equal,
    number,
    reverse,
)
from validation.statement.published import Printed
from validation.world.stated import stated

__all__ = ["COMPARISON", "OURS", "best_in_columns", "column_key"]

Comparisons = tuple[Comparison, ...]
OURS = "FedSSA"


def column_key(name: str) -> tuple[dict[str, str], ...]:
    """The printed columns of a table: data set, partition, target, and the number of clients in Table 6."""
    if name == "table6":
        return columns(name, "setting")
    return columns(name, "dataset", "partition", "target")


def best_in_columns(name: str, ours: str = OURS, others: tuple[str, ...] | None = None) -> Comparisons:
    """One method above the others in every column."""
    rest = others or methods(name, ours)
    return tuple(
        c
        for at in column_key(name)
        for c in above(cell(name, method=ours, **at), [cell(name, method=m, **at) for m in rest])
    )


def _both(check: Callable[[str], Comparisons]) -> Comparisons:
    return tuple(c for name in MAIN for c in check(name))


def _sometimes(method: str, than: str) -> Comparisons:
    """Above in at least one column, not in all."""
    gaps = [cell(name, method=method, **at) - cell(name, method=than, **at) for name in MAIN for at in column_key(name)]
    wins = count(gaps)
    return (
        below(constant(0), wins, f"{method} is above {than} somewhere"),
        below(wins, constant(len(gaps)), f"{method} is not above {than} everywhere"),
    )


def _baselines(name: str, *leaving_out: str) -> Quantity:
    return number(
        Printed(str(len(methods(name, *leaving_out))), name, "methods listed" + " but FedSSA" * bool(leaving_out))
    )


COMPARISON = (
    stated(
        r"""SSA-P01 (relation; Abstract, Tables 1 and 5): FedSSA outperforms 12 baselines
    Quote: FedSSA consistently outperforms 12 classical baselines across multiple datasets, heterogeneity scenarios
      and different target distributions
    Plainly: FedSSA has the highest accuracy in every column of Tables 1 and 5.
    Assumes: outperforms: larger printed accuracy; no deviations are printed
    Reading: every column | 24 columns, 12 baselines each.
    Mutant: FedAvg instead | SCAFFOLD prints 98.60 against FedAvg's 95.60
    Verdict: Highest in all 24 columns. The smallest lead is 0.14 (CINIC-10, NIID-2, Imb-B); how much accuracies vary
      between runs is not printed.""",
        Relation(lambda: _both(best_in_columns)),
        mutants={
            "FedAvg instead": Relation(lambda: best_in_columns("table1", "FedAvg")),
        },
    ),
    stated(
        r"""SSA-P02 (relation; Sec. 5.2, Tables 1 and 5): Best under all targets
    Quote: FedSSA consistently achieves the best performance under all three target distributions across datasets and
      heterogeneity types
    Plainly: FedSSA is best under Skew, Imb-A and Imb-B, on every data set and both partitions.
    Assumes: best: largest printed accuracy; no deviations are printed
    Reading: every column | 24 columns.
    Mutant: AFL instead | CIFAR-10, Skew, NIID-2: FedDyn prints 71.23, AFL 66.04
    Verdict: As SSA-P01. In Table 5 FedSSA on CINIC-10 and CIFAR-100 is run on top of MOON and SCAFFOLD (C.1), the
      baselines alone.""",
        Relation(lambda: _both(best_in_columns)),
        mutants={
            "AFL instead": Relation(lambda: best_in_columns("table5", "AFL")),
        },
    ),
    stated(
        r"""SSA-P03 (relation; Abstract; Sec. 5): Twelve baselines
    Quote: We compare FedSSA with 12 baselines including local training
    Plainly: Tables 1 and 5 list twelve baselines.
    Reading: all methods but FedSSA | Local training counts, as the sentence says.
    Mutant: FedSSA counted too | thirteen rows
    Verdict: Twelve in each table, local training among them.""",
        Relation(lambda: _both(lambda n: (equal(_baselines(n, OURS), in_text("SSA-P03", "baselines")),))),
        mutants={
            "FedSSA counted too": Relation(lambda: (equal(_baselines("table1"), in_text("SSA-P03", "baselines")),)),
        },
    ),
    stated(
        r"""SSA-P06 (relation; Sec. 5.2, Tables 1 and 5): Better than FedAvg
    Quote: FedSSA consistently performs better than baseline FedAvg
    Plainly: FedSSA is above FedAvg in every column.
    Reading: every column | 24 columns.
    Mutant: order reversed | CIFAR-10, Skew: 90.00 against 56.10
    Verdict: Above FedAvg in all 24 columns, by 0.96 (CINIC-10, NIID-2, Imb-B) to 39.00 points.""",
        Relation(lambda: _both(lambda n: best_in_columns(n, others=("FedAvg",)))),
        mutants={
            "order reversed": Relation(lambda: reverse(best_in_columns("table1", others=("FedAvg",)))),
        },
    ),
    stated(
        r"""SSA-P07 (relation; Sec. 5.2, Tables 1 and 5): FedDF better than FedAvg in some cases only
    Quote: while FedDF only outperforms FedAvg for some cases
    Plainly: FedDF is above FedAvg in some columns and not in others.
    Reading: some, not all | 24 columns.
    Mutant: always | Fashion-MNIST, Skew: 92.05 against 95.60
    Verdict: FedDF is above FedAvg in 6 of 24 columns: CIFAR-10 Skew and all of CINIC-10 in NIID-1, Fashion-MNIST Skew
      and Imb-A in NIID-2.""",
        Relation(lambda: _sometimes("FedDF", "FedAvg")),
        mutants={
            "always": Relation(lambda: best_in_columns("table1", "FedDF", ("FedAvg",))),
        },
    ),
)
