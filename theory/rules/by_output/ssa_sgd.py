"""FedSSA with gradient steps on mini-batches, as the print describes it, and four ways to keep the weights weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, device_of, namespace
from theory.base.checks import check_number, check_whole, check_word
from theory.base.streams import stream
from theory.rules.by_output.ssa import FLOOR, SSA, Start, check_loss, first_weights, loss_of
from theory.rules.by_output.ssa_learning import SSALoss
from theory.rules.by_output.ssa_loss import Divisor, Reduction
from theory.rules.entry import RuleEntry
from theory.rules.protocol import normalised
from theory.rules.simplex import project_on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "SSASGD"]


@dataclass(frozen=True)
class SSASGD:
    """a ← a − η_ssa ∇L_SSA(a) on mini-batches of the unlabelled samples, E_ssa passes over them.

    Source: fedssa, Algorithm 1 step 3, eqs. (2) to (8), §5.4 (η_ssa = `lr`, E_ssa = `epochs`; ten epochs in Table 3).
    Needs the signals `view_1` and `view_2`, as `SSA`. How the weights stay weights is open (SSA-O1), `constraint`:
    "softmax": a = softmax(v) and the step is on v, from v = log a; "projection": Π(a − η∇L); "clip": negative weights
    become 0, the rest is divided by its sum, which rests where ∇L is a multiple of a and not at a minimum; "free": as
    eq. (2) prints it, so that weights may be negative and sum to anything; it refuses λ_we > 0, as log of a negative
    weight is undefined.
    Also open (SSA-O2): `lr`, `batch_size` (0: all samples at once), `start`; 3 was chosen on digits, where steps of 0.1
    move nothing in ten epochs and steps of 30 end at the minimum, on one client. The samples' order is stream (seed,
    "ssa batches", round, epoch), the same for all elements of a batch axis. Raises `ValueError` when "clip" leaves
    nothing.
    """

    needs: ClassVar[tuple[str, ...]] = ("view_1", "view_2")

    lr: float = 3.0
    epochs: int = 10
    batch_size: int = 64
    constraint: Literal["softmax", "projection", "clip", "free"] = "softmax"
    lambda_var: float = 1.0
    lambda_we: float = 1e-3
    lambda_cos: float = 1.0
    start: Start = "uniform"
    divisor: Divisor = "classes"
    reduction: Reduction = "mean"
    seed: int = 0

    def __post_init__(self) -> None:
        check_loss("SSASGD", self)
        check_number("SSASGD", "lr", self.lr)
        for name in ("epochs", "batch_size", "seed"):
            check_whole("SSASGD", name, getattr(self, name), low=0)
        check_word("SSASGD", "constraint", self.constraint, ("softmax", "projection", "clip", "free"))
        check_word("SSASGD", "start", self.start, ("uniform", "share"))
        if self.constraint == "free" and self.lambda_we > 0:
            raise ValueError(
                f"SSASGD(constraint='free', lambda_we={self.lambda_we}): weights may become negative, where log is"
                " undefined; expected lambda_we=0"
            )

    @property
    def simplex(self) -> bool:
        """Whether the weights are sure to lie on the simplex."""
        return self.constraint != "free"

    def total(self, stats: RoundStats) -> Any:
        """What the weights sum to, (*batch,): found by learning them."""
        weights = self(stats)
        return namespace(weights).sum(weights, axis=-1)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights, shape (*batch, n_clients)."""
        return self.learned(stats, first_weights(stats, self.start, "SSASGD"))

    def learned(self, stats: RoundStats, start: Array) -> Array:
        """The weights found from `start`, (*batch, n_clients), on the simplex."""
        loss = loss_of(self, stats, "SSASGD")
        xp = namespace(loss.logits, start)
        precision, start = start.dtype, xp.astype(start, loss.logits.dtype)
        weights, point = start, self._point(xp, start, stats.present)
        for some in self._batches(loss, stats.round):
            _, gradient = some(weights)
            if self.constraint == "softmax":
                gradient = weights * (gradient - xp.sum(weights * gradient, axis=-1, keepdims=True))
            point = point - self.lr * gradient
            weights, point = self._back(xp, point, stats.present)
        answer: Array = xp.astype(weights, precision)
        return answer

    def _batches(self, loss: SSALoss, round_index: int) -> Any:
        """The loss on one mini-batch after another."""
        n = loss.sizes[0]
        xp, size = namespace(loss.logits), self.batch_size or n
        for epoch in range(self.epochs):
            if size >= n:
                yield loss
                continue
            order = xp.asarray(
                stream(self.seed, "ssa batches", round_index, epoch).permutation(n), device=device_of(loss.logits)
            )
            for first in range(0, n, size):
                yield loss.of(order[first : first + size])

    def _point(self, xp: Any, weights: Any, present: Any) -> Any:
        """What the steps move: v = log a, or a itself."""
        if self.constraint != "softmax":
            return weights
        safe = xp.where(present & (weights > FLOOR), weights, xp.full_like(weights, FLOOR))
        return xp.where(present, xp.log(safe), xp.full_like(weights, -xp.inf))

    def _back(self, xp: Any, point: Any, present: Any) -> tuple[Any, Any]:
        """(Weights, point) after a step."""
        if self.constraint == "free":
            return point, point
        if self.constraint == "softmax":
            grown = xp.exp(point - xp.max(point, axis=-1, keepdims=True))
            return grown / xp.sum(grown, axis=-1, keepdims=True), point
        if self.constraint == "projection":
            weights = project_on_simplex(point, present, floor=FLOOR if self.lambda_we > 0 else 0.0)
        else:
            weights = normalised(xp.where(point > 0, point, xp.zeros_like(point)), "SSASGD", "lower lr")
        return weights, weights


# The entry of `SSA` stands here: its own file looks settings up by name, so that verdicts count with the whole of it.
ENTRY = (
    RuleEntry("fed-ssa", SSA, "fedssa", "eqs. (2), (8)", "argmin L_cos + λ_var·L_var + λ_we·L_we"),
    RuleEntry("fed-ssa-sgd", SSASGD, "fedssa", "eqs. (2), (8), §5.4", "a ← a − η_ssa∇L_SSA, E_ssa epochs"),
)
