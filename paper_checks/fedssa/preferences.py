"""Sec. 4.2: which weights the losses prefer, against rivals and as all weights are scaled."""

from __future__ import annotations

from typing import Any

import sympy as sp

from paper_checks.fedssa.exponentials import EXACT
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.pairs import pair_exact
from paper_checks.fedssa.views import letters, of_views, views, views_exact
from validation import Case, Claim, Identity, Inequality, LogScale, Signed, Simplex, Space, symbols
from validation.world import Le, World, case, identity, le, lt, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

cos, cos_first, cos_rival, var_first, var_rival = NOTATION.symbols("cos cos_first cos_rival var_first var_rival")
rounding, surest, c, s = NOTATION.symbols("rounding surest c s")
_SIZES = ((2, 3), (3, 3), (4, 2), (10, 10))


def _against(
    rival: str, says: Le, *where: Le, margin: float = 1e-2, sizes: Any = _SIZES, second: bool = False
) -> Inequality | Identity:
    """What is said of client 1, right by at least `margin`, and a rival; (samples, classes) in `sizes`."""
    asked = letters(says, *where)

    def one(samples: int, classes: int) -> Case:
        drawn = (
            *(Signed(f"noise_{i}", 1e-2, 5.0, (samples, classes)) for i in (1, 2)),
            *(LogScale(f"margin_{i}", margin, 20.0, (samples,)) for i in (1, 2)),
            LogScale("sure", 3.0, 20.0),
            *((Simplex("weights", 2),) if "cos" in asked else ()),
            *((LogScale("second", 1e-2, 12.0),) if second else ()),
        )
        name, uses = f"rival {rival}, {samples} samples, {classes} classes", (*EXACT, pair_exact)
        return case(name, Space(drawn), views, views_exact, uses=uses, asked=asked, made=rival)

    return World(NOTATION, tuple(one(*size) for size in sizes), where).test(says)


_PREFERRED = le(cos_first + var_first - cos_rival - var_rival, rounding)  # all weight on one client: L_we is 0
_SURE = le(sp.Rational(9, 10), surest)

LP9 = remark(
    "SSA-LP9",
    "Sec. 4.2, eq. (8); derived",
    "The loss against accuracy",
    printed=r"""\mathrm{acc}(\theta_1)=1,
        \ \theta_2\ \text{sure of two wrong classes, one in each view}\ \Rightarrow\ \mathcal L_{SSA}(e_1)
        \le\mathcal L_{SSA}(e_2)""",
    plainly="""A client that is right on every view of every sample has a lower L_SSA than one whose sure, wrong answers
        differ between views.""",
    assumes=[
        "classes in equal parts; client 1 right on both views of every sample, by any margin",
        "all weight on one client, λ_var = 1 (L_we is 0 then)",
        "three to ten classes where a rival names two wrong ones, else from two on; a sure rival's logit is 3 to 20 above",
    ],
    says=_against("contrary", _PREFERRED, sizes=((2, 3), (3, 3), (4, 5), (10, 10))),
    readings=[
        reading(
            "rival contradicts itself",
            "The rival is sure of a wrong class in each view, another one in each; three to ten classes.",
            because="""spirit (1) of Sec. 4.2: a stable model gives similar predictions for both views; this is what the
                loss is built to see""",
        ),
        reading(
            "rival undecided",
            "Ours, client 1 right by any margin, however small: the rival puts out the same logit for every class.",
            _against("undecided", _PREFERRED),
            ours="""Model 1 right by any margin, however small: the paper speaks of a well-performing model with
                confident predictions (SSA-D10), and of «generally»""",
        ),
        reading(
            "rival sure of one class",
            "Ours, as «generally» allows for exceptions: the rival names the first class for every sample, surely.",
            _against("one class", _PREFERRED),
            ours="""that no worse client whatever has a lower loss is printed nowhere; the paper says that confident
                predictions are «generally more correct»""",
        ),
    ],
    mutants=[
        mutant(
            "rival undecided, L_cos alone",
            _against("undecided", le(cos - cos_rival, rounding), sizes=((2, 3),)),
            "the undecided rival has L_cos = −1, client 1 more wherever its views differ",
        )
    ],
    rests_on=["SSA-LP1", "SSA-LP2", "SSA-E08"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""It holds against a rival that contradicts itself between views: a client that is right on every view has
        the lower L_SSA, by whatever margin it is right. This is what the loss is built to see, spirit (1) of Sec. 4.2.
        That every worse client has the higher loss is printed nowhere (the paper says «generally»), and it fails. An
        undecided rival has L_cos = −1 and beats a client that is always right, by small margins, but whose outputs move
        between the views by more than L_var can make good, which is at most (c − 1)/c². One that names one class for
        every sample, surely, has the least L_SSA there is: constant clients minimise the loss on their own, whatever
        λ_var >= 0 (what the paper says of an irrelevant Model 2: SSA-D10).""",
)

D10 = remark(
    "SSA-D10",
    "Sec. 1; Sec. 4.2, «Promoting confident prediction»",
    "L_cos alone misleads, L_var corrects",
    printed=r"""\text{«a well-performing Model 1 producing confident predictions might be overshadowed by a poorly
        -performing Model 2 that yields invariant yet irrelevant predictions. To address this …»}""",
    plainly="""By L_cos alone an invariant but irrelevant model may overshadow a good, confident one; L_var is to put
        that right.""",
    assumes=[
        "Model 1 right on every sample; Model 2 gives the same output whatever the sample and the view",
        "λ_var = 1, as in Sec. 5.1; at most ten classes where a hundred are not said",
    ],
    says=_against("undecided", le(cos_rival - cos, rounding)),
    open={
        "irrelevant": nowhere("""«invariant yet irrelevant predictions» of Model 2 (Sec. 4.2): undecided, as the
            contrast with Model 1's «confident predictions» suggests, or sure of a class that has nothing to do with the
            sample, as a client of few classes is""")
    },
    readings=[
        reading(
            "overshadowed under L_cos",
            "All weight on Model 2 minimises L_cos over the simplex.",
            part="«might be overshadowed» by L_cos",
        ),
        reading(
            "corrected, Model 2 undecided, up to ten classes",
            """Model 1 gives at least 90% to the right class in both views, Model 2 the same to all: Model 1 has less
                L_SSA.""",
            _against(
                "undecided",
                _PREFERRED,
                _SURE,
                margin=2.0,
                sizes=((2, 3), (3, 3), (4, 2), (1, 10), (10, 10)),
                second=True,
            ),
            part="«To address this issue … confident predictions»",
            options={"irrelevant": "undecided"},
        ),
        reading(
            "corrected, Model 2 undecided, a hundred classes",
            """Ours, the 90%: as in CIFAR-100; Model 1 gives at least 90% to the right class, the rest to one wrong
                class or to many.""",
            _against("undecided", _PREFERRED, _SURE, margin=2.0, sizes=((1, 100), (2, 100)), second=True),
            part="«To address this issue … confident predictions»",
            options={"irrelevant": "undecided"},
            ours="how confident Model 1 is: no 90% is printed, and with a hundred classes the outcome hangs on it",
        ),
        reading(
            "corrected, Model 2 sure of one class",
            "The same Model 1 against one that surely names the same class for every sample.",
            _against("one class", _PREFERRED, margin=4.6),
            part="«To address this issue … confident predictions»",
            options={"irrelevant": "sure of one class"},
        ),
    ],
    mutants=[
        mutant(
            "corrected without confidence in Model 1",
            _against("undecided", _PREFERRED, sizes=((2, 3),)),
            "right by a hair in views that differ, Model 1 loses more cosine than the variance can return",
        )
    ],
    rests_on=["SSA-LP9", "SSA-E05", "SSA-E06"],
    verdict="""It depends on what «irrelevant» means for Model 2, which stands nowhere: against an undecided Model 2
        L_var puts things right, against one that is sure of the same class for every sample it does not. That Model 2
        «might» overshadow Model 1 holds: any client whose output does not depend on the view minimises L_cos.
        «Confident predictions» of Model 1 suggest an undecided Model 2, and up to ten classes the remedy works if Model
        1 gives 90% to the right class. The 90% are ours; with a hundred classes they are too few, as the variance of a
        sure output falls like 1/c, and a more confident Model 1 may do. A client trained on one class is invariant and
        surer, and has the least L_SSA. Of L_cos alone Sec. 1 says that weights concentrate, Sec. 4.2 that they become
        indistinguishable; both can be had.""",
)

gap_scaled, cos_scaled, var_scaled, difference, both = NOTATION.symbols(
    "gap_scaled cos_scaled var_scaled difference both"
)
widest, margin, tail, one_top = NOTATION.symbols("widest margin tail one_top")
a, b, t = symbols("a b t", positive=True)


def near_again(s: Any, difference: Any) -> Any:
    """s²R²/8 once more."""
    return (s * difference / 2) ** 2 / 2


def spread_again(s: Any, c: Any, both: Any) -> Any:
    """s²(R₁² + R₂²)/(7c²) once more."""
    return both / 7 * (s / c) ** 2


def var_again(c: Any, tail: Any) -> Any:
    """2(c − 1)/c·tail once more."""
    return 2 * tail - 2 * tail / c


def same_again(c: Any, tail: Any) -> Any:
    """(c − 1)/2·tail² once more."""
    return (c * tail**2 - tail**2) / 2


def other_again(c: Any, tail: Any) -> Any:
    """2·tail + (c − 2)·tail² once more."""
    return tail * (2 + c * tail - 2 * tail)


_SCALED = ((1, 2, 1), (2, 2, 1), (3, 3, 1), (3, 10, 1), (20, 5, 1), (2, 20, 1))


def _scaled(says: Le, *where: Le, low: float, high: float, at: Any = _SCALED) -> Inequality | Identity:
    """What is said of s·w, s in that range."""
    return of_views(says, *where, at=at, spans=(5.0,), more=(LogScale("s", low, high),))


_APART = lt(0, margin)
_SAME, _OTHER = (c - 1) * tail**2 / 2, 2 * tail + (c - 2) * tail**2
_LACKS = (c - 1) / c**2 + var_scaled - rounding
LP8 = remark(
    "SSA-LP8",
    "Sec. 4.2, eqs. (4) to (7); derived",
    "Scaling the weights",
    printed=r"""\mathcal L_{cos}(sw)\to-1,\ \mathcal L_{var}(sw)\to0\ (s\to0);\quad\mathcal L_{var}(sw)\to-
        \tfrac{c-1}{c^2},\ \mathcal L_{cos}(sw)\to-1\text{ or }0\ (s\to\infty);\quad\mathcal L_{we}(sw)=s\mathcal
        L_{we}(w)+s\log s""",
    plainly="""Scaling w down makes all views agree on nothing; scaling it up makes every prediction sure, right or
        wrong.""",
    assumes=["w on the simplex, s > 0", "for s → ∞ a single largest mixed logit in each view"],
    says=_scaled(le(gap_scaled - rounding, s**2 * difference**2 / 8, again=near_again), low=1e-3, high=1e2),
    readings=[
        reading(
            "L_cos for small s",
            "1 + L_cos(sw) <= s²R²/8 for all s, R the range of the difference of the two views' mixed logits.",
            part="L_cos for small s",
        ),
        reading(
            "L_var for small s",
            "−L_var(sw) <= s²(R₁² + R₂²)/(7c²) where s·Rᵢ <= 1, Rᵢ the range of the mixed logits of view i.",
            _scaled(
                le(-var_scaled - rounding, s**2 * both / (7 * c**2), again=spread_again),
                le(s * widest, 1),
                low=1e-3,
                high=1.0,
            ),
            part="L_var for small s",
        ),
        reading(
            "L_var for large s",
            "Within 2(c − 1)/c·e^(−sg) of −(c − 1)/c², g the smaller margin between the two largest mixed logits.",
            _scaled(le(_LACKS, 2 * (c - 1) / c * tail, again=var_again), lt(0, margin), low=1.0, high=1e3),
            part="L_var for large s",
        ),
        reading(
            "L_cos for large s, one top class",
            "Within (c − 1)/2·e^(−2sg) of −1.",
            _scaled(
                le(gap_scaled - rounding, _SAME, again=same_again),
                _APART,
                le(1, one_top),
                low=1.0,
                high=1e2,
            ),
            part="L_cos for large s, one top class",
        ),
        reading(
            "L_cos for large s, two top classes",
            "Within 2e^(−sg) + (c − 2)e^(−2sg) of 0.",
            _scaled(
                le(-cos_scaled - rounding, _OTHER, again=other_again),
                _APART,
                le(one_top, 0),
                low=1.0,
                high=1e2,
            ),
            part="L_cos for large s, two top classes",
        ),
        reading(
            "L_we",
            "s·L_we(w) + s·log s·Σw, here for two weights a and b.",
            identity(
                t * a * sp.log(t * a) + t * b * sp.log(t * b),
                t * (a * sp.log(a) + b * sp.log(b)) + t * (a + b) * sp.log(t),
            ),
            part="L_we",
        ),
    ],
    mutants=[
        mutant(
            "half the constant of L_cos",
            _scaled(le(gap_scaled - rounding, s**2 * difference**2 / 16), low=1e-3, high=1e2, at=((2, 2, 1),)),
            "for two classes and small s the angle between the outputs is sR/2, so s²R²/8 is attained",
        ),
        mutant(
            "L_var twice as fast",
            _scaled(le(_LACKS, 2 * (c - 1) / c * tail**2), lt(0, margin), low=1.0, high=1e3, at=((1, 2, 1),)),
            "for two classes ‖y‖² = 1 − 2e^(−sg) + O(e^(−2sg)) where both views have the margin g",
        ),
        mutant(
            "L_cos, one top class, nine tenths of it",
            _scaled(
                le(gap_scaled - rounding, sp.Rational(9, 10) * _SAME),
                _APART,
                le(1, one_top),
                low=1.0,
                high=1e3,
                at=((1, 2, 1),),
            ),
            """two classes, one view of margin g and one far surer: the angle is arctan e^(−sg), so 1 + L_cos tends to
                e^(−2sg)/2""",
        ),
        mutant(
            "L_cos, two top classes, nine tenths of it",
            _scaled(
                le(-cos_scaled - rounding, sp.Rational(9, 10) * _OTHER),
                _APART,
                le(one_top, 0),
                low=1.0,
                high=1e3,
                at=((1, 2, 1),),
            ),
            "two classes and both views of margin g: −L_cos is 2e^(−sg)/(1 + e^(−2sg))",
        ),
    ],
    tight="two classes and s → 0 for L_cos, s → ∞ for it in both cases of the top classes",
    rests_on=["SSA-LP1", "SSA-LP2", "SSA-LP3"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""All limits hold, with rates that can be reached, or nearly (L_var for small s to 0.95). For large s,
        divide both outputs by their largest entries: all others are at most e^(−sg). If the top class is the same, 1 +
        L_cos is at most half of their squared distance, which is at most (c − 1)e^(−2sg); if not, −L_cos is at most
        their inner product. The limits show what (2) needs and does not say: without a constraint on the size of w the
        losses have no minimiser in general. Where the views share their top class, w → sw with s → ∞ lowers L_cos and
        L_var together towards −1 and −(c − 1)/c², whatever the class; s → 0 makes L_cos exactly −1 with no
        prediction.""",
)

CLAIMS: tuple[Claim, ...] = (LP9, D10, LP8)
