"""The same rule objects side by side: in a convex federation and in a neural network, the same quantities per round.

Importing this module loads torch: only the command `compare` does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep.base.floor import Floor
from deep.metrics import ROUND_QUANTITIES, Quantity, Rounds, rounds_of
from deep.metrics import round_quantities as measured
from theory import (
    ExpAlpha,
    FedSoftWorse,
    FedWorse,
    MinNorm,
    Proportional,
    QuadraticFederation,
    SignNoise,
    Trajectory,
    UniformWithoutReplacement,
    global_loss,
    inverse_steps,
    simulate,
    stream,
)
from theory.rules import Rule, make_rule, own_rules
from theory.rules.protocol import AnyRule
from validation.report.both_worlds.variates import SAYS, variate_limits

__all__ = ["COMPARED_RULES", "QUANTITIES", "compare", "demonstration_federation", "round_quantities"]

__judges__ = "no"

Float = NDArray[np.float64]

Compared = tuple[str, str, Rule]
COMPARED_RULES: tuple[Compared, ...] = (
    ("proportional", "FedAvg (proportional)", Proportional()),
    ("exp-alpha", "Exp-α (α = 0.2)", ExpAlpha(alpha=0.2)),
    ("fed-soft-worse", "FedSoftWorse (T = 0.2)", FedSoftWorse(temperature=0.2)),
    ("fed-worse", "FedWorse", FedWorse()),
    ("min-norm", "MinNorm (no memory)", MinNorm()),
)

_SOLVED = Floor("solved", "Fₖ* and w* are solved", (), ())  # what the deep side rests on, whatever its numbers
_L2 = 0.01
_SHOWN = (
    "gamma_minus_omega",
    "skew_at_model",
    "skew_at_optimum",
    "chi_square",
    "weight_discrepancy",
    "update_diversity",
)
_QUANTITIES = tuple(q for key in _SHOWN for q in ROUND_QUANTITIES if q.key == key)


def _described(quantity: Quantity) -> dict[str, Any]:
    return {
        "key": quantity.key,
        "title": quantity.title,
        "unit": quantity.unit,
        "says": f"{quantity.says} ({quantity.source}).",
        "log": False,
        "estimate": {"convex": False, "deep": quantity.why_estimate(floor=_SOLVED) is not None},
        "why_estimate": quantity.why_estimate(floor=_SOLVED),
    }


QUANTITIES: tuple[dict[str, Any], ...] = tuple(_described(q) for q in _QUANTITIES)


def round_quantities(
    *,
    share: Float,
    present: NDArray[np.bool_],
    weights: Float,
    loss_before: Float,
    loss_best: Float,
    loss_at_optimum: Float,
    gram: Float,
) -> dict[str, list[float | None]]:
    """Every quantity of `QUANTITIES` for all rounds at once; rounds on the first axis, None where undefined."""
    cohort = np.where(present, np.arange(share.shape[-1]), -1)
    rounds = Rounds(share, present, weights, loss_before, loss_best, loss_at_optimum, cohort, gram)
    return measured(rounds, _QUANTITIES)


def demonstration_federation(seed: int) -> QuadraticFederation:
    """Ten quadratic clients in five dimensions: condition number about 10, distinct optima, unequal shares."""
    rng = stream(seed, "compare/federation")
    n_clients, dim = 10, 5
    spectrum = 10.0 ** rng.uniform(-0.5, 0.5, size=(n_clients, dim))
    turn = np.linalg.qr(rng.normal(size=(n_clients, dim, dim)))[0]
    curvature = turn @ (spectrum[..., None] * turn.swapaxes(-1, -2))
    share = rng.dirichlet(np.full(n_clients, 3.0))
    centers = 0.7 * rng.normal(size=(n_clients, dim))
    return QuadraticFederation(0.5 * (curvature + curvature.swapaxes(-1, -2)), centers, np.zeros(n_clients), share)


def compare(
    *, seed: int = 0, n_rounds: int = 40, rules: Sequence[str] = (), tick: Callable[..., None] | None = None
) -> dict[str, Any]:
    """Run the compared rules convex and deep with the same seed; a JSON-ready table for the side-by-side page.

    These are five of ours, those that entry points bring (`theory.base.parts`), and `rules`, in the words of
    `make_rule`, such as "package.module:name(setting=2)". Of the latter two, one that fails in either world is left
    out, with a line on stderr. Raises `ValueError` for a rule that cannot be made.

    Its "limits" say of SCAFFOLD, FedDyn and FedDC that the weights of their means decide where they go, not the rule.
    """
    if n_rounds < 2:
        raise ValueError(f"compare(n_rounds={n_rounds}): must be >= 2")
    from deep.config.seeded_rule import rule_of_run

    advance = tick or (lambda *_: None)
    federation = demonstration_federation(seed)
    compared = (*COMPARED_RULES, *_own(federation, seed, [(text, rule_of_run(text, {}, seed)) for text in rules]))
    step = 1 / (2 * len(compared))
    convex = []
    for name, title, rule in compared:
        convex.append(_convex_run(federation, name, title, rule, seed, n_rounds))
        advance(step, f"convex: {title}")
    deep, says, provenance = _deep_runs(compared, seed, n_rounds, lambda title: advance(step, f"deep: {title}"))
    return {
        "limits": {"says": SAYS, "rows": variate_limits(federation)},
        "provenance": provenance,
        "seed": seed,
        "quantities": [dict(q) for q in QUANTITIES],
        "sides": {
            "convex": {
                "title": "Convex federation",
                "says": f"10 quadratic clients in 5 dimensions, 5 present per round, 10 local steps, {n_rounds} "
                "rounds, bounded gradient noise; F*, Fₖ* and w* are exact.",
                "rules": convex,
            },
            "deep": {
                "title": "Softmax regression on handwritten digits",
                "says": says,
                "rules": deep,
            },
        },
    }


def _own(federation: QuadraticFederation, seed: int, named: Sequence[tuple[str, AnyRule]]) -> list[Compared]:
    """The rules of entry points and those `named`, each once, that play two rounds in both worlds."""
    from deep import RunConfig, run

    entries, faults = own_rules()
    makers: dict[str, Callable[[], Any]] = {entry.name: partial(make_rule, entry.name) for entry in entries}
    makers |= {text: lambda rule=rule: rule for text, rule in named}  # type: ignore[misc]
    found = []
    for name, make in makers.items():
        try:
            rule = make()
            _convex_run(federation, name, name, rule, seed, 2)
            run(RunConfig(n_rounds=2, seed=seed, l2=_L2, floor="zero"), rule)
            found.append((name, name, rule))
        except Exception as error:  # code of somebody else's: whatever it raises costs its own row only
            line = " ".join(str(error).split())
            faults.append(f"rule {name!r}: in the comparison it raised {type(error).__name__}: {line}")
    for fault in faults:
        print(f"fedverdict: {fault}", file=sys.stderr)
    return found


def _convex_run(
    federation: QuadraticFederation, name: str, title: str, rule: Rule, seed: int, n_rounds: int
) -> dict[str, Any]:
    constants = federation.constants()
    mu, L = float(np.asarray(constants.mu)), float(np.asarray(constants.L))
    share, floor = np.asarray(federation.share), np.asarray(federation.floor)
    n_local_steps = 10
    steps = inverse_steps(2 / mu, 8 * L / mu, n_rounds * n_local_steps)
    run: Trajectory = simulate(
        federation,
        rule,
        start=np.full(federation.dim, 1.0),
        step_sizes=steps,
        n_local_steps=n_local_steps,
        noise=SignNoise((0.3,) * federation.n_clients),
        participation=UniformWithoutReplacement(5),
        seed=seed,
        record=("models", "weights", "losses", "updates"),
    )
    best = federation.optimum()
    updates = run.updates * run.present[..., None]
    series: dict[str, list[float | None]] = round_quantities(
        share=np.broadcast_to(share, run.weights.shape),
        present=run.present,
        weights=run.weights,
        loss_before=run.loss_before,
        loss_best=np.broadcast_to(floor, run.weights.shape),
        loss_at_optimum=np.broadcast_to(federation.losses(best[None, :]), run.weights.shape),
        gram=updates @ updates.swapaxes(-1, -2),
    )
    gap = [float(global_loss(federation, w) - global_loss(federation, best)) for w in run.models[:-1]]
    loss = [float(global_loss(federation, w)) for w in run.models[:-1]]
    status = "finished" if int(run.diverged) < 0 else "diverged"
    return _run(name, title, {**series, "gap": gap, "loss": loss}, run.weights, run.present, share, status)


def _deep_runs(
    compared: Sequence[tuple[str, str, Rule]], seed: int, n_rounds: int, done: Callable[[str], None]
) -> tuple[list[dict[str, Any]], str, dict[str, Any]]:
    """The deep side. All runs share data, partition, cohorts, start and the solved w* and Fₖ* of one task."""
    from deep import RunConfig, run

    config = RunConfig(n_rounds=n_rounds, seed=seed, l2=_L2)
    results = []
    with TemporaryDirectory() as references:  # solved once for all of them
        for _, title, rule in compared:
            results.append(run(config, rule, references=references))
            done(title)
    tables = []
    for (name, title, _), result in zip(compared, results, strict=True):
        rounds = rounds_of(result.history, floor=result.floor)
        series: Mapping[str, list[float | None]] = measured(rounds, _QUANTITIES)
        extra = {
            "loss": [record.train_loss for record in result.history],
            "accuracy": [record.test_accuracy for record in result.history],
        }
        status = "finished" if result.status == "completed" else "diverged"
        share = np.asarray(result.share)
        tables.append(_run(name, title, {**series, **extra}, rounds.weights, rounds.present, share, status))
    says = (
        f"A demonstration: 1,797 images of 8 × 8 pixels, {config.n_clients} clients, "
        f"{config.partition}, {config.n_sampled} present per round, {config.n_local_steps} local steps, "
        f"{n_rounds} rounds, l2 = {_L2:g}. {results[0].floor.says}. It reproduces no published table."
    )
    return tables, says, dict(results[0].provenance)


def _run(
    name: str, title: str, series: Mapping[str, Any], weights: Float, present: Any, share: Float, status: str
) -> dict[str, Any]:
    return {
        "rule": name,
        "title": title,
        "rounds": list(range(len(weights))),
        "series": dict(series),
        "weights": np.asarray(weights).tolist(),
        "present": np.asarray(present).tolist(),
        "share": np.asarray(share).tolist(),
        "status": status,
    }
