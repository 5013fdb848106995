"""Sec. 4.2, (5) to (8): the losses, their ranges and what leaves them as they are."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Abs, Max

from paper_checks.fedssa.exponentials import EXACT, log_near
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.settings import FEDAVG
from paper_checks.fedssa.views import of_views, of_weights
from validation import Choice, Claim, Instance, Space, symbols
from validation.world import World, at, case, definition, identity, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

a, b = symbols("a b", positive=True)
c, K, inv_e, lambda_var, lambda_we, log_clients, rounding = NOTATION.symbols(
    "c K inv_e lambda_var lambda_we log_clients rounding"
)
cos, cos_same, cos_logits, cos_written = NOTATION.symbols("cos cos_same cos_logits cos_written")
var, var_doubled, var_flat, var_written = NOTATION.symbols("var var_doubled var_flat var_written")
we, we_level, we_equal, outputs_apart, gap = NOTATION.symbols("we we_level we_equal outputs_apart gap")
_ONE, _TWO = {"at": ((1, 2, 1),)}, {"at": ((2, 2, 1),)}
_FLAT = [[[0, 0], [0, 0]]]
_SURE, _OTHERWISE = [[[100, 0]]], [[[0, 100]]]
_ONE_OVER_E = Fraction(367879441171442321595523770161, 10**30)  # L_we is level there: its error is that squared

E05 = definition(
    "SSA-E05",
    "Eq. (5), Section 4.2",
    "Cosine loss",
    printed=r"""\mathcal L_{cos}=-\cos(\hat{\mathbf y}^{(1)},\hat{\mathbf y}^{(2)})=-\frac{\hat{\mathbf y}^{(1)}
        \cdot\hat{\mathbf y}^{(2)}}{\|\hat{\mathbf y}^{(1)}\|\|\hat{\mathbf y}^{(2)}\|}""",
    plainly="L_cos is minus the cosine of the two predictions: between −1 and 0, and −1 when they agree.",
    assumes=["finite logits; weights on the simplex; mean over the samples"],
    says=of_views(le(Max(-1 - cos, cos, Abs(cos_same + 1)), rounding)),
    readings=[reading("as printed", "Softmax outputs.")],
    mutants=[
        mutant(
            "−1 for any two views",
            of_views(le(Max(-1 - cos, cos, Abs(cos + 1)), rounding), **_ONE),
            "two confident predictions of different classes are nearly orthogonal",
        )
    ],
    rests_on=["SSA-E04"],
    verdict="""Well defined, because softmax outputs are never 0, and in [−1, 0): agreement is all it asks for, on
        whatever class.""",
)

_MEAN = (a + b + c) / 3
_SPREAD = ((a - _MEAN) ** 2 + (b - _MEAN) ** 2 + (c - _MEAN) ** 2) / 3
E06 = definition(
    "SSA-E06",
    "Eq. (6), Section 4.2",
    "Variance loss",
    printed=r"\mathcal L_{var}=-\frac{var(\hat{\mathbf y}^{(1)})+var(\hat{\mathbf y}^{(2)})}2",
    plainly="L_var is minus the mean variance of the two predictions over their entries; sharper predictions lower it.",
    assumes=["finite logits; weights on the simplex; mean over the samples"],
    says=of_views(le(Max(var, var_doubled - var, Abs(var_flat)), rounding)),
    readings=[
        reading(
            "a measure of confidence",
            "Never positive, 0 for uniform predictions, lower when all logits are doubled.",
            part="a measure of confidence",
        ),
        reading(
            "variance of the entries",
            "Divisor c, which is left open: mean of the squares minus the square of the mean, three classes.",
            identity(_SPREAD, (a**2 + b**2 + c**2) / 3 - _MEAN**2),
            part="variance of the entries",
        ),
    ],
    mutants=[
        mutant(
            "sharper predictions raise it",
            of_views(le(Max(var, var - var_doubled, Abs(var_flat)), rounding), **_ONE),
            "doubled logits move the outputs towards one class, where the variance is largest",
        ),
        mutant(
            "the mean not squared",
            identity(_SPREAD, (a**2 + b**2 + c**2) / 3 - _MEAN),
            "for entries that sum to one the mean is 1/c, its square 1/c²",
        ),
    ],
    rests_on=["SSA-E04", "SSA-O3"],
    verdict="""Well defined, up to the divisor c or c − 1, which rescales λ_var only. It rewards confidence, right or
        wrong.""",
)

E07 = definition(
    "SSA-E07",
    "Eq. (7), Section 4.2",
    "Weight-entropy loss",
    printed=r"\mathcal L_{we}=\sum_{k=1}^Kw_k\log w_k",
    plainly="Equal weights minimise L_we.",
    assumes=["w_k >= 0, 0 log 0 = 0"],
    says=of_views(le(we_equal - we, rounding), positive=True, large=True, **_TWO),
    readings=[
        reading(
            "1/K among all positive weights",
            "Ours, as the print says «equal», not 1/K: no sum is stated of w, in (2), (7) or (8).",
            ours="the print says «equal», not 1/K: among all positive weights the minimiser is equal, too, 1/e each",
        ),
        reading(
            "on the simplex",
            "With 0 log 0 = 0.",
            of_views(le(we_level - we, rounding)),
            conditions=["w on the simplex"],
            met_by=FEDAVG,
        ),
        reading(
            "equal weights among positive ones of one sum",
            "Whatever the sum, equal weights of that sum have no more, so the minimum is at equal ones.",
            of_views(le(we_level - we, rounding), positive=True),
        ),
    ],
    mutants=[
        mutant(
            "equal weights are worst, on the simplex",
            of_views(le(we - we_level, rounding), **_TWO),
            "one client alone has L_we = 0, above −log K",
        )
    ],
    tight=["equal weights", at("2 clients, 2 classes, 1 sample", weights=["1/2", "1/2"], view_1=_FLAT, view_2=_FLAT)],
    rests_on=["SSA-O1"],
    verdict="""It holds: whatever the sum of the weights, equal ones have the smallest L_we, by Jensen's inequality. On
        the simplex, where FedAvg's w_k := n_k lie, the minimiser is w_k = 1/K. No sum is stated; among all positive
        weights the minimiser is w_k = 1/e, equal, too, as the sentence says, but with sum K/e and not 1. For a negative
        weight L_we is undefined.""",
)

_LOSS = -cos - lambda_var * var - lambda_we * we - (1 + lambda_we) * rounding
_LARGEST = 1 + lambda_var * (c - 1) / c**2 + lambda_we * log_clients


def largest_again(lambda_var: float, lambda_we: float, c: float, log_clients: float) -> float:
    """Three ranges added up once more."""
    return lambda_we * log_clients + lambda_var / c * (1 - 1 / c) + 1


E08 = definition(
    "SSA-E08",
    "Eq. (8), Section 4.2",
    "Total loss",
    printed=r"\mathcal L_{SSA}=\mathcal L_{cos}+\lambda_{var}\mathcal L_{var}+\lambda_{we}\mathcal L_{we}",
    plainly="L_SSA is the weighted sum of the three losses; it is never below −1 − λ_var(c − 1)/c² − λ_we log K.",
    assumes=["finite logits; weights on the simplex; mean over the samples"],
    says=of_views(le(_LOSS, _LARGEST, again=largest_again)),
    readings=[
        reading(
            "bounded below",
            "So that minimising it on the simplex makes sense; −L_SSA on the left.",
            part="bounded below",
            because="the bound itself is ours, for what (2) asks of the loss",
        ),
        reading(
            "the sum of (5) and (6)",
            "λ_var = 1 as in 5.1, λ_we = 0, written out from the outputs.",
            of_views(le(Abs(cos + cos_written + var + var_written), rounding)),
            part="the sum of (5) and (6)",
        ),
    ],
    mutants=[
        mutant(
            "variance left out of the bound",
            of_views(le(_LOSS, _LARGEST.subs(lambda_var, 0)), spans=(50.0,), **_TWO),
            "confident equal predictions have cosine 1 and a variance near (c − 1)/c²",
        ),
        mutant(
            "entropy left out of the bound",
            of_views(le(_LOSS, _LARGEST.subs(lambda_we, 0)), spans=(50.0,), **_TWO),
            "with equal weights the entropy adds λ_we log K",
        ),
        mutant(
            "variance of both views in place of their mean",
            of_views(le(Abs(cos + cos_written + var + 2 * var_written), rounding), **_ONE),
            "(6) halves the sum of the two variances",
        ),
    ],
    rests_on=["SSA-E05", "SSA-E06", "SSA-E07"],
    verdict="""Consistent with (5) to (7), and bounded below by a number that is ours. It is continuous in w, with w·log w = 0 at w = 0, and the simplex is compact, so a minimiser on it exists. That λ_var = λ_we = 0
        is sufficient to outperform the baselines is a statement about runs, checked with the published tables and not
        here.""",
)


def apart_again(c: Any, gap: Any) -> Any:
    """4(1 + c)(1 + L_cos) once more."""
    return gap * 4 + 4 * c * gap


LP1 = remark(
    "SSA-LP1",
    "Sec. 4.2, eqs. (4), (5)",
    "Range and minimisers of L_cos",
    printed=r"-1\le\mathcal L_{cos}\le0,\quad\mathcal L_{cos}=-1\iff\hat{\mathbf y}^{(1)}=\hat{\mathbf y}^{(2)}",
    plainly="On softmax outputs L_cos lies between −1 and 0, and is −1 exactly where the two predictions agree.",
    assumes=["finite logits", "weights on the simplex", "mean over the samples"],
    says=of_views(le(Max(-1 - cos, cos), rounding), split=True),
    readings=[
        reading("range", "Between −1 and 0.", part="range"),
        reading(
            "minimisers",
            "The predictions are as near as 1 + L_cos is small: ‖y⁽¹⁾ − y⁽²⁾‖² <= 4(1 + c)(1 + L_cos).",
            of_views(le(outputs_apart, 4 * (1 + c) * gap, again=apart_again), split=True),
            part="minimisers",
        ),
    ],
    mutants=[
        mutant(
            "cosine of the logits",
            of_views(le(Max(-1 - cos_logits, cos_logits), rounding), **_TWO),
            "logits may be negative, so their cosine may be, and L_cos > 0",
        ),
        mutant(
            "squared gap",
            of_views(le(outputs_apart, 4 * (1 + c) * gap**2), at=((2, 3, 1),)),
            "for nearby predictions 1 + L_cos is of the order of ‖y⁽¹⁾ − y⁽²⁾‖², and its square is smaller",
        ),
    ],
    tight=[
        """−1 where both views give the same prediction, whatever it is; 0 only in the limit of opposite one-hot
        vectors""",
        at(weights=[1], view_1=[[[0, 1]]], view_2=[[[0, 1]]]),
        at(weights=[1], view_1=_SURE, view_2=_OTHERWISE),
    ],
    rests_on=["SSA-E04", "SSA-E05"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""Softmax outputs are positive, so L_cos is below 0, and 0 is only approached, by two views sure of
        different classes. It is −1 exactly where the two predictions are the same; two parallel vectors that sum to 1
        are equal. So every weight vector under which the views agree is a minimiser, however wrong or undecided the
        prediction is.""",
)


def one_hot_again(c: Any) -> Any:
    """(c − 1)/c² once more."""
    return 1 / c - c**-2.0


def sample_again(c: Any) -> Any:
    """1/c once more."""
    return c**-1.0


_SAMPLE = -NOTATION.symbols("sample") - rounding
LP2 = remark(
    "SSA-LP2",
    "Sec. 4.2, eq. (6)",
    "Range of L_var",
    printed=r"-\frac{c-1}{c^2}\le\mathcal L_{var}\le0\ \text{(divisor }c\text{)},\quad-\frac1c\le\mathcal L_{var}\le0",
    plainly="""L_var lies between −(c − 1)/c² and 0, or between −1/c and 0 for the sample variance; one-hot outputs
        attain it.""",
    assumes=["softmax outputs over c >= 2 classes", "mean over the samples"],
    says=of_views(le(-var - rounding, (c - 1) / c**2, again=one_hot_again), split=True, spans=(50.0,)),
    open={"divisor": nowhere("«var(ŷ) measures the variance among the elements of ŷ»: divisor c or c − 1")},
    readings=[
        reading("divisor c", "At least −(c − 1)/c².", part="at least", options={"divisor": "c"}),
        reading(
            "divisor c − 1",
            "At least −1/c.",
            of_views(le(_SAMPLE, 1 / c, again=sample_again), split=True, spans=(50.0,)),
            part="at least",
            options={"divisor": "c − 1"},
        ),
        reading("never positive", "At most 0.", of_views(le(var, 0)), part="never positive"),
        reading(
            "value at one-hot outputs",
            "The variance of (1, 0, …, 0) with mean 1/c is (c − 1)/c².",
            identity(((1 - 1 / c) ** 2 + (c - 1) / c**2) / c, (c - 1) / c**2),
            part="value at one-hot outputs",
        ),
    ],
    mutants=[
        mutant(
            "sample variance against the bound of divisor c",
            of_views(le(_SAMPLE, (c - 1) / c**2), spans=(50.0,), **_TWO),
            "a nearly one-hot output has sample variance near 1/c > (c − 1)/c²",
        ),
        mutant(
            "one more class in the denominator",
            of_views(le(-var - rounding, (c - 1) / c**3), spans=(50.0,), **_TWO),
            "a nearly one-hot output has variance near (c − 1)/c²",
        ),
    ],
    tight=["one-hot outputs, which finite logits only approach", at(weights=[1], view_1=_SURE, view_2=_SURE)],
    rests_on=["SSA-E04", "SSA-E06", "SSA-O3"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""‖y‖² lies between 1/c and 1, which gives both ranges. For ten classes L_var spans (10 − 1)/10² = 0.09 (a
        tenth for the sample variance), for a hundred (100 − 1)/100² = 0.0099: with λ_var = 1 it can never outweigh a
        cosine loss that differs by more. The lower end is approached by any sure prediction, right or wrong. Finite
        logits do not attain it; logits some fifty apart come so near that the search counts them as there.""",
)


def settings(x: Instance) -> Mapping[str, Any]:
    """The logarithm of the number of clients beside the numbers of a setting."""
    return {"log_clients": np.log(x["K"]), "c": x["classes"], **{n: x[n] for n in ("lambda_we", "lambda_var")}}


def settings_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same with an enclosed logarithm."""
    found = {"log_clients": log_near(Fraction(x["K"])), "c": Fraction(x["classes"])}
    return {}, {**found, **{n: Fraction(x[n]) for n in ("lambda_we", "lambda_var")}}


def _printed(*lambdas: float) -> World:
    """Settings of Sec. 5 and Appendix C."""
    numbers = Choice("K", (5.0, 10.0, 20.0, 30.0, 50.0)), Choice("classes", (10.0, 100.0)), Choice("lambda_we", lambdas)
    space = Space((*numbers, Choice("lambda_var", (1.0,))))
    return World(NOTATION, (case("settings of Sec. 5 and Appendix C", space, settings, settings_exact, uses=EXACT),))


def orthant_again(K: Any, inv_e: Any) -> Any:
    """K/e once more."""
    return inv_e * K


_SMALLER = le(lambda_we * log_clients - lambda_var * (c - 1) / c**2, 0)
LP3 = remark(
    "SSA-LP3",
    "Sec. 4.2, eq. (7); λs of Sec. 5.1",
    "Range and minimiser of L_we",
    printed=r"-\log K\le\sum_kw_k\log w_k\le0\text{ on the simplex},\quad\sum_kw_k\log w_k\ge-\frac Ke\text{ for }w>0",
    plainly="""On the simplex L_we lies between −log K (equal weights) and 0 (one client); on the orthant its least is
        −K/e.""",
    assumes=["0 log 0 = 0", "weights on the simplex unless said otherwise"],
    says=of_weights(le(Max(-log_clients - we, we), rounding)),
    readings=[
        reading("on the simplex", "Between −log K and 0.", part="on the simplex"),
        reading(
            "on the positive orthant",
            "Without a fixed sum the least value is −K/e, at w_k = 1/e for every client.",
            of_weights(le(-we - rounding, K * inv_e, again=orthant_again), positive=True),
            part="on the positive orthant",
        ),
        reading(
            "smaller than the other terms",
            "With λ_we = 10⁻³ and λ_var = 1 its whole range is smaller than that of L_var, for every K and c used.",
            _printed(1e-3).test(_SMALLER),
            part="smaller than the other terms",
        ),
    ],
    mutants=[
        mutant(
            "−log K without the simplex",
            of_weights(le(Max(-log_clients - we, -1 - K), rounding), at=(2, 3), positive=True),
            "weights 1/e give −K/e < −log K",
        ),
        mutant(
            "λ_we = 10⁻² smaller too",
            _printed(1e-2).test(_SMALLER),
            """the term in the weights, 10⁻² times the logarithm of the number of clients, exceeds (c − 1)/c² for
                large c""",
        ),
    ],
    tight=[
        "equal weights; one client; w_k = 1/e",
        at(weights=["1/2", "1/2"]),
        at(weights=[0, 1]),
        at(weights=[_ONE_OVER_E, _ONE_OVER_E]),
    ],
    rests_on=["SSA-E07"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""On the simplex −L_we is the Shannon entropy, so equal weights are its minimiser and a single client its
        maximum. That needs the simplex, which the paper does not impose in (2): on the positive orthant the least value
        is at 1/e for each client, whose sum is K/e, and for a negative weight the loss has no real value. At the
        paper's λ_we the term ranges over λ_we·log K for K clients, next to nothing against
        (10 − 1)/10² = 0.09 for L_var with ten classes and 1 for L_cos.""",
)


def _loss(at: str = "") -> Any:
    """L_SSA with the λs of Sec. 5.1, at a place."""
    every = NOTATION.symbols(" ".join(f"{name}{at}" for name in ("cos", "var", "we")))
    return every[0] + every[1] + every[2] / sp.Integer(1000)


def _changed(change: str, **chosen: Any) -> Any:
    """L_SSA after a change is what it was."""
    return of_views(le(Abs(_loss(change) - _loss()) - rounding, 0), **chosen)


LP7 = remark(
    "SSA-LP7",
    "Sec. 4.2, eqs. (4) to (8); derived",
    "Invariances of L_SSA",
    printed=r"""\mathcal L_{SSA}\text{ is unchanged under }z_k^{(1)}\to z_k^{(1)}+b\mathbf1,\ \text{clients},
        \ \text{classes},\ \text{views renumbered}""",
    plainly="L_SSA does not see a common shift of one view's logits, nor the names of clients, classes and views.",
    assumes=["weights on the simplex", "λ_var = 1, λ_we = 10⁻³"],
    says=_changed("_shifted"),
    readings=[
        reading(
            "shifted logits",
            "A constant added to every client's logits of one view changes nothing.",
            part="shifted logits",
        ),
        reading(
            "clients renumbered",
            "Clients renumbered together with their weights change nothing.",
            _changed("_renumbered_clients"),
            part="clients renumbered",
        ),
        reading(
            "classes renumbered",
            "Classes renumbered in both views change nothing.",
            _changed("_classes"),
            part="classes renumbered",
        ),
        reading("views swapped", "The two views swapped change nothing.", _changed("_swapped"), part="views swapped"),
    ],
    mutants=[
        mutant(
            "one class's logit shifted",
            _changed("_raised", **_TWO),
            "raising one class's logit changes the prediction of that view",
        ),
        mutant(
            "clients renumbered without their weights",
            _changed("_clients", **_TWO),
            "the weights then fall on other models",
        ),
    ],
    rests_on=["SSA-E04", "SSA-E05", "SSA-E06", "SSA-E07", "SSA-E08"],
    ours="the paper defines the losses and does not state this property of them",
    verdict="""All four follow from the softmax and the symmetry of the formulas. The invariance to class names is the
        telling one: the loss cannot know which class is right, only whether the views agree and how sure they are.""",
)

CLAIMS: tuple[Claim, ...] = (E05, E06, E07, E08, LP1, LP2, LP3, LP7)
