from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.metrics import read_clients, read_rounds, rounds_of, run_quantities
from theory import ExpAlpha, FedSoftWorse, Proportional, Scheduled

CONFIG = RunConfig(n_rounds=8, n_local_steps=4, checkpoint_every=3, seed=2)


@dataclass(frozen=True)
class Remembering:
    """A rule with a memory: absent clients count with their last update, faded."""

    fading: float

    def step(self, state, stats):
        last = torch.zeros_like(stats.updates) if state is None else state["updates"]
        updates = torch.where(stats.present[:, None], stats.updates, self.fading * last)
        return {"updates": updates, "rounds": stats.round + 1}, stats.share, updates


@dataclass(frozen=True)
class Exploding:
    """Combines ordinary updates, until round `at` makes them too large for float32."""

    at: int

    def step(self, state, stats):
        return None, stats.share, stats.updates.double() * (1e60 if stats.round == self.at else 1.0)


class Interruption(Exception):  # noqa: N818  (it is no error)
    """Stands for whatever ends a process in the middle of a run."""


def stop_after(round_index):
    def on_round(record):
        if record.round == round_index:
            raise Interruption

    return on_round


def untimed(records):
    return [{name: value for name, value in record.items() if not name.startswith("seconds")} for record in records]


def on_disk(folder):
    """Metrics as written, byte by byte, and the result without provenance."""
    metrics = (folder / "metrics.jsonl").read_bytes()
    result = json.loads((folder / "result.json").read_text())
    records = [json.loads(line) for line in metrics.splitlines()]
    assert [{name: value for name, value in line.items() if name != "digest"} for line in records] == result["history"]
    assert len((folder / "timings.jsonl").read_text().splitlines()) == len(result["history"])
    return metrics, {name: value for name, value in result.items() if name != "provenance"}


def test_the_same_seed_twice_leaves_identical_metric_files(tmp_path):
    for name in "ab":
        run(CONFIG, Remembering(0.5), out=tmp_path / name)
    for file in ("metrics.jsonl", "result.json", "run.json", "config.toml", "partition.svg", "checkpoint.safetensors"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    run(replace(CONFIG, seed=9), Remembering(0.5), out=tmp_path / "c")
    assert (tmp_path / "c" / "metrics.jsonl").read_bytes() != (tmp_path / "a" / "metrics.jsonl").read_bytes()


@pytest.mark.parametrize("rule", [FedSoftWorse(0.2), Remembering(0.5)], ids=repr)
@pytest.mark.parametrize("stops", [(0,), (2,), (4,), (1, 3, 6), (7,)], ids=str)
def test_a_resumed_run_is_the_undisturbed_one(tmp_path, rule, stops):
    whole = run(CONFIG, rule, out=tmp_path / "whole")
    for stop in stops:
        with pytest.raises(Interruption):
            run(CONFIG, rule, out=tmp_path / "stopped", on_round=stop_after(stop))
    resumed = run(CONFIG, rule, out=tmp_path / "stopped")
    assert torch.equal(resumed.model, whole.model)
    assert untimed(map(asdict, resumed.history)) == untimed(map(asdict, whole.history))
    assert on_disk(tmp_path / "stopped") == on_disk(tmp_path / "whole")


def test_a_folder_changes_no_number(tmp_path):
    with_folder, without = run(CONFIG, Proportional(), out=tmp_path), run(CONFIG, Proportional())
    assert torch.equal(with_folder.model, without.model)
    assert untimed(map(asdict, with_folder.history)) == untimed(map(asdict, without.history))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint.safetensors",
        "clients.parquet",
        "config.toml",
        "lock",
        "metrics.jsonl",
        "partition.svg",
        "result.json",
        "rounds.parquet",
        "run.json",
        "summary.json",
        "timings.jsonl",
    ]


def test_an_ended_run_leaves_its_summary_and_tables(tmp_path):
    result = run(CONFIG, ExpAlpha(0.2), out=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["summary"]["test_accuracy"]["final"] == result.history[-1].test_accuracy
    assert summary["provenance"]["seed"] == CONFIG.seed
    values = {q["key"]: q["value"] for q in summary["quantities"]}
    assert values == run_quantities(rounds_of(result.history, floor=result.floor))
    rounds = read_rounds(tmp_path / "rounds.parquet")
    assert rounds.columns["test_loss"] == [r.test_loss for r in result.history]
    clients = read_clients(tmp_path / "clients.parquet")
    assert clients.columns["weight"] == [w for r in result.history for w in r.weights]


def test_without_pyarrow_the_tables_are_json(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run(replace(CONFIG, n_rounds=2), Proportional(), out=tmp_path)
    assert read_rounds(tmp_path / "rounds.json").columns["test_loss"] == [r.test_loss for r in result.history]
    assert not list(tmp_path.glob("*.parquet"))


def test_the_picture_shows_each_client_and_class_of_the_run(tmp_path):
    result = run(replace(CONFIG, n_rounds=1), Proportional(), out=tmp_path)
    picture = (tmp_path / "partition.svg").read_text()
    assert "digits: dirichlet(beta=0.3, min_size=8)" in picture
    for client, counts in enumerate(result.partition_counts):
        for label, count in enumerate(counts):
            assert (f"client {client}, class {label}: {count}<" in picture) == (count > 0)


def test_resuming_starts_at_the_checkpoint_and_drops_a_half_written_line(tmp_path):
    with pytest.raises(Interruption):
        run(CONFIG, Proportional(), out=tmp_path, on_round=stop_after(4))
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"round": 5, "pres')
    played = []
    run(CONFIG, Proportional(), out=tmp_path, on_round=lambda record: played.append(record.round))
    assert played == [3, 4, 5, 6, 7]
    assert len(on_disk(tmp_path)[0].splitlines()) == 8


def test_a_finished_run_is_read_not_repeated(tmp_path):
    first = run(CONFIG, Proportional(), out=tmp_path)
    written = (tmp_path / "result.json").read_text()
    played = []
    again = run(CONFIG, Proportional(), out=tmp_path, on_round=played.append)
    assert played == []
    assert again.history == first.history
    assert torch.equal(again.model, first.model)
    assert (tmp_path / "result.json").read_text() == written


def test_a_diverged_run_ends_the_same_way_again(tmp_path):
    first = run(CONFIG, Exploding(at=4), out=tmp_path)
    before = on_disk(tmp_path)
    again = run(CONFIG, Exploding(at=4), out=tmp_path)
    assert first.status == again.status == "diverged"
    assert len(first.history) == 4
    assert first.history == again.history
    assert on_disk(tmp_path) == before


@pytest.mark.parametrize(
    ("config", "rule", "message"),
    [
        (replace(CONFIG, local_lr=0.2), ExpAlpha(0.2), "local_lr is 0.1 there and 0.2 here"),
        (replace(CONFIG, l2=0.5, seed=3), ExpAlpha(0.2), "l2 is 0.0 there and 0.5 here, seed is 2 there and 3"),
        (CONFIG, ExpAlpha(0.3), "alpha is 0.2 there and 0.3 here"),
        (CONFIG, Proportional(), "rule is 'ExpAlpha' there and 'Proportional' here"),
    ],
)
def test_another_run_may_not_use_the_folder(tmp_path, config, rule, message):
    with pytest.raises(Interruption):
        run(CONFIG, ExpAlpha(0.2), out=tmp_path, on_round=stop_after(0))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=message):
        run(config, rule, out=tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_scheduled_weights_are_part_of_the_rule_in_full(tmp_path):
    """Long arrays have a repr with dots in the middle; two schedules that differ there are two rules."""
    weights = torch.full((200, 10), 0.1, dtype=torch.float64)
    config = replace(CONFIG, n_rounds=1)
    run(config, Scheduled(weights), out=tmp_path)
    weights = weights.clone()
    weights[100] = torch.tensor([1.0] + [0.0] * 9)
    with pytest.raises(ValueError, match="belongs to another run"):
        run(config, Scheduled(weights), out=tmp_path)


def test_other_versions_are_owned_up_to_when_a_run_is_resumed(tmp_path):
    with pytest.raises(Interruption):
        run(CONFIG, Proportional(), out=tmp_path, on_round=stop_after(4))
    begun = json.loads((tmp_path / "run.json").read_text())
    begun["provenance"]["torch"] = "1.0"
    (tmp_path / "run.json").write_text(json.dumps(begun))
    origin = run(CONFIG, Proportional(), out=tmp_path).provenance
    assert origin["torch"] == "1.0"
    assert origin["resumed_under"]["torch"] == torch.__version__


@dataclass(frozen=True)
class Unsavable:
    """A rule whose memory holds what a checkpoint cannot read back."""

    def step(self, state, stats):
        return {"memory": [Fraction(1, 2)]}, stats.share, stats.updates


def test_a_memory_that_could_not_be_read_back_is_refused_when_saved(tmp_path):
    played = []
    with pytest.raises(TypeError, match="rule Unsavable holds a Fraction"):
        run(CONFIG, Unsavable(), out=tmp_path, on_round=played.append)
    assert played == []  # not after hours, at the first checkpoint
    assert run(CONFIG, Unsavable()).status == "completed"


def test_a_rule_without_settings_to_compare_cannot_be_resumed(tmp_path):
    def equal(stats):
        return stats.present.double() / stats.present.sum()

    assert run(CONFIG, equal).status == "completed"
    with pytest.raises(ValueError, match=r"must be a dataclass, .* write a class with @dataclass\(frozen=True\)"):
        run(CONFIG, equal, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_damaged_folders_are_refused(tmp_path):
    run(CONFIG, Proportional(), out=tmp_path)
    metrics = (tmp_path / "metrics.jsonl").read_text()
    (tmp_path / "metrics.jsonl").write_text("".join(metrics.splitlines(keepends=True)[:3]))
    with pytest.raises(ValueError, match="3 rounds, but the checkpoint counts 8"):
        run(CONFIG, Proportional(), out=tmp_path)
    (tmp_path / "metrics.jsonl").write_text(metrics.replace('"gram"', '"grams"'))
    with pytest.raises(ValueError, match=r"metrics.jsonl, line 1: not the line that was written there"):
        run(CONFIG, Proportional(), out=tmp_path)
    (tmp_path / "checkpoint.safetensors").write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match=r"checkpoint.safetensors: not a checkpoint of this run: it is cut off"):
        run(CONFIG, Proportional(), out=tmp_path)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(ValueError, match=r"run.json: does not say which run this is"):
        run(CONFIG, Proportional(), out=tmp_path)
    with pytest.raises(ValueError, match="is a file; expected a folder"):
        run(CONFIG, Proportional(), out=tmp_path / "run.json")
    (tmp_path / "run.json").unlink()
    with pytest.raises(ValueError, match=r"no run.json"):
        run(CONFIG, Proportional(), out=tmp_path)


def test_a_run_cut_off_while_its_result_is_written_is_finished_by_the_next_call(tmp_path, monkeypatch):
    def cut(*_):
        raise Interruption

    with monkeypatch.context() as patch:
        patch.setattr("deep.runs.course.write_outcome", cut)
        with pytest.raises(Interruption):
            run(CONFIG, Proportional(), out=tmp_path)
    assert (tmp_path / "result.json").exists()
    assert not (tmp_path / "summary.json").exists()
    run(CONFIG, Proportional(), out=tmp_path, on_round=lambda _: pytest.fail("played again"))
    assert (tmp_path / "summary.json").exists()
    assert (tmp_path / "clients.parquet").exists()


def test_rule_settings_reach_the_result_as_plain_json(tmp_path):
    rule = Scheduled(torch.tensor([[0.1] * 10] * 9, dtype=torch.float64))
    run(replace(CONFIG, n_rounds=1, n_sampled=10), rule, out=tmp_path)
    assert tomllib.loads((tmp_path / "config.toml").read_text()).keys() == {"run"}  # its repr has several lines
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["rule"] == "Scheduled"
    assert np.allclose(result["rule_settings"]["weights"], 0.1)


def test_a_run_that_has_ended_is_continued_to_the_same_numbers(tmp_path):
    rule = Remembering(0.5)
    whole = run(CONFIG, rule, out=tmp_path / "whole")
    short = run(replace(CONFIG, n_rounds=5), rule, out=tmp_path / "parts")
    assert len(short.history) == 5
    continued = run(CONFIG, rule, out=tmp_path / "parts")
    assert torch.equal(continued.model, whole.model)
    for name in ("metrics.jsonl", "config.toml"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    results = [json.loads((tmp_path / name / "result.json").read_text()) for name in ("whole", "parts")]
    assert results[0]["history"] == results[1]["history"]
    assert results[1]["config"]["n_rounds"] == 8
    assert "resumed_under" not in results[1]["provenance"]
    with pytest.raises(ValueError, match=r"n_rounds=7\): the folder holds 8 rounds; expected as many or more"):
        run(replace(CONFIG, n_rounds=7), rule, out=tmp_path / "parts")
