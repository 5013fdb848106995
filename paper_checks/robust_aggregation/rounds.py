"""Local SGD as the paper's proofs see it: virtual models, every step of every path, and one step t looked at closely.

Flags, each a coordinate with one value: `local_steps` E; `eq1` 1 aggregates in the update t → t + 1 with t = 0 mod E,
0 at the end of a round (Algorithm 1); `by_p` 1 averages the virtual model between aggregations with p (eq. 2), 0 with
the round's weights; `over_all` 1 takes ρ̄ and ρ̃ over every t, 0 over t = 0 mod E; `ball` 1 bounds gradients on a ball
around w* that holds all models and optima, 0 at the points visited; `rule` 0 weights fixed in advance, 1 FedWorse,
2 FedBetter, 3 the client whose first noisy step of the round ends farthest from w*, 4 FedAvg-generalized; `late` 1 lets the step size drop in the
last step of a round only, 0 linearly over the round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper_checks.robust_aggregation.optima import optima_differ
from validation import Instance

__all__ = ["StepView", "curved", "excess", "optimum", "step_sizes", "watched"]

Float = NDArray[np.float64]


def curved(x: Instance, v: Any) -> Any:
    """Aᵢvᵢ with Aᵢ = Hᵢ diag(spectrumᵢ) Hᵢ, v (n, paths, N, d); Hᵢ the reflection along `mirror`, if any."""
    s = x["spectrum"][:, None]
    if "mirror" not in x:
        return s * v
    r = x["mirror"][:, None]
    size = (r**2).sum(axis=-1, keepdims=True)
    unit = 2.0 / np.where(size > 0, size, np.inf)

    def reflect(u: Any) -> Any:
        return u - unit * (r * u).sum(axis=-1, keepdims=True) * r

    return reflect(s * reflect(v))


def optimum(x: Instance) -> Any:
    """w* of F = Σpᵢ(w − mᵢ)ᵀAᵢ(w − mᵢ)/2, (n, d)."""
    p, m = x["share"], x["optimum"]
    n, n_clients, dim = m.shape
    eye = np.broadcast_to(np.eye(dim)[:, None, :], (n, dim, n_clients, dim))
    mixed = np.einsum("ni,ncir->nrc", p, curved(x, eye))
    pull = np.einsum("ni,nij->nj", p, curved(x, m[:, None])[:, 0])
    return np.linalg.solve(mixed, pull[..., None])[..., 0]


def step_sizes(x: Instance) -> Any:
    """ηₜ, (n, rounds·E): η₀ = first/L, falling by the factor `drop` of each round; see `late`.

    Where `harmonic` is given, ηₜ = 1/(μ(t + 4L/μ)) as in Corollary 1.
    """
    drop, n_local = x["drop"], int(x["local_steps"][0])
    if "harmonic" in x:
        mu, L = x["spectrum"].min(axis=(1, 2)), x["spectrum"].max(axis=(1, 2))
        return 1.0 / (mu[:, None] * np.arange(drop.shape[1] * n_local) + 4 * L[:, None])
    now = x["first"] / x["spectrum"].max(axis=(1, 2))
    columns = []
    for r in range(drop.shape[1]):
        for e in range(n_local):
            late = np.where(e == n_local - 1, drop[:, r], 1.0)
            even = 1.0 - (1.0 - drop[:, r]) * e / max(1, n_local - 1)
            factor = np.where(x["late"] > 0, late, even) if n_local > 1 else np.ones(len(now))
            columns.append(now * factor)
        now = columns[-1] * drop[:, r] if n_local == 1 else columns[-1]
    return np.stack(columns, axis=1)


@dataclass(frozen=True, eq=False)
class StepView:
    """The step t → t + 1 of every instance, over all K paths of its noise, and the constants of the run.

    chance (n, K); w, new (n, K, d) the virtual models wₜ, wₜ₊₁; local, slope, drawn (n, K, N, d) the local models, their
    gradients ∇Fᵢ and the stochastic gradients gᵢ; weights (n, K, N) αₜ; best (n, d) w*; skew, skew_best (n, K) ρ(t, wₜ)
    and ρ(t, w*); moved (n, K, N, d) the sum of ηₛgᵢ(wₛⁱ) over s from t₀ = ⌊t/E⌋E to t − 1.
    """

    chance: Any
    w: Any
    new: Any
    local: Any
    slope: Any
    drawn: Any
    weights: Any
    moved: Any
    best: Any
    skew: Any
    skew_best: Any
    constants: Mapping[str, Any]

    def mean(self, values: Any) -> Any:
        """Expectation over the paths of (n, K)."""
        return (self.chance * values).sum(axis=1)

    def averaged(self, values: Any) -> Any:
        """Σ αᵢ(·) of (n, K, N), or of (n, K, N, d)."""
        weights = self.weights if values.ndim == 3 else self.weights[..., None]
        return (weights * values).sum(axis=2)


def _signs(n_clients: int, n_steps: int, noisy: bool) -> Any:
    if not noisy:
        return np.zeros((1, n_steps, n_clients), dtype=bool)
    return np.array(list(product((False, True), repeat=n_steps * n_clients))).reshape(-1, n_steps, n_clients)


def _noise(x: Instance, signs: Any) -> tuple[Any, Any]:
    """(chance (n, K), noise (n, K, steps, N)): r with chance 1/(1 + r²), −1/r else; mean 0, second moment σᵢ²."""
    rare = x["rare"][:, None, None, None]
    values = np.where(signs[None], rare, -1.0 / rare) * x["sigma"][:, None, None, :]
    q = 1.0 / (1.0 + x["rare"][:, None] ** 2)
    ups = signs.sum(axis=(1, 2))[None]
    return q**ups * (1 - q) ** (signs[0].size - ups), values


def excess(x: Instance, at: Any) -> Any:
    """Fᵢ(w) − Fᵢ*, (n, K, N), at `at` (n, K, d) or (n, K, N, d)."""
    off = (at[:, :, None, :] if at.ndim == 3 else at) - x["optimum"][:, None]
    return 0.5 * (off * curved(x, off)).sum(axis=-1)


def _vertex(scores: Any) -> Any:
    return (np.arange(scores.shape[-1]) == np.argmax(scores, axis=-1)[..., None]).astype(float)


def watched(x: Instance) -> StepView:
    """Run the federation and keep what happens in the step `t` of each instance."""
    p, m, n_local = x["share"], x["optimum"], int(x["local_steps"][0])
    eq1, by_p, over_all = (bool(x[k][0]) for k in ("eq1", "by_p", "over_all"))
    rule, noisy, n_rounds = int(x["rule"][0]), "rare" in x, x["weights"].shape[1] - 1
    n, n_clients, dim = m.shape
    signs = _signs(n_clients, n_rounds * n_local, noisy)
    chance, noise = _noise(x, signs) if noisy else (np.ones((n, 1)), np.zeros((n, 1, 1, 1)))
    shape = (n, chance.shape[1], n_clients)
    best, etas = optimum(x), step_sizes(x)
    at_best = excess(x, best[:, None])
    gamma = (p * at_best[:, 0]).sum(axis=1)
    w = np.broadcast_to(x["start"][:, None], (n, shape[1], dim))
    local = np.broadcast_to(w[:, :, None], (*shape, dim))
    kept: dict[str, Any] = {}
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    far = ((m - best[:, None]) ** 2).sum(axis=-1).max(axis=1)
    g2 = np.zeros(n)
    variance = x["sigma"] ** 2 if noisy else np.zeros((n, n_clients))
    in_round = x["weights"][:, 0][:, None] + np.zeros(shape)

    def weigh(r: int, at: Any, ends: Any) -> Any:
        if rule == 0:
            return x["weights"][:, r][:, None] + np.zeros(shape)
        if rule == 4:
            return p[:, None] + np.zeros(shape)
        if rule == 3:
            return _vertex(((ends - best[:, None, None]) ** 2).sum(axis=-1))
        return _vertex(excess(x, at) * (1 if rule == 1 else -1))

    for t in range(n_rounds * n_local + 1):
        r, sync = t // n_local, t % n_local == 0
        last = t == n_rounds * n_local
        slope = curved(x, local - m[:, None])
        drawn = slope
        if noisy and not last:
            drawn = slope + np.concatenate([noise[:, :, t, :, None], np.zeros((*shape, dim - 1))], axis=-1)
        eta = etas[:, min(t, etas.shape[1] - 1)]
        ends = local - eta[:, None, None, None] * drawn
        if sync:
            in_round = weigh(r, w, ends)
            moved = np.zeros_like(ends)
        weights = in_round if sync or not by_p else p[:, None] + np.zeros(shape)
        if sync or over_all:
            above = excess(x, w)
            skew = (weights * above).sum(axis=2) / (p[:, None] * above).sum(axis=2)
            skew_best = (weights * at_best).sum(axis=2) / gamma[:, None]
            low, high = np.fmin(low, skew.min(axis=1)), np.fmax(high, skew_best.max(axis=1))
        far = np.maximum(far, ((local - best[:, None, None]) ** 2).sum(axis=-1).max(axis=(1, 2)))
        if last:
            break
        g2 = np.maximum(g2, ((slope**2).sum(axis=-1) + variance[:, None]).max(axis=(1, 2)))
        aggregates = sync if eq1 else (t + 1) % n_local == 0
        middle = p[:, None] + np.zeros(shape) if by_p else in_round
        new = ((in_round if aggregates else middle)[..., None] * ends).sum(axis=2)
        here = {"w": w, "new": new, "local": local, "slope": slope, "drawn": drawn, "weights": weights, "moved": moved}
        here |= {"eta": eta, "eta0": etas[:, r * n_local]}
        chosen = x["t"] == t
        for name, value in here.items() if chosen.any() else ():
            if name not in kept:
                kept[name] = np.array(value)
            else:
                kept[name][chosen] = value[chosen]
        w, moved = new, moved + eta[:, None, None, None] * drawn
        local = np.broadcast_to(new[:, :, None], local.shape) if aggregates else ends
    L = x["spectrum"].max(axis=(1, 2))
    in_ball = x["spectrum"].max(axis=2) ** 2 * 2 * (((m - best[:, None]) ** 2).sum(axis=-1) + far[:, None])
    reach = np.maximum((m**2).sum(axis=-1).max(axis=1), (x["start"] ** 2).sum(axis=-1))
    above = excess(x, kept["w"])
    below = (p[:, None] * above).sum(axis=2)
    with np.errstate(all="ignore"):
        skew = (kept["weights"] * above).sum(axis=2) / below
        skew_best = (kept["weights"] * at_best).sum(axis=2) / gamma[:, None]
    constants = {
        "eta": kept.pop("eta"),
        "eta0": kept.pop("eta0"),
        "mu": x["spectrum"].min(axis=(1, 2)),
        "L": L,
        "E": x["local_steps"],
        "G2": np.where(x["ball"] > 0, (in_ball + variance).max(axis=1), g2),
        "sigma2": variance.max(axis=1),
        "rho": low,
        "rho_best": high,
        "Gamma": gamma,
        "D": (chance * ((kept["w"] - best[:, None]) ** 2).sum(axis=-1)).sum(axis=1),
        "reach": np.maximum(reach, far),
        "admissible": optima_differ(p, m),
        "resolved": np.isfinite(low) & np.isfinite(high) & (gamma > 1e-13 * L * reach),
    }
    return StepView(chance, best=best, skew=skew, skew_best=skew_best, constants=constants, **kept)
