"""What is worked out once: by equality where arguments have a hash, by being the same object, else anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deep.once import once


@dataclass(frozen=True)
class Setting:
    n: int


def test_equal_arguments_get_one_answer():
    asked: list[object] = []

    @once
    def described(value: object, also: int = 0) -> list[object]:
        asked.append(value)
        return [value, also]

    first = Setting(1)
    assert described(first) is described(first) is described(Setting(1))
    assert described(first, also=2) == [first, 2]
    assert described(first, 3) == [first, 3]
    assert asked == [first] * 3


def test_what_has_no_hash_is_asked_anew():
    @once
    def total(values: np.ndarray) -> float:
        return float(values.sum())

    values = np.ones(3)
    assert total(values) == 3.0
    values[0] = 5.0
    assert total(values) == 7.0


def test_a_new_object_at_an_old_place_is_a_new_question():
    @once
    def doubled(setting: Setting) -> int:
        return 2 * setting.n

    assert [doubled(Setting(n)) for n in range(300)] == [2 * n for n in range(300)]
    assert [doubled(Setting(n)) for n in range(300)] == [2 * n for n in range(300)]
