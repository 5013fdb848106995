"""The worlds of the algorithms: a server step, the weights of Corollary 1.1, whole runs, and sampled clients."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.draws import biased_exact
from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_near, exp_weights, slack
from paper_checks.exp_alpha.notation import NOTATION
from theory import RoundStats, Scheduled, from_spectra, simulate
from theory.exact import dot, weighted_sum
from theory.laws import multinomial_law, subsets_law
from theory.rules import ExpAlpha
from validation import Case, Choice, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world.world import World, case

__all__ = ["sampled_round", "server_round", "server_step", "whole_runs", "written_weights"]


def server(x: Instance, *, K: int) -> Mapping[str, Any]:
    """(W − ∇F(W) − ΣρᵢWᵢ)²: the pseudo-gradient of Algorithm 1 against Eq. 3's weights over the clients selected.

    `cut`, where there is one, the upper limit of the normaliser, else K. Clients beyond the first K are not selected.
    """
    h, m, w, local = x["curvature"], x["optimum"], x["start"], x["local"]
    scores = (0.5 * h * (local - m) ** 2 - 0.5 * h * (w[:, None] - m) ** 2) / x["alpha"][:, None]
    raw = np.exp(np.maximum(scores[:, :K] - scores[:, :K].max(axis=1, keepdims=True), -700.0))
    last = np.minimum(int(x["cut"][0]), K) if "cut" in x else K
    total = np.maximum(raw[:, :last].sum(axis=1), 1e-100)
    pseudo = (raw * (w[:, None] - local[:, :K])).sum(axis=1) / total
    present = np.broadcast_to(np.arange(h.shape[1]) < K, scores.shape)
    share = np.full_like(scores, 1 / h.shape[1])
    stats = RoundStats(share=share, present=present, loss_before=np.zeros_like(scores), loss_after=scores)
    target = (np.asarray(ExpAlpha(alpha=1.0)(stats)) * local).sum(axis=1)
    size = (np.abs(local).max(axis=1) + np.abs(w)) * np.maximum(1.0, raw.sum(axis=1) / total)
    defined = raw[:, :last].sum(axis=1) > 1e-100  # the float twin of a positive exponential
    found = np.where(defined, (w - pseudo - target) ** 2, 0.0)
    return {"apart2": found, "admissible": defined, "sizes": {"apart2": np.where(defined, size**2 * 10, 1.0)}}


def server_exact(x: Mapping[str, Any], *, K: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """W - (pseudo-gradient of Algorithm 1) less the mean of the local models by Eq. 3, squared; server rate 1."""
    h, m, w, local = x["curvature"], x["optimum"], x["start"], x["local"]
    change = [h[i] * ((local[i] - m[i]) ** 2 - (w - m[i]) ** 2) / 2 for i in range(K)]
    raw = [exp_near((c - max(change)) / x["alpha"]) for c in change]
    last = min(int(x["cut"]), K) if "cut" in x else K
    pseudo = sum(raw[i] * (w - local[i]) for i in range(K)) / sum(raw[:last])
    gap = w - pseudo - sum(a * v for a, v in zip(exp_weights(change, x["alpha"]), local[:K], strict=True))
    size = max(abs(v) for v in [w, *local])
    met = {"A1, A2": min(h) > 0, "alpha > 0": x["alpha"] > 0, "1 <= K <= N": 1 <= K <= len(h)}
    return met, {"apart2": gap * gap - slack() * size * size}


def server_step(N: float, K: float, *, cut: tuple[float, ...] = ()) -> Case:
    """K of N clients selected, or of K where that is more."""
    n = int(max(N, K))
    space = Space(
        (
            LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
            Signed("optimum", 1e-1, 1e1, (n,)),
            Signed("local", 1e-1, 1e1, (n,)),
            Signed("start", 1e-1, 1e1),
            LogScale("alpha", 1e-1, 1e3, at=(0.2, 1.0)),
            *((Choice("cut", cut),) if cut else ()),
        )
    )
    same = (units({"curvature": (1, -2), "alpha": (1, 0), **dict.fromkeys(("optimum", "local", "start"), (0, 1))}),)
    name, cost = f"{int(K)} of {n} clients", max(1.0, n / 30)
    return case(name, space, server, server_exact, uses=EXPONENTIAL, cost=cost, symmetries=same, K=int(K))


def server_round(*, low: int = 1, cut: tuple[float, ...] = ()) -> World:
    """Up to 60 clients, up to 30 of them selected; `cut`: upper limits of the normaliser."""

    def at(N: float, K: float) -> Case:
        return server_step(N, K, cut=cut)

    return World(NOTATION, (Family("one round", (Size("N", low, 60, 4), Size("K", low, 30, 3)), at),))


def corollary(x: Instance, *, positive: bool) -> Mapping[str, Any]:
    """1 where the weights of Corollary 1.1 are 0/0, else |Σρ − 1|; 𝒰 a step function, `positive` everywhere or not."""
    factor = x["size"] * x["size"].shape[1] / x["size"].sum(axis=1, keepdims=True)
    passed = -(factor * x["excess"])[:, :, None] >= -x["drop"][:, None, :]
    raw = factor * (x["height"][:, :1] + (passed * x["height"][:, None, 1:]).sum(axis=2))
    total = raw.sum(axis=1)
    sums = (raw / np.where(total > 0, total, 1.0)[:, None]).sum(axis=1)
    missed = np.where(total > 0, np.abs(sums - 1), 1.0)
    met = (x["height"][:, 0] > 0) | (not positive)
    return {"missed": missed, "admissible": met, "sizes": {"missed": np.ones_like(missed)}}


def corollary_exact(x: Mapping[str, Any], *, positive: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 where every weight is 0, else |sum of the weights - 1|; U(y) = height_0 + the heights_k with y >= -drop_k."""
    raw = []
    for size, excess in zip(x["size"], x["excess"], strict=True):
        factor = len(x["size"]) * size / sum(x["size"])
        steps = zip(x["height"][1:], x["drop"], strict=True)
        raw.append(factor * (x["height"][0] + sum(b for b, d in steps if -factor * excess >= -d)))
    met = {
        "sizes positive, excess losses >= 0": min(x["size"]) > 0 and min(x["excess"]) >= 0,
        "U non-negative": min(x["height"]) >= 0,
        "U positive everywhere, where asked": not positive or x["height"][0] > 0,
    }
    return met, {"missed": abs(sum(r / sum(raw) for r in raw) - 1) if sum(raw) > 0 else Fraction(1)}


def written_weights(*, positive: bool) -> World:
    """Up to 300 clients of any sizes and excess losses, 𝒰 a step function."""

    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("size", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("excess", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("drop", 1e-2, 1e2, (2,)),
                Simplex("height", 3),
            )
        )
        same = (units({"excess": (1, 0), "drop": (1, 0)}), permuted_clients({"size": 0, "excess": 0}))
        name, cost = f"{n} clients", max(1.0, n / 40)
        return case(name, space, corollary, corollary_exact, cost=cost, symmetries=same, positive=positive)

    return World(NOTATION, (Family("weights of the family", (Size("N", 1, 300, 3),), at),))


def run(x: Instance, *, E: int, R: int, as_one: bool) -> Mapping[str, Any]:
    """The model of the array simulator after R rounds and in closed form, or (`as_one`) as one SGD run on ΣρᵢFᵢ."""
    h, m = x["curvature"], x["optimum"]
    mu, L = h.min(axis=1), h.max(axis=1)
    steps = 2 / (mu * (np.maximum(8 * L / mu, E) - 1 + np.arange(R * E)[:, None]))
    share = np.full_like(h, 1 / h.shape[1])
    federation = from_spectra(h[:, :, None], None, m[:, :, None], np.zeros_like(h), share)
    rule, start = Scheduled(x["weights"].swapaxes(0, 1)), x["start"][:, None]
    done = simulate(federation, rule, start=start, step_sizes=steps, n_local_steps=E, record=())
    w = x["start"]
    for r in range(R):
        a, etas = x["weights"][:, r], steps[r * E : (r + 1) * E]
        for eta in etas if as_one else ():
            w = w - eta * (a * h * (w[:, None] - m)).sum(axis=1)
        w = w if as_one else (a * (m + np.prod(1 - etas[:, :, None] * h, axis=0) * (w[:, None] - m))).sum(axis=1)
    size = np.abs(m).max(axis=1) + np.abs(x["start"])
    return {"middle": done.final[:, 0], "closed_form": w, "sizes": dict.fromkeys(("middle", "closed_form"), size)}


def run_exact(
    x: Mapping[str, Any], *, E: int, R: int, as_one: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """D3 and D4 step by step, and the closed form of a round, or SGD steps on sum rho_i F_i; A.9's steps."""
    h, m, n = x["curvature"], x["optimum"], range(len(x["optimum"]))
    gamma, t = max(8 * max(h) / min(h), Fraction(E)) - 1, 0
    by_step = closed = x["start"]
    for a in x["weights"][:R]:
        local, keep = [by_step for _ in n], [Fraction(1) for _ in n]
        for _ in range(E):
            eta = 2 / (min(h) * (gamma + t))
            local = [local[i] - eta * h[i] * (local[i] - m[i]) for i in n]
            keep = [keep[i] * (1 - eta * h[i]) for i in n]
            if as_one:
                closed = closed - eta * sum(a[i] * h[i] * (closed - m[i]) for i in n)
            t = t + 1
        by_step = sum(a[i] * local[i] for i in n)
        if not as_one:
            closed = sum(a[i] * (m[i] + keep[i] * (closed - m[i])) for i in n)
    met = {"A1, A2": min(h) > 0, "weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"])}
    return met, {"middle": by_step, "closed_form": closed}


def whole_runs(*, as_one: bool = False, most: int = 20) -> World:
    """Up to 30 clients, ten rounds of up to `most` local steps."""

    def at(N: float, E: float, R: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Simplex("weights", n, (int(R),)),
                Signed("start", 1e-1, 1e1),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "weights": 1}),
        )
        name, cost = f"{n} clients, {int(R)} rounds of {int(E)} steps", min(4.0, max(1.0, n * E * R / 50))
        return case(name, space, run, run_exact, cost=cost, symmetries=same, E=int(E), R=int(R), as_one=as_one)

    sizes = (Size("N", 1, 30, 3), Size("E", 1, most, 1 if most == 1 else 3), Size("R", 1, 10, 2))
    return World(NOTATION, (Family("runs", sizes, at),))


def lawful(x: Instance, *, K: int, law: str) -> Mapping[str, Any]:
    """‖E W̃ − ΣρᵢVᵢ‖² over the sampling laws of `theory.laws`, or of the first K clients."""
    a, v = x["weights"], x["local"]
    if law == "the first":
        mean = v[:, :K].mean(axis=1)
    else:
        drawn = multinomial_law(a, K) if law == "by weight" else subsets_law(a, K, renormalise=True)
        mean = (drawn.probability * (drawn.weights * v[:, None]).sum(axis=2)).sum(axis=1)
    return {"off": (mean - (a * v).sum(axis=1)) ** 2, "sizes": {"off": np.abs(v).max(axis=1) ** 2}}


def sampled_round(law: str) -> World:
    """A few clients on the line, drawn by a law of `theory.laws`."""

    def at(n: int, K: int) -> Case:
        space = Space((Simplex("weights", n, interior=True), Signed("local", 1e-1, 1e1, (n,))))
        same, uses = (units({"local": (0, 1)}),), (dot, weighted_sum)
        name = f"{K} of {n} clients, {law}"
        return case(name, space, lawful, biased_exact, uses=uses, cost=2.0, symmetries=same, K=K, law=law)

    return World(NOTATION, tuple(at(n, K) for n, K in ((2, 1), (3, 2), (4, 3), (5, 2))))
