"""×AWARE that remembers less, by layers and by clusters: against plain loops, its limits, and what it reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.theory.algorithms.test_algorithms_identities import run
from tests.theory.algorithms.test_algorithms_loops import clients
from tests.theory.planted import planted
from theory import MinNorm, RoundStats, UniformWithoutReplacement, WithClusters, aggregate, make_rule
from theory.algorithms import Received, make_server
from theory.minnorm import min_norm_point

Floats = NDArray[np.float64]
N, DIM = 7, 5


def rounds(n_rounds: int = 6, n: int = N, dim: int = DIM) -> list[RoundStats]:
    """Updates of two sorts of clients, some absent."""
    rng = np.random.default_rng(4)
    sorts = rng.normal(size=(3, dim))
    found = []
    for r in range(n_rounds):
        present = np.ones(n, bool) if r == 0 else rng.permutation(n) < 4
        updates = sorts[np.arange(n) % 3] + 0.4 * rng.normal(size=(n, dim))
        found.append(RoundStats(np.full(n, 1 / n), present, updates=np.where(present[:, None], updates, 0.0), round=r))
    return found


def cosine(a: Floats, b: Floats) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def plain_clusters(run_of: list[RoundStats], n_clusters: int, alpha: float) -> list[tuple[Floats, list[int]]]:
    """(d, cluster of each client) of each round, typed from the description."""
    memory: list[Floats | None] = [None] * n_clusters
    member = [-1] * N
    found = []
    for stats in run_of:
        u = np.asarray(stats.updates)
        free = [k for k in range(N) if stats.present[k]]
        centre = list(memory)
        for c in range(n_clusters):
            if memory[c] is None and free:
                known = [m for m in centre if m is not None]
                if known:
                    seed = min(free, key=lambda k: max(cosine(u[k], m) for m in known))
                else:
                    seed = max(free, key=lambda k: u[k] @ u[k])
                centre[c] = u[seed]
                free.remove(seed)
        joined: dict[int, list[int]] = {c: [] for c in range(n_clusters)}
        for k in range(N):
            if stats.present[k]:
                near = [-2.0 if m is None else cosine(u[k], m) for m in centre]
                member[k] = int(np.argmax(near))
                joined[member[k]].append(k)
        for c, those in joined.items():
            if those:
                mean = sum(u[k] for k in those) / len(those)
                old = memory[c]
                memory[c] = mean if old is None else (1 - alpha) * old + alpha * mean
            elif memory[c] is None:
                memory[c] = centre[c]
        counted = [memory[c] for c in range(n_clusters) if c in member]
        vectors = np.stack([m for m in counted if m is not None])
        found.append((min_norm_point(vectors @ vectors.T).weights @ vectors, list(member)))
    return found


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 6])
def test_clusters_are_those_of_the_plain_loop(n_clusters: int) -> None:
    rule, state = WithClusters(MinNorm(), n_clusters, 0.3), None
    for stats, (d, member) in zip(rounds(), plain_clusters(rounds(), n_clusters, 0.3), strict=True):
        state, weights, vectors = aggregate(rule, state, stats)
        np.testing.assert_allclose(weights @ vectors, d, atol=1e-12)
        held = np.asarray(state["member"])
        assert [int(np.argmax(row)) if row.any() else -1 for row in held] == member
        assert state["memory"].shape == (n_clusters, DIM)
        assert abs(weights.sum() - 1) < 1e-14


def test_a_batch_of_clusters_is_a_loop() -> None:
    one, other = rounds(), [RoundStats(s.share, s.present[::-1], updates=-2 * s.updates[::-1]) for s in rounds()]
    rule, states = WithClusters(MinNorm(), 3), [None, None, None]
    for pair in zip(one, other, strict=True):
        both = RoundStats(*(np.stack([getattr(s, f) for s in pair]) for f in ("share", "present")), updates=np.stack(
            [s.updates for s in pair]
        ))  # fmt: skip
        found = []
        for i, stats in enumerate((*pair, both)):
            states[i], weights, vectors = aggregate(rule, states[i], stats)
            found.append((weights[..., None] * vectors).sum(-2))
        np.testing.assert_allclose(found[2], np.stack(found[:2]), atol=1e-12)


def test_rules_that_read_more_than_clusters_have_are_refused() -> None:
    for text in ("exp-alpha(alpha=1)", "efl(n_local_steps=2)"):
        with pytest.raises(ValueError, match="a rule of updates and shares"):
            WithClusters(make_rule(text))


def received(stats: RoundStats, weights: Floats, layers: tuple[int, ...] = ()) -> Received:
    return Received(weights @ np.asarray(stats.updates), weights, None, stats, layers=layers)


LAYERS = (1, 2, 2)


@pytest.mark.parametrize("last", [1, 2, 3])
def test_last_layers_are_projected_and_the_rest_goes_its_way(last: int) -> None:
    server: Any = make_server(f"aware(last_layers={last}, watch=fed-aware, onto=fed-aware(alpha=0.3))")
    state: Any = None
    kept = sum(LAYERS[-last:])
    memory: list[Floats | None] = [None] * N
    full: list[Floats | None] = [None] * N
    for stats in rounds():
        u = np.asarray(stats.updates)
        for k in np.flatnonzero(stats.present):
            for held, alpha, part in ((memory, 0.3, u[k, -kept:]), (full, 0.5, u[k])):
                old = held[k]
                held[k] = part.copy() if old is None else (1 - alpha) * old + alpha * part
        lines = []
        for held in (memory, full):
            rows = np.stack([m for m in held if m is not None])
            lines.append(min_norm_point(rows @ rows.T).weights @ rows)
        weights = np.where(stats.present, 1.0, 0.0) / stats.present.sum()
        d = weights @ u
        line = lines[0]
        expected = np.concatenate([d[:-kept], (d[-kept:] @ line) / (line @ line) * line])
        state, step = server.step(state, received(stats, weights, LAYERS))
        np.testing.assert_allclose(step, expected, atol=1e-9)
        told = server.report(state)
        assert told["aware_memory"] == N * kept
        assert told["watched_memory"] == N * DIM
        angle = np.degrees(np.arccos(np.clip(cosine(line, lines[1][-kept:]), -1, 1)))
        assert told["aware_angle"] == pytest.approx(angle, abs=1e-5)
    with pytest.raises(ValueError, match="the model has 3"):
        make_server("aware(last_layers=4)").step(None, received(rounds()[0], np.full(N, 1 / N), LAYERS))


def test_clusters_under_aware_report_what_they_save() -> None:
    server: Any = make_server("aware(onto=with-clusters(rule=min-norm, n_clusters=2), watch=fed-aware)")
    state: Any = None
    for stats in rounds():
        weights = np.where(stats.present, 1.0, 0.0) / stats.present.sum()
        state, _ = server.step(state, received(stats, weights))
    told = server.report(state)
    assert (told["aware_memory"], told["watched_memory"]) == (2 * DIM, N * DIM)
    assert 0 < told["aware_angle"] < 90


@pytest.mark.parametrize("when_zero", ["zero", "keep"])
def test_a_direction_that_is_rounding_around_zero_counts_as_zero(when_zero: str) -> None:
    draw = np.random.default_rng(0)
    for n in (3, 5, 8):
        rows = draw.normal(size=(n, 2))
        rows[-1] = -rows[:-1].sum(axis=0)
        server = make_server(f"aware(when_zero={when_zero})")
        for order in (draw.permutation(n) for _ in range(6)):
            stats = RoundStats(np.full(n, 1 / n), np.ones(n, bool), updates=rows[order])
            d_tilde = np.ones(2)
            _, step = server.step(None, Received(d_tilde, stats.share, None, stats))
            np.testing.assert_array_equal(step, 0 * d_tilde if when_zero == "zero" else d_tilde)


@pytest.mark.parametrize("client", ["sgd", "scaffold", "fed-cm"])
def test_aware_is_the_identity_on_fed_aware_itself(client: str) -> None:
    given: dict[str, Any] = {"participation": UniformWithoutReplacement(3), "seed": 1, "n_rounds": 6}
    itself = run(clients(), "fed-aware", client, **given).models
    projected = run(clients(), "fed-aware", client, "aware", **given).models
    np.testing.assert_allclose(projected, itself, rtol=0, atol=1e-14)
    watched = run(clients(), "fed-aware", client, "aware(watch=fed-aware, last_layers=1)", **given).models
    np.testing.assert_array_equal(watched, projected)  # theory's models are one layer, and watching changes nothing


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("part, updates = proposal[", "part, updates = -proposal["),
        ("[proposal[..., : dim - kept], moved]", "[-proposal[..., : dim - kept], moved]"),
        ("for s in (-1, 1)", "for s in (1, -1)"),
    ],
)
def test_a_wrong_sign_in_aware_is_seen(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = planted("theory.algorithms.servers.aware", right, wrong)

    def made(text: str, make: Any = make_server) -> Any:
        whole = make(text)
        return broken.Aware(whole.server, whole.onto, last_layers=whole.last_layers, watch=whole.watch)

    check = test_last_layers_are_projected_and_the_rest_goes_its_way
    monkeypatch.setitem(check.__globals__, "make_server", made)
    with pytest.raises(AssertionError):
        check(2)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(1 - self.alpha) * state", "-(1 - self.alpha) * state"),
        ("_first(xp, near", "_first(xp, -near"),
        ("sizes, -likeness", "-sizes, -likeness"),
        ("+ self.alpha * mean", "- self.alpha * mean"),
    ],
)
def test_a_wrong_sign_in_the_clusters_is_seen(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = planted("theory.rules.combinators.clusters", right, wrong)
    monkeypatch.setitem(globals(), "WithClusters", broken.WithClusters)
    with pytest.raises(AssertionError):
        test_clusters_are_those_of_the_plain_loop(3)
