"""EA-E24a, b, c: the first steps of display (24), the drift written with the updates since the round's start."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.telescope import telescoped
from validation import Canary, Claim, Identity, Kind, Reading, symbols
from validation.domain import Domain
from validation.gram import VectorInequality
from validation.vectors import square, vectors

__all__ = ["CLAIMS", "drift_step"]

p, q, a, b, z = symbols("p q a b z")
p1, p2, p3, q1, q2, q3 = symbols("p1 p2 p3 q1 q2 q3")
x, y, w = vectors("x y w")


def drift_step(letter: str, kind: Kind, title: str, statement: str, says: str, *rest: Any, **more: Any) -> Claim:
    """EA-E24 with its letter; `rest`: what it assumes, its readings and its canaries."""
    assumes, readings, canaries = rest
    return Claim(
        f"EA-E24{letter}", kind, "A.10, display (24)", title, statement, says, assumes, readings, canaries, **more
    )


# Two clients at a and b on an axis, the round's start at z; weights p and 1 − p of ρᵗ, q and 1 − q of ρᵗ⁺¹.
_BAR = p * a + (1 - p) * b
_SPREAD = q * (_BAR - a) ** 2 + (1 - q) * (_BAR - b) ** 2

E24A = drift_step(
    "a",
    Kind.IDENTITY,
    "The round's start inserted",
    (
        r"\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2=\sum_i\rho_i^{t+1}"
        r"\|(\bar{\mathbf W}^t-\bar{\mathbf W}^{t_0})-(\mathbf W_i^t-\bar{\mathbf W}^{t_0})\|^2,\quad"
        r"\bar{\mathbf W}^t-\bar{\mathbf W}^{t_0}=\mathbb E_{\rho^t}[\mathbf W_i^t-\bar{\mathbf W}^{t_0}]"
    ),
    "The drift is that of the updates since the round's start, whose mean is the update of the mean model.",
    ("W̄ᵗ = Σρᵢᵗ Wᵢᵗ", "weights that sum to one"),
    (
        Reading(
            "first equality",
            "Axis by axis, two clients, weights free at every step.",
            Identity(_SPREAD, q * ((_BAR - z) - (a - z)) ** 2 + (1 - q) * ((_BAR - z) - (b - z)) ** 2),
        ),
        Reading("the mean of the updates", "Under ρᵗ.", Identity(_BAR - z, p * (a - z) + (1 - p) * (b - z))),
    ),
    (
        Canary(
            "mean of the updates under ρᵗ⁺¹",
            Identity(_BAR - z, q * (a - z) + (1 - q) * (b - z)),
            "p(a − z) + (1 − p)(b − z) is another number for p ≠ q and a ≠ b",
        ),
        Canary(
            "plus in place of minus",
            Identity(_SPREAD, q * ((_BAR - z) + (a - z)) ** 2 + (1 - q) * ((_BAR - z) + (b - z)) ** 2),
            "with both clients away from the start by the same the left side is 0",
        ),
    ),
    depends_on=("EA-D3",),
    verdict_words="Adding and taking off the round's start; its second half uses that ρᵗ sums to one.",
)

_P, _Q = ("p1", "p2", "p3"), ("q1", "q2", "q3")
_MEAN = p1 * x + p2 * y + p3 * w


def _about(weights: tuple[Any, Any, Any], center: Any) -> Any:
    return sum(r * square(u - center) for r, u in zip(weights, (x, y, w), strict=True))


def _plain(weights: tuple[Any, Any, Any]) -> Any:
    return sum(r * square(u) for r, u in zip(weights, (x, y, w), strict=True))


E24B = drift_step(
    "b",
    Kind.INEQUALITY,
    "Variance below the second moment",
    (
        r"\sum_i\rho_i^{t+1}\|\mathbb E_{\rho^t}[\mathbf W_i^t-\bar{\mathbf W}^{t_0}]-(\mathbf W_i^t-\bar{\mathbf W}^{t_0})\|^2"
        r"\le\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^{t_0}\|^2"
    ),
    "Taking off the mean can only lower the mean square of the updates.",
    ("weights on the simplex",),
    (
        Reading(
            "weights free at every step",
            "The sum is taken under ρᵗ⁺¹, as at the head of (24), the mean under ρᵗ, as in W̄ᵗ.",
            VectorInequality(_about((q1, q2, q3), _MEAN), _plain((q1, q2, q3)), Domain((), (_P, _Q))),
        ),
        Reading(
            "one weight vector a round",
            "Both under ρᵗ, as the lines after the first write it; three clients.",
            VectorInequality(_about((p1, p2, p3), _MEAN), _plain((p1, p2, p3)), Domain((), (_P,))),
        ),
    ),
    (
        Canary(
            "half of the second moment",
            VectorInequality(_about((p1, p2, p3), _MEAN), _plain((p1, p2, p3)) / 2, Domain((), (_P,))),
            "two opposed updates of equal weight have mean 0, so that both printed sides are equal",
        ),
        Canary(
            "the first client in place of the mean",
            VectorInequality(_about((p1, p2, p3), 1 * x), _plain((p1, p2, p3)), Domain((), (_P,))),
            "two opposed updates of equal weight: the left side is 4·½, the right side 1",
        ),
    ),
    tight="updates of mean 0",
    depends_on=("EA-E24a",),
    verdict_words=(
        "E‖X − EX‖² <= E‖X‖² needs the mean under the same weights as the outer sum. (24) starts with ρᵗ⁺¹ outside and goes on "
        "with ρᵗ inside: with one weight vector a round it is proved for three clients, all updates and weights; with weights that "
        "change inside a round all weight may pass from one of two opposed clients to the other, and the left side is four "
        "times the right one. The paper defines weights at synchronisations only, so which case is meant is open."
    ),
)

E24C = drift_step(
    "c",
    Kind.PROPERTY,
    "The update as a sum of gradients",
    r"\mathbf W_i^t-\bar{\mathbf W}^{t_0}=-\sum_{j=t_0}^{t-1}\eta_j\nabla f_i(\mathbf W_i^j;\xi_i^j)",
    "A client's update since the round's start is minus the sum of its scaled stochastic gradients.",
    ("all clients stand at W̄ᵗ⁰ at t₀", "local steps (4)"),
    (
        Reading(
            "gradients and step sizes of their own steps",
            "Sample by sample, t − t₀ = E − 1; the squared distance of the two sides must be 0.",
            telescoped(whole=False),
        ),
    ),
    (
        Canary(
            "one gradient and one step size throughout",
            telescoped(whole=False, changed=1),
            "the source text prints ηₜ∇f(Wᵗ) inside the sum; a client that moves meets other gradients",
        ),
        Canary(
            "the sum up to t",
            telescoped(whole=False, changed=2),
            "one gradient more than the client has taken",
        ),
    ),
    depends_on=("EA-D4",),
    verdict_words=(
        "Telescoping. The source text is damaged here: it sums ηₜ∇fᵢ(Wᵗ; ξᵢ) over i from 0; read with the index of the sum on "
        "step size, model and sample it is an identity, read to the letter it is not one, as the first planted error shows."
    ),
)


CLAIMS: tuple[Claim, ...] = (E24A, E24B, E24C)
