"""Sec. 4.3 and 4.4: what is said of a client that leaves and of one that joins, quadratic clients of the line, E = 1."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.settings import ONE_CLASS
from validation import Case, Choice, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, Uniform, units
from validation.world import World, all_of, at, case, le, lt, mutant, reading, remark

__all__ = ["CLAIMS"]

_SHARES = "p^k on the simplex, all positive"
T, tau_0, H, moved, other, end, end_later = NOTATION.symbols("T tau_0 H moved other end end_later")


def optima(x: Instance, *, apart: bool) -> Mapping[str, Any]:
    """How far the optimum moves when client 0 leaves, and its distance to client 0's; `same`: that is the others'.

    `apart`: the others do not all have one optimum.
    """
    own, rest, _ = _optima(x)
    met = (np.ptp(x["optimum"][:, 1:], axis=1) > 0) | (not apart)
    reach, pull = np.abs(x["optimum"]).max(axis=1), x["share"] * x["curvature"]
    gap = np.where(np.abs(rest - own) > 1e-9 * reach, np.abs(rest - own), 0.0)  # equal up to rounding
    # ω* less the others' optimum is client 0's part of the gap: as a difference of the two it would drown in rounding.
    return {
        "moved": pull[:, 0] / pull.sum(axis=1) * gap,
        "other": gap,
        "admissible": met,
        "sizes": dict.fromkeys(("moved", "other"), reach),
    }


def _optima(x: Instance) -> tuple[Any, Any, Any]:
    """Of client 0, of the others, of all."""
    pull, m = x["share"] * x["curvature"], x["optimum"]
    rest = (pull[:, 1:] * m[:, 1:]).sum(axis=1) / pull[:, 1:].sum(axis=1)
    own = np.where(x["same"] > 0, rest, m[:, 0])
    return own, rest, (pull[:, 0] * own + pull[:, 1:].sum(axis=1) * rest) / pull.sum(axis=1)


def optima_exact(x: Mapping[str, Any], *, apart: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The optimum of the others, and of all."""
    rest, m, best = _optima_exact(x)
    met = {_SHARES: _on_simplex(x)}
    if apart:
        met["the others do not all have one optimum"] = len(set(x["optimum"][1:])) > 1
    return met, {"moved": abs(rest - best), "other": abs(rest - m[0])}


def _optima_exact(x: Mapping[str, Any]) -> tuple[Fraction, list[Fraction], Fraction]:
    h, p = x["curvature"], x["share"]
    n = range(len(h))
    rest = sum(p[k] * h[k] * x["optimum"][k] for k in n if k > 0) / sum(p[k] * h[k] for k in n if k > 0)
    m = [rest if k == 0 and x["same"] > 0 else x["optimum"][k] for k in n]
    return rest, m, sum(p[k] * h[k] * m[k] for k in n) / sum(p[k] * h[k] for k in n)


def _on_simplex(x: Mapping[str, Any]) -> bool:
    return bool(sum(x["share"]) == 1 and min(x["share"]) > 0)


def departure(x: Instance, *, T: int, settled: bool, returns: bool) -> Mapping[str, Any]:
    """Client 0 leaves after τ₀ = stay·T of T rounds; H counted, the end for τ₀ and for τ₀ + 1.

    `settled`: the run starts at ω*. `returns`: for H, the client is back at once.
    """
    pull = x["share"] * x["curvature"]
    _, rest, best = _optima(x)
    left = np.minimum(np.floor(x["stay"] * T + 1e-9), T)
    s = 1 + np.floor(x["done"] * 4 + 1e-9)
    uneven = s.max(axis=1) > s.min(axis=1)
    eta = x["length"] / x["curvature"].max(axis=1)
    keep, keep_rest = 1 - eta * pull.sum(axis=1), 1 - eta * pull[:, 1:].sum(axis=1)
    begin = best if settled else x["start"]
    ends = []
    for stayed in (left, np.minimum(left + 1, T)):
        w = best + keep**stayed * (begin - best)
        ends.append(np.abs(rest + keep_rest ** (T - stayed) * (w - rest) - best))
    reach = np.abs(x["optimum"]).max(axis=1) + np.abs(x["start"])
    return {
        "T": np.full_like(left, T),
        "tau_0": left,
        "H": left * uneven + (0 if returns else T - left),
        "end": ends[0],
        "end_later": ends[1],
        "sizes": dict.fromkeys(("end", "end_later"), reach),
    }


def departure_exact(
    x: Mapping[str, Any], *, T: int, settled: bool, returns: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Client 0 leaves after stay*T rounds and the others go on with coefficients p^k, one step of size length/max h a round."""
    h, p = x["curvature"], x["share"]
    n, left = range(len(h)), min(int(x["stay"] * T), T)
    _, m, best = _optima_exact(x)
    H = 0
    for tau in range(T):
        taken = [p[k] * (1 + int(x["done"][k] * 4)) for k in n]
        if tau >= left and not returns:
            taken[0] = Fraction(0)
        even = len({t / q for t, q in zip(taken, p, strict=True)}) == 1
        H += 0 if even or (tau >= left and returns) else 1
    ends, eta = [], x["length"] / max(h)
    for stayed in (left, min(left + 1, T)):
        w = best if settled else x["start"]
        for tau in range(T):
            w = w - eta * sum(p[k] * h[k] * (w - m[k]) for k in n if k > 0 or tau < stayed)
        ends.append(abs(w - best))
    met = {_SHARES: _on_simplex(x), "0 < eta L <= 1": 0 < x["length"] <= 1}
    return met, {"T": Fraction(T), "tau_0": Fraction(left), "H": Fraction(H), "end": ends[0], "end_later": ends[1]}


def _clients(n: int) -> tuple[Any, ...]:
    return (
        LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (n,)),
        Simplex("share", n, interior=True),
        Choice("same", (0.0, 1.0)),
    )


def leavings(*, apart: bool = False) -> World:
    """Two to 100 clients of which one leaves for good: where the others' optimum is.

    `apart`: three or more, and those who stay do not all have one optimum, so that nobody takes them for one client.
    """

    def at(N: float) -> Case:
        n = int(N)
        same = (units({"curvature": (1, -2), "optimum": (0, 1)}),)
        name = f"one client leaves for good, N = {n}"
        cost = max(1.0, n / 50)
        return case(name, Space(_clients(n)), optima, optima_exact, cost=cost, symmetries=same, apart=apart)

    least = 3 if apart else 2
    return World(NOTATION, (Family("one client leaves for good", (Size("N", least, 100, 3),), at),))


def departures(*, settled: bool = False, returns: bool = False) -> World:
    """Two to 100 clients of which one leaves for good, 1 to 300 rounds."""

    def at(N: float, T: float) -> Case:
        n, rounds = int(N), int(T)
        space = Space(
            (
                *_clients(n),
                Signed("start", 1e-1, 1e2),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
                Uniform("stay", 0.0, 1.0, at=(0.0, 0.5)),
                Uniform("done", 0.0, 1.0, (n,), at=(0.0, 1.0)),
            )
        )
        name, cost = f"one client leaves, N = {n}, T = {rounds}", min(4.0, max(1.0, n * rounds / 1000))
        same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),)
        chosen: dict[str, Any] = {"T": rounds, "settled": settled, "returns": returns}
        return case(name, space, departure, departure_exact, cost=cost, symmetries=same, **chosen)

    return World(NOTATION, (Family("one client leaves", (Size("N", 2, 100, 3), Size("T", 1, 300, 5)), at),))


_AWAY, _FARTHER, _COUNT = lt(0, moved), le(end_later, end), le(T - tau_0, H)
_SETTLED = departures(settled=True)

S4 = remark(
    "EFL-S4",
    "Sec. 4.3",
    "A departing client",
    printed=r"""r_\tau=1\ (\tau>\tau_0),\ H_T\ge T-\tau_0\Rightarrow\omega_{\tau E}^G\not\to\omega^*;
        \quad\text{the earlier a client leaves, the more likely it should be discarded}""",
    plainly="""After a client has left, H grows in every round, the model cannot reach ω*, and leaving early makes it
        likelier that it should be discarded.""",
    assumes=[
        "objective kept, coefficients pᵏ; one full-gradient step a round, constant ηL <= 1",
        "up to 5 finished steps, constant for each client, where H is counted",
        "rounds 1, …, T, as in Algorithm 1: there in the first τ₀, absent from the T − τ₀ others",
    ],
    says=_COUNT,
    world=departures(),
    readings=[
        reading("H_T >= T − τ₀", "r from E[p s]/pᵏ in every round.", part="H_T >= T − τ₀"),
        reading(
            "the model does not tend to ω*",
            "Limit of the rounds without client a; any clients.",
            _AWAY,
            world=leavings(apart=True),
            part="the model does not tend to ω*",
            because="""«cannot converge … as H_T >= T − τ₀»: for any client that leaves, and an upper bound does not
                show it""",
        ),
        reading(
            "the model does not tend to ω*: other optimum",
            "The remaining clients' optimum is not that of client a.",
            _AWAY,
            where=[lt(0, other)],
            world=leavings(),
            part="the model does not tend to ω*",
            conditions=["the remaining clients' optimum is not ω*"],
            met_by=ONE_CLASS,
        ),
        reading(
            "earlier is farther, from any start",
            "Distance to ω* after T rounds, leaving after τ₀ or after τ₀ + 1.",
            _FARTHER,
            part="the earlier, the likelier to be discarded",
            ours="""«the more likely it should be discarded», «intuitively»: that the distance to ω* falls with τ₀ in
                every run and from every start is more than this says""",
        ),
        reading(
            "earlier is farther, from ω*",
            "The model has settled before the client leaves.",
            _FARTHER,
            world=_SETTLED,
            part="the earlier, the likelier to be discarded",
            conditions=["the model has settled at ω* before the client leaves"],
            ours="the distance to ω* is our measure of it",
        ),
    ],
    mutants=[
        mutant(
            "H_T >= T − τ₀ for a client that comes back",
            None,
            "with even steps r is 0 then",
            world=departures(returns=True),
        ),
        mutant(
            "later is farther, from ω*",
            le(end, end_later),
            "a model that starts at ω* drifts away only once the client is gone",
            world=_SETTLED,
        ),
    ],
    rests_on=["EFL-T1", "EFL-DEF3", "EFL-ALG3"],
    verdict="""The bound stays away from 0, as H_T >= T − τ₀ says (with rounds counted from 0, as in A.2.1, and s = 0
        for τ > τ₀ it is T − τ₀ − 1, which changes nothing); whether the model does hangs on the departed client. If its
        optimum is that of the others, the model still tends to ω*; if it is not, it does not. That leaving earlier is
        worse, an intuition in the paper, holds for a model that has settled at ω*. From a distant start a client can
        pull the model the wrong way or past ω*, and leaving earlier ends nearer.""",
)

leaves_big, leaves_small, leaves_near = NOTATION.symbols("leaves_big leaves_small leaves_near")
arrives_big, arrives_small, arrives_near = NOTATION.symbols("arrives_big arrives_small arrives_near")
fixed_big, fixed_small, restarted, going_on = NOTATION.symbols("fixed_big fixed_small restarted going_on")


def bound_of(h: Any, own: Any, away: Any, ratio: Any, arriving: bool) -> Any:
    """The right side of (11) or (10) over 8L/mu^2, with D_a at the new optimum."""
    new = ratio * own * away / (h + ratio * own) if arriving else 0 * away
    return (ratio / (1 + ratio)) ** 2 * own * (away - new) ** 2 / 2


def bounds(x: Any, *, few: bool) -> Mapping[str, Any]:
    """(10) and (11) for a client with more and with fewer samples, and nearer to the others; `fixed_…`: D_a held fixed."""
    h, own, away, big = x["curvature"], x["own"], x["away"], x["more"]
    small, near = big * x["fewer"], away * x["fewer"]
    found = {"few": big**2 * own <= h} if few else {}
    for name, arriving in (("leaves", False), ("arrives", True)):
        found[f"{name}_big"] = bound_of(h, own, away, big, arriving)
        found[f"{name}_small"] = bound_of(h, own, away, small, arriving)
        found[f"{name}_near"] = bound_of(h, own, near, big, arriving)
    for name, ratio in (("fixed_big", big), ("fixed_small", small)):
        found[name] = (ratio / (1 + ratio)) ** 2 * own * away**2
    return found


def seen_bounds(x: Instance, *, few: bool) -> Mapping[str, Any]:
    """The same over a batch."""
    found = dict(bounds(x, few=few))
    size = x["own"] * x["away"] ** 2
    admitted = {"admissible": found.pop("few")} if few else {}
    return {**found, **admitted, "sizes": dict.fromkeys(found, size)}


def bounds_exact(x: Mapping[str, Any], *, few: bool) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """(n_a/(n + n_a))^2 D_a for two numbers of samples of client a."""
    found = dict(bounds(x, few=few))
    met = {"n_a' < n_a": x["fewer"] < 1}
    if few:
        met["n_a^2 h_a <= n^2 h"] = found.pop("few")
    return met, found


def schedules(x: Instance, *, M: int, noisy: bool) -> Mapping[str, Any]:
    """E|ω − ω̂*|² 20 rounds after client a has joined, the schedule restarted, and after M more rounds of it."""
    h, own, big = x["curvature"], x["own"], x["more"]
    stiff, mu, L = (h + big * own) / (1 + big), np.minimum(h, own), np.maximum(h, own)
    shift, noise, found = big * own * x["away"] / (h + big * own), (x["sigma"] * h if noisy else 0 * h), []
    for first in (0, M):
        gap = shift**2
        for tau in range(20):
            eta = 16 / (mu * (first + tau + 1 + 64 * L / mu))
            gap = gap * (1 - eta * stiff) ** 2 + (eta * noise) ** 2
        found.append(gap)
    size = x["away"] ** 2 + found[0] + found[1]
    return {"restarted": found[0], "going_on": found[1], "sizes": {"restarted": size, "going_on": size}}


def schedules_exact(x: Mapping[str, Any], *, M: int, noisy: bool) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """E|w - w_hat|^2 after 20 rounds, restarted or not."""
    h, own, big = x["curvature"], x["own"], x["more"]
    stiff, mu, L = (h + big * own) / (1 + big), min(h, own), max(h, own)
    noise, found = x["sigma"] * h if noisy else Fraction(0), []
    for first in (0, M):
        mean, var = -big * own * x["away"] / (h + big * own), Fraction(0)
        for tau in range(20):
            eta = 16 / (mu * (first + tau + 1 + 64 * L / mu))
            mean, var = mean * (1 - eta * stiff), var * (1 - eta * stiff) ** 2 + (eta * noise) ** 2
        found.append(mean * mean + var)
    return {"n_a > 0": big > 0}, {"restarted": found[0], "going_on": found[1]}


def _joining() -> tuple[LogScale | Signed, ...]:
    """The others as one client of curvature h at 0, client a at `away`; sample sizes in units of the others'."""
    return (
        LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
        LogScale("own", 1e-2, 1e2, at=(1.0,)),
        Signed("away", 1e-1, 1e1),
        LogScale("more", 1e-3, 1e3, at=(1.0,)),
    )


_SCALED = {"curvature": (1, -2), "own": (1, -2), "away": (0, 1)}


def _bounds(*, few: bool = False) -> World:
    space = Space((*_joining(), LogScale("fewer", 1e-3, 0.999)))
    same, name = (units(_SCALED),), "a client and the others"
    return World(
        NOTATION, (case(name, space, seen_bounds, bounds_exact, uses=(bounds, bound_of), symmetries=same, few=few),)
    )


def _schedules(*, noisy: bool = False) -> World:
    def at(M: float) -> Case:
        space = Space((*_joining(), *((LogScale("sigma", 1e-2, 1e1),) if noisy else ())))
        same = (units({**_SCALED, "sigma": (0, 1)} if noisy else _SCALED),)
        name = f"a client and the others, M = {int(M)}"
        return case(name, space, schedules, schedules_exact, symmetries=same, M=int(M), noisy=noisy)

    return World(NOTATION, (Family("a client and the others", (Size("M", 1, 10_000, 100),), at),))


_RESTART, _ARRIVES = le(restarted, going_on), le(arrives_small, arrives_big)
S5 = remark(
    "EFL-S5",
    "Sec. 4.4",
    "An arriving client",
    printed=r"""\text{«The learning rate also needs to be increased when the objective changes»; «the bound reduces when the data becomes more IID and the changed client owns fewer data samples»}""",
    plainly="""The bounds (10) and (11) shrink as the data become more IID and the client's samples fewer; of the advice
        on the learning rate no reading of the print is testable, only stronger ones of ours.""",
    assumes=[
        """how far the data are from IID is D̂ₐ, by which Theorem 2 is to «quantify the degree of non-IID data»; of the two
            factors that the sentence names, D̂ₐ and nₐ, one falls while the other is held or falls, too""",
        "the other clients as one quadratic of curvature h, client a of curvature hₐ; L and μ held fixed",
        "η = 16/(μ(τ + 1 + 64L/μ)), E = 1, from ω*, 20 rounds after the change, restarted or after M more rounds",
    ],
    says=_ARRIVES,
    world=_bounds(),
    readings=[
        reading(
            "more IID",
            """Client a's optimum nearer to the others', and so D̂ₐ smaller, nₐ and the curvatures held fixed, in (10)
                and (11).""",
            all_of(le(leaves_near, leaves_big), le(arrives_near, arrives_big)),
            part="more IID",
        ),
        reading(
            "fewer samples, D̂ₐ held fixed",
            "(nₐ/(n + nₐ))² falls with nₐ, in (10) and (11).",
            le(fixed_small, fixed_big),
            part="fewer samples",
            because="""the sentence names the two factors of (10) and (11): D̂ₐ, which is to «quantify the degree of non-IID
                data», and nₐ""",
        ),
        reading(
            "fewer samples, departure",
            "D̂ₐ at the optimum of the others, which does not depend on nₐ.",
            le(leaves_small, leaves_big),
            part="fewer samples, departure",
        ),
        reading(
            "fewer samples, arrival",
            "D̂ₐ at the new optimum, which depends on nₐ.",
            part="fewer samples",
            ours="""with fewer samples D̂ₐ, the other factor that the sentence names («more IID»), rises: by the paper's own
                measure the data become less IID; that the bound falls even so is more than the sentence says""",
        ),
        reading(
            "fewer samples, arrival of a small client",
            "nₐ²hₐ <= n²h.",
            world=_bounds(few=True),
            part="fewer samples",
            conditions=["nₐ²hₐ <= n²h"],
            ours="D̂ₐ moves with nₐ",
        ),
        reading(
            "restart, with noise",
            "Mean squared distance to ω̂*, additive noise.",
            _RESTART,
            world=_schedules(noisy=True),
            part="restart",
            ours="""the text speaks of a shift late in training, when η is close to 0 and the model near the old
                optimum; that a restart is nearer 20 rounds after any shift, however small and however soon, is more
                than it says""",
        ),
        reading(
            "restart, no noise",
            "Full gradients.",
            _RESTART,
            world=_schedules(),
            part="restart",
            conditions=["full gradients"],
            ours="nearer 20 rounds after any shift, as for the reading with noise",
        ),
    ],
    mutants=[
        mutant(
            "continuing is nearer", le(going_on, restarted), "without noise smaller steps move less", world=_schedules()
        ),
        mutant(
            "arrival, n_a² h_a <= n² h removed",
            _ARRIVES,
            "with equal curvatures (11) is proportional to nₐ²n²/(n + nₐ)⁴, which falls for nₐ > n",
            at(curvature=1, own=1, away=-1, more=2, fewer="1/2"),
        ),
    ],
    tight="nₐ² hₐ = n² h: (11) is largest there",
    rests_on=["EFL-T2a", "EFL-T2b"],
    verdict="""The bounds are proportional to D̂ₐ, by which the paper measures how far the data are from IID. With D̂ₐ
        held fixed they grow with nₐ, and so does (10). In (11), however, D̂ₐ is taken at the new optimum, which moves
        towards client a as nₐ grows. If the client itself is held fixed in place of D̂ₐ, fewer samples make (11) larger
        where nₐ²hₐ > n²h; with equal curvatures that is a client with more samples than all others together. By D̂ₐ its
        data are then less IID, so that the sentence, which asks for more IID data and fewer samples, says nothing of
        it. Restarting the schedule is better without noise. With
        noise it can be worse: when the optimum moves little, larger steps add more noise than they remove distance.""",
)

CLAIMS: tuple[Claim, ...] = (S4, S5)
