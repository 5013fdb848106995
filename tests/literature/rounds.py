"""Rounds of FedAvg, FedProx, SCAFFOLD, FedNova and gossip on clients with quadratic losses."""

from __future__ import annotations

from itertools import product

import numpy as np

import fedverdict as fv
from tests.literature.statement import ZERO, bound, fails, holds, sized

E, mu, L, alpha, right, other, square, start = fv.symbols("E mu L alpha right other square start")
LOCAL = fv.Size("E", 1, 20, 3)
ROUNDS = fv.Size("R", 1, 20, 2, ladder=True)
CLIENTS = (
    fv.Simplex("p", 3),
    fv.LogScale("h", 1e-2, 1, (3, 2)),
    fv.Signed("c", 1e-2, 1e2, (3, 2)),
    fv.Signed("w", 1e-2, 1e2, (2,)),
)
STEP = (*CLIENTS, fv.LogScale("eta", 1e-2, 1))


def column(x, name):
    return x[name][:, None, None]


def optimum(x):
    weight = x["p"][:, :, None] * x["h"]
    return (weight * x["c"]).sum(axis=1) / weight.sum(axis=1)


def local(x, w, steps, shift=0):
    """The clients' models after local steps from w, (instances, clients, coordinates), and their largest gradient."""
    models = x["c"] * 0 + w[:, None, :]
    largest = 0 * x["eta"]
    for _ in range(steps):
        slope = x["h"] * (models - x["c"])
        largest = np.maximum(largest, (slope**2).sum(axis=2).max(axis=1))
        models = models - column(x, "eta") * (slope + shift)
    return models, largest


def mean(x, models):
    return (x["p"][:, :, None] * models).sum(axis=1)


def stays(corrected):
    """How far rounds from the optimum lead away from it."""

    def at(*, E, R):
        def sides(x):
            best = w = optimum(x)
            own = x["h"] * (best[:, None, :] - x["c"])
            shift = mean(x, own)[:, None, :] - own if corrected else 0
            for _ in range(R):
                w = mean(x, local(x, w, E, shift)[0])
            off = ((w - best) ** 2).sum(axis=1)
            return {"lhs": off}

        return STEP, sides

    return at


def drift(*, E):
    """How far local steps lead away, in units of the first gradient; steps up to 2/L."""

    def sides(x):
        models, _ = local(x, x["w"], E)
        moved = ((models - x["w"][:, None, :]) ** 2).sum(axis=2)
        slope = ((x["h"] * (x["w"][:, None, :] - x["c"])) ** 2).sum(axis=2)
        chosen = x["p"]
        return {
            "lhs": (chosen * moved).sum(axis=1),
            "square": x["eta"] ** 2 * (chosen * slope).sum(axis=1),
            "E": 0 * x["eta"] + E,
        }

    return (*CLIENTS, fv.LogScale("eta", 1e-2, 2)), sides


def consensus(*, E):
    """The spread of the models after E − 1 of E local steps, in units of η² and the largest squared gradient."""

    def sides(x):
        models, largest = local(x, x["w"], E - 1)
        off = ((models - mean(x, models)[:, None, :]) ** 2).sum(axis=2)
        return {"lhs": (x["p"] * off).sum(axis=1), "square": x["eta"] ** 2 * largest, "E": 0 * x["eta"] + E}

    return STEP, sides


def proximal(x):
    """One client's proximal step from w: what the loss falls by, and how far the model moves."""
    h, c, mu = x["h"][:, 0], x["c"][:, 0], x["eta"][:, None]
    after = (h * c + mu * x["w"]) / (h + mu)
    moved = ((after - x["w"]) ** 2).sum(axis=1)
    fall = (h * ((x["w"] - c) ** 2 - (after - c) ** 2)).sum(axis=1) / 2
    slope = ((h * (x["w"] - c)) ** 2).sum(axis=1)
    return {"lhs": moved, "right": fall, "mu": x["eta"], "square": slope, "other": h.min(axis=1), "L": h.max(axis=1)}


def fall(x):
    found = proximal(x)
    return {**found, "lhs": found["mu"] * found["lhs"]}


def losses(own):
    """The global loss of the averaged model against the mean loss of the local ones, global or each client's own."""

    def sides(x):
        models, _ = local(x, x["w"], 3)
        whole = mean(x, models)

        def loss(at):  # every client's loss of one model
            return (x["h"] * (at[:, None, :] - x["c"]) ** 2).sum(axis=2) / 2

        each = (x["h"] * (models - x["c"]) ** 2).sum(axis=2) / 2
        if not own:
            each = sum(
                x["p"][:, [k]] * (x["h"][:, [k]] * (models - x["c"][:, [k]]) ** 2).sum(axis=2) / 2 for k in range(3)
            )
        return {"lhs": (x["p"] * loss(whole)).sum(axis=1), "right": (x["p"] * each).sum(axis=1)}

    return sides


def averaged_noise(power):
    """Two clients, two local steps on h/2·w² with noise ±s: the variance of the mean model."""

    def sides(x):
        keep = 1 - x["eta"] * x["k"]
        found = 0
        for signs in product((-1, 1), repeat=4):
            off = [keep * (x["eta"] * x["s"] * a) + x["eta"] * x["s"] * b for a, b in (signs[:2], signs[2:])]
            found = found + ((off[0] + off[1]) / 2) ** 2 / 16
        said = x["eta"] ** 2 * x["s"] ** 2 * (1 + keep**2) / 2**power
        return {"lhs": np.abs(found - said)}

    return sides


def server(most):
    """A server step α towards the mean model: distances to the optimum of both."""

    def sides(x):
        best, after = optimum(x), mean(x, local(x, x["w"], 2)[0])
        moved = x["w"] + x["alpha"][:, None] * (after - x["w"])
        near = [np.linalg.norm(v - best, axis=1) for v in (moved, x["w"], after)]
        return {"lhs": near[0], "start": near[1], "other": near[2], "alpha": x["alpha"]}

    return (*STEP, fv.Uniform("alpha", 0, most)), sides


def lottery(power):
    """Two rounds with one of three clients each, equal curvature k: the mean squared distance to the mean centre."""

    def sides(x):
        best = x["c"].mean(axis=1)
        found = 0
        for cohort in product(range(3), repeat=2):
            w = x["w"]
            for k in cohort:
                w = w - (x["eta"] * x["k"])[:, None] * (w - x["c"][:, k])
            found = found + ((w - best) ** 2).sum(axis=1) / 9
        keep = 1 - x["eta"] * x["k"]
        spread = ((x["c"] - best[:, None, :]) ** 2).sum(axis=2).mean(axis=1)
        noise = (x["eta"] * x["k"]) ** 2 * spread * (1 + keep**power)
        return {"lhs": np.abs(found - keep**4 * ((x["w"] - best) ** 2).sum(axis=1) - noise)}

    return sides


def long_step(*, E):
    """A round of E local steps against one gradient step of length Eη, in units of η²L Σ pₖ‖∇Fₖ(w)‖."""

    def sides(x):
        slope = x["h"] * (x["w"][:, None, :] - x["c"])
        one = x["w"] - E * x["eta"][:, None] * mean(x, slope)
        off = np.linalg.norm(mean(x, local(x, x["w"], E)[0]) - one, axis=1)
        size = x["eta"] ** 2 * x["h"].max(axis=2).max(axis=1) * (x["p"] * np.linalg.norm(slope, axis=2)).sum(axis=1)
        return {"lhs": off, "square": size, "E": 0 * off + E}

    return STEP, sides


def control(sign):
    """SCAFFOLD's second option: the new control variate against the mean of the gradients of the local path."""

    def sides(x):
        models, total = 0 * x["c"] + x["w"][:, None, :], 0
        shift = (x["p"][:, :, None] * x["v"]).sum(axis=1)[:, None, :]
        for _ in range(3):
            slope = x["h"] * (models - x["c"])
            total = total + slope / 3
            models = models - column(x, "eta") * (slope - x["v"] + shift)
        new = x["v"] + sign * shift + (x["w"][:, None, :] - models) / (3 * column(x, "eta"))
        off = np.abs(new - total).sum(axis=2).sum(axis=1)
        return {"lhs": off}

    return sides


LINE = tuple(fv.LogScale(n, 1e-1, 1e1) for n in ("eta", "k", "s"))
LOTTERY = (*LINE, fv.Signed("c", 1e-2, 1e2, (3, 2)), fv.Signed("w", 1e-2, 1e2, (2,)))
VARIATES = (*STEP, fv.Signed("v", 1e-2, 1e2, (3, 2)))

STATEMENTS = (
    holds(
        "SCAFFOLD stays at the optimum",
        "with cₖ = ∇Fₖ(w*) every local gradient is 0",
        sized(ZERO, (LOCAL, ROUNDS), stays(True)),
    ),
    fails(
        "FedAvg stays at the optimum",
        "true for E = 1; from E = 2 on it moves",
        sized(ZERO, (LOCAL, ROUNDS), stays(False)),
    ),
    holds("client drift", "gradients do not grow along the path", sized(E**2 * square, (LOCAL,), drift)),
    holds(
        "consensus",
        "Li et al. 2020, Lemma 3, without noise",
        sized((E - 1) ** 2 * square, (fv.Size("E", 2, 20, 3),), consensus),
    ),
    holds("FedProx lowers the loss", "by μ‖Δ‖² and half of Δ's curvature", bound(right, STEP, fall)),
    fails(
        "FedProx moves little, largest curvature",
        "the flat coordinate moves farther",
        bound(square / (mu + L) ** 2, STEP, proximal),
    ),
    fails(
        "loss of the mean model below the local losses",
        "each client's model fits its own data",
        bound(right, STEP, losses(True)),
    ),
    holds("noise of two clients", "independent over clients and steps", bound(ZERO, LINE, averaged_noise(1))),
    fails(
        "server step of at most 2", "1 − α is negative beyond 1", bound((1 - alpha) * start + alpha * other, *server(2))
    ),
    holds("one client a round", "equal curvature: the cohort's mean is noise", bound(ZERO, LOTTERY, lottery(2))),
    fails(
        "one client a round, power slip",
        "noise shrinks by the square of the contraction",
        bound(ZERO, LOTTERY, lottery(1)),
    ),
    holds(
        "a round is a long step",
        "‖∇Fₖ(wₜ) − ∇Fₖ(w)‖ <= Lηt‖∇Fₖ(w)‖",
        sized(E * (E - 1) / 2 * square, (LOCAL,), long_step),
    ),
    fails(
        "a round is a long step, E²/4",
        "false from E = 3 on, for short steps",
        sized(E**2 / 4 * square, (LOCAL,), long_step),
    ),
    holds("new control variates", "Karimireddy et al. 2020, option II", bound(ZERO, VARIATES, control(-1))),
)
