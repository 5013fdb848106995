"""Rounds for rules and for their plain loops, and whether the two agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.theory.plain_rules import RULES, PlainRound, PlainRule
from theory import RoundStats, aggregate, make_rule
from theory.base.streams import stream
from theory.rules import AnyRule

__all__ = ["SETTINGS", "agree", "fast_rule", "plain_rule", "rounds_of", "steps_apart"]

# Settings with values, so that no default hides a letter; rules inside are (name, settings).
SETTINGS: dict[str, dict[str, Any]] = {
    "exp-alpha": {"alpha": 0.7},
    "fed-soft-worse": {"temperature": 0.6},
    "fed-soft-better": {"temperature": 0.6},
    "power-of-choice": {"d": 3, "m": 2},
    "q-fed-avg": {"q": 1.5, "lipschitz": 3.0},
    "fed-disco": {"a": 0.2, "b": 0.05},
    "fed-mgda-plus": {"epsilon": 0.2},
    "fed-ssa": {"n_steps": 8},
    "fed-ssa-sgd": {"epochs": 3, "batch_size": 2},
    "fed-ssa-warm": {"rule": ("fed-ssa", {"n_steps": 5})},
    "afl": {"step_size": 0.1, "when_zero": "share"},
    "bound-optimal": {"horizon": 30.0},
    "complete": {"rule": ("proportional", {})},
    "everyone": {"rule": ("exp-alpha", {"alpha": 0.7})},
    "sampled-by-weights": {"rule": ("exp-alpha", {"alpha": 0.7}), "n_sampled": 6},
    "switch": {"first": ("fed-soft-better", {"temperature": 0.6}), "then": ("uniform", {}), "at_round": 2},
    "anneal": {"first": ("with-memory", {"rule": ("uniform", {})}), "then": ("proportional", {}), "n_rounds": 3},
    "mix": {"first": ("exp-alpha", {"alpha": 0.7}), "second": ("proportional", {}), "share_of_first": 0.3},
    "with-memory": {"rule": ("proportional", {}), "alpha": 0.3},
    "with-clusters": {"rule": ("proportional", {}), "n_clusters": 2, "alpha": 0.3},
    "project": {"rule": ("fed-worse", {}), "onto": ("with-memory", {"rule": ("uniform", {})})},
    "fed-soft-better-avg": {"temperature": 0.6, "at_round": 2},
    "fed-soft-worse-avg": {"temperature": 0.6, "at_round": 2},
    "fed-avg-soft-worse": {"temperature": 0.6, "at_round": 2},
    "fed-avg-soft-better": {"temperature": 0.6, "at_round": 2},
    "fed-soft-better-avg-soft-worse": {"temperature": 0.6, "at_round": 1, "then_at_round": 2},
}
_EVERYONE = {"everyone", "fed-avg-full"}
_N, _DIM, _SAMPLES, _CLASSES = 5, 3, 4, 3


def rounds_of(name: str, seed: int, n_rounds: int = 4) -> list[RoundStats]:
    """Rounds of five clients, two of whom are absent after the first, all numbers different."""
    rng = stream(seed, "rule rounds")
    share = rng.dirichlet(np.full(_N, 3.0))
    found = []
    for r in range(n_rounds):
        present = np.ones(_N, bool)
        if r and name not in _EVERYONE:
            present[rng.permutation(_N)[:2]] = False
        losses = {key: rng.normal(size=_N) for key in ("loss_before", "loss_after", "loss_best")}
        outputs = {key: rng.exponential(size=(_SAMPLES, _N, _CLASSES)) for key in ("view_1", "view_2", "logits")}
        found.append(
            RoundStats(
                share=share,
                present=present,
                **losses,
                local_steps=rng.integers(0, 7, _N).clip(max=5).astype(float),
                planned_steps=np.full(_N, 5.0),
                effective_steps=rng.uniform(0, 5, _N),
                updates=rng.normal(size=(_N, _DIM)) + 1.0,
                round=r,
                signals={
                    **outputs,
                    "gradient_variance": rng.exponential(size=_N),
                    "step_size": np.full(_N, 0.3),
                    "label_counts": rng.exponential(size=(_N, _CLASSES)),
                },
            )
        )
    return found


def plain_round(stats: RoundStats) -> PlainRound:
    """The same round as lists."""

    def draw(purpose: str) -> Any:
        name, _, epoch = purpose.rpartition(" ")
        return stream(0, name, stats.round, int(epoch)) if epoch.isdigit() else stream(0, purpose, stats.round)

    given: Any = stats
    fields = ("share", "present", "loss_before", "loss_after", "loss_best")
    steps = ("local_steps", "effective_steps", "planned_steps")
    lists = [getattr(given, name).tolist() for name in (*fields, *steps)]
    return PlainRound(*lists, list(given.updates), dict(stats.signals), stats.round, draw)


def plain_rule(name: str, settings: Mapping[str, Any], loops: Mapping[str, Any] = RULES) -> PlainRule:
    """The plain loop of a rule with its settings; `KeyError` where it has none."""
    inner = {key: value for key, value in settings.items() if isinstance(value, tuple)}
    made = {key: plain_rule(*value, loops) for key, value in inner.items()}
    more = {"rule_settings": inner["rule"][1]} if "rule" in inner else {}
    found: PlainRule = loops[name]({**settings, **made, **more})
    return found


def fast_rule(name: str, settings: Mapping[str, Any]) -> AnyRule:
    """The rule of the registry with the same settings."""
    made = {key: fast_rule(*value) if isinstance(value, tuple) else value for key, value in settings.items()}
    return make_rule(name, **made)


def steps_apart(rule: AnyRule, plain: PlainRule, rounds: list[RoundStats]) -> tuple[float, float]:
    """(how far weights are apart at most, how far steps Σ aₖvₖ are), over the rounds."""
    state, weights_off, steps_off = None, 0.0, 0.0
    for stats in rounds:
        state, weights, vectors = aggregate(rule, state, stats)
        a, v = plain(plain_round(stats))
        weights_off = max(weights_off, float(np.abs(weights - np.asarray(a)).max()))
        step = sum(x * w for x, w in zip(a, v, strict=True))
        steps_off = max(steps_off, float(np.abs(weights @ vectors - step).max()))
    return weights_off, steps_off


def agree(name: str, rule: Callable[[], AnyRule], plain: Callable[[], PlainRule], *, by_step: bool = False) -> None:
    """`AssertionError` where a rule and its loop differ on one of three runs by more than rounding.

    Each run has a rule and a loop of its own, as loops keep what they remember. `by_step`: weights are not unique, or
    are not what the loop has, so that the step alone is compared.
    """
    for seed in range(3):
        weights_off, steps_off = steps_apart(rule(), plain(), rounds_of(name, seed))
        # Dozens of operations on numbers of size one, in another order; the learning of weights takes hundreds.
        allowed = 1e-8 if "ssa" in name else 1e-10
        assert steps_off < allowed, f"{name}: steps differ by {steps_off:.3g} in run {seed}"
        assert by_step or weights_off < allowed, f"{name}: weights differ by {weights_off:.3g} in run {seed}"
