"""Both sides for batches of federations: the kernel against the simulator, and the simulator against its parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.simulate.test_compiled import BUILT, CLOSE, LEVELS, fresh, kernels
from theory import QuadraticFederation, Scheduled, Sides, constant_steps, simulate
from theory.compiled.library import Library, opened
from theory.federations.families import quadratic_family
from theory.federations.federation import gradient_bound
from theory.worlds.sides import both_sides

__all__ = ["fresh", "kernels"]  # fixtures


def batch_of(n: int, n_clients: int, d: int, seed: int) -> tuple[QuadraticFederation, Any, Any]:
    federations = quadratic_family(n_federations=n, n_clients=n_clients, dim=d, seed=seed, concentration=1.0)
    rng = np.random.default_rng(seed)
    return federations, rng.dirichlet(np.ones(n_clients), size=(3, n)), rng.normal(size=(n, d))


def without(patched: pytest.MonkeyPatch, found: Library | None, *given: Any) -> Sides:
    patched.setattr("theory.compiled.library.library", lambda: found)
    return both_sides(*given)


@settings(max_examples=300)
@given(data=st.data())
def test_the_kernel_equals_the_simulator(data: st.DataObject) -> None:
    if not BUILT:
        pytest.skip("the kernels are not built")
    found = [library for level in LEVELS if (library := opened(BUILT[0], level)) is not None]
    library = data.draw(st.sampled_from(found))
    n, n_clients = data.draw(st.integers(1, 17)), data.draw(st.integers(1, 6))
    d, n_steps = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    federations, weights, start = batch_of(n, n_clients, d, data.draw(st.integers(0, 10_000)))
    steps = np.geomspace(0.9, 0.1, 3 * n_steps) / float(np.max(federations.constants().L))
    with pytest.MonkeyPatch.context() as patched:
        ours, theirs = (without(patched, lib, federations, weights, start, steps, n_steps) for lib in (library, None))
    for name in ("gamma", "omega", "bound"):
        assert getattr(ours, name).shape == (n,)
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), **CLOSE)


def test_the_sides_are_what_their_words_say(kernels: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    federations, weights, start = batch_of(4, 3, 2, 1)
    steps = constant_steps(0.1, 6)
    best = federations.optimum()
    for library in (kernels, None):
        found = without(monkeypatch, library, federations, weights, start, steps, 2)
        for i in range(4):
            parts = (federations.curvature, federations.centers, federations.floor, federations.share)
            one = QuadraticFederation(*(part[i] for part in parts))
            rule = Scheduled(weights[:, i])
            run = simulate(one, rule, start=start[i], step_sizes=steps, n_local_steps=2, record=("step_losses",))
            omegas = [
                weights[t // 2, i] @ (np.asarray(run.step_losses)[t] - np.asarray(one.floor)) for t in range(len(steps))
            ]
            at_best = one.losses(best[i][None, :]) - np.asarray(one.floor)
            np.testing.assert_allclose(found.gamma[i], max(w @ at_best for w in weights[:, i]), **CLOSE)
            np.testing.assert_allclose(found.omega[i], min(omegas), **CLOSE)
            np.testing.assert_allclose(found.bound[i], gradient_bound(one, start[i])[0], **CLOSE)


def test_where_a_run_diverges_the_simulator_answers(monkeypatch: pytest.MonkeyPatch, kernels: Library) -> None:
    federations, weights, start = batch_of(5, 2, 2, 3)
    steps = np.full(3, 1.0)
    start[2] = 1e101
    ours, theirs = (without(monkeypatch, lib, federations, weights, start, steps, 1) for lib in (kernels, None))
    for name in ("gamma", "omega", "bound"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_shapes_that_do_not_fit_are_refused() -> None:
    federations, weights, start = batch_of(3, 2, 2, 0)
    steps = constant_steps(0.1, 6)
    with pytest.raises(ValueError, match=r"both_sides\(weights=…\): shape \(3, 3, 1\)"):
        both_sides(federations, weights[..., :1], start, steps, 2)
    with pytest.raises(ValueError, match=r"both_sides\(weights=…\): sums differ"):
        both_sides(federations, 2 * weights, start, steps, 2)
    with pytest.raises(ValueError, match=r"both_sides\(step_sizes=…, start=…\)"):
        both_sides(federations, weights, start, steps, 3)
    with pytest.raises(ValueError, match="smallest -1"):
        both_sides(federations, weights, start, np.linspace(-1, 1, 6), 2)
