"""Exact first and second moments of local SGD on quadratics: a round is a random mixture of affine maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from theory.base.arrays import Array, check_simplex, device_of, namespace
from theory.federations.federation import QuadraticFederation, global_loss
from theory.participation.finite_laws import RoundLaw

__all__ = [
    "AffineMixture",
    "Moments",
    "expected_global_loss",
    "expected_quadratic",
    "expected_square_distance",
    "fedavg_mixture",
    "moments",
    "moments_after",
]

_MOST_OUTCOMES = 20_000  # of one round; N <= 12 clients have 4096 cohorts


@dataclass(frozen=True, eq=False)
class AffineMixture:
    """One round w ← Mⱼw + bⱼ + ξⱼ with probability qⱼ; ξⱼ has mean zero, covariance Sⱼ, and is independent of w.

    `probability` q: (*batch, J), on the simplex; `matrix` M: (*batch, J, dim, dim); `shift` b: (*batch, J, dim);
    `covariance` S: (*batch, J, dim, dim), symmetric, positive semidefinite to 1e-12 of its largest entry.
    Raises `ValueError` naming the argument, the value and the allowed range.
    """

    probability: Array
    matrix: Array
    shift: Array
    covariance: Array

    def __post_init__(self) -> None:
        xp = namespace(self.probability, self.matrix, self.shift, self.covariance)
        check_simplex(self.probability, "AffineMixture(probability=…)")
        outcomes, dim = tuple(self.probability.shape), int(self.matrix.shape[-1]) if self.matrix.ndim else 0
        for name, tail in (("matrix", (dim, dim)), ("shift", (dim,)), ("covariance", (dim, dim))):
            value = getattr(self, name)
            if tuple(value.shape) != (*outcomes, *tail):
                raise ValueError(
                    f"AffineMixture({name}=…): shape {tuple(value.shape)}; expected {(*outcomes, *tail)}"
                    " from probability and the last axis of matrix"
                )
            if not bool(xp.all(xp.isfinite(value))):
                raise ValueError(f"AffineMixture({name}=…): contains NaN or infinity; are the step sizes too large?")
        _check_covariance(self.covariance, "AffineMixture(covariance=…)", float(xp.max(xp.abs(self.covariance))))


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean E[w], (*axes, dim), and covariance, (*axes, dim, dim), of a random model; axes are rounds, then batch.

    The covariance is what the recursions carry: E[wwᵀ] minus its mean part would cancel far from the origin.
    """

    mean: Any
    covariance: Any

    @property
    def second(self) -> Any:
        """E[wwᵀ] = Cov + E[w]E[w]ᵀ, (*axes, dim, dim)."""
        return self.covariance + self.mean[..., :, None] * self.mean[..., None, :]


def fedavg_mixture(
    federation: QuadraticFederation,
    law: RoundLaw,
    *,
    step_sizes: Array,
    sigma: Array | None = None,
    shared_noise: bool = False,
) -> AffineMixture:
    """One round as a mixture: wₖ ← wₖ − ηₑ(Aₖ(wₖ − mₖ) + nₖ) for e < sₖ, then w ← w + Σ aₖ(wₖ − w).

    `step_sizes` ηₑ > 0 of this round: (n_local_steps,) or (n_local_steps, *batch). `sigma` σₖ >= 0: (n_clients,) or
    (*batch, n_clients); nₖ has mean zero and covariance σₖ²/dim·I, so E‖nₖ‖² = σₖ² (exp_alpha EA-A3), independent
    over steps and clients, or with `shared_noise` nₖ = σₖ·z for one z per step. Only these moments enter. The law's own
    noise comes on top. Raises `ValueError` for shapes that do not fit, steps that are not positive, negative σ.
    """
    xp = namespace(federation.centers, law.weights, step_sizes)
    _check_round(federation, law, step_sizes, sigma)
    n_local_steps, dim = int(step_sizes.shape[0]), federation.dim
    eye = xp.eye(dim, dtype=federation.centers.dtype, device=device_of(federation.centers))
    # One more axis before the clients, for the outcomes: of length 1 until step counts or noise tell them apart.
    curvature, pull = federation.curvature[..., None, :, :, :], -federation.gradients(0 * federation.centers)
    pull = pull[..., None, :, :]
    matrix, shift = 0 * curvature + eye, 0 * pull
    gains: list[Any] = []  # of each step's unit noise on the local model
    for e in range(n_local_steps):
        active = xp.ones_like(pull[..., 0]) > 0 if law.steps is None else law.steps > e
        eta = step_sizes[e][..., None, None, None, None]
        turn = eye - eta * curvature
        pushed = pull if law.noise is None else pull - law.noise[..., e, :, :]
        matrix = xp.where(active[..., None, None], turn @ matrix, matrix)
        shift = xp.where(active[..., None], (turn @ shift[..., None])[..., 0] + eta[..., 0] * pushed, shift)
        if sigma is not None:
            fresh = eta * (sigma / dim**0.5)[..., None, :, None, None] * eye
            gains = [xp.where(active[..., None, None], turn @ gain, gain) for gain in gains]
            gains.append(xp.where(active[..., None, None], fresh, 0 * fresh))
    a = law.weights[..., None, None]
    mixed = eye + xp.sum(a * (matrix - eye), axis=-3)
    covariance = 0 * mixed
    for gain in gains:
        whole = xp.sum(a * gain, axis=-3) if shared_noise else a * gain
        square = whole @ xp.matrix_transpose(whole)
        covariance = covariance + (square if shared_noise else xp.sum(square, axis=-3))
    total = xp.sum(a[..., 0] * shift, axis=-2)
    outcomes = xp.broadcast_shapes(tuple(law.probability.shape), mixed.shape[:-2], total.shape[:-1])
    return AffineMixture(
        xp.broadcast_to(law.probability, outcomes),
        xp.broadcast_to(mixed, (*outcomes, dim, dim)),
        xp.broadcast_to(total, (*outcomes, dim)),
        xp.broadcast_to(covariance, (*outcomes, dim, dim)),
    )


def moments(
    start_mean: Array,
    start_second: Array | None,
    rounds: AffineMixture | Callable[[int], AffineMixture] | Iterable[AffineMixture],
    n_rounds: int,
) -> Moments:
    """E[w] and Cov[w] before each round and after the last, rounds independent: axes (n_rounds + 1, *batch).

    μ' = Σqⱼ(Mⱼμ + bⱼ), C' = Σqⱼ(MⱼCMⱼᵀ + Sⱼ) + the covariance of Mⱼμ + bⱼ over j; nothing is sampled.
    `start_mean` (*batch, dim); `start_second` E[w₀w₀ᵀ], (*batch, dim, dim), None for a start that is not random.
    `rounds`: one mixture for all, a function of the round, or the mixtures in order. One mixture is lifted to a matrix
    of size 1 + dim + 2dim², cheap per round; for dim > 20 pass ``repeat(mixture)`` instead.
    Raises `ValueError` for shapes that do not fit, `OverflowError` naming the round when the moments are not finite.
    """
    xp = namespace(start_mean)
    mean, covariance = _start(start_mean, start_second, n_rounds)
    path: list[tuple[Any, Any]] = [(mean, covariance)]
    if isinstance(rounds, AffineMixture):
        _check_fit(rounds, mean, 0)
        lifted, state = _lifted(rounds), _state(mean, covariance)
        for _ in range(n_rounds):
            state = lifted @ state
            path.append(_split(state, mean))
    else:
        series = map(rounds, range(n_rounds)) if callable(rounds) else islice(rounds, n_rounds)
        for r, mixture in enumerate(series):
            _check_fit(mixture, mean, r)
            mean, covariance = _step(mixture, mean, covariance)
            path.append((mean, covariance))
    if len(path) != n_rounds + 1:
        raise ValueError(f"moments(n_rounds={n_rounds}): `rounds` ended after {len(path) - 1} rounds")
    means, covariances = (xp.stack(list(column)) for column in zip(*path, strict=True))
    sound = xp.all(xp.isfinite(covariances), axis=(-2, -1)) & xp.all(xp.isfinite(means), axis=-1)
    if not bool(xp.all(sound)):
        first = next(r for r in range(n_rounds + 1) if not bool(xp.all(sound[r])))
        raise OverflowError(f"moments: not finite after round {first}; the run diverges, try smaller step sizes")
    return Moments(means, covariances)


def moments_after(
    mixture: AffineMixture, n_rounds: int, start_mean: Array, start_second: Array | None = None
) -> Moments:
    """E[w] and Cov[w] after `n_rounds` rounds of the same mixture, by repeated squaring; axes (*batch,).

    A round acts linearly on (1, μ, vec μμᵀ, vec C), a vector of 1 + dim + 2dim² entries (meant for dim <= 20).
    Raises as `moments` does.
    """
    mean, covariance = _start(start_mean, start_second, n_rounds)
    _check_fit(mixture, mean, 0)
    power, state, left = _lifted(mixture), _state(mean, covariance), n_rounds
    while left:
        if left & 1:
            state = power @ state
        left >>= 1
        if left:
            power = power @ power
    xp = namespace(mean)
    if not bool(xp.all(xp.isfinite(state))):
        raise OverflowError(f"moments_after(n_rounds={n_rounds}): not finite; the run diverges, try smaller step sizes")
    return Moments(*_split(state, mean))


def expected_quadratic(of: Moments, matrix: Array, center: Array) -> Any:
    """E[(w − c)ᵀB(w − c)] = (μ − c)ᵀB(μ − c) + tr(B Cov); `matrix` B (*batch, dim, dim), `center` c (*batch, dim)."""
    xp = namespace(of.mean, matrix, center)
    offset = of.mean - center
    at_mean = xp.sum(offset * (matrix @ offset[..., None])[..., 0], axis=-1)
    return at_mean + xp.sum(matrix * xp.matrix_transpose(of.covariance), axis=(-2, -1))


def expected_square_distance(of: Moments, center: Array) -> Any:
    """E‖w − c‖² = ‖μ − c‖² + tr Cov; `center` (*batch, dim), for instance ``federation.optimum()``."""
    xp = namespace(of.mean, center)
    eye = xp.eye(int(of.mean.shape[-1]), dtype=of.mean.dtype, device=device_of(of.mean))
    return expected_quadratic(of, eye, center)


def expected_global_loss(federation: QuadraticFederation, of: Moments) -> Any:
    """E[F(w)] = F(E[w]) + ½ tr(A Cov[w]) with A = Σpᵢ Aᵢ, in units of loss; axes (*rounds, *batch)."""
    xp = namespace(federation.share, of.mean)
    curvature = xp.sum(federation.share[..., None, None] * federation.curvature, axis=-3)
    return global_loss(federation, of.mean) + 0.5 * xp.sum(curvature * of.covariance, axis=(-2, -1))


def _step(mixture: AffineMixture, mean: Any, covariance: Any) -> tuple[Any, Any]:
    xp = namespace(mean)
    q = mixture.probability[..., None]
    images = (mixture.matrix @ mean[..., None, :, None])[..., 0] + mixture.shift
    new = xp.sum(q * images, axis=-2)
    apart = images - new[..., None, :]
    inside = mixture.matrix @ covariance[..., None, :, :] @ xp.matrix_transpose(mixture.matrix) + mixture.covariance
    return new, xp.sum(q[..., None] * inside, axis=-3) + xp.matrix_transpose(q * apart) @ apart


def _lifted(mixture: AffineMixture) -> Any:
    """The matrix by which a round acts on (1, μ, vec μμᵀ, vec C), (*batch, D, D), D = 1 + dim + 2dim²."""
    xp = namespace(mixture.matrix)
    q = mixture.probability[..., None, None]
    maps, shifts = mixture.matrix, mixture.shift[..., None]
    mean_map, mean_shift = xp.sum(q * maps, axis=-3, keepdims=True), xp.sum(q * shifts, axis=-3, keepdims=True)
    off_map, off_shift = maps - mean_map, shifts - mean_shift
    batch, dim = tuple(maps.shape[:-3]), int(maps.shape[-1])
    one = xp.ones_like(q[..., :1, :, :])

    def kron(weight: Any, left: Any, right: Any) -> Any:
        """Σⱼ weightⱼ leftⱼ ⊗ rightⱼ, as one product of (outcomes × entries) matrices."""
        n, (rows, columns), (more_rows, more_columns) = left.shape[-3], left.shape[-2:], right.shape[-2:]
        flat = xp.reshape(weight * left, (*batch, n, rows * columns))
        gram = xp.matrix_transpose(flat) @ xp.reshape(right, (*batch, n, more_rows * more_columns))
        split = xp.reshape(gram, (*batch, rows, columns, more_rows, more_columns))
        b = len(batch)
        ordered = xp.permute_dims(split, (*range(b), b, b + 2, b + 1, b + 3))
        return xp.reshape(ordered, (*batch, rows * more_rows, columns * more_columns))

    def zeros(rows: int, columns: int) -> Any:
        return xp.zeros((*batch, rows, columns), dtype=maps.dtype, device=device_of(maps))

    noise = xp.reshape(xp.sum(q * mixture.covariance, axis=-3), (*batch, dim * dim, 1))
    square = dim * dim
    rows = [
        [one[..., 0, :, :], zeros(1, dim + 2 * square)],
        [mean_shift[..., 0, :, :], mean_map[..., 0, :, :], zeros(dim, 2 * square)],
        [
            kron(one, mean_shift, mean_shift),
            kron(one, mean_map, mean_shift) + kron(one, mean_shift, mean_map),
            kron(one, mean_map, mean_map),
            zeros(square, square),
        ],
        [
            kron(q, off_shift, off_shift) + noise,
            kron(q, off_map, off_shift) + kron(q, off_shift, off_map),
            kron(q, off_map, off_map),
            kron(q, maps, maps),
        ],
    ]
    return xp.concat([xp.concat(row, axis=-1) for row in rows], axis=-2)


def _state(mean: Any, covariance: Any) -> Any:
    xp = namespace(mean)
    flat = (*mean.shape[:-1], int(mean.shape[-1]) ** 2)
    product_of_means = xp.reshape(mean[..., :, None] * mean[..., None, :], flat)
    parts = [xp.ones_like(mean[..., :1]), mean, product_of_means, xp.reshape(covariance, flat)]
    return xp.concat(parts, axis=-1)[..., None]


def _split(state: Any, like: Any) -> tuple[Any, Any]:
    dim = int(like.shape[-1])
    covariance = namespace(like).reshape(state[..., -dim * dim :, 0], (*like.shape, dim))
    return state[..., 1 : 1 + dim, 0], covariance


def _start(mean: Array, second: Array | None, n_rounds: int) -> tuple[Any, Any]:
    xp = namespace(mean)
    if n_rounds < 0:
        raise ValueError(f"moments(n_rounds={n_rounds}): must be >= 0")
    if mean.ndim == 0 or not bool(xp.all(xp.isfinite(mean))):
        raise ValueError("moments(start_mean=…): expected a finite array (*batch, dim)")
    square = mean[..., :, None] * mean[..., None, :]
    if second is None:
        return mean, 0 * square
    if tuple(second.shape) != tuple(square.shape):
        raise ValueError(f"moments(start_second=…): shape {tuple(second.shape)}; expected {tuple(square.shape)}")
    covariance = second - square
    _check_covariance(covariance, "moments(start_second=…) − E[w]E[w]ᵀ", float(xp.max(xp.abs(second))))
    return mean, covariance


def _check_covariance(covariance: Any, name: str, scale: float) -> None:
    """Symmetric and positive semidefinite within 1e-12 of `scale`: what sums of squares lose to rounding."""
    xp = namespace(covariance)
    if not scale < float("inf"):
        raise ValueError(f"{name}: contains NaN or infinity; expected finite entries")
    skew = float(xp.max(xp.abs(covariance - xp.matrix_transpose(covariance))))
    if skew > 1e-12 * scale:
        raise ValueError(f"{name}: not symmetric, entries differ by {skew:.1e}")
    lowest = float(xp.min(xp.linalg.eigvalsh(covariance)))
    if lowest < -1e-12 * covariance.shape[-1] * scale:
        raise ValueError(f"{name}: smallest eigenvalue {lowest:.3g}; expected positive semidefinite")


def _check_fit(mixture: AffineMixture, mean: Any, round_index: int) -> None:
    *batch, _, dim = mixture.shift.shape
    if int(mean.shape[-1]) != dim or (batch and tuple(batch) != tuple(mean.shape[:-1])):
        raise ValueError(
            f"moments(start_mean=…): shape {tuple(mean.shape)}; round {round_index}'s mixture expects {(*batch, dim)}"
        )


def _check_round(federation: QuadraticFederation, law: RoundLaw, step_sizes: Array, sigma: Array | None) -> None:
    xp = namespace(step_sizes)
    n, dim, batch = federation.n_clients, federation.dim, tuple(federation.centers.shape[:-2])
    if step_sizes.ndim == 0 or step_sizes.shape[0] == 0 or tuple(step_sizes.shape[1:]) not in {(), batch}:
        raise ValueError(
            f"fedavg_mixture(step_sizes=…): shape {tuple(step_sizes.shape)}; expected (n_local_steps,) or with {batch}"
        )
    if not bool(xp.all(xp.isfinite(step_sizes) & (step_sizes > 0))):
        raise ValueError(f"fedavg_mixture(step_sizes=…): smallest {float(xp.min(step_sizes)):g}; must be > 0")
    n_local_steps = int(step_sizes.shape[0])
    if int(law.weights.shape[-1]) != n:
        raise ValueError(f"fedavg_mixture(law=…): {law.weights.shape[-1]} clients; the federation has {n}")
    if law.steps is not None and int(xp.max(law.steps)) > n_local_steps:
        raise ValueError(
            f"fedavg_mixture(law=…): a client finishes {int(xp.max(law.steps))} steps; step_sizes has {n_local_steps}"
        )
    if law.noise is not None and (law.noise.shape[-3], law.noise.shape[-1]) != (n_local_steps, dim):
        raise ValueError(
            f"fedavg_mixture(law=…): noise {tuple(law.noise.shape)}; expected (…, {n_local_steps}, {n}, {dim})"
        )
    if sigma is not None and (
        tuple(sigma.shape) not in {(n,), (*batch, n)} or not bool(xp.all(xp.isfinite(sigma) & (sigma >= 0)))
    ):
        raise ValueError(f"fedavg_mixture(sigma=…): shape {tuple(sigma.shape)}; expected {n} finite values >= 0")
