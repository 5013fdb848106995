"""Runs over a batch of instances: means and variances about w*, axis by axis. Clients first, instances last.

About its optimum u_i, client i stands after e steps at C_e·(y − u_i) plus noise of variance V_e, where y is the model
sent out: the maps of all rounds are made at once, one step after the other, and a second loop chains the rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial, reduce
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.worlds.federated.options import Options

__all__ = ["Runs", "fast_run"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Runs:
    """A batch of runs: what letters are computed from.

    `h`, `u` (N, d, n): curvatures, and optima minus w*; `p`, `s2` (N, n): shares, variances of stochastic gradients;
    `H`, `best` (d, n): curvature of F, and w*. `a` (N, 1, steps, rounds, n): weights, `eta` (steps, rounds, n), with
    one step or one round where all are alike. `possible`: all that they may be, as `a` where they are
    fixed in advance. `numbers`: letters that are drawn or given, (n,).
    `center`, `full` (d, R + 1, n): mean and variance of the model about w*; `move`, `push` (d, rounds, n): the mean of
    Σa_i w_i − w is move·(w − w*) + push. Where models inside rounds are needed, `carried`, `own` (N, d, E + 1, rounds,
    n) are C and V, `mid`, `around` (d, E + 1, R, n) mean and variance of Σa_i w_i; else None.
    """

    options: Options
    h: Array
    u: Array
    p: Array
    s2: Array
    H: Array
    best: Array
    a: Array
    possible: Array
    eta: Array
    numbers: Mapping[str, Array]
    center: Array
    full: Array
    move: Array
    push: Array
    carried: Array | None = None
    own: Array | None = None
    mid: Array | None = None
    around: Array | None = None


@cache
def _code(source: str) -> CodeType:
    return compile(source, "<formula>", "eval")


_NAMES: Mapping[str, Any] = {
    "max": lambda *v: reduce(np.maximum, v),
    "min": lambda *v: reduce(np.minimum, v),
    "abs": np.abs,
    "Fraction": lambda a, b=1: a / b,
}


def fast_run(x: Mapping[str, Array], options: Options, *, within: bool = False) -> Runs:
    """The runs of a batch; `within`: with the models inside of rounds.

    `curvature`, `optimum` (n, N, d), `share`, `sigma` (n, N), `start` (n, d), `noisy` (n,) 0 or 1; `weights` (n, rows,
    N) where they are drawn, the last row kept; by options `drawn` (n,), `present` and `own_steps` (n, N). `seen`
    (n,): 0 where the client chosen is always the first. `begin` (n,): 1 starts at w*, 2 where the map of the last
    round, were it whole, rests; `mix` (n,): how far the weights are from the shares to those drawn; `loose` (n,): L
    over the largest curvature. Other entries (n,) are letters of formulas. What divides by 0 is nan.
    """
    with np.errstate(all="ignore"):
        return _run(x, options, within)


def _run(x: Mapping[str, Array], o: Options, within: bool) -> Runs:
    h, m = (np.ascontiguousarray(np.moveaxis(x[k], 0, -1)) for k in ("curvature", "optimum"))
    p = np.ascontiguousarray(x["share"].T)
    N, _, n = h.shape
    s2 = np.zeros((N, n)) if o.noise == "none" else np.ascontiguousarray((x["sigma"] * x["noisy"][:, None]).T) ** 2
    numbers = _numbers(x, o, h)
    when = np.arange(float(o.E * o.R)).reshape(o.R, o.E).T[..., None]
    eta = _value(o.eta, {**numbers, "t": when})
    eta = eta if eta.ndim == 3 else np.broadcast_to(eta, (1, 1, n))
    picks = _Picks(x, np.sqrt(s2)) if o.weights == "seen" else None
    a = _rows(x, o, p) if picks is None else picks.mean
    H = (p[:, None] * h).sum(axis=0)
    best = (p[:, None] * h * m).sum(axis=0) / np.where(H > 0, H, np.nan)
    u = m - best
    maps = _Maps(x, o, h, u, a, eta, s2, _value(o.prox, numbers) if o.prox else None, within or o.short > 0)
    if picks is not None:
        picks.lean(maps)
    center = _start(x, maps, x["start"].T - best)
    rate, beta = (_value(f, numbers) if f else None for f in (o.server, o.momentum))
    if o.control:
        centers = _with_control(maps, center, rate, o)
        fulls = np.zeros_like(centers)
    else:
        centers, fulls = _chained(x, maps, center, rate, beta, best, picks)
    possible = a if picks is None else picks.possible
    runs = Runs(o, h, u, p, s2, H, best, a, possible, eta, numbers, centers, fulls, maps.move, maps.push)
    return _with_steps(runs, maps) if within or o.short else runs


def _numbers(x: Mapping[str, Array], o: Options, h: Array) -> dict[str, Array]:
    """The letters that formulas may have: what is drawn, what is given, what they define."""
    N, n = h.shape[0], h.shape[2]
    found = {name: value for name, value in x.items() if value.ndim == 1}
    found["L"] = np.abs(h).max(axis=(0, 1)) * x.get("loose", np.float64(1.0))
    found["mu"] = h.min(axis=(0, 1))
    found["K"] = x.get("drawn", np.full(n, float(N)))
    found["q"] = x["present"].min(axis=1) if o.part == "bernoulli" else np.ones(n)
    found |= {k: np.full(n, float(v)) for k, v in (("E", o.E), ("R", o.R), ("T", o.E * o.R - o.short), ("N", N))}
    for name, source in o.let:
        found[name] = np.broadcast_to(_value(source, found), (n,))
    return found


def _value(source: str, names: Mapping[str, Any]) -> Any:
    return np.asarray(eval(_code(source), dict(_NAMES), dict(names)), dtype=np.float64)


def _rows(x: Mapping[str, Array], o: Options, p: Array) -> Array:
    """Weights (N, 1, steps, rounds, n); the last row drawn is kept for ever."""
    if o.weights == "shares":
        return p[:, None, None, None]
    table = np.ascontiguousarray(np.moveaxis(x["weights"], 0, -1)).swapaxes(0, 1)
    if "mix" in x:
        table = p[:, None] + x["mix"] * (table - p[:, None])
    if o.weights == "a row":
        return table[:, :1][:, None, None]
    if o.weights == "a row a round":
        return table[:, np.minimum(np.arange(o.R), table.shape[1] - 1)][:, None, None]
    by_step = np.minimum(np.arange(o.R * o.E), table.shape[1] - 1).reshape(o.R, o.E).T
    return table[:, by_step][:, None]


class _Maps:
    """The maps of the rounds: C and V after the last step, and what averages of the clients have of them."""

    def __init__(
        self,
        x: Mapping[str, Array],
        o: Options,
        h: Array,
        u: Array,
        a: Array,
        eta: Array,
        s2: Array,
        prox: Any,
        within: bool,
    ) -> None:
        self.o, self.a, self.h, self.u = o, a, h, u[:, :, None]
        bent, noise = h[:, :, None], s2[:, None, None] / h.shape[1]
        self.length: Any = 0.0  # of all steps of a round together
        C, V = np.ones_like(bent), np.zeros_like(bent)
        S = np.zeros_like(bent)  # what a unit of control adds
        alone = np.ascontiguousarray(x["own_steps"].T)[:, None, None] if o.steps != "alike" else None
        gains: list[Array] = []  # of one factor a step that all clients share
        ones, owns, self.around = [C], [V], [np.zeros(1)]
        for e in range(o.E):
            step: Any = eta[min(e, len(eta) - 1)]
            self.length = self.length + step
            if alone is not None:
                step = step * (alone > e)
            kept = 1 - step * bent if prox is None else 1 - step * (bent + prox)
            C, V = kept * C, kept**2 * V + step**2 * noise
            if prox is not None:
                C = C + step * prox
            if o.control:
                S = kept * S + step
            if o.noise == "common":
                gains = [kept * g for g in gains] + [step * np.sqrt(noise)]
            if within:
                ones.append(C)
                owns.append(V)
                self.around.append(self._averaged(self._at(e), V, gains))
        self.C, self.V, self.S = C, V, S
        self.carried, self.own = ones, owns
        self.last = self._at(o.E - 1)
        if o.steps == "own, normalised":
            assert alone is not None
            self.last = self.last * (self.last * alone).sum(axis=0) / alone
        away = self.last * (C - 1)
        self.move, self.push = away.sum(axis=0), -(away * self.u).sum(axis=0)
        self.fresh = self._averaged(self.last, V, gains)

    def _at(self, e: int) -> Array:
        return self.a[:, :, min(e, self.a.shape[2] - 1)]

    def _averaged(self, a: Array, V: Array, gains: list[Array]) -> Any:
        """The variance of a weighted sum of the clients, given the model sent out."""
        if self.o.noise == "common":
            return np.asarray(sum((a * g).sum(axis=0) ** 2 for g in gains))
        return (a**2 * V).sum(axis=0)


class _Picks:
    """Who is chosen by the noise of a step: client k with +σ_k, every one before it with −σ; else the first with −σ.

    `mean` (N, 1, 1, 1, n): chances of the clients; `possible` (N, 1, 1, N, n): all weight on each that may be chosen.
    """

    def __init__(self, x: Mapping[str, Array], sigma: Array) -> None:
        N, n = sigma.shape
        sees = x.get("seen", np.ones(n)) != 0
        self.chance = np.where(sees, np.append(0.5 ** np.arange(1.0, N + 1), 0.5**N)[:, None], 0.0)
        self.chance[[0, -1]] = np.where(sees, self.chance[[0, -1]], 0.5)
        self.who = np.append(np.arange(N), 0)
        self.noise = sigma[self.who] * np.where(np.arange(N + 1) < N, 1.0, -1.0)[:, None]
        mean = self.chance[:N].copy()
        mean[0] += self.chance[N]
        self.mean = mean[:, None, None, None]
        first = np.arange(N) == 0
        self.possible = np.where(sees, np.eye(N)[:, :, None], first[:, None, None])[:, None, None]

    def lean(self, maps: _Maps) -> None:
        """Add the mean of the noise that is chosen, on the first axis, to the maps of rounds."""
        maps.push = np.array(np.broadcast_arrays(maps.push, maps.length)[0])
        maps.push[0] -= maps.length * (self.chance * self.noise).sum(axis=0)
        maps.fresh = np.zeros_like(maps.push)

    def spread(self, maps: _Maps, r: int, y: Array, f: Array) -> Array:
        """The variance of the next model but for what all clients keep of that of the model."""
        C, u = _of(maps.C, r)[self.who], maps.u[self.who, :, 0]
        away = u + C * (y - u)
        away[:, 0] -= _of(maps.length, r) * self.noise
        q = self.chance[:, None]
        other = (q * (C - (q * C).sum(axis=0)) ** 2).sum(axis=0) * f
        return np.asarray((q * (away - (q * away).sum(axis=0)) ** 2).sum(axis=0) + other)


def _of(values: Array, r: int) -> Array:
    """Of values with rounds on the last axis but one, those of a round; one for all where all are alike."""
    return values[..., min(r, values.shape[-2] - 1), :]


def _start(x: Mapping[str, Array], maps: _Maps, center: Array) -> Array:
    if "begin" not in x:
        return center
    move, push = _of(maps.move, maps.o.R - 1), _of(maps.push, maps.o.R - 1)
    rest = np.where(move != 0, push / np.where(move == 0, 1.0, -move), center)
    begin = x["begin"]
    return np.select([begin == 1, begin == 2], [0 * center, rest], center)


def _chained(
    x: Mapping[str, Array], maps: _Maps, center: Array, rate: Any, beta: Any, best: Array, picks: _Picks | None
) -> tuple[Array, Array]:
    """Mean and variance of the model at the start of every round and at the end, (d, R + 1, n)."""
    o = maps.o
    full = np.zeros_like(center)
    centers, fulls = [center], [full]
    heading, swing, both = (
        0 * center,
        full,
        full,
    )  # mean and variance of the momentum, and its covariance with the model
    extra = _drawing(x, maps, best) if picks is None else partial(picks.spread, maps)
    for r in range(o.R):
        move, push, fresh = _of(maps.move, r), _of(maps.push, r), _of(maps.fresh, r)
        if extra is not None:
            fresh = fresh + extra(r, center, full)
        ahead = move * center + push
        if beta is None:
            one = move if rate is None else rate * move
            center = center + (ahead if rate is None else rate * ahead)
            full = (1 + one) ** 2 * full + (fresh if rate is None else rate**2 * fresh)
        else:
            g = 1.0 if rate is None else rate
            swing = beta**2 * swing + 2 * beta * move * both + move**2 * full + fresh
            turned = beta * both + move * full
            heading = beta * heading + ahead
            center, full, both = center + g * heading, full + 2 * g * turned + g**2 * swing, turned + g * swing
        centers.append(center)
        fulls.append(full)
    return np.stack(centers, axis=1), np.stack(fulls, axis=1)


def _drawing(x: Mapping[str, Array], maps: _Maps, best: Array) -> Callable[[int, Array, Array], Any] | None:
    """What drawing clients adds to the variance of the next model, by round, mean and variance of the model."""
    part, N = maps.o.part, len(maps.u)
    if part == "all":
        return None
    u = maps.u[:, :, 0]
    K = x.get("drawn", np.float64(N))

    def parts(r: int) -> tuple[Array, Array, Array, Array]:
        return _of(maps.C, r), _of(maps.V, r), _of(maps.last, r), _of(maps.fresh, r)

    def by_weight(r: int, y: Array, f: Array) -> Any:
        C, V, a, fresh = parts(r)
        mean, whole = u + C * (y - u), (a * C).sum(axis=0)
        apart = (a * (mean - (a * mean).sum(axis=0)) ** 2).sum(axis=0) + (a * (C - whole) ** 2).sum(axis=0) * f
        return (apart + (a * V).sum(axis=0) - fresh) / K

    def uniform(r: int, y: Array, f: Array) -> Any:
        C, V, a, fresh = parts(r)
        shift, D = (best, C) if part == "uniform" else (-y, C - 1)
        mean = u + C * (y - u) + shift
        each = (a**2 * (mean**2 + D**2 * f + V)).sum(axis=0)
        whole = (a * mean).sum(axis=0) ** 2 + (a * D).sum(axis=0) ** 2 * f + fresh
        return (N * each - whole) * (N - K) / (K * max(N - 1, 1))

    def bernoulli(r: int, y: Array, f: Array) -> Any:
        C, V, a, _ = parts(r)
        odds = 1 / np.ascontiguousarray(x["present"].T)[:, None] - 1
        return (a**2 * odds * ((C - 1) ** 2 * ((y - u) ** 2 + f) + V)).sum(axis=0)

    if part == "by weight":
        return by_weight
    return bernoulli if part == "bernoulli" else uniform


def _with_control(maps: _Maps, center: Array, rate: Any, o: Options) -> Array:
    """The model along a run of SCAFFOLD without noise: every client's control variate beside it."""
    u, g = maps.u[:, :, 0], 1.0 if rate is None else rate
    control = 0 * u if o.control == "from 0" else maps.h * (center - u)
    centers = [center]
    for r in range(o.R):
        C, S, a, length = (_of(v, r) for v in (maps.C, maps.S, maps.last, maps.length))
        common = (a * control).sum(axis=0)
        local = u + C * (center - u) + S * (control - common)
        control = control - common + (center - local) / length
        center = center + g * (a * (local - center)).sum(axis=0)
        centers.append(center)
    return np.stack(centers, axis=1)


def _with_steps(runs: Runs, maps: _Maps) -> Runs:
    """The same runs with the models inside of rounds."""
    o, y, f = runs.options, runs.center[:, None, :-1], runs.full[:, None, :-1]
    carried, own = (np.stack(np.broadcast_arrays(*of), axis=2) for of in (maps.carried, maps.own))
    a = (
        runs.a if runs.a.shape[2] == 1 else np.concatenate([runs.a[:, :, :1], runs.a], axis=2)
    )  # that of the step before
    u = runs.u[:, :, None, None]
    mid = (a * (u + carried * (y - u))).sum(axis=0)
    fresh = np.stack([np.broadcast_to(v, maps.fresh.shape) for v in maps.around], axis=1)
    around = (a * carried).sum(axis=0) ** 2 * f + fresh
    mid, around = (np.broadcast_to(v, (v.shape[0], o.E + 1, o.R, v.shape[-1])) for v in (mid, around))
    found = {**vars(runs), "carried": carried, "own": own, "mid": mid, "around": around}
    if o.short:
        ends = (mid[:, o.E - o.short, -1:], around[:, o.E - o.short, -1:])
        centers, fulls = (
            np.concatenate([v[:, :-1], end], axis=1) for v, end in zip((runs.center, runs.full), ends, strict=True)
        )
        found |= {"center": centers, "full": fulls}
    return Runs(**found)
