"""Rounds of EFL with random participation, independent of past and batches: exact second moments on quadratic clients.

Fₖ(w) = ½ Σᵢ hₖᵢ(wᵢ − mₖᵢ)². Each round one of a few patterns is drawn; a pattern says how many steps s every client
finishes and with which coefficient p it counts. `rule`: 0 coefficients such that E[p s] = pᵏ (r = 0), 1 p = E pᵏ/s, 2 free.
`stay`: client 0 leaves for good after the fraction stay of the rounds. γ, J, Cₜ and Hₜ as the induction (65) defines them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.theorem1_bound import BRACKETS, with_C
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
    Uniform,
    permuted_clients,
    units,
)

__all__ = ["random_rounds"]


def _law(x: Instance, n_local: int) -> tuple[Any, Any]:
    """Coefficients and finished steps of every pattern, (n, R, N) each."""
    p = x["share"][:, None]
    s = np.minimum(np.floor(x["done"] * (n_local + 1) + 1e-9), n_local)
    free = p * x["coefficient"]
    mean = (x["chance"][..., None] * x["coefficient"] * s).sum(axis=1)[:, None]
    even = np.where(mean > 0, free / np.where(mean > 0, mean, 1), 0.0)
    by_rule = np.where(s > 0, n_local * p / np.where(s > 0, s, 1), 0.0)
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


def _measure(n_rounds: int, n_local: int) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        h, share, chance = x["curvature"], x["share"], x["chance"]
        n, n_clients, dim = h.shape
        variance = (x["sigma"] * x["noisy"][:, None]) ** 2 / dim
        p, s = _law(x, n_local)
        lasts = np.full(n, n_rounds)
        if "stay" in x:
            lasts = np.minimum(np.floor(x["stay"] * n_rounds + 1e-9), n_rounds).astype(int)
        gone = np.array([0.0] + [1.0] * (n_clients - 1))
        laws = ((p, s), (p * gone, s * gone))
        theta = (1 + x["slack"]) * (p / share[:, None]).max(axis=(1, 2))
        mixed = (share[..., None] * h).sum(axis=1)
        best = (share[..., None] * h * x["optimum"]).sum(axis=1) / mixed
        off, u = x["optimum"] - best[:, None], x["start"] - best
        gaps = 0.5 * (h * off**2).sum(axis=2)
        mu_, L_ = h.min(axis=(1, 2)), h.max(axis=(1, 2))
        rounds = [_once(x, *law, theta, gaps) for law in laws]
        used = (lasts > 0, lasts < n_rounds)
        meets = np.where(used[0], rounds[0]["m"] > 0, True) & np.where(used[1], rounds[1]["m"] > 0, True) & (theta > 0)
        least = np.minimum(*(np.where(u_, r["m"], np.inf) for u_, r in zip(used, rounds, strict=True)))
        least = np.where(least > 0, least, 1.0)
        need = np.maximum(32 * n_local * (1 + theta) * L_ / (mu_ * least), 4 * n_local**2 * theta / least)
        offset = (1 + x["later"]) * np.maximum(need, n_local)
        mean, second = u, u**2
        g2 = np.zeros(n)
        sized = h * np.sqrt(variance)[..., None]
        for tau in range(n_rounds):
            left = (tau >= lasts)[:, None, None]
            p_now, s_now = (np.where(left, b, a) for a, b in zip(*laws, strict=True))
            m = np.where(left[:, 0, 0], rounds[1]["m"], rounds[0]["m"])
            eta = 16 * n_local / (mu_ * ((tau + 1) * n_local + offset) * np.where(m > 0, m, 1.0))
            z = np.minimum(eta[:, None, None] * h, 0.75)
            log = np.log1p(-z)
            before = second[:, None] - 2 * mean[:, None] * off + off**2
            decay = np.expm1(2 * (n_local - 1) * log)
            later = (1 + decay) * h**2 * before - eta[:, None, None] ** 2 * sized**2 * decay / (z * (2 - z))
            top = np.maximum(h**2 * before, later).sum(axis=2) + dim * variance
            g2 = np.maximum(g2, top.max(axis=1))
            moved = p_now[..., None] * np.expm1(s_now[..., None] * log[:, None])
            matrix, shift = 1 + moved.sum(axis=2), -(moved * off[:, None]).sum(axis=2)
            own = -np.expm1(2 * s_now[..., None] * log[:, None]) / (z * (2 - z))[:, None]
            own = (p_now[..., None] ** 2 * variance[:, None, :, None] * own).sum(axis=2) * eta[:, None, None] ** 2
            q = chance[..., None]
            second = (q * (matrix**2 * second[:, None] + 2 * matrix * shift * mean[:, None] + shift**2 + own)).sum(
                axis=1
            )
            mean = (q * (matrix * mean[:, None] + shift)).sum(axis=1)
        counts = (lasts, n_rounds - lasts)
        sums = {
            k: sum(c * r[k] for c, r in zip(counts, rounds, strict=True))
            for k in (*BRACKETS, "noise", "skew", "pull", "H")
        }
        pulls = np.maximum(*(np.where(u_, r["J"], 0.0) for u_, r in zip(used, rounds, strict=True)))
        found = {
            "Delta": second.sum(axis=1),
            "gamma": offset,
            "time": np.full(n, float(n_rounds * n_local)),
            "E": np.full(n, float(n_local)),
            "mu": mu_,
            "L": L_,
            "theta": theta,
            "G2": g2,
            "Delta0": (u**2).sum(axis=1),
            **sums,
            "J": 32 * n_local * pulls / mu_,
            "magnitude": (u**2).sum(axis=1) + (off**2).max(axis=(1, 2)),
            "admissible": meets,
        }
        return with_C(found)

    return measure


def law_exact(x: Mapping[str, Any]) -> tuple[list[list[Fraction]], list[list[int]]]:
    """Coefficients and finished steps of every pattern."""
    n_local, clients = int(x["local_steps"]), range(len(x["share"]))
    s = [[min(int(u * (n_local + 1)), n_local) for u in row] for row in x["done"]]
    p = []
    for row, steps in zip(x["coefficient"], s, strict=True):
        if x["rule"] == 1:
            p.append([n_local * x["share"][k] / steps[k] if steps[k] else Fraction(0) for k in clients])
        elif x["rule"] == 2:
            p.append([x["share"][k] * row[k] for k in clients])
        else:
            means = [
                sum(q * c[k] * t[k] for q, c, t in zip(x["chance"], x["coefficient"], s, strict=True)) for k in clients
            ]
            p.append([x["share"][k] * row[k] / means[k] if means[k] else Fraction(0) for k in clients])
    return p, s


def random_rounds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Mean and second moment of w - w* step by step, and every constant of (7) as (65) defines them."""
    h, m, share, n_local, n_rounds = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["rounds"])
    clients, dims, chance = range(len(share)), range(len(x["start"])), x["chance"]
    p, s = law_exact(x)
    patterns = range(len(p))
    sigma2 = [(v * x["noisy"]) ** 2 for v in x["sigma"]]
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    theta = (1 + x["slack"]) * max(p[r][k] / share[k] for r in patterns for k in clients)
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    D = [sum(h[k][i] * (best[i] - m[k][i]) ** 2 for i in dims) / 2 for k in clients]
    n_with = min(int(x["stay"] * n_rounds), n_rounds) if "stay" in x else n_rounds
    rounds = []
    for tau in range(n_rounds):
        gone = tau >= n_with
        rounds.append(([[0 if gone and k == 0 else p[r][k] for k in clients] for r in patterns], gone))

    def mean_of(coefficients: Any, value: Any) -> Any:
        return sum(chance[r] * value(coefficients[r], s[r]) for r in patterns)

    def taken(a: Any) -> Any:
        return [sum(chance[r] * a[r][k] * s[r][k] for r in patterns) for k in clients]

    ms = [sum(taken(a)) for a, _ in rounds]
    gamma = max(max(32 * n_local * (1 + theta) * L / (mu * v), 4 * n_local**2 * theta / v, n_local) for v in ms)
    gamma = (1 + x["later"]) * gamma
    sums = {"noise": Fraction(0), "skew": Fraction(0), "pull": Fraction(0), "H": Fraction(0)}
    sums.update({k: Fraction(0) for k in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49")})
    J, G2 = Fraction(0), Fraction(0)
    first, second = [x["start"][i] - best[i] for i in dims], [(x["start"][i] - best[i]) ** 2 for i in dims]
    Delta0, below = sum(second), True
    for tau, (a, _) in enumerate(rounds):
        got, v = taken(a), ms[tau]

        def squares(c: Any, t: Any) -> Any:
            return sum(c[k] ** 2 * t[k] / share[k] for k in clients)

        def steps(c: Any, t: Any) -> Any:
            return sum(c[k] * t[k] for k in clients)

        readings = {
            "printed_59": mean_of(a, lambda c, t: 2 * steps(c, t) + theta * (sum(c) - 2)),
            "printed_49": mean_of(a, lambda c, t: steps(c, t) + (sum(c) - 2) + squares(c, t)),
            "product_59": mean_of(a, lambda c, t: steps(c, t) * (1 + theta * (sum(c) - 2))),
            "plus_59": mean_of(a, lambda c, t: steps(c, t) * (1 + theta * max(sum(c) - 2, 0))),
            "plus_49": mean_of(a, lambda c, t: steps(c, t) + max(sum(c) - 2, 0) * squares(c, t)),
            "noise": mean_of(a, lambda c, t: sum(c[k] ** 2 * t[k] * sigma2[k] for k in clients)),
            "skew": sum(got[k] * D[k] for k in clients),
            "pull": mean_of(a, squares),
        }
        for name, value in readings.items():
            sums[name] = sums[name] + value / v**2
        sums["H"] = sums["H"] + (0 if len({got[k] / share[k] for k in clients}) == 1 else 1)
        J = max(J, 32 * n_local * sum(got[k] * D[k] for k in clients) / (mu * v))
        eta = 16 * n_local / (mu * ((tau + 1) * n_local + gamma) * v)
        below = below and eta <= 1 / (2 * (1 + theta) * L) and eta <= 4 / (mu * n_local * theta)
        new_first, new_second = [], []
        tops = [sigma2[k] for k in clients]
        for i in dims:
            # Client k after j steps from u: mean and mean square of w - m_k, as scale * (u - off) with own variance.
            off = [m[k][i] - best[i] for k in clients]
            scale, own = [[Fraction(1)] for k in clients], [[Fraction(0)] for k in clients]
            for k in clients:
                for _ in range(n_local):
                    scale[k].append(scale[k][-1] * (1 - eta * h[k][i]))
                    own[k].append(own[k][-1] * (1 - eta * h[k][i]) ** 2 + eta**2 * sigma2[k] / len(dims))
                away = second[i] - 2 * first[i] * off[k] + off[k] ** 2
                tops[k] = tops[k] + max(h[k][i] ** 2 * (scale[k][j] ** 2 * away + own[k][j]) for j in range(n_local))
            total_first, total_second = Fraction(0), Fraction(0)
            for r in patterns:
                change = [a[r][k] * (scale[k][s[r][k]] - 1) for k in clients]
                M, b = 1 + sum(change), -sum(change[k] * off[k] for k in clients)
                spread = sum(a[r][k] ** 2 * own[k][s[r][k]] for k in clients)
                total_first = total_first + chance[r] * (M * first[i] + b)
                total_second = total_second + chance[r] * (M * M * second[i] + 2 * M * b * first[i] + b * b + spread)
            new_first.append(total_first)
            new_second.append(total_second)
        G2 = max([G2, *tops])
        first, second = new_first, new_second
    hypotheses = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "the chances of the patterns sum to 1": sum(chance) == 1 and min(chance) >= 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": below and gamma >= n_local,
    }
    constants = {
        "Delta": sum(second),
        "gamma": gamma,
        "time": Fraction(n_rounds * n_local),
        "E": Fraction(n_local),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "Delta0": Delta0,
        **sums,
        "J": J,
    }
    return hypotheses, with_C(constants)


def random_rounds(
    *,
    rules: tuple[float, ...] = (0.0, 1.0, 2.0),
    leaving: bool = False,
    most: int = 300,
    longest: int = 1000,
    noisy: bool = True,
) -> Family:
    """Federations over their sizes: N clients, E steps, d coordinates, T rounds, R patterns of participation."""

    def at(N: float, E: float, d: float, T: float) -> Case:
        n, n_local, dim, n_rounds = int(N), int(E), int(d), int(T)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                Signed("start", 1e-3, 1e3, (dim,)),
                LogScale("sigma", 1e-2, 1e2, (n,), at=(1.0,)),
                Choice("noisy", (0.0, 1.0) if noisy else (0.0,)),
                Simplex("chance", 2),
                Uniform("done", 0.0, 1.0, (2, n)),
                LogScale("coefficient", 1e-1, 1e1, (2, n), at=(1.0,)),
                LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
                LogScale("later", 1e-6, 1e1, at=(1e-6,)),
                Choice("rule", rules),
                Choice("local_steps", (float(n_local),)),
                Choice("rounds", (float(n_rounds),)),
                *((Uniform("stay", 0.0, 1.0, at=(0.0, 0.5)),) if leaving else ()),
            )
        )
        same = {"curvature": 0, "optimum": 0, "share": 0, "sigma": 0, "done": 1, "coefficient": 1}
        return Case(
            f"{n} clients, E = {n_local}, d = {dim}, {n_rounds} rounds" + (", one leaves" if leaving else ""),
            space,
            _measure(n_rounds, n_local),
            ExactCheck(random_rounds_exact, (law_exact, with_C)),
            cost=max(1.0, n * dim * n_rounds / 12),
            symmetries=(
                units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}),
                *(() if leaving else (permuted_clients(same),)),
            ),
        )

    sizes = (
        Size("N", 2 if leaving else 1, most, 2),
        Size("E", 1, most, 2),
        Size("d", 1, min(8, most), 1),
        Size("T", 1, longest, 3, ladder=True),
    )
    return Family("one client leaves" if leaving else "independent rounds", sizes, at)
