"""RoundStats: what a server knows after a round, the one currency between convex and deep runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from theory.arrays import Array, check_simplex, namespace

__all__ = ["RoundStats"]

_LOSSES = ("loss_before", "loss_after", "loss_best")
_EMPTY: dict[str, Any] = {
    **dict.fromkeys((*_LOSSES, "local_steps", "updates")),
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
    `local_steps`: local steps each client finished this round.
    `updates` wₖ − w: (*batch, n_clients, dim), units of the model.
    `signals`: named extras a rule declares it needs (accuracy, gradient variance, …).
    `observed_at`: for each loss, the model it was observed at when that differs from the above.

    Raises `ValueError` on wrong shapes, weights off the simplex, an empty cohort, or a NaN or infinite loss of a
    client that is present.
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

    def __post_init__(self) -> None:
        xp = namespace(self.share)
        check_simplex(self.share, "RoundStats(share=…)")
        shape = tuple(self.share.shape)
        if tuple(self.present.shape) != shape:
            raise ValueError(f"RoundStats(present=…): shape {tuple(self.present.shape)}; expected {shape}, as share")
        if not bool(xp.all(xp.any(self.present, axis=-1))):
            raise ValueError("RoundStats(present=…): a cohort is empty; every batch element needs a client present")
        for name in (*_LOSSES, "local_steps"):
            value = getattr(self, name)
            if value is None:
                continue
            if tuple(value.shape) != shape:
                raise ValueError(f"RoundStats({name}=…): shape {tuple(value.shape)}; expected {shape}, as share")
            bad = self.present & ~xp.isfinite(value) if name in _LOSSES else None
            if bad is not None and bool(xp.any(bad)):
                where = tuple(int(i[0]) for i in xp.nonzero(bad))
                raise ValueError(
                    f"RoundStats({name}=…): {float(value[where])} at index {where} in round {self.round};"
                    " expected a finite loss for every client present"
                )
        if self.updates is not None and tuple(self.updates.shape[:-1]) != shape:
            raise ValueError(
                f"RoundStats(updates=…): shape {tuple(self.updates.shape)}; expected {shape} and the model's dimension"
            )

    @classmethod
    def unchecked(cls, **fields: Any) -> RoundStats:
        """The same without the checks, for the inner loop of a simulator that checked its inputs at the door."""
        stats = object.__new__(cls)
        stats.__dict__.update(_EMPTY, **fields)
        return stats

    @property
    def n_clients(self) -> int:
        """Number of clients, present or not."""
        return int(self.share.shape[-1])

    def need(self, name: str, by: str) -> Any:
        """The field or signal called `name`; `ValueError` naming the rule `by` when the round lacks it."""
        value = getattr(self, name, None) if name in self.__dataclass_fields__ else self.signals.get(name)
        if value is None:
            have = [f for f in (*_LOSSES, "local_steps", "updates") if getattr(self, f) is not None]
            raise ValueError(
                f"{by} needs `{name}`, which this round does not carry; it has {have + list(self.signals)}"
            )
        return value

    def gram(self) -> Any:
        """Inner products ⟨uᵢ, uⱼ⟩ of the updates, float64, (*batch, n_clients, n_clients); absent rows are 0."""
        updates = self.need("updates", "RoundStats.gram()")
        xp = namespace(updates)
        u = xp.astype(updates, xp.float64) * xp.astype(self.present, xp.float64)[..., None]
        return u @ xp.matrix_transpose(u)
