"""Worst cases of FedAvg: known values, the same problem posed otherwise, and every sampled federation below."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from theory.worst_case import WorstCase, fedavg_size, interpolation_violation, worst_case_fedavg

pytestmark = pytest.mark.skipif(importlib.util.find_spec("PEPit") is None, reason="needs the extra sdp (PEPit)")

SPREAD = ("gradients at w*", 1.0)
PAIR: dict[str, Any] = {
    "weights": [0.7, 0.3],
    "mu": 0.1,
    "L": 1.0,
    "local_lr": 0.5,
    "n_local_steps": 2,
    "n_rounds": 2,
    "heterogeneity": SPREAD,
}


@pytest.fixture(scope="module")
def pair() -> WorstCase:
    return worst_case_fedavg(**PAIR)


@pytest.mark.parametrize(("n_rounds", "known"), [(1, 0.240346), (2, 0.152561), (3, 0.108607)])
def test_known_truth_gradient_descent(n_rounds: int, known: float) -> None:
    worst = worst_case_fedavg([1.0], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=1, n_rounds=n_rounds)
    assert worst.status == "optimal"
    assert worst.value == pytest.approx(known, abs=1e-6)  # printed to six digits
    assert worst.upper == pytest.approx(known, abs=1e-6)


def test_known_truth_two_clients(pair: WorstCase) -> None:
    assert pair.status == "optimal"
    assert pair.value == pytest.approx(0.105938, abs=1e-6)
    assert pair.ratio_to(2 * pair.value) == pytest.approx(0.5)


@pytest.mark.parametrize("n_rounds", [1, 3])
def test_convex_and_nonconvex_closed_forms(n_rounds: int) -> None:
    # Drori and Teboulle 2014, Theorem 3.1: L R² / (4T + 2) at η = 1/L for μ = 0.
    convex = worst_case_fedavg([1.0], mu=0.0, L=2.0, local_lr=0.5, n_local_steps=1, n_rounds=n_rounds, radius=3.0)
    assert convex.value == pytest.approx(2 * 9 / (4 * n_rounds + 2), rel=1e-5)
    # Abbaszadehpeivasti, de Klerk, Zamani 2022: min ‖∇F‖² <= 4LΔ/(3T + 2) at η = 1/L, no convexity.
    rough = worst_case_fedavg(
        [1.0],
        mu=-2.0,
        L=2.0,
        local_lr=0.5,
        n_local_steps=1,
        n_rounds=n_rounds,
        initial="loss",
        radius=3.0,
        performance="gradient",
    )
    assert rough.value == pytest.approx(4 * 2 * 3 / (3 * n_rounds + 2), rel=1e-5)


def test_identical_clients_are_one_client() -> None:
    # K22: with one function in common, T rounds of E steps are TE steps of gradient descent.
    together = worst_case_fedavg(
        [0.7, 0.3], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=2, n_rounds=2, functions=(0, 0), performance="distance"
    )
    assert together.value == pytest.approx(0.95**8, rel=1e-6)


def _posed_otherwise() -> dict[str, dict[str, Any]]:
    a = 3.0
    return {
        "clients permuted": PAIR | {"weights": [0.3, 0.7]},
        "a client split in two": PAIR | {"weights": [0.35, 0.35, 0.3], "functions": ["x", "x", "y"]},
        "weights given as shares too": PAIR | {"share": [0.7, 0.3]},
        "constants, steps and rates per client and round": PAIR
        | {"mu": [0.1, 0.1], "L": [1.0, 1.0], "n_local_steps": [2, 2], "local_lr": [0.5, 0.5]},
        # F → aF: η → η/a, gradients a-fold, value a-fold.
        "loss rescaled": PAIR
        | {"mu": 0.1 * a, "L": a, "local_lr": 0.5 / a, "heterogeneity": ("gradients at w*", a**2)},
        # x → bx with F(x) → b²F(x/b): gradients b-fold, value b²-fold.
        "lengths rescaled": PAIR | {"radius": 2.0, "heterogeneity": ("gradients at w*", 4.0)},
    }


@pytest.mark.parametrize("name", _posed_otherwise())
def test_the_same_problem_posed_otherwise(name: str, pair: WorstCase) -> None:
    factor = {"loss rescaled": 3.0, "lengths rescaled": 4.0}.get(name, 1.0)
    other = worst_case_fedavg(**_posed_otherwise()[name])
    assert other.value == pytest.approx(factor * pair.value, rel=2e-6)  # residuals are below 1e-6


@pytest.mark.parametrize(("curvature", "length"), [(1e-4, 1.0), (1e4, 1.0), (1.0, 1e-3), (1e4, 1e3)])
def test_units_do_not_matter(curvature: float, length: float, pair: WorstCase) -> None:
    """In the solver's own units these were called optimal with half the value, or failed."""
    scaled = PAIR | {
        "mu": 0.1 * curvature,
        "L": curvature,
        "local_lr": 0.5 / curvature,
        "radius": length,
        "heterogeneity": ("gradients at w*", (curvature * length) ** 2),
    }
    worst = worst_case_fedavg(**scaled)
    assert worst.status == "optimal"
    assert worst.value == pytest.approx(pair.value * curvature * length**2, rel=1e-6)
    assert worst.residuals is not None
    assert worst.residuals.gap == pytest.approx(worst.upper - worst.value, abs=1e-12 * worst.value)
    from_loss = worst_case_fedavg(**(scaled | {"initial": "loss", "radius": worst.value, "performance": "gradient"}))
    at_one = worst_case_fedavg(**(PAIR | {"initial": "loss", "radius": pair.value, "performance": "gradient"}))
    assert from_loss.value == pytest.approx(at_one.value * (curvature * length) ** 2, rel=1e-5)
    for f, g in zip(worst.functions, pair.functions, strict=True):
        assert (f.mu, f.L) == pytest.approx((0.1 * curvature, curvature))
        violation, size = interpolation_violation(f)
        assert violation <= 1e-6 * size
        assert np.abs(f.values).max() == pytest.approx(np.abs(g.values).max() * curvature * length**2, rel=1e-3)


def test_unlike_clients_permuted_with_all_they_own() -> None:
    unlike = PAIR | UNLIKE
    turned = unlike | {name: list(reversed(unlike[name])) for name in ("weights", "mu", "L", "share", "n_local_steps")}
    assert worst_case_fedavg(**turned).value == pytest.approx(worst_case_fedavg(**unlike).value, rel=1e-5)


def test_wider_classes_and_balls_are_worse(pair: WorstCase) -> None:
    for wider in ({"mu": 0.05}, {"radius": 1.1}, {"heterogeneity": ("gradients at w*", 1.2)}):
        assert worst_case_fedavg(**(PAIR | wider)).value > pair.value + 1e-3


def test_an_absent_client_still_counts_in_the_objective() -> None:
    present = worst_case_fedavg(**(PAIR | {"performance": "distance"}))
    absent = worst_case_fedavg(**(PAIR | {"performance": "distance", "weights": [1.0, 0.0], "share": [0.7, 0.3]}))
    assert absent.status == "optimal"
    assert absent.value > present.value + 0.1  # the first client alone pulls towards its own minimiser


UNLIKE: dict[str, Any] = {
    "share": [0.4, 0.6],
    "n_local_steps": [3, 1],
    "local_lr": [0.5, 0.4],
    "server_lr": 0.8,
    "mu": [0.1, 0.3],
    "L": [1.0, 0.5],
}


@pytest.mark.parametrize("change", [{}, UNLIKE], ids=["alike", "unlike"])
@pytest.mark.parametrize("performance", ["loss", "distance", "gradient"])
def test_the_points_replay_the_method(performance: str, change: dict[str, Any]) -> None:
    """Recomputed from the points alone: interpolation, start, heterogeneity, every local step, and the value."""
    worst = worst_case_fedavg(**(PAIR | {"performance": performance} | change))
    weights, share = np.asarray([0.7, 0.3]), np.asarray(change.get("share", [0.7, 0.3]))
    steps, rates = change.get("n_local_steps", [2, 2]), change.get("local_lr", [0.5, 0.5])
    server_lr = change.get("server_lr", 1.0)
    assert max(interpolation_violation(f)[0] for f in worst.functions) < 1e-6
    server = [worst.trace["server"][0]]
    assert np.linalg.norm(server[0]) <= 1 + 1e-6
    at_optimum = np.stack([f.gradients[0] for f in worst.functions])
    np.testing.assert_allclose(share @ at_optimum, 0, atol=1e-12)
    assert share @ (at_optimum**2).sum(axis=1) <= 1 + 1e-6
    for lr in rates:
        change_by = np.zeros_like(server[0])
        for a, n_steps, f in zip(weights, steps, worst.functions, strict=True):
            w = server[-1]
            for _ in range(n_steps):
                nearest = int(np.argmin(np.linalg.norm(f.points - w, axis=1)))
                assert np.linalg.norm(f.points[nearest] - w) < 1e-12
                w = w - lr * f.gradients[nearest]
            change_by += a * (w - server[-1])
        server.append(server[-1] + server_lr * change_by)
    np.testing.assert_allclose(worst.trace["server"], server, atol=1e-12)
    assert worst.status == "optimal"
    assert worst.value == pytest.approx(_measured(worst, server, share, performance), rel=1e-9)


@pytest.mark.parametrize("performance", ["loss", "distance", "gradient"])
def test_the_points_replay_in_other_units(performance: str) -> None:
    change = {"mu": 10.0, "L": 100.0, "local_lr": 0.005, "radius": 3.0, "performance": performance}
    worst = worst_case_fedavg(**(PAIR | change | {"heterogeneity": ("gradients at w*", 300.0**2)}))
    server = list(worst.trace["server"])
    assert np.linalg.norm(server[0]) <= 3 * (1 + 1e-6)
    assert worst.value == pytest.approx(_measured(worst, server, np.asarray([0.7, 0.3]), performance), rel=1e-9)


def _measured(worst: WorstCase, server: list[Any], share: Any, performance: str) -> float:
    def where(f: Any, w: Any) -> int:
        return int(np.argmin(np.linalg.norm(f.points - w, axis=1)))

    if performance == "distance":
        return float(server[-1] @ server[-1])
    if performance == "loss":
        return float(sum(p * f.values[where(f, server[-1])] for p, f in zip(share, worst.functions, strict=True)))
    total = [sum(p * f.gradients[where(f, w)] for p, f in zip(share, worst.functions, strict=True)) for w in server]
    return min(float(g @ g) for g in total)


@pytest.mark.parametrize("performance", ["loss", "distance", "gradient"])
def test_no_sampled_quadratic_federation_is_worse(performance: str) -> None:
    worst = worst_case_fedavg(**(PAIR | {"performance": performance}))
    sampled = _sampled(performance, seed=0)
    assert sampled.max() <= worst.upper + 1e-8
    assert sampled.max() >= 0.3 * worst.upper  # the sample is not idle


def _sampled(performance: str, *, seed: int, n: int = 1000, dim: int = 2) -> Any:
    """The measure of 1,000 random quadratic federations that meet the hypotheses of PAIR with equality; w* = 0."""
    rng, share = np.random.default_rng(seed), np.asarray([0.7, 0.3])
    turn = np.linalg.qr(rng.normal(size=(n, 2, dim, dim)))[0]
    spectrum = rng.choice([0.1, 0.3, 1.0], size=(n, 2, dim))
    A = np.einsum("nkij,nkj,nklj->nkil", turn, spectrum, turn)
    pull = rng.normal(size=(n, dim))
    b = np.stack([pull / share[0], -pull / share[1]], axis=1)
    b /= np.sqrt(np.einsum("k,nki,nki->n", share, b, b))[:, None, None]
    start = rng.normal(size=(n, dim))
    server = [start / np.linalg.norm(start, axis=1, keepdims=True)]
    for _ in range(2):
        local = np.repeat(server[-1][:, None], 2, axis=1)
        for _ in range(2):
            local = local - 0.5 * (np.einsum("nkij,nkj->nki", A, local) + b)
        server.append(np.einsum("k,nki->ni", share, local))
    mean = np.einsum("k,nkij->nij", share, A)
    if performance == "gradient":
        return np.min([(np.einsum("nij,nj->ni", mean, w) ** 2).sum(axis=1) for w in server], axis=0)
    if performance == "distance":
        return (server[-1] ** 2).sum(axis=1)
    return 0.5 * np.einsum("ni,nij,nj->n", server[-1], mean, server[-1])


@pytest.mark.parametrize("n_rounds", [1, 2, 3])
def test_quadratics_attain_the_distance(n_rounds: int) -> None:
    """For ‖w_T − w*‖² of gradient descent quadratics are tight: the best of a grid of curvatures is the value."""
    curvature = np.linspace(0.1, 1.0, 1000)
    best = float(np.max((1 - 0.5 * curvature) ** (2 * n_rounds)))
    worst = worst_case_fedavg(
        [1.0], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=1, n_rounds=n_rounds, performance="distance"
    )
    assert worst.value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(
    "change",
    [{}, {"performance": "gradient"}, {"initial": "loss"}, {"mu": -1.0, "performance": "gradient", "initial": "loss"}],
)
def test_the_size_is_known_before_solving(change: dict[str, Any]) -> None:
    worst = worst_case_fedavg(**(PAIR | change))
    if "mu" not in change:
        keys = ("weights", "n_local_steps", "n_rounds", "heterogeneity")
        assert fedavg_size(**{k: PAIR[k] for k in keys}, **change) == worst.size
    with pytest.raises(ValueError, match=f"{worst.size.rows} rows; the limit is max_rows={worst.size.rows - 1} "):
        worst_case_fedavg(**(PAIR | change), max_rows=worst.size.rows - 1)


def test_a_large_problem_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"Gram matrix \d+ × \d+.*lower n_clients, n_local_steps or n_rounds"):
        worst_case_fedavg(**(PAIR | {"n_local_steps": 10**6, "n_rounds": 10**3}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [0.7, 0.4]}, "weights"),
        ({"weights": [1.2, -0.2]}, "weights"),
        ({"share": [1.0, 0.0]}, "share"),
        ({"share": [0.5, 0.3, 0.2]}, "share"),
        ({"mu": 2.0}, "mu=2.0, L=1.0"),
        ({"mu": 1.0}, "mu = L leaves only"),
        ({"mu": -1.5}, "-L <= mu < L"),
        ({"L": float("inf")}, "L=inf"),
        ({"mu": [0.1]}, "mu"),
        ({"local_lr": -0.5}, "local_lr=-0.5"),
        ({"local_lr": [0.5, 0.0]}, "local_lr"),
        ({"local_lr": [0.5]}, "expected one value or 2"),
        ({"n_local_steps": 0}, "n_local_steps=0"),
        ({"n_local_steps": 1.5}, "n_local_steps=1.5"),
        ({"n_rounds": 0}, "n_rounds=0"),
        ({"radius": 0.0}, "radius=0.0"),
        ({"server_lr": -1.0}, "server_lr=-1.0"),
        ({"heterogeneity": ("variance", 1.0)}, "heterogeneity"),
        ({"heterogeneity": ("gradients at w*", -1.0)}, "heterogeneity"),
        ({"performance": "regret"}, "performance='regret'"),
        ({"initial": "anywhere"}, "initial='anywhere'"),
        ({"functions": [0]}, "functions"),
        ({"functions": [0, 0], "mu": [0.1, 0.2]}, "shares a function but not its mu"),
        ({"solver": "NO-SUCH"}, "solver='NO-SUCH'"),
    ],
)
def test_bad_input_names_the_argument(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        worst_case_fedavg(**(PAIR | change))
