"""Every letter at two instances that were computed by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.worlds.federated.catalogue import CATALOGUE, within
from theory.worlds.federated.exact_run import exact_run
from theory.worlds.federated.fast_run import fast_run
from theory.worlds.federated.options import Options, refusal
from validation.statement.instances.draw import stack

F = Fraction
HALF = [F(1, 2), F(1, 2)]
MORE = {"noisy": F(1), "slack": F(1, 2), "extra": F(1, 3)}

# Curvatures 1, optima 1 and −1, from 3, one step of 1/2; the second client's gradients have variance 4. w* = 0.
# The clients stand at 2 and 1 ± 1, the model at 3/2 with variance 1/4.
NOISY = Options(1, 1, "Fraction(1, 2)")
AT_NOISY = {"curvature": [[F(1)], [F(1)]], "optimum": [[F(1)], [F(-1)]], "share": HALF, "start": [F(3)]}
AT_NOISY |= {"sigma": [F(0), F(2)], **MORE}
BY_HAND_NOISY = {
    "mu": 1, "L": 1, "kappa": 1, "T": 1, "E": 1, "R": 1, "N": 2, "K": 2, "q": 1, "eta": F(1, 2), "eta0": F(1, 2),
    "sigma2": 4, "noise_p": 1, "Gamma_p": F(1, 2), "zeta2": 1, "zeta2_max": 1, "p2": F(1, 2), "A": F(3, 2),
    "B": F(10, 3), "noise": 1, "Gamma": F(1, 2), "Gamma_a": F(1, 2), "W_D": 0, "chi2": 0, "square_weights": F(1, 2),
    "rho_best": 1, "first": 9, "after": F(5, 2), "before": 9, "round_before": 9, "excess": F(5, 4), "drop": F(9, 2),
    "mean_excess": F(9, 2), "low": 9, "average": 9, "gradient_end": F(5, 2), "bias": F(9, 4), "variance": F(1, 4),
    "settled": 0, "sg2": 1, "G2": 20, "G2_ball": 24, "drift": F(1, 2), "Omega": 5, "Omega_all": F(1, 2),
}  # fmt: skip

# Curvatures 1 and 3, optima 0 and 4, all weight on the first client, from 1, two steps of 1/4, no noise. w* = 3.
# The clients go 1, 3/4, 9/16 and 1, 13/4, 61/16; the map w ↦ 9w/16 rests at 0.
QUIET = Options(2, 1, "Fraction(1, 4)", weights="a row", noise="none")
AT_QUIET = {"curvature": [[F(1)], [F(3)]], "optimum": [[F(0)], [F(4)]], "share": HALF, "start": [F(1)]}
AT_QUIET |= {"weights": [[F(1), F(0)]], "sigma": [F(0), F(0)], **MORE}
BY_HAND_QUIET = {
    "mu": 1, "L": 3, "kappa": 3, "T": 2, "E": 2, "R": 1, "N": 2, "K": 2, "q": 1, "eta": F(1, 4), "eta0": F(1, 4),
    "sigma2": 0, "noise_p": 0, "Gamma_p": 3, "zeta2": 9, "zeta2_max": 9, "p2": F(1, 2), "A": F(27, 8),
    "B": F(82, 3), "noise": 0, "Gamma": F(9, 2), "Gamma_a": 0, "W_D": 2, "chi2": 1, "square_weights": 1,
    "rho_best": F(3, 2), "first": 4, "after": F(1521, 256), "before": F(81, 16), "round_before": 4,
    "excess": F(1521, 256), "drop": 4, "mean_excess": 4, "low": 16, "average": 16, "gradient_end": F(1521, 64),
    "bias": F(1521, 256), "variance": 0, "settled": 9, "sg2": 25, "rho": F(1, 14), "rho_on": F(27, 1526),
    "rho_every": F(27, 1526), "G2": 81, "G2_ball": 180, "drift": 0, "Omega": F(9, 32), "Omega_all": 0,
}  # fmt: skip

# The same clients with equal weights, one step: the model goes from 1 to (3/4 + 13/4)/2 = 2.
LEAST = Options(1, 1, "Fraction(1, 4)", noise="none")
BY_HAND_SKEWS = {"rho": 1, "rho_on": 1, "rho_every": 1}

# Curvatures 1, optima 0 and 4, shares 3/4 and 1/4, equal weights. w* = 1, where the gradients are 1 and −3.
AT_UNEVEN = {"curvature": [[F(1)], [F(1)]], "optimum": [[F(0)], [F(4)]], "share": [F(3, 4), F(1, 4)], "start": [F(1)]}
AT_UNEVEN |= {"weights": [HALF], "sigma": [F(0), F(2)], **MORE}
UNEVEN = Options(1, 1, "Fraction(1, 4)", weights="a row")
BY_HAND_UNEVEN = {
    "zeta2": 3, "zeta2_max": 9, "W_D": F(1, 2), "chi2": F(1, 3), "p2": F(5, 8), "Gamma_p": F(3, 2), "Gamma": F(5, 2),
    "Gamma_a": 2, "noise": 1, "noise_p": F(1, 4), "sigma2": 4,
}  # fmt: skip

# The first clients once more, and the second ones with all weight on the second client in a second round: what the
# first round has.
TWICE, TURNED = replace(NOISY, R=2), replace(QUIET, R=2, weights="a row a round")
AT_TURNED = {**AT_QUIET, "weights": [[F(1), F(0)], [F(0), F(1)]]}
BY_HAND_TWICE, BY_HAND_TURNED = ({"Gamma_less": a, "Omega_less": b} for a, b in ((F(1, 2), 5), (F(9, 2), F(9, 32))))


@pytest.mark.parametrize(
    ("options", "x", "wanted"),
    [
        (NOISY, AT_NOISY, BY_HAND_NOISY),
        (QUIET, AT_QUIET, BY_HAND_QUIET),
        (LEAST, AT_QUIET, BY_HAND_SKEWS),
        (UNEVEN, AT_UNEVEN, BY_HAND_UNEVEN),
        (TWICE, AT_NOISY, BY_HAND_TWICE),
        (TURNED, AT_TURNED, BY_HAND_TURNED),
    ],
)
def test_by_hand(options: Options, x: dict[str, Any], wanted: dict[str, Any]) -> None:
    letters = [CATALOGUE[name] for name in wanted]
    met, found = exact_run(x, letters=[one.exact for one in letters], **options.chosen)
    assert all(met.values())
    assert found == wanted
    runs = fast_run(stack([x]), options, within=within(letters, options))
    for one in letters:
        assert np.broadcast_to(one.fast(runs), (1,))[0] == pytest.approx(float(wanted[one.name]), rel=1e-12), one.name


def test_every_letter_has_two_instances() -> None:
    times = dict.fromkeys(CATALOGUE, 0)
    for wanted in (BY_HAND_NOISY, BY_HAND_QUIET, BY_HAND_SKEWS, BY_HAND_UNEVEN, BY_HAND_TWICE, BY_HAND_TURNED):
        for name in wanted:
            times[name] += 1
    assert min(times.values()) == 2


def test_letters_that_are_refused_have_no_value_by_hand() -> None:
    valued = {*BY_HAND_NOISY, *BY_HAND_TWICE}
    assert {name for name, one in CATALOGUE.items() if refusal(one.needs, NOISY)} == set(CATALOGUE) - valued
