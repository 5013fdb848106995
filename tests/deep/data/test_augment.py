"""Views of images: what each transformation does, who draws what, and what is refused."""

from __future__ import annotations

import colorsys
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deep.data import DATASETS, Dataset, Views, digits, make_views, view, views, views_for

STILL = Views(flip=0.0, jitter=0.0, blur=0.0)


def images(n=5, channels=3, height=8, width=10, seed=0, dtype=torch.float32):
    return torch.from_numpy(np.random.default_rng(seed).random((n, channels, height, width))).to(dtype)


strengths = st.floats(0, 1)
settings = st.builds(
    Views,
    flip=strengths,
    jitter=strengths,
    brightness=strengths,
    contrast=strengths,
    saturation=strengths,
    hue=st.floats(0, 0.5),
    blur=strengths,
    sigma=st.tuples(st.floats(0.05, 1), st.floats(1, 50)),
    kernel=strengths,
    crop=strengths,
    least_area=st.floats(0.05, 1),
)


@given(
    settings=settings,
    channels=st.integers(1, 4),
    size=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    seed=st.integers(0, 99),
)
def test_views_are_images_of_the_same_kind_and_the_same_again(settings, channels, size, dtype, seed):
    given_images = images(4, channels, *size, seed, dtype)
    kept = given_images.clone()
    pair = views(given_images, settings, seed, 3)
    for seen in pair:
        assert seen.shape == given_images.shape
        assert seen.dtype == dtype
        assert float(seen.min()) >= 0
        assert float(seen.max()) <= 1
    assert torch.equal(given_images, kept)
    again = views(given_images, settings, seed, 3)
    assert all(torch.equal(a, b) for a, b in zip(pair, again, strict=True))


def test_the_two_views_the_rounds_and_the_seeds_differ():
    x = images()
    first, second = views(x, Views(), 0, 0)
    assert not torch.equal(first, second)
    assert torch.equal(view(x, Views(), 0, 0, 2), second)
    assert not torch.equal(view(x, Views(), 0, 1, 1), first)
    assert not torch.equal(view(x, Views(), 1, 0, 1), first)


def test_nothing_asked_for_is_nothing_done():
    x = images()
    assert torch.equal(view(x, STILL, 0, 0, 1), x)


def test_a_sample_s_view_does_not_depend_on_the_others_nor_on_other_strengths():
    x = images(20)
    assert torch.allclose(view(x[:7], Views(), 0, 0, 1), view(x, Views(), 0, 0, 1)[:7], rtol=0, atol=1e-6)
    flipped = (view(x, replace(STILL, flip=0.5), 0, 0, 1) == x).flatten(1).all(1)
    also = (view(x, replace(STILL, flip=0.5, blur=1e-12), 0, 0, 1) == x).flatten(1).all(1)
    assert torch.equal(flipped, also)


def test_a_flip_mirrors_columns_of_its_share_of_the_samples():
    x = images(400, 1, 2, 3)
    assert torch.equal(view(x, replace(STILL, flip=1.0), 0, 0, 1), x.flip(-1))
    seen = view(x, replace(STILL, flip=0.25), 0, 0, 1)
    mirrored = (seen != x).flatten(1).any(1)
    assert torch.equal(seen[mirrored], x[mirrored].flip(-1))
    assert 60 <= int(mirrored.sum()) <= 140  # 100 expected, standard deviation 8.7


def test_brightness_multiplies_every_pixel_of_a_sample_by_one_factor():
    x = images(300, 3, dtype=torch.float64) / 2
    alone = replace(STILL, jitter=1.0, brightness=0.4, contrast=0.0, saturation=0.0, hue=0.0)
    factor = (view(x, alone, 0, 0, 1) / x).flatten(1)
    assert torch.allclose(factor, factor[:, :1].expand_as(factor), rtol=1e-9)
    assert 0.6 <= float(factor.min()) < 0.65
    assert 1.35 < float(factor.max()) <= 1.4


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_contrast_scales_every_pixel_s_distance_from_the_image_s_mean_gray(channels):
    x = 0.35 + 0.3 * images(300, channels, dtype=torch.float64)  # nothing is cut off
    seen = view(x, replace(STILL, jitter=1.0, brightness=0.0, saturation=0.0, hue=0.0), 0, 0, 1)
    luma = {1: [1.0], 2: [0.5, 0.5], 3: [0.299, 0.587, 0.114]}[channels]
    gray = sum(part * plane for part, plane in zip(luma, x.unbind(1), strict=True))
    mean = gray.mean((1, 2))[:, None, None, None]
    factor = ((seen - mean) / (x - mean)).flatten(1)
    assert torch.allclose(factor, factor[:, :1].expand_as(factor), rtol=1e-6)  # quotients of small differences
    assert 0.6 <= float(factor[:, 0].min()) < 0.65
    assert 1.35 < float(factor[:, 0].max()) <= 1.4 + 1e-6


def test_saturation_keeps_the_gray_of_every_pixel():
    x = 0.3 + 0.4 * images(50, 3, dtype=torch.float64)
    luma = torch.tensor([0.299, 0.587, 0.114], dtype=torch.float64)[:, None, None]
    alone = replace(STILL, jitter=1.0, brightness=0.0, contrast=0.0, saturation=0.4, hue=0.0)
    seen = view(x, alone, 0, 0, 1)
    assert torch.allclose((seen * luma).sum(1), (x * luma).sum(1), rtol=1e-12)
    assert float((seen - x).abs().max()) > 0.01


def test_hue_turns_as_the_standard_library_does():
    x = images(30, 3, 2, 2, dtype=torch.float64)
    alone = replace(STILL, jitter=1.0, brightness=0.0, contrast=0.0, saturation=0.0, hue=0.3)
    seen = view(x, alone, 0, 0, 1)
    for before, after in zip(x, seen, strict=True):
        turns = []
        for b, a in zip(before.flatten(1).T.tolist(), after.flatten(1).T.tolist(), strict=True):
            (h0, *rest0), (h1, *rest1) = colorsys.rgb_to_hsv(*b), colorsys.rgb_to_hsv(*a)
            # Saturation and value stay; kornia adds 1e-8 to what it divides by on the way to HSV.
            assert rest1 == pytest.approx(rest0, abs=1e-7)
            turns.append((h1 - h0 + 0.5) % 1 - 0.5)
        assert turns == pytest.approx([turns[0]] * 4, abs=1e-6)
        assert abs(turns[0]) <= 0.3 + 1e-9


def test_a_crop_is_a_part_of_the_image_stretched_to_its_size():
    """A ramp stays one: its slope tells the side of the part, its first pixel the place."""
    n, height, width = 200, 6, 11
    ramp = torch.linspace(0, 1, width, dtype=torch.float64).expand(n, 1, height, width)
    alone = replace(STILL, crop=1.0, least_area=0.25)
    seen = view(ramp, alone, 0, 0, 1)[:, 0, 2]
    slope = seen.diff(dim=1) * (width - 1)
    assert torch.allclose(slope, slope[:, :1].expand_as(slope), rtol=1e-9)
    area = slope[:, 0].square()  # the part has the image's proportions
    assert 0.25 <= float(area.min()) < 0.3
    assert 0.95 < float(area.max()) <= 1 + 1e-9
    room = 1 - slope[:, 0]
    place = (seen[:, 0] / room)[room > 0.05]
    assert float(place.min()) < 0.1
    assert 0.9 < float(place.max()) <= 1 + 1e-9
    down = view(ramp.transpose(2, 3), alone, 0, 0, 1)[:, 0, :, 2]
    assert torch.allclose(down.diff(dim=1) * (width - 1), slope, rtol=1e-9)  # as much of the height as of the width


def test_a_crop_shifts_no_other_draw():
    x = images(300, 1)
    plain, some = view(x, Views(), 0, 0, 1), view(x, Views(crop=0.3), 0, 0, 1)
    same = (plain == some).flatten(1).all(1)
    assert 180 <= int(same.sum()) <= 240  # 210 expected, standard deviation 7.9


def test_text_changes_what_it_names_and_no_more():
    assert make_views("", "digits") == views_for("digits")
    assert make_views("views(crop=0.5, sigma=[0.2, 1])", "digits") == Views(flip=0.0, crop=0.5, sigma=(0.2, 1))
    for text, message in (
        ("views(crops=1)", "expected views.*crop"),
        ("view(crop=1)", "expected views"),
        ("views(crop=2)", r"Views\(crop=2\): must be a number in \[0, 1\]"),
        ("views(blur=some)", r"Views\(blur='some'\)"),
        ("views(least_area=0)", r"least_area=0\): must be a number in \(0, 1\]"),
    ):
        with pytest.raises(ValueError, match=message):
            make_views(text, "digits")


def test_gray_pixels_in_three_channels_stay_gray():
    x = images(20, 1).expand(-1, 3, -1, -1)
    for seen in views(x, Views(jitter=1.0), 0, 0):
        assert torch.allclose(seen[:, 0], seen[:, 2], rtol=0, atol=1e-6)


def test_blur_is_the_gaussian_of_the_paper_s_pixels():
    """Against the two-dimensional sum, pixel by pixel, edges repeated."""
    x = images(3, 2, 5, 6, dtype=torch.float64)
    seen = view(x, replace(STILL, blur=1.0, sigma=(0.8, 0.8), kernel=1.0), 0, 0, 1)
    reach = 2  # the nearest odd number to the shorter side, 5, is 5
    padded = np.pad(x.numpy(), ((0, 0), (0, 0), (reach, reach), (reach, reach)), mode="edge")
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / 0.8) ** 2)
    taps /= taps.sum()
    expected = np.zeros_like(x.numpy())
    for i, a in enumerate(taps):
        for j, b in enumerate(taps):
            expected += a * b * padded[:, :, i : i + 5, j : j + 6]
    np.testing.assert_allclose(seen.numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize(("side", "changed"), [(8, 1), (20, 1), (28, 3), (32, 3), (50, 5), (224, 23)])
def test_the_kernel_is_a_tenth_of_the_side_in_odd_pixels(side, changed):
    x = torch.zeros(1, 1, side, side)
    x[0, 0, side // 2, side // 2] = 1
    seen = view(x, replace(STILL, blur=1.0, sigma=(50.0, 50.0)), 0, 0, 1)
    assert int((seen[0, 0, side // 2] > 0).sum()) == changed
    assert float(seen.sum()) == pytest.approx(1, abs=1e-5)  # float32


def test_a_constant_image_is_not_changed_by_blur_and_contrast():
    x = torch.full((4, 3, 6, 6), 0.5, dtype=torch.float64)
    seen = view(x, Views(brightness=0.0, jitter=1.0, blur=1.0, kernel=1.0), 0, 0, 1)
    assert torch.allclose(seen, x, rtol=1e-12)


def test_every_width_of_the_blur_is_drawn_for_its_own_sample():
    x = torch.zeros(50, 1, 3, 3)
    x[:, :, 1, 1] = 1
    seen = view(x, replace(STILL, blur=1.0, kernel=1.0), 0, 0, 1)[:, 0, 1, 1]
    assert len(set(seen.tolist())) > 40
    assert float(seen.max()) > 0.9
    assert float(seen.min()) < 0.2


def test_characters_are_not_mirrored_and_other_images_are():
    characters = {name for name, reader in DATASETS.items() if reader.kind is Dataset and not views_for(name).flip}
    assert characters == {
        "digits",
        "mnist",
        "emnist-balanced",
        "mnist-m",
        "svhn",
        "synth-digits",
        "usps",
        "digits-five",
    }
    assert views_for("cifar-10") == Views()
    assert views_for("mnist") == Views(flip=0.0)


def test_views_of_real_digits_are_still_that_digit():
    """The nearest of 1,497 others is of their class nearly as often as for the digits themselves."""
    data = digits()
    x, labels = data.images[:300], data.labels[:300]
    others, other_labels = data.images[300:].flatten(1), data.labels[300:]

    def recognised(shown):
        return float((other_labels[torch.cdist(shown.flatten(1), others).argmin(1)] == labels).double().mean())

    assert min(map(recognised, views(x, views_for("digits"), 0, 0))) > recognised(x) - 0.05


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"flip": 1.5}, r"Views\(flip=1.5\): must be a number in \[0, 1\]"),
        ({"jitter": -0.1}, r"Views\(jitter=-0.1\)"),
        ({"brightness": "0.4"}, r"Views\(brightness='0.4'\)"),
        ({"contrast": True}, r"Views\(contrast=True\)"),
        ({"saturation": float("nan")}, r"Views\(saturation=nan\)"),
        ({"hue": 0.6}, r"Views\(hue=0.6\): must be a number in \[0, 0.5\]"),
        ({"blur": 2}, r"Views\(blur=2\)"),
        ({"kernel": -1.0}, r"Views\(kernel=-1.0\)"),
        ({"sigma": (0.0, 1.0)}, r"Views\(sigma=\(0.0, 1.0\)\): must be \(low, high\) with 0 < low <= high, in pixels"),
        ({"sigma": (2.0, 1.0)}, "0 < low <= high"),
        ({"sigma": (1.0, float("inf"))}, "0 < low <= high"),
        ({"sigma": (1.0,)}, "0 < low <= high"),
        ({"sigma": 1.0}, "0 < low <= high"),
        ({"sigma": ("a", "b")}, "0 < low <= high"),
    ],
)
def test_strengths_out_of_range_are_named(fields, message):
    with pytest.raises(ValueError, match=message):
        Views(**fields)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (torch.zeros(3, 8, dtype=torch.int64), "look like tokens; the paper defines views of images only"),
        (
            torch.zeros(3, 8),
            r"torch.float32 of shape \(3, 8\); expected floats of shape \(n, channels, height, width\)",
        ),
        (torch.zeros(3, 1, 8, 8, dtype=torch.uint8), "torch.uint8.*expected floats"),
        (torch.zeros(0, 1, 8, 8), r"\(0, 1, 8, 8\); expected floats .* no axis empty"),
        (torch.full((1, 1, 2, 2), 1.5), r"pixels from 1.5 to 1.5; expected finite values in \[0, 1\]"),
        (torch.full((1, 1, 2, 2), -0.5), "pixels from -0.5"),
        (torch.full((1, 1, 2, 2), torch.nan), "pixels from nan"),
    ],
)
def test_what_is_no_image_is_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        view(bad, Views(), 0, 0, 1)


def test_there_are_two_views():
    with pytest.raises(ValueError, match=r"view\(which=3\): must be 1 or 2"):
        view(images(), Views(), 0, 0, 3)


@pytest.mark.parametrize(("name", "what"), [("ag-news", "token sequences"), ("synthetic-regression", "real features")])
def test_only_images_have_views(name, what):
    with pytest.raises(ValueError, match=rf"views_for\('{name}'\): holds {what}; the paper defines views of images"):
        views_for(name)


def test_an_unknown_data_set_has_no_views():
    with pytest.raises(ValueError, match="unknown dataset 'mnits'; nearest: mnist"):
        views_for("mnits")
