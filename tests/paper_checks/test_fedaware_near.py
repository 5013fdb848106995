"""FedAWARE's loose bounds: how near the left side comes to the right one, and why not nearer, in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from paper_checks.fedaware.bent_round import bent_exact
from paper_checks.fedaware.plane_round import plane_exact
from paper_checks.fedaware.rounds import round_exact, round_moments
from paper_checks.fedaware.runs import run_exact
from paper_checks.fedaware.slope_runs import chosen_down, chosen_down_exact, down, down_exact
from paper_checks.fedaware.space_runs import spatial_exact
from validation import look_up

_24 = Fraction(1, 24)


def one_client(K: int, **given: Any) -> Any:
    """What a round of one client observes at η_l = 1/(8LK), c = 64."""
    rest = {"optimum": [Fraction(0)], "share": [Fraction(1)], "first": Fraction(1, 8), "server": Fraction(1)}
    return round_exact({**rest, "window": Fraction(1), **given}, K=K)[1]


def right_7(seen: Any) -> Any:
    floor = 2 * seen["c"] * (seen["eta_l"] * seen["L"]) ** 2 * seen["K"] * seen["sigma2"]
    return 2 * seen["L"] ** 2 * seen["gamma"] * seen["square"] + floor


def right_8(seen: Any) -> Any:
    server = seen["L"] * seen["step"] / (seen["eta_l"] * seen["K"]) ** 2
    return 2 * seen["fall"] / seen["step"] + right_7(seen) + server * seen["square"]


def test_noise_alone_on_a_concave_client_brings_eq_7_as_near_as_it_comes() -> None:
    ratios = []
    for K in (1, 4, 16, 64):
        seen = one_client(K, curvature=[Fraction(-1)], start=Fraction(0), sigma=[Fraction(1)])
        ratios.append(seen["gap"] / right_7(seen))
    grown = 4 * (np.exp(0.25) - 1)
    limit = grown / (2 + grown / 32)
    assert ratios == sorted(ratios)
    assert limit - 0.002 < float(ratios[-1]) < limit < 0.56


@pytest.mark.parametrize(("curvature", "most"), [(1, 0.1303), (-1, 0.1199)])
def test_drift_alone_comes_to_little_of_eq_7(curvature: int, most: float) -> None:
    ratios = []
    for K in (2, 8, 32, 128):
        seen = one_client(K, curvature=[Fraction(curvature)], start=Fraction(1), sigma=[Fraction(0)])
        ratios.append(seen["gap"] / right_7(seen))
    assert ratios == sorted(ratios)
    assert 0.95 * most < float(ratios[-1]) < most


@pytest.mark.parametrize("K", [1, 5])
@pytest.mark.parametrize("sigma", [0, 2])
def test_eq_8_loses_the_squared_pseudo_gradient_and_what_eq_7_loses(K: int, sigma: int) -> None:
    given = {"start": Fraction(3, 2), "sigma": [Fraction(sigma)]}
    seen = one_client(K, curvature=[Fraction(1)], **given)
    normalised = seen["square"] / (seen["eta_l"] * seen["K"]) ** 2
    assert right_8(seen) - seen["grad"] == right_7(seen) - seen["gap"] + normalised  # curvature L: nothing else is lost
    seen = one_client(K, curvature=[Fraction(-1)], **given)
    assert right_8(seen) - seen["grad"] > right_7(seen) - seen["gap"] + seen["square"] / (seen["eta_l"] * K) ** 2


def test_a_client_without_weight_only_widens_eq_7_and_is_admitted_where_that_is_asked() -> None:
    one = {"curvature": [Fraction(1)], "optimum": [Fraction(0)], "share": [Fraction(1)], "sigma": [Fraction(1)]}
    two = {"curvature": [1, -1], "optimum": [0, 3], "share": [1, 0], "sigma": [1, 2]}
    both = {name: [Fraction(v) for v in values] for name, values in two.items()}
    rest = {"start": Fraction(2), "first": Fraction(1, 8), "server": Fraction(1), "window": Fraction(1)}
    alone, beside = (round_exact({**x, **rest}, K=3, idle=True) for x in (one, both))
    assert all(alone[0].values())
    assert all(beside[0].values())
    assert beside[1]["gap"] == alone[1]["gap"]
    assert right_7(beside[1]) > right_7(alone[1])
    assert not all(round_exact({**both, **rest}, K=3)[0].values())
    drawn = {name: np.asarray([values], dtype=float) for name, values in two.items()}
    drawn |= {name: np.asarray([float(value)]) for name, value in rest.items()}
    assert [bool(round_moments(drawn, K=3, idle=idle)["admissible"][0]) for idle in (True, False)] == [True, False]


def test_the_drift_summed_step_by_step_gives_the_constants_of_theorem_4_1() -> None:
    """E‖Δₖ₊₁‖² <= (1 + 1/K)(1 + 1/(8K))²E‖Δₖ‖² + η_l²((1 + K)‖∇fᵢ‖² + σ²): over k < K, a mean of 4/5 of K², of K."""
    for K in range(1, 400):
        growth = (1 + 1 / K) * (1 + 1 / (8 * K)) ** 2
        size, total = 0.0, 0.0
        for _ in range(K):
            total += size
            size = growth * size + 1
        assert total / K * (K + 1) <= 0.8 * K**2
        assert total / K <= 0.8 * K
    drift = Fraction(8, 5)  # 1 + 24ηKL <= 2 times 4/5; at (η_lLK)² <= 1/64 some of it is ‖∇f‖²
    left = 1 - drift / 64
    constants = [2 / left, Fraction(25, 24) / left, drift / left]
    chosen = [Fraction(21, 10), Fraction(11, 10), Fraction(5, 3)]
    assert all(found <= claimed < found * Fraction(21, 20) for found, claimed in zip(constants, chosen, strict=True))
    x = dict.fromkeys(("F_star", "eta", "T", "K", "eta_l", "L", "sigma2", "sg2"), Fraction(1))
    right = look_up("FA-T4.1").claim.readings[0].test.bound.exact(x)
    assert right == sum(chosen) + chosen[-1]  # the last one at σ_l² and at σ_g²


def test_a_straight_slope_comes_near_half_of_theorem_4_1() -> None:
    T = 200
    ahead = 1 + (T - 1) * _24
    x = {"curvature": Fraction(2), "bend": Fraction(3), "ahead": ahead, "first": Fraction(1, 8), "server": Fraction(1)}
    met, seen = down_exact(x, K=1, T=T, longest=_24)
    assert all(met.values())
    assert seen["low"] == 36  # the gradient is as long as on the first day
    right = Fraction(21, 10) * seen["F_star"] / (seen["eta"] * T)
    assert 0.45 < seen["low"] / right < Fraction(10, 21)


def test_a_run_down_the_slope_is_what_it_is_exactly() -> None:
    rng = np.random.default_rng(0)
    names = ("curvature", "bend", "ahead", "first", "server")
    for K, T in ((1, 1), (1, 30), (3, 7)):
        for _ in range(20):
            drawn = [*np.exp(rng.normal(size=3)), rng.uniform(0.01, 0.125), np.exp(rng.normal())]
            x = {name: Fraction(value).limit_denominator(20) for name, value in zip(names, drawn, strict=True)}
            if min(x.values()) == 0 or x["first"] > Fraction(1, 8):
                continue
            met, exact = down_exact(x, K=K, T=T, longest=_24)
            fast = down({name: np.asarray([float(value)]) for name, value in x.items()}, K=K, T=T, longest=_24)
            assert all(met.values())
            assert exact.keys() == fast.keys()
            for name, value in exact.items():
                assert fast[name][0] == pytest.approx(float(value), rel=1e-10), name


def right_42(seen: Any) -> Any:
    """Theorem 4.2's right side at rates chosen for instance and horizon."""
    right = look_up("FA-T4.2").claim.readings[0].test.bound
    return right.exact({name: seen[name] for name in right.names})


def test_the_constants_of_theorem_4_2_are_what_a_proof_gives_at_the_chosen_rates() -> None:
    """With q = η_lKL <= 1/8, ηKL = 1/24, the error of Ĝ at most q/2·(Σλ‖∇fᵢ‖²)^½, and 4T·q·(spread) <= (16/15)²·F*L."""
    q, step, young = Fraction(1, 8), _24, Fraction(1, 10)
    left = 1 - step / 2 - (1 - step) * q / 2 * (1 + young) - step / 2 * (q / 2) ** 2
    spread = (1 - step) / (8 * young) + step * q / 8  # times q·spread, against ‖∇f‖² and in units of LF*/T after that
    start = 1 + spread * Fraction(16, 15) ** 2 / 4 * step
    seen = {"F_star": Fraction(1), "eta": Fraction(1), "T": Fraction(1), "K": Fraction(1), "L": Fraction(1)}
    assert start / left < right_42({**seen, "sigma2": Fraction(0)}) < start / left * Fraction(51, 50)
    noise = right_42({**seen, "sigma2": Fraction(1)}) - right_42({**seen, "sigma2": Fraction(0)})
    assert Fraction(1, 2) / left < noise < Fraction(1, 2) / left * Fraction(21, 20)


def test_a_straight_slope_and_noise_come_near_theorem_4_2() -> None:
    T = 200
    slope = {"curvature": Fraction(2), "bend": Fraction(3), "ahead": 1 + (T - 1) * _24}
    met, seen = chosen_down_exact(slope, K=1, T=T)
    assert all(met.values())
    assert seen["low"] == 36
    assert 0.83 < seen["low"] / right_42(seen) < Fraction(8, 9)
    keep = Fraction(23, 24)
    settled = {"curvature": [[Fraction(1)]], "optimum": [[Fraction(0)]], "share": [Fraction(1)], "sigma": [Fraction(1)]}
    settled |= {"start": [Fraction(3, 20)], "first": Fraction(1, 8), "server": Fraction(1), "window": Fraction(1)}
    met, seen = run_exact(settled, K=1, T=40, by="horizon")
    assert all(met.values())
    level = seen["eta"] ** 2 / (1 - keep**2)
    assert level == 24 * seen["eta"] * seen["sigma2"] / 47
    # the spread fills up from 0 to that level while what is left of the start goes
    assert seen["low"] == min(keep ** (2 * t) * (Fraction(9, 400) - level) + level for t in range(40))


def test_the_rates_chosen_for_a_slope_are_those_of_the_runs() -> None:
    """Before the bend a slope is a quadratic, and the two worlds are one; beyond it fast and exact sides agree."""
    x = {"curvature": Fraction(3), "bend": Fraction(2), "ahead": Fraction(1, 2)}
    alike = {
        "curvature": [[x["curvature"]]],
        "optimum": [[Fraction(0)]],
        "share": [Fraction(1)],
        "start": [Fraction(1)],
    }
    for K, T in ((1, 1), (2, 5)):
        seen = chosen_down_exact(x, K=K, T=T)[1]
        rest = {"first": Fraction(1, 8), "server": Fraction(1), "window": Fraction(1)}
        other = run_exact({**alike, **rest}, K=K, T=T, by="horizon")[1]
        assert {name: other[name] for name in seen} == seen
        for ahead in (Fraction(1, 2), Fraction(7, 2), Fraction(40)):
            exact = chosen_down_exact({**x, "ahead": ahead}, K=K, T=T)[1]
            fast = chosen_down({k: np.asarray([float(v)]) for k, v in {**x, "ahead": ahead}.items()}, K=K, T=T)
            assert {name: fast[name][0] for name in exact} == pytest.approx({k: float(v) for k, v in exact.items()})


def side_13(seen: Any) -> Any:
    """The right side of (13) without noise."""
    bracket = 1 + seen["L"] * seen["gamma"] / (2 * seen["eta_g"])
    bracket += 2 * seen["chi"] * seen["gamma"] / (seen["eta"] * seen["K"] * seen["L"])
    start = 2 * seen["F"] / (seen["T"] * seen["K"] * seen["eta"])
    return start + seen["eta"] * seen["L"] * bracket * seen["rho"] / (seen["eta_l"] ** 2 * seen["K"])


def side_16(seen: Any) -> Any:
    """The right side of (16) without noise."""
    apart = seen["chi"] * seen["gamma"]
    bracket = 1 + seen["L"] * seen["gamma"] / (8 * seen["eta_g"]) + 4 * seen["beta"] * apart
    bracket += 2 * (1 + 2 * seen["beta"]) * apart / (seen["eta"] * seen["K"] * seen["L"])
    start = 2 * seen["F"] / (seen["T"] * seen["K"] * seen["eta"])
    return start + 2 * seen["eta"] * seen["L"] * bracket * seen["rho"] / (seen["eta_l"] ** 2 * seen["K"])


def nearly_cancelling(aside: Fraction) -> dict[str, Any]:
    """Two clients of curvatures (L/1000, L) and (L, L), L = 1/1000, whose updates are (1, a) and (−1, a)."""
    L, half = Fraction(1, 1000), Fraction(1, 2)
    curvature = [[L / 1000, L], [L, L]]
    return {
        "curvature": curvature,
        "share": [half, half],
        "aside": aside,
        "first": Fraction(1, 8),
        "server": Fraction(1),
    }


@pytest.mark.parametrize(
    ("K", "aside", "gamma", "ratios"), [(24, 40, 1601, (1.179, 1.140)), (10, 100, 10001, (3.423, 3.675))]
)
def test_the_stray_letter_refutes_13_and_16_without_a_moving_average(
    K: int, aside: int, gamma: int, ratios: tuple[float, float]
) -> None:
    met, seen = plane_exact(nearly_cancelling(Fraction(1, aside)), K=K)
    assert all(met.values())
    assert (seen["gamma"], seen["chi"], seen["beta"], seen["T"]) == (gamma, 0, 0, 1)
    assert seen["mean_square"] > side_13(seen) * Fraction(ratios[0])
    assert seen["mean_square"] > side_16(seen) * Fraction(ratios[1])


def test_a_concave_client_does_it_at_a_smaller_gamma() -> None:
    given = nearly_cancelling(Fraction(1, 20))
    L = given["curvature"][1][0]
    met, seen = plane_exact({**given, "curvature": [[-L, L], [L, L]]}, K=24)
    assert [name for name, holds in met.items() if not holds] == ["convex, L-smooth clients"]
    assert (seen["L"], seen["gamma"], seen["chi"]) == (L, 401, 0)
    assert seen["mean_square"] > side_13(seen) * Fraction(1.19)
    assert seen["mean_square"] > side_16(seen) * Fraction(1.13)


@pytest.mark.parametrize("T", [1, 5])
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(1, 2)])
def test_the_same_clients_do_it_at_any_coefficient_and_over_more_rounds(T: int, alpha: Fraction) -> None:
    given, K, ends = nearly_cancelling(Fraction(1, 40)), 24, (1, -1)
    L = given["curvature"][1][0]
    part = [[1 - (1 - given["first"] / (L * K) * y) ** K for y in row] for row in given["curvature"]]
    optimum = [[-s / p[0], -given["aside"] / p[1]] for s, p in zip(ends, part, strict=True)]
    met, seen = spatial_exact({**given, "optimum": optimum, "alpha": alpha}, K=K, T=T)
    assert all(met.values())
    assert seen["chi"] == 0
    assert seen["beta"] == (1 - alpha) ** 2
    assert seen["mean_square"] > side_16(seen)
    if T == 1:
        assert seen == {**plane_exact(given, K=K)[1], "beta": seen["beta"], "chi_rho": 0}


def test_clients_of_one_curvature_are_quadratic_ones_in_the_round_of_changing_curvature() -> None:
    both = {"optimum": [0, 3], "share": [Fraction(1, 3), Fraction(2, 3)], "sigma": [1, 2]}
    given: dict[str, Any] = {name: [Fraction(v) for v in values] for name, values in both.items()}
    given |= {"start": Fraction(2), "first": Fraction(1, 8), "server": Fraction(5), "window": Fraction(1)}
    h, edge = [Fraction(1), Fraction(-2)], [Fraction(1, 2), Fraction(1)]
    for once in (False, True):
        met, seen = bent_exact({**given, "inner": h, "outer": h, "edge": edge}, K=2, once=once)
        assert all(met.values())
        quadratic = round_exact({**given, "curvature": h}, K=2, profile=int(once))[1]
        assert seen == {name: quadratic[name] for name in seen}


def test_a_client_whose_curvature_changes_lies_below_its_tangent_and_beyond() -> None:
    one = {"inner": [Fraction(1)], "outer": [Fraction(-1)], "edge": [Fraction(1)], "optimum": [Fraction(0)]}
    rest = {"share": [Fraction(1)], "sigma": [Fraction(0)], "window": Fraction(1), "first": Fraction(1, 8)}
    seen = bent_exact({**one, **rest, "start": Fraction(2), "server": Fraction(8)}, K=1)[1]
    assert seen["grad"] == 0  # the slope 1 − 1 at 2
    seen = bent_exact({**one, **rest, "start": Fraction(3, 2), "server": Fraction(8)}, K=1)[1]
    assert (seen["grad"], seen["fall"]) == (Fraction(1, 4), Fraction(7, 8) - Fraction(1, 2))  # from 3/2 to 1


@pytest.mark.parametrize(
    ("curvature", "optimum", "above"),
    [
        ([[1, 0]], [[10, 7]], Fraction(121, 2)),  # f is flat along the second axis
        ([[1, -1]], [[10, 0]], Fraction(-1)),
        ([[2, 1], [2, -1]], [[10, 0], [10, 5]], Fraction(-1)),  # flat in second order, with a slope
    ],
)
def test_only_a_loss_that_has_a_least_value_has_an_f_star(curvature: Any, optimum: Any, above: Fraction) -> None:
    n, plain = len(curvature), Fraction(1)
    x = {
        "curvature": [[Fraction(h) for h in row] for row in curvature],
        "optimum": [[Fraction(m) for m in row] for row in optimum],
        "share": [plain / n] * n,
        "start": [Fraction(-1), Fraction(3)],
        "first": plain / 10,
        "server": plain,
        "window": plain,
    }
    assert run_exact(x, K=7, T=1)[1]["F_star"] == above
