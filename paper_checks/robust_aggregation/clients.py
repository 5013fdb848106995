"""Cases over the number of clients and the dimension, for statements about one round or about closed-form limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from validation import Case, ExactCheck, Family, Instance, Property, Reading, Size, Space, permuted_clients
from validation.statement.draw import Coordinate

__all__ = ["among", "one", "stated"]

Coordinates = Callable[[int, int], tuple[Coordinate, ...]]
Measure = Callable[[Instance], Mapping[str, Any]]


def among(
    name: str,
    coordinates: Coordinates,
    measure: Measure,
    exact: Callable[..., Any],
    uses: tuple[Callable[..., Any], ...] = (),
    *,
    by_client: Mapping[str, int] | None = None,
    clients: tuple[int, int, int] = (1, 3, 300),
    dims: tuple[int, int, int] = (1, 1, 1),
) -> Family:
    """A case for every N and d; `coordinates(N, d)`; sizes as (low, usual, high); `by_client`: client axes."""

    def at(N: float, d: float = 1) -> Case:
        n, dim = int(N), int(d)
        same = (permuted_clients(by_client),) if by_client else ()
        space, check = Space(coordinates(n, dim)), ExactCheck(exact, uses)
        where = f", N = {n}" + (f", d = {dim}" if dims[2] > 1 else "")
        return Case(name + where, space, measure, check, symmetries=same)

    sizes = [Size("N", clients[0], clients[2], clients[1])]
    if dims[2] > 1:
        sizes.append(Size("d", dims[0], dims[2], dims[1]))
    return Family(name, tuple(sizes), at)


def one(
    name: str,
    coordinates: tuple[Coordinate, ...],
    measure: Measure,
    exact: Callable[..., Any],
    uses: tuple[Callable[..., Any], ...] = (),
) -> Case:
    """A case of fixed shape."""
    return Case(name, Space(coordinates), measure, ExactCheck(exact, uses))


def stated(name: str, says: str, *cases: Case | Family, repair: Any = None) -> Reading:
    """A reading that is a property of every instance of the cases."""
    return Reading(name, says, Property(cases), repair)
