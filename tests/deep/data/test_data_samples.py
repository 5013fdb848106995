from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deep.data import Dataset, Groups, RegressionDataset, TokenDataset, moved, pooled, split, subset

GROUPS = Groups("user", torch.tensor([0, 1, 1, 0]), ("ann", "bob"))
WORDS = ("<pad>", "<unk>", "a", "b")
IMAGES = Dataset(torch.rand(4, 1, 2, 2), torch.tensor([0, 1, 0, 1]), 2, "images", "a note", GROUPS)
TOKENS = TokenDataset(
    torch.tensor([[2, 3], [3, 3], [2, 0], [1, 0]]), torch.tensor([0, 1, 2, 0]), 3, WORDS, "t", groups=GROUPS
)
NUMBERS = RegressionDataset(torch.arange(8.0).reshape(4, 2), torch.arange(4.0), "numbers", groups=GROUPS)
KINDS = pytest.mark.parametrize("dataset", [IMAGES, TOKENS, NUMBERS], ids=lambda d: type(d).__name__)


@KINDS
@pytest.mark.parametrize("with_groups", [True, False])
def test_every_kind_has_the_same_small_interface(dataset, with_groups):
    if not with_groups:
        dataset = replace(dataset, groups=None)
    order = torch.tensor([3, 1])
    part = subset(dataset, order)
    assert len(dataset) == 4
    assert len(part) == 2
    assert torch.equal(part.inputs, dataset.inputs[order])
    assert torch.equal(part.outputs, dataset.outputs[order])
    assert (part.name, part.note) == (dataset.name, dataset.note)
    assert (part.groups.index.tolist(), part.groups.names) == ([0, 1], GROUPS.names) if with_groups else not part.groups
    there = moved(dataset, torch.device("cpu"))
    assert torch.equal(there.inputs, dataset.inputs)
    assert (there.groups is None) is not with_groups
    whole = pooled([dataset, part])
    assert torch.equal(whole.inputs, torch.cat([dataset.inputs, part.inputs]))
    assert torch.equal(whole.outputs, torch.cat([dataset.outputs, part.outputs]))
    assert (whole.groups.index.tolist() == [0, 1, 1, 0, 0, 1]) if with_groups else not whole.groups


@KINDS
def test_moving_moves_every_tensor(dataset, monkeypatch):
    """A device that cannot hold values is refused by the range checks, so the call itself is what is watched."""
    seen = []
    to = torch.Tensor.to
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, device: seen.append(tensor.shape) or to(tensor, device))
    moved(dataset, torch.device("cpu"))
    assert len(seen) == 3  # inputs, outputs, groups


@KINDS
def test_an_empty_part_is_refused(dataset):
    with pytest.raises(ValueError, match=r"expected at least one"):
        subset(dataset, torch.tensor([], dtype=torch.int64))


@KINDS
@given(seed=st.integers(0, 2**32), n=st.integers(8, 60))
def test_a_split_of_any_kind_loses_and_repeats_nothing(dataset, seed, n):
    long = subset(dataset, torch.arange(n) % 4)
    long = replace(long, groups=Groups("user", torch.arange(n), tuple(map(str, range(n)))))
    parts, again = split(long, seed), split(long, seed)
    who = torch.cat([part.groups.index for part in (parts.train, parts.validation, parts.test)])
    assert sorted(who.tolist()) == list(range(n))
    assert torch.equal(parts.test.inputs, again.test.inputs)
    assert torch.equal(parts.test.inputs, long.inputs[parts.test.groups.index])
    assert torch.equal(parts.test.outputs, long.outputs[parts.test.groups.index])


@pytest.mark.parametrize(
    ("index", "names", "message"),
    [
        (torch.tensor([0, 2]), ("a", "b"), "indices from 0 to 2; expected 0 to 1"),
        (torch.tensor([-1, 0]), ("a", "b"), "indices from -1 to 0; expected 0 to 1"),
        (torch.tensor([0.0]), ("a",), r"index is torch.float32 of shape \(1,\); expected torch.int64 of shape \(n,\)"),
        (torch.tensor([[0]]), ("a",), r"of shape \(1, 1\)"),
        (torch.tensor([0]), (), "expected 0 to -1"),
    ],
)
def test_groups_name_what_is_wrong(index, names, message):
    with pytest.raises(ValueError, match=message) as caught:
        Groups("speaker", index, names)
    caught.match("Groups.kind='speaker'")


@KINDS
def test_a_group_for_each_sample(dataset):
    with pytest.raises(ValueError, match=r"groups name a user for 1 samples; expected one for each of 4"):
        replace(dataset, groups=Groups("user", torch.tensor([0]), ("ann",)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": TOKENS.tokens.int()}, r"tokens are torch.int32 .* expected torch.int64 of shape \(n, length\)"),
        ({"tokens": TOKENS.tokens[0]}, r"of shape \(2,\)"),
        ({"tokens": TOKENS.tokens + 1}, "tokens from 1 to 4; expected 0 to 3"),
        ({"tokens": TOKENS.tokens - 1}, "tokens from -1 to 2"),
        ({"tokens": TOKENS.tokens[:, :0]}, r"shape \(4, 0\); expected at least one"),
        ({"labels": TOKENS.labels[:2]}, r"expected torch.int64 of shape \(4,\), one per sequence"),
        ({"labels": TOKENS.labels + 1}, "labels from 1 to 3; expected 0 to 2"),
        ({"n_classes": 1}, "n_classes=1; must be >= 2"),
    ],
)
def test_token_sequences_name_what_is_wrong(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        replace(TOKENS, **change)
    caught.match(r"TokenDataset\(name='t'\)")


def test_token_sequences_know_their_length():
    assert TOKENS.length == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"features": NUMBERS.features.double()},
            r"features are torch.float64 .* expected torch.float32 of shape \(n, d\)",
        ),
        ({"features": NUMBERS.targets}, r"features are torch.float32 of shape \(4,\)"),
        ({"features": NUMBERS.features[..., None]}, r"of shape \(4, 2, 1\)"),
        ({"features": NUMBERS.features[:, :0]}, r"shape \(4, 0\); expected at least one"),
        ({"features": NUMBERS.features / 0}, "features hold NaN or infinity"),
        ({"targets": NUMBERS.targets / 0}, "targets hold NaN or infinity"),
        ({"targets": NUMBERS.targets[:3]}, r"targets are .* expected torch.float32 of shape \(4,\), one per row"),
        ({"targets": NUMBERS.targets.int()}, "targets are torch.int32"),
    ],
)
def test_regression_names_what_is_wrong(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        replace(NUMBERS, **change)
    caught.match(r"RegressionDataset\(name='numbers'\)")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (replace(IMAGES, images=torch.zeros(4, 1, 3, 3)), r"differ in sample shape: \(1, 2, 2\) and \(1, 3, 3\)"),
        (replace(IMAGES, n_classes=3), "differ in n_classes: 2 and 3"),
        (replace(IMAGES, groups=None), "differ in kind of group: user and None"),
        (replace(IMAGES, groups=replace(GROUPS, names=("ann", "eve"))), r"differ in names of groups: .*'bob'.*'eve'"),
        (NUMBERS, "'images' and 'numbers' differ in kind: Dataset and RegressionDataset"),
    ],
)
def test_only_like_is_pooled_with_like(other, message):
    with pytest.raises(ValueError, match=message):
        pooled([IMAGES, other])
    with pytest.raises(ValueError, match=r"at least one part"):
        pooled([])
