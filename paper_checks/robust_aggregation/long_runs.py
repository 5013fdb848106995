"""Runs for Corollary 1, ηₜ = 1/(μ(t + 4L/μ)): one step a round to any horizon, many rounds of several steps.

`window`: over which rounds ρ̄ and ρ̃ are taken, those before T, those up to T, or also those of a run that goes on with its
last weights, where ρ̃ >= ρ̄. `ball`: G on a ball around w* that holds all models and optima, else at the models visited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import Pair
from paper_checks.robust_aggregation.runs import optima_differ, run, run_exact
from theory.exact import dot
from validation import Case, Family, Instance, Mechanism, Size, Symmetry, case, permuted_clients, split_client, units
from validation.statement.instances.draw import Choice, Coordinate, LogScale, Signed, Simplex, Space
from validation.world.mechanisms import always

__all__ = [
    "common_long",
    "common_run_exact",
    "drifting_exact",
    "drifting_rounds",
    "ended",
    "ended_exact",
    "hardly_counted",
    "long_run_exact",
    "long_runs",
    "positive",
    "quiet_at_best",
    "with_share",
]


_SEVERAL = (Mechanism("several local steps", (), always),)
_TURNS = Choice("turn", (0.0, 0.25, 0.5, 0.75, 1.0))
_UNITS = {"spectrum": (1, -2), "optimum": (0, 1), "aim": (0, 1), "sigma": (1, -1)}


def ended(x: Instance, *, endless: bool = False, **how: Any) -> dict[str, Any]:
    """A run whose step t is the last: T = t + 1; `endless`: it goes on, so that ρ̃ >= ρ̄, and T ends a round."""
    found = run(x, terms=False, **how)
    low, high = found["rho"], np.fmax(found["rho_best"], found["rho"]) if endless else found["rho_best"]
    defined = found["admissible"] & (low > 0) & ((found["T"] % how["E"] == 0) | (not endless))
    found |= {"rho": np.where(defined, low, 1.0), "rho_best": np.where(defined, high, 1.0), "admissible": defined}
    return found


def ended_exact(x: Mapping[str, Any], *, endless: bool = False, **how: Any) -> Pair:
    """A run whose step t is the last: T = t + 1."""
    met, found = run_exact(x, terms=False, **how)
    met = {**met, "rho > 0, so that V is defined": found["rho"] > 0}
    if endless:
        met["T is one of the t of (7)"] = found["T"] % how["E"] == 0
        found = {**found, "rho_best": max(found["rho_best"], found["rho"])}
    return met, found


def long_run(x: Instance, *, T: int, window: str, ball: bool = False) -> dict[str, Any]:
    """T rounds of one step on the line, one row of weights until `turn`·T and one after it; noisy runs have αᵢ = pᵢ."""
    h, m, p, noisy, n = x["spectrum"], x["optimum"], x["share"], "sigma" in x, len(x["share"])
    a = np.stack([p, p], axis=1) if noisy else x["weights"]
    sigma = x["sigma"] if noisy else 0 * h
    L, mu, upto = x["loose"] * h.max(axis=1), h.min(axis=1), window != "before"
    eta = 1.0 / (mu[:, None] * np.arange(T) + 4 * L[:, None])
    pulls, pull = (a * h[:, None]).sum(axis=-1), (p * h).sum(axis=1)
    goals, best = (a * (h * m)[:, None]).sum(axis=-1) / pulls, (p * h * m).sum(axis=1) / pull
    spreads = (a * h[:, None] * (m[:, None] - goals[..., None]) ** 2).sum(axis=-1)
    Gamma = (p * h * (m - best[:, None]) ** 2).sum(axis=1) / 2
    until, t, ones = np.floor(x["turn"] * T)[:, None], np.arange(T + 1)[None], np.ones((n, 1))
    first = np.cumprod(np.concatenate([ones, 1 - eta * pulls[:, :1]], axis=1), axis=1)
    late = np.where(np.arange(T)[None] < until, 1.0, 1 - eta * pulls[:, 1:])
    second = np.cumprod(np.concatenate([ones, late], axis=1), axis=1)
    early = goals[:, :1] + (best[:, None] + x["aim"][:, None] - goals[:, :1]) * first
    at_turn = np.take_along_axis(early, until.astype(int), axis=1)
    w = np.where(t <= until, early, goals[:, 1:] + (at_turn - goals[:, 1:]) * second)
    gap, q = w - best[:, None], (t >= until).astype(int)
    variance = [np.zeros(n)]
    if noisy:
        each = np.where(x["shared"] > 0, (p * sigma).sum(axis=1) ** 2, (p**2 * sigma**2).sum(axis=1))
        for s in range(T):
            variance.append((1 - eta[:, s] * pull) ** 2 * variance[-1] + eta[:, s] ** 2 * each)
    spread = np.stack(variance, axis=1) if noisy else np.zeros_like(w)
    above = np.take_along_axis(pulls, q, axis=1) * (w - np.take_along_axis(goals, q, axis=1)) ** 2
    below = np.where(Gamma > 0, 2 * Gamma, np.inf)[:, None]
    skew = (above + np.take_along_axis(spreads, q, axis=1)) / (pull[:, None] * gap**2 + below)
    low = np.where((t < T) | upto, skew, np.inf).min(axis=1)
    used = np.stack([until[:, 0] > 0, (until[:, 0] < T) | upto], axis=1)
    high = np.where(used, (pulls * (best[:, None] - goals) ** 2 + spreads) / below, -np.inf).max(axis=1)
    if noisy:
        low, high = np.ones(n), np.ones(n)
    far = np.maximum(np.abs(gap).max(axis=1), np.abs(m - best[:, None]).max(axis=1))
    if ball:
        G2 = (h**2 * (far[:, None] + np.abs(m - best[:, None])) ** 2).max(axis=1)
    elif noisy:
        G2 = (h[:, None] * (w[:, :T, None] - m[:, None])) ** 2 + h[:, None] ** 2 * spread[:, :T, None]
        G2 = (G2 + sigma[:, None] ** 2).max(axis=(1, 2))
    else:
        ends = np.stack([w[:, :T].min(axis=1), w[:, :T].max(axis=1)], axis=1)
        G2 = ((h[:, None] * (ends[..., None] - m[:, None])) ** 2).max(axis=(1, 2))
    defined = (low > 0) & optima_differ(p, m[..., None])
    low, D, reach = np.where(defined, low, 1.0), gap[:, T] ** 2 + spread[:, T], h.max(axis=1) * (far**2 + best**2)
    with np.errstate(all="ignore"):
        kappa = a / p[:, None]
    ran = np.stack([until[:, 0] > 0, until[:, 0] < T], axis=1)[..., None]
    return {
        "gap": pull / 2 * D,
        "D": D,
        "D0": x["aim"] ** 2,
        "L": L,
        "mu": mu,
        "tau": np.ones(n),
        "T": np.full(n, float(T)),
        "G2": G2,
        "sigma2": (sigma**2).max(axis=1),
        "Gamma": np.where(defined, Gamma, 1.0),
        "rho": low,
        "rho_best": np.fmax(high, low) if window == "endless" else high,
        "steps": eta.sum(axis=1),
        "steps2": (eta**2).sum(axis=1),
        "pi": np.where(ran, kappa, np.inf).min(axis=(1, 2)),
        "Pi": np.where(ran, kappa, -np.inf).max(axis=(1, 2)),
        "N": np.full(n, float(p.shape[1])),
        "least": p.min(axis=1),
        "admissible": defined,
        "resolved": Gamma > 1e-13 * (p * h * m**2).sum(axis=1),
        "sizes": {"gap": reach},
    }


def parabola(a: Any, h: Any, m: Any) -> tuple[Any, Any, Any]:
    """(A, B, C) with sum a_i h_i (w - m_i)^2 = A w^2 - 2 B w + C for every w."""
    rows = [(q * k, c) for q, k, c in zip(a, h, m, strict=True)]
    return sum(q for q, _ in rows), sum(q * c for q, c in rows), sum(q * c * c for q, c in rows)


def long_run_exact(x: Mapping[str, Any], *, T: int, window: str, ball: bool = False) -> Pair:
    """The same run step by step; a weighted sum of parabolas is one, taken at each model w."""
    h, m, p, noisy, clients = x["spectrum"], x["optimum"], x["share"], "sigma" in x, range(len(x["share"]))
    sigma, phases = x["sigma"] if noisy else [Fraction(0) for i in clients], [p, p] if noisy else x["weights"]
    L, mu, until = x["loose"] * max(h), min(h), int(x["turn"] * T)
    pull, pulled, rest = parabola(p, h, m)
    best = pulled / pull
    at_best = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    Gamma, w, variance, zero = dot(p, at_best), best + x["aim"], Fraction(0), Fraction(0)
    each = dot(p, sigma) ** 2 if x.get("shared", 0) > 0 else sum((p[i] * sigma[i]) ** 2 for i in clients)
    skews, skews_best, G2, etas, low, high = [], [], zero, [], w, w
    for t in range(T + 1):
        if t in (0, until):  # the weights of a phase
            a = phases[0] if t < until else phases[1]
            heavy, leaning, ends = parabola(a, h, m)
            skew_best = dot(a, at_best) / Gamma
        low, high = min(low, w), max(high, w)
        if t < T or window != "before":
            skews_best.append(skew_best)
            skews.append(
                Fraction(1) if noisy else ((heavy * w - 2 * leaning) * w + ends) / ((pull * w - 2 * pulled) * w + rest)
            )
        if t == T:
            break
        eta = 1 / (mu * t + 4 * L)
        etas.append(eta)
        if noisy:
            G2 = max([G2] + [h[i] ** 2 * ((w - m[i]) ** 2 + variance) + sigma[i] ** 2 for i in clients])
            variance = (1 - eta * pull) ** 2 * variance + eta**2 * each
        elif t == T - 1:  # a squared slope is convex: largest at an end of the interval of the models so far
            G2 = max(h[i] ** 2 * (end - m[i]) ** 2 for i in clients for end in (low, high))
        w = w - eta * (heavy * w - leaning)
    far = max([high - best, best - low] + [abs(v - best) for v in m])
    if ball:
        G2 = max(h[i] ** 2 * (far + abs(m[i] - best)) ** 2 for i in clients)
    if noisy:
        skews_best = [Fraction(1)]
    if window == "endless":
        skews_best = [*skews_best, min(skews)]
    met = {
        "mu-strong convexity and L-smoothness": 0 < mu <= max(h) <= L,
        "p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *phases]),
        "the weighting skew is defined (Remark 2)": Gamma > 0,
        "rho > 0, so that V is defined": min(skews) > 0,
    }
    D, rows = (w - best) ** 2 + variance, phases[:1] * (until > 0) + phases[1:] * (until < T)
    kappas = [a / q for row in rows for a, q in zip(row, p, strict=True) if q > 0]
    found: dict[str, Any] = {
        "gap": pull * D / 2,
        "D": D,
        "D0": x["aim"] ** 2,
        "L": L,
        "mu": mu,
        "tau": Fraction(1),
        "G2": G2,
    }
    found |= {"T": Fraction(T), "sigma2": max(s**2 for s in sigma), "Gamma": Gamma, "rho": min(skews)}
    found |= {"rho_best": max(skews_best), "steps": sum(etas), "steps2": sum(e**2 for e in etas)}
    return met, {**found, "pi": min(kappas), "Pi": max(kappas), "N": Fraction(len(p)), "least": min(p)}


def positive(x: Instance, *, T: int, window: str, equal: bool) -> dict[str, Any]:
    """A run whose shares and weights are positive, for 1/π: a hundredth of equal ones mixed in; or equal shares."""
    n = x["share"].shape[-1]
    mixed = {k: (100 * x[k] + 1 / n) / 101 for k in ("share", "weights") if k in x}
    return long_run({**x, **mixed, **({"share": np.full_like(x["share"], 1 / n)} if equal else {})}, T=T, window=window)


def positive_exact(x: Mapping[str, Any], *, T: int, window: str, equal: bool) -> Pair:
    """Every weight v is drawn as (100 v + 1/n)/101, shares too, or they are equal."""
    n = len(x["share"])

    def mixed(row: Any) -> list[Any]:
        return [(100 * v + Fraction(1, n)) / 101 for v in row]

    given = {**x, "share": [Fraction(1, n)] * n if equal else mixed(x["share"])}
    if "weights" in x:
        given["weights"] = [mixed(row) for row in x["weights"]]
    return long_run_exact(given, T=T, window=window)


def long_runs(
    window: str,
    *,
    ball: bool = False,
    noisy: bool = False,
    most: int = 10_000,
    least: float = 1.0,
    equal: bool | None = None,
    scaled: bool = True,
) -> Family:
    """T to `most`; `least`: the smallest cost; `equal`: positive shares and weights, the shares equal or not."""

    def at(N: float, T: float) -> Case:
        n, horizon = int(N), int(T)
        noise = (LogScale("sigma", 1e-3, 1e2, (n,), at=(1e-3, 1.0, 1e2)), Choice("shared", (0.0, 1.0)))
        free: tuple[Coordinate, ...] = noise if noisy else (Simplex("weights", n, (2,)),)
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                LogScale("loose", 1.0, 1e3, at=(1.0, 1e2)),
                Signed("optimum", 1e-3, 1e2, (n,)),
                Signed("aim", 1e-3, 1e2),
                Simplex("share", n),
                *free,
                _TURNS,
            )
        )
        axes = {"spectrum": 0, "optimum": 0, "share": 0, **({"sigma": 0} if noisy else {"weights": 1})}
        same: tuple[Symmetry, ...] = (permuted_clients(axes),)
        if equal is None and not noisy:
            same = (*same, split_client(axes, ("share", "weights")))
        if scaled:
            same = (units({k: v for k, v in _UNITS.items() if k in {c.name for c in space.coordinates}}), *same)
        name = f"one step a round, N = {n}, T = {horizon}" + (", noise, αᵢ = pᵢ" if noisy else "")
        cost = max(least, n / 40, horizon * (n if noisy else 1) / 100)
        if equal is None:
            how: dict[str, Any] = {"uses": (dot, parabola), "window": window, "ball": ball}
            return case(name, space, long_run, long_run_exact, cost=cost, symmetries=same, T=horizon, **how)
        how = {"uses": (dot, parabola, long_run_exact), "window": window, "equal": equal}
        return case(name, space, positive, positive_exact, cost=cost, symmetries=same, T=horizon, **how)

    sizes = (Size("N", 2, 8 if noisy else 300, 3), Size("T", 1, most, 2, ladder=True))
    return Family("one step a round" + (", noise" if noisy else ""), sizes, at)


def led(x: Instance, *, T: int, window: str, ball: bool = True) -> dict[str, Any]:
    """Two clients nearly alike hold almost all data, a third one gets all weight."""
    one, near, tiny = np.ones_like(x["near"]), x["near"], x["tiny"]
    rows = {"spectrum": (one, one, x["curved"]), "optimum": (-near, near, x["far"])}
    rows["share"] = ((1 - tiny) / 2, (1 - tiny) / 2, tiny)
    given = {name: np.stack(row, axis=1) for name, row in rows.items()}
    given["weights"] = np.repeat(np.stack([0 * one, 0 * one, one], axis=1)[:, None], 2, axis=1)
    return long_run({**given, "aim": x["aim"], "loose": x["loose"], "turn": 0 * one}, T=T, window=window, ball=ball)


def led_exact(x: Mapping[str, Any], *, T: int, window: str, ball: bool = True) -> Pair:
    """Two clients nearly alike hold almost all data, a third one gets all weight."""
    zero, one, tiny = Fraction(0), Fraction(1), x["tiny"]
    given = {"spectrum": [one, one, x["curved"]], "optimum": [-x["near"], x["near"], x["far"]], "turn": zero}
    given |= {"share": [(1 - tiny) / 2, (1 - tiny) / 2, tiny], "weights": [[zero, zero, one]] * 2}
    return long_run_exact({**given, "aim": x["aim"], "loose": x["loose"]}, T=T, window=window, ball=ball)


def hardly_counted(window: str, least: float = 2.0) -> Family:
    """Runs led by a client that F hardly counts: ρ̄ as large as one likes."""

    def at(T: float) -> Case:
        space = Space(
            (
                Signed("near", 1e-4, 1e2),
                Signed("far", 1e-3, 1e2),
                Signed("aim", 1e-3, 1e2),
                LogScale("curved", 1.0, 1e2, at=(1.0, 10.0)),
                LogScale("loose", 1.0, 1e3, at=(1.0, 1e3)),
                LogScale("tiny", 1e-9, 0.1, at=(1e-9, 1e-6, 1e-3)),
            )
        )
        name, cost, uses = (
            f"all weight on a client that F hardly counts, T = {int(T)}",
            max(least, T / 50),
            (dot, parabola, long_run_exact),
        )
        return case(name, space, led, led_exact, uses=uses, cost=cost, T=int(T), window=window)

    return Family("all weight on a client that F hardly counts", (Size("T", 1, 100, 1),), at)


def with_share(runs: Family, least: float) -> Family:
    """Such runs in which each client that has all the weight has at least this share of the data."""

    def at(T: float) -> Case:
        made = runs.at(T=T)
        shares = LogScale("tiny", least, 0.1, at=(least,))
        return replace(made, space=Space(tuple(shares if c.name == "tiny" else c for c in made.space.coordinates)))

    return Family(runs.name, runs.sizes, at)


def quiet(x: Instance, *, T: int, window: str) -> dict[str, Any]:
    """The client with all weight has its optimum just beyond w*, the start lies on the other side: ρ̃ < ρ̄."""
    given = {"aim": x["aim"], "loose": x["loose"], "curved": 1 + 0 * x["aim"], "tiny": 1e-6 + 0 * x["aim"]}
    return led({**given, "near": x["wide"] * x["aim"], "far": -x["beside"] * x["aim"]}, T=T, window=window)


def quiet_exact(x: Mapping[str, Any], *, T: int, window: str) -> Pair:
    """The client with all weight has its optimum just beyond w*, the start lies on the other side."""
    given = {"aim": x["aim"], "loose": x["loose"], "curved": Fraction(1), "tiny": Fraction(1, 10**6)}
    return led_exact({**given, "near": x["wide"] * x["aim"], "far": -x["beside"] * x["aim"]}, T=T, window=window)


def quiet_at_best(window: str, T: int) -> Case:
    """A client that F hardly counts leads, with a large loss along the run and a small one at w*: ρ̃ < ρ̄."""
    space = Space(
        (
            LogScale("aim", 1e-2, 1e2, at=(1.0,)),
            LogScale("wide", 0.5, 5.0, at=(1.0, 2.0)),
            LogScale("beside", 1e-3, 1.0, at=(1e-3, 0.1)),
            LogScale("loose", 30.0, 1e6, at=(100.0, 1e6)),
        )
    )
    uses, cost = (dot, parabola, long_run_exact, led_exact), max(2.0, T / 200)
    return case(f"ρ̃ < ρ̄, T = {T}", space, quiet, quiet_exact, uses=uses, cost=cost, T=T, window=window)


def drifting(x: Instance, *, E: int, R: int) -> Mapping[str, Any]:
    """R rounds of E steps on the line without noise, two phases of weights, a run that goes on; G on a ball."""
    h, m, p, a, one = x["spectrum"], x["optimum"], x["share"], x["weights"], np.ones(len(x["share"]))
    mu, L, pull = h.min(axis=1), x["loose"] * h.max(axis=1), (p * h).sum(axis=1)
    best, until = (p * h * m).sum(axis=1) / pull, np.floor(x["turn"] * R)
    at_best = h * (best[:, None] - m) ** 2 / 2
    Gamma, w, far = (p * at_best).sum(axis=1), best + x["aim"], np.abs(m - best[:, None]).max(axis=1)
    low, high = np.full_like(w, np.inf), np.full_like(w, -np.inf)
    for r in range(R + 1):
        q, above = np.where((r < until)[:, None], a[:, 0], a[:, 1]), h * (w[:, None] - m) ** 2 / 2
        with np.errstate(all="ignore"):
            low = np.fmin(low, (q * above).sum(axis=1) / (p * above).sum(axis=1))
            high = np.fmax(high, (q * at_best).sum(axis=1) / Gamma)
        far = np.maximum(far, np.abs(w - best))
        if r == R:
            break
        left = np.ones_like(h)
        for e in range(E):
            left = left * (1 - h / (mu * (r * E + e) + 4 * L)[:, None])
        w = (q * (m + (w[:, None] - m) * left)).sum(axis=1)
    defined = (low > 0) & optima_differ(p, m[..., None])
    low = np.where(defined, low, 1.0)
    found: dict[str, Any] = {
        "gap": pull / 2 * (w - best) ** 2,
        "L": L,
        "mu": mu,
        "tau": E * one,
        "T": E * R * one,
        "sigma2": 0 * one,
    }
    found |= {"Gamma": Gamma, "D0": x["aim"] ** 2, "rho": low, "rho_best": np.where(defined, np.fmax(high, low), 1.0)}
    found |= {"admissible": defined, "resolved": Gamma > 1e-13 * (p * h * m**2).sum(axis=1)}
    G2 = (h**2 * (far[:, None] + np.abs(m - best[:, None])) ** 2).max(axis=1)
    return {**found, "G2": G2, "sizes": {"gap": L * (far**2 + best**2)}}


def drifting_exact(x: Mapping[str, Any], *, E: int, R: int) -> Pair:
    """Rounds of E steps, step by step."""
    h, m, p, clients, until = x["spectrum"], x["optimum"], x["share"], range(len(x["share"])), int(x["turn"] * R)
    mu, L, best = min(h), x["loose"] * max(h), sum(q * k * c for q, k, c in zip(p, h, m, strict=True)) / dot(p, h)
    at_best = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    Gamma, w, t = dot(p, at_best), best + x["aim"], 0
    skews, skews_best, far = [], [], [abs(v - best) for v in m]
    pull, pulled, rest = parabola(p, h, m)
    for r in range(R + 1):
        if r in (0, until):  # the weights of a phase
            a = x["weights"][0] if r < until else x["weights"][1]
            heavy, leaning, ends = parabola(a, h, m)
            skew_best = dot(a, at_best) / Gamma
        skews.append(((heavy * w - 2 * leaning) * w + ends) / ((pull * w - 2 * pulled) * w + rest))
        skews_best.append(skew_best)
        far.append(abs(w - best))
        if r == R:
            break
        left = [Fraction(1) for i in clients]  # of the way to each optimum
        for t in range(r * E, (r + 1) * E):
            eta = 1 / (mu * t + 4 * L)
            left = [v * (1 - eta * k) for v, k in zip(left, h, strict=True)]
        w = sum(q * (c + (w - c) * v) for q, c, v in zip(a, m, left, strict=True))
    met = {
        "mu-strong convexity and L-smoothness": 0 < mu <= max(h) <= L,
        "p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *x["weights"]]),
        "the weighting skew is defined (Remark 2)": Gamma > 0,
        "rho > 0, so that V is defined": min(skews) > 0,
    }
    found: dict[str, Any] = {
        "gap": dot(p, h) * (w - best) ** 2 / 2,
        "L": L,
        "mu": mu,
        "tau": Fraction(E),
        "T": Fraction(E * R),
    }
    found |= {"sigma2": Fraction(0), "Gamma": Gamma, "D0": x["aim"] ** 2, "rho": min(skews)}
    G2 = max(h[i] ** 2 * (max(far) + abs(m[i] - best)) ** 2 for i in clients)
    return met, {**found, "G2": G2, "rho_best": max([*skews_best, min(skews)])}


def drifting_rounds(most: int = 1_000) -> Family:
    """`most` rounds of two to ten steps."""

    def at(N: float, E: float, R: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n,), at=(1.0, 2.0, 1e2)),
                LogScale("loose", 1.0, 1e2, at=(1.0,)),
                Signed("optimum", 1e-3, 1e2, (n,)),
                Signed("aim", 1e-3, 1e2),
                Simplex("share", n),
                Simplex("weights", n, (2,)),
                _TURNS,
            )
        )
        axes = {"spectrum": 0, "optimum": 0, "share": 0, "weights": 1}
        same: tuple[Symmetry, ...] = (units({k: v for k, v in _UNITS.items() if k != "sigma"}), permuted_clients(axes))
        same = (*same, split_client(axes, ("share", "weights")))
        name, cost = f"{int(R)} rounds of {int(E)} steps, N = {n}", max(2.0, n * E * R / 100)
        how: dict[str, Any] = {
            "uses": (dot, parabola),
            "symmetries": same,
            "mechanisms": _SEVERAL,
            "E": int(E),
            "R": int(R),
        }
        return case(name, space, drifting, drifting_exact, cost=cost, **how)

    sizes = (Size("N", 2, 50, 2), Size("E", 2, 10, 2), Size("R", 1, most, 5, ladder=True))
    return Family("many rounds of several steps", sizes, at)


def common_run(x: Instance, *, T: int) -> Mapping[str, Any]:
    """T noisy rounds of one step on the line, all optima at 0; two phases of weights, noise of its own or shared."""
    h, p, a, sigma, one = x["spectrum"], x["share"], x["weights"], x["sigma"], np.ones(len(x["share"]))
    L, mu, pull = x["loose"] * h.max(axis=1), h.min(axis=1), (p * h).sum(axis=1)
    pulls = (a * h[:, None]).sum(axis=-1)
    own, alike = (a**2 * sigma[:, None] ** 2).sum(axis=-1), (a * sigma[:, None]).sum(axis=-1) ** 2
    noise, until, second, most = (
        np.where(x["shared"][:, None] > 0, alike, own),
        np.floor(x["turn"] * T),
        x["start"] ** 2,
        0 * L,
    )
    for t in range(T):
        early, eta = t < until, 1.0 / (mu * t + 4 * L)
        most = np.maximum(most, (h**2 * second[:, None] + sigma**2).max(axis=1))
        factor = 1 - eta * np.where(early, pulls[:, 0], pulls[:, 1])
        second = factor**2 * second + eta**2 * np.where(early, noise[:, 0], noise[:, 1])
    used = np.where(np.stack([until > 0, one > 0], axis=1), pulls, np.inf)
    found: dict[str, Any] = {
        "gap": pull / 2 * second,
        "L": L,
        "mu": mu,
        "tau": one,
        "T": T * one,
        "G2": most,
        "D0": x["start"] ** 2,
    }
    found |= {"sigma2": (sigma**2).max(axis=1), "rho": used.min(axis=1) / pull}
    return {**found, "admissible": (p.min(axis=1) > 0) & (x["start"] != 0)}


def common_run_exact(x: Mapping[str, Any], *, T: int) -> Pair:
    """Second moments of w round by round; the weighting skew is dot(a, h)/dot(p, h) at every w != 0."""
    h, p, sigma, clients, until = x["spectrum"], x["share"], x["sigma"], range(len(x["share"])), int(x["turn"] * T)
    L, mu, second, most, skews = x["loose"] * max(h), min(h), x["start"] ** 2, Fraction(0), []
    for t in range(T + 1):
        a = x["weights"][0] if t < until else x["weights"][1]
        skews.append(dot(a, h) / dot(p, h))
        if t == T:
            break
        most = max([most] + [h[i] ** 2 * second + sigma[i] ** 2 for i in clients])
        eta = 1 / (mu * (t + 4 * L / mu))
        noise = dot(a, sigma) ** 2 if x["shared"] > 0 else sum((a[i] * sigma[i]) ** 2 for i in clients)
        second = (1 - eta * dot(a, h)) ** 2 * second + eta**2 * noise
    rows = [p, *x["weights"]]
    met = {
        "0 < mu, and no curvature above L": mu > 0 and max(h) <= L,
        "p positive, p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in rows) and min(p) > 0,
        "w_0 is not w*": x["start"] != 0,
    }
    found: dict[str, Any] = {
        "gap": dot(p, h) * second / 2,
        "L": L,
        "mu": mu,
        "tau": Fraction(1),
        "T": Fraction(T),
        "G2": most,
    }
    return met, {**found, "sigma2": max(s**2 for s in sigma), "D0": x["start"] ** 2, "rho": min(skews)}


def common_long(most: int = 10_000) -> Family:
    """One minimiser for all: T rounds of one step, T to `most`."""

    def at(N: float, T: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n,), at=(1e-2, 1.0, 1e2)),
                LogScale("loose", 1.0, 1e2, at=(1.0, 3.0)),
                LogScale("start", 1e-3, 1e3, at=(1e-3, 1.0, 1e3)),
                LogScale("sigma", 1e-3, 1e2, (n,), at=(1e-3, 1.0, 1e2)),
                Simplex("share", n, interior=True),
                Simplex("weights", n, (2,)),
                Choice("shared", (0.0, 1.0)),
                _TURNS,
            )
        )
        name, cost = f"one step a round, noise, N = {n}, T = {int(T)}", max(1.0, n / 40, T * n / 200)
        same = (units({"spectrum": (1, -2), "start": (0, 1), "sigma": (1, -1)}),)
        return case(name, space, common_run, common_run_exact, uses=(dot,), cost=cost, symmetries=same, T=int(T))

    return Family("one step a round", (Size("N", 1, 300, 2), Size("T", 1, most, 2, ladder=True)), at)
