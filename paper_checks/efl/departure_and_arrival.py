"""EFL-S4 and S5: what Sec. 4.3 and 4.4 say of clients that leave and join, on quadratic clients of the line, E = 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import (
    Canary,
    Choice,
    Claim,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Uniform,
    units,
)
from validation.draw import Coordinate

__all__ = ["CLAIMS"]


def _leaving(N: int, T: int) -> Sequence[Coordinate]:
    """Client 0 leaves after `stay`·T rounds; `same`: its optimum is that of the others together."""
    return (
        LogScale("curvature", 1e-2, 1e2, (N,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N,)),
        Simplex("share", N, interior=True),
        Signed("start", 1e-1, 1e2),
        LogScale("length", 1e-2, 1.0, at=(1.0,)),
        Uniform("stay", 0.0, 1.0, at=(0.0, 0.5)),
        Uniform("done", 0.0, 1.0, (N,), at=(0.0, 1.0)),
        Choice("same", (0.0, 1.0)),
        Choice("rounds", (float(T),)),
    )


def _optima(x: Instance) -> tuple[Any, Any, Any, Any]:
    """Pulls pᵏhₖ of all clients, the optima, ω* of all and ω̂* of those that stay."""
    pull, m = x["share"] * x["curvature"], x["optimum"]
    rest = (pull[:, 1:] * m[:, 1:]).sum(axis=1) / pull[:, 1:].sum(axis=1)
    m = np.concatenate([np.where(x["same"] > 0, rest, m[:, 0])[:, None], m[:, 1:]], axis=1)
    return pull, m, (pull * m).sum(axis=1) / pull.sum(axis=1), rest


def _departure(x: Instance) -> Mapping[str, Any]:
    """T − τ₀ − H_T (`count`); 1 if the model tends to ω* and −1 if not (`limit`); else how much nearer leaving earlier ends."""
    pull, m, best, rest = _optima(x)
    T = int(x["rounds"][0])
    left = np.minimum(np.floor(x["stay"] * T + 1e-9), T)
    reach = np.abs(m).max(axis=1) + np.abs(x["start"])
    if "count" in x:
        s = 1 + np.floor(x["done"] * 4 + 1e-9)
        uneven = s.max(axis=1) > s.min(axis=1)
        H = left * uneven + (T - left) * ("returns" not in x)
        return {"lhs": T - left - H, "magnitude": np.zeros_like(H)}
    if "limit" in x:
        apart = np.abs(rest - best) > 1e-9 * reach
        met = apart | ("differ" not in x)
        return {"lhs": np.where(apart, -1.0, 1.0), "magnitude": np.zeros_like(best), "admissible": met}
    eta = x["length"] / x["curvature"].max(axis=1)
    keep, keep_rest = 1 - eta * pull.sum(axis=1), 1 - eta * pull[:, 1:].sum(axis=1)
    begin = best if "settled" in x else x["start"]
    ends = []
    for stayed in (left, np.minimum(left + 1, T)):
        w = best + keep**stayed * (begin - best)
        ends.append(np.abs(rest + keep_rest ** (T - stayed) * (w - rest) - best))
    lhs = ends[0] - ends[1] if "later" in x else ends[1] - ends[0]
    return {"lhs": lhs, "magnitude": reach}


def departure_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Client 0 leaves after stay*T rounds and the others go on with coefficients p^k, one step of size length/max h a round."""
    h, p, T = x["curvature"], x["share"], int(x["rounds"])
    n, left = range(len(h)), min(int(x["stay"] * T), T)
    rest = sum(p[k] * h[k] * x["optimum"][k] for k in n if k > 0) / sum(p[k] * h[k] for k in n if k > 0)
    m = [rest if k == 0 and x["same"] > 0 else x["optimum"][k] for k in n]
    best = sum(p[k] * h[k] * m[k] for k in n) / sum(p[k] * h[k] for k in n)
    met = {"p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0, "0 < eta L <= 1": 0 < x["length"] <= 1}
    if "count" in x:
        H = 0
        for tau in range(T):
            gone = tau >= left and "returns" not in x
            taken = [Fraction(0) if gone and k == 0 else p[k] * (1 + int(x["done"][k] * 4)) for k in n]
            one = len({t / q for t, q in zip(taken, p, strict=True)}) == 1
            H += 0 if one or (tau >= left and "returns" in x) else 1
        return met, {"lhs": Fraction(T - left - H)}
    if "limit" in x:
        if "differ" in x:
            met["the others' optimum is not w*"] = rest != best
        return met, {"lhs": Fraction(1 if rest == best else -1)}
    ends, eta = [], x["length"] / max(h)
    for stayed in (left, min(left + 1, T)):
        w = best if "settled" in x else x["start"]
        for tau in range(T):
            w = w - eta * sum(p[k] * h[k] * (w - m[k]) for k in n if k > 0 or tau < stayed)
        ends.append(abs(w - best))
    return met, {"lhs": ends[0] - ends[1] if "later" in x else ends[1] - ends[0]}


def _departs(*flags: str, degrees: tuple[int, int] = (0, 0)) -> Property:
    return drawn(
        "one client leaves" + "".join(f", {f}" for f in flags),
        _leaving,
        _departure,
        departure_exact,
        sizes=(Size("N", 2, 100, 3), Size("T", 1, 300, 5)),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),),
        degrees=degrees,
        per=1000.0,
    )


S4 = Claim(
    id="EFL-S4",
    kind=Kind.PROPERTY,
    source="Sec. 4.3",
    title="A departing client",
    statement=(
        r"r_\tau=1\ (\tau>\tau_0),\ H_T\ge T-\tau_0\Rightarrow\omega_{\tau E}^G\not\to\omega^*;\quad"
        r"\text{the earlier a client leaves, the more likely it should be discarded}"
    ),
    says="After a client has left, H grows in every round, the model cannot reach ω*, and it ends farther off the earlier that was.",
    assumes=(
        "objective kept, coefficients pᵏ; one full-gradient step a round, constant ηL <= 1",
        "up to 5 finished steps, constant for each client, where H is counted",
    ),
    readings=(
        Reading("H_T >= T − τ₀", "r from E[p s]/pᵏ in every round.", _departs("count")),
        Reading(
            "the model does not tend to ω*", "Limit of the rounds without client a; any clients.", _departs("limit")
        ),
        Reading(
            "the model does not tend to ω*: other optimum",
            "The remaining clients' optimum is not ω*.",
            _departs("limit", "differ"),
            repair="condition",
        ),
        Reading(
            "earlier is farther, from any start",
            "Distance to ω* after T rounds, leaving after τ₀ or after τ₀ + 1.",
            _departs(degrees=(0, 1)),
        ),
        Reading(
            "earlier is farther, from ω*",
            "The model has settled before the client leaves.",
            _departs("settled", degrees=(0, 1)),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "H_T >= T − τ₀ for a client that comes back", _departs("count", "returns"), "with even steps r is 0 then"
        ),
        Canary(
            "later is farther, from ω*",
            _departs("settled", "later", degrees=(0, 1)),
            "a model that starts at ω* drifts away only once the client is gone",
        ),
    ),
    depends_on=("EFL-T1", "EFL-DEF3", "EFL-ALG3"),
    verdict_words=(
        "The bound stays away from 0, as H_T >= T − τ₀ says; whether the model does hangs on the departed client. "
        "If its optimum is that of the others, the model still tends to ω*; if it is not, it does not. That "
        "leaving earlier is worse, an intuition in the paper, holds for a model that has settled at ω*. From a "
        "distant start a client can pull the model the wrong way or past ω*, and leaving earlier ends nearer."
    ),
)


def _joining(M: int) -> Sequence[Coordinate]:
    """The others as one client of curvature h at 0, client a at `away`; sample sizes in units of the others'."""
    return (
        LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
        LogScale("own", 1e-2, 1e2, at=(1.0,)),
        Signed("away", 1e-1, 1e1),
        LogScale("more", 1e-3, 1e3, at=(1.0,)),
        LogScale("fewer", 1e-3, 0.999),
        LogScale("sigma", 1e-2, 1e1),
        Choice("passed", (float(M),)),
    )


def _bound(h: Any, own: Any, away: Any, ratio: Any, arriving: bool) -> Any:
    """The right side of (11) or (10) over 8L/μ², with D̂ₐ at the new optimum."""
    new = ratio * own * away / (h + ratio * own) if arriving else 0 * away
    return (ratio / (1 + ratio)) ** 2 * own * (away - new) ** 2 / 2


def _arrival(x: Instance) -> Mapping[str, Any]:
    """By how much a client with fewer samples has the larger bound; or by how much a restarted schedule ends farther."""
    h, own, away, big = x["curvature"], x["own"], x["away"], x["more"]
    small = big * x["fewer"]
    size = own * away**2
    if "fixed" in x:
        return {"lhs": ((small / (1 + small)) ** 2 - (big / (1 + big)) ** 2) * size, "magnitude": size}
    if "restart" in x:
        stiff = (h + big * own) / (1 + big)
        mu_, L_ = np.minimum(h, own), np.maximum(h, own)
        shift = big * own * away / (h + big * own)
        noise = x["sigma"] * h * (1.0 if "noisy" in x else 0.0)
        ends = []
        for first in (0.0, x["passed"]):
            gap = shift**2
            for tau in range(20):
                eta = 16 / (mu_ * (first + tau + 1 + 64 * L_ / mu_))
                gap = gap * (1 - eta * stiff) ** 2 + (eta * noise) ** 2
            ends.append(gap)
        lhs = ends[1] - ends[0] if "slower" in x else ends[0] - ends[1]
        return {"lhs": lhs, "magnitude": away**2 + ends[0] + ends[1]}
    if "nearer" in x:
        near = away * x["fewer"]
        gaps = [_bound(h, own, near, big, how) - _bound(h, own, away, big, how) for how in (False, True)]
        return {"lhs": np.maximum(*gaps), "magnitude": size}
    arriving = "arrives" in x
    met = np.ones_like(h, dtype=bool) if "few" not in x else big**2 * own <= h
    lhs = _bound(h, own, away, small, arriving) - _bound(h, own, away, big, arriving)
    return {"lhs": lhs, "magnitude": size, "admissible": met}


def arrival_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(n_a/(n + n_a))^2 D_a for two numbers of samples of client a; or E|w - w_hat|^2 after 20 rounds, restarted or not."""
    h, own, away, big = x["curvature"], x["own"], x["away"], x["more"]
    small = big * x["fewer"]
    met = {"n_a' < n_a": small < big}
    if "fixed" in x:
        return met, {"lhs": ((small / (1 + small)) ** 2 - (big / (1 + big)) ** 2) * own * away**2}
    if "restart" in x:
        stiff, mu, L = (h + big * own) / (1 + big), min(h, own), max(h, own)
        noise = x["sigma"] * h if "noisy" in x else Fraction(0)
        ends = []
        for first in (Fraction(0), x["passed"]):
            mean, var = -big * own * away / (h + big * own), Fraction(0)
            for tau in range(20):
                eta = 16 / (mu * (first + tau + 1 + 64 * L / mu))
                mean, var = mean * (1 - eta * stiff), var * (1 - eta * stiff) ** 2 + (eta * noise) ** 2
            ends.append(mean * mean + var)
        return met, {"lhs": ends[1] - ends[0] if "slower" in x else ends[0] - ends[1]}
    sides = []
    if "nearer" in x:
        for arriving in (0, 1):
            for at in (away * x["fewer"], away):
                new = arriving * big * own * at / (h + big * own)
                sides.append((big / (1 + big)) ** 2 * own * (at - new) ** 2 / 2)
        return {"0 < c < 1": 0 < x["fewer"] < 1}, {"lhs": max(sides[0] - sides[1], sides[2] - sides[3])}
    for r in (small, big):
        new = r * own * away / (h + r * own) if "arrives" in x else Fraction(0)
        sides.append((r / (1 + r)) ** 2 * own * (away - new) ** 2 / 2)
    if "few" in x:
        met["n_a^2 h_a <= n^2 h"] = big * big * own <= h
    return met, {"lhs": sides[0] - sides[1]}


def _joins(*flags: str) -> Property:
    scaled = {"curvature": (1, -2), "own": (1, -2), "away": (0, 1), "sigma": (0, 1)}
    return drawn(
        "a client and the others" + "".join(f", {f}" for f in flags),
        _joining,
        _arrival,
        arrival_exact,
        sizes=(Size("M", 1, 10_000, 100),),
        flags=dict.fromkeys(flags, 1.0),
        same=(units(scaled),),
        degrees=(0, 2) if "restart" in flags else (1, 0),
        per=1e9,
    )


S5 = Claim(
    id="EFL-S5",
    kind=Kind.PROPERTY,
    source="Sec. 4.4",
    title="An arriving client",
    statement=(
        r"\text{``The learning rate also needs to be increased when the objective changes''; ``the bound reduces when the data"
        r" becomes more IID and the changed client owns fewer data samples''}"
    ),
    says="Restarting the schedule brings the model nearer to the new optimum, and (10) and (11) shrink with the client's sample size.",
    assumes=(
        "the other clients as one quadratic of curvature h, client a of curvature hₐ; L and μ held fixed",
        "η = 16/(μ(τ + 1 + 64L/μ)), E = 1, from ω*, 20 rounds after the change, restarted or after M more rounds",
    ),
    readings=(
        Reading(
            "more IID",
            "Client a's optimum nearer to the others', and so D̂ₐ smaller, nₐ and the curvatures held fixed, in (10) and (11).",
            _joins("nearer"),
        ),
        Reading("fewer samples, D̂ₐ held fixed", "(nₐ/(n + nₐ))² falls with nₐ, in (10) and (11).", _joins("fixed")),
        Reading(
            "fewer samples, departure",
            "D̂ₐ at the optimum of the others, which does not depend on nₐ.",
            _joins("leaves"),
        ),
        Reading("fewer samples, arrival", "D̂ₐ at the new optimum, which depends on nₐ.", _joins("arrives")),
        Reading(
            "fewer samples, arrival of a small client",
            "nₐ²hₐ <= n²h.",
            _joins("arrives", "few"),
            repair="condition",
        ),
        Reading("restart, with noise", "Mean squared distance to ω̂*, additive noise.", _joins("restart", "noisy")),
        Reading("restart, no noise", "Full gradients.", _joins("restart"), repair="condition"),
    ),
    canaries=(
        Canary("continuing is nearer", _joins("restart", "slower"), "without noise smaller steps move less"),
        Canary(
            "arrival, n_a² h_a <= n² h removed",
            _joins("arrives"),
            "with equal curvatures (11) is proportional to nₐ²n²/(n + nₐ)⁴, which falls for nₐ > n",
        ),
    ),
    tight="nₐ² hₐ = n² h: (11) is largest there",
    depends_on=("EFL-T2a", "EFL-T2b", "EFL-ALG4"),
    verdict_words=(
        "The bounds are proportional to D̂ₐ, by which the paper measures how far the data are from IID. With D̂ₐ held fixed they grow "
        "with nₐ, and so does (10). In (11), however, D̂ₐ is taken at the new optimum, which moves "
        "towards client a as nₐ grows: where nₐ²hₐ > n²h fewer samples make the bound larger; with equal curvatures that is a "
        "client with more samples than all others together. Restarting the schedule is better without noise. With noise it can be worse: when the optimum moves "
        "little, larger steps add more noise than they remove distance."
    ),
)

CLAIMS: tuple[Claim, ...] = (S4, S5)
