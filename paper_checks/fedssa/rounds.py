"""One round of FedSSA along every path of its noise: the expectations that (14) to (53) of the proof are made of.

Clients are ½c(x − m)² in every coordinate, with one curvature to the right of m and another to the left, of either sign.
Noise is ±u_k/(1 + sway·x₁²) at up to six places (client, local step), each sign fair, so that every path can be walked;
x is the local model where a round has at most four steps, else its start. Only the letters that are `asked` are observed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from validation import Instance, Size, World, case, permuted_clients, units
from validation.statement.claim import Case, Family, Identity, Inequality, Mechanism
from validation.statement.instances.draw import Choice, Coordinate, LogScale, Signed, Simplex, Space
from validation.statement.says import Eq, Le
from validation.world.mechanisms import always

__all__ = ["ONE_ROUND", "of_round", "round_exact", "round_paths"]

ONE_ROUND = [
    """one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
        independent between the clients, as said below (24), samples fresh at every step; w on the simplex (never
        stated), fixed before the round unless said; p_k >= 0 (counted at SSA-A1)"""
]
"""What the lines of E.1 and E.2 assume."""

Weights: TypeAlias = Literal["simplex", "any", "sum one", "positive", "shares"]
_OF_FIRST = frozenset(("D0", "D1", "X", "LX", "N5", "N6", "Sn", "Snn", "G0", "Gr", "bias", "wander"))
_ALONG = frozenset(("D1", "X", "N6", "Snn", "N5", "Gr", "Xbar"))
_BY_STEP = frozenset(("r", "Sn", "Snn", "N5", "Gr"))
_AT_START = frozenset(
    ("G", "M", "squares_sum", "gap2", "A", "B", "B_mean", "G0", "NG", "W1", "C", "K", "tau", "eta", "L")
)


def _signs(n_clients: int, tau: int, coins: int, noisy: bool) -> Any:
    """(paths, n_clients, tau) of −1, 0, 1; coins 0: a fresh one at every place, 1: one for all clients, 2: one a round."""
    if not noisy:
        return np.zeros((1, n_clients, tau))
    total = n_clients * tau
    places = range(total) if total <= 6 else sorted({i * (total - 1) // 5 for i in range(6)})
    keys = [(p // tau * (coins != 1), p % tau * (coins != 2)) for p in places]
    order = list(dict.fromkeys(keys))
    out = np.zeros((2 ** len(order), n_clients, tau))
    for row, bits in enumerate(product((1, -1), repeat=len(order))):
        for place, key in zip(places, keys, strict=True):
            out[row, place // tau, place % tau] = bits[order.index(key)]
    return out


def _square(v: Any) -> Any:
    return (v**2).sum(axis=-1)


def round_paths(
    x: Instance,
    *,
    asked: tuple[str, ...],
    tau: int,
    noisy: bool,
    weights: Weights = "simplex",
    sees: int = 0,
    coins: int = 0,
    reach: float = 1.0,
    everywhere: bool = False,
    close: bool = False,
) -> Mapping[str, Any]:
    """Expectations of one round, each of shape (n,); client 0 is the k of (32) to (49).

    `sees`: the weights look at the first noise of the first and the last client, with 2 at the first client's first
    and last. `everywhere`: quadratics, A.4 on all of R. `close`: equal sides are differences at the scale of all terms.
    """
    right, left, m, p, start = x["curvature"], x["bend"], x["optimum"], x["share"], x["start"]
    n_clients, want = right.shape[1], {*asked, *(("X",) if "LX" in asked else ())}
    if everywhere:
        left = right

    def gradient(at: Any) -> Any:
        away = at - m[:, None]
        return np.where(away >= 0, right[:, None], left[:, None]) * away

    def loss(at: Any) -> Any:
        return 0.5 * np.einsum("nk,npkd,npkd->np", p, gradient(at), at - m[:, None])

    signs = _signs(n_clients, tau, coins, noisy)
    w0 = p if weights == "shares" else x["weights"]
    if weights == "sum one":
        w0 = np.concatenate([w0[:, :-1], 1 - w0[:, :-1].sum(axis=1, keepdims=True)], axis=1)
    w = np.broadcast_to(w0[:, None], (len(p), len(signs), n_clients))
    if sees:
        other = signs[:, 0, -1] if sees == 2 else signs[:, -1, 0]
        w = np.where((np.maximum(signs[:, 0, 0], other) < 0.0)[None, :, None], x["other"][:, None], w)
    L = np.maximum(np.abs(right), np.abs(left)).max(axis=(1, 2))
    eta = x["step"] / (2 * tau * np.where(L > 0, L, 1.0))
    began = gradient(start[:, None, None] + np.zeros_like(m)[:, None])[:, 0]
    whole, u = np.einsum("nk,nkd->nd", p, began), x["noise"] * noisy
    moved = np.zeros((len(p), len(signs), *m.shape[1:]))
    here = start[:, None, None] + moved
    h, e, v3 = np.zeros_like(moved), np.zeros_like(moved), np.zeros(moved.shape[:3])
    total = dict.fromkeys(want & _ALONG, np.zeros(moved.shape[:2]))
    noise_sum, top = np.zeros_like(moved[:, :, 0]), _square(began).max(axis=1)
    for s in range(0 if want <= _AT_START else tau):
        at = start[:, None, None] + moved
        full = gradient(at)
        place = at[..., 0] if tau <= 4 else here[..., 0]
        noise = signs[None, :, :, s, None] * u[:, None] / (1 + x["sway"][:, None, None] * place**2)[..., None]
        h, e = h + full / tau, e + noise / tau
        gone, own, one = moved[:, :, 0], full[:, :, 0], noise[:, :, 0]
        if want & _BY_STEP:
            before, now = np.greater(x["r"], s)[:, None], np.equal(x["r"], s)[:, None]
            noise_sum = noise_sum + before[..., None] * one
            for name, count, v in (("Snn", before, one), ("N5", now, gone), ("Gr", now, own)):
                if name in total:
                    total[name] = total[name] + count * _square(v)
        if "V3" in want:
            v3 = v3 + _square(noise) / tau**2
        for name, v in (("D1", own - began[:, None, 0]), ("X", gone)):
            if name in total:
                total[name] = total[name] + _square(v) / tau
        if "N6" in total:
            total["N6"] = total["N6"] + _square(own)
        if "Xbar" in total:
            total["Xbar"] = total["Xbar"] + _square(np.einsum("npk,npkd->npd", w, moved)) / tau
        top = np.maximum(top, _square(full).max(axis=(1, 2)))
        moved = moved - eta[:, None, None, None] * (full + noise)

    def mixed(v: Any) -> Any:
        return np.einsum("npk,npkd->npd", w, v)

    def fell() -> Any:
        end = mixed(start[:, None, None] + moved)[:, :, None]
        return loss(end + np.zeros_like(moved)) - loss(here)

    leaning = _dissimilarity(x, began, whole, p, everywhere) if everywhere or want & {"A", "B", "B_mean"} else {}
    found: dict[str, Callable[[], Any]] = {
        "fall": lambda: fell().mean(axis=1),
        "G": lambda: _square(whole),
        "N1": lambda: (mixed(h + e) * whole[:, None]).sum(axis=-1).mean(axis=1),
        "N1h": lambda: (mixed(h) * whole[:, None]).sum(axis=-1).mean(axis=1),
        "N2": lambda: _square(mixed(h + e)).mean(axis=1),
        "Q": lambda: _square(mixed(h)).mean(axis=1),
        "Dv": lambda: _square(mixed(e)).mean(axis=1),
        "V": lambda: (w**2 * _square(e)).sum(axis=2).mean(axis=1),
        "V3": lambda: (w**2 * v3).sum(axis=2).mean(axis=1),
        "S": lambda: (w**2).sum(axis=2).max(axis=1),
        "sigma2": lambda: _square(u).max(axis=1),
        "N3": lambda: _square(whole[:, None] - mixed(h)).mean(axis=1),
        "M": lambda: _square(np.einsum("nk,nkd->nd", p - w0, began)),
        "R": lambda: _square(mixed(began[:, None] - h)).mean(axis=1),
        "Rmin": lambda: _square(mixed(began[:, None] - h)).min(axis=1),
        "squares_sum": lambda: _square(began).sum(axis=1),
        "gap2": lambda: ((p - w0) ** 2).sum(axis=1),
        "W_D": lambda: 2 * n_clients * ((p[:, None] - w) ** 2).sum(axis=2).max(axis=1),
        "N4": lambda: (w * _square(began[:, None] - h)).sum(axis=2).mean(axis=1),
        "D0": lambda: _square(began[:, None, 0] - h[:, :, 0]).mean(axis=1),
        "Sn": lambda: _square(noise_sum).mean(axis=1),
        "G0": lambda: _square(began[:, 0]),
        "NG": lambda: (w0 * _square(began)).sum(axis=1),
        "bias": lambda: _square(e[:, :, 0].mean(axis=1)),
        "wander": lambda: _square(h[:, :, 0] - h[:, :1, 0]).max(axis=1),
        "W1": lambda: w0.sum(axis=1),
        "C": lambda: 2 * tau * (tau - 1) * eta**2 * L**2,
        "K": lambda: np.full(len(p), float(n_clients)),
        "r": lambda: x["r"],
        "tau": lambda: np.full(len(p), float(tau)),
        "eta": lambda: eta,
        "L": lambda: L,
        "LX": lambda: L**2 * total["X"].mean(axis=1),
    }
    seen = {name: total[name].mean(axis=1) if name in total else found[name]() for name in want - set(leaning)}
    scale = (top + _square(u).max(axis=1)) * (tau * (1 + np.abs(w).sum(axis=2).max(axis=1))) ** 2
    size = np.abs(m).max(axis=(1, 2)) + np.abs(start).max(axis=1) + eta * tau * np.sqrt(top)
    far = set(seen) if close else {"bias", "wander", "N3", "M"} & set(seen)
    sizes = {**dict.fromkeys(far, scale), **({"fall": L * size**2} if "fall" in seen else {})}
    met = (L > 0) & (x["step"] <= reach * (1 + 1e-9)) & np.isfinite(leaning.get("B", L))
    return {**seen, **leaning, "admissible": met, **({"sizes": sizes} if sizes else {})}


def _dissimilarity(x: Instance, began: Any, whole: Any, p: Any, everywhere: bool) -> dict[str, Any]:
    """A and B of A.4, at the start of the round or, for quadratics on the line, everywhere; B for the mean form."""
    A, squares = x["A"], _square(began)
    if not everywhere:
        missing = np.maximum((squares - A[:, None] * _square(whole)[:, None]).max(axis=1), 0)
        missing_mean = np.maximum((p * squares).sum(axis=1) - A * _square(whole), 0)
        return {"A": A, "B": missing + x["extra"], "B_mean": missing_mean + x["extra"]}
    h, m = x["curvature"][:, :, 0], x["optimum"][:, :, 0]
    H = (p * h).sum(axis=1)
    best = (p * h * m).sum(axis=1) / H
    lean, pull = h / H[:, None], h * (best[:, None] - m)
    A = (lean**2).max(axis=1) * (1 + A)
    B = (pull**2 * A[:, None] / (A[:, None] - lean**2)).max(axis=1) + x["extra"]
    return {"A": A, "B": np.where(1e-3 * np.abs(h).max(axis=1) < H, B, np.inf), "B_mean": B}


def round_exact(
    x: Mapping[str, Any],
    *,
    asked: tuple[str, ...],
    tau: int,
    noisy: bool,
    weights: str = "simplex",
    sees: int = 0,
    coins: int = 0,
    reach: float = 1.0,
    everywhere: bool = False,
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Local SGD of every client on every sign pattern; expectations are plain means over the patterns."""
    K, d, r = len(x["share"]), len(x["start"]), int(x.get("r", 0))
    clients, axes, steps, zero = range(K), range(d), range(tau), Fraction(0)
    m, p, start = x["optimum"], x["share"], x["start"]
    high, low = x["curvature"], x["curvature"] if everywhere else x["bend"]
    L = max(max(abs(v) for v in [*high[k], *low[k]]) for k in clients)
    eta = x["step"] / (2 * tau * L)

    def slope(k: int, j: int, at: Any) -> Any:
        return (high[k][j] if at >= m[k][j] else low[k][j]) * (at - m[k][j])

    def norm(v: Any) -> Any:
        return sum((y * y for y in v), zero)

    def loss(at: Any) -> Any:
        return sum(p[k] * slope(k, j, at[j]) * (at[j] - m[k][j]) / 2 for k in clients for j in axes)

    places = [(k, s) for k in clients for s in steps]
    if len(places) > 6:
        places = [places[i] for i in sorted({i * (len(places) - 1) // 5 for i in range(6)})]
    coin_of = {(k, s): (0 if coins == 1 else k, 0 if coins == 2 else s) for k, s in places} if noisy else {}
    tossed = list(dict.fromkeys(coin_of.values()))
    fixed = list(p if weights == "shares" else x["weights"])
    if weights == "sum one":
        fixed = [*fixed[:-1], 1 - sum(fixed[:-1])]
    began = [[slope(k, j, start[j]) for j in axes] for k in clients]
    whole = [sum(p[k] * began[k][j] for k in clients) for j in axes]

    still = not {*asked} - {
        "G",
        "M",
        "squares_sum",
        "gap2",
        "A",
        "B",
        "B_mean",
        "G0",
        "NG",
        "W1",
        "C",
        "K",
        "tau",
        "eta",
        "L",
    }
    walks: dict[Any, Any] = {}

    def alone(k: int, signs: tuple[int, ...]) -> Any:
        """The steps of a client under its own signs: models, slopes, noise, its last model, and the means of both."""
        if (k, signs) not in walks:
            model, track, full, noise = list(start), [], [], []
            for s in steps:
                track.append(model)
                full.append([slope(k, j, model[j]) for j in axes])
                sway = 1 + x["sway"] * (model if tau <= 4 else start)[0] ** 2
                noise.append([signs[s] * x["noise"][k][j] / sway for j in axes])
                model = [model[j] - eta * (full[s][j] + noise[s][j]) for j in axes]
            means = [[sum(f[j] for f in several) / tau for j in axes] for several in (full, noise)]
            walks[k, signs] = track, full, noise, model, *means
        return walks[k, signs]

    def walk(path: int) -> dict[str, Any]:
        if still:
            return {"w": fixed, "ends": start}
        up = {coin: -1 if (path >> i) & 1 else 1 for i, coin in enumerate(tossed)}
        watched = (0, tau - 1) if sees == 2 else (K - 1, 0)
        w = list(x["other"]) if sees and up.get((0, 0), 1) < 0 and up.get(watched, 1) < 0 else fixed
        signs = [tuple(up[coin_of[(k, s)]] if (k, s) in coin_of else 0 for s in steps) for k in clients]
        tracks, fulls, noises, ends, h, e = zip(*(alone(k, signs[k]) for k in clients), strict=True)
        mh = [sum(w[k] * h[k][j] for k in clients) for j in axes]
        me = [sum(w[k] * e[k][j] for k in clients) for j in axes]

        def off() -> Any:
            return norm([sum(w[k] * (began[k][j] - h[k][j]) for k in clients) for j in axes])

        def drift(k: int) -> Any:
            return norm([began[k][j] - h[k][j] for j in axes])

        def away(s: int) -> Any:
            return norm([a - b for a, b in zip(tracks[0][s], start, strict=True)])

        def virtual(s: int) -> Any:
            return norm([sum(w[k] * tracks[k][s][j] for k in clients) - sum(w) * start[j] for j in axes])

        def so_far(several: Any) -> Any:
            return [sum((v[j] for v in several[:r]), zero) for j in axes]

        found: dict[str, Callable[[], Any]] = {
            "fall": lambda: loss([sum(w[k] * ends[k][j] for k in clients) for j in axes]) - loss(start),
            "N1": lambda: sum(whole[j] * (mh[j] + me[j]) for j in axes),
            "N1h": lambda: sum(whole[j] * mh[j] for j in axes),
            "N2": lambda: norm([a + b for a, b in zip(mh, me, strict=True)]),
            "Q": lambda: norm(mh),
            "Dv": lambda: norm(me),
            "V": lambda: sum(w[k] ** 2 * norm(e[k]) for k in clients),
            "V3": lambda: sum(w[k] ** 2 * norm(n) for k in clients for n in noises[k]) / tau**2,
            "N3": lambda: norm([a - b for a, b in zip(whole, mh, strict=True)]),
            "R": off,
            "N4": lambda: sum(w[k] * drift(k) for k in clients),
            "D0": lambda: drift(0),
            "D1": lambda: sum(norm([a - b for a, b in zip(f, began[0], strict=True)]) for f in fulls[0]) / tau,
            "X": lambda: sum(away(s) for s in steps) / tau,
            "LX": lambda: L**2 * sum(away(s) for s in steps) / tau,
            "Xbar": lambda: sum(virtual(s) for s in steps) / tau,
            "N5": lambda: away(r),
            "Sn": lambda: norm(so_far(noises[0])),
            "Snn": lambda: sum((norm(n) for n in noises[0][:r]), zero),
            "N6": lambda: sum(norm(f) for f in fulls[0]),
            "Gr": lambda: norm(fulls[0][r]),
        }
        found |= {"Rmin": off, "wander": lambda: h[0], "bias": lambda: e[0], "w": lambda: w, "ends": lambda: ends}
        return {name: found[name]() for name in (*asked, "w", "ends") if name in found}

    walked = [walk(path) for path in range(1 if still else 2 ** len(tossed))]
    mean = {
        n: sum((v[n] for v in walked), zero) / len(walked)
        for n in walked[0]
        if n not in {"w", "ends", "Rmin", "wander", "bias"}
    }
    seen: dict[Any, Any] = {}
    consistent = not sees or all(seen.setdefault(str(v["ends"]), v["w"]) == v["w"] for v in walked)
    chosen = list({tuple(v["w"]): v["w"] for v in walked}.values()) if sees else [fixed]
    bias = [sum((v["bias"][j] for v in walked), zero) / len(walked) for j in axes] if "bias" in asked else []
    first: Any = walked[0].get("wander", [])
    sizes, G = [norm(g) for g in began], norm(whole)
    A, met4 = x["A"], True
    B = max([zero, *(s - A * G for s in sizes)]) + x["extra"]
    B_mean = max(zero, sum(a * s for a, s in zip(p, sizes, strict=True)) - A * G) + x["extra"]
    if everywhere:
        H = sum(p[k] * high[k][0] for k in clients)
        best = sum(p[k] * high[k][0] * m[k][0] for k in clients) / H
        lean, pull = [high[k][0] / H for k in clients], [high[k][0] * (best - m[k][0]) for k in clients]
        A = max(v * v for v in lean) * (1 + x["A"])
        B = B_mean = max(pull[k] ** 2 * A / (A - lean[k] ** 2) for k in clients) + x["extra"]
        met4 = H > 0 and all(lean[k] ** 2 < A and pull[k] ** 2 * A <= B * (A - lean[k] ** 2) for k in clients)
    constants = {
        "G": G,
        "M": norm([sum((p[k] - fixed[k]) * began[k][j] for k in clients) for j in axes]),
        "Rmin": min((v["Rmin"] for v in walked if "Rmin" in v), default=zero),
        "S": max(norm(w) for w in chosen),
        "sigma2": max(norm(u) for u in x["noise"]) * (1 if noisy else 0),
        "squares_sum": sum(sizes, zero),
        "gap2": norm([a - b for a, b in zip(p, fixed, strict=True)]),
        "A": A,
        "B": B,
        "B_mean": B_mean,
        "W_D": 2 * K * max(norm([a - b for a, b in zip(p, w, strict=True)]) for w in chosen),
        "G0": sizes[0],
        "NG": sum(fixed[k] * sizes[k] for k in clients),
        "bias": norm(bias),
        "wander": max(norm([a - b for a, b in zip(v.get("wander", first), first, strict=True)]) for v in walked),
        "W1": sum(fixed),
        "C": 2 * tau * (tau - 1) * eta**2 * L**2,
        "K": Fraction(K),
        "r": Fraction(r),
        "tau": Fraction(tau),
        "eta": eta,
        "L": L,
    }
    simplex = weights != "simplex" or (sum(fixed) == 1 and min(fixed) >= 0)
    hypotheses = {
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "weights as the reading asks": simplex and (weights != "positive" or min(fixed) > 0),
        "weights a function of the local models": consistent,
        "eta L <= reach/(2 tau)": eta > 0 and x["step"] <= Fraction(str(reach)),
        "A.4 for every k": met4 and (everywhere or all(s <= A * G + B for s in sizes)),
        "A, B > 0": min(A, B) > 0,
    }
    return hypotheses, {name: value for name, value in {**mean, **constants}.items() if name in asked}


_UNITS = units(
    {
        **dict.fromkeys(("curvature", "bend"), (1, -2)),
        **dict.fromkeys(("optimum", "start"), (0, 1)),
        "noise": (1, -1),
        "sway": (0, -2),
        "extra": (2, -2),
    }
)
_PERMUTED = permuted_clients(dict.fromkeys(("curvature", "bend", "optimum", "share", "weights", "noise"), 0))
_ON = {
    "noise": Mechanism("noise", (), always),
    "steps": Mechanism("several local steps", (), always),
    "seen": Mechanism("weights that have seen samples", (), always),
}


def _round(n_clients: int, d: int, tau: int, noisy: bool, close: bool, chosen: Mapping[str, Any]) -> Case:
    weights, sees, reach = chosen.get("weights", "simplex"), chosen.get("sees", 0), chosen.get("reach", 1.0)
    everywhere = chosen.get("everywhere", False)
    drawn: dict[str, Coordinate] = {
        "simplex": Simplex("weights", n_clients),
        "positive": LogScale("weights", 1e-2, 1e1, (n_clients,)),
    }
    curved = LogScale("curvature", 1e-2, 1e1, (n_clients, d), at=(1e-2, 1.0, 1e1))
    by_step = bool(_BY_STEP & set(chosen["asked"]))
    space = Space(
        (
            curved if everywhere else Signed("curvature", 1e-2, 1e1, (n_clients, d)),
            Signed("bend", 1e-2, 1e1, (n_clients, d)),
            Signed("optimum", 1e-2, 1e1, (n_clients, d)),
            Signed("start", 1e-2, 1e1, (d,)),
            Simplex("share", n_clients),
            *((drawn.get(weights, Signed("weights", 1e-2, 1e1, (n_clients,))),) if weights != "shares" else ()),
            *((Simplex("other", n_clients),) if sees else ()),
            Signed("noise", 1e-2, 1e1, (n_clients, d)),
            Choice("sway", (0.0, 1.0)),
            LogScale("step", 1e-3, reach, at=(1.0, reach) if reach > 1 else (reach,)),
            LogScale("A", 1e-2, 1e2, at=(1.0,)),
            LogScale("extra", 1e-6, 1e0),
            *((Choice("r", tuple(float(s) for s in range(tau))),) if by_step else ()),
        )
    )
    work = (64 if noisy and n_clients * tau >= 6 else 2 ** (n_clients * tau * noisy)) * n_clients * tau * d
    # Where not every place is noisy, or one client or coin stands out, the clients may not change places.
    alike = not _OF_FIRST & set(chosen["asked"]) and weights != "sum one" and not sees and not chosen.get("coins")
    return case(
        f"{n_clients} clients, d = {d}, τ = {tau}" + (", noise" if noisy else ""),
        space,
        partial(round_paths, close=close),
        round_exact,
        cost=max(1.0, work / 2000),
        symmetries=(_UNITS, _PERMUTED) if alike and n_clients * tau <= 6 else (_UNITS,),
        mechanisms=tuple(_ON[k] for k, on in (("noise", noisy), ("steps", tau > 1), ("seen", sees)) if on),
        tau=tau,
        noisy=noisy,
        **chosen,
    )


def _cases(large: bool, close: bool, chosen: Mapping[str, Any]) -> tuple[Case | Family, ...]:
    """Small noisy rounds, and families of large ones with little noise or none."""
    sizes: tuple[tuple[int, int, int], ...] = ((1, 1, 1), (2, 1, 1), (1, 1, 2), (2, 1, 2), (1, 2, 3), (3, 2, 2))
    small = tuple(_round(*size, True, close, chosen) for size in sizes)
    if chosen.get("coins") == 1:  # with two clients σ²Σw² >= σ²/2 may still cover a noise that all share
        small = (
            *small,
            *(_round(K, 1, 1, True, close, {**chosen, "weights": w}) for w in ("simplex", "shares") for K in (3, 6)),
        )
    if chosen.get("everywhere"):  # noise only adds slack: mostly without it, on two clients
        return tuple(_round(2, 1, tau, noisy, close, chosen) for tau, noisy in ((1, False), (2, False), (1, True)))
    if not large:
        return small

    def at(noisy: bool) -> Any:
        return lambda K, d, tau: _round(int(K), int(d), int(tau), noisy, close, chosen)

    wide = Size("d", 1, 8, 1)
    quiet = (Size("K", 1, 300, 2), wide, Size("tau", 1, 300, 3))
    some = (Size("K", 1, 30, 2), wide, Size("tau", 1, 30, 3))
    return (*small, Family("no noise", quiet, at(False)), Family("noise at six places", some, at(True)))


def of_round(
    says: Le | Eq, *where: Le, large: bool = True, more: tuple[Case | Family, ...] = (), **chosen: Any
) -> Inequality | Identity:
    """What is said of one round, under hypotheses; only the letters of both are observed.

    `chosen`: `weights`, `sees`, `coins`, `reach` (ηL up to reach/(2τ)) and `everywhere`, as `round_paths` has them;
    `large`: families of large rounds too; `more`: further cases that observe the same letters.
    """
    letters = sp.Tuple(*(side for said in (says, *where) for side in (said.left, said.right))).free_symbols
    asked = tuple(sorted(str(s) for s in letters))
    cases = _cases(large, isinstance(says, Eq), {"asked": asked, **chosen})
    return World(NOTATION, (*cases, *more), where).test(says)
