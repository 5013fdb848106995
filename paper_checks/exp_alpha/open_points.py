"""What the paper leaves open for several claims: each point once, with what may be chosen."""

from __future__ import annotations

from validation.world import twice

__all__ = ["FIRST_STEP", "GAMMA", "RANGE_OF_T", "TABLE"]

GAMMA = twice("""Theorems 1 and 2 print γ = max L/μ, their proof (A.9) γ = max{8L/μ, E} − 1""", "A.9", "L/μ")
RANGE_OF_T = twice(
    """Theorem 1 defines Ω with «∀t ≥ 0»; A.9, A.13 and Lemma 1 print min_t and max_t with no range, for a run that
        ends at T""",
    "all t >= 0",
    "the steps of the run",
)
FIRST_STEP = twice(
    """A.9 asks for «η_1 ≤ 1/(4L)», as if the steps were counted from 1, Lemma 1 for ηₜ <= 1/(4L); the run starts
        at W^0, and (7) is used from Δ_0 on""",
    "t = 0",
    "t = 1",
)
TABLE = twice("""the passage names Table 1, whose caption calls Table 10 the complete one""", "Table 1", "Table 10")
