"""FedSSA: the weights that minimise the self-supervised loss of the ensemble on unlabelled target samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number, check_whole, check_word
from theory.rules.by_output.designed import target_outputs
from theory.rules.by_output.ssa_learning import SSALoss
from theory.rules.by_output.ssa_loss import Divisor, Reduction
from theory.rules.protocol import masked_shares, normalised
from theory.rules.simplex import project_on_simplex
from theory.rules.stats import RoundStats

__all__ = ["FLOOR", "SSA", "Start", "check_loss", "first_weights", "loss_of"]

Start = Literal["uniform", "share"]
FLOOR = 1e-12  # keeps log aₖ finite; a weight this small is pushed back by the entropy term


@dataclass(frozen=True)
class SSA:
    """a = argmin over the simplex of L_SSA(a), the loss of eq. (8) on the logits of two views.

    Source: fedssa, Algorithm 1 step 3, eqs. (2), (4) to (8) (SSA-E02 to SSA-E08); λs of §5.1. `lambda_cos` 0 leaves the
    first term out, as `lambda_var` and `lambda_we` do the others.
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
    start: Start = "uniform"
    divisor: Divisor = "classes"
    reduction: Reduction = "mean"
    lambda_cos: float = 1.0

    def __post_init__(self) -> None:
        check_loss("SSA", self)
        check_whole("SSA", "n_steps", self.n_steps, low=0)
        check_number("SSA", "step_size", self.step_size)
        check_word("SSA", "start", self.start, ("uniform", "share"))

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        return self.learned(stats, first_weights(stats, self.start, "SSA"))

    def learned(self, stats: RoundStats, start: Array) -> Array:
        """The weights found from `start`, (*batch, n_clients), which is projected on the simplex first."""
        loss = loss_of(self, stats, "SSA")
        present = stats.present
        xp = namespace(loss.logits, start)
        precision, start = start.dtype, xp.astype(start, loss.logits.dtype)
        floor = FLOOR if self.lambda_we > 0 else 0.0
        weights = project_on_simplex(start, present, floor=floor)
        value, gradient = loss(weights)
        rate = xp.full_like(value, self.step_size)
        for _ in range(self.n_steps):
            trial = project_on_simplex(weights - rate[..., None] * gradient, present, floor=floor)
            promised = -xp.sum(gradient * (trial - weights), axis=-1)
            moving = promised > 1e-12
            if not bool(xp.any(moving)):
                break
            new, slope = loss(trial)
            accepted = moving & (value - new >= 1e-4 * promised)
            weights = xp.where(accepted[..., None], trial, weights)
            gradient = xp.where(accepted[..., None], slope, gradient)
            value = xp.where(accepted, new, value)
            rate = xp.where(accepted, 2 * rate, xp.where(moving, rate / 2, rate))
        answer: Array = xp.astype(weights, precision)
        return answer


def first_weights(stats: RoundStats, start: Start, by: str) -> Any:
    """Equal weights of the clients present, or their shares, (*batch, n_clients)."""
    xp = namespace(stats.share)
    weights = masked_shares(stats) if start == "share" else xp.astype(stats.present, stats.share.dtype)
    return normalised(weights, by, "choose start='uniform'")


def loss_of(settings: Any, stats: RoundStats, by: str) -> SSALoss:
    """The loss with the λs, divisor and reduction of a rule on the views of a round, in float64 whatever they are in.

    Whether a trial counts hangs on differences of losses that fewer digits do not hold.
    """
    views = (target_outputs(stats, f"view_{i}", by) for i in (1, 2))
    view_1, view_2 = (namespace(view).astype(view, namespace(view).float64) for view in views)
    names = ("lambda_cos", "lambda_var", "lambda_we", "divisor", "reduction")
    return SSALoss.on(view_1, view_2, stats.present, **{name: getattr(settings, name) for name in names})


def check_loss(call: str, settings: Any) -> None:
    """`ValueError` for λs, divisor or reduction of a rule out of range."""
    for name in ("lambda_cos", "lambda_var", "lambda_we"):
        check_number(call, name, getattr(settings, name), closed=True)
    check_word(call, "divisor", settings.divisor, ("classes", "classes-1"))
    check_word(call, "reduction", settings.reduction, ("mean", "sum"))
