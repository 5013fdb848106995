"""Γ = 0: quadratic clients with one common minimiser, 0, and positive shares; ρ is then defined wherever w ≠ 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.rounds import watched
from paper_checks.robust_aggregation.rounds_cases import Convention, noisy_runs, plain_runs
from paper_checks.robust_aggregation.rounds_exact import curvature, one_hot, schedule
from theory.exact import dot, matvec, weighted_sum
from validation import Case, Choice, ExactCheck, Family, Instance, LogScale, Simplex, Size, Space, units

__all__ = ["common_exact", "common_long", "common_runs"]

Measure = Callable[[Instance], Mapping[str, Any]]


def common_view(x: Instance) -> Mapping[str, Any]:
    """The step t of a run whose clients all have their minimiser at 0, and the constants of both bounds."""
    with np.errstate(all="ignore"):  # ρ(t, w*) is 0/0 for Γ = 0, and not used
        view = watched({**x, "optimum": np.zeros_like(x["optimum"])})
    c, p = view.constants, x["share"]
    after = view.mean((view.new**2).sum(axis=-1))
    from_best = np.broadcast_to(view.new[:, :, None, :], view.local.shape)
    h = x["spectrum"][:, None]
    if "mirror" in x:
        r = x["mirror"][:, None]
        size = (r**2).sum(axis=-1, keepdims=True)
        from_best = from_best - 2 / np.where(size > 0, size, np.inf) * (r * from_best).sum(axis=-1, keepdims=True) * r
    gap = view.mean((p[:, None] * (h * from_best**2).sum(axis=-1) / 2).sum(axis=2))
    defined = np.isfinite(c["rho"]) & (c["rho"] > 0) & (p.min(axis=1) > 0)
    return {
        **{name: c[name] for name in ("eta", "mu", "L", "E", "G2", "sigma2", "D")},
        "after": after,
        "gap": gap,
        "rho": np.where(defined, c["rho"], 1.0),
        "tau": c["E"],
        "T": x["t"] + 1,
        "D0": (x["start"] ** 2).sum(axis=1),
        "reach": c["reach"],
        "admissible": defined,
    }


def common_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], dict[str, Any]]:
    """The same run path by path: (hypotheses, constants)."""
    p, dim, n_local, noisy = x["share"], len(x["start"]), int(x["local_steps"]), "rare" in x
    clients, n_rounds, watched = range(len(p)), len(x["weights"]) - 1, int(x["t"])
    mirrors = x.get("mirror", [[Fraction(0)] * dim for _ in clients])
    A = [curvature(s, v) for s, v in zip(x["spectrum"], mirrors, strict=True)]
    L, mu = max(max(s) for s in x["spectrum"]), min(min(s) for s in x["spectrum"])
    etas, sigma = schedule(x, L), x["sigma"] if noisy else [Fraction(0) for _ in clients]
    skews, G2, before, after, gap, defined = [], Fraction(0), Fraction(0), Fraction(0), Fraction(0), True
    for number in range(2 ** (n_rounds * n_local * len(p)) if noisy else 1):
        bits, chance, w = number, Fraction(1), list(x["start"])
        local, in_round, seen = [w for _ in clients], [], []
        for t in range(n_rounds * n_local + 1):
            losses = [dot(w, matvec(a, w)) / 2 for a in A]
            over, ends = t == n_rounds * n_local, []
            slope = [matvec(A[i], local[i]) for i in clients]
            for i in clients:
                drawn = list(slope[i])
                if noisy and not over:
                    up, bits = bits % 2, bits // 2
                    q = 1 / (1 + x["rare"] ** 2)
                    chance = chance * (q if up else 1 - q)
                    drawn[0] = drawn[0] + sigma[i] * (x["rare"] if up else -1 / x["rare"])
                ends.append([y - etas[min(t, len(etas) - 1)] * g for y, g in zip(local[i], drawn, strict=True)])
            if t % n_local == 0:
                in_round = x["weights"][t // n_local]
                if x["rule"] == 4:
                    in_round = p
                elif x["rule"] == 3:
                    in_round = one_hot([dot(v, v) for v in ends])
                elif x["rule"] > 0:
                    in_round = one_hot([f if x["rule"] == 1 else -f for f in losses])
            weights = in_round if t % n_local == 0 or x["by_p"] == 0 else p
            if t % n_local == 0 or x["over_all"] > 0:
                defined = defined and dot(p, losses) > 0
                skews.append(dot(weights, losses) / dot(p, losses) if defined else Fraction(0))
            if over:
                break
            G2 = max([G2] + [dot(slope[i], slope[i]) + sigma[i] ** 2 for i in clients])
            aggregates = t % n_local == 0 if x["eq1"] > 0 else (t + 1) % n_local == 0
            new = weighted_sum(in_round if aggregates or x["by_p"] == 0 else p, ends)
            if t == watched:
                seen = [dot(w, w), dot(new, new), sum(p[i] * dot(new, matvec(A[i], new)) / 2 for i in clients)]
            w, local = new, ([new for _ in clients] if aggregates else ends)
        before, after, gap = before + chance * seen[0], after + chance * seen[1], gap + chance * seen[2]
    hypotheses = {
        "mu-strong convexity and L-smoothness (eigenvalues given), one common minimiser": mu > 0,
        "p positive, p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *x["weights"]])
        and min(p) > 0,
        "step sizes positive and not increasing": etas[-1] > 0 and sorted(etas, reverse=True) == etas,
        "F(w_t) is not F* at any t that rho is taken over": defined,
        "rho > 0": min(skews) > 0,
    }
    constants = {"eta": etas[watched], "mu": mu, "L": L, "E": Fraction(n_local), "tau": Fraction(n_local), "G2": G2}
    constants |= {"sigma2": max(s**2 for s in sigma), "rho": min(skews), "T": x["t"] + 1, "D": before}
    return hypotheses, {**constants, "D0": dot(x["start"], x["start"]), "after": after, "gap": gap}


_USES = (dot, matvec, weighted_sum, curvature, one_hot, schedule)


def common_runs(
    lhs: str, exact: Callable[..., Any], of: Convention, least: float = 2.0, most: int = 20, *, seen: bool = False
) -> tuple[Case | Family, ...]:
    """Runs with the left side `lhs` of `common_view`: any weights without noise, and every path of two-point noise.

    `seen`: rounds of two noisy steps only, weights on the client whose first step ended farthest from the minimiser.
    """

    def measure(x: Instance) -> Mapping[str, Any]:
        found = common_view(x)
        side = {"lhs": found[lhs], "magnitude": found["reach"] * (1.0 if lhs == "after" else found["L"])}
        return {**found, **side, **({"common": found["D"]} if lhs == "after" else {})}

    uses = (*_USES, common_exact)
    if seen:
        return noisy_runs(measure, exact, of, (3.0,), ((2, 2, 1),), uses=uses)
    return (
        plain_runs(measure, exact, of, least=least, most=most, uses=uses),
        *noisy_runs(measure, exact, of, sizes=((2, 1, 1), (3, 1, 1), (2, 1, 2), (2, 2, 1)), uses=uses),
    )


def _long(x: Instance) -> Mapping[str, Any]:
    """One step a round on the line, any weights, noise and horizon: the mean and the variance of w_T are known."""
    h, p, a, sigma, T = x["spectrum"], x["share"], x["weights"], x["sigma"], int(x["horizon"][0])
    L, mu = h.max(axis=1), h.min(axis=1)
    pulls, pull = (a * h[:, None]).sum(axis=-1), (p * h).sum(axis=1)
    own, alike = (a**2 * sigma[:, None] ** 2).sum(axis=-1), (a * sigma[:, None]).sum(axis=-1) ** 2
    noise = np.where(x["shared"][:, None] > 0, alike, own)
    until = np.floor(x["turn"] * T)
    second, most = x["start"] ** 2, np.zeros_like(L)
    for t in range(T):
        early, eta = t < until, 1.0 / (mu * t + 4 * L)
        most = np.maximum(most, (h**2 * second[:, None] + sigma**2).max(axis=1))
        factor = 1 - eta * np.where(early, pulls[:, 0], pulls[:, 1])
        second = factor**2 * second + eta**2 * np.where(early, noise[:, 0], noise[:, 1])
    used = np.where(np.stack([until > 0, np.ones_like(L) > 0], axis=1), pulls, np.inf)
    one = np.ones_like(L)
    return {
        "lhs": pull / 2 * second,
        "L": L,
        "mu": mu,
        "tau": one,
        "T": T * one,
        "G2": most,
        "sigma2": (sigma**2).max(axis=1),
        "D0": x["start"] ** 2,
        "rho": used.min(axis=1) / pull,
        "admissible": (p.min(axis=1) > 0) & (x["start"] != 0),
    }


def common_long_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E w_T^2 step by step; on the line rho(t, w) is the same number for all w."""
    h, p, sigma, T = x["spectrum"], x["share"], x["sigma"], int(x["horizon"])
    L, mu, clients = max(h), min(h), range(len(h))
    second, most, skews, until = x["start"] ** 2, Fraction(0), [], int(x["turn"] * T)
    for t in range(T + 1):
        a = x["weights"][0] if t < until else x["weights"][1]
        skews.append(dot(a, h) / dot(p, h))
        if t == T:
            break
        most = max([most] + [h[i] ** 2 * second + sigma[i] ** 2 for i in clients])
        eta = 1 / (mu * (t + 4 * L / mu))
        noise = dot(a, sigma) ** 2 if x["shared"] > 0 else sum((a[i] * sigma[i]) ** 2 for i in clients)
        second = (1 - eta * dot(a, h)) ** 2 * second + eta**2 * noise
    met = {
        "0 < mu": mu > 0,
        "p positive, p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *x["weights"]])
        and min(p) > 0,
        "w_0 is not w*": x["start"] != 0,
    }
    found = {"L": L, "mu": mu, "tau": Fraction(1), "T": Fraction(T), "G2": most, "sigma2": max(s**2 for s in sigma)}
    return met, {**found, "D0": x["start"] ** 2, "rho": min(skews), "lhs": dot(p, h) * second / 2}


def common_long(most: int = 10_000) -> Family:
    """T rounds of one step, T to `most`."""

    def at(N: float, T: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                LogScale("start", 1e-3, 1e3, at=(1e-3, 1.0, 1e3)),
                LogScale("sigma", 1e-3, 1e2, (n,), at=(1e-3, 1.0, 1e2)),
                Simplex("share", n, interior=True),
                Simplex("weights", n, (2,)),
                Choice("shared", (0.0, 1.0)),
                Choice("turn", (0.0, 0.25, 0.5, 0.75, 1.0)),
                Choice("horizon", (float(T),)),
            )
        )
        return Case(
            f"one step a round, noise, N = {n}, T = {int(T)}",
            space,
            _long,
            ExactCheck(common_long_exact, (dot,)),
            cost=max(1.0, n / 40, T * n / 200),
            symmetries=(units({"spectrum": (1, -2), "start": (0, 1), "sigma": (1, -1)}),),
        )

    return Family("one step a round", (Size("N", 1, 300, 2), Size("T", 1, most, 2, ladder=True)), at)
