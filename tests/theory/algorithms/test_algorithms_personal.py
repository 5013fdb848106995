"""Clients judged by models of their own: what they are in their limits, and what the common chain feels of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.theory.algorithms.test_algorithms_identities import run
from tests.theory.algorithms.test_algorithms_loops import PATTERN, N, agree, both, clients
from theory import GivenSteps, QuadraticFederation, SignNoise, SphereNoise, make_rule, simulate
from theory.algorithms import make_client
from theory.federations.nonconvex import RippledFederation

WITH_JUDGED = ("models", "judged", "weights")


def federations() -> dict[str, Any]:
    base = clients()
    return {
        "quadratic": base,
        "rippled": RippledFederation(base.centers, np.full(N, 0.5), np.full(N, 0.8), base.floor, base.share),
    }


@pytest.mark.parametrize("kind", ["quadratic", "rippled"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"noise": SignNoise((0.3,) * N)},
        {"noise": SphereNoise((0.3,) * N), "participation": GivenSteps(PATTERN), "n_local": 4},
    ],
    ids=["plain", "signs", "stragglers"],
)
@pytest.mark.parametrize("server", ["rate", "fed-adam(lr=0.05)"])
def test_the_chain_that_apfl_sends_is_fed_avgs_bit_for_bit(kind: str, given: Any, server: str) -> None:
    federation = federations()[kind]
    one, other = (
        run(federation, "exp-alpha(alpha=1)", client, server, record=WITH_JUDGED, **given) for client in ("sgd", "apfl")
    )
    np.testing.assert_array_equal(one.models, other.models)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert np.abs(other.judged - one.judged).max() > 0.1


def test_the_limits_of_mixing_are_fed_avg_and_local_training() -> None:
    given = {"noise": SphereNoise((0.3,) * N), "participation": GivenSteps(PATTERN), "n_local": 4}
    found = {
        name: run(clients(), "proportional", name, record=WITH_JUDGED, **given)
        for name in ("sgd", "apfl(alpha=0)", "apfl(alpha=1)", "local-only")
    }
    np.testing.assert_array_equal(found["apfl(alpha=0)"].judged, found["sgd"].judged)
    np.testing.assert_array_equal(found["apfl(alpha=1)"].judged, found["local-only"].judged)
    assert (found["local-only"].models == found["local-only"].models[0]).all()
    assert (found["sgd"].judged == found["sgd"].models[1:, None]).all()


def test_a_learned_mixture_is_that_of_the_plain_loop_and_leaves_the_chain_alone() -> None:
    settings = {"alpha": 0.4, "learned": True}
    agree(*both("apfl", "rate", settings, {}, clients()))
    fixed, _ = both("apfl", "rate", {"alpha": 0.4}, {}, clients())
    learned, _ = both("apfl", "rate", settings, {}, clients())
    np.testing.assert_array_equal(learned[:, 0], fixed[:, 0])
    assert np.abs(learned[:, 1:] - fixed[:, 1:]).max() > 1e-2
    with pytest.raises(ValueError, match="must be true or false"):
        make_client("apfl", learned=1)


def test_a_learned_mixture_falls_at_first_and_may_stay_at_the_servers_model() -> None:
    base, rate, alpha = clients(), 0.05, 0.5
    alone = QuadraticFederation(base.curvature[:1], base.centers[:1], np.zeros(1), np.ones(1))
    slope = lambda x: base.curvature[0] @ (x - base.centers[0])  # noqa: E731
    start = np.full(alone.dim, 2.0)
    v, w = start - rate * alpha * slope(start), start - rate * slope(start)
    mixed = alpha * v + (1 - alpha) * w
    learned = alpha - rate**2 * (1 - alpha) * float(slope(mixed) @ slope(start))  # vₖ − w = η(1 − α)∇ℓ
    assert learned < alpha - 1e-3
    v, w = v - rate * alpha * slope(mixed), w - rate * slope(w)
    client = f"apfl(alpha={alpha}, learned=true)"
    (found,) = run(alone, "proportional", client, record=WITH_JUDGED, n_local=2, n_rounds=1, eta=rate).judged[-1]
    np.testing.assert_allclose(found, learned * v + (1 - learned) * w, rtol=1e-13)

    ends = {
        name: run(base, "proportional", name, record=WITH_JUDGED, n_rounds=200)
        for name in (client, f"apfl(alpha={alpha})")
    }
    for place in (0, 1):  # α = 0
        np.testing.assert_array_equal(ends[client].judged[-1, place], ends[client].models[-1])
    learned_off, fixed_off = (np.linalg.norm(end.judged[-1] - base.centers, axis=-1) for end in ends.values())
    assert (learned_off[:2] > 10 * fixed_off[:2]).all()


def test_losses_are_those_of_the_models_clients_are_judged_by() -> None:
    base = clients()
    found = run(base, "proportional", "p-fed-me(lam=2)", record=WITH_JUDGED, n_rounds=3)
    off = found.judged - base.centers
    losses = 0.5 * np.einsum("rki,kij,rkj->rk", off, base.curvature, off) + base.floor
    np.testing.assert_allclose(found.judged_losses, losses, rtol=1e-12)


def test_one_inner_step_of_p_fed_me_is_a_slower_fed_avg() -> None:
    """θ = w − ρ∇ℓ(w) in the first step, so w ← w − (ηλρ)∇ℓ(w)."""
    slow = run(clients(), "proportional", "p-fed-me(lam=3, n_inner=1, inner_lr=0.2)", n_local=1, eta=0.1)
    plain = run(clients(), "proportional", "sgd", n_local=1, eta=0.1 * 3 * 0.2)
    np.testing.assert_allclose(slow.models, plain.models, atol=1e-14)


def test_local_training_reaches_each_clients_own_optimum() -> None:
    base = clients()
    found = run(base, "proportional", "local-only", n_rounds=1000, record=("judged",), eta=0.2)
    np.testing.assert_allclose(found.judged[-1], base.centers, atol=1e-9)


def test_fed_for_stops_clients_from_turning_back() -> None:
    """No penalty is FedAvg; a strong one keeps clients from undoing the server's last step, in its direction."""
    given = {"noise": SphereNoise((0.3,) * N), "n_rounds": 6, "record": ("models", "updates")}
    plain, none, strong = (
        run(clients(), "proportional", name, **given) for name in ("sgd", "fed-for(alpha=0)", "fed-for(alpha=20)")
    )
    np.testing.assert_allclose(none.models, plain.models, atol=1e-14)
    np.testing.assert_array_equal(strong.models[1], none.models[1])  # nothing to undo in the first round

    def undone(found: Any) -> float:
        last = np.diff(found.models, axis=0)[:-1]
        return float(-np.minimum(np.einsum("rd,rkd->rk", last, found.updates[1:]), 0).sum())

    assert undone(strong) < 0.5 * undone(plain)


def test_whoever_is_new_begins_at_the_model_it_is_sent() -> None:
    """A client of share 0 that is not there keeps no model; one that is only absent keeps the initial one."""
    from theory import Arrival

    base = clients()
    law = Arrival(client=0, at_round=3, share=tuple(base.share))
    found = run(base, "proportional", "local-only", participation=law, n_rounds=5, record=("models", "judged"))
    np.testing.assert_array_equal(found.judged[2, 0], found.models[2])
    assert (found.judged[3, 0] != found.models[3]).any()


def test_what_sends_nothing_is_neither_weighed_nor_compressed() -> None:
    base: Any = {"start": np.ones(3), "step_sizes": np.full(6, 0.1), "n_local_steps": 3}
    for rule, client, server, says in (
        ("uniform", "local-only", None, "no rule has anything to weigh"),
        ("proportional", "local-only", "fed-adam", "no model moves"),
        ("proportional", "compressed(client=local-only)", None, "nothing to compress"),
    ):
        from theory.algorithms import make_server

        with pytest.raises(ValueError, match=says):
            simulate(
                clients(),
                make_rule(rule),
                client=make_client(client),
                server=None if server is None else make_server(server),
                **base,
            )
