"""Sec. 4.1 and 4.2: descent on L_SSA, its gradient by the quotient rule and the ways to keep weights on the simplex."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.exponentials import EXACT, log_near, loss_exact, mass, root_fixed, slack
from paper_checks.fedssa.notation import NOTATION
from theory import RoundStats
from theory.rules import SSA
from theory.rules.by_output.ssa_loss import gradient_ssa, loss_ssa
from theory.rules.simplex import project_on_simplex
from validation import Case, Instance, LogScale, Signed, Simplex, Space, World, case
from validation.statement.instances.draw import Coordinate

__all__ = ["LEARNING", "learnt", "one_step", "projected", "pull_exact", "three_steps"]

Checked = tuple[Mapping[str, bool], Mapping[str, Any]]


def pull_exact(w: list[Fraction], one: list[list[list[Fraction]]], two: list[list[list[Fraction]]]) -> list[Fraction]:
    """Gradient of L_cos + L_var + L_we/1000 by the quotient rule on the unnormalised outputs, cut to 60 digits."""
    out = []
    for k in range(len(w)):
        total = Fraction(0)
        for first, second in zip(one, two, strict=True):
            z, t, e, f = first[k], second[k], mass(w, first), mass(w, second)
            classes, c = range(len(z)), len(z)
            ee, ff = sum(a * a for a in e), sum(a * a for a in f)
            size = Fraction(root_fixed(ee * ff))
            dot = sum(a * b for a, b in zip(e, f, strict=True))
            along = sum((e[j] * f[j] * (z[j] + t[j]) for j in classes), Fraction(0))
            bends = [2 * sum((g[j] * g[j] * y[j] for j in classes), Fraction(0)) for g, y in ((e, z), (f, t))]
            total -= along / size - Fraction(dot) / size * (bends[0] / ee + bends[1] / ff) / 2
            for g, y, gg, bend in ((e, z, ee, bends[0]), (f, t, ff, bends[1])):
                S, slope = sum(g), sum(g[j] * y[j] for j in classes)
                total -= (Fraction(bend) / (c * S * S) - 2 * Fraction(gg) * slope / Fraction(c * S * S * S)) / 2
        entropy = (log_near(w[k]) + 1) / 1000
        out.append(Fraction(round((total / len(one) + entropy) * 10**60), 10**60))
    return out


def projected(v: list[Fraction], floor: Fraction) -> list[Fraction]:
    """The nearest weights of sum 1, each at least `floor`."""
    room = 1 - floor * len(v)
    ordered = sorted(v, reverse=True)
    level = max((sum(ordered[: j + 1]) - room) / (j + 1) for j in range(len(v)))
    return [max(a - level, Fraction(0)) + floor for a in v]


LEARNING: tuple[Callable[..., Any], ...] = (*EXACT, pull_exact, projected)
"""What exact sides of this module call."""


def learned(x: Instance, *, rate: int) -> Mapping[str, Any]:
    """SSA's weights after a few steps: distance from the simplex, weight of an absent client, rise of the loss.

    `rate`: one projected step of it that nothing checks, where it is not 0.
    """
    one, two = x["view_1"], x["view_2"]
    n = one.shape[2]
    start, absent = np.full((len(one), n), 1 / n), np.zeros(len(one))
    if rate:
        end = project_on_simplex(start - rate * gradient_ssa(start, one, two), floor=1e-12)
    else:
        gone = [np.concatenate([v, v[:, :, :1] + 1], axis=2) for v in (one, two)]  # one more client, absent
        present = np.broadcast_to(np.arange(n + 1) < n, (len(one), n + 1))
        share, signals = np.full((len(one), n + 1), 1 / (n + 1)), {"view_1": gone[0], "view_2": gone[1]}
        weights = np.asarray(SSA(n_steps=3)(RoundStats(share=share, present=present, signals=signals)))
        end, absent = weights[:, :n], np.abs(weights[:, n])
    off = np.maximum(np.abs(end.sum(axis=1) - 1), -end.min(axis=1))
    found = {"off_simplex": np.maximum(off, absent), "rise": loss_ssa(end, one, two) - loss_ssa(start, one, two)}
    return {**found, "rounding": np.full(len(one), 1e-40), "magnitude": np.full(len(one), 1e3)}


def learned_exact(x: Mapping[str, Any], *, rate: int) -> Checked:
    """The same by projected gradient with a check of every step, at the rate of the package."""
    one, two, n, floor = x["view_1"], x["view_2"], len(x["view_1"][0]), Fraction(1, 10**12)
    w, length, values = [Fraction(1, n)] * n, Fraction(rate or 1), []
    for _ in range(1 if rate else 3):
        values.append(loss_exact(w, one, two))
        slope = pull_exact(w, one, two)
        trial = projected([a - length * g for a, g in zip(w, slope, strict=True)], floor)
        promised = sum(g * (a - b) for g, a, b in zip(slope, w, trial, strict=True))
        moving = promised > Fraction(1, 10**12)
        accepted = rate > 0 or (moving and values[-1] - loss_exact(trial, one, two) >= promised / 10**4)
        length = length * 2 if accepted else length / 2 if moving else length
        if accepted:
            w = [Fraction(round(a * 10**60), 10**60) for a in trial]
            w[0] += 1 - sum(w)
    off = max(abs(sum(w, Fraction(-1))), -min(w))
    return {"clients": n >= 1}, {"off_simplex": off, "rise": loss_exact(w, one, two) - values[0], "rounding": slack()}


def learnt(K: float, c: float, S: float, *, rate: int = 0) -> Case:
    """The rule's weights for K clients, c classes and S samples."""
    shape = (int(S), int(K), int(c))
    space, cost = Space(tuple(Signed(f"view_{i}", 1e-2, 6.0, shape) for i in (1, 2))), max(1.0, K * c * S / 30)
    name = f"{int(K)} clients, {int(c)} classes, {int(S)} samples"
    return case(name, space, learned, learned_exact, uses=LEARNING, cost=cost, rate=rate)


def stepped(x: Instance, *, by: str) -> Mapping[str, Any]:
    """Distance from the simplex (sum 1, no sign below 0) after one gradient step of rate r from simplex weights."""
    w = x["weights"]
    g, r = gradient_ssa(w, x["view_1"], x["view_2"]), x["rate"][:, None]
    moved, left = w - r * g, np.ones(len(w), dtype=bool)
    if by == "projection":
        moved = project_on_simplex(moved)
    if by == "softmax parameters":
        scores = np.log(w) - r * w * (g - (w * g).sum(axis=1, keepdims=True))
        grown = np.exp(scores - scores.max(axis=1, keepdims=True))
        moved = grown / grown.sum(axis=1, keepdims=True)
    if by in ("clipped", "normalised"):
        moved = np.maximum(moved, 0.0)
    total = moved.sum(axis=1, keepdims=True)
    if by == "normalised":
        moved, left = moved / np.where(total > 0, total, 1.0), total[:, 0] > 0
    if by == "shifted":
        moved = moved + (1 - total) / w.shape[1]
    off, size = np.maximum(np.abs(moved.sum(axis=1) - 1), -moved.min(axis=1)), 1e2 + np.abs(r * g).max(axis=1) * 10
    return {"off_simplex": off, "rounding": np.full(len(w), 1e-40), "magnitude": size, "admissible": left}


def stepped_exact(x: Mapping[str, Any], *, by: str) -> Checked:
    """max(|sum - 1|, -smallest weight) after one step."""
    w, r = x["weights"], x["rate"]
    g = pull_exact(w, x["view_1"], x["view_2"])
    moved = [a - r * b for a, b in zip(w, g, strict=True)]
    if by == "projection":
        moved = projected(moved, Fraction(0))
    if by == "softmax parameters":
        mean = sum(a * b for a, b in zip(w, g, strict=True))
        raw = mass([Fraction(1)], [[log_near(a) - r * a * (b - mean) for a, b in zip(w, g, strict=True)]])
        whole = sum(raw)
        moved = [Fraction(a, whole) for a in raw]
    if by in ("clipped", "normalised"):
        moved = [max(a, Fraction(0)) for a in moved]
    total = sum(moved)
    if by == "normalised":
        moved = [a / total for a in moved]
    if by == "shifted":
        moved = [a + (1 - total) / len(w) for a in moved]
    met = {"the start is on the simplex, positive": sum(w) == 1 and min(w) > 0}
    return met, {"off_simplex": max(abs(sum(moved) - 1), -min(moved)), "rounding": slack()}


def turned(x: Instance, *, own: bool) -> Mapping[str, Any]:
    """Three projected steps on L_SSA from equal weights (`own`: 1/4 more on client 1), and the clients in reverse order."""
    one, two = x["view_1"], x["view_2"]
    n = one.shape[2]
    ends = []
    for first, second in ((one, two), (one[:, :, ::-1], two[:, :, ::-1])):
        w = np.full((len(one), n), 1 / n)
        w = w + (0.25 * (np.eye(n)[0] - w) if own else 0.0)
        for _ in range(3):
            w = project_on_simplex(w - x["rate"][:, None] * gradient_ssa(w, first, second), floor=1e-6)
        ends.append(w)
    return {"ends_apart": np.abs(ends[0] - ends[1][:, ::-1]).max(axis=1), "magnitude": np.full(len(one), 10.0)}


def turned_exact(x: Mapping[str, Any], *, own: bool) -> Checked:
    """The same with a gradient by the quotient rule, cut to 60 digits."""
    n, ends = len(x["view_1"][0]), []
    for order in (1, -1):
        first, second = ([sample[::order] for sample in x[view]] for view in ("view_1", "view_2"))
        w = [Fraction(1, n) + (((k == 0) - Fraction(1, n)) / 4 if own else 0) for k in range(n)]
        for _ in range(3):
            slope = pull_exact(w, first, second)
            w = projected([a - x["rate"] * g for a, g in zip(w, slope, strict=True)], Fraction(1, 10**6))
        ends.append(w[::order])
    met = {"clients": n >= 1, "rate > 0": x["rate"] > 0}
    return met, {"ends_apart": max(abs(a - b) for a, b in zip(*ends, strict=True))}


def _from_weights(
    sizes: tuple[tuple[int, int, int], ...], observe: Any, plain: Any, rate: Coordinate, start: bool, **chosen: Any
) -> World:
    def one(K: int, c: int, S: int) -> Case:
        weights = (Simplex("weights", K, interior=True),) if start else ()
        drawn = (*weights, *(Signed(f"view_{i}", 1e-2, 10.0, (S, K, c)) for i in (1, 2)), rate)
        cost, name = max(1.0, K * c * S / 60), f"{K} clients, {c} classes, {S} samples"
        return case(name, Space(drawn), observe, plain, uses=LEARNING, cost=cost, **chosen)

    return World(NOTATION, tuple(one(*size) for size in sizes))


def one_step(by: str, sizes: tuple[tuple[int, int, int], ...] = ((2, 3, 1), (3, 3, 2), (10, 5, 1))) -> World:
    """One gradient step from positive weights, which `by` then keeps on the simplex, or not."""
    return _from_weights(sizes, stepped, stepped_exact, LogScale("rate", 1e-3, 1e2), True, by=by)


def three_steps(
    *, own: bool = False, sizes: tuple[tuple[int, int, int], ...] = ((2, 2, 1), (2, 3, 3), (5, 10, 2), (20, 3, 1))
) -> World:
    """Three steps from equal weights, clients named in two orders."""
    rate = LogScale("rate", 1e-3, 1.0, at=(1.0,))
    return _from_weights(sizes, turned, turned_exact, rate, False, own=own)
