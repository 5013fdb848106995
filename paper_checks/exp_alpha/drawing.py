"""How this paper's instances are drawn: units and the clients' axes follow from the names of the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from paper_checks.exp_alpha.notation import NOTATION, Coordinates, Plain, Seen
from validation import Case, Family, Mechanism, Size, Switch, Symmetry, Uniform, permuted_clients, split_client, units
from validation.statement.instances.draw import Coordinate, LogScale, Signed, Simplex, Space
from validation.world import World, case
from validation.world.mechanisms import always
from validation.world.scales import Scaled

__all__ = [
    "Coordinates",
    "Plain",
    "Seen",
    "drawn",
    "over",
    "positive",
    "quadratics",
    "ranging",
    "several_steps",
    "signed",
]

Units: TypeAlias = tuple[int, int]


UNITS: Mapping[str, Units] = {
    **dict.fromkeys(("curvature", "spectrum", "low", "high", "mu", "L"), (1, -2)),
    **dict.fromkeys(("optimum", "start", "local", "point", "other", "best", "model", "models", "points"), (0, 1)),
    **dict.fromkeys(("first", "second", "beside", "middle", "apart", "third", "distance", "W", "V"), (0, 1)),
    **dict.fromkeys(("alpha", "change", "excess", "drop", "rise", "Omega", "Omegas", "Gamma", "difference"), (1, 0)),
    **dict.fromkeys(("before", "spread", "delta0"), (0, 2)),
    **dict.fromkeys(("sigma", "noise"), (1, -1)),
    "B_bar": (2, -2),
}
"""Degrees in loss and length of what is drawn; what is not named here is a pure number."""

_OF_CLIENTS = {"curvature", "spectrum", "mirror", "tilt", "low", "high", "optimum", "share", "weights", "rows", "local"}
_OF_CLIENTS |= {"model", "noise", "sigma", "size", "change", "excess", "first", "second", "Omega", "Omegas"}


def positive(name: str, *shape: int, decades: float = 2, at: tuple[float, ...] = (1.0,)) -> LogScale:
    """A scale within so many decades of 1."""
    return LogScale(name, 10.0**-decades, 10.0**decades, shape, at=at)


def signed(name: str, *shape: int, decades: float = 2) -> Signed:
    """A position of either sign, its size within so many decades of 1, or 0."""
    return Signed(name, 10.0**-decades, 10.0**decades, shape)


def quadratics(n: int, *, decades: float = 2) -> Coordinates:
    """Clients hᵢ/2·(w − mᵢ)² on the line."""
    return positive("curvature", n, decades=decades), signed("optimum", n, decades=decades)


def several_steps(E: int) -> tuple[Mechanism, ...]:
    """What is on where a round has several local steps."""
    return (Mechanism("several local steps", (), always),) if E > 1 else ()


def _axis(c: Coordinate) -> int | None:
    """The clients' axis of a coordinate, where it has one."""
    shape: tuple[int, ...] = getattr(c, "shape", ())
    if c.name not in _OF_CLIENTS or not (shape or isinstance(c, Simplex)):
        return None
    return len(shape) if isinstance(c, Simplex) else len(shape) - 1 if c.name == "Omegas" else 0


def drawn(
    name: str,
    coordinates: Coordinates,
    observe: Callable[..., Seen],
    plain: Callable[..., Plain],
    *,
    scaled: Mapping[str, Units] | None = UNITS,
    permuted: bool = True,
    split: bool = False,
    more: tuple[Symmetry, ...] = (),
    cost: float = 1.0,
    mechanisms: tuple[Mechanism, ...] = (),
    **chosen: Any,
) -> Case:
    """A case whose symmetries follow from its coordinates: units, and the clients in another order.

    `scaled`: units other than in `UNITS`, or None where nothing is rescaled; not `permuted`: the clients' order matters;
    `split`: a client may be split in two; `more`: further symmetries. The rest as `case` takes it.
    """
    known = {} if scaled is None else {**UNITS, **scaled}
    degrees = {c.name: known[c.name] for c in coordinates if isinstance(c, Uniform | Signed) and c.name in known}
    degrees = {k: v for k, v in degrees.items() if v != (0, 0)}
    axes = {c.name: axis for c in coordinates if permuted and (axis := _axis(c)) is not None}
    shares = tuple(c.name for c in coordinates if isinstance(c, Simplex) and c.name in axes)
    same = (*((units(degrees),) if degrees else ()), *((permuted_clients(axes),) if axes else ()))
    same += (split_client(axes, shares),) if split else ()
    told: dict[str, Any] = {"cost": cost, "mechanisms": mechanisms, "symmetries": (*same, *more)}
    units_of = {c.name: found for c in coordinates if (found := {**UNITS, **(scaled or {})}.get(c.name))}
    return case(name, Space(coordinates), Scaled(observe, units_of, NOTATION), plain, **told, **chosen)


def over(*items: Case | Family | World, switches: tuple[Switch, ...] = ()) -> World:
    """A world of cases, families, and those of other worlds."""
    cases = [c for item in items for c in (item.cases if isinstance(item, World) else (item,))]
    return World(NOTATION, tuple(cases), switches=switches)


def ranging(name: str, at: Callable[..., Case], *, ladder: str = "", **sizes: tuple[int, int, int]) -> World:
    """A world of one family: `at` takes whole numbers; of each size the least, the largest and the usual one.

    `ladder`: the size that leaves the coordinates as they are.
    """

    def whole(**chosen: float) -> Case:
        return at(**{k: int(v) for k, v in chosen.items()})

    return World(NOTATION, (Family(name, tuple(Size(k, *v, ladder=k == ladder) for k, v in sizes.items()), whole),))
