"""What the paper leaves open for several claims: each point once, with what may be chosen."""

from __future__ import annotations

from validation.world import nowhere, twice

__all__ = ["EXPECTATION", "M0", "PARTITION", "WEIGHTS"]

EXPECTATION = nowhere(
    """E in ρᵗ(λ) = ‖E[Gᵗ]‖² is printed without what it averages: over the whole run, or, as A.2 takes it («full
        expectation over randomness at time step t», «variance … with respect to random noise in stochastic local
        updates»), over the round's noise given xᵗ""",
    "given the model of the round",
    "over the whole run",
)
WEIGHTS = twice(
    """A.1 displays «∀ … λ ∈ Δ_N», which are weights that do not depend on the round's updates; the sentence before
        it speaks of the «applied global pseudo-gradient»""",
    "all of the simplex",
    "the applied ones",
)
M0 = twice(
    """Algorithm 1: m⁰ is an input of any value; A.4: «the initialization such that E‖mᵢ⁰ − gᵢ⁰‖² = 0»""",
    "0, an input of Algorithm 1",
    "gᵢ⁰, as in A.4",
)
PARTITION = nowhere(
    """how labels are drawn: client by client, as by Hsu et al., whom Section 5 follows, or with each class cut
        among the clients, as by FedLab, the platform of B.1 (whose cap on large clients ours has not)""",
    "by class",
    "by client",
)
