"""What the paper leaves open for several claims: each point once, with what may be chosen."""

from __future__ import annotations

from validation.world import twice

__all__ = ["RECURSION"]

RECURSION = twice(
    """aggregation: (1) at t = 0 mod E in the update t → t + 1, Algorithm 1 after E local steps; virtual model: (2) with
        αₜ = p between aggregations, A.1 wₜ = Σαₜʲwₜʲ, «we have used the definition of w_t»""",
    "(1) and (2)",
    "Algorithm 1 and (2)",
    "wₜ = Σαₜʲwₜʲ, A.1",
)
