"""The exact worst case of FedAvg-type methods over every federation of smooth clients, in any dimension.

F = Σpᵢ Fᵢ. In round t client i starts at wₜ, takes E steps w ← w − ηₜ∇Fᵢ(w), and wₜ₊₁ = wₜ + server_lr·Σaᵢ(wₜᵢ − wₜ).
Conventions: the origin is w*, a minimiser of F, and Fᵢ is counted from Fᵢ(w*) (neither loses anything); the clients'
own minimisers are free. Functions and dimension are free within the class, so the value is a supremum over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from theory.base.arrays import check_simplex
from theory.worst_case.problem import MAX_ROWS, Posed, check_class, load_pepit, refuse_large, smooth, solve
from theory.worst_case.result import Size, WorstCase, in_units

__all__ = ["Heterogeneity", "Initial", "Performance", "fedavg_size", "worst_case_fedavg"]

Initial = Literal["distance", "loss"]
Performance = Literal["loss", "distance", "gradient"]
Heterogeneity = tuple[Literal["gradients at w*"], float]


@dataclass(frozen=True)
class _Method:
    """The checked arguments: per client weight aᵢ, local steps Eᵢ and function; per function share, μ, L; ηₜ."""

    weights: tuple[float, ...]
    steps: tuple[int, ...]
    functions: tuple[int, ...]
    share: tuple[float, ...]
    mu: tuple[float, ...]
    L: tuple[float, ...]
    local_lr: tuple[float, ...]
    observed: tuple[int, ...]  # rounds whose broadcast model every function is evaluated at

    def at_unit_curvature(self) -> _Method:
        """The same method with the loss divided by the largest L and the steps multiplied by it."""
        top = max(self.L)
        return replace(
            self,
            mu=tuple(mu / top for mu in self.mu),
            L=tuple(L / top for L in self.L),
            local_lr=tuple(lr * top for lr in self.local_lr),
        )

    @property
    def convex(self) -> bool:
        return _dot(self.share, self.mu) >= 0


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def worst_case_fedavg(
    weights: Sequence[float],
    *,
    mu: float | Sequence[float],
    L: float | Sequence[float],
    local_lr: float | Sequence[float],
    n_local_steps: int | Sequence[int],
    n_rounds: int,
    initial: Initial = "distance",
    radius: float = 1.0,
    heterogeneity: Heterogeneity | None = None,
    performance: Performance = "loss",
    share: Sequence[float] | None = None,
    functions: Sequence[int] | None = None,
    server_lr: float = 1.0,
    solver: str = "CLARABEL",
    tolerance: float = 1e-5,
    max_rows: int = MAX_ROWS,
) -> WorstCase:
    """sup over all federations of the performance after T rounds; known truths K29 and K30 are its values.

    `weights` aᵢ and `share` pᵢ (default: the weights) lie on the simplex, shares > 0; a client of weight 0 is absent.
    `mu`, `L`: one for all or one per client, −Lᵢ <= μᵢ < Lᵢ: μ > 0 strongly convex, 0 convex, −L any L-smooth function.
    `local_lr` ηₜ > 0: one, or one per round. `n_local_steps` E >= 1: one, or one per client.
    `initial`: "distance", ‖w₀ − w*‖ <= radius; "loss", F(w₀) − F* <= radius (then in units of loss).
    `heterogeneity` ("gradients at w*", B): Σpᵢ‖∇Fᵢ(w*)‖² <= B; None leaves them free, and with several clients and
    E > 1 the value is then usually +∞.
    `performance`: "loss" F(w_T) − F*; "distance" ‖w_T − w*‖²; "gradient" min over t = 0..T of ‖∇F(wₜ)‖².
    `functions`: clients with equal entries have one function in common (and need equal μ, L); default: all different.
    The result's `functions` follow the order of first appearance; its `trace` holds "server", w₀..w_T, (T + 1, dim).

    Exact for Σpᵢμᵢ >= 0 and for one function; otherwise w* is a stationary point with F(wₜ) − ‖∇F(wₜ)‖²/(2Σpᵢ Lᵢ) >= F*
    for every t, which each minimiser satisfies, and the value is an upper bound.
    Raises `ValueError` naming the argument, also when the program is larger than `max_rows`; see `solve` for the rest.

    >>> round(worst_case_fedavg([1.0], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=1, n_rounds=1).value, 5)
    0.24035
    """
    method = _check(weights, mu, L, local_lr, n_local_steps, n_rounds, share, functions, initial, performance)
    _check_numbers(radius, heterogeneity, server_lr)
    refuse_large(_size(method, performance, heterogeneity), max_rows)

    curvature = max(method.L)
    length = radius if initial == "distance" else math.sqrt(radius / curvature)
    spread = None if heterogeneity is None else heterogeneity[1] / (curvature * length) ** 2

    def build(pep: Any) -> Posed:
        return _pose(pep, method.at_unit_curvature(), initial, spread, performance, server_lr)

    worst = solve(build, solver=solver, tolerance=tolerance, max_rows=max_rows)
    measure = {"loss": curvature * length**2, "distance": length**2, "gradient": (curvature * length) ** 2}
    return in_units(worst, length=length, curvature=curvature, value=measure[performance])


def fedavg_size(
    weights: Sequence[float],
    *,
    n_local_steps: int | Sequence[int],
    n_rounds: int,
    functions: Sequence[int] | None = None,
    initial: Initial = "distance",
    performance: Performance = "loss",
    heterogeneity: Heterogeneity | None = None,
) -> Size:
    """Size of the semidefinite program `worst_case_fedavg` would solve for these arguments with μ >= 0.

    >>> print(fedavg_size([0.7, 0.3], n_local_steps=2, n_rounds=2))
    Gram matrix 12 × 12, 11 function values, 62 constraints: 140 rows
    """
    method = _check(weights, 0.0, 1.0, 1.0, n_local_steps, n_rounds, None, functions, initial, performance)
    return _size(method, performance, heterogeneity)


def _pose(
    pep: Any,
    method: _Method,
    initial: Initial,
    spread: float | None,
    performance: Performance,
    server_lr: float,
) -> Posed:
    """The problem in units where the largest L and the initial radius are 1; `spread` bounds Σpᵢ‖∇Fᵢ(w*)‖²."""
    pepit = load_pepit()
    origin = pepit.null_point
    F = [smooth(pep, mu=mu, L=L) for mu, L in zip(method.mu, method.L, strict=True)]
    pulls = _gradients_at_optimum(method.share, pepit)
    for f, pull in zip(F, pulls, strict=True):
        f.add_point((origin, pull, pepit.null_expression))

    server = [pep.set_initial_point()]
    for lr in method.local_lr:
        w = server[-1]
        change = origin
        for i, a in enumerate(method.weights):
            if a > 0:
                local = w
                for _ in range(method.steps[i]):
                    local = local - lr * F[method.functions[i]].gradient(local)
                change = change + a * (local - w)
        server.append(w + server_lr * change)

    def loss(w: Any) -> Any:
        return sum((p * f.value(w) for p, f in zip(method.share, F, strict=True)), start=pepit.null_expression)

    def gradient(w: Any) -> Any:
        return sum((p * f.gradient(w) for p, f in zip(method.share, F, strict=True)), start=origin)

    constraints = [server[0] ** 2 <= 1.0 if initial == "distance" else loss(server[0]) <= 1.0]
    if spread is not None:
        total = sum((p * g**2 for p, g in zip(method.share, pulls, strict=True)), start=pepit.null_expression)
        constraints.append(total <= spread)
    if not method.convex:
        smoothness = _dot(method.share, method.L)
        constraints += [loss(w) >= gradient(w) ** 2 / (2 * smoothness) for w in server]
    objectives = {
        "loss": lambda: [loss(server[-1])],
        "distance": lambda: [server[-1] ** 2],
        "gradient": lambda: [gradient(w) ** 2 for w in server],
    }[performance]()
    return Posed(objectives, constraints, {"server": server})


def _gradients_at_optimum(share: Sequence[float], pepit: Any) -> list[Any]:
    """∇Fᵢ(w*), free up to Σpᵢ∇Fᵢ(w*) = 0, which determines that of the largest share."""
    last = int(np.argmax(share))
    pulls = [None if i == last else pepit.Point() for i in range(len(share))]
    rest = pepit.null_point
    for p, pull in zip(share, pulls, strict=True):
        if pull is not None:
            rest = rest - (p / share[last]) * pull
    return [rest if pull is None else pull for pull in pulls]


def _size(method: _Method, performance: Performance, heterogeneity: Heterogeneity | None) -> Size:
    n_rounds, counts = len(method.local_lr), []
    for k in range(len(method.share)):
        steps = [e for e, j, a in zip(method.steps, method.functions, method.weights, strict=True) if j == k and a > 0]
        rounds = n_rounds * max(steps) if steps else sum(t < n_rounds for t in method.observed)
        counts.append(rounds + (n_rounds in method.observed))
    metrics = n_rounds + 1 if performance == "gradient" else 1
    extra = 1 + (heterogeneity is not None) + (0 if method.convex else n_rounds + 1) + metrics
    return Size(1 + sum(counts) + len(counts) - 1, sum(counts) + 1, sum(m * (m + 1) for m in counts) + extra)


def _check(
    weights: Sequence[float],
    mu: float | Sequence[float],
    L: float | Sequence[float],
    local_lr: float | Sequence[float],
    n_local_steps: int | Sequence[int],
    n_rounds: int,
    share: Sequence[float] | None,
    functions: Sequence[int] | None,
    initial: str,
    performance: str,
) -> _Method:
    call, n = "worst_case_fedavg", len(weights)
    for name, got, allowed in (
        ("initial", initial, get_args(Initial)),
        ("performance", performance, get_args(Performance)),
    ):
        if got not in allowed:
            raise ValueError(f"{call}({name}={got!r}): must be one of {', '.join(map(repr, allowed))}")
    a, p = (np.asarray(v, dtype=np.float64) for v in (weights, weights if share is None else share))
    check_simplex(a, f"{call}(weights={list(weights)})")
    check_simplex(p, f"{call}(share={list(p)})")
    if len(p) != n or np.min(p) <= 0:
        raise ValueError(f"{call}(share={list(p)}): expected {n} shares > 0; leave out a client that has no part in F")
    if not (isinstance(n_rounds, int) and n_rounds >= 1):
        raise ValueError(f"{call}(n_rounds={n_rounds}): must be an integer >= 1")
    steps = _each(n_local_steps, n, "n_local_steps")
    if not all(isinstance(e, int) and e >= 1 for e in steps):
        raise ValueError(f"{call}(n_local_steps={n_local_steps}): must be integers >= 1")
    lr = _each(local_lr, n_rounds, "local_lr")
    if not all(0 < step < math.inf for step in lr):
        raise ValueError(f"{call}(local_lr={local_lr}): must be > 0 and finite")
    low, high = _each(mu, n, "mu"), _each(L, n, "L")
    for client in zip(low, high, strict=True):
        check_class(*client)
    labels = list(range(n)) if functions is None else list(functions)
    if len(labels) != n:
        raise ValueError(f"{call}(functions={functions}): expected {n} labels, one per client")
    distinct = list(dict.fromkeys(labels))
    index = tuple(distinct.index(label) for label in labels)
    for i, k in enumerate(index):
        if (low[i], high[i]) != (low[index.index(k)], high[index.index(k)]):
            raise ValueError(f"{call}(functions={functions}): client {i} shares a function but not its mu and L")
    first = [index.index(k) for k in range(len(distinct))]
    total = tuple(float(sum(p[i] for i in range(n) if index[i] == k)) for k in range(len(distinct)))
    everywhere = performance == "gradient" or _dot(total, [low[i] for i in first]) < 0
    last = {n_rounds} if performance == "loss" else set()
    observed = set(range(n_rounds + 1)) if everywhere else last | ({0} if initial == "loss" else set())
    return _Method(
        tuple(float(x) for x in a),
        tuple(int(e) for e in steps),
        index,
        total,
        tuple(float(low[i]) for i in first),
        tuple(float(high[i]) for i in first),
        tuple(float(step) for step in lr),
        tuple(sorted(observed)),
    )


def _check_numbers(radius: float, heterogeneity: Heterogeneity | None, server_lr: float) -> None:
    for name, number in (("radius", radius), ("server_lr", server_lr)):
        if not 0 < number < math.inf:
            raise ValueError(f"worst_case_fedavg({name}={number}): must be > 0 and finite")
    if heterogeneity is not None:
        kind, bound = heterogeneity
        if kind != "gradients at w*" or not 0 <= bound < math.inf:
            raise ValueError(
                f"worst_case_fedavg(heterogeneity={heterogeneity}): expected ('gradients at w*', bound >= 0) or None"
            )


def _each(value: Any, n: int, name: str) -> list[Any]:
    """One value n times, or n given values."""
    values = list(value) if isinstance(value, Sequence) else [value] * n
    if len(values) != n:
        raise ValueError(f"worst_case_fedavg({name}={value}): expected one value or {n}")
    return values
