"""One SGD step for Lemma 1: the second local step of a round, t = 1, of quadratic and bent clients.

After the first step from a common `start`, whatever the samples were, client i stands at `local`ᵢ. W̄ = ΣaᵢWᵢ, and the
sums carry the weights b; with `kept` a = b, one weight vector a round. A quadratic client has a diagonal Hessian seen in
a mirror; a bent one has one curvature below its minimiser and another above it: strongly convex and smooth, and no quadratic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper_checks.exp_alpha.drawing import drawn, over, positive, ranging, signed
from paper_checks.exp_alpha.notation import Coordinates, Plain, Seen
from theory.exact import dot, quadratic_gradient, quadratic_optimum, weighted_sum
from validation import Case, Choice, Instance, LogScale, Signed, Simplex, Switch
from validation.world import World

__all__ = [
    "ENDS",
    "NO_NOISE",
    "SAME_WEIGHTS",
    "SHORT",
    "bent_gradient",
    "clients_of",
    "curvature_of",
    "one_step_sums",
    "step",
    "step_exact",
    "step_of",
    "steps",
]


Float = NDArray[np.float64]


def _reflected(mirror: Float, vectors: Float) -> Float:
    """(I − 2vvᵀ/‖v‖²) x on the last axis, v = `mirror`; v = 0 leaves x."""
    size = _dot(mirror, mirror)
    found: Float = vectors - mirror * (2 * _dot(mirror, vectors) / np.where(size > 0, size, 1))
    return found


def _dot(a: Float, b: Float) -> Float:
    """Σ aᵢbᵢ on the last axis, which stays: NumPy's sum over a short axis takes several times as long."""
    found: Float = np.einsum("...i,...i->...", a, b)[..., None]
    return found


@dataclass(frozen=True, eq=False)
class Clients:
    """Quadratic clients of many instances, arrays (n, n_clients, d)."""

    spectrum: Float
    mirror: Float
    optimum: Float
    share: Float

    def gradients(self, w: Float) -> Float:
        """∇Fᵢ at wᵢ, one point for each client."""
        return _reflected(self.mirror, self.spectrum * _reflected(self.mirror, w - self.optimum))

    def losses(self, w: Float) -> Float:
        """Fᵢ(wᵢ) − Fᵢ*, (n, n_clients)."""
        away = _reflected(self.mirror, w - self.optimum)
        return 0.5 * _dot(self.spectrum * away, away)[..., 0]

    def best(self) -> Float:
        """W* = argmin Σ pᵢFᵢ, (n, d)."""
        eye = np.broadcast_to(np.eye(self.spectrum.shape[-1]), (*self.spectrum.shape, self.spectrum.shape[-1]))
        columns = _reflected(
            self.mirror[..., None, :], self.spectrum[..., None, :] * _reflected(self.mirror[..., None, :], eye)
        )
        mixed = (self.share[..., None, None] * columns).sum(axis=1)
        pull = (
            self.share[..., None] * _reflected(self.mirror, self.spectrum * _reflected(self.mirror, self.optimum))
        ).sum(axis=1)
        found: Float = np.linalg.solve(mixed, pull[..., None])[..., 0]
        return found


def clients_of(x: Instance) -> Clients:
    """The quadratic clients of drawn instances."""
    return Clients(x["spectrum"], x["mirror"], x["optimum"], x["share"])


def curvature_of(spectrum: list[Any], mirror: list[Any]) -> list[list[Any]]:
    """H diag(spectrum) H for the reflection H = I - 2 v v^T / |v|^2, v = mirror; v = 0 leaves the diagonal."""
    dims, size = range(len(spectrum)), dot(mirror, mirror)
    h = [[Fraction(int(i == j)) - (2 * mirror[i] * mirror[j] / size if size else 0) for j in dims] for i in dims]
    return [[dot([h[i][k] * spectrum[k] for k in dims], h[j]) for j in dims] for i in dims]


def bent_gradient(low: Any, high: Any, m: Any, w: Any) -> Any:
    """F'(w) of a client of curvature `low` below m and `high` above."""
    return (high if w >= m else low) * (w - m)


def bent_optimum(low: list[Any], high: list[Any], m: list[Any], p: list[Any]) -> Any:
    """The zero of sum p_i F_i': linear between neighbouring minimisers."""
    clients = range(len(m))
    for kink in sorted(m, reverse=True):
        if sum(p[i] * bent_gradient(low[i], high[i], m[i], kink) for i in clients) <= 0:
            h = [p[i] * (high[i] if m[i] <= kink else low[i]) for i in clients]
            return sum(h[i] * m[i] for i in clients) / sum(h)
    raise ZeroDivisionError("no minimiser")


def _bent_best(x: Instance) -> Any:
    """W* of bent clients, (n, 1): the share-weighted gradient is linear between neighbouring minimisers."""
    low, high, m, p = x["low"], x["high"], x["optimum"][..., 0], x["share"]
    slope_of = p[:, None, :] * np.where(m[:, :, None] >= m[:, None, :], high[:, None, :], low[:, None, :])
    slope = (slope_of * (m[:, :, None] - m[:, None, :])).sum(axis=2)
    # Rounding must not make the slope positive at every minimiser: at the least one it is <= 0.
    row = np.argmax(np.where((slope <= 0) | (m == m.min(axis=1, keepdims=True)), m, -np.inf), axis=1)
    chosen = np.take_along_axis(slope_of, row[:, None, None], axis=1)[:, 0]
    return (chosen * m).sum(axis=1, keepdims=True) / chosen.sum(axis=1, keepdims=True)


def step(x: Instance, *, kept: bool, longest: float = 0.25, first: bool = False) -> Seen:
    """The sums Σbᵢ of Lemma 1's proof, and squared distances to W*, of noise L·`noise` where there is any.

    Losses above the minimum at W̄ (`now`), Wᵢ (`local`), W* (`about`); ⟨Wᵢ − W̄, ∇Fᵢ(W̄)⟩ (`lin`); ‖∇Fᵢ(W̄)‖² (`grad2`).
    W̄ᵗ⁺¹ from the local models (`after`), or W̄ᵗ − ηg (`virtual`), their distance (`residual`), and that with g weighted by
    a (`residual_past`). `first`, or `first_step`: the first step of the round, where all stand at `start`.
    """
    m, a, b = x["optimum"], x["weights"][:, 0, :, None], x["weights"][:, 0 if kept else 1, :, None]

    def everyone(w: Any) -> Any:
        return np.broadcast_to(w[:, None, :], m.shape)

    if "low" in x:
        best, mu = _bent_best(x), np.minimum(x["low"], x["high"]).min(axis=1)
        L = np.maximum(x["low"], x["high"]).max(axis=1)
    else:
        clients = clients_of(x)
        best, mu, L = clients.best(), x["spectrum"].min(axis=(1, 2)), x["spectrum"].max(axis=(1, 2))

    def curved(w: Any) -> Any:
        return np.where(w >= m, x["high"][..., None], x["low"][..., None])

    def gradients(w: Any) -> Any:
        return curved(w) * (w - m) if "low" in x else clients.gradients(w)

    def losses(w: Any) -> Any:
        return 0.5 * (curved(w) * (w - m) ** 2)[..., 0] if "low" in x else clients.losses(w)

    def mean(weights: Any, values: Any) -> Any:
        return (weights[..., 0] * values).sum(axis=1)

    W = everyone(x["start"]) if first else x["local"]
    if "first_step" in x:
        W = np.where((x["first_step"] > 0)[:, None, None], everyone(x["start"]), W)
    bar, eta, noise = (a * W).sum(axis=1), x["step"] / L, L[:, None, None] * x.get("noise", np.zeros_like(W))
    away, slope, drawn = W - bar[:, None], gradients(everyone(bar)), gradients(W) + noise
    now, there, long = losses(everyone(bar)), losses(everyone(best)), eta[:, None]
    after = (b * (W - eta[:, None, None] * drawn)).sum(axis=1)
    virtual, past = bar - long * (b * drawn).sum(axis=1), bar - long * (a * drawn).sum(axis=1)
    found = {"after": ((after - best) ** 2).sum(axis=1), "virtual": ((virtual - best) ** 2).sum(axis=1)}
    found |= {"residual": ((after - virtual) ** 2).sum(axis=1), "residual_past": ((after - past) ** 2).sum(axis=1)}
    found |= {"before": ((bar - best) ** 2).sum(axis=1), "drift": mean(b, _dot(away, away)[..., 0])}
    found |= {"lin": mean(b, _dot(away, slope)[..., 0]), "now": mean(b, now), "local": mean(b, losses(W))}
    found |= {"about": mean(b, there), "Omega": np.minimum(mean(a, losses(everyone(x["start"]))), mean(b, now))}
    found |= {
        "Gamma": np.maximum(mean(a, there), mean(b, there)),
        "deviation": ((b * noise).sum(axis=1) ** 2).sum(axis=1),
    }
    found |= {"eta": eta, "mu": mu, "L": L, "grad2": mean(b, _dot(slope, slope)[..., 0])}
    return {**found, "admissible": x["step"] <= longest}


def step_exact(x: Seen, *, kept: bool, longest: float = 0.25, first: bool = False) -> Plain:
    """Every sum, client by client; bent clients where x has `low`, else quadratics."""
    n, m, a, b = len(x["share"]), x["optimum"], x["weights"][0], x["weights"][0 if kept else 1]
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

    def apart(u: list[Any], v: list[Any]) -> Any:
        return sum((p - q) ** 2 for p, q in zip(u, v, strict=True))

    def moved(u: list[Any], v: list[Any]) -> list[Any]:
        return [p - x["step"] / L * q for p, q in zip(u, v, strict=True)]

    def excess(i: int, w: list[Any]) -> Any:
        return dot(gradient(i, w), [p - q for p, q in zip(w, m[i], strict=True)]) / 2

    W = [x["start"] for i in range(n)] if first or x.get("first_step", 0) > 0 else x["local"]
    noise = x.get("noise", [[Fraction(0) for _ in u] for u in m])
    bar, exact = weighted_sum(a, W), [gradient(i, W[i]) for i in range(n)]
    drawn = [[g + L * z for g, z in zip(exact[i], noise[i], strict=True)] for i in range(n)]
    after, virtual = weighted_sum(b, [moved(W[i], drawn[i]) for i in range(n)]), moved(bar, weighted_sum(b, drawn))
    away = [[p - q for p, q in zip(w, bar, strict=True)] for w in W]
    now, there = [excess(i, bar) for i in range(n)], [excess(i, best) for i in range(n)]
    start = sum(a[i] * excess(i, x["start"]) for i in range(n))
    met = {
        "A1, A2: curvatures in [mu, L], mu > 0": mu > 0,
        "0 < eta <= limit / L": 0 < x["step"] <= Fraction(longest),
        "shares and weights on the simplex": all(sum(r) == 1 and min(r) >= 0 for r in (x["share"], *x["weights"])),
    }
    found = {"after": apart(after, best), "virtual": apart(virtual, best), "residual": apart(after, virtual)}
    found |= {"residual_past": apart(after, moved(bar, weighted_sum(a, drawn))), "before": apart(bar, best)}
    found |= {"eta": x["step"] / L, "mu": mu, "L": L}
    found |= {"lin": sum(b[i] * dot(away[i], gradient(i, bar)) for i in range(n))}
    found |= {"grad2": sum(b[i] * dot(gradient(i, bar), gradient(i, bar)) for i in range(n))}
    found |= {"drift": sum(b[i] * dot(away[i], away[i]) for i in range(n))}
    found |= {"deviation": apart(weighted_sum(b, drawn), weighted_sum(b, exact)), "now": dot(b, now)}
    found |= {"local": sum(b[i] * excess(i, W[i]) for i in range(n)), "about": dot(b, there)}
    found |= {"Omega": min(start, dot(b, now)), "Gamma": max(dot(a, there), dot(b, there))}
    return met, found


def _kept(x: Instance) -> Instance:
    if "weights" not in x:
        return {**x, "kept": np.ones_like(x["kept"])}
    return {**x, "weights": np.broadcast_to(x["weights"][:, :1], x["weights"].shape)}


SAME_WEIGHTS = Switch("one weight vector a round", "ρᵗ is the same at every step of a round", _kept)
NO_NOISE = Switch(
    "no noise", "full local gradients", lambda x: {**x, "noise": np.zeros_like(x["noise"])} if "noise" in x else x
)


ENDS = (1e-2, 1.0, 1e2)
SHORT = LogScale("step", 1e-3, 0.25, at=(0.25, 0.1))  # ηL


def step_of(
    N: int,
    d: int,
    *,
    kept: bool = False,
    noisy: bool = False,
    curved: bool = False,
    longest: float = 0.25,
    first: bool | None = False,
    each: float = 12.0,
    least: float = 1.0,
) -> Case:
    """The step of N clients in d dimensions; `first` None: it may be the first of the round or not. Cost N·d/`each`."""
    bends = (positive("low", N, at=ENDS), positive("high", N, at=(1.0, 1e2)))
    of: Coordinates = (
        *(bends if curved else (positive("spectrum", N, d, at=ENDS), Signed("mirror", 1e-2, 1.0, (N, d)))),
    )
    of += (signed("optimum", N, d), Simplex("share", N), Simplex("weights", N, (1 if kept else 2,)), signed("start", d))
    of += (*((signed("local", N, d),) if first is not True else ()), *((signed("noise", N, d),) if noisy else ()))
    of += (LogScale("step", 1e-3, longest, at=(longest, 0.25, 0.1)),)
    of += (*((Choice("first_step", (0.0, 1.0)),) if first is None else ()),)
    told: dict[str, Any] = {"cost": max(least, N * d / each), "scaled": {"noise": (0, 1)}}
    told |= {"kept": kept, "longest": longest, "first": first is True}
    return drawn(f"{N} {'bent' if curved else 'quadratic'} clients, d = {d}", of, step, step_exact, **told)


def steps(name: str, *, fewest: int = 1, most: int = 50, least: float = 3.2, **chosen: Any) -> World:
    """Quadratic clients in up to 8 dimensions; `chosen` as `step_of` takes it."""
    return ranging(name, partial(step_of, each=4.0, least=least, **chosen), N=(fewest, most, 2), d=(1, 8, 1))


def one_step_sums(*, kept: bool = False, longest: float = 0.25, largest: int = 300) -> World:
    """Quadratic clients in up to 8 dimensions, and bent ones on the line; ηL up to `longest`, no noise."""
    of = partial(step_of, kept=kept, longest=longest)
    return over(
        ranging("quadratic clients", of, N=(1, largest, 2), d=(1, 8, 1)), *(of(n, 1, curved=True) for n in (1, 2, 5))
    )
