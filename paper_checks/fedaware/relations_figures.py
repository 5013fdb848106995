"""What FedAWARE's text says about its figures, none of which carries a number."""

from __future__ import annotations

from paper_checks.fedaware.relations_tables import DATASETS, cell
from validation import Claim, Comparison
from validation.statement.printed import below, canary, needs_run, relation_claim

__all__ = ["FIGURES"]


def _lowered(dataset: str, metric: str) -> tuple[Comparison, ...]:
    """FedAWARE below FedAvg in Table 2: false, and the machinery has to say so."""
    return (below(cell(dataset, "FedAWARE", "raw", metric), cell(dataset, "FedAvg", "raw", metric)),)


def _shrunk(method: str, metric: str) -> tuple[Comparison, ...]:
    """The extension lowers a number of Table 2 on every data set."""
    return tuple(below(cell(d, method, "xAWARE", metric), cell(d, method, "raw", metric)) for d in DATASETS)


def _figure(
    name: str,
    source: str,
    quote: str,
    title: str,
    says: str,
    run: str,
    changed: str,
    relation: tuple[str, str],
    since: str,
) -> Claim:
    """A sentence that only a run decides; the canary is a false sentence on Table 2.

    `relation`: the data set or method, and the metric, that the canary gets wrong.
    """
    about, metric = relation
    wrong = _lowered if about in DATASETS else _shrunk
    return relation_claim(
        name,
        source=source,
        quote=quote,
        title=title,
        says=says,
        readings=needs_run(says, run),
        canaries=(canary(changed, lambda: wrong(about, metric), since),),
        words="Only a run decides it: no number is printed for it, in the text or in a figure.",
    )


FIGURES = (
    _figure(
        "FA-P10",
        "Sec. 5, Figure 2",
        "On CIFAR-10 and AGNews tasks, we surprisingly observed that FedAWARE converges faster than most baselines",
        "Faster than most baselines",
        "On CIFAR-10 and AGNews FedAWARE's training loss falls faster than that of most baselines.",
        "Figure 2 carries no numbers: training loss by round of the eight raw methods on CIFAR-10 and AGNews",
        "FedAWARE less accurate than FedAvg on CIFAR-10",
        ("CIFAR-10", "accuracy"),
        "59.78 against 42.78",
    ),
    _figure(
        "FA-P11",
        "Sec. 5, Figure 2",
        "despite FedAWARE converging slightly slower than the SOTA methods at early communication rounds, it still reaches a good solution with identical train loss",
        "Slower early, identical loss late on CIFAR-100",
        "On CIFAR-100 FedAWARE starts slightly slower than the best methods and ends at the same training loss.",
        "Figure 2 carries no numbers: training loss by round of the eight raw methods on CIFAR-100",
        "FedAWARE less accurate than FedAvg on CIFAR-100",
        ("CIFAR-100", "accuracy"),
        "38.77 against 28.69",
    ),
    _figure(
        "FA-P12",
        "Sec. 5; B.2, Figures 3 and 6",
        "we observe that the FedAWARE extension may reduce convergence slightly on CIFAR-10 and CIFAR-100 tasks while the convergence of AGNews tasks is improved",
        "Slower on CIFAR, faster on AGNews",
        "The extension slows convergence slightly on CIFAR-10 and CIFAR-100 and speeds it up on AGNews.",
        "Figures 3 and 6 carry no numbers: training loss by round, raw and extended, on the three data sets",
        "FedYogi less accurate with the extension",
        ("FedYogi", "accuracy"),
        "on CIFAR-100 37.12 becomes 44.02",
    ),
    _figure(
        "FA-P13",
        "Sec. 5, ablation, Figure 4",
        "FedAWARE's results are better than all FedAWARE-NA results. Meanwhile, it is worth noting that FedAWARE's e-LUDD is also higher than FedAWARE-NA's",
        "Better than without adaptive weights",
        "FedAWARE is more accurate and has a higher e-LUDD than FedAWARE without adaptive weights.",
        "Figure 4 carries no numbers: FedAWARE with and without adaptive weights at α = 0.1, 0.3, 0.5, 0.7, 0.9",
        "FedAWARE's e-LUDD below FedAvg's on CIFAR-10",
        ("CIFAR-10", "eludd"),
        "2.90 against 2.58",
    ),
    _figure(
        "FA-P14",
        "Sec. 5, ablation, Figure 4",
        "Compared with FedAvg-Full, moving-averaged local updates only provide marginal improvements on CIFAR-100 and AGNews tasks",
        "Moving averages alone bring little",
        "Against FedAvg with all clients, moving averages alone bring little on CIFAR-100 and AGNews.",
        "Figure 4 carries no numbers: FedAvg with full participation and FedAWARE without adaptive weights",
        "FedAWARE less accurate than FedAvg on AGNews",
        ("AGNews", "accuracy"),
        "87.70 against 79.27",
    ),
    _figure(
        "FA-P15",
        "Sec. 4.3, Figure 1(b)",
        "We observe that the LUD values increase over the communication round in all heterogeneity settings",
        "e-LUD grows with the rounds",
        "e-LUD rises with the round at every level of heterogeneity.",
        "Figure 1(b) carries no numbers: e-LUD by round of FedAvg on CIFAR-10 at several Dirichlet levels",
        "FedAvg's e-LUDD falls with the extension",
        ("FedAvg", "eludd"),
        "on CIFAR-10 2.58 becomes 3.08",
    ),
    _figure(
        "FA-P16",
        "Sec. 4.3, Figure 1(b, d)",
        "FedAvg attains higher LUD when the heterogeneity level is low. It obtains faster convergence curves",
        "Less heterogeneity, higher LUD",
        "With less heterogeneity FedAvg has a higher LUD and converges faster.",
        "Figure 1(b, d) carries no numbers: e-LUD and training loss of FedAvg on CIFAR-10 at several Dirichlet levels",
        "FedAvgM's e-LUDD falls with the extension",
        ("FedAvgM", "eludd"),
        "on CIFAR-10 2.17 becomes 2.92",
    ),
    _figure(
        "FA-P17",
        "Sec. 4.3, Figure 1(c)",
        "showing that the norm of global pseudo-gradient decays during FL training",
        "The global pseudo-gradient decays",
        "The norm of the global pseudo-gradient falls during training.",
        "Figure 1(c) carries no numbers: norm of the pseudo-gradient by round of FedAvg on CIFAR-10",
        "FedCM's e-LUDD falls with the extension",
        ("FedCM", "eludd"),
        "on CIFAR-100 2.94 becomes 3.63",
    ),
    _figure(
        "FA-P18",
        "B.2, Figure 8",
        "In IID settings, the global gradient norm remains lower than in Non-IID settings. However, the LUD curve is higher in IID settings",
        "IID: lower norm, higher LUD",
        "With IID clients the global gradient norm is lower and LUD higher than with non-IID clients.",
        "Figure 8 carries no numbers: gradient norm and e-LUD at Dir(0.1), Dir(0.5), Dir(1) and Dir(10)",
        "FedProx's e-LUDD falls with the extension",
        ("FedProx", "eludd"),
        "on CIFAR-100 2.95 becomes 3.62",
    ),
    _figure(
        "FA-P19",
        "B.2, Figure 7",
        "which reveal that local updates become less similar in later training rounds",
        "Updates become less similar",
        "The cosine similarity of local updates is lower in later rounds.",
        "Figure 7 carries no numbers: pairwise cosines at rounds 3, 60 and 150 with 20 clients",
        "FedYogi's e-LUDD falls with the extension",
        ("FedYogi", "eludd"),
        "on CIFAR-100 2.61 becomes 3.27",
    ),
    _figure(
        "FA-P20",
        "A.2, Assumption A.1",
        "Please note the γ value will not exceed a minor constant in practice",
        "γ stays a minor constant",
        "The largest squared norm of a local update over that of the global one stays a small constant.",
        "no number is printed: the largest squared norm of a local update over that of the global one, by round",
        "FedAMS's e-LUDD falls with the extension",
        ("FedAMS", "eludd"),
        "on CIFAR-100 2.42 becomes 3.13",
    ),
    _figure(
        "FA-P22",
        "Sec. 3",
        "we argue that the norm of the global estimate is always non-zero during the whole FL training process",
        "The min-norm point is never 0",
        "The norm of the global estimate d stays above 0 during training.",
        "no number is printed: the smallest norm of d over the rounds of a run",
        "FedAWARE's e-LUDD below FedAvg's on AGNews",
        ("AGNews", "eludd"),
        "1.73 against 1.25",
    ),
    _figure(
        "FA-P27",
        "Sec. 5, Figures 3 and 6",
        "the FedAWARE extension mitigates the test accuracy spikes problem, indicating stabilized generalization performance",
        "Fewer spikes of test accuracy",
        "The extension lowers the fluctuation of test accuracy over the last rounds.",
        "Figures 3 and 6 carry no numbers: test accuracy by round, raw and extended, on the three data sets",
        "FedAvg less accurate with the extension",
        ("FedAvg", "accuracy"),
        "on CIFAR-10 42.78 becomes 49.25",
    ),
)
