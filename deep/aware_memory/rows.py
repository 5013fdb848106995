"""FedAWARE's memory by rows: vectors of the clients seen alone, and inner products of those that changed alone.

`theory.rules.WithMemory` writes the rule down for whole arrays: each round it makes new rows of all clients and, for
the minimum norm, their Gram matrix in float64, 3 N·d numbers of eight bytes. Here a round changes the rows of the
clients present, and in the Gram matrix their rows and columns: N·m·d multiplications in place of N²·d, and never more
than `ENTRIES` numbers in float64 besides the matrix. Entries are always taken of the rows as they are, none is moved on
from an older one, so that rounding does not add up over rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from deep.aware_memory.warm_start import WARM_FROM, warm_weights
from deep.base.lazy import torch
from theory.algorithms import Method
from theory.algorithms.servers.aware import Aware
from theory.base.arrays import one_blas_thread
from theory.compiled.products import products
from theory.rules import MinNorm, WithMemory
from theory.rules.protocol import AnyRule
from theory.rules.stats import RoundStats

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "BLOCK",
    "ENTRIES",
    "NEAR_ROWS",
    "CohortRows",
    "HeldRows",
    "Incremental",
    "Remembered",
    "Rows",
    "by_rows",
    "inner_products",
    "reads_rows",
]

ENTRIES = 1 << 22  # of rows that are in float64 at once, 32 MiB
BLOCK = 256  # rows of a block on a device: its conversion to float64 is a small part of its products
NEAR_ROWS, NEAR_COLUMNS = 64, 2048  # of a block in a processor's cache, in float64 1 MiB


class Rows(Protocol):
    """Vectors of one length at the places 0 … n − 1; a value: `put` leaves the old one as it is."""

    def __len__(self) -> int: ...

    def put(self, places: Sequence[int], values: Tensor) -> Rows:
        """The rows with those at `places` replaced by `values` (m, dim); places from n on, in order, are added."""
        ...

    def take(self, places: Sequence[int]) -> Tensor:
        """Those at `places`, (m, dim)."""
        ...

    def blocks(self, n_rows: int, places: Sequence[int] | None = None) -> Iterator[Sequence[Tensor]]:
        """All of them, or those at `places`, in order, at most `n_rows` at a time; read before the next are asked for.

        No copies: nothing is written into them.
        """
        ...

    def plain(self) -> Any:
        """What a checkpoint takes, which `Incremental.rows_of` turns back."""
        ...


@dataclass(frozen=True, eq=False)
class HeldRows:
    """`Rows` in memory, a tensor each, so that a round copies those of the clients present and no others."""

    rows: tuple[Tensor, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def put(self, places: Sequence[int], values: Tensor) -> HeldRows:
        """See `Rows`."""
        rows = list(self.rows)
        for place, value in zip(places, values, strict=True):
            own = value.clone()  # a view would keep the rows beside it alive
            rows[place : place + 1] = [own]
        return HeldRows(tuple(rows))

    def take(self, places: Sequence[int]) -> Tensor:
        """See `Rows`."""
        return torch.stack([self.rows[place] for place in places])

    def blocks(self, n_rows: int, places: Sequence[int] | None = None) -> Iterator[Sequence[Tensor]]:
        """See `Rows`."""
        rows = self.rows if places is None else [self.rows[place] for place in places]
        for first in range(0, len(rows), n_rows):
            yield rows[first : first + n_rows]

    def plain(self) -> tuple[Tensor, ...]:
        """See `Rows`."""
        return self.rows


@dataclass(frozen=True, eq=False)
class CohortRows:
    """A round's updates of the clients present alone: `rows` (m, dim) of those in `slots`, of `n_slots` in all."""

    rows: Tensor
    slots: tuple[int, ...]
    n_slots: int

    @property
    def shape(self) -> tuple[int, int]:
        """That of the rows of all clients."""
        return self.n_slots, self.rows.shape[1]

    def __getitem__(self, entries: Any) -> CohortRows:
        """The same of some entries of each vector, `[..., a:b]`."""
        return replace(self, rows=self.rows[entries])


@dataclass(frozen=True, eq=False)
class Remembered:
    """What `Incremental` combines: a row per client, kept of those seen alone, at `place` (n_slots,) or −1; with theirs
    inner products `gram` (n_seen, n_seen). `solving`: seconds that the weights took.
    """

    rows: Rows
    place: Tensor
    gram: Tensor
    dim: int
    solving: float = 0.0

    @property
    def shape(self) -> tuple[int, int]:
        """That of the rows of all clients."""
        return len(self.place), self.dim

    def combined(self, weights: Tensor) -> Tensor:
        """Σ aₖmₖ in float64, (dim,), of `weights` (n_slots,)."""
        slots = weights.nonzero().flatten()
        places: list[int] = self.place[slots].tolist()
        total = torch.zeros(self.dim, dtype=torch.float64, device=weights.device)
        wide, remaining = torch.empty_like(total), iter(weights[slots].tolist())
        for block in self.rows.blocks(NEAR_ROWS, places):
            for row in block:
                total.add_(wide.copy_(row), alpha=next(remaining))
        return total

    def full_gram(self) -> Tensor:
        """⟨mᵢ, mⱼ⟩ of all clients, 0 for those never seen, (n_slots, n_slots)."""
        seen = (self.place >= 0).nonzero().flatten()
        at = self.place[seen]
        full = self.gram.new_zeros(len(self.place), len(self.place))
        full[seen[:, None], seen] = self.gram[at[:, None], at]
        return full


@dataclass(frozen=True)
class Incremental:
    """`rule`, FedAWARE as `theory` has it, on rows: the same weights but for the rounding of its inner products.

    Source: fedaware eq. (3), (2), Algorithm 1 lines 10 to 12. It wants `CohortRows` as updates and combines
    `Remembered` vectors, or with `summed` the one vector Σ aₖmₖ with weight 1. State: {"place": of each client among
    the rows, −1 before it was seen, int64 (n_slots,), "memory": the rows, "gram": (n_seen, n_seen) float64, of many
    clients also "support": places that had a weight}. {"memory": rows} before the first round says where they are
    kept. The state of `rule` itself, as folders of an earlier version hold it, is taken over.
    """

    rule: WithMemory
    summed: bool = False

    needs: ClassVar[tuple[str, ...]] = ("updates",)

    def rows_of(self, plain: Any) -> Rows:
        """The rows that a state holds."""
        return plain if hasattr(plain, "put") else HeldRows(tuple(plain))

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(memory after this round, weights of all clients, their moving averages)."""
        cohort: Any = stats.need("updates", "Incremental")
        held = self._begun(cohort, stats, state) if state is None or set(state) == {"memory"} else state
        if "place" not in held:
            held = _taken_over(held)
        before, place = self.rows_of(held["memory"]), held["place"].clone()
        slots = torch.tensor(cohort.slots, device=place.device)
        new = place[slots] < 0
        place[slots[new]] = len(before) + torch.arange(int(new.sum()), device=place.device)
        places: list[int] = place[slots].tolist()
        known = (~new).nonzero().flatten()
        values = cohort.rows.clone()
        if len(known):
            old = before.take([places[k] for k in known.tolist()])
            values[known] = (1 - self.rule.alpha) * old + self.rule.alpha * cohort.rows[known]
        rows = before.put(places, values)
        gram = refreshed_gram(held["gram"], rows, places, values)
        after = {"place": place, "memory": rows.plain(), "gram": gram}
        vectors = Remembered(rows, place, gram, cohort.rows.shape[1])
        began = perf_counter()
        weights = self._weights(stats, vectors, held.get("support"), places)
        vectors = replace(vectors, solving=perf_counter() - began)
        if len(rows) >= WARM_FROM:
            after["support"] = place[weights.nonzero().flatten()].sort().values
        if self.summed:
            return after, torch.ones(1, dtype=torch.float64, device=place.device), vectors.combined(weights)[None]
        return after, weights, vectors

    def _begun(self, cohort: CohortRows, stats: RoundStats, state: Any) -> dict[str, Any]:
        """Nothing remembered yet, to be kept where `state` says if it does; `ValueError` as `rule`."""
        if self.rule.init == "full-round" and not bool(torch.all(torch.as_tensor(stats.present))):
            self.rule.step(None, RoundStats.unchecked(**{**stats.__dict__, "updates": cohort.rows[:0]}))  # says why
        none = cohort.rows.new_full((cohort.n_slots,), -1, dtype=torch.int64)
        return {
            "place": none,
            "memory": (state or {}).get("memory", ()),
            "gram": cohort.rows.new_zeros(0, 0, dtype=torch.float64),
        }

    def _weights(
        self, stats: RoundStats, vectors: Remembered, support: Tensor | None, present: Sequence[int]
    ) -> Tensor:
        """Those of the rule inside on the clients seen, in the order of their slots, 0 for all others.

        Of many, first on the places that had a weight the round before, `support`, and those `present`
        (`deep.aware_memory.warm_start`).
        """
        share: Any = stats.share
        weights: Tensor = torch.zeros_like(share)
        if support is not None and len(vectors.rows) >= WARM_FROM and self.rule.rule == MinNorm():
            likely = torch.cat([support, support.new_tensor(list(present))])
            found = warm_weights(vectors.gram, likely)
            if found is not None:
                slots = (vectors.place >= 0).nonzero().flatten()
                weights[slots] = found[vectors.place[slots]]
                return weights
        seen = (vectors.place >= 0).nonzero().flatten()
        at = vectors.place[seen]
        in_order = bool((at[1:] > at[:-1]).all())
        inner = _Known.unchecked(
            share=share[seen],
            present=torch.ones(len(seen), dtype=torch.bool, device=share.device),
            updates=_Late(vectors.rows, at.tolist()),
            round=stats.round,
        )
        inner.__dict__["known"] = vectors.gram if in_order else vectors.gram[at[:, None], at]
        weights[seen] = self.rule.rule(inner)  # type: ignore[operator]
        return weights


class _Known(RoundStats):
    """A round whose inner products are known."""

    def gram(self) -> Any:
        """As known."""
        return self.__dict__["known"]


@dataclass(frozen=True, eq=False)
class _Late:
    """Rows that are put side by side where a rule goes back to them, at `[()]`, which is seldom."""

    rows: Rows
    places: list[int]

    def __getitem__(self, index: tuple[()]) -> Tensor:
        return self.rows.take(self.places)[index]


def reads_rows(part: object) -> bool:
    """Whether the rule or server takes the updates of the clients present alone, as `CohortRows`."""
    return isinstance(getattr(part, "onto", part), Incremental)


def by_rows(method: Method) -> Method:
    """`method` with every FedAWARE memory that it reads whole taken by rows: the rule itself, and what ×AWARE projects
    on and watches, these where none of them reads updates another way.
    """
    rule, server = method.rule, method.server
    if _is_fed_aware(rule):
        rule = Incremental(rule)  # type: ignore[arg-type]
    if type(server) is Aware and "updates" not in server.server.needs:
        onto, watch = server.onto, server.watch
        if isinstance(onto, WithMemory) and _is_fed_aware(onto) and (watch is None or _is_fed_aware(watch)):
            watched = Incremental(watch, summed=True) if isinstance(watch, WithMemory) else None
            server = replace(server, onto=Incremental(onto, summed=True), watch=watched)
    same = rule is method.rule and server is method.server
    return method if same else Method(rule, method.client, server)


def _is_fed_aware(rule: AnyRule) -> bool:
    """Whether it is a memory of clients seen with minimum-norm weights; by exact type, as a subclass may differ."""
    return type(rule) is WithMemory and type(rule.rule) is MinNorm and rule.init != "zeros"


def refreshed_gram(gram: Tensor, rows: Rows, places: Sequence[int], values: Tensor) -> Tensor:
    """⟨mᵢ, mⱼ⟩ of all `rows`, float64 (n, n), from the `gram` before those at `places` became `values` (m, dim)."""
    n, before = len(rows), len(gram)
    new = gram.new_zeros(n, n)
    new[:before, :before] = gram
    products = inner_products(rows, values)
    own = products[list(places)]
    products[list(places)] = (own + own.mT) / 2  # either order of a pair, which rounding tells apart
    at = torch.tensor(list(places), device=gram.device)
    new[:, at] = products
    new[at] = products.mT
    return new


def inner_products(rows: Rows, values: Tensor) -> Tensor:
    """⟨rowᵢ, valueⱼ⟩, float64 (n, m), of which never more than `ENTRIES` numbers a side are in float64 at once.

    On the host a block stays in the processor's cache from its conversion to its product, and rows are read where they
    are.
    """
    dim, host = values.shape[1], values.device.type == "cpu"
    n_rows = NEAR_ROWS if host else BLOCK
    width = max(1, min(dim, ENTRIES // max(min(n_rows, len(rows)), len(values))))
    total = values.new_zeros(len(rows), len(values), dtype=torch.float64)
    for first in range(0, dim, width):
        doubled = values[:, first : first + width].double()
        done = 0
        for block in rows.blocks(n_rows):
            parts = [row[first : first + width] for row in block]
            found = _on_host(parts, doubled) if host else torch.stack(parts).double() @ doubled.mT
            total[done : done + len(block)] += found
            done += len(block)
    return total


def _on_host(rows: Sequence[Tensor], values: Tensor) -> Tensor:
    """The same of a block, compiled or by NumPy, whose products of such shapes take half of torch's time."""
    held, plain = [row.numpy() for row in rows], values.numpy()
    compiled = products(held, plain)
    if compiled is not None:
        return torch.from_numpy(compiled)
    n_columns = plain.shape[1]
    wide = np.empty((len(held), min(n_columns, NEAR_COLUMNS)))
    found = np.zeros((len(held), len(plain)))
    with one_blas_thread():
        for first in range(0, n_columns, NEAR_COLUMNS):
            near = wide[:, : min(NEAR_COLUMNS, n_columns - first)]
            for into, row in zip(near, held, strict=True):
                into[:] = row[first : first + NEAR_COLUMNS]
            found += near @ plain[:, first : first + NEAR_COLUMNS].T
    return torch.from_numpy(found)


def _taken_over(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state by rows of one as `WithMemory` has it; every inner product anew."""
    seen = state["seen"].nonzero().flatten()
    place = torch.full_like(state["seen"], -1, dtype=torch.int64)
    place[seen] = torch.arange(len(seen), device=place.device)
    rows = HeldRows().put(range(len(seen)), state["memory"][seen])
    gram = torch.zeros(0, 0, dtype=torch.float64, device=place.device)
    every = list(range(len(seen)))
    return {"place": place, "memory": rows.plain(), "gram": refreshed_gram(gram, rows, every, rows.take(every))}
