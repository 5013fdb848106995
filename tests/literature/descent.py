"""Gradient descent, SGD and momentum on quadratics, over many steps; step sizes and their sums."""

from __future__ import annotations

from itertools import product

import numpy as np
import sympy as sp

import fedverdict as fv
from tests.literature.statement import ZERO, bound, fails, holds, sized

T, L, mu, R, eta, sigma2, gamma, beta, right, gap, square = fv.symbols(
    "T L mu R eta sigma2 gamma beta right gap square"
)
STEPS = fv.Size("T", 1, 60, 3, ladder=True)
LONG = fv.Size("T", 1, 400, 3, ladder=True)
CURVED = fv.Uniform("h", 0, 1, (3,)), fv.Signed("w", 1e-2, 1e2, (3,))


def gradient(*, T):
    """The gradient after T steps of 1/L, L = 1."""

    def sides(x):
        w = x["w"]
        for _ in range(T):
            w = w - x["h"] * w
        return {
            "lhs": np.linalg.norm(x["h"] * w, axis=1),
            "R": np.linalg.norm(x["w"], axis=1),
            "T": 0 * w[:, 0] + T,
        }

    return CURVED, sides


def averaged(*, T):
    """The loss of the mean of the first T models."""

    def sides(x):
        w, total = x["w"], 0 * x["w"]
        for _ in range(T):
            total, w = total + w, w - x["eta"][:, None] * x["h"] * w
        loss = (x["h"] * (total / T) ** 2).sum(axis=1) / 2
        return {"lhs": loss, "R": (x["w"] ** 2).sum(axis=1), "eta": x["eta"], "T": 0 * loss + T}

    return (*CURVED, fv.Uniform("eta", 0.01, 1)), sides


def noisy(*, T):
    """The second moment of SGD with constant steps on μ/2·w² with noise of variance σ²."""

    def sides(x):
        moment = x["w"] ** 2
        for _ in range(T):
            moment = (1 - x["eta"] * x["mu"]) ** 2 * moment + x["eta"] ** 2 * x["s"] ** 2
        kept = (1 - x["eta"] * x["mu"]) ** T * x["w"] ** 2
        met = x["eta"] * x["mu"] <= 1
        return {"lhs": moment, "right": kept, "eta": x["eta"], "mu": x["mu"], "sigma2": x["s"] ** 2, "admissible": met}

    drawn = (fv.Signed("w", 1e-2, 1e2), *(fv.LogScale(n, 1e-2, 1e2) for n in ("eta", "mu", "s")))
    return drawn, sides


def decreasing(least):
    """The second moment of SGD with steps 2/(μ(t + γ)), γ at least `least`."""

    def at(*, T):
        def sides(x):
            moment = x["w"] ** 2
            for t in range(T):
                step = 2 / (x["mu"] * (x["gamma"] + t))
                moment = (1 - step * x["mu"]) ** 2 * moment + step**2 * x["s"] ** 2
            return {
                "lhs": moment * (x["gamma"] + T),
                "R": x["w"] ** 2,
                "gamma": x["gamma"],
                "sigma2": x["s"] ** 2,
                "mu": x["mu"],
            }

        drawn = (
            fv.Signed("w", 1e-2, 1e2),
            fv.LogScale("gamma", least, 50),
            fv.LogScale("mu", 1e-2, 1e2),
            fv.LogScale("s", 1e-2, 1e2),
        )
        return drawn, sides

    return at


def sums(power, lower):
    """Σ c/t^power for t up to T; a lower bound of it has the sum on the right."""

    def at(*, T):
        def sides(x):
            t = np.arange(1, T + 1)
            total = x["c"] * (1 / np.sqrt(t) if power == "root" else 1 / t).sum()
            plain = x["c"] * (2 * np.sqrt(T) if power == "root" else np.log(T))
            return {"lhs": plain if lower else total, "right": total if lower else plain, "R": x["c"]}

        return (fv.LogScale("c", 0.5, 2),), sides

    return at


def momentum(*, T):
    """The variance of m ← βm + (1 − β)·noise from m = 0."""

    def sides(x):
        moment = 0 * x["beta"]
        for _ in range(T):
            moment = x["beta"] ** 2 * moment + (1 - x["beta"]) ** 2 * x["s"] ** 2
        return {"lhs": moment, "beta": x["beta"], "sigma2": x["s"] ** 2}

    return (fv.Uniform("beta", 0.3, 0.99), fv.LogScale("s", 1e-2, 1e2)), sides


def heavy(*, T):
    """How far heavy ball moves under a constant gradient 1 with step 1, against T steps of length 1/(1 − β)."""

    def sides(x):
        velocity = moved = 0 * x["beta"]
        for _ in range(T):
            velocity = x["beta"] * velocity + 1
            moved = moved + velocity
        return {"lhs": T / (1 - x["beta"]), "right": moved, "beta": x["beta"]}

    return (fv.Uniform("beta", 0.01, 0.99),), sides


def running(shift):
    """w ← w − (w − x_t)/(t + shift) against the mean of the x_t, per coordinate of 2."""

    def at(*, T):
        def sides(x):
            w = 0 * x["x"][:, 0]
            for t in range(T):
                w = w - (w - x["x"][:, t]) / (t + 1 + shift)
            off = np.abs(w - x["x"].mean(axis=1)).sum(axis=1)
            return {"lhs": off}

        return (fv.Signed("x", 1e-2, 1e2, (T, 2)),), sides

    return at


def noisy_step(limit):
    """The expected loss after a step with noise ±s in both coordinates, η <= limit/L."""

    def sides(x):
        slope = x["h"] * x["w"]
        after = 0
        for signs in product((-1, 1), repeat=2):
            w = x["w"] - x["eta"][:, None] * (slope + x["s"][:, None] * np.array(signs))
            after = after + (x["h"] * w**2).sum(axis=1) / 8
        return {
            "lhs": after,
            "gap": (x["h"] * x["w"] ** 2).sum(axis=1) / 2,
            "square": (slope**2).sum(axis=1),
            "eta": x["eta"],
            "L": x["h"].max(axis=1),
            "sigma2": 2 * x["s"] ** 2,
            "admissible": x["eta"] * x["h"].max(axis=1) <= limit,
        }

    return sides


NOISY = (
    fv.LogScale("h", 1e-2, 1e2, (2,)),
    fv.Signed("w", 1e-2, 1e2, (2,)),
    fv.LogScale("eta", 1e-2, 1e2),
    fv.LogScale("s", 1e-2, 1e2),
)
floor = eta * sigma2 / mu

STATEMENTS = (
    holds(
        "gradient after T steps", "the maximum of h(1 − h)^T", sized(R * T**T / (T + 1) ** (T + 1), (STEPS,), gradient)
    ),
    fails(
        "gradient after T steps with 1/3",
        "the maximum tends to 1/(eT); false from T = 5 on",
        sized(R / (3 * T), (STEPS,), gradient),
    ),
    fails("mean of the models with 1/4", "false for at most three steps", sized(R / (4 * eta * T), (STEPS,), averaged)),
    holds("noise floor of constant steps", "Σ (1 − ημ)^(2t)η² <= η/μ", sized(right + floor, (STEPS,), noisy)),
    holds(
        "steps 2/(μ(t + γ))",
        "induction, as in Li et al. 2020",
        sized(sp.Max(4 * sigma2 / mu**2, gamma * R), (LONG,), decreasing(2)),
    ),
    fails(
        "steps 2/(μ(t + γ)) with 5/4",
        "from a start at the optimum T times the moment tends to 4/3 of σ²/μ²",
        sized(sp.Max(5 * sigma2 / (4 * mu**2), gamma * R), (LONG,), decreasing(4)),
    ),
    fails(
        "sum of 1/√t from below",
        "2√T − 1.46 in the limit; false from T = 69 on",
        sized(right + sp.Rational(7, 5) * R, (LONG,), sums("root", True)),
    ),
    fails(
        "harmonic numbers from below",
        "log T + 0.5772 in the limit; false from T = 180 on",
        sized(right - sp.Rational(29, 50) * R, (LONG,), sums("one", True)),
    ),
    holds("variance of momentum", "a geometric series", sized((1 - beta) / (1 + beta) * sigma2, (STEPS,), momentum)),
    fails(
        "heavy ball lags behind by one velocity",
        "false from T = 2 on",
        sized(right + beta / (1 - beta), (STEPS,), heavy),
    ),
    holds("running mean", "steps 1/t", sized(ZERO, (fv.Size("T", 1, 20, 3),), running(0))),
    holds(
        "expected descent",
        "L-smoothness, η <= 1/L",
        bound(gap - eta / 2 * square + eta**2 * L * sigma2 / 2, NOISY, noisy_step(1)),
    ),
)
