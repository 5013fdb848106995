"""One local step a round on the line, any horizon: two phases of weights fixed in advance, all times at once.

`turn` is the share of the horizon that the first weights last; `ahead` 1 takes ρ̄ and ρ̃ over the rounds up to T, 0 over those
before T, 2 over a run that goes on for ever: ρ̄ as for 1, ρ̃ at least ρ̄, as it then is for any weights (RA-D7). `ball` 1 bounds gradients on a ball
around w* that holds all models and optima, 0 at the points visited. `loose` ≥ 1: L may exceed the largest curvature.
With `sigma` the weights are pᵢ and the noise has these second moments; `shared` 1 gives all clients the same noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.optima import optima_differ
from theory.exact import dot
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

__all__ = ["LONG", "long_exact", "long_runs", "long_view"]


def _variance(x: Instance, eta: Any, pull: Any, p: Any) -> Any:
    """Var wₜ for t = 0 … T under αᵢ = pᵢ, (n, T + 1)."""
    own, all_alike = (p**2 * x["sigma"] ** 2).sum(axis=1), (p * x["sigma"]).sum(axis=1) ** 2
    each = np.where(x["shared"] > 0, all_alike, own)
    out = [np.zeros(len(each))]
    for t in range(eta.shape[1]):
        out.append((1 - eta[:, t] * pull) ** 2 * out[-1] + eta[:, t] ** 2 * each)
    return np.stack(out, axis=1)


def long_view(x: Instance) -> Mapping[str, Any]:
    """E F(w_T) − F* as `lhs`, E‖w_T − w*‖² as `D`, and the constants of the run."""
    h, m, T = x["spectrum"], x["optimum"], int(x["horizon"][0])
    noisy = "sigma" in x
    p = x["share"]
    a = np.stack([p, p], axis=1) if noisy else x["weights"]
    L, mu = x["loose"] * h.max(axis=1), h.min(axis=1)
    eta = 1.0 / (mu[:, None] * np.arange(T) + 4 * L[:, None])
    pulls = (a * h[:, None]).sum(axis=-1)
    goals = (a * (h * m)[:, None]).sum(axis=-1) / pulls
    pull, best = (p * h).sum(axis=1), (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    spreads = (a * h[:, None] * (m[:, None] - goals[..., None]) ** 2).sum(axis=-1)
    Gamma = (p * h * (m - best[:, None]) ** 2).sum(axis=1) / 2
    until = np.floor(x["turn"] * T)[:, None]
    t = np.arange(T + 1)[None]
    first = np.cumprod(np.concatenate([np.ones((len(h), 1)), 1 - eta * pulls[:, :1]], axis=1), axis=1)
    late = np.where(np.arange(T)[None] < until, 1.0, 1 - eta * pulls[:, 1:])
    second = np.cumprod(np.concatenate([np.ones((len(h), 1)), late], axis=1), axis=1)
    start = best + x["aim"]
    early = goals[:, :1] + (start[:, None] - goals[:, :1]) * first
    at_turn = np.take_along_axis(early, until.astype(int), axis=1)
    w = np.where(t <= until, early, goals[:, 1:] + (at_turn - goals[:, 1:]) * second)
    variance = _variance(x, eta, pull, p) if noisy else np.zeros_like(w)
    gap = w - best[:, None]
    q = (t >= until).astype(int)
    above = np.take_along_axis(pulls, q, axis=1) * (w - np.take_along_axis(goals, q, axis=1)) ** 2
    below = np.where(Gamma > 0, 2 * Gamma, np.inf)[:, None]  # an instance with Γ = 0 is not admissible
    skew = (above + np.take_along_axis(spreads, q, axis=1)) / (pull[:, None] * gap**2 + below)
    skew_best = (pulls * (best[:, None] - goals) ** 2 + spreads) / below
    upto = (t < T) | (x["ahead"] > 0)[:, None]
    low = np.where(upto, skew, np.inf).min(axis=1)
    used = np.stack([until[:, 0] > 0, (until[:, 0] < T) | (x["ahead"] > 0)], axis=1)
    high = np.where(used, skew_best, -np.inf).max(axis=1)
    if noisy:
        low, high = np.ones_like(low), np.ones_like(high)
    far = np.maximum(np.abs(gap).max(axis=1), np.abs(m - best[:, None]).max(axis=1))
    reach = h.max(axis=1) * (far**2 + best**2)
    ball = (h**2 * (far[:, None] + np.abs(m - best[:, None])) ** 2).max(axis=1)
    ends = np.stack([w[:, :T].min(axis=1), w[:, :T].max(axis=1)], axis=1)
    visited = ((h[:, None] * (ends[..., None] - m[:, None])) ** 2).max(axis=(1, 2))
    if noisy:
        second_moment = (h[:, None] * (w[:, :T, None] - m[:, None])) ** 2
        second_moment = second_moment + h[:, None] ** 2 * variance[:, :T, None] + x["sigma"][:, None] ** 2
        visited = second_moment.max(axis=(1, 2))
    distance = gap[:, T] ** 2 + variance[:, T]
    endless, defined = x["ahead"] > 1, (low > 0) & optima_differ(p, m[..., None])
    low = np.where(defined, low, 1.0)
    return {
        "lhs": (gap := pull / 2 * distance),
        "gap": gap,
        "D": distance,
        "D0": x["aim"] ** 2,
        "L": L,
        "mu": mu,
        "tau": np.ones_like(L),
        "T": np.full_like(L, T),
        "G2": np.where(x["ball"] > 0, ball, visited),
        "sigma2": (x["sigma"] ** 2).max(axis=1) if noisy else np.zeros_like(L),
        "Gamma": Gamma,
        "rho": low,
        "rho_best": np.where(endless, np.fmax(high, low), high),
        "magnitude": reach,
        "admissible": defined,
        "resolved": Gamma > 1e-13 * (p * h * m**2).sum(axis=1),
    }


def long_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same run step by step."""
    h, m, p, T = x["spectrum"], x["optimum"], x["share"], int(x["horizon"])
    noisy = "sigma" in x
    sigma = x["sigma"] if noisy else [Fraction(0) for _ in h]
    phases = [p, p] if noisy else x["weights"]
    L, mu, clients = x["loose"] * max(h), min(h), range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / dot(p, h)
    at_best = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    Gamma, w, variance, until = dot(p, at_best), best + x["aim"], Fraction(0), int(x["turn"] * T)
    each = dot(p, sigma) ** 2 if x.get("shared", 0) > 0 else sum((p[i] * sigma[i]) ** 2 for i in clients)
    skews, skews_best, G2, far = [], [], Fraction(0), [abs(v - best) for v in m]
    for t in range(T + 1):
        a = phases[0] if t < until else phases[1]
        losses = [h[i] * (w - m[i]) ** 2 / 2 for i in clients]
        far.append(abs(w - best))
        if t < T or x["ahead"] > 0:
            skews.append(dot(a, losses) / dot(p, losses))
            skews_best.append(dot(a, at_best) / Gamma)
        if t == T:
            break
        slopes = [h[i] * (w - m[i]) for i in clients]
        G2 = max([G2] + [slopes[i] ** 2 + h[i] ** 2 * variance + sigma[i] ** 2 for i in clients])
        eta = 1 / (mu * (t + 4 * L / mu))
        w, variance = w - eta * dot(a, slopes), (1 - eta * dot(p, h)) ** 2 * variance + eta**2 * each
    if x["ball"] > 0:
        G2 = max(h[i] ** 2 * (max(far) + abs(m[i] - best)) ** 2 for i in clients)
    if noisy:
        skews, skews_best = [Fraction(1)], [Fraction(1)]
    if x["ahead"] > 1:
        skews_best = [*skews_best, min(skews)]
    hypotheses = {
        "mu-strong convexity and L-smoothness": 0 < mu <= max(h) <= L,
        "p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *phases]),
        "the weighting skew is defined (Remark 2)": Gamma > 0,
        "rho > 0, so that V is defined": min(skews) > 0,
    }
    distance = (w - best) ** 2 + variance
    constants = {"D": distance, "D0": x["aim"] ** 2, "L": L, "mu": mu, "tau": Fraction(1), "T": Fraction(T), "G2": G2}
    constants |= {"sigma2": max(s**2 for s in sigma), "Gamma": Gamma, "rho": min(skews), "rho_best": max(skews_best)}
    gap = dot(p, h) * distance / 2
    return hypotheses, {**constants, "lhs": gap, "gap": gap}


LONG = (dot,)
_UNITS = {"spectrum": (1, -2), "optimum": (0, 1), "aim": (0, 1), "sigma": (1, -1)}
Measure = Callable[[Instance], Mapping[str, Any]]


def long_runs(
    ahead: float,
    ball: bool,
    noisy: bool = False,
    most: int = 10_000,
    measure: Measure = long_view,
    exact: ExactCheck | None = None,
    *,
    scaled: bool = True,
    least: float = 1.0,
) -> Family:
    """Runs of T rounds of one step, T to `most`; `measure` and `exact` may add to `long_view` and `long_exact`.

    `least`: the smallest cost.
    """

    def at(N: float, T: float) -> Case:
        n, horizon = int(N), int(T)
        free: tuple[Coordinate, ...] = (
            (LogScale("sigma", 1e-3, 1e2, (n,), at=(1e-3, 1.0, 1e2)), Choice("shared", (0.0, 1.0)))
            if noisy
            else (Simplex("weights", n, (2,)),)
        )
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                LogScale("loose", 1.0, 1e3, at=(1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (n,)),
                Signed("aim", 1e-3, 1e2),
                Simplex("share", n),
                *free,
                Choice("turn", (0.0, 0.25, 0.5, 0.75, 1.0)),
                Choice("horizon", (float(horizon),)),
                Choice("ahead", (ahead,)),
                Choice("ball", (float(ball),)),
            )
        )
        axes = {"spectrum": 0, "optimum": 0, "share": 0, **({"sigma": 0} if noisy else {"weights": 1})}
        same = [permuted_clients(axes), *([] if noisy else [split_client(axes, ("share", "weights"))])]
        return Case(
            f"one step a round, N = {n}, T = {horizon}" + (", noise, αᵢ = pᵢ" if noisy else ""),
            space,
            measure,
            exact or ExactCheck(long_exact, LONG),
            cost=max(least, n / 40, horizon * (n if noisy else 1) / 100),
            symmetries=(*((units(_UNITS),) if scaled else ()), *same),
        )

    sizes = (Size("N", 2, 8 if noisy else 300, 3), Size("T", 1, most, 2, ladder=True))
    return Family("one step a round" + (", noise" if noisy else ""), sizes, at)
