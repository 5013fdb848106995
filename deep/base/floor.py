"""Floor: what stands for Fₖ* in a run, which every rule and every quantity that reads one names."""

from __future__ import annotations

from dataclasses import asdict, dataclass

__all__ = ["BEST_SEEN", "FLOORS", "ZERO", "Floor"]

FLOORS = ("auto", "solved", "best-seen", "zero", "reached")


@dataclass(frozen=True)
class Floor:
    """What stands for Fₖ* = inf Fₖ, and for Fₖ(w*), in a run.

    `kind`: "solved", certified infima; "zero", a lower bound, as losses are >= 0 (and a network that can fit its client
    has infimum 0); "best-seen", the lowest loss of the client at models of earlier rounds and at this round's broadcast
    model, an upper bound; "reached", the loss where gradient descent ended, an upper bound that is solved nothing.
    `losses` Fₖ*, None for "best-seen", one 0 for "zero"; `at_optimum` Fₖ(w*), None where no w* is known.
    `says`: in words, for tables.
    """

    kind: str
    says: str
    losses: tuple[float, ...] | None = None
    at_optimum: tuple[float, ...] | None = None

    def to_dict(self) -> dict[str, object]:
        """Ready for `json.dumps`."""
        return asdict(self)


ZERO = Floor("zero", "Fₖ* is taken as 0, a lower bound: excesses Fₖ(w) − Fₖ* are upper estimates", (0.0,))
BEST_SEEN = Floor(
    "best-seen",
    "Fₖ* is the lowest loss of client k at models of earlier rounds and at the broadcast model: an upper estimate",
)
