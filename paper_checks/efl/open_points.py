"""What the paper leaves open for several claims: each point once, with what may be chosen."""

from __future__ import annotations

from validation.world import twice

__all__ = ["SERVER", "G"]

G = twice(
    """Sec. 3.1: g = ∇F̃ₖ(ω, ξ), the batch gradient; before (14): «the residual R can be absorbed into gradient
        itself»""",
    "the batch gradient",
    "with the residual absorbed",
)
SERVER = twice(
    """Sec. 3.1, (6) and the server's line average Δωᵏ; Algorithm 1 returns ST(Δωᵏ) under that name""",
    "averages ST(Δωᵏ)",
    "averages Δωᵏ",
)
