"""The instants of what a free object may have seen: their order, their words, and the coordinate that draws them."""

from __future__ import annotations

import numpy as np

from validation import Information, Instant


def test_instants_are_ordered_and_each_has_its_own_words() -> None:
    assert Instant.BEFORE_RUN < Instant.BEFORE_ROUND < Instant.BEFORE_STEP < Instant.AFTER_STEP
    words = [level.words for level in Instant]
    assert len(set(words)) == len(words)
    assert Instant.BEFORE_ROUND.words == "before the round"


def test_upto_keeps_later_instants_out() -> None:
    assert Instant.upto(Instant.BEFORE_STEP) == (0.0, 1.0, 2.0)
    assert Instant.upto(Instant.AFTER_STEP) == tuple(float(level) for level in Instant)


def test_the_coordinate_draws_every_instant_and_its_projection_caps_them() -> None:
    sees = Information("sees")
    drawn = sees.decode(np.linspace(0, 0.999, 100)[:, None])
    assert set(drawn) == set(Instant.upto(Instant.AFTER_STEP))
    capped = sees.at_most(Instant.BEFORE_ROUND)({"sees": drawn})["sees"]
    assert set(capped) == {0.0, 1.0}
    earlier = Information("sees", Instant.upto(Instant.BEFORE_STEP))
    assert set(earlier.decode(np.linspace(0, 0.999, 100)[:, None])) == {0.0, 1.0, 2.0}
