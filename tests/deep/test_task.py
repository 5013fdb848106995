from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deep import RunConfig, evaluation, run
from deep.evaluation import sample_scores, score
from deep.task import make_task
from theory import Proportional

CPU = torch.device("cpu")


def write_mnist(root: Path, n_train: int = 120, n_test: int = 40) -> None:
    """Four files in the format of MNIST, every class equally often; a class is a bright row."""
    folder = root / "mnist"
    folder.mkdir(parents=True)
    for part, n in (("train", n_train), ("t10k", n_test)):
        labels = np.arange(n) % 10
        images = np.zeros((n, 28, 28), np.uint8)
        images[np.arange(n), labels] = 255
        head = np.array([2051, n, 28, 28], ">i4").tobytes()
        (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(head + images.tobytes()))
        head = np.array([2049, n], ">i4").tobytes()
        (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(head + labels.astype(np.uint8).tobytes()))


@pytest.fixture
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files have no published checksum; everything else about them is checked as ever."""
    from deep import task

    reader = task.read_parts
    monkeypatch.setattr(task, "read_parts", lambda name, root: reader(name, root, verify=False))


@pytest.mark.usefixtures("unverified")
def test_the_official_test_part_stays_out_of_training(tmp_path: Path) -> None:
    write_mnist(tmp_path)
    config = RunConfig(dataset="mnist", split="official", partition="iid", n_clients=4, n_sampled=4, n_rounds=8)
    task = make_task(config, CPU, tmp_path)
    assert len(task.test) == 40
    assert task.population is not None
    assert sum(len(c) for c in task.population.clients) + len(task.validation) == 120
    assert float(task.population.share.sum()) == pytest.approx(1.0)
    result = run(config, Proportional(), data_root=tmp_path)
    assert result.status == "completed"
    assert result.history[-1].test_loss < result.history[0].test_loss


def test_a_file_that_is_missing_names_itself(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"mnist: no such folder under .*; expected mnist"):
        run(RunConfig(dataset="mnist", n_rounds=1), Proportional(), data_root=tmp_path)


def test_clients_train_on_flipped_labels_and_are_counted_by_true_ones() -> None:
    clean = make_task(RunConfig(partition="iid"), CPU)
    noisy = make_task(RunConfig(partition="flipped(base=iid, corruption=0.5, flip_ratio=1, exact=true)"), CPU)
    assert clean.population is not None
    assert noisy.population is not None
    pairs = list(zip(clean.population.clients, noisy.population.clients, strict=True))
    changed = [float((a.targets != b.targets).double().mean()) for a, b in pairs]
    assert sorted(changed) == [0.0] * 5 + [1.0] * 5
    assert [b.kind for _, b in pairs] == ["flipped=1" if change else "clean" for change in changed]
    assert noisy.partition_counts == clean.partition_counts
    assert torch.equal(noisy.test.targets, clean.test.targets)


def test_a_model_is_trained_on_the_loss_it_names() -> None:
    config = RunConfig(model="linear-regression", n_rounds=3, n_local_steps=5)
    result = run(config, Proportional())
    task = make_task(config, CPU)
    hot = torch.nn.functional.one_hot(task.test.targets, 10).double()
    outputs = task.model.logits(result.model, task.test.inputs).double()
    assert result.history[-1].test_loss == pytest.approx(float((0.5 * (outputs - hot) ** 2).sum(1).mean()))
    assert result.history[-1].train_loss < result.history[0].train_loss


def test_evaluation_in_pieces_is_evaluation_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(RunConfig(), CPU)
    vector = torch.randn(len(task.start), generator=torch.Generator().manual_seed(1))
    whole = score(task.model, vector, task.buffers, task.test)
    losses, right = sample_scores(task.model, vector, task.buffers, task.test.inputs, task.test.targets)
    assert right is not None
    assert whole.accuracy == float(right.double().mean())
    assert whole.loss == pytest.approx(float(losses.mean()), rel=1e-14)
    monkeypatch.setattr(evaluation, "_AT_ONCE", 7)
    pieces = score(task.model, vector, task.buffers, task.test)
    assert (pieces.loss, pieces.accuracy) == pytest.approx((whole.loss, whole.accuracy), rel=1e-12)


@pytest.mark.parametrize("partition", ["iid", "classes(m=3)", "shards(per_client=2)", "stratified"])
def test_every_partition_trains(partition: str) -> None:
    result = run(replace(RunConfig(n_rounds=2, n_local_steps=3), partition=partition), Proportional())
    assert result.status == "completed"
    assert sum(map(sum, result.partition_counts)) > 1000
