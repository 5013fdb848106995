"""One battery for every rule of the registry: a new rule is tested by being listed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.strategies import mapped, runs
from theory import RULES, RoundStats, aggregate, make_rule

# What the example of the registry leaves out of reach of a run of three rounds, or refuses on purpose.
TEXTS: dict[str, str] = {
    "fed-ssa": "fed-ssa(n_steps=20)",
    "fed-ssa-sgd": "fed-ssa-sgd(epochs=3, batch_size=2)",
    "fed-ssa-warm": "fed-ssa-warm(rule=fed-ssa(n_steps=20))",
    "afl": "afl(step_size=0.125, when_zero=share)",
    "with-clusters": "with-clusters(rule=min-norm, n_clusters=1)",  # with more, ties decide who begins one
    "fed-disco": "fed-disco(a=0.1)",  # with more, all weights may be 0
    "project": "project(rule=proportional, when_zero=keep)",
    "fed-avg-aware": "fed-avg-aware(when_zero=keep)",
    "switch": "switch(first=fed-soft-better(temperature=1), then=proportional, at_round=1)",
    "fed-soft-better-avg": "fed-soft-better-avg(temperature=1, at_round=1)",
    "fed-soft-worse-avg": "fed-soft-worse-avg(temperature=1, at_round=1)",
    "fed-avg-soft-worse": "fed-avg-soft-worse(temperature=1, at_round=1)",
    "fed-avg-soft-better": "fed-avg-soft-better(temperature=1, at_round=1)",
    "fed-soft-better-avg-soft-worse": "fed-soft-better-avg-soft-worse(temperature=1, at_round=1, then_at_round=2)",
    "anneal": "anneal(first=fed-soft-better(temperature=1), then=proportional, n_rounds=2)",
}
VARIANTS: tuple[str, ...] = (
    "exp-alpha(alpha=1e-12)",
    "fed-soft-worse(temperature=1e-12)",
    "exp-alpha(alpha=0.5, data_size=true)",
    "oracle(U=sigmoid)",
    "oracle(U=step, scale=100)",
    "oracle(U=constant)",
    "oracle(reading=proof)",
    "fed-worse(k=2)",
    "fed-worse(k=0.5, of=present, inner=share)",
    "fed-better(k=0.5, of=all)",
    "power-of-choice(d=99, m=2)",
    "fed-nova(effective_steps=10)",
    "q-fed-avg(q=0.5, lipschitz=2, mean=share)",
    "fed-disco(a=0.03, metric=kl, target=mean)",
    "fed-mgda-plus(epsilon=1, normalise=false)",
    "inverse-variance(floor=0.5)",
    "bound-optimal(horizon=1)",
    "similarity(predictions=softmax)",
    "confidence(predictions=softmax)",
    "fed-ssa(n_steps=20, lambda_we=0, start=share)",
    "fed-ssa(n_steps=20, lambda_cos=0)",
    "fed-ssa-sgd(epochs=3, constraint=projection, lambda_we=0)",
    "fed-ssa-sgd(epochs=3, lr=0.1, constraint=clip, start=share)",
    "fed-ssa-warm(rule=fed-ssa-sgd(epochs=3), least=0)",
    "switch(first=proportional, then=fed-worse, at_accuracy=0.5)",
    "switch(first=fed-aware, then=with-memory(rule=uniform, alpha=0.25), at_round=1)",
    "switch(first=with-memory(rule=uniform), then=afl(when_zero=share), at_accuracy=0.5)",
    "anneal(first=with-memory(rule=proportional), then=exp-alpha(alpha=1), n_rounds=2, schedule=exponential)",
    "mix(first=with-memory(rule=proportional), second=fed-worse, share_of_first=0.25)",
    "mix(first=efl(n_local_steps=10), second=with-memory(rule=uniform), share_of_first=0.25)",
    "with-memory(rule=min-norm, init=zeros)",
    "with-memory(rule=with-memory(rule=proportional), alpha=0.25)",
    "with-memory(rule=afl(when_zero=share))",
    "project(rule=fed-worse, onto=with-memory(rule=uniform), when_zero=keep, when_negative=clip)",
)
ALL = (*(TEXTS.get(entry.name, entry.name) for entry in RULES), *VARIANTS)


def uses(text: str, *words: str) -> bool:
    return any(word in text for word in words)


def needs_everyone(text: str) -> bool:
    return uses(text, "everyone", "fed-avg-full")


def is_random(text: str) -> bool:
    return uses(text, "sampled-by-weights") or text == "power-of-choice"


def has_min_norm(text: str) -> bool:
    return uses(text, "min-norm", "bound-optimal", "fed-aware", "fed-avg-aware", "fed-mgda") or text == TEXTS["project"]


def sum_is_declared(text: str) -> bool:
    return uses(text, "efl", "fed-nova", "proof", "q-fed-avg", "fed-mgda", "complete")


def remembers_clients(text: str) -> bool:
    return uses(text, "with-memory", "with-clusters", "fed-aware", "aware", "project")


def away_from_zero(text: str) -> bool:
    """A projection on d jumps where d = 0: with updates in one orthant d stays away from there."""
    return uses(text, "project", "fed-avg-aware")


def alike() -> dict[str, tuple[str, ...]]:
    """The rules that are played on the same runs, by what they read; shares and updates are there for all."""
    found: dict[str, tuple[str, ...]] = {}
    for text in ALL:
        reads = sorted({*make_rule(text).needs} - {"share", "updates"})
        apart = [name for name, is_so in (("full", needs_everyone(text)), ("orthant", away_from_zero(text))) if is_so]
        name = "-".join([*reads, *apart]) or "updates"
        found[name] = (*found.get(name, ()), text)
    return found


each_kind = pytest.mark.parametrize("texts", alike().values(), ids=alike())


@contextmanager
def named(text: str) -> Iterator[None]:
    """What fails inside names the rule."""
    try:
        yield
    except Exception as error:
        error.add_note(f"rule: {text}")
        raise


def played(text: str, **settings: Any) -> st.SearchStrategy[list[RoundStats]]:
    """Runs that differ in what the rule reads."""
    found = runs(full=needs_everyone(text), reads=make_rule(text).needs, **settings)
    if not away_from_zero(text):
        return found
    return found.map(lambda run: [mapped(s, lambda name, v: abs(v) + 0.5 if name == "updates" else v) for s in run])


def play(text: str, run: list[RoundStats]) -> list[tuple[Any, Any]]:
    """Weights and vectors of every round."""
    rule, state, out = make_rule(text), None, []
    for stats in run:
        state, weights, vectors = aggregate(rule, state, stats)
        out.append((weights, vectors))
    return out


def step(weights: Any, vectors: Any) -> Any:
    return (weights[..., None] * vectors).sum(-2)


def compare(text: str, got: list[tuple[Any, Any]], expected: list[tuple[Any, Any]], atol: float = 1e-12) -> None:
    """Weights agree, or the step where the minimum-norm weights are not unique."""
    for (weights, vectors), (other, others) in zip(got, expected, strict=True):
        if has_min_norm(text):  # the solver's certificate is 1e-6 relative to updates of size 8
            np.testing.assert_allclose(step(weights, vectors), step(other, others), atol=1e-4)
        else:
            np.testing.assert_allclose(weights, other, rtol=0, atol=atol)
            np.testing.assert_allclose(step(weights, vectors), step(other, others), rtol=0, atol=100 * atol)


def test_every_rule_is_played() -> None:
    assert sorted(text for texts in alike().values() for text in texts) == sorted(ALL)


@each_kind
@settings(max_examples=8)
@given(data=st.data())
def test_a_rule_gives_weights_whoever_comes_first_alone_or_in_a_batch_on_numpy_or_torch(
    texts: tuple[str, ...], data: st.DataObject
) -> None:
    holds_for_every_rule(texts, data)


@pytest.mark.nightly
@each_kind
@settings(max_examples=100)
@given(data=st.data())
def test_a_rule_gives_weights_whoever_comes_first_on_many_runs(texts: tuple[str, ...], data: st.DataObject) -> None:
    holds_for_every_rule(texts, data)


def holds_for_every_rule(texts: tuple[str, ...], data: st.DataObject) -> None:
    """All that holds for every rule, on one run for all that read the same: to draw it takes longer than to play it."""
    run = data.draw(played(texts[0]))
    order = list(data.draw(st.permutations(range(run[0].n_clients))))
    moved = reordered(run, order)
    # Beside it, so that a mix-up shows, the rounds in the other order.
    other = [replace(stats, round=r) for r, stats in enumerate(reversed(moved))]
    huge = data.draw(with_huge_losses(texts[0], run))
    for text in texts:
        with named(text):
            found = play(text, run)
            weights_are_on_the_simplex_or_sum_to_what_is_declared(text, run, found)
            numpy_and_torch_agree(text, run, found)
            if not is_random(text):
                permuting_clients_permutes_weights(text, moved, order, found)
            a_batch_is_a_loop(text, (run, other), found)
            if "U=step" not in text:  # a step may leave nobody
                huge_losses_give_finite_weights(text, huge)


def weights_are_on_the_simplex_or_sum_to_what_is_declared(
    text: str, run: list[RoundStats], found: list[tuple[Any, Any]]
) -> None:
    rule = make_rule(text)
    for stats, (weights, vectors) in zip(run, found, strict=True):
        assert weights.shape == stats.share.shape
        assert vectors.shape == stats.updates.shape
        assert np.all(weights >= 0)
        assert getattr(rule, "simplex", True) != sum_is_declared(text)
        if not sum_is_declared(text):
            assert abs(weights.sum() - 1) <= 4 * weights.size * np.finfo(float).eps
        elif hasattr(rule, "total"):
            np.testing.assert_allclose(weights.sum(), rule.total(stats), rtol=1e-14)
        if not remembers_clients(text):
            assert np.all(weights[~stats.present] == 0)


def numpy_and_torch_agree(text: str, run: list[RoundStats], found: list[tuple[Any, Any]]) -> None:
    moved = play(text, [mapped(stats, lambda _, v: torch.from_numpy(np.array(v))) for stats in run])
    assert all(isinstance(value, torch.Tensor) for pair in moved for value in pair)
    compare(text, [(weights.numpy(), vectors.numpy()) for weights, vectors in moved], found)


def reordered(run: list[RoundStats], order: list[int]) -> list[RoundStats]:
    """The same run with its clients in another order."""

    def moved(name: str, value: Any) -> Any:
        if name == "accuracy":
            return value
        return value[..., order, :] if name in ("view_1", "view_2", "logits") else value[order]

    return [mapped(stats, moved) for stats in run]


def permuting_clients_permutes_weights(
    text: str, moved: list[RoundStats], order: list[int], found: list[tuple[Any, Any]]
) -> None:
    here = [(weights[order], vectors[order]) for weights, vectors in found]
    # Sums in another order: rounding grows over the hundred steps of the weight learning.
    compare(text, play(text, moved), here, atol=1e-7 if "fed-ssa" in text else 1e-12)


def a_batch_is_a_loop(text: str, pair: tuple[list[RoundStats], list[RoundStats]], found: list[tuple[Any, Any]]) -> None:
    def stacked(first: RoundStats, second: RoundStats) -> RoundStats:
        def both(name: str, value: Any) -> Any:
            return np.stack([value, second.signals[name] if name in second.signals else getattr(second, name)])

        return mapped(first, both)

    together = play(text, [stacked(*rounds) for rounds in zip(*pair, strict=True)])
    # Every batch element draws for itself; the first draws as if alone.
    alone = [found] if is_random(text) else [found, play(text, pair[1])]
    atol = 1e-9 if "fed-ssa" in text else 1e-12
    for i, expected in enumerate(alone):
        compare(text, [(weights[i], vectors[i]) for weights, vectors in together], expected, atol=atol)


def with_huge_losses(text: str, run: list[RoundStats]) -> st.SearchStrategy[list[RoundStats]]:
    """The run with losses at the ends of what a float holds; those the rule does not read are all huge."""
    read = [name for name in ("loss_before", "loss_after", "loss_best") if name in make_rule(text).needs]
    size = run[0].n_clients * len(read) * len(run)

    def grown(drawn: list[float]) -> list[RoundStats]:
        values = iter(drawn)

        def at(name: str, value: Any) -> Any:
            if not name.startswith("loss_"):
                return value
            return np.asarray([next(values) for _ in value]) if name in read else np.full(value.shape, 1e300)

        return [mapped(stats, at) for stats in run]

    return st.lists(st.sampled_from([1e300, -1e300, 0.0, 1.0]), min_size=size, max_size=size).map(grown)


def huge_losses_give_finite_weights(text: str, huge: list[RoundStats]) -> None:
    for weights, vectors in play(text, huge):
        assert np.all(np.isfinite(weights))
        assert np.all(np.isfinite(vectors))
        assert sum_is_declared(text) or weights.sum() == pytest.approx(1, abs=1e-12)


@each_kind
@given(data=st.data())
@settings(max_examples=5)
def test_a_single_client_gets_everything(texts: tuple[str, ...], data: st.DataObject) -> None:
    run = data.draw(played(texts[0], n_clients=1))
    for text in texts:
        with named(text):
            for stats, (weights, _) in zip(run, play(text, run), strict=True):
                expected = (
                    make_rule(text).total(stats)
                    if uses(text, "efl", "fed-nova", "oracle(reading=proof)", "q-fed", "fed-mgda", "complete")
                    and "mix" not in text
                    else 1.0
                )
                if "mix(first=efl" not in text:
                    np.testing.assert_allclose(weights, [expected], rtol=1e-12)


@pytest.mark.parametrize("text", [text for text in ALL if not has_min_norm(text)])
def test_ten_thousand_clients(text: str) -> None:
    n, draw = 10_000, np.random.default_rng(0)
    raw = draw.exponential(size=n)
    losses = dict(zip(("loss_before", "loss_after", "loss_best"), draw.normal(size=(3, n)), strict=True))
    outputs = {name: draw.exponential(size=(2, n, 3)) for name in ("view_1", "view_2", "logits")}
    stats = RoundStats(
        share=raw / raw.sum(),
        present=np.ones(n, bool) if needs_everyone(text) else draw.random(n) < 0.5,
        **losses,
        local_steps=np.full(n, 10.0),
        effective_steps=draw.uniform(1, 10, size=n),
        planned_steps=np.full(n, 10.0),
        updates=draw.normal(size=(n, 2)),
        signals={
            **outputs,
            "gradient_variance": draw.exponential(size=n),
            "step_size": np.full(n, 0.5),
            "accuracy": np.asarray(0.25),
            "label_counts": draw.exponential(size=(n, 3)),
        },
    )
    for weights, vectors in play(text, [stats]):
        assert np.all(np.isfinite(step(weights, vectors)))
        assert np.all(weights >= 0)
        assert sum_is_declared(text) or abs(weights.sum() - 1) <= 4 * n * np.finfo(float).eps
