"""Who of a fixed population takes part in a round, with how many local steps: theory's laws, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from deep.partition.text import as_text, built
from theory.participation.sampling import (
    Arrival,
    Bernoulli,
    Departure,
    FullParticipation,
    GivenSteps,
    Inactive,
    Participation,
    Stragglers,
    UniformSteps,
    UniformWithoutReplacement,
)

__all__ = ["PARTICIPATIONS", "always_everyone", "make_participation", "participation_text"]

PARTICIPATIONS: Mapping[str, type[Participation]] = MappingProxyType(
    {
        "full": FullParticipation,
        "uniform": UniformWithoutReplacement,
        "bernoulli": Bernoulli,
        "given-steps": GivenSteps,
        "uniform-steps": UniformSteps,
        "stragglers": Stragglers,
        "arrival": Arrival,
        "departure": Departure,
        "inactive": Inactive,
    }
)


def make_participation(text: str) -> Participation:
    """The law that `text` describes; `ValueError` as `make_partition`.

    >>> make_participation("stragglers(probability=0.9, of=uniform(n_sampled=5))").of
    UniformWithoutReplacement(n_sampled=5)
    >>> make_participation("given-steps(steps=[[10, 5], [0, 10]])")
    GivenSteps(steps=((10, 5), (0, 10)))
    """
    registry: Mapping[str, Callable[..., Participation]] = PARTICIPATIONS
    return built(registry, "participation", text, inner=make_participation)


def participation_text(law: Participation) -> str:
    """The text that `make_participation` turns back into `law`, every setting named."""
    return as_text(PARTICIPATIONS, law)


def always_everyone(law: Participation, n_clients: int) -> bool:
    """Whether no client is ever absent under `law`; False where that is not known."""
    if isinstance(law, Stragglers):
        return always_everyone(law.of, n_clients)
    if isinstance(law, UniformWithoutReplacement):
        return law.n_sampled == n_clients
    if isinstance(law, UniformSteps):
        return law.lowest > 0
    return isinstance(law, FullParticipation)
