"""Data sets that need no files: scikit-learn's digits, and a synthetic linear regression."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.data.parts import Parts
from deep.data.samples import Dataset, Groups, RegressionDataset
from theory.base.streams import stream

__all__ = ["digits", "digits_parts", "synthetic_parts", "synthetic_regression"]


def digits() -> Dataset:
    """1,797 handwritten digits of 8 × 8 pixels, ten classes, pixels divided by 16.

    Source: the test part of UCI's "Optical Recognition of Handwritten Digits", as bundled with scikit-learn.
    """
    images, targets = _written_digits()
    pixels = torch.tensor(images / 16.0, dtype=torch.float32)[:, None]
    return Dataset(pixels, torch.tensor(targets, dtype=torch.int64), n_classes=10, name="digits")


@cache
def _written_digits() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(images, targets) of the file, which is text: to read it takes as long as the rounds of a short run.

    Where the file is at its usual place scikit-learn itself is not loaded, which takes a second and more.
    """
    package = find_spec("sklearn")
    file = Path(package.origin).parent / "datasets/data/digits.csv.gz" if package and package.origin else None
    if file is None or not file.is_file():
        from sklearn.datasets import load_digits

        bunch = load_digits()
        return bunch.images, bunch.target
    rows = np.loadtxt(file, delimiter=",")  # 64 pixels and the digit
    return rows[:, :-1].reshape(-1, 8, 8), rows[:, -1].astype(np.int64)


def synthetic_regression(
    seed: int = 0,
    n_clients: int = 30,
    mean_samples: int = 100,
    n_features: int = 60,
    skew: float = 1.0,
    noise: float = 0.1,
) -> RegressionDataset:
    """y = ⟨w_k, x⟩ + noise·ε for client k, with w_k = w₀ + skew·u_k and x ~ N(skew·v_k, diag(j^−1.2)).

    w₀, u_k, v_k, ε: standard normal, w₀ and u_k divided by √n_features. Sizes of clients are a
    log-normal draw (σ = 1) scaled to `mean_samples` on average, at least 2. `groups` names the client of a sample.
    `skew` = 0 gives every client the same law.

    Source: efl, 5.1 names "a synthetic dataset with a linear regression classifier", and no more. *Differs:* every
    choice here is ours; feature scales j^−1.2, client means and log-normal sizes follow the Synthetic(α, β) data of
    Li et al. 2020 (FedProx), with its softmax labels replaced by a real target.
    Raises `ValueError` for counts below 1 (`mean_samples` below 2), or negative or non-finite `skew` and `noise`.
    """
    for name, count, least in (
        ("n_clients", n_clients, 1),
        ("mean_samples", mean_samples, 2),
        ("n_features", n_features, 1),
    ):
        if count < least:
            raise ValueError(f"synthetic_regression({name}={count}): must be >= {least}")
    for name, value in (("skew", skew), ("noise", noise)):
        if not 0 <= value < np.inf:
            raise ValueError(f"synthetic_regression({name}={value}): must be finite and >= 0")
    common = stream(seed, "synthetic-common").standard_normal(n_features)
    draws = stream(seed, "synthetic-sizes").lognormal(0.0, 1.0, n_clients)
    sizes = np.maximum(2, np.rint(draws / draws.mean() * mean_samples)).astype(np.int64)
    scale = np.arange(1, n_features + 1) ** -0.6
    features, targets = [], []
    for client, size in enumerate(sizes):
        rng = stream(seed, "synthetic-client", client)
        own, mean = rng.standard_normal(n_features), rng.standard_normal(n_features)
        x = skew * mean + scale * rng.standard_normal((size, n_features))
        features.append(x)
        targets.append(x @ ((common + skew * own) / np.sqrt(n_features)) + noise * rng.standard_normal(size))
    return RegressionDataset(
        torch.tensor(np.concatenate(features), dtype=torch.float32),
        torch.tensor(np.concatenate(targets), dtype=torch.float32),
        name="synthetic-regression",
        groups=Groups("client", torch.from_numpy(np.repeat(np.arange(n_clients), sizes)), _client_names(n_clients)),
    )


def digits_parts(_root: Path, _verify: bool) -> Parts[Dataset]:
    """`digits` as one part: scikit-learn's copy has no official cut."""
    return Parts(digits())


def synthetic_parts(_root: Path, _verify: bool) -> Parts[RegressionDataset]:
    """`synthetic_regression` with its defaults, as one part."""
    return Parts(synthetic_regression())


def _client_names(n_clients: int) -> tuple[str, ...]:
    return tuple(f"client {k}" for k in range(n_clients))
