"""What the papers leave open about a round, each a named reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Conventions"]


@dataclass(frozen=True)
class Conventions:
    """How a printed recursion is read; the defaults are what the algorithm boxes say.

    `aggregation`: "algorithm" aggregates after E local steps (robust_aggregation RA-ALG1, exp_alpha EA-D3); "equation"
    aggregates in the update t → t+1 when t = 0 mod E (robust_aggregation eq. 1), so the first round has one local step
    and the last E − 1 steps are not aggregated.
    `virtual`: weights of w̄ₜ between aggregations: "round", the round's own, or "share", the pₖ (robust_aggregation
    eq. 2).
    `losses`: the losses a rule sees as `loss_before`: "broadcast", of the model sent out, or "current", of the virtual
    model Σpₖwₖ just before aggregation (robust_aggregation, framework).
    `best_loss`: Fₖ* as "own", Fₖ(wₖ*), or "global", F(wₖ*) as robust_aggregation defines it in words (RA-D3).
    Raises `ValueError` for any other word.
    """

    aggregation: Literal["algorithm", "equation"] = "algorithm"
    virtual: Literal["round", "share"] = "round"
    losses: Literal["broadcast", "current"] = "broadcast"
    best_loss: Literal["own", "global"] = "own"

    def __post_init__(self) -> None:
        allowed = {
            "aggregation": ("algorithm", "equation"),
            "virtual": ("round", "share"),
            "losses": ("broadcast", "current"),
            "best_loss": ("own", "global"),
        }
        for name, words in allowed.items():
            if getattr(self, name) not in words:
                raise ValueError(f"Conventions({name}={getattr(self, name)!r}): expected one of {', '.join(words)}")
