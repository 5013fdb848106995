"""How one step of EFL's virtual model is split in the proof of Theorem 1: (31), (32), (35), (36) and (40)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Identity,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Signed,
    Space,
    Uniform,
    symbols,
)
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.vectors import inner, square, vectors

__all__ = ["CLAIMS"]

eta = symbols("eta")
u, g, b, w, o, p1, p2, k1, k2 = symbols("u g b w o p1 p2 k1 k2")
_ONE = "one coordinate; both sides are sums over coordinates"

E31 = Claim(
    id="EFL-E31",
    kind=Kind.IDENTITY,
    source="Eq. (31), A.2.1",
    title="Expansion of one step",
    statement=(
        r"\|\overline\omega_{\tau E+j+1}-\omega^*\|^2=\|\overline\omega_{\tau E+j}-\omega^*-\eta_\tau\Sigma p\alpha\overline g\|^2"
        r"+\eta_\tau^2\|\Sigma p\alpha(\overline g-g)\|^2+2\eta_\tau\langle\overline\omega_{\tau E+j}-\omega^*-\eta_\tau\Sigma p\alpha"
        r"\overline g,\Sigma p\alpha(\overline g-g)\rangle"
    ),
    says="One virtual step splits into the full-gradient step, the noise and their cross term.",
    assumes=(_ONE, "u = ω̄ − ω*, g = Σpαg, b = Σpαḡ"),
    readings=(
        Reading(
            "as printed",
            "First member with +ηb − ηb, last line expanded.",
            Identity(
                (u - eta * g - eta * b + eta * b) ** 2,
                (u - eta * b) ** 2 + eta**2 * (b - g) ** 2 + 2 * eta * (u - eta * b) * (b - g),
            ),
        ),
    ),
    canaries=(
        Canary(
            "g − ḡ in the cross term",
            Identity(
                (u - eta * g) ** 2, (u - eta * b) ** 2 + eta**2 * (b - g) ** 2 + 2 * eta * (u - eta * b) * (g - b)
            ),
            "the sides differ by 4η(u − ηb)(b − g)",
        ),
    ),
    depends_on=("EFL-E14",),
    verdict_words="The square of a sum, after ηΣpαḡ is added and subtracted.",
)


def _cross(x: Instance) -> Mapping[str, Any]:
    """Mean of the cross term A₂ for one client with two-point noise and activity that may know which point it was."""
    p, eta_, slope, u_, r, size = x["coefficient"], x["step"], x["slope"], x["virtual"], x["rare"], x["noise"]
    q = 1 / (1 + r**2)
    on = (x["active"] >= 0.5).astype(float)
    up, down = on[:, 0], np.where(x["sees"] > 0, on[:, 1], on[:, 0])
    points = ((q, r * size, up), (1 - q, -size / r, down))
    mean = sum(c * (u_ - eta_ * p * a * slope) * (-p * a * n) for c, n, a in points)
    scale = sum(c * np.abs((u_ - eta_ * p * a * slope) * (p * a * n)) for c, n, a in points)
    return {"lhs": np.abs(mean), "nothing": np.zeros_like(p), "magnitude": scale + np.abs(u_ * p * size)}


def cross_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E[A_2], A_2 = (u - eta p a b)(p a b - p a (b + n)), over the two outcomes of the batch."""
    p, r, b = x["coefficient"], x["rare"], x["slope"]
    mean, noise = Fraction(0), Fraction(0)
    for index, chance, n in ((0, 1 / (1 + r * r), r * x["noise"]), (1, r * r / (1 + r * r), -x["noise"] / r)):
        a = 1 if x["active"][index if x["sees"] > 0 else 0] >= Fraction(1, 2) else 0
        mean = mean + chance * (x["virtual"] - x["step"] * p * a * b) * (p * a * b - p * a * (b + n))
        noise = noise + chance * n
    return {"E g = g_bar": noise == 0}, {"lhs": abs(mean), "nothing": Fraction(0)}


def zero_again(nothing: Any) -> Any:
    """0."""
    return nothing + 0


def _mean_cross(sees: bool) -> Inequality:
    space = Space(
        (
            LogScale("coefficient", 1e-2, 1e1, at=(1.0,)),
            LogScale("step", 1e-2, 1e1, at=(1.0,)),
            Signed("slope", 1e-2, 1e1),
            Signed("virtual", 1e-2, 1e1),
            Signed("noise", 1e-2, 1e1),
            LogScale("rare", 1.0, 30.0, at=(1.0,)),
            Uniform("active", 0.0, 1.0, (2,)),
            Choice("sees", (float(sees),)),
        )
    )
    zero = Bound(symbols("nothing"), again=zero_again, degrees={"nothing": (0, 0)})
    return Inequality(zero, (Case("one client, two outcomes", space, _cross, ExactCheck(cross_exact)),), degrees=(0, 0))


E32 = Claim(
    id="EFL-E32",
    kind=Kind.IDENTITY,
    source="Eq. (32), A.2.1 (no body in the transcription; from (34), (35), (39) and the sentence before it)",
    title="Split of A₁, and E[A₂] = 0",
    statement=(
        r"A_1=\|\overline\omega_{\tau E+j}-\omega^*-\eta_\tau\Sigma p\alpha\overline g\|^2=\|\overline\omega_{\tau E+j}-\omega^*\|^2"
        r"+B_1+B_2,\qquad\mathbb E_\xi[A_2]=0"
    ),
    says="The full-gradient step splits into distance, inner product and squared gradient; the cross term has mean 0.",
    assumes=(_ONE, "B₁ = −2η⟨ω̄ − ω*, Σpαḡ⟩, B₂ = η²‖Σpαḡ‖²", "E_ξ g = ḡ"),
    readings=(
        Reading(
            "the split",
            "The square of a difference.",
            Identity((u - eta * b) ** 2, u**2 - 2 * eta * u * b + eta**2 * b**2),
        ),
        Reading("E[A₂] = 0, activity fixed before the batches", "p and α given.", _mean_cross(False)),
        Reading(
            "E[A₂] = 0, activity depends on the batches",
            "Stronger than the print: α follows the batch of its step, and the mean is taken over both.",
            _mean_cross(True),
        ),
    ),
    canaries=(
        Canary(
            "B₁ without its factor 2",
            Identity((u - eta * b) ** 2, u**2 - eta * u * b + eta**2 * b**2),
            "the sides differ by ηub",
        ),
    ),
    depends_on=("EFL-E31",),
    verdict_words=(
        "The split is an identity, and E[A₂] = 0 holds for activity given before the batches, as E_ξ takes p and α "
        "throughout. The display (32) has no body in the transcription; the split tested here is put together from "
        "(31), (34), (35) and (39), and so is ours. A stronger statement fails: if a client's step is done or not "
        "according to its batch, and the mean is taken over that too, the active gradients are biased and E[A₂] is "
        "not 0. That mean is ours; the print averages over p and s only in (64), while it assumes no correlations of "
        "the activity."
    ),
)


E35 = Claim(
    id="EFL-E35",
    kind=Kind.IDENTITY,
    source="Eq. (35), A.2.1",
    title="Split of B₁",
    statement=(
        r"B_1=-2\eta_\tau\langle\overline\omega_{\tau E+j}-\omega^*,\Sigma p\alpha\overline g\rangle=-2\eta_\tau\sum_kp_\tau^k\langle"
        r"\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k,\alpha\overline g^k\rangle-2\eta_\tau\sum_kp_\tau^k\langle"
        r"\omega_{\tau E+j}^k-\omega^*,\alpha\overline g^k\rangle"
    ),
    says="The inner product splits at the local models.",
    assumes=(_ONE, "two clients at k1, k2; g, b their active full gradients, w = ω̄, o = ω*"),
    readings=(
        Reading(
            "as printed",
            "Linear in the first argument.",
            Identity(
                -2 * eta * (w - o) * (p1 * g + p2 * b),
                -2 * eta * (p1 * (w - k1) * g + p2 * (w - k2) * b) - 2 * eta * (p1 * (k1 - o) * g + p2 * (k2 - o) * b),
            ),
        ),
    ),
    canaries=(
        Canary(
            "second sum with +",
            Identity(-2 * eta * (w - o) * p1 * g, -2 * eta * p1 * (w - k1) * g + 2 * eta * p1 * (k1 - o) * g),
            "the sides differ by 4ηp₁(k₁ − o)g",
        ),
    ),
    depends_on=("EFL-E32",),
    verdict_words="Adding and subtracting the local model.",
)

_x, _y = vectors("x y")
_STEP = Domain((Parameter("eta", 0), Parameter("alpha", 0, 1)))
_e, _a = symbols("eta alpha")
E36 = Claim(
    id="EFL-E36",
    kind=Kind.INEQUALITY,
    source="Eq. (36), A.2.1",
    title="Young's inequality with ητ",
    statement=(
        r"-2\langle\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k,\alpha\overline g^k\rangle\le\Big(\frac1{\eta_\tau}\|"
        r"\overline\omega_{\tau E+j}-\omega_{\tau E+j}^k\|^2+\eta_\tau\|\overline g_{\tau E+j}^k\|^2\Big)\alpha_{\tau E+j}^k"
    ),
    says="Minus twice an inner product is at most the squares weighted with 1/η and η.",
    assumes=("η > 0", "α in [0, 1]", "1/η₋ of the transcription read as 1/ητ"),
    readings=(
        Reading(
            "first to last member",
            "Any two vectors, any η > 0; both sides times η.",
            VectorInequality(-2 * _a * _e * inner(_x, _y), _a * (square(_x) + _e**2 * square(_y)), _STEP),
        ),
    ),
    canaries=(
        Canary(
            "η² in place of η",
            VectorInequality(-2 * _a * _e * inner(_x, _y), _a * (square(_x) + _e**3 * square(_y)), _STEP),
            "for η < 1 and x = −ηy the left side is 2η², the right side η² + η³",
        ),
    ),
    tight="x = −ηy",
    verdict_words="Completing the square, for every η > 0.",
)


E40 = Claim(
    id="EFL-E40",
    kind=Kind.INEQUALITY,
    source="Eq. (40), A.2.1",
    title="Lower bound of the local distance",
    statement=(
        r"\|\omega_{\tau E+j}^k-\omega^*\|^2\ge\frac12\|\overline\omega_{\tau E+j}-\omega^*\|^2-\|\omega_{\tau E+j}^k"
        r"-\overline\omega_{\tau E+j}\|^2"
    ),
    says="A local model is as far from ω* as the virtual one, up to a factor and the drift.",
    assumes=("x = ωᵏ − ω̄, y = ω̄ − ω*",),
    readings=(
        Reading(
            "first to last member", "Any two vectors.", VectorInequality(square(_y) / 2 - square(_x), square(_x + _y))
        ),
        Reading(
            "the last step",
            "‖x‖² + ‖y‖² − (2‖x‖² + ½‖y‖²) is the last member, and ‖x + y‖² is not below it.",
            VectorInequality(square(_x) + square(_y) - (2 * square(_x) + square(_y) / 2), square(_x + _y)),
        ),
    ),
    canaries=(
        Canary(
            "½‖x‖² subtracted in place of ‖x‖²",
            VectorInequality(square(_y) / 2 - square(_x) / 2, square(_x + _y)),
            "y = −3x/2: the right side is ‖x‖²/4, the left side 5‖x‖²/8",
        ),
    ),
    tight="y = −2x",
    verdict_words="The difference of the two sides is half the square of 2x + y.",
)

CLAIMS: tuple[Claim, ...] = (E31, E32, E35, E36, E40)
