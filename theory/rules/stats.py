"""RoundStats: what a server knows after a round, the one currency between convex and deep runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from theory.base.arrays import Array, check_simplex, namespace

__all__ = ["RoundStats"]

_LOSSES = ("loss_before", "loss_after", "loss_best")
_STEPS = ("local_steps", "planned_steps", "effective_steps")
_EMPTY: dict[str, Any] = {
    **dict.fromkeys((*_LOSSES, "local_steps", "planned_steps", "effective_steps", "updates")),
    "round": 0,
    "signals": {},
    "observed_at": {},
}


@dataclass(frozen=True, eq=False)
class RoundStats:
    """Per-client facts of one round; clients on the last axis, batch axes in front, all of one namespace.

    `share` pₖ: data shares over all clients, (*batch, n_clients), on the simplex.
    `present`: booleans of the same shape; every batch element needs one client present.
    `loss_before` Fₖ(w) of the broadcast model, `loss_after` Fₖ(wₖ) after local training, `loss_best` Fₖ* (exact
    in the convex runs, an estimate in deep ones): same shape, units of loss; entries of absent clients are ignored.
    `local_steps`: local steps each client finished this round, >= 0; `planned_steps`: those it had planned, absent ones
    included; `effective_steps`: τₖ = ‖a‖₁ of the coefficients with wₖ − w = −η Σ aₛgₛ, which momentum makes more than
    `local_steps` (FedNova, eq. 3).
    `updates` wₖ − w: (*batch, n_clients, dim), units of the model.
    `signals`: named extras a rule declares it needs: "accuracy" of the broadcast model, (*batch,);
    "gradient_variance", (*batch, n_clients); "step_size", the mean η > 0 of each client's local steps of the round,
    (*batch, n_clients); "optimum_gradients" ∇Fₖ(w*), (*batch, n_clients, dim); "label_counts", how many samples of each
    class a client has, (*batch, n_clients, n_classes); "view_1", "view_2", "logits", the clients' outputs on two
    transformations of the target samples and on the samples themselves, (*batch, n_samples, n_clients, n_classes).
    `observed_at`: for each loss, the model it was observed at when that differs from the above.

    Raises `ValueError` on wrong shapes, weights off the simplex, an empty cohort, a negative number of local steps, or
    a NaN or infinite loss or update of a client that is present.
    """

    share: Array
    present: Array
    loss_before: Array | None = None
    loss_after: Array | None = None
    loss_best: Array | None = None
    local_steps: Array | None = None
    updates: Array | None = None
    round: int = 0
    signals: Mapping[str, Array] = field(default_factory=dict)
    observed_at: Mapping[str, str] = field(default_factory=dict)
    planned_steps: Array | None = None
    effective_steps: Array | None = None

    def __post_init__(self) -> None:
        for name in ("share", "present", *_LOSSES, *_STEPS, "updates"):
            value = getattr(self, name)
            if value is not None and not hasattr(value, "shape"):
                raise ValueError(
                    f"RoundStats({name}=…): a {type(value).__name__}; expected one array for all clients"
                    f"{', whose updates all have the shape of the model' if name == 'updates' else ''}"
                )
        xp = namespace(self.share)
        check_simplex(self.share, "RoundStats(share=…)")
        shape = tuple(self.share.shape)
        if tuple(self.present.shape) != shape:
            raise ValueError(f"RoundStats(present=…): shape {tuple(self.present.shape)}; expected {shape}, as share")
        if self.present.dtype != xp.bool:
            raise ValueError(
                f"RoundStats(present=…): of type {self.present.dtype}; expected booleans, such as present > 0"
            )
        if not bool(xp.all(xp.any(self.present, axis=-1))):
            raise ValueError("RoundStats(present=…): a cohort is empty; every batch element needs a client present")
        for name in (*_LOSSES, *_STEPS):
            value = getattr(self, name)
            if value is not None and tuple(value.shape) != shape:
                raise ValueError(f"RoundStats({name}=…): shape {tuple(value.shape)}; expected {shape}, as share")
        self.check_losses(_LOSSES)
        for name in _STEPS:
            steps = getattr(self, name)
            if steps is not None and bool(xp.any(self.present & ~(steps >= 0))):
                lowest = float(xp.min(xp.where(self.present, steps, xp.zeros_like(steps))))
                raise ValueError(
                    f"RoundStats({name}=…): {lowest:g} in round {self.round}; expected counts >= 0, 0 for a client"
                    " that did nothing"
                )
        if self.updates is not None:
            self._check_updates(shape)
            self._silence_updates()

    def _check_updates(self, shape: tuple[int, ...]) -> None:
        updates: Any = self.updates
        if updates.ndim != len(shape) + 1 or tuple(updates.shape[:-1]) != shape:
            raise ValueError(
                f"RoundStats(updates=…): shape {tuple(updates.shape)}; expected {shape} and the model's dimension"
            )
        xp = namespace(updates)
        bad = self.present & ~xp.all(xp.isfinite(updates), axis=-1)
        if bool(xp.any(bad)):
            where = tuple(int(i[0]) for i in xp.nonzero(bad))
            raise ValueError(
                f"RoundStats(updates=…): NaN or infinity at index {where} in round {self.round}; expected finite"
                " updates of every client present; did its local training diverge?"
            )

    def _silence_updates(self) -> None:
        """What absent clients send becomes 0 where one of it is not finite: a weight of 0 does not undo a NaN."""
        updates: Any = self.updates
        xp = namespace(updates)
        if not bool(xp.all(xp.isfinite(updates))):
            silent = xp.where(self.present[..., None], updates, xp.zeros_like(updates))
            object.__setattr__(self, "updates", silent)

    def check_losses(self, names: tuple[str, ...]) -> None:
        """`ValueError` for a NaN or infinite loss, among those called `names`, of a client that is present."""
        for name in names:
            value = getattr(self, name)
            if value is None:
                continue
            xp = namespace(value)
            bad = self.present & ~xp.isfinite(value)
            if bool(xp.any(bad)):
                where = tuple(int(i[0]) for i in xp.nonzero(bad))
                raise ValueError(
                    f"RoundStats({name}=…): {float(value[where])} at index {where} in round {self.round};"
                    " expected a finite loss for every client present"
                )

    @classmethod
    def unchecked(cls, **fields: Any) -> RoundStats:
        """The same without the checks, for the inner loop of a simulator that checked its inputs at the door."""
        stats = object.__new__(cls)
        stats.__dict__.update(_EMPTY, **fields)
        return stats

    def counting(self, present: Array, updates: Any, reads: tuple[str, ...] | None) -> RoundStats:
        """The same round with `present` counted as the cohort and with other `updates`, for a rule that `reads` it.

        Raises `ValueError` when a loss that is read is not finite for a client that is now counted.
        """
        stats = RoundStats.unchecked(**{**self.__dict__, "present": present, "updates": updates})
        stats.check_losses(tuple(name for name in _LOSSES if reads is None or name in reads))
        return stats

    @property
    def n_clients(self) -> int:
        """Number of clients, present or not."""
        return int(self.share.shape[-1])

    def need(self, name: str, by: str) -> Any:
        """The field or signal called `name`; `ValueError` naming the rule `by` when the round lacks it."""
        field_of_stats = name in self.__dataclass_fields__
        value = getattr(self, name, None) if field_of_stats else self.signals.get(name)
        if value is None:
            have = [f for f in (*_LOSSES, *_STEPS, "updates") if getattr(self, f) is not None]
            given = f"RoundStats({name}=…)" if field_of_stats else f"RoundStats(signals={{{name!r}: …}})"
            raise ValueError(
                f"{by} needs `{name}`, which this round does not carry; it has {have + list(self.signals)};"
                f" give it as {given}"
            )
        return value

    def gram(self) -> Any:
        """Inner products ⟨uᵢ, uⱼ⟩ of the updates, float64, (*batch, n_clients, n_clients); absent rows are 0."""
        updates = self.need("updates", "RoundStats.gram()")
        xp = namespace(updates)
        u = xp.astype(updates, xp.float64) * xp.astype(self.present, xp.float64)[..., None]
        return u @ xp.matrix_transpose(u)
