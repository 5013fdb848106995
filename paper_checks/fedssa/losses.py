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
from paper_checks.fedssa.views import of_views, of_weights
from validation import Choice, Claim, Instance, Space, symbols
from validation.statement.says import identity, le
from validation.world.stated import stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

a, b = symbols("a b", positive=True)
c, K, inv_e, lambda_var, lambda_we, log_clients, rounding = NOTATION.symbols(
    "c K inv_e lambda_var lambda_we log_clients rounding"
)
cos, cos_same, cos_logits, cos_written = NOTATION.symbols("cos cos_same cos_logits cos_written")
var, var_doubled, var_flat, var_written = NOTATION.symbols("var var_doubled var_flat var_written")
we, we_level, we_equal, outputs_apart, gap = NOTATION.symbols("we we_level we_equal outputs_apart gap")
_ONE, _TWO = {"at": ((1, 2, 1),)}, {"at": ((2, 2, 1),)}

E05 = stated(
    r"""SSA-E05 (definition; Eq. (5), Section 4.2): Cosine loss
    Print: \mathcal L_{cos}=-\cos(\hat{\mathbf y}^{(1)},\hat{\mathbf y}^{(2)})=-\frac{\hat{\mathbf y}^{(1)}\cdot\hat{
      \mathbf y}^{(2)}}{\|\hat{\mathbf y}^{(1)}\|\|\hat{\mathbf y}^{(2)}\|}
    Plainly: L_cos is minus the cosine of the two predictions: between −1 and 0, and −1 when they agree.
    Assumes: finite logits; weights on the simplex; mean over the samples
    Reading: as printed | Softmax outputs.
    Mutant: −1 for any two views | two confident predictions of different classes are nearly orthogonal
    Rests on: SSA-E04
    Verdict: Well defined, because softmax outputs are never 0, and in [−1, 0): agreement is all it asks for, on
      whatever class.""",
    of_views(le(Max(-1 - cos, cos, Abs(cos_same + 1)), rounding)),
    mutants={"−1 for any two views": of_views(le(Max(-1 - cos, cos, Abs(cos + 1)), rounding), **_ONE)},
)

_MEAN = (a + b + c) / 3
_SPREAD = ((a - _MEAN) ** 2 + (b - _MEAN) ** 2 + (c - _MEAN) ** 2) / 3
E06 = stated(
    r"""SSA-E06 (definition; Eq. (6), Section 4.2): Variance loss
    Print: \mathcal L_{var}=-\frac{var(\hat{\mathbf y}^{(1)})+var(\hat{\mathbf y}^{(2)})}2
    Plainly: L_var is minus the mean variance of the two predictions over their entries; sharper predictions lower it.
    Assumes: finite logits; weights on the simplex; mean over the samples
    Reading: a measure of confidence | Never positive, 0 for uniform predictions, lower when all logits are doubled. |
      part: a measure of confidence
    Reading: variance of the entries | Divisor c, which is left open: mean of the squares minus the square of the
      mean, three classes. | part: variance of the entries
    Mutant: sharper predictions raise it | doubled logits move the outputs towards one class, where the variance is
      largest
    Mutant: the mean not squared | for entries that sum to one the mean is 1/c, its square 1/c²
    Rests on: SSA-E04, SSA-O3
    Verdict: Well defined, up to the divisor c or c − 1, which rescales λ_var only. It rewards confidence, right or
      wrong.""",
    of_views(le(Max(var, var_doubled - var, Abs(var_flat)), rounding)),
    readings={"variance of the entries": identity(_SPREAD, (a**2 + b**2 + c**2) / 3 - _MEAN**2)},
    mutants={
        "sharper predictions raise it": of_views(le(Max(var, var - var_doubled, Abs(var_flat)), rounding), **_ONE),
        "the mean not squared": identity(_SPREAD, (a**2 + b**2 + c**2) / 3 - _MEAN),
    },
)

E07 = stated(
    r"""SSA-E07 (definition; Eq. (7), Section 4.2): Weight-entropy loss
    Print: \mathcal L_{we}=\sum_{k=1}^Kw_k\log w_k
    Plainly: Equal weights minimise L_we.
    Assumes: w_k >= 0, 0 log 0 = 0
    Reading: 1/K among all positive weights | Ours, as the print says «equal», not 1/K: no sum is stated of w, in (2),
      (7) or (8). | ours: the print says «equal», not 1/K: among all positive weights the minimiser is equal, too, 1/e
      each
    Reading: on the simplex | With 0 log 0 = 0. | condition: w on the simplex | met by: FedAvg, w_k := n_k = N_k/ΣN_i
      (Appendix A)
    Reading: equal weights among positive ones of one sum | Whatever the sum, equal weights of that sum have no more,
      so the minimum is at equal ones.
    Mutant: equal weights are worst, on the simplex | one client alone has L_we = 0, above −log K
    Tight: equal weights
    Rests on: SSA-O1
    Verdict: It holds: whatever the sum of the weights, equal ones have the smallest L_we, by Jensen's inequality. On
      the simplex, where FedAvg's w_k := n_k lie, the minimiser is w_k = 1/K. No sum is stated; among all positive
      weights the minimiser is w_k = 1/e, equal, too, as the sentence says, but with sum K/e and not 1. For a negative
      weight L_we is undefined.""",
    of_views(le(we_equal - we, rounding), positive=True, large=True, **_TWO),
    readings={
        "on the simplex": of_views(le(we_level - we, rounding)),
        "equal weights among positive ones of one sum": of_views(le(we_level - we, rounding), positive=True),
    },
    mutants={"equal weights are worst, on the simplex": of_views(le(we - we_level, rounding), **_TWO)},
)

_LOSS = -cos - lambda_var * var - lambda_we * we - (1 + lambda_we) * rounding
_LARGEST = 1 + lambda_var * (c - 1) / c**2 + lambda_we * log_clients


def largest_again(lambda_var: float, lambda_we: float, c: float, log_clients: float) -> float:
    """Three ranges added up once more."""
    return lambda_we * log_clients + lambda_var / c * (1 - 1 / c) + 1


E08 = stated(
    r"""SSA-E08 (definition; Eq. (8), Section 4.2): Total loss
    Print: \mathcal L_{SSA}=\mathcal L_{cos}+\lambda_{var}\mathcal L_{var}+\lambda_{we}\mathcal L_{we}
    Plainly: L_SSA is the weighted sum of the three losses; it is never below −1 − λ_var(c − 1)/c² − λ_we log K.
    Assumes: finite logits; weights on the simplex; mean over the samples
    Reading: bounded below | So that minimising it on the simplex makes sense; −L_SSA on the left. | part: bounded
      below
    Reading: the sum of (5) and (6) | λ_var = 1 as in 5.1, λ_we = 0, written out from the outputs. | part: the sum of
      (5) and (6)
    Mutant: variance left out of the bound | confident equal predictions have cosine 1 and a variance near (c − 1)/c²
    Mutant: entropy left out of the bound | with equal weights the entropy adds λ_we log K
    Mutant: variance of both views in place of their mean | (6) halves the sum of the two variances
    Rests on: SSA-E05, SSA-E06, SSA-E07
    Verdict: Consistent with (5) to (7) and bounded below, so a minimiser on the simplex exists. That λ_var = λ_we = 0
      is sufficient to outperform the baselines is a statement about runs, checked with the published tables and not
      here.""",
    of_views(le(_LOSS, _LARGEST, again=largest_again)),
    readings={"the sum of (5) and (6)": of_views(le(Abs(cos + cos_written + var + var_written), rounding))},
    mutants={
        "variance left out of the bound": of_views(le(_LOSS, _LARGEST.subs(lambda_var, 0)), spans=(50.0,), **_TWO),
        "entropy left out of the bound": of_views(le(_LOSS, _LARGEST.subs(lambda_we, 0)), spans=(50.0,), **_TWO),
        "variance of both views in place of their mean": of_views(
            le(Abs(cos + cos_written + var + 2 * var_written), rounding), **_ONE
        ),
    },
)


def apart_again(c: Any, gap: Any) -> Any:
    """4(1 + c)(1 + L_cos) once more."""
    return gap * 4 + 4 * c * gap


LP1 = stated(
    r"""SSA-LP1 (remark; Sec. 4.2, eqs. (4), (5)): Range and minimisers of L_cos
    Print: -1\le\mathcal L_{cos}\le0,\quad\mathcal L_{cos}=-1\iff\hat{\mathbf y}^{(1)}=\hat{\mathbf y}^{(2)}
    Plainly: On softmax outputs L_cos lies between −1 and 0, and is −1 exactly where the two predictions agree.
    Assumes: finite logits | weights on the simplex | mean over the samples
    Reading: range | Between −1 and 0. | part: range
    Reading: minimisers | The predictions are as near as 1 + L_cos is small: ‖y⁽¹⁾ − y⁽²⁾‖² <= 4(1 + c)(1 + L_cos). |
      part: minimisers
    Mutant: cosine of the logits | logits may be negative, so their cosine may be, and L_cos > 0
    Mutant: squared gap | for nearby predictions 1 + L_cos is of the order of ‖y⁽¹⁾ − y⁽²⁾‖², and its square is
      smaller
    Tight: −1 where both views give the same prediction, whatever it is; 0 only in the limit of opposite one-hot
      vectors
    Ours: the paper defines the losses and does not state this property of them
    Rests on: SSA-E04, SSA-E05
    Verdict: Softmax outputs are positive, so L_cos is below 0, and 0 is only approached, by two views sure of
      different classes. It is −1 exactly where the two predictions are the same; two parallel vectors that sum to 1
      are equal. So every weight vector under which the views agree is a minimiser, however wrong or undecided the
      prediction is.""",
    of_views(le(Max(-1 - cos, cos), rounding), split=True),
    readings={"minimisers": of_views(le(outputs_apart, 4 * (1 + c) * gap, again=apart_again), split=True)},
    mutants={
        "cosine of the logits": of_views(le(Max(-1 - cos_logits, cos_logits), rounding), **_TWO),
        "squared gap": of_views(le(outputs_apart, 4 * (1 + c) * gap**2), at=((2, 3, 1),)),
    },
)


def one_hot_again(c: Any) -> Any:
    """(c − 1)/c² once more."""
    return 1 / c - c**-2.0


def sample_again(c: Any) -> Any:
    """1/c once more."""
    return c**-1.0


_SAMPLE = -NOTATION.symbols("sample") - rounding
LP2 = stated(
    r"""SSA-LP2 (remark; Sec. 4.2, eq. (6)): Range of L_var
    Print: -\frac{c-1}{c^2}\le\mathcal L_{var}\le0\ \text{(divisor }c\text{)},\quad-\frac1c\le\mathcal L_{var}\le0
    Plainly: L_var lies between −(c − 1)/c² and 0, or between −1/c and 0 for the sample variance; one-hot outputs
      attain it.
    Assumes: softmax outputs over c >= 2 classes | mean over the samples
    Open (nowhere) divisor: «var(ŷ) measures the variance among the elements of ŷ»: divisor c or c − 1
    Reading: divisor c | At least −(c − 1)/c². | part: at least | option divisor = c
    Reading: divisor c − 1 | At least −1/c. | part: at least | option divisor = c − 1
    Reading: never positive | At most 0. | part: never positive
    Reading: value at one-hot outputs | The variance of (1, 0, …, 0) with mean 1/c is (c − 1)/c². | part: value at
      one-hot outputs
    Mutant: sample variance against the bound of divisor c | a nearly one-hot output has sample variance near 1/c > (c
      − 1)/c²
    Mutant: one more class in the denominator | a nearly one-hot output has variance near (c − 1)/c²
    Tight: one-hot outputs, which finite logits only approach
    Ours: the paper defines the losses and does not state this property of them
    Rests on: SSA-E04, SSA-E06, SSA-O3
    Verdict: ‖y‖² lies between 1/c and 1, which gives both ranges. For ten classes L_var spans 0.09 (0.1 for the
      sample variance), for a hundred 0.0099: with λ_var = 1 it can never outweigh a cosine loss that differs by more.
      The lower end is approached by any sure prediction, right or wrong, and not attained with finite logits.""",
    of_views(le(-var - rounding, (c - 1) / c**2, again=one_hot_again), split=True, spans=(50.0,)),
    readings={
        "divisor c − 1": of_views(le(_SAMPLE, 1 / c, again=sample_again), split=True, spans=(50.0,)),
        "never positive": of_views(le(var, 0)),
        "value at one-hot outputs": identity(((1 - 1 / c) ** 2 + (c - 1) / c**2) / c, (c - 1) / c**2),
    },
    mutants={
        "sample variance against the bound of divisor c": of_views(le(_SAMPLE, (c - 1) / c**2), spans=(50.0,), **_TWO),
        "one more class in the denominator": of_views(le(-var - rounding, (c - 1) / c**3), spans=(50.0,), **_TWO),
    },
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
LP3 = stated(
    r"""SSA-LP3 (remark; Sec. 4.2, eq. (7); λs of Sec. 5.1): Range and minimiser of L_we
    Print: -\log K\le\sum_kw_k\log w_k\le0\text{ on the simplex},\quad\sum_kw_k\log w_k\ge-\frac Ke\text{ for }w>0
    Plainly: On the simplex L_we lies between −log K (equal weights) and 0 (one client); on the orthant its least is
      −K/e.
    Assumes: 0 log 0 = 0 | weights on the simplex unless said otherwise
    Reading: on the simplex | Between −log K and 0. | part: on the simplex
    Reading: on the positive orthant | Without a fixed sum the least value is −K/e, at w_k = 1/e for every client. |
      part: on the positive orthant
    Reading: smaller than the other terms | With λ_we = 10⁻³ and λ_var = 1 its whole range is smaller than that of
      L_var, for every K and c used. | part: smaller than the other terms
    Mutant: −log K without the simplex | weights 1/e give −K/e < −log K
    Mutant: λ_we = 10⁻² smaller too | 10⁻²·log 50 = 0.039 exceeds (c − 1)/c² = 0.0099 at c = 100
    Tight: equal weights; one client; w_k = 1/e
    Ours: the paper defines the losses and does not state this property of them
    Rests on: SSA-E07
    Verdict: On the simplex −L_we is the Shannon entropy, so equal weights are its minimiser and a single client its
      maximum. That needs the simplex, which the paper does not impose in (2): on the positive orthant the least value
      is at 1/e for each client, whose sum is K/e, and for a negative weight the loss has no real value. At the
      paper's λ_we the term ranges over 0.0016 for five clients, against 0.09 for L_var and 1 for L_cos.""",
    of_weights(le(Max(-log_clients - we, we), rounding)),
    readings={
        "on the positive orthant": of_weights(le(-we - rounding, K * inv_e, again=orthant_again), positive=True),
        "smaller than the other terms": _printed(1e-3).test(_SMALLER),
    },
    mutants={
        "−log K without the simplex": of_weights(
            le(Max(-log_clients - we, -1 - K), rounding), at=(2, 3), positive=True
        ),
        "λ_we = 10⁻² smaller too": _printed(1e-2).test(_SMALLER),
    },
)


def _loss(at: str = "") -> Any:
    """L_SSA with the λs of Sec. 5.1, at a place."""
    every = NOTATION.symbols(" ".join(f"{name}{at}" for name in ("cos", "var", "we")))
    return every[0] + every[1] + every[2] / sp.Integer(1000)


def _changed(change: str, **chosen: Any) -> Any:
    """L_SSA after a change is what it was."""
    return of_views(le(Abs(_loss(change) - _loss()) - rounding, 0), **chosen)


LP7 = stated(
    r"""SSA-LP7 (remark; Sec. 4.2, eqs. (4) to (8); derived): Invariances of L_SSA
    Print: \mathcal L_{SSA}\text{ is unchanged under }z_k^{(1)}\to z_k^{(1)}+b
      \mathbf1,\ \text{clients},\ \text{classes},\ \text{views renumbered}
    Plainly: L_SSA does not see a common shift of one view's logits, nor the names of clients, classes and views.
    Assumes: weights on the simplex | λ_var = 1, λ_we = 10⁻³
    Reading: shifted logits | A constant added to every client's logits of one view changes nothing. | part: shifted
      logits
    Reading: clients renumbered | Clients renumbered together with their weights change nothing. | part: clients
      renumbered
    Reading: classes renumbered | Classes renumbered in both views change nothing. | part: classes renumbered
    Reading: views swapped | The two views swapped change nothing. | part: views swapped
    Mutant: one class's logit shifted | raising one class's logit changes the prediction of that view
    Mutant: clients renumbered without their weights | the weights then fall on other models
    Ours: the paper defines the losses and does not state this property of them
    Rests on: SSA-E04, SSA-E05, SSA-E06, SSA-E07, SSA-E08
    Verdict: All four follow from the softmax and the symmetry of the formulas. The invariance to class names is the
      telling one: the loss cannot know which class is right, only whether the views agree and how sure they are.""",
    _changed("_shifted"),
    readings={
        "clients renumbered": _changed("_renumbered_clients"),
        "classes renumbered": _changed("_classes"),
        "views swapped": _changed("_swapped"),
    },
    mutants={
        "one class's logit shifted": _changed("_raised", **_TWO),
        "clients renumbered without their weights": _changed("_clients", **_TWO),
    },
)

CLAIMS: tuple[Claim, ...] = (E05, E06, E07, E08, LP1, LP2, LP3, LP7)
