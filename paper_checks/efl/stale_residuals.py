"""EFL-S7 and S8: residuals out of sync and stale gradients, the two causes Sec. 5.4 gives for slow runs at low participation.

Quadratic clients, one full-gradient step a round, constant ηL <= 1; ST keeps the larger of two coordinates, of equal ones the first; uplink only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
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
    permuted_clients,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _plane(N: int, T: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-1, 1e1, (N, 2), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N, 2)),
        Simplex("share", N, interior=True),
        Signed("start", 1e-1, 1e2, (2,)),
        Uniform("present", 0.0, 1.0, (T, N), at=(0.0, 1.0)),
        LogScale("length", 1e-2, 1.0, at=(1.0,)),
    )


def _largest(t: Any) -> Any:
    first = np.abs(t[..., :1]) >= np.abs(t[..., 1:])
    return t * np.concatenate([first, ~first], axis=-1)


def _clients(x: Instance) -> tuple[Any, Any]:
    h, m = x["curvature"], x["optimum"]
    if "alike" in x:
        return np.repeat(h[:, :1], h.shape[1], axis=1), np.repeat(m[:, :1], h.shape[1], axis=1)
    return h, m


def _final(x: Instance, full: bool, packed: bool) -> tuple[Any, Any]:
    """(‖w_T − w*‖², size) of a run; coefficients of a round sum to 1 with `whole`, else they are pᵏ of those present."""
    h, m = _clients(x)
    p = x["share"]
    best = (p[..., None] * h * m).sum(axis=1) / (p[..., None] * h).sum(axis=1)
    eta = (x["length"] / h.max(axis=(1, 2)))[:, None, None]
    w, up = x["start"], np.zeros_like(h)
    for r in range(x["present"].shape[1]):
        on = np.ones_like(p) if full else (x["present"][:, r] >= 0.5).astype(float)
        if "turns" in x and not full:
            on = np.zeros_like(p) + (np.arange(p.shape[1]) == r % p.shape[1])
        weight = p * on
        if "whole" in x:
            total = weight.sum(axis=1, keepdims=True)
            weight = weight / np.where(total > 0, total, 1.0)
        change = up - eta * h * (w[:, None] - m)
        sent = _largest(change) if packed else change
        up = np.where(on[..., None] > 0, change - sent, up)
        w = w + (weight[..., None] * sent).sum(axis=1)
    size = (np.abs(m).max(axis=(1, 2)) + np.abs(x["start"]).max(axis=1)) ** 2
    return ((w - best) ** 2).sum(axis=1), size


def _slower(x: Instance) -> Mapping[str, Any]:
    """How much nearer to w* the run in question ends than the one it is said to be slower than; `apart`: |difference|."""
    packed = "plain" not in x
    some, size = _final(x, "everyone" in x, packed)
    other, _ = _final(x, "residuals" not in x, packed and "residuals" not in x)
    lhs = np.abs(other - some) if "apart" in x else other - some
    there = np.all(np.any(x["present"] >= 0.5, axis=2), axis=1) | ("turns" in x)
    return {"lhs": lhs, "magnitude": 100 * size, "admissible": there | ("whole" not in x)}


def largest_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 on two entries, k = 1, of two equal sizes the first: one entry stays as it is."""
    return [t[0], Fraction(0)] if abs(t[0]) >= abs(t[1]) else [Fraction(0), t[1]]


def final_exact(x: Mapping[str, Any], full: bool, packed: bool) -> Any:
    """|w_T - w*|^2 of a run: one step a round, uplink through ST with error feedback where `packed`."""
    h, m, p, pair = x["curvature"], x["optimum"], x["share"], range(2)
    clients = range(len(p))
    if "alike" in x:
        h, m = [h[0] for _ in clients], [m[0] for _ in clients]
    best = [sum(p[k] * h[k][i] * m[k][i] for k in clients) / sum(p[k] * h[k][i] for k in clients) for i in pair]
    eta, w, up = x["length"] / max(max(row) for row in h), list(x["start"]), [[Fraction(0)] * 2 for _ in clients]
    for r, present in enumerate(x["present"]):
        on = [k for k in clients if full or present[k] >= Fraction(1, 2)]
        if "turns" in x and not full:
            on = [r % len(p)]
        total = sum(p[k] for k in on) if "whole" in x else Fraction(1)
        move = [Fraction(0), Fraction(0)]
        for k in on:
            change = [up[k][i] - eta * h[k][i] * (w[i] - m[k][i]) for i in pair]
            sent = largest_exact(change) if packed else change
            up[k] = [a - b for a, b in zip(change, sent, strict=True)]
            move = [move[i] + p[k] / total * sent[i] for i in pair]
        w = [w[i] + move[i] for i in pair]
    return sum((w[i] - best[i]) ** 2 for i in pair)


def slower_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|w_T - w*|^2 of the run said to be faster, less that of the run with partial participation (and residuals)."""
    packed = "plain" not in x
    some = final_exact(x, "everyone" in x, packed)
    other = final_exact(x, "residuals" not in x, packed and "residuals" not in x)
    there = "turns" in x or all(max(row) >= Fraction(1, 2) for row in x["present"])
    met = {"0 < eta L <= 1": 0 < x["length"] <= 1, "someone takes part, where asked": there or "whole" not in x}
    return met, {"lhs": abs(other - some) if "apart" in x else other - some}


def _runs(*flags: str) -> Property:
    each = {"curvature": 0, "optimum": 0, "share": 0, "present": 1}
    same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),)
    return drawn(
        "pairs of runs" + "".join(f", {f}" for f in flags),
        _plane,
        _slower,
        slower_exact,
        sizes=(Size("N", 1, 30, 2), Size("T", 1, 30, 6)),
        uses=(largest_exact, final_exact),
        flags=dict.fromkeys(flags, 1.0),
        same=same if "alike" in flags else (*same, permuted_clients(each)),
        degrees=(0, 2),
        per=60.0,
    )


def _chances(N: int, T: int) -> Sequence[Coordinate]:
    """The same, with the chance of a client to take part in a round in place of a pattern of presence."""
    kept = (c for c in _plane(N, T) if c.name != "present")
    return (*kept, Uniform("chance", 0.05, 0.95, at=(0.5,)), Choice("rounds", (float(T),)))


def _on_average(x: Instance) -> Mapping[str, Any]:
    """‖w_T − w*‖² with all clients less its mean over all patterns of presence."""
    (n, n_clients), n_rounds = x["share"].shape, int(x["rounds"][0])
    patterns = np.array(list(product((0.0, 1.0), repeat=n_clients * n_rounds))).reshape(-1, n_rounds, n_clients)
    each = {k: np.repeat(v, len(patterns), axis=0) for k, v in x.items()}
    packed = "plain" not in x
    some, _ = _final({**each, "present": np.tile(patterns, (n, 1, 1))}, False, packed)
    full, size = _final({**x, "present": np.ones((n, n_rounds, n_clients))}, True, packed)
    there, chance = patterns.sum(axis=(1, 2)), x["chance"][:, None]
    law = chance**there * (1 - chance) ** (n_clients * n_rounds - there)
    return {"lhs": full - (law * some.reshape(n, -1)).sum(axis=1), "magnitude": 100 * size}


def average_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|w_T - w*|^2 with all clients, less its mean when each takes part in each round with the chance q, independently."""
    clients, n_rounds, q = range(len(x["share"])), int(x["rounds"]), x["chance"]
    packed, slots, mean = "plain" not in x, len(x["share"]) * n_rounds, Fraction(0)
    for mask in range(2**slots):
        rows = [[Fraction(mask >> (r * len(clients) + k) & 1) for k in clients] for r in range(n_rounds)]
        there = sum(sum(row) for row in rows)
        mean = mean + q**there * (1 - q) ** (slots - there) * final_exact({**x, "present": rows}, False, packed)
    everyone = [[Fraction(1) for _ in clients] for _ in range(n_rounds)]
    met = {"0 < eta L <= 1": 0 < x["length"] <= 1, "0 < q < 1": 0 < q < 1}
    return met, {"lhs": final_exact({**x, "present": everyone}, True, packed) - mean}


def _means(*flags: str) -> Property:
    return drawn(
        "mean over who takes part" + "".join(f", {f}" for f in flags),
        _chances,
        _on_average,
        average_exact,
        sizes=(Size("N", 1, 3, 2), Size("T", 1, 3, 2)),
        uses=(largest_exact, final_exact),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),),
        degrees=(0, 2),
        per=1.5,
    )


_QUOTE = (
    r"\text{``a low participation rate reduces the convergence speed of EFL by causing the clients' residuals to go out of sync}"
    r"\text{ and increasing the gradient staleness''}"
)

S7 = Claim(
    id="EFL-S7",
    kind=Kind.PROPERTY,
    source="Sec. 5.4",
    title="Residuals out of sync",
    statement=_QUOTE,
    says="Runs in which clients are absent end farther from ω* than runs with all clients, because of the residuals.",
    assumes=(
        "quadratic clients in the plane, one full-gradient step a round, constant ηL <= 1, same number of rounds",
        "uplink through ST with error feedback; an absent client keeps its residual",
    ),
    readings=(
        Reading("partial no nearer than full", "Any clients and any pattern of presence, coefficients pᵏ.", _runs()),
        Reading(
            "on average over who takes part",
            "Each client takes part in each round with the same chance, independently; mean of ‖w_T − ω*‖², coefficients pᵏ.",
            _means(),
        ),
        Reading(
            "on average over who takes part, no compression",
            "The same without residuals.",
            _means("plain"),
            repair="condition",
        ),
        Reading(
            "identical clients, coefficients made to sum to 1",
            "Only the residuals then tell partial from full participation: partial no nearer.",
            _runs("alike", "whole"),
        ),
        Reading(
            "identical clients in turns",
            "One client a round, each in its turn, coefficient 1: no nearer than all together.",
            _runs("alike", "whole", "turns"),
        ),
        Reading(
            "partial with residuals no nearer than partial without compression",
            "Any clients, the same pattern of presence.",
            _runs("residuals"),
        ),
        Reading(
            "identical clients, no compression: no slowdown",
            "Coefficients made to sum to 1: partial and full participation are one run.",
            _runs("alike", "whole", "plain", "apart"),
        ),
        Reading(
            "identical clients, no compression, coefficients pᵏ",
            "No residuals at all, and still partial participation is no nearer: the smaller coefficients do it.",
            _runs("alike", "plain"),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "partial no nearer than full, without compression",
            _runs("plain"),
            "a client that alone pulls the right way may be the one present",
        ),
        Canary(
            "on average, no compression, coefficients made to sum to 1",
            _means("plain", "whole"),
            "a client of small share and large curvature, alone with coefficient 1, moves the model faster than all together",
        ),
    ),
    depends_on=("EFL-ALG1", "EFL-ALG2", "EFL-E5"),
    verdict_words=(
        "Absent clients do slow a run down, though not in every single instance: on 4000 drawn federations of four clients (ηL = 0.1, half "
        "of them present on average) the run with all clients was behind after 100 rounds in under 1%, and the median squared distance was "
        "12 times larger with absences. On average over who takes part it is certain without compression: the mean model lags, and its "
        "spread only adds. With ST it is not: clients that pull in opposite directions may each send another coordinate, so that nothing cancels and "
        "the model moves away, the farther the more of them take part. The residuals are hardly why: pᵏ of absent clients is missing from the sum, and identical "
        "clients without any compression slow down just the same. With coefficients made to sum to 1, which leaves the residuals as "
        "the only difference, identical clients in turns were 4% behind in the median after 10 rounds and 9% ahead after 100; and at the same "
        "pattern of presence residuals changed the median by less than 1%. The stated cause is not seen in convex runs; about deep "
        "networks this says nothing."
    ),
)


def _line(N: int, T: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-1, 1e1, (N,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N,)),
        Simplex("share", N, interior=True),
        Signed("start", 1e-1, 1e2),
        Uniform("present", 0.0, 1.0, (T, N), at=(0.0, 1.0)),
        LogScale("length", 1e-2, 1.0, at=(1.0,)),
    )


def _stale(x: Instance) -> Mapping[str, Any]:
    """The largest fall, over the rounds waited, of ‖∇f₀(w_r) − ∇f₀(w_0)‖ of a client 0 that waits from round 0 on.

    `bound`: by how much that exceeds L times the length of the path; `short`: times the length of the last step only.
    """
    h, m, p = x["curvature"], x["optimum"], x["share"]
    if "together" in x:
        m = np.repeat(m[:, :1], m.shape[1], axis=1)
    top = h.max(axis=1)
    w, path, before, lhs = x["start"], np.zeros_like(top), np.zeros_like(top), np.full_like(top, -np.inf)
    for r in range(x["present"].shape[1]):
        on = (x["present"][:, r] >= 0.5).astype(float) if "others" not in x else np.ones_like(p)
        on = on * (np.arange(p.shape[1]) > 0)
        step = (x["length"] / top) * (p * on * h * (w[:, None] - m)).sum(axis=1)
        w = w - step
        path = np.abs(step) if "short" in x else path + np.abs(step)
        now = h[:, 0] * np.abs(w - x["start"])
        lhs = np.maximum(lhs, now - top * path if "bound" in x else before - now)
        before = now
    return {"lhs": lhs, "magnitude": top * (np.abs(m).max(axis=1) + np.abs(x["start"]))}


def stale_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How far the gradient of the waiting client 0 at the present model is from that at the model it left with, by round."""
    h, m, p, n = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    if "together" in x:
        m = [m[0] for _ in n]
    w, path, before, out = x["start"], Fraction(0), Fraction(0), []
    for present in x["present"]:
        on = [k for k in n if k > 0 and ("others" in x or present[k] >= Fraction(1, 2))]
        step = x["length"] / max(h) * sum(p[k] * h[k] * (w - m[k]) for k in on)
        w = w - step
        path = abs(step) + (0 if "short" in x else path)
        now = abs(h[0] * (w - m[0]) - h[0] * (x["start"] - m[0]))
        out.append(now - max(h) * path if "bound" in x else before - now)
        before = now
    met = {"0 < eta L <= 1": 0 < x["length"] <= 1, "p^k on the simplex": sum(p) == 1 and min(p) > 0}
    return met, {"lhs": max(out)}


def _waits(*flags: str) -> Property:
    return drawn(
        "one client waits" + "".join(f", {f}" for f in flags),
        _line,
        _stale,
        stale_exact,
        sizes=(Size("N", 2, 100, 3), Size("T", 1, 100, 5)),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),),
        degrees=(1, -1),
        per=150.0,
    )


S8 = Claim(
    id="EFL-S8",
    kind=Kind.PROPERTY,
    source="Sec. 5.4",
    title="Stale gradients",
    statement=(
        r"\text{``The more rounds a client has to wait before it is selected to participate in training again, the more outdated}"
        r"\text{ the accumulated gradients become''}"
    ),
    says="The gradient a waiting client has accumulated departs ever more from its gradient at the present model.",
    assumes=("quadratic clients on the line, one full-gradient step a round, constant ηL <= 1, coefficients pᵏ",),
    readings=(
        Reading("any run", "‖∇fₖ(w_r) − ∇fₖ(w₀)‖ never falls while client k waits.", _waits()),
        Reading("what is certain", "It is at most L times the length of the path, which only grows.", _waits("bound")),
        Reading(
            "all other clients take part in every round",
            "The model then heads for their optimum.",
            _waits("others"),
            repair="condition",
        ),
        Reading(
            "all clients share one optimum",
            "Whoever takes part.",
            _waits("together"),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "at most L times the last step",
            _waits("bound", "short"),
            "the client left two rounds ago, and the model has moved in both",
        ),
    ),
    tight="the waiting client has the largest curvature and the model moves one way",
    depends_on=("EFL-E4", "EFL-S7"),
    verdict_words=(
        "True where the model moves one way: when all others take part each time, or share the optimum. With partial participation "
        "among the others the model also moves back and forth, and a gradient that was out of date becomes a good one again. What always "
        "holds is the bound: the gradient is off by at most L times the path the model has taken since, which grows with the wait."
    ),
)

CLAIMS: tuple[Claim, ...] = (S7, S8)
