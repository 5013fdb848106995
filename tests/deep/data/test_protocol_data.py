"""What the papers' protocols do with data: whole parts, text in order, scaling, crops and flips, held-out parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.data import (
    Dataset,
    Groups,
    Parts,
    RegressionDataset,
    TokenDataset,
    draw_moves,
    make_scaling,
    make_split,
    moved_images,
)
from deep.data.moves import PAD
from deep.data.sets.characters import next_characters
from deep.local import Client, LocalBatches, Pool, draw_batches, train_dense, train_in_turn, train_together
from deep.models import MLP, SmallCNN, initial_vector
from deep.partition import make_target, target_weights
from deep.round.play_round import first_state, play_round
from deep.task.setup import Setup
from deep.task.task import make_task
from theory import Proportional, Switch, stream
from theory.rules import Uniform

CPU = torch.device("cpu")
SHORT = RunConfig(n_rounds=2, n_clients=5, n_sampled=3, n_local_steps=2, seed=3)


def images(n: int, channels: int = 3, seed: int = 0) -> Dataset:
    pixels = torch.rand(n, channels, 6, 5, generator=torch.Generator().manual_seed(seed))
    return Dataset(pixels, torch.arange(n) % 3, 3, "made")


def test_the_whole_training_part_is_trained_on() -> None:
    parts = Parts(images(20), images(6, seed=1))
    cut = make_split(parts, "whole", 0)
    assert cut.train is parts.train
    assert cut.test is parts.test
    assert cut.validation is None
    assert make_split(Parts(images(20), images(6), images(4)), "whole", 0).validation is not None
    with pytest.raises(ValueError, match="keep_whole: 'made' has no official test part"):
        make_split(Parts(images(20)), "whole", 0)


def test_text_in_order_shows_no_part_a_character_of_another() -> None:
    said = {name: "".join(chr(0x4E00 + 1000 * k + i) for i in range(400)) for k, name in enumerate("AB")}
    data = next_characters(said, 12)  # every character of a text is its own
    cut = make_split(Parts(data), "text-order", 0)
    assert isinstance(cut.validation, TokenDataset)
    seen = [
        set(part.tokens.flatten().tolist()) | set(part.labels.tolist())
        for part in (cut.train, cut.validation, cut.test)
    ]
    assert len(seen[0] | seen[1] | seen[2]) == sum(map(len, seen))
    leaky = make_split(Parts(data), "efl", 0)
    inputs = set(leaky.train.tokens.flatten().tolist())
    assert np.mean([label in inputs for label in leaky.test.labels.tolist()]) > 0.9
    with pytest.raises(ValueError, match="in_text_order: 'made' holds no token sequences"):
        make_split(Parts(images(20)), "text-order", 0)


def test_a_run_without_validation_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    train, test = images(40), images(9, seed=1)
    monkeypatch.setattr("deep.task.task.read_parts", lambda *_: Parts(train, test))
    config = replace(SHORT, split="whole", partition="iid")
    result = run(config, Proportional())
    assert sum(map(sum, result.partition_counts)) == 40
    assert [(r.validation_loss, r.validation_accuracy) for r in result.history] == [(None, None)] * 2
    assert all(r.test_loss is not None for r in result.history)
    with pytest.raises(ValueError, match=r"split='whole'\): the rule reads accuracy on validation samples"):
        run(config, Switch(Proportional(), Uniform(), at_accuracy=0.5))


def test_overlapping_windows_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data = next_characters(dict.fromkeys("AB", "abcdefgh" * 30), 5)
    monkeypatch.setattr("deep.task.task.read_parts", lambda *_: Parts(data))
    config = replace(SHORT, model="lstm-characters", partition="iid")
    assert "split='text-order' keeps them apart" in make_task(Setup.of(replace(config, split="efl")), CPU).note
    assert make_task(Setup.of(replace(config, split="text-order")), CPU).note == ""


@pytest.mark.parametrize("name", ["dataset", "channel"])
def test_scaling_brings_the_training_part_to_mean_0_and_deviation_1(name: str) -> None:
    data = images(50)
    pixels = data.images.clone()
    pixels[:, 1] = 0.25 * pixels[:, 1] + 0.1
    data = replace(data, images=pixels)
    scaled = make_scaling(name, data)(data.images, torch.float64)
    over = (0, 1, 2, 3) if name == "dataset" else (0, 2, 3)
    wide = pixels.double().numpy()
    expected = (wide - wide.mean(over, keepdims=True)) / wide.std(over, keepdims=True)
    np.testing.assert_allclose(scaled.numpy(), expected, rtol=0, atol=1e-13)


def test_scaling_of_other_data() -> None:
    symmetric = make_scaling("symmetric", images(4))
    assert symmetric(torch.tensor([[[[0.0, 0.5, 1.0]]]])).tolist() == [[[[-1.0, 0.0, 1.0]]]]
    features = RegressionDataset(torch.tensor([[1.0, 5.0], [3.0, 5.0]]), torch.zeros(2), "made")
    assert make_scaling("channel", features)(features.features).tolist() == [[-1.0, 0.0], [1.0, 0.0]]
    tokens = TokenDataset(
        torch.zeros(3, 2, dtype=torch.int64), torch.zeros(3, dtype=torch.int64), 2, ("a", "b"), "made"
    )
    assert make_scaling("none", tokens)(tokens.tokens) is tokens.tokens
    for name, data, message in (
        ("dataset", tokens, "holds tokens, which have no scale"),
        ("symmetric", features, "holds features of any range"),
        ("half", features, "must be one of none, dataset, channel, symmetric"),
    ):
        with pytest.raises(ValueError, match=message):
            make_scaling(name, data)


def test_every_part_is_scaled_by_the_training_part() -> None:
    raw, scaled = (
        make_task(Setup.of(SHORT), CPU),
        make_task(Setup.of(replace(SHORT, scaling="dataset", dtype="float64")), CPU),
    )
    mean, deviation = (float(raw.pool.inputs.double().mean()), float(raw.pool.inputs.double().std(correction=0)))
    assert raw.validation is not None
    assert scaled.validation is not None
    for a, b in ((raw.pool, scaled.pool), (raw.validation, scaled.validation), (raw.test, scaled.test)):
        torch.testing.assert_close(b.inputs, (a.inputs.double() - mean) / deviation, rtol=0, atol=1e-12)
    assert scaled.pool.fill is not None
    assert scaled.pool.fill.tolist() == pytest.approx([-mean / deviation])


def by_hand(image: torch.Tensor, move: torch.Tensor, fill: torch.Tensor) -> torch.Tensor:
    _, h, w = image.shape
    out = torch.empty_like(image)
    for i in range(h):
        for j in range(w):
            column = w - 1 - j if move[0] else j
            y, x = i + int(move[1]) - PAD, column + int(move[2]) - PAD
            inside = 0 <= y < h and 0 <= x < w
            out[:, i, j] = image[:, y, x] if inside else fill
    return out


def test_moved_images_are_windows_of_the_padded_image() -> None:
    data, fill = images(30), torch.tensor([-1.0, 0.0, 2.0])
    drawn = draw_moves("crop-flip", 1, 2, 3, 30, 1)
    assert drawn is not None
    moves = torch.from_numpy(drawn[:, 0])
    got = moved_images(data.images, moves, fill)
    expected = torch.stack([by_hand(image, move, fill) for image, move in zip(data.images, moves, strict=True)])
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-6)  # fill is taken off and put back
    assert set(moves[:, 0].tolist()) == {0, 1}
    assert set(moves[:, 1].tolist()) <= set(range(2 * PAD + 1))


def test_flips_keep_their_place_and_crops_their_side() -> None:
    flips, crops = (draw_moves(name, 0, 0, 0, 50, 4) for name in ("flip", "crop"))
    assert flips is not None
    assert crops is not None
    assert np.all(flips[..., 1:] == PAD)
    assert not crops[..., 0].any()
    assert draw_moves("none", 0, 0, 0, 5, 4) is None


@pytest.mark.parametrize("trainer", [train_in_turn, train_together, train_dense])
def test_trainers_see_the_moved_images(trainer: object) -> None:
    data = images(24, channels=1)
    model = MLP(30, 3, (4,)) if trainer is train_dense else SmallCNN((1, 6, 5), 3)
    start = initial_vector(model, 0).double().expand(2, -1)
    rng = stream(0, "test")
    fill = torch.tensor([0.3])
    clients, plain, moved = [], [], []
    pools = data.images.double()
    rows = []
    for k in range(2):
        index = torch.arange(12) + 12 * k
        batch = rng.integers(0, 12, (3, 4 - k))
        moves = draw_moves("crop-flip", 5, 0, k, *batch.shape)
        assert moves is not None
        count = np.full(3, 4 - k)
        clients.append(Client(k, index, data.labels[index]))
        moved.append(LocalBatches(batch, count, moves))
        rows.append((index[torch.from_numpy(batch)], torch.from_numpy(moves)))
        plain.append((batch, count))
    got, _ = trainer(model, start, start.new_zeros(2, 0), Pool(pools, fill), clients, moved, 0.1)  # type: ignore[operator]
    # The same images laid out beforehand, one by one.
    laid = [moved_images(pools[r.flatten()], m.flatten(0, 1), fill) for r, m in rows]
    others = [
        Client(
            k,
            torch.arange(len(laid[k])) + k * len(laid[0]),
            clients[k].targets[torch.from_numpy(plain[k][0])].flatten(),
        )
        for k in range(2)
    ]
    steps = [LocalBatches(np.arange(len(laid[k])).reshape(plain[k][0].shape), plain[k][1]) for k in range(2)]
    expected, _ = trainer(model, start, start.new_zeros(2, 0), Pool(torch.cat(laid)), others, steps, 0.1)  # type: ignore[operator]
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-12)


def test_a_run_moves_images_and_stragglers_see_the_first() -> None:
    config = replace(SHORT, augment="crop")
    whole = draw_batches(Setup.of(config), 1, 2, 30)
    assert whole.moves is not None
    assert whole.first(1).moves is not None
    assert not torch.equal(run(config, Proportional()).model, run(SHORT, Proportional()).model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"augment": "flip"}, "a mirrored character is another; expected 'crop'"),
        ({"augment": "turn"}, "RunConfig.augment='turn'.: must be one of none, flip, crop, crop-flip"),
        ({"augment": "crop", "dataset": "tiny-shakespeare"}, "no images; expected 'none'"),
        ({"scaling": "half"}, "must be one of none, dataset"),
        ({"client_test": 1.0}, r"RunConfig\(client_test=1.0\): must be a number in \[0, 1\)"),
        ({"client_test": 0.1, "cohort": "imbalanced(n_clients=3)"}, "do not return; expected a fixed population"),
        ({"target": "uniform; skew", "buffers": "local"}, "expected one target"),
        ({"target": "uniform; skw"}, "unknown target 'skw'; nearest: skew"),
    ],
)
def test_the_door(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SHORT, **change)  # type: ignore[arg-type]


def test_each_client_is_judged_on_what_it_held_out() -> None:
    config = replace(SHORT, client_test=0.2, n_sampled=5)
    task, whole = make_task(Setup.of(config), CPU), make_task(Setup.of(replace(config, client_test=0.0)), CPU)
    assert task.population is not None
    assert whole.population is not None
    for kept, judged, everything in zip(
        task.population.clients, task.client_test, whole.population.clients, strict=True
    ):
        assert judged is not None
        assert len(judged) == int(0.2 * len(everything))
        assert sorted([*kept.index.tolist(), *judged.index.tolist()]) == everything.index.tolist()
    state, record = play_round(Setup.of(config, Proportional()), task, first_state(Setup.of(config), task))  # type: ignore[misc]
    for k, judged in enumerate(task.client_test):
        assert judged is not None
        logits = task.model.logits(state.model, task.pool.inputs[judged.index])
        right = (logits.argmax(1) == judged.targets).double().mean()
        assert record.client_test_accuracy[k] == pytest.approx(float(right), abs=1e-15)
    sizes = [len(c) for c in task.population.clients]
    np.testing.assert_allclose(record.share, np.array(sizes) / sum(sizes))


def test_several_targets_are_judged_in_one_run() -> None:
    names = ("exponential(rho=20)", "uniform", "skew(client=1)")
    config = replace(SHORT, target="; ".join(names))
    task = make_task(Setup.of(config), CPU)
    state, record = play_round(Setup.of(config, Proportional()), task, first_state(Setup.of(config), task))  # type: ignore[misc]
    right = (task.model.logits(state.model, task.test.inputs).argmax(1) == task.test.targets).double().numpy()
    counts = np.array(task.partition_counts)
    for name in names:
        weight = target_weights(task.test.targets.numpy(), make_target(name).shares(counts))
        assert record.target_accuracy[name] == pytest.approx(float(weight @ right), abs=1e-12)
    assert record.test_accuracy == pytest.approx(record.target_accuracy[names[0]])
    alone = run(replace(config, target=names[0]), Proportional()).history[0]
    assert alone.test_loss == pytest.approx(record.test_loss)
    assert alone.target_accuracy == {}


def test_groups_stay_with_their_samples() -> None:
    data = replace(images(20), groups=Groups("domain", torch.arange(20) % 2, ("a", "b")))
    cut = make_split(Parts(data, data), "whole", 0)
    assert cut.train.groups is not None
