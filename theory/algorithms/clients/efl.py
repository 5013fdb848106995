"""EFL's elastic term: every client is pulled towards all clients' last models, entry by entry as these are informed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from theory.algorithms.client import Client, Played, Variates
from theory.algorithms.entry import AlgorithmEntry
from theory.algorithms.fisher import Fisher, FisherLabels
from theory.algorithms.local_step import Affine, Vectors
from theory.base.arrays import Array, namespace
from theory.base.checks import check_number, check_word

__all__ = ["ENTRY", "Elastic"]


@dataclass(frozen=True)
class Elastic(Client):
    """g = ∇ℓ(w) + λ(U⊙w − V), U = Σuᵢ, V = Σvᵢ of the round before; uₖ = diag Iₖ, vₖ = diag Iₖ ⊙ wₖ.

    Source: efl eqs. (2), (3), Algorithm 1 (EFL-ALG1, steps 4 and 5), v in the text's reading. U = V = 0 in the first
    round. `strength` λ >= 0, 0 is FedAvg. `labels`, `n_samples`: the Fisher information, as
    `theory.algorithms.fisher.Fisher`.
    `summed`: over the last round's "participants", all that a server of Algorithm 1 receives, or over "all" clients,
    the absent ones with the u and v that they sent last. `normalised`: means in place of the printed sums, whose pull
    grows with the number of clients. `anchor`: Iₖ at the model after local training ("end") or before it ("start").
    With compressed messages (`compressed(client=elastic(…))`), u and v are sent in full, as printed.
    """

    strength: float
    labels: FisherLabels = "sampled"
    n_samples: int = 0
    summed: Literal["participants", "all"] = "participants"
    normalised: bool = False
    anchor: Literal["end", "start"] = "end"

    def __post_init__(self) -> None:
        check_number("Elastic", "strength", self.strength, closed=True, hint="0 is FedAvg")
        Fisher(self.labels, self.n_samples)
        check_word("Elastic", "summed", self.summed, ("participants", "all"))
        check_word("Elastic", "anchor", self.anchor, ("end", "start"))
        if not isinstance(self.normalised, bool):
            raise ValueError(f"Elastic(normalised={self.normalised!r}): must be true or false")

    @property
    def keeps(self) -> tuple[str, ...]:
        """u and v of each client, where absent ones count, too."""
        return ("fisher", "fisher_model") if self.strength and self.summed == "all" else ()

    @property
    def broadcasts(self) -> tuple[str, ...]:
        """U and V."""
        return ("sum_fisher", "sum_fisher_model") if self.strength else ()

    @property
    def means(self) -> tuple[tuple[str, str], ...]:
        """Means over all clients, if those."""
        return self._over_all if self.normalised else ()

    @property
    def totals(self) -> tuple[tuple[str, str], ...]:
        """Sums over all clients, if those."""
        return () if self.normalised else self._over_all

    @property
    def _over_all(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.broadcasts, self.keeps, strict=False))

    @property
    def traffic(self) -> tuple[int, int]:
        """u and v upwards, their sums downwards."""
        return (2, 2) if self.strength else (0, 0)

    @property
    def variates(self) -> Variates:
        """Every client's information counts alike, as printed."""
        return "uniform"

    @property
    def fisher(self) -> Fisher | None:
        """Asked for each round."""
        return Fisher(self.labels, self.n_samples) if self.strength else None

    def steps(self, own: Vectors, broadcast: Vectors) -> Affine:
        """D = λU, c = λ(U⊙w₀ − V)."""
        if not self.strength:
            return Affine()
        u, v = broadcast["sum_fisher"][..., None, :], broadcast["sum_fisher_model"][..., None, :]
        return Affine(pull=self.strength * u, shift=self.strength * (u * own["start"] - v))

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """The new u and v, and their sums over those who took part."""
        if not self.strength:
            return own, broadcast
        moved = played.updates if self.anchor == "end" else namespace(played.updates).zeros_like(played.updates)
        models = played.starts + moved
        u = played.fisher(models)
        v = u * models
        if self.keeps:
            return {**own, "fisher": u, "fisher_model": v}, broadcast
        over: Array = played.mean(u) if self.normalised else played.total(u)
        pulled: Array = played.mean(v) if self.normalised else played.total(v)
        return own, {**broadcast, "sum_fisher": over, "sum_fisher_model": pulled}


ENTRY = AlgorithmEntry(
    "elastic",
    "client",
    Elastic,
    "efl, eqs. (2), (3), Algorithm 1",
    "g = ∇ℓ + λ(Σuᵢ ⊙ w − Σvᵢ)",
    {"strength": 0.1},
)
