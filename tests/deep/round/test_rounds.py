"""What a round does beyond FedAvg on a fixed population, against plain re-computation."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from deep import RunConfig, make_target, run
from deep.models import averaged_buffers, norm_mask, sample_losses, training_logits
from deep.partition import target_weights
from deep.round.play_round import first_state, play_round
from deep.task.evaluation import client_scores, sample_scores
from deep.task.setup import Setup
from deep.task.task import make_task, round_cohort
from theory import ExpAlpha, FedWorse, MinNorm, Proportional, stream
from theory.rules import EFL, Switch, make_rule

CPU = torch.device("cpu")
SHORT = RunConfig(n_rounds=3, n_clients=6, n_sampled=4, n_local_steps=3, seed=5)
RESNET = RunConfig(
    model="resnet-20", n_clients=3, n_sampled=2, n_rounds=2, n_local_steps=2, batch_size=8, local_lr=0.05
)


def same(one, other):
    parts = [
        {n: v for n, v in asdict(r).items() if not n.startswith("seconds")} for r in (*one.history, *other.history)
    ]
    return parts[: len(one.history)] == parts[len(one.history) :] and torch.equal(one.model, other.model)


def rounds(config, rule, task):
    """States and records of a run, one by one."""
    state = first_state(Setup.of(config), task)
    for _ in range(config.n_rounds):
        played = play_round(Setup.of(config, rule), task, state)
        assert played is not None
        yield state, *played
        state = played[0]


def test_an_epoch_shows_every_sample_once_and_counts_its_steps():
    config = replace(SHORT, n_local_steps=0, n_local_epochs=2, batch_size=20, n_rounds=1)
    task = make_task(Setup.of(config), CPU)
    ((state, _, record),) = rounds(config, Proportional(), task)
    cohort = round_cohort(Setup.of(config), task, 0)
    for slot in cohort.slots:
        client = cohort.clients[slot]
        assert record.local_steps[slot] == 2 * -(-len(client) // 20)
        vector, rng = state.model, stream(config.seed, "batch", 0, slot)
        for _ in range(2):
            order = torch.from_numpy(rng.permutation(len(client)))
            for batch in torch.split(order, 20):
                vector = vector.detach().requires_grad_()
                logits = task.model.logits(vector, task.pool.inputs[client.index[batch]])
                (slope,) = torch.autograd.grad(
                    sample_losses("cross-entropy", logits, client.targets[batch]).mean(), vector
                )
                vector = vector.detach() - config.local_lr * slope
        found, _ = client_scores(task.model, vector, task.buffers, task.pool, [client])
        assert record.loss_after[slot] == pytest.approx(float(found), rel=1e-5)  # float32 steps
    assert all(steps == 0 for slot, steps in enumerate(record.local_steps) if slot not in cohort.slots)


def test_the_learning_rate_decays_from_round_to_round():
    steady = run(replace(SHORT, server_lr=1e-9), Proportional())
    falling = run(replace(SHORT, server_lr=1e-9, lr_decay=0.5), Proportional())
    # The model hardly moves, and one step of SGD is linear in the rate: with several, nearly.
    for r, (a, b) in enumerate(zip(steady.history, falling.history, strict=True)):
        for k in np.flatnonzero(a.present):
            gained = (b.loss_before[k] - b.loss_after[k]) / (a.loss_before[k] - a.loss_after[k])
            assert gained == pytest.approx(0.5**r, rel=0.35)


def test_clients_made_anew_every_round_have_numbers_kinds_and_shares_of_their_own():
    config = replace(SHORT, cohort="composition(ratios=[1, 0.1], counts=[2, 3], size=60)", n_rounds=2)
    result = run(config, ExpAlpha(0.2))
    first, second = result.history
    assert (first.clients, second.clients) == ([0, 1, 2, 3, 4], [5, 6, 7, 8, 9])
    assert first.kinds == ["ratio=1"] * 2 + ["ratio=0.1"] * 3
    assert all(first.present)
    assert all(second.present)
    task = make_task(Setup.of(config), CPU)
    again = round_cohort(Setup.of(config), task, 1)
    assert_allclose(second.share, [len(c) / 300 for c in again.clients])
    held = [set(c.index.tolist()) for c in again.clients]
    assert held != [set(c.index.tolist()) for c in round_cohort(Setup.of(config), task, 0).clients]
    # Resampled clients have no past, and no reference.
    assert second.loss_best == [0.0] * 5
    assert result.partition_counts == [
        np.bincount(task.labels[c.index], minlength=10).tolist()
        for c in round_cohort(Setup.of(config), task, 0).clients
    ]
    assert same(result, run(config, ExpAlpha(0.2)))


def test_corrupted_clients_train_on_wrong_labels():
    config = replace(SHORT, cohort="flipped(n_clients=6, corruption=0.5, exact=true, size=60)", n_rounds=1)
    task = make_task(Setup.of(config), CPU)
    cohort = round_cohort(Setup.of(config), task, 0)
    wrong = [float((c.targets != task.targets[c.index]).double().mean()) for c in cohort.clients]
    assert sorted(wrong) == [0.0] * 3 + [1.0] * 3
    assert [c.kind for c in cohort.clients] == ["flipped=1" if share else "clean" for share in wrong]


def test_what_is_not_measured_is_none_and_the_model_is_the_same():
    everything = run(SHORT, Proportional())
    present = run(replace(SHORT, losses="present"), Proportional())
    nothing = run(replace(SHORT, losses="none", evaluate_every=2), Proportional())
    assert torch.equal(everything.model, nothing.model)
    assert torch.equal(everything.model, present.model)
    for full, some, none in zip(everything.history, present.history, nothing.history, strict=True):
        here = np.array(full.present)
        for name in ("loss_before", "loss_after", "client_accuracy"):
            wanted, got = getattr(full, name), getattr(some, name)
            assert got == [value if there else None for value, there in zip(wanted, here, strict=True)]
            assert getattr(none, name) == [None] * 6
        assert (full.train_loss is not None, some.train_loss, none.train_loss) == (True, None, None)
        assert full.weights == some.weights == none.weights
    assert [r.test_loss is None for r in nothing.history] == [True, False, False]
    assert [r.validation_accuracy is None for r in nothing.history] == [True, False, False]
    assert nothing.history[1].test_accuracy == everything.history[1].test_accuracy
    assert nothing.best_round is None
    assert nothing.best_model_losses is None


def test_a_rule_that_reads_losses_is_refused_at_the_door_when_none_are_measured(monkeypatch):
    monkeypatch.setattr("deep.runs.engine.make_task", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(ValueError, match=r"losses='none', rule=ExpAlpha\(.*reads loss_before, loss_after; expected"):
        run(replace(SHORT, losses="none"), ExpAlpha(0.2))


def test_a_rule_that_does_not_read_updates_is_not_shown_their_zero_rows():
    seen = []

    class Watching(Proportional):
        def __call__(self, stats):
            seen.append(stats.updates)
            return super().__call__(stats)

    watched = run(SHORT, Watching())
    assert seen == [None] * 3
    assert torch.equal(watched.model, run(SHORT, Proportional()).model)
    assert run(SHORT, MinNorm()).history[0].weights != watched.history[0].weights


def test_running_statistics_are_averaged_with_the_weights():
    task = make_task(Setup.of(RESNET), CPU)
    for state, new, record in rounds(RESNET, Proportional(), task):
        cohort = round_cohort(Setup.of(RESNET), task, record.round)
        after = state.buffers.repeat(3, 1)
        for slot in cohort.slots:
            client, own, vector = cohort.clients[slot], state.buffers, state.model
            rng = stream(RESNET.seed, "batch", record.round, slot)
            for _ in range(2):
                batch = torch.from_numpy(rng.choice(len(client), 8, replace=False))
                vector = vector.detach().requires_grad_()
                logits, own = training_logits(task.model, vector, task.pool.inputs[client.index[batch]], own)
                (slope,) = torch.autograd.grad(
                    sample_losses("cross-entropy", logits, client.targets[batch]).mean(), vector
                )
                vector = vector.detach() - 0.05 * slope
            after[slot] = own
        assert_allclose(new.buffers, averaged_buffers(torch.tensor(record.weights), after), rtol=1e-4, atol=1e-6)
        losses, _ = sample_scores(task.model, new.model, new.buffers, task.test.inputs, task.test.targets)
        assert record.test_loss == pytest.approx(float(losses.mean()), rel=1e-12)
    assert len(new.buffers) > 0
    assert not torch.equal(new.buffers, task.buffers)
    assert record.bytes_up == record.bytes_down == 2 * 4 * (len(task.start) + len(task.buffers))


def test_normalisation_that_stays_local_moves_at_its_client_alone():
    config = replace(RESNET, buffers="local", n_rounds=2)
    task = make_task(Setup.of(config), CPU)
    mask = norm_mask(task.model)
    for state, new, record in rounds(config, Proportional(), task):
        present = np.array(record.present)
        assert torch.equal(new.model[mask], task.start[mask])  # nobody sends these
        assert not torch.equal(new.model[~mask], state.model[~mask])
        for k in range(3):
            assert torch.equal(new.own[k], state.own[k]) != present[k]
            assert torch.equal(new.buffers[k], state.buffers[k]) != present[k]
        losses = []
        for k in range(3):
            vector = new.model.clone()
            vector[mask] = new.own[k]
            losses.append(
                sample_scores(task.model, vector, new.buffers[k], task.test.inputs, task.test.targets)[0].mean()
            )
        assert record.test_loss == pytest.approx(float(torch.stack(losses).mean()), rel=1e-12)
        assert record.bytes_up == 2 * 4 * int((~mask).sum())
        before = []
        for k, client in enumerate(task.population.clients):
            vector = state.model.clone()
            vector[mask] = state.own[k]
            before.append(float(client_scores(task.model, vector, state.buffers[k], task.pool, [client])[0]))
        assert record.loss_before == pytest.approx(before, rel=1e-12)


def test_local_normalisation_needs_clients_that_stay():
    with pytest.raises(ValueError, match=r"buffers='local', cohort='imbalanced'\): resampled clients"):
        run(replace(RESNET, buffers="local", cohort="imbalanced"), Proportional())


def test_a_run_with_statistics_resumes_to_the_same_numbers(tmp_path):
    for policy in ("averaged", "local"):
        config = replace(RESNET, buffers=policy, n_rounds=2, checkpoint_every=1, losses="none", evaluate_every=2)
        whole = run(config, Proportional())

        def stop(record):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(config, Proportional(), out=tmp_path / policy, on_round=stop)
        resumed = run(config, Proportional(), out=tmp_path / policy)
        assert same(whole, resumed)
        assert torch.equal(whole.buffers, resumed.buffers)


def test_accuracy_on_a_target_is_weighted_to_its_classes():
    config = replace(SHORT, target="exponential(rho=50)", n_rounds=1)
    plain, aimed = run(replace(config, target=""), Proportional()), run(config, Proportional())
    assert torch.equal(plain.model, aimed.model)
    task = make_task(Setup.of(config), CPU)
    shares = make_target("exponential(rho=50)").shares(np.array(aimed.partition_counts))
    weights = target_weights(task.test.targets.numpy(), shares)
    losses, right = sample_scores(task.model, aimed.model, task.buffers, task.test.inputs, task.test.targets)
    assert aimed.history[0].test_loss == pytest.approx(float(weights @ losses.numpy()))
    assert aimed.history[0].test_accuracy == pytest.approx(float(weights @ right.double().numpy()))
    assert aimed.history[0].test_loss != plain.history[0].test_loss


def test_real_valued_targets_are_trained_on_without_accuracies():
    config = RunConfig(
        dataset="synthetic-regression", model="linear-regression", partition="iid", n_rounds=4, local_lr=0.01
    )
    result = run(config, Proportional())
    assert result.history[-1].train_loss < result.history[0].train_loss
    assert result.history[-1].test_accuracy is None
    assert result.history[-1].client_accuracy == [None] * 10
    with pytest.raises(ValueError, match=r"target='uniform', dataset='synthetic-regression'\): real-valued targets"):
        run(replace(config, target="uniform"), Proportional())
    with pytest.raises(ValueError, match="the paper defines views of images only"):
        run(config, make_rule("fed-ssa"))
    with pytest.raises(ValueError, match="the rule reads an accuracy, and targets are real-valued"):
        run(config, make_rule("switch(first=fed-worse, then=proportional, at_accuracy=0.4)"))


@pytest.mark.parametrize("rule", [ExpAlpha(0.2), FedWorse(), MinNorm(), EFL(n_local_steps=3)], ids=repr)
@pytest.mark.parametrize("cohort", ["", "imbalanced(n_clients=4, size=60)"])
def test_rules_run_on_either_kind_of_cohort(rule, cohort):
    result = run(replace(SHORT, cohort=cohort), rule)
    assert result.status == "completed"
    assert len(result.history) == 3


def test_a_rule_with_memory_of_clients_runs_on_a_population():
    result = run(SHORT, make_rule("fed-aware"))
    assert result.status == "completed"
    assert sum(result.history[-1].weights) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["fed-aware", "afl", "mix(first=fed-aware, second=proportional, share_of_first=0.5)"])
def test_a_rule_that_remembers_clients_needs_clients_that_come_back(name):
    config = replace(SHORT, cohort="imbalanced(n_clients=4, size=60)")
    with pytest.raises(ValueError, match="the rule remembers clients, and these are resampled every round"):
        run(config, make_rule(name))
    population = replace(SHORT, cohort="population(partition=iid, n_clients=5, n_sampled=2)", n_rounds=1)
    assert run(population, make_rule(name)).history[0].clients == [0, 1, 2, 3, 4]


def test_seconds_are_told_apart():
    record = run(SHORT, Proportional()).history[0]
    assert set(record.seconds_of) == {"cohort", "training", "losses", "signals", "aggregation", "evaluation"}
    assert sum(record.seconds_of.values()) == pytest.approx(record.seconds)


@pytest.mark.parametrize("rule", ["similarity(predictions=softmax)", "confidence", "fed-ssa(n_steps=5)"])
def test_rules_that_look_at_outputs_get_them(rule):
    result = run(replace(SHORT, n_target_samples=40), make_rule(rule))
    assert result.status == "completed"
    weights = np.array([r.weights for r in result.history])
    assert_allclose(weights.sum(axis=1), 1.0)
    assert np.all((weights > 0) <= np.array([r.present for r in result.history]))
    assert len(np.unique(weights[0])) > 2
    with pytest.raises(ValueError, match=r"target_samples\(n=400\): the validation part has 270 samples"):
        run(replace(SHORT, n_target_samples=400), make_rule(rule))


def test_a_switch_reads_the_validation_accuracy_of_the_broadcast_model():
    config = replace(SHORT, n_rounds=6, n_local_steps=10, local_lr=0.3)
    rule = make_rule("switch(first=fed-worse, then=proportional, at_accuracy=0.4)")
    records = run(config, rule).history
    reached = next(r.round for r in records if r.validation_accuracy >= 0.4) + 1
    assert 0 < reached < 6
    for record in records:
        present, share = np.array(record.present), np.array(record.share)
        proportional = np.where(present, share, 0) / share[present].sum()
        assert np.allclose(record.weights, proportional) == (record.round >= reached)


def test_a_sample_has_no_gradient_of_its_own_in_a_batch():
    with pytest.raises(ValueError, match="normalises with the statistics of the batch"):
        run(replace(RESNET, model="resnet-20(norm=batch)"), make_rule("inverse-variance"))


def test_inverse_variance_reads_the_variance_of_sample_gradients():
    result = run(SHORT, make_rule("inverse-variance"))
    assert result.status == "completed"
    assert sum(result.history[0].weights) == pytest.approx(1.0)


def spoiling(monkeypatch, name, at, spoilt):
    """Replaces `deep.<name>` by itself with its answer changed, at its call number `at`."""
    module, function = name.rsplit(".", 1)
    real, calls = getattr(__import__(f"deep.{module}", fromlist=[function]), function), []

    def changed(*args):
        calls.append(None)
        return spoilt(real(*args)) if len(calls) == at + 1 else real(*args)

    monkeypatch.setattr(f"deep.{name}", changed)


@pytest.mark.parametrize("rule", ["proportional", "with-memory(rule=exp-alpha)"])
def test_an_infinite_loss_of_an_absent_client_is_divergence(monkeypatch, rule):
    task = make_task(Setup.of(SHORT), CPU)
    absent = round_cohort(Setup.of(SHORT), task, 1).present.tolist().index(False)

    def spoilt(found):
        found[0][absent] = torch.inf
        return found

    real = client_scores
    calls = []

    def changed(model, vector, buffers, pool, clients):
        calls.append(len(clients))
        found = real(model, vector, buffers, pool, clients)
        return spoilt(found) if calls.count(6) == 2 and len(clients) == 6 else found

    monkeypatch.setattr("deep.round.work.client_scores", changed)
    result = run(SHORT, make_rule(rule))
    assert (result.status, len(result.history)) == ("diverged", 1)


@pytest.mark.parametrize("call", [2, 3], ids=["validation", "test"])
def test_an_infinite_loss_of_the_server_is_divergence(monkeypatch, tmp_path, call):
    spoiling(monkeypatch, "round.normalisation.score", call, lambda score: replace(score, loss=float("nan")))
    result = run(SHORT, Proportional(), out=tmp_path)
    assert (result.status, len(result.history)) == ("diverged", 1)


def test_local_normalisation_that_is_not_finite_is_divergence(monkeypatch):
    config = replace(RESNET, buffers="local", losses="none", evaluate_every=5)
    mask = norm_mask(make_task(Setup.of(config), CPU).model)

    def trainer(model, start, buffers, *_):
        return torch.where(mask, torch.nan, start), buffers.clone()

    monkeypatch.setattr("deep.round.work.trainer_for", lambda *_, **__: trainer)
    result = run(config, Proportional())
    assert (result.status, result.history) == ("diverged", ())


@pytest.mark.parametrize(
    ("rule", "losses", "message"),
    [
        (
            "with-memory(rule=exp-alpha)",
            "present",
            r"reads loss_before, loss_after of remembered clients.*losses='all'",
        ),
        ("with-memory(rule=inverse-variance)", "all", "reads gradient_variance of remembered clients"),
        ("with-memory(rule=uniform, init=full-round)", "all", "its first round wants everyone; expected init='seen'"),
        ("fed-avg-full", "all", "n_sampled=4, n_clients=6, .*the rule wants everyone present"),
    ],
)
def test_rules_that_cannot_do_with_clients_absent_are_refused_at_the_door(monkeypatch, rule, losses, message):
    config = replace(SHORT, losses=losses, n_rounds=1)
    assert run(replace(config, n_sampled=6), make_rule(rule)).status == "completed"
    monkeypatch.setattr("deep.runs.engine.make_task", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(ValueError, match=message):
        run(config, make_rule(rule))
    with pytest.raises(ValueError, match="n_sampled=1, n_clients=2"):
        run(replace(config, n_sampled=6, cohort="population(partition=iid, n_clients=2, n_sampled=1)"), make_rule(rule))


def test_the_gram_matrix_is_of_the_clients_present():
    record = run(replace(SHORT, n_rounds=1), MinNorm()).history[0]
    gram = np.array(record.gram)
    assert gram.shape == (sum(record.present),) * 2 != (6, 6)
    assert_allclose(gram, gram.T)
    assert np.all(gram.diagonal() > 0)


NOBODY = RunConfig(n_clients=6, n_rounds=2, n_local_steps=3, participation="given-steps(steps=[[1,1,1,1,1,1]])")


@pytest.mark.parametrize("client", ["sgd", "scaffold(variates=rule)", "fed-cm(alpha=0.5, variates=rule)"])
@pytest.mark.parametrize("model", ["softmax-regression", "tests.deep.normed:net"])
def test_where_nobody_is_complete_the_model_stays_and_all_that_is_a_mean(model, client):
    config = replace(NOBODY, model=model, client=client, dtype="float64")
    task = make_task(Setup.of(config), CPU)
    begun = first_state(Setup.of(config), task)
    for state, after, record in rounds(config, make_rule("complete"), task):
        assert record.weights == [0] * 6
        assert torch.equal(after.model, state.model)
        assert torch.equal(after.buffers, task.buffers)
        assert all(torch.equal(after.broadcast[name], begun.broadcast[name]) for name in begun.broadcast)
        assert all(torch.equal(after.kept[name], begun.kept[name]) for name in begun.kept)


def test_messages_are_sent_where_nobody_is_complete_and_the_run_goes_on():
    steps = [[1, 1, 1, 1, 1, 1], [3, 3, 1, 3, 1, 3]]
    config = replace(NOBODY, participation=f"given-steps(steps={steps})", model="tests.deep.normed:net")
    config = replace(config, client="compressed(client=scaffold(variates=rule), keep_fraction=0.1)")
    task = make_task(Setup.of(config), CPU)
    (_, still, _), (_, moved, _) = rounds(config, make_rule("complete"), task)
    assert float(still.kept["residual"].abs().max()) > 0
    assert not torch.equal(moved.model, still.model)
    assert not torch.equal(moved.buffers, still.buffers)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_rule_with_memory_that_combines_the_updates_takes_the_sum_of_one_without(seed):
    config = RunConfig(model="mlp(hidden=[128])", partition="iid", n_sampled=10, n_rounds=4, n_local_steps=40)
    config = replace(config, local_lr=0.05, seed=seed, losses="present", floor="zero")
    assert same(run(config, Proportional()), run(config, Switch(Proportional(), FedWorse(), at_round=9)))
