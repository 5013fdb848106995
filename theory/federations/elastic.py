"""The elastic objective: every client's loss plus a Fisher-weighted pull towards all clients' last models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.base.arrays import Array, device_of, namespace, to_host
from theory.base.minimise import minimise
from theory.federations.federation import Constants, Federation, QuadraticFederation

__all__ = ["ElasticFederation", "elastic", "elastic_gradient", "elastic_sums"]


def elastic_sums(fisher: Array, models: Array) -> tuple[Any, Any]:
    """(Σuⁱ, Σvⁱ), uⁱ = diag(Iᵢ), vⁱ = diag(Iᵢ)wᵢ, each (*batch, dim); what the server of EFL keeps and sends.

    Source: EFL-ALG1 step 5, in the text's reading of v (the box prints v = diag(Iᵢ)).
    `fisher` diag(Iᵢ) and `models` wᵢ: (*batch, n_clients, dim).
    """
    xp = namespace(fisher, models)
    return xp.sum(fisher, axis=-2), xp.sum(fisher * models, axis=-2)


def elastic_gradient(w: Array, sum_u: Array, sum_v: Array, strength: float) -> Any:
    """λ(Σuⁱ ⊙ w − Σvⁱ), the derivative of the elastic term; all three of one shape, or broadcastable.

    Source: EFL-ALG1 step 4, the derivative of EFL-E3. For one model per client pass ``sum_u[..., None, :]``.
    """
    return strength * (sum_u * w - sum_v)


@dataclass(frozen=True, eq=False)
class ElasticFederation:
    """F̃ₖ(w) = Fₖ(w) + (λ/2) Σᵢ (w−wᵢ)ᵀ diag(Iᵢ)(w−wᵢ) over any `base` federation; built by `elastic`.

    `fisher`, `anchors` wᵢ: (*batch, n_clients, dim); `strength` λ is the factor in force (already divided by
    n_clients when normalised). `floor`, `local_optima`, `global_optimum` are solved for when it is built.
    """

    base: Federation
    fisher: Array
    anchors: Array
    strength: float
    floor: Array
    local_optima: Array
    global_optimum: Array

    @property
    def share(self) -> Array:
        """The base's shares: the elastic term is the same for every client."""
        return self.base.share

    @property
    def n_clients(self) -> int:
        """Number of clients."""
        return self.base.n_clients

    @property
    def dim(self) -> int:
        """Dimension of the model."""
        return self.base.dim

    def losses(self, models: Array) -> Any:
        """F̃ₖ(wₖ), (*batch, n_clients)."""
        return self.base.losses(models) + _penalty(self.fisher, self.anchors, self.strength, models)

    def gradients(self, models: Array) -> Any:
        """∇F̃ₖ(wₖ) = ∇Fₖ(wₖ) + λ(Σuⁱ ⊙ wₖ − Σvⁱ), (*batch, n_clients, dim)."""
        sum_u, sum_v = elastic_sums(self.fisher, self.anchors)
        return self.base.gradients(models) + elastic_gradient(
            models, sum_u[..., None, :], sum_v[..., None, :], self.strength
        )

    def optimum(self) -> Array:
        """The minimiser of Σpₖ F̃ₖ, (*batch, dim)."""
        return self.global_optimum

    def constants(self) -> Constants:
        """μ + λ minⱼ Σᵢ Iᵢⱼ and L + λ maxⱼ Σᵢ Iᵢⱼ: bounds, exact only if the extremes meet. Grows with n_clients."""
        return _shifted(self.base.constants(), self.fisher, self.strength)


def elastic(
    federation: Federation, fisher: Array, anchors: Array, strength: float, *, normalised: bool = False
) -> QuadraticFederation | ElasticFederation:
    """F̃ₖ(w) = Fₖ(w) + (λ/2) Σᵢ (w−wᵢ)ᵀ diag(Iᵢ)(w−wᵢ), with its own optima, floor and constants.

    Source: EFL-E2 as printed: a sum over all N clients, so its curvature grows with N. *Differs:* `normalised` divides
    it by N. A `QuadraticFederation` gives one back, by exact algebra: Aₖ + λD, (Aₖ+λD)⁻¹(Aₖmₖ + λΣvⁱ), D = diag(Σuⁱ).
    `fisher` diag(Iᵢ) >= 0 and `anchors` wᵢ: (*batch, n_clients, dim); `strength` λ >= 0.
    Raises `ValueError` for input out of range, or when μ + λ minⱼΣᵢIᵢⱼ <= 0 (no certified floor); `RuntimeError` with
    the residual when a minimum is not reached.
    """
    xp = namespace(federation.share, fisher, anchors)
    expected = (*federation.share.shape, federation.dim)
    for name, value in (("fisher", fisher), ("anchors", anchors)):
        if tuple(value.shape) != expected:
            raise ValueError(f"elastic({name}=…): shape {tuple(value.shape)}; expected {expected} from the federation")
        if not bool(xp.all(xp.isfinite(value))):
            raise ValueError(f"elastic({name}=…): contains NaN or infinity")
    if float(xp.min(fisher)) < 0:
        raise ValueError(f"elastic(fisher=…): smallest entry {float(xp.min(fisher)):g}; a Fisher diagonal is >= 0")
    if not 0 <= strength < float("inf"):
        raise ValueError(f"elastic(strength={strength}): must be >= 0 and finite")
    factor = strength / federation.n_clients if normalised else strength
    if isinstance(federation, QuadraticFederation):
        return _quadratic(federation, fisher, anchors, factor)
    lowest = float(xp.min(_shifted(federation.constants(), fisher, factor).mu))
    if lowest <= 0:
        raise ValueError(
            f"elastic(strength={strength}): μ + λ·minⱼΣᵢIᵢⱼ = {lowest:.3g}, so the floor could not be certified;"
            " raise strength or fisher until it is > 0"
        )
    return _solved(federation, fisher, anchors, factor)


def _quadratic(base: QuadraticFederation, fisher: Array, anchors: Array, strength: float) -> QuadraticFederation:
    xp = namespace(base.curvature, fisher, anchors)
    sum_u, sum_v = elastic_sums(fisher, anchors)
    unit = xp.eye(base.dim, dtype=base.curvature.dtype, device=device_of(base.curvature))
    curvature = base.curvature + strength * (sum_u[..., None] * unit)[..., None, :, :]
    pull = (base.curvature @ base.centers[..., None])[..., 0] + strength * sum_v[..., None, :]
    centers = xp.linalg.solve(curvature, pull[..., None])[..., 0]
    # The value at the minimiser, a sum of terms >= 0, rather than a difference of large constants.
    floor = base.losses(centers) + _penalty(fisher, anchors, strength, centers)
    return QuadraticFederation(curvature, centers, floor, base.share)


def _solved(base: Federation, fisher: Array, anchors: Array, strength: float) -> ElasticFederation:
    """Local and global minimisers by the solver, on the CPU; the result is back in the base's namespace."""
    xp, like = namespace(base.share, anchors), anchors
    draft = ElasticFederation(base, fisher, anchors, strength, base.floor, anchors, anchors[..., 0, :])
    shape, dim = tuple(anchors.shape), base.dim

    def back(rows: Any, wanted: tuple[int, ...]) -> Any:
        return xp.asarray(rows.reshape(wanted), dtype=like.dtype, device=device_of(like))

    def local(rows: Any) -> tuple[Any, Any]:
        models = back(rows, shape)
        return to_host(draft.losses(models)).reshape(-1), to_host(draft.gradients(models)).reshape(-1, dim)

    def whole(rows: Any) -> tuple[Any, Any]:
        models = back(rows, (*shape[:-2], 1, dim))
        share = base.share
        value = xp.sum(share * draft.losses(models), axis=-1)
        gradient = xp.sum(share[..., None] * draft.gradients(models), axis=-2)
        return to_host(value).reshape(-1), to_host(gradient).reshape(-1, dim)

    start = to_host(anchors)
    optima = back(minimise(local, start.reshape(-1, dim), name="elastic: local optima"), shape)
    middle = start.mean(axis=-2).reshape(-1, dim)
    best = back(minimise(whole, middle, name="elastic: global optimum"), (*shape[:-2], dim))
    return ElasticFederation(base, fisher, anchors, strength, draft.losses(optima), optima, best)


def _penalty(fisher: Array, anchors: Array, strength: float, models: Array) -> Any:
    """(λ/2) Σᵢ (wₖ−wᵢ)ᵀ diag(Iᵢ)(wₖ−wᵢ) for every client's own model, (*batch, n_clients)."""
    xp = namespace(fisher, models)
    offset = models[..., :, None, :] - anchors[..., None, :, :]
    return 0.5 * strength * xp.sum(fisher[..., None, :, :] * offset**2, axis=(-2, -1))


def _shifted(constants: Constants, fisher: Array, strength: float) -> Constants:
    xp = namespace(fisher)
    total = xp.sum(fisher, axis=-2)
    return Constants(
        mu=constants.mu + strength * xp.min(total, axis=-1), L=constants.L + strength * xp.max(total, axis=-1)
    )
