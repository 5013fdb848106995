"""A simulation leaves the records of the deep run where the task is the same, and knows the optimum of a family."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deep import RunConfig, run
from deep.config.families import Quadratics, make_family
from deep.metrics import read_clients, read_rounds
from deep.runs.simulated import simulated
from deep.storage.record import TIMES, RoundRecord
from theory.rules import make_rule

CONFIG = RunConfig(
    n_clients=4, partition="dirichlet(beta=0.5, min_size=20)", n_rounds=3, n_local_steps=0, n_local_epochs=1,
    batch_size=50, local_lr=0.2, lr_decay=0.9, momentum=0.5, l2=0.02, seed=3, dtype="float64",
    client="fed-dyn(alpha=1)", target="uniform; exponential(rho=10)", client_test=0.2, evaluate_every=2, cohort_seed=5,
    participation="stragglers(probability=0.5, of=uniform(n_sampled=3))",
)  # fmt: skip
FAMILY = RunConfig(n_clients=5, n_rounds=6, n_local_steps=3, participation="stragglers(probability=0.5)")


def apart(one: object, other: object) -> float:
    """The largest difference of two JSON values of one shape, inf for other shapes."""
    if isinstance(one, dict) and isinstance(other, dict):
        same = one.keys() == other.keys()
        return max((apart(value, other[name]) for name, value in one.items()), default=0.0) if same else np.inf
    if isinstance(one, list) and isinstance(other, list):
        same = len(one) == len(other)
        return max((apart(a, b) for a, b in zip(one, other, strict=False)), default=0.0) if same else np.inf
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other)
    return 0.0 if type(one) is type(other) and one == other else np.inf


def fields_apart(one: RoundRecord, other: RoundRecord) -> dict[str, float]:
    return {name: apart(value, getattr(other, name)) for name, value in one.to_dict().items() if name not in TIMES}


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("references")


@pytest.mark.parametrize("change", [{}, {"floor": "zero"}], ids=["solved", "zero"])
def test_its_records_are_those_of_the_deep_run(change: dict[str, Any], references: Path) -> None:
    config, rule = replace(CONFIG, **change), make_rule("fed-soft-worse")
    deep, convex = (play(config, rule, references=references) for play in (run, simulated))
    assert convex is not None
    for one, other in zip(deep.history, convex.history, strict=True):
        off = fields_apart(one, other)
        assert max(off.values()) < 1e-11, off  # rounding of a hundred float64 steps
    np.testing.assert_allclose(convex.model.numpy(), deep.model.numpy(), rtol=0, atol=1e-12)
    assert apart(deep.floor.to_dict(), convex.floor.to_dict()) == 0
    wrong = simulated(replace(config, local_lr=0.21), rule, references=references)
    assert wrong is not None
    assert fields_apart(deep.history[-1], wrong.history[-1])["loss_after"] > 1e-4


def test_a_folder_holds_the_tables_of_a_run_and_says_which_world(tmp_path: Path) -> None:
    rule, family = make_rule("exp-alpha"), make_family("quadratics(dim=3, noise=0.1, concentration=2)")
    result = simulated(FAMILY, rule, family=family, out=tmp_path / "a")
    assert result is not None
    assert simulated(FAMILY, rule, family=family, out=tmp_path / "a") is not None  # anew, over the first
    assert simulated(FAMILY, rule, family=family, out=tmp_path / "b") is not None
    assert (tmp_path / "a" / "metrics.jsonl").read_bytes() == (tmp_path / "b" / "metrics.jsonl").read_bytes()
    lines = (tmp_path / "a" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["round"] for line in lines] == list(range(6))
    summary = json.loads((tmp_path / "a" / "summary.json").read_text())
    assert summary["provenance"]["world"] == "theory.simulate"
    assert summary["provenance"]["family"] == repr(family)
    assert {q["key"]: q["estimate"] for q in summary["quantities"]}["heterogeneity"] is None  # solved, no estimate
    (rounds,), (clients,) = (list((tmp_path / "a").glob(f"{name}.*")) for name in ("rounds", "clients"))
    assert (len(read_rounds(rounds)), len(read_clients(clients))) == (6, 30)
    with pytest.raises(ValueError, match="belongs to another run; "):
        simulated(FAMILY, rule, family=replace(family, dim=4), out=tmp_path / "a")
    with pytest.raises(ValueError, match="belongs to another run; "):
        run(FAMILY, rule, out=tmp_path / "a")


def test_a_family_knows_its_optimum() -> None:
    """Under unequal steps SCAFFOLD goes there, FedAvg does not."""
    config = replace(FAMILY, n_rounds=600, n_sampled=5, participation="given-steps(steps=[[3, 1, 2, 3, 1]])")
    family = Quadratics(dim=3, concentration=2.0)
    found = simulated(replace(config, client="scaffold"), make_rule("proportional"), family=family)
    assert found is not None
    best = family.drawn(5, 0).optimum()
    np.testing.assert_allclose(found.model.numpy(), best, rtol=0, atol=1e-10)
    at_optimum = found.floor.at_optimum
    assert at_optimum is not None
    assert found.history[-1].train_loss == pytest.approx(float(np.dot(found.share, at_optimum)), abs=1e-12)
    plain = simulated(config, make_rule("proportional"), family=family)
    assert plain is not None
    assert np.abs(plain.model.numpy() - best).max() > 1e-2


def test_a_family_tells_variances_and_gradients_at_its_optimum_to_rules_that_read_them() -> None:
    family, config = Quadratics(dim=3, noise=(1.0, 2.0), floor_scale=0.0), replace(FAMILY, n_rounds=2)
    sigma = np.resize([1.0, 2.0], config.n_clients)
    found = simulated(config, make_rule("inverse-variance"), family=family)
    assert found is not None
    expected = sigma**-2.0 / (sigma**-2.0).sum()
    assert found.history[0].weights == pytest.approx(expected.tolist(), rel=1e-12)
    drawn = family.drawn(config.n_clients, config.seed_of("data"))
    slopes = drawn.gradients(np.broadcast_to(drawn.optimum(), drawn.centers.shape))
    share = np.asarray(drawn.share)
    for horizon in (1e-9, 40.0, 1e12):
        best = simulated(config, make_rule(f"bound-optimal(horizon={horizon}, gradients=optimum)"), family=family)
        assert best is not None
        weights = np.asarray(best.history[0].weights)

        def value(a: Any, h: float = horizon) -> float:
            return float((a**2 * sigma**2).sum() + h / 4 * (((a - share) @ slopes) ** 2).sum())

        assert all(value(weights) <= value(a) * (1 + 1e-9) for a in (share, expected))
        near = expected if horizon < 1 else None
        assert near is None or weights == pytest.approx(near, rel=1e-6)
    estimated = simulated(config, make_rule("bound-optimal(horizon=40)"), family=family)
    assert estimated is not None
    assert sum(estimated.history[1].weights) == pytest.approx(1)


def test_divergence_ends_the_history() -> None:
    found = simulated(replace(FAMILY, n_rounds=400, local_lr=50.0), make_rule("proportional"), family=Quadratics())
    assert found is not None
    assert found.status == "diverged"
    assert 0 < len(found.history) < 400
    assert np.isfinite(found.model.numpy()).all()


@pytest.mark.parametrize(
    ("change", "rule", "message"),
    [
        ({"batch_size": 3, "l2": 0.1}, "uniform", r"batch_size=3\): a family .* reads none of batch_size, l2;"),
        ({"floor": "zero"}, "uniform", r"floor='zero'\): the minima of a family are known"),
        ({}, "similarity", "the rule reads view_1, view_2, which a family has not"),
        ({"participation": "", "n_sampled": 2}, "everyone", "wants everyone present"),
    ],
)
def test_what_a_family_refuses(change: dict[str, Any], rule: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulated(replace(FAMILY, **change), make_rule(rule), family=Quadratics())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quadratic", "unknown family 'quadratic'; nearest: quadratics"),
        ("quadratics(noise=-1)", r"Quadratics\(noise=-1\): must be >= 0"),
        ("quadratics(noise=[1, -2])", r"noise=\(1, -2\)\): must be >= 0"),
        ("quadratics(start=x)", r"Quadratics\(start='x'\): must be a finite number"),
        ("quadratics(condition=0.5)", r"quadratic_family\(condition=0.5\): must be in \[1, 1e6\]"),
    ],
)
def test_families_are_checked_at_the_door(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_family(text)


def test_what_theory_has_no_form_of_is_refused() -> None:
    with pytest.raises(ValueError, match=r"simulate\(model='mlp'\): expected softmax-regression"):
        simulated(replace(CONFIG, model="mlp"), make_rule("uniform"))
    with pytest.raises(ValueError, match=r"simulate\(floor='best-seen'\)"):
        simulated(replace(CONFIG, floor="best-seen"), make_rule("uniform"))


def test_scaffold_takes_whole_gradients_where_no_optimum_is_known() -> None:
    """Option I asks for ∇Fₖ(x), which needs no optimum: l2 = 0 has none."""
    config = replace(CONFIG, l2=0.0, client="scaffold(option=I)", momentum=0.0)
    deep, convex = (play(config, make_rule("proportional")) for play in (run, simulated))
    assert convex is not None
    np.testing.assert_allclose(convex.model.numpy(), deep.model.numpy(), rtol=0, atol=1e-12)


def test_both_engines_hand_the_rate_of_the_round_to_rules_that_read_it() -> None:
    config = replace(FAMILY, n_rounds=3, local_lr=0.2, lr_decay=0.5)
    seen: list[list[float]] = []

    class Reader:
        needs = ("step_size",)

        def __call__(self, stats: Any) -> Any:
            seen.append(np.asarray(stats.need("step_size", "Reader"), dtype=float).tolist())
            return make_rule("proportional")(stats)

    simulated(config, Reader(), family=Quadratics(dim=3))
    assert [row[0] for row in seen] == pytest.approx([0.2, 0.1, 0.05])
    assert all(len(row) == config.n_clients and len(set(row)) == 1 for row in seen)
    short = replace(CONFIG, n_rounds=2, local_lr=0.2, lr_decay=0.5)
    for play in (simulated, run):
        seen.clear()
        play(short, Reader())
        assert [row[0] for row in seen] == pytest.approx([0.2, 0.1]), play
    both = [play(short, make_rule("bound-optimal(horizon=9)")) for play in (simulated, run)]
    first, second = (np.asarray(found.history[1].weights) for found in both if found is not None)
    assert first.sum() == pytest.approx(1)
    assert first == pytest.approx(second, abs=1e-4)
