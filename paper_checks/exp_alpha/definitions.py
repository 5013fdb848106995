"""Sec. 1 and 3.1, Definitions 1 to 5: the objective, proportional weights, the virtual sequence, the local step, Γ, Ω and Ω_pr."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.drawing import drawn, over, positive, quadratics, ranging, signed
from paper_checks.exp_alpha.notation import NOTATION, Coordinates, Plain, Seen
from validation import Case, Choice, Instance, Integer, LogScale, Simplex, symbols
from validation.world import Coordinate, World, all_of, definition, identity, le, mutant, reading

__all__ = ["CLAIMS"]

n_1, n_2, n_3, S_1, S_2, S_3 = symbols("n_1 n_2 n_3 S_1 S_2 S_3", positive=True)
mu, L, rise, distance2, middle, weighed_models = NOTATION.symbols("mu L rise distance2 middle weighed_models")
off_mean2, downhill, Gamma, Omega, Omega_pr = NOTATION.symbols("off_mean2 downhill Gamma Omega Omega_pr")
most_there, most_now, Omega_less = NOTATION.symbols("most_there most_now Omega_less")
least_of_means, mean_of_least = NOTATION.symbols("least_of_means mean_of_least")


def _world(name: str, observe: Any, plain: Any, of: Callable[[int], Coordinates], **chosen: Any) -> World:
    """Cases of 1 to 60 clients."""

    def at(N: int) -> Case:
        alike = all(c.name != "tilt" for c in of(N))
        return drawn(f"{N} clients, {name}", of(N), observe, plain, permuted=alike, cost=max(1.0, N / 20), **chosen)

    return ranging(name, at, N=(1, 60, 3))


def objective(x: Instance) -> Seen:
    """F(v) − F(w) − F'(w)(v − w) of F = Σρᵢhᵢ/2(w − mᵢ)² (`rise`); with `tilt` weights of either sign and sum 1."""
    h, m, w, v, p = x["curvature"], x["optimum"], x["point"], x["other"], x["weights"]
    if "tilt" in x:
        p = np.concatenate([1 + x["tilt"][:, None] * (1 - p[:, :1]), -x["tilt"][:, None] * p[:, 1:]], axis=1)
    each = 0.5 * h * ((v[:, None] - m) ** 2 - (w[:, None] - m) ** 2)
    bend = (p * (each - h * (w[:, None] - m) * (v - w)[:, None])).sum(axis=1)
    return {"rise": bend, "distance2": (v - w) ** 2, "mu": h.min(axis=1), "L": h.max(axis=1)}


def objective_exact(x: Seen) -> Plain:
    """F = sum rho_i h_i/2 (w - m_i)^2 at v, above its tangent at w."""
    h, m, w, v, p = x["curvature"], x["optimum"], x["point"], x["other"], x["weights"]
    if "tilt" in x:
        p = [1 + x["tilt"] * (1 - p[0])] + [-x["tilt"] * a for a in p[1:]]
    bend = sum(
        p[i] * (h[i] * ((v - m[i]) ** 2 - (w - m[i]) ** 2) / 2 - h[i] * (w - m[i]) * (v - w)) for i in range(len(h))
    )
    met = {"A1, A2": min(h) > 0, "weights of sum 1": sum(p) == 1}
    return met, {"rise": bend, "distance2": (v - w) ** 2, "mu": min(h), "L": max(h)}


def _two_points(n: int, *more: Coordinate) -> Coordinates:
    return (*quadratics(n), Simplex("weights", n), signed("point"), signed("other"), *more)


_BETWEEN = all_of(le(mu / 2 * distance2, rise), le(rise, L / 2 * distance2))
_DATA = (S_1 + S_2 + S_3) / (n_1 + n_2 + n_3)

D1 = definition(
    "EA-D1",
    "(1), Sec. 1",
    "The federated objective",
    printed=r"""F(\mathbf W):=\sum_i\rho_iF_i(\mathbf W),\quad F_i(\mathbf W)=\mathbb E_{\xi\sim P_i}[f(\mathbf W;
        \xi)],\quad\sum_i\rho_i=1""",
    plainly="F is as convex and smooth as the clients are, and with proportional weights the mean over all the data.",
    assumes=["A1, A2 for every Fᵢ", "ρᵢ >= 0, which (1) does not print, Σρᵢ = 1"],
    says=_BETWEEN,
    world=_world("two points", objective, objective_exact, _two_points),
    readings=[
        reading(
            "μ and L are inherited",
            """Between the two quadratics at every pair of points; quadratic clients on the line, others at EA-A1 and
                EA-A2.""",
            part="μ and L are inherited",
        ),
        reading(
            "mean over the union of the data",
            "Three data sets.",
            identity((n_1 * (S_1 / n_1) + n_2 * (S_2 / n_2) + n_3 * (S_3 / n_3)) / (n_1 + n_2 + n_3), _DATA),
            part="mean over the union of the data",
        ),
    ],
    mutants=[
        mutant(
            "weights of either sign",
            None,
            "a negative weight on the steeper client makes F concave",
            world=_world(
                "signed weights", objective, objective_exact, lambda n: _two_points(n, LogScale("tilt", 0.1, 10.0))
            ),
        ),
        mutant(
            "plain mean of the clients' means",
            identity((S_1 / n_1 + S_2 / n_2 + S_3 / n_3) / 3, _DATA),
            "one client of one sample and two of a hundred",
        ),
    ],
    tight="equal curvatures for μ and L",
    verdict="""A weighted mean of functions between two quadratics is between them, and with proportional weights F is
        the empirical mean over all samples. The first needs ρᵢ >= 0. (1) prints only the sum; for the weights of the
        rounds the sign stands beside (2), and proportional weights have it by themselves.""",
)

_ALL = n_1 + n_2 + n_3

D2 = definition(
    "EA-D2",
    "Sec. 2",
    "Proportional weights",
    printed=r"\rho_i=\frac{|\Xi_i|}{\sum_{j=1}^N|\Xi_j|}",
    plainly="Proportional weights sum to 1 and give every sample the same weight, 1 over the number of samples.",
    assumes=["at least one sample in all; written for three clients, a sum of any number is alike"],
    says=identity(n_1 / _ALL + n_2 / _ALL + n_3 / _ALL, 1),
    readings=[
        reading("sum 1", "Three clients.", part="sum 1"),
        reading(
            "every sample alike",
            "ρᵢ/|Ξᵢ| alike.",
            identity(n_1 / _ALL / n_1, n_2 / _ALL / n_2),
            part="every sample alike",
            because="«giving all data points equal importance» (Sec. 1)",
        ),
    ],
    mutants=[
        mutant(
            "own size left out of the sum",
            identity(n_1 / (n_2 + n_3) + n_2 / (n_1 + n_3) + n_3 / (n_1 + n_2), 1),
            "for equal sizes the shares then sum to more than 1",
        ),
        mutant("equal weights", identity(1 / n_1, 1 / n_2), "a sample of a small client then counts more"),
    ],
    rests_on=["EA-D1"],
    verdict="The weights lie on the simplex where there is any data, and ρᵢ/|Ξᵢ| is constant.",
)


def means(x: Instance) -> Seen:
    """W̄ᵗ⁺¹ of (2) inside a round or at a synchronisation (`middle`), and Σρᵢᵗ⁺¹Vᵢᵗ⁺¹; `total`: Σρ, 1 if left out."""
    a = x["weights"] * (x["total"][:, None] if "total" in x else 1.0)
    met = (a * x["local"]).sum(axis=1)
    models = np.where(x["sync"][:, None] > 0, met[:, None], x["local"])
    return {"middle": (a * models).sum(axis=1), "weighed_models": met}


def means_exact(x: Seen) -> Plain:
    """The virtual model of (2) at t + 1, synchronisation or not, and the weighted mean of the V_i."""
    total = x.get("total", Fraction(1))
    a = [total * w for w in x["weights"]]
    met = sum(w * v for w, v in zip(a, x["local"], strict=True))
    models = [met for _ in a] if x["sync"] > 0 else x["local"]
    middle = sum(w * v for w, v in zip(a, models, strict=True))
    return {"weights >= 0": min(a) >= 0}, {"middle": middle, "weighed_models": met}


def _results(n: int, *more: Coordinate) -> Coordinates:
    return (Simplex("weights", n), signed("local", n), Choice("sync", (0.0, 1.0)), *more)


_SAME = le((middle - weighed_models) ** 2, 0)

D3 = definition(
    "EA-D3",
    "(2), Sec. 3.1; (5), (6), A.8",
    "The virtual sequence",
    printed=r"""\bar{\mathbf W}^{t+1}=\sum_i\rho_i^{t+1}\mathbf W_i^{t+1},\quad\mathbf W_i^{t+1}=\mathbf V_i^{t+1}
        \text{ or }\sum_i\rho_i^{t+1}\mathbf V_i^{t+1}\text{ at }t+1\in\mathcal I_E""",
    plainly="At every step, synchronisation or not, the virtual model is the weighted mean of the local results Vᵢ.",
    assumes=["ρᵗ⁺¹ on the simplex; coordinates are alike, so models on the line"],
    says=_SAME,
    world=_world("local results", means, means_exact, _results),
    readings=[reading("both branches", "W̄ᵗ⁺¹ = Σρᵢᵗ⁺¹Vᵢᵗ⁺¹ inside a round and at its end.")],
    mutants=[
        mutant(
            "weights that do not sum to 1",
            None,
            "at a synchronisation the sum enters twice: A.11's weights scale the model",
            world=_world("any sum", means, means_exact, lambda n: _results(n, LogScale("total", 0.5, 2.0))),
        )
    ],
    rests_on=["EA-D4"],
    verdict="""The two branches agree because the weights sum to 1: averaging equal models again changes nothing. Two
        slips of the print do no harm: the synchronisation steps are «n = 0, ..2» in the text we have, and i is both
        free and summed over in the second branch. Inside a round ρᵗ is defined nowhere for Exp-α (EA-VS, EA-D7).""",
)


def local_step(x: Instance, *, way: float, bias: float) -> Seen:
    """(E V − (W − η∇F))² over noise ±n (`off_mean2`), F(V) − F(W) without noise (`downhill`), the largest over clients."""
    h, m, w, noise = x["curvature"], x["optimum"], x["local"], x["noise"][:, None]
    eta, slope = (way * x["length"] / h.max(axis=1))[:, None], h * (w - m)
    after = w - eta * slope
    mean = 0.5 * ((w - eta * (slope + noise)) + (w - eta * (slope - noise))) - eta * bias * noise
    downhill = (0.5 * h * ((after - m) ** 2 - (w - m) ** 2)).max(axis=1)
    return {"off_mean2": ((mean - after) ** 2).max(axis=1), "downhill": downhill}


def local_step_exact(x: Seen, *, way: float, bias: float) -> Plain:
    """V = W - eta (grad F_i(W) + noise), noise +-n with chance 1/2: the mean of V, and F_i(V) - F_i(W) without noise."""
    h, m, w = x["curvature"], x["optimum"], x["local"]
    eta, ahead, gaps, falls = x["length"] / max(h) * int(way), x["noise"] * Fraction(bias), [], []
    for i in range(len(m)):
        drawn = [w[i] - eta * (h[i] * (w[i] - m[i]) + s * x["noise"] + ahead) for s in (1, -1)]
        after = w[i] - eta * h[i] * (w[i] - m[i])
        gaps.append((sum(drawn) / 2 - after) ** 2)
        falls.append(h[i] * ((after - m[i]) ** 2 - (w[i] - m[i]) ** 2) / 2)
    return {"A1, A2": min(h) > 0, "eta > 0": x["length"] > 0}, {"off_mean2": max(gaps), "downhill": max(falls)}


def _step(longest: float = 2.0, *, way: float = 1.0, bias: float = 0.0) -> World:
    def of(n: int) -> Coordinates:
        length = LogScale("length", 1e-3, longest, at=(0.25, min(2.0, longest)))
        return (*quadratics(n), signed("local", n), positive("noise", at=()), length)

    return _world("one step", local_step, local_step_exact, of, way=way, bias=bias)


_DOWN = le(downhill, 0)

D4 = definition(
    "EA-D4",
    "(4), A.8",
    "The local step",
    printed=r"\mathbf V_i^{t+1}=\mathbf W_i^t-\eta_t\nabla f_i(\mathbf W_i^t;\xi_i^t)",
    plainly="""The local step is a gradient step of the client's risk on average, and never uphill without noise, ηL <=
        2.""",
    assumes=["noise of mean 0, independent of Wᵢᵗ", "quadratic clients on the line"],
    says=le(off_mean2, 0),
    world=_step(),
    readings=[
        reading("on average", "E Vᵢ = Wᵢ − η∇Fᵢ(Wᵢ)."),
        reading(
            "never uphill",
            "Fᵢ(V) <= Fᵢ(W) without noise, ηL <= 2: also for η₀ = 2/L of the theorems.",
            _DOWN,
            ours="printed nowhere: a property of gradient steps, tested beside the definition",
        ),
    ],
    mutants=[
        mutant("biased noise", None, "its mean is half the noise", world=_step(bias=0.5)),
        mutant("sign of the step", _DOWN, "ascent", world=_step(way=-1.0)),
        mutant("ηL up to 4", _DOWN, "a step that is too long overshoots, and the distance grows", world=_step(4.0)),
    ],
    tight="ηL = 2 for a client of curvature L",
    verdict="The usual SGD step; A3 and A4 bound its noise at the local model Wᵢᵗ, though they print Wᵗ.",
)


def models(x: Instance, *, above_best: bool) -> Seen:
    """Γ, Ω and Ω_pr over the models given, and their largest summands; `above_best`: excess over Fᵢ(W*)."""
    h, m, p, a, points = x["curvature"], x["optimum"], x["share"], x["rows"], x["models"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    there = 0.5 * h * (best[:, None] - m) ** 2
    now = 0.5 * h[:, None] * (points[:, :, None] - m[:, None]) ** 2 - (there[:, None] if above_best else 0.0)
    found = {"Gamma": (a * there[:, None]).sum(axis=2).max(axis=1), "Omega": (a * now).sum(axis=2).min(axis=1)}
    found |= {"Omega_pr": (p[:, None] * now).sum(axis=2).min(axis=1), "most_there": there.max(axis=1)}
    return {**found, "most_now": now.max(axis=2).min(axis=1)}


def models_exact(x: Seen, *, above_best: bool) -> Plain:
    """Gamma, Omega and Omega_pr over a few models with their weights, and the largest summands."""
    h, m, p, n = x["curvature"], x["optimum"], x["share"], range(len(x["optimum"]))
    best = sum(p[i] * h[i] * m[i] for i in n) / sum(p[i] * h[i] for i in n)
    there = [h[i] * (best - m[i]) ** 2 / 2 for i in n]
    rows = [[h[i] * (w - m[i]) ** 2 / 2 - (there[i] if above_best else 0) for i in n] for w in x["models"]]
    met = {
        "A1, A2": min(h) > 0,
        "weights and shares on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, *x["rows"])),
    }
    return met, {
        "Gamma": max(sum(a[i] * there[i] for i in n) for a in x["rows"]),
        "Omega": min(sum(a[i] * row[i] for i in n) for a, row in zip(x["rows"], rows, strict=True)),
        "Omega_pr": min(sum(p[i] * row[i] for i in n) for row in rows),
        "most_there": max(there),
        "most_now": min(max(row) for row in rows),
    }


def _models(*, above_best: bool = False) -> World:
    def at(N: int, P: int) -> Case:
        of = (*quadratics(N), Simplex("share", N), Simplex("rows", N, (P,)), signed("models", P))
        name, cost = f"{N} clients, {P} models", max(1.0, N * P / 40)
        return drawn(name, of, models, models_exact, cost=cost, above_best=above_best)

    return ranging("any models", at, N=(1, 60, 3), P=(1, 30, 3))


def one_client(x: Instance) -> Seen:
    """One client, E = 1: Ω over T steps and T + 1; and over t = 0, 1 with noise ±n the two orders of E and min_t."""
    h, w, eta = x["curvature"], x["point"], x["length"] / x["curvature"]
    start, factor = 0.5 * h * w**2, (1 - x["length"]) ** (2 * x["T"])
    ends = [0.5 * h * ((1 - x["length"]) * w + s * eta * x["noise"]) ** 2 for s in (1.0, -1.0)]
    found: dict[str, Any] = {"least_of_means": np.minimum(start, sum(ends) / 2)}
    found |= {"mean_of_least": sum(np.minimum(start, e) for e in ends) / 2}
    return {**found, "Omega_less": start * factor / (1 - x["length"]) ** 2, "Omega": start * factor}


def one_client_exact(x: Seen) -> Plain:
    """One client h/2 w^2, steps of size length/h: two ways to take Omega over the noise +-n, and over T and T + 1 steps."""
    h, w, s, T = x["curvature"], x["point"], x["length"], int(x["T"])
    start = h * w * w / 2
    ends = [h * ((1 - s) * w + sign * s / h * x["noise"]) ** 2 / 2 for sign in (1, -1)]
    over = [min(h * ((1 - s) ** t * w) ** 2 / 2 for t in range(last)) for last in (T, T + 1)]
    found = {"least_of_means": min(start, sum(ends) / 2), "mean_of_least": sum(min(start, e) for e in ends) / 2}
    return {"A1, A2": h > 0, "0 < eta L < 1": 0 < s < 1}, {**found, "Omega_less": over[0], "Omega": over[1]}


_LENGTH = LogScale("length", 1e-2, 0.9, at=(0.25, 0.5))
_DRAWN = (positive("curvature"), signed("point"), positive("noise", at=()), _LENGTH, Integer("T", 1, 100))
_ONE = over(drawn("one client", _DRAWN, one_client, one_client_exact))
_WITHIN = all_of(
    *(le(0, quantity) for quantity in (Gamma, Omega, Omega_pr)),
    le(Gamma, most_there),
    le(Omega, most_now),
    le(Omega_pr, most_now),
)

D5 = definition(
    "EA-D5",
    "Theorem 1 (Sec. 3.2), Sec. 3.3",
    "Γ, Ω and Ω_pr",
    printed=r"""\Gamma=\max_t\sum_i\rho_i^{t+1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^*)),\quad\Omega=\min_t\sum_i\rho_i^{t+
        1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ \forall t\ge0,\quad\Omega_{pr}=\min_t\sum_i
        \rho_i(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))""",
    plainly="For given models and weights Γ, Ω and Ω_pr are finite numbers that are not negative.",
    assumes=[
        "A1, A2",
        "weights and shares on the simplex",
        """max and min over the steps of a run; over all t >= 0, where they need not be attained, the supremum and the
            infimum, with the same bounds""",
    ],
    says=_WITHIN,
    world=_models(),
    readings=[
        reading(
            "non-negative and finite",
            "For any models and weights: at least 0, and at most the largest summand; quadratic clients on the line.",
        ),
        reading(
            "path by path or in expectation",
            "Where W̄ᵗ is random, the mean of the minimum over t is the minimum of the means.",
            le(least_of_means, mean_of_least),
            world=_ONE,
            ours="that both give one number is printed nowhere; what hangs on it is judged where Ω is used",
        ),
        reading(
            "over the run or for all t >= 0",
            "Ω over T steps is Ω over T + 1 steps.",
            le(Omega_less, Omega),
            world=_ONE,
            ours="""that Ω does not change with the horizon is printed nowhere; what hangs on it is judged at EA-T1b,
                EA-A13 and EA-E10""",
        ),
    ],
    mutants=[
        mutant(
            "excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*)",
            None,
            "a client may do better at W̄ᵗ than at W*; the sum is negative",
            world=_models(above_best=True),
        )
    ],
    rests_on=["EA-D1", "EA-D3"],
    verdict="""All three are weighted means of non-negative excess losses, between 0 and the largest of them. Two
        choices are left to the reader, and matter elsewhere. W̄ᵗ is random, and the mean of the smallest value along a
        path is less than the smallest mean. And t ranges over «∀ t >= 0» in Theorem 1 but over nothing in particular
        elsewhere: Ω falls with the horizon, and over all t the minimum is in general an infimum, never attained
        (EA-T1b).""",
)

CLAIMS = (D1, D2, D3, D4, D5)
