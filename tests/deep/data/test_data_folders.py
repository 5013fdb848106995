from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from deep.data import Dataset, domain_split, make_dataset, official_split, per_group, read_parts
from deep.data.sets.folders import (
    DOMAINNET_CLASSES,
    DOMAINNET_DOMAINS,
    DOMAINNET_IMAGES,
    OFFICE_DOMAINS,
    OFFICE_IMAGES,
    domainnet,
    office_caltech10,
    read_images,
)

Image = pytest.importorskip("PIL.Image", reason="Pillow decodes image files; it is no dependency of the package")


def picture(path, seed=0, size=(4, 6), mode="RGB"):
    """Write random pixels, (height, width), and return them as (3, height, width)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    array = np.random.default_rng(seed).integers(0, 256, (*size, 3), dtype=np.uint8)
    image = Image.fromarray(array).convert(mode)
    image.save(path)
    return np.asarray(image.convert("RGB")).transpose(2, 0, 1)


def domains(root, names, classes=("bike", "mug"), each=2):
    for place, name in enumerate(names):
        for label, group in enumerate(classes):
            for i in range(each):
                picture(root / name / group / f"{i}.png", seed=100 * place + 10 * label + i, size=(4 + i, 6))


def test_cinic10_has_three_official_parts(tmp_path):
    for part, seed in (("train", 1), ("valid", 2), ("test", 3)):
        for label, group in enumerate(("airplane", "cat")):
            picture(tmp_path / "CINIC-10" / part / group / "a.png", seed=10 * seed + label)
    parts = official_split("cinic-10", tmp_path, verify=False)
    assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [2, 2, 2]
    assert parts.train.labels.tolist() == [0, 1]
    expected = picture(tmp_path / "again.png", seed=20)
    assert torch.equal(parts.validation.images[0], torch.tensor(expected / 255, dtype=torch.float32))
    with pytest.raises(ValueError, match=r"train: 2 images in 2 classes; expected 90,000 in 10. verify=False"):
        official_split("cinic-10", tmp_path)


@pytest.mark.parametrize(
    ("name", "folder", "every", "classes"),
    [
        ("office-caltech10", "office_caltech_10", OFFICE_DOMAINS, ("bike", "mug")),
        ("domainnet", "DomainNet", DOMAINNET_DOMAINS, DOMAINNET_CLASSES),
    ],
)
def test_domains_stand_together_or_alone(tmp_path, name, folder, every, classes):
    # DomainNet has more classes than the ten that are used.
    domains(tmp_path / folder, every, classes if name == "office-caltech10" else ("aircraft", *classes))
    together = make_dataset(name, tmp_path, verify=False)
    per_domain = 2 * len(classes)
    assert len(together) == per_domain * len(every)
    assert together.image_shape == (3, 64, 64)
    assert together.groups.kind == "domain"
    assert together.groups.names == every
    assert together.groups.index.tolist() == [d for d in range(len(every)) for _ in range(per_domain)]
    assert together.labels[:per_domain].tolist() == [c for c in range(len(classes)) for _ in range(2)]
    alone = make_dataset(f"{name}/{every[1]}", tmp_path, verify=False)
    assert (alone.name, alone.groups) == (f"{name}/{every[1]}", None)
    assert torch.equal(alone.images, together.images[per_domain : 2 * per_domain])
    with pytest.raises(ValueError, match=rf"{every[0]}: {per_domain} images; expected (958|2,629)"):
        make_dataset(name, tmp_path)


def test_each_domain_is_cut_by_the_rule_of_its_paper(tmp_path):
    domains(tmp_path / "office-caltech10", OFFICE_DOMAINS, each=5)
    made = per_group(domain_split, read_parts("office-caltech10", tmp_path, verify=False), seed=0)
    assert tuple(made) == OFFICE_DOMAINS
    assert [len(part) for part in (made["dslr"].train, made["dslr"].validation, made["dslr"].test)] == [5, 3, 2]


def test_mnist_m_takes_labels_from_its_list(tmp_path):
    folder = tmp_path / "mnist_m"
    for part in ("train", "test"):
        for i in range(3):
            picture(folder / f"mnist_m_{part}" / f"{i}.png", seed=i)
        (folder / f"mnist_m_{part}_labels.txt").write_text("2.png 5\n0.png 9\n1.png 5\n")
    parts = official_split("mnist-m", tmp_path, verify=False)
    assert parts.train.labels.tolist() == [5, 9, 5]
    expected = picture(tmp_path / "again.png", seed=2)
    assert torch.equal(parts.test.images[0], torch.tensor(expected / 255, dtype=torch.float32))
    with pytest.raises(ValueError, match=r"mnist_m_train_labels.txt: 3 images; expected 59,001"):
        official_split("mnist-m", tmp_path)
    (folder / "mnist_m_train_labels.txt").write_text("0.png 3\n1.png five\n")
    with pytest.raises(
        ValueError, match=r"mnist_m_train_labels.txt, line 2: '1.png five'; expected a file name and a digit"
    ):
        official_split("mnist-m", tmp_path, verify=False)
    (folder / "mnist_m_train_labels.txt").write_text("absent.png 3\n")
    with pytest.raises(ValueError, match=r"absent.png: missing, truncated or no image"):
        official_split("mnist-m", tmp_path, verify=False)


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA"])
def test_images_of_any_mode_become_three_channels(tmp_path, mode):
    expected = picture(tmp_path / "a.png", mode=mode)
    assert np.array_equal(read_images([tmp_path / "a.png"], None)[0], expected)
    assert read_images([tmp_path / "a.png"], 3).shape == (1, 3, 3, 3)


def test_resizing_keeps_a_constant_image(tmp_path):
    Image.new("RGB", (9, 5), (10, 20, 30)).save(tmp_path / "a.png")
    resized = read_images([tmp_path / "a.png"], 4)
    assert (resized == np.array([10, 20, 30], np.uint8)[None, :, None, None]).all()


def test_damaged_images_name_themselves(tmp_path):
    picture(tmp_path / "a.png", size=(40, 40))
    picture(tmp_path / "b.png", size=(5, 4))
    with pytest.raises(ValueError, match=r"b.png: 5 × 4 pixels; a.png has \(40, 40\)"):
        read_images([tmp_path / "a.png", tmp_path / "b.png"], None)
    content = (tmp_path / "a.png").read_bytes()
    for spoilt in (content[: len(content) // 2], b"no image", b""):
        (tmp_path / "c.png").write_bytes(spoilt)
        with pytest.raises(ValueError, match=r"c.png: missing, truncated or no image"):
            read_images([tmp_path / "c.png"], 4)
    with pytest.raises(ValueError, match=r"expected at least one image"):
        read_images([], 4)


def test_without_pillow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ValueError, match=r"needs Pillow: pip install pillow"):
        read_images([tmp_path / "a.png"], None)


def test_wrong_folders_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"office-caltech10\(domain='amazone'\): expected one of amazon, "):
        office_caltech10(tmp_path, domain="amazone")
    with pytest.raises(ValueError, match=r"domainnet\(size=0\): must be >= 1"):
        domainnet(tmp_path, size=0)
    with pytest.raises(ValueError, match=r"expected office_caltech_10/, office-caltech10/"):
        office_caltech10(tmp_path)
    root = tmp_path / "office-caltech10"
    (root / "amazon").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"amazon: no folder at all; expected one for each class"):
        office_caltech10(tmp_path)
    (root / "amazon" / "bike").mkdir()
    with pytest.raises(ValueError, match=r"bike: no image; expected .bmp, .jpeg, .jpg, .png"):
        office_caltech10(tmp_path)
    domains(root, ["amazon"], ("bike", "mug"))
    with pytest.raises(ValueError, match=r"expected caltech/"):
        office_caltech10(tmp_path, verify=False)
    domains(root, ["caltech"], ("bike", "cup"))
    with pytest.raises(ValueError, match=r"caltech: classes bike, cup; expected bike, mug"):
        office_caltech10(tmp_path, verify=False)
    domains(tmp_path / "domainnet", ["clipart"], ("bird", "zebra"))
    with pytest.raises(ValueError, match=r"clipart: no folder feather, headphones, ice_cream, "):
        domainnet(tmp_path, verify=False)


def test_the_counts_that_are_verified_are_those_of_the_paper():
    published = Path(__file__).parents[3] / "paper_checks" / "exp_alpha" / "published"
    for table, images in (("table05_splits_office", OFFICE_IMAGES), ("table06_splits_domainnet", DOMAINNET_IMAGES)):
        totals = {}
        with (published / f"{table}.csv").open() as file:
            for row in csv.DictReader(file):
                domain = row["domain"].lower()
                totals[domain] = totals.get(domain, 0) + int(row["value"])
        assert totals == images


def test_images_are_a_dataset(tmp_path):
    domains(tmp_path / "office-caltech10", OFFICE_DOMAINS)
    assert isinstance(office_caltech10(tmp_path, verify=False, size=8).train, Dataset)
