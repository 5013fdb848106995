"""K of N clients drawn: by their weights, uniformly or as subsets; how far a draw is off, and what it adds."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import log
from typing import Any, Literal, TypeAlias

import numpy as np

from paper_checks.exp_alpha.drawing import drawn, over, positive, quadratics, ranging, signed
from paper_checks.exp_alpha.notation import Coordinates, Plain, Seen
from theory.exact import dot, weighted_sum
from validation import Case, Choice, Instance, LogScale, Signed, Simplex, rotated_space
from validation.world import World

__all__ = ["biased_exact", "given_the_samples", "mean_of_draws", "on_an_axis", "small_draws", "sums_of_draws"]


_MOST = 4096  # tuples of drawn clients
Law: TypeAlias = Literal["by weight", "by weight, not divided", "uniform", "subsets", "the first"]


def biased(x: Instance, *, K: int, law: Law) -> Seen:
    """‖E W̃ − ΣρᵢVᵢ‖²: K draws by weight or uniform, plain mean; uniform subsets, weights divided by their sum; …"""
    V, a = x["local"] if x["local"].ndim > 2 else x["local"][..., None], x["weights"]
    N, mean = a.shape[1], np.zeros_like(V[:, 0])
    if law == "the first":
        mean = V[:, :K].mean(axis=1)
    elif law == "subsets":
        chosen = list(combinations(range(N), min(K, N)))
        for members in chosen:
            part = a[:, members]
            total = part.sum(axis=1, keepdims=True)
            part = np.where(total > 0, part / np.where(total > 0, total, 1), 1 / len(members))
            mean = mean + (part[..., None] * V[:, members]).sum(axis=1) / len(chosen)
    else:
        tuples = np.asarray(list(product(range(N), repeat=K)))
        chance = np.full((len(a), N**K), float(N) ** -K) if law == "uniform" else a[:, tuples].prod(axis=2)
        often = (tuples[:, :, None] == np.arange(N)).mean(axis=1)  # how much of a tuple each client is
        mean = ((chance @ often)[..., None] * V).sum(axis=1)
    mean = K * mean if law == "by weight, not divided" else mean
    return {"off": ((mean - (a[..., None] * V).sum(axis=1)) ** 2).sum(axis=-1)}


def biased_exact(x: Seen, *, K: int, law: str) -> Plain:
    """|E_s W_tilde - W_bar|^2, draw by draw; subsets by their binary code, equal weights where their sum is 0."""
    V, a, n = x["local"], x["weights"], len(x["weights"])
    V = V if isinstance(V[0], list) else [[v] for v in V]
    if law == "the first":
        mean = [sum(V[i][k] for i in range(K)) / K for k in range(len(V[0]))]
    elif law == "subsets":
        rows = [[i for i in range(n) if (code >> i) & 1] for code in range(2**n)]
        rows = [row for row in rows if len(row) == min(K, n)]
        mean = [Fraction(0)] * len(V[0])
        for row in rows:
            total = sum(a[i] for i in row)
            part = [a[i] / total if total else Fraction(1, len(row)) for i in row]
            mean = [s + u / len(rows) for s, u in zip(mean, weighted_sum(part, [V[i] for i in row]), strict=True)]
    else:
        chances = [Fraction(1, n)] * n if law == "uniform" else a
        drawn = [(Fraction(1), [Fraction(0)] * len(V[0]))]
        for _ in range(K):
            drawn = [
                (p * chances[i], [s + u / K for s, u in zip(total, V[i], strict=True)])
                for p, total in drawn
                for i in range(n)
            ]
        mean = weighted_sum([p for p, _ in drawn], [total for _, total in drawn])
    mean = [K * u for u in mean] if law == "by weight, not divided" else mean
    gap = [u - v for u, v in zip(mean, weighted_sum(a, V), strict=True)]
    met = {"A5: probabilities on the simplex, K >= 1": sum(a) == 1 and min(a) >= 0 and K >= 1}
    return met, {"off": dot(gap, gap)}


def _models(N: int, K: int, d: int, law: Law = "by weight") -> Case:
    k = max(1, min(K, int(log(_MOST) / log(max(N, 2)))))
    of, more = (Simplex("weights", N), Signed("local", 1e-2, 1e3, (N, d))), (rotated_space(("local",)),)
    name, cost = f"{N} clients, {k} drawn {law}, d = {d}", max(1.0, N**k * d / 60)
    return drawn(name, of, biased, biased_exact, cost=cost, more=more, K=k, law=law)


def mean_of_draws() -> World:
    """Up to 300 clients in up to eight dimensions, up to six drawn by weight: whether a draw is biased."""
    return ranging("K i.i.d. draws", _models, N=(1, 300, 3), K=(1, 6, 2), d=(1, 8, 1))


def small_draws(law: Law, *sizes: int) -> World:
    """Two of a few clients drawn on the line by another law."""
    return over(*(_models(n, 2, 1, law) for n in sizes))


def _on_the_line(n: int) -> Coordinates:
    return Simplex("weights", n), signed("local", n)


def on_an_axis(law: Law, *, most: int = 300) -> World:
    """Up to six of up to `most` clients on the line; K at most N, and at most 2,048 tuples."""

    def at(N: int, K: int) -> Case:
        k = max(1, min(K, N, int(log(2048) / log(max(N, 2)))))
        told: dict[str, Any] = {"cost": max(1.0, N**k / 80)}
        told |= {"permuted": law != "the first"}
        return drawn(f"{N} clients, K = {k}", _on_the_line(N), biased, biased_exact, **told, K=k, law=law)

    return ranging("K of N clients", at, N=(1, most, 3), K=(1, 6, 2))


def sums(x: Instance, *, K: int) -> Seen:
    """Mean squares of a draw, V or V less its mean, and of the sum of K draws; on a line, where axes add up."""
    a, V = x["weights"], x["local"]
    off = V - (a * V).sum(axis=1)[:, None]
    one = (a * off**2).sum(axis=1)
    chance, total, squares = (np.full((len(a), 1), v) for v in (1.0, 0.0, 0.0))
    for _ in range(K):  # every tuple of clients, one draw more
        chance = (chance[:, :, None] * a[:, None]).reshape(len(a), -1)
        total = (total[:, :, None] + off[:, None]).reshape(len(a), -1)
        squares = (squares[:, :, None] + off[:, None] ** 2).reshape(len(a), -1)
    square, apart = (chance * total**2).sum(axis=1), (chance * squares).sum(axis=1)
    found = {"sum_square": square, "squares": apart, "one_draw": one, "raw_draw": (a * V**2).sum(axis=1)}
    return {**found, "K": np.full(len(a), float(K))}


def sums_exact(x: Seen, *, K: int) -> Plain:
    """E_s (sum (V - W_bar))^2, E_s sum (V - W_bar)^2, one draw's share of it, and one draw about 0; draw by draw."""
    a, V = x["weights"], x["local"]
    bar = sum(p * v for p, v in zip(a, V, strict=True))
    law = [(Fraction(1), Fraction(0), Fraction(0))]
    for _ in range(K):
        law = [
            (chance * a[i], total + V[i] - bar, squares + (V[i] - bar) ** 2)
            for chance, total, squares in law
            for i in range(len(a))
            if a[i] > 0
        ]
    found = {
        "sum_square": sum(chance * total**2 for chance, total, _ in law),
        "squares": sum(chance * squares for chance, _, squares in law),
        "one_draw": sum(p * (v - bar) ** 2 for p, v in zip(a, V, strict=True)),
        "raw_draw": sum(p * v * v for p, v in zip(a, V, strict=True)),
    }
    return {"A5: weights on the simplex, K >= 1": sum(a) == 1 and min(a) >= 0 and K >= 1}, {**found, "K": Fraction(K)}


def sums_of_draws(draws: int = 12) -> World:
    """N clients and up to so many draws by weight, as far as there are at most 4,096 tuples."""

    def at(N: int, K: int) -> Case:
        k = max(1, min(K, int(log(_MOST) / log(max(N, 2)) + 1e-9)))
        cost = max(1.5, N**k / 120) if draws > 1 else max(2.0, N / 20)
        return drawn(f"{k} of {N} clients drawn", _on_the_line(N), sums, sums_exact, cost=cost, K=k)

    return ranging("K clients drawn by weight", at, N=(1, 300, 3), K=(1, draws, min(2, draws)))


def one_step(x: Instance) -> Seen:
    """One local step, given the samples: nᵢ is drawn with chance q, as is −nᵢ with the same; 0 otherwise, 2q <= 1."""
    a, h = x["weights"], x["curvature"]
    gradient = h * (x["start"][:, None] - x["optimum"])
    moved = x["step"][:, None] * (gradient + x["noise"])
    apart = moved - (a * moved).sum(axis=1, keepdims=True)
    found = {"apart": (a * apart**2).sum(axis=1) / x["drawn"], "eta": x["step"], "E": np.ones_like(x["step"])}
    return {**found, "G2": (gradient**2 + 2 * x["chance"][:, None] * x["noise"] ** 2).max(axis=1), "K": x["drawn"]}


def one_step_exact(x: Seen) -> Plain:
    """E_s |W_tilde - W_bar|^2 after one local step for samples of positive chance; noise +-n_i with chance q each."""
    a, K, q = x["weights"], Fraction(x["drawn"]), x["chance"]
    clients = range(len(a))
    g = [x["curvature"][i] * (x["start"] - x["optimum"][i]) for i in clients]
    V = [x["start"] - x["step"] * (g[i] + x["noise"][i]) for i in clients]
    center = sum(a[i] * V[i] for i in clients)
    found = {"apart": sum(a[i] * (V[i] - center) ** 2 for i in clients) / K, "eta": x["step"], "E": Fraction(1)}
    found |= {"G2": max(g[i] ** 2 + 2 * q * x["noise"][i] ** 2 for i in clients), "K": K}
    met = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "noise n_i and -n_i with chance q each, else 0: mean 0": 0 < 2 * q <= 1,
        "constant positive steps": x["step"] > 0,
    }
    return met, found


def _one_step(n: int) -> Case:
    chance, counts = LogScale("chance", 1e-3, 0.5, at=(1e-3, 0.125, 0.5)), Choice("drawn", (1.0, 2.0, 10.0))
    of: Coordinates = (*quadratics(n), signed("start"), signed("noise", n), chance, Simplex("weights", n))
    of += (LogScale("step", 1e-4, 1.0, at=(1.0,)), counts)
    name, scaled = f"{n} clients, one local step, given the samples", {"step": (-1, 2)}
    return drawn(name, of, one_step, one_step_exact, scaled=scaled)


def opposed(x: Instance) -> Seen:
    """Two clients h/2·(w ∓ u)² from 0 with equal weights, E noiseless steps of size `length`/h."""
    h, u, E = x["curvature"], x["point"], x["local_steps"]
    gone = u * (1 - (1 - x["length"]) ** E)
    return {"eta": x["length"] / h, "E": E, "G2": (h * u) ** 2, "K": x["drawn"], "apart": gone**2 / x["drawn"]}


def opposed_exact(x: Seen) -> Plain:
    """Two clients h/2 (w -+ u)^2 from 0 with equal weights, E noiseless steps of one size; K of them drawn."""
    h, E, K, eta = x["curvature"], int(x["local_steps"]), Fraction(x["drawn"]), x["length"] / x["curvature"]
    optima, models, G2 = [x["point"], -x["point"]], [Fraction(0), Fraction(0)], Fraction(0)
    for _ in range(E):
        gradients = [h * (w - m) for w, m in zip(models, optima, strict=True)]
        G2 = max(G2, *(g * g for g in gradients))
        models = [w - eta * g for w, g in zip(models, gradients, strict=True)]
    center = sum(models) / 2
    met = {"constant positive steps": eta > 0, "gradients without noise": h > 0}
    apart = sum((w - center) ** 2 for w in models) / 2 / K
    return met, {"apart": apart, "eta": eta, "E": Fraction(E), "G2": G2, "K": K}


_STEPS = (LogScale("length", 1e-4, 0.1, at=(1e-3,)), Choice("local_steps", (1.0, 2.0, 5.0, 10.0, 40.0)))
_OF = (positive("curvature"), positive("point"), *_STEPS, Choice("drawn", (1.0, 2.0, 10.0)))
_OPPOSED = drawn("two opposed clients, no noise", _OF, opposed, opposed_exact)


def given_the_samples() -> World:
    """A draw given the samples: one local step with noise, and noiseless rounds of two opposed clients."""
    return over(*(_one_step(n) for n in (2, 3, 10)), _OPPOSED)
