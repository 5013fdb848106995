"""EA-A3 and EA-A4: bounded variance and bounded gradients, and at which models they have to hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.visited_models import moments, same_as, training_space, visited_exact
from validation import Canary, Case, Claim, ExactCheck, Family, Instance, Kind, Property, Reading, Size, Switch, symbols
from validation.forms import n
from validation.orders import Order, OrderFamily

__all__ = ["CLAIMS"]

Exact = Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]


def variance_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The most by which a client's variance at some model visited exceeds that at the aggregated models."""
    met, c = visited_exact(x)
    return met, {"lhs": max(a - b for a, b in zip(c["noise"]["all"], c["noise"]["sync"], strict=True))}


def variance_cap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The most by which it exceeds h^2 (tau^2 (2 D^2 + max sigma^2) + sigma^2), D the width of the start and the optima."""
    met, c = visited_exact(x)
    return met, {"lhs": max(a - b for a, b in zip(c["noise"]["all"], c["noise_cap"], strict=True))}


def start_only_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The most by which it exceeds its value h^2 (tau^2 (W^0 - m)^2 + sigma^2) at the start."""
    met, c = visited_exact(x)
    start = [
        h**2 * (x["tau"] ** 2 * (x["start"] - m) ** 2 + s**2)
        for h, m, s in zip(x["curvature"], x["optimum"], x["sigma"], strict=True)
    ]
    return met, {"lhs": max(a - b for a, b in zip(c["noise"]["all"], start, strict=True))}


def gradient_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest second moment at the models visited, over all clients, minus the largest at the aggregated ones."""
    met, c = visited_exact(x)
    return met, {"lhs": max(c["grad"]["all"]) - max(c["grad"]["sync"])}


def gradient_cap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The most by which it exceeds h^2 ((1 + tau^2) (2 D^2 + max sigma^2) + sigma^2)."""
    met, c = visited_exact(x)
    return met, {"lhs": max(a - b for a, b in zip(c["grad"]["all"], c["grad_cap"], strict=True))}


def noiseless_cap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The most by which it exceeds h^2 D^2, what full gradients would be bounded by."""
    met, c = visited_exact(x)
    width = max([x["start"], *x["optimum"]]) - min([x["start"], *x["optimum"]])
    return met, {"lhs": max(a - (h * width) ** 2 for a, h in zip(c["grad"]["all"], x["curvature"], strict=True))}


def _variance(c: Mapping[str, Any], _x: Instance) -> Any:
    return (c["noise_all"] - c["noise_sync"]).max(axis=1)


def _variance_cap(c: Mapping[str, Any], _x: Instance) -> Any:
    return (c["noise_all"] - c["noise_cap"]).max(axis=1)


def _start_only(c: Mapping[str, Any], x: Instance) -> Any:
    off = (x["start"][:, None] - x["optimum"]) ** 2
    return (c["noise_all"] - x["curvature"] ** 2 * (x["tau"][:, None] ** 2 * off + x["sigma"] ** 2)).max(axis=1)


def _gradient(c: Mapping[str, Any], _x: Instance) -> Any:
    return c["grad_all"].max(axis=1) - c["grad_sync"].max(axis=1)


def _gradient_cap(c: Mapping[str, Any], _x: Instance) -> Any:
    return (c["grad_all"] - c["grad_cap"]).max(axis=1)


def _noiseless_cap(c: Mapping[str, Any], x: Instance) -> Any:
    ends = np.concatenate([x["optimum"], x["start"][:, None]], axis=1)
    width = (ends.max(axis=1) - ends.min(axis=1))[:, None]
    return (c["grad_all"] - (x["curvature"] * width) ** 2).max(axis=1)


ADDITIVE = Switch(
    "additive noise",
    "the noise does not depend on the model",
    lambda x: {**x, "tau": np.zeros_like(x["tau"])},
)


def _property(
    missed: Callable[[Mapping[str, Any], Instance], Any], exact: Exact, *, additive: bool = False, switch: bool = False
) -> Property:
    """`missed` <= 0 over three rounds of a training."""

    def at(N: float, E: float) -> Case:
        def measure(x: Instance) -> Mapping[str, Any]:
            c = moments(x)
            return {"lhs": missed(c, x), "magnitude": c["grad_cap"].max(axis=1)}

        drawn = training_space(int(N), int(E), 3, additive=additive)
        exactly = ExactCheck(exact, (visited_exact,))
        words = f"{int(N)} clients, E = {int(E)}, three rounds, {'additive' if additive else 'model-dependent'} noise"
        return Case(words, drawn, measure, exactly, cost=max(1.0, N * E / 40), symmetries=same_as())

    family = Family("three rounds of local SGD", (Size("N", 1, 100, 2), Size("E", 1, 100, 3)), at)
    return Property((family,), (ADDITIVE,) if switch else (), degrees=(2, -2))


A3 = Claim(
    id="EA-A3",
    kind=Kind.PROPERTY,
    source="Assumption 3 (Sec. 3.1)",
    title="Bounded variance",
    statement=r"\mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t)\|^2\le\sigma_i^2\quad\forall i\in\{1,\dots,N\}",
    says="One number bounds the variance of a client's gradient at every model where the proofs use it, the Wᵢᵗ.",
    assumes=(
        "σᵢ² is the largest variance at the models the reading names",
        "strongly convex clients, ηₜL(1 + τ²) <= 1",
    ),
    readings=(
        Reading(
            "at the aggregated models Wᵗ, as printed",
            "Wᵗ is the paper's letter for the aggregate; the noise may grow with the distance from the client's optimum.",
            _property(_variance, variance_exact, switch=True),
        ),
        Reading(
            "at every model visited",
            "A finite σᵢ², the same for all rounds: hᵢ²(τ²(2D² + max σⱼ²) + σᵢ²), D the width of start and optima.",
            _property(_variance_cap, variance_cap_exact),
        ),
        Reading(
            "at the aggregated models, additive noise",
            "The variance is then the same everywhere.",
            _property(_variance, variance_exact, additive=True),
            repair="condition",
        ),
    ),
    canaries=(
        Canary(
            "at the start only",
            _property(_start_only, start_only_exact),
            "a client that starts at its optimum is carried away, and its noise grows with the distance",
        ),
    ),
    tight="additive noise",
    verdict_words=(
        "A slip of a letter: Wᵗ is printed, which elsewhere is the aggregated model, and the proofs use the bound "
        "at the local models Wᵢᵗ, as A.8 prints them. Taken at the aggregated models alone the bound does not "
        "reach the local ones: where the noise depends on the model, as with least squares on random data, these "
        "can scatter more within a round, and their variance passes it. At every model visited it can be met by "
        "strongly convex clients with a constant that does not grow with the number of rounds; with additive "
        "noise the question does not arise. The display of (23) has Wᵗ too."
    ),
)


def second_moment(distance: Any, mu: Any, sigma: Any) -> tuple[Fraction, Fraction]:
    """E |grad f|^2 of a client of curvature mu, at this distance from its optimum, noise variance sigma^2; against 1."""
    return Fraction((mu * distance) ** 2 + sigma**2), Fraction(1)


def linear_moment(distance: Any, mu: Any) -> tuple[Fraction, Fraction]:
    """E |grad f|^2 of a client of curvature mu without noise, against the distance."""
    return Fraction((mu * distance) ** 2), Fraction(distance)


_EVERYWHERE = Order(
    "upper",
    (
        OrderFamily(
            "away from the client's optimum",
            second_moment,
            {"distance": n},
            {"mu": (Fraction(1, 10), 1, 10), "sigma": (0, 1)},
            form=symbols("mu") ** 2 * n**2,
            because="strong convexity: ‖∇Fᵢ(W)‖ >= μ‖W − Wᵢ*‖, with equality for curvature μ; the noise only adds to it",
        ),
    ),
    variable="distance",
    may_depend_on=("mu", "sigma"),
)

A4 = Claim(
    id="EA-A4",
    kind=Kind.PROPERTY,
    source="Assumption 4 (Sec. 3.1)",
    title="Bounded gradients",
    statement=r"\mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)\|^2\le G^2\quad\forall i\in\{1,\dots,N\}",
    says="One number bounds the second moments of all stochastic gradients where the proofs use them, at the Wᵢᵗ.",
    assumes=("A1, A2", "G² is the largest second moment at the models the reading names", "ηₜL(1 + τ²) <= 1"),
    readings=(
        Reading(
            "at every point of space, as A1 and A2 are",
            "Some G bounds the gradients of a strongly convex client everywhere.",
            _EVERYWHERE,
        ),
        Reading(
            "at the aggregated models Wᵗ, as printed",
            "Wᵗ is the paper's letter for the aggregate; three rounds with full or noisy gradients.",
            _property(_gradient, gradient_exact, switch=True),
        ),
        Reading(
            "at every model visited",
            "A finite G², the same for all rounds: hᵢ²((1 + τ²)(2D² + max σⱼ²) + σᵢ²), D the width of start and optima.",
            _property(_gradient_cap, gradient_cap_exact),
        ),
    ),
    canaries=(
        Canary(
            "the bound of full gradients",
            _property(_noiseless_cap, noiseless_cap_exact),
            "at its optimum a client has second moment hᵢ²σᵢ² > 0, and the width may be 0",
        ),
        Canary(
            "squared distance bounded by the distance",
            Order(
                "upper",
                (
                    OrderFamily(
                        "away from the optimum",
                        linear_moment,
                        {"distance": n},
                        {"mu": (1, 10)},
                        form=symbols("mu") ** 2 * n,
                        because="(μ·distance)²/distance = μ²·distance",
                    ),
                ),
                variable="distance",
                may_depend_on=("mu",),
            ),
            "the second moment grows with the square of the distance",
        ),
    ),
    depends_on=("EA-A1", "EA-A2"),
    verdict_words=(
        "The same slip as in A3: Wᵗ for Wᵢᵗ, the models at which Lemmas 3 and 5 use it. At every model visited "
        "the assumption can be met: with steps of at most 1/(L(1 + τ²)) the iterates stay near the optima, and a "
        "G² exists that does not grow with the number of rounds; it depends on step size, start and noise, "
        "though, and is no constant of the problem. On all of space it could not hold beside A1, since ‖∇Fᵢ(W)‖ "
        ">= μ‖W − Wᵢ*‖ grows without limit; the paper does not ask for that. All checks of this paper take G² "
        "over the models visited."
    ),
)

CLAIMS: tuple[Claim, ...] = (A3, A4)
