"""What EFL's text says about accuracies: Tables 3 and 6."""

from __future__ import annotations

from paper_checks.efl.relations_tables import printed, spread_of, table
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    above,
    below,
    canary,
    chain,
    constant,
    count,
    near,
    reading,
    relation_claim,
    reverse,
    rival,
    spread,
    total,
)

__all__ = ["ACCURACY", "datasets", "six", "three"]

Comparisons = tuple[Comparison, ...]
SETTINGS = ("non-IID(1)", "non-IID(2)", "non-IID(5)", "IID")
COMPARABLE = ("FedGATE", "PFedMe", "EFL")


def six(dataset: str, method: str, setting: str) -> Quantity:
    """One printed accuracy of Table 6."""
    return printed("table6", dataset=dataset, method=method, setting=setting)


def three(dataset: str, method: str) -> Quantity:
    """One printed accuracy of Table 3."""
    return printed("table3", dataset=dataset, method=method)


def _methods(name: str) -> tuple[str, ...]:
    return table(name).values("method")


def datasets(name: str) -> tuple[str, ...]:
    """The data sets of a table."""
    return table(name).values("dataset")


def _iid_spread(points: int) -> Comparisons:
    return tuple(
        below(
            spread([six(d, m, "IID") for m in _methods("table6")]),
            constant(points),
            f"{d}: accuracies on IID data lie within {points} points",
            strict=False,
        )
        for d in datasets("table6")
    )


def _iid_within_deviations() -> Comparisons:
    """Any two methods differ by at most twice the sum of their printed deviations."""
    out = []
    for d in datasets("table6"):
        for i, m in enumerate(_methods("table6")):
            for n in _methods("table6")[:i]:
                room = [spread_of("table6", dataset=d, method=k, setting="IID") for k in (m, n)]
                out.append(near(six(d, m, "IID"), six(d, n, "IID"), 2 * total(room)))
    return tuple(out)


def _suffer(*, monotone: bool) -> Comparisons:
    out: Comparisons = ()
    for d in datasets("table6"):
        for m in _methods("table6"):
            cells = [six(d, m, s) for s in SETTINGS]
            out += chain(*cells) if monotone else above(cells[-1], cells[:-1])
    return out


def _comparable_within(points: int) -> Comparisons:
    return tuple(
        below(
            spread([three(d, m) for m in COMPARABLE]),
            constant(points),
            f"{d}: the three lie within {points} point of each other",
            strict=False,
        )
        for d in datasets("table3")
    )


def _near_best(methods: tuple[str, ...], share: str) -> Comparisons:
    """Each of the methods reaches this share of the best accuracy on every data set."""
    return tuple(
        below(rival([three(d, m) for m in _methods("table3")]) * constant(share), three(d, method), strict=False)
        for d in datasets("table3")
        for method in methods
    )


def _among_best(method: str, places: int) -> Comparisons:
    """Fewer than `places` methods are better, on every data set."""
    out = []
    for d in datasets("table3"):
        better = count(three(d, m) - three(d, method) for m in _methods("table3") if m != method)
        out.append(below(better, constant(places), f"{d}: fewer than {places} methods are better than {method}"))
    return tuple(out)


def _best_everywhere(method: str) -> Comparisons:
    return tuple(
        c
        for d in datasets("table3")
        for c in above(three(d, method), [three(d, m) for m in _methods("table3") if m != method])
    )


_REVERSED_IID = "the IID column holds the largest accuracy of every method"

ACCURACY = (
    relation_claim(
        "EFL-P4",
        source="A.5, Table 6; Sec. 5.2",
        quote="While all methods achieve comparably testing accuracy on IID data",
        title="Comparable on IID data",
        says="On IID data all four methods reach about the same accuracy.",
        assumes=(
            "about the same: a threshold of ours, since the text names none",
            "the speed of Figure 1 is not printed",
        ),
        readings=(
            reading(
                "within 5 points",
                "On either data set the four accuracies span at most 5 points.",
                lambda: _iid_spread(5),
            ),
            reading(
                "within the deviations",
                "Any two differ by at most twice the sum of their printed deviations.",
                _iid_within_deviations,
            ),
        ),
        canaries=(
            canary("within 1 point", lambda: _iid_spread(1), "CIFAR100 prints 83.59 for EFL and 81.04 for SCAFFOLD"),
        ),
        words=(
            "The four accuracies span 2.55 points on CIFAR100 and 4.50 on EMNIST: little against what non-IID data cost, but "
            "many times the printed deviations of 0.09 to 0.26. Speed on IID data, of which Sec. 5.2 speaks, is only in Figure 1."
        ),
    ),
    relation_claim(
        "EFL-P5",
        source="A.5, caption of Table 6",
        quote="All methods suffer from degraded performances in the non-IID situation",
        title="All methods suffer on non-IID data",
        says="Every method is more accurate on IID data than on each non-IID split.",
        readings=(
            reading("IID against each split", "Eight rows, three comparisons each.", lambda: _suffer(monotone=False)),
            reading(
                "fewer classes, less accuracy",
                "The stronger form: 5, 2, 1 classes in this order.",
                lambda: _suffer(monotone=True),
            ),
        ),
        canaries=(canary("order reversed", lambda: reverse(_suffer(monotone=True)), _REVERSED_IID),),
        words="In all eight rows of Table 6 accuracy falls with every step from IID to 5, 2 and 1 classes per client.",
    ),
    relation_claim(
        "EFL-P8",
        source="Sec. 5.2, Table 3",
        quote="On the challenging CIFAR100 dataset, VRL-SGD is unstable and performs catastrophically",
        title="VRL-SGD fails on CIFAR100",
        says="VRL-SGD reaches less than a tenth of the best accuracy on CIFAR100. At server rate 1, with all steps finished, it is "
        "FedGATE, which is printed with 80.94 beside its 2.81.",
        assumes=("catastrophically: below a tenth of the best, a threshold of ours",),
        readings=(
            reading(
                "below a tenth of the best",
                "Against the best of Table 3.",
                lambda: (
                    below(three("CIFAR100", "VRL-SGD") * 10, rival([three("CIFAR100", m) for m in _methods("table3")])),
                ),
            ),
        ),
        canaries=(
            canary(
                "worst of all",
                lambda: tuple(
                    below(three("CIFAR100", "VRL-SGD"), three("CIFAR100", m))
                    for m in _methods("table3")
                    if m != "VRL-SGD"
                ),
                "FedAvg prints 2.27 there, VRL-SGD 2.81",
            ),
        ),
        words="2.81% against 81.38%. FedAvg, of which the sentence does not speak, is printed lower still, at 2.27%.",
    ),
    relation_claim(
        "EFL-P9",
        source="Sec. 5.2, Table 3",
        quote="FedGATE, PFedMe, and EFL achieve comparably good performance on all datasets",
        title="Three methods comparably good",
        says="FedGATE, PFedMe and EFL are about equally accurate on all four data sets.",
        assumes=("about equally: thresholds of ours", "Table 3 prints no deviations"),
        readings=(
            reading(
                "within 1 point", "The three lie within one point on each data set.", lambda: _comparable_within(1)
            ),
            reading(
                "within a tenth of the best",
                "Charitable: each reaches nine tenths of the best accuracy on each data set.",
                lambda: _near_best(COMPARABLE, "0.9"),
            ),
        ),
        canaries=(
            canary(
                "all six methods within a tenth of the best",
                lambda: _near_best(_methods("table3"), "0.9"),
                "FedAvg prints 2.27 on CIFAR100",
            ),
        ),
        words=(
            "Within half a point on MNIST, CIFAR100 and Sentiment140. On Shakespeare 54.71, 58.42 and 60.49 are 5.78 points "
            "apart, and there APFL (55.27) is ahead of FedGATE."
        ),
    ),
    relation_claim(
        "EFL-P10",
        source="Sec. 5.2, Table 3",
        quote="the performance of APFL is still damaged by unstable training",
        title="APFL falls behind on CIFAR100",
        says="On CIFAR100 APFL is less accurate than FedGATE, PFedMe and EFL.",
        readings=(
            reading(
                "CIFAR100",
                "The data set of the passage.",
                lambda: tuple(below(three("CIFAR100", "APFL"), three("CIFAR100", m)) for m in COMPARABLE),
            ),
        ),
        canaries=(
            canary(
                "on Shakespeare too",
                lambda: tuple(below(three("Shakespeare", "APFL"), three("Shakespeare", m)) for m in COMPARABLE),
                "Shakespeare prints 55.27 for APFL against 54.71 for FedGATE",
            ),
        ),
        words="77.19 against 80.94, 81.17 and 81.38. That unstable training is the reason no table shows.",
    ),
    relation_claim(
        "EFL-P11",
        source="Sec. 5.2, Table 3",
        quote="well-designed algorithms with regularization like EFL can achieve competitive performances regarding testing accuracy",
        title="EFL is competitive",
        says="EFL is among the two best methods on every data set of Table 3.",
        readings=(
            reading(
                "among the best two", "On each data set at most one method is better.", lambda: _among_best("EFL", 2)
            ),
            reading(
                "within a hundredth of the best",
                "On each data set 99% of the best accuracy.",
                lambda: _near_best(("EFL",), "0.99"),
            ),
        ),
        canaries=(
            canary("best everywhere", lambda: _best_everywhere("EFL"), "MNIST prints 99.15 for FedGATE against 99.10"),
        ),
        words="Best on CIFAR100 and Shakespeare, second on MNIST (0.05 behind FedGATE) and Sentiment140 (0.06 behind PFedMe).",
    ),
)
