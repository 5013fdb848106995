"""Data as people have them: a CSV or Parquet with a client column, folders of images, a torch Dataset, three arrays."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from deep import RunConfig, run
from deep.data import make_scaling, read_parts
from deep.data.catalogue import check_dataset
from deep.data.samples import Dataset, FeatureDataset, RegressionDataset
from theory.rules import make_rule

ROWS = [(f"site {i % 3}", 0.1 * i, i % 5, ("no", "yes")[i % 2]) for i in range(60)]
CSV = "who,a,b,label\n" + "".join(f"{who},{a},{b},{label}\n" for who, a, b, label in ROWS)
CONFIG = RunConfig(n_clients=3, n_sampled=2, n_rounds=2, n_local_steps=2, partition="clients")
OWN = """
import numpy as np
import torch
from torch.utils.data import Dataset, TensorDataset

x, y = np.arange(120.0).reshape(60, 2), np.arange(60) % 3
three = x, y, np.array(["a", "b", "c", "d"])[np.arange(60) % 4]
tensors = TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))

class Pairs(Dataset):
    def __len__(self):
        return 60
    def __getitem__(self, i):
        return x[i], int(y[i])

class Singles(Pairs):
    def __getitem__(self, i):
        return x[i], 0, 0

class Broken(Pairs):
    def __getitem__(self, i):
        raise KeyError("lost")

short = x, y, [1, 2]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with people.csv in it."""
    (tmp_path / "people.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the working directory, one that no other test has imported."""
    name = f"data_{tmp_path.name}".replace("-", "_").replace("[", "_").replace("]", "_")
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return name


def test_a_csv_has_features_classes_and_clients(folder: Path) -> None:
    data = read_parts("csv(path='people.csv', target=label, client=who)").train
    assert isinstance(data, FeatureDataset)
    np.testing.assert_allclose(data.inputs.numpy(), [(a, b) for _, a, b, _ in ROWS], rtol=1e-6)
    assert data.outputs.tolist() == [int(label == "yes") for *_, label in ROWS]
    assert data.groups is not None
    assert (data.groups.kind, data.groups.names) == ("client", ("site 0", "site 1", "site 2"))
    assert data.groups.index.tolist() == [i % 3 for i in range(60)]


def test_a_packed_csv_and_a_parquet_hold_the_same(folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    (folder / "packed.csv").write_bytes(gzip.compress(CSV.encode()))
    columns = dict(zip(("who", "a", "b", "label"), map(list, zip(*ROWS, strict=True)), strict=True))
    pq.write_table(pa.table(columns), folder / "people.parquet")
    plain, *others = (
        read_parts(f"{kind}(path='{path}', target=label, client=who)").train
        for kind, path in (("csv", "people.csv"), ("csv", "packed.csv"), ("parquet", "people.parquet"))
    )
    assert plain.groups is not None
    for other in others:
        assert torch.equal(plain.inputs, other.inputs)
        assert torch.equal(plain.outputs, other.outputs)
        assert other.groups is not None
        assert plain.groups.names == other.groups.names


def test_features_are_scaled_each_by_itself(folder: Path) -> None:
    data = read_parts("csv(path='people.csv', target=label, client=who)").train
    scaled = make_scaling("channel", data)(data.inputs)
    np.testing.assert_allclose(scaled.mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(scaled.std(0, unbiased=False), 1, rtol=1e-6)


def test_numbers_are_regressed_on_where_that_is_asked_for(folder: Path) -> None:
    (folder / "people.csv").write_text("a,b\n1,2\n3,4\n")
    data = read_parts("csv(path='people.csv', target=b, regression=true)").train
    assert isinstance(data, RegressionDataset)
    assert data.outputs.tolist() == [2.0, 4.0]


def test_a_run_has_the_clients_of_the_file_and_its_folder_belongs_to_the_content(folder: Path) -> None:
    config = replace(CONFIG, dataset="csv(path='people.csv', target=label, client=who)")
    first = run(config, make_rule("uniform"), out=folder / "r")
    assert sum(map(sum, first.partition_counts)) == 42  # of 60, by the split
    assert len({tuple(row) for row in first.partition_counts}) > 1
    with pytest.raises(ValueError, match="the data have 3 clients; one client each; expected n_clients=3"):
        run(replace(config, n_clients=4), make_rule("uniform"))
    (folder / "people.csv").write_text(CSV.replace("site 0,0.0", "site 1,0.0"))
    with pytest.raises(ValueError, match=r"belongs to another run; dataset is .csv sha256:"):
        run(replace(config, n_rounds=3), make_rule("uniform"), out=folder / "r")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("csv(path='nowhere.csv', target=label)", "nowhere.csv: .*No such file|No such file.*nowhere.csv"),
        ("csv(path='people.csv', target=lable)", "has no column target='lable'; its columns are who, a, b, label"),
        ("csv(path='people.csv', target=label, client=whose)", "has no column client='whose'"),
        ("csv(path='people.csv', target=label)", "row 2: who is 'site 0'; expected a finite number"),
        ("csv(path='ragged.csv', target=b)", "ragged.csv, row 3: 1 values; its header names 2 columns"),
        ("csv(path='gap.csv', target=b)", "gap.csv, row 3: a is ''; expected a finite number"),
    ],
)
def test_a_fault_of_a_table_is_one_line(folder: Path, words: str, message: str) -> None:
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (folder / "gap.csv").write_text("a,b\n1,2\n,4\n")
    with pytest.raises(ValueError, match=message) as caught:
        read_parts(words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("people.csv", r"expected .csv\(path='people.csv', target='COLUMN', client='COLUMN'\)"),
        ("csv(target=label)", r"settings \[\] unknown, \['path'\] missing"),
        ("csv(path='people.csv', target=label, clients=who)", r"settings \['clients'\] unknown"),
    ],
)
def test_words_for_a_file_are_checked_before_it_is_read(words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_dataset(words)


def test_a_folder_of_images_has_a_class_a_folder(folder: Path) -> None:
    images = pytest.importorskip("PIL.Image")
    for part, shade in (("train", 0), ("test", 255)):
        for name in ("cat", "dog"):
            (folder / "photos" / part / name).mkdir(parents=True)
            images.new("RGB", (9, 5), (shade, 0, 0)).save(folder / "photos" / part / name / "1.png")
    parts = read_parts("images(path='photos', size=4)")
    assert isinstance(parts.train, Dataset)
    assert parts.train.images.shape == (2, 3, 4, 4)
    assert parts.train.labels.tolist() == [0, 1]
    assert isinstance(parts.test, Dataset)
    assert parts.test.images[:, 0].unique().tolist() == [1.0]
    alone = read_parts("images(path='photos/train', size=4)")
    assert alone.test is None
    assert torch.equal(alone.train.inputs, parts.train.inputs)
    with pytest.raises(ValueError, match="is no folder"):
        read_parts("images(path='pictures')")


@pytest.mark.parametrize("name", ["tensors", "Pairs"])
def test_a_torch_dataset_is_its_samples(mine: str, name: str) -> None:
    data = read_parts(f"{mine}:{name}").train
    assert isinstance(data, FeatureDataset)
    assert data.inputs.flatten().tolist() == list(range(120))
    assert data.outputs.tolist() == [i % 3 for i in range(60)]


def test_a_third_array_says_whose_each_sample_is(mine: str) -> None:
    data = read_parts(f"{mine}:three").train
    assert data.groups is not None
    assert data.groups.names == ("a", "b", "c", "d")
    assert data.groups.index.tolist() == [i % 4 for i in range(60)]
    config = replace(CONFIG, dataset=f"{mine}:three", n_clients=4, local_lr=0.001)
    assert run(config, make_rule("uniform")).status == "completed"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Singles", "at least one pair .input, target."),
        ("Broken", "reading its samples raised KeyError: 'lost'"),
        ("short", r"clients of shape \(2,\); expected \(60,\)"),
    ],
)
def test_a_fault_of_ones_own_data_is_one_line(mine: str, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_parts(f"{mine}:{name}")
