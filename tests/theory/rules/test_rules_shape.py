"""How weights move with the losses: shifts, single losses raised, and temperatures at their ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.rules.test_rules import compare, named, play
from tests.theory.strategies import mapped, rich_rounds, runs
from theory import RoundStats, aggregate, make_rule

LOSS_RULES = {
    "exp-alpha(alpha=1)": "loss_after",
    "exp-alpha(alpha=1, data_size=true)": "loss_after",
    "fed-soft-worse(temperature=1)": "loss_before",
    "fed-soft-better(temperature=1)": "loss_before",
    "fed-worse": "loss_before",
    "fed-worse(k=2)": "loss_before",
    "fed-worse(k=0.5, of=present, inner=share)": "loss_before",
    "fed-better": "loss_before",
    "fed-better(k=0.5, of=all)": "loss_before",
    "power-of-choice(d=2, m=1)": "loss_before",
}


def by_reads(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The rules that are played on the same rounds, by what they read."""
    found: dict[str, tuple[str, ...]] = {}
    for text in dict.fromkeys(texts):
        name = "-".join(sorted(make_rule(text).needs))
        found[name] = (*found.get(name, ()), text)
    return found


SHIFTED = by_reads(LOSS_RULES)


@pytest.mark.parametrize("texts", SHIFTED.values(), ids=SHIFTED)
@given(data=st.data(), shift=st.integers(-8, 8))
def test_a_common_shift_of_the_losses_changes_nothing(texts: tuple[str, ...], data: st.DataObject, shift: int) -> None:
    stats = data.draw(rich_rounds(4, reads=make_rule(texts[0]).needs))
    for text in texts:
        moved = mapped(stats, lambda name, value, at=LOSS_RULES[text]: value + shift if name == at else value)
        with named(text):
            compare(text, play(text, [moved]), play(text, [stats]))


@given(run=runs(full=True, reads=("loss_before",)), shift=st.integers(-8, 8))
def test_afl_ignores_a_common_shift_when_everybody_is_present(run: list[RoundStats], shift: int) -> None:
    moved = [mapped(stats, lambda name, v: v + shift if name == "loss_before" else v) for stats in run]
    text = "afl(step_size=0.015625, when_zero=share)"
    compare(text, play(text, moved), play(text, run))


# +1: a larger value never lowers the client's own weight; −1: never raises it.
MONOTONE = {
    ("exp-alpha(alpha=1)", "loss_after"): 1,
    ("exp-alpha(alpha=1)", "loss_before"): -1,
    ("oracle(U=exp)", "loss_before"): -1,
    ("oracle(U=sigmoid)", "loss_before"): -1,
    ("oracle(U=step, scale=100)", "loss_before"): -1,
    ("fed-soft-worse(temperature=1)", "loss_before"): 1,
    ("fed-soft-worse(temperature=1)", "loss_best"): -1,
    ("fed-soft-better(temperature=1)", "loss_before"): -1,
    ("fed-soft-better(temperature=1)", "loss_best"): 1,
    ("fed-worse", "loss_before"): 1,
    ("fed-worse(k=2)", "loss_before"): 1,
    ("fed-worse(k=2, inner=share)", "loss_best"): -1,
    ("fed-better", "loss_before"): -1,
    ("fed-better(k=2)", "loss_before"): -1,
    ("power-of-choice(d=99, m=2)", "loss_before"): 1,
    ("power-of-choice(d=2, m=1)", "loss_before"): 1,
    ("efl", "local_steps"): -1,
    ("fed-nova(effective_steps=10)", "effective_steps"): -1,
    ("q-fed-avg(q=1, lipschitz=2)", "loss_before"): 1,
    ("inverse-variance", "gradient_variance"): -1,
}


FOLLOWED = by_reads(text for text, _ in MONOTONE)


@pytest.mark.parametrize("texts", FOLLOWED.values(), ids=FOLLOWED)
@given(data=st.data(), more=st.integers(1, 40))
def test_the_weight_follows_the_loss_as_the_formula_says(
    texts: tuple[str, ...], data: st.DataObject, more: int
) -> None:
    stats = data.draw(rich_rounds(4, reads=make_rule(texts[0]).needs))
    client = data.draw(st.sampled_from(np.flatnonzero(stats.present).tolist()))
    for text, name in MONOTONE:
        if text in texts:
            with named(f"{text}, {name}"):
                the_weight_follows(text, name, stats, client, more)


def the_weight_follows(text: str, name: str, stats: RoundStats, client: int, more: int) -> None:
    lowest = {"efl": 1.0, "fed-nova(effective_steps=10)": 1.0}.get(text, -np.inf)

    def raised(field: str, value: Any) -> Any:
        if field != name:
            return value
        value = np.maximum(value, lowest)
        value[client] = min(value[client] + more / 8, 10.0) if text == "efl" else value[client] + more / 8
        return value

    floor = mapped(stats, lambda field, value: np.maximum(value, lowest) if field == name else value)
    ((before, _),), ((after, _),) = play(text, [floor]), play(text, [mapped(stats, raised)])
    assert (after[client] - before[client]) * MONOTONE[text, name] >= -1e-15


@given(run=runs(full=True, n_clients=3, n_rounds=1, reads=("loss_before",)))
def test_afl_moves_towards_the_largest_loss(run: list[RoundStats]) -> None:
    rule = make_rule("afl", step_size=0.0625)
    state, weights, _ = aggregate(rule, None, run[0])
    np.testing.assert_array_equal(weights, run[0].share / run[0].share.sum())
    worst = int(np.argmax(run[0].loss_before))
    assert state[worst] >= weights[worst] - 1e-15
    assert state @ run[0].loss_before >= weights @ run[0].loss_before - 1e-12


@given(stats=rich_rounds(4, reads=("loss_before", "loss_after", "loss_best")))
def test_limits_of_the_temperatures(stats: RoundStats) -> None:
    def weights(text: str) -> Any:
        return play(text, [stats])[0][0]

    fedavg, even = weights("proportional"), weights("uniform")
    for text in ("fed-soft-worse(temperature=1e9)", "fed-soft-better(temperature=1e9)"):
        np.testing.assert_allclose(weights(text), fedavg, atol=1e-7)
    np.testing.assert_allclose(weights("exp-alpha(alpha=1e9, data_size=true)"), fedavg, atol=1e-7)
    np.testing.assert_allclose(weights("exp-alpha(alpha=1e9)"), even, atol=1e-7)
    np.testing.assert_allclose(weights("oracle(scale=1e9)"), fedavg, atol=1e-7)
    for end in ("worse", "better"):
        hard, soft = weights(f"fed-{end}"), weights(f"fed-soft-{end}(temperature=1e-4)")
        if (hard > 0).sum() == 1:
            np.testing.assert_allclose(soft, hard, atol=1e-12)
        else:  # level losses share in the hard rule, and keep their data shares in the soft one
            np.testing.assert_allclose(
                soft, np.where(hard > 0, stats.share, 0) / stats.share[hard > 0].sum(), atol=1e-12
            )
        np.testing.assert_array_equal(weights(f"fed-{end}(k=1)"), hard)
        np.testing.assert_allclose(weights(f"fed-{end}(k=99)"), even, atol=1e-15)
        np.testing.assert_allclose(weights(f"fed-{end}(k=1, of=present, inner=share)"), fedavg, atol=1e-15)
    fallen = stats.loss_after - stats.loss_before
    if (fallen == fallen[stats.present].max())[stats.present].sum() == 1:
        least = stats.present & (fallen == fallen[stats.present].max())
        np.testing.assert_allclose(weights("exp-alpha(alpha=1e-4)"), least.astype(float), atol=1e-12)
