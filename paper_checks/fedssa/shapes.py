"""Sec. 4.2: gradients and shapes of the losses, and where the descent on them starts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.aggregation import projected, pull_exact
from paper_checks.fedssa.views import (
    EXACT,
    flag,
    float_views,
    log_near,
    mass,
    missed,
    root_fixed,
    slack,
    ssa_parts,
    view_case,
    view_family,
)
from theory.rules.simplex import project_on_simplex
from theory.ssa import gradient_cos, gradient_ssa, gradient_var, loss_cos, loss_var, loss_we
from validation import (
    Case,
    Choice,
    Claim,
    ExactCheck,
    Instance,
    LogScale,
    Property,
    Simplex,
    Space,
    symbols,
)
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


def _middle(x: Instance) -> Mapping[str, Any]:
    """Loss in the middle of two weight vectors, less the mean (`barrier`: the larger) of their losses.

    `looks_at`: 0 L_cos, 1 L_var, 2 L_SSA with λ_we = 10⁻³, 3 L_SSA with λ_we = `strength`·R², R the largest range of
    one client's logits, 4 L_we.
    """
    w, one, two = float_views(x)
    what, other = int(x["looks_at"][0]), x["other"]
    reach = np.maximum(np.ptp(one, axis=-1), np.ptp(two, axis=-1)).max(axis=(1, 2))
    entropy = {2: 1e-3, 3: x["strength"] * reach**2, 4: 1.0}.get(what, 0.0)

    def loss(at: Any) -> Any:
        total = entropy * loss_we(at)
        total = total + (loss_cos(at, one, two) if what in (0, 2, 3) else 0.0)
        return total + (loss_var(at, one, two) if what in (1, 2, 3) else 0.0)

    ends = loss(w), loss(other)
    level = np.maximum(*ends) if x["barrier"][0] else (ends[0] + ends[1]) / 2
    return {**missed(loss((w + other) / 2) - level), "magnitude": 10.0 + 10.0 * np.abs(entropy * np.ones(len(w)))}


def middle_exact(x: Mapping[str, Any]) -> Checked:
    """Loss at (u + v)/2 less the mean, or the larger, of the losses at u and v."""
    u, v, what = x["weights"], x["other"], int(x["looks_at"])
    reach = max(max(z) - min(z) for view in (x["view_1"], x["view_2"]) for sample in view for z in sample)
    factors = [
        Fraction(what in (0, 2, 3)),
        Fraction(what in (1, 2, 3)),
        {2: Fraction(1, 1000), 3: x["strength"] * reach**2, 4: Fraction(1)}.get(what, Fraction(0)),
    ]
    losses = []
    for at in (u, v, [(a + b) / 2 for a, b in zip(u, v, strict=True)]):
        parts = ssa_parts(at, x["view_1"], x["view_2"])
        losses.append(sum(f * p for f, p in zip(factors, parts, strict=True)))
    level = max(losses[:2]) if x["barrier"] else (losses[0] + losses[1]) / 2
    met = {"weights on the simplex": sum(u) == sum(v) == 1 and min([*u, *v]) >= 0}
    return met, {"lhs": losses[2] - level - slack() * (1 + abs(factors[2]))}


def _case(
    name: str,
    size: tuple[int, int, int],
    what: float,
    *,
    barrier: bool = False,
    strength: float = 8.0,
    span: float = 6.0,
) -> Case:
    more = (
        Simplex("other", size[0]),
        Choice("looks_at", (what,)),
        Choice("barrier", (float(barrier),)),
        Choice("strength", (strength,)),
    )
    return view_case(name, size, _middle, middle_exact, *more, symmetries=(), span=span)


def _turned(x: Instance) -> Mapping[str, Any]:
    """Three projected steps on L_SSA from equal weights (`own`: 1/4 more on client 1), and the clients in reverse order."""
    one, two = x["view_1"], x["view_2"]
    n = one.shape[2]
    ends = []
    for first, second in ((one, two), (one[:, :, ::-1], two[:, :, ::-1])):
        w = np.full((len(one), n), 1 / n)
        w = w + (0.25 * (np.eye(n)[0] - w) if "own" in x else 0.0)
        for _ in range(3):
            w = project_on_simplex(w - x["rate"][:, None] * gradient_ssa(w, first, second), floor=1e-6)
        ends.append(w)
    return missed(np.abs(ends[0] - ends[1][:, ::-1]).max(axis=1) - 1e-9)


def turned_exact(x: Mapping[str, Any]) -> Checked:
    """The same with a gradient by the quotient rule, cut to 60 digits."""
    n, ends = len(x["view_1"][0]), []
    for order in (1, -1):
        first, second = ([sample[::order] for sample in x[view]] for view in ("view_1", "view_2"))
        w = [Fraction(1, n)] * n
        if "own" in x:
            w = [a + ((k == 0) - a) / 4 for k, a in enumerate(w)]
        for _ in range(3):
            slope = pull_exact(w, first, second)
            w = projected([a - x["rate"] * g for a, g in zip(w, slope, strict=True)], Fraction(1, 10**6))
        ends.append(w[::order])
    far = max(abs(a - b) for a, b in zip(*ends, strict=True))
    return {"clients": n >= 1, "rate > 0": x["rate"] > 0}, {"lhs": far - Fraction(1, 10**9)}


_ORDERS = ((2, 2, 1), (2, 3, 3), (5, 10, 2), (20, 3, 1))


def _from_equal(*more: Choice, sizes: tuple[tuple[int, int, int], ...] = _ORDERS) -> Property:
    def case(size: tuple[int, int, int]) -> Case:
        rate = LogScale("rate", 1e-3, 1.0, at=(1.0,))
        uses = (pull_exact, projected)
        return view_case("from equal weights", size, _turned, turned_exact, rate, *more, uses=uses, symmetries=())

    return Property(tuple(case(size) for size in sizes))


_SIZES = ((2, 2, 1), (2, 3, 2), (3, 3, 1), (5, 10, 2), (20, 4, 1))
_SEPARATE = ((2, 2, 1), (2, 3, 1), (2, 3, 3), (2, 10, 1))


def _shape(name: str, what: float, *, barrier: bool = False) -> Property:
    return Property(tuple(_case(name, size, what, barrier=barrier) for size in _SIZES))


LP10 = stated(
    r"""SSA-LP10 (remark; Sec. 4.2, eqs. (5), (6), (8); derived): Convexity in the weights
    Print: \mathcal L_{we}\text{ convex in }w\text{ on the simplex, }\mathcal L_{SSA}\text{ convex there for }
      \lambda_{we}\ge8R^2;\ \mathcal L_{cos},\ \mathcal L_{var},\ \mathcal L_{SSA}\text{ not}
    Plainly: Ours, not the paper's: L_we is convex in the weights, and a large enough λ_we makes L_SSA so.
    Assumes: weights on the simplex | finite logits | λ_var = 1; R the largest range of one client's logits
    Reading: L_we | At the middle of two weight vectors at most the mean of its values. | part: L_we
    Reading: L_SSA with λ_we = 8R² | The same for the whole loss. | part: L_SSA with λ_we = 8R²
    Mutant: L_cos | between two clients that agree with themselves the views may disagree
    Mutant: L_var | between two clients sure of two classes the prediction is undecided
    Mutant: L_SSA at the paper's λ_we = 10⁻³, at most the larger value in the middle | the same two clients make a
      barrier, with a local minimum on either side
    Mutant: λ_we = R²/1000 | for R of a few units that is about the paper's λ_we, at which two clients sure of two
      classes make a barrier
    Rests on: SSA-LP4, SSA-LP5, SSA-LP6
    Verdict: The paper asks for no convexity, and at its λ_we there is none: L_cos, L_var and L_SSA are refuted as
      convex (below, as mutants). Two clients sure of two different classes give low loss each alone; between them the
      prediction is undecided, or the views disagree: a barrier with a local minimum on either side. L_we is convex
      with curvature at least 1 along any direction of ℓ₁-length 1, the others curve downwards by at most 7.5R², so
      λ_we = 8R² makes the sum convex; with logits of a few units that is about five orders above the paper's 10⁻³.""",
    _shape("L_we", 4.0),
    readings={
        "L_SSA with λ_we = 8R²": Property(tuple(_case("λ_we = 8R²", size, 3.0) for size in _SIZES)),
    },
    mutants={
        "L_cos": _shape("L_cos", 0.0),
        "L_var": _shape("L_var", 1.0),
        "L_SSA at the paper's λ_we = 10⁻³, at most the larger value in the middle": _shape("L_SSA", 2.0, barrier=True),
        "λ_we = R²/1000": Property((_case("λ_we = R²/1000", (2, 3, 1), 3.0, strength=1e-3),)),
    },
)

O2 = stated(
    r"""SSA-O2 (definition; Sec. 4.2 and 5.1 (left open: optimiser, batch size, start, warm start, steps)): Start of weight learning
    Print: \{w_k^t\}:=\arg\min_{\{w_k\}}\mathcal L_{SSA}(\{\theta_k^t\},\{w_k\};
      \mathcal U)\ \text{whatever the start of the descent}
    Plainly: Descent on L_SSA reaches the same weights wherever it starts, so that start and warm start need not be
      given.
    Assumes: λ_var = 1, λ_we = 10⁻³ | two clients for any start, so that the simplex is a segment; descent with steps
      too small to jump
    Open (nowhere) start: start of the weight learning: Algorithm 1 prints «arg min», Sec. 4.2 and 5.1 name no initial
      weights and no warm start
    Reading: every start from equal weights, one step size and number of steps | Then it is one method: up to twenty
      clients get the same weights in whichever order they are named. | option start = equal weights
    Reading: any start, the paper's λ_we = 10⁻³ | Between two starts there is no barrier: at their middle the loss is
      at most the larger of the two. | option start = any, as «arg min» has it
    Reading: λ_we = 8R² | Another λ_we than the paper's, where L_SSA is convex in w (SSA-LP10). | edit: λ_we = 8R² in
      place of 10⁻³
    Mutant: L_var alone | two clients sure of different classes: the mean of their logits is undecided, with less
      variance than either
    Mutant: from a start that prefers the client named first | three short steps keep the start's preference
    Rests on: SSA-LP10, SSA-E02
    Verdict: The paper gives no start, and it decides. With one start and one schedule for all the method is well
      defined. With two clients the simplex is a segment, and where the loss in its middle exceeds that at both ends,
      descent from either end stays on its side. So «arg min» in Algorithm 1 does not fix the weights of an
      implementation: start (equal weights, data shares, last round's weights), step size η_ssa and number of epochs
      E_ssa are part of the method, and the text gives only «ten epochs» for Table 3. Whether training ends elsewhere
      needs runs with equal and with warm starts; Figure 4(c, d) varies η_ssa and E_ssa only.""",
    _from_equal(),
    readings={
        "any start, the paper's λ_we = 10⁻³": Property(
            tuple(_case("two clients", size, 2.0, barrier=True) for size in _SEPARATE)
        ),
        "λ_we = 8R²": Property(tuple(_case("two clients, λ_we = 8R²", size, 3.0, barrier=True) for size in _SEPARATE)),
    },
    mutants={
        "L_var alone": Property((_case("two clients, L_var", (2, 3, 1), 1.0, barrier=True),)),
        "from a start that prefers the client named first": _from_equal(flag("own"), sizes=_ORDERS[:1]),
    },
)

CLAIMS: tuple[Claim, ...] = (
    LP4,
    LP5,
    LP6,
    LP10,
    O2,
)
