"""References and floors: certified infima, what l2 = 0 leaves, what is stored, and what runs make of it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.task.convex import to_deep, to_theory
from deep.task.evaluation import client_scores, penalty
from deep.task.reference import floor_of, load_reference, reached_reference, reference_for, solved_reference, task_hash
from deep.task.setup import Setup
from deep.task.task import Task, make_task
from theory import ExpAlpha, FedSoftBetter, FedSoftWorse, Proportional

CPU = torch.device("cpu")
SHORT = RunConfig(n_clients=3, n_sampled=2, n_rounds=2, n_local_steps=2, l2=0.05, seed=1, dtype="float64")


def gradients(config: RunConfig, task: Task, vector: torch.Tensor) -> torch.Tensor:
    """∇Fₖ of every client by autograd, (n_clients, dim)."""
    assert task.population is not None
    found = []
    for client in task.population.clients:
        leaf = vector.clone().requires_grad_()
        logits = task.model.logits(leaf, task.pool.inputs[client.index])
        loss = torch.nn.functional.cross_entropy(logits, client.targets) + config.l2 / 2 * leaf @ leaf
        found.append(torch.autograd.grad(loss, leaf)[0])
    return torch.stack(found)


def test_the_layouts_are_inverse_and_mean_the_same_model() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, (5 + 1) * 3))
    assert np.array_equal(to_deep(to_theory(vectors, 5, 3), 5, 3), vectors)
    X = rng.normal(size=(7, 5))
    weight, bias = vectors[0, :15].reshape(3, 5), vectors[0, 15:]
    theirs = np.concatenate([X, np.ones((7, 1))], axis=1) @ to_theory(vectors[0], 5, 3).reshape(6, 3)
    np.testing.assert_allclose(theirs, X @ weight.T + bias, rtol=0, atol=1e-14)
    with pytest.raises(ValueError, match=r"to_theory: vectors of shape \(17,\); expected \(\*batch, 18\)"):
        to_theory(np.zeros(17), 5, 3)


def test_solved_references_are_minima_by_another_gradient() -> None:
    task = make_task(Setup.of(SHORT), CPU)
    found = solved_reference(SHORT, task)
    assert task.population is not None
    assert max(*found.client_gaps, found.gap) <= 1e-10
    model = torch.from_numpy(found.model)
    slopes = gradients(SHORT, task, model)
    whole = task.population.share @ slopes
    assert float(whole @ whole) / (2 * SHORT.l2) <= 1e-10
    losses, _ = client_scores(task.model, model, task.buffers, task.pool, task.population.clients)
    at_optimum = losses + penalty(SHORT.l2, model)
    np.testing.assert_allclose(found.at_optimum, at_optimum, rtol=1e-12)
    assert found.loss == pytest.approx(float(task.population.share @ at_optimum), rel=1e-12)
    assert np.all(found.client_losses < found.at_optimum)
    # Strong convexity from below: no client has less anywhere, here at w*.
    lower = at_optimum - (slopes**2).sum(1) / (2 * SHORT.l2)
    assert np.all(found.client_losses >= lower.numpy())


@pytest.mark.parametrize("dataset", ["digits", "synthetic-regression"])
def test_linear_regression_is_solved_too(dataset: str) -> None:
    config = replace(SHORT, model="linear-regression", dataset=dataset, partition="iid")
    task = make_task(Setup.of(config), CPU)
    found = solved_reference(config, task)
    assert task.population is not None
    assert max(*found.client_gaps, found.gap) <= 1e-10
    model = torch.from_numpy(found.model)
    for direction in torch.randn(3, len(model), generator=torch.Generator().manual_seed(0), dtype=torch.float64):
        for step in (-1e-3, 1e-3):
            moved = model + step * direction / direction.norm()
            losses, _ = client_scores(task.model, moved, task.buffers, task.pool, task.population.clients)
            assert float(task.population.share @ losses + penalty(config.l2, moved)) > found.loss


def test_without_l2_separable_samples_have_no_minimiser() -> None:
    config = replace(SHORT, l2=0.0, floor="solved", partition="classes(m=2)", n_clients=5)
    task = make_task(Setup.of(config), CPU)
    few = replace(task, population=replace(task.population, clients=tuple(small(c) for c in task.population.clients)))  # type: ignore[union-attr, type-var]
    found = solved_reference(config, few)
    assert found.client_losses.tolist() == [0.0] * 5
    assert found.client_gaps.tolist() == [0.0] * 5
    assert all("infimum 0, not attained" in note for note in found.client_notes)
    assert found.model.size == found.at_optimum.size == 0
    assert "not attained" in found.says
    assert floor_of(config, found).at_optimum is None


def small(client: object) -> object:
    return replace(client, index=client.index[:12], targets=client.targets[:12])  # type: ignore[attr-defined, type-var]


def test_references_are_kept_by_the_task_alone(tmp_path: Path) -> None:
    task = make_task(Setup.of(SHORT), CPU)
    name = task_hash(SHORT, task)
    for same in ({"n_rounds": 9}, {"local_lr": 0.3}, {"cohort_seed": 4}, {"n_sampled": 3}, {"momentum": 0.5}):
        other = replace(SHORT, **same)
        assert task_hash(other, make_task(Setup.of(other), CPU)) == name
    for change in ({"l2": 0.1}, {"data_seed": 3}, {"scaling": "dataset"}, {"n_clients": 4}, {"dtype": "float32"}):
        other = replace(SHORT, **change)
        assert task_hash(other, make_task(Setup.of(other), CPU)) != name
    first = reference_for(SHORT, task, tmp_path)
    assert first is not None
    (path,) = tmp_path.iterdir()
    stored = load_reference(tmp_path, name, "solved")
    assert stored is not None
    for field, value in asdict(first).items():
        np.testing.assert_array_equal(getattr(stored, field), value)
    json.dumps(stored.to_dict(), allow_nan=False)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match="not a reference of this program"):
        reference_for(SHORT, task, tmp_path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="not a reference of this program"):
        reference_for(SHORT, task, tmp_path)
    first.save(tmp_path)
    (tmp_path / f"{'0' * 24}-solved.npz").write_bytes(path.read_bytes())
    with pytest.raises(ValueError, match="of another task"):
        load_reference(tmp_path, "0" * 24, "solved")


def test_what_descent_reached_is_called_that(tmp_path: Path) -> None:
    config = replace(SHORT, model="mlp(hidden=[6])", floor="reached", l2=0.0)
    task = make_task(Setup.of(config), CPU)
    few, many = (reached_reference(config, task, steps, 0.5) for steps in (2, 40))
    assert np.all(many.client_losses < few.client_losses)
    assert np.all(many.client_gradients > 0)
    assert np.isnan(many.client_gaps).all()
    assert "reached by 40 steps" in many.says
    assert "not solved" in many.says
    with pytest.raises(ValueError, match=r"floor='reached'\): needs a reached reference; make one with `fedverdict"):
        run(config, Proportional(), references=tmp_path)
    many.save(tmp_path)
    result = run(config, FedSoftWorse(0.5), references=tmp_path)
    assert result.floor.kind == "reached"
    assert result.history[0].loss_best == many.client_losses.tolist()
    for steps, rate in ((0, 0.1), (3, 0.0), (3, float("inf"))):
        with pytest.raises(ValueError, match="expected steps >= 1 and a finite rate > 0"):
            reached_reference(config, task, steps, rate)


def test_runs_take_the_floor_that_they_name(tmp_path: Path) -> None:
    rule = FedSoftBetter(0.1)
    kinds = {name: run(replace(SHORT, floor=name), rule) for name in ("auto", "solved", "best-seen", "zero")}
    assert [r.floor.kind for r in kinds.values()] == ["solved", "solved", "best-seen", "zero"]
    assert torch.equal(kinds["auto"].model, kinds["solved"].model)
    assert len({tuple(r.model.tolist()) for r in kinds.values()}) == 3
    assert kinds["zero"].history[0].loss_best == [0.0] * 3
    assert RunConfig(model="mlp", l2=0.1).floor_kind == RunConfig(l2=0.0).floor_kind == "zero"
    assert RunConfig(l2=0.1, cohort="imbalanced(n_clients=3)").floor_kind == "zero"
    out = tmp_path / "run"
    run(SHORT, rule, out=out)
    summary = json.loads((out / "summary.json").read_text())
    by_key = {q["key"]: q for q in summary["quantities"]}
    assert by_key["heterogeneity"]["estimate"] is None
    assert by_key["heterogeneity"]["floor"].startswith("Fₖ* is solved, certified to ")
    reference = solved_reference(SHORT, make_task(Setup.of(SHORT), CPU))
    gamma = reference.loss - float(np.dot(kinds["auto"].share, reference.client_losses))
    assert by_key["heterogeneity"]["value"] == pytest.approx(gamma, rel=1e-9)


def test_fed_soft_better_is_not_exp_alpha() -> None:
    """With this round's own model in the minimum the two were one rule; with solved floors they are two."""
    config = replace(SHORT, n_rounds=5, n_sampled=3)
    better, alpha = run(config, FedSoftBetter(0.2)), run(config, ExpAlpha(0.2, data_size=True))
    assert np.abs(np.subtract(better.history[0].weights, alpha.history[0].weights)).max() > 1e-3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"floor": "solved", "model": "mlp"},
            r"RunConfig\(floor='solved', model='mlp'\): solved for softmax-regression",
        ),
        ({"floor": "best-seen", "cohort": "imbalanced(n_clients=3)"}, "have no past and no reference"),
        ({"floor": "best"}, "must be one of auto, solved, best-seen, zero, reached"),
    ],
)
def test_the_door(change: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SHORT, **change)  # type: ignore[arg-type]


def test_clients_made_anew_have_no_reference() -> None:
    config = replace(SHORT, cohort="imbalanced(n_clients=3, size=60)")
    with pytest.raises(ValueError, match="clients are resampled every round; expected a fixed population"):
        solved_reference(config, make_task(Setup.of(config), CPU))
