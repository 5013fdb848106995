"""Every algorithm once more, as plain loops typed from the source equations; imports nothing of the project.

Symbols are those of the papers. A run is given as `gradient(k, w, r, s)` (client, model, round, local step),
`full_gradient(k, w)`, local `steps[r][k]` (0: absent), data shares, and `weigh(present, share)` for the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass
class Problem:
    gradient: Callable[[int, Vector, int, int], Vector]
    full_gradient: Callable[[int, Vector], Vector]
    share: Vector
    steps: list[list[int]]
    etas: list[float]
    start: Vector
    weigh: Callable[[list[int], Vector], Vector]
    judged: list[list[Vector]] = field(default_factory=list)  # after each round, of each client


def plain_run(problem: Problem, client: str, server: str, **settings: Any) -> list[Vector]:
    """The models before the first round and after each; `problem.judged` is filled where clients have their own."""
    update = CLIENTS[client](problem, settings)
    step = SERVERS[server](settings)
    x = problem.start.copy()
    models = [x]
    judge = getattr(update, "judge", None)
    for r, counts in enumerate(problem.steps):
        present = [k for k, count in enumerate(counts) if count > 0]
        a = problem.weigh(present, problem.share)
        deltas, extra = update(r, x, present, a)
        x = step(x, present, a, deltas, extra)
        models.append(x)
        if judge is not None:
            problem.judged.append([judge(k, x) for k in range(len(problem.share))])
    return models


def _local(problem: Problem, r: int, k: int, x: Vector, direction: Callable[[Vector, Vector], Vector]) -> Vector:
    y = x.copy()
    for s in range(problem.steps[r][k]):
        y = y - problem.etas[r] * direction(problem.gradient(k, y, r, s), y)
    return y


def _omega(problem: Problem, kind: str, present: list[int], a: Vector, *, cohort: bool) -> Vector:
    n = len(problem.share)
    if kind == "uniform":
        return np.full(n, 1 / (len(present) if cohort else n))
    if kind == "rule":
        return a / a.sum()
    return problem.share / (problem.share[present].sum() if cohort else 1.0)


def _sgd(problem: Problem, settings: dict[str, Any]) -> Any:
    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        return {k: _local(problem, r, k, x, lambda g, y: g) - x for k in present}, 0.0

    return update


def _fed_prox(problem: Problem, settings: dict[str, Any]) -> Any:
    mu = settings["mu"]

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        return {k: _local(problem, r, k, x, lambda g, y: g + mu * (y - x)) - x for k in present}, 0.0

    return update


def _scaffold(problem: Problem, settings: dict[str, Any]) -> Any:
    n = len(problem.share)
    c = np.zeros_like(problem.start)
    c_k = [np.zeros_like(problem.start) for _ in range(n)]
    kind = settings.get("variates", "share")

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        nonlocal c
        deltas, change = {}, np.zeros_like(c)
        omega = _omega(problem, kind, present, a, cohort=False)
        for k in present:
            y = _local(problem, r, k, x, lambda g, y, k=k: g - c_k[k] + c)
            if settings.get("option") == "I":
                plus = problem.full_gradient(k, x)
            else:
                plus = c_k[k] - c + (x - y) / (problem.steps[r][k] * problem.etas[r])
            change += omega[k] * (plus - c_k[k])
            deltas[k] = y - x
            c_k[k] = plus
        c = sum(omega[k] * c_k[k] for k in range(n)) if kind == "rule" else c + change
        return deltas, 0.0

    return update


def _fed_dyn(problem: Problem, settings: dict[str, Any]) -> Any:
    alpha, kind = settings["alpha"], settings.get("variates", "share")
    g_k = [np.zeros_like(problem.start) for _ in problem.share]
    h = np.zeros_like(problem.start)

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        nonlocal h
        theta = {k: _local(problem, r, k, x, lambda g, y, k=k: g - g_k[k] + alpha * (y - x)) for k in present}
        omega = _omega(problem, kind, present, a, cohort=False)
        for k in present:
            g_k[k] = g_k[k] - alpha * (theta[k] - x)
        if kind == "rule":
            h = sum(omega[k] * g_k[k] for k in range(len(g_k)))
        else:
            h = h - alpha * sum(omega[k] * (theta[k] - x) for k in present)
        return {k: theta[k] - x for k in present}, -h / alpha

    return update


def _fed_dc(problem: Problem, settings: dict[str, Any]) -> Any:
    alpha, kind = settings["alpha"], settings.get("variates", "share")
    n = len(problem.share)
    h_k = [np.zeros_like(problem.start) for _ in range(n)]
    g_k = [np.zeros_like(problem.start) for _ in range(n)]  # last local update, over ητ of its round
    omega = np.zeros(n)

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        nonlocal omega
        g = sum(omega[k] * g_k[k] for k in range(n))
        theta = {
            k: _local(problem, r, k, x, lambda q, y, k=k: q + alpha * (h_k[k] + y - x) + (g_k[k] - g)) for k in present
        }
        for k in present:
            h_k[k] = h_k[k] + theta[k] - x
            g_k[k] = (theta[k] - x) / (problem.etas[r] * problem.steps[r][k])
        omega = _omega(problem, kind, present, a, cohort=False)
        return {k: theta[k] - x for k in present}, sum(omega[k] * h_k[k] for k in range(n))

    return update


def _fed_gate(problem: Problem, settings: dict[str, Any]) -> Any:
    delta = [np.zeros_like(problem.start) for _ in problem.share]

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        w = {k: _local(problem, r, k, x, lambda g, y, k=k: g - delta[k]) for k in present}
        per_step = {k: (x - w[k]) / problem.etas[r] / problem.steps[r][k] for k in present}
        omega = _omega(problem, settings.get("variates", "share"), present, a, cohort=True)
        mean = sum(omega[k] * per_step[k] for k in present)
        for k in present:
            delta[k] = delta[k] + per_step[k] - mean
        return {k: w[k] - x for k in present}, 0.0

    return update


def _vrl_sgd(problem: Problem, settings: dict[str, Any]) -> Any:
    delta = [np.zeros_like(problem.start) for _ in problem.share]

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        w = {k: _local(problem, r, k, x, lambda g, y, k=k: g - delta[k]) for k in present}
        hat = x + sum(a[k] * (w[k] - x) for k in present)
        for k in present:
            delta[k] = delta[k] + (hat - w[k]) / (problem.steps[r][k] * problem.etas[r])
        return {k: w[k] - x for k in present}, 0.0

    return update


def _fed_cm(problem: Problem, settings: dict[str, Any]) -> Any:
    alpha = settings["alpha"]
    big_delta = np.zeros_like(problem.start)

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        nonlocal big_delta
        deltas = {k: _local(problem, r, k, x, lambda g, y: alpha * g + (1 - alpha) * big_delta) - x for k in present}
        omega = _omega(problem, settings.get("variates", "share"), present, a, cohort=True)
        big_delta = -sum(omega[k] * deltas[k] / (problem.etas[r] * problem.steps[r][k]) for k in present)
        return deltas, 0.0

    return update


def _fed_for(problem: Problem, settings: dict[str, Any]) -> Any:
    alpha, always = settings.get("alpha", 1.0), settings.get("form") == "always"
    before = problem.start.copy()

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        nonlocal before
        u = x - before
        before = x

        def penalised(g: Vector, w: Vector) -> Vector:
            opposed = -(u @ (w - x)) > 0
            return g - alpha * u if opposed or always else g

        return {k: _local(problem, r, k, x, penalised) - x for k in present}, 0.0

    return update


def _apfl(problem: Problem, settings: dict[str, Any]) -> Any:
    alpha = [settings.get("alpha", 0.5)] * len(problem.share)
    v = [problem.start.copy() for _ in problem.share]

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        deltas = {}
        for k in present:
            w = x.copy()
            for s in range(problem.steps[r][k]):
                v_bar = alpha[k] * v[k] + (1 - alpha[k]) * w
                gradient = problem.gradient(k, v_bar, r, s)
                of_alpha = float(gradient @ (v[k] - w))
                w = w - problem.etas[r] * problem.gradient(k, w, r, s)
                v[k] = v[k] - problem.etas[r] * alpha[k] * gradient
                if settings.get("learned"):
                    alpha[k] = min(1.0, max(0.0, alpha[k] - problem.etas[r] * of_alpha))
            deltas[k] = w - x
        return deltas, 0.0

    update.judge = lambda k, x: alpha[k] * v[k] + (1 - alpha[k]) * x  # type: ignore[attr-defined]
    return update


def _p_fed_me(problem: Problem, settings: dict[str, Any]) -> Any:
    lam, n_inner = settings["lam"], settings.get("n_inner", 5)
    theta = [problem.start.copy() for _ in problem.share]

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        deltas = {}
        rate = settings.get("inner_lr") or problem.etas[r]
        for k in present:
            w, t = x.copy(), x.copy()
            for s in range(problem.steps[r][k]):
                for _ in range(n_inner):
                    t = t - rate * (problem.gradient(k, t, r, s) + lam * (t - w))
                w = w - problem.etas[r] * lam * (w - t)
            deltas[k], theta[k] = w - x, t
        return deltas, 0.0

    update.judge = lambda k, x: theta[k]  # type: ignore[attr-defined]
    return update


def _local_only(problem: Problem, settings: dict[str, Any]) -> Any:
    v = [problem.start.copy() for _ in problem.share]

    def update(r: int, x: Vector, present: list[int], a: Vector) -> Any:
        for k in present:
            v[k] = _local(problem, r, k, v[k], lambda g, y: g)
        return dict.fromkeys(present, 0 * x), 0.0

    update.judge = lambda k, x: v[k]  # type: ignore[attr-defined]
    return update


CLIENTS: dict[str, Any] = {
    "sgd": _sgd,
    "fed-prox": _fed_prox,
    "scaffold": _scaffold,
    "fed-dyn": _fed_dyn,
    "fed-dc": _fed_dc,
    "fed-gate": _fed_gate,
    "vrl-sgd": _vrl_sgd,
    "fed-cm": _fed_cm,
    "fed-for": _fed_for,
    "apfl": _apfl,
    "p-fed-me": _p_fed_me,
    "local-only": _local_only,
}


def _mean(a: Vector, present: list[int], deltas: dict[int, Vector]) -> Vector:
    return np.asarray(sum(a[k] * deltas[k] for k in present))


def _rate(settings: dict[str, Any]) -> Any:
    def step(x: Vector, present: list[int], a: Vector, deltas: Any, extra: Any) -> Vector:
        return x + settings.get("lr", 1.0) * (_mean(a, present, deltas) + extra)

    return step


def _fed_avg_m(settings: dict[str, Any]) -> Any:
    v = 0.0
    beta, lr = settings.get("beta", 0.9), settings.get("lr", 1.0)

    def step(x: Vector, present: list[int], a: Vector, deltas: Any, extra: Any) -> Vector:
        nonlocal v
        gradient = -_mean(a, present, deltas)
        v = beta * v + gradient
        return x - lr * (gradient + beta * v if settings.get("nesterov") else v)

    return step


def _adaptive(kind: str) -> Any:
    def made(settings: dict[str, Any]) -> Any:
        beta1, beta2 = settings.get("beta1", 0.9), settings.get("beta2", 0.99)
        lr, tau, epsilon = settings.get("lr", 0.01), settings.get("tau", 1e-3), settings.get("epsilon", 1e-6)
        corrected = settings.get("bias_correction", False)
        m: Any = 0.0
        v: Any = 0.0 if corrected or kind == "ams" else tau**2
        hat: Any = 0.0
        t = 0

        def step(x: Vector, present: list[int], a: Vector, deltas: Any, extra: Any) -> Vector:
            nonlocal m, v, hat, t
            big_delta = _mean(a, present, deltas)
            t += 1
            m = beta1 * m + (1 - beta1) * big_delta
            if kind == "yogi":
                v = v - (1 - beta2) * big_delta**2 * np.sign(v - big_delta**2)
            else:
                v = beta2 * v + (1 - beta2) * big_delta**2
            if kind == "ams":
                hat = np.maximum(np.maximum(hat, v), epsilon)
                return x + lr * m / np.sqrt(hat)
            first, second = (m / (1 - beta1**t), v / (1 - beta2**t)) if corrected else (m, v)
            return x + lr * first / (np.sqrt(second) + tau)

        return step

    return made


def _fed_exp(settings: dict[str, Any]) -> Any:
    epsilon, lr = settings.get("epsilon", 1e-3), settings.get("lr", 1.0)

    def step(x: Vector, present: list[int], a: Vector, deltas: Any, extra: Any) -> Vector:
        mean = _mean(a, present, deltas)
        spread = sum(a[k] * (deltas[k] @ deltas[k]) for k in present)
        return x + lr * max(1.0, spread / (2 * (mean @ mean + epsilon))) * mean

    return step


SERVERS: dict[str, Any] = {
    "rate": _rate,
    "fed-avg-m": _fed_avg_m,
    "fed-adam": _adaptive("adam"),
    "fed-yogi": _adaptive("yogi"),
    "fed-ams": _adaptive("ams"),
    "fed-exp": _fed_exp,
}
