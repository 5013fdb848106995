"""How near runs come to Corollary 1 and (12) to (19), why not nearer, and the closed forms against their steps."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paper_checks.robust_aggregation.consequences import curved_exact, speed_exact
from paper_checks.robust_aggregation.long_runs import common_run_exact, long_run_exact
from paper_checks.robust_aggregation.one_curvature import against_many, against_many_exact, led, led_exact
from validation import look_up

ROOT = Path(__file__).parents[2]
F = Fraction
MANY = {"N": F(5), "kept": F(2, 5), "apart": F(3), "aim": F(7, 4), "loose": F(5, 2), "T": F(6)}
AFAR = {
    "near": F(1, 3),
    "apart": F(2),
    "tiny": F(1, 50),
    "lean": F(1, 4),
    "behind": F(3, 2),
    "loose": F(5, 2),
    "T": F(7),
}


def stepped(p: list[Any], m: list[Any], a: list[Any], x: Mapping[str, Any]) -> Any:
    """The same run step by step, without closed forms."""
    given = {"spectrum": [F(1)] * len(p), "optimum": m, "share": p, "weights": [a, a], "turn": F(0)}
    return long_run_exact({**given, "aim": x["aim"], "loose": x["loose"]}, T=int(x["T"]), window="up to")[1]


def corollary(q: Mapping[str, Any], pi: Any, error: Any) -> Any:
    """V/(T + γ) with π for ρ̄, and the error term `error` in units of λ₂; no noise."""
    L, mu = q["L"], q["mu"]
    V = 8 * L**2 * q["Gamma"] / mu**2 + 2 * L**2 * q["D0"] / mu + 128 * L * q["G2"] / (3 * mu**2 * pi)
    return V / (q["T"] + 4 * L / mu) + 8 * L * q["Gamma"] / (3 * mu) * error


@pytest.mark.parametrize("aim", [F(7, 4), F(-2), F(1, 9)])
@pytest.mark.parametrize("odd", [F(1), F(1, 7), F(3)])
def test_one_client_against_many_as_its_steps(aim: Any, odd: Any) -> None:
    x = {**MANY, "odd": odd, "aim": aim}
    met, found = against_many_exact(x)
    assert all(met.values())
    p = 1 / (1 + 4 * odd)
    a = 1 - x["kept"] * (1 - p)
    shares, weights = ([q, *[(1 - q) / 4] * 4] for q in (p, a))
    once = stepped(shares, [x["apart"], *[F(0)] * 4], weights, x)
    assert found == {name: once[name] for name in found}


@pytest.mark.parametrize("T", [1, 7])
@pytest.mark.parametrize("behind", [F(1, 100), F(3, 2)])
@pytest.mark.parametrize("lean", [F(1, 100), F(9, 10)])
def test_led_from_afar_as_its_steps(T: int, behind: Any, lean: Any) -> None:
    x = {**AFAR, "T": F(T), "behind": behind, "lean": lean}
    met, found = led_exact(x)
    assert all(met.values())
    p = [F(1, 2) - x["tiny"]] * 2 + [x["tiny"]] * 2
    m = [v * x["apart"] for v in (-x["near"], x["near"], 1, -1)]
    a = [F(0), F(0), (1 + lean) / 2, (1 - lean) / 2]
    once = stepped(p, m, a, {**x, "aim": -behind * x["apart"]})
    assert led_exact(x, endless=False)[1] == {name: once[name] for name in found}
    assert found == {name: once[name] for name in found} | {"rho_best": max(once["rho_best"], once["rho"])}


def test_the_closed_forms_are_fast_and_plain_alike() -> None:
    for fast, plain, x in ((against_many, against_many_exact, {**MANY, "odd": F(2)}), (led, led_exact, AFAR)):
        drawn = fast({name: np.asarray([float(v)]) for name, v in x.items()})
        for name, value in plain(x)[1].items():
            assert float(drawn[name][0]) == pytest.approx(float(value), rel=1e-12)


def test_13_to_17_come_as_near_as_3_in_32_and_no_nearer() -> None:
    ratios = []
    for k in (2, 4, 6):
        x = {"N": F(10**k), "kept": F(1, 2), "apart": F(1), "aim": F(1, 10**6), "loose": F(1), "T": F(10 ** (k + 2))}
        q = against_many_exact(x)[1]
        thirteen, fifteen, seventeen = (
            corollary(q, q["pi"], e)
            for e in (
                (q["Pi"] - q["pi"]) / q["pi"],
                q["N"] / q["pi"] - q["N"],
                1 / (q["pi"] * q["least"]) - q["N"],
            )
        )
        assert thirteen == fifteen == seventeen  # equal shares, all but one κ the smallest
        ratios.append(q["gap"] / thirteen)
    assert ratios == sorted(ratios)
    assert F(3, 32) - F(1, 10**4) < ratios[-1] < F(3, 32)


def test_the_limit_error_is_at_most_a_quarter_of_what_pi_and_Pi_allow() -> None:
    """Γ/4·(Π/π − 1)(1 − π/Π) at the minimiser of Σαᵢhᵢ(w − mᵢ)²/2, for random clients on the line; attained."""
    draw, largest = random.Random(7), F(0)
    for _ in range(300):
        n = draw.randint(2, 5)
        h, m, p, a = ([F(draw.randint(1, 30)) for _ in range(n)] for _ in range(4))
        p, a = ([v / sum(row) for v in row] for row in (p, a))
        largest = max(largest, limit_error(h, m, p, a))
    assert largest <= 1
    # Two of three clients at the extremes of κ, their pulls as Cauchy and Schwarz need them.
    assert limit_error([F(1)] * 2, [F(0), F(1)], [F(4, 5), F(1, 5)], [F(1, 2), F(1, 2)]) == 1


def limit_error(h: list[Any], m: list[Any], p: list[Any], a: list[Any]) -> Any:
    """The limit error of weights a over Γ/4·(Π/π − 1)(1 − π/Π); 0 where all ratios are equal."""
    best, goal = (
        sum(w * k * c for w, k, c in zip(q, h, m, strict=True)) / sum(w * k for w, k in zip(q, h, strict=True))
        for q in (p, a)
    )
    Gamma = sum(q * k * (best - c) ** 2 for q, k, c in zip(p, h, m, strict=True)) / 2
    gap = sum(q * k for q, k in zip(p, h, strict=True)) * (goal - best) ** 2 / 2
    kappas = [w / q for w, q in zip(a, p, strict=True)]
    low, high = min(kappas), max(kappas)
    return gap / (Gamma / 4 * (high / low - 1) * (1 - low / high)) if gap else F(0)


def test_19_and_the_corollary_come_as_near_as_3_in_8() -> None:
    ratios, of_nine = [], []
    for k in (1, 2, 3):
        small = F(1, 10 ** (2 * k))
        x = {"near": small**2, "apart": F(1), "tiny": small**3, "lean": F(1, 10**k), "behind": small, "loose": F(1)}
        q = led_exact({**x, "T": F(10**6)})[1]
        nine, start = corollary(q, q["rho"], q["rho_best"] / q["rho"] - 1), 2 * q["D0"] / (q["T"] + 4)
        ratios.append(q["gap"] / max(start, nine - start))
        of_nine.append(q["gap"] / nine)
    for found in (ratios, of_nine):
        assert found == sorted(found)
        assert F(3, 8) - F(1, 10**4) < found[-1] < F(3, 8)


def test_12_comes_no_nearer_than_one_step_of_one_client() -> None:
    def ratio(k: Any, T: int) -> Any:
        x = {"spectrum": [F(1)], "share": [F(1)], "weights": [[F(1)]] * 2, "sigma": [F(0)], "loose": k, "shared": 0}
        q = common_run_exact({**x, "start": F(1), "turn": 0}, T=T)[1]
        return q["gap"] / corollary({**q, "Gamma": F(0)}, q["rho"], F(0))

    assert ratio(F(3), 1) == F(1573, 42048) > F(1, 27)
    by_L = [ratio(F(k, 9), 1) for k in range(9, 60)]
    assert max(by_L) == ratio(F(25, 9), 1)  # L = 2.78 μ
    assert F(3743, 10**5) < max(by_L) < F(3744, 10**5)
    assert max(ratio(F(25, 9), T) for T in range(1, 30)) == ratio(F(25, 9), 1)


def test_a_loss_that_bends_more_near_its_minimum_comes_a_little_nearer_to_12() -> None:
    """One client, μ = 1, F' = min(Lw, w + s − 1), one step from w₀ = 1."""
    L, s = F(3), F(107, 100)
    corner, w = (s - 1) / (L - 1), 1 - s / (4 * L)
    gap = L * corner**2 / 2 + (s - 1) * (w - corner) + (w**2 - corner**2) / 2
    seen = {"L": L, "mu": F(1), "Gamma": F(0), "D0": F(1), "G2": s**2, "T": F(1)}
    assert F(377, 10**4) < gap / corollary(seen, F(1), F(0)) < F(378, 10**4)


def test_noise_alone_comes_to_an_88th_of_12() -> None:
    """One client of curvature μ = L, from w*: (T + γ − 1)w_T is the sum of the noise; G² is at least σ²."""
    found = [F(T, 2 * (T + 3) ** 2) / (F(4 * 33, 3) / (T + 4)) for T in (1, 10, 10**3, 10**6)]
    assert found == sorted(found)
    assert F(1, 89) < found[-1] < F(1, 88)


def test_remark_8_is_shown_by_federations_just_noisy_or_curved_enough() -> None:
    for x in (F(1), F(10), F(10**9)):
        noisy = speed_exact({"wanted": x}, over=(1, 88))[1]["reached"]
        assert noisy == x + F(268, 3) == curved_exact({"wanted": x})[1]["reached"] + 0
    assert speed_exact({"wanted": F(10**9)}, over=(1, 100))[1]["reached"] < 10**9


@pytest.mark.parametrize("name", ["RA-E13", "RA-E15", "RA-E17"])
def test_what_is_ours_is_all_but_attained_too(name: str) -> None:
    x = {"N": 10**5, "kept": "1/2", "apart": 1, "aim": "1/1000", "loose": 1, "T": 10**8}
    x |= {} if name == "RA-E15" else {"odd": 1}
    bound = look_up(name)
    of = "weights known before the round", "3/32 of the right side, weights known before the round"
    printed, ours = (bound.at(reading, "one client against many, any T", **x) for reading in of)
    assert not printed.unmet
    assert printed.left * 10 < printed.right < printed.left * 11
    assert 3 * printed.right == ours.right
    assert ours.right * F(999, 1000) < ours.left < ours.right


def test_the_bound_on_the_error_term_of_16_at_two_plain_clients() -> None:
    """F = (w ∓ 1)², w₀ = 1, weights 9/10 and 1/10: E = λ₂(ρ̃/ρ̄ − 1) = 8/3·(1 − 1/5)/(1/5), above 1/(π/2) − 2."""
    x = {"share": ["1/2", "1/2"], "weights": [["9/10", "1/10"]], "spectrum": [[2], [2]], "optimum": [[1], [-1]]}
    case = "diagonal quadratics, N = 2, d = 1"
    found = look_up("RA-E16").at("the bound on E, in units of loss", case, model=[1], **x)
    assert not found.unmet
    assert (found.left, found.right) == (F(32, 3), 8)


def test_an_overshooting_step_of_corollary_1_leaves_the_induction() -> None:
    """β = μ = L = 1, γ = 4, B = 10, C = 1, D = 0, Δ₀ = 0: Δ₁ = 1/16, above ψ/5 = 1/45."""
    x = {"B": 10, "mu": 1, "loose": 1, "C": 1, "D0": 0, "part": [1]}
    found = look_up("RA-P-C1.3").at("Corollary 1's step sizes, D = 0", "one step of Corollary 1", **x)
    assert not found.unmet
    assert (found.left, found.right) == (F(5, 16), F(1, 9))


def test_the_weights_of_corollary_1s_counterexample_are_those_of_fedworse() -> None:
    optima, shares = [Fraction(0), Fraction(0), Fraction(1)], [Fraction(1999, 4000)] * 2 + [Fraction(1, 2000)]
    start = sum(p * m for p, m in zip(shares, optima, strict=True))
    excess = [(start - m) ** 2 / 2 for m in optima]
    assert [e == max(excess) for e in excess] == [False, False, True]
    read = (ROOT / "paper_checks" / "robust_aggregation" / "instances.toml").read_text("utf-8")
    assert "two with m = 0 and the share pᵢ = 1999/4000 each" in read
    assert "FedWorse gives it all weight, α = (0, 0, 1)" in read
