"""Federations made from data: ridge regression, which is quadratic, and multinomial logistic regression."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.base.arrays import Array, check_simplex, device_of, namespace
from theory.base.minimise import minimise
from theory.base.streams import stream
from theory.federations.federation import Constants, QuadraticFederation
from theory.federations.optimum import separation

__all__ = [
    "DATASETS",
    "LogisticFederation",
    "RidgeSamples",
    "load_xy",
    "logistic_federation",
    "ridge_federation",
    "ridge_samples",
    "split_clients",
]

DATASETS = ("breast_cancer", "diabetes", "digits")
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def load_xy(name: str) -> tuple[Floats, NDArray[Any]]:
    """(X, y) of a data set bundled with scikit-learn; columns of X have mean 0 and variance 1 (constant ones are 0).

    "digits" and "breast_cancer" have integer labels, "diabetes" a real target, itself standardised.
    """
    if name not in DATASETS:
        near = get_close_matches(name, DATASETS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"load_xy({name!r}): expected one of {DATASETS}{hint}")
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    X, y = _standard(np.asarray(X, dtype=np.float64)), np.asarray(y)
    return X, _standard(y.astype(np.float64)) if name == "diabetes" else y


def split_clients(y: ArrayLike, n_clients: int, seed: int, skew: float = 0.0) -> NDArray[np.int64]:
    """The client of every sample, (n_samples,); sizes differ by at most one, so none is empty.

    `skew` in [0, 1]: that fraction of the samples, drawn at random, is sorted by label (or target) before it is dealt
    in blocks, the rest is dealt at random; 0 is an even split, 1 gives each client a run of neighbouring labels.
    Source: the s% similarity of SCAFFOLD (Karimireddy et al., 2020, §7), skew = 1 − s/100.
    """
    target = np.asarray(y)
    if target.ndim != 1 or not 1 <= n_clients <= target.shape[0]:
        raise ValueError(
            f"split_clients(y=…, n_clients={n_clients}): y has shape {target.shape}; expected (n_samples,) with"
            " 1 <= n_clients <= n_samples, or a client would be empty"
        )
    if not 0 <= skew <= 1:
        raise ValueError(f"split_clients(skew={skew}): must be in [0, 1]")
    order = stream(seed, "split").permutation(target.shape[0])
    n_sorted = round(skew * target.shape[0])
    run, rest = order[:n_sorted], order[n_sorted:]
    # Sorted samples go to the clients in blocks, the others fill every client up to its size.
    blocks = np.array_split(run[np.argsort(target[run], kind="stable")], n_clients)
    sizes = [len(part) for part in np.array_split(order, n_clients)]
    clients = np.empty(target.shape[0], dtype=np.int64)
    used = 0
    for client, block in enumerate(blocks):
        take = sizes[client] - len(block)
        clients[block] = client
        clients[rest[used : used + take]] = client
        used += take
    return clients


@dataclass(frozen=True, eq=False)
class RidgeSamples:
    """Least squares over finite data: Fᵢ(w) = 1/(2nᵢ)‖Xᵢw − yᵢ‖² + (l2/2)‖w‖².

    `features` (n_clients, n_max, dim), `targets` and `mask` (n_clients, n_max); rows with mask 0 only fill up.
    """

    features: Array
    targets: Array
    mask: Array
    l2: float

    def federation(self, share: Array | None = None) -> QuadraticFederation:
        """The same clients as quadratics: Aᵢ = XᵢᵀXᵢ/nᵢ + l2·I, mᵢ = Aᵢ⁻¹Xᵢᵀyᵢ/nᵢ, Fᵢ* = Fᵢ(mᵢ); share default nᵢ/n."""
        xp = namespace(self.features)
        weight = self.mask / xp.sum(self.mask, axis=-1, keepdims=True)
        left = xp.matrix_transpose(self.features * weight[..., None])
        curvature = left @ self.features
        unit = xp.eye(curvature.shape[-1], dtype=curvature.dtype, device=device_of(curvature))
        curvature = 0.5 * (curvature + xp.matrix_transpose(curvature)) + self.l2 * unit
        spectrum = xp.linalg.eigvalsh(curvature)
        rounding = curvature.shape[-1] * float(xp.finfo(curvature.dtype).eps)
        if bool(xp.any(spectrum[..., 0] <= rounding * spectrum[..., -1])):
            raise ValueError(
                f"RidgeSamples(l2={self.l2}): a client's XᵢᵀXᵢ/nᵢ + l2·I is singular to rounding, smallest eigenvalue"
                f" {float(xp.min(spectrum)):.1e}; raise l2, or give the client more samples"
            )
        centers = xp.linalg.solve(curvature, left @ self.targets[..., None])[..., 0]
        residual = (self.features @ centers[..., None])[..., 0] - self.targets
        floor = 0.5 * (xp.sum(weight * residual**2, axis=-1) + self.l2 * xp.sum(centers**2, axis=-1))
        return QuadraticFederation(curvature, centers, floor, _share(self.mask) if share is None else share)

    def sample_gradients(self, models: Array) -> Any:
        """x(xᵀw − y) of every sample without the l2 term, (*batch, n_clients, n_max, dim)."""
        residual = (self.features @ models[..., None])[..., 0] - self.targets
        return residual[..., None] * self.features

    def sample_squares(self, models: Array) -> Any:
        """‖x(xᵀw − y)‖² of every sample, (*batch, n_clients, n_max)."""
        residual = (self.features @ models[..., None])[..., 0] - self.targets
        return residual**2 * namespace(self.features).sum(self.features**2, axis=-1)

    def batch_gradients(self, models: Array, rows: Rows, weight: Array) -> Any:
        """Σ weight·x(xᵀw − y) over the samples at `rows`, both (*batch, n_clients, b); without the l2 term."""
        xp = namespace(self.features, models)
        X, y = _picked(self.features, rows), _picked(self.targets, rows)
        error = weight * ((X @ models[..., None])[..., 0] - y)
        return (xp.matrix_transpose(X) @ error[..., None])[..., 0]


def ridge_samples(X: ArrayLike, y: ArrayLike, clients: ArrayLike, *, l2: float, intercept: bool = True) -> RidgeSamples:
    """Data split over clients, for `RidgeSamples.federation` and minibatch noise; `clients` as from `split_clients`."""
    features, target, mask = _grouped("ridge_samples", X, y, clients, l2, intercept)
    return RidgeSamples(features, target.astype(np.float64) * mask, mask, l2)


def ridge_federation(
    X: ArrayLike, y: ArrayLike, clients: ArrayLike, *, l2: float, intercept: bool = True, share: Array | None = None
) -> QuadraticFederation:
    """Ridge regression Fᵢ(w) = 1/(2nᵢ)‖Xᵢw − yᵢ‖² + (l2/2)‖w‖², exact as a `QuadraticFederation`.

    `l2` >= 0, and > 0 when a client has fewer samples than dimensions; `intercept` appends a column of ones, which is
    regularised too. Raises `ValueError` for NaN, an empty client, or lengths that do not fit.
    """
    return ridge_samples(X, y, clients, l2=l2, intercept=intercept).federation(share)


@dataclass(frozen=True, eq=False)
class LogisticFederation:
    """Fᵢ(W) = 1/nᵢ Σₛ [log Σ_c exp(x_sᵀW_c) − x_sᵀW_{y_s}] + (l2/2)‖W‖², W of n_features × n_classes as one vector.

    `features` (n_clients, n_max, n_features), one-hot `targets` (n_clients, n_max, n_classes); clients are padded to
    one length, rows with `mask` (n_clients, n_max) 0 do not count. Models (*batch, n_clients, dim), classes fastest.
    `floor`, `local_optima`, `global_optimum` come from `logistic_federation`, which solves for them.
    """

    features: Array
    targets: Array
    mask: Array
    l2: float
    share: Array
    floor: Array
    local_optima: Array
    global_optimum: Array

    @property
    def n_clients(self) -> int:
        """Number of clients."""
        return int(self.features.shape[0])

    @property
    def dim(self) -> int:
        """n_features · n_classes."""
        return int(self.features.shape[-1] * self.targets.shape[-1])

    def losses(self, models: Array) -> Any:
        """Fᵢ(wᵢ), (*batch, n_clients), at one model per client."""
        xp = namespace(self.features, models)
        logits = self._logits(models)
        top = xp.max(logits, axis=-1, keepdims=True)
        log_sum = top[..., 0] + xp.log(xp.sum(xp.exp(logits - top), axis=-1))
        entropy = log_sum - xp.sum(logits * self.targets, axis=-1)
        return xp.sum(self._weight() * entropy, axis=-1) + 0.5 * self.l2 * xp.sum(models**2, axis=-1)

    def gradients(self, models: Array) -> Any:
        """∇Fᵢ(wᵢ) = Xᵢᵀ(P − Y)/nᵢ + l2·wᵢ, (*batch, n_clients, dim)."""
        xp = namespace(self.features, models)
        error = self._weight()[..., None] * self._error(models)
        data = xp.matrix_transpose(self.features) @ error
        return xp.reshape(data, (*data.shape[:-2], self.dim)) + self.l2 * models

    def sample_gradients(self, models: Array) -> Any:
        """x ⊗ (p − y) of every sample without the l2 term, (*batch, n_clients, n_max, dim)."""
        xp = namespace(self.features, models)
        outer = self.features[..., :, None] * self._error(models)[..., None, :]
        return xp.reshape(outer, (*outer.shape[:-2], self.dim))

    def sample_squares(self, models: Array) -> Any:
        """‖x ⊗ (p − y)‖² = ‖x‖²‖p − y‖² of every sample, (*batch, n_clients, n_max)."""
        xp = namespace(self.features, models)
        return xp.sum(self._error(models) ** 2, axis=-1) * xp.sum(self.features**2, axis=-1)

    def batch_gradients(self, models: Array, rows: Rows, weight: Array) -> Any:
        """Σ weight·x ⊗ (p − y) over the samples at `rows`, both (*batch, n_clients, b); without the l2 term."""
        xp = namespace(self.features, models)
        X, Y = _picked(self.features, rows), _picked(self.targets, rows)
        error = weight[..., None] * _softmax_error(X, Y, models)
        data = xp.matrix_transpose(X) @ error
        return xp.reshape(data, (*data.shape[:-2], self.dim))

    def optimum(self) -> Array:
        """w*, the minimiser of Σpᵢ Fᵢ, (dim,)."""
        return self.global_optimum

    def constants(self) -> Constants:
        """mu = l2, a lower bound, and L = l2 + maxᵢ λ_max(XᵢᵀXᵢ)/(2nᵢ), an upper bound, (*batch,).

        The Hessian is the mean of (diag(p) − ppᵀ) ⊗ xxᵀ, and diag(p) − ppᵀ ⪯ ½(I − 11ᵀ/C) for every p of the simplex.
        Source: D. Böhning, "Multinomial logistic regression algorithm", Ann. Inst. Statist. Math. 44, 1992, 197-200.
        """
        xp = namespace(self.features)
        gram = xp.matrix_transpose(self.features * self._weight()[..., None]) @ self.features
        steepest = xp.max(xp.linalg.eigvalsh(0.5 * (gram + xp.matrix_transpose(gram))))
        return Constants(mu=self.l2 * xp.ones_like(steepest), L=self.l2 + 0.5 * steepest)

    def _weight(self) -> Any:
        xp = namespace(self.mask)
        return self.mask / xp.sum(self.mask, axis=-1, keepdims=True)

    def _logits(self, models: Array) -> Any:
        return _scores(self.features, self.targets, models)

    def _error(self, models: Array) -> Any:
        """Softmax minus target, (*batch, n_clients, n_max, n_classes)."""
        return _softmax_error(self.features, self.targets, models)


def logistic_federation(
    X: ArrayLike, y: ArrayLike, clients: ArrayLike, *, l2: float, intercept: bool = True, share: Array | None = None
) -> LogisticFederation:
    """l2-regularised multinomial logistic regression over clients, its local and global optima solved for.

    `y` holds labels, any values; a client need not see every class. `l2` > 0, so that every optimum exists and is
    unique; 0 where no client's samples, and so not all together, can be separated, of whose optima one is taken.
    `intercept` appends a regularised column of ones. Share default nᵢ/n. Raises `ValueError` for NaN, an empty
    client or lengths that do not fit; `RuntimeError` with the residual unless every gradient falls to 1e-10 of the
    one at w = 0.
    """
    features, labels, mask = _grouped("logistic_federation", X, y, clients, l2, intercept)
    classes = np.unique(np.asarray(y))
    if len(classes) < 2:
        raise ValueError(f"logistic_federation(y=…): {len(classes)} class; expected at least 2")
    if l2 == 0:
        for client, (X_k, y_k, here) in enumerate(zip(features, labels, mask, strict=True)):
            found = separation(X_k[here > 0], np.searchsorted(classes, y_k[here > 0]), len(classes))
            if found != "none":
                raise ValueError(
                    f"logistic_federation(l2=0): {found} samples of client {client} can be separated, so that its loss"
                    " has no minimiser; expected l2 > 0"
                )
    targets = (labels[..., None] == classes) * mask[..., None]
    n_clients, dim = features.shape[0], features.shape[-1] * len(classes)
    nothing = np.zeros((n_clients, dim))
    weight = np.asarray(_share(mask) if share is None else share, dtype=np.float64)
    check_simplex(weight, "logistic_federation(share=…)")
    draft = LogisticFederation(features, targets, mask, l2, weight, nothing[:, 0], nothing, nothing[0])

    def local(models: Floats) -> tuple[Floats, Floats]:
        return draft.losses(models), draft.gradients(models)

    def whole(model: Floats) -> tuple[Floats, Floats]:
        # One client broadcast over all: Σpᵢ Fᵢ and its gradient.
        return weight @ draft.losses(model)[:, None], (weight @ draft.gradients(model))[None]

    optima = minimise(local, nothing, name="logistic_federation: local optima")
    best = minimise(whole, nothing[:1], name="logistic_federation: global optimum")[0]
    return LogisticFederation(features, targets, mask, l2, weight, draft.losses(optima), optima, best)


def _scores(features: Array, targets: Array, models: Array) -> Any:
    """XW, (*batch, n_clients, n, n_classes)."""
    xp = namespace(features, models)
    return features @ xp.reshape(models, (*models.shape[:-1], features.shape[-1], targets.shape[-1]))


def _softmax_error(features: Array, targets: Array, models: Array) -> Any:
    """softmax(XW) − Y, (*batch, n_clients, n, n_classes)."""
    xp = namespace(features, models)
    logits = _scores(features, targets, models)
    odds = xp.exp(logits - xp.max(logits, axis=-1, keepdims=True))
    return odds / xp.sum(odds, axis=-1, keepdims=True) - targets


def _picked(values: Any, rows: Rows) -> Any:
    """`values` (n_clients, n_max, …) at each client's own `rows` (*batch, n_clients, b): (*batch, n_clients, b, …)."""
    xp, device = namespace(values), device_of(values)
    client = xp.arange(values.shape[0], device=device)[:, None]
    return values[client, xp.asarray(rows, device=device)]


def _standard(columns: NDArray[Any]) -> Floats:
    deviation = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0))


def _share(mask: Array) -> Any:
    """nᵢ/n, (n_clients,)."""
    xp = namespace(mask)
    count = xp.sum(mask, axis=-1)
    return count / xp.sum(count)


def _grouped(
    name: str, X: ArrayLike, y: ArrayLike, clients: ArrayLike, l2: float, intercept: bool
) -> tuple[Floats, NDArray[Any], Floats]:
    """(features, targets, mask) padded to the largest client; a padded row is 0, its target that of some sample."""
    features, target, owner = np.asarray(X, dtype=np.float64), np.asarray(y), np.asarray(clients)
    if features.ndim != 2 or target.shape != features.shape[:1] or owner.shape != target.shape:
        raise ValueError(
            f"{name}(X, y, clients): shapes {features.shape}, {target.shape}, {owner.shape}; expected"
            " (n_samples, n_features), (n_samples,), (n_samples,)"
        )
    real = target.astype(np.float64) if target.dtype.kind in "fiub" else np.zeros(target.shape)
    if not (np.all(np.isfinite(features)) and np.all(np.isfinite(real))):
        raise ValueError(f"{name}(X, y): contains NaN or infinity; drop or impute those samples")
    if not 0 <= l2 < float("inf"):
        raise ValueError(f"{name}(l2={l2}): must be >= 0 and finite")
    if owner.dtype.kind not in "iu" or owner.size == 0 or owner.min() < 0:
        raise ValueError(f"{name}(clients=…): expected one client index >= 0 per sample, as from split_clients")
    sizes = np.bincount(owner)
    if sizes.min() == 0:
        raise ValueError(f"{name}(clients=…): client {int(np.argmin(sizes))} of {len(sizes)} has no sample")
    if intercept:
        features = np.concatenate([features, np.ones((len(features), 1))], axis=1)
    order = np.argsort(owner, kind="stable")
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    where = (owner[order], place)
    padded = np.zeros((len(sizes), sizes.max(), features.shape[1]))
    padded[where] = features[order]
    mask = np.zeros(padded.shape[:2])
    mask[where] = 1.0
    labels = np.full(mask.shape, target[0])
    labels[where] = target[order]
    return padded, labels, mask
