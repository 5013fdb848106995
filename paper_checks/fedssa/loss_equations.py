"""SSA-E05 to SSA-E08: the three losses and their sum, as printed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.views import (
    flag,
    float_views,
    log_near,
    mass,
    missed,
    slack,
    ssa_parts,
    view_case,
    view_family,
)
from theory.ssa import ensemble_probabilities, loss_cos, loss_ssa, loss_var, loss_we
from validation import Bound, Case, Claim, Family, Inequality, Instance, LogScale, Property, symbols
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]
a, b, c, lambda_var, lambda_we, log_clients = symbols("a b c lambda_var lambda_we log_clients")
_FINITE = ("finite logits; weights on the simplex; mean over the samples",)


def _cosine(x: Instance) -> Mapping[str, Any]:
    """By how much L_cos leaves [−1, 0], or −1 when both views have the same logits; `apart`: the second view's own."""
    w, one, two = float_views(x)
    loss, equal = loss_cos(w, one, two), loss_cos(w, one, two if "apart" in x else one)
    return missed(np.maximum(np.maximum(-1 - loss, loss), np.abs(equal + 1)))


def cosine_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed exponentials and roots."""
    w, one, two = x["weights"], x["view_1"], x["view_2"]
    loss = ssa_parts(w, one, two)[0]
    equal = ssa_parts(w, one, two if "apart" in x else one)[0]
    return {"weights": sum(w) == 1 and min(w) >= 0}, {"lhs": max(-1 - loss, loss, abs(equal + 1)) - slack()}


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
    Property((view_family("cosine", _cosine, cosine_exact),)),
    mutants={
        "−1 for any two views": Property((view_case("cosine", (1, 2, 1), _cosine, cosine_exact, flag("apart")),)),
    },
)


def _variance(x: Instance) -> Mapping[str, Any]:
    """By how much L_var is positive, rises when the weights are doubled, or misses 0 for equal logits of all classes."""
    w, one, two = float_views(x)
    loss, sharper = loss_var(w, one, two), loss_var(2 * w, one, two)
    flat = np.repeat(one[..., :1], one.shape[-1], axis=-1)
    change = loss - sharper if "blurred" in x else sharper - loss
    return missed(np.maximum(np.maximum(loss, change), np.abs(loss_var(w, flat, flat))))


def variance_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed exponentials."""
    w, one, two = x["weights"], x["view_1"], x["view_2"]
    flat = [[[z[0]] * len(z) for z in sample] for sample in one]
    loss, sharper = ssa_parts(w, one, two)[1], ssa_parts([2 * v for v in w], one, two)[1]
    change = loss - sharper if "blurred" in x else sharper - loss
    worst = max(loss, change, abs(ssa_parts(w, flat, flat)[1]))
    return {"weights": sum(w) == 1 and min(w) >= 0}, {"lhs": worst - slack()}


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
    Property((view_family("variance", _variance, variance_exact),)),
    readings={
        "variance of the entries": identity(_SPREAD, (a**2 + b**2 + c**2) / 3 - _MEAN**2),
    },
    mutants={
        "sharper predictions raise it": Property(
            (view_case("variance", (1, 2, 1), _variance, variance_exact, flag("blurred")),)
        ),
        "the mean not squared": identity(_SPREAD, (a**2 + b**2 + c**2) / 3 - _MEAN),
    },
)


def _entropy(x: Instance) -> Mapping[str, Any]:
    """L_we at equal weights of the same sum (`fixed`: at 1/K) minus L_we, or `reversed`."""
    w = x["weights"]
    even = (
        np.full_like(w, 1 / w.shape[1])
        if "fixed" in x
        else np.repeat(w.mean(axis=1, keepdims=True), w.shape[1], axis=1)
    )
    gap = loss_we(even) - loss_we(w)
    return missed(-gap if "reversed" in x else gap, 1e3)


def entropy_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed logarithms."""
    w = x["weights"]
    even = (Fraction(1) if "fixed" in x else sum(w)) / len(w)
    loss = sum((v * log_near(v) for v in w if v > 0), Fraction(0))
    gap = len(w) * even * log_near(even) - loss
    return {"weights >= 0": min(w) >= 0 < sum(w)}, {"lhs": (-gap if "reversed" in x else gap) - slack()}


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
    Property(
        (
            view_case("entropy", (2, 2, 1), _entropy, entropy_exact, flag("fixed"), positive=True),
            view_family("entropy, 1/K", _entropy, entropy_exact, flag("fixed"), positive=True),
        )
    ),
    readings={
        "on the simplex": Property((view_family("entropy", _entropy, entropy_exact),)),
        "equal weights among positive ones of one sum": Property(
            (view_family("entropy, any sum", _entropy, entropy_exact, positive=True),)
        ),
    },
    mutants={
        "equal weights are worst, on the simplex": Property(
            (view_case("entropy", (2, 2, 1), _entropy, entropy_exact, flag("reversed")),)
        ),
    },
)


def _total(x: Instance) -> Mapping[str, Any]:
    """−L_SSA, and what its three terms can be at most."""
    w, one, two = float_views(x)
    plain, more = loss_cos(w, one, two), loss_var(w, one, two)
    ones = np.ones(len(w))
    return {
        "lhs": -(plain + x["lambda_var"] * more + x["lambda_we"] * loss_we(w)),
        "lambda_var": x["lambda_var"],
        "lambda_we": x["lambda_we"],
        "c": one.shape[-1] * ones,
        "log_clients": np.log(w.shape[1]) * ones,
        "magnitude": 10 + x["lambda_var"] + 10 * x["lambda_we"],
    }


def total_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed exponentials, roots and logarithms."""
    w = x["weights"]
    cos, var, entropy = ssa_parts(w, x["view_1"], x["view_2"])
    found = {
        "lhs": -(cos + x["lambda_var"] * var + x["lambda_we"] * entropy) - (1 + x["lambda_we"]) * slack(),
        "lambda_var": x["lambda_var"],
        "lambda_we": x["lambda_we"],
        "c": Fraction(len(x["view_1"][0][0])),
        "log_clients": log_near(Fraction(len(w))),
    }
    return {"weights": sum(w) == 1 and min(w) >= 0}, found


_LAMBDAS = (LogScale("lambda_var", 1e-3, 1e1), LogScale("lambda_we", 1e-4, 1e1))
_LARGEST = 1 + lambda_var * (c - 1) / c**2 + lambda_we * log_clients
_PURE = dict.fromkeys(("c", "log_clients", "lambda_var", "lambda_we"), (0, 0))
_TOTALS: tuple[Case | Family, ...] = (view_family("loss", _total, total_exact, *_LAMBDAS),)
_CONFIDENT = (view_case("loss", (2, 2, 1), _total, total_exact, *_LAMBDAS, span=50.0),)


def largest_again(lambda_var: float, lambda_we: float, c: float, log_clients: float) -> float:
    """Three ranges added up once more."""
    return lambda_we * log_clients + lambda_var / c * (1 - 1 / c) + 1


def _agreement(x: Instance) -> Mapping[str, Any]:
    """The printed sum against the three formulas written out."""
    w, one, two = float_views(x)
    y, z = ensemble_probabilities(w, one), ensemble_probabilities(w, two)
    cos = ((y * z).sum(-1) / np.sqrt((y**2).sum(-1) * (z**2).sum(-1))).mean(-1)
    var = ((y.var(axis=-1) + z.var(axis=-1)) / 2).mean(-1)
    apart = loss_ssa(w, one, two, lambda_we=0.0) + cos + (2.0 if "twice" in x else 1.0) * var
    return missed(np.abs(apart))


def agreement_exact(x: Mapping[str, Any]) -> Exact:
    """The same with enclosed exponentials; the variance as a mean of squared deviations."""
    w = x["weights"]
    var: Any = Fraction(0)
    printed = ssa_parts(w, x["view_1"], x["view_2"])[1]
    for sample in (*x["view_1"], *x["view_2"]):
        y = mass(w, sample)
        entries = [Fraction(v, sum(y)) - Fraction(1, len(y)) for v in y]
        var += sum(v * v for v in entries) / len(y) / (2 * len(x["view_1"]))
    factor = 2 if "twice" in x else 1
    return {"weights": sum(w) == 1 and min(w) >= 0}, {"lhs": abs(printed + factor * var) - slack()}


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
    Inequality(Bound(_LARGEST, again=largest_again, degrees=_PURE), _TOTALS, degrees=(0, 0)),
    readings={
        "the sum of (5) and (6)": Property((view_family("sum", _agreement, agreement_exact),)),
    },
    mutants={
        "variance left out of the bound": Inequality(Bound(_LARGEST.subs(lambda_var, 0)), _CONFIDENT),
        "entropy left out of the bound": Inequality(Bound(_LARGEST.subs(lambda_we, 0)), _CONFIDENT),
        "variance of both views in place of their mean": Property(
            (view_case("sum", (1, 2, 1), _agreement, agreement_exact, flag("twice")),)
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (E05, E06, E07, E08)
