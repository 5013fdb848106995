"""What the text says about rounds to 60% (R60): the tables of Sec. 4.7 and B.3."""

from __future__ import annotations

from paper_checks.robust_aggregation.relations_tables import APPENDIX, HYBRID, PURE, half_width, printed, stated, table
from validation import Comparison
from validation.statement.printed import (
    Quantity,
    below,
    canary,
    chain,
    constant,
    equal,
    near,
    number,
    reading,
    relation_claim,
    significant,
)

__all__ = ["R60", "first", "order"]

Comparisons = tuple[Comparison, ...]


def order(name: str, *methods: str) -> Comparisons:
    """Printed means in ascending order."""
    return chain(*(printed(name, m) for m in methods))


def first(name: str, best: str, *others: str) -> Comparisons:
    """One method has the smallest mean."""
    return tuple(below(printed(name, best), printed(name, m)) for m in others)


def _apart(name: str, best: str, *others: str) -> Comparisons:
    """The 95% interval of the difference of independent runs excludes 0: half widths add in squares."""
    out = []
    for m in others:
        widths = [half_width(name, k) for k in (best, m)]
        square = widths[0] * widths[0] + widths[1] * widths[1]
        out.append(
            significant(printed(name, best), printed(name, m), square, z="1", unit="half width of the difference")
        )
    return tuple(out)


def _advantage() -> Quantity:
    return (printed(PURE, "FedAvg") - printed(PURE, "FedSoftBetter")).named("R60(FedAvg) − R60(FedSoftBetter)")


def _almost_half(low: str, high: str) -> Comparisons:
    half = stated("RA-X2a", "advantage")
    return (
        below(half - constant(low), _advantage(), strict=False),
        below(_advantage(), half + constant(high), strict=False),
    )


def _switch() -> Quantity:
    return number(table("protocol").printed(item="strategy_switch_round"))


def _same_fedavg(widths: int) -> Comparisons:
    """FedAvg's R60 in the pure and in the hybrid table: equal, or within the interval of the difference."""
    gap = printed(PURE, "FedAvg") - printed(HYBRID, "FedAvg")
    a, b = half_width(PURE, "FedAvg"), half_width(HYBRID, "FedAvg")
    return (below(gap * gap, (a * a + b * b) * widths, "FedAvg's two R60 agree", strict=False),)


def _repeated(other: str | None = None) -> Comparisons:
    return tuple(
        equal(read(HYBRID, m), read(APPENDIX, other or m))
        for m in table(HYBRID).values("method")
        for read in (printed, half_width)
    )


_APPENDIX_OTHERS = ("FedAvg", "FedSoftWorseAvg", "FedAvgSoftWorse", "FedAvgSoftBetter")

R60 = (
    relation_claim(
        "RA-X2a",
        source="Sec. 4.7, pure strategies, non-IID",
        quote="FedSoftBetter seems to reach with almost half round of advantage the accuracy of 60%",
        title="Almost half a round earlier",
        says="FedSoftBetter reaches 60% almost half a round before FedAvg.",
        readings=(
            reading("between 0.4 and 0.5", "Almost half: at most a tenth less.", lambda: _almost_half("0.1", "0")),
            reading(
                "to the nearest half",
                "Charitable: within a quarter of a round of one half.",
                lambda: _almost_half("0.25", "0.25"),
            ),
        ),
        canaries=(canary("half a round or more", lambda: _almost_half("0", "0.5"), "5.90 − 5.57 = 0.33"),),
        words="5.90 − 5.57 = 0.33, a third of a round. Taken as independent runs, the interval of the difference, ± 0.49, contains 0 as well as one half.",
    ),
    relation_claim(
        "RA-X2b",
        source="Sec. 4.7, table of pure strategies",
        quote="The results obtained can be summarized in the table below",
        title="FedSoftBetter before FedSoftWorse",
        says="FedSoftBetter has a smaller printed R60 than FedSoftWorse.",
        readings=(reading("printed means", "5.57 < 5.73.", lambda: order(PURE, "FedSoftBetter", "FedSoftWorse")),),
        canaries=(canary("order reversed", lambda: order(PURE, "FedSoftWorse", "FedSoftBetter"), "5.73 against 5.57"),),
        words="5.57 ± 0.32 against 5.73 ± 0.35: the order of the means, well within the intervals.",
    ),
    relation_claim(
        "RA-X2c",
        source="Sec. 4.7, table of pure strategies",
        quote="The results obtained can be summarized in the table below",
        title="FedSoftWorse before FedAvg",
        says="FedSoftWorse has a smaller printed R60 than FedAvg.",
        readings=(reading("printed means", "5.73 < 5.90.", lambda: order(PURE, "FedSoftWorse", "FedAvg")),),
        canaries=(canary("order reversed", lambda: order(PURE, "FedAvg", "FedSoftWorse"), "5.90 against 5.73"),),
        words="5.73 ± 0.35 against 5.90 ± 0.37: the order of the means, well within the intervals.",
    ),
    relation_claim(
        "RA-X4a",
        source="Sec. 4.7, hybrid strategies",
        quote="in FMNIST classification FedSoftBetterAvg performs best",
        title="FedSoftBetterAvg best of the hybrids",
        says="FedSoftBetterAvg reaches 60% before FedAvg and FedSoftWorseAvg.",
        readings=(
            reading(
                "printed means",
                "Smallest R60.",
                lambda: first(HYBRID, "FedSoftBetterAvg", "FedAvg", "FedSoftWorseAvg"),
            ),
            reading(
                "beyond the intervals",
                "Stronger than the print; independent runs: the 95% interval of each difference excludes 0.",
                lambda: _apart(HYBRID, "FedSoftBetterAvg", "FedAvg", "FedSoftWorseAvg"),
            ),
        ),
        canaries=(canary("FedSoftWorseAvg", lambda: first(HYBRID, "FedSoftWorseAvg", "FedAvg"), "6.13 against 5.48"),),
        words=(
            "FedSoftBetterAvg has the smallest printed mean of the three, 4.97 against 5.48 and 6.13. More "
            "than that this sentence does not claim; that «the result is clear» is the next one (RA-X4c). "
            "For independent runs the difference to FedSoftWorseAvg, 1.16 ± 1.07, excludes 0; that to "
            "FedAvg, 0.51 ± 0.94, does not."
        ),
    ),
    relation_claim(
        "RA-X4b",
        source="Sec. 4.7, table of hybrid strategies",
        quote="Furthermore, we obtain",
        title="FedSoftWorseAvg after FedAvg",
        says="FedSoftWorseAvg reaches 60% after FedAvg.",
        readings=(
            reading("printed means", "5.48 < 6.13.", lambda: order(HYBRID, "FedAvg", "FedSoftWorseAvg")),
            reading(
                "beyond the intervals",
                "Stronger than the print; independent runs: the 95% interval of the difference excludes 0.",
                lambda: _apart(HYBRID, "FedAvg", "FedSoftWorseAvg"),
            ),
        ),
        canaries=(canary("order reversed", lambda: order(HYBRID, "FedSoftWorseAvg", "FedAvg"), "6.13 against 5.48"),),
        words=(
            "The table prints this order of means, 5.48 before 6.13, and nothing more is said of the "
            "difference. For independent runs it is 0.65 ± 1.18, which does not exclude 0."
        ),
    ),
    relation_claim(
        "RA-X4d",
        source="B.3",
        quote="we report here the complete results concerning the performance of hybrid methods on FMNIST image classification task in non-IID framework",
        title="FedSoftBetterAvg lowest of five",
        says="Of the five rows of B.3 FedSoftBetterAvg has the smallest printed R60.",
        readings=(
            reading(
                "printed means",
                "Below the four others.",
                lambda: first(APPENDIX, "FedSoftBetterAvg", *_APPENDIX_OTHERS),
            ),
        ),
        canaries=(canary("FedAvg", lambda: first(APPENDIX, "FedAvg", "FedSoftBetterAvg"), "5.48 against 4.97"),),
        words="4.97 against 5.48, 5.64, 5.76 and 6.13.",
    ),
    relation_claim(
        "RA-X4e",
        source="Sec. 4.7, hybrid strategies; caption of Figure 1",
        quote="which is logic since we combine the initial sprint of FedSoftBetter with the stability of FedAvg",
        title="Sprint of one, stability of the other",
        says=(
            "That FedSoftBetterAvg performs best comes from FedSoftBetter's sprint at the start and FedAvg's "
            "stability after it."
        ),
        assumes=(
            "the hybrid changes from FedSoftBetter to FedAvg at round 20, as Figure 1 says; whether it does "
            "in the runs of the table is not said",
        ),
        readings=(
            reading(
                "both parts act",
                "In R60: the change comes before 60% is reached.",
                lambda: (below(_switch(), printed(HYBRID, "FedSoftBetterAvg")),),
            ),
            reading(
                "the sprint alone",
                "The curves, as far as numbers are printed: FedSoftBetter by itself reaches 60% before "
                "FedAvg, 5.57 against 5.90.",
                lambda: first(PURE, "FedSoftBetter", "FedAvg"),
            ),
        ),
        canaries=(
            canary("change before round 5", lambda: (below(_switch(), constant(5)),), "the change is at round 20"),
        ),
        words=(
            "Measured by R60 it cannot be so if the change comes at round 20; of the curves only the "
            "sprint can be checked, and it is borne out; in which of the two the hybrid «performs best» "
            "is not said. Section 4.5 compares non-IID runs by R60, but the sentence stands before "
            "«Furthermore» and the table, so it may speak of the curves; round 20 is printed for Figure "
            "1 only. In R60, 60% is reached after about 5 rounds: until round 20 the hybrid is "
            "FedSoftBetter, FedAvg's stability cannot have helped, and 4.97 should be FedSoftBetter's "
            "5.57 from other runs. The sprint shows in 5.57 against FedAvg's 5.90. That FedAvg is "
            "steadier later has no number in print (B.1 has it in words): only a run would tell."
        ),
    ),
    relation_claim(
        "RA-X7a",
        source="B.1; Sec. 4.7",
        quote="FedSoftBetter achieves a 60% accuracy faster than FedSoftWorse and FedAvg",
        title="FedSoftBetter fastest to 60%",
        says="FedSoftBetter reaches 60% before FedSoftWorse and FedAvg.",
        readings=(
            reading(
                "printed means",
                "Smallest R60 of the pure strategies.",
                lambda: first(PURE, "FedSoftBetter", "FedSoftWorse", "FedAvg"),
            ),
            reading(
                "beyond the intervals",
                "Stronger than the print; independent runs: the 95% interval of each difference excludes 0.",
                lambda: _apart(PURE, "FedSoftBetter", "FedSoftWorse", "FedAvg"),
            ),
        ),
        canaries=(canary("FedAvg", lambda: first(PURE, "FedAvg", "FedSoftBetter"), "5.90 against 5.57"),),
        words=(
            "FedSoftBetter has the smallest printed mean, 5.57 against 5.73 and 5.90. Nothing is said of the "
            "intervals: the differences, 0.16 ± 0.47 and 0.33 ± 0.49 for independent runs, do not exclude 0."
        ),
    ),
    relation_claim(
        "RA-X10",
        source="Sec. 4.7, both tables",
        quote="FedAvg 5.90 ± 0.37; FedAvg 5.48 ± 0.75",
        title="FedAvg's R60 in two tables",
        says=(
            "FedAvg's R60 in the table of pure strategies and that in the table of hybrid strategies are compatible."
        ),
        assumes=("both tables: FMNIST, non-IID, as the text says",),
        readings=(
            reading(
                "same number",
                "The two cells agree: ours, the paper nowhere says that the tables share their runs.",
                lambda: _same_fedavg(0),
            ),
            reading(
                "within the intervals",
                "Other runs of one method: the 95% interval of the difference contains 0.",
                lambda: _same_fedavg(1),
            ),
        ),
        canaries=(
            canary(
                "within 0.1",
                lambda: (near(printed(PURE, "FedAvg"), printed(HYBRID, "FedAvg"), "0.1"),),
                "5.90 − 5.48 = 0.42",
            ),
        ),
        words=(
            "5.90 ± 0.37 and 5.48 ± 0.75 are compatible: they differ by 0.42 ± 0.84 for independent runs. "
            "The question is ours: the paper prints the two numbers and nowhere says that they agree, or "
            "that the tables share runs. The lead of FedSoftBetterAvg over FedAvg in the second table, 0.51, "
            "is hardly larger."
        ),
    ),
    relation_claim(
        "RA-TC1",
        source="Sec. 4.7; B.3",
        quote="For completeness, we report here the complete results concerning the performance of hybrid methods",
        title="B.3 repeats the table of Sec. 4.7",
        says="The three rows of Sec. 4.7 stand in B.3 with the same means and intervals.",
        readings=(reading("as printed", "Six numbers.", _repeated),),
        canaries=(canary("all FedAvg", lambda: _repeated("FedAvg"), "FedSoftBetterAvg is 4.97, FedAvg 5.48"),),
        words="All six agree.",
    ),
)
