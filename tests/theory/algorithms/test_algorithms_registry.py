"""Algorithms by name: built from text, refused with the reason, and wrong input with a clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.theory.algorithms.test_algorithms_loops import clients
from theory import Proportional, constant_steps, make_rule, simulate
from theory.algorithms import Method, client_entries, make_client, make_server, refusal, server_entries
from theory.algorithms.local_step import Affine, Stepwise
from theory.algorithms.server import Received
from theory.base.names import known_name
from theory.rules.stats import RoundStats
from theory.simulate.conventions import Conventions

ENTRIES = [*((make_client, e) for e in client_entries()), *((make_server, e) for e in server_entries())]


@pytest.mark.parametrize(("make", "entry"), ENTRIES, ids=lambda x: getattr(x, "name", ""))
def test_every_entry_is_built_by_its_name_and_says_where_it_comes_from(make: Any, entry: Any) -> None:
    made = make(entry.name)
    assert type(made) is entry.build
    assert made == make(entry.name, **entry.settings)
    assert "Source:" in (type(made).__doc__ or "")
    assert entry.formula
    assert entry.source


def test_text_nests() -> None:
    server = make_server(
        "aware(server=fed-adam(lr=0.5, bias_correction=true), onto=fed-aware(alpha=1), when_zero=keep)"
    )
    assert server.lr == 0.5
    assert server.server == make_server("fed-adam", lr=0.5, bias_correction=True)
    assert make_client("compressed(client=scaffold(option=I))").client == make_client("scaffold", option="I")


@pytest.mark.parametrize("name", ["FedProx", "fedprox", "fed_prox", "fed-prox"])
def test_a_name_counts_as_people_type_it(name: str) -> None:
    assert make_client(f"{name}(mu=0.5)") == make_client("fed-prox", mu=0.5)
    assert make_server("aware(server=FedAvgM)").server == make_server("fed-avg-m")


def test_no_two_algorithms_are_spelled_alike() -> None:
    for entries in (client_entries(), server_entries()):
        names = [entry.name for entry in entries]
        assert [known_name(name.replace("-", "").upper(), names) for name in names] == names


@pytest.mark.parametrize(
    ("make", "text", "says"),
    [
        (make_client, "scafold", "unknown client 'scafold'; nearest: scaffold"),
        (make_server, "fed-adam(rate=1)", r"server 'fed-adam' has no setting \['rate'\]"),
        (make_server, "fed-adam(lr=", "server 'fed-adam.lr=': cannot be read"),
        (make_client, "fed-prox(mu=-1)", r"FedProx\(mu=-1\): must be finite and >= 0"),
        (make_client, "fed-dyn(alpha=0)", r"FedDyn\(alpha=0\)"),
        (make_client, "fed-cm(alpha=1.5)", r"FedCM\(alpha=1.5\).*<= 1"),
        (make_client, "scaffold(option=III)", r"Scaffold\(option='III'\)"),
        (make_client, "scaffold(variates=shares)", "did you mean 'share'"),
        (make_server, "fed-avg-m(beta=1)", r"FedAvgM\(beta=1\): must be < 1"),
        (make_server, "fed-ams(epsilon=0)", r"FedAMS\(epsilon=0\)"),
        (make_server, "rate(lr=0)", r"Rate\(lr=0\)"),
        (make_server, "aware(server=nothing)", r"aware\(server=…\): unknown server 'nothing'"),
        (make_client, "compressed(keep_fraction=2)", "fraction in"),
        (make_server, "aware(onto=efl)", "need not sum to 1"),
    ],
)
def test_wrong_text_is_refused_at_the_door(make: Any, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make(text)


@pytest.mark.parametrize(
    ("rule", "client", "server", "says"),
    [
        ("proportional", "fed-dyn", "fed-adam", "own server step"),
        ("proportional", "fed-dc", "fed-avg-m", "own server step"),
        ("proportional", "fed-dyn", "aware", "does not follow the global gradient descent rule"),
        ("proportional", "compressed(client=fed-dyn)", "aware(server=rate(lr=0.5))", "global gradient descent rule"),
        ("fed-avg-aware", "fed-dyn", "rate", "does not follow the global gradient descent rule"),
        ("fed-avg-aware", "fed-dc", "rate", "the full step"),
        ("proportional", "compressed(client=fed-dc)", "fed-avg-m", "own server step"),
        ("proportional", "vrl-sgd", "rate(lr=0.5)", "averaged model"),
        ("efl", "sgd", "fed-exp", "weights sum to 1"),
        ("efl", "sgd", "aware(server=fed-exp)", "weights sum to 1"),
        ("fed-avg-aware", "sgd", "fed-adam", "×AWARE"),
        ("fed-avg-aware", "sgd", "aware", "×AWARE"),
    ],
)
def test_what_does_not_compose_says_why(rule: str, client: str, server: str, says: str) -> None:
    parts = make_rule(rule), make_client(client), make_server(server)
    assert says in refusal(*parts)
    with pytest.raises(ValueError, match=says):
        Method(*parts)


def test_what_composes_is_not_refused() -> None:
    for client, server in (("fed-dc", "aware"), ("scaffold", "aware(server=fed-adam)"), ("sgd", "fed-exp")):
        assert refusal(make_rule("proportional"), make_client(client), make_server(server)) == ""


def test_stateful_clients_refuse_fresh_cohorts_with_the_reason() -> None:
    given: dict[str, Any] = {"start": np.ones(3), "step_sizes": constant_steps(0.1, 6), "n_local_steps": 3}
    for client, server, says in (
        ("scaffold", "rate", "Scaffold keeps variate of each client"),
        ("sgd", "aware", "Aware keeps moving averages"),
        ("compressed", "rate", "Compressed keeps residual"),
    ):
        with pytest.raises(ValueError, match=says):
            simulate(
                clients,
                make_rule("proportional"),
                client=make_client(client),
                server=make_server(server),
                **given,
            )
    fresh = simulate(clients, make_rule("proportional"), client=make_client("fed-cm"), **given)
    assert np.isfinite(fresh.final).all()


def test_the_equation_reading_of_a_round_is_refused() -> None:
    with pytest.raises(ValueError, match="aggregate every round"):
        simulate(
            clients(),
            make_rule("proportional"),
            start=np.ones(3),
            step_sizes=constant_steps(0.1, 6),
            n_local_steps=3,
            client=make_client("scaffold"),
            conventions=Conventions(aggregation="equation"),
        )


def test_method_takes_objects_of_the_right_kind() -> None:
    with pytest.raises(ValueError, match=r"Method\(client="):
        Method(Proportional(), client="scaffold")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"Method\(server="):
        Method(Proportional(), server=make_client("sgd"))  # type: ignore[arg-type]


def test_fed_exp_stands_still_where_there_is_nothing_to_do() -> None:
    stats = RoundStats(np.array([0.5, 0.5]), np.array([True, True]))
    zero = Received(np.zeros(3), np.array([0.5, 0.5]), np.zeros((2, 2)), stats)
    _, step = make_server("fed-exp(epsilon=0)").step(None, zero)
    np.testing.assert_array_equal(step, np.zeros(3))
    with pytest.raises(ValueError, match="Gram"):
        make_server("fed-exp").step(None, Received(np.zeros(3), np.array([0.5, 0.5]), None, stats))


def test_any_local_step_runs_heavy_ball_inside_a_round() -> None:
    """A step that is not affine: momentum that begins anew each round, against the loop that defines it."""
    beta, eta, base = 0.5, 0.1, clients()

    def heavy(oracle: Any, carried: Any, rate: Any) -> Any:
        velocity = beta * carried["velocity"] + oracle(carried["model"])
        return {**carried, "velocity": velocity, "model": carried["model"] - rate * velocity}

    class HeavyBall(type(make_client("sgd"))):  # type: ignore[misc]
        def steps(self, own: Any, broadcast: Any) -> Stepwise:
            return Stepwise(heavy, {"velocity": np.zeros((4, 3))})

    from theory import GivenSteps

    counts = (4, 2, 3, 1)
    found = simulate(
        base,
        make_rule("proportional"),
        start=np.ones(3),
        step_sizes=constant_steps(eta, 12),
        n_local_steps=4,
        participation=GivenSteps((counts,)),
        client=HeavyBall(),
    )
    x = np.ones(3)
    for _ in range(3):
        ends = []
        for k, count in enumerate(counts):
            w, v = x.copy(), np.zeros(3)
            for _ in range(count):
                v = beta * v + base.curvature[k] @ (w - base.centers[k])
                w = w - eta * v
            ends.append(w)
        x = np.asarray(base.share @ np.stack(ends))
    np.testing.assert_allclose(found.final, x, atol=1e-14)


def test_a_diagonal_pull_is_taken_outside_the_eigenbasis() -> None:
    """D may be a diagonal, which looks different in each eigenbasis: such steps go through the gradients."""
    pull = np.array([0.1, 2.0, 0.5])

    class Anchored(type(make_client("sgd"))):  # type: ignore[misc]
        def steps(self, own: Any, broadcast: Any) -> Affine:
            return Affine(pull=pull)

    base = clients()
    found = simulate(
        base,
        make_rule("proportional"),
        start=np.ones(3),
        step_sizes=constant_steps(0.1, 5),
        n_local_steps=5,
        client=Anchored(),
    )
    w = np.ones((4, 3))
    for _ in range(5):
        w = w - 0.1 * (base.gradients(w) + pull * (w - 1))
    np.testing.assert_allclose(found.final, base.share @ w, atol=1e-14)


def test_batches_of_different_federations_run_at_once() -> None:
    """A batch axis of two federations gives what each gives alone."""
    from theory import QuadraticFederation

    pair = [clients(1), clients(2)]
    both = QuadraticFederation(
        *(np.stack([getattr(f, name) for f in pair]) for name in ("curvature", "centers", "floor", "share"))
    )
    given: dict[str, Any] = {"step_sizes": constant_steps(0.1, 30), "n_local_steps": 5}
    for client, server in (
        ("scaffold", "fed-exp"),
        ("fed-dc", "rate"),
        ("compressed(client=fed-cm, keep_fraction=0.5)", "aware(server=fed-adam(lr=0.01), when_zero=keep)"),
    ):
        parts = {"client": make_client(client), "server": make_server(server)}
        found = simulate(both, make_rule("exp-alpha(alpha=1)"), start=np.ones((2, 3)), **given, **parts).final
        alone = [simulate(f, make_rule("exp-alpha(alpha=1)"), start=np.ones(3), **given, **parts).final for f in pair]
        np.testing.assert_allclose(found, np.stack(alone), atol=1e-10)
