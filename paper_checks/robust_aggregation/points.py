"""Quadratic clients, each at its own point: every left side of the pathwise steps of A.2, one number a line.

`line` says which: 1 A1b, 2 A1c, 3 A1d, 4 and 5 the two inequalities of A3, 6 to 9 the four lines on A₆, each with the line
before it on the left, 10 the line A₆ itself, 11 A7c; 12 and 13 the first and the last line on A₆ with their negative
terms moved to the other side (3 and 11 too, so that both sides are positive). In the lines on A₆ wₜ is Σαᵢwₜⁱ.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.robust_aggregation.rounds import curved, excess, optimum
from paper_checks.robust_aggregation.rounds_exact import between, curvature, losses
from theory.exact import (
    dot,
    matvec,
    quadratic_gradient,
    quadratic_loss,
    quadratic_optimum,
    solve,
    weighted_sum,
)
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["DEGREES", "USES", "at_points", "at_points_exact", "at_points_sides"]

DEGREES = {
    **dict.fromkeys(("eta",), (-1, 2)),
    **dict.fromkeys(("mu", "L"), (1, -2)),
    **dict.fromkeys(("S", "far", "gap"), (0, 2)),
    **dict.fromkeys(("X", "Y", "Delta", "cross", "towards", "at_other"), (1, 0)),
    **dict.fromkeys(("slopes2", "mean2"), (2, -2)),
    "rho": (0, 0),
}


_AVERAGED = (6, 7, 8, 9, 10, 12, 13)  # lines whose wₜ is the weighted mean of the local models


def at_points_sides(x: Instance) -> Mapping[str, Any]:
    """All sums of the proof at given points, and the left side of the line `line`; arrays of instances."""
    a, m, own = x["weights"], x["optimum"], x["local"]
    line = int(x["line"][0])
    w = (a[..., None] * own).sum(axis=1) if line in _AVERAGED else x["model"]
    ref = optimum({**x, "share": a}) if line == 11 else x["other"]
    L, mu = x["spectrum"].max(axis=(1, 2)), x["spectrum"].min(axis=(1, 2))
    eta, rho = x["step"] / L, x["rho"]

    def averaged(values: Any) -> Any:
        return (a * values).sum(axis=1)

    slope, slope_w = (curved(x, (v - m)[:, None])[:, 0] for v in (own, w[:, None]))
    here = excess(x, own[:, None])[:, 0]
    at_w, at_ref = (excess(x, v[:, None])[:, 0] for v in (w, ref))
    move = own - w[:, None]
    S, X, Delta = averaged((move**2).sum(axis=-1)), averaged(here), averaged(at_w)
    far = averaged(((own - ref[:, None]) ** 2).sum(axis=-1))
    slopes2 = averaged((slope**2).sum(axis=-1))
    mean2 = ((a[..., None] * slope).sum(axis=1) ** 2).sum(axis=-1)
    cross = averaged((slope_w * move).sum(axis=-1))
    down = 2 * eta * (1 - 2 * L * eta)
    a6 = -down * X
    line_b = down * (cross + mu / 2 * S) + down * Delta
    line_c = down * (eta * L * Delta + (1 / (2 * eta) - mu / 2) * S) + down * Delta
    line_d = -down * (1 - eta * L) * Delta + (1 - 2 * L * eta) * (1 / (2 * eta) - mu / 2) * S
    left = {
        1: 2 * eta * averaged((move * slope).sum(axis=-1)),
        2: eta**2 * slopes2,
        3: 2 * eta * (X + mu / 2 * far),
        4: eta**2 * mean2,
        5: eta**2 * slopes2,
        6: a6,
        7: line_b,
        8: line_c,
        9: line_d,
        10: a6,
        11: eta * (1 - 2 * L * eta) * (1 - eta * L) * mu * rho * ((w - ref) ** 2).sum(axis=-1),
        12: down * (cross + mu / 2 * S + Delta),
        13: down * (1 - eta * L) * Delta,
    }[line]
    reach = (
        sum((v**2).sum(axis=-1) for v in (w, ref)) + (m**2).sum(axis=-1).max(axis=1) + (own**2).sum(axis=-1).max(axis=1)
    )
    return {
        "lhs": left,
        "eta": eta,
        "mu": mu,
        "L": L,
        "rho": rho,
        "S": S,
        "far": far,
        "X": X,
        "Y": X - averaged(at_ref),
        "Delta": Delta,
        "cross": cross,
        "slopes2": slopes2,
        "mean2": mean2,
        "towards": averaged(((own - ref[:, None]) * slope).sum(axis=-1)),
        "at_other": averaged(at_ref),
        "gap": ((w - ref) ** 2).sum(axis=-1),
        "magnitude": eta * L * reach,
    }


def at_points_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All sums of the proof at given points, and the left side of one of its lines."""
    a, m, own, line = x["weights"], x["optimum"], x["local"], int(x["line"])
    w = weighted_sum(a, own) if line in (6, 7, 8, 9, 10, 12, 13) else x["model"]
    mirrors = x.get("mirror", [[Fraction(0)] * len(w) for _ in a])
    A = [curvature(s, v) for s, v in zip(x["spectrum"], mirrors, strict=True)]
    ref = quadratic_optimum(a, A, m) if line == 11 else x["other"]
    L, mu, rho = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"]), x["rho"]
    eta = x["step"] / L
    clients = range(len(a))
    slope = [quadratic_gradient(A[i], m[i], own[i]) for i in clients]
    away = [[p - q for p, q in zip(v, w, strict=True)] for v in own]
    X = dot(a, losses(A, m, own))
    Delta = dot(a, losses(A, m, [w for _ in clients]))
    best = dot(a, losses(A, m, [ref for _ in clients]))
    S = dot(a, [between(v, w) for v in own])
    far = dot(a, [between(v, ref) for v in own])
    slopes2 = dot(a, [dot(g, g) for g in slope])
    mean = weighted_sum(a, slope)
    cross = sum(a[i] * dot(quadratic_gradient(A[i], m[i], w), away[i]) for i in clients)
    from_ref = sum(a[i] * dot([p - q for p, q in zip(own[i], ref, strict=True)], slope[i]) for i in clients)
    half = 1 / (2 * eta) - mu / 2
    printed = -2 * eta * (2 * L * eta - 1) * Delta
    left = {
        1: 2 * eta * sum(a[i] * dot(away[i], slope[i]) for i in clients),
        2: eta**2 * slopes2,
        3: 2 * eta * (X + mu * far / 2),
        4: eta**2 * dot(mean, mean),
        5: eta**2 * slopes2,
        6: 2 * eta * (2 * L * eta - 1) * X,
        7: 2 * eta * (1 - 2 * L * eta) * (cross + mu * S / 2) + printed,
        8: 2 * eta * (1 - 2 * L * eta) * (eta * L * Delta + half * S) + printed,
        9: 2 * eta * (2 * L * eta - 1) * (1 - eta * L) * Delta + (1 - 2 * L * eta) * half * S,
        10: 2 * eta * (2 * L * eta - 1) * X,
        11: eta * (1 - 2 * eta * L) * (1 - L * eta) * mu * rho * between(w, ref),
        12: 2 * eta * (1 - 2 * L * eta) * (cross + mu * S / 2 + Delta),
        13: 2 * eta * (1 - 2 * L * eta) * (1 - eta * L) * Delta,
    }
    hypotheses = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": mu > 0,
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "eta <= 1/(4L) where the proof supposes it": eta > 0 and (line < 6 or 4 * L * eta <= 1),
        "rho >= 0": rho >= 0,
    }
    constants = {"eta": eta, "mu": mu, "L": L, "rho": rho, "S": S, "far": far, "X": X, "Y": X - best, "Delta": Delta}
    constants |= {"cross": cross, "slopes2": slopes2, "mean2": dot(mean, mean), "gap": between(w, ref)}
    constants |= {"towards": from_ref, "at_other": best}
    return hypotheses, {**constants, "lhs": left[line]}


USES = (
    dot,
    matvec,
    solve,
    weighted_sum,
    quadratic_loss,
    quadratic_gradient,
    quadratic_optimum,
    between,
    curvature,
    losses,
)
_UNITS = {"spectrum": (1, -2), "optimum": (0, 1), "model": (0, 1), "local": (0, 1), "other": (0, 1)}


def at_points(line: int, *, scaled: bool = True) -> Family:
    """Clients with any weights, at any points; step sizes up to 1/(4L) for the lines on A₆ and A₇, else up to 10/L."""
    largest = 0.25 if line >= 6 else 10.0

    def at(N: float, d: float) -> Case:
        n, dim = int(N), int(d)
        turned: tuple[Coordinate, ...] = (Signed("mirror", 1e-2, 1.0, (n, dim)),) if dim > 1 else ()
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                *turned,
                Signed("optimum", 1e-3, 1e2, (n, dim)),
                Simplex("weights", n),
                *(() if line in _AVERAGED else (Signed("model", 1e-3, 1e2, (dim,)),)),
                Signed("local", 1e-3, 1e2, (n, dim)),
                Signed("other", 1e-3, 1e2, (dim,)),
                LogScale("step", 1e-4, largest, at=(1e-4, 1e-2, largest)),
                LogScale("rho", 1e-3, 1e3, at=(1.0,)),
                Choice("line", (float(line),)),
            )
        )
        every = {"spectrum": 0, "optimum": 0, "weights": 0, "local": 0} | ({"mirror": 0} if dim > 1 else {})
        same = [permuted_clients(every), split_client(every, ("weights",))]
        if scaled:
            same.append(units({k: v for k, v in _UNITS.items() if k != "model" or line not in _AVERAGED}))
        return Case(
            f"clients at any points, N = {n}, d = {dim}",
            space,
            at_points_sides,
            ExactCheck(at_points_exact, USES),
            cost=max(1.0, n * dim / 40),
            symmetries=tuple(same),
        )

    return Family("clients at any points", (Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)
