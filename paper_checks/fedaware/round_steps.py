"""Steps about rounds: descent (S6.1), variance under other weights (S13.5, S16.2), averaging (E9, S13.7, S16.4)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.aware_runs import aware_case
from paper_checks.fedaware.one_round import seeing_case
from paper_checks.fedaware.runs_old import DEGREES, run, run_case, run_exact
from theory.exact import dot
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Size,
    Space,
    symbols,
)

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]

L, e, size, K, eta_l, sigma2, chi, rho = symbols("L e size K eta_l sigma2 chi rho")


def _descent(x: Instance) -> Mapping[str, Any]:
    h, v, step = x["curvature"], x["move"], x["step"]
    return {
        "lhs": (h * (step[:, None] * v) ** 2).sum(axis=1) / 2,
        "L": np.abs(h).max(axis=1),
        "e": step,
        "size": (v**2).sum(axis=1),
        "magnitude": (np.abs(h) * (step[:, None] * v) ** 2).sum(axis=1),
    }


def descent_exact(x: Mapping[str, Any]) -> Exact:
    """f = sum h_j x_j^2/2: f(x - e v) - f(x) + e <grad f(x), v> on the left."""
    h, at, v, e = x["curvature"], x["at"], x["move"], x["step"]

    def f(y: Any) -> Any:
        return sum(a * z * z for a, z in zip(h, y, strict=True)) / 2

    moved = [a - e * b for a, b in zip(at, v, strict=True)]
    return {"step > 0": e > 0}, {
        "lhs": f(moved) - f(at) + e * sum(a * y * z for a, y, z in zip(h, at, v, strict=True)),
        "L": max(abs(a) for a in h),
        "e": e,
        "size": dot(v, v),
    }


def _descent_case(d: float) -> Case:
    n = int(d)
    space = Space(
        (
            Signed("curvature", 1e-3, 1e3, (n,)),
            Signed("at", 1e-3, 1e3, (n,)),
            Signed("move", 1e-3, 1e3, (n,)),
            LogScale("step", 1e-3, 1e3),
        )
    )
    return Case(f"dimension {n}", space, _descent, ExactCheck(descent_exact, (dot,)))


_SMOOTH = (Family("quadratics of either curvature", (Size("d", 1, 8, 2),), _descent_case),)


def variance_claim(key: str, source: str, weights: str, uses: str, *, any_rule: bool) -> Claim:
    """E‖G̃‖² <= Kη_l²σ_l² + ρ(λ̃), that is V[G̃] <= Kη_l²σ_l²; `any_rule`: for adaptive weights other than FedAWARE's."""
    bound = Bound(K * eta_l**2 * sigma2, again=lambda K, eta_l, sigma2: sigma2 * K * eta_l * eta_l)
    largest = Reading(
        "all weight on the largest update",
        "Three clients with K = 1, every outcome.",
        Inequality(bound, (seeing_case(3, 2, of="variance"),)),
    )
    return Claim(
        id=key,
        kind=Kind.INEQUALITY,
        source=source,
        title="Variance of the applied pseudo-gradient",
        statement=r"\mathbb E\|\tilde G^t\|^2\le K\eta_l^2\sigma_l^2+\rho^t(\tilde\lambda)",
        says="The second moment of the applied pseudo-gradient is at most one client's noise plus the applied consensus.",
        assumes=(f"A4.3; given xᵗ; convex clients; {weights}",),
        readings=(
            Reading(
                "weights of smallest norm, which see the noise",
                "Three clients with K = 1, every outcome.",
                Inequality(bound, (seeing_case(3, 1, of="variance"),)),
            ),
            *((largest,) if any_rule else ()),
            Reading(
                "weights fixed in advance",
                "λ̃ does not depend on the round's noise.",
                Inequality(bound, tuple(seeing_case(n, 0, of="variance") for n in (1, 2, 4))),
                repair="condition",
            ),
        ),
        canaries=(
            Canary(
                "half of the noise",
                Inequality(
                    Bound(K * eta_l**2 * sigma2 / 2),
                    (seeing_case(1, 0, of="variance"), seeing_case(2, 0, of="variance")),
                ),
                "one client alone has the whole of it",
            ),
        ),
        tight="all weight on one client",
        depends_on=("FA-VAR",),
        verdict_words=(
            f"{uses} Weights computed from the noisy updates can add to the variance: with rare large noise the smallest "
            "of three updates varies more than any single one. For weights fixed in advance it holds."
        ),
    )


def _products(x: Instance) -> Mapping[str, Any]:
    found = run(x)
    return {**found, "lhs": found["chi_rho"], "magnitude": found["chi"] * found["rho"]}


def products_exact(x: Mapping[str, Any]) -> Exact:
    """Mean over rounds of chi^2 rho on the left."""
    met, found = run_exact(x)
    return met, {**found, "lhs": found["chi_rho"]}


def _averages(rows: int) -> tuple[Case, ...]:
    return tuple(
        run_case(n, 1, k, t, rows=rows, noisy=False, measure=_products, exact=products_exact, uses=(run_exact,))
        for n, k, t in ((2, 1, 2), (2, 2, 4), (5, 2, 6))
    )


def _own_weights(*, averaged: bool) -> tuple[Case, ...]:
    return tuple(aware_case(n, k, t, averaged=averaged, products=True) for n, k, t in ((2, 1, 2), (2, 2, 4), (5, 2, 6)))


def averaging_claim(key: str, source: str, statement: str, *, any_rule: bool) -> Claim:
    """Mean of χ²ρ against the product of the means; `any_rule`: for weights other than FedAWARE's as well."""
    bound = Bound(chi * rho, again=lambda chi, rho: rho * chi, degrees=DEGREES)
    turns = Reading(
        "weights that change from round to round",
        "Different weights in turn, real runs.",
        Inequality(bound, _averages(2), degrees=(0, 2)),
    )
    own = Reading(
        "FedAWARE's own weights",
        f"Its runs on the line, everybody present, {'α = 1' if any_rule else 'm⁰ = g⁰, any α'}; the weights are unique.",
        Inequality(bound, _own_weights(averaged=not any_rule), degrees=(0, 2)),
    )
    weights = "λ̃ᵗ any weights in every round" if any_rule else "λ̃ᵗ the weights of smallest norm over the averages"
    first = (
        "True for static weights, not for weights that change. The mean of a product is at most the product of the means only "
        "when χ² and ρ do not rise together. Two rounds, the first with other weights and large updates, the second with λ̃ "
        "near λ, refute it, and so do FedAWARE's own runs: "
        if any_rule
        else "False for FedAWARE's own weights, which are those of A.4: the mean of a product is at most the product of the means "
        "only when χ² and ρ do not rise together. In its runs "
    )
    return Claim(
        id=key,
        kind=Kind.INEQUALITY,
        source=source,
        title="Averaging a product over the rounds",
        statement=statement,
        says="The mean of χ² times ρ over the rounds is replaced by the product of their means.",
        assumes=(f"{weights}; runs of convex clients without noise",),
        readings=(
            *((turns,) if any_rule else ()),
            own,
            Reading(
                "the same weights in every round",
                "λ̃ constant, hence χ² constant.",
                Inequality(bound, _averages(1), degrees=(0, 2)),
                repair="condition",
            ),
        ),
        canaries=(
            Canary(
                "half of the product",
                Inequality(Bound(chi * rho / 2), _averages(1)),
                "with constant χ² the mean of the product is the product of the means",
            ),
        ),
        tight="constant weights",
        verdict_words=(
            f"{first}far out all weight is on the client with the weakest pull, nearer on the one whose minimum comes first, and where the "
            "former has the smaller share χ² falls together with ρ. It is an equality for weights that stay the same; otherwise the mean of "
            "χ²ρ, as in Corollary 4.1's Ψ̃, has to stay."
        ),
    )


def _every_round(x: Instance) -> Mapping[str, Any]:
    """The first round's gradient and consensus against the fall of f over the whole run."""
    whole, first = run(x), run({**x, "n_rounds": x["n_rounds"] * 0 + 1})
    return {**whole, "lhs": first["lhs"], "rho": first["rho"]}


def every_round_exact(x: Mapping[str, Any]) -> Exact:
    """E|grad f(x^0)|^2 and rho^0 with (f(x^0) - f(x^T))/(T K eta)."""
    met, whole = run_exact(x)
    _, first = run_exact({**x, "n_rounds": Fraction(1)})
    return met, {**whole, "lhs": first["lhs"], "rho": first["rho"]}


def _averaged_case(N: float, d: float, K: float, T: float) -> Case:
    return run_case(N, d, K, T)


_LONG = tuple(
    run_case(1, 1, k, t, noisy=False, everywhere=True, measure=_every_round, exact=every_round_exact, uses=(run_exact,))
    for k, t in ((1, 20), (2, 60))
)

_AVERAGED = (
    Family(
        "convex clients, noise",
        (Size("N", 1, 300, 3), Size("d", 1, 8, 1), Size("K", 1, 300, 2), Size("T", 1, 200, 2, ladder=True)),
        _averaged_case,
    ),
)

CLAIMS: tuple[Claim, ...] = (
    variance_claim(
        "FA-S13.5",
        "after A.1 is used, A.3",
        "λ̃ any weights on the simplex, «possibly adaptive»",
        "True for the static weights of Sec. 4.2, not for adaptive ones, which FedAWARE and others use.",
        any_rule=True,
    ),
    averaging_claim(
        "FA-S13.7",
        "before (13), A.3",
        r"\frac1T\sum_t\chi^2_{\lambda\|\tilde\lambda^t}\rho^t(\tilde\lambda)\le\tilde\chi\cdot\frac1T\sum_t\rho^t(\tilde\lambda)",
        any_rule=True,
    ),
    variance_claim(
        "FA-S16.2",
        "Putting together, second line, A.4",
        "λ̃ FedAWARE's weights of smallest norm; with α = 1 and everybody present they see the round's noise",
        "False for FedAWARE's own weights, which A.4 fixes as those of smallest norm and which see the round.",
        any_rule=False,
    ),
    averaging_claim(
        "FA-S16.4",
        "before (16), A.4",
        r"\frac1T\sum_t\chi^2_{\lambda\|\tilde\lambda^t}\rho^t(\tilde\lambda)\le\tilde\chi\cdot\frac1T\sum_t\rho^t(\tilde\lambda)"
        r",\quad\text{with the factors }2(1+2\beta)\gamma\text{ and }4\beta\gamma",
        any_rule=False,
    ),
)
