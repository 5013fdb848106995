"""EFL's messages both ways: every choice of the bookkeeping against Algorithm 1 as a plain loop; which one closes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from theory import GivenSteps, QuadraticFederation, SphereNoise, UniformWithoutReplacement, make_rule, simulate
from theory.algorithms import make_client
from theory.base.streams import stream
from theory.messages.log import EMPTY_LOG, caught_up, due_bits, posted, trimmed
from theory.participation.schedules import constant_steps
from theory.simulate import Trajectory

Floats = NDArray[np.float64]
N, DIM, E = 5, 6, 3
CHOICES = {
    "uplink": ("compressed", "raw"),
    "downlink": ("compressed", "full"),
    "server_add": ("compressed", "delta"),
    "base_of_absent": ("synced", "stale"),
}
ALL = [dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values())]
# Everyone once, then clients absent for one to three rounds, one of them from the first on.
PATTERN = ((3, 3, 0, 3, 1), (3, 0, 0, 2, 3), (0, 3, 0, 3, 0), (3, 0, 3, 0, 3), (2, 3, 3, 3, 3))


def clients(seed: int = 0) -> QuadraticFederation:
    rng = stream(seed, "test")
    spectrum = rng.uniform(0.3, 2.0, (N, DIM))
    curvature = spectrum[..., None] * np.eye(DIM)
    return QuadraticFederation(curvature, rng.normal(size=(N, DIM)), np.zeros(N), np.full(N, 1 / N))


def largest(values: Floats, k: int) -> Floats:
    """Algorithm 2 in plain Python: no two sizes are equal here."""
    kept = sorted(range(len(values)), key=lambda i: -abs(values[i]))[:k]
    mu = sum(abs(values[i]) for i in kept) / k
    return np.array([mu * np.sign(v) if i in kept else 0.0 for i, v in enumerate(values)])


def plain_loop(
    federation: QuadraticFederation, choices: dict[str, str], up: int, down: int, rounds: int, noise: SphereNoise
) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """Algorithm 1 of efl: server models, bases of those present, whom the server's messages went to in the end."""
    server, eta = np.ones(DIM), 0.1
    base = [server.copy() for _ in range(N)]
    residual, residual_down = [np.zeros(DIM) for _ in range(N)], np.zeros(DIM)
    queue: list[list[Floats]] = [[] for _ in range(N)]
    models, bases = [server], []
    for r in range(rounds):
        steps, drawn = PATTERN[r % len(PATTERN)], noise.draw(4, r, (E, N, DIM))
        present = [k for k in range(N) if steps[k]]
        total, seen = np.zeros(DIM), np.full((N, DIM), np.nan)
        for k in present:
            heard = queue[k] if choices["base_of_absent"] == "synced" else queue[k][-1:]
            for message in heard:
                base[k] = base[k] + message
            queue[k] = []
            w = seen[k] = base[k]
            for s in range(steps[k]):
                w = w - eta * (federation.curvature[k] @ (w - federation.centers[k]) + drawn[s, k])
            change = residual[k] + (w - base[k])
            packed = largest(change, up)
            residual[k] = change - packed
            total = total + (packed if choices["uplink"] == "compressed" else change) / len(present)
        change = residual_down + total
        packed = largest(change, down)
        residual_down = change - packed
        for messages in queue:
            messages.append(packed if choices["downlink"] == "compressed" else change)
        server = server + (packed if choices["server_add"] == "compressed" else change)
        models.append(server)
        bases.append(seen)
    return models, bases, base


def run(choices: dict[str, Any], rounds: int, **more: Any) -> Trajectory:
    given: dict[str, Any] = {"participation": GivenSteps(PATTERN), "seed": 4, "noise": SphereNoise((0.1,) * N)}
    return simulate(
        clients(),
        make_rule("proportional"),
        start=np.ones(DIM),
        step_sizes=constant_steps(0.1, E * rounds),
        n_local_steps=E,
        client=make_client("compressed", keep_fraction=0.4, down_fraction=0.34, **choices),
        record=("models", "weights", "updates", "traffic", "drift"),
        **{**given, **more},
    )


@pytest.mark.parametrize("choices", ALL, ids=lambda c: "-".join(c.values()))
def test_every_choice_is_algorithm_1_as_a_plain_loop(choices: dict[str, str]) -> None:
    found = run(choices, 12)
    models, bases, _ = plain_loop(clients(), choices, 2, 2, 12, SphereNoise((0.1,) * N))
    np.testing.assert_allclose(found.models, np.stack(models), rtol=0, atol=1e-12)
    off = [np.nan_to_num(np.abs(b - w).max(axis=-1)) for b, w in zip(bases, models, strict=False)]
    np.testing.assert_allclose(found.drift, np.stack(off), rtol=0, atol=1e-12)


def everybody(found: Trajectory, choices: dict[str, str]) -> Floats:
    """Base models once every client heard all that waits for it."""
    assert found.memory is not None
    own, missed = found.memory.own, choices["base_of_absent"] == "synced"
    return np.asarray(caught_up(own["base"], own["heard"], found.memory.log, found.final, missed=missed)[0])


def test_the_closing_choice_leaves_no_difference_after_200_rounds() -> None:
    law = UniformWithoutReplacement(2)
    for choices in ALL:
        found = run({**choices, "ties": "exact"}, 200, participation=law)
        off = np.abs(everybody(found, choices) - found.final).max()
        client = make_client("compressed", down_fraction=0.34, **choices)
        assert client.closes == (off == 0.0 and not found.drift.any())
    closing = run({}, 200, participation=law)
    assert np.abs(everybody(closing, ALL[0]) - closing.final).max() == 0.0
    printed = run({"uplink": "raw", "server_add": "delta", "base_of_absent": "stale"}, 200, participation=law)
    assert printed.drift.max() > 1.0  # lost: what absent clients missed
    assert closing.memory is not None
    assert 1 < len(closing.memory.log[1]) < 60  # what all have heard is forgotten


def test_missed_messages_added_at_once_are_not_the_same_numbers() -> None:
    """Why they are taken in one by one: sums in another order end in other last bits."""
    found = run({}, 60, participation=UniformWithoutReplacement(2))
    assert found.memory is not None
    own, log = found.memory.own, found.memory.log
    first, sent, _ = log
    at_once = [
        base + np.sum([message for i, message in enumerate(sent) if first + i + 1 >= heard], axis=0)
        for base, heard in zip(own["base"], own["heard"][:, 0], strict=True)
    ]
    assert 0 < np.abs(np.stack(at_once) - found.final).max() < 1e-13


def test_a_batch_of_replicas_is_each_alone() -> None:
    law = UniformWithoutReplacement(2)
    pair = simulate(
        clients(),
        make_rule("proportional"),
        start=np.ones((2, DIM)),
        step_sizes=constant_steps(0.1, E * 30),
        n_local_steps=E,
        participation=law,
        client=make_client("compressed", keep_fraction=0.4, down_fraction=0.34),
        record=("models", "traffic", "drift"),
    )
    assert not pair.drift.any()
    assert np.abs(pair.models[-1, 0] - pair.models[-1, 1]).max() > 1e-3  # other cohorts
    assert pair.bits_up.shape == (30, 2, N)
    assert np.abs(everybody(pair, ALL[0]) - pair.final[:, None, :]).max() == 0.0


def test_bits_are_those_of_the_messages_heard_and_sent() -> None:
    found = run({"code": "plain"}, 10)
    there = np.array([np.array(PATTERN[r % 5]) > 0 for r in range(10)])
    size = 64 + 2 * DIM
    np.testing.assert_array_equal(found.bits_up, np.where(there, size, 0))
    rounds_missed = np.array([[r - max([-1, *np.flatnonzero(there[:r, k])]) for k in range(N)] for r in range(10)])
    rounds_missed = np.where(rounds_missed > np.arange(10)[:, None], np.arange(10)[:, None], rounds_missed)
    np.testing.assert_array_equal(found.bits_down, np.where(there, rounds_missed * size, 0))


def test_a_client_that_left_or_was_never_there_is_sent_the_model() -> None:
    log = posted(posted(EMPTY_LOG, np.array([1.0, 0.0]), "plain", 32), np.array([0.0, 1.0]), None, 32)
    base, heard = np.zeros((3, 2)), np.array([[1.0], [2.0], [0.0]])
    got, counts = caught_up(base, heard, log, np.array([7.0, 8.0]), missed=True)
    np.testing.assert_array_equal(got, [[1, 1], [0, 1], [7, 8]])
    np.testing.assert_array_equal(counts, np.full((3, 1), 3.0))
    np.testing.assert_array_equal(due_bits(heard, log, 999, missed=True), [36 + 64, 64, 999])
    assert trimmed(log, heard, missed=True) == log
    assert [m.tolist() for m in trimmed(log, np.array([[2.0], [3.0], [0.0]]), missed=True)[1]] == [[0, 1]]
    assert trimmed(log, np.zeros((3, 1)), missed=True) == (2, (), ())


def test_no_compressor_is_fed_avg_bit_for_bit() -> None:
    whole = make_client("compressed", keep_fraction=0)
    given: dict[str, Any] = {"start": np.ones(DIM), "step_sizes": constant_steps(0.1, E * 20), "n_local_steps": E}
    found, plain = (
        simulate(clients(), make_rule("proportional"), client=c, **given) for c in (whole, make_client("sgd"))
    )
    np.testing.assert_array_equal(found.models, plain.models)


def test_settings_out_of_range_are_refused() -> None:
    for text, says in (
        ("compressed(down_fraction=1.5)", "down_fraction=1.5"),
        ("compressed(server_add=both)", "expected one of 'compressed', 'delta'"),
        ("compressed(client=compressed(down_fraction=0.1))", "two sets of base models"),
        ("compressed(code=zip)", "expected one of 'plain', 'index', 'entropy'"),
    ):
        with pytest.raises(ValueError, match=says):
            make_client(text)
