"""The right side of Theorem A.5 at two weightings of the same federation, and where runs without noise settle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.theorem_a5 import PRINTED, bound_again
from theory.quantities import weight_discrepancy
from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
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
    units,
)

__all__ = ["DEGREES", "limits", "mismatch", "two_weightings"]

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
