"""EFL-S7 and S8: residuals out of sync and stale gradients, the two causes Sec. 5.4 gives for slow runs at low participation.

Quadratic clients, one full-gradient step a round, constant ηL <= 1; ST keeps the larger of two coordinates, of equal ones the
first; uplink only. `packed`: ST, else the identity; `whole`: coefficients of a round sum to 1, else they are pᵏ of those
present; `alike`: all clients are the first; `turns`: one client a round, each in its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from paper_checks.efl.notation import NOTATION
from validation import Case, Claim, Family, Instance, Size, permuted_clients, units
from validation.statement.instances.draw import Coordinate, LogScale, Signed, Simplex, Space, Uniform
from validation.world import World, case, eq, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

slow2, fast2, fall, off_path, off_step = NOTATION.symbols("slow2 fast2 fall off_path off_step")
Pair = tuple[Mapping[str, bool], Mapping[str, Any]]


def _largest(t: Any) -> Any:
    first = np.abs(t[..., :1]) >= np.abs(t[..., 1:])
    return t * np.concatenate([first, ~first], axis=-1)


def _clients(x: Instance, alike: bool) -> tuple[Any, Any]:
    h, m = x["curvature"], x["optimum"]
    return (np.repeat(h[:, :1], h.shape[1], axis=1), np.repeat(m[:, :1], h.shape[1], axis=1)) if alike else (h, m)


def _end(x: Instance, present: Any, *, packed: bool, whole: bool, alike: bool) -> Any:
    """‖w_T − w*‖² of a run with these clients present, (n, T, N)."""
    (h, m), p = _clients(x, alike), x["share"]
    best = (p[..., None] * h * m).sum(axis=1) / (p[..., None] * h).sum(axis=1)
    eta = (x["length"] / h.max(axis=(1, 2)))[:, None, None]
    w, up = x["start"], np.zeros_like(h)
    for r in range(present.shape[1]):
        on = present[:, r]
        weight = p * on
        if whole:
            total = weight.sum(axis=1, keepdims=True)
            weight = weight / np.where(total > 0, total, 1.0)
        change = up - eta * h * (w[:, None] - m)
        sent = _largest(change) if packed else change
        up = np.where(on[..., None] > 0, change - sent, up)
        w = w + (weight[..., None] * sent).sum(axis=1)
    return ((w - best) ** 2).sum(axis=1)


def _rounding(x: Instance, alike: bool) -> dict[str, Any]:
    _, m = _clients(x, alike)
    size = (np.abs(m).max(axis=(1, 2)) + np.abs(x["start"]).max(axis=1)) ** 2
    return {"sizes": dict.fromkeys(("slow2", "fast2"), 100 * size)}


def pairs(x: Instance, *, packed: bool, whole: bool, alike: bool, turns: bool, against: str) -> Mapping[str, Any]:
    """The end of a run with partial participation, and of the run that it is compared with."""
    how = {"whole": whole, "alike": alike}
    everyone = np.ones_like(x["present"])
    present = (x["present"] >= 0.5).astype(float)
    there = np.all(present.any(axis=2), axis=1)
    if turns:
        N, T = everyone.shape[2], everyone.shape[1]
        present = everyone * (np.arange(N) == np.arange(T)[:, None] % N)
    other = present if against == "no compression" else everyone
    ends = {"slow2": _end(x, present, packed=packed, **how)}
    ends |= {"fast2": _end(x, other, packed=packed and against != "no compression", **how)}
    return {**ends, **_rounding(x, alike), "admissible": there | turns | (not whole)}


def largest_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 on two entries, k = 1, of two equal sizes the first: one entry stays as it is."""
    return [t[0], Fraction(0)] if abs(t[0]) >= abs(t[1]) else [Fraction(0), t[1]]


def end_exact(x: Mapping[str, Any], rounds: list[list[int]], packed: bool, whole: bool, alike: bool) -> Any:
    """|w_T - w*|^2 of a run with these clients in its rounds: one step each, uplink through ST with error feedback if `packed`."""
    h, m, p, pair = x["curvature"], x["optimum"], x["share"], range(2)
    clients = range(len(p))
    if alike:
        h, m = [h[0] for _ in clients], [m[0] for _ in clients]
    best = [sum(p[k] * h[k][i] * m[k][i] for k in clients) / sum(p[k] * h[k][i] for k in clients) for i in pair]
    eta, w, up = x["length"] / max(max(row) for row in h), list(x["start"]), [[Fraction(0)] * 2 for _ in clients]
    for on in rounds:
        total = sum(p[k] for k in on) if whole else Fraction(1)
        move = [Fraction(0), Fraction(0)]
        for k in on:
            change = [up[k][i] - eta * h[k][i] * (w[i] - m[k][i]) for i in pair]
            sent = largest_exact(change) if packed else change
            up[k] = [a - b for a, b in zip(change, sent, strict=True)]
            move = [move[i] + p[k] / total * sent[i] for i in pair]
        w = [w[i] + move[i] for i in pair]
    return sum((w[i] - best[i]) ** 2 for i in pair)


def pairs_exact(x: Mapping[str, Any], *, packed: bool, whole: bool, alike: bool, turns: bool, against: str) -> Pair:
    """|w_T - w*|^2 of a run with partial participation, and of the run that is said to be faster."""
    N, T = len(x["share"]), len(x["present"])
    rounds = [[k for k in range(N) if row[k] >= Fraction(1, 2)] for row in x["present"]]
    there = all(rounds) or turns
    if turns:
        rounds = [[r % N] for r in range(T)]
    bare = against == "no compression"
    ends = {"slow2": end_exact(x, rounds, packed, whole, alike)}
    other = rounds if bare else [list(range(N)) for _ in range(T)]
    ends["fast2"] = end_exact(x, other, packed and not bare, whole, alike)
    return {"0 < eta L <= 1": 0 < x["length"] <= 1, "someone takes part, where asked": there or not whole}, ends


def means(x: Instance, *, T: int, packed: bool, whole: bool) -> Mapping[str, Any]:
    """The mean end over all patterns of presence, and the end with all clients."""
    n, N = x["share"].shape
    patterns = np.array(list(product((0.0, 1.0), repeat=N * T))).reshape(-1, T, N)
    each = {k: np.repeat(v, len(patterns), axis=0) for k, v in x.items()}
    some = _end(each, np.tile(patterns, (n, 1, 1)), packed=packed, whole=whole, alike=False)
    there, chance = patterns.sum(axis=(1, 2)), x["chance"][:, None]
    mean = (chance**there * (1 - chance) ** (N * T - there) * some.reshape(n, -1)).sum(axis=1)
    full = _end(x, np.ones((n, T, N)), packed=packed, whole=whole, alike=False)
    return {"slow2": mean, "fast2": full, **_rounding(x, False)}


def means_exact(x: Mapping[str, Any], *, T: int, packed: bool, whole: bool) -> Pair:
    """E|w_T - w*|^2 where each client takes part in each round with the chance q, independently, and |w_T - w*|^2 with all."""
    N, q, mean = len(x["share"]), x["chance"], Fraction(0)
    for mask in range(2 ** (N * T)):
        rounds = [[k for k in range(N) if mask >> (r * N + k) & 1] for r in range(T)]
        there = sum(len(on) for on in rounds)
        mean = mean + q**there * (1 - q) ** (N * T - there) * end_exact(x, rounds, packed, whole, False)
    full = end_exact(x, [list(range(N)) for _ in range(T)], packed, whole, False)
    return {"0 < eta L <= 1": 0 < x["length"] <= 1, "0 < q < 1": 0 < q < 1}, {"slow2": mean, "fast2": full}


def _world(
    name: str, at: Callable[[int, int], Case], most: tuple[int, int], usual: tuple[int, int], least: int
) -> World:
    sizes = (Size("N", least, most[0], usual[0]), Size("T", 1, most[1], usual[1]))
    return World(NOTATION, (Family(name, sizes, lambda N, T: at(int(N), int(T))),))


_UNITS = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)})


def _plane(N: int) -> tuple[Coordinate, ...]:
    return (
        LogScale("curvature", 1e-1, 1e1, (N, 2), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N, 2)),
        Simplex("share", N, interior=True),
        Signed("start", 1e-1, 1e2, (2,)),
        LogScale("length", 1e-2, 1.0, at=(1.0,)),
    )


def _present(N: int, T: int) -> Uniform:
    return Uniform("present", 0.0, 1.0, (T, N), at=(0.0, 1.0))


def _cost(N: int, T: int, each: float) -> float:
    return min(4.0, max(1.0, prod((N, T)) / each))


def _runs(
    *, packed: bool = True, whole: bool = False, alike: bool = False, turns: bool = False, against: str = "everyone"
) -> World:
    """Pairs of runs: partial participation, against everyone, or the same without compression."""

    def at(N: int, T: int) -> Case:
        space, each = Space((*_plane(N), _present(N, T))), {"curvature": 0, "optimum": 0, "share": 0, "present": 1}
        same = (_UNITS,) if alike else (_UNITS, permuted_clients(each))
        how: dict[str, Any] = {"packed": packed, "whole": whole, "alike": alike, "turns": turns, "against": against}
        how |= {"uses": (largest_exact, end_exact), "cost": _cost(N, T, 60.0), "symmetries": same}
        return case(f"pairs of runs, N = {N}, T = {T}", space, pairs, pairs_exact, **how)

    return _world("pairs of runs", at, (30, 30), (2, 6), 1)


def _means(*, packed: bool = True, whole: bool = False) -> World:
    """The mean over who takes part, each client in each round with the same chance, against everyone."""

    def at(N: int, T: int) -> Case:
        space = Space((*_plane(N), Uniform("chance", 0.05, 0.95, at=(0.5,))))
        how: dict[str, Any] = {"uses": (largest_exact, end_exact), "cost": _cost(N, T, 1.5), "symmetries": (_UNITS,)}
        name = f"mean over who takes part, N = {N}, T = {T}"
        return case(name, space, means, means_exact, **how, T=T, packed=packed, whole=whole)

    return _world("mean over who takes part", at, (3, 3), (2, 2), 1)


_NO_NEARER = le(fast2, slow2)
S7 = remark(
    "EFL-S7",
    "Sec. 5.4",
    "Residuals out of sync",
    printed=r"""\text{``a low participation rate reduces the convergence speed of EFL by causing the clients' residuals to go out of sync}\text{ and increasing the gradient staleness''}""",
    plainly="""Runs in which clients are absent end farther from ω* than runs with all clients, because of the
        residuals.""",
    assumes=[
        "quadratic clients in the plane, one full-gradient step a round, constant ηL <= 1, same number of rounds",
        "uplink through ST with error feedback; an absent client keeps its residual",
    ],
    says=_NO_NEARER,
    world=_runs(),
    open={
        "cause": nowhere("""«reduces the convergence speed … by causing the clients' residuals to go out of sync»: no
            measure of speed or cause is given; that runs with residuals are slower, or that runs without them are not,
            can be meant""")
    },
    readings=[
        reading(
            "partial no nearer than full",
            "Any clients and any pattern of presence, coefficients pᵏ.",
            part="slower",
            ours="in every run, of any clients and any pattern of presence: more than the sentence says",
        ),
        reading(
            "on average over who takes part",
            """Each client takes part in each round with the same chance, independently; mean of ‖w_T − ω*‖²,
                coefficients pᵏ.""",
            world=_means(),
            part="slower",
            ours="""for every federation and every T, also clients made to send coordinates that do not cancel; the
                sentence speaks of what Figure 3 shows""",
        ),
        reading(
            "on average over who takes part, no compression",
            "The same without residuals.",
            world=_means(packed=False),
            part="slower",
            conditions=["no compression"],
            ours="for every federation and every T",
        ),
        reading(
            "identical clients, coefficients made to sum to 1",
            "Only the residuals then tell partial from full participation: partial no nearer.",
            world=_runs(alike=True, whole=True),
            part="because of the residuals",
            options={"cause": "with residuals alone to differ, runs are slower"},
        ),
        reading(
            "identical clients in turns",
            "One client a round, each in its turn, coefficient 1: no nearer than all together.",
            world=_runs(alike=True, whole=True, turns=True),
            part="because of the residuals",
            options={"cause": "with residuals alone to differ, runs are slower"},
            cuts={"presence": "one client a round, in turns"},
        ),
        reading(
            "partial with residuals no nearer than partial without compression",
            "Any clients, the same pattern of presence.",
            world=_runs(against="no compression"),
            part="because of the residuals",
            ours="in every run; and it compares ST with no compression, not low with full participation",
        ),
        reading(
            "identical clients, no compression: no slowdown",
            "Coefficients made to sum to 1: partial and full participation are one run.",
            eq(fast2, slow2),
            world=_runs(alike=True, whole=True, packed=False),
            part="because of the residuals",
            options={"cause": "without residuals or staleness, runs are not slower"},
        ),
        reading(
            "identical clients, no compression, coefficients pᵏ",
            "No residuals at all, and still partial participation is no nearer: the smaller coefficients do it.",
            world=_runs(alike=True, packed=False),
            part="slower",
            conditions=["identical clients", "no compression"],
        ),
    ],
    mutants=[
        mutant(
            "partial no nearer than full, without compression",
            None,
            "a client that alone pulls the right way may be the one present",
            world=_runs(packed=False),
        ),
        mutant(
            "on average, no compression, coefficients made to sum to 1",
            None,
            """a client of small share and large curvature, alone with coefficient 1, moves the model faster than all
                together""",
            world=_means(packed=False, whole=True),
        ),
    ],
    rests_on=["EFL-ALG1", "EFL-ALG2", "EFL-E5"],
    verdict="""Absent clients do slow a run down, though not in every single instance: on thousands of drawn federations of four clients (ηL = 0.1, half of them present on average) the run with all clients was behind after 100 rounds in
        under 1%, and the median squared distance was 12 times larger with absences. On average over who takes part it
        is certain without compression: the mean model lags, and its spread only adds. With ST it is not: clients that
        pull in opposite directions may each send another coordinate, so that nothing cancels and the model moves away,
        the farther the more of them take part. The residuals are hardly why: pᵏ of absent clients is missing from the
        sum, and identical clients without any compression slow down just the same. With coefficients made to sum to 1,
        which leaves the residuals as the only difference, identical clients in turns were 4% behind in the median after
        10 rounds and 9% ahead after 100; and at the same pattern of presence residuals changed the median by less than
        1%. The stated cause is not seen in convex runs; about deep networks this says nothing.""",
)


def waits(x: Instance, *, others: bool, together: bool) -> Mapping[str, Any]:
    """How ‖∇f₀(w_r) − ∇f₀(w_0)‖ of a client 0 that waits from round 0 on falls, and exceeds what bounds it, over the rounds."""
    h, m, p = x["curvature"], x["optimum"], x["share"]
    m = np.repeat(m[:, :1], m.shape[1], axis=1) if together else m
    top, w = h.max(axis=1), x["start"]
    path, before = np.zeros_like(top), np.zeros_like(top)
    seen = {name: np.full_like(top, -np.inf) for name in ("fall", "off_path", "off_step")}
    for r in range(x["present"].shape[1]):
        on = ((x["present"][:, r] >= 0.5) | others) & (np.arange(p.shape[1]) > 0)
        step = (x["length"] / top) * (p * on * h * (w[:, None] - m)).sum(axis=1)
        w, path = w - step, path + np.abs(step)
        now = h[:, 0] * np.abs(w - x["start"])
        each = {"fall": before - now, "off_path": now - top * path, "off_step": now - top * np.abs(step)}
        seen, before = {name: np.maximum(seen[name], each[name]) for name in seen}, now
    size = top * (np.abs(m).max(axis=1) + np.abs(x["start"]))
    return {**seen, "sizes": dict.fromkeys(seen, size)}


def waits_exact(x: Mapping[str, Any], *, others: bool, together: bool) -> Pair:
    """How far the gradient of the waiting client 0 at the present model is from that at the model it left with, by round."""
    h, m, p, n = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    if together:
        m = [m[0] for _ in n]
    w, path, before, top = x["start"], Fraction(0), Fraction(0), max(h)
    falls, off_paths, off_steps = [], [], []
    for present in x["present"]:
        on = [k for k in n if k > 0 and (others or present[k] >= Fraction(1, 2))]
        step = x["length"] / top * sum(p[k] * h[k] * (w - m[k]) for k in on)
        w, path = w - step, path + abs(step)
        now = abs(h[0] * (w - m[0]) - h[0] * (x["start"] - m[0]))
        falls.append(before - now)
        off_paths.append(now - top * path)
        off_steps.append(now - top * abs(step))
        before = now
    met = {"0 < eta L <= 1": 0 < x["length"] <= 1, "p^k on the simplex": sum(p) == 1 and min(p) > 0}
    return met, {"fall": max(falls), "off_path": max(off_paths), "off_step": max(off_steps)}


def _waits(*, others: bool = False, together: bool = False) -> World:
    """One client waits; `others`: all others take part in every round; `together`: all share one optimum."""

    def at(N: int, T: int) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-1, 1e1, (N,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (N,)),
                Simplex("share", N, interior=True),
                Signed("start", 1e-1, 1e2),
                _present(N, T),
                LogScale("length", 1e-2, 1.0, at=(1.0,)),
            )
        )
        how: dict[str, Any] = {"cost": _cost(N, T, 150.0), "symmetries": (_UNITS,)}
        name = f"one client waits, N = {N}, T = {T}"
        return case(name, space, waits, waits_exact, **how, others=others, together=together)

    return _world("one client waits", at, (100, 100), (3, 5), 2)


S8 = remark(
    "EFL-S8",
    "Sec. 5.4",
    "Stale gradients",
    printed=r"""\text{``The more rounds a client has to wait before it is selected to participate in training again, the more outdated}\text{ the accumulated gradients become''}""",
    plainly="The gradient a waiting client has accumulated departs ever more from its gradient at the present model.",
    assumes=["quadratic clients on the line, one full-gradient step a round, constant ηL <= 1, coefficients pᵏ"],
    says=le(fall, 0),
    world=_waits(),
    open={
        "outdated": nowhere("""«outdated» has no measure: how far the waiting gradient is from the present one, or how
            far the model has gone since""")
    },
    readings=[
        reading(
            "any run",
            "‖∇fₖ(w_r) − ∇fₖ(w₀)‖ never falls while client k waits.",
            options={"outdated": "the distance from the present gradient"},
        ),
        reading(
            "what is certain",
            "It is at most L times the length of the path, which only grows.",
            le(off_path, 0),
            options={"outdated": "the path of the model since, which bounds that distance"},
        ),
        reading(
            "all other clients take part in every round",
            "The model then heads for their optimum.",
            world=_waits(others=True),
            options={"outdated": "the distance from the present gradient"},
            conditions=["all other clients take part in every round"],
        ),
        reading(
            "all clients share one optimum",
            "Whoever takes part.",
            world=_waits(together=True),
            options={"outdated": "the distance from the present gradient"},
            conditions=["all clients share one optimum"],
        ),
    ],
    mutants=[
        mutant(
            "at most L times the last step",
            le(off_step, 0),
            "the client left two rounds ago, and the model has moved in both",
        )
    ],
    tight="the waiting client has the largest curvature and the model moves one way",
    rests_on=["EFL-E4", "EFL-S7"],
    verdict="""True where the model moves one way: when all others take part each time, or share the optimum. With
        partial participation among the others the model also moves back and forth, and a gradient that was out of date
        becomes a good one again. What always holds is the bound: the gradient is off by at most L times the path the
        model has taken since, which grows with the wait.""",
)

CLAIMS: tuple[Claim, ...] = (S7, S8)
