"""How the known truths are drawn: families over sizes, quadratics in any basis, and their descent in floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paper_checks.known_truths.notation import NOTATION, Coordinates
from validation import Case, Family, Instance, LogScale, Mechanism, Signed, Size
from validation.world import World
from validation.world.mechanisms import always

__all__ = [
    "TINY",
    "Descent",
    "descent",
    "geometric",
    "mirrored",
    "offset",
    "over",
    "quadratic",
    "ranging",
    "several_steps",
    "sized",
]

Float = NDArray[np.float64]

TINY = 1e-280  # below this a product of floats nears the subnormal numbers and says nothing
_FOREVER = 2**60  # rounds that stand for T = ∞, where every power of ρ has long vanished


def over(*worlds: World) -> World:
    """A world of the cases of several."""
    return World(NOTATION, tuple(item for world in worlds for item in world.cases))


def ranging(
    name: str, at: Callable[..., Case], *, ladder: str = "", limit: bool = False, **sizes: tuple[int, int, int]
) -> World:
    """A world of one family: `at` takes whole numbers; of each size the least, the largest and the usual one.

    `ladder`: the size that leaves the coordinates as they are; with `limit` it is tried at 2⁶⁰, which stands for ∞, too.
    """

    def whole(**chosen: float) -> Case:
        return at(**{k: _FOREVER if np.isinf(v) else int(v) for k, v in chosen.items()})

    found = (Size(k, *v, ladder=k == ladder, limit=limit and k == ladder) for k, v in sizes.items())
    return World(NOTATION, (Family(name, tuple(found), whole),))


def sized(name: str, **sizes: int) -> str:
    """'name, N = 3, d = 2, T = ∞'."""
    return ", ".join((name, *(f"{k} = {'∞' if n == _FOREVER else f'{n:,}'}" for k, n in sizes.items())))


def several_steps(E: int) -> tuple[Mechanism, ...]:
    """What is on where a round has several local steps."""
    return (Mechanism("several local steps", (), always),) if E > 1 else ()


def quadratic(dim: int, *, step_from: float = 1e-3, step_to: float = 1.99) -> Coordinates:
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


def geometric(y: Float, n: int) -> Float:
    """Σ_{t<n} (1 − y)²ᵗ for 0 < y < 2, without the cancellation in 1 − (1 − y)²."""
    with np.errstate(divide="ignore"):
        log = np.where(y < 0.5, np.log1p(-np.minimum(y, 0.5)), np.log(np.abs(1 - y)))
    return np.asarray(-np.expm1(2.0 * n * log) / (y * (2 - y)))


def mirrored(mirror: Float, x: Float) -> Float:
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
    return Descent(mu, L, eta, rho, 1 - eta[:, None] * spectrum, mirrored(x["mirror"], x["offset"]))
