"""EFL-E4 and E5: local steps on the elastic objective, and the residuals of error feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from paper_checks.efl.ternary_sparse import sparse_exact
from theory.compression import TernarySparse, error_feedback
from validation import (
    Canary,
    Choice,
    Claim,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Size,
    Uniform,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _step_coordinates(s: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-2, 1.0, (3,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (3,)),
        Uniform("fisher", 0.0, 1.0, (3,)),
        Signed("anchor", 1e-1, 1e1, (3,)),
        LogScale("elastic", 1e-2, 1e1, at=(1.0,)),
        Signed("start", 1e-1, 1e1),
        Signed("noise", 1e-1, 1e1, (s,)),
        LogScale("length", 1e-2, 1.0, at=(1.0,)),
        Choice("steps", (float(s),)),
    )


def _local(x: Instance) -> Mapping[str, Any]:
    """|s steps of (4), averaged over noise ±n, − closed form| of client 0 with the elastic term."""
    pull = x["elastic"] * x["fisher"].sum(axis=1)
    h = x["curvature"][:, 0]
    stiff, s = h + pull, int(x["steps"][0])
    aim = (h * x["optimum"][:, 0] + x["elastic"] * (x["fisher"] * x["anchor"]).sum(axis=1)) / stiff
    eta = x["length"] / stiff
    end = aim + (1 - x["length"]) ** s * (x["start"] - aim)
    mean = np.zeros_like(end)
    for sign in (1.0, -1.0):
        w = x["start"]
        for j in range(s):
            hold = x["elastic"] * (x["fisher"] * (w[:, None] - x["anchor"])).sum(axis=1)
            g = h * (w - x["optimum"][:, 0]) + (0.0 if "bare" in x else hold)
            w = w - eta * (g + sign * stiff * x["noise"][:, j])
        mean = mean + w / 2
    size = np.abs(x["optimum"]).max(axis=1) + np.abs(x["anchor"]).max(axis=1) + np.abs(x["start"])
    return {"lhs": np.abs(mean - end), "magnitude": 10 * (size + np.abs(x["noise"]).max(axis=1))}


def local_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """s steps of (4) on the elastic objective, with noise n_j and with -n_j, against the gradient flow of its quadratic."""
    h, m, lam, s = x["curvature"][0], x["optimum"][0], x["elastic"], int(x["steps"])
    stiff = h + lam * sum(x["fisher"])
    aim = h * m + lam * sum(i * a for i, a in zip(x["fisher"], x["anchor"], strict=True))
    eta, ends = x["length"] / stiff, []
    for sign in (1, -1):
        w = x["start"]
        for j in range(s):
            hold = lam * sum(i * (w - a) for i, a in zip(x["fisher"], x["anchor"], strict=True))
            g = h * (w - m) + (0 if "bare" in x else hold) + sign * stiff * x["noise"][j]
            w = w - eta * g
        ends.append(w)
    end = aim / stiff + (1 - x["length"]) ** s * (x["start"] - aim / stiff)
    return {"0 < eta (h + lambda sum I) <= 1": 0 < x["length"] <= 1}, {"lhs": abs(sum(ends) / 2 - end)}


def _local_steps(*flags: str) -> Property:
    lengths = dict.fromkeys(("optimum", "anchor", "start", "noise"), (0, 1))
    return drawn(
        "local steps",
        _step_coordinates,
        _local,
        local_exact,
        sizes=(Size("s", 1, 60, 3),),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({**lengths, "curvature": (1, -2), "elastic": (1, -2)}),),
        degrees=(0, 1),
    )


E4 = Claim(
    id="EFL-E4",
    kind=Kind.PROPERTY,
    source="Eq. (4), Sec. 3.1",
    title="Local SGD step",
    statement=r"\omega_{\tau E+j+1}^k=\omega_{\tau E+j}^k-\eta_\tau g_{\tau E+j}^k,\qquad\mathbb E_\xi g=\nabla\widetilde F_k",
    says="On average s steps follow full gradients of the elastic objective.",
    assumes=("quadratic risk, so that noise of mean 0 averages out; here ±n at each step", "0 < η(h + λΣI) <= 1"),
    readings=(Reading("s steps", "Mean end point against the closed form of gradient descent on F̃ₖ.", _local_steps()),),
    canaries=(
        Canary("elastic gradient left out", _local_steps("bare"), "the steps then tend to the client's own optimum"),
    ),
    depends_on=("EFL-E2",),
    verdict_words=(
        "The usual step, with the gradient of the elastic objective; to be stable it needs η below 2/(h + λΣIᵢ), which "
        "shrinks as clients are added (EFL-E2)."
    ),
)


def _feed(T: int, d: int) -> Sequence[Coordinate]:
    return (
        Signed("update", 1e-1, 1e1, (T, d)),
        Uniform("present", 0.0, 1.0, (T,)),
        LogScale("keep", 1e-2, 1.0, at=(0.3, 1.0)),
    )


def _telescoped(x: Instance) -> Mapping[str, Any]:
    """max |Σ sent + R_T − Σ updates of the rounds taken part in|, ST on d entries with k = max(⌊dq⌋, 1)."""
    update, (n, n_rounds, d) = x["update"], x["update"].shape
    residual, sent, done = np.zeros((n, d)), np.zeros((n, d)), np.zeros((n, d))
    counts = np.maximum(np.floor(d * x["keep"] + 1e-9), 1).astype(int)
    size = np.abs(update).sum(axis=(1, 2))
    for r in range(n_rounds):
        on = (x["present"][:, r] >= 0.5)[:, None]
        fresh, told = np.zeros((n, d)), np.zeros((n, d))
        for k in np.unique(counts):
            at = counts == k
            fresh[at], told[at] = error_feedback(residual[at], update[at, r], TernarySparse(k / d, rounding="round"))
        if "fresh" in x:
            fresh = fresh - residual
        residual, sent, done = np.where(on, fresh, residual), sent + on * told, done + on * update[:, r]
        size = size + np.abs(told).max(axis=1) + np.abs(residual).max(axis=1)
    return {"lhs": np.abs(sent + residual - done).max(axis=1), "magnitude": 10 * size}


def telescoped_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum of ST(R + x) plus the last R against the sum of x over the rounds taken part in; R unchanged otherwise."""
    d = len(x["update"][0])
    k = max(int(d * x["keep"]), 1)
    residual, sent, done = [Fraction(0)] * d, [Fraction(0)] * d, [Fraction(0)] * d
    for update, present in zip(x["update"], x["present"], strict=True):
        if present < Fraction(1, 2):
            continue
        whole = [r + u for r, u in zip(residual, update, strict=True)]
        told = sparse_exact(whole, k)
        start = residual if "fresh" in x else [Fraction(0)] * d
        residual = [w - t - s for w, t, s in zip(whole, told, start, strict=True)]
        sent = [s + t for s, t in zip(sent, told, strict=True)]
        done = [s + u for s, u in zip(done, update, strict=True)]
    lhs = max(abs(s + r - u) for s, r, u in zip(sent, residual, done, strict=True))
    return {"0 < q <= 1": 0 < x["keep"] <= 1}, {"lhs": lhs}


def _feedback(*flags: str) -> Property:
    return drawn(
        "error feedback",
        _feed,
        _telescoped,
        telescoped_exact,
        sizes=(Size("T", 1, 30, 4), Size("d", 1, 20, 4)),
        uses=(sparse_exact,),
        flags=dict.fromkeys(flags, 1.0),
        same=(units({"update": (0, 1)}),),
        degrees=(0, 1),
    )


E5 = Claim(
    id="EFL-E5",
    kind=Kind.IDENTITY,
    source="Eq. (5), Sec. 3.1; Algorithm 1",
    title="Client residual",
    statement=(
        r"R_{\tau E}^k=\Delta\omega_{\tau E}^k-ST(\Delta\omega_{\tau E}^k),\qquad"
        r"\Delta\omega_{\tau E}^k=R_{(\tau-1)E}^k+\omega_{\tau E+s}^k-\omega_{\tau E}^k"
    ),
    says="Over any number of rounds what was sent plus the last residual is all that was computed: nothing is lost or counted twice.",
    assumes=("ST with k = max(⌊nq⌋, 1) on vectors of up to 20 entries", "an absent client keeps its residual"),
    readings=(Reading("rounds present and absent", "Σ ST(Δω) + R_T = Σ (ω_s − ω).", _feedback()),),
    canaries=(
        Canary("previous residual not carried over", _feedback("fresh"), "what the last round cut off is then lost"),
    ),
    depends_on=("EFL-ALG2",),
    verdict_words=(
        "The recursion telescopes for any compressor: no part of an update is lost, it is only sent later. This bounds nothing; "
        "whether R stays bounded depends on ST (EFL-ALG2)."
    ),
)

CLAIMS: tuple[Claim, ...] = (E4, E5)
