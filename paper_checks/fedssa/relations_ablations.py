"""What FedSSA's text says about simple baselines and the number of clients: Tables 6 and 9."""

from __future__ import annotations

from paper_checks.fedssa.relations_main import best_in_columns, column_key
from paper_checks.fedssa.relations_tables import cell, columns, methods, table
from validation import Comparison
from validation.statement.printed import (
    above,
    below,
    canary,
    equal,
    mean,
    reading,
    relation_claim,
    reverse,
)

__all__ = ["ABLATIONS"]

Comparisons = tuple[Comparison, ...]
BOLD = ("table1", "table2", "table5", "table6", "table9")


def _repeated(exchanged: bool = False) -> Comparisons:
    """FedAvg and FedSSA of Table 9 against Tables 1 and 5."""
    out = []
    for at in columns("table9", "partition", "target"):
        main = {"NIID-1": "table1", "NIID-2": "table5"}[at["partition"]]
        for m, n in (("FedAvg", "FedSSA"), ("FedSSA", "FedAvg")):
            out.append(
                equal(
                    cell("table9", method=m, **at),
                    cell(main, dataset="CIFAR-10", method=n if exchanged else m, target=at["target"]),
                )
            )
    return tuple(out)


def _over_fedavg(*, each: bool) -> Comparisons:
    ours = ("Similarity", "Confidence", "FedSSA")
    if each:
        return tuple(c for m in ours for c in best_in_columns("table9", m, ("FedAvg",)))
    means = {
        m: mean(cell("table9", method=m, **at) for at in column_key("table9")).named(f"{m}: mean")
        for m in (*ours, "FedAvg")
    }
    return tuple(below(means["FedAvg"], means[m]) for m in ours)


def _clients(k: str, main: str) -> Comparisons:
    """The column K = k of Table 6 is the target Skew of a main table."""
    (setting,) = (s for s in table("table6").values("setting") if s.startswith(f"K={k};"))
    return tuple(
        equal(cell("table6", method=m, setting=setting), cell(main, dataset="CIFAR-10", method=m, target="Skew"))
        for m in table("table6").values("method")
    )


def _bold() -> Comparisons:
    """In each column the cell set in bold is above all others."""
    out: Comparisons = ()
    for name in BOLD:
        for at in column_key(name):
            marked = [
                r["method"] for r in table(name).rows if r["bold"] == "1" and all(r[k] == v for k, v in at.items())
            ]
            out += tuple(
                c
                for m in marked
                for c in above(cell(name, method=m, **at), [cell(name, method=o, **at) for o in methods(name, m)])
            )
    return out


ABLATIONS = (
    relation_claim(
        "SSA-P19",
        source="App. D, Table 9 against Tables 1 and 5",
        quote="Considering the NIID-1 and NIID-2 settings, we conduct experiments on CIFAR-10, shown in Table 9",
        title="Table 9 repeats Tables 1 and 5",
        says="FedAvg and FedSSA have the same accuracies in Table 9 as in Tables 1 and 5.",
        readings=(reading("as printed", "Twelve cells.", _repeated),),
        canaries=(canary("methods exchanged", lambda: _repeated(exchanged=True), "Skew, NIID-1: 56.10 and 90.00"),),
        words="All twelve agree.",
    ),
    relation_claim(
        "SSA-P20",
        source="App. D, Table 9",
        quote="these proposed simple baselines and FedSSA outperforms FedAvg across different settings",
        title="Simple baselines above FedAvg",
        says="Similarity, Confidence and FedSSA are above FedAvg.",
        readings=(
            reading("in every setting", "Six columns.", lambda: _over_fedavg(each=True)),
            reading(
                "on average", "Ours, weaker than the print: in the mean of the six.", lambda: _over_fedavg(each=False)
            ),
        ),
        canaries=(
            canary(
                "order reversed",
                lambda: reverse(_over_fedavg(each=False)),
                "Skew, NIID-1: 72.50 and 70.00 against 56.10",
            ),
        ),
        words=(
            "Refuted in one comparison of 18: Confidence is below FedAvg on Imb-A in NIID-2, 74.33 against 74.82. The "
            "other 17 hold, and in the mean of the six columns Similarity, Confidence and FedSSA are all above FedAvg; "
            "the print says «across different settings», not on average."
        ),
    ),
    relation_claim(
        "SSA-P21",
        source="App. D, Table 9",
        quote="Our learnable aggregation weights based on enhancing both transformation-invariance and confidence contribute to the best results",
        title="Learned weights are best",
        says="FedSSA is best in every column of Table 9.",
        readings=(reading("every column", "Six columns.", lambda: best_in_columns("table9")),),
        canaries=(
            canary("Similarity", lambda: best_in_columns("table9", "Similarity"), "Skew, NIID-1: 72.50 against 90.00"),
        ),
        words="Best in all six columns.",
    ),
    relation_claim(
        "SSA-P22",
        source="C.2, Table 6",
        quote="FedSSA performs the best across different client numbers",
        title="Best for every number of clients",
        says="FedSSA is best for K = 5, 10, 20, 30 and 50.",
        readings=(reading("every K", "Five columns.", lambda: best_in_columns("table6")),),
        canaries=(canary("SCAFFOLD", lambda: best_in_columns("table6", "SCAFFOLD"), "K = 5: 69.30 against 81.78"),),
        words="Best in all five columns, by 1.17 (K = 30) to 12.48 points.",
    ),
    relation_claim(
        "SSA-P23",
        source="C.2; caption of Table 6",
        quote="We tune the number of clients K in {5, 10, 20, 30, 50} under skew target distribution on NIID-1 of CIFAR-10",
        title="Partition of Table 6",
        says="Table 6 is about the partition that the text names.",
        readings=(
            reading(
                "NIID-1, the text", "The column K = 5 is the target Skew of Table 1.", lambda: _clients("5", "table1")
            ),
            reading(
                "NIID-2, the caption",
                "The column K = 10 is the target Skew of Table 5.",
                lambda: _clients("10", "table5"),
            ),
        ),
        canaries=(canary("K = 20", lambda: _clients("20", "table5"), "FedAvg: 77.94 against 65.15"),),
        words=(
            "A misprint: NIID-1 in C.2 should be NIID-2, as the caption of Table 6 has it. The column K = 10 repeats "
            "Table 5 (NIID-2) in all five cells; the column K = 5 is not that of Table 1 (NIID-1)."
        ),
    ),
    relation_claim(
        "SSA-TC1",
        source="Tables 1, 2, 5, 6 and 9",
        quote="Classification accuracy (%) comparison",
        title="Bold is best",
        says="In every column the number in bold is the largest.",
        readings=(reading("every column", "Five tables.", _bold),),
        canaries=(
            canary(
                "FedAvg in bold",
                lambda: best_in_columns("table9", "FedAvg"),
                "FedAvg is the smallest of Table 9's first column",
            ),
        ),
        words="The cells in bold are the largest of their columns in all five tables.",
    ),
)
