"""Rounds of EFL with random participation, independent of past and batches: exact second moments on quadratic clients.

Fₖ(w) = ½ Σᵢ hₖᵢ(wᵢ − mₖᵢ)². Each round one of a few patterns is drawn; a pattern says how many steps s every client
finishes and with which coefficient p it counts. `rule`: 0 coefficients such that E[p s] = pᵏ (r = 0), 1 p = E pᵏ/s, 2 free.
`stay`: client 0 leaves for good after the fraction stay of the rounds. γ, J and Hₜ as the induction (65) defines them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.mechanisms import local_steps
from validation import (
    Case,
    Choice,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    units,
)
from validation.world.world import case

__all__ = ["independent_rounds"]

_SUMS = ("printed_59", "printed_49", "product_59", "plus_59", "plus_49", "noise", "skew", "pull", "H")


def _law(x: Instance, E: int) -> tuple[Any, Any]:
    """Coefficients and finished steps of every pattern, (n, R, N) each."""
    p = x["share"][:, None]
    s = np.minimum(np.floor(x["done"] * (E + 1) + 1e-9), E)
    free = p * x["coefficient"]
    mean = (x["chance"][..., None] * x["coefficient"] * s).sum(axis=1)[:, None]
    even = np.where(mean > 0, free / np.where(mean > 0, mean, 1), 0.0)
    by_rule = np.where(s > 0, E * p / np.where(s > 0, s, 1), 0.0)
    rule = x["rule"][:, None, None]
    return np.where(rule == 0, even, np.where(rule == 1, by_rule, free)), s


def _once(x: Instance, p: Any, s: Any, theta: Any, gaps: Any) -> dict[str, Any]:
    """What one round adds to each sum, its m, r and share of J, all (n,)."""
    share, chance = x["share"], x["chance"]
    variance = (x["sigma"] * x["noisy"][:, None]) ** 2
    taken = (chance[..., None] * p * s).sum(axis=1)
    ratio = taken / share
    steps, total = (p * s).sum(axis=2), p.sum(axis=2)
    squares = (p**2 * s / share[:, None]).sum(axis=2)
    t = theta[:, None]
    over = np.maximum(total - 2, 0)
    brackets = {
        "printed_59": 2 * steps + t * (total - 2),
        "printed_49": steps + total - 2 + squares,
        "product_59": steps + t * (total - 2) * steps,
        "plus_59": steps + t * over * steps,
        "plus_49": steps + over * squares,
    }
    m = taken.sum(axis=1)
    safe = np.where(m > 0, m, 1.0)
    found = {k: (chance * v).sum(axis=1) / safe**2 for k, v in brackets.items()}
    found["noise"] = (chance * (p**2 * s * variance[:, None]).sum(axis=2)).sum(axis=1) / safe**2
    found["skew"] = (taken * gaps).sum(axis=1) / safe**2
    found["pull"] = (chance * squares).sum(axis=1) / safe**2
    found["m"] = m
    found["H"] = (ratio.max(axis=1) - ratio.min(axis=1) > 1e-9 * ratio.max(axis=1)).astype(float)
    found["J"] = (taken * gaps).sum(axis=1) / safe
    return found


def independent(x: Instance, *, E: int, T: int) -> Mapping[str, Any]:
    """Mean and second moment of w − w*, and every constant of (7), T rounds on."""
    h, share, chance = x["curvature"], x["share"], x["chance"]
    n, n_clients, dim = h.shape
    variance = (x["sigma"] * x["noisy"][:, None]) ** 2 / dim
    p, s = _law(x, E)
    lasts = np.minimum(np.floor(x.get("stay", np.ones(n)) * T + 1e-9), T).astype(int)
    gone = np.array([0.0] + [1.0] * (n_clients - 1))
    laws = ((p, s), (p * gone, s * gone))
    theta = (1 + x["slack"]) * (p / share[:, None]).max(axis=(1, 2))
    mixed = (share[..., None] * h).sum(axis=1)
    best = (share[..., None] * h * x["optimum"]).sum(axis=1) / mixed
    off, u = x["optimum"] - best[:, None], x["start"] - best
    gaps = 0.5 * (h * off**2).sum(axis=2)
    mu_, L_ = h.min(axis=(1, 2)), h.max(axis=(1, 2))
    rounds = [_once(x, *law, theta, gaps) for law in laws]
    used = (lasts > 0, lasts < T)
    meets = np.where(used[0], rounds[0]["m"] > 0, True) & np.where(used[1], rounds[1]["m"] > 0, True) & (theta > 0)
    least = np.minimum(*(np.where(u_, r["m"], np.inf) for u_, r in zip(used, rounds, strict=True)))
    least = np.where(least > 0, least, 1.0)
    need = np.maximum(32 * E * (1 + theta) * L_ / (mu_ * least), 4 * E**2 * theta / least)
    offset = (1 + x["later"]) * np.maximum(need, E)
    mean, second = u, u**2
    g2 = np.zeros(n)
    sized = h * np.sqrt(variance)[..., None]
    for tau in range(T):
        left = (tau >= lasts)[:, None, None]
        p_now, s_now = (np.where(left, b, a) for a, b in zip(*laws, strict=True))
        m = np.where(left[:, 0, 0], rounds[1]["m"], rounds[0]["m"])
        eta = 16 * E / (mu_ * ((tau + 1) * E + offset) * np.where(m > 0, m, 1.0))
        z = np.minimum(eta[:, None, None] * h, 0.75)
        log = np.log1p(-z)
        before = second[:, None] - 2 * mean[:, None] * off + off**2
        decay = np.expm1(2 * (E - 1) * log)
        later = (1 + decay) * h**2 * before - eta[:, None, None] ** 2 * sized**2 * decay / (z * (2 - z))
        top = np.maximum(h**2 * before, later).sum(axis=2) + dim * variance
        g2 = np.maximum(g2, top.max(axis=1))
        moved = p_now[..., None] * np.expm1(s_now[..., None] * log[:, None])
        matrix, shift = 1 + moved.sum(axis=2), -(moved * off[:, None]).sum(axis=2)
        own = -np.expm1(2 * s_now[..., None] * log[:, None]) / (z * (2 - z))[:, None]
        own = (p_now[..., None] ** 2 * variance[:, None, :, None] * own).sum(axis=2) * eta[:, None, None] ** 2
        q = chance[..., None]
        second = (q * (matrix**2 * second[:, None] + 2 * matrix * shift * mean[:, None] + shift**2 + own)).sum(axis=1)
        mean = (q * (matrix * mean[:, None] + shift)).sum(axis=1)
    counts = (lasts, T - lasts)
    sums = {k: sum(c * r[k] for c, r in zip(counts, rounds, strict=True)) for k in _SUMS}
    pulls = np.maximum(*(np.where(u_, r["J"], 0.0) for u_, r in zip(used, rounds, strict=True)))
    return {
        "Delta": second.sum(axis=1),
        "gamma": offset,
        "time": np.full(n, float(T * E)),
        "E": np.full(n, float(E)),
        "mu": mu_,
        "L": L_,
        "theta": theta,
        "G2": g2,
        "Delta0": (u**2).sum(axis=1),
        **sums,
        "J": 32 * E * pulls / mu_,
        "magnitude": (u**2).sum(axis=1) + (off**2).max(axis=(1, 2)),
        "admissible": meets,
    }


def law_exact(x: Mapping[str, Any], E: int) -> tuple[list[list[Fraction]], list[list[int]]]:
    """Coefficients and finished steps of every pattern."""
    share, chance, clients = x["share"], x["chance"], range(len(x["share"]))
    s = [[min(int(u * (E + 1)), E) for u in row] for row in x["done"]]
    if x["rule"] == 1:
        return [[E * share[k] / row[k] if row[k] else Fraction(0) for k in clients] for row in s], s
    free = [[share[k] * row[k] for k in clients] for row in x["coefficient"]]
    if x["rule"] == 2:
        return free, s
    means = [sum(q * c[k] * t[k] for q, c, t in zip(chance, x["coefficient"], s, strict=True)) for k in clients]
    return [[row[k] / means[k] if means[k] else Fraction(0) for k in clients] for row in free], s


def once_exact(x: Mapping[str, Any], p: Any, s: Any, theta: Any, D: Any) -> tuple[dict[str, Any], Any, Any]:
    """What a round of this law adds to each sum, its m = E[sum p s], and its share of J without 32E/mu."""
    share, chance, clients, patterns = x["share"], x["chance"], range(len(x["share"])), range(len(p))
    steps = [sum(p[r][k] * s[r][k] for k in clients) for r in patterns]
    squares = [sum(p[r][k] ** 2 * s[r][k] / share[k] for k in clients) for r in patterns]
    noise = [sum(p[r][k] ** 2 * s[r][k] * (x["sigma"][k] * x["noisy"]) ** 2 for k in clients) for r in patterns]
    taken = [sum(chance[r] * p[r][k] * s[r][k] for r in patterns) for k in clients]
    skew, m = sum(taken[k] * D[k] for k in clients), sum(taken)
    over = [sum(p[r]) - 2 for r in patterns]
    each = {
        "noise": noise,
        "pull": squares,
        "printed_59": [2 * steps[r] + theta * over[r] for r in patterns],
        "printed_49": [steps[r] + over[r] + squares[r] for r in patterns],
        "product_59": [steps[r] * (1 + theta * over[r]) for r in patterns],
        "plus_59": [steps[r] * (1 + theta * max(over[r], 0)) for r in patterns],
        "plus_49": [steps[r] + max(over[r], 0) * squares[r] for r in patterns],
    }
    found = {name: sum(chance[r] * values[r] for r in patterns) for name, values in each.items()}
    uneven = len({taken[k] / share[k] for k in clients}) > 1
    sums = {name: value / m**2 for name, value in {**found, "skew": skew}.items()}
    return {**sums, "H": Fraction(uneven)}, m, skew / m


def independent_exact(x: Mapping[str, Any], *, E: int, T: int) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Mean and second moment of w - w* step by step, and every constant of (7) as (65) defines them."""
    h, m, share, chance = x["curvature"], x["optimum"], x["share"], x["chance"]
    clients, dims = range(len(share)), range(len(x["start"]))
    p, s = law_exact(x, E)
    patterns = range(len(p))
    sigma2 = [(v * x["noisy"]) ** 2 for v in x["sigma"]]
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    theta = (1 + x["slack"]) * max(p[r][k] / share[k] for r in patterns for k in clients)
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    off = [[m[k][i] - best[i] for i in dims] for k in clients]
    D = [sum(h[k][i] * off[k][i] ** 2 for i in dims) / 2 for k in clients]
    stay = min(int(x["stay"] * T), T) if "stay" in x else T
    laws = [p] * (stay > 0) + [[[Fraction(0), *row[1:]] for row in p]] * (stay < T)
    counts = [n for n in (stay, T - stay) if n > 0]
    each = [once_exact(x, a, s, theta, D) for a in laws]
    gamma = max(max(32 * E * (1 + theta) * L / (mu * v), 4 * E**2 * theta / v, E) for _, v, _ in each)
    gamma = (1 + x["later"]) * gamma
    first = [x["start"][i] - best[i] for i in dims]
    second = [v * v for v in first]
    Delta0, G2, below = sum(second), Fraction(0), True
    for tau in range(T):
        now = 0 if tau < counts[0] else 1
        a, eta = laws[now], 16 * E / (mu * ((tau + 1) * E + gamma) * each[now][1])
        below = below and eta <= 1 / (2 * (1 + theta) * L) and eta <= 4 / (mu * E * theta)
        tops = list(sigma2)
        for i in dims:
            # Client k after j steps from u: mean and mean square of w - m_k, as scale * (u - off) with own variance.
            scale, own = [[Fraction(1)] for k in clients], [[Fraction(0)] for k in clients]
            for k in clients:
                for _ in range(E):
                    scale[k].append(scale[k][-1] * (1 - eta * h[k][i]))
                    own[k].append(own[k][-1] * (1 - eta * h[k][i]) ** 2 + eta**2 * sigma2[k] / len(dims))
                away = second[i] - 2 * first[i] * off[k][i] + off[k][i] ** 2
                tops[k] = tops[k] + max(h[k][i] ** 2 * (scale[k][j] ** 2 * away + own[k][j]) for j in range(E))
            total, square = Fraction(0), Fraction(0)
            for r in patterns:
                change = [a[r][k] * (scale[k][s[r][k]] - 1) for k in clients]
                M, b = 1 + sum(change), -sum(change[k] * off[k][i] for k in clients)
                spread = sum(a[r][k] ** 2 * own[k][s[r][k]] for k in clients)
                total = total + chance[r] * (M * first[i] + b)
                square = square + chance[r] * (M * M * second[i] + 2 * M * b * first[i] + b * b + spread)
            first[i], second[i] = total, square
        G2 = max([G2, *tops])
    hypotheses = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "the chances of the patterns sum to 1": sum(chance) == 1 and min(chance) >= 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": below and gamma >= E,
    }
    sums = {name: sum(n * once[name] for n, (once, _, _) in zip(counts, each, strict=True)) for name in each[0][0]}
    scale_J = 32 * E / mu
    return hypotheses, {
        "Delta": sum(second),
        "Delta0": Delta0,
        "gamma": gamma,
        "time": Fraction(T * E),
        "E": Fraction(E),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        **sums,
        "J": scale_J * max(J for _, _, J in each),
    }


def independent_rounds(*, leaving: bool = False, most: int = 300, longest: int = 1000) -> Family:
    """Federations over their sizes: N clients, E steps, d coordinates, T rounds."""

    def at(N: float, E: float, d: float, T: float) -> Case:
        n, n_local, dim, n_rounds = int(N), int(E), int(d), int(T)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                Signed("start", 1e-3, 1e3, (dim,)),
                LogScale("sigma", 1e-2, 1e2, (n,), at=(1.0,)),
                Choice("noisy", (0.0, 1.0)),
                Simplex("chance", 2),
                Uniform("done", 0.0, 1.0, (2, n)),
                LogScale("coefficient", 1e-1, 1e1, (2, n), at=(1.0,)),
                LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
                LogScale("later", 1e-6, 1e1, at=(1e-6,)),
                Choice("rule", (0.0, 1.0, 2.0)),
                *((Uniform("stay", 0.0, 1.0, at=(0.0, 0.5)),) if leaving else ()),
            )
        )
        each = {"curvature": 0, "optimum": 0, "share": 0, "sigma": 0, "done": 1, "coefficient": 1}
        same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}),)
        name = f"{n} clients, E = {n_local}, d = {dim}, {n_rounds} rounds" + (", one leaves" if leaving else "")
        return case(
            name,
            space,
            independent,
            independent_exact,
            uses=(law_exact, once_exact),
            cost=max(1.0, n * dim * n_rounds / 12),
            symmetries=same if leaving else (*same, permuted_clients(each)),
            mechanisms=local_steps(n_local),
            E=n_local,
            T=n_rounds,
        )

    sizes = (
        Size("N", 2 if leaving else 1, most, 2),
        Size("E", 1, most, 2),
        Size("d", 1, min(8, most), 1),
        Size("T", 1, longest, 3, ladder=True),
    )
    return Family("one client leaves" if leaving else "independent rounds", sizes, at)
