"""Whole runs by compiled kernels against the NumPy reference: one replica, and sign noise from the same streams."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.simulate.test_compiled import BUILT, CLOSE, LEVELS, federation_of, fresh, kernels
from theory import Scheduled, SignNoise, Trajectory, inverse_steps, make_rule, simulate
from theory.compiled.library import Library, opened
from theory.compiled.packing import Room
from theory.simulate.kernels.alone import run_alone
from theory.simulate.kernels.crowd import run_crowd
from theory.simulate.kernels.many import MANY, run_many
from theory.simulate.kernels.signs import SignBits, shaken

__all__ = ["fresh", "kernels"]  # fixtures

many = import_module("theory.simulate.kernels.many")
FIELDS = ("final", "models", "weights", "present", "share", "loss_before", "loss_after", "diverged")
RULES: dict[str, dict[str, Any]] = {
    "fed-soft-worse": {"temperature": 0.5},
    "fed-soft-better": {"temperature": 0.5},
    "exp-alpha": {"alpha": 0.1},
    "exp-alpha-sized": {"alpha": 0.1, "data_size": True},
    "proportional": {},
    "fed-worse": {},
    "uniform": {},
}


def both(monkeypatch: pytest.MonkeyPatch, library: Library, *given: Any, **options: Any) -> list[Trajectory]:
    """A run with the kernels and one without."""
    runs = []
    for found in (library, None):
        monkeypatch.setattr("theory.compiled.library.library", lambda found=found: found)
        runs.append(simulate(*given, **options))
    return runs


def same(runs: list[Trajectory], fields: tuple[str, ...] = FIELDS) -> None:
    for field in fields:
        one, other = (getattr(run, field) for run in runs)
        assert (one is None) == (other is None), field
        if one is not None:
            assert one.shape == other.shape, field
            np.testing.assert_allclose(one, other, **CLOSE)


@settings(max_examples=300)
@given(data=st.data())
def test_few_replicas_alone_equal_the_reference(data: st.DataObject) -> None:
    if not BUILT:
        pytest.skip("the kernels are not built")
    found = [library for level in LEVELS if (library := opened(BUILT[0], level)) is not None]
    library = data.draw(st.sampled_from(found))
    n, d, n_steps = data.draw(st.integers(1, 11)), data.draw(st.integers(1, 21)), data.draw(st.integers(1, 6))
    name = data.draw(st.sampled_from(sorted(RULES)))
    federation = federation_of(n, d, data.draw(st.integers(0, 10_000)))
    batch = data.draw(st.sampled_from([(), (1,), (3,), (2, 4), (17,)]))
    start = np.linspace(-1.0, 2.0, d) + np.arange(float(np.prod(batch))).reshape(*batch, 1)
    start = start.reshape(*batch, d)
    steps = inverse_steps(2.0, 20.0, 4 * n_steps)
    rule = make_rule(name.removesuffix("-sized"), **RULES[name])
    with pytest.MonkeyPatch.context() as patched:
        same(both(patched, library, federation, rule, start=start, step_sizes=steps, n_local_steps=n_steps))


@settings(max_examples=200)
@given(data=st.data())
def test_many_clients_in_the_lanes_equal_the_reference(data: st.DataObject) -> None:
    if not BUILT:
        pytest.skip("the kernels are not built")
    found = [library for level in LEVELS if (library := opened(BUILT[0], level)) is not None]
    library = data.draw(st.sampled_from(found))
    n, d, n_steps = data.draw(st.integers(1, 35)), data.draw(st.integers(1, 11)), data.draw(st.integers(1, 6))
    name = data.draw(st.sampled_from(sorted(RULES)))
    records = st.sampled_from([(), ("models",), ("weights",), ("losses",), ("models", "weights", "losses")])
    federation, start = federation_of(n, d, data.draw(st.integers(0, 10_000))), np.linspace(-1.0, 2.0, d)
    given: tuple[Any, ...] = (federation, make_rule(name.removesuffix("-sized"), **RULES[name]))
    options: dict[str, Any] = {"start": start, "step_sizes": inverse_steps(2.0, 20.0, 4 * n_steps)}
    options |= {"n_local_steps": n_steps, "record": data.draw(records)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(many, "MANY", 0)
        assert run_many(federation, library, given[1], start, options["step_sizes"], n_steps, frozenset()) is not None
        same(both(patched, library, *given, **options))


def test_many_clients_are_as_many_as_leave_the_cache(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    """At a size of its own, by the door that everybody takes; one client fewer goes elsewhere."""
    n = MANY // 400 + 1
    federation, rule = federation_of(n, 20, 1), make_rule("exp-alpha", alpha=1.0)
    start, steps = np.ones(20), inverse_steps(2.0, 20.0, 6)
    assert run_many(federation_of(n - 1, 20, 1), kernels, rule, start, steps, 3, frozenset()) is None
    assert run_many(federation, kernels, rule, np.ones((2, 20)), steps, 3, frozenset()) is None
    same(both(monkeypatch, kernels, federation, rule, start=start, step_sizes=steps, n_local_steps=3))


def test_many_clients_that_diverge_are_left_to_the_rounds_one_by_one(
    monkeypatch: pytest.MonkeyPatch, kernels: Library
) -> None:
    monkeypatch.setattr(many, "MANY", 0)
    federation = federation_of(11, 2, 4)
    steps, start = np.full(200, 6.0 / float(federation.constants().L)), np.full(2, 1e60)
    assert run_many(federation, kernels, make_rule("proportional"), start, steps, 1, frozenset()) is None


@pytest.mark.parametrize("record", [(), ("models",), ("weights", "losses")])
def test_records_of_one_replica(monkeypatch: pytest.MonkeyPatch, kernels: Library, record: tuple[str, ...]) -> None:
    given_weights = np.random.default_rng(0).dirichlet(np.ones(4), size=3)
    options: dict[str, Any] = {"start": np.ones(3), "step_sizes": inverse_steps(2.0, 20.0, 10), "n_local_steps": 2}
    for rule in (Scheduled(given_weights), make_rule("exp-alpha", alpha=1.0)):
        same(both(monkeypatch, kernels, federation_of(4, 3, 5), rule, **options, record=record))


def test_a_rule_that_does_not_say_what_it_reads_sees_the_whole_round(
    monkeypatch: pytest.MonkeyPatch, kernels: Library
) -> None:
    seen: list[Any] = []

    def rule(stats: Any) -> Any:
        seen.append(stats.updates.copy())
        return stats.share

    options: dict[str, Any] = {"start": np.ones(3), "step_sizes": inverse_steps(2.0, 20.0, 4), "n_local_steps": 2}
    same(both(monkeypatch, kernels, federation_of(4, 3, 5), rule, **options))
    np.testing.assert_allclose(seen[0], seen[2], **CLOSE)


def test_a_run_that_diverges_alone_is_left_to_the_rounds_one_by_one(
    monkeypatch: pytest.MonkeyPatch, kernels: Library
) -> None:
    federation = federation_of(3, 2, 4)
    steps = np.full(200, 6.0 / float(federation.constants().L))
    start = np.full(2, 1e60)
    options: dict[str, Any] = {"start": start, "step_sizes": steps, "n_local_steps": 1, "record": ("models",)}
    for rule in (make_rule("proportional"), make_rule("exp-alpha", alpha=1e150)):
        assert run_alone(federation, kernels, rule, start, steps, 1, frozenset()) is None
        runs = both(monkeypatch, kernels, federation, rule, **options)
        assert runs[0].diverged >= 0
        np.testing.assert_array_equal(runs[0].diverged, runs[1].diverged)
        np.testing.assert_allclose(runs[0].final, runs[1].final, rtol=1e-9)


@pytest.mark.parametrize("record", [(), ("models",), ("weights",), ("losses",), ("models", "weights", "losses")])
@pytest.mark.parametrize(("replicas", "d", "n_rounds"), [((33,), 20, 5), ((3, 7), 9, 4), ((18,), 3, 1)])
@pytest.mark.parametrize("rule", ["fed-soft-better", "exp-alpha-sized"])
def test_a_crowd_of_replicas_equals_the_reference(
    monkeypatch: pytest.MonkeyPatch,
    kernels: Library,
    rule: str,
    replicas: tuple[int, ...],
    d: int,
    n_rounds: int,
    record: tuple[str, ...],
) -> None:
    federation, chosen = federation_of(5, d, 3), make_rule(rule.removesuffix("-sized"), **RULES[rule])
    start, steps = np.random.default_rng(1).normal(size=(*replicas, d)), inverse_steps(2.0, 20.0, 3 * n_rounds)
    assert run_crowd(federation, kernels, chosen, start, steps, 3, frozenset(record)) is not None
    options: dict[str, Any] = {"start": start, "step_sizes": steps, "n_local_steps": 3, "record": record}
    same(both(monkeypatch, kernels, federation, chosen, **options))


@pytest.mark.parametrize("last", [1e99, -1e99, float("nan")])
def test_a_crowd_in_which_one_diverges_is_left_to_the_rounds_one_by_one(
    monkeypatch: pytest.MonkeyPatch, kernels: Library, last: float
) -> None:
    federation, rule = federation_of(3, 2, 4), make_rule("exp-alpha", alpha=1e150)
    steps, start = np.full(12, 4.0 / float(federation.constants().L)), np.ones((41, 2))
    start[40] = last
    assert run_crowd(federation, kernels, rule, start, steps, 2, frozenset()) is None
    options: dict[str, Any] = {"start": start, "step_sizes": steps, "n_local_steps": 2, "record": ("models",)}
    runs = both(monkeypatch, kernels, federation, rule, **options)
    np.testing.assert_array_equal(runs[0].diverged, runs[1].diverged)
    assert runs[0].diverged[40] >= 0
    assert (runs[0].diverged[:40] < 0).all()
    np.testing.assert_allclose(runs[0].final, runs[1].final, rtol=1e-9)


def test_memory_is_given_out_again_only_when_nobody_holds_on_to_it() -> None:
    room = Room()
    held = room.padded((2, 3), 5, 4)
    view, other = held[1:, ::2], room.padded(6, 8, 4)
    assert not np.shares_memory(held, other)
    start = held.__array_interface__["data"][0]
    del held, other
    assert room.padded(3, 16, 4).__array_interface__["data"][0] != start
    del view
    assert room.padded(3, 16, 4).__array_interface__["data"][0] == start


def test_steps_shown_in_one_round_are_not_overwritten_by_the_next(
    monkeypatch: pytest.MonkeyPatch, kernels: Library
) -> None:
    federation, seen = federation_of(4, 3, 5), []  # type: ignore[var-annotated]
    records = ("virtual", "step_losses", "gradients", "losses")
    options: dict[str, Any] = {"start": np.ones((19, 3)), "step_sizes": inverse_steps(2.0, 20.0, 40), "record": records}
    for found in (kernels, None):
        monkeypatch.setattr("theory.compiled.library.library", lambda found=found: found)
        kept: list[dict[str, Any]] = []
        rule = make_rule("fed-soft-worse", temperature=0.5)
        simulate(federation, rule, n_local_steps=2, observe=lambda _, at, kept=kept: kept.append(dict(at)), **options)
        seen.append(kept)
    for one, other in zip(*seen, strict=True):
        for name in one:
            np.testing.assert_allclose(one[name], other[name], **CLOSE)


@pytest.mark.parametrize(("replicas", "d", "n_steps"), [((), 3, 3), ((13,), 20, 5), ((2, 4), 5, 1), ((7,), 23, 2)])
@pytest.mark.parametrize("rule", ["fed-soft-worse", "exp-alpha", "proportional"])
def test_sign_noise_has_the_same_streams(
    monkeypatch: pytest.MonkeyPatch, kernels: Library, rule: str, replicas: tuple[int, ...], d: int, n_steps: int
) -> None:
    federation = federation_of(5, d, 3)
    runs = both(
        monkeypatch,
        kernels,
        federation,
        make_rule(rule, **RULES[rule]),
        start=np.random.default_rng(1).normal(size=(*replicas, d)),
        step_sizes=inverse_steps(2.0, 20.0, 4 * n_steps),
        n_local_steps=n_steps,
        noise=SignNoise((0.1, 0.0, 0.5, 1.0, 2.0)),
        seed=11,
    )
    same(runs)


def test_every_bit_of_sign_noise_counts(kernels: Library) -> None:
    """Against the noise itself, replica by replica, with weights that differ: a swapped bit or column would show."""
    federation, noise = federation_of(3, 5, 8), SignNoise((0.5, 1.0, 2.0))
    spectrum, basis = (np.asarray(part) for part in federation.eigen())
    etas, count = np.asarray([0.3, 0.2, 0.1]), 9
    weights = np.random.default_rng(2).dirichlet(np.ones(3), size=12).T.copy()
    bits = SignBits(noise, 4, 6, (3, count, 3, 5))
    found = shaken(bits, kernels, spectrum, basis, etas, weights, count)
    expected = np.zeros((5, 12))
    drawn, eye = bits.draw(), np.eye(5)
    for r in range(count):
        for k in range(3):
            moved = np.zeros(5)
            for e in range(3):
                moved = (eye - etas[e] * federation.curvature[k]) @ moved - etas[e] * drawn[e, r, k]
            expected[:, r] += weights[k, r] * moved
    np.testing.assert_allclose(found, expected, **CLOSE)


def test_steps_of_noisy_rounds_and_partial_cohorts_are_the_references(
    monkeypatch: pytest.MonkeyPatch, kernels: Library
) -> None:
    from theory import UniformWithoutReplacement

    federation, rule = federation_of(4, 3, 2), make_rule("fed-soft-worse", temperature=1.0)
    options: dict[str, Any] = {"start": np.ones((5, 3)), "step_sizes": inverse_steps(2.0, 20.0, 6), "n_local_steps": 3}
    noise = SignNoise((0.5,) * 4)
    records = ("models", "virtual", "step_losses", "gradients")
    same(
        both(monkeypatch, kernels, federation, rule, noise=noise, record=records, **options),
        ("models", "virtual", "spread", "step_losses", "gradients"),
    )
    law = UniformWithoutReplacement(2)
    same(both(monkeypatch, kernels, federation, rule, noise=noise, participation=law, **options))
    with pytest.raises(ValueError, match="3 values for 4 clients"):
        simulate(federation, rule, noise=SignNoise((0.5,) * 3), **options)
