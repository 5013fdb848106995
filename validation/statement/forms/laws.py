"""Which moments belong to a law, and to one law alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["no_law"]

Float = NDArray[np.float64]

_TINY = 1e-9


def no_law(moments: Sequence[Float], k: int, least: Fraction | None, most: Fraction | None) -> str:
    """Why no law that any_law draws has these moments, at none of n draws; empty where one may.

    `moments`: the first k, each (n,). Looked at are the mean beside the ends of the range, the variance, and kurtosis
    and squared skewness, whose difference is at least 1.
    """
    mean = moments[0]
    outside = np.zeros(mean.shape, dtype=bool)
    outside |= (mean < float(least)) if least is not None else False
    outside |= (mean > float(most)) if most is not None else False
    if least is not None and most is None:
        outside |= mean <= 0
    if outside.all():
        ends = f"[{least}, {most}]" if most is not None else "the numbers above 0"
        return f"a mean of {mean[0]:.6g} is outside of {ends}"
    if k == 1:
        return ""
    variance, size = moments[1] - mean**2, np.abs(moments[1]) + mean**2
    if (variance < -_TINY * size).all():
        return f"E n² = {moments[1][0]:.6g} is below the squared mean, so no law has these moments"
    if k == 2:
        return ""
    if (variance <= _TINY * size).all():
        return "the variance is 0, so the number is its mean: give mean and square alone"
    if k == 3:
        return ""
    with np.errstate(all="ignore"):
        third = moments[2] - 3 * mean * moments[1] + 2 * mean**3
        fourth = moments[3] - 4 * mean * moments[2] + 6 * mean**2 * moments[1] - 3 * mean**4
        kurtosis, skewness = fourth / variance**2, third / variance**1.5
        room = kurtosis - skewness**2 - 1
        scale = np.abs(kurtosis) + skewness**2 + 1
    if (room < -_TINY * scale).all():
        return "kurtosis is below 1 + skewness², so no law has these moments"
    if (room <= _TINY * scale).all():
        return "kurtosis = 1 + skewness² leaves one law, of two atoms: put them into the measure, with their chances"
    return ""
