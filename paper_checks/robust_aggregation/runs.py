"""Local SGD as the paper's proofs see it: virtual models, every step of every path, and one step t looked at closely.

What is chosen: `E` local steps and `R` rounds; `eq1` aggregates in the update t → t + 1 with t = 0 mod E, else at the
end of a round (Algorithm 1); `by_p` averages the virtual model between aggregations with p (eq. 2), else with the
round's weights; `over_all` takes ρ̄ and ρ̃ over every t, else over t = 0 mod E; `ball` bounds gradients on a ball around w*
that holds all models and optima, else at the points visited; `harmonic` takes ηₜ = 1/(μ(t + 4L/μ)); `common` puts all
optima at 0; `terms` adds those of the proofs; `rule`: weights given for each round, FedAvg, FedWorse, FedBetter, or all on the client whose first noisy
step of the round ends farthest from w*. `late` 1 lets the step size drop in a round's last step only, 0 over the round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import NOTATION
from theory.exact import dot, matvec, quadratic_gradient, quadratic_loss, quadratic_optimum, solve, weighted_sum
from validation import Case, Family, Instance, Mechanism, Size, World, case, permuted_clients, split_client, units
from validation.statement.instances.draw import Choice, Coordinate, Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.world.mechanisms import always

__all__ = [
    "BY_P",
    "EQ1",
    "ROUND",
    "RUN",
    "Convention",
    "between",
    "curvature",
    "curved",
    "noisy",
    "optima_differ",
    "optimum",
    "plain",
    "run",
    "run_exact",
    "runs",
    "step",
    "world",
]

Pair = tuple[Mapping[str, bool], Mapping[str, Any]]


def curvatures(x: Instance) -> Callable[[Any], Any]:
    """v ↦ Aᵢvᵢ with Aᵢ = Hᵢ diag(spectrumᵢ) Hᵢ, v (n, paths, N, d); Hᵢ the reflection along `mirror`, if any."""
    s = x["spectrum"][:, None]
    if "mirror" not in x:
        return lambda v: s * v
    r = x["mirror"][:, None]
    size = (r**2).sum(axis=-1, keepdims=True)
    unit = 2.0 / np.where(size > 0, size, np.inf)

    def reflect(u: Any) -> Any:
        return u - unit * (r * u).sum(axis=-1, keepdims=True) * r

    return lambda v: reflect(s * reflect(v))


def curved(x: Instance, v: Any) -> Any:
    """Aᵢvᵢ, as `curvatures`."""
    return curvatures(x)(v)


def optimum(x: Instance, share: Any) -> Any:
    """w* of Σpᵢ(w − mᵢ)ᵀAᵢ(w − mᵢ)/2, (n, d)."""
    m = x["optimum"]
    n, n_clients, dim = m.shape
    eye = np.broadcast_to(np.eye(dim)[:, None, :], (n, dim, n_clients, dim))
    mixed = np.einsum("ni,ncir->nrc", share, curved(x, eye))
    pull = np.einsum("ni,nij->nj", share, curved(x, m[:, None])[:, 0])
    return np.linalg.solve(mixed, pull[..., None])[..., 0]


def optima_differ(share: Any, m: Any) -> Any:
    """Whether two clients with a share have different optima: (n, N) and (n, N, d) -> (n,)."""
    held = (share > 0)[..., None]
    return (np.where(held, m, np.inf).min(axis=1) < np.where(held, m, -np.inf).max(axis=1)).any(axis=-1)


def _step_sizes(x: Instance, E: int, R: int, harmonic: bool) -> Any:
    """ηₜ, (n, R·E): η₀ = first/L, falling by the factor `drop` of each round; or those of Corollary 1."""
    mu, L = x["spectrum"].min(axis=(1, 2)), x["spectrum"].max(axis=(1, 2))
    if harmonic:
        return 1.0 / (mu[:, None] * np.arange(R * E) + 4 * L[:, None])
    now, steps, rounds = (x["first"] / L)[:, None], np.arange(E), []
    for r in range(R):
        drop = x["drop"][:, r, None]
        late, even = np.where(steps == E - 1, drop, 1.0), 1.0 - (1.0 - drop) * steps / max(1, E - 1)
        rounds.append(now * np.where(x["late"][:, None] > 0, late, even) if E > 1 else now)
        now = rounds[-1] * drop if E == 1 else rounds[-1][:, -1:]
    return np.concatenate(rounds, axis=1)


def _paths(x: Instance, n_steps: int, n_clients: int) -> tuple[Any, Any]:
    """(chance (n, K), noise (n, K, steps, N)): r with chance 1/(1 + r²), −1/r else; mean 0, second moment σᵢ²."""
    if "rare" not in x:
        return np.ones((len(x["share"]), 1)), np.zeros((1, 1, n_steps, n_clients))
    signs = _signs(n_steps, n_clients)
    rare, ups = x["rare"][:, None, None, None], signs.sum(axis=(1, 2))[None]
    q = 1.0 / (1.0 + x["rare"][:, None] ** 2)
    noise = np.where(signs[None], rare, -1.0 / rare) * x["sigma"][:, None, None, :]
    return q**ups * (1 - q) ** (signs[0].size - ups), noise


@cache
def _signs(n_steps: int, n_clients: int) -> Any:
    """Every outcome of the noise, (K, steps, N): whether it is the rare one."""
    return np.array(list(product((False, True), repeat=n_steps * n_clients))).reshape(-1, n_steps, n_clients)


def _vertex(scores: Any) -> Any:
    return (np.arange(scores.shape[-1]) == np.argmax(scores, axis=-1)[..., None]).astype(float)


def _square(v: Any) -> Any:
    return (v**2).sum(axis=-1)


def run(
    x: Instance,
    *,
    E: int,
    R: int,
    eq1: bool = False,
    by_p: bool = False,
    over_all: bool = False,
    ball: bool = False,
    harmonic: bool = False,
    common: bool = False,
    rule: str = "given",
    terms: bool = True,
) -> dict[str, Any]:
    """All quantities of the step `t` → `t` + 1, each of shape (n,); expectations over all paths of two-point noise."""
    p, m = x["share"], x["optimum"] if not common else 0 * x["spectrum"]
    x = {**x, "optimum": m}
    n, n_clients, dim = m.shape
    chance, noise = _paths(x, R * E, n_clients)
    shape = (n, chance.shape[1], n_clients)
    best, etas, L = optimum(x, p), _step_sizes(x, E, R, harmonic), x["spectrum"].max(axis=(1, 2))
    variance = x["sigma"] ** 2 if "rare" in x else np.zeros((n, n_clients))
    shares, bend = p[:, None] + np.zeros(shape), curvatures(x)

    def excess(at: Any, centers: Any = m) -> Any:
        """Fᵢ − Fᵢ*, (n, K, N), at (n, K, d) or (n, K, N, d)."""
        off = (at[:, :, None, :] if at.ndim == 3 else at) - centers[:, None]
        return 0.5 * (off * bend(off)).sum(axis=-1)

    at_best = excess(best[:, None])
    Gamma = (p * at_best[:, 0]).sum(axis=1)

    def weigh(r: int, above: Any, ends: Any) -> Any:
        if rule == "given":
            return x["weights"][:, r][:, None] + np.zeros(shape)
        if rule == "FedAvg":
            return shares
        if rule == "farthest":
            return _vertex(_square(ends - best[:, None, None]))
        return _vertex(above * (1 if rule == "FedWorse" else -1))

    w = np.broadcast_to(x["start"][:, None], (n, shape[1], dim))
    local = np.broadcast_to(w[:, :, None], (*shape, dim))
    kept: dict[str, Any] = {}
    low, high, g2, far = np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n), _square(m - best[:, None]).max(axis=1)
    in_round, moved, together = shares, np.zeros((*shape, dim)), True
    with np.errstate(all="ignore"):
        for t in range(R * E + 1):
            r, sync, last = t // E, t % E == 0, t == R * E
            off = local - m[:, None]
            slope = drawn = bend(off)
            if "rare" in x and not last:
                drawn = slope + np.concatenate([noise[:, :, t, :, None], np.zeros((*shape, dim - 1))], axis=-1)
            eta = etas[:, min(t, R * E - 1)]
            ends = local - eta[:, None, None, None] * drawn
            if sync or over_all:
                above = 0.5 * (off * slope).sum(axis=-1) if together else excess(w)
            if sync:
                in_round, moved = weigh(r, above, ends), np.zeros_like(ends)
            weights = in_round if sync or not by_p else shares
            if sync or over_all:
                skew = (weights * above).sum(axis=2) / (p[:, None] * above).sum(axis=2)
                low = np.fmin(low, skew.min(axis=1))
                high = np.fmax(high, ((weights * at_best).sum(axis=2) / Gamma[:, None]).max(axis=1))
            apart = w - best[:, None] if together else (local - best[:, None, None]).reshape(n, -1, dim)
            far = np.maximum(far, _square(apart).max(axis=1))
            if last:
                break
            if not ball:
                g2 = np.maximum(g2, (_square(slope) + variance[:, None]).max(axis=(1, 2)))
            aggregates = sync if eq1 else (t + 1) % E == 0
            new = ((in_round if aggregates or not by_p else shares)[..., None] * ends).sum(axis=2)
            here = {"w": w, "new": new, "local": local, "slope": slope, "drawn": drawn, "weights": weights}
            here |= {"moved": moved, "eta": eta, "eta0": etas[:, r * E]}
            chosen = x["t"] == t
            for name, value in here.items() if chosen.any() else ():
                if name not in kept:
                    kept[name] = np.array(value)
                else:
                    kept[name][chosen] = value[chosen]
            w, moved = new, moved + eta[:, None, None, None] * drawn if terms else moved
            local, together = (np.broadcast_to(new[:, :, None], local.shape) if aggregates else ends), aggregates
    if ball:
        g2 = (2 * x["spectrum"].max(axis=2) ** 2 * (_square(m - best[:, None]) + far[:, None]) + variance).max(axis=1)
    reach = np.maximum(np.maximum(_square(m).max(axis=1), _square(x["start"])), far)
    mu = x["spectrum"].min(axis=(1, 2))
    found = _ends_of_step(kept, chance, best, p, excess)
    found |= _terms_of_step(kept, chance, best, p, mu, L, excess) if terms else {}
    defined = np.isfinite(low) & (low > 0) & (p.min(axis=1) > 0) if common else optima_differ(p, m)
    scales = dict.fromkeys(_LENGTHS, reach) | dict.fromkeys(_LOSSES, L * reach)
    return {
        **found,
        "eta": kept["eta"],
        "eta0": kept["eta0"],
        "mu": mu,
        "L": L,
        **dict.fromkeys(("E", "tau"), np.full(n, float(E))),
        "T": x["t"] + 1,
        "D0": _square(x["start"] - best),
        "G2": g2,
        "sigma2": variance.max(axis=1),
        "rho": np.where(defined, low, 1.0) if common else low,
        "rho_best": high,
        "Gamma": Gamma,
        "admissible": defined,
        "resolved": common | np.isfinite(low) & np.isfinite(high) & (Gamma > 1e-13 * L * reach),
        "sizes": scales | dict.fromkeys(("S", "S_worst"), 1e-06 * reach),
    }


_LENGTHS: tuple[str, ...] = (
    "D",
    "after",
    "after_worst",
    "S_more",
    "S_less",
    "pairs_local",
    "pairs_moved",
    "next_more",
    "next_less",
)
_LENGTHS += ("far", "far_at", "A1", "A1_at", "A2", "A2_short")
_LOSSES = ("gap", "X", "Y", "X_at", "Y_at", "at_p", "weighted", "weighted_best", "at_other")


def _ends_of_step(q: Mapping[str, Any], chance: Any, best: Any, p: Any, excess: Any) -> dict[str, Any]:
    """Before and after the step: means over the paths, and the worst path where the print has no expectation."""
    after, drift = _square(q["new"] - best[:, None]), _square(q["local"] - q["w"][:, :, None])
    centers, S = (
        np.broadcast_to(best[:, None], q["local"].shape[:1] + q["local"].shape[2:]),
        (q["weights"] * drift).sum(axis=2),
    )
    above = (p[:, None] * excess(q["new"], centers)).sum(axis=2)
    found = {"D": _square(q["w"] - best[:, None]), "after": after, "gap": above, "S": S}
    worst = {"after_worst": after.max(axis=1), "S_worst": S.max(axis=1)}
    return {name: (chance * v).sum(axis=1) for name, v in found.items()} | worst


def _terms_of_step(
    q: Mapping[str, Any], chance: Any, best: Any, p: Any, mu: Any, L: Any, excess: Any
) -> dict[str, Any]:
    """The terms of the proofs: means over the paths, and those of the final bound for A₁ on the path that misses it most."""
    w, new, local, a, eta, b = q["w"], q["new"], q["local"], q["weights"], q["eta"][:, None], best[:, None]

    def averaged(v: Any) -> Any:
        return (a * v).sum(axis=2) if v.ndim == 3 else (a[..., None] * v).sum(axis=2)

    def pairs(v: Any) -> Any:
        return 2 * averaged(_square(v - averaged(v)[:, :, None]))

    slope, drawn = averaged(q["slope"]), averaged(q["drawn"])
    S, about_mean, above = averaged(_square(local - w[:, :, None])), pairs(local) / 2, excess(w)
    after, stepped = _square(new - b), _square(w - eta[..., None] * drawn - b)
    far, X, at_other = averaged(_square(local - b[:, :, None])), averaged(excess(local)), averaged(excess(b))
    A1, ahead = -2 * eta * ((w - b) * slope).sum(axis=-1), w - b - eta[..., None] * slope
    beyond = A1 + eta * mu[:, None] * far - 2 * L[:, None] * eta**2 * X + 2 * eta * (X - at_other)
    worst = np.arange(len(best)), np.argmax(beyond, axis=1)
    found = {
        "S_more": np.maximum(S, about_mean),
        "S_less": np.minimum(S, about_mean),
        "pairs_local": 2 * about_mean,
        "pairs_moved": pairs(q["moved"]),
        "next_more": np.maximum(after, stepped),
        "next_less": np.minimum(after, stepped),
        "far": far,
        "X": X,
        "Y": X - at_other,
        "A1": A1,
        "A2": 2 * eta * (ahead * (slope - drawn)).sum(axis=-1),
        "A2_short": 2 * eta * (ahead * slope).sum(axis=-1),
        "at_other": at_other,
        "at_p": (p[:, None] * above).sum(axis=2),
        "weighted": averaged(above),
        "weighted_best": at_other,
    }
    there = {f"{name}_at": found[name][worst] for name in ("A1", "far", "X", "Y")}
    return {name: (chance * v).sum(axis=1) for name, v in found.items()} | there


def curvature(spectrum: Sequence[Any], mirror: Sequence[Any]) -> list[list[Any]]:
    """The symmetric matrix with these eigenvalues whose eigenvectors are the axes, reflected along `mirror`."""
    dims, size = range(len(spectrum)), dot(mirror, mirror)
    h = [[Fraction(int(i == j)) - (2 * mirror[i] * mirror[j] / size if size else 0) for j in dims] for i in dims]
    return [[dot([h[i][k] * spectrum[k] for k in dims], h[j]) for j in dims] for i in dims]


def between(u: Sequence[Any], v: Sequence[Any]) -> Any:
    """The squared distance of two points."""
    return sum((a - b) ** 2 for a, b in zip(u, v, strict=True))


def one_hot(scores: Sequence[Any]) -> list[Any]:
    """All weight on the first of the largest."""
    first = max(range(len(scores)), key=lambda i: (scores[i], -i))
    return [Fraction(int(i == first)) for i in range(len(scores))]


def schedule(x: Mapping[str, Any], mu: Any, L: Any, E: int, R: int, harmonic: bool) -> list[Any]:
    """The step sizes of all steps."""
    if harmonic:
        return [1 / (mu * (t + 4 * L / mu)) for t in range(R * E)]
    now, etas = x["first"] / L, []
    for drop in x["drop"]:
        for e in range(E):
            late = drop if e == E - 1 else Fraction(1)
            even = 1 - (1 - drop) * Fraction(e, max(1, E - 1))
            etas.append(now if E == 1 else now * (late if x["late"] > 0 else even))
        now = etas[-1] * (drop if E == 1 else 1)
    return etas


def pairs_of(a: Sequence[Any], v: Sequence[Any]) -> Any:
    """sum a_i a_j |v_i - v_j|^2 = 2 sum a_i |v_i - mean|^2."""
    middle = weighted_sum(a, v)
    return 2 * dot(a, [between(u, middle) for u in v])


def run_exact(
    x: Mapping[str, Any],
    *,
    E: int,
    R: int,
    eq1: bool = False,
    by_p: bool = False,
    over_all: bool = False,
    ball: bool = False,
    harmonic: bool = False,
    common: bool = False,
    rule: str = "given",
    terms: bool = True,
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The run path by path: in each of 2^(steps x clients) outcomes every client draws r or -1/r at every step."""
    p, dim, noisy = x["share"], len(x["start"]), "rare" in x
    clients, zero, watched = range(len(p)), Fraction(0), int(x["t"])
    m = [[zero] * dim for i in clients] if common else x["optimum"]
    mirrors = x.get("mirror", [[zero] * dim for i in clients])
    A = [curvature(s, v) for s, v in zip(x["spectrum"], mirrors, strict=True)]
    L, mu = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"])
    best, etas = quadratic_optimum(p, A, m), schedule(x, mu, L, E, R, harmonic)
    sigma, steps = x["sigma"] if noisy else [zero for i in clients], R * E
    eta = etas[watched]

    def excess(at: Any) -> list[Any]:
        return [quadratic_loss(A[i], m[i], zero, list(at)) for i in clients]

    at_best, total, defined = excess(best), zero, True
    Gamma = dot(p, at_best)
    skews, skews_best, far, G2 = [], [], [between(v, best) for v in m], zero
    found: dict[str, Any] = {}
    worst: dict[str, Any] = {}
    for number in range(2 ** (steps * len(p)) if noisy else 1):
        bits, chance, w, kept = number, Fraction(1), list(x["start"]), {}
        local, in_round, moved = [w for i in clients], p, []
        for t in range(steps + 1):
            sync, slope = t % E == 0, [quadratic_gradient(A[i], m[i], list(local[i])) for i in clients]
            drawn = [list(g) for g in slope]
            for i in clients if noisy and t < steps else []:
                up, bits, q = bits % 2, bits // 2, 1 / (1 + x["rare"] ** 2)
                chance = chance * (q if up else 1 - q)
                drawn[i][0] = drawn[i][0] + sigma[i] * (x["rare"] if up else -1 / x["rare"])
            step = etas[min(t, steps - 1)]
            ends = [[y - step * g for y, g in zip(local[i], drawn[i], strict=True)] for i in clients]
            above = excess(w) if sync or over_all else []
            if sync:
                moved = [[zero] * dim for i in clients]
                in_round = x["weights"][t // E] if rule == "given" else p
                if rule == "farthest":
                    in_round = one_hot([between(end, best) for end in ends])
                elif rule in ("FedWorse", "FedBetter"):
                    in_round = one_hot([f if rule == "FedWorse" else -f for f in above])
            weights = in_round if sync or not by_p else p
            if sync or over_all:
                defined = defined and dot(p, above) > 0 and (common or Gamma > 0)
                skews.append(dot(weights, above) / dot(p, above) if defined else zero)
                skews_best.append(dot(weights, at_best) / Gamma if defined and Gamma > 0 else zero)
            far = [max([*far, *(between(v, best) for v in local)])]
            if t == steps:
                break
            G2 = max([G2] + [dot(slope[i], slope[i]) + sigma[i] ** 2 for i in clients])
            aggregates = sync if eq1 else (t + 1) % E == 0
            new = weighted_sum(in_round if aggregates or not by_p else p, ends)
            if t == watched:
                kept = {
                    "w": w,
                    "new": new,
                    "local": local,
                    "slope": slope,
                    "drawn": drawn,
                    "a": weights,
                    "moved": moved,
                }
            if terms:
                moved = [[a + step * g for a, g in zip(moved[i], drawn[i], strict=True)] for i in clients]
            w, local = new, [new for i in clients] if aggregates else ends
        total = total + chance
        here = ends_of_path(kept, p, A, best)
        here |= terms_of_path(kept, p, A, m, best, eta) if terms else {}
        for name in here:
            found[name] = found.get(name, zero) + chance * here[name]
        if terms:
            here["beyond"] = here["A1"] + eta * mu * here["far"] - 2 * L * eta**2 * here["X"] + 2 * eta * here["Y"]
            worst = here if not worst or here["beyond"] > worst["beyond"] else worst
        for name in ("after", "S"):
            found[name + "_worst"] = max(found.get(name + "_worst", zero), here[name])
    if ball:
        bounds = [max(s) ** 2 * 2 * (between(v, best) + max(far)) for s, v in zip(x["spectrum"], m, strict=True)]
        G2 = max(b + s**2 for b, s in zip(bounds, sigma, strict=True))
    rows = [p, *x.get("weights", [])]
    met = {
        "mu-strong convexity and L-smoothness (eigenvalues given)": mu > 0,
        "p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in rows),
        "step sizes positive and not increasing": etas[-1] > 0 and sorted(etas, reverse=True) == etas,
        "the weighting skew is defined (Remark 2)": defined,
        "the chances of all outcomes sum to 1": total == 1,
    }
    if common:
        met["every client has a share, rho > 0"] = min(p) > 0 and min(skews) > 0
    if terms:
        found |= {name + "_at": worst[name] for name in ("A1", "far", "X", "Y")} | {"weighted_best": found["at_other"]}
    found |= {"eta": eta, "eta0": etas[watched - watched % E], "mu": mu, "L": L, "G2": G2, "Gamma": Gamma}
    found |= {"E": Fraction(E), "tau": Fraction(E), "T": x["t"] + 1, "D0": between(x["start"], best)}
    found |= {"sigma2": max(s**2 for s in sigma), "rho": min(skews), "rho_best": max(skews_best)}
    return met, found


def ends_of_path(q: Mapping[str, Any], p: Any, A: Any, best: Any) -> dict[str, Any]:
    """Before and after the step on one path."""
    above = [quadratic_loss(a, best, Fraction(0), list(q["new"])) for a in A]
    found = {"D": between(q["w"], best), "after": between(q["new"], best), "gap": dot(p, above)}
    return {**found, "S": dot(q["a"], [between(v, q["w"]) for v in q["local"]])}


def terms_of_path(q: Mapping[str, Any], p: Any, A: Any, m: Any, best: Any, eta: Any) -> dict[str, Any]:
    """The terms of the proofs on one path."""
    a, w, local, clients = q["a"], q["w"], q["local"], range(len(p))

    def above(weights: Any, at: Any) -> Any:
        return sum(weights[i] * quadratic_loss(A[i], m[i], Fraction(0), list(at[i])) for i in clients)

    slope, drawn = weighted_sum(a, q["slope"]), weighted_sum(a, q["drawn"])
    stepped = [u - eta * g for u, g in zip(w, drawn, strict=True)]
    ahead = [u - v - eta * g for u, v, g in zip(w, best, slope, strict=True)]
    S, about_mean = dot(a, [between(v, w) for v in local]), pairs_of(a, local) / 2
    sides = (between(q["new"], best), between(stepped, best))
    X, at_other = above(a, local), above(a, [best for i in clients])
    return {
        "S_more": max(S, about_mean),
        "S_less": min(S, about_mean),
        "pairs_local": 2 * about_mean,
        "pairs_moved": pairs_of(a, q["moved"]),
        "next_more": max(sides),
        "next_less": min(sides),
        "far": dot(a, [between(v, best) for v in local]),
        "X": X,
        "Y": X - at_other,
        "A1": -2 * eta * dot([u - v for u, v in zip(w, best, strict=True)], slope),
        "A2": 2 * eta * dot(ahead, [s - g for s, g in zip(slope, drawn, strict=True)]),
        "A2_short": 2 * eta * dot(ahead, slope),
        "at_other": at_other,
        "at_p": above(p, [w for i in clients]),
        "weighted": above(a, [w for i in clients]),
    }


RUN: tuple[Callable[..., Any], ...] = (
    dot,
    matvec,
    weighted_sum,
    solve,
    quadratic_loss,
    quadratic_gradient,
    quadratic_optimum,
)
RUN += (curvature, between, one_hot, schedule, pairs_of, ends_of_path, terms_of_path)
"""What `run_exact` calls."""


def step(x: Instance, **how: Any) -> dict[str, Any]:
    """The same, as one step of a recursion: both sides share the squared distance before it.

    A run that long steps drive far away is resolved as what was drawn is.
    """
    found = run(x, **how)
    drawn = np.maximum(_square(x["optimum"]).max(axis=1) if "optimum" in x else 0.0, _square(x["start"]))
    known = np.isfinite(found["rho"]) & np.isfinite(found["rho_best"]) & (found["Gamma"] > 1e-13 * found["L"] * drawn)
    return {**found, "common": found["D"], "resolved": known | how.get("common", False)}


@dataclass(frozen=True)
class Convention:
    """How a run is read, and what step sizes may do.

    `slow`: within a round the step size falls to a half at most. `largest`: the largest first step, in units of 1/L.
    """

    eq1: bool = False
    by_p: bool = False
    over_all: bool = False
    ball: bool = False
    harmonic: bool = False
    common: bool = False
    slow: bool = True
    largest: float = 0.25

    def but(self, **changes: Any) -> Convention:
        """The same with changes."""
        return replace(self, **changes)

    @property
    def chosen(self) -> dict[str, bool]:
        """What the run is told."""
        names = ("eq1", "by_p", "over_all", "ball", "harmonic", "common")
        return {name: True for name in names if getattr(self, name)}


EQ1 = Convention(eq1=True, by_p=True)
BY_P = Convention(by_p=True)
ROUND = Convention()
UNITS = {"spectrum": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}
Observe = Callable[..., Mapping[str, Any]]


def _coordinates(of: Convention, N: int, E: int, d: int, R: int, rule: str) -> tuple[Coordinate, ...]:
    steps, falls = tuple(float(t) for t in range(E * R)), Uniform("drop", 0.5, 1.0, (R,))
    drop: Coordinate = falls if of.slow else LogScale("drop", 1e-4, 1.0, (R,), at=(1e-4, 0.1, 1.0))
    first = LogScale("first", 1e-6, of.largest, at=(1e-6, 1e-3, of.largest))
    late = (E - 1, *((E,) if R > 1 else ()))
    return (
        LogScale("spectrum", 1e-2, 1e2, (N, d), at=(1e-2, 1.0, 1e2)),
        *((Signed("mirror", 1e-2, 1.0, (N, d)),) if d > 1 else ()),
        *(() if of.common else (Signed("optimum", 1e-3, 1e2, (N, d)),)),
        Simplex("share", N),
        *((Simplex("weights", N, (R + 1,)),) if rule == "given" else ()),
        Signed("start", 1e-3, 1e2, (d,)),
        *(() if of.harmonic else (first, drop, Choice("late", (0.0, 1.0)))),
        Choice("t", steps) if len(steps) <= 12 else Integer("t", 0, len(steps) - 1, at=late),
    )


def _mechanisms(E: int, rule: str) -> tuple[Mechanism, ...]:
    several = (Mechanism("several local steps", (), always),) if E > 1 else ()
    return (
        *several,
        *(() if rule in ("given", "FedAvg") else (Mechanism("weights that follow the losses", (), always),)),
    )


def _of(space: Space) -> dict[str, int]:
    """The axis of the clients in what is drawn."""
    axes = {"spectrum": 0, "optimum": 0, "mirror": 0, "share": 0, "weights": 1}
    return {c.name: axes[c.name] for c in space.coordinates if c.name in axes}


def plain(
    of: Convention = ROUND,
    observe: Observe = run,
    exact: Callable[..., Pair] = run_exact,
    *,
    low_E: int = 1,
    rule: str = "given",
    least: float = 2.0,
    most: int = 300,
    uses: tuple[Callable[..., Any], ...] = (),
    split: bool = True,
    **chosen: Any,
) -> Family:
    """No noise, weights fixed in advance: which covers every rule, since without noise each rule's weights are fixed.

    FedAvg, αᵢ = pᵢ, is what a draw of free weights would miss. `least`: the smallest cost; `most`: the largest N and E;
    `split`: whether a client may be split in two.
    """

    def at(N: float, E: float, d: float, R: float) -> Case:
        n, steps, dim, rounds = int(N), int(E), int(d), int(R)
        space = Space(_coordinates(of, n, steps, dim, rounds, rule))
        names = {c.name for c in space.coordinates}
        weighed = tuple(name for name in ("share", "weights") if name in names)
        same = (units({k: v for k, v in UNITS.items() if k in names}), permuted_clients(_of(space)))
        return case(
            f"no noise, N = {n}, E = {steps}, d = {dim}, {rounds} rounds" + (", FedAvg" if rule == "FedAvg" else ""),
            space,
            observe,
            exact,
            uses=(*RUN, *uses),
            cost=max(least, n * steps * dim * rounds / 30),
            symmetries=(*same, *((split_client(_of(space), weighed),) if split else ())),
            mechanisms=_mechanisms(steps, rule),
            E=steps,
            R=rounds,
            rule=rule,
            **of.chosen,
            **chosen,
        )

    sizes = (Size("N", 2, most, 2), Size("E", low_E, most, max(2, low_E)), Size("d", 1, 8, 1))
    return Family(
        "no noise, FedAvg" if rule == "FedAvg" else "no noise", (*sizes, Size("R", 1, 5, 2 if of.eq1 else 1)), at
    )


_SIZES = ((2, 1, 1), (3, 1, 1), (2, 1, 2), (2, 2, 1))
_RULES = ("given", "FedWorse", "FedBetter")


def noisy(
    of: Convention = ROUND,
    observe: Observe = run,
    exact: Callable[..., Pair] = run_exact,
    *,
    rules: tuple[str, ...] = _RULES,
    sizes: tuple[tuple[int, int, int], ...] = _SIZES,
    rarest: float = 30.0,
    uses: tuple[Callable[..., Any], ...] = (),
    **chosen: Any,
) -> tuple[Case, ...]:
    """Two-point noise on the line, every outcome counted, for (N, E, R) of `sizes`; `rarest`: its longest leap, in σ."""

    def one(N: int, E: int, R: int, rule: str) -> Case:
        seen = "weights have seen the round's first step" if E > 1 else "weights see the step's noise"
        words = {"given": "weights fixed in advance", "farthest": seen}.get(rule, rule)
        leap = LogScale("rare", 1.0, rarest, at=(1.0, rarest))
        sigma = LogScale("sigma", 1e-3, 1e2, (N,), at=(1e-3, 1.0, 1e2))
        space = Space((*_coordinates(of, N, E, 1, R, rule), sigma, leap))
        return case(
            f"two-point noise, N = {N}, E = {E}, {R} rounds, {words}",
            space,
            observe,
            exact,
            uses=(*RUN, *uses),
            cost=max(2.0, 2 ** (N * E * R) * N * E * R / 30),
            symmetries=(units({k: v for k, v in UNITS.items() if k in {c.name for c in space.coordinates}}),),
            mechanisms=_mechanisms(E, rule),
            E=E,
            R=R,
            rule=rule,
            **of.chosen,
            **chosen,
        )

    return tuple(one(*size, rule) for size in sizes for rule in rules)


def world(*cases: Case | Family) -> World:
    """These cases as one world."""
    return World(NOTATION, cases)


def runs(
    *several: Convention, observe: Observe = run, sizes: tuple[tuple[int, int, int], ...] = _SIZES, **how: Any
) -> World:
    """Without noise and with, under each of these conventions."""
    found: list[Case | Family] = []
    for of in several:
        found += [plain(of, observe, **how), *noisy(of, observe, sizes=sizes, **how)]
    return world(*found)
