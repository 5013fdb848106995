"""SSA-LP4, SSA-LP5, SSA-LP6: the gradients of the three losses with respect to the weights."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.views import (
    EXACT,
    flag,
    float_views,
    log_near,
    mass,
    missed,
    root_fixed,
    slack,
    view_case,
    view_family,
)
from theory.ssa import gradient_cos, gradient_var
from validation import (
    Case,
    ExactCheck,
    Instance,
    LogScale,
    Property,
    Space,
    symbols,
)
from validation.statement.claim import Claim
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_STEP = 1e-30  # a complex step has no cancellation, so it may be as small as one likes


def _outputs(w: Any, z: Any) -> Any:
    """Softmax of the mixed logits, complex weights allowed; (instances, samples, classes)."""
    mixed = np.einsum("nk,nskc->nsc", w, z)
    grown = np.exp(mixed - mixed.real.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def _stepped(x: Instance, *, cos: bool) -> Any:
    """∂L/∂w_k by a complex step in every weight, (instances, clients)."""
    w, one, two = float_views(x)
    found = []
    for k in range(w.shape[1]):
        moved = w.astype(complex)
        moved[:, k] += 1j * _STEP
        u, v = _outputs(moved, one), _outputs(moved, two)
        if cos:
            loss = -(u * v).sum(axis=-1) / np.sqrt((u * u).sum(axis=-1) * (v * v).sum(axis=-1))
        else:
            apart = [((y - y.mean(axis=-1, keepdims=True)) ** 2).mean(axis=-1) for y in (u, v)]
            loss = -(apart[0] + apart[1]) / 2
        found.append(loss.mean(axis=-1).imag / _STEP)
    return np.stack(found, axis=-1)


def _pulled(z: Any, y: Any, v: Any) -> Any:
    """zₖᵀ J(y) v with J written out, mean over the samples."""
    J = y[..., :, None] * np.eye(y.shape[-1]) - y[..., :, None] * y[..., None, :]
    return np.einsum("nskc,nscd,nsd->nsk", z, J, v).mean(axis=1)


def _cos_gradient(x: Instance) -> Mapping[str, Any]:
    """Largest difference of the formula (written out, and the package's) from the complex step."""
    w, one, two = float_views(x)
    u, v = _outputs(w, one), _outputs(w, two)
    a, b = (np.sqrt((y**2).sum(axis=-1, keepdims=True)) for y in (u, v))
    q = (u * v).sum(axis=-1, keepdims=True) / (a * b)
    pull = np.ones_like(q) if "no_cosine" in x else q
    formula = -_pulled(one, u, v / (a * b) - pull * u / a**2)
    if "one_view" not in x:
        formula = formula - _pulled(two, v, u / (a * b) - pull * v / b**2)
    step = _stepped(x, cos=True)
    lhs = np.abs(formula - step).max(axis=1)
    if "no_cosine" not in x and "one_view" not in x:
        lhs = np.maximum(lhs, np.abs(gradient_cos(w, one, two) - step).max(axis=1))
    return missed(lhs, 1e3)


def cos_gradient_exact(x: Mapping[str, Any]) -> Checked:
    """Largest |formula with J(y) - quotient rule on the unnormalised outputs| over the clients."""
    w, samples = x["weights"], len(x["view_1"])
    classes, apart = range(len(x["view_1"][0][0])), []
    for k in range(len(w)):
        total = Fraction(0)
        for s in range(samples):
            z, t = x["view_1"][s][k], x["view_2"][s][k]
            e, f = mass(w, x["view_1"][s]), mass(w, x["view_2"][s])
            dot = sum(a * b for a, b in zip(e, f, strict=True))
            ee, ff = sum(a * a for a in e), sum(a * a for a in f)
            size = Fraction(root_fixed(ee * ff))  # |e||f|, whole part of a number above 2^640
            slope_dot = sum(e[j] * f[j] * (z[j] + t[j]) for j in classes)
            slope_ee = 2 * sum(e[j] * e[j] * z[j] for j in classes)
            slope_ff = 2 * sum(f[j] * f[j] * t[j] for j in classes)
            quotient = -(slope_dot / size - Fraction(dot) / size * (slope_ee / ee + slope_ff / ff) / 2)
            y, v = [Fraction(a, sum(e)) for a in e], [Fraction(a, sum(f)) for a in f]
            norms = size / (sum(e) * sum(f))
            q = Fraction(dot) / size
            pull = Fraction(1) if "no_cosine" in x else q
            yy, vv = sum(a * a for a in y), sum(a * a for a in v)
            formula = Fraction(0)
            for logits, own, other, square in ((z, y, v, yy), (t, v, y, vv)):
                if own is v and "one_view" in x:
                    continue
                d = [other[j] / norms - pull * own[j] / square for j in classes]
                level = sum(own[j] * d[j] for j in classes)
                formula -= sum(logits[j] * own[j] * (d[j] - level) for j in classes)
            total += formula - quotient
        apart.append(abs(total) / samples)
    return {"weights on the simplex": sum(w) == 1}, {"lhs": max(apart) - slack()}


def _var_gradient(x: Instance) -> Mapping[str, Any]:
    """The same for L_var; `sample`: the formula with c − 1 for c."""
    w, one, two = float_views(x)
    u, v = _outputs(w, one), _outputs(w, two)
    classes = u.shape[-1] - ("sample" in x)
    formula = -(_pulled(one, u, u) + _pulled(two, v, v)) / classes
    step = _stepped(x, cos=False)
    lhs = np.abs(formula - step).max(axis=1)
    if "sample" not in x:
        other = gradient_var(w, one, two, divisor="classes-1") * (classes - 1) / classes
        for found in (gradient_var(w, one, two), other):
            lhs = np.maximum(lhs, np.abs(found - step).max(axis=1))
    return missed(lhs, 1e3)


def var_gradient_exact(x: Mapping[str, Any]) -> Checked:
    """Largest |formula with J(y) - quotient rule for sum e^2/(c (sum e)^2)| over the clients."""
    w, samples = x["weights"], len(x["view_1"])
    c = len(x["view_1"][0][0])
    classes, apart = range(c), []
    for k in range(len(w)):
        total = Fraction(0)
        for view in (x["view_1"], x["view_2"]):
            for s in range(samples):
                z, e = view[s][k], mass(w, view[s])
                S, Q = sum(e), sum(a * a for a in e)
                slope_S, slope_Q = sum(e[j] * z[j] for j in classes), 2 * sum(e[j] * e[j] * z[j] for j in classes)
                quotient = -(slope_Q / Fraction(c * S * S) - 2 * Fraction(Q) * slope_S / Fraction(c * S**3)) / 2
                y = [Fraction(a, S) for a in e]
                level = sum(a * a for a in y)
                formula = -sum(z[j] * y[j] * (y[j] - level) for j in classes) / (c - 1 if "sample" in x else c)
                total += formula - quotient
        apart.append(abs(total) / samples)
    return {"weights on the simplex": sum(w) == 1}, {"lhs": max(apart) - slack()}


LP4 = stated(
    r"""SSA-LP4 (remark; Sec. 4.2, eqs. (4), (5); derived): Gradient of L_cos
    Print: \frac{\partial\mathcal L_{cos}}{\partial w_k}=-\Big[z_k^{(1)\top}J(y_1)\Big(\frac{y_2}{n_1n_2}-
      \frac{q\,y_1}{n_1^2}\Big)+z_k^{(2)\top}J(y_2)\Big(\frac{y_1}{n_1n_2}-\frac{q\,y_2}{n_2^2}\Big)\Big]
    Plainly: The derivative of L_cos with respect to a weight, by the chain rule through the softmax.
    Assumes: finite logits | J(y) = diag(y) − yyᵀ, nᵢ = ‖yᵢ‖, q = cos(y₁, y₂); mean over the samples
    Reading: against the derivative | The formula and the package's gradient equal the derivative, by a complex step
      and by the quotient rule.
    Mutant: cosine q left out | where q < 1 the part along y itself is then wrong
    Mutant: second view left out | the weights act on both views
    Rests on: SSA-E04, SSA-E05, SSA-LP1
    Verdict: The formula is the chain rule through the softmax. Since L_cos does not see the length of either output,
      the quotient rule on the unnormalised exponentials gives the same number, which is how it was checked exactly.""",
    Property((view_family("gradient of L_cos", _cos_gradient, cos_gradient_exact),)),
    mutants={
        "cosine q left out": Property(
            (view_case("no q", (2, 2, 1), _cos_gradient, cos_gradient_exact, flag("no_cosine")),)
        ),
        "second view left out": Property(
            (view_case("one view", (2, 2, 1), _cos_gradient, cos_gradient_exact, flag("one_view")),)
        ),
    },
)

LP5 = stated(
    r"""SSA-LP5 (remark; Sec. 4.2, eqs. (4), (6); derived): Gradient of L_var
    Print: \frac{\partial\mathcal L_{var}}{\partial w_k}=-\frac1c\big[z_k^{(1)\top}J(y_1)y_1+z_k^{(2)\top}J(y_2)y_2
      \big]
    Plainly: The derivative of L_var with respect to a weight; c − 1 in place of c for the sample variance.
    Assumes: finite logits | var with divisor c; mean over the samples
    Reading: against the derivative | The formula and the package's gradient (either divisor) equal the derivative.
    Mutant: divisor c − 1 for the loss of divisor c | the two differ by the factor c/(c − 1)
    Rests on: SSA-E04, SSA-E06, SSA-O3
    Verdict: The chain rule once more. The divisor of var only scales the gradient, like λ_var would.""",
    Property((view_family("gradient of L_var", _var_gradient, var_gradient_exact),)),
    mutants={
        "divisor c − 1 for the loss of divisor c": Property(
            (view_case("c − 1", (2, 3, 1), _var_gradient, var_gradient_exact, flag("sample")),)
        ),
    },
)

_w = symbols("w")


def _move(x: Instance) -> Mapping[str, Any]:
    """What moving the part ε of client j's weight a to a client of weight 0 adds to L_we, above εa·log ε (twice it)."""
    a, part = x["a"], x["part"]
    gain = part * np.log(part) + (1 - part) * np.log1p(-part)  # in units of a; a·log a cancels
    return missed(a * (gain - (2 if "twice" in x else 1) * part * np.log(part)))


def move_exact(x: Mapping[str, Any]) -> Checked:
    """L_we after - before, less epsilon a log(epsilon), epsilon = part moved of a; the other weights do not matter."""
    a, part = x["a"], x["part"]
    gain = part * a * log_near(part * a) + (1 - part) * a * log_near((1 - part) * a) - a * log_near(a)
    met = {"0 < a <= 1": 0 < a <= 1, "part of it moved": 0 < part < 1}
    return met, {"lhs": gain - (2 if "twice" in x else 1) * a * part * log_near(part) - slack()}


def _moved(*more: Any) -> Property:
    drawn = Space((LogScale("a", 1e-3, 1.0), LogScale("part", 1e-9, 0.5), *more))
    return Property((Case("weight moved to an absent client", drawn, _move, ExactCheck(move_exact, EXACT)),))


LP6 = stated(
    r"""SSA-LP6 (remark; Sec. 4.2, eq. (7); derived): Gradient and Hessian of L_we
    Print: \frac{\partial\mathcal L_{we}}{\partial w_k}=\log w_k+1,\quad\nabla^2\mathcal L_{we}=
      \mathrm{diag}(1/w_k),\quad\frac{\partial\mathcal L_{we}}{\partial w_k}\to-\infty\ (w_k\to0)
    Plainly: The slope of L_we is log w + 1, its curvature 1/w; at a weight of 0 the slope is −∞.
    Assumes: w_k > 0; at 0 one-sided
    Reading: gradient | d(w log w)/dw = log w + 1. | part: gradient
    Reading: Hessian | d²(w log w)/dw² = 1/w. | part: Hessian
    Reading: at weight 0 | Moving the part ε of a weight a to a client of weight 0 changes L_we by at most aε·log ε <
      0. | part: at weight 0
    Mutant: the 1 left out | at w = 1 the slope is 1, not 0
    Mutant: twice as fast | for small ε the change is about aε(log ε − 1)
    Rests on: SSA-E07
    Verdict: Elementary. The infinite slope at 0 means that with any λ_we > 0 no minimiser of L_SSA on the simplex
      gives a client exactly 0: the other two losses have finite slopes. A gradient step from w_k = 0 is not defined,
      so implementations have to keep off it.""",
    identity(sp.diff(_w * sp.log(_w), _w), sp.log(_w) + 1),
    readings={
        "Hessian": identity(sp.diff(_w * sp.log(_w), _w, 2), 1 / _w),
        "at weight 0": _moved(),
    },
    mutants={
        "the 1 left out": identity(sp.diff(_w * sp.log(_w), _w), sp.log(_w)),
        "twice as fast": _moved(flag("twice")),
    },
)

CLAIMS: tuple[Claim, ...] = (LP4, LP5, LP6)
