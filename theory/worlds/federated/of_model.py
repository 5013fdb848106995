"""Letters of the model at rounds: distances, excess losses, gradients, dissimilarity where it was sent out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theory.worlds.federated.fast_run import Array, Runs
from theory.worlds.federated.letter import Letter
from theory.worlds.federated.options import KNOWN, REPEATS, WHOLE, WITHIN

__all__ = ["LETTERS"]

Run = Mapping[str, Any]


def distance_at(run: Run, t: int) -> Any:
    """E‖w_t − w*‖²."""
    first, second = run["models"][t]
    return sum(b - 2 * w * a + w * w for a, b, w in zip(first, second, run["best"], strict=True))


def excess_at(run: Run, t: int) -> Any:
    """E F(w_t) − F*."""
    first, second = run["models"][t]
    return sum(H * (b - 2 * w * a + w * w) for H, a, b, w in zip(run["H"], first, second, run["best"], strict=True)) / 2


def gradient_at(run: Run, t: int) -> Any:
    """E‖∇F(w_t)‖²."""
    first, second = run["models"][t]
    return sum(H**2 * (b - 2 * w * a + w * w) for H, a, b, w in zip(run["H"], first, second, run["best"], strict=True))


def first_of(run: Run) -> Any:
    return distance_at(run, 0)


def after_of(run: Run) -> Any:
    return distance_at(run, -1)


def before_of(run: Run) -> Any:
    return distance_at(run, -2)


def round_before_of(run: Run) -> Any:
    return distance_at(run, len(run["models"]) - 1 - run["E"])


def excess_of(run: Run) -> Any:
    return excess_at(run, -1)


def drop_of(run: Run) -> Any:
    return excess_at(run, 0)


def mean_excess_of(run: Run) -> Any:
    return sum(excess_at(run, r * run["E"]) for r in range(run["R"])) / run["R"]


def low_of(run: Run) -> Any:
    return min(gradient_at(run, r * run["E"]) for r in range(run["R"]))


def average_of(run: Run) -> Any:
    return sum(gradient_at(run, r * run["E"]) for r in range(run["R"])) / run["R"]


def gradient_end_of(run: Run) -> Any:
    return gradient_at(run, -1)


def bias_of(run: Run) -> Any:
    return sum((a - w) ** 2 for a, w in zip(run["models"][-1][0], run["best"], strict=True))


def variance_of(run: Run) -> Any:
    first, second = run["models"][-1]
    return sum(b - a * a for a, b in zip(first, second, strict=True))


def settled_of(run: Run) -> Any:
    if any(turn == 0 for turn in run["turn"]):
        return None
    return sum((pull / -turn - w) ** 2 for pull, turn, w in zip(run["pull"], run["turn"], run["best"], strict=True))


def sg2_of(run: Run) -> Any:
    largest = 0
    for r in range(run["R"]):
        first, second = run["models"][r * run["E"]]
        total = 0
        for q, curvatures, optimum in zip(run["p"], run["h"], run["m"], strict=True):
            for j in range(len(first)):
                lean = curvatures[j] - run["H"][j]
                off = curvatures[j] * optimum[j] - run["H"][j] * run["best"][j]
                total += q * (lean**2 * second[j] - 2 * lean * off * first[j] + off**2)
        largest = max(largest, total)
    return largest


def skew_at(run: Run, t: int, row: Any) -> Any:
    """Σa_i(F_i(w_t) − F_i*) over Σp_i(F_i(w_t) − F_i*), of a model that is no random number."""
    above, below, point = 0, 0, run["models"][t][0]
    for weight, q, curvatures, optimum in zip(row, run["p"], run["h"], run["m"], strict=True):
        excess = sum(h * (w - v) ** 2 for h, w, v in zip(curvatures, point, optimum, strict=True))
        above += weight * excess
        below += q * excess
    return above / below if below > 0 else None


def rho_of(run: Run) -> Any:
    skews = [skew_at(run, r * run["E"], run["rows"][r * run["E"]]) for r in range(run["R"])]
    return None if None in skews else min(skews)


def rho_on_of(run: Run) -> Any:
    last = len(run["rows"]) - 1
    skews = [skew_at(run, r * run["E"], run["rows"][min(r * run["E"], last)]) for r in range(run["R"] + 1)]
    return None if None in skews else min(skews)


def rho_every_of(run: Run) -> Any:
    last = len(run["rows"]) - 1
    skews = [skew_at(run, t, run["rows"][min(t, last)]) for t in range(len(run["models"]))]
    return None if None in skews else min(skews)


def _square(r: Runs, at: Any, factor: Any = 1.0) -> Any:
    """Σ_j factor_j·E(w − w*)_j² at rounds; (n,) of one round."""
    return (factor * (r.center[:, at] ** 2 + r.full[:, at])).sum(axis=0)


def _gradients(r: Runs) -> Any:
    return _square(r, slice(None, -1), r.H[:, None] ** 2)


def _before(r: Runs) -> Any:
    step = r.options.E - 1 - r.options.short
    if step == 0:
        return _square(r, -2)
    assert r.mid is not None
    assert r.around is not None
    return (r.mid[:, step, -1] ** 2 + r.around[:, step, -1]).sum(axis=0)


def _settled(r: Runs) -> Any:
    move, push = r.move[:, -1], r.push[:, -1]
    return ((push / np.where(move == 0, np.nan, move)) ** 2).sum(axis=0)


def _sg2(r: Runs) -> Any:
    p, lean = r.p[:, None], r.h - r.H
    slopes = r.h * r.u
    off = slopes - (p * slopes).sum(axis=0)
    y, f = r.center[:, :-1], r.full[:, :-1]
    found = (p[..., None, :] * ((lean[:, :, None] * y - off[:, :, None]) ** 2 + lean[:, :, None] ** 2 * f)).sum(
        axis=(0, 1)
    )
    return found.max(axis=0)


def _skews(r: Runs, y: Array, a: Array) -> Any:
    """Skews at models y (d, …, n) with weights a (N, 1, …, n)."""
    many = (..., *(None,) * (y.ndim - 2), slice(None))
    excess = (r.h[many] * (y - r.u[many]) ** 2).sum(axis=1)
    below = (r.p[many] * excess).sum(axis=0)
    return (a[:, 0] * excess).sum(axis=0) / np.where(below > 0, below, np.nan)


def _rho(r: Runs, last: bool) -> Any:
    a = np.broadcast_to(r.a[:, :, 0], (*r.a.shape[:2], r.options.R, r.a.shape[-1]))
    if last:
        a = np.concatenate([a, r.a[:, :, -1, -1:]], axis=2)
    return _skews(r, r.center if last else r.center[:, :-1], a).min(axis=0)


def _rho_every(r: Runs) -> Any:
    assert r.mid is not None
    E, R = r.options.E, r.options.R
    a = np.broadcast_to(r.a, (*r.a.shape[:2], E, R, r.a.shape[-1]))
    within = _skews(r, r.mid[:, 1:-1], a[:, :, 1:]).min(axis=(0, 1)) if E > 1 else np.inf
    return np.minimum(_rho(r, True), within)


_LOCAL = "Woodworth et al. 2020"

LETTERS = (
    Letter("first", r"\Delta_0", "‖w_0 − w*‖²", (0, 2), lambda r: _square(r, 0), first_of),
    Letter("after", r"\Delta_T", "E‖w_T − w*‖²", (0, 2), lambda r: _square(r, -1), after_of),
    Letter(
        "before",
        r"\Delta_{T-1}",
        "E‖w̄ − w*‖² one local step before the end",
        (0, 2),
        _before,
        before_of,
        needs=(WITHIN,),
    ),
    Letter(
        "round_before",
        r"\Delta_{R-1}",
        "E‖w − w*‖² one round before the end",
        (0, 2),
        lambda r: _square(r, -2),
        round_before_of,
        needs=(WHOLE,),
    ),
    Letter(
        "excess",
        r"\mathbb EF(w_T)-F^*",
        "excess loss at the end",
        (1, 0),
        lambda r: 0.5 * _square(r, -1, r.H),
        excess_of,
    ),
    Letter("drop", r"F(w_0)-F^*", "excess loss at the start", (1, 0), lambda r: 0.5 * _square(r, 0, r.H), drop_of),
    Letter(
        "mean_excess",
        r"\frac1R\sum_r\mathbb EF(w_r)-F^*",
        "mean excess loss of the models sent out",
        (1, 0),
        lambda r: 0.5 * _square(r, slice(None, -1), r.H[:, None]).mean(axis=0),
        mean_excess_of,
        source=_LOCAL,
    ),
    Letter(
        "low",
        r"\min_r\mathbb E\|\nabla F(w_r)\|^2",
        "least squared gradient of the models sent out",
        (2, -2),
        lambda r: _gradients(r).min(axis=0),
        low_of,
    ),
    Letter(
        "average",
        r"\frac1R\sum_r\mathbb E\|\nabla F(w_r)\|^2",
        "mean squared gradient of the models sent out",
        (2, -2),
        lambda r: _gradients(r).mean(axis=0),
        average_of,
    ),
    Letter(
        "gradient_end",
        r"\mathbb E\|\nabla F(w_T)\|^2",
        "squared gradient at the end",
        (2, -2),
        lambda r: _square(r, -1, r.H**2),
        gradient_end_of,
    ),
    Letter(
        "bias",
        r"\|\mathbb Ew_T-w^*\|^2",
        "squared bias at the end",
        (0, 2),
        lambda r: (r.center[:, -1] ** 2).sum(axis=0),
        bias_of,
    ),
    Letter(
        "variance",
        r"\mathrm{Var}\,w_T",
        "variance of the model at the end",
        (0, 2),
        lambda r: r.full[:, -1].sum(axis=0),
        variance_of,
    ),
    Letter(
        "settled",
        r"\|w_\infty-w^*\|^2",
        "squared distance to w* of where the mean of the last round's map rests",
        (0, 2),
        _settled,
        settled_of,
        source="Wang et al. 2020, Sec. 3; Pathak and Wainwright 2020",
        needs=(REPEATS,),
    ),
    Letter(
        "sg2",
        r"\sigma_g^2",
        "largest E Σp_i‖∇F_i(w) − ∇F(w)‖² of the models sent out",
        (2, -2),
        _sg2,
        sg2_of,
        "nonnegative",
        "Yu et al. 2019",
    ),
    Letter(
        "rho",
        r"\bar\rho",
        "least skew of the rounds before the end",
        (0, 0),
        lambda r: _rho(r, False),
        rho_of,
        "nonnegative",
        "Cho et al. 2020, eq. (8)",
        (KNOWN,),
    ),
    Letter(
        "rho_on",
        r"\bar\rho",
        "least skew of the rounds up to the end, the last weights kept",
        (0, 0),
        lambda r: _rho(r, True),
        rho_on_of,
        "nonnegative",
        "Cho et al. 2020, eq. (8)",
        (KNOWN, WHOLE),
    ),
    Letter(
        "rho_every",
        r"\bar\rho",
        "least skew of all local steps up to the end",
        (0, 0),
        _rho_every,
        rho_every_of,
        "nonnegative",
        needs=(KNOWN, WITHIN, WHOLE),
    ),
)
