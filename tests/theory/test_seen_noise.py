"""The closed forms of seen noise against its outcomes one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theory.exact.seen_noise import leaning, outcomes_of_noise, weighted_noise
from theory.seen_noise import independent_signs, one_winner

LEANS = (Fraction(1), Fraction(2, 3), Fraction(9, 10))


@pytest.mark.parametrize("lean", LEANS)
@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("spread", [1, 2, 3])
def test_one_winner_has_the_moments_of_its_outcomes(spread: int, seen: bool, lean: Fraction) -> None:
    found = one_winner(lean, spread, seen=seen)
    assert (found.mean, found.second) == weighted_noise(spread**2 + 1, spread, lean, seen)


@pytest.mark.parametrize("lean", LEANS)
@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_independent_signs_have_the_moments_of_their_outcomes(n: int, seen: bool, lean: Fraction) -> None:
    found = independent_signs(float(lean), n, seen=seen)
    assert (found.mean, found.second) == pytest.approx([float(v) for v in weighted_noise(n, 0, lean, seen)])


@pytest.mark.parametrize(("n", "spread"), [(2, 1), (5, 2), (10, 3), (2, 0), (4, 0)])
def test_each_clients_own_noise_is_centred_and_of_second_moment_one(n: int, spread: int) -> None:
    outcomes = outcomes_of_noise(n, spread)
    assert sum(chance for chance, _ in outcomes) == 1
    for i in range(n):
        assert sum(chance * noise[i] for chance, noise in outcomes) == 0
        assert sum(chance * noise[i] ** 2 for chance, noise in outcomes) == 1


def test_only_a_server_that_has_seen_the_noise_gives_it_a_mean() -> None:
    assert weighted_noise(2, 1, Fraction(1), True) == (1, 1)
    assert weighted_noise(2, 1, Fraction(1), False) == (0, 1)
    assert weighted_noise(2, 0, Fraction(1), True) == (Fraction(1, 2), 1)


@pytest.mark.parametrize("lean", LEANS)
def test_weights_stay_on_the_simplex(lean: Fraction) -> None:
    for _, noise in outcomes_of_noise(5, 2):
        weights = leaning(noise, lean, True)
        assert sum(weights) == 1
        assert min(weights) >= 0


def test_one_client_is_refused() -> None:
    with pytest.raises(ValueError, match=r"independent_signs\(n_clients=1\)"):
        independent_signs(1.0, 1, seen=True)
    with pytest.raises(ValueError, match=r"one_winner\(n_clients=1\)"):
        one_winner(1.0, 0, seen=True)
