"""One quadratic by its eigenvalues and a mirror, about its minimiser: coordinates, and every float of its descent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation import Choice, Instance, LogScale, Signed

__all__ = [
    "TINY",
    "Descent",
    "descent",
    "geometric",
    "horizon",
    "offset",
    "quadratic",
    "reflected",
    "sizes_in_words",
]

Float = NDArray[np.float64]

TINY = 1e-280  # below this a product of floats nears the subnormal numbers and says nothing


def quadratic(dim: int, *, step_from: float = 1e-3, step_to: float = 1.99) -> tuple[Any, ...]:
    """Curvature H diag(spectrum) H with H the reflection along `mirror`, and the step ηL: condition numbers to 10³.

    By default ημ stays above 10⁻⁶: nearer to 0 the float 1 − ρ² loses the digits the search compares.
    """
    return (
        LogScale("spectrum", 1e-2, 1e1, (dim,), at=(1e-2, 0.1, 1.0, 10.0)),
        Signed("mirror", 1e-2, 1.0, (dim,)),
        LogScale("step", step_from, step_to, at=(step_from, 0.1, 1.0, 1.9)),
    )


def offset(dim: int) -> Signed:
    """The start minus the minimiser, 10⁻⁶ to 10³ from it in every coordinate, or on it."""
    return Signed("offset", 1e-6, 1e3, (dim,))


def horizon(T: float) -> Choice:
    """The number of rounds; 2⁶⁰ of them stand for T = ∞, where every power of ρ has long vanished."""
    return Choice("rounds", (2.0**60 if np.isinf(T) else float(T),))


def geometric(y: Float, n: Float) -> Float:
    """Σ_{t<n} (1 − y)²ᵗ for 0 < y < 2, without the cancellation in 1 − (1 − y)²."""
    with np.errstate(divide="ignore"):
        log = np.where(y < 0.5, np.log1p(-np.minimum(y, 0.5)), np.log(np.abs(1 - y)))
    return np.asarray(-np.expm1(2 * n * log) / (y * (2 - y)))


def reflected(mirror: Float, x: Float) -> Float:
    """x − 2v⟨v, x⟩/‖v‖² with v = `mirror`, last axis; x where v = 0."""
    size = (mirror**2).sum(axis=-1, keepdims=True)
    along = (mirror * x).sum(axis=-1, keepdims=True) / np.where(size > 0, size, 1.0)
    return np.asarray(x - 2.0 * along * mirror)


@dataclass(frozen=True, eq=False)
class Descent:
    """What one gradient step does, instances on the first axis; `start` and `turn` = 1 − ηλ in the eigenbasis."""

    mu: Float
    L: Float
    eta: Float
    rho: Float
    turn: Float
    start: Float


def descent(x: Instance) -> Descent:
    """The descent of an instance with the coordinates of `quadratic` and `offset`; η = step/L."""
    spectrum = x["spectrum"]
    L, mu = spectrum.max(axis=1), spectrum.min(axis=1)
    eta = x["step"] / L
    rho = np.maximum(np.abs(1 - eta * mu), np.abs(1 - eta * L))
    return Descent(mu, L, eta, rho, 1 - eta[:, None] * spectrum, reflected(x["mirror"], x["offset"]))


def sizes_in_words(**sizes: float) -> str:
    """'N = 3, d = 2, T = ∞'."""
    return ", ".join(f"{name} = {'∞' if np.isinf(n) else f'{int(n):,}'}" for name, n in sizes.items())
