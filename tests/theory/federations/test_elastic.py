"""The elastic objective: the server's sums are its derivative, quadratics stay quadratic, the wrapper agrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import decimals, federations
from theory import QuadraticFederation, global_loss
from theory.federations.elastic import ElasticFederation, elastic, elastic_gradient, elastic_sums
from theory.federations.empirical import logistic_federation, split_clients
from theory.federations.families import quadratic_family
from theory.federations.federation import Constants
from theory.federations.nonconvex import RippledFederation


@st.composite
def cases(draw: st.DrawFn) -> tuple[QuadraticFederation, Any, Any, float, bool]:
    federation = draw(federations())
    size = federation.n_clients * federation.dim
    shape = (federation.n_clients, federation.dim)
    fisher = np.asarray(draw(st.lists(decimals(0, 2), min_size=size, max_size=size))).reshape(shape)
    anchors = np.asarray(draw(st.lists(decimals(-4, 4), min_size=size, max_size=size))).reshape(shape)
    return federation, fisher, anchors, draw(decimals(0, 2)), draw(st.booleans())


def printed(federation: Any, fisher: Any, anchors: Any, strength: float, w: Any) -> Any:
    """EFL-E2 in plain loops, at one model per client."""
    losses = federation.losses(w)
    pulls = [sum(float((x - a) @ np.diag(f) @ (x - a)) for f, a in zip(fisher, anchors, strict=True)) for x in w]
    return losses + 0.5 * strength * np.asarray(pulls)


@given(cases(), st.integers(0, 99))
def test_the_quadratic_is_the_printed_objective(case: Any, seed: int) -> None:
    federation, fisher, anchors, strength, normalised = case
    made = elastic(federation, fisher, anchors, strength, normalised=normalised)
    factor = strength / federation.n_clients if normalised else strength
    w = np.random.default_rng(seed).normal(size=fisher.shape) * 3
    assert isinstance(made, QuadraticFederation)
    assert np.allclose(made.losses(w), printed(federation, fisher, anchors, factor, w), rtol=1e-9, atol=1e-9)
    sum_u, sum_v = elastic_sums(fisher, anchors)
    expected = federation.gradients(w) + elastic_gradient(w, sum_u, sum_v, factor)
    assert np.allclose(made.gradients(w), expected, rtol=1e-9, atol=1e-9)
    assert np.allclose(made.floor, printed(federation, fisher, anchors, factor, made.centers), rtol=1e-12, atol=1e-12)


@given(cases())
def test_no_strength_changes_nothing(case: Any) -> None:
    federation, fisher, anchors, _, normalised = case
    made = elastic(federation, fisher, anchors, 0.0, normalised=normalised)
    assert np.array_equal(made.curvature, federation.curvature)  # type: ignore[union-attr]
    assert np.allclose(made.local_optima, federation.centers, atol=1e-9)
    assert np.allclose(made.floor, federation.floor, atol=1e-12)


def test_the_derivative_and_the_expansion_by_sympy() -> None:
    """EFL-E2 − EFL-E3 is constant in ω, and the derivative is what `elastic_gradient` computes."""
    w, lam, *numbers = sympy.symbols("w lambda i1 i2 w1 w2", real=True)
    fisher, anchors = np.asarray(numbers[:2])[:, None], np.asarray(numbers[2:])[:, None]
    term = lam / 2 * sum(i * (w - a) ** 2 for i, a in zip(fisher[:, 0], anchors[:, 0], strict=True))
    sum_u, sum_v = fisher.sum(axis=0)[0], (fisher * anchors).sum(axis=0)[0]
    assert sympy.expand(sympy.diff(term, w) - elastic_gradient(w, sum_u, sum_v, lam)) == 0  # type: ignore[arg-type]
    assert sympy.diff(sympy.expand(term - (lam / 2 * w**2 * sum_u - lam * w * sum_v)), w) == 0


@pytest.mark.parametrize("n_clients", [2, 8])
def test_the_printed_curvature_grows_with_the_number_of_clients(n_clients: int) -> None:
    federation = quadratic_family(n_clients=n_clients, dim=2, seed=0, condition=1.0)
    fisher, anchors = np.ones((n_clients, 2)), np.zeros((n_clients, 2))
    as_printed = elastic(federation, fisher, anchors, 3.0).constants()
    averaged = elastic(federation, fisher, anchors, 3.0, normalised=True).constants()
    assert float(as_printed.L) == pytest.approx(1 + 3 * n_clients)
    assert float(averaged.L) == pytest.approx(4)


@dataclass(frozen=True)
class Hidden:
    """A quadratic federation that does not say it is one, so that the solver has to find what algebra gives."""

    inside: QuadraticFederation

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "inside"), name)

    def losses(self, models: Any) -> Any:
        return self.inside.losses(models)

    def gradients(self, models: Any) -> Any:
        return self.inside.gradients(models)

    def constants(self) -> Constants:
        return self.inside.constants()


@pytest.mark.parametrize("n_federations", [None, 3])
@pytest.mark.parametrize("normalised", [False, True])
def test_the_wrapper_agrees_with_the_algebra(n_federations: int | None, normalised: bool) -> None:
    base = quadratic_family(n_clients=3, dim=4, seed=1, n_federations=n_federations, concentration=1.0, floor_scale=1.0)
    generator = np.random.default_rng(0)
    fisher, anchors = generator.random(base.centers.shape), generator.normal(size=base.centers.shape)
    exact = elastic(base, fisher, anchors, 0.7, normalised=normalised)
    found = elastic(Hidden(base), fisher, anchors, 0.7, normalised=normalised)  # type: ignore[arg-type]
    assert isinstance(found, ElasticFederation)
    w = generator.normal(size=base.centers.shape)
    for ours, theirs in (
        (found.losses(w), exact.losses(w)),
        (found.gradients(w), exact.gradients(w)),
        (found.floor, exact.floor),
        (found.local_optima, exact.local_optima),
        (found.optimum(), exact.optimum()),
        (found.share, exact.share),
    ):
        assert np.allclose(ours, theirs, atol=1e-8)  # the solver's 1e-10 over the smallest curvature
    assert (found.n_clients, found.dim) == (3, 4)
    # Extremes of a sum lie within the sums of extremes.
    assert np.all(found.constants().mu <= exact.constants().mu)
    assert np.all(found.constants().L >= exact.constants().L)


def test_over_logistic_clients() -> None:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(30, 2)), generator.integers(0, 2, size=30)
    base = logistic_federation(X, y, split_clients(y, 3, 0, 0.5), l2=0.1)
    fisher, anchors = generator.random((3, base.dim)), generator.normal(size=(3, base.dim))
    made = elastic(base, fisher, anchors, 0.5)
    w, h = generator.normal(size=(3, base.dim)), 1e-6
    for j in range(base.dim):
        step = h * np.eye(base.dim)[j]
        slope = (made.losses(w + step) - made.losses(w - step)) / (2 * h)
        assert np.allclose(slope, made.gradients(w)[:, j], rtol=1e-7, atol=1e-8)  # h² and eps/h
    assert np.allclose(made.losses(w), printed(base, fisher, anchors, 0.5, w), rtol=1e-12)
    assert np.abs(made.gradients(made.local_optima)).max() < 1e-8
    assert np.abs(made.share @ made.gradients(made.optimum()[None])).max() < 1e-8
    assert np.all(made.losses(made.local_optima + generator.normal(size=(100, 3, base.dim))) > made.floor)
    assert global_loss(made, made.optimum()) >= float((made.share * made.floor).sum())


def test_torch_agrees() -> None:
    base = quadratic_family(n_clients=3, dim=2, seed=3, n_federations=2)
    twin = QuadraticFederation(*(torch.as_tensor(getattr(base, f)) for f in ("curvature", "centers", "floor", "share")))
    generator = np.random.default_rng(0)
    fisher, anchors = generator.random(base.centers.shape), generator.normal(size=base.centers.shape)
    theirs = elastic(twin, torch.as_tensor(fisher), torch.as_tensor(anchors), 0.7)
    ours = elastic(base, fisher, anchors, 0.7)
    hidden = elastic(Hidden(twin), torch.as_tensor(fisher), torch.as_tensor(anchors), 0.7)  # type: ignore[arg-type]
    assert np.allclose(ours.local_optima, theirs.local_optima.numpy(), rtol=1e-12)  # type: ignore[attr-defined]
    assert np.allclose(ours.floor, theirs.floor.numpy(), rtol=1e-12)  # type: ignore[attr-defined]
    assert np.allclose(ours.optimum(), hidden.optimum().numpy(), atol=1e-8)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fisher": -np.ones((2, 2))}, r"fisher=.*smallest entry -1"),
        ({"fisher": np.ones((3, 2))}, r"fisher=.*shape \(3, 2\); expected \(2, 2\)"),
        ({"anchors": np.full((2, 2), np.nan)}, "anchors=.*NaN"),
        ({"strength": -1.0}, r"strength=-1.0\): must be >= 0"),
    ],
)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    federation = quadratic_family(n_clients=2, dim=2, seed=0)
    with pytest.raises(ValueError, match=message):
        elastic(federation, **{"fisher": np.ones((2, 2)), "anchors": np.zeros((2, 2)), "strength": 1.0, **changes})


def test_clients_that_stay_nonconvex_are_refused_and_convexified_ones_accepted() -> None:
    base = RippledFederation(
        np.asarray([[0.0], [1.0]]), np.ones(2), np.full(2, 3.0), np.zeros(2), np.full(2, 0.5)
    )  # mu = -4
    fisher, anchors = np.ones((2, 1)), np.zeros((2, 1))
    with pytest.raises(ValueError, match=r"μ \+ λ·minⱼΣᵢIᵢⱼ = -2.*raise strength"):
        elastic(base, fisher, anchors, 1.0)
    made = elastic(base, fisher, anchors, 3.0)
    grid = np.linspace(-3, 3, 60_001)[:, None, None]
    assert np.allclose(made.losses(grid).min(axis=0), made.floor, atol=1e-7)  # L·h²/8
