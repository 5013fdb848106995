"""The fast text and the exact one give every letter alike, in every setting of the options."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.theory.worlds.federated.drawing import instance, settings
from theory.worlds.federated.catalogue import CATALOGUE, within
from theory.worlds.federated.exact_run import exact_run
from theory.worlds.federated.fast_run import fast_run
from theory.worlds.federated.options import CHOICES, refusal
from validation.statement.instances.draw import stack

SIZES = ((1, 1, 1, 1), (2, 3, 2, 2), (3, 2, 3, 1), (3, 1, 2, 2))
CLOSE = 1e-9  # of numbers of about 1, each made by some hundred operations in floats


@pytest.mark.parametrize("size", SIZES)
def test_fast_is_exact(size: tuple[int, int, int, int]) -> None:
    N, E, R, d = size
    rng, compared, known = np.random.default_rng(size), Counter[str](), settings(E, R)
    seeing = [one for one in known if one.weights == "seen"]
    for options in (*known[N::15], *seeing[N::3]):  # each size has its own part of the settings
        letters = [one for one in CATALOGUE.values() if not refusal(one.needs, options)]
        x = instance(rng, N, d, options)
        runs = fast_run(stack([x, x]), options, within=within(letters, options))
        met, wanted = exact_run(x, letters=[one.exact for one in letters], **options.chosen)
        for one in letters:
            found = np.broadcast_to(one.fast(runs), (2,))[1]
            if np.isnan(found):
                assert not met["every letter is defined"], one.name
                assert wanted[one.name] == 0
                continue
            compared[one.name] += 1
            assert found == pytest.approx(float(wanted[one.name]), rel=CLOSE, abs=CLOSE), (one.name, options)
    # Of one client F is its own, and the skew at w* divides by 0; of one round there is none before the last.
    undefined = ({"rho_best"} if N == 1 else set()) | ({"Omega_less", "Gamma_less"} if R == 1 else set())
    assert set(compared) == set(CATALOGUE) - undefined


def test_every_choice_is_among_the_settings() -> None:
    for name, values in CHOICES.items():
        assert {getattr(one, name) for one in (*settings(1, 2), *settings(2, 2))} == set(values)
