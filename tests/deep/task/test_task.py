from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.data import Dataset, Groups, Samples, Split, TokenDataset
from deep.task import evaluation
from deep.task.evaluation import sample_scores, score
from deep.task.setup import Setup
from deep.task.task import make_task
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
    from deep.task import task

    reader = task.read_parts
    monkeypatch.setattr(task, "read_parts", lambda name, root: reader(name, root, verify=False))


@pytest.mark.usefixtures("unverified")
def test_the_official_test_part_stays_out_of_training(tmp_path: Path) -> None:
    write_mnist(tmp_path)
    config = RunConfig(dataset="mnist", split="official", partition="iid", n_clients=4, n_sampled=4, n_rounds=8)
    task = make_task(Setup.of(config), CPU, tmp_path)
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
    clean = make_task(Setup.of(RunConfig(partition="iid")), CPU)
    noisy = make_task(Setup.of(RunConfig(partition="flipped(base=iid, corruption=0.5, flip_ratio=1, exact=true)")), CPU)
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
    task = make_task(Setup.of(config), CPU)
    hot = torch.nn.functional.one_hot(task.test.targets, 10).double()
    outputs = task.model.logits(result.model, task.test.inputs).double()
    assert result.history[-1].test_loss == pytest.approx(float((0.5 * (outputs - hot) ** 2).sum(1).mean()))
    assert result.history[-1].train_loss < result.history[0].train_loss


def test_evaluation_in_pieces_is_evaluation_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(Setup.of(RunConfig()), CPU)
    vector = torch.randn(len(task.start), generator=torch.Generator().manual_seed(1))
    whole = score(task.model, vector, task.buffers, task.test)
    losses, right = sample_scores(task.model, vector, task.buffers, task.test.inputs, task.test.targets)
    assert right is not None
    assert whole.accuracy == float(right.double().mean())
    assert whole.loss == pytest.approx(float(losses.mean()), rel=1e-14)
    monkeypatch.setattr(evaluation, "AT_ONCE", 7)
    pieces = score(task.model, vector, task.buffers, task.test)
    assert (pieces.loss, pieces.accuracy) == pytest.approx((whole.loss, whole.accuracy), rel=1e-12)


@pytest.mark.parametrize("partition", ["iid", "classes(m=3)", "shards(per_client=2)", "stratified"])
def test_every_partition_trains(partition: str) -> None:
    result = run(replace(RunConfig(n_rounds=2, n_local_steps=3), partition=partition), Proportional())
    assert result.status == "completed"
    assert sum(map(sum, result.partition_counts)) > 1000


def cut_from(monkeypatch: pytest.MonkeyPatch, train: Samples, validation: Samples, test: Samples) -> None:
    monkeypatch.setattr("deep.task.task.read_parts", lambda *_: None)
    monkeypatch.setattr("deep.task.task.make_split", lambda *_: Split(train, validation, test))


def images(labels: list[int]) -> Dataset:
    """Noise of 4 classes, in three domains one after the other."""
    pixels = torch.rand(len(labels), 1, 8, 8, generator=torch.Generator().manual_seed(1))
    index = torch.arange(len(labels)) * 3 // len(labels)
    return Dataset(pixels, torch.tensor(labels), 4, "made", groups=Groups("domain", index, ("a", "b", "c")))


def test_a_target_class_without_samples_names_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_from(monkeypatch, images([0, 1, 2, 3] * 9), images([0, 1, 2, 3]), images([0, 1, 2]))
    with pytest.raises(ValueError, match=r"target='uniform'\): the test part cannot be weighted to it: .*class 3"):
        make_task(Setup.of(RunConfig(partition="iid", n_clients=3, n_sampled=3, target="uniform")), CPU)


def test_a_client_whose_group_has_no_sample_that_counts_is_judged_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_from(monkeypatch, images([0] * 8 + [1] * 8 + [2] * 8 + [3] * 8), images([0, 1, 2, 3, 3, 3]), images([0, 1, 3]))
    result = run(
        RunConfig(
            model="resnet-20", partition="domains", n_clients=3, n_sampled=3, n_rounds=1, n_local_steps=1, batch_size=4,
            buffers="local", target="skew(client=0)",
        ),
        Proportional(),
    )  # fmt: skip
    assert result.status == "completed"
    assert result.history[0].group_accuracy.keys() == {"a", "b"}


def test_wrong_labels_of_real_targets_are_refused() -> None:
    config = RunConfig(dataset="synthetic-regression", model="linear-regression")
    for change in ({"partition": "flipped(base=iid)"}, {"cohort": "flipped(n_clients=3, size=20)"}):
        with pytest.raises(ValueError, match=r"targets are real-valued, so that 'flipped\(.*' has no labels to flip"):
            make_task(Setup.of(replace(config, **change)), CPU)


def test_outputs_that_do_not_fit_the_targets_are_refused_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = torch.arange(60).reshape(12, 5) % 7
    data = TokenDataset(tokens, tokens[:, 0].clone(), 7, tuple("abcdefg"), "made")
    cut_from(monkeypatch, data, data, data)
    config = RunConfig(model="lstm-characters", partition="iid", n_clients=2, n_sampled=2, n_rounds=2, n_local_steps=1)
    assert run(config, Proportional()).status == "completed"
    with pytest.raises(
        ValueError, match=r"run\(model='lstm-characters\(every.*outputs do not fit the targets: sample_l"
    ):
        make_task(Setup.of(replace(config, model="lstm-characters(every_position=true)")), CPU)


def test_accuracies_are_whole_numbers_of_samples() -> None:
    config = RunConfig(n_rounds=1, n_local_steps=1)
    task = make_task(Setup.of(config), CPU)
    record = run(config, Proportional()).history[0]
    assert task.population is not None
    for client, accuracy in zip(task.population.clients, record.client_accuracy, strict=True):
        assert accuracy is not None
        assert accuracy == round(accuracy * len(client)) / len(client)


def rows(images: torch.Tensor) -> set[bytes]:
    return {image.numpy().tobytes() for image in images}


VIEWED = ("view_1", "view_2")


def test_unlabelled_samples_come_from_where_they_are_said_to() -> None:
    config = RunConfig(partition="classes(m=2)", n_clients=5, n_sampled=5, target="skew", n_target_samples=20)
    tasks = {
        name: make_task(Setup.of(replace(config, target_source=name)), CPU, signals=VIEWED)
        for name in ("validation", "test", "separate")
    }
    whole = tasks["validation"].test
    for name, task in tasks.items():
        assert task.target_inputs is not None
        assert len(task.target_inputs) == 20
        assert (rows(task.target_inputs) <= rows(whole.inputs)) is (name != "validation")
        assert ("transductive" in task.note) is (name == "test")
    assert torch.equal(tasks["test"].test.inputs, whole.inputs)
    judged = tasks["separate"].test
    assert len(judged) == len(whole) - 20
    assert float(judged.weight.sum()) == pytest.approx(1)
    assert not rows(tasks["separate"].target_inputs) & rows(judged.inputs)


def test_rules_that_look_at_nothing_are_judged_on_the_same_samples() -> None:
    config = RunConfig(target_source="separate", n_target_samples=20)
    assert torch.equal(
        make_task(Setup.of(config), CPU).test.inputs, make_task(Setup.of(config), CPU, signals=VIEWED).test.inputs
    )
    assert make_task(Setup.of(config), CPU).target_inputs is None


def test_each_of_several_targets_is_judged_without_what_rules_saw_and_its_own_draw() -> None:
    names = ("skew", "uniform", "exponential(rho=10)")
    config = RunConfig(partition="classes(m=2)", n_clients=5, n_sampled=5, target_source="separate")
    config = replace(config, n_target_samples=20)
    both = make_task(Setup.of(replace(config, target="; ".join(names))), CPU, signals=VIEWED)
    shown = rows(both.target_inputs)
    assert len(shown) == 20
    assert not shown & rows(both.test.inputs)  # nor does any count among the groups
    for name in names:
        alone = make_task(Setup.of(replace(config, target=name)), CPU, signals=VIEWED).test
        weight = both.test.others[name]
        assert rows(both.test.inputs[weight > 0]) == rows(alone.inputs[alone.weight > 0]) - shown
        assert float(weight.sum()) == pytest.approx(1)
    assert torch.equal(both.test.weight, both.test.others["skew"])
    first = make_task(Setup.of(replace(config, target="skew")), CPU, signals=VIEWED).test
    assert torch.equal(both.test.inputs, first.inputs)
    assert torch.equal(both.test.weight, first.weight)


def test_as_many_as_the_target_admits() -> None:
    task = make_task(Setup.of(RunConfig(target_source="test", n_target_samples=0)), CPU, signals=VIEWED)
    assert torch.equal(task.target_inputs, task.test.inputs)


def test_a_separate_draw_that_leaves_none_to_judge() -> None:
    with pytest.raises(ValueError, match="all of the target's first class would be shown"):
        RunConfig(target_source="separate", n_target_samples=0)
    n_test = len(make_task(Setup.of(RunConfig()), CPU).test)
    with pytest.raises(ValueError, match="no test sample is left to judge"):
        make_task(Setup.of(RunConfig(target_source="separate", n_target_samples=n_test)), CPU)


def test_views_follow_the_config() -> None:
    assert make_task(Setup.of(RunConfig(views="views(crop=0.5)")), CPU, signals=VIEWED).views.crop == 0.5
    with pytest.raises(ValueError, match="expected views"):
        RunConfig(views="views(crops=0.5)")
