"""How far the virtual model can get within a round, in EFL's proof: the chain (52)-(55).

From step j on the model makes moves of rational length in rational directions, so every norm is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    Reading,
    Signed,
    Size,
    Space,
    Uniform,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

before, moves, first, every = symbols("before moves first every")
_ENDS, _HALF = range(2)  # Δ at the end of the round; half of it


def _unit(turn: Any) -> Any:
    """(…, d − 1) -> unit vectors (…, d), rational in `turn`."""
    squared = (turn**2).sum(axis=-1, keepdims=True)
    return np.concatenate([2 * turn, 1 - squared], axis=-1) / (1 + squared)


def _measure(x: Instance) -> Mapping[str, Any]:
    size, u = x["size"], x["position"][:, None]
    if "turn" in x:
        direction = _unit(x["turn"])
        vectors, u = size[..., None] * direction[:, 1:], u * direction[:, 0]
    else:
        vectors = size[..., None]
    n_local = size.shape[1]
    j = np.minimum(np.floor(x["part"] * n_local), n_local - 1)
    later = np.arange(n_local) >= j[:, None]
    length = np.abs(size)
    ends = u - (later[..., None] * vectors).sum(axis=1)
    start = np.abs(x["position"])
    known = {
        "before": start,
        "moves": (later * length).sum(axis=1),
        "first": (n_local - j) * np.take_along_axis(length, j.astype(int)[:, None], axis=1)[:, 0],
        "every": length.sum(axis=1),
    }
    ends_squared = (ends**2).sum(axis=1)
    lhs = ends_squared if x["look"][0] == _ENDS else ends_squared / 2
    return {**known, "lhs": lhs, "magnitude": start**2 + known["every"] ** 2}


def chain_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sqrt(Delta_j) = |position|, eta h_i = |size_i|; the model at the end is u_j minus the moves from step j on."""
    n_local = len(x["size"])
    j = min(int(x["part"] * n_local), n_local - 1)
    rows = x["turn"] if "turn" in x else [[] for _ in range(n_local + 1)]
    units = []
    for row in rows:
        square = sum((t * t for t in row), Fraction(0))
        units.append([2 * t / (1 + square) for t in row] + [(1 - square) / (1 + square)])
    ends = [x["position"] * c for c in units[0]]
    for i in range(j, n_local):
        ends = [a - x["size"][i] * b for a, b in zip(ends, units[i + 1], strict=True)]
    lengths = [abs(v) for v in x["size"]]
    after = sum((a * a for a in ends), Fraction(0))
    constants = {
        "lhs": after / (1 + x["look"]),
        "before": abs(x["position"]),
        "moves": sum(lengths[j:], Fraction(0)),
        "first": (n_local - j) * lengths[j],
        "every": sum(lengths, Fraction(0)),
    }
    return {"directions are unit vectors": all(sum(c * c for c in row) == 1 for row in units)}, constants


def _chain(look: int, expression: Any, again: Callable[..., Any] | None = None, *, longest: int = 100) -> Inequality:
    def at(E: float, d: float) -> Case:
        n_local, dim = int(E), int(d)
        space = Space(
            (
                Signed("position", 1e-3, 1e3),
                Signed("size", 1e-3, 1e2, (n_local,)),
                *((Signed("turn", 1e-2, 1e2, (n_local + 1, dim - 1)),) if dim > 1 else ()),
                Uniform("part", 0.0, 1.0, at=(0.0, 0.5)),
                Choice("look", (float(look),)),
            )
        )
        cost = max(1.0, n_local * dim / 50)
        same = (units({"position": (0, 1), "size": (0, 1)}),)
        return Case(f"{n_local} steps, d = {dim}", space, _measure, ExactCheck(chain_exact), cost=cost, symmetries=same)

    family = Family("a round", (Size("E", 1, longest, min(3, longest)), Size("d", 1, 8, 1)), at)
    degrees = dict.fromkeys(("before", "moves", "first", "every"), (0, 1))
    return Inequality(Bound(expression, again=again, degrees=degrees), (family,), degrees=(0, 2))


def square_again(move: str) -> Callable[..., Any]:
    """The square of √Δ plus the moves, expanded."""
    return lambda **k: k["before"] * (k["before"] + 2 * k[move]) + k[move] * k[move]


def twice_again(move: str) -> Callable[..., Any]:
    """The last member of (54)."""
    return lambda **k: 2 * (k["before"] ** 2 + k[move] ** 2)


def low_again(move: str) -> Callable[..., Any]:
    """Δ at step j plus the squared path."""
    return lambda **k: k[move] ** 2 + k["before"] ** 2


_SLIP = "The summand carries the index j, which the sum over i does not bind: E − j times the same move."
_FIXED = "The summand carries the sum's own index, as (52), from which the line follows, has it."
_WORDS = (
    "The sum runs over i but its summand is printed with j. Taken literally the later moves may be arbitrarily longer than the one "
    "that is counted, and the line is false; with the index i, as (52) gives it, it is {what}. A misprint of one index, which the "
    "last member of (55), from which the proof goes on, no longer has."
)


def _claim(
    number: int, title: str, statement: str, says: str, words: str, needs: tuple[str, ...], **parts: Any
) -> Claim:
    return Claim(
        id=f"EFL-E{number}",
        kind=Kind.INEQUALITY,
        source=f"Eq. ({number}), A.2.1",
        title=title,
        statement=statement,
        says=says,
        assumes=(
            "√Δ the distance of ω̄ from ω*, ηh the length of a step of ω̄",
            "(55) solved for half the last distance",
        )[: 2 if number == 55 else 1],
        depends_on=needs,
        verdict_words=words,
        **parts,
    )


E52 = _claim(
    52,
    "Triangle inequality",
    r"\sqrt{\Delta_{\tau E+j+1}}\le\|\overline\omega_{\tau E+j+1}-\overline\omega_{\tau E+j}\|+\sqrt{\Delta_{\tau E+j}}=\|\eta_\tau"
    r"\sum_kp_\tau^k\alpha g^k\|+\sqrt{\Delta_{\tau E+j}}",
    "The distance to ω* grows by at most the length of the step.",
    "The triangle inequality; attained by a step straight away from ω*.",
    ("EFL-E14",),
    readings=(
        Reading(
            "outer members, squared",
            "One step of any length.",
            _chain(_ENDS, (before + moves) ** 2, square_again("moves"), longest=1),
        ),
    ),
    canaries=(
        Canary(
            "squares added instead of lengths",
            _chain(_ENDS, before**2 + moves**2, longest=1),
            "a step straight away from ω* has the cross term, too",
        ),
    ),
    tight="a step straight away from ω*",
)
E53 = _claim(
    53,
    "Chain of the triangle inequality",
    r"\sqrt{\Delta_{(\tau+1)E}}\le\sqrt{\Delta_{(\tau+1)E-1}}+\eta_\tau h_{(\tau+1)E-1}\le\dots\le\sqrt{\Delta_{\tau E+j}}+"
    r"\sum_{i=j}^{E-1}\eta_\tau h_{\tau E+j}",
    "The distance at the end of a round is at most that at step j plus the lengths of the steps between.",
    _WORDS.format(what="the triangle inequality"),
    ("EFL-E52",),
    readings=(
        Reading("index j, as printed", _SLIP, _chain(_ENDS, (before + first) ** 2, square_again("first"))),
        Reading("index i", _FIXED, _chain(_ENDS, (before + moves) ** 2, square_again("moves"))),
    ),
    canaries=(Canary("moves dropped", _chain(_ENDS, before**2), "a step away from ω* makes the distance larger"),),
    tight="all steps straight away from ω*",
)
E54 = _claim(
    54,
    "Squared chain",
    r"\Delta_{(\tau+1)E}\le\Delta_{\tau E+j}+2\sqrt{\Delta_{\tau E+j}}\Big(\sum_{i=j}^{E-1}\eta_\tau h_{\tau E+j}\Big)+\Big(\dots"
    r"\Big)^2\le2\Delta_{\tau E+j}+2\Big(\sum_{i=j}^{E-1}\eta_\tau h_{\tau E+j}\Big)^2",
    "The squared distance at the end of a round is at most twice that at step j plus twice the squared path.",
    _WORDS.format(what="true, and attained in its last member by a path as long as the distance"),
    ("EFL-E53",),
    readings=(
        Reading("middle member, index j", _SLIP, _chain(_ENDS, (before + first) ** 2, square_again("first"))),
        Reading("last member, index j", _SLIP, _chain(_ENDS, 2 * before**2 + 2 * first**2, twice_again("first"))),
        Reading("middle member, index i", _FIXED, _chain(_ENDS, (before + moves) ** 2, square_again("moves"))),
        Reading("last member, index i", _FIXED, _chain(_ENDS, 2 * before**2 + 2 * moves**2, twice_again("moves"))),
    ),
    canaries=(
        Canary(
            "2Δ + (path)² in the last member",
            _chain(_ENDS, 2 * before**2 + moves**2),
            "with d and m in one direction (d + m)² exceeds 2d² + m² for d < 2m",
        ),
    ),
    tight="a path straight away from ω* as long as the distance",
)
E55 = _claim(
    55,
    "Lower bound of the distance within a round",
    r"\Delta_{\tau E+j}\ge\frac12\Delta_{(\tau+1)E}-\Big(\sum_{i=j}^{E-1}\eta_\tau h_{\tau E+j}\Big)^2\ge\frac12\Delta_{(\tau+1)E}"
    r"-\Big(\sum_{j=0}^{E-1}\eta_\tau h_{\tau E+j}\Big)^2",
    "The squared distance within a round is at least half that at its end minus the squared path.",
    (
        "The middle member has the summand's index j where i is meant, as (52) shows; as it stands its first inequality is false. With "
        "the index i it is true, and so is the outer inequality, which is all that (56) uses; both are attained."
    ),
    ("EFL-E54",),
    readings=(
        Reading("first to middle member, index j", _SLIP, _chain(_HALF, before**2 + first**2, low_again("first"))),
        Reading(
            "first to middle member, index i",
            _FIXED,
            _chain(_HALF, before**2 + moves**2, low_again("moves")),
        ),
        Reading(
            "first to last member",
            "The outer inequality, which (56) uses; the last sum runs over its own index.",
            _chain(_HALF, before**2 + every**2, low_again("every")),
        ),
    ),
    canaries=(
        Canary(
            "path dropped",
            _chain(_HALF, before**2),
            "a step away from ω* by more than (√2 − 1) times the distance doubles the square",
        ),
    ),
    tight="a path straight away from ω* as long as the distance",
)

CLAIMS: tuple[Claim, ...] = (E52, E53, E54, E55)
