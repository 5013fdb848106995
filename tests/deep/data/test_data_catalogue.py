from __future__ import annotations

import numpy as np
import pytest
import torch

from deep.data import (
    DATASETS,
    Dataset,
    RegressionDataset,
    TokenDataset,
    digits,
    make_dataset,
    make_split,
    official_split,
    read_parts,
    synthetic_regression,
)


@pytest.fixture(autouse=True)
def _no_data_root(monkeypatch):
    monkeypatch.delenv("FEDVERDICT_DATA", raising=False)


def test_bundled_data_sets_need_no_files():
    assert {name for name, reader in DATASETS.items() if reader.bundled} == {"digits", "synthetic-regression"}
    assert torch.equal(make_dataset("digits").images, digits().images)
    assert len(make_dataset("synthetic-regression", kind=RegressionDataset)) == len(synthetic_regression())


def test_every_paper_finds_its_data():
    wanted = {"mnist", "fashion-mnist", "emnist-balanced", "cifar-10", "cifar-100", "cinic-10", "office-caltech10"}
    wanted |= {"office-caltech10/webcam", "domainnet", "domainnet/quickdraw", "svhn", "usps", "mnist-m", "synth-digits"}
    wanted |= {"digits-five", "ag-news", "sentiment140", "tiny-shakespeare", "leaf-shakespeare", "synthetic-regression"}
    assert wanted < set(DATASETS)


@pytest.mark.parametrize("name", [name for name, reader in DATASETS.items() if not reader.bundled])
def test_a_data_set_without_files_says_what_it_needs(tmp_path, monkeypatch, name):
    with pytest.raises(
        ValueError, match=rf"dataset '{name}' needs data_root .or FEDVERDICT_DATA., a folder with "
    ) as caught:
        read_parts(name)
    assert DATASETS[name].files in str(caught.value)
    with pytest.raises(ValueError, match=r"is no folder; expected one with"):
        read_parts(name, tmp_path / "absent")
    with pytest.raises(ValueError, match=rf"no such folder under {tmp_path}; expected .*/. Nothing is downloaded"):
        read_parts(name, tmp_path)
    monkeypatch.setenv("FEDVERDICT_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=rf"no such folder under {tmp_path}"):
        read_parts(name)


def test_kinds_are_not_mistaken_for_each_other():
    with pytest.raises(ValueError, match="'ag-news' holds TokenDataset; expected kind=TokenDataset, not Dataset"):
        make_dataset("ag-news")
    with pytest.raises(ValueError, match="'digits' holds Dataset; expected kind=Dataset, not TokenDataset"):
        make_dataset("digits", kind=TokenDataset)
    with pytest.raises(ValueError, match="'sentiment140' holds TokenDataset"):
        official_split("sentiment140")


def test_only_an_official_part_is_called_official():
    with pytest.raises(
        ValueError, match=r"official_split\('digits'\): has no official test part; use split\(make_dataset"
    ):
        official_split("digits")
    with pytest.raises(ValueError, match="unknown dataset 'minst'; nearest: mnist"):
        official_split("minst")


def test_a_recipe_cuts_what_a_name_reads():
    made = make_split(read_parts("digits"), "efl", seed=1)
    assert isinstance(made.train, Dataset)
    assert [len(part) for part in (made.train, made.validation, made.test)] == [1438, 180, 179]


def test_synthetic_regression_follows_from_its_seed():
    one, again, other = (synthetic_regression(seed) for seed in (0, 0, 1))
    assert torch.equal(one.features, again.features)
    assert torch.equal(one.targets, again.targets)
    assert not torch.equal(one.features[:50], other.features[:50])
    assert one.groups.kind == "client"
    sizes = torch.bincount(one.groups.index)
    assert len(sizes) == 30
    assert int(sizes.min()) >= 2
    assert abs(float(sizes.double().mean()) - 100) < 1  # rounding of thirty sizes


def test_another_client_changes_nobody_else_s_samples():
    few, more = (synthetic_regression(n_clients=n, mean_samples=40) for n in (3, 4))
    n = min(int((data.groups.index == 1).sum()) for data in (few, more))
    # Sizes are scaled to their mean, so they may differ; a client's law and weights do not.
    first, second = (data.features[data.groups.index == 1][:1] for data in (few, more))
    assert n >= 2
    assert torch.equal(first, second)


@pytest.mark.parametrize("skew", [0.0, 3.0])
def test_the_targets_are_the_stated_linear_ones(skew):
    """Without noise, least squares on one client finds weights that explain it; without skew, they explain all."""
    data = synthetic_regression(n_clients=4, mean_samples=200, n_features=5, skew=skew, noise=0.0)
    x, y, client = data.features.double().numpy(), data.targets.double().numpy(), data.groups.index.numpy()
    mine = client == np.bincount(client).argmax()
    w = np.linalg.lstsq(x[mine], y[mine], rcond=None)[0]
    np.testing.assert_allclose(x[mine] @ w, y[mine], rtol=0, atol=1e-4)  # features and targets are float32
    assert np.allclose(x @ w, y, atol=1e-4) is (skew == 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_clients": 0}, r"n_clients=0\): must be >= 1"),
        ({"mean_samples": 1}, r"mean_samples=1\): must be >= 2"),
        ({"n_features": 0}, r"n_features=0\): must be >= 1"),
        ({"skew": -1.0}, r"skew=-1.0\): must be finite and >= 0"),
        ({"noise": float("nan")}, r"noise=nan\): must be finite and >= 0"),
        ({"noise": float("inf")}, r"noise=inf\)"),
    ],
)
def test_synthetic_regression_refuses_what_makes_no_sense(change, message):
    with pytest.raises(ValueError, match=message):
        synthetic_regression(**change)
