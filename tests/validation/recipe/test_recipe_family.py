"""What a difference is worth among all that a table is asked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.recipe.statistics.family import Line, over_sentences

ALPHA = 0.05
P = st.floats(0.0, 1.0)
FOUND = st.one_of(st.none(), st.tuples(st.booleans(), P))
LINES = st.builds(Line, st.booleans(), st.lists(FOUND, min_size=1, max_size=4).map(tuple))
SENTENCES = st.lists(st.lists(LINES, min_size=1, max_size=3), min_size=1, max_size=5)


def one(p: float, as_said: bool = True) -> list[Line]:
    return [Line(most=False, found=((as_said, p),))]


def test_one_difference_each_is_holms_step_down() -> None:
    worth = over_sentences([one(0.01), one(0.04), one(0.03), one(0.005)])
    assert [line[0][0] for line in worth] == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_sentence_that_nobody_ran_counts_so_that_running_it_takes_nothing_back() -> None:
    waiting = [Line(most=False, found=(None,))]
    before = over_sentences([one(0.01), waiting])
    after = over_sentences([one(0.01), one(0.9)])
    assert before[0][0][0] == after[0][0][0] == pytest.approx(0.02)
    assert before[1] == [[None]]


def test_a_sentence_of_several_differences_holds_by_its_largest_p() -> None:
    worth = over_sentences([[Line(False, ((True, 0.01), (True, 0.02))), Line(False, ((True, 0.001),))], one(0.3)])
    assert worth[0] == [pytest.approx([0.02, 0.04]), pytest.approx([0.002])]


def test_what_points_the_other_way_pays_for_all_chances_that_it_had() -> None:
    worth = over_sentences([[Line(False, ((False, 0.01), (True, 0.02))), Line(False, ((True, 0.001),))]])
    assert worth[0] == [pytest.approx([0.04, 0.02]), pytest.approx([0.001])]


@pytest.mark.parametrize(
    ("found", "worth"),
    [
        (((True, 0.01), (True, 0.02), (True, 0.9)), [0.02, 0.04, 1.0]),  # two of three: the second smallest, twice
        (((False, 0.01), (False, 0.02), (True, 0.9)), [0.02, 0.04, 1.0]),  # it fails where two do not
    ],
)
def test_what_is_said_of_most_lies_between(found: tuple[tuple[bool, float], ...], worth: list[float]) -> None:
    assert over_sentences([[Line(True, found)]])[0][0] == pytest.approx(worth)


@settings(max_examples=300)
@given(SENTENCES)
def test_no_p_falls_and_their_order_within_a_side_stays(sentences: list[list[Line]]) -> None:
    for lines, worth in zip(sentences, over_sentences(sentences), strict=True):
        for line, adjusted in zip(lines, worth, strict=True):
            told = [(one, p) for one, p in zip(line.found, adjusted, strict=True) if one is not None and p is not None]
            assert all(p >= one[1] for one, p in told)
            for side in (True, False):
                mine = sorted((one[1], p) for one, p in told if one[0] is side)
                assert all(a[1] <= b[1] for a, b in pairwise(mine))


def test_a_false_sentence_holds_or_a_true_one_falls_in_at_most_one_table_of_twenty() -> None:
    """Drawn tables: three sentences of two differences, one of them without an effect or all as said by a hair."""
    rng = np.random.default_rng(7)
    wrong, tables = 0, 4000
    for _ in range(tables):
        sentences = []
        for k in range(3):
            effects = (0.0, 0.0) if k == 0 else (0.0, 4.0) if k == 1 else (0.0, 1e-9)
            z = rng.standard_normal(2) + effects
            p = 2 * (1 - _phi(np.abs(z)))
            sentences.append([Line(False, tuple((bool(v > 0), float(q)) for v, q in zip(z, p, strict=True)))])
        worth = over_sentences(sentences)
        for lines, adjusted in zip(sentences, worth, strict=True):
            told = [(one[0], p) for one, p in zip(lines[0].found, adjusted[0], strict=True) if one and p is not None]
            holds = all(side and p < ALPHA for side, p in told)
            falls = any(not side and p < ALPHA for side, p in told)
            if holds or falls:
                wrong += 1
                break
    assert wrong / tables < ALPHA + 3 * (ALPHA * (1 - ALPHA) / tables) ** 0.5


def _phi(z: np.ndarray) -> np.ndarray:
    from scipy.stats import norm

    return np.asarray(norm.cdf(z))
