"""Sec. 4.2, (5) to (8): the losses, their ranges and what leaves them as they are."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Abs, Max

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.views import (
    EXACT,
    exp_fixed,
    flag,
    float_views,
    log_near,
    missed,
    of_views,
    slack,
    ssa_parts,
    view_case,
    view_family,
)
from theory.ssa import loss_ssa, loss_we
from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
)
from validation.statement.says import identity, le
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
a, b = symbols("a b")
c, lambda_var, lambda_we, log_clients, rounding = NOTATION.symbols("c lambda_var lambda_we log_clients rounding")
cos, cos_same, cos_logits, cos_written = NOTATION.symbols("cos cos_same cos_logits cos_written")
var, var_doubled, var_flat, var_sample = NOTATION.symbols("var var_doubled var_flat var_sample")
var_written, we, we_even, we_inverse = NOTATION.symbols("var_written we we_even we_inverse")
outputs_apart, gap = NOTATION.symbols("outputs_apart gap")


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
    mutants={
        "−1 for any two views": of_views(le(Max(-1 - cos, cos, Abs(cos + 1)), rounding), at=(1, 2, 1), large=False)
    },
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
    readings={
        "variance of the entries": identity(_SPREAD, (a**2 + b**2 + c**2) / 3 - _MEAN**2),
    },
    mutants={
        "sharper predictions raise it": of_views(
            le(Max(var, var - var_doubled, Abs(var_flat)), rounding), at=(1, 2, 1), large=False
        ),
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
    of_views(le(we_inverse - we, rounding), at=(2, 2, 1), positive=True),
    readings={
        "on the simplex": of_views(le(we_even - we, rounding)),
        "equal weights among positive ones of one sum": of_views(le(we_even - we, rounding), positive=True),
    },
    mutants={
        "equal weights are worst, on the simplex": of_views(le(we - we_even, rounding), at=(2, 2, 1), large=False)
    },
)


_LOSS = cos + lambda_var * var + lambda_we * we
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
    of_views(le(-_LOSS - (1 + lambda_we) * rounding, _LARGEST, again=largest_again)),
    readings={"the sum of (5) and (6)": of_views(le(Abs(cos + cos_written + var + var_written), rounding))},
    mutants={
        "variance left out of the bound": of_views(
            le(-_LOSS - (1 + lambda_we) * rounding, _LARGEST.subs(lambda_var, 0)), at=(2, 2, 1), large=False, span=50.0
        ),
        "entropy left out of the bound": of_views(
            le(-_LOSS - (1 + lambda_we) * rounding, _LARGEST.subs(lambda_we, 0)), at=(2, 2, 1), large=False, span=50.0
        ),
        "variance of both views in place of their mean": of_views(
            le(Abs(cos + cos_written + var + 2 * var_written), rounding), at=(1, 2, 1), large=False
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
    Rests on: SSA-E04, SSA-E05
    Verdict: Softmax outputs are positive, so L_cos is below 0, and 0 is only approached, by two views sure of
      different classes. It is −1 exactly where the two predictions are the same; two parallel vectors that sum to 1
      are equal. So every weight vector under which the views agree is a minimiser, however wrong or undecided the
      prediction is.""",
    of_views(le(Max(-1 - cos, cos), rounding), split=True),
    readings={"minimisers": of_views(le(outputs_apart, 4 * (1 + c) * gap, again=apart_again), split=True)},
    mutants={
        "cosine of the logits": of_views(le(Max(-1 - cos_logits, cos_logits), rounding), at=(2, 2, 1), large=False),
        "squared gap": of_views(le(outputs_apart, 4 * (1 + c) * gap**2), at=(2, 3, 1), large=False),
    },
)


def one_hot_again(c: Any) -> Any:
    """(c − 1)/c² once more."""
    return 1 / c - c**-2.0


def sample_again(c: Any) -> Any:
    """1/c once more."""
    return c**-1.0


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
    Rests on: SSA-E04, SSA-E06, SSA-O3
    Verdict: ‖y‖² lies between 1/c and 1, which gives both ranges. For ten classes L_var spans 0.09 (0.1 for the
      sample variance), for a hundred 0.0099: with λ_var = 1 it can never outweigh a cosine loss that differs by more.
      The lower end is approached by any sure prediction, right or wrong, and not attained with finite logits.""",
    of_views(le(-var - rounding, (c - 1) / c**2, again=one_hot_again), split=True, span=50.0),
    readings={
        "divisor c − 1": of_views(le(-var_sample - rounding, 1 / c, again=sample_again), split=True, span=50.0),
        "never positive": of_views(le(var, 0)),
        "value at one-hot outputs": identity(((1 - 1 / c) ** 2 + (c - 1) / c**2) / c, (c - 1) / c**2),
    },
    mutants={
        "sample variance against the bound of divisor c": of_views(
            le(-var_sample - rounding, (c - 1) / c**2), at=(2, 2, 1), large=False, span=50.0
        ),
        "one more class in the denominator": of_views(
            le(-var - rounding, (c - 1) / c**3), at=(2, 2, 1), large=False, span=50.0
        ),
    },
)


_SHIFT, _CLIENTS, _CLASSES, _VIEWS, _ONE_CLASS, _NAMES_ONLY = (float(i) for i in range(6))


def _changed(x: Instance) -> Mapping[str, Any]:
    """|L_SSA after the change − before|; λs of Sec. 5.1."""
    w, one, two = float_views(x)
    before, kind, by = loss_ssa(w, one, two), x["change"][0], x["by"][:, None, None, None]
    if kind == _SHIFT:
        one = one + by
    if kind == _ONE_CLASS:
        one = one + by * (np.arange(one.shape[-1]) == 0)
    if kind in (_CLIENTS, _NAMES_ONLY):
        one, two = np.roll(one, 1, axis=2), np.roll(two, 1, axis=2)
        w = np.roll(w, 1, axis=1) if kind == _CLIENTS else w
    if kind == _CLASSES:
        one, two = np.roll(one, 1, axis=3), np.roll(two, 1, axis=3)
    if kind == _VIEWS:
        one, two = two, one
    return missed(np.abs(loss_ssa(w, one, two) - before), 1e2)


def changed_exact(x: Mapping[str, Any]) -> Checked:
    """|change of L_SSA| with lambda_var = 1, lambda_we = 1/1000; the changes are numbered 0 to 5."""
    w, one, two, kind, by = x["weights"], x["view_1"], x["view_2"], int(x["change"]), x["by"]
    before = ssa_parts(w, one, two)
    if kind == 0:
        one = [[[v + by for v in z] for z in sample] for sample in one]
    if kind == 4:
        one = [[[v + (by if j == 0 else 0) for j, v in enumerate(z)] for z in sample] for sample in one]
    if kind in (1, 5):
        one, two = ([[*sample[-1:], *sample[:-1]] for sample in view] for view in (one, two))
        w = [*w[-1:], *w[:-1]] if kind == 1 else w
    if kind == 2:
        one, two = ([[[*z[-1:], *z[:-1]] for z in sample] for sample in view] for view in (one, two))
    if kind == 3:
        one, two = two, one
    moved = [b - a for a, b in zip(before, ssa_parts(w, one, two), strict=True)]
    met = {"weights on the simplex": sum(w) == 1 and min(w) >= 0}
    return met, {"lhs": abs(moved[0] + moved[1] + moved[2] / 1000) - slack()}


def _alike(name: str, kind: float) -> Property:
    more = (Choice("change", (kind,)), Signed("by", 1e-2, 1e1))
    return Property((view_family(name, _changed, changed_exact, *more, symmetries=()),))


def _differs(name: str, kind: float) -> Property:
    more = (Choice("change", (kind,)), Signed("by", 1e-2, 1e1))
    return Property((view_case(name, (2, 2, 1), _changed, changed_exact, *more, symmetries=()),))


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
    Rests on: SSA-E04, SSA-E05, SSA-E06, SSA-E07, SSA-E08
    Verdict: All four follow from the softmax and the symmetry of the formulas. The invariance to class names is the
      telling one: the loss cannot know which class is right, only whether the views agree and how sure they are.""",
    _alike("shifted logits", _SHIFT),
    readings={
        "clients renumbered": _alike("clients renumbered", _CLIENTS),
        "classes renumbered": _alike("classes renumbered", _CLASSES),
        "views swapped": _alike("views swapped", _VIEWS),
    },
    mutants={
        "one class's logit shifted": _differs("one class shifted", _ONE_CLASS),
        "clients renumbered without their weights": _differs("clients without weights", _NAMES_ONLY),
    },
)


K, inv_e = symbols("K inv_e")
_PURE_ENTROPY_RANGE = dict.fromkeys(("K", "inv_e"), (0, 0))


def _entropy_of_weights(x: Instance) -> Mapping[str, Any]:
    """By how much L_we leaves [−log K, 0]."""
    w = x["weights"]
    loss = loss_we(w)
    return missed(np.maximum(-np.log(w.shape[1]) - loss, loss))


def entropy_of_weights_exact(x: Mapping[str, Any]) -> Checked:
    """max(-log K - L_we, L_we)."""
    w = x["weights"]
    loss = sum((a * log_near(a) for a in w if a > 0), Fraction(0))
    met = {"weights >= 0": min(w) >= 0, "sum 1 (unless free)": "free" in x or sum(w) == 1}
    top = loss if "free" not in x else -1 - len(w)
    return met, {"lhs": max(-log_near(Fraction(len(w))) - loss, top) - slack()}


def _entropy_free(x: Instance) -> Mapping[str, Any]:
    """By how much L_we falls below −log K on the positive orthant."""
    return missed(-np.log(x["weights"].shape[1]) - loss_we(x["weights"]))


def _orthant(x: Instance) -> Mapping[str, Any]:
    """−L_we on the positive orthant, in units of what equal weights 1/e give."""
    n = float(x["weights"].shape[1])
    size = np.abs(x["weights"] * np.log(x["weights"])).sum(axis=1)
    return {
        "lhs": -loss_we(x["weights"]),
        "K": np.full(len(size), n),
        "inv_e": np.full(len(size), np.exp(-1.0)),
        "magnitude": size + n,
    }


def orthant_exact(x: Mapping[str, Any]) -> Checked:
    """-L_we, K and 1/e."""
    w = x["weights"]
    inverse = Fraction(exp_fixed(Fraction(-1)) + 2**60, 1 << 320)
    loss = sum((a * log_near(a) for a in w), Fraction(0))
    return {"weights > 0": min(w) > 0}, {"lhs": -loss - slack(), "K": Fraction(len(w)), "inv_e": inverse}


def _small(x: Instance) -> Mapping[str, Any]:
    """λ_we·log K − λ_var·(c − 1)/c²: the whole range of one term against the other's."""
    n, classes = x["K"], x["classes"]
    return missed(x["lambda_we"] * np.log(n) - x["lambda_var"] * (classes - 1) / classes**2)


def small_exact(x: Mapping[str, Any]) -> Checked:
    """lambda_we log K - lambda_var (c - 1)/c^2."""
    n, classes = Fraction(x["K"]), Fraction(x["classes"])
    gain = x["lambda_we"] * log_near(n) - x["lambda_var"] * (classes - 1) / classes**2
    return {"at least one client, two classes": n >= 1 and classes >= 2}, {"lhs": gain}


def again_orthant(K: Any, inv_e: Any) -> Any:
    """K/e once more."""
    return inv_e * K


def _weights(name: str, measure: Any, exact: Any, *more: Choice, positive: bool = False) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = LogScale("weights", 1e-6, 1e2, (n,), at=(1.0,)) if positive else Simplex("weights", n)
        same = (permuted_clients({"weights": 0}),)
        checked = ExactCheck(exact, EXACT)
        return Case(
            f"{name}, {n} weights", Space((drawn, *more)), measure, checked, cost=max(1.0, n / 40), symmetries=same
        )

    return Family(name, (Size("K", 1, 300, 3),), at)


def _printed(*lambdas: float) -> Case:
    drawn = Space(
        (
            Choice("K", (5.0, 10.0, 20.0, 30.0, 50.0)),
            Choice("classes", (10.0, 100.0)),
            Choice("lambda_we", lambdas),
            Choice("lambda_var", (1.0,)),
        )
    )
    return Case("settings of Sec. 5 and Appendix C", drawn, _small, ExactCheck(small_exact, EXACT))


_FREE = _weights("positive weights", _entropy_free, entropy_of_weights_exact, flag("free"), positive=True)

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
    Rests on: SSA-E07
    Verdict: On the simplex −L_we is the Shannon entropy, so equal weights are its minimiser and a single client its
      maximum. That needs the simplex, which the paper does not impose in (2): on the positive orthant the least value
      is at 1/e for each client, whose sum is K/e, and for a negative weight the loss has no real value. At the
      paper's λ_we the term ranges over 0.0016 for five clients, against 0.09 for L_var and 1 for L_cos.""",
    Property((_weights("weights", _entropy_of_weights, entropy_of_weights_exact),)),
    readings={
        "on the positive orthant": Inequality(
            Bound(K * inv_e, again=again_orthant, degrees=_PURE_ENTROPY_RANGE),
            (_weights("positive weights", _orthant, orthant_exact, positive=True),),
            degrees=(0, 0),
        ),
        "smaller than the other terms": Property((_printed(1e-3),)),
    },
    mutants={
        "−log K without the simplex": Property((_FREE.at(K=2), _FREE.at(K=3))),
        "λ_we = 10⁻² smaller too": Property((_printed(1e-2),)),
    },
)

CLAIMS: tuple[Claim, ...] = (
    E05,
    E06,
    E07,
    E08,
    LP1,
    LP2,
    LP7,
    LP3,
)
