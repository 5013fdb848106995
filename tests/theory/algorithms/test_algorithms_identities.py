"""What is known of the algorithms in closed form: identities, fixed points on two clients; and wrong signs are seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.theory.algorithms.test_algorithms_loops import SETTINGS, agree, both, clients
from theory import (
    FullParticipation,
    GivenSteps,
    MinNorm,
    Momentum,
    Proportional,
    QuadraticFederation,
    SphereNoise,
    UniformWithoutReplacement,
    WithMemory,
    constant_steps,
    make_rule,
    simulate,
)
from theory.algorithms import Affine, Client, make_client, make_server
from theory.algorithms.client import cohort_weights, row_weights
from theory.algorithms.method import Method
from theory.algorithms.round import Trained, dropped, finish_round, first_memory
from theory.algorithms.servers.rate import Rate
from theory.rules.stats import RoundStats

Floats = NDArray[np.float64]
TWO = QuadraticFederation(np.array([[[3.0]], [[1.0]]]), np.array([[1.0], [-2.0]]), np.zeros(2), np.array([0.75, 0.25]))


def run(federation: Any, rule: str, client: str | Client | None, server: str | None = None, **given: Any) -> Any:
    n_local, n_rounds, eta = given.pop("n_local", 5), given.pop("n_rounds", 20), given.pop("eta", 0.05)
    return simulate(
        federation,
        make_rule(rule),
        start=np.full(federation.dim, 2.0),
        step_sizes=constant_steps(eta, n_local * n_rounds),
        n_local_steps=n_local,
        client=make_client(client) if isinstance(client, str) else client,
        server=None if server is None else make_server(server),
        **given,
    )


def optimum_of(weights: Floats) -> float:
    """argmin Σ weights·Fₖ of the two clients."""
    slope = weights * TWO.curvature[:, 0, 0]
    return float(slope @ TWO.centers[:, 0] / slope.sum())


def test_scaffold_fed_gate_and_vrl_sgd_are_one_method_when_everything_is_equal() -> None:
    noise = SphereNoise((0.3,) * 4)
    base = clients()
    even = QuadraticFederation(base.curvature, base.centers, base.floor, np.full(4, 0.25))
    found = [
        run(even, "uniform", name, noise=noise, n_rounds=10).models
        for name in ("scaffold(variates=uniform)", "fed-gate(variates=uniform)", "vrl-sgd")
    ]
    scale = np.abs(found[0]).max()
    for other in found[1:]:
        assert np.abs(other - found[0]).max() <= 20 * 1e-15 * scale  # rounding of ten rounds of five steps


@pytest.mark.parametrize("client", ["sgd", "fed-prox(mu=0)", "fed-cm(alpha=1)"])
@pytest.mark.parametrize("server", ["rate", "fed-avg-m(beta=0)", "fed-avg-m(beta=0, nesterov=true)"])
def test_what_is_fed_avg_is_fed_avg(client: str, server: str) -> None:
    law = UniformWithoutReplacement(3)
    given = {"noise": SphereNoise((0.3,) * 4), "participation": law, "seed": 2}
    plain = run(clients(), "exp-alpha(alpha=1)", None, **given).models
    found = run(clients(), "exp-alpha(alpha=1)", client, server, **given).models
    assert np.abs(found - plain).max() <= 100 * 1e-15 * np.abs(plain).max()  # rounding of a hundred steps


def test_efl_is_fed_nova_with_effective_steps_e() -> None:
    """FedNova: x ← x + τ_eff Σ pₖ Δₖ/τₖ; EFL's E·pₖ/sₖ is that with τ_eff = E."""
    steps, eta, n_rounds = (5, 2), 0.05, 7
    found = run(TWO, "efl(n_local_steps=5)", "sgd", participation=GivenSteps((steps,)), n_rounds=n_rounds, eta=eta)
    x = 2.0
    for _ in range(n_rounds):
        deltas = []
        for k in range(2):
            y = x
            for _ in range(steps[k]):
                y -= eta * TWO.curvature[k, 0, 0] * (y - TWO.centers[k, 0])
            deltas.append(y - x)
        x += 5 * sum(TWO.share[k] * deltas[k] / steps[k] for k in range(2))
    assert abs(found.final[0] - x) <= 1e-14
    nova = run(
        TWO, "fed-nova(effective_steps=5)", "sgd", participation=GivenSteps((steps,)), n_rounds=n_rounds, eta=eta
    )
    assert abs(nova.final[0] - x) <= 1e-14


@pytest.mark.parametrize("option", ["I", "II"])
def test_scaffold_with_shares_reaches_the_optimum_under_unequal_steps(option: str) -> None:
    law = GivenSteps(((5, 2),))
    final = run(TWO, "proportional", f"scaffold(option={option})", participation=law, n_rounds=400).final
    assert abs(final[0] - optimum_of(TWO.share)) <= 1e-10


def test_fed_avg_tends_to_the_step_weighted_optimum_and_fed_nova_to_the_right_one() -> None:
    law, share = GivenSteps(((5, 2),)), TWO.share
    wrong, right = optimum_of(share * np.array([5.0, 2.0])), optimum_of(share)
    assert abs(wrong - right) > 0.15
    for rule, target in (("proportional", wrong), ("fed-nova", right), ("efl(n_local_steps=5)", right)):
        off = [
            abs(run(TWO, rule, "sgd", participation=law, eta=eta, n_rounds=int(4 / eta)).final[0] - target)
            for eta in (0.04, 0.02, 0.01)
        ]
        # First order in η: halving the step halves the distance, up to terms of second order.
        assert 1.8 < off[0] / off[1] < 2.2
        assert 1.9 < off[1] / off[2] < 2.1


@pytest.mark.parametrize("nesterov", [False, True])
def test_fed_nova_counts_steps_with_momentum_by_their_norm(nesterov: bool) -> None:
    """By τ = ‖a‖₁ the distance to w* is O(η) under momentum, too; counts of steps lead elsewhere."""
    counts, momentum = np.array([5, 2]), Momentum(0.8, nesterov)
    right, wrong = TWO.share, TWO.share * momentum.effective_steps(counts) / counts

    def off(rule: str, eta: float, weights: Floats) -> float:
        given: Any = {"participation": GivenSteps((tuple(counts),)), "momentum": momentum, "n_rounds": int(4 / eta)}
        return float(abs(run(TWO, rule, "sgd", eta=eta, **given).final[0] - optimum_of(weights)))

    assert abs(optimum_of(wrong) - optimum_of(right)) > 0.05
    for rule, limit in (("fed-nova", right), ("efl(n_local_steps=5)", wrong)):
        assert 1.8 < off(rule, 0.01, limit) / off(rule, 0.005, limit) < 2.2


@pytest.mark.parametrize("client", ["scaffold", "fed-dyn", "fed-dc", "fed-gate"])
@pytest.mark.parametrize("variates", ["uniform", "share", "rule"])
def test_variates_decide_the_limit(client: str, variates: str) -> None:
    """At a fixed point every Δₖ is the same and Σ ωₖ∇Fₖ = 0, ω the weights of the means, whatever the rule weights."""
    rule = "mix(first=uniform, second=proportional)"
    weights = {"uniform": np.array([0.5, 0.5]), "share": TWO.share, "rule": np.array([0.625, 0.375])}[variates]
    settings = {**SETTINGS[client], "variates": variates}
    final = run(TWO, rule, make_client(client, **settings), n_rounds=1000).final
    assert abs(final[0] - optimum_of(weights)) <= 1e-9


def test_after_a_departure_the_means_follow_the_new_shares() -> None:
    from theory import Departure

    law = Departure(client=0, at_round=50, share=(0.75, 0.25))
    final = run(TWO, "proportional", "scaffold", participation=law, n_rounds=600).final
    # By the old shares the mean would stay at 0.75·c₀ ≠ 0, and the last client could not reach its own optimum.
    assert abs(final[0] - TWO.centers[1, 0]) <= 1e-9


def test_what_a_departed_client_kept_is_dropped_and_an_absent_one_keeps_it() -> None:
    own = {"control": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])}
    share, present, model = np.array([0.0, 0.5, 0.5]), np.array([False, False, True]), np.array([7.0, 8.0])
    left = dropped(make_client("scaffold"), own, share, present, model)
    np.testing.assert_array_equal(left["control"], [[0.0, 0.0], [3.0, 4.0], [5.0, 6.0]])
    # A model of the client's own begins anew at the one that is broadcast.
    personal = dropped(make_client("apfl"), {"personal": own["control"]}, share, present, model)["personal"]
    np.testing.assert_array_equal(personal, [[7.0, 8.0], [3.0, 4.0], [5.0, 6.0]])


def test_the_end_of_a_round_drops_what_a_departed_client_kept() -> None:
    """SCAFFOLD's control variate of a client that left is 0 from the round on; that of an absent one stays."""
    method = Method(make_rule("proportional"), make_client("scaffold"), Rate())
    memory = first_memory(method.client, np.zeros((3, 2)), np.zeros(2))
    (name,) = method.client.keeps
    kept = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    memory = replace(memory, own={name: kept})
    share, present = np.array([0.0, 0.5, 0.5]), np.array([False, False, True])
    updates = np.array([[0.0, 0.0], [0.0, 0.0], [0.1, -0.2]])

    def stats(received: Floats) -> RoundStats:
        return RoundStats(share, present, np.ones(3), np.ones(3), local_steps=np.ones(3), updates=received)

    nothing = np.zeros((3, 2))
    trained = Trained(updates, np.ones(3), stats, lambda: nothing, memory.own, nothing, lambda models: models)
    after, *_ = finish_round(method, memory, np.zeros(2), trained)
    np.testing.assert_array_equal(after.own[name][0], 0.0)
    np.testing.assert_array_equal(after.own[name][1], kept[1])
    assert (after.own[name][2] != kept[2]).any()


def test_aware_server_is_the_aware_rule() -> None:
    """FedAvg×AWARE as a server over FedAvg, and as a rule over the plain server."""
    given = {"participation": UniformWithoutReplacement(3), "seed": 1, "n_rounds": 8}  # before d is 0 to rounding
    as_rule = run(clients(), "fed-avg-aware", None, **given).models
    as_server = run(clients(), "proportional", "sgd", "aware", **given).models
    np.testing.assert_allclose(as_server, as_rule, rtol=0, atol=1e-13)


def test_aware_projects_the_full_direction_on_the_line_of_fed_aware() -> None:
    base, onto = clients(), WithMemory(MinNorm())
    seen: list[Floats] = []
    state: Any = None
    from theory.rules import aggregate
    from theory.rules.stats import RoundStats

    found = run(base, "proportional", "fed-dc(alpha=0.1)", "aware", n_rounds=8, record=("models", "updates"))
    for r, updates in enumerate(found.updates):
        stats = RoundStats(base.share, np.ones(4, dtype=bool), updates=updates)
        state, weights, vectors = aggregate(onto, state, stats)
        line, step = weights @ vectors, found.models[r + 1] - found.models[r]
        seen.append(step - line * (step @ line) / (line @ line))
    assert np.abs(seen).max() <= 1e-12


def test_compression_that_keeps_everything_of_one_number_changes_nothing() -> None:
    plain = run(TWO, "proportional", "scaffold").models
    sent = run(TWO, "proportional", "compressed(client=scaffold, keep_fraction=1)").models
    np.testing.assert_allclose(sent, plain, rtol=0, atol=1e-14)


def test_error_feedback_loses_nothing() -> None:
    """What was received by now and what is left behind add up to all updates."""
    seen = []
    federation = clients()
    client = make_client("compressed(client=sgd, keep_fraction=0.34)")
    run(federation, "proportional", client, record=("updates",), observe=lambda r, v: seen.append(v["updates"].copy()))
    own: Any = {"residual": np.zeros((4, 3))}
    total, received = np.zeros((4, 3)), np.zeros((4, 3))
    for updates in np.random.default_rng(0).normal(size=(20, 4, 3)):
        own, sent = client.message(own, updates)
        assert int((sent != 0).sum(axis=-1).max()) == 1
        total, received = total + updates, received + sent
    np.testing.assert_allclose(received + own["residual"], total, atol=1e-13)
    assert len(seen) == 20


def test_plain_runs_never_enter_the_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs without client and server take the code they always took, so that their numbers cannot change."""

    def fail(*_: Any, **__: Any) -> Any:
        raise AssertionError("the algorithm path was taken")

    for module, name in (
        ("simulate.run", "finish_round"),
        ("simulate.local_steps.work", "walked"),
        ("simulate.local_steps.eigen_work", "walked"),
    ):
        monkeypatch.setattr(import_module(f"theory.{module}"), name, fail)
    run(clients(), "proportional", None, participation=GivenSteps(((5, 2, 0, 1),)), noise=SphereNoise((0.1,) * 4))
    with pytest.raises(AssertionError, match="algorithm path"):
        run(clients(), "proportional", "sgd")


@dataclass(frozen=True)
class WrongSign(Client):
    """A client algorithm with one sign turned: of its pull, its shift, what it keeps, or what it adds to d."""

    client: Client
    of: str

    @property
    def keeps(self) -> tuple[str, ...]:
        return self.client.keeps

    @property
    def broadcasts(self) -> tuple[str, ...]:
        return self.client.broadcasts

    @property
    def means(self) -> tuple[tuple[str, str], ...]:
        return self.client.means

    @property
    def variates(self) -> Any:
        return self.client.variates

    @property
    def start_gradient(self) -> bool:
        return self.client.start_gradient

    def steps(self, own: Any, broadcast: Any) -> Affine:
        found = self.client.steps(own, broadcast)
        assert isinstance(found, Affine)
        pull = -found.pull if self.of == "pull" else found.pull
        shift = -found.shift if self.of == "shift" and found.shift is not None else found.shift
        return Affine(found.scale, pull, shift)

    def carry(self, own: Any, broadcast: Any, played: Any) -> Any:
        kept, sent = self.client.carry(own, broadcast, played)
        if self.of != "carry":
            return kept, sent
        return {n: 2 * own[n] - kept[n] for n in kept}, {n: 2 * broadcast[n] - sent[n] for n in sent}

    def direction(self, direction: Any, broadcast: Any) -> Any:
        found = self.client.direction(direction, broadcast)
        return 2 * direction - found if self.of == "direction" else found


TURNED = [
    ("fed-prox", "pull"),
    ("scaffold", "shift"),
    ("scaffold", "carry"),
    ("fed-dyn", "pull"),
    ("fed-dyn", "shift"),
    ("fed-dyn", "carry"),
    ("fed-dyn", "direction"),
    ("fed-dc", "pull"),
    ("fed-dc", "shift"),
    ("fed-dc", "carry"),
    ("fed-dc", "direction"),
    ("fed-gate", "shift"),
    ("fed-gate", "carry"),
    ("vrl-sgd", "shift"),
    ("vrl-sgd", "carry"),
    ("fed-cm", "shift"),
    ("fed-cm", "carry"),
]


@pytest.mark.parametrize(("name", "of"), TURNED)
def test_a_wrong_sign_is_seen_by_the_plain_loops(name: str, of: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = WrongSign(make_client(name, **SETTINGS[name]), of)
    monkeypatch.setattr("tests.theory.algorithms.test_algorithms_loops.make_client", lambda *_, **__: wrong)
    with pytest.raises(AssertionError):
        agree(*both(name, "rate", SETTINGS[name], {}, clients()))


@pytest.mark.parametrize("server", ["rate", "fed-avg-m", "fed-adam", "fed-yogi", "fed-ams", "fed-exp"])
def test_a_wrong_sign_of_a_server_is_seen_by_the_plain_loops(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = make_server(server)

    @dataclass(frozen=True)
    class Turned(Rate):
        needs = right.needs

        def step(self, state: Any, received: Any) -> Any:
            new, step = right.step(state, received)
            return new, -step

    monkeypatch.setattr("tests.theory.algorithms.test_algorithms_loops.make_server", lambda *_, **__: Turned(right.lr))
    with pytest.raises(AssertionError):
        agree(*both("sgd", server, {}, {}, clients()))


def test_everyone_present_is_the_default() -> None:
    """The three runs that name no participation above are runs with everyone."""
    one = run(TWO, "proportional", "scaffold").models
    np.testing.assert_array_equal(one, run(TWO, "proportional", "scaffold", participation=FullParticipation()).models)
    assert isinstance(make_rule("proportional"), Proportional)


def test_a_uniform_mean_counts_clients_of_the_objective_and_those_present() -> None:
    share = np.array([0.5, 0.5, 0.0, 0.0])
    present = np.array([True, False, False, True])
    weights = np.array([0.6, 0.0, 0.0, 0.2])
    np.testing.assert_allclose(row_weights("uniform", share, present, weights), np.array([1, 1, 0, 1]) / 3, rtol=1e-15)
    np.testing.assert_allclose(row_weights("share", share, present, weights), share, rtol=1e-15)
    np.testing.assert_allclose(row_weights("rule", share, present, weights), np.array([0.75, 0, 0, 0.25]), rtol=1e-15)
    np.testing.assert_allclose(
        cohort_weights("uniform", share, present, weights), np.array([0.5, 0, 0, 0.5]), rtol=1e-15
    )
    np.testing.assert_allclose(cohort_weights("share", share, present, weights), np.array([1.0, 0, 0, 0]), rtol=1e-15)
    np.testing.assert_allclose(
        cohort_weights("rule", share, present, weights), np.array([0.75, 0, 0, 0.25]), rtol=1e-15
    )
