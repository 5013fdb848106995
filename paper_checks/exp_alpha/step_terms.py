"""The sums that (19)–(21) of Lemma 1's proof are made of, at one local step: quadratic clients and bent ones.

Every client stands at its own model Wᵢ; W̄ = Σaᵢ Wᵢ, and the sums carry the weights b. With `kept` a = b, one weight
vector a round. `now`, `local`, `about`: Σbᵢ(Fᵢ − Fᵢ*) at W̄, Wᵢ and W*. Bent clients have one curvature below their
minimiser and another above it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.bent_clients import bent_gradient, bent_optimum
from paper_checks.exp_alpha.one_step import clients_of, curvature_of
from theory.exact import dot, matvec, quadratic_gradient, quadratic_optimum, solve, weighted_sum
from validation import (
    Bound,
    Case,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["DEGREES", "EXACT_TERMS", "step_inequality", "terms_exact"]

Exact = Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]

_LOSSES = ("gain", "lin", "now", "local", "about", "above", "Omega", "Gamma")
DEGREES = {
    **dict.fromkeys(_LOSSES, (1, 0)),
    "grad2": (2, -2),
    "spread": (0, 2),
    "eta": (-1, 2),
    "bend": (-1, 2),
    "L": (1, -2),
}


def terms_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], dict[str, Any]]:
    """Every sum, client by client; bent clients where x has `low`, else quadratics."""
    n, m, W, a = len(x["share"]), x["optimum"], x["local"], x["weights"][0]
    b = a if "kept" in x else x["weights"][1]
    if "low" in x:
        low, high = x["low"], x["high"]
        best = [bent_optimum(low, high, [u[0] for u in m], x["share"])]
        mu, L = min([*low, *high]), max([*low, *high])
    else:
        A = [curvature_of(s, v) for s, v in zip(x["spectrum"], x["mirror"], strict=True)]
        best = quadratic_optimum(x["share"], A, m)
        mu, L = min(min(s) for s in x["spectrum"]), max(max(s) for s in x["spectrum"])

    def gradient(i: int, w: list[Any]) -> list[Any]:
        if "low" in x:
            return [bent_gradient(low[i], high[i], m[i][0], w[0])]
        return quadratic_gradient(A[i], m[i], w)

    def excess(i: int, w: list[Any]) -> Any:
        return dot(gradient(i, w), [p - q for p, q in zip(w, m[i], strict=True)]) / 2

    bar, eta = weighted_sum(a, W), x["step"] / L
    away = [[p - q for p, q in zip(w, bar, strict=True)] for w in W]
    now, there = [excess(i, bar) for i in range(n)], [excess(i, best) for i in range(n)]
    local = [excess(i, W[i]) for i in range(n)]
    start = sum(a[i] * excess(i, x["start"]) for i in range(n))
    met = {
        "A1, A2: curvatures in [mu, L], mu > 0": mu > 0,
        "0 < eta <= limit / L": 0 < x["step"] <= (1 if "long" in x else Fraction(1, 4)),
        "shares and weights on the simplex": all(
            sum(r) == 1 and min(r) >= 0 for r in (x["share"], x["weights"][0], x["weights"][1])
        ),
    }
    return met, {
        "eta": eta,
        "L": L,
        "bend": 2 * eta * (1 - 2 * L * eta),
        "lin": sum(b[i] * dot(away[i], gradient(i, bar)) for i in range(n)),
        "gain": sum(b[i] * (local[i] - now[i]) for i in range(n)),
        "grad2": sum(b[i] * dot(gradient(i, bar), gradient(i, bar)) for i in range(n)),
        "spread": sum(b[i] * dot(away[i], away[i]) for i in range(n)),
        "now": dot(b, now),
        "local": dot(b, local),
        "about": dot(b, there),
        "above": sum(b[i] * (now[i] - there[i]) for i in range(n)),
        "Omega": min(start, dot(b, now)),
        "Gamma": max(dot(a, there), dot(b, there)),
    }


EXACT_TERMS = (
    dot,
    matvec,
    weighted_sum,
    solve,
    quadratic_gradient,
    quadratic_optimum,
    curvature_of,
    bent_gradient,
    bent_optimum,
    terms_exact,
)


def _bent_best(x: Instance) -> Any:
    """W* of bent clients, (n, 1): the share-weighted gradient is linear between neighbouring minimisers."""
    low, high, m, p = x["low"], x["high"], x["optimum"][..., 0], x["share"]
    slope_of = p[:, None, :] * np.where(m[:, :, None] >= m[:, None, :], high[:, None, :], low[:, None, :])
    slope = (slope_of * (m[:, :, None] - m[:, None, :])).sum(axis=2)
    # Rounding must not make the slope positive at every minimiser: at the least one it is <= 0.
    row = np.argmax(np.where((slope <= 0) | (m == m.min(axis=1, keepdims=True)), m, -np.inf), axis=1)
    chosen = np.take_along_axis(slope_of, row[:, None, None], axis=1)[:, 0]
    return (chosen * m).sum(axis=1, keepdims=True) / chosen.sum(axis=1, keepdims=True)


def _terms(x: Instance) -> dict[str, Any]:
    m, W, a = x["optimum"], x["local"], x["weights"][:, 0]
    b = a if "kept" in x else x["weights"][:, 1]

    def everyone(w: Any) -> Any:
        return np.broadcast_to(w[:, None, :], m.shape)

    if "low" in x:
        best, L = _bent_best(x), np.maximum(x["low"], x["high"]).max(axis=1)
    else:
        clients = clients_of(x)
        best, L = clients.best(), x["spectrum"].max(axis=(1, 2))

    def curved(w: Any) -> Any:
        return np.where(w >= m, x["high"][..., None], x["low"][..., None])

    def gradients(w: Any) -> Any:
        return curved(w) * (w - m) if "low" in x else clients.gradients(w)

    def losses(w: Any) -> Any:
        return 0.5 * (curved(w) * (w - m) ** 2)[..., 0] if "low" in x else clients.losses(w)

    bar = (a[..., None] * W).sum(axis=1)
    away, slope, eta = W - bar[:, None], gradients(everyone(bar)), x["step"] / L
    now, there, local = losses(everyone(bar)), losses(everyone(best)), losses(W)
    reach = np.maximum(
        np.abs(W).max(axis=(1, 2)), np.maximum(np.abs(m).max(axis=(1, 2)), np.abs(x["start"]).max(axis=1))
    )
    return {
        "eta": eta,
        "L": L,
        "bend": 2 * eta - 4 * L * eta**2,
        "lin": (b * (away * slope).sum(axis=-1)).sum(axis=1),
        "gain": (b * (local - now)).sum(axis=1),
        "grad2": (b * (slope**2).sum(axis=-1)).sum(axis=1),
        "spread": (b * (away**2).sum(axis=-1)).sum(axis=1),
        "now": (b * now).sum(axis=1),
        "local": (b * local).sum(axis=1),
        "about": (b * there).sum(axis=1),
        "above": (b * (now - there)).sum(axis=1),
        "Omega": np.minimum((a * losses(everyone(x["start"]))).sum(axis=1), (b * now).sum(axis=1)),
        "Gamma": np.maximum((a * there).sum(axis=1), (b * there).sum(axis=1)),
        "reach": reach,
    }


def _space(n: int, d: int, *, bent: bool, extra: tuple[Any, ...]) -> Space:
    shape = LogScale("low", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)), LogScale("high", 1e-2, 1e2, (n,), at=(1.0, 1e2))
    plain = LogScale("spectrum", 1e-2, 1e2, (n, d), at=(1e-2, 1.0, 1e2)), Signed("mirror", 1e-2, 1.0, (n, d))
    longest = 1.0 if any(c.name == "long" for c in extra) else 0.25
    return Space(
        (
            *(shape if bent else plain),
            Signed("optimum", 1e-2, 1e2, (n, d)),
            Simplex("share", n),
            Simplex("weights", n, (2,)),
            Signed("start", 1e-2, 1e2, (d,)),
            Signed("local", 1e-2, 1e2, (n, d)),
            LogScale("step", 1e-3, longest, at=(longest, 0.25, 0.1)),
            *extra,
        )
    )


def step_inequality(
    bound: Bound,
    left: Callable[[Mapping[str, Any]], Any],
    exact: Exact,
    degrees: tuple[int, int],
    extra: tuple[Any, ...] = (),
    *,
    largest: int = 300,
) -> Inequality:
    """`left` of the measured sums <= bound; `exact` says the same of `terms_exact`. `extra`: a `kept` or `long` flag."""

    def case(N: float, d: float, *, bent: bool) -> Case:
        def measure(x: Instance) -> Mapping[str, Any]:
            c = _terms(x)
            # The size of the rounding errors, in the units of the left side.
            size = c["L"] * c["reach"] ** 2 * (c["eta"] if degrees == (0, 2) else 1.0)
            return {**c, "lhs": left(c), "magnitude": size}

        uses = tuple(f for f in EXACT_TERMS if f is not exact)
        names = ("optimum", "share", "local", *(("low", "high") if bent else ("spectrum", "mirror")))
        scale = dict.fromkeys(("low", "high") if bent else ("spectrum",), (1, -2))
        same = (
            permuted_clients({**dict.fromkeys(names, 0), "weights": 1}),
            units({**scale, **dict.fromkeys(("optimum", "start", "local"), (0, 1))}),
        )
        words = f"{int(N)} {'bent' if bent else 'quadratic'} clients, d = {int(d)}"
        drawn = _space(int(N), int(d), bent=bent, extra=extra)
        return Case(words, drawn, measure, ExactCheck(exact, uses), cost=max(1.0, N * d / 12), symmetries=same)

    sizes = (Size("N", 1, largest, 2), Size("d", 1, 8, 1))
    plain = Family("quadratic clients", sizes, lambda N, d: case(N, d, bent=False))
    return Inequality(bound, (plain, *(case(n, 1, bent=True) for n in (1, 2, 5))), degrees=degrees)
