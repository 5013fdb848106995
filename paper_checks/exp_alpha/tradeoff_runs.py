"""Noiseless runs of Exp-α and of proportional weights from one start, on quadratic clients of the line, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_weights, slack
from paper_checks.exp_alpha.notation import NOTATION
from theory import from_spectra, global_loss, simulate
from theory.rules import ExpAlpha, Proportional
from theory.streams import stream
from validation import Case, Family, Instance, LogScale, Signed, Size, Space, Uniform, permuted_clients, units
from validation.world.world import World, case

__all__ = ["federations", "flat_direction", "outlier", "standings"]


def _gaps(x: Instance, E: int, R: int, together: bool, against: bool) -> tuple[Any, Any, Any]:
    """F(W^T) − F* after rounds 0 … R under Exp-α and under equal shares, each (R + 1, n), and the size of the losses.

    Constant steps `step`/L, E local steps a round. `together`: one optimum for all, 0. `against`: client 1 is the
    outlier, at −`outlier`, the others stand at 1, all with curvature 1.
    """
    h, m, start = x["curvature"], x["optimum"], x["start"]
    if together:
        m = np.zeros_like(m)
    if against:
        h = np.ones_like(h)
        m = np.concatenate([-x["outlier"][:, None], np.ones_like(m[:, 1:])], axis=1)
    share = np.full_like(h, 1 / h.shape[1])
    keep = (1 - (x["step"] / h.max(axis=1))[:, None] * h) ** E
    best = (share * h * m).sum(axis=1) / (share * h).sum(axis=1)
    curved = (share * h).sum(axis=1)
    scale = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(start)) ** 2
    temperature = x["alpha"] * (0.5 * h * (start[:, None] - m) ** 2).mean(axis=1)
    out = []
    for weighted in (True, False):
        w, gaps = start, []
        for _r in range(R + 1):
            gaps.append(0.5 * curved * (w - best) ** 2)
            a = share
            if weighted:
                change = (keep**2 - 1) * 0.5 * h * (w[:, None] - m) ** 2 / np.maximum(temperature, 1e-300)[:, None]
                a = np.exp(np.maximum(change - change.max(axis=1, keepdims=True), -700.0))
                a = a / a.sum(axis=1, keepdims=True)
            w = (a * (m + keep * (w[:, None] - m))).sum(axis=1)
        out.append(np.stack(gaps))
    return out[0], out[1], scale


def gaps_exact(
    x: Mapping[str, Any], E: int, R: int, together: bool, against: bool
) -> tuple[dict[str, bool], list[Fraction], list[Fraction]]:
    """F(W^T) - F* of Exp-alpha and of equal shares after every round; quadratic clients, E steps of size step/L, no noise.

    alpha in units of the mean excess loss at the start. With against: client 1 at -outlier, the others at 1, curvature 1.
    """
    n, h, m, start = len(x["optimum"]), x["curvature"], x["optimum"], x["start"]
    if together:
        m = [Fraction(0) for _ in range(n)]
    if against:
        h = [Fraction(1) for _ in range(n)]
        m = [-x["outlier"]] + [Fraction(1) for _ in range(n - 1)]
    keep = [(1 - x["step"] / max(h) * c) ** E for c in h]
    best = sum(c * v for c, v in zip(h, m, strict=True)) / sum(h)
    alpha = x["alpha"] * sum(h[i] * (start - m[i]) ** 2 / 2 for i in range(n)) / n
    runs = []
    for strategy in ("Exp-alpha", "proportional"):
        w, gaps = start, []
        for _ in range(R + 1):
            gaps.append(sum(h) / n * (w - best) ** 2 / 2)
            local = [m[i] + keep[i] * (w - m[i]) for i in range(n)]
            a = [Fraction(1, n) for _ in range(n)]
            if strategy == "Exp-alpha":
                a = exp_weights([h[i] * ((local[i] - m[i]) ** 2 - (w - m[i]) ** 2) / 2 for i in range(n)], alpha)
            # To 400 bits: later rounds shrink the error, so it stays far below slack(), and the numbers stay short.
            w = Fraction(round(sum(a[i] * local[i] for i in range(n)) * 2**400), 2**400)
        runs.append(gaps)
    met = {"strongly convex, smooth": min(h) > 0, "0 < eta L <= 1": 0 < x["step"] <= 1, "alpha > 0": alpha > 0}
    return met, runs[0], runs[1]


def _first(gaps: Any, level: Any) -> Any:
    """The first round with a gap of at most `level`, or one more than there are."""
    reached = gaps <= level
    return np.where(reached.any(axis=0), reached.argmax(axis=0), len(gaps))


def first_round(gaps: list[Fraction], level: Fraction) -> Fraction:
    """The first round with a gap of at most `level`, or one more than there are."""
    return Fraction(next((r for r, gap in enumerate(gaps) if gap <= level), len(gaps)))


def side_by_side(
    x: Instance, *, E: int, R: int, together: bool, against: bool, reaching: bool, settled: bool
) -> Mapping[str, Any]:
    """Rounds to `level` of the first gap and the last gap, of Exp-α (`…_ours`) and of equal shares (`…_theirs`).

    `rounds_ours` gives Exp-α ties by a hair. `reaching`: equal shares reach the level; `settled`: they have settled.
    """
    weighted, plain, scale = _gaps(x, E, R, together, against)
    level = x["level"] * plain[0]
    theirs = _first(plain, level)
    met = (theirs < len(plain)) & (plain[0] > 1e-9 * scale) | (not reaching)
    met &= (np.abs(plain[-1] - plain[-2]) <= 1e-3 * plain[-1]) | (not settled)
    return {
        "rounds_ours": _first(weighted, level * (1 + 1e-12)).astype(float),
        "rounds_exactly": _first(weighted, level).astype(float),
        "rounds_theirs": theirs.astype(float),
        "end_ours": weighted[-1],
        "end_theirs": plain[-1],
        "first_gap": plain[0],
        "rounding": np.full(len(level), float(slack())),
        "rounding_loss": float(slack()) * np.maximum(weighted[0], plain[-1]),
        "admissible": met,
        "sizes": {"end_ours": scale, "end_theirs": scale},
    }


def side_by_side_exact(
    x: Mapping[str, Any], *, E: int, R: int, together: bool, against: bool, reaching: bool, settled: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same, run by run; rounding_loss is what rounding of the exponentials can add to a gap."""
    met, weighted, plain = gaps_exact(x, E, R, together, against)
    level = x["level"] * plain[0]
    theirs = first_round(plain, level)
    if reaching:
        met = {**met, "equal shares reach the level": theirs < len(plain), "start away from W*": plain[0] > 0}
    if settled:
        met = {**met, "equal shares have settled": abs(plain[-1] - plain[-2]) <= plain[-1] / 1000}
    return met, {
        "rounds_ours": first_round(weighted, level * (1 + slack() * 10**18)),
        "rounds_exactly": first_round(weighted, level),
        "rounds_theirs": theirs,
        "end_ours": weighted[-1],
        "end_theirs": plain[-1],
        "first_gap": plain[0],
        "rounding": slack(),
        "rounding_loss": slack() * max(weighted[0], plain[-1]),
    }


_USES = (*EXPONENTIAL, first_round, gaps_exact)


def _federation(n: int, E: int, R: int, together: bool, reaching: bool, settled: bool) -> Case:
    space = Space(
        (
            LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
            Signed("optimum", 1e-1, 1e1, (n,)),
            Signed("start", 1e-1, 1e2),
            LogScale("step", 1e-2, 1.0, at=(0.25, 1.0)),
            LogScale("alpha", 1e-1, 1e2, at=(1.0,)),
            LogScale("level", 1e-4, 0.9, at=(0.1,)),
        )
    )
    same = (
        units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),
        permuted_clients({"curvature": 0, "optimum": 0}),
    )
    return case(
        f"{n} clients, {R} rounds of {E} steps",
        space,
        side_by_side,
        side_by_side_exact,
        uses=_USES,
        cost=min(4.0, max(1.0, n * R / 100)),
        symmetries=() if reaching else same,
        E=E,
        R=R,
        together=together,
        against=False,
        reaching=reaching,
        settled=settled,
    )


def federations(*, together: bool = False, reaching: bool = False, settled: bool = False, rounds: int = 10) -> World:
    """Any quadratic clients of equal shares, from any start."""

    def at(N: float, E: float, R: float) -> Case:
        return _federation(int(N), int(E), int(R), together, reaching, settled)

    steps, length = Size("E", 5 if settled else 1, 10, 5), Size("R", rounds if settled else 1, 20, rounds)
    return World(NOTATION, (Family("Exp-α and equal shares", (Size("N", 2, 20, 3), steps, length), at),))


def outlier(*, between: bool = False) -> World:
    """Four clients at 1 against one at −`outlier`, all of curvature 1: W* between 2/5 and 1/5, E = 1, 40 rounds.

    `between`: the run starts within −2/5 and 1/10, on the outlier's side of W* and nearer to the others than to it.
    """
    space = Space(
        (
            LogScale("curvature", 1.0, 2.0, (5,)),
            Signed("optimum", 1.0, 2.0, (5,)),
            Uniform("start", -0.4, 0.1, at=(-0.4, 0.0, 0.1)) if between else Signed("start", 1e-1, 1e1),
            LogScale("outlier", 2.0, 3.0),
            LogScale("step", 0.05, 0.1),
            LogScale("alpha", 0.01, 0.02),
            LogScale("level", 0.2, 0.3),
        )
    )
    made = case(
        "one outlier against four" + (", start between" if between else ""),
        space,
        side_by_side,
        side_by_side_exact,
        uses=_USES,
        cost=3.5,
        E=1,
        R=40,
        together=False,
        against=True,
        reaching=True,
        settled=False,
    )
    return World(NOTATION, (made,))


def flat_direction() -> tuple[float, float]:
    """F(W¹) − F* of Exp-α and of equal shares, one optimum for all in the plane: Exp-α can be ahead there.

    Hessians diag(1, 1/100) and diag(9/10, 9/10), from (1, √0.08), one step of size 1/L, α = 1/200.

    >>> [round(gap, 4) for gap in flat_direction()]
    [0.0048, 0.0066]
    """
    spectra = np.asarray([[1.0, 0.01], [0.9, 0.9]])
    federation = from_spectra(spectra, None, np.zeros((2, 2)), np.zeros(2), np.full(2, 0.5))
    start, steps = np.asarray([1.0, np.sqrt(0.08)]), np.ones(1)
    ours, theirs = (
        float(global_loss(federation, simulate(federation, rule, start=start, step_sizes=steps, n_local_steps=1).final))
        for rule in (ExpAlpha(alpha=0.005), Proportional())
    )
    return ours, theirs


def standings(n_clients: int, *, n: int = 20_000, level: float = 0.1, seed: int = 0) -> dict[str, float]:
    """How often Exp-α is earlier or later at `level` of the first gap, and nearer to F* after 100 rounds of 5 steps.

    Shares of `n` random federations, the first two of those whose proportional run reaches the level.

    >>> {k: round(v, 2) for k, v in standings(5).items()}
    {'earlier': 0.02, 'later': 0.61, 'nearer in the end': 0.24}
    """
    space = _federation(n_clients, 5, 100, False, True, False).space
    x = space.decode(space.random(stream(seed, f"standings/{n_clients}"), n))
    weighted, plain, _ = _gaps(x, 5, 100, False, False)
    ours, theirs = _first(weighted, level * plain[0]), _first(plain, level * plain[0])
    reached = theirs < len(plain)
    nearer = weighted[-1] < plain[-1] * (1 - 1e-6)
    return {
        "earlier": float(np.mean((ours < theirs)[reached])),
        "later": float(np.mean((ours > theirs)[reached])),
        "nearer in the end": float(np.mean(nearer)),
    }
