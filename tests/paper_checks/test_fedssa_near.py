"""FedSSA's bounds with constants of our choice: what gives them, and how near runs come to them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from paper_checks.fedssa.quadratic_runs import run_exact
from paper_checks.fedssa.settling import settled_exact
from paper_checks.fedssa.slope_runs import down, down_exact
from validation import look_up

_ONE = ("drop", "eta", "T", "tau", "L", "A", "B", "noise", "square_weights")


def right_side(identifier: str, reading: str, seen: Any) -> Any:
    """The right side of a reading at what is observed."""
    claim = look_up(identifier).claim
    right = next(r.test for r in claim.readings if r.name.startswith(reading)).bound
    return right.exact({name: seen[name] for name in right.names})


def corollary(seen: Any) -> Any:
    return right_side("SSA-CA8", "the smallest squared gradient itself", seen)


def constants() -> list[float]:
    """Those of Δ/√(τT), Lσ²Σp²/√(τT), σ²L²/T and BτL²/T: the right side with one of the four alone."""
    zero = {**dict.fromkeys(_ONE, Fraction(1)), **dict.fromkeys(("drop", "B", "noise"), Fraction(0))}
    few = corollary({**zero, "drop": Fraction(1), "eta": Fraction(0)})
    start = corollary({**zero, "drop": Fraction(1)}) - few
    still = corollary({**zero, "noise": Fraction(1), "eta": Fraction(0)})
    noise = corollary({**zero, "noise": Fraction(1)}) - still
    return [float(v) for v in (start, noise, still, corollary({**zero, "B": Fraction(1)}))]


def least_room(chosen: list[float]) -> float:
    """Least eigenvalue of right minus left of one round's descent, over A >= 1 and q = τηL <= 1/√(4 + 8A).

    A round lowers F/(τη) by (1 − q/2)g² − (1 − q)gε − q/2·(ε + ν)² or more: g = ‖∇F‖, ν² = σ²Σp²/τ, and the drift
    ε <= δ(√A·g + √B) + qe^q·σ/√(2τ), δ = (e^q − 1)/q − 1. In (g, √B, σ/√τ, ν), each in units of its own term.
    """
    start, noise, still, apart = chosen
    least = np.inf
    for A in np.concatenate([np.linspace(1, 6, 20), np.logspace(0.8, 8, 20)]):
        for q in np.linspace(0.002, 1, 100) / np.sqrt(4 + 8 * A):
            delta, c = np.expm1(q) / q - 1, 1 / start
            drift = np.array([delta * np.sqrt(A), delta, q * np.exp(q) / np.sqrt(2), 0.0])
            both, g = drift + np.eye(4)[3], np.eye(4)[0]
            room = np.diag([1 - q / 2 - c, c * apart * q**2, c * still * q**2, c * noise * q])
            room -= (1 - q) * (np.outer(g, drift) + np.outer(drift, g)) / 2 + q / 2 * np.outer(both, both)
            scale = np.array([1.0, 1 / q, 1 / q, 1 / np.sqrt(q)])
            least = min(least, float(np.linalg.eigvalsh(room * np.outer(scale, scale))[0]))
    return least


def test_a_round_of_descent_gives_the_constants_of_corollary_a8() -> None:
    chosen = constants()
    assert chosen == pytest.approx([1.6, 1.2, 4, 8])
    assert least_room(chosen) > 0
    assert least_room([1.5, *chosen[1:]]) < 0  # the argument would not give much less
    assert least_room([chosen[0], 1.05, *chosen[2:]]) < 0


def test_a_straight_slope_and_noise_come_near_what_corollary_a8_can_give() -> None:
    side, part = 20, Fraction(1, 56)
    ahead = 1 + part * (side**2 - 1)
    met, seen = down_exact(
        {"part": part, "bend": Fraction(1), "ahead": ahead, "extra": Fraction(1, 10**6)}, tau=1, side=side
    )
    assert all(met.values())
    assert seen["low"] == (part * side) ** 2  # the gradient is as long as on the first day
    assert 0.56 < seen["low"] / corollary(seen) < Fraction(5, 8)
    # Started where the spread settles E y² stays what it is, so that a few of the T = 10⁴ rounds tell of all.
    q, eta = Fraction(1, 50), Fraction(1, 100)
    level = eta**2 / (1 - (1 - q) ** 2)
    run = {"h": [[q / eta]], "b": [[Fraction(0)]], "p": [Fraction(1)], "w": [Fraction(1)], "s2": [[Fraction(1)]]}
    start = [Fraction(float(level) ** 0.5).limit_denominator(1000)]
    room = {"slack": Fraction(1, 1000), "extra": Fraction(1, 10**6)}
    met, seen = run_exact({**run, **room, "start": start, "eta": eta}, tau=1, T=20)
    assert all(met.values())
    assert float(seen["low"]) == pytest.approx(float((q / eta) ** 2 * level), rel=1e-2)
    assert 0.35 < seen["low"] / corollary({**seen, "T": 1 / eta**2}) < Fraction(5, 12)


def test_a_run_down_the_slope_is_what_it_is_exactly() -> None:
    for tau, side in ((1, 1), (1, 4), (3, 2)):
        for ahead in (Fraction(1, 3), Fraction(5, 4), Fraction(30)):
            for part in (Fraction(1, 7), Fraction(1, 2)):
                x = {"part": part, "bend": Fraction(3, 2), "ahead": ahead, "extra": Fraction(1, 9)}
                met, exact = down_exact(x, tau=tau, side=side)
                fast = down({name: np.asarray([float(v)]) for name, v in x.items()}, tau=tau, side=side)
                assert all(met.values())
                assert {name: fast[name][0] for name in exact} == pytest.approx({k: float(v) for k, v in exact.items()})
    met, _ = down_exact({**x, "part": Fraction(2, 3)}, tau=1, side=4)
    assert not met["eta L <= 1/(2 tau)"]


def moved(tau: int, length: Fraction) -> tuple[Fraction, float]:
    """ηL, and how far the fixed point of a steep and a nearly flat client can be from the minimiser, of their range."""
    L, flat = Fraction(1), Fraction(1, 10**6)
    eta = length / tau
    pull = (1 - (1 - eta) ** tau) / (tau * eta)
    share = float(pull) ** -0.5 / (1 + float(pull) ** -0.5)  # of the gradients: a/(1 - a) = 1/sqrt(pull)
    heavy = Fraction(share).limit_denominator(10**4)
    p = heavy * flat / (heavy * flat + (1 - heavy) * L)
    at, _ = settled_exact([L, flat], [Fraction(1), Fraction(0)], [p, 1 - p], tau, eta, Fraction(0))
    best = p * L / (p * L + (1 - p) * flat)
    return eta, float(abs(at - best))


def test_where_fedavg_settles_is_as_near_as_two_clients_can_be_pulled_apart() -> None:
    found = {}
    for tau in (2, 3, 5, 20):
        for length in (Fraction(1, 50), Fraction(1, 4), Fraction(1, 2)):
            eta, away = moved(tau, length)
            found[tau, length] = away / float((tau - 1) * eta)
            seen = {"tau": Fraction(tau), "eta": eta, "L": Fraction(1), "width": Fraction(1)}
            assert away**2 < right_side("SSA-D8", "comes to it", seen)
    assert max(found, key=found.__getitem__) == (2, Fraction(1, 2))
    assert found[2, Fraction(1, 2)] == pytest.approx(0.1335, abs=1e-4)
    assert found[20, Fraction(1, 50)] == pytest.approx(1 / 8, abs=1e-3)


@pytest.mark.parametrize("c", [2, 3, 10])
def test_cosines_of_sure_outputs_come_to_their_limits_at_the_rates_of_lp8(c: int) -> None:
    for tail in (0.5, 0.1, 1e-3):
        level, sure = np.full(c, tail), np.zeros(c)
        level[0], sure[0] = 1.0, 1.0
        crossed = np.full(c, tail)
        crossed[1] = 1.0
        size = float(level @ level) ** 0.5
        seen = {"c": Fraction(c), "tail": Fraction(tail)}
        same = 1 - float(level @ sure) / size, float(right_side("SSA-LP8", "L_cos for large s, one", seen))
        other = float(level @ crossed) / size**2, float(right_side("SSA-LP8", "L_cos for large s, two", seen))
        for left, right in (same, other):
            assert left < right
            assert tail > 0.01 or left > 0.999 * right


def test_an_imbalanced_target_as_the_paper_draws_it_is_no_mixture_of_its_clients() -> None:
    """Imb-A on ten classes has a ratio of neighbouring classes of 100^(−1/9), about 3/5; 49/50 is no setting of it."""
    target, ten = look_up("SSA-D9"), "10 classes, 5 clients of 2 classes"
    drawn = target.at("any target, Imb-A and Imb-B among them", ten, ratio="3/5")
    assert drawn.violates
    assert not drawn.unmet
    assert target.at("any target, Imb-A and Imb-B among them", ten, ratio="49/50").unmet


def test_the_bound_grows_with_the_discrepancy_where_nothing_else_changes() -> None:
    """FedAvg's weights lower Σw², and with much noise the bound; with Σw² held the bound can only be looser."""
    x = {"share": [1, 0], "weights": ["1/2", "1/2"], "mix": "1/10", "local_steps": 1, "reach": "1/10", "L": 1}
    x |= {"noise": 10**4, "A": 1, "B": "1/10", "drop": "1/10", "n_rounds": 100}
    remark = look_up("SSA-RA7")
    both, held = (remark.at(f"denominators positive{name}", "2 clients", **x) for name in ("", " and Σwₖ² held"))
    assert not both.unmet
    assert not held.unmet
    assert both.violates
    assert not held.violates
