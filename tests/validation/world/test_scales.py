"""Scales of rounding by units, and the functions that a plain function calls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from validation.statement.notation import letters
from validation.world.scales import Scaled, _Sizes
from validation.world.world import called_by

N = letters(r"""
loss | f | a loss | 1 0
square | d^2 | a squared distance | 0 2
slope | g^2 | a squared gradient | 2 -2
share | p | a pure number | 0 0
L | L | a curvature | 1 -2
other | o | without units
gap | r | a positive loss | 1 0 positive
""")
DRAWN = {"curvature": (1, -2), "w": (0, 1), "sigma": (1, -1)}


def observe(x: Any, *, told: bool = False) -> Any:
    zero = 0 * x["w"][:, 0]
    found = {**dict.fromkeys(("loss", "square", "slope", "share", "L", "other", "gap"), zero), "admissible": zero == 0}
    return {**found, "sizes": {"loss": zero + 7}} if told else found


def test_a_quantity_is_made_of_numbers_of_its_units() -> None:
    x = {"curvature": np.array([[1.0, 4.0]]), "w": np.array([[-3.0, 2.0]]), "sigma": np.array([8.0])}
    sizes = Scaled(observe, DRAWN, N)(x)["sizes"]
    length = 3 + 8 / 4  # the farthest point, and noise over the largest curvature
    assert {k: float(v[0]) for k, v in sizes.items()} == {
        "loss": 4 * length**2,
        "square": length**2,
        "slope": (4 * length) ** 2,
        "share": 1.0,
    }


def test_other_units_change_a_scale_as_its_quantity() -> None:
    x = {"curvature": np.array([2.0]), "w": np.array([[-3.0, 2.0]]), "sigma": np.array([8.0])}
    a, b = 5.0, 3.0  # of loss and of length
    changed = {k: x[k] * a**loss * b**length for k, (loss, length) in DRAWN.items()}
    before, after = (Scaled(observe, DRAWN, N)(of)["sizes"] for of in (x, changed))
    for name in before:
        loss, length = N.by_name[name].units or (0, 0)
        assert np.allclose(after[name], before[name] * a**loss * b**length, rtol=1e-12)


def test_a_scale_that_is_told_stays_and_a_large_value_is_its_own() -> None:
    x = {"curvature": np.array([2.0]), "w": np.array([[1.0]]), "sigma": np.array([0.0])}
    assert Scaled(observe, DRAWN, N)(x, told=True)["sizes"]["loss"][0] == 7
    large = Scaled(lambda x: {"share": 100 + 0 * x["w"][:, 0]}, DRAWN, N)(x)
    assert large["sizes"]["share"][0] == 100
    whole = {"loss": np.ones(1), "magnitude": np.ones(1)}
    assert Scaled(lambda _: whole, DRAWN, N)(x) == whole


def halved(v: Fraction) -> Fraction:
    return v / 2 if v < 1 else halved(v / 2)


def summed(values: list[Fraction]) -> Fraction:
    return sum((halved(v) for v in values), Fraction(0))


def plain(x: Any) -> Any:
    def inner(values: list[Fraction]) -> Fraction:
        return summed(sorted(values))

    return {}, {"loss": inner(x["w"])}


def test_what_is_called_is_found_callees_first_libraries_and_repeats_left_out() -> None:
    assert called_by(plain) == (halved, summed)
    assert called_by(halved) == ()  # itself
    assert called_by(max) == ()


def test_scales_are_computed_for_the_letters_that_are_asked_for_alone() -> None:
    asked: list[str] = []

    class Watched(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            asked.append(name)
            return super().__getitem__(name)

    x = {"curvature": np.array([2.0]), "w": np.array([[1.0]]), "sigma": np.array([0.0])}
    sizes = _Sizes(Scaled(observe, DRAWN, N), x, Watched(observe(x)))
    assert sizes
    assert "loss" in sizes
    assert "gap" not in sizes
    assert float(sizes["square"][0]) == 1.0
    assert asked == ["square"]
    assert len(sizes) == len(dict(sizes)) == 4
