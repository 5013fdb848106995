"""App. A, Remarks A.6 and A.7: the bound as a function of the weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.theorem import PRINTED, bound_again
from theory.quantities import weight_discrepancy
from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Identity,
    Inequality,
    Instance,
    Integer,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
    units,
)
from validation.world.stated import stated

__all__ = ["CLAIMS"]

DEGREES = {
    **dict.fromkeys(("tau", "T", "C", "A", "W_D", "square_weights"), (0, 0)),
    **dict.fromkeys(("B", "noise"), (2, -2)),
    "eta": (-1, 2),
    "L": (1, -2),
    "drop": (1, 0),
}
_BOUND = Bound(PRINTED.expression, bound_again, DEGREES)


def _weightings(x: Instance) -> tuple[Any, Any, Any]:
    """p, the weights compared with it, and the reference (p, or the point towards equal weights).

    `mix` moves from p towards the drawn weights. `target`: p on client 1, w equal. `even`: p equal. `turned`: the move from p
    to equal weights, reflected in the hyperplane of a drawn normal; the reference is the move itself.
    """
    p, v, s = x["share"], x["weights"], x["mix"][:, None]
    equal = np.full_like(p, 1 / p.shape[1])
    if "target" in x:
        return np.eye(p.shape[1])[np.zeros(len(p), dtype=int)], equal, np.eye(p.shape[1])[np.zeros(len(p), dtype=int)]
    if "even" in x:
        p = equal
    if "turned" in x:
        normal = x["normal"] - x["normal"].mean(axis=1, keepdims=True)
        length = np.maximum((normal**2).sum(axis=1, keepdims=True), 1e-300)
        move = s * (equal - p)
        return p, p + move - 2 * normal * (normal * move).sum(axis=1, keepdims=True) / length, p + move
    return p, p + s * (v - p), p


def _sides(x: Instance) -> Mapping[str, Any]:
    """The right side of A.5 at the reference against that at w; `swapped`: the other way round."""
    p, w, reference = _weightings(x)
    low, high = (w, reference) if "swapped" in x else (reference, w)
    t, L, A, B = x["local_steps"], x["L"], x["A"], x["B"]
    eta, s2 = x["reach"] / (t * L), x["noise"] * (0.0 if "quiet" in x else 1.0)
    C = 2 * (t - 1) / t * x["reach"] ** 2
    start = 2 * x["drop"] / (t * eta * x["n_rounds"])

    def whole(a: Any) -> tuple[Any, Any]:
        gap = weight_discrepancy(a, p)
        below = 1 - gap - 2 * A * C / (1 - C)
        above = start + B * gap + 2 * x["reach"] / t * s2 * (a**2).sum(axis=1)
        return above + (2 * (t - 1) / t**2 * x["reach"] ** 2 * s2 + 2 * B * C) / (1 - C), below

    above, below = whole(low)
    other = whole(high)[1]
    met = (np.abs(below) > 1e-9) & (np.abs(other) > 1e-9) if "any_sign" in x else (below > 1e-9) & (other > 1e-9)
    gap = weight_discrepancy(high, p)
    return {
        "lhs": above / below,
        "tau": t,
        "eta": eta,
        "T": x["n_rounds"],
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": gap,
        "drop": x["drop"],
        "noise": s2,
        "square_weights": (high**2).sum(axis=1),
        "admissible": met,
        "magnitude": np.abs(above / below) + np.abs(above) / np.maximum(np.abs(other), 1e-9),
    }


def weightings_exact(x: Mapping[str, Any]) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """p, the weights w and the reference, entry by entry."""
    p, n = list(x["share"]), len(x["share"])
    equal = [Fraction(1, n)] * n
    if "target" in x:
        p = [Fraction(1)] + [Fraction(0)] * (n - 1)
        return p, equal, p
    if "even" in x:
        p = equal
    if "turned" in x:
        mean = sum(x["normal"]) / n
        normal = [v - mean for v in x["normal"]]
        move = [x["mix"] * (e - a) for e, a in zip(equal, p, strict=True)]
        length = sum(v * v for v in normal)
        factor = 2 * sum(a * b for a, b in zip(normal, move, strict=True)) / length if length else Fraction(0)
        turned = [a + m - factor * v for a, m, v in zip(p, move, normal, strict=True)]
        return p, turned, [a + m for a, m in zip(p, move, strict=True)]
    return p, [a + x["mix"] * (v - a) for a, v in zip(p, x["weights"], strict=True)], p


def sides_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """T_1 + ... + T_5 over 1 - C - 2AC - W_D (1 - C) at the reference, and the constants at w."""
    p, w, reference = weightings_exact(x)
    low, high = (w, reference) if "swapped" in x else (reference, w)
    tau, L, A, B, K, T = x["local_steps"], x["L"], x["A"], x["B"], len(p), x["n_rounds"]
    eta, s2 = x["reach"] / (tau * L), Fraction(0) if "quiet" in x else x["noise"]
    C = 2 * tau * (tau - 1) * eta**2 * L**2

    def gap(a: list[Fraction]) -> Fraction:
        return 2 * K * sum(((u - v) ** 2 for u, v in zip(p, a, strict=True)), Fraction(0))

    def below(a: list[Fraction]) -> Fraction:
        return Fraction(1 - C - 2 * A * C - gap(a) * (1 - C))

    above = 2 * (1 - C) * x["drop"] / (tau * eta * T) + (1 - C) * B * gap(low)
    above += 2 * (1 - C) * L * eta * s2 * sum(v * v for v in low) + 2 * (tau - 1) * s2 * L**2 * eta**2 + 2 * B * C
    met = {
        "eta L <= 1/(2 tau)": 0 < 2 * tau * eta * L <= 1,
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "w sums to one": sum(w) == 1,
        "denominators positive (where asked)": "any_sign" in x or min(below(low), below(high)) > 0,
    }
    return met, {
        "lhs": above / below(low),
        "tau": Fraction(tau),
        "eta": eta,
        "T": Fraction(T),
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": gap(high),
        "drop": x["drop"],
        "noise": s2,
        "square_weights": sum((v * v for v in high), Fraction(0)),
    }


def _parts(x: Instance) -> Mapping[str, Any]:
    """W_D and T₂ at p, and by how much the denominator at w is above that at p; `least`: 2K times the largest gap."""
    p, w, _ = _weightings(x)
    t = x["local_steps"]
    C = 2 * (t - 1) / t * x["reach"] ** 2
    gap, none = weight_discrepancy(w, p), weight_discrepancy(p, p)
    if "least" in x:
        return {"lhs": 2 * p.shape[1] * ((p - w) ** 2).max(axis=1) - gap, "magnitude": 1 + gap}
    more = (1 - C - 2 * x["A"] * C - gap * (1 - C)) - (1 - C - 2 * x["A"] * C - none * (1 - C))
    return {"lhs": np.maximum(np.maximum(none, (1 - C) * x["B"] * none), more), "magnitude": 1 + gap}


def parts_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """W_D and T_2 at w = p, and the denominator at w less that at p; with `least` 2 K max gap^2 - W_D."""
    p, w, _ = weightings_exact(x)
    tau = x["local_steps"]
    C = 2 * (1 - 1 / Fraction(tau)) * x["reach"] ** 2
    gap = 2 * len(p) * sum(((a - b) ** 2 for a, b in zip(p, w, strict=True)), Fraction(0))
    met = {"eta L <= 1/(2 tau)": 0 < 2 * x["reach"] <= 1, "p on the simplex": sum(p) == 1 and min(p) >= 0}
    if "least" in x:
        return met, {"lhs": 2 * len(p) * max((a - b) ** 2 for a, b in zip(p, w, strict=True)) - gap}
    return met, {"lhs": max(Fraction(0), -gap * (1 - C))}


def _family(
    measure: Callable[..., Any], exact: Callable[..., Any], flags: tuple[str, ...], *, least: int = 1
) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = Space(
            (
                Simplex("share", n),
                Simplex("weights", n),
                LogScale("mix", 1e-4, 1.0, at=(1.0, 0.1)),
                *((Signed("normal", 1e-1, 1e1, (n,)),) if "turned" in flags else ()),
                Integer("local_steps", 1, 100, at=(2,)),
                LogScale("reach", 1e-3, 0.5, at=(0.1,)),
                LogScale("L", 1e-1, 1e1, at=(1.0,)),
                LogScale("noise", 1e-2, 1e4, at=(1.0,)),
                LogScale("A", 1e-1, 1e1, at=(1.0,)),
                LogScale("B", 1e-4, 1e2, at=(1.0,)),
                LogScale("drop", 1e-4, 1e2, at=(1.0,)),
                Integer("n_rounds", 1, 10_000, at=(100,)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        scaled = units({"L": (1, -2), "noise": (2, -2), "B": (2, -2), "drop": (1, 0)})
        clients = {"share": 0, "weights": 0, **({"normal": 0} if "turned" in flags else {})}
        same = (scaled, permuted_clients(clients))
        check = ExactCheck(exact, (weightings_exact,))
        return Case(f"{n} clients", drawn, measure, check, max(1.0, n / 100), False, same)

    return Family("two weightings of one federation", (Size("K", least, 300, 3),), at)


def two_weightings(*flags: str) -> Inequality:
    """A.5's right side at w = p (or with `turned` on the way from p to equal weights) is at most that at w."""
    least = 2 if "target" in flags else 1
    return Inequality(_BOUND, (_family(_sides, sides_exact, flags, least=least),), degrees=(2, -2))


def mismatch(*flags: str) -> Property:
    """W_D = 0, T₂ = 0 and the largest denominator at w = p; `least`: W_D is at least 2K times the largest squared gap."""
    return Property((_family(_parts, parts_exact, flags),), degrees=(0, 0))


def _limits(x: Instance) -> Mapping[str, Any]:
    """‖∇F‖² where runs with w = p settle less that with the weights drawn: quadratic clients of the line, no noise."""
    h, m, p, w = x["curvature"], x["optimum"], x["share"], x["weights"]
    E = x["local_steps"][:, None]
    moved = 1 - (1 - x["reach"][:, None] / E * h / h.max(axis=1, keepdims=True)) ** E

    def slope(a: Any) -> Any:
        rest = (a * moved * m).sum(axis=1) / (a * moved).sum(axis=1)
        return (p * h * (rest[:, None] - m)).sum(axis=1) ** 2

    size = (h.max(axis=1) * np.abs(m).max(axis=1)) ** 2
    return {"lhs": slope(p) - slope(w), "magnitude": size}


def limits_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The fixed points of the round map for weights p and w; F_k = h_k/2 (theta - m_k)^2, tau exact steps."""
    h, m, p, tau = x["curvature"], x["optimum"], x["share"], int(x["local_steps"])
    n, eta, slopes = len(h), x["reach"] / (x["local_steps"] * max(h)), []
    moved = [1 - (1 - eta * c) ** tau for c in h]
    for a in (p, x["weights"]):
        rest = sum(a[k] * moved[k] * m[k] for k in range(n)) / sum(a[k] * moved[k] for k in range(n))
        slopes.append(sum(p[k] * h[k] * (rest - m[k]) for k in range(n)) ** 2)
    met = {
        "p and w on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, x["weights"])),
        "eta L <= 1/(2 tau)": 0 < 2 * x["reach"] <= 1 and min(h) > 0,
    }
    return met, {"lhs": slopes[0] - slopes[1]}


def limits(*, one_step: bool) -> Property:
    """Runs with w = p settle where the gradient of F is smallest; `one_step`: τ = 1."""

    def at(K: float) -> Case:
        n = int(K)
        drawn = Space(
            (
                LogScale("curvature", 1e-2, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e1, (n,)),
                Simplex("share", n),
                Simplex("weights", n),
                LogScale("reach", 1e-2, 0.5, at=(0.5,)),
                Choice("local_steps", (1.0,) if one_step else (2.0, 5.0, 20.0)),
            )
        )
        every = dict.fromkeys(("curvature", "optimum", "share", "weights"), 0)
        same = (units({"curvature": (1, -2), "optimum": (0, 1)}), permuted_clients(every))
        return Case(f"{n} clients", drawn, _limits, ExactCheck(limits_exact), max(1.0, n / 60), False, same)

    return Property((Family("runs without noise", (Size("K", 1, 100, 3),), at),), degrees=(2, -2))


_QUIET = two_weightings("quiet")

RA6 = stated(
    r"""SSA-RA6 (remark; Remark A.6): The bound is tightest at w = p
    Print: w=p\ \Rightarrow\ W_D=0,\ T_2=0,\ \text{largest denominator, and the right side of A.5 is smallest}
    Plainly: With weights equal to the objective's coefficients W_D and T₂ vanish, and the bound is the tightest.
    Assumes: p and w on the simplex | everything but w the same
    Reading: the formula as it stands | Denominators of any sign. | part: tightest | cut denominator = negative |
      because: nothing in A.5 keeps the denominator positive
    Reading: denominators positive | The right side at p is at most that at any w on the simplex with a positive
      denominator, too. | part: tightest | because: T₃ carries Σw², which is smallest at equal weights
    Reading: denominators positive and no noise | σ² = 0. | part: tightest | condition: denominators positive |
      condition: σ² = 0
    Reading: denominators positive and equal coefficients | pₖ = 1/K, any noise. | part: tightest | condition:
      denominators positive | condition: p_k = 1/K | met by: the Uniform target of NIID-1, p_k = n_k = 1/5 (Sec. 5.4,
      (3): FedAvg's weights «are appropriate»), with a step for which 1 − C − 2AC > 0
    Reading: W_D, T₂ and the denominator only | W_D = T₂ = 0 at p and the denominator is largest there. | part: W_D,
      T₂ and the denominator
    Mutant: p and w exchanged | without noise W_D > 0 makes the numerator larger and the denominator smaller
    Mutant: p and w exchanged, equal coefficients | equal weights have the least Σw² as well
    Tight: w = p
    Rests on: SSA-TA5, SSA-D2, SSA-D4, SSA-S23
    Verdict: That the bound is the tightest at w = p needs conditions that are not printed: positive denominators and
      equal coefficients, pₖ = 1/K (or no noise). The Uniform target of NIID-1, pₖ = nₖ = 1/5, meets them, with a step
      for which 1 − C − 2AC > 0. The other facts are right as printed: at w = p W_D and T₂ are 0 and the denominator
      is largest. But T₃ carries σ²Σwₖ², which is smallest at equal weights. For p not uniform a small step from p
      towards equal weights lowers T₃ to first order and raises the rest to second order only (SSA-S23), so with any
      noise the bound is smaller somewhere else (by up to an eighth in the search). Where the denominator at w is
      negative, so is the right side.""",
    two_weightings("any_sign"),
    readings={
        "denominators positive": two_weightings(),
        "denominators positive and no noise": _QUIET,
        "denominators positive and equal coefficients": two_weightings("even"),
        "W_D, T₂ and the denominator only": mismatch(),
    },
    mutants={
        "p and w exchanged": two_weightings("quiet", "swapped"),
        "p and w exchanged, equal coefficients": two_weightings("even", "swapped"),
    },
)

RA7 = stated(
    r"""SSA-RA7 (remark; Remark A.7): FedAvg's weights make the bound looser
    Print: w_k:=n_k\ne p_k\ \Rightarrow\ W_D>0\ \text{and the right side of A.5 is larger than at }w=p
    Plainly: With weights by data size, different from p, W_D is positive and the bound is looser.
    Assumes: n any point of the simplex | everything but w the same
    Reading: the formula as it stands, the paper's example | p on client 1 and equal data sizes, K >= 2; denominators
      of any sign. | part: looser | cut denominator = negative
    Reading: denominators positive | Any p and n with both denominators positive. | part: looser | because: FedAvg's
      Σn² may be smaller than Σp², and T₃ with it
    Reading: denominators positive and no noise | σ² = 0. | part: looser | condition: denominators positive |
      condition: σ² = 0 | because: no algorithm or experiment of the paper uses full gradients
    Reading: W_D > 0 | W_D is at least 2K times the largest squared gap. | part: W_D > 0
    Mutant: p and w exchanged | without noise W_D > 0 makes the numerator larger and the denominator smaller
    Tight: n = p
    Rests on: SSA-RA6, SSA-TA5
    Verdict: W_D > 0 is true, looser is refuted: with noise and both denominators positive the bound can be smaller at
      n than at p. The reason is T₃, as n may have the smaller Σwₖ². Without noise and with positive denominators the
      remark holds, but no algorithm or experiment of the paper uses full gradients. Equal coefficients, under which
      SSA-RA6 holds, do not help: no setting of the paper has pₖ = 1/K and n ≠ p. In the paper's own example, p on one
      client and equal sizes, W_D = 2(K − 1) >= 2, the denominator is negative for every K >= 2 and the right side
      negative, so that no comparison is possible (for the targets Imb-A and Imb-B in NIID-1 W_D is about 2.8 and 2.2,
      so the same is true there).""",
    two_weightings("any_sign", "target"),
    readings={
        "denominators positive": two_weightings(),
        "denominators positive and no noise": _QUIET,
        "W_D > 0": mismatch("least"),
    },
    mutants={
        "p and w exchanged": two_weightings("quiet", "swapped"),
    },
)

D5 = stated(
    r"""SSA-D5 (remark; Appendix A, after Remark A.7): Weights that minimise the bound
    Print: \exists\,w^\star\ \text{minimising the right side of A.5},\qquad w^\star_k\approx p_k
    Plainly: Some weights minimise the bound, and weights close to p are to be sought.
    Assumes: denominators positive unless said | weights that sum to one
    Reading: a minimiser exists | Of all weights equally far from p those on the way to equal weights have the
      smallest bound, so the minimum is one over a segment, and the bound tends to ∞ where the denominator vanishes. |
      because: it lies on the way from p to equal weights, within 1/√(2K) of p
    Reading: it is p | Ours here: exactly p, where the sentence says wₖ ≈ pₖ; Remark A.6 has the exact form (SSA-RA6).
      | ours: exact where the print says w_k ≈ p_k; the exact form is Remark A.6, judged at SSA-RA6
    Reading: it is p, the formula as it stands | Ours here: exactly p, and denominators of any sign. | ours: exact
      where the print says w_k ≈ p_k; the sign of the denominator is judged at SSA-TA5 and SSA-D4
    Reading: p is best for the error itself | Ours, the print speaks of the bound: ‖∇F‖² where noiseless runs settle,
      w = p against any other weights, τ = 2, 5, 20. | ours: the print says «minimizes the optimization bound», not
      the error
    Reading: p is best for the error, τ = 1 | Ours as well: one local step, no noise. | condition: τ = 1 | condition:
      no noise | ours: the print says «minimizes the optimization bound», not the error
    Mutant: away from equal weights | at the same distance from p the weights turned away have the larger Σw²
    Tight: w = p without noise, p uniform
    Rests on: SSA-RA6, SSA-RA7
    Verdict: It holds: where the denominator is positive at p some weights minimise the bound, and they are near p,
      never farther than 1/√(2K). They lie between p and equal weights, nearer to p the smaller the noise; the
      distance is limited because W_D < 1 is needed. That the minimiser is exactly p, true without noise or for equal
      coefficients, is Remark A.6 and judged there (SSA-RA6); here the print says wₖ ≈ pₖ. Of the error itself the
      print says nothing: with τ > 1 and unequal curvatures runs with w = p do not settle at the minimiser of F, and
      other weights do better; with τ = 1 and no noise none do.""",
    two_weightings("turned"),
    readings={
        "it is p": two_weightings(),
        "it is p, the formula as it stands": two_weightings("any_sign"),
        "p is best for the error itself": limits(one_step=False),
        "p is best for the error, τ = 1": limits(one_step=True),
    },
    mutants={
        "away from equal weights": two_weightings("turned", "swapped"),
    },
)

# near = 1 − C, below = 1 − C − 2AC, level = 2(1 − C)Lησ², rest = T₁ + T₄ + T₅: none of them depends on w.
B, near, below, level, rest = symbols("B near below level rest")
# Of p and v only Σp², ⟨p, v⟩ and ‖v‖² occur, for any number K of clients.
K, _OF_P, _TURN, _LENGTH = symbols("K squares_p p_v squares_v")
eps = sp.Symbol("eps")
_GAP = 2 * K * eps**2 * _LENGTH
_POWER = _OF_P + 2 * eps * _TURN + eps**2 * _LENGTH
_RIGHT = (rest + near * B * _GAP + level * _POWER) / (below - near * _GAP)
_FIRST = 2 * level * _TURN / below
_AT_P = rest + level * _OF_P
_FLAT = 2 * _LENGTH * (level + 2 * K * near * B) / below
_SECOND = _FLAT + 4 * K * _LENGTH * near * _AT_P / below**2
_SAMPLE = tuple(Fraction(1, k) for k in (2, 3, 5))

S23 = stated(
    r"""SSA-S23 (remark; Right side of Theorem A.5): The bound around w = p
    Print: \frac{d}{d\epsilon}\Big|_0\mathrm{RHS}(p+\epsilon v)=\frac{4(1-C)L\eta\sigma^2\langle p,v\rangle}{1-C
      -2AC},\quad\frac{d^2}{d\epsilon^2}\Big|_0>0
    Plainly: The bound's slope at w = p in a direction v is proportional to σ²⟨p, v⟩; its second derivative is
      positive.
    Assumes: Σvₖ = 0, any number of clients | T₁, T₄, T₅, C and 1 − C − 2AC do not depend on w
    Reading: first derivative | Only T₃ contributes. | part: first derivative
    Reading: second derivative | T₂, T₃ and the denominator; a sum of positive terms where 1 − C − 2AC > 0. | part:
      second derivative
    Mutant: p stationary | the slope of Σwₖ² at p in the direction v is 2⟨p, v⟩
    Mutant: second derivative without the denominator's part | the denominator falls by 2K‖v‖²(1 − C)ε²
    Rests on: SSA-TA5
    Verdict: T₂ and the denominator are flat at w = p, T₃ is not: its slope is 4(1−C)Lησ²⟨p, v⟩, which vanishes in all
      directions only for equal pₖ or σ = 0. So p is no stationary point of the bound in general.""",
    Identity(sp.diff(_RIGHT, eps).subs(eps, 0), _FIRST, _SAMPLE),
    readings={
        "second derivative": Identity(sp.diff(_RIGHT, eps, 2).subs(eps, 0), _SECOND, _SAMPLE),
    },
    mutants={
        "p stationary": Identity(sp.diff(_RIGHT, eps).subs(eps, 0), sp.Integer(0), _SAMPLE),
        "second derivative without the denominator's part": Identity(
            sp.diff(_RIGHT, eps, 2).subs(eps, 0), _FLAT, _SAMPLE
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (
    RA6,
    RA7,
    D5,
    S23,
)
