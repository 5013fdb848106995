"""EFL-S4: what Sec. 4.3 says of a client that leaves, on quadratic clients of the line, E = 1."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from validation import Case, Choice, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, Uniform, units
from validation.statement.says import le, lt
from validation.world.front import claim, mutant, reading
from validation.world.world import World, case

__all__ = ["CLAIMS"]

_SHARES = "p^k on the simplex, all positive"
T, tau_0, H, moved, other, end, end_later = NOTATION.symbols("T tau_0 H moved other end end_later")


def optima(x: Instance) -> Mapping[str, Any]:
    """How far the optimum moves when client 0 leaves, and its distance to client 0's; `same`: that is the others'."""
    own, rest, best = _optima(x)
    reach = np.abs(x["optimum"]).max(axis=1)
    gone, gap, near = np.abs(rest - best), np.abs(rest - own), 1e-9 * reach  # equal up to rounding
    return {
        "moved": np.where(gone > near, gone, 0.0),
        "other": np.where(gap > near, gap, 0.0),
        "sizes": dict.fromkeys(("moved", "other"), reach),
    }


def _optima(x: Instance) -> tuple[Any, Any, Any]:
    """Of client 0, of the others, of all."""
    pull, m = x["share"] * x["curvature"], x["optimum"]
    rest = (pull[:, 1:] * m[:, 1:]).sum(axis=1) / pull[:, 1:].sum(axis=1)
    own = np.where(x["same"] > 0, rest, m[:, 0])
    return own, rest, (pull[:, 0] * own + pull[:, 1:].sum(axis=1) * rest) / pull.sum(axis=1)


def optima_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The optimum of the others, and of all."""
    rest, m, best = _optima_exact(x)
    return {_SHARES: _on_simplex(x)}, {"moved": abs(rest - best), "other": abs(rest - m[0])}


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


def leavings() -> World:
    """Two to 100 clients of which one leaves for good: where the others' optimum is."""

    def at(N: float) -> Case:
        n = int(N)
        same = (units({"curvature": (1, -2), "optimum": (0, 1)}),)
        name = f"one client leaves for good, N = {n}"
        return case(name, Space(_clients(n)), optima, optima_exact, cost=max(1.0, n / 50), symmetries=same)

    return World(NOTATION, (Family("one client leaves for good", (Size("N", 2, 100, 3),), at),))


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


_AWAY, _FARTHER = lt(0, moved), le(end_later, end)
_COUNT, _LIMIT, _EARLIER = (
    "H_T >= T − τ₀",
    "the model does not tend to ω*",
    "the earlier, the likelier to be discarded",
)

S4 = claim(
    "EFL-S4",
    level="remark",
    at="Sec. 4.3",
    title="A departing client",
    printed=(
        r"r_\tau=1\ (\tau>\tau_0),\ H_T\ge T-\tau_0\Rightarrow\omega_{\tau E}^G\not\to\omega^*;\quad"
        r"\text{the earlier a client leaves, the more likely it should be discarded}"
    ),
    plainly="After a client has left, H grows in every round, the model cannot reach ω*, and it ends farther off the earlier that was.",
    assumes=(
        "objective kept, coefficients pᵏ; one full-gradient step a round, constant ηL <= 1",
        "up to 5 finished steps, constant for each client, where H is counted",
    ),
    says=le(T - tau_0, H),
    world=departures(),
    readings=(
        reading(_COUNT, "r from E[p s]/pᵏ in every round.", part=_COUNT),
        reading(
            _LIMIT,
            "Limit of the rounds without client a; any clients.",
            says=_AWAY,
            world=leavings(),
            part=_LIMIT,
            because="«cannot converge … as H_T >= T − τ₀»: for any client that leaves, and an upper bound does not show it",
        ),
        reading(
            "the model does not tend to ω*: other optimum",
            "The remaining clients' optimum is not that of client a.",
            says=_AWAY,
            world=leavings(),
            where=(lt(0, other),),
            part=_LIMIT,
            conditions=("the remaining clients' optimum is not ω*",),
            met_by="the non-IID(1) splits of Sec. 5.2 and Table 6: a client that leaves takes samples of its class with it",
        ),
        reading(
            "earlier is farther, from any start",
            "Distance to ω* after T rounds, leaving after τ₀ or after τ₀ + 1.",
            says=_FARTHER,
            part=_EARLIER,
            ours=(
                "«the more likely it should be discarded», «intuitively»: that the distance to ω* falls with τ₀ in every run "
                "and from every start is more than this says"
            ),
        ),
        reading(
            "earlier is farther, from ω*",
            "The model has settled before the client leaves.",
            says=_FARTHER,
            world=departures(settled=True),
            part=_EARLIER,
            conditions=("the model has settled at ω* before the client leaves",),
            ours="the distance to ω* is our measure of it",
        ),
    ),
    mutants=(
        mutant(
            "H_T >= T − τ₀ for a client that comes back",
            le(T - tau_0, H),
            "with even steps r is 0 then",
            world=departures(returns=True),
        ),
        mutant(
            "later is farther, from ω*",
            le(end, end_later),
            "a model that starts at ω* drifts away only once the client is gone",
            world=departures(settled=True),
        ),
    ),
    rests_on=("EFL-T1", "EFL-DEF3", "EFL-ALG3"),
    verdict="""
        The bound stays away from 0, as H_T >= T − τ₀ says; whether the model does hangs on the departed client.
        If its optimum is that of the others, the model still tends to ω*; if it is not, it does not. That
        leaving earlier is worse, an intuition in the paper, holds for a model that has settled at ω*. From a
        distant start a client can pull the model the wrong way or past ω*, and leaving earlier ends nearer.""",
)

CLAIMS: tuple[Claim, ...] = (S4,)
