"""Rules and rounds refuse what they cannot answer, each with call, value, range and what to try."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from theory import (
    AFL,
    SSA,
    Everyone,
    ExpAlpha,
    FedBetter,
    FedSoftBetter,
    FedWorse,
    Oracle,
    Proportional,
    RoundStats,
    Switch,
    WithMemory,
    aggregate,
    make_rule,
)
from theory.rules import (
    EFL,
    Anneal,
    Confidence,
    FedDisco,
    FedMGDAPlus,
    FedNova,
    InverseVariance,
    Mix,
    PowerOfChoice,
    Project,
    QFedAvg,
    SampledByWeights,
    Similarity,
    Uniform,
    fed_aware_na,
    fed_soft_better_avg,
    fed_soft_better_avg_soft_worse,
)

ONES = np.ones((2, 2, 3))
STATS = RoundStats(
    share=np.full(2, 0.5),
    present=np.ones(2, bool),
    loss_before=np.asarray([1.0, 2.0]),
    loss_after=np.zeros(2),
    loss_best=np.zeros(2),
    local_steps=np.asarray([5.0, 0.0]),
    effective_steps=np.asarray([5.0, 0.0]),
    planned_steps=np.asarray([5.0, 5.0]),
    updates=np.ones((2, 3)),
    signals={
        "view_1": ONES,
        "view_2": ONES,
        "logits": ONES,
        "gradient_variance": np.ones(2),
        "accuracy": np.asarray(0.5),
    },
)


def with_signal(name: str, value: Any) -> RoundStats:
    return replace(STATS, signals={**STATS.signals, name: value})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"present": np.zeros(2, bool)}, "cohort is empty; every batch element needs a client present"),
        ({"present": np.ones(2)}, r"present=…\): of type float64; expected booleans"),
        ({"local_steps": np.asarray([3.0, -1.0])}, r"local_steps=…\): -1 in round 0; expected counts >= 0"),
        ({"local_steps": np.asarray([np.nan, 1.0])}, r"local_steps=…\): .*expected counts >= 0"),
        ({"loss_before": np.asarray([1.0, np.nan])}, r"loss_before=…\): nan at index \(1,\)"),
        ({"loss_after": np.asarray([-np.inf, 1.0])}, r"loss_after=…\): -inf at index \(0,\)"),
        ({"updates": np.asarray([[1.0, np.inf], [0.0, 0.0]])}, r"updates=…\): NaN or infinity at index \(0,\)"),
        ({"updates": [np.ones(3), np.ones(2)]}, "updates=….*a list; expected one array.*shape of the model"),
        ({"updates": np.ones((3, 2))}, r"updates=…\): shape \(3, 2\); expected \(2,\) and the model's dimension"),
        ({"updates": np.ones(2)}, r"updates=…\): shape \(2,\)"),
        ({"share": [0.5, 0.5]}, "share=….*a list; expected one array"),
    ],
)
def test_rounds_at_the_door(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(STATS, **changes)


def test_an_absent_client_may_bring_anything_but_shapes() -> None:
    stats = replace(
        STATS,
        present=np.asarray([True, False]),
        loss_before=np.asarray([1.0, np.nan]),
        updates=np.asarray([[1.0, 0.0, 0.0], [np.nan] * 3]),
        local_steps=np.asarray([5.0, -7.0]),
        effective_steps=np.asarray([5.0, np.nan]),
        signals={"gradient_variance": np.asarray([1.0, -np.inf]), "view_1": ONES * [[1.0], [np.nan]], "view_2": ONES},
    )
    for text in (
        "proportional",
        "fed-worse",
        "efl",
        "fed-nova",
        "inverse-variance",
        "similarity",
        "fed-ssa",
        "power-of-choice",
    ):
        weights = make_rule(text)(stats)
        assert weights[1] == 0
        assert weights[0] > 0


@pytest.mark.parametrize(
    "rule",
    [
        Proportional(),
        FedWorse(inner="share"),
        FedSoftBetter(1.0),
        ExpAlpha(1.0, data_size=True),
        FedNova(),
        Oracle(),
        PowerOfChoice(2, 1),
        SSA(start="share"),
    ],
)
def test_all_zero_shares_among_the_present(rule: Any) -> None:
    stats = replace(STATS, share=np.asarray([1.0, 0.0]), present=np.asarray([False, True]))
    with pytest.raises(ValueError, match=rf"{type(rule).__name__}.*of all clients present are 0"):
        rule(stats)


MISSING = {
    "exp-alpha": "loss_before|loss_after",
    "fed-worse": "loss_before",
    "fed-better": "loss_before",
    "fed-soft-worse": "loss_before",
    "fed-soft-better": "loss_before",
    "oracle": "loss_before",
    "power-of-choice": "loss_before",
    "afl": "loss_before",
    "efl": "local_steps",
    "fed-nova": "effective_steps",
    "inverse-variance": "gradient_variance",
    "similarity": "view_1",
    "confidence": "logits",
    "fed-ssa": "view_1",
    "min-norm": "updates",
    "q-fed-avg": "loss_before",
    "fed-disco": "label_counts",
    "fed-mgda-plus": "updates",
    "fed-aware": "updates",
    "project": "updates",
    "switch(first=uniform, then=proportional, at_accuracy=0.5)": "accuracy",
}


@pytest.mark.parametrize("text", MISSING)
def test_what_a_rule_needs_and_a_round_lacks_is_named(text: str) -> None:
    bare = RoundStats(STATS.share, STATS.present)
    with pytest.raises(
        ValueError, match=rf"needs `({MISSING[text]})`, which this round does not carry.*give it as Round"
    ):
        aggregate(make_rule(text), None, bare)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: FedSoftBetter(0.0),
            r"FedSoftBetter\(temperature=0.0\): must be finite and > 0; for T = 0 use FedBetter",
        ),
        (lambda: FedSoftBetter("warm"), r"temperature='warm'"),  # type: ignore[arg-type]
        (lambda: FedWorse(k=0), r"FedWorse\(k=0\): must be an integer >= 1"),
        (lambda: FedWorse(k=0.1), r"for a fraction set of='all' or of='present'"),
        (lambda: FedBetter(k=1.5, of="all"), r"FedBetter\(k=1.5\): must be finite and > 0 and <= 1"),
        (lambda: FedBetter(of="some"), r"of='some'\): expected one of 'count', 'all', 'present'"),  # type: ignore[arg-type]
        (lambda: FedWorse(inner="p"), r"inner='p'\): expected one of 'uniform', 'share'"),  # type: ignore[arg-type]
        (lambda: PowerOfChoice(2, 3), r"PowerOfChoice\(d=2\): must be an integer >= 3; m are chosen among d"),
        (lambda: PowerOfChoice(2, 0), r"PowerOfChoice\(m=0\)"),
        (lambda: PowerOfChoice(2, 1, seed=-1), r"PowerOfChoice\(seed=-1\)"),
        (lambda: EFL(0), r"EFL\(n_local_steps=0\): must be an integer >= 1"),
        (lambda: EFL(2, when_zero="skip"), r"EFL\(when_zero='skip'\)"),  # type: ignore[arg-type]
        (lambda: QFedAvg(-1, 1), r"QFedAvg\(q=-1\): must be finite and >= 0; 0 is the plain mean"),
        (lambda: QFedAvg(1, 0), r"QFedAvg\(lipschitz=0\)"),
        (lambda: FedDisco(a=-1), r"FedDisco\(a=-1\)"),
        (lambda: FedDisco(metric="l1"), r"FedDisco\(metric='l1'\): expected one of 'l2', 'kl'"),  # type: ignore[arg-type]
        (lambda: FedMGDAPlus(epsilon=2), r"FedMGDAPlus\(epsilon=2\): must be finite and >= 0 and <= 1"),
        (lambda: FedNova(0), r"FedNova\(effective_steps=0\): must be finite and > 0; None takes the mean"),
        (lambda: Oracle(U="expo"), "did you mean 'exp'"),
        (lambda: Oracle(scale=-1), r"Oracle\(scale=-1\)"),
        (lambda: InverseVariance(floor=-1), r"InverseVariance\(floor=-1\): must be finite and >= 0"),
        (lambda: InverseVariance(signal=3), r"InverseVariance\(signal=3\)"),  # type: ignore[arg-type]
        (lambda: Similarity(when_negative="drop"), r"Similarity\(when_negative='drop'\)"),  # type: ignore[arg-type]
        (lambda: Confidence(predictions="probs"), r"Confidence\(predictions='probs'\)"),  # type: ignore[arg-type]
        (lambda: SSA(n_steps=-1), r"SSA\(n_steps=-1\): must be an integer >= 0"),
        (lambda: SSA(lambda_var=-1), r"SSA\(lambda_var=-1\)"),
        (lambda: AFL(step_size=float("inf")), r"AFL\(step_size=inf\): must be finite and > 0"),
        (lambda: WithMemory(Proportional(), alpha=1.5), r"WithMemory\(alpha=1.5\): must be finite and > 0 and <= 1"),
        (lambda: WithMemory(Proportional), "expected a rule, such as Proportional"),
        (lambda: WithMemory(3), r"WithMemory\(rule=3\): expected a rule"),  # type: ignore[arg-type]
        (lambda: Switch(Uniform(), Uniform()), "give exactly one of the two"),
        (lambda: Switch(Uniform(), Uniform(), at_round=-1), r"Switch\(at_round=-1\): must be an integer >= 0"),
        (lambda: Switch(Uniform(), Uniform(), at_accuracy=60), r"Switch\(at_accuracy=60\): .* <= 1; a fraction"),
        (lambda: Mix(Uniform(), Uniform(), 1.5), r"Mix\(share_of_first=1.5\): must be finite and >= 0 and <= 1"),
        (lambda: Anneal(Uniform(), Uniform(), 0), r"Anneal\(n_rounds=0\)"),
        (lambda: Anneal(Uniform(), Uniform(), schedule="lin"), "did you mean 'linear'"),
        (lambda: Anneal(Uniform(), Uniform(), schedule=lambda _: 2.0).share_of_then(3), r"schedule\(3\)=2.0"),
        (lambda: Project(Uniform(), EFL(3)), "its weights need not sum to 1"),
        (lambda: Project(Uniform(), when_zero="skip"), r"Project\(when_zero='skip'\)"),  # type: ignore[arg-type]
        (lambda: Everyone(AFL()), "expected a rule without memory"),
        (lambda: SampledByWeights(AFL(), 2), "expected a rule without memory"),
        (lambda: SampledByWeights(EFL(2), 2), "its weights need not sum to 1"),
        (lambda: SampledByWeights(Uniform(), 0), r"SampledByWeights\(n_sampled=0\): must be an integer >= 1"),
        (lambda: fed_aware_na(weights="p"), r"fed_aware_na\(weights='p'\)"),  # type: ignore[arg-type]
        (lambda: fed_soft_better_avg(anneal="linear", at_round=3), "annealing has no switch"),
        (
            lambda: fed_soft_better_avg_soft_worse(at_round=9, then_at_round=9),
            "second switch must come after the first",
        ),
    ],
)
def test_settings_out_of_range(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("rule", "stats", "message"),
    [
        (EFL(4), STATS, r"EFL\(n_local_steps=4\): local steps from 0 to 5 in round 0; expected 0 to n_local_steps"),
        (EFL(5, "error"), STATS, "finished no local step.*choose when_zero='zero'"),
        (FedDisco(), with_signal("label_counts", np.ones((3, 2))), r"shape \(3, 2\); expected \(2, 'n_classes'\)"),
        (FedDisco(), with_signal("label_counts", np.asarray([[1.0, -1.0], [1.0, 2.0]])), "not all >= 0 with one > 0"),
        (FedDisco(), with_signal("label_counts", np.asarray([[1.0, 1.0], [0.0, 0.0]])), "not all >= 0 with one > 0"),
        (FedDisco(a=9.0), with_signal("label_counts", np.asarray([[1.0, 0.0], [0.0, 1.0]])), "a smaller a or a larger"),
        (InverseVariance(), with_signal("gradient_variance", np.asarray([0.0, 1.0])), "has variance 0.*set floor > 0"),
        (InverseVariance(), with_signal("gradient_variance", np.asarray([-1.0, 1.0])), "from -1 to 1; expected finite"),
        (InverseVariance(), with_signal("gradient_variance", np.ones(3)), r"shape \(3,\); expected \(2,\)"),
        (Similarity(), with_signal("view_2", -ONES), "mean cosines down to -1; with predictions='softmax'"),
        (Similarity(when_negative="clip"), with_signal("view_2", -ONES), "mean cosines sum to 0 or less"),
        (Similarity(when_negative="as_printed"), with_signal("view_2", -ONES), "mean cosines sum to 0 or less"),
        (Similarity(), with_signal("view_1", 0 * ONES), "its cosine is undefined"),
        (
            Similarity(),
            with_signal("view_1", np.ones((2, 3, 3))),
            r"`view_1` of shape \(2, 3, 3\); expected \(n_samples, 2,",
        ),
        (Confidence(), STATS, "every output is constant over the classes; try Uniform"),
        (Confidence(), with_signal("logits", ONES * np.nan), "`logits` holds NaN or infinity"),
        (SSA(), with_signal("view_1", ONES * np.inf), "`view_1` holds NaN or infinity"),
        (Oracle(U="positive-part"), STATS, "U is 0 for all of them"),
        (Oracle(U=lambda x: x), STATS, "expected finite U >= 0"),
        (Oracle(U=lambda x: x[..., :1]), STATS, r"U gave shape \(1,\) for shape \(2,\)"),
        (
            Switch(Uniform(), Uniform(), at_accuracy=0.5),
            with_signal("accuracy", np.asarray(60.0)),
            r"fraction of \[0, 1\]",
        ),
        (
            Switch(Uniform(), Uniform(), at_accuracy=0.5),
            with_signal("accuracy", np.ones(2)),
            r"shape \(2,\); expected \(\)",
        ),
        (
            Everyone(Uniform()),
            replace(STATS, present=np.asarray([True, False])),
            "1 clients are absent in round 0; run it",
        ),
        (
            WithMemory(Uniform(), init="full-round"),
            replace(STATS, present=np.asarray([True, False])),
            "1 clients are absent in its first round.*choose init='seen' or 'zeros'",
        ),
        (Project(Proportional()), replace(STATS, updates=0 * np.ones((2, 3))), "choose when_zero='keep'"),
    ],
)
def test_rounds_a_rule_cannot_answer(rule: Any, stats: RoundStats, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        aggregate(rule, None, stats)


def test_afl_says_when_its_weights_have_left_the_cohort() -> None:
    with pytest.raises(ValueError, match=r"AFL, round 0: .*choose when_zero='share'"):
        AFL().step(np.asarray([1.0, 0.0]), replace(STATS, present=np.asarray([False, True])))


def test_memory_checks_the_losses_of_those_it_counts_again() -> None:
    rule = WithMemory(make_rule("fed-worse"))
    state, _, _ = rule.step(None, STATS)
    away = replace(STATS, present=np.asarray([True, False]), loss_before=np.asarray([1.0, np.nan]), round=1)
    with pytest.raises(ValueError, match=r"loss_before=…\): nan at index \(1,\) in round 1"):
        rule.step(state, away)
    WithMemory(Uniform()).step(state, away)  # which reads no loss
