"""The array functions against plain loops typed from the sources, over noise, stragglers and partial participation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.theory.plain_loops import Problem, plain_run
from theory import GivenSteps, QuadraticFederation, SphereNoise, make_rule, simulate
from theory.algorithms import client_entries, make_client, make_server, server_entries
from theory.base.streams import stream
from theory.federations.nonconvex import RippledFederation

N, DIM, E, ROUNDS = 4, 3, 4, 6
SETTINGS: dict[str, dict[str, Any]] = {
    "sgd": {},
    "fed-prox": {"mu": 0.7},
    "scaffold": {},
    "fed-dyn": {"alpha": 0.8},
    "fed-dc": {"alpha": 0.6},
    "fed-gate": {},
    "vrl-sgd": {},
    "fed-cm": {"alpha": 0.3},
    "fed-for": {"alpha": 2.0},
    "apfl": {"alpha": 0.3},
    "p-fed-me": {"lam": 1.5, "n_inner": 3, "inner_lr": 0.4},
    "local-only": {},
}
JUDGED = ("apfl", "p-fed-me", "local-only")
WITH_MEANS = ("scaffold", "fed-dyn", "fed-dc", "fed-gate", "fed-cm")
SERVER_CASES: list[tuple[str, dict[str, Any]]] = [
    ("rate", {"lr": 0.7}),
    ("fed-avg-m", {"beta": 0.6, "lr": 0.5}),
    ("fed-avg-m", {"beta": 0.6, "lr": 0.5, "nesterov": True}),
    ("fed-adam", {"lr": 0.05}),
    ("fed-adam", {"lr": 0.05, "bias_correction": True}),
    ("fed-yogi", {"lr": 0.05}),
    ("fed-ams", {"lr": 0.05}),
    ("fed-exp", {"epsilon": 1e-4}),
]
# Everyone; stragglers; clients absent, one of them in the first round.
PATTERN = ((4, 4, 4, 4), (4, 1, 0, 3), (0, 2, 4, 4))


def clients(seed: int = 3) -> QuadraticFederation:
    rng = stream(seed, "test")
    turn = np.linalg.qr(rng.normal(size=(N, DIM, DIM)))[0]
    curvature = turn @ (rng.uniform(0.3, 2.0, (N, DIM))[..., None] * turn.swapaxes(-1, -2))
    return QuadraticFederation(
        0.5 * (curvature + curvature.swapaxes(-1, -2)),
        rng.normal(size=(N, DIM)),
        np.zeros(N),
        np.array([0.4, 0.3, 0.2, 0.1]),
    )


def by_share(present: list[int], share: NDArray[np.float64]) -> NDArray[np.float64]:
    a = np.zeros_like(share)
    a[present] = share[present] / share[present].sum()
    return a


def both(
    client: str, server: str, client_settings: dict[str, Any], server_settings: dict[str, Any], federation: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What `simulate` and the plain loop have: models (rounds + 1, dim); with models of the clients' own these, too."""
    noise = SphereNoise((0.2,) * N)
    etas = [0.2 * 0.9**r for r in range(ROUNDS)]
    drawn = [noise.draw(5, r, (E, N, DIM)) for r in range(ROUNDS)]

    def full_gradient(k: int, w: NDArray[np.float64]) -> Any:
        return federation.gradients(np.tile(w, (N, 1)))[k]

    problem = Problem(
        gradient=lambda k, w, r, s: full_gradient(k, w) + drawn[r][s, k],
        full_gradient=full_gradient,
        share=federation.share,
        steps=[list(PATTERN[r % len(PATTERN)]) for r in range(ROUNDS)],
        etas=etas,
        start=np.ones(DIM),
        weigh=by_share,
    )
    run = simulate(
        federation,
        make_rule("proportional"),
        start=np.ones(DIM),
        step_sizes=np.repeat(etas, E),
        n_local_steps=E,
        noise=noise,
        participation=GivenSteps(PATTERN),
        seed=5,
        client=make_client(client, **client_settings),
        server=make_server(server, **server_settings),
        record=("models", "judged"),
    )
    loop = plain_run(problem, client, server, **client_settings, **server_settings)
    if client in JUDGED:
        both_chains = np.concatenate([np.asarray(run.models)[1:, None], np.asarray(run.judged)], axis=1)
        return both_chains, np.concatenate([np.stack(loop)[1:, None], np.asarray(problem.judged)], axis=1)
    return np.asarray(run.models), np.stack(loop)


def agree(one: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    # A few dozen operations a step on numbers of size one, in another order; adaptive servers divide by τ = 1e-3.
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    assert np.abs(np.diff(one, axis=0)).reshape(len(one) - 1, -1).max(axis=1).min() > 1e-4  # every round moved a model


def cases() -> list[Any]:
    found = [(name, {**settings}) for name, settings in SETTINGS.items()]
    found += [("scaffold", {"option": "I"}), ("fed-prox", {"mu": 0.0}), ("fed-dc", {"alpha": 0.0})]
    found += [("fed-for", {"alpha": 0.4, "form": "always"}), ("p-fed-me", {"lam": 1.5})]
    found += [(name, {**SETTINGS[name], "variates": v}) for name in WITH_MEANS for v in ("uniform", "rule")]
    return found


@pytest.mark.parametrize(("client", "settings"), cases())
@pytest.mark.parametrize("eigenbasis", [True, False])
def test_clients_equal_the_plain_loops(client: str, settings: dict[str, Any], eigenbasis: bool) -> None:
    base = clients()
    rippled = RippledFederation(base.centers, np.full(N, 0.5), np.full(N, 0.8), base.floor, base.share)
    federation = base if eigenbasis else rippled
    agree(*both(client, "rate", settings, {}, federation))


@pytest.mark.parametrize(("server", "settings"), SERVER_CASES)
@pytest.mark.parametrize("client", ["sgd", "scaffold"])
def test_servers_equal_the_plain_loops(client: str, server: str, settings: dict[str, Any]) -> None:
    agree(*both(client, server, SETTINGS[client], settings, clients()))


def test_every_registered_algorithm_has_a_loop() -> None:
    """An algorithm without an independent loop is one that combines others; these have tests of their own."""
    assert {e.name for e in client_entries()} - set(SETTINGS) == {"byzantine", "compressed", "elastic"}
    assert {e.name for e in server_entries()} - {name for name, _ in SERVER_CASES} == {"aggregate", "aware"}
