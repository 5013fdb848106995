"""Byzantine clients: messages against plain loops, who they are, what servers see, and what is refused."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist, mean
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.theory.algorithms.test_algorithms_loops import PATTERN, E, clients
from theory import GivenSteps, QuadraticFederation, make_rule, simulate
from theory.algorithms import make_client, make_server
from theory.algorithms.attack import SignFlip
from theory.algorithms.clients.byzantine import Byzantine, byzantine_clients
from theory.algorithms.seeds import with_seed
from theory.base.streams import stream

N, DIM = 7, 4
Floats = NDArray[np.float64]


def rows_of(seed: int) -> Floats:
    drawn: Floats = 1 + stream(seed, "test byzantine").normal(size=(N, DIM))
    return drawn


def sent_by(text: str, updates: Any, wrap: Any = lambda x: x) -> Any:
    client = make_client(text)
    return client.message(client.first(wrap(np.zeros((N, DIM)))), wrap(updates))[1]


def plain(attack: str, rows: list[list[float]], bad: list[int]) -> list[float]:
    """What the attack makes all Byzantine clients send, from the clients present."""
    honest = [row for k, row in enumerate(rows) if k not in bad]
    middle = [mean(column) for column in zip(*honest, strict=True)]
    if attack == "inner-product(epsilon=2)":
        return [-2 * value for value in middle]
    spread = [
        sqrt(mean([(x - m) ** 2 for x in column])) for m, column in zip(middle, zip(*honest, strict=True), strict=True)
    ]
    z, n, m = 1.5, len(rows), len(bad)
    if attack == "little-is-enough":
        outdone = n // 2 + 1 - m
        z = max(0.0, NormalDist().inv_cdf((n - m - outdone) / (n - m)))
    return [a - z * b for a, b in zip(middle, spread, strict=True)]


@pytest.mark.parametrize("attack", ["inner-product(epsilon=2)", "little-is-enough", "little-is-enough(z=1.5)"])
@pytest.mark.parametrize("n_absent", [0, 1])
def test_messages_of_colluding_clients_equal_the_plain_loop(attack: str, n_absent: int) -> None:
    rows, bad = rows_of(1), byzantine_clients(3, N, 3)
    absent = [k for k in range(N) if k not in bad][:n_absent]
    here = [k for k in range(N) if k not in absent]
    updates = rows.copy()
    updates[absent] = 1e-15  # as rounding leaves an absent client's
    found = sent_by(f"byzantine(attack={attack}, count=3, seed=3)", updates)
    wanted = plain(attack, rows[here].tolist(), [here.index(k) for k in bad])
    for k in here:
        np.testing.assert_allclose(found[k], wanted if k in bad else rows[k], atol=1e-13)
    assert attack != "little-is-enough" or np.abs(wanted - rows[[k for k in here if k not in bad]].mean(0)).max() > 0.1


def test_a_flipped_sign_is_the_clients_own_and_numpy_is_torch() -> None:
    rows, bad = rows_of(2), byzantine_clients(0, N, 2)
    found = sent_by("byzantine(attack=sign-flip(scale=3), count=2)", rows)
    np.testing.assert_array_equal(found[bad], -3 * rows[bad])
    assert len(bad) == 2
    for attack in ("sign-flip", "gaussian-noise(std=2)", "little-is-enough", "inner-product"):
        text = f"byzantine(attack={attack}, count=2)"
        other = sent_by(text, rows, wrap=torch.from_numpy)
        np.testing.assert_allclose(other.numpy(), sent_by(text, rows), atol=1e-14)


def test_noise_is_new_for_each_message_and_follows_seed_and_client() -> None:
    client, wide = make_client("byzantine(attack=gaussian-noise(std=5), count=2, seed=4)"), np.ones((N, 4000))
    bad = byzantine_clients(4, N, 2)
    own, first = client.message(client.first(wide), wide)
    _, second = client.message(own, wide)
    drawn = [first[bad[0]], first[bad[1]], second[bad[0]]]
    for one in drawn:
        assert abs(one.std() / 5 - 1) < 0.06  # 5 standard deviations of the estimate from 4000 draws
    assert np.abs(np.corrcoef(drawn) - np.eye(3)).max() < 0.1
    np.testing.assert_array_equal(client.message(client.first(wide), wide)[1], first)
    # In another cohort, where rows are those of clients present alone, each draws what it would have drawn.
    some = np.sort([*bad, (bad[0] + 1) % N if (bad[0] + 1) % N not in bad else (bad[0] + 2) % N])
    of_some = {name: values[some] for name, values in client.first(wide).items()}
    np.testing.assert_array_equal(client.message(of_some, wide[some])[1], first[some])


def test_who_is_byzantine_derives_from_the_seed_alone() -> None:
    assert len({tuple(byzantine_clients(seed, 20, 4)) for seed in range(20)}) > 15
    counts = np.bincount(np.concatenate([byzantine_clients(seed, 5, 2) for seed in range(200)]), minlength=5)
    assert counts.min() > 50  # 80 expected, standard deviation 7
    assert with_seed(Byzantine(make_client("scaffold")), 9).seed == 9
    assert with_seed(Byzantine(seed=2), 9).seed == 2


def run(client: Any) -> Any:
    return simulate(
        clients(),
        make_rule("uniform"),
        start=np.ones(3),
        step_sizes=np.full(6 * E, 0.1),
        n_local_steps=E,
        participation=GivenSteps(PATTERN),
        client=client,
        record=("models", "updates", "losses"),
    )


@pytest.mark.parametrize("inside", ["sgd", "scaffold", "fed-cm(alpha=0.5)", "compressed(keep_fraction=0.4)"])
def test_an_attack_that_sends_the_update_itself_changes_nothing(inside: str) -> None:

    class Harmless(SignFlip):
        def sent(self, seen: Any) -> Any:
            return seen.updates

    client, plainly = make_client(inside), run(make_client(inside))
    same = run(Byzantine(client=client, attack=Harmless(), count=2))
    np.testing.assert_array_equal(same.models, plainly.models)
    assert np.abs(run(Byzantine(client=client, count=2)).models - plainly.models).max() > 0.1


def test_rules_and_servers_see_what_was_sent() -> None:
    bad = byzantine_clients(0, 4, 1)[0]
    attacked, honest = run(make_client("byzantine(attack=sign-flip(scale=10))")), run(make_client("sgd"))
    np.testing.assert_allclose(attacked.updates[0, bad], -10 * honest.updates[0, bad], atol=1e-12)
    np.testing.assert_allclose(attacked.loss_after[0], honest.loss_after[0], atol=1e-12)


@pytest.mark.parametrize("attack", ["sign-flip(scale=100)", "gaussian-noise", "inner-product(epsilon=50)"])
@pytest.mark.parametrize("by", ["median", "trimmed-mean(f=1)", "krum(f=1)", "geometric-median", "bulyan(f=1)"])
def test_robust_servers_hold_where_the_mean_is_lost(attack: str, by: str) -> None:
    """One Byzantine client of seven, whose optima are a unit or so apart."""
    rng = stream(5, "test optima")
    federation = QuadraticFederation(
        np.broadcast_to(np.eye(3), (7, 3, 3)), 0.3 * rng.normal(size=(7, 3)), np.zeros(7), np.full(7, 1 / 7)
    )

    def end(server: str) -> float:
        found = simulate(
            federation,
            make_rule("uniform"),
            start=np.ones(3),
            step_sizes=np.full(60, 0.1),
            n_local_steps=3,
            client=make_client(f"byzantine(attack={attack})"),
            server=make_server(server),
        )
        return (
            float(np.abs(found.final - np.asarray(federation.centers).mean(0)).max()) if found.diverged < 0 else np.inf
        )

    assert end(f"aggregate(by={by})") < 1 < 5 < end("rate")


def test_the_attack_comes_after_compression_and_before_the_rule() -> None:
    with pytest.raises(ValueError, match=r"expected byzantine\(client=compressed"):
        make_client("compressed(client=byzantine)")


def test_a_client_that_left_and_came_back_is_refused_by_name() -> None:
    client = make_client("byzantine")
    own = {name: np.zeros_like(rows) for name, rows in client.first(np.zeros((N, DIM))).items()}
    with pytest.raises(ValueError, match="nobody knows whether it is Byzantine"):
        client.message(own, rows_of(6))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("byzantine(attack=sign-flop)", "unknown attack 'sign-flop'; nearest: sign-flip"),
        ("byzantine(attack=sign-flip(size=2))", r"has no setting \['size'\]"),
        ("byzantine(attack=sign-flip(scale=0))", r"SignFlip\(scale=0\)"),
        ("byzantine(attack=little-is-enough(knows=all))", r"LittleIsEnough\(knows='all'\)"),
        ("byzantine(client=byzantine)", "two attacks in each other"),
        ("byzantine(count=0)", r"Byzantine\(count=0\)"),
        ("byzantine(attack=3)", r"Byzantine\(attack=3\): expected an attack"),
    ],
)
def test_wrong_words_are_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make_client(text)
