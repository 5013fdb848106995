"""FedSSA: the weights that minimise the self-supervised loss of the ensemble on unlabelled target samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.arrays import Array, namespace
from theory.rules.checks import check_number, check_whole, check_word
from theory.rules.designed import target_outputs
from theory.rules.protocol import masked_shares, normalised
from theory.rules.simplex import project_on_simplex
from theory.ssa import gradient_ssa, loss_ssa
from theory.stats import RoundStats

__all__ = ["SSA"]

_FLOOR = 1e-12  # keeps log aₖ finite; a weight this small is pushed back by the entropy term


@dataclass(frozen=True)
class SSA:
    """a = argmin over the simplex of L_SSA(a), the loss of eq. (8) on the logits of two views.

    Source: fedssa, Algorithm 1 step 3, eqs. (2), (4) to (8) (SSA-E02 to SSA-E08); λs of §5.1.
    Needs the signals `view_1` and `view_2`: logits, (*batch, n_samples, n_clients, n_classes).
    The paper leaves open how the weights stay on the simplex, the start and the number of steps (SSA-O1, SSA-O2).
    *Differs:* projected gradient, a ← Π(a − r∇L) in `n_steps` trials from `start` ("uniform" or "share"): a trial
    counts if the loss falls by 1e-4 of what the slope promises, and the rate r, `step_size` at first, is then doubled,
    else halved. So the loss never rises. A client stops moving when less than 1e-12 is promised; more steps then change
    nothing. The loss is not convex: what is found is a local minimum.
    With λ_we > 0 the weights of the clients present are kept >= 1e-12.
    """

    needs: ClassVar[tuple[str, ...]] = ("view_1", "view_2")

    lambda_var: float = 1.0
    lambda_we: float = 1e-3
    n_steps: int = 100
    step_size: float = 1.0
    start: Literal["uniform", "share"] = "uniform"
    divisor: Literal["classes", "classes-1"] = "classes"
    reduction: Literal["mean", "sum"] = "mean"

    def __post_init__(self) -> None:
        check_number("SSA", "lambda_var", self.lambda_var, closed=True)
        check_number("SSA", "lambda_we", self.lambda_we, closed=True)
        check_whole("SSA", "n_steps", self.n_steps, low=0)
        check_number("SSA", "step_size", self.step_size)
        check_word("SSA", "start", self.start, ("uniform", "share"))
        check_word("SSA", "divisor", self.divisor, ("classes", "classes-1"))
        check_word("SSA", "reduction", self.reduction, ("mean", "sum"))

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        view_1, view_2 = (target_outputs(stats, f"view_{i}", "SSA") for i in (1, 2))
        present = stats.present
        xp = namespace(view_1, stats.share)
        zeros = xp.zeros_like(stats.share)
        options: dict[str, Any] = {
            "lambda_var": self.lambda_var,
            "divisor": self.divisor,
            "reduction": self.reduction,
        }
        floor = _FLOOR if self.lambda_we > 0 else 0.0

        def loss(weights: Any) -> Any:
            return loss_ssa(weights, view_1, view_2, lambda_we=self.lambda_we, **options)

        def slope(weights: Any) -> Any:
            # Absent clients have weight 0, where the entropy's slope is infinite, and never move.
            held = xp.where(present, weights, xp.ones_like(weights)) if self.lambda_we else weights
            pull = gradient_ssa(weights, view_1, view_2, lambda_we=0.0, **options)
            return xp.where(present, pull + self.lambda_we * _entropy_slope(held), zeros)

        weights = masked_shares(stats) if self.start == "share" else xp.astype(present, stats.share.dtype)
        weights = project_on_simplex(normalised(weights, "SSA", "choose start='uniform'"), present, floor=floor)
        value, rate = loss(weights), xp.full_like(weights[..., 0], self.step_size)
        for _ in range(self.n_steps):
            gradient = slope(weights)
            trial = project_on_simplex(weights - rate[..., None] * gradient, present, floor=floor)
            promised = -xp.sum(gradient * (trial - weights), axis=-1)
            new = loss(trial)
            moving = promised > 1e-12
            accepted = moving & (value - new >= 1e-4 * promised)
            weights = xp.where(accepted[..., None], trial, weights)
            value = xp.where(accepted, new, value)
            rate = xp.where(accepted, 2 * rate, xp.where(moving, rate / 2, rate))
        answer: Array = weights
        return answer


def _entropy_slope(weights: Any) -> Any:
    """log aₖ + 1 of weights > 0."""
    xp = namespace(weights)
    positive = weights > 0
    return xp.where(positive, xp.log(xp.where(positive, weights, xp.ones_like(weights))) + 1, xp.zeros_like(weights))
