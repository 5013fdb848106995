"""What a free object (weights, a cohort, a schedule) may have seen when it is chosen: four instants, in order.

Source: robust_aggregation, eqs. (1) and (2), where weights computed from F_i(w_t) at an aggregation have seen the
earlier steps of the round; exp_alpha, Algorithm 1, whose weights see every sample of the round.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Instant"]


class Instant(IntEnum):
    """BEFORE_RUN < BEFORE_ROUND < BEFORE_STEP < AFTER_STEP; what is chosen later has seen more.

    The step is the one whose stochastic gradients the object multiplies. With one local step a round BEFORE_ROUND and
    BEFORE_STEP know the same. A claim attacks its free objects at every instant that the print leaves open and some
    algorithm of the paper uses; a later one belongs beside the verdict, never into it.
    """

    BEFORE_RUN = 0
    BEFORE_ROUND = 1
    BEFORE_STEP = 2
    AFTER_STEP = 3

    @property
    def words(self) -> str:
        """The instant in words, fit to follow «weights known»."""
        return (
            "before the run",
            "before the round",
            "before the step, the earlier samples of the round seen",
            "after the step, its own samples seen",
        )[self]

    @classmethod
    def upto(cls, latest: Instant) -> tuple[float, ...]:
        """The instants up to `latest` as the values of a coordinate."""
        return tuple(float(level) for level in cls if level <= latest)
