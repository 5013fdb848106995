"""Sec. 4.2 and 5.1: what the text leaves open of the loss: divisor, reduction, augmentations, the unlabelled set."""

from __future__ import annotations

from typing import Any

import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.views import of_views
from validation import Claim, Identity, Inequality
from validation.world import definition, le, mutant, nowhere, reading, twice

__all__ = ["CLAIMS"]

c, samples, rounding = NOTATION.symbols("c samples rounding")
cos_same, cos_other_same = NOTATION.symbols("cos_same cos_other_same")
_SIZES, _SMALL = ((2, 3, 2), (3, 3, 4), (2, 10, 2), (5, 5, 10)), ((2, 3, 2),)
_USUAL = sp.Rational(1, 1000)


def _loss(of: str, logits: str = "", cos: Any = 1, var: Any = 1, sample: Any = 0, we: Any = _USUAL) -> Any:
    """A version of L_SSA at the weights `of`, on some of the samples: the factors of its losses."""
    at = "".join(f"_{part}" for part in (of, logits) if part)
    losses = NOTATION.symbols(f"cos{at} var{at} sample{at} we{at}")
    return sum(factor * loss for factor, loss in zip((cos, var, sample, we), losses, strict=True))


def _alike(
    first: dict[str, Any], second: dict[str, Any], at: Any = _SIZES, spans: tuple[float, ...] = (5.0,)
) -> Inequality | Identity:
    """Two versions rank two weight vectors alike: not one prefers the first by more than 0, and the other the second."""
    ahead = _loss("other", **first) - _loss("", **first)
    behind = _loss("", **second) - _loss("other", **second)
    return of_views(le(sp.Min(ahead, behind, evaluate=False), rounding), at=at, spans=spans)


O3 = definition(
    "SSA-O3",
    "Sec. 4.2, eq. (6) (left open: divisor of var)",
    "Divisor of the variance",
    printed=r"var(y)=\tfrac1c\sum_j(y_j-\bar y)^2\ \text{or}\ \tfrac1{c-1}\sum_j(y_j-\bar y)^2",
    plainly="It does not matter whether var divides by the number of classes c or by c − 1.",
    assumes=["λ_var = 1, λ_we = 10⁻³", "two weight vectors on the simplex are compared by their loss"],
    says=_alike({}, {"var": 0, "sample": (c - 1) / c}),
    open={
        "lambda_var": twice("""Sec. 5.1: «we set λ_var = 1 and λ_we = 1e − 3», and in the next sentence «For all
            methods, hyper-parameters are tuned for each dataset»; var itself is defined without a divisor""")
    },
    readings=[
        reading(
            "up to the value of λ_var",
            "With λ_var·(c − 1)/c in place of λ_var the sample variance ranks any two weight vectors as before.",
            options={"lambda_var": "tuned"},
        ),
        reading(
            "with the same λ_var",
            "Both divisors rank any two weight vectors alike.",
            _alike({}, {"var": 0, "sample": 1}),
            options={"lambda_var": "set"},
            because="the divisor, which is printed nowhere, is a factor c/(c − 1) in λ_var",
        ),
    ],
    mutants=[
        mutant(
            "sign of L_var reversed",
            _alike({"we": 0}, {"var": -1, "we": 0}, _SMALL),
            "where L_cos is the same, surer predictions are then worse instead of better",
        )
    ],
    rests_on=["SSA-E06", "SSA-LP2"],
    ours="no divisor is said to be without effect; Sec. 4.2 leaves it open",
    verdict="""The divisor is a factor c/(c − 1) in λ_var: 10/(10 − 1) = 1.11 for ten classes, 100/(100 − 1) = 1.01 for a
        hundred. A λ_var that may take any value absorbs it; the paper's grid, in steps of a factor of ten, cannot, but such a factor is
        small beside its steps. At a given λ_var nearly tied weights can change places. The left side shown is the smaller of
        two margins: the one by which the first weights are better under one divisor, and the one by which they are worse
        under the other.""",
)

_SUM = {"cos": samples, "var": samples}
O4 = definition(
    "SSA-O4",
    "Sec. 4.2, eqs. (5), (6), (8) (left open: reduction over the samples)",
    "Mean or sum over the samples",
    printed=r"\mathcal L_{cos}=\tfrac1S\sum_s\ldots\ \text{or}\ \sum_s\ldots,\ \text{beside a single}\ \mathcal L_{we}",
    plainly="It does not matter whether the losses of the samples of a batch are averaged or added.",
    assumes=["λ_var = 1", "two weight vectors on the simplex are compared by their loss"],
    says=_alike({"we": 0}, {**_SUM, "we": 0}),
    open={
        "lambda_we": twice("""Sec. 5.1: «we set λ_var = 1 and λ_we = 1e − 3», and in the next sentence
            «hyper-parameters are tuned for each dataset» (C.4: λ_we in {0, 1e−4, 1e−3, 1e−2}); the reduction over the
            samples is printed nowhere""")
    },
    readings=[
        reading(
            "λ_we = 0",
            "The setting of the ablations: without L_we mean and sum rank any two weight vectors alike.",
            options={"lambda_we": "tuned to 0, which is in the grid of C.4"},
        ),
        reading(
            "λ_we = 10⁻³",
            "The default: mean and sum rank any two weight vectors alike.",
            _alike({}, _SUM, spans=(5.0, 0.5)),
            options={"lambda_we": "set"},
        ),
    ],
    mutants=[
        mutant(
            "λ_we = 1",
            _alike({"we": 1}, {**_SUM, "we": 1}, _SMALL),
            "with the sum L_we counts for 1/S as much, and it can tip the balance",
        )
    ],
    rests_on=["SSA-E08", "SSA-LP3"],
    ours="mean and sum over the samples are nowhere said to be alike; Sec. 4.2 leaves the reduction open",
    verdict="""At the default λ_we = 10⁻³ it matters; only where tuning gives λ_we = 0 it does not. Compared are two
        weight vectors, w and w′: mean and sum disagree where one of them is better by the mean and the other by the
        sum, and what is shown is the smaller one of these two margins. Without L_we the two differ by a common factor,
        which only rescales η_ssa. With it the sum over S samples is the mean with λ_we/S: the default 10⁻³ becomes
        10⁻³/S, and closely tied weights change places.""",
)

_EARLY, _LATE = {"logits": "early"}, {"logits": "late"}
_ON_BOTH = _alike(_EARLY, _LATE)
_WITHOUT = _alike({**_EARLY, "we": 0}, {**_LATE, "we": 0}, _SMALL)

O5 = definition(
    "SSA-O5",
    "Sec. 4.2 («several data transformations»), B.1 (left open: which, how strong)",
    "Choice of augmentations",
    printed=r"""\mathbf x^{(1)}=T^1(\mathbf x),\ \mathbf x^{(2)}=T^2(\mathbf x),\ T^1,
        T^2\ \text{«flipping, Gaussian Blurring, applying color jitters»}""",
    plainly="The loss prefers the same weights whichever transformations make the two views.",
    assumes=["λ_var = 1, λ_we = 10⁻³", "logits may differ in any way between transformations"],
    says=of_views(le(sp.Abs(cos_other_same - cos_same), rounding), at=_SIZES),
    open={
        "augmentations": nowhere("""«several data transformations (e.g., flipping, Gaussian Blurring, applying color
            jitters)», «such as slight blurring»: neither which are used nor how strong they are""")
    },
    readings=[
        reading(
            "the same transformation twice",
            "Too weak ones: with T¹ = T² L_cos is the same for all weights, so all choices agree on nothing.",
            options={"augmentations": "so slight that the views agree"},
        ),
        reading(
            "two other transformations",
            "Any two pairs of transformations rank any two weight vectors alike.",
            _ON_BOTH,
            options={"augmentations": "strong enough that the views differ"},
        ),
    ],
    mutants=[
        mutant(
            "other transformations without L_we",
            _WITHOUT,
            "nothing ties the logits on one pair of views to those on another",
        )
    ],
    rests_on=["SSA-E04", "SSA-E05", "SSA-LP1"],
    ours="no choice of augmentations is said to be without effect; Sec. 4.2 leaves them open",
    verdict="""The augmentations are part of the loss. If they do nothing, L_cos is −1 for all weights and only L_var
        and L_we are left; if they are strong, they decide which clients look stable, and two choices can rank weights
        in opposite ways. How much of the accuracy hangs on it only training with several sets of named strengths can
        tell.""",
)

O6 = definition(
    "SSA-O6",
    "Sec. 3 and 5.1 (left open: whether the unlabelled set is the test set, and its size)",
    "The unlabelled set is the one that is scored",
    printed=r"""\text{«the target dataset is often unlabeled (denoted as }\mathcal U\text{)»},\quad
        P(\mathcal D_T,\theta)\ \text{measured on the same set}""",
    plainly="U is the target data set without its labels, the one on which P is measured: L_SSA on U is L_SSA there.",
    assumes=["λ_var = 1, λ_we = 10⁻³", "both sets of the same size, one to five samples"],
    says=_alike(_EARLY, _EARLY),
    readings=[
        reading(
            "the test set itself",
            "Both sets are the same.",
            because="""Sec. 3: «the target dataset is often unlabeled (denoted as U)», and P(D_T, θ) is measured on that
                same set""",
        ),
        reading(
            "another draw",
            "Ours: two draws of the same size rank any two weights alike.",
            _ON_BOTH,
            ours="""Sec. 3 names one target data set, D_T in (1) and U in (2); a second draw for the test is printed
                nowhere""",
        ),
    ],
    mutants=[mutant("another draw without L_we", _WITHOUT, "clients may be stable on one sample and not on the next")],
    rests_on=["SSA-E08"],
    verdict="""It holds as printed, where one set serves both, and says no more than which set is meant; whether a lower L_SSA means a higher P there is another question (SSA-LP9). Sec. 3 calls the target data set of (1), on which P is measured, U when
        it is unlabelled, and B.2 evaluates «on the target dataset». So the weights are fitted to the very inputs that
        are scored (transductive, though without labels). A second draw for the test is printed nowhere and is ours:
        small sets can then rank weights in the opposite way; the gap closes with the number of samples. Only the size
        of the set is open. A run with the target set split in two halves would tell how much of the gain is due to
        seeing the test inputs.""",
)

CLAIMS: tuple[Claim, ...] = (O3, O4, O5, O6)
