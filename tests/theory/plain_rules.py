"""Every rule once more, as plain loops typed from the source equations; imports nothing of the project.

Symbols are those of the papers. A rule is `RULES[name](settings)`, settings that are rules given as such, and gives a
function of a round: (weights, vectors), one entry a client. What it remembers stays in its closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import cos, exp, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RULES", "PlainRound", "PlainRule"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class PlainRound:
    """What a server knows after a round, as lists over clients; `signals` by name, `draw`: numbers by purpose."""

    share: list[float]
    present: list[bool]
    before: list[float]
    after: list[float]
    best: list[float]
    steps: list[float]
    effective: list[float]
    planned: list[float]
    updates: list[Vector]
    signals: dict[str, Any]
    index: int
    draw: Callable[[str], Any]

    @property
    def cohort(self) -> list[int]:
        return [k for k, here in enumerate(self.present) if here]


PlainRule = Callable[[PlainRound], tuple[list[float], list[Vector]]]
MakePlain = Callable[[dict[str, Any]], PlainRule]


def _weighted(weigh: Callable[[PlainRound], dict[int, float]]) -> PlainRule:
    """A rule without memory from the weights of the clients present: everybody else 0, vectors the updates."""

    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        a = weigh(r)
        return [a.get(k, 0.0) for k in range(len(r.share))], r.updates

    return rule


def _over_sum(raw: dict[int, float]) -> dict[int, float]:
    total = sum(raw.values())
    return {k: value / total for k, value in raw.items()}


def _proportional(_: Any) -> PlainRule:
    return _weighted(lambda r: _over_sum({k: r.share[k] for k in r.cohort}))


def _uniform(_: Any) -> PlainRule:
    return _weighted(lambda r: {k: 1 / len(r.cohort) for k in r.cohort})


def _exp_alpha(s: dict[str, Any]) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        top = max((r.after[k] - r.before[k]) / s["alpha"] for k in r.cohort)
        return _over_sum({k: exp((r.after[k] - r.before[k]) / s["alpha"] - top) for k in r.cohort})

    return _weighted(weigh)


def _oracle(s: dict[str, Any]) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        n = len(r.share)
        u = {k: n * r.share[k] * (r.best[k] - r.before[k]) for k in r.cohort}
        top = max(u.values())
        return _over_sum({k: n * r.share[k] * exp(u[k] - top) for k in r.cohort})

    return _weighted(weigh)


def _extreme(worst: bool) -> MakePlain:
    def made(_: dict[str, Any]) -> PlainRule:
        def weigh(r: PlainRound) -> dict[int, float]:
            excess = {k: r.before[k] - r.best[k] for k in r.cohort}
            edge = (max if worst else min)(excess.values())
            level = [k for k in r.cohort if excess[k] == edge]
            return {k: 1 / len(level) for k in level}

        return _weighted(weigh)

    return made


def _soft(sign: int) -> MakePlain:
    def made(s: dict[str, Any]) -> PlainRule:
        def weigh(r: PlainRound) -> dict[int, float]:
            score = {k: sign * (r.before[k] - r.best[k]) / s["temperature"] for k in r.cohort}
            top = max(score.values())
            return _over_sum({k: r.share[k] * exp(score[k] - top) for k in r.cohort})

        return _weighted(weigh)

    return made


def _power_of_choice(s: dict[str, Any]) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        clocks = r.draw("power-of-choice").standard_exponential(len(r.share))
        candidates = sorted(r.cohort, key=lambda k: clocks[k] / r.share[k])[: s["d"]]
        chosen = sorted(candidates, key=lambda k: -r.before[k])[: s["m"]]
        return {k: 1 / len(chosen) for k in chosen}

    return _weighted(weigh)


def _efl(_: Any) -> PlainRule:
    return _weighted(lambda r: {k: r.planned[k] * r.share[k] / r.steps[k] for k in r.cohort if r.steps[k] > 0})


def _fed_nova(_: Any) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        p = _over_sum({k: r.share[k] for k in r.cohort})
        tau_eff = sum(p[k] * r.effective[k] for k in r.cohort)
        return {k: tau_eff * p[k] / r.effective[k] for k in r.cohort if r.effective[k] > 0}

    return _weighted(weigh)


def _q_fed_avg(s: dict[str, Any]) -> PlainRule:
    q, lipschitz = s["q"], s["lipschitz"]

    def weigh(r: PlainRound) -> dict[int, float]:
        loss = {k: max(r.before[k], 1e-10) for k in r.cohort}
        h = [
            q * loss[k] ** (q - 1) * float(lipschitz * r.updates[k] @ (lipschitz * r.updates[k]))
            + lipschitz * loss[k] ** q
            for k in r.cohort
        ]
        return {k: lipschitz * loss[k] ** q / sum(h) for k in r.cohort}

    return _weighted(weigh)


def _fed_disco(s: dict[str, Any]) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        p, raw = _over_sum({k: r.share[k] for k in r.cohort}), {}
        for k in r.cohort:
            counts = list(r.signals["label_counts"][k])
            d = sqrt(sum((count / sum(counts) - 1 / len(counts)) ** 2 for count in counts))
            raw[k] = max(0.0, p[k] - s.get("a", 0.5) * d + s.get("b", 0.1))
        return _over_sum(raw)

    return _weighted(weigh)


def _least_norm(vectors: list[Vector], low: list[float], high: list[float]) -> list[float]:
    """argmin ‖Σ aₖvₖ‖ with Σaₖ = 1, low <= a <= high: every choice of who stands at a bound is tried."""
    m, best, found = len(vectors), float("inf"), [0.0] * len(vectors)
    for places in product((-1, 0, 1), repeat=m):
        free = [k for k in range(m) if places[k] == 0]
        a = np.array([low[k] if places[k] < 0 else high[k] for k in range(m)])
        a[free] = 0
        held, gram = a @ np.array(vectors), np.array([[v @ w for w in vectors] for v in vectors])
        if free:
            system = np.ones((len(free) + 1, len(free) + 1))
            system[:-1, :-1], system[-1, -1] = gram[np.ix_(free, free)], 0
            right = [-(vectors[k] @ held) for k in free] + [1 - a.sum()]
            a[free] = np.linalg.lstsq(system, np.array(right), rcond=None)[0][:-1]
        inside = all(low[k] - 1e-12 <= a[k] <= high[k] + 1e-12 for k in range(m)) and abs(a.sum() - 1) < 1e-9
        length = float(np.linalg.norm(a @ np.array(vectors)))
        if inside and length < best - 1e-12:
            best, found = length, a.tolist()
    return found


def _min_norm(_: Any) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        m = len(r.cohort)
        return dict(zip(r.cohort, _least_norm([r.updates[k] for k in r.cohort], [0.0] * m, [1.0] * m), strict=True))

    return _weighted(weigh)


def _fed_mgda_plus(s: dict[str, Any]) -> PlainRule:
    epsilon = s.get("epsilon", 0.1)

    def weigh(r: PlainRound) -> dict[int, float]:
        p = _over_sum({k: r.share[k] for k in r.cohort})
        lengths = {k: float(np.linalg.norm(r.updates[k])) or 1.0 for k in r.cohort}
        units = [r.updates[k] / lengths[k] for k in r.cohort]
        low, high = [max(0.0, p[k] - epsilon) for k in r.cohort], [min(1.0, p[k] + epsilon) for k in r.cohort]
        return {k: a / lengths[k] for k, a in zip(r.cohort, _least_norm(units, low, high), strict=True)}

    return _weighted(weigh)


def _inverse_variance(_: Any) -> PlainRule:
    return _weighted(lambda r: _over_sum({k: 1 / r.signals["gradient_variance"][k] for k in r.cohort}))


def _bound_optimal(s: Any) -> PlainRule:
    """Every set of clients with weights above 0: the equations of the minimum there, and the least of those allowed."""

    def weigh(r: PlainRound) -> dict[int, float]:
        there = [k for k in r.cohort if r.effective[k] > 0]
        p = _over_sum({k: r.share[k] for k in there})
        slope = {k: -r.updates[k] / (r.signals["step_size"][k] * r.effective[k]) for k in there}
        mean = sum(p[k] * slope[k] for k in there)

        def entry(i: int, j: int) -> float:
            noise = r.signals["gradient_variance"][i] if i == j else 0.0
            return float(noise + s["horizon"] / 4 * ((slope[i] - mean) @ (slope[j] - mean)))

        best, found = float("inf"), {}
        for size in range(1, len(there) + 1):
            for some in combinations(there, size):
                table = np.array([[*(entry(i, j) for j in some), 1.0] for i in some] + [[1.0] * size + [0.0]])
                a = np.linalg.solve(table, np.eye(size + 1)[-1])[:size]
                value = float(a @ table[:size, :size] @ a)
                if (a >= 0).all() and value < best:
                    best, found = value, dict(zip(some, map(float, a), strict=True))
        return found

    return _weighted(weigh)


def _similarity(_: Any) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        raw = {}
        for k in r.cohort:
            pairs = zip(r.signals["view_1"], r.signals["view_2"], strict=True)
            cosines = [one[k] @ two[k] / sqrt((one[k] @ one[k]) * (two[k] @ two[k])) for one, two in pairs]
            raw[k] = sum(cosines) / len(cosines)
        return _over_sum(raw)

    return _weighted(weigh)


def _confidence(_: Any) -> PlainRule:
    def weigh(r: PlainRound) -> dict[int, float]:
        raw = {}
        for k in r.cohort:
            rows = [list(sample[k]) for sample in r.signals["logits"]]
            raw[k] = sum(sum((y - sum(row) / len(row)) ** 2 for y in row) / len(row) for row in rows) / len(rows)
        return _over_sum(raw)

    return _weighted(weigh)


def _ssa_loss(a: Any, cohort: list[int], views: tuple[Any, Any], samples: Iterable[int]) -> Any:
    """L_cos + L_var + L_we/1000 of eqs. (4) to (8); complex weights are let through, for derivatives."""
    total, n = 0.0, 0
    for sample in samples:
        y = []
        for view in views:
            z = sum(a[place] * view[sample][k] for place, k in enumerate(cohort))
            e = np.exp(z - z.real.max())
            y.append(e / e.sum())
        squares = [(one * one).sum() for one in y]
        total += -(y[0] * y[1]).sum() / np.sqrt(squares[0] * squares[1])
        total += -sum(((one - one.mean()) ** 2).sum() for one in y) / (2 * len(y[0]))
        n += 1
    return total / n + sum(w * np.log(w) for w in a) / 1000


def _slope(a: Vector, *at: Any) -> Vector:
    """The gradient by complex steps, exact to rounding: Im L(a + ihe)/h."""
    h, out = 1e-30, np.zeros(len(a))
    for place in range(len(a)):
        moved = a.astype(complex)
        moved[place] += 1j * h
        out[place] = _ssa_loss(moved, *at).imag / h
    return out


def _on_simplex(v: Vector, floor: float = 0.0) -> Vector:
    """The nearest point with entries >= floor and sum 1: every support is tried."""
    best, found = float("inf"), v
    for size in range(1, len(v) + 1):
        for support in map(list, combinations(range(len(v)), size)):
            a = np.full(len(v), floor)
            a[support] = v[support] + (1 - floor * (len(v) - size) - v[support].sum()) / size
            if a.min() >= floor - 1e-15 and (gap := float(((a - v) ** 2).sum())) < best:
                best, found = gap, a
    return found


def _descended(a: Vector, r: PlainRound, s: dict[str, Any]) -> Vector:
    at = (r.cohort, (r.signals["view_1"], r.signals["view_2"]), range(len(r.signals["view_1"])))
    a, rate = _on_simplex(a, 1e-12), 1.0
    for _ in range(s.get("n_steps", 100)):
        value, gradient = _ssa_loss(a, *at), _slope(a, *at)
        trial = _on_simplex(a - rate * gradient, 1e-12)
        promised = -gradient @ (trial - a)
        if promised <= 1e-12:
            break
        fell = value - _ssa_loss(trial, *at) >= 1e-4 * promised
        a, rate = (trial, 2 * rate) if fell else (a, rate / 2)
    return a


def _stepped(a: Vector, r: PlainRound, s: dict[str, Any]) -> Vector:
    v, n, size = np.log(a), len(r.signals["view_1"]), s.get("batch_size", 64)
    orders = [range(n)] * s.get("epochs", 10)
    if size < n:
        orders = [r.draw(f"ssa batches {epoch}").permutation(n) for epoch in range(s.get("epochs", 10))]
    for order in orders:
        for first in range(0, n, size):
            at = (r.cohort, (r.signals["view_1"], r.signals["view_2"]), order[first : first + size])

            def of(v: Any, at: Any = at) -> Any:
                e = np.exp(v - v.real.max())
                return _ssa_loss(e / e.sum(), *at)

            slope = np.zeros(len(v))
            for place in range(len(v)):
                moved = v.astype(complex)
                moved[place] += 1e-30j
                slope[place] = of(moved).imag / 1e-30
            v = v - s.get("lr", 3.0) * slope
            a = np.exp(v - v.max()) / np.exp(v - v.max()).sum()
    return a


def _learned(learn: Callable[[Vector, PlainRound, dict[str, Any]], Vector]) -> MakePlain:
    def made(s: dict[str, Any]) -> PlainRule:
        def weigh(r: PlainRound) -> dict[int, float]:
            m = len(r.cohort)
            return dict(zip(r.cohort, learn(np.full(m, 1 / m), r, s).tolist(), strict=True))

        return _weighted(weigh)

    return made


def _ssa_warm(s: dict[str, Any]) -> PlainRule:
    held: dict[int, float] = {}

    def weigh(r: PlainRound) -> dict[int, float]:
        n = len(r.share)
        start = {k: max(held.get(k, 1 / n), 1e-3) if held else 1.0 for k in r.cohort}
        a = _descended(np.array(list(_over_sum(start).values())), r, s["rule_settings"])
        held.update(dict(zip(r.cohort, a.tolist(), strict=True)))
        return {k: held[k] for k in r.cohort}

    return _weighted(weigh)


def _afl(s: dict[str, Any]) -> PlainRule:
    held: list[float] = []

    def weigh(r: PlainRound) -> dict[int, float]:
        nonlocal held
        now = held or list(r.share)
        a = {k: now[k] for k in r.cohort}
        if sum(a.values()) == 0:
            a = {k: r.share[k] for k in r.cohort}
        climbed = [now[k] + s["step_size"] * r.before[k] * r.present[k] for k in range(len(now))]
        held = _on_simplex(np.array(climbed)).tolist()
        return _over_sum(a)

    return _weighted(weigh)


def _complete(s: dict[str, Any]) -> PlainRule:
    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        done = [here and r.steps[k] >= r.planned[k] for k, here in enumerate(r.present)]
        if not any(done):
            return [0.0] * len(r.share), r.updates
        a, v = s["rule"](replace(r, present=done))
        return a, v

    return rule


def _everyone(s: dict[str, Any]) -> PlainRule:
    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        assert all(r.present)
        found: tuple[list[float], list[Vector]] = s["rule"](r)
        return found

    return rule


def _sampled(s: dict[str, Any]) -> PlainRule:
    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        rho, v = s["rule"](r)
        counts = [0] * len(rho)
        for point in r.draw("selection").random(s["n_sampled"]):
            upto = 0.0
            for k, weight in enumerate(rho):
                upto += weight
                if point * sum(rho) < upto:
                    counts[k] += 1
                    break
        return [count / s["n_sampled"] for count in counts], v

    return rule


def _switch(s: dict[str, Any]) -> PlainRule:
    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        both = s["first"](r), s["then"](r)
        return both[r.index >= s["at_round"]]

    return rule


def _both(share: Callable[[PlainRound], float], names: tuple[str, str]) -> MakePlain:
    """s·first + (1−s)·second as steps, s of the round: the vectors are the weighted means of the two."""

    def made(s: dict[str, Any]) -> PlainRule:
        def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
            (a, u), (b, v) = s[names[0]](r), s[names[1]](r)
            part = share(replace(r, signals={**r.signals, "settings": s}))
            weights = [part * x + (1 - part) * y for x, y in zip(a, b, strict=True)]
            vectors = [
                (part * a[k] * u[k] + (1 - part) * b[k] * v[k]) / w if w else u[k] for k, w in enumerate(weights)
            ]
            return weights, vectors

        return rule

    return made


def _annealed(r: PlainRound) -> float:
    s = r.signals["settings"]
    x = r.index / s.get("n_rounds", 20)
    kind = s.get("schedule", "linear")
    grown = {"linear": min(x, 1.0), "cosine": (1 - cos(pi * min(x, 1.0))) / 2, "exponential": 1 - exp(-x)}[kind]
    return 1 - grown


def _with_memory(s: dict[str, Any]) -> PlainRule:
    m: dict[int, Vector] = {}
    alpha = s.get("alpha", 0.5)

    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        for k in r.cohort:
            m[k] = (1 - alpha) * m[k] + alpha * r.updates[k] if k in m else r.updates[k]
        zero = 0 * r.updates[0]
        vectors = [m.get(k, zero) for k in range(len(r.share))]
        a, v = s["rule"](replace(r, present=[k in m for k in range(len(r.share))], updates=vectors))
        return a, v

    return rule


def _with_clusters(s: dict[str, Any]) -> PlainRule:
    alpha, most = s.get("alpha", 0.5), s.get("n_clusters", 3)
    centres: list[Vector] = []
    member: dict[int, int] = {}

    def likeness(u: Vector, c: Vector) -> float:
        lengths = float(np.linalg.norm(u) * np.linalg.norm(c))
        return float(u @ c) / lengths if lengths else 0.0

    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        free, old = list(r.cohort), len(centres)
        while len(centres) < most and free:
            longest = {k: -float(r.updates[k] @ r.updates[k]) for k in free}
            nearest = {k: max(likeness(r.updates[k], c) for c in centres) for k in free} if centres else longest
            chosen = min(free, key=lambda k: nearest[k])
            centres.append(r.updates[chosen])
            free.remove(chosen)
        joined: dict[int, list[int]] = {}
        for k in r.cohort:
            member[k] = max(range(len(centres)), key=lambda c: likeness(r.updates[k], centres[c]))
            joined.setdefault(member[k], []).append(k)
        for c, members in joined.items():
            mean = sum(r.updates[k] for k in members) / len(members)
            centres[c] = (1 - alpha) * centres[c] + alpha * mean if c < old else mean
        sizes = [sum(own == c for own in member.values()) for c in range(len(centres))]
        share = [sum(r.share[k] for k, own in member.items() if own == c) for c in range(len(centres))]
        seen = replace(r, share=share, present=[n > 0 for n in sizes], updates=list(centres))
        a, v = s["rule"](seen)
        n, zero = len(r.share), 0 * r.updates[0]
        weights = [a[member[k]] / sizes[member[k]] if k in member else 0.0 for k in range(n)]
        return weights, [v[member[k]] if k in member else zero for k in range(n)]

    return rule


def _project(s: dict[str, Any]) -> PlainRule:
    onto = s.get("onto") or _with_memory({"rule": _min_norm({})})

    def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
        d_tilde, d = (sum(x * w for x, w in zip(a, v, strict=True)) for a, v in (s["rule"](r), onto(r)))
        step = d_tilde if not np.any(d) else (d_tilde @ d) / (d @ d) * d
        n = len(r.share)
        return [1 / n] * n, [step] * n

    return rule


def _phases(*parts: MakePlain, at: tuple[str, ...]) -> MakePlain:
    """One rule after another, each from its round on."""

    def made(s: dict[str, Any]) -> PlainRule:
        rules = [part({"temperature": s.get("temperature", 0.2)}) for part in parts]

        def rule(r: PlainRound) -> tuple[list[float], list[Vector]]:
            return rules[sum(r.index >= s[name] for name in at)](r)

        return rule

    return made


_BETTER, _WORSE = _soft(-1), _soft(1)

RULES: dict[str, MakePlain] = {
    "proportional": _proportional,
    "uniform": _uniform,
    "exp-alpha": _exp_alpha,
    "oracle": _oracle,
    "fed-worse": _extreme(True),
    "fed-better": _extreme(False),
    "fed-soft-worse": _WORSE,
    "fed-soft-better": _BETTER,
    "power-of-choice": _power_of_choice,
    "efl": _efl,
    "fed-nova": _fed_nova,
    "q-fed-avg": _q_fed_avg,
    "fed-disco": _fed_disco,
    "fed-mgda-plus": _fed_mgda_plus,
    "inverse-variance": _inverse_variance,
    "bound-optimal": _bound_optimal,
    "similarity": _similarity,
    "confidence": _confidence,
    "fed-ssa": _learned(_descended),
    "fed-ssa-sgd": _learned(_stepped),
    "fed-ssa-warm": _ssa_warm,
    "afl": _afl,
    "min-norm": _min_norm,
    "complete": _complete,
    "everyone": _everyone,
    "sampled-by-weights": _sampled,
    "switch": _switch,
    "anneal": _both(_annealed, ("first", "then")),
    "mix": _both(lambda r: float(r.signals["settings"].get("share_of_first", 0.5)), ("first", "second")),
    "with-memory": _with_memory,
    "with-clusters": _with_clusters,
    "project": _project,
    "fed-aware": lambda s: _with_memory({"rule": _min_norm({})}),
    "fed-aware-na": lambda s: _with_memory({"rule": _uniform({})}),
    "fed-avg-full": lambda s: _everyone({"rule": _proportional({})}),
    "fed-avg-aware": lambda s: _project({"rule": _proportional({})}),
    "fed-soft-better-avg": _phases(_BETTER, _proportional, at=("at_round",)),
    "fed-soft-worse-avg": _phases(_WORSE, _proportional, at=("at_round",)),
    "fed-avg-soft-worse": _phases(_proportional, _WORSE, at=("at_round",)),
    "fed-avg-soft-better": _phases(_proportional, _BETTER, at=("at_round",)),
    "fed-soft-better-avg-soft-worse": _phases(_BETTER, _proportional, _WORSE, at=("at_round", "then_at_round")),
}
