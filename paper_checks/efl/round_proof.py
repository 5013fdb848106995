"""One round in the proof of Theorem 1: (50), (51), (56), (60) and, with participation, (62) to (64).

Quadratic clients that start at ω̄, patterns of participation, and at one step two outcomes of a batch: noise is a vector times a
two-point variable, so that every expectation is a finite sum. Several coordinates only for a single local step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from paper_checks.efl.notation import NOTATION
from paper_checks.efl.settings import AT_RANDOM
from validation import Case, Choice, Claim, Family, Instance, LogScale, Signed, Simplex, Size, Space, Uniform, units
from validation.world import FalseVariant, Le, Variant, World, case, le, mutant, nowhere, numbers, reading, step

__all__ = ["CLAIMS"]

eta, mu, steps, r, start, kept, weighted, B, H_round = NOTATION.symbols("eta mu steps r start kept weighted B H_round")
pulled, round_skew, picked, argmin, best, free = NOTATION.symbols("pulled round_skew picked argmin best free")
summed, last, scaled, gain_first, gain_moved, x_now = NOTATION.symbols("summed last scaled gain_first gain_moved x_now")


def _dot(a: Any, b: Any) -> Any:
    """Σ aᵢbᵢ over the last axis; NumPy's own sum over an axis of a few entries takes several times as long."""
    return np.einsum("...i,...i->...", a, b)


def _square(a: Any) -> Any:
    """Σ aᵢ² over the last axis."""
    return _dot(a, a)


def _mixed(weights: Any, vectors: Any) -> Any:
    """Σ wₖ vₖ over the clients, (n, patterns, clients) and (n, patterns, clients, d) -> (n, patterns, d)."""
    return np.einsum("nrk,nrkd->nrd", weights, vectors)


def a_round(
    x: Instance, *, E: int, noisy: bool, realised: bool, power: int, capped: bool, whole: bool, shared: str
) -> Mapping[str, Any]:
    """A round's sums and gains, as `_rounds` says; `shared`: what both sides have in common."""
    h, m, share = x["curvature"], x["optimum"], x["share"]
    n, n_patterns = len(h), x["done"].shape[1]
    none = np.zeros(n)
    on = (x["done"] >= 0.5).astype(float)
    on = np.repeat(on[:, :, :1], E, axis=2) if whole else on
    s = on.sum(axis=2)
    free = share[:, None] * x["coefficient"]
    weight = np.stack([x["chance"], 1 - x["chance"]], axis=1) if n_patterns == 2 else np.ones((n, 1))
    counts = (weight[..., None] * x["coefficient"] * s).sum(axis=1)[:, None]
    fair = x.get("fair", none) > 0
    p = np.where(fair[:, None, None], np.where(counts > 0, free / np.where(counts > 0, counts, 1), 0.0), free)
    theta = (1 + x["slack"]) * (p / share[:, None]).max(axis=(1, 2))
    mu, L = h.min(axis=(1, 2)), h.max(axis=(1, 2))
    eta = x["step"] / (2 * (1 + theta) ** power * L)
    if capped:
        eta = np.minimum(eta, 4 * x["step"] / (mu * E * np.where(theta > 0, theta, 1.0)))
    best = (share[..., None] * h * m).sum(axis=1) / (share[..., None] * h).sum(axis=1)
    off = (best[:, None] - m)[:, None]
    weighty = x["coefficient"][:, 0] * (0.001 + on[:, 0, 0])
    top = np.take_along_axis(-off[:, 0], np.argmax(weighty, axis=1)[:, None, None], axis=1)
    u = np.where(x["own"][:, None, None] > 0, x["beside"][:, :, None] * top, x["virtual"])
    u = u + np.zeros((1, n_patterns, 1))
    q = (np.array([1.0] + [0.0] * (n_patterns - 1)) + np.zeros((n, 1))) if realised else weight
    z, at_step = np.zeros((n, n_patterns)), none
    if noisy:  # a pattern with each outcome of the batch
        chance = 1 / (1 + x["rare"] ** 2)
        q = (q[:, :, None] * np.stack([chance, 1 - chance], axis=1)[:, None]).reshape(n, -1)
        z = np.tile(x["noisy"][:, None] * np.stack([x["rare"], -1 / x["rare"]], axis=1), (1, n_patterns))
        at_step = np.minimum(np.floor(x["when"] * E), E - 1)
        u, p, on, s = (np.repeat(v, 2, axis=1) for v in (u, p, on, s))
    v = np.repeat(u[:, :, None], h.shape[1], axis=2)
    ps = p * s
    at_star = 0.5 * _dot(h[:, None] * off, off)
    dist, value, act, alls, errors, norms = [], [], [], [], none[:, None], none[:, None]
    for j in range(E):
        w = p * on[:, :, j]
        g = h[:, None] * (v + off)
        if noisy:
            wrong = (z * (at_step == j)[:, None])[..., None, None] * x["noise"][:, None]
            errors = errors + _square(_mixed(w, wrong))
            g = g + wrong
        dist.append(_square(u))
        away = u[:, :, None] + off
        loss = 0.5 * _dot(h[:, None] * away, away)
        value.append(_dot(w, loss))
        alls.append(_dot(ps, loss))
        act.append(w.sum(axis=2))
        drift = _dot(w, _square(u[:, :, None] - v))
        errors = errors + (2 + mu / (2 * (1 + theta) * L))[:, None] * drift / eta[:, None] ** 2
        errors = errors + 2 * ((2 + theta) * L)[:, None] * _dot(w, at_star)
        push = _mixed(w, g)
        norms = norms + np.sqrt(_square(push))
        u = u - eta[:, None, None] * push
        v = v - eta[:, None, None, None] * on[:, :, j][..., None] * g
    dist.append(_square(u))

    def mean(values: Any) -> Any:
        return _dot(q, values)

    star, done = _dot(ps, at_star), ps.sum(axis=2)
    losses, at_all = np.stack(value, axis=2), np.stack(alls, axis=2)
    index = np.minimum(np.floor(x["pick"] * E), E - 1).astype(int)[:, None, None]
    picked = star - np.take_along_axis(at_all, np.broadcast_to(index, (*star.shape, 1)), axis=2)[..., 0]
    low = np.argmin(np.round(losses / np.maximum(losses.max(axis=2, keepdims=True), 1e-300), 12), axis=2)
    curved, pull = (ps[..., None] * h[:, None]).sum(axis=2), (ps[..., None] * h[:, None] * off).sum(axis=2)
    lift = np.where(curved > 0, 0.5 * pull**2 / np.where(curved > 0, curved, 1), 0.0).sum(axis=2)
    path, gone = sum(dist[1:]), mean(picked)
    scale = mean(dist[0] + path) + eta * (mean(star) + mean(at_all.max(axis=2))) + (m**2).max(axis=(1, 2))
    first = mean(dist[0])
    return {
        "summed": mean(path),
        "last": mean(dist[-1]),
        "scaled": mean((1 + (mu * eta)[:, None] * done / 4) * dist[-1]),
        "gain_first": mean(star - alls[0]),
        "gain_moved": gone,
        "eta": eta,
        "mu": mu,
        "steps": mean(done),
        "start": first,
        "kept": mean(sum((1 - (mu * eta)[:, None] / 2 * a) * d for d, a in zip(dist, act, strict=False))),
        "weighted": mean(sum(a * d for a, d in zip(act, dist, strict=False))),
        "B": mean(errors),
        "H_round": mean(norms**2),
        "pulled": mean(done * norms**2),
        "round_skew": mean(star),
        "picked": gone,
        "argmin": mean(star - np.take_along_axis(at_all, low[..., None], axis=2)[..., 0]),
        "best": mean(star - at_all.min(axis=2)),
        "free": mean(lift),
        "r": 1.0 - fair,
        "admissible": (theta > 0) & np.where(fair, (counts > 0).all(axis=(1, 2)), True),
        **({"common": first * (E if shared == "each step" else 1)} if shared else {}),
        "sizes": {
            **dict.fromkeys(("summed", "last", "scaled"), scale),
            **dict.fromkeys(("gain_first", "gain_moved"), 100.0 * scale / eta),
        },
    }


def a_round_exact(
    x: Mapping[str, Any], *, E: int, noisy: bool, realised: bool, power: int, capped: bool, whole: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One round of Algorithm 1 with indicators, world by world, at quadratic clients."""
    h, m, share = x["curvature"], x["optimum"], x["share"]
    clients, dims, patterns = range(len(share)), range(len(h[0])), range(len(x["done"]))
    half, fair = Fraction(1, 2), x.get("fair", 0) > 0
    on = [[[1 if v >= half else 0 for v in row] for row in pattern] for pattern in x["done"]]
    if whole:
        on = [[pattern[0]] * E for pattern in on]
    s = [[sum(row[k] for row in pattern) for k in clients] for pattern in on]
    chance = [x["chance"], 1 - x["chance"]] if len(patterns) == 2 else [Fraction(1)]
    p = [[share[k] * c[k] for k in clients] for c in x["coefficient"]]
    means = [sum(chance[r] * x["coefficient"][r][k] * s[r][k] for r in patterns) for k in clients]
    if fair:
        p = [[p[r][k] / means[k] if means[k] else Fraction(0) for k in clients] for r in patterns]
    taken = [sum(chance[r] * p[r][k] * s[r][k] for r in patterns) / share[k] for k in clients]
    theta = (1 + x["slack"]) * max(p[r][k] / share[k] for r in patterns for k in clients)
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta = x["step"] / (2 * (1 + theta) ** power * L)
    if capped:
        eta = min(eta, 4 * x["step"] / (mu * E * theta))
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    top = max(clients, key=lambda k: x["coefficient"][0][k] * (Fraction(1, 1000) + on[0][0][k]))
    outcomes, when = [(Fraction(1), Fraction(0))], -1
    if noisy:
        rare, when = x["rare"], min(int(x["when"] * E), E - 1)
        outcomes = [(1 / (1 + rare**2), x["noisy"] * rare), (rare**2 / (1 + rare**2), -x["noisy"] / rare)]
    index = min(int(x["pick"] * E), E - 1)

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    def size(vector: Any) -> Any:
        (number,) = vector  # in several dimensions rounds have one step, and the square alone is used
        return abs(number)

    sides = ("summed", "last", "scaled", "gain_first", "gain_moved", "steps", "start", "kept", "weighted", "B")
    names = (*sides, "H_round", "pulled", "round_skew", "picked", "argmin", "best", "free")
    found = {name: Fraction(0) for name in names}
    for r in [0] if realised else patterns:
        for q, z in outcomes:
            weight = q if realised else chance[r] * q
            place = r if len(x["virtual"]) > 1 else 0
            offset = x["virtual"][place]
            if x["own"] > 0:
                offset = [x["beside"][place] * (m[top][i] - best[i]) for i in dims]
            virtual = [best[i] + offset[i] for i in dims]
            local = [list(virtual) for _ in clients]
            dist, values, alls, acts, B, norms, square = [], [], [], [], Fraction(0), Fraction(0), Fraction(0)
            ps = [p[r][k] * s[r][k] for k in clients]
            for j in range(E):
                w = [p[r][k] * on[r][j][k] for k in clients]
                wrong = (
                    [[z * v for v in row] for row in x["noise"]] if j == when else [[0] * len(best) for _ in clients]
                )
                g = [[h[k][i] * (local[k][i] - m[k][i]) + wrong[k][i] for i in dims] for k in clients]
                dist.append(sum((virtual[i] - best[i]) ** 2 for i in dims))
                values.append(sum(w[k] * loss(k, virtual) for k in clients))
                alls.append(sum(ps[k] * loss(k, virtual) for k in clients))
                acts.append(sum(w))
                drift = sum(w[k] * (virtual[i] - local[k][i]) ** 2 for k in clients for i in dims)
                error = sum(sum(w[k] * wrong[k][i] for k in clients) ** 2 for i in dims)
                B = B + (2 + mu / (2 * (1 + theta) * L)) * drift / eta**2 + error
                B = B + 2 * (2 + theta) * L * sum(w[k] * loss(k, best) for k in clients)
                push = [sum(w[k] * g[k][i] for k in clients) for i in dims]
                square = sum(v * v for v in push)
                norms = norms + (0 if E == 1 else size(push))
                virtual = [virtual[i] - eta * push[i] for i in dims]
                local = [[local[k][i] - eta * on[r][j][k] * g[k][i] for i in dims] for k in clients]
            dist.append(sum((virtual[i] - best[i]) ** 2 for i in dims))
            H = square if E == 1 else norms**2
            done, star = sum(ps), sum(ps[k] * loss(k, best) for k in clients)
            lift = Fraction(0)
            for i in dims:
                curved = sum(ps[k] * h[k][i] for k in clients)
                pull = sum(ps[k] * h[k][i] * (best[i] - m[k][i]) for k in clients)
                lift = lift + (pull**2 / curved / 2 if curved > 0 else 0)
            world = {
                "summed": sum(dist[1:]),
                "last": dist[-1],
                "scaled": (1 + mu * eta * done / 4) * dist[-1],
                "gain_first": star - alls[0],
                "gain_moved": star - alls[index],
                "steps": done,
                "start": dist[0],
                "kept": sum((1 - mu * eta * acts[j] / 2) * dist[j] for j in range(E)),
                "weighted": sum(acts[j] * dist[j] for j in range(E)),
                "B": B,
                "H_round": H,
                "pulled": done * H,
                "round_skew": star,
                "picked": star - alls[index],
                "argmin": star - alls[values.index(min(values))],
                "best": star - min(alls),
                "free": lift,
            }
            found = {name: value + weight * world[name] for name, value in found.items()}
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": theta > 0 and x["slack"] > 0,
        "eta <= 1/(2 (1 + theta) L)": 0 < eta <= 1 / (2 * (1 + theta) * L),
        "eta <= 4/(mu E theta) where asked": not capped or eta <= 4 / (mu * E * theta),
        "r = 0 only if E[p s] = c p^k": not fair or max(taken) == min(taken) > 0,
    }
    return met, {**found, "eta": eta, "mu": mu, "r": Fraction(0 if fair else 1)}


def _rounds(
    shared: Literal["", "the start", "each step"] = "",
    *,
    noisy: bool = False,
    patterns: int = 1,
    fair: bool = False,
    realised: bool = False,
    dependent: bool = False,
    power: int = 1,
    capped: bool = False,
    whole: bool = False,
    longest: int = 100,
) -> World:
    """Rounds of all sizes, and long steps from near the optimum of the client that counts most.

    `patterns`: how many patterns of participation there are, drawn by chance; `fair`: also with E[p s] = pᵏ, so r = 0;
    `realised`: the first pattern alone in place of the mean; `dependent`: each pattern has its own start; `power` 2:
    η <= 1/(2(1+θ)²L); `capped`: also η <= 4/(μEθ); `whole`: every client does all steps or none; `longest`: most local steps.
    """

    def at(N: float, E: float = 1, d: float = 1, edge: bool = False) -> Case:
        n, n_local, dim, starts = int(N), int(E), int(d), patterns if dependent else 1
        noise = noisy and not edge
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n, dim), at=(1e-2, 1.0, 1e2)),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                LogScale("coefficient", 10.0 if edge else 1e-2, 1e2, (patterns, n), at=(1e2,) if edge else (1.0, 1e2)),
                LogScale("slack", 1e-3, 0.01 if edge else 1e1, at=(1e-3,) if edge else (1e-3, 1.0)),
                Uniform("done", 0.0, 1.0, (patterns, n_local, n)),
                *((Uniform("chance", 0.01, 0.99, at=(0.5, 0.01, 0.99)),) if patterns == 2 else ()),
                Signed("virtual", 1e-2, 1e2, (starts, dim)),
                Uniform("beside", -1.2, -0.3, (starts,)) if edge else Signed("beside", 1e-1, 1e1, (starts,)),
                Choice("own", (1.0,) if edge else (0.0, 1.0)),
                *((Signed("noise", 1e-2, 1e2, (n, dim)), LogScale("rare", 1.0, 30.0, at=(1.0,))) if noise else ()),
                *((Uniform("when", 0.0, 1.0), Choice("noisy", (0.0, 1.0))) if noise else ()),
                Uniform("pick", 0.0, 1.0),
                LogScale("step", 0.7 if edge else 1e-3, 1.0, at=(1.0,) if edge else (1e-2, 1.0)),
                *((Choice("fair", (0.0, 1.0)),) if fair else ()),
            )
        )
        lengths = {"optimum": (0, 1), "virtual": (0, 1), **({"noise": (1, -1)} if noise else {})}
        name = f"{n} clients, E = {n_local}, d = {dim}" + (", long steps" if edge else "")
        return case(
            name,
            space,
            partial(a_round, shared=shared),
            a_round_exact,
            cost=max(1.0, n * n_local * dim / 10),
            symmetries=(units({"curvature": (1, -2), **lengths}),),
            E=n_local,
            noisy=noise,
            realised=realised,
            power=power,
            capped=capped,
            whole=whole,
        )

    long = Family("several local steps", (Size("N", 1, 100, 2), Size("E", 2, longest, 2)), at)
    wide = Family("one local step", (Size("N", 1, 100, 2), Size("d", 1, 8, 1)), at)
    return World(NOTATION, (at(2, edge=True), long, wide))


def _summed(gain: Any) -> Le:
    return le(summed, kept + eta**2 * B + 2 * eta * gain)


def _telescoped(gain: Any) -> Le:
    return le(last, start - mu * eta * weighted / 2 + eta**2 * B + 2 * eta * gain)


def _scaled(gain: Any) -> Le:
    return le(scaled, start + mu * eta**3 * pulled / 2 + eta**2 * B + 2 * eta * gain)


Shared: TypeAlias = Literal["the start", "each step"]


def _which_step(says: Callable[[Any], Le], shared: Shared, *, noisy: bool = False, given: str = "") -> list[Variant]:
    """What (50), (51), (56) and (60) leave open alike, which ω̄ stands in the last term, and what mends it.

    `given`: why a step that goes on from (50) is judged with the ω̄ for which (50) holds; the others count there.
    """

    def chosen(argmin: str) -> dict[str, str]:
        return {} if given else {"argmin": argmin}

    own = "over the iterates, each with its own step's activity"
    return [
        reading(
            "every step j of the round",
            "The index j of the last term, which no sum binds, is any of the round.",
            ours="""the sentence after (50) says which ω̄ is meant, an argmin; any step of the round is more than it
                says""",
        ),
        reading(
            "j minimises Σpα F̃ₖ(ω̄) over the round",
            "The text's argmin, taken over the iterates of the round, each with its own step's activity.",
            says(argmin),
            options=chosen(own),
            ours=given,
        ),
        reading(
            "the most favourable j",
            "The step of the round with the largest last term.",
            says(best),
            options=chosen("over the iterates, with Σps"),
            ours=given,
        ),
        reading(
            "ω̄ the minimiser of Σps F̃ₖ over all models",
            "The argmin taken over all models, not only iterates.",
            says(free),
            options=chosen("over all models"),
            because=given,
        ),
        reading(
            "j minimises Σpα F̃ₖ(ω̄) over the round, all steps or none, shorter steps",
            "The text's argmin, taken over the iterates of the round, each with its own step's activity.",
            says(argmin),
            world=_rounds(shared, noisy=noisy, power=2, whole=True),
            options=chosen(own),
            conditions=["every client does all steps or none", "η <= 1/(2(1+θ)²L)"],
        ),
    ]


_GIVEN = "judged given (50), from which it goes on; which ω̄ is meant is open there, and counted there (EFL-E50)"


def _without_noise(says: Callable[[Any], Le], shared: Shared) -> list[FalseVariant]:
    said = says(best)
    return [
        mutant(
            "B dropped, noisy batches, shorter steps",
            le(said.left, said.right - eta**2 * B),
            """one client at ω*: the noise moves the model away, and without B the right side has at most μηΣps/2 of
                that""",
            world=_rounds(shared, noisy=True, power=2, longest=2),
        )
    ]


_ONE_ROUND = [
    "A1, A2, A5",
    "η <= 1/(2(1+θ)L)",
    "B with 1/η² before its drift (EFL-E47)",
    "all clients start the round at ω̄; activity fixed before the batches",
    "full gradients, g = ḡ",
    "searched on quadratic clients, with several local steps on a line only",
]

E50 = step(
    "EFL-E50",
    "Eq. (50), A.2.1",
    "Sum over a round",
    printed=r"""\sum_{j=1}^E\Delta_{\tau E+j}\le\sum_{j=0}^{E-1}\Big(1-\frac12\mu\eta_\tau\sum_kp_\tau^k\alpha_{\tau E+
        j}^k\Big)\Delta_{\tau E+j}+\eta_\tau^2B_\tau+2\eta_\tau\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-
        \widetilde F_k(\overline\omega_{\tau E+j}))""",
    plainly="The one-step inequality summed over the round, with one iterate standing for all in the last term.",
    assumes=_ONE_ROUND,
    says=_summed(picked),
    world=_rounds("each step"),
    readings=_which_step(_summed, "each step"),
    open={
        "argmin": nowhere("""ω̄ is the argmin «over ω_{τE+j}» of ΣpαF̃ₖ: over the iterates of the round or over all
            models, and with which j in α, is not said""")
    },
    mutants=_without_noise(_summed, "each step"),
    rests_on=["EFL-E48"],
    verdict="""For a single local step this is (48), so the flaw of (48) is here too: with p far above pᵏ and the
        longest allowed step it is false, whatever step of the round the unbound index j means; the instance shown is of
        that kind and has no argmin to choose. The argument is printed as an iterate, ω̄ at τE + j. Only if the text's
        argmin is taken over all models, so that the last term is the largest it can be, no violation was found; but
        that term is then never negative, and (62) cannot drop it for r = 0. With iterates of the round, clients that do
        all steps or none and steps shorter by 1 + θ it also held.""",
)

E51 = step(
    "EFL-E51",
    "Eq. (51), A.2.1",
    "Reorganised sum",
    printed=r"""\Delta_{(\tau+1)E}\le\Delta_{\tau E}-\frac12\mu\eta_\tau\sum_{j=0}^{E-1}\sum_kp_\tau^k\alpha_{\tau E+
        j}^k\Delta_{\tau E+j}+\eta_\tau^2B_\tau+2\eta_\tau\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde
        F_k(\overline\omega_{\tau E+j}))""",
    plainly="The distance after a round, with the sum telescoped.",
    assumes=_ONE_ROUND,
    says=_telescoped(picked),
    world=_rounds("the start"),
    readings=_which_step(_telescoped, "the start", given=_GIVEN),
    mutants=_without_noise(_telescoped, "the start"),
    rests_on=["EFL-E50"],
    repeats="EFL-E50",
    verdict="""The same inequality as (50), telescoped: right given (50). Its flaw is that of (50) and is counted
        there: for a single local step this is (48),
        so the flaw of (48) is here too: with p far above pᵏ and the longest allowed step it is false, whatever step of
        the round the unbound index j means. Only if the text's argmin is taken over all models, so that the last term
        is the largest it can be, no violation was found; but that term is then never negative, and (62) cannot drop it
        for r = 0. With iterates of the round, clients that do all steps or none and steps shorter by 1 + θ it also
        held.""",
)

E56 = step(
    "EFL-E56",
    "Eq. (56), A.2.1",
    "Round inequality before expectation",
    printed=r"""\Big(1+\frac14\mu\eta_\tau\sum_kp_\tau^ks_\tau^k\Big)\Delta_{(\tau+1)E}\le\Delta_{\tau E}+\frac12
        \mu\eta_\tau^3\sum_kp_\tau^ks_\tau^k\Big(\sum_{j=0}^{E-1}h_{\tau E+j}\Big)^2+\eta_\tau^2B_\tau+2
        \eta_\tau\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j}))""",
    plainly="The distance after a round contracts, up to moves, errors and the objective gap.",
    assumes=_ONE_ROUND,
    says=_scaled(picked),
    world=_rounds("the start"),
    readings=_which_step(_scaled, "the start", given=_GIVEN),
    mutants=_without_noise(_scaled, "the start"),
    rests_on=["EFL-E51", "EFL-E55"],
    repeats="EFL-E50",
    verdict="""Inserting the outer members of (55) into (51) is correct algebra, so the line is right given (51). The
        result inherits the flaw of (50), which is counted there: the added
        term μη³Σps(Σh)²/2 is too small to help when μ is far below L. Only if the text's argmin is taken over all
        models, so that the last term is the largest it can be, no violation was found; but that term is then never
        negative, and (62) cannot drop it for r = 0. With iterates of the round, clients that do all steps or none and
        steps shorter by 1 + θ it also held.""",
)

E60 = step(
    "EFL-E60",
    "Eq. (60), A.2.1",
    "Round inequality in expectation over the batches",
    printed=r"""\Big(1+\frac14\mu\eta_\tau\sum_kp_\tau^ks_\tau^k\Big)\overline\Delta_{(\tau+1)E}
        \le\overline\Delta_{\tau E}+\frac12\mu\eta_\tau^3\sum_kp_\tau^ks_\tau^k\overline H_\tau+\eta_\tau^2\overline
        B_\tau+2\eta_\tau\mathbb E_\xi\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde
        F_k(\overline\omega_{\tau E+j}))""",
    plainly="The same, averaged over the batches.",
    assumes=[
        "A1, A2, A5",
        "η <= 1/(2(1+θ)L)",
        "B with 1/η² before its drift (EFL-E47)",
        "all clients start the round at ω̄; activity fixed before the batches",
        "both sides averaged over the batches, which may be noisy at one step",
        "searched on quadratic clients, with several local steps on a line only",
    ],
    says=_scaled(picked),
    world=_rounds("the start", noisy=True),
    readings=_which_step(_scaled, "the start", noisy=True, given=_GIVEN),
    mutants=_without_noise(_scaled, "the start"),
    rests_on=["EFL-E56"],
    repeats="EFL-E50",
    verdict="""The average of (56), so right given (56); the flaw of (50) is counted there, and full gradients are a
        special case. Only if the text's argmin is taken
        over all models, so that the last term is the largest it can be, no violation was found; but that term is then
        never negative, and (62) cannot drop it for r = 0. With iterates of the round, clients that do all steps or none
        and steps shorter by 1 + θ it also held.""",
)

_FAIR: Any = {"patterns": 2, "fair": True}
_REALISED = _rounds(realised=True, **_FAIR)
_AVERAGED = _rounds(**_FAIR)

E62 = step(
    "EFL-E62",
    "Eq. (62), A.2.1, with the sentence before (61)",
    "Objective gap with r",
    printed=r"""\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega_{\tau E+j}))
        \le r_\tau\sum_kp_\tau^ks_\tau^kD_k""",
    plainly="When participation is unbiased the objective gap term is not positive.",
    assumes=[
        "two patterns of participation, each with its own steps and coefficients; r = 0 iff E[p s] = c pᵏ for all k",
        "full gradients",
        "searched on quadratic clients, with several local steps on a line only",
    ],
    says=le(gain_first, r * round_skew),
    world=_REALISED,
    readings=[
        reading(
            "for each realised participation",
            "As printed, without an expectation over p and s; ω̄ at the start of the round.",
        ),
        reading(
            "averaged over participation, ω̄ at step j",
            "The iterate that (50) selects, which the round's participation has already moved.",
            le(gain_moved, r * round_skew),
            world=_AVERAGED,
            edits=["an expectation over p and s before the sums"],
        ),
        reading(
            "averaged over participation, ω̄ at the start of the round",
            "j = 0, so that ω̄ is the same for all patterns.",
            world=_AVERAGED,
            conditions=["ω̄ fixed before the round, not ω̄ after j of its steps"],
            edits=["an expectation over p and s before the sums"],
            carries=False,
            because="""the sum is printed without an expectation, and (63) uses it so, before (64) averages; (50)
                selects an iterate of the round""",
        ),
    ],
    mutants=[
        mutant(
            "r taken to be 0 for any law",
            le(gain_first, (r - 1) * round_skew),
            "a client drawn more often than its share gains at a model nearer to its own optimum",
            world=_rounds(patterns=2),
        )
    ],
    rests_on=["EFL-E61", "EFL-DEF3"],
    repeats="EFL-DEF3",
    verdict="""r = 0 is a statement about E[p s]; it says nothing about a realised round, in which one client may be
        alone and ω̄ may suit it better than ω*. Averaged over participation the sum is c(F(ω*) − F(ω̄)) <= 0 if ω̄ does
        not depend on the round's participation, as at its start, j = 0. The iterate that (50) selects does: after a
        step of the realised clients ω̄ has moved towards them, and the average can be positive.""",
)

_QUARTER = mu * eta * steps / 4
_ERRORS, _PULL = eta**2 * (B + 2 * H_round), 2 * eta * r * round_skew
_FIRST = le(last, (1 - _QUARTER / (1 + _QUARTER)) * start + _ERRORS + _PULL)
_SECOND = le(last, (1 - mu * eta * steps / 8) * start + _ERRORS + _PULL)
_GRANTED = (start + 2 * eta**2 * x_now * H_round + eta**2 * B + _PULL) / (1 + x_now)  # Δ̄ as (60) with (62) allows
_TWO = le(_GRANTED, (1 - x_now / 2) * start + _ERRORS + _PULL)


def _numbers(most: float) -> World:
    """x = μηΣps/4 up to `most`; η <= 4/(μΣps) makes it 1."""
    return numbers(
        NOTATION,
        "numbers",
        LogScale("start", 1e-3, 1e3),
        LogScale("x_now", 1e-4, most, at=(most,)),
        LogScale("eta", 1e-3, 1e1),
        LogScale("H_round", 1e-3, 1e3),
        LogScale("B", 1e-3, 1e3),
        LogScale("round_skew", 1e-3, 1e3),
        Choice("r", (0.0, 1.0)),
        where=(le(0, start), le(x_now, most)),
    )


_BEFORE_MEAN = _rounds("the start", noisy=True, realised=True, capped=True, **_FAIR)

_TWO_PATTERNS = [
    "A1, A2, A5",
    "η <= 4/(μEθ), η <= 1/(2(1+θ)L)",
    "two patterns of participation, each with its own steps and coefficients; r = 0 iff E[p s] = c pᵏ for all k",
    "B with 1/η² before its drift",
    "searched on quadratic clients, with several local steps on a line only",
]

E63 = step(
    "EFL-E63",
    "Eq. (63), A.2.1",
    "Contraction of a round",
    printed=r"""\overline\Delta_{(\tau+1)E}\le\Big(1-\frac{\frac14\mu\eta_\tau\Sigma ps}{1+\frac14\mu\eta_\tau\Sigma
        ps}\Big)\overline\Delta_{\tau E}+2\eta_\tau^2\overline H_\tau+\eta_\tau^2\overline B_\tau+2\eta_\tau
        r_\tau\Sigma psD\le\Big(1-\frac18\mu\eta_\tau\Sigma ps\Big)\overline\Delta_{\tau E}+\eta_\tau^2(\overline
        B_\tau+2\overline H_\tau)+2\eta_\tau r_\tau\Sigma psD""",
    plainly="A round contracts the squared distance by 1 − μηΣps/8, up to errors and bias.",
    assumes=_TWO_PATTERNS,
    says=_FIRST,
    world=_BEFORE_MEAN,
    readings=[
        reading(
            "from (60) and (62), first line",
            "The algebra: (60) with its last term replaced by (62), divided by 1 + x, x = μηΣps/4.",
            le(_GRANTED, (1 - x_now / (1 + x_now)) * start + _ERRORS + _PULL),
            world=_numbers(1),
            part="first line",
            because="«Equation (60) can be written as»: a step, judged given (60) and (62)",
        ),
        reading(
            "from (60) and (62), second line",
            "The same, x <= 1.",
            _TWO,
            world=_numbers(1),
            part="second line",
            because="a step, judged given (60) and (62)",
        ),
        reading(
            "first line, for each realised participation",
            "As printed, before the expectation over p and s.",
            part="first line",
            ours="whether the line is true alone, without its premises; what fails is (62), counted at EFL-DEF3",
        ),
        reading(
            "second line, for each realised participation",
            "As printed, before the expectation over p and s.",
            _SECOND,
            part="second line",
            ours="whether the line is true alone, without its premises; what fails is (62), counted at EFL-DEF3",
        ),
        reading(
            "second line, with the term of r for every law",
            "r = 1 also where participation is unbiased.",
            le(last, _SECOND.right.subs(r, 1)),
            part="second line",
            edits=["r = 1 also where participation is unbiased"],
            carries=False,
        ),
    ],
    mutants=[
        mutant(
            "x up to 10 in the second line",
            _TWO,
            "1/(1 + x) <= 1 − x/2 needs x <= 1, and here x may be larger",
            world=_numbers(10),
        )
    ],
    rests_on=["EFL-E60", "EFL-E62"],
    verdict="""Given (60) and (62), from which it is drawn, the line is right: η <= 4/(μEθ) makes x <= 1, since Σps <=
        θE. Taken alone it inherits the fault of (62), which is about averages over participation while (63) is printed
        before that average is taken: for a realised round with a single client, far from a law's mean, and r = 0, the
        model moves away from ω* by more than the right side. With the bias term kept whatever r is, no violation was
        found for realised rounds.""",
)

_MEAN: Any = {"noisy": True, "capped": True, **_FAIR}
E64 = step(
    "EFL-E64",
    "Eq. (64), A.2.1",
    "Contraction in expectation",
    printed=r"""\mathbb E[\overline\Delta_{(\tau+1)E}]\le\Big(1-\frac18\mu\eta_\tau\mathbb E\Big[\sum_kp_\tau^ks_\tau^k
        \Big]\Big)\overline\Delta_{\tau E}+\eta_\tau^2\mathbb E[\overline B_\tau+2\overline H_\tau]+2\eta_\tau
        r_\tau\sum_k\mathbb E[p_\tau^ks_\tau^k]D_k""",
    plainly="Averaged over participation, a round contracts the squared distance up to errors and bias.",
    assumes=_TWO_PATTERNS,
    says=_SECOND,
    world=_rounds("the start", **_MEAN),
    readings=[
        reading(
            "participation independent of the past",
            "(p, s) drawn afresh in the round, independent of ω̄ at its start and of the batches.",
            because="the plain value: (p, s) drawn afresh in the round",
        ),
        reading(
            "participation depends on the past",
            "Two pasts, each with its own ω̄ and its own pattern; E over both, r from E[p s] as defined.",
            world=_rounds("the start", dependent=True, **_MEAN),
            cuts={"participation": "correlated over rounds: each past with its own pattern"},
            met_by=AT_RANDOM,
            because="""«we do not assume any distributions and correlations» (A.2.1): within the print in so many words,
                as in EFL-T1""",
        ),
    ],
    mutants=[
        mutant(
            "B and H dropped",
            le(last, _SECOND.right - _ERRORS),
            "one client at ω* with noise moves away, and no other term of the right side is positive",
            world=_rounds("the start", longest=2, **_MEAN),
        )
    ],
    rests_on=["EFL-E63", "EFL-E62"],
    verdict="""For participation drawn independently of the past no violation was found in a round: what (62) lacks for
        a realised round averages out, and 2H̄ pays for what (48) lacks. With B̄ and H̄ at their bounds (58) and (59),
        the bracket with a positive part, it can be proved for all clients (EFL-T1-R). If the pattern depends on where
        ω̄ stands, as «any distributions and correlations» allows, E[p s] = c pᵏ gives r = 0 while each past pulls
        towards its own clients, and the bound fails.""",
)

CLAIMS: tuple[Claim, ...] = (E50, E51, E56, E60, E62, E63, E64)
