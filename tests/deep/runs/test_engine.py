from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace

import numpy as np
import pytest
import torch

from deep import RoundRecord, RunConfig, make_model, run
from deep.data import digits, split
from deep.partition import dirichlet_partition
from deep.storage.record import untimed as without_times
from theory import (
    ExpAlpha,
    FedSoftWorse,
    FedWorse,
    MinNorm,
    Proportional,
    RoundStats,
    UniformWithoutReplacement,
    aggregate,
    stream,
)
from theory.minnorm import certificate
from theory.rules import EFL

SHORT = RunConfig(n_rounds=4, n_local_steps=5, seed=3)
WEIGHTED = [Proportional(), ExpAlpha(0.2), ExpAlpha(0.1, data_size=True), FedSoftWorse(0.2), FedWorse()]


def untimed(result):
    """The records as dictionaries without the fields that may differ."""
    return [{n: value for n, value in asdict(r).items() if not n.startswith("seconds")} for r in result.history]


@pytest.mark.parametrize("model", ["softmax-regression", "small-cnn"])
def test_the_same_seed_gives_the_same_run(model):
    config = replace(SHORT, model=model)
    torch.manual_seed(1)
    first = run(config, FedSoftWorse(0.2))
    torch.manual_seed(2)
    state = torch.get_rng_state()
    again = run(config, FedSoftWorse(0.2))
    assert torch.equal(torch.get_rng_state(), state)
    assert untimed(first) == untimed(again)
    assert torch.equal(first.model, again.model)
    assert untimed(first) != untimed(run(replace(config, seed=4), FedSoftWorse(0.2)))


def test_rules_share_partition_cohorts_start_and_batches():
    one, other = run(SHORT, Proportional()), run(SHORT, FedWorse())
    assert one.partition_counts == other.partition_counts
    assert one.share == other.share
    assert [r.present for r in one.history] == [r.present for r in other.history]
    law = UniformWithoutReplacement(SHORT.n_sampled)
    assert [r.present for r in one.history] == [law.cohort(SHORT.seed, r, SHORT.n_clients).tolist() for r in range(4)]
    first, second = one.history[0], other.history[0]
    assert first.loss_before == second.loss_before
    assert first.loss_after == second.loss_after
    assert first.gram == second.gram
    assert first.weights != second.weights


@pytest.mark.parametrize("rule", WEIGHTED, ids=repr)
def test_the_recorded_weights_are_the_rule_of_the_recorded_stats(rule):
    result = run(SHORT, rule)
    for record in result.history:
        stats = RoundStats(
            share=np.array(result.share),
            present=np.array(record.present),
            loss_before=np.array(record.loss_before),
            loss_after=np.array(record.loss_after),
            loss_best=np.array(record.loss_best),
            updates=np.zeros((len(result.share), 1)),
            round=record.round,
        )
        _, weights, _ = aggregate(rule, None, stats)
        # Same formula on the same float64 numbers: only exp may round differently in torch and NumPy.
        np.testing.assert_allclose(record.weights, weights, rtol=0, atol=1e-12)


def test_min_norm_weights_are_certified_by_the_recorded_gram():
    for record in run(SHORT, MinNorm()).history:
        here = np.flatnonzero(record.present)
        _, _, kkt = certificate(np.array(record.gram), np.array(record.weights)[here])
        assert kkt <= 1e-6  # what MinNorm itself asks for


def test_a_record_is_consistent_in_itself():
    result = run(replace(SHORT, floor="best-seen"), FedSoftWorse(0.2))
    best = np.full(SHORT.n_clients, np.inf)
    for index, r in enumerate(result.history):
        present, before, after = np.array(r.present), np.array(r.loss_before), np.array(r.loss_after)
        gram, weights = np.array(r.gram), np.array(r.weights)
        assert r.round == index
        # Of earlier rounds and the broadcast model: this round's own models do not decide its weights.
        assert r.loss_best == np.minimum(best, before).tolist()
        best = np.minimum(best, np.minimum(before, after))
        assert present.sum() == SHORT.n_sampled
        assert np.all(after[~present] == before[~present])
        assert np.all(after[present] < before[present])  # five small steps on a convex loss
        assert np.all(weights[~present] == 0)
        assert gram.shape == (SHORT.n_sampled, SHORT.n_sampled)
        assert np.all(np.diag(gram) > 0)
        assert r.train_loss == pytest.approx(np.dot(result.share, before), rel=1e-14)  # order of a sum of ten
        assert r.update_norm == pytest.approx(
            math.sqrt(weights[present] @ gram @ weights[present]), rel=1e-12
        )  # float64 throughout
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))["history"][0]
    assert written == without_times(result.history[0].to_dict())
    assert RoundRecord.from_dict(json.loads(json.dumps(result.history[0].to_dict()))) == result.history[0]


@pytest.mark.parametrize("gram", [[], [[1.0]], [[1.0, 0.0]] * 5, [[0.0] * 10] * 10])
def test_a_record_with_a_gram_matrix_of_other_clients_is_refused(gram):
    written = run(replace(SHORT, n_rounds=1), FedSoftWorse(0.2)).history[0].to_dict()
    with pytest.raises(ValueError, match="not 5 rows of 5, the clients present"):
        RoundRecord.from_dict({**written, "gram": gram})


def test_the_best_round_is_that_of_the_lowest_train_loss():
    result = run(SHORT, Proportional())
    losses = [0.9, 0.2, 0.2, 0.5]
    history = tuple(replace(r, train_loss=loss) for r, loss in zip(result.history, losses, strict=True))
    result = replace(result, history=history)
    assert result.best_round == 1
    assert result.best_model_losses == history[1].loss_before


def numpy_softmax_loss_and_gradient(w, x, y):
    """Mean cross-entropy and its gradient of logits = x Wᵀ + b; w holds W row by row, then b; float64."""
    scores = x @ w[:640].reshape(10, 64).T + w[640:]
    scores -= scores.max(axis=1, keepdims=True)
    log_probability = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    error = np.exp(log_probability)
    error[np.arange(len(y)), y] -= 1
    gradient = np.concatenate([(error.T @ x).ravel(), error.sum(axis=0)]) / len(y)
    return -log_probability[np.arange(len(y)), y].mean(), gradient


def test_one_round_of_fedavg_matches_a_plain_reimplementation():
    config = RunConfig(n_rounds=1, n_clients=6, n_sampled=4, n_local_steps=7, batch_size=20, local_lr=0.3, seed=11)
    result = run(replace(config, server_lr=0.5), Proportional())
    data = split(digits(), config.seed)
    x, y = data.train.images.numpy().reshape(-1, 64).astype(float), data.train.labels.numpy()
    parts = dirichlet_partition(y, 6, 0.3, config.seed, 8)
    start = make_model("softmax-regression", data.train, config.seed)[1].numpy().astype(float)
    cohort = np.flatnonzero(UniformWithoutReplacement(4).cohort(config.seed, 0, 6))
    total, new = sum(len(parts[k]) for k in cohort), start.copy()
    for k in cohort:
        w, rng = start.copy(), stream(config.seed, "batch", 0, k)
        for _ in range(config.n_local_steps):
            batch = parts[k][rng.choice(len(parts[k]), min(20, len(parts[k])), replace=False)]
            w -= config.local_lr * numpy_softmax_loss_and_gradient(w, x[batch], y[batch])[1]
        new += 0.5 * len(parts[k]) / total * (w - start)
        before, after = (numpy_softmax_loss_and_gradient(v, x[parts[k]], y[parts[k]])[0] for v in (start, w))
        # Float32 in the engine, float64 here: seven steps keep the distance near 1e-6.
        assert result.history[0].loss_before[k] == pytest.approx(before, abs=1e-5)
        assert result.history[0].loss_after[k] == pytest.approx(after, abs=1e-5)
    assert np.abs(new - start).max() > 0.01
    np.testing.assert_allclose(result.model.numpy(), new, rtol=0, atol=1e-5)
    right = (x_test := data.test.images.numpy().reshape(-1, 64)) @ new[:640].reshape(10, 64).T + new[640:]
    assert len(x_test) == 269
    accuracy = np.mean(right.argmax(axis=1) == data.test.labels.numpy())
    assert result.history[0].test_accuracy == pytest.approx(accuracy, abs=1.5 / 269)  # one tie may fall otherwise


@pytest.mark.parametrize(("model", "n_rounds"), [("softmax-regression", 10), ("small-cnn", 4)])
def test_fedavg_with_everyone_learns_the_digits(model, n_rounds):
    config = RunConfig(model=model, n_sampled=10, n_rounds=n_rounds, n_local_steps=20, local_lr=0.3)
    result = run(config, Proportional())
    assert result.status == "completed"
    assert result.history[-1].test_accuracy > 0.9
    assert result.history[-1].validation_accuracy > 0.9
    assert result.history[-1].train_loss < 0.5 * result.history[0].train_loss


def test_a_huge_local_step_ends_as_diverged_before_its_first_record():
    result = run(replace(SHORT, local_lr=1e38), Proportional())
    assert (result.status, result.history, result.best_round) == ("diverged", (), None)
    assert result.best_model_losses is None
    assert bool(result.model.isfinite().all())


@dataclass(frozen=True)
class Turns:
    """All weight on client 0, then 1, then 2, …, whoever is present; the memory is whose turn it is."""

    def step(self, state, stats):
        turn = 0 if state is None else state
        weights = torch.zeros_like(stats.share)
        weights[turn] = 1.0
        return turn + 1, weights, stats.updates


def test_a_rule_with_memory_gets_its_state_back():
    assert [r.weights.index(1.0) for r in run(SHORT, Turns()).history] == [0, 1, 2, 3]


@dataclass(frozen=True)
class Exploding:
    """Combines ordinary updates, until round `at` makes them too large for float32."""

    at: int

    def step(self, state, stats):
        return None, stats.share, stats.updates.double() * (1e60 if stats.round == self.at else 1.0)


def test_a_run_that_diverges_late_keeps_its_finite_history():
    result = run(SHORT, Exploding(at=2))
    assert (result.status, len(result.history)) == ("diverged", 2)
    assert torch.equal(result.model, run(replace(SHORT, n_rounds=2), Exploding(at=2)).model)
    json.dumps(result.to_dict(), allow_nan=False)


@dataclass(frozen=True)
class Spoilt:
    """Returns what it was built with, whatever the round."""

    weights: object

    def __call__(self, stats):
        return self.weights


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (torch.full((10,), torch.nan, dtype=torch.float64), "round 0: contains NaN"),
        (torch.full((10,), 0.2, dtype=torch.float64), "sums differ from 1"),
        (torch.full((9,), 1 / 9, dtype=torch.float64), r"shape torch.Size\(\[9\]\)"),
        (np.full(10, 0.1), "ndarray"),
        (torch.full((10,), 0.1, dtype=torch.float64), r"clients \[.*\] are absent; expected 0"),
    ],
)
def test_a_rule_with_bad_weights_is_named(weights, message):
    with pytest.raises(ValueError, match=r"weights of Spoilt\(") as caught:
        run(SHORT, Spoilt(weights))
    caught.match(message)


@dataclass(frozen=True)
class Narrow:
    """Combines vectors of another model."""

    def step(self, state, stats):
        return None, stats.share, stats.updates[:, 1:]


def test_vectors_of_another_size_are_named():
    with pytest.raises(ValueError, match=r"vectors of Narrow\(\) in round 0: Tensor of shape \(10, 649\); expected"):
        run(SHORT, Narrow())


@pytest.mark.parametrize("rule", ["proportional", Proportional])
def test_what_is_no_rule_is_refused_before_work(rule, monkeypatch):
    monkeypatch.setattr("deep.runs.engine.make_task", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(ValueError, match=r"run\(rule=.*expected a rule, such as Proportional"):
        run(SHORT, rule)


@pytest.mark.parametrize("device", ["meta", "cpuu", None, "cuda:99"])
def test_a_device_that_cannot_be_used_is_refused(device):
    with pytest.raises(ValueError, match=f"device={device!r}"):
        run(SHORT, Proportional(), device=device)


def test_a_partition_that_cannot_be_made_is_refused():
    with pytest.raises(ValueError, match="needs 1300 samples, has 1258"):
        run(replace(SHORT, partition="dirichlet(beta=0.3, min_size=130)"), Proportional())


def test_provenance_says_where_the_numbers_come_from():
    origin = run(replace(SHORT, n_rounds=1), Proportional()).provenance
    assert origin["seed"] == SHORT.seed
    assert origin["config"] == asdict(replace(SHORT, n_rounds=1))
    assert origin["torch"] == torch.__version__
    assert {"python", "numpy", "device", "threads", "git_commit"} <= set(origin)


def test_a_rule_with_a_declared_total_runs_off_the_simplex():
    # Whole cohorts that do one step each: EFL weights each client by E·p/1, five times its share.
    result = run(replace(SHORT, n_local_steps=1, n_sampled=SHORT.n_clients), EFL(n_local_steps=5))
    assert [sum(r.weights) for r in result.history] == pytest.approx([5.0] * SHORT.n_rounds)
