"""How a statement of the literature is claimed here: in our words, «as we state it», with the world and false twins."""

from __future__ import annotations

from typing import Any

from validation import Claim
from validation.world import reading, theorem
from validation.world.federated import Federated
from validation.world.variants import FalseVariant

__all__ = ["stated"]

_SEARCHED = "No violation was found on quadratic clients; a derivation is not given here."


def stated(
    claim_id: str,
    title: str,
    formula: str,
    plainly: str,
    says: Any,
    world: Federated,
    *twins: FalseVariant,
    because: str = "",
) -> Claim:
    """A claim whose one reading is what we state; `twins` are its mutants. `because`: why it is true, in a line."""
    return theorem(
        claim_id,
        "stated here",
        title,
        printed=formula,
        plainly=plainly,
        says=says,
        world=world,
        readings=[reading("as we state it", plainly)],
        mutants=twins,
        ours="stated here in the letters of the catalogue of runs; the sources are named, not quoted",
        verdict=f"It holds: {because}." if because else _SEARCHED,
    )
