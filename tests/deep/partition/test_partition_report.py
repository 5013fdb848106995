from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep.partition import (
    Classes,
    Dirichlet,
    Flipped,
    Holdings,
    Iid,
    Imbalance,
    ImbalancedCohorts,
    describe,
    divide,
    division_svg,
)

SVG = "{http://www.w3.org/2000/svg}"
LABELS = np.arange(3000) % 10


def held(*parts: list[int], labels: list[int]) -> Holdings:
    arrays = tuple(np.array(part) for part in parts)
    own = tuple(np.array(labels)[part] for part in arrays)
    return Holdings(tuple(range(len(parts))), arrays, own, ("",) * len(parts))


def test_a_report_on_six_samples_by_hand():
    labels = [0, 0, 1, 1, 2, 0]
    report = describe(held([0, 1, 2], [3], labels=labels), np.array(labels), 3)
    assert report.counts.tolist() == [[2, 1, 0], [0, 1, 0]]
    assert report.sizes.tolist() == [3, 1]
    assert report.shares.tolist() == [0.75, 0.25]
    assert report.class_shares.tolist() == [[2 / 3, 1 / 3, 0], [0, 1, 0]]
    assert report.distances.tolist() == pytest.approx([1 / 6, 1 / 2], abs=1e-15)  # pooled: 1/2, 1/2, 0
    assert report.skew == pytest.approx(1 / 4, abs=1e-15)
    assert report.size_spread == 0.5
    assert report.n_unused == 2
    assert report.n_shared == 0
    assert report.n_wrong.tolist() == [0, 0]


@given(n_clients=st.integers(1, 12), beta=st.floats(0.01, 100), seed=st.integers(0, 999))
def test_skew_lies_in_zero_to_one(n_clients, beta, seed):
    report = describe(divide(Dirichlet(beta), LABELS, n_clients, seed), LABELS, 10)
    assert 0 <= report.skew <= 1 - 1 / max(n_clients, 10) + 1e-12
    assert report.counts.sum() == LABELS.size


def test_skew_is_zero_for_equal_clients_and_largest_without_a_class_in_common():
    assert describe(divide(Imbalance(ratio=1.0), LABELS, 10, 0), LABELS, 10).skew == 0
    assert describe(divide(Classes(m=1), LABELS, 10, 0), LABELS, 10).skew == pytest.approx(0.9, abs=1e-15)
    assert describe(divide(Classes(m=2), LABELS, 5, 0), LABELS, 10).skew == pytest.approx(0.8, abs=1e-15)


def test_flipped_labels_count_as_flipped():
    report = describe(divide(Flipped(corruption=0.5, exact=True), LABELS, 10, 0), LABELS, 10)
    assert sorted(report.n_wrong.tolist()) == [0] * 5 + [300] * 5
    assert [wrong > 0 for wrong in report.n_wrong.tolist()] == [kind == "flipped=1" for kind in report.kinds]
    assert report.counts.sum() == LABELS.size


def test_cohorts_made_anew_may_share_samples():
    report = describe(ImbalancedCohorts(size=100).cohort(0, 0, LABELS), LABELS, 10)
    assert report.n_shared > 0
    assert report.n_unused > 0
    assert describe(held([0, 1], [1, 2], labels=[0, 0, 1]), np.array([0, 0, 1]), 2).n_shared == 1
    assert report.kinds[0].startswith("ratio=")


def test_a_report_is_plain_json():
    report = describe(divide(Flipped(), LABELS, 4, 0), LABELS, 10)
    again = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert again["sizes"] == report.sizes.tolist()
    assert again["skew"] == report.skew
    assert set(again) >= {"counts", "class_shares", "n_unused", "n_wrong", "kinds"}


def test_labels_outside_the_classes_and_empty_clients_are_refused():
    with pytest.raises(ValueError, match="labels 0 to 9; expected 0 to 8"):
        describe(divide(Iid(), LABELS, 4, 0), LABELS, 9)
    with pytest.raises(ValueError, match="client 1 is empty"):
        describe(Holdings((0, 1), (np.arange(3), LABELS[:0]), (LABELS[:3], LABELS[:0]), ("", "")), LABELS, 10)


@pytest.mark.parametrize(("n_clients", "n_classes"), [(1, 2), (5, 10), (100, 10), (100, 100), (250, 62)])
def test_a_picture_holds_every_client_and_count_inside_its_frame(n_clients, n_classes):
    labels = np.arange(20_000) % n_classes
    report = describe(divide(Flipped(Dirichlet(0.3)), labels, n_clients, 0), labels, n_classes)
    root = ElementTree.fromstring(division_svg(report, "β < 1 & 'more'"))
    assert root.find(f"{SVG}title").text == "β < 1 & 'more'"
    assert f"{n_clients} clients, 20,000 samples" in root.find(f"{SVG}desc").text
    width, height = float(root.get("width")), float(root.get("height"))
    circles, bars = list(root.iter(f"{SVG}circle")), list(root.iter(f"{SVG}rect"))
    assert len(circles) == (report.counts > 0).sum()
    assert len(bars) == n_clients + 1  # and the ground
    for circle in circles:
        x, y, r = (float(circle.get(name)) for name in ("cx", "cy", "r"))
        assert 0 <= x - r < x + r <= width
        assert 0 <= y - r < y + r <= height
    for bar in bars:
        x, y, w, h = (float(bar.get(name)) for name in ("x", "y", "width", "height")) if bar.get("x") else (0,) * 4
        assert x + w <= width
        assert y + h <= height
    tall = np.array([float(bar.get("height")) for bar in bars[1:]])
    np.testing.assert_allclose(tall / tall.max(), report.sizes / report.sizes.max(), atol=0.002)  # printed to 0.1 of 56
    assert "nan" not in ElementTree.tostring(root, encoding="unicode")


def test_bubbles_have_the_area_of_the_class_share():
    labels = [0, 0, 0, 1, 1, 1]
    report = describe(held([0, 1, 2, 3], [4, 5], labels=labels), np.array(labels), 2)
    circles = list(ElementTree.fromstring(division_svg(report, "three to one")).iter(f"{SVG}circle"))
    area = [float(circle.get("r")) ** 2 for circle in circles]
    np.testing.assert_allclose(np.array(area) / area[2], [0.75, 0.25, 1.0], rtol=5e-3)  # radii to 0.01 of 8
    assert [circle[0].text for circle in circles] == [
        "client 0, class 0: 3",
        "client 0, class 1: 1",
        "client 1, class 1: 2",
    ]


def test_wrong_labels_are_grey_and_said():
    plain = division_svg(describe(divide(Iid(), LABELS, 4, 0), LABELS, 10), "plain")
    flipped = division_svg(describe(divide(Flipped(corruption=1.0), LABELS, 4, 0), LABELS, 10), "flipped")
    assert "grey" not in plain
    assert "#8C8C8C" not in plain
    assert "grey: wrong labels" in flipped
    assert "client 0: 750 samples, flipped=1, 750 wrong labels" in flipped


def test_class_names_are_shown_escaped_and_counted():
    report = describe(divide(Imbalance(ratio=1.0), LABELS % 2, 3, 0), LABELS % 2, 2)
    text = division_svg(report, "names", class_names=("T-shirt & top", "Bag"))
    assert "T-shirt &amp; top: 500" in text
    assert ">T-shirt &amp;…<" in text
    with pytest.raises(ValueError, match=r"division_svg\(class_names=…\): 1 names for 2 classes"):
        division_svg(report, "names", class_names=("Bag",))
