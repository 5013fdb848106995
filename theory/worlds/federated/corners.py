"""Named corners: a few numbers drawn, the whole instance of a run follows; placed once for both sides.

Each is a place where bounds on runs were found tight or false: all weight on one client, identical noisy clients, a
client that hardly counts, long rounds from w* or from where the run settles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from theory.worlds.federated.exact_run import exact_run

__all__ = ["CORNERS", "exact_corner", "placed"]

CORNERS = ("alone", "alike", "hardly counted", "drifting")
"""All weight on one of two clients; identical noisy clients; a client of hardly any share; long rounds."""


def placed(x: Mapping[str, Any], *, where: str, N: int, n_rows: int) -> dict[str, Any]:
    """The instance at a corner, of arrays (n,) or of exact numbers; `n_rows` rows of weights, all alike."""
    zero, one = Fraction(0), Fraction(1)
    own = ("curvature", "bent", "first", "second", "beside", "tiny", "tilt", "sigma")
    rest = {name: value for name, value in x.items() if name not in own}
    if where == "alike":
        shares = [one / N] * N
        found: dict[str, Any] = {"curvature": [[x["curvature"]]] * N, "optimum": [[zero]] * N, "share": shares}
        found |= {"start": [x["beside"]], "noisy": one, "sigma": [x["sigma"]] * N}
        row = [one] + [zero] * (N - 1)
    else:
        shares = [x["tiny"], 1 - x["tiny"]] if "tiny" in x else [one / 2, one / 2]
        found = {"curvature": [[x["curvature"]], [x["curvature"] * x["bent"]]], "share": shares}
        found |= {"optimum": [[x["first"]], [x["second"]]], "start": [x["first"] + x["beside"]]}
        found |= {"sigma": [zero, zero], "noisy": zero}
        row = [1 - x["tilt"], 0 + x["tilt"]] if where == "hardly counted" else [one, zero]
        row = shares if where == "drifting" else row
    return {**rest, **found, **({"weights": [row] * n_rows} if n_rows else {})}


def exact_corner(
    x: Mapping[str, Any],
    *,
    where: str,
    N: int,
    n_rows: int,
    letters: Iterable[Callable[[Mapping[str, Any]], Any]],
    **chosen: Any,
) -> tuple[dict[str, bool], dict[str, Any]]:
    """A run at a corner."""
    return exact_run(placed(x, where=where, N=N, n_rows=n_rows), letters=letters, **chosen)
