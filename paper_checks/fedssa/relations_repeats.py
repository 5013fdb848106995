"""Tables 2 to 4 against Table 1: which numbers of one table are those of another."""

from __future__ import annotations

from paper_checks.fedssa.relations_modules import BASED, LOCAL, base, combinations, combined, four, main
from paper_checks.fedssa.relations_tables import Comparisons, cell
from validation import Claim, Relation
from validation.published.relations import Quantity, below, constant, difference_is, mean, near
from validation.world import mutant, nowhere, reading, relation

__all__ = ["CLAIMS"]


def _differences(off_by: str | None) -> Comparisons:
    """Δ against accuracy minus the base of Table 1: up to rounding, or off by so many points."""
    out: Comparisons = ()
    for t in BASED:
        for m in combinations():
            delta = combined(m, t, "delta_accuracy")
            found = (combined(m, t) - main(base(m), t)).named(f"{m}, {t}: accuracy minus Table 1")
            out += difference_is(found, delta) if off_by is None else (near(found, delta, off_by),)
    return out


def _left(method: str, target: str) -> Quantity:
    """The base that a Δ leaves."""
    found = combined(method, target) - combined(method, target, "delta_accuracy")
    return found.named(f"{method}, {target}: accuracy minus Δ")


def _own_base() -> Comparisons:
    """What a Δ leaves is a base: an accuracy, and below the accuracy reached from it."""
    out: Comparisons = ()
    for t in (*BASED, "Uniform"):
        for m in combinations():
            out += (below(constant(0), _left(m, t), strict=False), below(_left(m, t), combined(m, t)))
    return out


def _no_base_above_table1() -> Comparisons:
    return tuple(below(_left(m, t), main(base(m), t), strict=False) for t in BASED for m in combinations())


def _same(name: str, renamed: dict[str, str], targets: dict[str, str], off_by: str = "0") -> Comparisons:
    """Cells of a CIFAR-10, NIID-1 table against Table 1; names and targets of the other table as keys."""
    return tuple(
        near(cell(name, method=m, target=t), main(n, u), off_by) for m, n in renamed.items() for t, u in targets.items()
    )


_TABLE4 = ({"FedAvg": "FedAvg", "FedSSA": "FedSSA"}, {"Skew": "Skew", "Imb": "Imb-B"})
_LOCAL_ONLY = {"Local Training": "Local"}
_TABLE2 = ({"Local Training": "Local", "FedAvg": "FedAvg"}, {"Skew": "Skew", "Imb": "Imb-A"})


def _local_means(off_by: str) -> Comparisons:
    """The mean of L1 to L5 against Table 1's Local."""
    pairs = {"Skew": "Skew", "Imb": "Imb-B"}
    return tuple(
        near(mean(four(m, t) for m in LOCAL).named(f"{t}: mean of L1 to L5"), main("Local", u), off_by)
        for t, u in pairs.items()
    )


CLAIMS: tuple[Claim, ...] = (
    relation(
        "SSA-P12",
        "Sec. 5.2, Table 3 against Table 1",
        "Δ is accuracy minus baseline",
        quote="""We show the accuracy (Acc.) achieved by combining FedSSA with several baselines and the improvement (Δ)
            brought by FedSSA""",
        plainly="Each Δ of Table 3 is its accuracy minus the method's accuracy in Table 1.",
        assumes=["CIFAR-10, NIID-1 in both tables; Imbalanced is ρ = 100, Table 1's Imb-A; Uniform is not in Table 1"],
        says=Relation(lambda: _differences(None)),
        open={
            "bases": nowhere("""the accuracies that Δ is counted from are not printed in Table 3 and not said to be
                those of Table 1""")
        },
        readings=[
            reading("up to rounding", "Ten differences.", options={"bases": "Table 1's"}),
            reading(
                "within a point",
                "Charitable: off by at most 1.",
                Relation(lambda: _differences("1")),
                options={"bases": "Table 1's"},
                ours="a tolerance of a point for numbers printed to 0.01",
            ),
            reading(
                "bases of their own",
                "Charitable: nowhere are the bases said to be Table 1's; those that the 15 Δ leave are possible.",
                Relation(_own_base),
                options={"bases": "of other runs"},
            ),
        ],
        mutants=[
            mutant(
                "within half a point",
                Relation(lambda: _differences("0.5")),
                "FedAvg, Skew: 96.55 − 56.10 = 40.45, printed is 30.45",
            ),
            mutant(
                "bases of their own, none above Table 1's",
                Relation(_no_base_above_table1),
                "FedAvg, Skew: 96.55 − 30.45 = 66.10 against 56.10",
            ),
        ],
        ours="Δ is nowhere said to be counted from Table 1; that it is, is our inference",
        verdict="""Seven of ten agree exactly. FedAvg on Skew is off by 10.00 (40.45, printed 30.45), FedAvg on
            Imbalanced by 3.60 (12.63, printed 16.23), MOON on Skew by 0.60 (58.25, printed 58.85). Imb-B or Table 2 as
            the base does not mend them. That Δ is counted from Table 1 is our inference from the seven; the bases that
            these three leave (66.10, 45.96, 37.00) are printed nowhere.""",
    ),
    relation(
        "SSA-P17",
        "Sec. 5.3, Table 4 against Table 1",
        "Table 4 repeats Table 1",
        quote="Experiments are conducted under NIID-1 and skew target distribution on CIFAR-10",
        plainly="FedAvg and FedSSA have the same accuracies in Tables 4 and 1.",
        assumes=["Imb. of Table 4 is Imb-B (ρ = 50), as its numbers say; the table does not"],
        says=Relation(lambda: _same("table4", *_TABLE4)),
        readings=[reading("as printed", "Four cells.")],
        mutants=[
            mutant(
                "Imb. is Imb-A", Relation(lambda: _same("table4", _TABLE4[0], {"Imb": "Imb-A"})), "48.98 against 49.56"
            )
        ],
        ours="the rows of Table 4 are nowhere said to be those of Table 1; we set the tables side by side",
        verdict="All four agree if Imb. means Imb-B; in Tables 2 and 3 it means ρ = 100.",
    ),
    relation(
        "SSA-P18",
        "Sec. 5.2, Table 2 against Table 1",
        "Table 2 repeats Table 1",
        quote="Experiments are conducted under NIID-1 of CIFAR-10. Results in Table 2",
        plainly="Local training and FedAvg have the same accuracies in Tables 2 and 1.",
        assumes=["same data, partition and method, so the same model; Imb. is Imb-A (ρ = 100), as Local's number says"],
        says=Relation(lambda: _same("table2", *_TABLE2)),
        open={
            "fedavg": nowhere("""which FedAvg Table 2 lists: Table 1's method, data, partition and targets, but «when
                data is only available after FL training process», and nowhere said to be Table 1's run""")
        },
        readings=[
            reading("FedAvg of both tables one run", "Two methods, two targets.", options={"fedavg": "Table 1's"}),
            reading(
                "within 5 points",
                "Charitable: other runs of the same methods.",
                Relation(lambda: _same("table2", *_TABLE2, "5")),
                options={"fedavg": "Table 1's"},
                ours="a tolerance of 5 points, printed nowhere",
            ),
            reading(
                "FedAvg of Table 2 another run",
                "Local training alone is then the same in both. Charitable: Table 2 is about another task; nowhere is its FedAvg said to be Table 1's.",
                Relation(lambda: _same("table2", _LOCAL_ONLY, _TABLE2[1])),
                options={"fedavg": "another run"},
            ),
        ],
        mutants=[
            mutant(
                "FedAvg is Local",
                Relation(lambda: _same("table2", {"FedAvg": "Local"}, _TABLE2[1])),
                "37.05 against 19.35",
            )
        ],
        ours="the rows of Table 2 are nowhere said to be those of Table 1; we set the tables side by side",
        verdict="""Local training agrees (19.35, 18.77). FedAvg does not: 37.05 and 39.96 in Table 2, 56.10 and 49.56 in
            Table 1. No difference between the two settings is described that would concern FedAvg; that both are one
            model is our inference.""",
    ),
    relation(
        "SSA-TC2",
        "B.2; Table 4 against Table 1",
        "Local is the mean of L1 to L5",
        quote="Each model is evaluated on the target dataset and we report the averaged result",
        plainly="Table 1's Local is the mean of the five local models of Table 4.",
        assumes=["the local models of Table 4 are those of local training; Imb. is Imb-B"],
        says=Relation(lambda: _local_means("0.01")),
        open={
            "local_models": nowhere("""whose local models L1 to L5 of Table 4 are: of local training (Sec. B.2, Table
                1), or of a run of FedAvg or FedSSA""")
        },
        readings=[
            reading("up to rounding", "Off by at most 0.01.", options={"local_models": "those of Table 1"}),
            reading(
                "within half a point",
                "Charitable: other runs of local training.",
                Relation(lambda: _local_means("0.5")),
                options={"local_models": "of another run"},
            ),
        ],
        mutants=[mutant("within 0.1", Relation(lambda: _local_means("0.1")), "Skew: mean 19.78 against 19.35")],
        ours="the local models of Table 4 are nowhere said to be those behind Table 1; we set the tables side by side",
        verdict="""Means 19.78 and 18.57 against 19.35 and 18.61: close, but not the same models. Table 4 does not say
            where its local models come from.""",
    ),
)
