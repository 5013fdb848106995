"""FedAWARE's memory by rows: the weights of the rule as it is written, inner products that stay those of the rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import deep.task.setup
from deep import RunConfig, run
from deep.aware_memory.rows import CohortRows, HeldRows, Incremental, Remembered, by_rows, inner_products
from theory import make_rule
from theory.algorithms import Method
from theory.algorithms.text import make_server
from theory.rules import MinNorm, WithMemory
from theory.rules.combinators.presets import fed_aware
from theory.rules.protocol import aggregate
from theory.rules.stats import RoundStats

N, DIM = 24, 90
CONFIG = RunConfig(n_rounds=6, n_clients=12, n_sampled=4, n_local_steps=3, partition="iid")


def rounds(n_rounds: int, dtype: torch.dtype, seed: int = 0) -> list[tuple[list[int], Tensor]]:
    """Who is present, and updates that lean one way, so that the least norm is no sum of all."""
    rng = torch.Generator().manual_seed(seed)
    lean = torch.randn(DIM, generator=rng, dtype=dtype)
    found = []
    for _ in range(n_rounds):
        slots = sorted(torch.randperm(N, generator=rng)[:7].tolist())
        found.append((slots, torch.randn(len(slots), DIM, generator=rng, dtype=dtype) + lean))
    return found


def stats_of(slots: list[int], updates: Any, index: int) -> RoundStats:
    present = torch.zeros(N, dtype=torch.bool)
    present[slots] = True
    share = torch.full((N,), 1 / N, dtype=torch.float64)
    return RoundStats.unchecked(share=share, present=present, updates=updates, round=index)


def whole(slots: list[int], rows: Tensor) -> Tensor:
    updates = rows.new_zeros(N, DIM)
    updates[slots] = rows
    return updates


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_weights_are_those_of_the_rule_as_written_and_do_not_drift(dtype: torch.dtype) -> None:
    """Over 60 rounds the Gram matrix stays that of the rows, to the rounding of one inner product."""
    rule = fed_aware(alpha=0.3)
    mine, theirs = None, None
    for index, (slots, rows) in enumerate(rounds(60, dtype)):
        before = None if mine is None else {name: _copied(value) for name, value in mine.items()}
        kept = mine
        mine, weights, vectors = Incremental(rule).step(mine, stats_of(slots, CohortRows(rows, tuple(slots), N), index))
        theirs, expected, all_rows = rule.step(theirs, stats_of(slots, whole(slots, rows), index))
        torch.testing.assert_close(weights, expected, rtol=0, atol=1e-9)  # rounding of sums of 90 numbers, conditioned
        assert isinstance(vectors, Remembered)
        seen = vectors.place >= 0
        torch.testing.assert_close(vectors.rows.take(vectors.place[seen].tolist()), all_rows[seen], rtol=0, atol=0)
        direction = (expected @ all_rows.double()).flatten()
        torch.testing.assert_close(vectors.combined(weights), direction, rtol=0, atol=1e-8)
        full = all_rows.double() @ all_rows.double().mT
        torch.testing.assert_close(vectors.full_gram(), full, rtol=1e-13, atol=1e-12)
        assert torch.equal(vectors.gram, vectors.gram.mT)
        if before is not None and kept is not None:  # a state is a value: the round after it has left it as it was
            assert all(_same(kept[name], before[name]) for name in before)


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else tuple(row.clone() for row in value)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor):
        return torch.equal(one, other)
    return len(one) == len(other) and all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_only_rows_of_clients_present_are_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products are taken of the m rows that changed alone, and a row that did not is the same tensor."""
    asked: list[int] = []

    def counted(rows: Any, values: Tensor) -> Tensor:
        asked.append(len(values))
        return inner_products(rows, values)

    monkeypatch.setattr("deep.aware_memory.rows.inner_products", counted)
    state = None
    for index, (slots, rows) in enumerate(rounds(8, torch.float32)):
        before = state
        state, _, _ = Incremental(fed_aware()).step(state, stats_of(slots, CohortRows(rows, tuple(slots), N), index))
        assert asked == [7] * (index + 1)
        if before is not None:
            changed = {int(place) for place in state["place"][slots]}
            kept = [place for place in range(len(before["memory"])) if place not in changed]
            assert kept
            assert all(state["memory"][place] is before["memory"][place] for place in kept)
    assert len(state["memory"]) == int((state["place"] >= 0).sum())  # clients seen alone  # type: ignore[index]


def test_blocks_give_the_same_products(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = HeldRows().put(range(20), torch.randn(20, 90))
    expected = inner_products(rows, rows.take([3, 5]))
    monkeypatch.setattr("deep.aware_memory.rows.ENTRIES", 60)
    monkeypatch.setattr("deep.aware_memory.rows.BLOCK", 3)
    torch.testing.assert_close(inner_products(rows, rows.take([3, 5])), expected, rtol=1e-12, atol=1e-12)


def test_where_digits_are_lost_it_goes_back_to_the_rows() -> None:
    """Updates that nearly cancel: ‖d‖² is 1e-9 of the rows' own, so that a Gram matrix holds few digits of it."""
    rows = torch.randn(7, DIM, dtype=torch.float64)
    rows = rows - rows.mean(0) + 1e-5 * torch.randn(DIM, dtype=torch.float64)
    slots = list(range(7))
    _, weights, vectors = Incremental(fed_aware()).step(None, stats_of(slots, CohortRows(rows, tuple(slots), N), 0))
    _, expected, all_rows = fed_aware().step(None, stats_of(slots, whole(slots, rows), 0))
    torch.testing.assert_close(weights, expected, rtol=0, atol=1e-9)
    d = float(vectors.combined(weights).norm())
    assert d < 1e-3 * float(rows.norm(dim=1).max())
    assert d == pytest.approx(float((expected @ all_rows).norm()), rel=1e-6)


def test_what_is_taken_by_rows() -> None:
    aware, plain = fed_aware(), make_rule("proportional")
    assert by_rows(Method(aware)).rule == Incremental(aware)
    assert by_rows(Method(plain, server=make_server("aware(watch=fed-aware)"))).server.onto.summed  # type: ignore[attr-defined]
    for rule in (fed_aware(init="zeros"), WithMemory(plain), MinNorm(), make_rule("project(rule=proportional)")):
        assert by_rows(Method(rule)).rule == rule
    clusters = make_server("aware(onto=with-clusters(rule=min-norm), watch=fed-aware)")
    assert by_rows(Method(plain, server=clusters)).server is clusters


@pytest.mark.parametrize(
    ("rule", "server"),
    [
        ("fed-aware", "rate"),
        ("fed-aware(init=full-round)", "rate"),
        ("fed-aware", "fed-exp"),
        ("fed-aware", "aware(onto=with-clusters(rule=min-norm, n_clusters=2))"),
        ("proportional", "aware"),
        ("proportional", "aware(server=fed-avg-m, last_layers=1, watch=fed-aware)"),
        ("min-norm", "aware"),
    ],
)
def test_runs_agree_with_the_rule_as_written(rule: str, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(CONFIG, server=server, model="mlp(hidden=[8])", dtype="float64")
    if "full-round" in rule:
        config = replace(config, n_sampled=12)
    mine = run(config, make_rule(rule))
    monkeypatch.setattr(deep.task.setup, "by_rows", lambda method: method)
    theirs = run(config, make_rule(rule))
    torch.testing.assert_close(mine.model, theirs.model, rtol=0, atol=1e-9)
    for one, other in zip(mine.history, theirs.history, strict=True):
        assert one.weights == pytest.approx(other.weights, abs=1e-9)


def test_a_folder_of_the_rule_as_written_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(CONFIG, checkpoint_every=1)
    expected = run(config, make_rule("fed-aware"))
    with monkeypatch.context() as earlier:
        earlier.setattr(deep.task.setup, "by_rows", lambda method: method)
        run(replace(config, n_rounds=3), make_rule("fed-aware"), out=tmp_path / "run")
    found = run(config, make_rule("fed-aware"), out=tmp_path / "run")
    torch.testing.assert_close(found.model, expected.model, rtol=0, atol=1e-6)


def test_it_resumes_to_the_same_bits(tmp_path: Path) -> None:
    config = replace(CONFIG, checkpoint_every=1, server="aware(watch=fed-aware)")
    expected = run(config, make_rule("fed-aware"))
    run(replace(config, n_rounds=2), make_rule("fed-aware"), out=tmp_path / "run")
    found = run(config, make_rule("fed-aware"), out=tmp_path / "run")
    assert torch.equal(found.model, expected.model)
    assert [record.weights for record in found.history] == [record.weights for record in expected.history]


def test_full_round_says_who_is_absent() -> None:
    slots, rows = rounds(1, torch.float32)[0]
    with pytest.raises(ValueError, match="17 clients are absent in its first round"):
        Incremental(fed_aware(init="full-round")).step(None, stats_of(slots, CohortRows(rows, tuple(slots), N), 0))
    assert aggregate(fed_aware(), None, stats_of(slots, whole(slots, rows), 0))[1].sum() == pytest.approx(1)
