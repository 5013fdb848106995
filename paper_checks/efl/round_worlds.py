"""One round of EFL at quadratic clients, seen in a few worlds: patterns of participation and two outcomes of a batch.

All clients start at ω̄. Noise enters at one step of the round, as a vector times a two-point variable of mean 0, so that
every expectation over batches and participation is a finite sum. Several coordinates only for a single local step.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    units,
)

__all__ = ["GAIN_FIXED", "GAIN_MOVED", "LAST", "SCALED", "SUM", "rounds"]

# ΣΔ over the round, Δ at its end, that times 1 + μηΣps/4, the gap at the start of the round, the gap at step j
SUM, LAST, SCALED, GAIN_FIXED, GAIN_MOVED = range(5)
_DEGREES = {
    "eta": (-1, 2),
    "mu": (1, -2),
    "L": (1, -2),
    "theta": (0, 0),
    "steps": (0, 0),
    "r": (0, 0),
    **dict.fromkeys(("start", "kept", "weighted"), (0, 2)),
    **dict.fromkeys(("B", "H", "pulled"), (2, -2)),
    **dict.fromkeys(("skew", "picked", "argmin", "best", "free"), (1, 0)),
}


def _measure(x: Instance) -> Mapping[str, Any]:
    h, m, share = x["curvature"], x["optimum"], x["share"]
    n = len(h)
    n_local, look = int(x["local_steps"][0]), int(x["look"][0])
    n_patterns = x["done"].shape[1]
    on = (x["done"] >= 0.5).astype(float)
    on = np.where(x["whole"][:, None, None, None] > 0, on[:, :, :1], on)
    s = on.sum(axis=2)
    free = share[:, None] * x["coefficient"]
    weight = np.full((n, 1), 1.0)
    if n_patterns == 2:
        weight = np.stack([x["chance"], 1 - x["chance"]], axis=1)
    counts = (weight[..., None] * x["coefficient"] * s).sum(axis=1)[:, None]
    even = np.where(counts > 0, free / np.where(counts > 0, counts, 1), 0.0)
    fair = (x["fair"] > 0)[:, None, None]
    p = np.where(fair, even, free)
    theta = (1 + x["slack"]) * (p / share[:, None]).max(axis=(1, 2))
    mu_, L_ = h.min(axis=(1, 2)), h.max(axis=(1, 2))
    safe = np.where(theta > 0, theta, 1.0)
    eta = x["step"] / (2 * (1 + theta) ** x["power"] * L_)
    eta = np.where(x["capped"] > 0, np.minimum(eta, 4 * x["step"] / (mu_ * n_local * safe)), eta)
    best = (share[..., None] * h * m).sum(axis=1) / (share[..., None] * h).sum(axis=1)
    off = (best[:, None] - m)[:, None]
    # worlds: patterns times outcomes of the batch
    q = 1 / (1 + x["rare"] ** 2)
    outcome = np.stack([q, 1 - q], axis=1)
    z = x["noisy"][:, None] * np.stack([x["rare"], -1 / x["rare"]], axis=1)
    at_step = np.minimum(np.floor(x["when"] * n_local), n_local - 1)
    weighty = x["coefficient"][:, 0] * (0.001 + on[:, 0, 0])
    top = np.take_along_axis(-off[:, 0], np.argmax(weighty, axis=1)[:, None, None], axis=1)
    u = np.where(x["own"][:, None, None] > 0, x["beside"][:, :, None] * top, x["virtual"])
    u = u + np.zeros((1, n_patterns, 1))
    u = np.repeat(u, 2, axis=1)
    p2, on2, z2 = np.repeat(p, 2, axis=1), np.repeat(on, 2, axis=1), np.tile(z, (1, n_patterns))
    chosen = np.zeros((n, n_patterns)) + np.array([1.0] + [0.0] * (n_patterns - 1))
    belief = np.where(x["realised"][:, None] > 0, chosen, weight)
    q2 = (belief[:, :, None] * outcome[:, None]).reshape(n, -1)
    v = np.repeat(u[:, :, None], h.shape[1], axis=2)
    E1 = eta[:, None, None, None]
    dist, value, act, total_b, norms = [], [], [], 0.0, 0.0
    pulled: Any = 0.0
    at_star = 0.5 * (h[:, None] * off**2).sum(axis=3)
    steps_w = p2 * np.repeat(s, 2, axis=1)
    at_all = []
    for j in range(n_local):
        w = p2 * on2[:, :, j]
        g = h[:, None] * (v + off)
        wrong = (z2 * (at_step == j)[:, None])[..., None, None] * x["noise"][:, None]
        dist.append((u**2).sum(axis=2))
        loss = 0.5 * (h[:, None] * (u[:, :, None] + off) ** 2).sum(axis=3)
        value.append((w * loss).sum(axis=2))
        at_all.append((steps_w * loss).sum(axis=2))
        act.append(w.sum(axis=2))
        drift = (w * ((u[:, :, None] - v) ** 2).sum(axis=3)).sum(axis=2)
        error = ((w[..., None] * wrong).sum(axis=2) ** 2).sum(axis=2)
        own = (2 + mu_ / (2 * (1 + theta) * L_))[:, None] * drift / eta[:, None] ** 2
        total_b = total_b + own + error + 2 * ((2 + theta) * L_)[:, None] * (w * at_star).sum(axis=2)
        push = (w[..., None] * (g + wrong)).sum(axis=2)
        norms = norms + np.sqrt((push**2).sum(axis=2))
        pulled = pulled + (push**2).sum(axis=2)
        u = u - E1[..., 0] * push
        v = v - E1 * on2[:, :, j][..., None] * (g + wrong)
    dist.append((u**2).sum(axis=2))

    def mean(values: Any) -> Any:
        return (q2 * values).sum(axis=1)

    star = (steps_w * at_star).sum(axis=2)
    steps = steps_w.sum(axis=2)
    losses, alls = np.stack(value, axis=2), np.stack(at_all, axis=2)
    index = np.minimum(np.floor(x["pick"] * n_local), n_local - 1).astype(int)
    picked = np.take_along_axis(alls, np.broadcast_to(index[:, None, None], (*alls.shape[:2], 1)), axis=2)[..., 0]
    low = np.argmin(np.round(losses / np.maximum(losses.max(axis=2, keepdims=True), 1e-300), 12), axis=2)
    argmin = np.take_along_axis(alls, low[..., None], axis=2)[..., 0]
    curved = (steps_w[..., None] * h[:, None]).sum(axis=2)
    pull = (steps_w[..., None] * h[:, None] * off).sum(axis=2)
    lift = np.where(curved > 0, 0.5 * pull**2 / np.where(curved > 0, curved, 1), 0.0).sum(axis=2)
    quarter = mu_[:, None] * eta[:, None] * steps / 4
    lhs = [
        mean(sum(dist[1:])),
        mean(dist[-1]),
        mean((1 + quarter) * dist[-1]),
        mean(star - alls[..., 0]),
        mean(star - picked),
    ]
    contracted = [mu_[:, None] * eta[:, None] / 2 * a * d for a, d in zip(act, dist, strict=False)]
    found = {
        "lhs": lhs[look],
        "eta": eta,
        "mu": mu_,
        "L": L_,
        "theta": theta,
        "steps": mean(steps),
        "start": mean(dist[0]),
        "kept": mean(sum(d - c for d, c in zip(dist, contracted, strict=False))),
        "weighted": mean(sum(a * d for a, d in zip(act, dist, strict=False))),
        "B": mean(total_b),
        "H": mean(norms**2),
        "pulled": mean(steps * norms**2),
        "skew": mean(star),
        "picked": mean(star - picked),
        "argmin": mean(star - argmin),
        "best": mean(star - alls.min(axis=2)),
        "free": mean(lift),
        "r": 1.0 - x["fair"],
        "admissible": (theta > 0) & np.where(x["fair"] > 0, (counts > 0).all(axis=(1, 2)), True),
    }
    scale = mean(sum(dist)) + eta * (mean(star) + mean(alls.max(axis=2))) + (m**2).max(axis=(1, 2))
    if look in (SUM, LAST, SCALED):
        found["common"] = found["start"] * (n_local if look == SUM else 1.0)
    return {**found, "magnitude": scale * (100.0 / eta if look in (GAIN_FIXED, GAIN_MOVED) else 1.0)}


def round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One round of Algorithm 1 with indicators, world by world, at quadratic clients."""
    h, m, share, n_local = x["curvature"], x["optimum"], x["share"], int(x["local_steps"])
    clients, dims, patterns = range(len(share)), range(len(h[0])), range(len(x["done"]))
    half = Fraction(1, 2)
    on = [[[1 if v >= half else 0 for v in row] for row in pattern] for pattern in x["done"]]
    if x["whole"] > 0:
        on = [[pattern[0]] * n_local for pattern in on]
    s = [[sum(row[k] for row in pattern) for k in clients] for pattern in on]
    chance = [x["chance"], 1 - x["chance"]] if len(patterns) == 2 else [Fraction(1)]
    p = [[share[k] * c[k] for k in clients] for c in x["coefficient"]]
    means = [sum(chance[r] * x["coefficient"][r][k] * s[r][k] for r in patterns) for k in clients]
    if x["fair"] > 0:
        p = [[p[r][k] / means[k] if means[k] else Fraction(0) for k in clients] for r in patterns]
    taken = [sum(chance[r] * p[r][k] * s[r][k] for r in patterns) / share[k] for k in clients]
    theta = (1 + x["slack"]) * max(p[r][k] / share[k] for r in patterns for k in clients)
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta = x["step"] / (2 * (1 + theta) ** int(x["power"]) * L)
    if x["capped"] > 0:
        eta = min(eta, 4 * x["step"] / (mu * n_local * theta))
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    top = max(clients, key=lambda k: x["coefficient"][0][k] * (Fraction(1, 1000) + on[0][0][k]))
    rare, when = x["rare"], min(int(x["when"] * n_local), n_local - 1)
    index = min(int(x["pick"] * n_local), n_local - 1)

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    def size(vector: Any) -> Any:
        if len(vector) == 1:
            return abs(vector[0])
        return Fraction(float(sum(c * c for c in vector)) ** 0.5)  # only its square is used, from `square` below

    names = ("sum", "last", "scaled", "fixed", "moved", "steps", "start", "kept", "weighted", "B", "H", "pulled")
    c = {name: Fraction(0) for name in (*names, "skew", "picked", "argmin", "best", "free")}
    for r in [0] if x["realised"] > 0 else patterns:
        for q, z in ((1 / (1 + rare**2), rare), (rare**2 / (1 + rare**2), -1 / rare)):
            weight = q if x["realised"] > 0 else chance[r] * q
            place = r if len(x["virtual"]) > 1 else 0
            offset = x["virtual"][place]
            if x["own"] > 0:
                offset = [x["beside"][place] * (m[top][i] - best[i]) for i in dims]
            virtual = [best[i] + offset[i] for i in dims]
            local = [list(virtual) for _ in clients]
            dist, values, alls, acts, B, norms, square = [], [], [], [], Fraction(0), Fraction(0), Fraction(0)
            ps = [p[r][k] * s[r][k] for k in clients]
            for j in range(n_local):
                w = [p[r][k] * on[r][j][k] for k in clients]
                zj = x["noisy"] * z if j == when else Fraction(0)
                g = [[h[k][i] * (local[k][i] - m[k][i]) + zj * x["noise"][k][i] for i in dims] for k in clients]
                dist.append(sum((virtual[i] - best[i]) ** 2 for i in dims))
                values.append(sum(w[k] * loss(k, virtual) for k in clients))
                alls.append(sum(ps[k] * loss(k, virtual) for k in clients))
                acts.append(sum(w))
                drift = sum(w[k] * (virtual[i] - local[k][i]) ** 2 for k in clients for i in dims)
                error = sum((zj * sum(w[k] * x["noise"][k][i] for k in clients)) ** 2 for i in dims)
                B = B + (2 + mu / (2 * (1 + theta) * L)) * drift / eta**2 + error
                B = B + 2 * (2 + theta) * L * sum(w[k] * loss(k, best) for k in clients)
                push = [sum(w[k] * g[k][i] for k in clients) for i in dims]
                square = sum(v * v for v in push)
                norms = norms + size(push)
                virtual = [virtual[i] - eta * push[i] for i in dims]
                local = [[local[k][i] - eta * on[r][j][k] * g[k][i] for i in dims] for k in clients]
            dist.append(sum((virtual[i] - best[i]) ** 2 for i in dims))
            H = square if n_local == 1 else norms**2
            steps, star = sum(ps), sum(ps[k] * loss(k, best) for k in clients)
            lift = Fraction(0)
            for i in dims:
                curved = sum(ps[k] * h[k][i] for k in clients)
                pull = sum(ps[k] * h[k][i] * (best[i] - m[k][i]) for k in clients)
                lift = lift + (pull**2 / curved / 2 if curved > 0 else 0)
            world = {
                "sum": sum(dist[1:]),
                "last": dist[-1],
                "scaled": (1 + mu * eta * steps / 4) * dist[-1],
                "fixed": star - alls[0],
                "moved": star - alls[index],
                "steps": steps,
                "start": dist[0],
                "kept": sum((1 - mu * eta * acts[j] / 2) * dist[j] for j in range(n_local)),
                "weighted": sum(acts[j] * dist[j] for j in range(n_local)),
                "B": B,
                "H": H,
                "pulled": steps * H,
                "skew": star,
                "picked": star - alls[index],
                "argmin": star - alls[values.index(min(values))],
                "best": star - min(alls),
                "free": lift,
            }
            for name, value in world.items():
                c[name] = c[name] + weight * value
    looked = ("sum", "last", "scaled", "fixed", "moved")[int(x["look"])]
    limit = 1 / (2 * (1 + theta) * L)
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": theta > 0 and x["slack"] > 0,
        "eta <= 1/(2 (1 + theta) L)": 0 < eta <= limit,
        "eta <= 4/(mu E theta) where asked": x["capped"] == 0 or eta <= 4 / (mu * n_local * theta),
        "r = 0 only if E[p s] = c p^k": x["fair"] == 0 or max(taken) == min(taken) > 0,
    }
    constants = {name: c[name] for name in names[5:]} | {k: c[k] for k in ("skew", "picked", "argmin", "best", "free")}
    constants = {**constants, "lhs": c[looked], "eta": eta, "mu": mu, "L": L, "theta": theta}
    return met, {**constants, "r": 1 - x["fair"]}


def rounds(
    look: int,
    bound: Any,
    again: Any = None,
    *,
    noisy: bool = False,
    patterns: int = 1,
    fair: tuple[float, ...] = (0.0,),
    realised: bool = False,
    dependent: bool = False,
    short: bool = False,
    capped: bool = False,
    whole: bool = False,
    longest: int = 100,
) -> Inequality:
    """What is looked at stays below the expression, over rounds of all sizes.

    `patterns`: how many patterns of participation there are, drawn by chance; `fair`: 1 for E[p s] = pᵏ, so r = 0;
    `realised`: the first pattern alone in place of the mean; `dependent`: each pattern has its own start; `short`: η <= 1/(2(1+θ)²L);
    `capped`: also η <= 4/(μEθ); `whole`: every client does all steps or none; `longest`: most local steps.
    """

    def case(n: int, n_local: int, dim: int, edge: bool = False) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                LogScale("coefficient", 10.0 if edge else 1e-2, 1e2, (patterns, n), at=(1e2,) if edge else (1.0, 1e2)),
                LogScale("slack", 1e-3, 0.01 if edge else 1e1, at=(1e-3,) if edge else (1e-3, 1.0)),
                Uniform("done", 0.0, 1.0, (patterns, n_local, n)),
                Uniform("chance", 0.01, 0.99, at=(0.5, 0.01, 0.99)),
                Signed("virtual", 1e-2, 1e2, (patterns if dependent else 1, dim)),
                Uniform("beside", -1.2, -0.3, (patterns if dependent else 1,))
                if edge
                else Signed("beside", 1e-1, 1e1, (patterns if dependent else 1,)),
                Choice("own", (1.0,) if edge else (0.0, 1.0)),
                Signed("noise", 1e-2, 1e2, (n, dim)),
                LogScale("rare", 1.0, 30.0, at=(1.0,)),
                Uniform("when", 0.0, 1.0),
                Uniform("pick", 0.0, 1.0),
                LogScale("step", 0.7 if edge else 1e-3, 1.0, at=(1.0,) if edge else (1e-2, 1.0)),
                Choice("noisy", (0.0, 1.0) if noisy and not edge else (0.0,)),
                Choice("fair", fair),
                Choice("realised", (float(realised),)),
                Choice("whole", (float(whole),)),
                Choice("capped", (float(capped),)),
                Choice("power", (2.0 if short else 1.0,)),
                Choice("local_steps", (float(n_local),)),
                Choice("look", (float(look),)),
            )
        )
        same = (units({"curvature": (1, -2), "optimum": (0, 1), "virtual": (0, 1), "noise": (1, -1)}),)
        name = f"{n} clients, E = {n_local}, d = {dim}" + (", long steps" if edge else "")
        cost = max(1.0, n * n_local * dim / 10)
        return Case(name, space, _measure, ExactCheck(round_exact), cost=cost, symmetries=same)

    long = Family(
        "several local steps",
        (Size("N", 1, 100, 2), Size("E", 2, longest, 2)),
        lambda N, E: case(int(N), int(E), 1),
    )
    wide = Family("one local step", (Size("N", 1, 100, 2), Size("d", 1, 8, 1)), lambda N, d: case(int(N), 1, int(d)))
    degrees = (1, 0) if look in (GAIN_FIXED, GAIN_MOVED) else (0, 2)
    cases = (case(2, 1, 1, edge=True), long, wide)
    return Inequality(Bound(bound, again=again, degrees=_DEGREES), cases, degrees=degrees)
