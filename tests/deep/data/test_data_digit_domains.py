from __future__ import annotations

import bz2
import io

import numpy as np
import pytest
import torch
from scipy.io import savemat

from deep.data import digits_split, make_dataset, official_split, per_group
from deep.data.sets import digit_domains as module
from tests.deep.data.test_data_idx import write as write_mnist

SYNTH = {"train": "synth_train_32x32.mat", "test": "synth_test_32x32.mat"}
SVHN = {"train": "train_32x32.mat", "test": "test_32x32.mat"}


def mat(**variables):
    file = io.BytesIO()
    savemat(file, variables)
    return file.getvalue()


def house_numbers(n, seed, lowest=1):
    """X (32, 32, 3, n) and y (n, 1) with the labels lowest, lowest + 1, …"""
    images = np.random.default_rng(seed).integers(0, 256, (32, 32, 3, n), dtype=np.uint8)
    return {"X": images, "y": (np.arange(n, dtype=np.uint8) % 10 + lowest)[:, None]}


def write_mat(folder, names, lowest=1, n=(12, 4)):
    folder.mkdir(parents=True)
    for seed, name in enumerate(names.values()):
        (folder / name).write_bytes(mat(**house_numbers(n[seed], seed, lowest)))


def usps_line(label, values):
    return " ".join([str(label), *(f"{i + 1}:{v:.4f}" for i, v in enumerate(values))])


def write_usps(folder, packed=True, n=(11, 3)):
    folder.mkdir(parents=True)
    kept = {}
    for seed, name in enumerate(("usps", "usps.t")):
        values = np.round(np.random.default_rng(seed).uniform(-1, 1, (n[seed], 256)), 4)
        text = "\n".join(usps_line(i % 10 + 1, row) for i, row in enumerate(values)).encode()
        (folder / (name + ".bz2" * packed)).write_bytes(bz2.compress(text) if packed else text)
        kept[name] = values
    return kept


@pytest.mark.parametrize(("name", "folder", "files"), [("svhn", "SVHN", SVHN), ("synth-digits", "SynthDigits", SYNTH)])
@pytest.mark.parametrize("lowest", [0, 1])
def test_mat_files_with_ten_as_zero_or_zero_itself(tmp_path, name, folder, files, lowest):
    write_mat(tmp_path / folder, files, lowest)
    parts = official_split(name, tmp_path, verify=False)
    assert (len(parts.train), len(parts.test)) == (12, 4)
    assert parts.train.image_shape == (3, 32, 32)
    assert parts.train.labels.tolist() == [(lowest + i % 10) % 10 for i in range(12)]
    expected = house_numbers(4, 1)["X"][:, :, :, 3].transpose(2, 0, 1)
    assert torch.equal(parts.test.images[3], torch.tensor(expected / 255, dtype=torch.float32))


def test_published_sizes_and_md5_are_asked_for(tmp_path):
    write_mat(tmp_path / "svhn", SVHN)
    write_mat(tmp_path / "synth_digits", SYNTH)
    write_usps(tmp_path / "usps")
    with pytest.raises(ValueError, match=r"/train_32x32.mat: [\d,]+ bytes with md5 \w{32}; published is e26ded"):
        make_dataset("svhn", tmp_path)
    with pytest.raises(ValueError, match=r"synth_train_32x32.mat: 12 images; expected 479,400"):
        make_dataset("synth-digits", tmp_path)
    with pytest.raises(ValueError, match=r"usps.bz2: [\d,]+ bytes with md5 \w{32}; published is ec16"):
        make_dataset("usps", tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no mat file at all, but long enough to be looked into" * 9, "truncated, or no MATLAB 5 file"),
        (b"", "truncated, or no MATLAB 5 file .0 bytes."),
        (mat(**house_numbers(5, 0))[:2000], "truncated, or no MATLAB 5 file .2,000 bytes."),
        (mat(X=np.zeros((32, 32, 3, 2), np.uint8), z=1), r"holds \['X'\]; expected the variables X and y"),
        (
            mat(X=np.zeros((32, 32, 3, 2)), y=[[1], [2]]),
            r"X is float64 of shape \(32, 32, 3, 2\) with 2 labels; expected",
        ),
        (mat(X=np.zeros((2, 32, 32, 3), np.uint8), y=[[1], [2]]), r"X is uint8 of shape \(2, 32, 32, 3\)"),
        (mat(X=np.zeros((32, 32, 3, 2), np.uint8), y=[[1]]), "with 1 labels"),
        (mat(X=np.zeros((32, 32, 3, 2), np.uint8), y=[[1], [11]]), r"test_32x32.mat: labels y outside 0 to 10"),
    ],
)
def test_damaged_mat_files_name_themselves(tmp_path, content, message):
    write_mat(tmp_path / "svhn", SVHN)
    (tmp_path / "svhn" / "test_32x32.mat").write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        make_dataset("svhn", tmp_path, verify=False)
    caught.match(r"test_32x32.mat|svhn")


@pytest.mark.parametrize("packed", [True, False])
def test_usps_in_its_libsvm_form(tmp_path, packed):
    kept = write_usps(tmp_path / "usps", packed)
    parts = official_split("usps", tmp_path, verify=False)
    assert (len(parts.train), len(parts.test)) == (11, 3)
    assert parts.train.labels.tolist() == [*range(10), 0]
    expected = (kept["usps.t"].reshape(-1, 1, 16, 16) + 1) / 2
    np.testing.assert_allclose(parts.test.images.numpy(), expected, rtol=0, atol=1e-7)  # float32 of four decimals


def test_an_index_that_usps_leaves_out_is_zero(tmp_path):
    write_usps(tmp_path / "usps", packed=False)
    (tmp_path / "usps" / "usps").write_text("3.0 1:-1 256:1\n")
    image = official_split("usps", tmp_path, verify=False).train.images.flatten()
    assert image[[0, 1, 254, 255]].tolist() == [0.0, 0.5, 0.5, 1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:0.5\n2 257:0.5\n", "usps, line 2: '2 257:0.5'; expected a label from 1 to 10, then pairs 1:v … 256:v"),
        ("1 0:0.5\n", "line 1: '1 0:0.5'"),
        ("1 1:1.5\n", "line 1: '1 1:1.5'"),
        ("1 1:nan\n", "line 1: '1 1:nan'"),
        ("one 1:0.5\n", "line 1: 'one 1:0.5'"),
        ("1 1:0.5:2\n", "line 1"),
        ("1 1:0.5\n\n", "line 2: ''"),
        ("11 1:0.5\n", "line 1: '11 1:0.5'"),
        ("", "usps: 0 lines; expected 1 to 14,582, an image each"),
    ],
)
def test_damaged_usps_files_name_the_line(tmp_path, text, message):
    write_usps(tmp_path / "usps", packed=False)
    (tmp_path / "usps" / "usps").write_text(text)
    with pytest.raises(ValueError, match=message):
        official_split("usps", tmp_path, verify=False)


def test_usps_with_the_right_md5_must_have_its_lines(tmp_path, monkeypatch):
    """What md5 and count say is checked apart: here the md5 is made to fit."""
    monkeypatch.setattr(module, "read_unpacked", lambda path, largest, published: path.read_bytes())
    write_usps(tmp_path / "usps", packed=False)
    with pytest.raises(ValueError, match="usps: 11 lines; expected 7,291, an image each"):
        official_split("usps", tmp_path)


def test_five_domains_in_one_form(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow decodes MNIST-M")
    write_mnist(tmp_path / "mnist", n=(9, 4))
    write_mat(tmp_path / "svhn", SVHN)
    write_mat(tmp_path / "synth_digits", SYNTH, lowest=0)
    write_usps(tmp_path / "usps")
    for part in ("train", "test"):
        (tmp_path / "mnist_m" / f"mnist_m_{part}").mkdir(parents=True)
        image.new("RGB", (32, 32), (51, 102, 255)).save(tmp_path / "mnist_m" / f"mnist_m_{part}" / "a.png")
        (tmp_path / "mnist_m" / f"mnist_m_{part}_labels.txt").write_text("a.png 7\n" * 20)
    parts = official_split("digits-five", tmp_path, verify=False)
    assert parts.train.image_shape == (3, 28, 28)
    assert parts.train.groups.names == ("mnist", "svhn", "usps", "synth-digits", "mnist-m")
    assert torch.bincount(parts.train.groups.index).tolist() == [9, 12, 11, 12, 20]
    assert torch.bincount(parts.test.groups.index).tolist() == [4, 4, 3, 4, 20]
    gray = parts.train.images[parts.train.groups.index == 2]
    assert torch.equal(gray[:, 0], gray[:, 2])
    # A constant picture stays what it is, whatever its size becomes.
    constant = torch.tensor([0.2, 0.4, 1.0])[:, None, None].expand(3, 28, 28)
    assert torch.allclose(parts.train.images[-1], constant, rtol=0, atol=1e-6)
    made = per_group(lambda each, seed: digits_split(each, seed, n_kept=10), parts, seed=0)
    assert [len(made["usps"].train), len(made["usps"].validation), len(made["usps"].test)] == [6, 4, 3]
    with pytest.raises(ValueError, match=r"digits_five\(size=0\): must be >= 1"):
        module.digits_five(tmp_path, size=0)
