"""What EFL's text says about data sets, protocol and figures: Table 5, Appendix A, Figures 1 to 3."""

from __future__ import annotations

from paper_checks.efl.relations_accuracy import SETTINGS, datasets, six, three
from paper_checks.efl.relations_tables import FOLDER, printed, spread_of, stated
from validation import Claim, Comparison, Relation
from validation.published.relations import Quantity, below, constant, equal, near, total
from validation.published.runs import played
from validation.world import mutant, nowhere, reading, relation

__all__ = ["CLAIMS"]

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


def _swapped() -> Comparisons:
    """Each non-IID accuracy of Table 6 is below that of Table 2, for the methods that both have."""
    return tuple(
        below(six(d, m, split), printed("table2", dataset=d, method=m, metric="test_accuracy"))
        for d in datasets("table6")
        for m in ("EFL", "FedProx")
        for split in SETTINGS[:-1]
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


P7 = relation(
    "EFL-P7",
    "A.5; Sec. 5.2, Figure 1; Tables 2 and 6",
    "Swapped base models are worse",
    printed=r"""\text{«Compared with using different base models (VGG11 on CIFAR100 and ResNet50 on EMNIST datasets) in Figure 1, Section 5.2, the testing accuracy of new experiments has deteriorated»}""",
    plainly="ResNet50 on CIFAR100 and VGG11 on EMNIST are less accurate than the models of Figure 1.",
    assumes=[
        "numbers as printed",
        "the split of Table 2, which has the models of Figure 1, is one of the three of Table 6",
    ],
    says=Relation(
        tuple,
        needs_run="Figure 1 carries no numbers: the four methods with VGG11 on CIFAR100 and ResNet50 on EMNIST, IID and 5, 2, 1 classes per client",
    ),
    readings=[
        reading("only a run decides", "Split by split, four methods.", part="all of Figure 1"),
        reading(
            "what Table 2 prints",
            """EFL and FedProx: each non-IID accuracy of Table 6 is below the one of Table 2, whichever split that is
                of.""",
            Relation(_swapped),
            part="EFL and FedProx, the split of Table 2",
        ),
    ],
    mutants=[
        mutant(
            "IID accuracy of VGG11 below the non-IID one of ResNet50",
            Relation(
                lambda: (
                    below(
                        six("EMNIST", "EFL", "IID"),
                        printed("table2", dataset="EMNIST", method="EFL", metric="test_accuracy"),
                    ),
                )
            ),
            "87.62 in Table 6 against 85.93 in Table 2",
        )
    ],
    verdict="""Figure 1 has no printed numbers; only a run decides about all of it. Where its models have numbers, for
        EFL and FedProx on one non-IID split (Table 2, which does not say how many classes a client holds), it is as
        stated whichever of the three splits that is, on CIFAR100 by as little as 0.15 and 0.02 points (81.23 and 80.14
        against 81.38 and 80.16).""",
)

P12 = relation(
    "EFL-P12",
    "Sec. 5.3, Figure 2",
    "The best λ stabilises",
    printed=r"""\text{«the appropriate λ stabilizes methods' convergence and force divergent algorithms to converge for all datasets»}""",
    plainly="With the best λ EFL is at least as accurate as with λ = 0, and converges where that diverges.",
    assumes=["numbers as printed"],
    says=played(
        FOLDER.parent,
        "EFL-P12",
        "Figure 2 carries no numbers and λ is not printed: EFL on non-IID data over a grid of λ that contains 0",
    ),
    readings=[
        reading(
            "the best λ against λ = 0",
            "The curve of the best λ jumps less from evaluation to evaluation than that of λ = 0, and ends no lower.",
        )
    ],
    mutants=[
        mutant(
            "FedAvg above EFL on CIFAR100",
            Relation(lambda: (below(three("CIFAR100", "EFL"), three("CIFAR100", "FedAvg")),)),
            "81.38 against 2.27",
        )
    ],
    verdict="""Figure 2 has no printed numbers and the values of λ are not given. Ten paired seeds on MNIST (logistic
        regression, two classes a client, two hundred rounds, λ = 10, messages compressed both ways) come as high with the
        elastic term as without, within 0.05 points on average: the first five were 0.3 points higher, the next five
        lower. The curve jumps less with it. Where the model was sent whole, which Algorithm 1 does not do, seventeen
        seeds agreed on the curve and not on the height. Nothing there diverges without λ, and the other data sets are
        not at hand.""",
)

P16 = relation(
    "EFL-P16",
    "Sec. 5.4, Figure 3",
    "Lower participation hurts all methods",
    printed=r"\text{«reducing the participation rate negatively affects all methods»}",
    plainly="Every method does worse as the participation rate falls.",
    assumes=["numbers as printed"],
    says=Relation(
        tuple,
        needs_run="Figure 3 carries no numbers: the methods of Figure 3 at several participation rates on Sentiment140 and Shakespeare",
    ),
    readings=[reading("only a run decides", "LSTM on Sentiment140 and Shakespeare.")],
    mutants=[
        mutant(
            "FedAvg above EFL on Shakespeare",
            Relation(lambda: (below(three("Shakespeare", "EFL"), three("Shakespeare", "FedAvg")),)),
            "60.49 against 51.35",
        )
    ],
    verdict="""Figure 3 has no printed numbers. Only a run decides it. Sec. 5.4 says besides that «EFL is robust to the
        low participation rate», and of nothing how much it loses.""",
)

P17 = relation(
    "EFL-P17",
    "A.4; captions of Tables 2 and 6",
    "Split, repetitions, participants",
    printed=r"""\text{«The dataset is split into 80}\%\text{ for training, 10}\%\text{ for testing and 10}\%
        \text{ for validation. Each experiment is conducted 50 times and reports the mean and the standard deviation. In each round, we randomly sample 10 participants»}""",
    plainly="""The split adds up to 100%, the captions repeat the 50 runs, and 10 participants are fewer than the
        devices.""",
    assumes=["numbers as printed"],
    says=Relation(_protocol),
    readings=[reading("consistent", "The stated numbers against each other and Table 5.")],
    mutants=[mutant("parts of 90%", Relation(lambda: _protocol(90)), "80 + 10 + 10 is 100")],
    verdict="""The numbers agree with each other. Local epochs E, batch size, step size, λ and the number of classes m
        in Tables 2 to 4 are not stated.""",
)

P18 = relation(
    "EFL-P18",
    "A.3, Table 5",
    "Balanced splits of MNIST and EMNIST",
    printed=r"""\text{«The data splits are non
        -overlapping and balanced, such that every client ends up with the same number of data points»}""",
    plainly="Every client of MNIST and of EMNIST holds the same number of samples.",
    assumes=["numbers as printed"],
    says=Relation(lambda: _balanced(0)),
    readings=[
        reading(
            "no deviation",
            "Table 5, «the statistics of datasets», describes these splits: the printed SD of samples per device is 0.",
        ),
        reading(
            "up to a remainder",
            "The same, charitably: the SD is at most 1, the remainder of an uneven division.",
            Relation(lambda: _balanced(1)),
            ours="less than «the same number of data points»; false too",
        ),
        reading(
            "other splits, up to a remainder",
            """Table 5 describes other splits than A.3: as many samples can be dealt out so that sizes differ by one at
                most, an SD of at most 1/2.""",
            Relation(lambda: _remainders("0.25")),
            ours="that such splits can be dealt out does not say that the authors had them",
        ),
    ],
    mutants=[mutant("within 100 samples", Relation(lambda: _balanced(100)), "Table 5 prints an SD of 146 for MNIST")],
    verdict="""By the printed numbers it is false: A.3 says «The statistics of datasets are summarized in Table 5», and
        Table 5 prints standard deviations of 146 (mean 583) and 93 (mean 263). If Table 5 describes other splits than
        the text beside it, which is not said, nothing that is printed decides it: the paper prints no other counts. As
        many samples as Table 5 counts cannot be dealt out in equal numbers: 58,254 on 100 devices leave some over, and
        so do 131,600 on 500. Up to that remainder balanced splits exist; whether the authors had them no run of ours
        can tell.""",
)

P19 = relation(
    "EFL-P19",
    "Table 5",
    "Mean is samples over devices",
    printed=r"""\text{«The number of devices, the number of samples, the mean and the standard deviation of data samples on each device»}""",
    plainly="Each printed mean is the number of samples divided by the number of devices.",
    assumes=["numbers as printed"],
    says=Relation(lambda: _means("0.5")),
    open={
        "rounding": nowhere("""the means are printed as whole numbers, without a word on how they were rounded: 2719.82
            as 2,719, 582.54 as 583""")
    },
    readings=[
        reading("rounded", "To the nearest whole number.", options={"rounding": "to the nearest whole number"}),
        reading(
            "rounded or cut off",
            "Charitable: off by less than one.",
            Relation(lambda: _means("0.99")),
            options={"rounding": "to within one"},
        ),
    ],
    mutants=[
        mutant(
            "off by a tenth at most",
            Relation(lambda: _means("0.1")),
            "MNIST's quotient is printed rounded to a whole number",
        )
    ],
    ours="""no mean is said to be the quotient of the two columns before it, nor how it was rounded; we set the columns
        side by side""",
    verdict="""Shakespeare's 2719.82 is printed as 2,719, cut off; MNIST's as 583, rounded. Every mean is right
        to within one, but no single rule of rounding gives all five.""",
)

P20 = relation(
    "EFL-P20",
    "Tables 2 and 3",
    "Table 3 repeats Table 2",
    printed=r"\text{«we further evaluate and compare EFL with the state-of-the-art algorithms»}",
    plainly="The accuracies of EFL and FedAvg on CIFAR100 and Shakespeare are the same in Tables 2 and 3.",
    assumes=["numbers as printed"],
    says=Relation(_repeated),
    readings=[reading("as printed", "Four pairs of cells.")],
    mutants=[
        mutant(
            "data sets exchanged",
            Relation(lambda: _repeated((("CIFAR100", "Shakespeare"), ("Shakespeare", "CIFAR100")))),
            "CIFAR100 and Shakespeare print 81.38 and 60.49 for EFL",
        )
    ],
    ours="Table 3 is nowhere said to repeat Table 2; we set the tables side by side",
    verdict="""All four pairs agree, FedAvg's 2.27 on CIFAR100 included, though one table speaks of accuracy and the
        other of its best mean.""",
)

CLAIMS: tuple[Claim, ...] = (
    P7,
    P12,
    P16,
    P17,
    P18,
    P19,
    P20,
)
