"""SSA-LP10, SSA-O2: the losses are not convex in the weights, so where weight learning starts may decide its end."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.algorithm import projected, pull_exact
from paper_checks.fedssa.views import flag, float_views, missed, slack, ssa_parts, view_case
from theory.rules.simplex import project_on_simplex
from theory.ssa import gradient_ssa, loss_cos, loss_var, loss_we
from validation import Case, Choice, Claim, Instance, LogScale, Property, Simplex
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]


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

CLAIMS: tuple[Claim, ...] = (LP10, O2)
