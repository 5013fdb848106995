"""EFL's irregular clients: stragglers, an inactive one, departure and arrival, where the optimum is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from theory import Arrival, Departure, GivenSteps, Inactive, QuadraticFederation, make_rule, simulate
from theory.algorithms import make_client
from theory.base.streams import stream
from theory.participation.irregular import abandonment, restarted_steps
from theory.participation.sampling import RoundContext
from theory.participation.schedules import constant_steps, geometric_steps

Floats = NDArray[np.float64]
N, DIM, E = 4, 2, 4
SHARE = np.array([0.5, 0.25, 0.125, 0.125])


def clients() -> QuadraticFederation:
    rng = stream(5, "test")
    curvature = rng.uniform(0.5, 2.0, (N, DIM))[..., None] * np.eye(DIM)
    return QuadraticFederation(curvature, rng.normal(size=(N, DIM)), np.zeros(N), SHARE)


def without(federation: QuadraticFederation, a: int) -> Floats:
    """The minimiser of the objective over the others."""
    others = [k for k in range(N) if k != a]
    weighted = SHARE[others, None, None] * federation.curvature[others]
    pull = np.einsum("kij,kj->i", weighted, federation.centers[others])
    return np.linalg.solve(weighted.sum(axis=0), pull)


def run(rule: str, law: Any, rounds: int, eta: float = 0.05, **more: Any) -> Floats:
    given: dict[str, Any] = {"start": np.zeros(DIM), "step_sizes": constant_steps(eta, E * rounds), "n_local_steps": E}
    found = simulate(clients(), make_rule(rule), participation=law, **{**given, **more})
    return np.asarray(found.models)


def test_complete_counts_those_that_finished_what_they_planned() -> None:
    rows = ((4, 4, 1, 0), (3, 2, 1, 1))
    found = simulate(
        clients(),
        make_rule("complete"),
        start=np.zeros(DIM),
        step_sizes=constant_steps(0.05, 2 * E),
        n_local_steps=E,
        participation=GivenSteps(rows),
    )
    np.testing.assert_allclose(found.weights, [[2 / 3, 1 / 3, 0, 0], [0, 0, 0, 0]], rtol=1e-15)
    np.testing.assert_array_equal(found.models[2], found.models[1])  # nobody was complete: the model stays


def test_dropping_stragglers_leads_elsewhere_and_efl_weights_do_not() -> None:
    """Client 3 never finishes: FedAvg's limit is the optimum without it; E·p/s keeps its share of the pull."""
    law, federation = GivenSteps(((4, 4, 4, 1),)), clients()
    best = federation.optimum()
    dropped, kept = run("complete", law, 600, eta=0.01)[-1], run("efl", law, 600, eta=0.01)[-1]
    ignored = without(federation, 3)
    assert np.linalg.norm(dropped - ignored) < 0.1 * np.linalg.norm(best - ignored)
    # E·p/s of one local step pulls as four of the others: what is left is drift of order η.
    assert np.linalg.norm(kept - best) < 0.1 * np.linalg.norm(dropped - best)


def test_keeping_the_objective_after_a_departure_is_the_printed_new_objective() -> None:
    """F̂ = Σ_{k≠a} pᵏFₖ with the old pᵏ (§4.3) and F with EFL's weights are one run; its limit is the F̂ of eq. (66)."""
    kept = run("efl", Departure(0, 3, shift=False), 600)
    shifted = run("efl", Departure(0, 3, shift=True), 600)
    w, f = np.zeros(DIM), clients()
    for r in range(12):  # a plain loop: everyone with pᵏ, then the others with the pᵏ they had
        moved = []
        for k in range(N):
            mine = w.copy()
            for _ in range(E):
                mine = mine - 0.05 * f.curvature[k] @ (mine - f.centers[k])
            moved.append(SHARE[k] * (mine - w) if k or r < 3 else np.zeros(DIM))
        w = w + sum(moved)
        np.testing.assert_allclose(kept[r + 1], w, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(kept[:4], shifted[:4])
    assert np.abs(kept[4] - shifted[4]).max() > 1e-3  # half the step: p⁰ = 1/2 is gone and nothing is renormalised
    np.testing.assert_allclose(kept[-1], shifted[-1], atol=1e-9)
    far = np.linalg.norm(f.optimum() - without(f, 0))
    assert np.linalg.norm(kept[-1] - without(f, 0)) < 0.1 * far  # up to the drift of 4 local steps


def test_a_client_that_arrives_late_needs_the_schedule_anew() -> None:
    """With step sizes that have died down, the new optimum is not reached; restarted, it is (§4.4)."""
    f, rounds, at = clients(), 120, 60
    steps = geometric_steps(0.1, 0.9, E, rounds)
    law = Arrival(0, at)
    ends = {
        restart: run("efl", law, rounds, step_sizes=restarted_steps(steps, at, E, restart=restart))[-1]
        for restart in (True, False)
    }
    gaps = {restart: float(np.linalg.norm(end - f.optimum())) for restart, end in ends.items()}
    assert gaps[True] < 0.2 * gaps[False]
    with pytest.raises(ValueError, match="have no such round"):
        restarted_steps(steps, 121, E)


def test_an_arriving_client_is_sent_the_model_under_compressed_messages() -> None:
    found = simulate(
        clients(),
        make_rule("efl"),
        start=np.zeros(DIM),
        step_sizes=constant_steps(0.05, 40 * E),
        n_local_steps=E,
        participation=Arrival(2, 20),
        client=make_client("compressed", keep_fraction=0.5, down_fraction=0.5),
        record=("models", "weights", "drift", "traffic"),
    )
    assert not found.drift.any()
    assert found.bits_down[20, 2] == 64 * DIM  # the model itself; afterwards one message a round
    assert 0 < found.bits_down[21, 2] < found.bits_down[20, 2] + 1
    assert found.weights[19, 2] == 0 < found.weights[20, 2]


def test_corollary_1_weighs_inactivity_against_the_rest_of_the_run() -> None:
    bound = {"J": 2.0, "C": 400.0, "gamma": 10.0, "n_local_steps": 5}
    early = abandonment(0.1, n_rounds=100, at_round=0, **bound)
    assert (early.kept, early.left) == (0.2, 400 / 510**2)
    assert early.abandon
    late = abandonment(0.1, n_rounds=100, at_round=99, **bound)  # too late: the bound without it is still large
    assert late.left == 400 / 15**2
    assert not late.abandon
    assert not abandonment(1e-4, n_rounds=100, at_round=0, **bound).abandon  # hardly ever away
    for wrong in ({"inactive_prob": 1.0}, {"J": -1.0}, {"gamma": 0.0}, {"at_round": 101}):
        with pytest.raises(ValueError, match="abandonment"):
            abandonment(**{"inactive_prob": 0.1, "n_rounds": 100, "at_round": 0, **bound, **wrong})  # type: ignore[arg-type]


def test_fed_gate_is_vrl_sgd_where_all_finish_their_steps_and_not_with_stragglers() -> None:
    """Server rate 1: one algorithm, also with clients absent; the paper's Table 3 prints 80.94 and 2.81 for the two."""
    complete, late = GivenSteps(((4, 4, 0, 4), (4, 0, 4, 4))), GivenSteps(((4, 4, 0, 1), (4, 0, 2, 4)))
    for law, apart in ((complete, False), (late, True)):
        gate, vrl = (
            run("proportional", law, 30, client=make_client(name)) for name in ("fed-gate(variates=rule)", "vrl-sgd")
        )
        assert (np.abs(gate - vrl).max() > 1e-3) == apart
        assert apart or np.abs(gate - vrl).max() < 1e-14


def test_a_client_that_is_often_away_pulls_less_and_removed_early_no_more() -> None:
    """§4.1: the limit with it is off by what its absence takes; without it, the others' optimum is reached."""
    f, rounds, y = clients(), 1500, 0.8
    kept = run("efl", Inactive(0, y), rounds, eta=0.01)
    removed = run("efl", Inactive(0, y, remove_at=5), rounds, eta=0.01)
    others = without(f, 0)
    # With it: E[p s] = (1 − y)p⁰E, so on average the limit is where it counts a fifth as much.
    pulled = SHARE * np.array([1 - y, 1, 1, 1])
    weighted = pulled[:, None, None] * f.curvature
    between = np.linalg.solve(weighted.sum(axis=0), np.einsum("kij,kj->i", weighted, f.centers))
    assert np.linalg.norm(kept[-500:].mean(axis=0) - between) < 0.1 * np.linalg.norm(f.optimum() - between)
    assert np.linalg.norm(removed[-1] - others) < 0.05 * np.linalg.norm(f.optimum() - others)
    there = [Inactive(0, y).plan(3, r, (N,), _context()).present for r in range(2000)]
    assert np.mean([row[0] for row in there]) == pytest.approx(1 - y, abs=0.03)
    assert all(row[1:].all() for row in there)
    with pytest.raises(ValueError, match=r"Inactive\(probability=1\)"):
        Inactive(0, 1)


def _context() -> RoundContext:
    return RoundContext(None, None, E, SHARE)


STILL = [
    "scaffold(variates=rule)",
    "fed-cm(alpha=0.5, variates=rule)",
    "fed-dyn(alpha=1, variates=rule)",
    "fed-dc(alpha=0.1, variates=rule)",
    "compressed(client=scaffold(variates=rule), keep_fraction=0.5)",
]


@pytest.mark.parametrize("client", STILL)
def test_where_nobody_is_complete_the_model_stays_and_all_that_is_a_mean(client: str) -> None:
    """As in the deep engine: the run goes on, in each element of a batch by itself, from what it had."""
    rows = ((4, 4, 4, 1), (3, 2, 1, 1), (4, 4, 0, 4))

    def play(law: Any, rule: Any, batch: tuple[int, ...] = ()) -> Any:
        steps = constant_steps(0.05, len(law.steps) * E)
        given: dict[str, Any] = {"participation": law, "client": make_client(client), "n_local_steps": E}
        return simulate(clients(), rule, start=np.zeros((*batch, DIM)), step_sizes=steps, **given)

    one, two, three = (play(GivenSteps(rows[:n]), make_rule("complete")) for n in (1, 2, 3))
    np.testing.assert_array_equal(two.models[2], two.models[1])
    assert np.abs(three.models[3] - three.models[2]).max() > 1e-3
    for name, value in one.memory.broadcast.items():
        np.testing.assert_array_equal(two.memory.broadcast[name], value)
        assert np.abs(value).max() > 0
    for name in set(one.memory.own) - {"residual"}:
        np.testing.assert_array_equal(two.memory.own[name], one.memory.own[name])

    def halved(stats: Any) -> Any:  # nobody counts in one element of the batch, and in its second round alone
        weights = stats.share * np.ones((2, N))
        return np.where([[stats.round == 1], [False]], 0.0, weights)

    halved.simplex = False  # type: ignore[attr-defined]
    whole = GivenSteps(((4, 4, 4, 4),) * 3)
    batch = play(whole, halved, (2,))
    alone = play(whole, make_rule("proportional"))
    np.testing.assert_array_equal(batch.models[2, 0], batch.models[1, 0])
    np.testing.assert_allclose(batch.models[:, 1], alone.models, rtol=0, atol=1e-15)
