"""How a statement of the literature is claimed here: in our words, «as we state it», with the world and false twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from validation import Claim
from validation.statement.instances.at import At
from validation.world import FalseVariant, Variant, World, reading, theorem
from validation.world.federated import Federated

__all__ = ["stated"]

_SEARCHED = "No violation was found on quadratic clients; a derivation is not given here."
_OF_RUNS = "stated here in the letters of the catalogue of runs; the sources are named, not quoted"
_OURS = "stated here in letters of our own; the sources are named, not quoted"


def stated(
    claim_id: str,
    title: str,
    formula: str,
    plainly: str,
    says: Any,
    world: World | None,
    *twins: FalseVariant,
    because: str = "",
    tight: str | At | Sequence[str | At] = (),
    only: Variant | None = None,
) -> Claim:
    """A claim whose first reading is what we state; `twins` are its mutants. `because`: why it is true, in a line.

    `tight`: where both sides are equal, in words, as instances `at(…)`, or both. `only`: for what is false as it
    stands, the reading with the hypothesis under which it is true; `because` is then why it is true there.
    """
    told = f"It fails as it stands. With the hypothesis {only.role.name} it holds" if only else "It holds"
    return theorem(
        claim_id,
        "stated here",
        title,
        printed=formula,
        plainly=plainly,
        says=says,
        world=world,
        readings=[reading("as we state it", plainly), *([only] if only else [])],
        mutants=twins,
        tight=tight,
        ours=_OF_RUNS if isinstance(world, Federated) else _OURS,
        verdict=f"{told}: {because}." if because else _SEARCHED,
    )
