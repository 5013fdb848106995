"""What a run would take: counts are those made by hand, bad input is refused as a run refuses it, nothing is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console

from deep import RunConfig, run
from deep.base.probe import probe
from deep.round.play_round import first_state
from deep.round.workload import data_bytes, vector_bytes, work_of
from deep.runs.estimate import Estimate, check_folder, estimate, estimate_table
from deep.task.setup import Setup
from deep.task.task import make_task, round_cohort
from theory import ExpAlpha, MinNorm, Proportional, Scheduled, WithMemory
from theory.rules import Confidence, InverseVariance
from theory.rules.combinators.presets import fed_aware

CPU = torch.device("cpu")
NORMED = "tests.deep.normed:net"
EPOCHS = {"model": NORMED, "n_local_steps": 0, "n_local_epochs": 1}  # 125 or 126 samples a client: 4 · 31 + 1, …
# 1797 digits of 64 pixels and 10 classes; 1258 for training, 270 and 269 kept by the server.
CONFIG = RunConfig(partition="iid", n_rounds=7, evaluate_every=3, n_local_steps=4, batch_size=16)


def test_the_parts_of_a_short_run() -> None:
    found = estimate(CONFIG, Proportional())
    assert found.samples == {"training": 1258, "validation": 270, "test": 269}
    assert (found.n_clients, found.n_present) == (10, 5)
    assert found.client_samples == {"min": 125, "median": 126, "max": 126}
    assert (found.n_parameters, found.n_buffers, found.model_bytes) == (650, 0, 2600)
    assert found.local_steps == 5 * 4
    assert (found.n_rounds, found.n_evaluations) == (7, 3)  # after rounds 3, 6 and 7
    forward = 2 * 64 * 10
    assert found.flops == {
        "training": 3 * forward * 5 * 4 * 16,
        "losses": forward * (1258 + 629),
        "evaluation": forward * (270 + 269),
    }
    assert set(found.seconds) == {"training", "losses", "evaluation", "aggregation"}
    assert all(value > 0 for name, value in found.seconds.items() if name != "aggregation")
    assert found.seconds["aggregation"] == 0
    assert found.total_seconds == sum(found.seconds.values())
    assert found.seconds["training"] == pytest.approx(7 * 4 * found.measured["local step of all present"])
    assert found.seconds["evaluation"] == pytest.approx(3 * 539 * found.measured["evaluation of a sample"])
    per_round = 1887 * found.measured["evaluation of a sample"]
    per_round += 5 * found.measured["own losses of a client beyond its samples"]
    assert found.seconds["losses"] == pytest.approx(7 * per_round)
    assert found.total_memory == sum(found.memory.values())
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["total_seconds"] == found.total_seconds
    assert again["total_memory"] == found.total_memory


@pytest.mark.parametrize("losses", ["present", "none"])
def test_losses_of_own_models_are_timed_where_a_round_asks_for_them(
    losses: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed: list[int] = []
    monkeypatch.setattr(import_module("deep.runs.estimate"), "own_scores", lambda *_: timed.append(1))
    estimate(replace(CONFIG, losses=losses), Proportional())
    assert bool(timed) is (losses == "present")


def test_memory_by_hand() -> None:
    found = estimate(CONFIG, MinNorm())
    pixels, labels = 4 * 64 * 1797, 8 * 1797
    held = 2 * 8 * 1258  # index and target of every sample, at its client
    assert found.memory["data"] == pixels + labels + held
    assert found.memory["model"] == 2 * 2600
    assert found.memory["updates"] == 5 * 2 * 2600
    assert found.memory["rule"] == 10 * 2600 + 2 * 10 * 5200  # float32 rows of all, and two float64 copies
    assert found.memory["server"] == (5 + 3) * 5200
    assert found.memory["clients"] == 0
    # Inputs and log-softmax of the 270 samples that are evaluated are more than a batch of 16 asks for.
    assert found.memory["activations"] >= 4 * 270 * 10 + 8 * 270 * 10
    assert found.memory["activations"] < 2**20
    assert estimate(CONFIG, Proportional()).memory["rule"] == 0
    remembers = estimate(CONFIG, WithMemory(Proportional())).memory
    assert (remembers["rule"], remembers["remembered"]) == (found.memory["rule"], 10 * 2600)


def test_what_is_remembered_is_counted_before_a_run() -> None:
    """FedAWARE by rows: ten rows, and two Gram matrices in float64; ×AWARE on last layers, on clusters, and watched."""
    rows, grams = 10 * 2600, 2 * 8 * 100
    aware = estimate(CONFIG, fed_aware()).memory
    assert (aware["rule"], aware["remembered"]) == (0, rows + grams)
    for server, expected in (
        ("rate", 0),
        ("aware", rows + grams),
        ("aware(watch=fed-aware)", 2 * (rows + grams)),
        ("aware(onto=with-clusters(rule=min-norm, n_clusters=2))", 2 * 2600),
    ):
        assert estimate(replace(CONFIG, server=server), Proportional()).memory["remembered"] == expected
    config = replace(CONFIG, model="mlp(hidden=[8])", server="aware(last_layers=1)")
    before = estimate(config, Proportional())
    assert before.memory["remembered"] == 10 * 4 * 90 + grams
    reported = run(config, Proportional()).history[-1].reported
    assert 4 * reported["aware_memory"] <= before.memory["remembered"]


def test_steps_and_epochs_of_unequal_clients() -> None:
    config = replace(
        CONFIG,
        partition="dirichlet(beta=0.3, min_size=8)",
        n_sampled=10,
        n_local_steps=0,
        n_local_epochs=2,
        losses="present",
    )
    task = make_task(Setup.of(config), CPU)
    work = work_of(Setup.of(config, Proportional()), task, round_cohort(Setup.of(config), task, 0))
    record = run(replace(config, n_rounds=1), Proportional()).history[0]
    assert work.steps == sum(record.local_steps)
    assert work.trained == 2 * 1258
    assert work.losses == 2 * 1258
    assert work.own_losses == 10
    none = work_of(
        Setup.of(replace(config, losses="none"), Proportional()), task, round_cohort(Setup.of(config), task, 0)
    )
    assert (none.losses, none.own_losses) == (0, 0)
    large = replace(config, batch_size=10_000)
    task = make_task(Setup.of(large), CPU)  # how many steps a client plans hangs on the size of its batches
    assert work_of(Setup.of(large, Proportional()), task, round_cohort(Setup.of(large), task, 0)).steps == 2 * 10
    steps = replace(large, n_local_epochs=0, n_local_steps=3)
    assert work_of(Setup.of(steps, Proportional()), task, round_cohort(Setup.of(steps), task, 0)).trained == 3 * 1258


def test_with_local_normalisation_every_client_is_evaluated() -> None:
    config = replace(CONFIG, model="resnet-18-group", dataset="digits", buffers="local")
    fixed = replace(CONFIG, buffers="local")
    task = make_task(Setup.of(CONFIG), CPU)  # the counts do not look at the model
    cohort = round_cohort(Setup.of(CONFIG), task, 0)
    assert work_of(Setup.of(fixed, Proportional()), task, cohort).evaluated == 10 * 539
    assert work_of(Setup.of(fixed, Proportional()), task, cohort).own_losses == 5 + 10
    assert work_of(Setup.of(replace(fixed, losses="present"), Proportional()), task, cohort).own_losses == 2 * 5
    assert vector_bytes(Setup.of(config, Proportional()), cohort, 1000, 10)["clients"] == 4 * 10 * 1010


def test_clients_made_anew() -> None:
    config = replace(CONFIG, cohort="imbalanced(n_clients=4, size=40)")
    found = estimate(config, Proportional())
    assert (found.n_clients, found.n_present) == (4, 4)
    assert found.client_samples == {"min": 40, "median": 40, "max": 40}
    assert found.flops["losses"] == 2 * 64 * 10 * 2 * 160
    task = make_task(Setup.of(config), CPU)
    assert data_bytes(task) == 4 * 64 * 1797 + 8 * 1797


def test_targets_and_weights_count_as_data() -> None:
    config = replace(CONFIG, target="exponential(rho=10)")
    plain, weighted = (data_bytes(make_task(Setup.of(c), CPU)) for c in (CONFIG, config))
    assert weighted - plain == 8 * 539


def test_samples_shown_to_rules_that_look_at_outputs_count_as_data() -> None:
    shown = estimate(CONFIG, Confidence()).memory["data"] - estimate(CONFIG, Proportional()).memory["data"]
    assert shown == CONFIG.n_target_samples * 64 * 4
    message = refused(lambda: estimate(replace(CONFIG, n_target_samples=271), Confidence()))
    assert message == refused(lambda: run(replace(CONFIG, n_target_samples=271), Confidence()))
    assert "the validation part has 270 samples" in message
    unknown = InverseVariance(signal="rumour")
    assert refused(lambda: estimate(CONFIG, unknown)) == refused(lambda: run(CONFIG, unknown))


def test_a_probe_sees_the_peak_and_the_seconds() -> None:
    kept = torch.zeros(10**6)  # there before, so it does not count

    def work() -> torch.Tensor:
        total = kept[:1000] + 1  # 4000 bytes
        for _ in range(3):
            total = total * 2  # the old one goes only when the new one is there: 8000
        torch.empty(10**6)  # never written to
        filled = torch.empty(500).fill_(1.0)  # 2000 bytes beside the 4000
        return total[:10].view(2, 5).add_(filled[0])  # views take nothing

    seen = probe(work, CPU)
    assert seen.peak_bytes == 8000
    assert seen.seconds > 0


def test_the_measured_step_leaves_no_trace(tmp_path: Path) -> None:
    before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002  (it must not be touched)
    estimate(CONFIG, Proportional(), out=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    assert torch.equal(torch.get_rng_state(), before[0])
    assert np.array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002


def refused(do: Callable[[], object]) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        do()
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dataset": "mnist"}, "needs data_root"),
        ({"partition": "dirichlet(beta=0.3, min_size=5000)"}, "min_size"),
        ({"n_clients": 5000}, "5000"),
        ({"split": "official"}, "official"),
        ({"model": "lstm-characters"}, "no token sequences"),
        ({"cohort": "imbalanced(size=100000)"}, "size"),
        ({"cohort": "imbalanced(size=40)", "buffers": "local"}, "buffers='local'"),
        ({"losses": "none"}, "losses='none'"),
        ({"client": "apfl", "momentum": 0.9}, "expected momentum=0"),
        ({"client": "p-fed-me(lam=15.0)", "momentum": 0.9}, "expected momentum=0"),
        ({"client": "fed-for", "momentum": 0.9}, "expected momentum=0"),
        ({"client": "compressed(client=fed-for)", "momentum": 0.9}, "expected momentum=0"),
        ({"client": "moon"}, "expected a deeper model"),
        ({"client": "fed-for", "trainer": "together"}, "expected 'in-turn' or 'auto'"),
        ({**EPOCHS, "batch_size": 4}, "has a batch of one in round 0"),
        ({**EPOCHS, "batch_size": 1}, "has a batch of one in round 0"),
        ({"model": NORMED, "batch_size": 1}, "expected another batch_size"),
        ({**EPOCHS, "n_sampled": 1, "batch_size": 4, "cohort_seed": 3}, "has a batch of one in round 3"),
    ],
)
def test_what_the_run_refuses_is_refused_in_the_same_words(
    changes: dict[str, object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FEDVERDICT_DATA", raising=False)
    config = replace(CONFIG, **changes)
    message = refused(lambda: estimate(config, ExpAlpha(alpha=1)))
    assert message == refused(lambda: run(config, ExpAlpha(alpha=1)))
    assert words in message


@pytest.mark.parametrize("model", ["softmax-regression", NORMED])
def test_a_law_that_raises_in_a_later_round_is_told_before_the_run(model: str, tmp_path: Path) -> None:
    """The run says so in that round, and keeps the rounds before; a dry run has to look."""
    rows = [[4] * 10, [4] * 10, [5] * 10]
    config = replace(CONFIG, model=model, participation=f"given-steps(steps={rows})".replace(" ", ""))
    message = refused(lambda: estimate(config, Proportional()))
    assert "the cohort of round 2 cannot be drawn: GivenSteps(steps=…): row (5, 5" in message
    assert refused(lambda: run(config, Proportional(), out=tmp_path)) in message
    assert len((tmp_path / "metrics.jsonl").read_text().splitlines()) == 2
    assert isinstance(estimate(replace(config, n_rounds=2), Proportional()), Estimate)


def test_momentum_beside_a_client_that_sends_nothing_is_refused_in_the_same_words() -> None:
    config = replace(CONFIG, client="local-only", momentum=0.9)
    message = refused(lambda: estimate(config, Proportional()))
    assert message == refused(lambda: run(config, Proportional()))
    assert "expected momentum=0" in message


@pytest.mark.parametrize(
    "changes",
    [
        {"client": "fed-ntd", "momentum": 0.9},
        {"client": "moon", "momentum": 0.9, "model": "mlp"},
        {"client": "scaffold", "momentum": 0.9},
        {"client": "fed-for", "trainer": "in-turn"},
        {**EPOCHS, "batch_size": 3},
        {**EPOCHS, "batch_size": 4, "n_sampled": 1, "cohort_seed": 2},
        {**EPOCHS, "batch_size": 4, "participation": f"given-steps(steps={[[31] * 10] * 7})".replace(" ", "")},
        {"model": "softmax-regression", "n_local_steps": 0, "n_local_epochs": 1, "batch_size": 1},
        {"model": "resnet-20", "n_local_steps": 1, "batch_size": 1, "n_sampled": 1},
    ],
)
def test_what_the_run_takes_is_not_refused(changes: dict[str, object]) -> None:
    config = replace(CONFIG, n_rounds=1, floor="zero", **changes)
    assert isinstance(estimate(config, Proportional()), Estimate)
    assert run(config, Proportional()).status == "completed"


@pytest.mark.parametrize("device", ["tpu", "meta", "cuda:99"])
def test_devices_are_refused_in_the_same_words(device: str) -> None:
    message = refused(lambda: estimate(CONFIG, Proportional(), device=device))
    assert message == refused(lambda: run(CONFIG, Proportional(), device=device))


def test_folders_are_refused_in_the_same_words_and_left_as_they_are(tmp_path: Path) -> None:
    out, config = tmp_path / "a", replace(CONFIG, n_rounds=2, checkpoint_every=1)
    run(config, Proportional(), out=out)

    def same(words: str, config: RunConfig = config, rule: object = Proportional()) -> None:
        files = {file.name: file.read_bytes() for file in out.iterdir()}
        message = refused(lambda: estimate(config, rule, out=out))
        assert files == {file.name: file.read_bytes() for file in out.iterdir()}
        assert message == refused(lambda: run(config, rule, out=out))
        assert words in message

    setup = Setup.of(config, Proportional())
    check_folder(out, setup, first_state(setup, make_task(setup, CPU)))
    assert isinstance(estimate(config, Proportional(), out=out), Estimate)
    same("belongs to another run; seed is 0 there and 1 here", config=replace(config, seed=1))
    same("belongs to another run", rule=ExpAlpha(alpha=1))
    same("must be a dataclass", rule=lambda stats: stats.share)
    metrics = (out / "metrics.jsonl").read_text()
    (out / "metrics.jsonl").write_text(metrics.splitlines()[0] + "\n")
    same("1 rounds, but the checkpoint counts 2")
    (out / "checkpoint.safetensors").write_bytes(b"no checkpoint")
    same("not a checkpoint of this run")
    (out / "run.json").unlink()
    same("holds ['timings.jsonl', 'metrics.jsonl', 'checkpoint.safetensors', 'result.json'] but no run.json")


def test_a_rule_that_no_registry_knows_is_estimated_all_the_same() -> None:
    rule = Scheduled(torch.full((7, 10), 0.1, dtype=torch.float64))
    assert estimate(CONFIG, rule).rule == "Scheduled"


def test_the_table_says_what_was_estimated() -> None:
    console = Console(width=160, record=True, file=StringIO())
    found = estimate(CONFIG, Proportional())
    for seconds, words in ((90.0, "≈ 90 s"), (1800.0, "≈ 30 min"), (36000.0, "≈ 10.0 h")):
        console.print(estimate_table(replace(found, seconds={"training": seconds}, note="Without 98 images.")))
        text = console.export_text()
        for part in ("1,258 training", "5 of 10 a round", "125 / 126 / 126 samples", "650 parameters, 2.539 KiB"):
            assert part in text
        assert words + " on cpu" in text
        assert "Without 98 images." in text
    console.print(estimate_table(replace(found, memory={"data": 5 * 2**30})))
    assert "≈ 5.0 GiB" in console.export_text()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_the_allocator_is_asked() -> None:
    found = estimate(CONFIG, Proportional(), device="cuda")
    assert found.memory["activations"] > 0
    assert found.total_seconds > 0
