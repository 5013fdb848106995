from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.client import accuracy, mean_loss
from deep.models import make_model
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
    assert sum(len(c) for c in task.clients) + len(task.validation) == 120
    assert float(task.share.sum()) == pytest.approx(1.0)
    result = run(config, Proportional(), data_root=tmp_path)
    assert result.status == "completed"
    assert result.history[-1].test_loss < result.history[0].test_loss


def test_a_file_that_is_missing_names_itself(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"mnist: no such folder under .*; expected mnist"):
        run(RunConfig(dataset="mnist", n_rounds=1), Proportional(), data_root=tmp_path)


def test_clients_train_on_flipped_labels_and_are_counted_by_true_ones() -> None:
    clean = make_task(RunConfig(partition="iid"), CPU)
    noisy = make_task(RunConfig(partition="flipped(base=iid, corruption=0.5, flip_ratio=1, exact=true)"), CPU)
    changed = [float((a.labels != b.labels).double().mean()) for a, b in zip(clean.clients, noisy.clients, strict=True)]
    assert sorted(changed) == [0.0] * 5 + [1.0] * 5
    assert noisy.partition_counts == clean.partition_counts
    assert torch.equal(noisy.test.labels, clean.test.labels)


def test_what_rounds_cannot_train_is_refused() -> None:
    with pytest.raises(ValueError, match=r"dataset='synthetic-regression'\): has real-valued targets"):
        run(RunConfig(dataset="synthetic-regression", n_rounds=1), Proportional())
    with pytest.raises(ValueError, match=r"model='resnet-20'\): carries running statistics"):
        run(RunConfig(model="resnet-20", n_rounds=1), Proportional())


def test_a_model_is_trained_on_the_loss_it_names() -> None:
    config = RunConfig(model="linear-regression", n_rounds=3, n_local_steps=5)
    result = run(config, Proportional())
    task = make_task(config, CPU)
    hot = torch.nn.functional.one_hot(task.test.labels, 10).double()
    outputs = task.model.logits(result.model, task.test.inputs).double()
    assert result.history[-1].test_loss == pytest.approx(float((0.5 * (outputs - hot) ** 2).sum(1).mean()))
    assert result.history[-1].train_loss < result.history[0].train_loss


def test_evaluation_in_pieces_is_evaluation_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from deep import client

    task = make_task(RunConfig(), CPU)
    model, vector = make_model("softmax-regression", task.test, 1)
    whole = (float(mean_loss(model, vector, task.test)), accuracy(model, vector, task.test))
    monkeypatch.setattr(client, "_AT_ONCE", 7)
    pieces = (float(mean_loss(model, vector, task.test)), accuracy(model, vector, task.test))
    assert pieces == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("partition", ["iid", "classes(m=3)", "shards(per_client=2)", "stratified"])
def test_every_partition_trains(partition: str) -> None:
    result = run(replace(RunConfig(n_rounds=2, n_local_steps=3), partition=partition), Proportional())
    assert result.status == "completed"
    assert sum(map(sum, result.partition_counts)) > 1000
