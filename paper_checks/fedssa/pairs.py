"""Two clients made for comparison: one that is right against a rival, or two whose logits are nearly the same."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Instance

__all__ = ["pair", "pair_exact"]


def pair(x: Instance, made: str) -> Mapping[str, Any]:
    """The instance with both views of two clients, (n, S, 2, c) each.

    `alike`: the second client's logits are `factor` times those of the first. Else client 1 is right on every sample by
    a margin, the rival "undecided", sure of "one class" for every sample, or "contrary": of another wrong class in each
    view; with `second` one wrong class of client 1 in each view stands out among the wrong ones.
    """
    if made == "alike":
        factor = x["factor"][:, None, None, None]
        return {**x, **{f"view_{i}": np.concatenate([x[f"view_{i}"], factor * x[f"view_{i}"]], axis=2) for i in (1, 2)}}
    samples, classes = x["noise_1"].shape[1:]
    right, views = np.arange(samples)[:, None] % classes == np.arange(classes), {}
    for i in (1, 2):
        noise = x[f"noise_{i}"]
        if "second" in x:
            high = noise.max(axis=-1, keepdims=True) + x["second"][:, None, None]
            noise = np.where(np.roll(right, i, axis=-1), high, noise)
        top = np.where(right, -np.inf, noise).max(axis=-1) + x[f"margin_{i}"]
        client = np.where(right, top[..., None], noise)
        chosen = {"contrary": np.roll(right, i, axis=-1), "one class": np.arange(classes) == 0}.get(made, False)
        rival = np.broadcast_to(x["sure"][:, None, None] * chosen, client.shape)
        views[f"view_{i}"] = np.stack([client, rival], axis=2)
    return {**x, **views}


def pair_exact(x: Mapping[str, Any], made: str) -> Mapping[str, Any]:
    """Both views, [sample][client][class]."""
    if made == "alike":
        return {**x, **{n: [[s[0], [x["factor"] * v for v in s[0]]] for s in x[n]] for n in ("view_1", "view_2")}}
    views = {}
    for i in (1, 2):
        view = []
        for s, noise in enumerate(x[f"noise_{i}"]):
            classes = range(len(noise))
            right = s % len(noise)
            wrong = (right + i) % len(noise)
            if "second" in x:
                high = max(noise) + x["second"]
                noise = [high if j == wrong else noise[j] for j in classes]
            top = max(noise[j] for j in classes if j != right) + x[f"margin_{i}"][s]
            choice = {"contrary": wrong, "one class": 0}.get(made)
            rival = [x["sure"] if j == choice else Fraction(0) for j in classes]
            view.append([[top if j == right else noise[j] for j in classes], rival])
        views[f"view_{i}"] = view
    return {**x, **views}
