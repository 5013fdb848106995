"""Compiled rounds against the NumPy reference, at every processor level that this machine has, and without them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import theory.compiled.library
from tests.theory.simulate.test_many_clients import EVERYTHING, answers
from theory import QuadraticFederation, inverse_steps, make_rule, quadratic_family, simulate
from theory.compiled.library import Library, opened
from theory.compiled.packing import lanes_of, padded, unlaned
from theory.rules.stats import RoundStats
from theory.simulate.conventions import Conventions
from theory.simulate.kernels.rules import Softmax, compiled_rule
from theory.simulate.kernels.work import CompiledWork, fits
from theory.simulate.local import local_work
from theory.simulate.local_steps.eigen_work import SharedEigenbasis
from theory.simulate.local_steps.work import StepwiseWork

FOLDER = Path(theory.compiled.library.__file__).parent
BUILT = [path for suffix in EXTENSION_SUFFIXES if (path := FOLDER / f"_kernels{suffix}").exists()]
LEVELS = ("plain", "avx2", "avx512")
# As much as the exact reference is asked for; sums of a few hundred products differ by less.
CLOSE: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10}


def test_a_change_of_the_sources_raises_their_version() -> None:
    """Raise `_VERSION` in library.py and `version` in kernels.c together, then put the new digest here."""
    version = theory.compiled.library._VERSION
    files = (
        "kernels.c",
        "rounds.inc",
        "crowd.inc",
        "single.inc",
        "many.inc",
        "search.inc",
        "minnorm.inc",
        "products.inc",
    )
    text = b"".join((FOLDER / name).read_bytes().replace(b"\r\n", b"\n") for name in files)
    assert f"int version(void) {{ return {version}; }}".encode() in text
    assert (version, hashlib.sha256(text).hexdigest()[:16]) == (7, "de85761096627536")


@pytest.fixture(params=LEVELS)
def kernels(request: pytest.FixtureRequest) -> Library:
    if not BUILT:
        pytest.skip("the kernels are not built; `pip install -e .` does it where there is a C compiler")
    found = opened(BUILT[0], request.param)
    if found is None:
        pytest.skip(f"this processor has no {request.param}")
    return found


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """The choice of a library is made anew in each test."""
    theory.compiled.library.library.cache_clear()
    yield
    theory.compiled.library.library.cache_clear()


def federation_of(n: int, d: int, seed: int) -> QuadraticFederation:
    return quadratic_family(n_clients=n, dim=d, seed=seed, floor_scale=1.0, concentration=1.0)


@settings(max_examples=200)
@given(data=st.data())
def test_a_round_equals_the_steps_themselves(data: st.DataObject) -> None:
    round_equals_the_steps(data)


@pytest.mark.nightly
@settings(max_examples=2000)
@given(data=st.data())
def test_a_round_equals_the_steps_themselves_on_many_federations(data: st.DataObject) -> None:
    round_equals_the_steps(data)


def round_equals_the_steps(data: st.DataObject) -> None:
    if not BUILT:
        pytest.skip("the kernels are not built")
    found = [library for level in LEVELS if (library := opened(BUILT[0], level)) is not None]
    library = data.draw(st.sampled_from(found))
    n, d, n_steps = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 23)), data.draw(st.integers(1, 6))
    batch = data.draw(st.sampled_from([(), (1,), (3,), (13,), (2, 7), (24,)]))
    seed = data.draw(st.integers(0, 10_000))
    federation = federation_of(n, d, seed)
    rng = np.random.default_rng(seed)
    model, weights = rng.normal(size=(*batch, d)), rng.dirichlet(np.ones(n), size=batch)
    if data.draw(st.booleans(), label="weights off the simplex"):
        weights = 0.5 * weights
    etas = rng.uniform(0.05, 1.0, size=n_steps) / float(federation.constants().L)
    ours = CompiledWork(federation, library).run(model, etas, None, None, path=True)
    theirs = StepwiseWork(federation).run(model, etas, None, None, path=True)
    _same(answers(ours, weights, n_steps)[:6], answers(theirs, weights, n_steps)[:6])
    np.testing.assert_allclose(ours.merge(weights), theirs.merge(weights), **CLOSE)
    reference = SharedEigenbasis(federation).run(model, etas, None, None, path=True)
    _same(answers(ours, weights, n_steps)[5:], answers(reference, weights, n_steps)[5:])
    np.testing.assert_allclose(
        CompiledWork(federation, library).losses_at(model), StepwiseWork(federation).losses_at(model), **CLOSE
    )


def _same(ours: list[Any], theirs: list[Any]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, **CLOSE)


RULES = {
    "fed-soft-worse": {"temperature": 0.5},
    "fed-soft-better": {"temperature": 0.5},
    "exp-alpha": {"alpha": 0.1},
    "proportional": {},
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("batch", [(), (5,), (2, 9)])
def test_a_run_equals_the_reference(
    monkeypatch: pytest.MonkeyPatch, kernels: Library, name: str, batch: tuple[int, ...]
) -> None:
    federation = federation_of(6, 9, 1)
    start = np.random.default_rng(0).normal(size=(*batch, 9))
    runs = []
    for found in (kernels, None):
        monkeypatch.setattr("theory.compiled.library.library", lambda found=found: found)
        assert isinstance(local_work(federation), CompiledWork if found else SharedEigenbasis)
        runs.append(
            simulate(
                federation,
                make_rule(name, **RULES[name]),
                start=start,
                step_sizes=inverse_steps(2.0, 20.0, 40),
                n_local_steps=4,
                record=EVERYTHING,
            )
        )
    for field in ("final", "models", "weights", "loss_before", "loss_after", "updates", "virtual", "spread"):
        np.testing.assert_allclose(getattr(runs[0], field), getattr(runs[1], field), **CLOSE)
    np.testing.assert_allclose(runs[0].step_losses, runs[1].step_losses, **CLOSE)
    np.testing.assert_allclose(runs[0].gradients, runs[1].gradients, **CLOSE)


def test_other_conventions_go_through_the_kernels_too(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    federation, start = federation_of(5, 4, 2), np.linspace(-1.0, 1.0, 14)[:, None] * np.ones(4)
    for words in (Conventions(best_loss="global"), Conventions(losses="current"), Conventions(aggregation="equation")):
        finals = []
        for found in (kernels, None):
            monkeypatch.setattr("theory.compiled.library.library", lambda found=found: found)
            rule, steps = make_rule("fed-soft-worse", temperature=0.5), inverse_steps(2.0, 20.0, 12)
            run = simulate(
                federation, rule, start=start, step_sizes=steps, n_local_steps=3, conventions=words, record=()
            )
            finals.append(run.final)
        np.testing.assert_allclose(finals[0], finals[1], **CLOSE)


def test_a_diverging_replica_is_frozen_as_by_the_reference(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    federation = federation_of(3, 2, 4)
    start = np.asarray([[1.0, 1.0], [1e99, -1e99], [0.5, -0.5]])
    runs = []
    for found in (kernels, None):
        monkeypatch.setattr("theory.compiled.library.library", lambda found=found: found)
        steps = np.full(12, 4.0 / float(federation.constants().L))
        run = simulate(federation, make_rule("proportional"), start=start, step_sizes=steps, n_local_steps=2, record=())
        runs.append(run)
    np.testing.assert_array_equal(runs[0].diverged, runs[1].diverged)
    assert runs[0].diverged[1] >= 0
    np.testing.assert_allclose(runs[0].final, runs[1].final, rtol=1e-10)


@pytest.mark.parametrize("spread", [1e-3, 1.0, 700.0, 1e6])
def test_the_compiled_softmax_is_the_rules(kernels: Library, spread: float) -> None:
    rng = np.random.default_rng(7)
    loss, share = spread * rng.normal(size=(31, 5)), np.asarray([0.0, 0.1, 0.2, 0.3, 0.4])
    stats = RoundStats(
        share=np.broadcast_to(share, loss.shape).copy(),
        present=np.ones(loss.shape, dtype=bool),
        loss_before=loss,
        loss_after=loss + rng.normal(size=loss.shape),
        loss_best=np.zeros(loss.shape) - 1.0,
    )
    for name, options in RULES.items():
        rule = make_rule(name, **options)
        for best in (None, np.full(5, -1.0)):
            quick: Any = compiled_rule(rule, kernels, share, best)
            assert isinstance(quick, Softmax) == (name != "proportional")
            # A weight e^{−700} is kept or dropped by either, and is 0 beside the largest one.
            np.testing.assert_allclose(quick(stats), rule(stats), rtol=1e-11, atol=1e-300)  # type: ignore[operator]


def test_nan_losses_stay_nan(kernels: Library) -> None:
    loss = np.zeros((3, 2))
    loss[1, 1] = np.nan
    stats = RoundStats.unchecked(
        share=np.full((3, 2), 0.5), present=np.ones((3, 2), dtype=bool), loss_before=loss, loss_best=np.zeros((3, 2))
    )
    quick: Any = compiled_rule(make_rule("fed-soft-worse", temperature=1.0), kernels, np.full(2, 0.5), None)
    np.testing.assert_array_equal(np.isnan(quick(stats)).all(axis=1), [False, True, False])


@pytest.mark.parametrize("batch", [(), (1,), (11,), (12,), (3, 5)])
def test_lanes_there_and_back(batch: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).normal(size=(*batch, 4))
    lanes = lanes_of(array, 12)
    assert lanes.shape == (4, 24 if batch == (3, 5) else 12)
    view = unlaned(lanes, batch)
    np.testing.assert_array_equal(view, array)
    assert np.shares_memory(lanes_of(view, 12), lanes) == (len(batch) == 1)
    foreign = padded(4, 11, 1)  # rows of 11 lie closer together than blocks of 12 do
    assert lanes_of(foreign.T, 12).shape == (4, 12)
    assert not np.shares_memory(lanes_of(foreign.T, 12), foreign)
    if len(batch) == 1:  # a view that begins later must not reach beyond the end
        later = view[1:] if batch[0] > 1 else view
        np.testing.assert_array_equal(lanes_of(later, 12)[:, : len(later)].T, later)


def test_without_the_library_the_reference_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    federation = federation_of(3, 2, 0)
    monkeypatch.setenv("FEDVERDICT_KERNELS", "0")
    assert theory.compiled.library.library() is None
    assert isinstance(local_work(federation), SharedEigenbasis)
    theory.compiled.library.library.cache_clear()
    monkeypatch.delenv("FEDVERDICT_KERNELS")
    monkeypatch.setattr(theory.compiled.library, "__file__", str(tmp_path / "library.py"))
    assert theory.compiled.library.library() is None  # nothing was built there
    broken = tmp_path / "_kernels.so"
    broken.write_bytes(b"no library")
    assert opened(broken) is None


def test_a_library_of_other_sources_is_refused(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    assert opened(BUILT[0], kernels.level) is not None
    monkeypatch.setattr(theory.compiled.library, "_VERSION", 10**6)
    assert opened(BUILT[0], kernels.level) is None


def test_what_the_kernels_do_not_take_goes_to_the_reference(kernels: Library) -> None:
    single = federation_of(2, 3, 0)
    low = QuadraticFederation(
        *(part.astype(np.float32) for part in (single.curvature, single.centers, single.floor)), single.share
    )
    assert fits(single)
    assert not fits(low)
    rng = np.random.default_rng(0)
    work, model = CompiledWork(single, kernels), rng.normal(size=(4, 3))
    noise, etas = rng.normal(size=(2, 4, 2, 3)), np.asarray([0.1, 0.2])
    found = work.run(model, etas, noise, None, path=False).combine(np.full((4, 2), 0.5))
    expected = StepwiseWork(single).run(model, etas, noise, None, path=False).combine(np.full((4, 2), 0.5))
    np.testing.assert_allclose(found, expected, **CLOSE)
