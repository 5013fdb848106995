"""A pack on a card: sums of single runs where they add up, the largest where they are side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deep import RunConfig, estimate
from deep.runs.pack import Card, pack_of
from theory.rules import make_rule

CONFIG = RunConfig(n_clients=4, n_sampled=2, n_rounds=3, n_local_steps=0, n_local_epochs=2, batch_size=10)


def test_a_pack_is_its_runs_with_data_and_program_once() -> None:
    one = estimate(CONFIG, make_rule("proportional"))
    other = estimate(replace(CONFIG, model="mlp(hidden=[8])"), make_rule("min-norm"))
    pack = pack_of([(CONFIG, one, 2), (CONFIG, other, 1)])
    single = [pack_of([(CONFIG, e, 1)]) for e in (one, other)]
    assert pack.n_runs == 3
    assert pack.flops == 2 * single[0].flops + single[1].flops
    assert single[0].flops == 3 * (one.flops["training"] + one.flops["losses"]) + 3 * one.flops["evaluation"]
    assert pack.steps == 3 * 2 * -(-int(one.client_samples["max"]) // 10)
    assert pack.memory == pytest.approx(pack.shared + 2 * single[0].each + single[1].each)
    assert pack.shared == max(
        one.memory["data"] + one.memory["program"], other.memory["data"] + other.memory["program"]
    )


def test_a_card_holds_what_its_memory_does_and_takes_no_less_than_its_peak_rate() -> None:
    one = estimate(replace(CONFIG, n_local_steps=5, n_local_epochs=0), make_rule("proportional"))
    pack = pack_of([(CONFIG, one, 10)])
    small = Card(flops=pack.flops / 120, memory=pack.shared + 3.5 * pack.each)
    assert pack.at_a_time(small) == 3
    assert pack.least_minutes(small) == pytest.approx(2)
    assert pack.at_a_time(Card(1.0, pack.shared / 2)) == 0


def test_no_pack_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one"):
        pack_of([])
