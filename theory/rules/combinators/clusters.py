"""WithClusters: a rule applied to the moving averages of clusters of clients, as many as are to be remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.base.arrays import device_of, namespace
from theory.base.checks import check_number, check_rule, check_whole
from theory.rules.entry import RuleEntry
from theory.rules.protocol import AnyRule, aggregate, needs_of, on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "WithClusters"]


@dataclass(frozen=True)
class WithClusters:
    """m_c ← (1−α)m_c + α·mean of uₖ over the clients present in cluster c; then the inner `rule` on the clusters.

    Source: fedaware §5, «Limitation and feasible solutions», option 2: «cluster clients respecting their similarity and
    save the momentum of cluster-averaged gradients», so that a server keeps `n_clusters` vectors and not one a client;
    with `MinNorm` inside, FedAWARE on clusters. α is that of `WithMemory`.
    *Open* there: how clients are clustered. Here by the cosine of their update: a client present joins the cluster
    whose m_c is nearest to its uₖ, and stays there while it is absent. A cluster not begun yet begins with the update
    of the client that is least like all clusters begun, the longest one where there is none, and so does its average.
    No tie, up to rounding, goes by the order of clients: of clusters equally near the one begun first is joined, and
    of clients equally fit to begin one, that whose direction has the largest product with (sin 1, sin 2, …).
    A cluster's weight is shared evenly by its members, present or not, and each stands for m_c. Clusters without
    members do not count. `n_clusters` >= 1. The inner rule sees clusters as clients, with the shares of their members;
    it may read updates and shares alone.
    State: {"memory": (*batch, n_clusters, dim), "member": booleans (*batch, n_clients, n_clusters), "begun": booleans
    (*batch, n_clusters), "inner": the inner rule's}.
    """

    rule: AnyRule
    n_clusters: int = 3
    alpha: float = 0.5

    def __post_init__(self) -> None:
        check_rule("WithClusters", "rule", self.rule)
        check_whole("WithClusters", "n_clusters", self.n_clusters, low=1)
        check_number("WithClusters", "alpha", self.alpha, high=1.0, hint="1 forgets all but the last updates")
        reads = needs_of(self.rule)
        if reads is None or not set(reads) <= {"updates", "share"} or not on_simplex(self.rule):
            said = "anything" if reads is None else ", ".join(reads)
            raise ValueError(
                f"WithClusters(rule={self.rule!r}): reads {said}; expected a rule of updates and shares, which clusters"
                " have, whose weights sum to 1, such as MinNorm()"
            )

    @property
    def needs(self) -> tuple[str, ...]:
        """The updates, and the shares where the inner rule reads them."""
        return needs_of(self.rule, also=("updates",)) or ("updates",)

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(what is remembered, the weight of each client, the average of its cluster)."""
        updates = stats.need("updates", "WithClusters")
        xp = namespace(updates, stats.present)
        here = stats.present[..., None]
        rows = xp.where(here, updates, xp.zeros_like(updates))
        if state is None:
            none = xp.zeros((*stats.share.shape, self.n_clusters), dtype=xp.bool, device=device_of(rows))
            shape = (*rows.shape[:-2], self.n_clusters, rows.shape[-1])
            memory = xp.zeros(shape, dtype=rows.dtype, device=device_of(rows))
            state = {"memory": memory, "member": none, "begun": none[..., 0, :], "inner": None}
        centres, begun = self._begun(xp, state["memory"], state["begun"], rows, stats.present)
        near = xp.where(begun[..., None, :], _cosines(xp, rows, centres), -xp.inf)
        joined = _one(xp, _first(xp, near, xp.zeros_like(near)), self.n_clusters) & here
        member = xp.where(here, joined, state["member"])
        count = xp.sum(xp.astype(joined, rows.dtype), axis=-2)
        summed = xp.matrix_transpose(xp.astype(joined, rows.dtype)) @ rows
        mean = summed / xp.where(count > 0, count, xp.ones_like(count))[..., None]
        moved = xp.where(state["begun"][..., None], (1 - self.alpha) * state["memory"] + self.alpha * mean, mean)
        memory = xp.where((count > 0)[..., None], moved, centres)
        held = xp.astype(member, stats.share.dtype)
        n_members = xp.sum(held, axis=-2)
        shares = (stats.share[..., None, :] @ held)[..., 0, :]
        total = xp.sum(shares, axis=-1, keepdims=True)
        shares = shares / xp.where(total > 0, total, xp.ones_like(total))
        seen = RoundStats.unchecked(share=shares, present=n_members > 0, updates=memory, round=stats.round)
        inner, weights, vectors = aggregate(self.rule, state["inner"], seen)
        each = weights / xp.where(n_members > 0, n_members, xp.ones_like(n_members))
        spread = xp.sum(held * each[..., None, :], axis=-1)
        vectors = xp.astype(held, vectors.dtype) @ vectors
        return {"memory": memory, "member": member, "begun": begun, "inner": inner}, spread, vectors

    def _begun(self, xp: Any, centres: Any, begun: Any, rows: Any, present: Any) -> tuple[Any, Any]:
        """(centres, which are begun) with a first update for each cluster that has none, as long as there are any."""
        exact = xp.astype(rows, xp.float64)
        largest = xp.max(xp.abs(exact), axis=(-2, -1), keepdims=True)
        scaled = exact / xp.where(largest > 0, largest, xp.ones_like(largest))  # so that no square overflows
        free, sizes, key = present, xp.sum(scaled * scaled, axis=-1), _key(xp, rows)
        for c in range(self.n_clusters):
            wanted = ~begun[..., c] & xp.any(free, axis=-1)
            if not bool(xp.any(wanted)):
                continue
            likeness = xp.max(xp.where(begun[..., None, :], _cosines(xp, rows, centres), -xp.inf), axis=-1)
            first = ~xp.any(begun, axis=-1)[..., None]
            worst = _first(xp, xp.where(free, xp.where(first, sizes, -likeness), -xp.inf), key)
            chosen = _one(xp, worst, free.shape[-1]) & wanted[..., None]
            this = _one(xp, xp.asarray(c, device=device_of(rows)), self.n_clusters) & wanted[..., None]
            seed = xp.sum(xp.where(chosen[..., None], rows, xp.zeros_like(rows)), axis=-2)
            centres = xp.where(this[..., None], seed[..., None, :], centres)
            begun, free = begun | this, free & ~chosen
        return centres, begun


def _cosines(xp: Any, rows: Any, centres: Any) -> Any:
    """cos(uₖ, m_c), 0 where one of them is 0, (*batch, n_clients, n_clusters)."""
    return _unit(xp, rows) @ xp.matrix_transpose(_unit(xp, centres))


def _unit(xp: Any, rows: Any) -> Any:
    """Rows of length 1, or 0, in float64: with fewer digits, clients that differ would tie."""
    rows = xp.astype(rows, xp.float64)
    largest = xp.max(xp.abs(rows), axis=-1, keepdims=True)
    scaled = rows / xp.where(largest > 0, largest, xp.ones_like(largest))
    length = xp.sqrt(xp.sum(scaled * scaled, axis=-1, keepdims=True))
    return scaled / xp.where(length > 0, length, xp.ones_like(length))


def _key(xp: Any, rows: Any) -> Any:
    """By which ties between rows go: the products of their directions with a fixed vector, (*batch, n)."""
    at = xp.arange(1, rows.shape[-1] + 1, dtype=xp.float64, device=device_of(rows))
    return xp.sum(_unit(xp, rows) * xp.sin(at), axis=-1)


def _first(xp: Any, score: Any, key: Any) -> Any:
    """The place of the largest score along the last axis; of those within 64 roundings, of the largest key."""
    best = xp.max(score, axis=-1, keepdims=True)
    room = 64 * float(xp.finfo(score.dtype).eps) * xp.where(best > 1, best, xp.ones_like(best))
    return xp.argmax(xp.where(score >= best - room, key, -xp.inf), axis=-1)


def _one(xp: Any, index: Any, n: int) -> Any:
    """Booleans (*batch, n), true at `index` (*batch,)."""
    return xp.arange(n, device=device_of(index)) == index[..., None]


ENTRY = RuleEntry(
    "with-clusters",
    WithClusters,
    "fedaware",
    "§5, limitations, 2",
    "m_c ← (1−α)m_c + α·mean uₖ of a cluster; a rule on all m_c",
    {"rule": "min-norm"},
    parts=("rule",),
    kind="combinator",
)
