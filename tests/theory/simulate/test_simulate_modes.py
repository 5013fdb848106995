"""Every participation, schedule, weight mode and reading against the exact reference, and metamorphic relations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.strategies import federations, shares
from theory import ExpAlpha, FedSoftWorse, Proportional, QuadraticFederation, Scheduled, SignNoise
from theory.exact import ball, dot, local_sgd_round, quadratic_gradient, quadratic_loss, quadratic_optimum, weighted_sum
from theory.exact.reference import weights as exact
from theory.federations.federation import Federation, global_loss
from theory.participation.sampling import (
    Arrival,
    Bernoulli,
    Departure,
    FullParticipation,
    GivenSteps,
    Participation,
    RoundContext,
    StateDependent,
    UniformSteps,
    UniformWithoutReplacement,
)
from theory.participation.schedules import (
    constant_steps,
    efl_steps,
    geometric_steps,
    inverse_steps,
    proof_gamma,
    vanishing_steps,
)
from theory.simulate import simulate
from theory.simulate.conventions import Conventions


def drop_the_best(seed: int, r: int, shape: tuple[int, ...], context: RoundContext) -> Any:
    """An adversary: whoever the model serves best stays away."""
    losses = np.asarray(context.loss_before)
    return losses > losses.min() if losses.size > 1 and losses.max() - losses.min() > 1e-6 else np.ones(shape, bool)


@st.composite
def laws(draw: st.DrawFn, n: int, n_local: int) -> Participation:
    kinds = ["full", "without", "bernoulli", "given", "uniform", "state"] + (["departure", "arrival"] if n > 1 else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "without":
        return UniformWithoutReplacement(draw(st.integers(1, n)))
    if kind == "bernoulli":
        return Bernoulli(draw(st.sampled_from([0.25, 0.5, 1.0])))
    if kind == "given":
        row = st.lists(st.integers(0, n_local), min_size=n, max_size=n).filter(any).map(tuple)
        return GivenSteps(tuple(draw(st.lists(row, min_size=1, max_size=3))))
    if kind == "uniform":
        return UniformSteps(draw(st.integers(0, 1)))
    if kind == "state":
        return StateDependent(drop_the_best)
    if kind in {"departure", "arrival"}:
        share = tuple(draw(shares(n)).tolist())
        law = Departure if kind == "departure" else Arrival
        return law(draw(st.integers(0, n - 1)), draw(st.integers(0, 3)), share, draw(st.booleans()))
    return FullParticipation()


def schedule(name: str, n_local: int, n_rounds: int) -> Any:
    return {
        "constant": lambda: constant_steps(0.125, n_local * n_rounds),
        "inverse": lambda: inverse_steps(1.0, 8.0, n_local * n_rounds),
        "proof": lambda: inverse_steps(2.0, proof_gamma(2.0, n_local), n_local * n_rounds),
        "efl": lambda: 0.1 * efl_steps(1.0, 16.0, n_local, np.asarray([1.0, 2.0, 3.0])[:n_rounds], n_rounds),
        "vanishing": lambda: 0.25 * vanishing_steps(n_local, n_rounds),
        "geometric": lambda: geometric_steps(0.125, 0.99, n_local, n_rounds),
    }[name]()


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    federation = draw(federations(max_clients=3, max_dim=2))
    n, n_local, n_rounds = federation.n_clients, draw(st.integers(1, 3)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from(["proportional", "exp-alpha", "fed-soft-worse", "scheduled"]))
    aggregation = draw(st.sampled_from(["algorithm", "equation"]))
    if kind == "scheduled":
        rule: Any = Scheduled(np.stack([draw(shares(n)) for _ in range(2)]))
    else:
        rule = {"proportional": Proportional(), "exp-alpha": ExpAlpha(2.0), "fed-soft-worse": FedSoftWorse(2.0)}[kind]
    return {
        "federation": federation,
        "rule": rule,
        "kind": kind,
        "steps": schedule(
            draw(st.sampled_from(["constant", "inverse", "proof", "efl", "vanishing", "geometric"])), n_local, n_rounds
        ),
        "n_local": n_local,
        "law": draw(laws(n, 1 if aggregation == "equation" else n_local)),
        "noise": SignNoise(tuple(draw(st.sampled_from([0.0, 0.5, 2.0])) for _ in range(n)))
        if draw(st.booleans())
        else None,
        "seed": draw(st.integers(0, 99)),
        "conventions": Conventions(
            aggregation=aggregation,
            virtual=draw(st.sampled_from(["round", "share"])),
            losses=draw(st.sampled_from(["broadcast", "current"])),
            best_loss=draw(st.sampled_from(["own", "global"])),
        ),
    }


def exact_run(p: dict[str, Any], contexts: list[Any]) -> dict[str, list[Any]]:
    """The run of `p` in balls, written out: what is aggregated when, with which weights, and the virtual sequence."""
    federation, n_local, reading = p["federation"], p["n_local"], p["conventions"]
    n, dim, total = federation.n_clients, federation.dim, len(p["steps"])
    A, m, c = (ball(x.tolist()) for x in (federation.curvature, federation.centers, federation.floor))
    shares_ = ball(federation.share.tolist())
    model, t, r = [ball(1)] * dim, 0, 0
    out: dict[str, list[Any]] = {"models": [model], "virtual": [], "losses": [], "gradients": [], "weights": []}
    best = c
    if reading.best_loss == "global":
        best = [dot(shares_, [quadratic_loss(A[j], m[j], c[j], m[i]) for j in range(n)]) for i in range(n)]
    while t < total:
        length = n_local
        if reading.aggregation == "equation" and n_local > 1:
            length = 1 if t == 0 else min(n_local, total - t)
        plan = p["law"].plan(p["seed"], r, (n,), replace(contexts[r], n_local_steps=length))
        steps = [length] * n if plan.steps is None else [int(s) for s in np.broadcast_to(plan.steps, (n,))]
        here = [bool(x) and s > 0 for x, s in zip(np.broadcast_to(plan.present, (n,)), steps, strict=True)]
        share = shares_ if plan.share is None else ball(np.asarray(plan.share).tolist())
        drawn = None if p["noise"] is None else ball(p["noise"].draw(p["seed"], r, (length, n, dim)).tolist())
        before = [quadratic_loss(A[i], m[i], c[i], model) for i in range(n)]

        def weigh(local: Any, before: Any = before, here: Any = here, share: Any = share, r: int = r) -> Any:
            seen = before
            if reading.losses == "current":
                mean = weighted_sum(exact.proportional(share, here), local)
                seen = [quadratic_loss(A[i], m[i], c[i], mean) for i in range(n)]
            if p["kind"] == "exp-alpha":
                after = [quadratic_loss(A[i], m[i], c[i], local[i]) for i in range(n)]
                return exact.exp_alpha(seen, after, here, ball(2.0))
            if p["kind"] == "fed-soft-worse":
                return exact.fed_soft_worse(share, seen, best, here, ball(2.0))
            if p["kind"] == "scheduled":
                row = p["rule"].weights[min(r, 1)]
                return exact.proportional(ball(row.tolist()), here)
            return exact.proportional(share, here)

        last_partial = reading.aggregation == "equation" and n_local > 1 and t + length == total and length < n_local
        chosen = (lambda _, share=share, here=here: exact.proportional(share, here)) if last_partial else weigh
        etas = ball(p["steps"][t : t + length].tolist())
        done = [s if x else 0 for s, x in zip(steps, here, strict=True)]
        new, weights, paths = local_sgd_round(model, A, m, etas, drawn, chosen, done)
        virtual = weights if reading.virtual == "round" else exact.proportional(share, here)
        for e in range(length):
            mean = weighted_sum(virtual, [path[e] for path in paths])
            out["virtual"].append(mean)
            out["losses"].append([quadratic_loss(A[i], m[i], c[i], mean) for i in range(n)])
            squares = [quadratic_gradient(A[i], m[i], paths[i][e]) for i in range(n)]
            out["gradients"].append([dot(g, g) if x else ball(0) for g, x in zip(squares, here, strict=True)])
        model, t, r = new, t + length, r + 1
        out["models"].append(model)
        out["weights"].append(weights)
    return out


def floats(value: Any) -> Any:
    return [floats(v) for v in value] if isinstance(value, (list, tuple)) else float(value)


@settings(max_examples=200)
@given(problem=problems())
def test_every_mode_equals_the_exact_reference(problem: dict[str, Any]) -> None:
    equals_the_exact_reference(problem)


@pytest.mark.nightly
@settings(max_examples=2000)
@given(problem=problems())
def test_every_mode_equals_the_exact_reference_on_many_problems(problem: dict[str, Any]) -> None:
    equals_the_exact_reference(problem)


def equals_the_exact_reference(problem: dict[str, Any]) -> None:
    p, contexts = problem, []

    class Watched:
        """Remembers what the law was shown, so that the exact run asks it the same questions."""

        def plan(self, seed: int, r: int, shape: tuple[int, ...], context: RoundContext) -> Any:
            contexts.append(context)
            return p["law"].plan(seed, r, shape, context)

    run = simulate(
        p["federation"],
        p["rule"],
        start=np.ones(p["federation"].dim),
        step_sizes=p["steps"],
        n_local_steps=p["n_local"],
        noise=p["noise"],
        participation=Watched(),
        seed=p["seed"],
        conventions=p["conventions"],
        record=("models", "weights", "virtual", "step_losses", "gradients"),
    )
    precision = ctx.prec
    ctx.prec = 200
    try:
        reference = {name: np.asarray(floats(value)) for name, value in exact_run(p, contexts).items()}
    finally:
        ctx.prec = precision
    size = 1 + np.abs(reference["models"]).max() + np.abs(p["federation"].centers).max()
    curve = 1 + np.abs(p["federation"].curvature).max()
    np.testing.assert_allclose(run.weights, reference["weights"], rtol=1e-10, atol=1e-10 * curve * size**2)
    np.testing.assert_allclose(run.models, reference["models"], rtol=1e-10, atol=1e-10 * curve * size**2)
    np.testing.assert_allclose(run.virtual[:-1], reference["virtual"], rtol=1e-10, atol=1e-10 * curve * size**2)
    np.testing.assert_allclose(run.step_losses[:-1], reference["losses"], rtol=1e-9, atol=1e-10 * curve**2 * size**3)
    np.testing.assert_allclose(run.gradients, reference["gradients"], rtol=1e-9, atol=1e-10 * curve**3 * size**3)


def pair(federation: QuadraticFederation, changed: Federation, rule: Any, **more: Any) -> tuple[Any, Any]:
    settings_: dict[str, Any] = {
        "step_sizes": inverse_steps(1.0, 8.0, 6),
        "n_local_steps": 2,
        "start": np.ones(federation.dim),
    }
    settings_.update({k: v for k, v in more.items() if not k.endswith("_changed")})
    first = simulate(federation, rule, **settings_)
    for key in list(more):
        if key.endswith("_changed"):
            settings_[key.removesuffix("_changed")] = more[key]
    rule_changed = settings_.pop("rule", rule)
    return first, simulate(changed, rule_changed, **settings_)


RULES = [Proportional(), ExpAlpha(2.0, data_size=True), FedSoftWorse(2.0)]


@pytest.mark.parametrize("rule", RULES)
@given(federation=federations(), data=st.data())
def test_permuting_clients_changes_nothing(rule: Any, federation: QuadraticFederation, data: st.DataObject) -> None:
    o = list(data.draw(st.permutations(range(federation.n_clients))))
    moved = QuadraticFederation(
        federation.curvature[o], federation.centers[o], federation.floor[o], federation.share[o]
    )
    first, second = pair(federation, moved, rule)
    np.testing.assert_allclose(second.models, first.models, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(second.weights, first.weights[:, o], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("rule", RULES)
@given(federation=federations())
def test_splitting_a_client_into_two_halves_changes_nothing(rule: Any, federation: QuadraticFederation) -> None:
    o = [0, *range(federation.n_clients)]
    share = federation.share[o].copy()
    share[:2] /= 2
    halves = QuadraticFederation(federation.curvature[o], federation.centers[o], federation.floor[o], share)
    first, second = pair(federation, halves, rule)
    np.testing.assert_allclose(second.models, first.models, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(second.weights[:, 0] + second.weights[:, 1], first.weights[:, 0], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("rule", RULES)
@given(federation=federations(), seed=st.integers(0, 50))
def test_rotating_and_shifting_coordinates_moves_the_run_along(
    rule: Any, federation: QuadraticFederation, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(federation.dim, federation.dim)))[0]
    shift = rng.normal(size=federation.dim)
    curvature = turn @ federation.curvature @ turn.T
    moved = QuadraticFederation(
        0.5 * (curvature + curvature.swapaxes(-1, -2)),
        federation.centers @ turn.T + shift,
        federation.floor,
        federation.share,
    )
    first, second = pair(federation, moved, rule, start_changed=turn @ np.ones(federation.dim) + shift)
    np.testing.assert_allclose(second.models, first.models @ turn.T + shift, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("rule", RULES)
@given(federation=federations(), loss=st.sampled_from([0.25, 8.0]), length=st.sampled_from([0.5, 4.0]))
def test_units_of_loss_and_length_do_not_matter(
    rule: Any, federation: QuadraticFederation, loss: float, length: float
) -> None:
    """F → aF and x → bx: curvature a/b², optima b, steps b²/a, temperatures a."""
    moved = QuadraticFederation(
        federation.curvature * loss / length**2, federation.centers * length, federation.floor * loss, federation.share
    )
    scaled = rule
    if isinstance(rule, ExpAlpha):
        scaled = replace(rule, alpha=rule.alpha * loss)
    elif isinstance(rule, FedSoftWorse):
        scaled = replace(rule, temperature=rule.temperature * loss)
    steps = inverse_steps(1.0, 8.0, 6)
    first, second = pair(
        federation,
        moved,
        rule,
        step_sizes=steps,
        step_sizes_changed=steps * length**2 / loss,
        start_changed=np.ones(federation.dim) * length,
        rule_changed=scaled,
    )
    np.testing.assert_allclose(second.models, first.models * length, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(second.weights, first.weights, rtol=1e-8, atol=1e-10)


@given(federation=federations(), noisy=st.booleans(), seed=st.integers(0, 20))
def test_the_eigenbasis_and_the_plain_steps_agree(federation: QuadraticFederation, noisy: bool, seed: int) -> None:
    class Plain:
        """The same federation without saying that it is quadratic."""

        def __init__(self, inner: QuadraticFederation) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    everything = ("models", "weights", "losses", "updates", "virtual", "step_losses", "gradients")
    noise = SignNoise((0.5,) * federation.n_clients) if noisy else None
    more = {"record": everything, "participation": UniformSteps(), "noise": noise, "seed": seed}
    plain: Any = Plain(federation)
    first, second = pair(federation, plain, ExpAlpha(1.0), **more)
    scale = 1 + np.abs(federation.centers).max()
    for name in (
        "models",
        "weights",
        "loss_before",
        "loss_after",
        "updates",
        "virtual",
        "spread",
        "step_losses",
        "gradients",
    ):
        fast, slow = getattr(first, name), getattr(second, name)
        np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-9 * scale**2, err_msg=name)


def test_fresh_clients_every_round() -> None:
    def at(r: int) -> QuadraticFederation:
        rng = np.random.default_rng(r)
        return QuadraticFederation(np.stack([np.eye(2)] * 2), rng.normal(size=(2, 2)), np.zeros(2), np.full(2, 0.5))

    run = simulate(at, Proportional(), start=np.zeros(2), step_sizes=constant_steps(1.0, 3), n_local_steps=1)
    for r in range(3):
        np.testing.assert_allclose(run.models[r + 1], at(r).centers.mean(axis=0), atol=1e-14)


def test_fresh_clients_must_be_as_many_every_round() -> None:
    def at(r: int) -> QuadraticFederation:
        n = 2 + r
        return QuadraticFederation(np.stack([np.eye(2)] * n), np.zeros((n, 2)), np.zeros(n), np.full(n, 1 / n))

    with pytest.raises(ValueError, match=r"round 1 has 3 clients.*expected 2 in 2"):
        simulate(at, Proportional(), start=np.zeros(2), step_sizes=constant_steps(1.0, 3), n_local_steps=1)


def test_replicas_of_one_federation_draw_their_own_cohorts() -> None:
    federation = QuadraticFederation(np.stack([np.eye(2)] * 4), np.eye(4)[:, :2], np.zeros(4), np.full(4, 0.25))
    run = simulate(
        federation,
        Proportional(),
        start=np.zeros((500, 2)),
        step_sizes=constant_steps(0.5, 4),
        n_local_steps=2,
        participation=UniformWithoutReplacement(2),
        seed=1,
    )
    assert run.present.shape == (2, 500, 4)
    assert np.all(run.present.sum(axis=-1) == 2)
    assert abs(run.present.mean() - 0.5) < 1e-12
    assert np.all(np.abs(run.present.mean(axis=(0, 1)) - 0.5) < 5 * 0.5 / 1000**0.5)


def test_departure_shifts_the_objective_or_only_the_cohort() -> None:
    federation = QuadraticFederation(np.ones((2, 1, 1)), np.asarray([[0.0], [1.0]]), np.zeros(2), np.full(2, 0.5))
    steps = constant_steps(0.5, 60)
    for shift, share in ((True, [1.0, 0.0]), (False, [0.5, 0.5])):
        law = Departure(client=1, at_round=30, share=(0.5, 0.5), shift=shift)
        run = simulate(
            federation, Proportional(), start=np.zeros(1), step_sizes=steps, n_local_steps=1, participation=law
        )
        assert run.models[30, 0] == pytest.approx(0.5)
        assert run.models[60, 0] == pytest.approx(0.0, abs=1e-6)
        assert run.share[-1].tolist() == share
        assert run.weights[-1].tolist() == [1.0, 0.0]


def test_a_million_constant_steps() -> None:
    """Gradient descent for 10⁶ steps as one round: (1 − ημ)^T without leaving floating point's accuracy."""
    federation = QuadraticFederation(np.asarray([[[1.0]]]), np.zeros((1, 1)), np.zeros(1), np.ones(1))
    run = simulate(
        federation,
        Proportional(),
        start=np.ones(1),
        step_sizes=constant_steps(1e-6, 10**6),
        n_local_steps=10**6,
        record=("losses",),
    )
    assert run.final[0] == pytest.approx(np.exp(10**6 * np.log1p(-1e-6)), rel=1e-9)


@pytest.mark.parametrize("word", ["aggregation", "virtual", "losses", "best_loss"])
def test_unknown_readings_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match=f"{word}='other'"):
        Conventions(**{word: "other"})


def test_global_loss_of_replicas() -> None:
    federation = QuadraticFederation(np.stack([np.eye(2)] * 2), np.eye(2), np.ones(2), np.full(2, 0.5))
    values = global_loss(federation, np.zeros((3, 2)))
    np.testing.assert_allclose(values, 1.5)
    exact_best = quadratic_optimum(
        [ball(0.5)] * 2, ball(federation.curvature.tolist()), ball(federation.centers.tolist())
    )
    np.testing.assert_allclose(federation.optimum(), floats(exact_best))
