"""EA-A3 and EA-A4: bounded variance and bounded gradients, and at which models they have to hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from paper_checks.exp_alpha.visited_models import visited
from validation import Claim, Switch, symbols
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily
from validation.statement.says import le
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

beyond_sync, beyond_cap, beyond_start = NOTATION.symbols("beyond_sync beyond_cap beyond_start")
G2, G2_sync, grad_beyond_cap, grad_beyond_plain = NOTATION.symbols("G2 G2_sync grad_beyond_cap grad_beyond_plain")
_VISITED = visited()
_MAY_BE_ADDITIVE = replace(
    _VISITED,
    switches=(
        Switch(
            "additive noise", "the noise does not depend on the model", lambda x: {**x, "tau": np.zeros_like(x["tau"])}
        ),
    ),
)

A3 = stated(
    r"""EA-A3 (definition; Assumption 3 (Sec. 3.1)): Bounded variance
    Print: \mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)-\nabla F_i(\mathbf W^t)\|^2\le\sigma_i^2
        \quad\forall i\in\{1,\dots,N\}
    Plainly: One number bounds the variance of a client's gradient at every model where the proofs use it, the Wᵢᵗ.
    Assumes: σᵢ² is the largest variance at the models the reading names | strongly convex clients, ηₜL(1 + τ²) <= 1
    Reading: at the aggregated models Wᵗ, as printed | Wᵗ is the paper's letter for the aggregate; the noise may
        grow with the distance from the client's optimum. | because: Sec. 2: «the current global model W^t»
    Reading: at every model visited | A finite σᵢ², the same for all rounds: hᵢ²(τ²(2D² + max σⱼ²) + σᵢ²), D the
        width of start and optima. | edit: W_i^t in place of W^t | token | forced by: A.8 defines g_t =
        Σρ_i^{t+1}∇f_i(W_i^t; ξ_i^t), ḡ_t = Σρ_i^{t+1}∇F_i(W_i^t), and (23), where A3 is used, prints the same g_t
        and ḡ_t with W^t: the index i is dropped in both places
    Reading: at the aggregated models, additive noise | The variance is then the same everywhere. | condition: the
        noise does not depend on the model | because: no named setting of the paper has additive noise
    Mutant: at the start only | a client that starts at its optimum is carried away, and its noise grows with the
        distance
    Tight: additive noise
    Verdict: A slip of a letter: Wᵗ is printed, which elsewhere is the aggregated model, and the proofs use the
        bound at the local models Wᵢᵗ, as A.8 prints them. Taken at the aggregated models alone the bound does not
        reach the local ones: where the noise depends on the model, as with least squares on random data, these can
        scatter more within a round, and their variance passes it. At every model visited it can be met by strongly
        convex clients with a constant that does not grow with the number of rounds; with additive noise the
        question does not arise. The display of (23) has Wᵗ too.""",
    says=le(beyond_sync, 0),
    world=_VISITED,
    readings={
        "at the aggregated models Wᵗ, as printed": _MAY_BE_ADDITIVE,
        "at every model visited": le(beyond_cap, 0),
        "at the aggregated models, additive noise": visited(additive=True),
    },
    mutants={"at the start only": le(beyond_start, 0)},
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

A4 = stated(
    r"""EA-A4 (definition; Assumption 4 (Sec. 3.1)): Bounded gradients
    Print: \mathbb E\|\nabla f_i(\mathbf W^t;\xi_i)\|^2\le G^2\quad\forall i\in\{1,\dots,N\}
    Plainly: One number bounds the second moments of all stochastic gradients where the proofs use them, at the Wᵢᵗ.
    Assumes: A1, A2 | G² is the largest second moment at the models the reading names | ηₜL(1 + τ²) <= 1
    Reading: at every point of space, as A1 and A2 are | Some G bounds the gradients of a strongly convex client
        everywhere. | ours: A4 prints the iterate W^t, where A1 and A2 print «∀W, V»: a bound on all of space is a
        stronger statement, which strong convexity excludes
    Reading: at the aggregated models Wᵗ, as printed | Wᵗ is the paper's letter for the aggregate; three rounds with
        full or noisy gradients. | because: Sec. 2: «the current global model W^t»
    Reading: at every model visited | A finite G², the same for all rounds: hᵢ²((1 + τ²)(2D² + max σⱼ²) + σᵢ²), D
        the width of start and optima. | edit: W_i^t in place of W^t | token | forced by: the proof of Lemma 5,
        where A4 is used, prints E‖∇f_i(W_i^j; ξ_i^j)‖² ≤ G²; A.8 prints ∇f_i(W_i^t; ξ_i^t)
    Mutant: the bound of full gradients | at its optimum a client has second moment hᵢ²σᵢ² > 0, and the width may be
        0
    Mutant: squared distance bounded by the distance | the second moment grows with the square of the distance
    Rests on: EA-A1, EA-A2
    Repeats: EA-A3
    Verdict: The same slip as in A3: Wᵗ for Wᵢᵗ, the models at which Lemmas 3 and 5 use it. At every model visited
        the assumption can be met: with steps of at most 1/(L(1 + τ²)) the iterates stay near the optima, and a G²
        exists that does not grow with the number of rounds; it depends on step size, start and noise, though, and
        is no constant of the problem. On all of space it could not hold beside A1, since ‖∇Fᵢ(W)‖ >= μ‖W − Wᵢ*‖
        grows without limit; the paper does not ask for that. All checks of this paper take G² over the models
        visited.""",
    says=_EVERYWHERE,
    world=_VISITED,
    readings={
        "at the aggregated models Wᵗ, as printed": but(le(G2, G2_sync), world=_MAY_BE_ADDITIVE),
        "at every model visited": le(grad_beyond_cap, 0),
    },
    mutants={
        "the bound of full gradients": le(grad_beyond_plain, 0),
        "squared distance bounded by the distance": Order(
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
    },
)

CLAIMS: tuple[Claim, ...] = (A3, A4)
