"""One round of FedSSA along every path of its noise: the expectations that (14) to (53) of the proof are made of.

Clients are ½c(x − m)² in every coordinate, with one curvature to the right of m and another to the left, of either sign.
Noise is ±u_k/(1 + sway·x₁²) at up to six places (client, local step), each sign fair, so that every path can be walked;
x is the local model where a round has at most four steps, else its start.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from validation import Instance

__all__ = ["DEGREES", "NAMES", "round_paths"]

_SQUARED = [
    "G",
    "N1",
    "N1h",
    "N2",
    "Q",
    "Dv",
    "V",
    "V3",
    "sigma2",
    "N3",
    "M",
    "R",
    "Rmin",
    "squares_sum",
    "B",
    "B_mean",
    "N4",
    "D0",
    "D1",
    "Sg",
    "Sn",
    "Snn",
    "Sh",
    "Shh",
    "N6",
    "G0",
    "Gr",
    "Dr",
    "NG",
    "bias",
    "wander",
    "LX",
]
DEGREES: dict[str, tuple[int, int]] = {
    **dict.fromkeys(_SQUARED, (2, -2)),
    **dict.fromkeys(["S", "gap2", "W1", "A", "W_D", "C", "K", "r", "tau"], (0, 0)),
    **dict.fromkeys(["X", "N5", "Xbar"], (0, 2)),
    "fall": (1, 0),
    "eta": (-1, 2),
    "L": (1, -2),
}
NAMES = sorted(DEGREES)


def _signs(n_clients: int, tau: int, coins: int, noisy: float) -> Any:
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


def round_paths(x: Instance) -> Mapping[str, Any]:
    """Every expectation of one round; client 0 is the k of (32) to (49)."""
    right, left, m, p, start = x["curvature"], x["bend"], x["optimum"], x["share"], x["start"]
    tau, n_clients, noisy = int(x["tau"][0]), right.shape[1], x["noisy"][0]
    if x["everywhere"][0]:
        left = right

    def gradient(at: Any) -> Any:
        away = at - m[:, None]
        return np.where(away >= 0, right[:, None], left[:, None]) * away

    def loss(at: Any) -> Any:
        return 0.5 * np.einsum("nk,npkd,npkd->np", p, gradient(at), at - m[:, None])

    signs = _signs(n_clients, tau, int(x["coins"][0]), noisy)
    n_paths = len(signs)
    w0 = x["weights"]
    if x["kind"][0] == 2:
        w0 = np.concatenate([w0[:, :-1], 1 - w0[:, :-1].sum(axis=1, keepdims=True)], axis=1)
    other = signs[:, 0, -1] if x["sees"][0] == 2 else signs[:, -1, 0]
    seen = np.maximum(signs[:, 0, 0], other) < (0.0 if x["sees"][0] else -1.0)
    w = np.where(seen[None, :, None], x["other"][:, None], w0[:, None])
    L = np.maximum(np.abs(right), np.abs(left)).max(axis=(1, 2))
    eta = x["step"] / (2 * tau * L)
    began = gradient(start[:, None, None] + np.zeros_like(m)[:, None])[:, 0]
    whole = np.einsum("nk,nkd->nd", p, began)
    u = x["noise"] * noisy
    moved = np.zeros((len(p), n_paths, *m.shape[1:]))
    here = start[:, None, None] + moved
    h, e, v3 = np.zeros_like(moved), np.zeros_like(moved), np.zeros(moved.shape[:3])
    shape = (len(p), n_paths)
    names = ["D1", "X", "N6", "Snn", "Shh", "N5", "Gr", "Dr", "Xbar"]
    total = {name: np.zeros(shape) for name in names}
    noise_sum, full_sum = np.zeros((*shape, m.shape[2])), np.zeros((*shape, m.shape[2]))
    top = np.zeros(len(p))
    for s in range(tau):
        at = start[:, None, None] + moved
        full = gradient(at)
        place = at[..., 0] if tau <= 4 else here[..., 0]
        noise = signs[None, :, :, s, None] * u[:, None] / (1 + x["sway"][:, None, None] * place**2)[..., None]
        h, e, v3 = h + full / tau, e + noise / tau, v3 + _square(noise) / tau**2
        before, now = np.greater(x["r"], s)[:, None], np.equal(x["r"], s)[:, None]
        gone, own = _square(moved[:, :, 0]), _square(full[:, :, 0])
        change = _square(full[:, :, 0] - began[:, None, 0])
        more = {
            "D1": change / tau,
            "X": gone / tau,
            "N6": own,
            "Snn": before * _square(noise[:, :, 0]),
            "Shh": before * own,
            "N5": now * gone,
            "Gr": now * own,
            "Dr": now * change,
            "Xbar": _square(np.einsum("npk,npkd->npd", w, moved)) / tau,
        }
        total = {name: total[name] + more[name] for name in names}
        noise_sum, full_sum = (
            noise_sum + before[..., None] * noise[:, :, 0],
            full_sum + before[..., None] * full[:, :, 0],
        )
        top = np.maximum(top, _square(full).max(axis=(1, 2)))
        moved = moved - eta[:, None, None, None] * (full + noise)
    mixed_h, mixed_e = (np.einsum("npk,npkd->npd", w, y) for y in (h, e))
    drift = _square(began[:, None] - h)
    off = _square(np.einsum("npk,npkd->npd", w, began[:, None] - h))
    end = np.einsum("npk,npkd->npd", w, start[:, None, None] + moved)[:, :, None]
    A, B, B_mean = _dissimilarity(x, began, whole, p)
    sigma2 = _square(u).max(axis=1)
    k = {
        **{name: value.mean(axis=1) for name, value in total.items()},
        "G": _square(whole),
        "fall": (loss(end + np.zeros_like(moved)) - loss(here)).mean(axis=1),
        "N1": ((mixed_h + mixed_e) * whole[:, None]).sum(axis=-1).mean(axis=1),
        "N1h": (mixed_h * whole[:, None]).sum(axis=-1).mean(axis=1),
        "N2": _square(mixed_h + mixed_e).mean(axis=1),
        "Q": _square(mixed_h).mean(axis=1),
        "Dv": _square(mixed_e).mean(axis=1),
        "V": (w**2 * _square(e)).sum(axis=2).mean(axis=1),
        "V3": (w**2 * v3).sum(axis=2).mean(axis=1),
        "S": (w**2).sum(axis=2).max(axis=1),
        "sigma2": sigma2,
        "N3": _square(whole[:, None] - mixed_h).mean(axis=1),
        "M": _square(np.einsum("nk,nkd->nd", p - w0, began)),
        "R": off.mean(axis=1),
        "Rmin": off.min(axis=1),
        "squares_sum": _square(began).sum(axis=1),
        "gap2": ((p - w0) ** 2).sum(axis=1),
        "A": A,
        "B": B,
        "B_mean": B_mean,
        "W_D": 2 * n_clients * ((p[:, None] - w) ** 2).sum(axis=2).max(axis=1),
        "N4": (w * drift).sum(axis=2).mean(axis=1),
        "D0": drift[:, :, 0].mean(axis=1),
        "Sg": _square(noise_sum + full_sum).mean(axis=1),
        "Sn": _square(noise_sum).mean(axis=1),
        "Sh": _square(full_sum).mean(axis=1),
        "G0": _square(began[:, 0]),
        "NG": (w0 * _square(began)).sum(axis=1),
        "bias": _square(e[:, :, 0].mean(axis=1)),
        "wander": _square(h[:, :, 0] - h[:, :1, 0].repeat(n_paths, axis=1)).max(axis=1),
        "W1": w0.sum(axis=1),
        "C": 2 * tau * (tau - 1) * eta**2 * L**2,
        "K": np.full(len(p), float(n_clients)),
        "r": x["r"],
        "tau": x["tau"],
        "eta": eta,
        "L": L,
    }
    k["LX"] = L**2 * k["X"]
    one, two = NAMES[int(x["left"][0])], NAMES[int(x["minus"][0])]
    size = np.abs(m).max(axis=(1, 2)) + np.abs(start).max(axis=1) + eta * tau * np.sqrt(top)
    scale = (top + sigma2) * (tau * (1 + np.abs(w).sum(axis=2).max(axis=1))) ** 2
    lhs = k[one] if one == two else np.abs(k[one] - k[two])
    met = k["C"] < 1 if x["settled"][0] else np.isfinite(L)
    met = met & ((k["A"] <= 1) | (x["small_A"] == 0))
    magnitude = L * size**2 if one == "fall" else scale if one != two or one in ("bias", "wander", "N3", "M") else 0 * L
    return {**k, "lhs": lhs, "magnitude": magnitude, "admissible": met & np.isfinite(B)}


def _dissimilarity(x: Instance, began: Any, whole: Any, p: Any) -> tuple[Any, Any, Any]:
    """(A, B) of A.4, at the start of the round or, for quadratics on the line, everywhere; B for the mean form."""
    A = x["A"]
    squares = _square(began)
    missing = np.maximum((squares - A[:, None] * _square(whole)[:, None]).max(axis=1), 0)
    missing_mean = np.maximum((p * squares).sum(axis=1) - A * _square(whole), 0)
    if not x["everywhere"][0]:
        return A, missing + x["extra"], missing_mean + x["extra"]
    h, m = x["curvature"][:, :, 0], x["optimum"][:, :, 0]
    H = (p * h).sum(axis=1)
    best = (p * h * m).sum(axis=1) / H
    lean, pull = h / H[:, None], h * (best[:, None] - m)
    A = (lean**2).max(axis=1) * (1 + A)
    B = (pull**2 * A[:, None] / (A[:, None] - lean**2)).max(axis=1) + x["extra"]
    return A, np.where(1e-3 * np.abs(h).max(axis=1) < H, B, np.inf), B
