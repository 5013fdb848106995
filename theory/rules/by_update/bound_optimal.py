"""BoundOptimal: the weights for which a bound's noise and drift terms are least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number
from theory.rules.by_update.inverse_variance import variances
from theory.rules.by_update.min_norm import MinNorm
from theory.rules.entry import RuleEntry
from theory.rules.protocol import masked_shares, normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "BoundOptimal"]

_SOURCES = ("updates", "optimum")


@dataclass(frozen=True)
class BoundOptimal:
    """a = argmin over the simplex of Σ aₖ²vₖ + (h/4)‖Σ(aₖ − pₖ)gₖ‖², the convex form of a bound's two terms.

    Source: no paper has it; vₖ is the variance of a stochastic gradient as in the B̄ of exp_alpha, Theorem 1 (EA-D6);
    gₖ = ∇Fₖ(w*), for which Σ(aₖ − pₖ)gₖ is how far the weights move the optimum. Minimised literally, the printed
    bounds choose other weights.
    `horizon` h = γ + T > 0 in steps. `gradients`: "updates" takes gₖ = −uₖ/(η·τₖ) of this round, an estimate that is of
    the broadcast model; "optimum" reads them as the signal "optimum_gradients", (*batch, n_clients, dim).
    `signal`: the name of the one that holds vₖ >= 0, (*batch, n_clients), squared units of the gradient.
    The minimiser is the point of least norm among (√vₖ·eₖ, √(h/4)·(gₖ − Σpⱼgⱼ)), found by `MinNorm`. With
    "updates", clients that did no step have weight 0; where nobody did one the noise alone decides. Raises `ValueError`
    for signals and gradients that are not finite or of another shape.
    """

    horizon: float
    gradients: Literal["updates", "optimum"] = "updates"
    signal: str = "gradient_variance"

    def __post_init__(self) -> None:
        check_number("BoundOptimal", "horizon", self.horizon)
        if self.gradients not in _SOURCES:
            raise ValueError(f"BoundOptimal(gradients={self.gradients!r}): expected one of {', '.join(_SOURCES)}")
        if not isinstance(self.signal, str):
            raise ValueError(f"BoundOptimal(signal={self.signal!r}): expected the name of a signal")

    @property
    def needs(self) -> tuple[str, ...]:
        """Variances, and what gradients are made of."""
        if self.gradients == "optimum":
            return (self.signal, "optimum_gradients")
        return (self.signal, "updates", "effective_steps", "step_size")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        variance = variances(stats, self.signal, "BoundOptimal")
        here, slopes = self._slopes(stats)
        xp = namespace(variance, slopes, stats.share)
        among = RoundStats.unchecked(**{**stats.__dict__, "present": here})
        shares = xp.astype(normalised(masked_shares(among), "BoundOptimal"), xp.float64)
        slopes = xp.where(here[..., None], slopes, xp.zeros_like(slopes))
        apart = slopes - xp.sum(shares[..., None] * slopes, axis=-2, keepdims=True)
        noise = xp.sqrt(xp.astype(variance, xp.float64))[..., None] * _unit_vectors(xp, shares)
        rows = xp.concat([noise, (self.horizon / 4) ** 0.5 * apart], axis=-1)
        weights: Array = MinNorm()(RoundStats.unchecked(**{**among.__dict__, "updates": rows}))
        return weights

    def _slopes(self, stats: RoundStats) -> tuple[Any, Any]:
        """(whose gradients are known, gradients in float64 (*batch, n_clients, dim))."""
        name = "optimum_gradients" if self.gradients == "optimum" else "updates"
        vectors = stats.need(name, "BoundOptimal")
        xp = namespace(vectors, stats.share)
        if tuple(vectors.shape[:-1]) != tuple(stats.share.shape):
            raise ValueError(
                f"BoundOptimal({name}=…): shape {tuple(vectors.shape)}; expected {tuple(stats.share.shape)} and a"
                " dimension"
            )
        here, vectors = stats.present, xp.astype(vectors, xp.float64)
        if self.gradients == "updates":
            steps, eta = stats.need("effective_steps", "BoundOptimal"), stats.need("step_size", "BoundOptimal")
            moved = here & (steps > 0)
            here = xp.where(xp.any(moved, axis=-1, keepdims=True), moved, here)
            steps = xp.astype(xp.where(moved, steps, xp.ones_like(steps)), xp.float64)
            eta = xp.where(stats.present, eta, xp.ones_like(eta))
            if not bool(xp.all((eta > 0) & xp.isfinite(eta))):
                raise ValueError(f"BoundOptimal(step_size=…): in round {stats.round}; expected finite numbers > 0")
            vectors = -vectors / (steps * xp.astype(eta, xp.float64))[..., None]
        if not bool(xp.all(xp.isfinite(vectors) | ~here[..., None])):
            raise ValueError(f"BoundOptimal: a gradient of round {stats.round} is NaN or infinite; expected numbers")
        return here, vectors


def _unit_vectors(xp: Any, shares: Any) -> Any:
    """eₖ of every client, (*batch, n_clients, n_clients), of the kind of `shares`."""
    places = xp.cumsum(xp.ones_like(shares), axis=-1)
    return xp.astype(places[..., :, None] == places[..., None, :], xp.float64)


ENTRY = RuleEntry(
    "bound-optimal",
    BoundOptimal,
    "exp_alpha",
    "EA-D6, noise term; drift of the optimum",
    "argmin Σ aₖ²vₖ + (h/4)‖Σ(aₖ − pₖ)gₖ‖²",
    example={"horizon": 100.0},
)
