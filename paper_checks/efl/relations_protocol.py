"""What EFL's text says about data sets, protocol and figures: Table 5, Appendix A, Figures 1 to 3."""

from __future__ import annotations

from paper_checks.efl.relations_accuracy import datasets, six, three
from paper_checks.efl.relations_tables import FOLDER, printed, spread_of, stated
from validation import Comparison, Reading
from validation.statement.played import played
from validation.statement.printed import (
    Quantity,
    below,
    canary,
    constant,
    equal,
    near,
    needs_run,
    reading,
    relation_claim,
    total,
)

__all__ = ["PROTOCOL"]

Comparisons = tuple[Comparison, ...]


def _devices(dataset: str, metric: str) -> Quantity:
    return printed("table5", dataset=dataset, metric=metric)


def _mean_samples(dataset: str) -> Quantity:
    return (_devices(dataset, "samples") / _devices(dataset, "devices")).named(f"{dataset}: samples / devices")


def _means(off_by: str) -> Comparisons:
    return tuple(near(_devices(d, "mean_samples_per_device"), _mean_samples(d), off_by) for d in datasets("table5"))


def _balanced(tolerance: int) -> Comparisons:
    return tuple(
        below(
            spread_of("table5", dataset=d, metric="mean_samples_per_device"),
            constant(tolerance),
            f"{d}: samples per device deviate by at most {tolerance}",
            strict=False,
        )
        for d in ("MNIST", "EMNIST")
    )


def _remainders(variance: int | str) -> Comparisons:
    """Cut as evenly as can be, samples a device have variance r(K − r)/K², r what is left over of K equal parts."""
    found = []
    for d in ("MNIST", "EMNIST"):
        devices, samples = _devices(d, "devices"), _devices(d, "samples")
        rest = (samples - devices * (samples.value // devices.value)).named(f"{d}: what is left over")
        even = (rest * (devices - rest) / (devices * devices)).named(f"{d}: the least variance of samples per device")
        found.append(below(even, constant(variance), strict=False))
    return tuple(found)


def _repeated(
    dataset_pairs: tuple[tuple[str, str], ...] = (("CIFAR100", "CIFAR100"), ("Shakespeare", "Shakespeare")),
) -> Comparisons:
    return tuple(
        equal(printed("table2", dataset=a, method=m, metric="test_accuracy"), three(b, m))
        for a, b in dataset_pairs
        for m in ("EFL", "FedAvg")
    )


def _protocol(total_percent: int = 100) -> Comparisons:
    parts = [stated("EFL-P17", part) for part in ("train", "test", "validation")]
    runs = stated("EFL-P17", "repetitions")
    return (
        equal(total(parts), constant(total_percent), f"the three parts add up to {total_percent}%"),
        equal(stated("EFL-P17", "runs_table2"), runs),
        equal(stated("EFL-P17", "runs_table6"), runs),
        *(below(stated("EFL-P17", "participants"), _devices(d, "devices")) for d in datasets("table5")),
    )


PROTOCOL = (
    relation_claim(
        "EFL-P7",
        source="A.5; Sec. 5.2, Figure 1",
        quote=(
            "Compared with using different base models (VGG11 on CIFAR100 and ResNet50 on EMNIST datasets) in Figure 1, Section "
            "5.2, the testing accuracy of new experiments has deteriorated"
        ),
        title="Swapped base models are worse",
        says="ResNet50 on CIFAR100 and VGG11 on EMNIST are less accurate than the models of Figure 1.",
        readings=needs_run(
            "Split by split.",
            "Figure 1 carries no numbers: the four methods with VGG11 on CIFAR100 and ResNet50 on EMNIST, IID and 5, 2, 1 classes per client",
        ),
        canaries=(
            canary(
                "IID accuracy of VGG11 below the non-IID one of ResNet50",
                lambda: (
                    below(
                        six("EMNIST", "EFL", "IID"),
                        printed("table2", dataset="EMNIST", method="EFL", metric="test_accuracy"),
                    ),
                ),
                "87.62 in Table 6 against 85.93 in Table 2",
            ),
        ),
        words=(
            "Figure 1 has no printed numbers, and Table 2, which uses its models, does not say how many classes a client holds. "
            "Only a run decides it."
        ),
    ),
    relation_claim(
        "EFL-P12",
        source="Sec. 5.3, Figure 2",
        quote="the appropriate λ stabilizes methods' convergence and force divergent algorithms to converge for all datasets",
        title="The best λ stabilises",
        says="With the best λ EFL is at least as accurate as with λ = 0, and converges where that diverges.",
        readings=(
            Reading(
                "the best λ against λ = 0",
                "The curve of the best λ jumps less from evaluation to evaluation than that of λ = 0, and ends no lower.",
                played(
                    FOLDER.parent,
                    "EFL-P12",
                    "Figure 2 carries no numbers and λ is not printed: EFL on non-IID data over a grid of λ that contains 0",
                ),
            ),
        ),
        canaries=(
            canary(
                "FedAvg above EFL on CIFAR100",
                lambda: (below(three("CIFAR100", "EFL"), three("CIFAR100", "FedAvg")),),
                "81.38 against 2.27",
            ),
        ),
        words=(
            "Figure 2 has no printed numbers and the values of λ are not given. Seventeen paired seeds on MNIST (logistic regression, two "
            "classes a client, 200 rounds, λ = 1) agree as far as they go: the curve jumps by about a third less; whether it also "
            "rises higher they do not tell. Nothing there diverges without λ, and the other data sets are not at hand."
        ),
    ),
    relation_claim(
        "EFL-P16",
        source="Sec. 5.4, Figure 3",
        quote="reducing the participation rate negatively affects all methods",
        title="Lower participation hurts all, EFL least",
        says="Accuracy falls for every method as participation falls, and least for EFL.",
        readings=needs_run(
            "LSTM on Sentiment140 and Shakespeare.",
            "Figure 3 carries no numbers: the methods of Figure 3 at several participation rates on Sentiment140 and Shakespeare",
        ),
        canaries=(
            canary(
                "FedAvg above EFL on Shakespeare",
                lambda: (below(three("Shakespeare", "EFL"), three("Shakespeare", "FedAvg")),),
                "60.49 against 51.35",
            ),
        ),
        words="Figure 3 has no printed numbers. Only a run decides it.",
    ),
    relation_claim(
        "EFL-P17",
        source="A.4; captions of Tables 2 and 6",
        quote=(
            "The dataset is split into 80% for training, 10% for testing and 10% for validation. Each experiment is conducted "
            "50 times and reports the mean and the standard deviation. In each round, we randomly sample 10 participants"
        ),
        title="Split, repetitions, participants",
        says="The split adds up to 100%, the captions repeat the 50 runs, and 10 participants are fewer than the devices.",
        readings=(reading("consistent", "The stated numbers against each other and Table 5.", _protocol),),
        canaries=(canary("parts of 90%", lambda: _protocol(90), "80 + 10 + 10 is 100"),),
        words=(
            "The numbers agree with each other. Local epochs E, batch size, step size, λ and the number of classes m in Tables 2 "
            "to 4 are not stated."
        ),
    ),
    relation_claim(
        "EFL-P18",
        source="A.3, Table 5",
        quote="The data splits are non-overlapping and balanced, such that every client ends up with the same number of data points",
        title="Balanced splits of MNIST and EMNIST",
        says="Every client of MNIST and of EMNIST holds the same number of samples.",
        readings=(
            reading(
                "no deviation",
                "Table 5, «the statistics of datasets», describes these splits: the printed SD of samples per device is 0.",
                lambda: _balanced(0),
            ),
            reading(
                "up to a remainder",
                "The same, charitably: the SD is at most 1, the remainder of an uneven division.",
                lambda: _balanced(1),
            ),
            reading(
                "other splits, up to a remainder",
                "Table 5 describes other splits than A.3: as many samples can be dealt out so that sizes differ by one at most, "
                "an SD of at most 1/2.",
                lambda: _remainders("0.25"),
            ),
        ),
        canaries=(canary("within 100 samples", lambda: _balanced(100), "Table 5 prints an SD of 146 for MNIST"),),
        words=(
            "Table 5 prints standard deviations of 146 (mean 583) and 93 (mean 263). Either the splits are not balanced or Table 5 "
            "describes other splits than the text beside it; the paper does not say which, and prints no other counts. As "
            "many samples as Table 5 counts cannot be dealt out in equal numbers: 58,254 leave 54 over on 100 devices, 131,600 leave "
            "100 on 500. Up to that remainder balanced splits exist; whether the authors had them no run of ours can tell."
        ),
    ),
    relation_claim(
        "EFL-P19",
        source="Table 5",
        quote="The number of devices, the number of samples, the mean and the standard deviation of data samples on each device",
        title="Mean is samples over devices",
        says="Each printed mean is the number of samples divided by the number of devices.",
        readings=(
            reading("rounded", "To the nearest whole number.", lambda: _means("0.5")),
            reading("rounded or cut off", "Charitable: off by less than one.", lambda: _means("0.99")),
        ),
        canaries=(
            canary("off by a tenth at most", lambda: _means("0.1"), "MNIST: 58254/100 = 582.54, printed is 583"),
        ),
        words=(
            "Shakespeare's 2719.82 is printed as 2,719, cut off; MNIST's 582.54 as 583, rounded. Every mean is right to within "
            "one, but no single rule of rounding gives all five."
        ),
    ),
    relation_claim(
        "EFL-P20",
        source="Tables 2 and 3",
        quote="we further evaluate and compare EFL with the state-of-the-art algorithms",
        title="Table 3 repeats Table 2",
        says="The accuracies of EFL and FedAvg on CIFAR100 and Shakespeare are the same in Tables 2 and 3.",
        readings=(reading("as printed", "Four pairs of cells.", _repeated),),
        canaries=(
            canary(
                "data sets exchanged",
                lambda: _repeated((("CIFAR100", "Shakespeare"), ("Shakespeare", "CIFAR100"))),
                "CIFAR100 and Shakespeare print 81.38 and 60.49 for EFL",
            ),
        ),
        words="All four pairs agree, FedAvg's 2.27 on CIFAR100 included, though one table speaks of accuracy and the other of its best mean.",
    ),
)
