"""SSA-D2, SSA-D3, SSA-D4: the constants W_D and C of Theorem A.5, and the sign of its denominator."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.quantities import weight_discrepancy
from theory.quantities.fedssa_terms import drift_constant, ssa_denominator
from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Integer,
    LogScale,
    Property,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    symbols,
)
from validation.statement.says import identity
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Checked = tuple[Mapping[str, bool], Mapping[str, Fraction]]
K, W_D, tau = symbols("K W_D tau")
_PURE = dict.fromkeys(("K", "W_D", "tau"), (0, 0))


def _weights(x: Instance) -> Mapping[str, Any]:
    """`of` 0: the largest (pₖ − wₖ)², 1: W_D; with K and W_D."""
    p, w = x["share"], x["weights"]
    gap = weight_discrepancy(w, p)
    lhs = gap if x["of"][0] else ((p - w) ** 2).max(axis=1)
    return {"lhs": lhs, "K": np.full(len(p), float(p.shape[1])), "W_D": gap, "magnitude": np.ones(len(p))}


def weights_exact(x: Mapping[str, Any]) -> Checked:
    """Largest (p_k - w_k)^2 or W_D = 2 K sum (p_k - w_k)^2, K and W_D."""
    p, w = x["share"], x["weights"]
    squares = [(a - b) ** 2 for a, b in zip(p, w, strict=True)]
    gap = 2 * len(p) * sum(squares)
    met = {"p and w on the simplex": sum(p) == sum(w) == 1 and min([*p, *w]) >= 0}
    return met, {"lhs": gap if x["of"] else max(squares), "K": Fraction(len(p)), "W_D": gap}


def _split(x: Instance) -> Mapping[str, Any]:
    """|W_D − W_D after client 1 was split in two halves|."""
    p, w = x["share"], x["weights"]
    halves = [np.concatenate([v[:, :1] / 2, v[:, :1] / 2, v[:, 1:]], axis=1) for v in (w, p)]
    return {"lhs": np.abs(weight_discrepancy(w, p) - weight_discrepancy(*halves)), "magnitude": np.ones(len(p))}


def split_exact(x: Mapping[str, Any]) -> Checked:
    """|W_D - W_D with client 1 replaced by two halves|."""
    squares = [(a - b) ** 2 for a, b in zip(x["share"], x["weights"], strict=True)]
    n = len(squares)
    after = 2 * (n + 1) * (squares[0] / 2 + sum(squares[1:]))
    met = {"p and w on the simplex": sum(x["share"]) == sum(x["weights"]) == 1}
    return met, {"lhs": abs(2 * n * sum(squares) - after)}


def _pairs(name: str, of: float, measure: Any = _weights, exact: Any = weights_exact) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = Space((Simplex("share", n), Simplex("weights", n), Choice("of", (of,))))
        same = (permuted_clients({"share": 0, "weights": 0}),)
        return Case(f"{name}, {n} clients", drawn, measure, ExactCheck(exact), cost=max(1.0, n / 40), symmetries=same)

    return Family(name, (Size("K", 1, 300, 3),), at)


def parts_again(K: Any, W_D: Any) -> Any:
    """W_D/(2K) once more."""
    return W_D / K / 2


def most_again(K: Any) -> Any:
    """4K once more."""
    return 2 * K + K * 2


D2 = stated(
    r"""SSA-D2 (definition; Theorem A.5, definition of W_D): Weight discrepancy
    Print: W_D=2K\Big[\sum_{k=1}^K(p_k-w_k)^2\Big]
    Plainly: W_D is a distance between the two weight vectors: 0 only where they agree, and at most 4K on the simplex.
    Assumes: p and w on the simplex
    Reading: 0 only at w = p | (pₖ − wₖ)² <= W_D/(2K) for every client. | part: 0 only at w = p
    Reading: at most 4K | W_D <= 4K. | part: at most 4K
    Mutant: at most 2K | p and w on two different clients give Σ(pₖ − wₖ)² = 2
    Mutant: the same however clients are split | splitting client 1 replaces K·d₁² by (K + 1)·d₁²/2
    Tight: one client with all the gap; p and w on two different clients
    Verdict: Well defined, non-negative, 0 exactly at w = p. It grows with the number of clients: for a target that is
      one client's distribution (p one-hot) equal weights have W_D = 2(K − 1), above the 1 at which the bound of
      Theorem A.5 ends, for every K >= 2. It also changes when a client is split in two identical halves, which
      changes nothing else.""",
    Inequality(Bound(W_D / (2 * K), again=parts_again, degrees=_PURE), (_pairs("gaps", 0.0),), degrees=(0, 0)),
    readings={
        "at most 4K": Inequality(Bound(4 * K, again=most_again, degrees=_PURE), (_pairs("W_D", 1.0),), degrees=(0, 0)),
    },
    mutants={
        "at most 2K": Inequality(Bound(2 * K), (_pairs("W_D", 1.0).at(K=2),)),
        "the same however clients are split": Property((_pairs("split", 0.0, _split, split_exact).at(K=2),)),
    },
)


def _drift(x: Instance) -> Mapping[str, Any]:
    """C at ηL = length/(2τ), and τ."""
    tau: Any = x["tau"]
    return {"lhs": drift_constant(n_local_steps=tau, local_lr=x["length"] / (2 * tau), L=1.0), "tau": tau}


def drift_exact(x: Mapping[str, Any]) -> Checked:
    """C = 2 tau (tau - 1) eta^2 L^2 at eta L = length/(2 tau)."""
    step = x["length"] / (2 * x["tau"])
    met = {"eta L <= 1/(2 tau), unless `long`": 0 < x["length"] <= 1 or "long" in x, "tau >= 1": x["tau"] >= 1}
    return met, {"lhs": 2 * x["tau"] * (x["tau"] - 1) * step**2, "tau": Fraction(x["tau"])}


def _step(*more: Any, most: float = 1.0) -> Case:
    drawn = Space((Integer("tau", 1, 10**4, at=(2, 3)), LogScale("length", 1e-4, most, at=(most,)), *more))
    return Case(f"ηL up to {most:g}/(2τ)", drawn, _drift, ExactCheck(drift_exact))


def drift_again(tau: Any) -> Any:
    """(τ − 1)/(2τ) once more."""
    return 1 / 2 - 1 / (2 * tau)


D3 = stated(
    r"""SSA-D3 (definition; Theorem A.5, definition of C): Drift constant
    Print: C=2\tau(\tau-1)\eta^2L^2<1
    Plainly: The drift constant C is below 1, as the theorem says, under its step size ηL <= 1/(2τ).
    Assumes: ηL <= 1/(2τ), τ >= 1
    Reading: under the theorem's step | C <= (τ − 1)/(2τ), which is below 1/2. | part: under the theorem's step
    Reading: at the largest step | Equal there. | part: at the largest step
    Mutant: twice the step | at ηL = 1/τ C is 2(τ − 1)/τ, above 1 for τ >= 3
    Tight: ηL = 1/(2τ)
    Rests on: SSA-S20
    Verdict: «C < 1» is no further hypothesis: the step size gives C <= (τ − 1)/(2τ) < 1/2. It is 0 for a single local
      step.""",
    Inequality(Bound((tau - 1) / (2 * tau), again=drift_again, degrees=_PURE), (_step(),), degrees=(0, 0)),
    readings={
        "at the largest step": identity(2 * tau * (tau - 1) / (2 * tau) ** 2, (tau - 1) / (2 * tau)),
    },
    mutants={
        "twice the step": Inequality(Bound(1 + 0 * tau), (_step(Choice("long", (1.0,)), most=2.0),)),
    },
)


def _denominator(x: Instance) -> Mapping[str, Any]:
    """Minus the denominator of Theorem A.5; w = p moved part of the way to another point of the simplex.

    With `ratio` five clients, p in geometric proportion of that ratio, w equal.
    """
    if "ratio" in x:
        p = x["ratio"][:, None] ** np.arange(5)
        p = p / p.sum(axis=1, keepdims=True)
        w = np.full_like(p, 0.2)
    else:
        p, part = x["share"], x["part"][:, None]
        w = p if "matched" in x else (1 - part) * p + part * x["other"]
    gap = weight_discrepancy(w, p)
    tau: Any = x["tau"]
    drift = drift_constant(n_local_steps=tau, local_lr=x["length"] / (2 * tau), L=1.0)
    fits = (x["length"] ** 2 * (1 + 2 * x["A"]) <= 1) & (gap <= 0.5) if "small" in x else np.ones(len(p), dtype=bool)
    value = ssa_denominator(drift=drift, discrepancy=gap, A=x["A"])
    return {"lhs": -value, "magnitude": 1 + gap + x["A"], "admissible": fits}


def denominator_exact(x: Mapping[str, Any]) -> Checked:
    """-(1 - C - 2 A C - W_D (1 - C)) at eta L = length/(2 tau)."""
    tau = x["tau"]
    if "ratio" in x:
        raw = [Fraction(1), *(x["ratio"] ** k for k in (1, 2, 3, 4))]
        p, w = [v / sum(raw) for v in raw], [Fraction(1, 5)] * 5
    else:
        p, part = x["share"], x["part"]
        w = p if "matched" in x else [(1 - part) * a + part * b for a, b in zip(p, x["other"], strict=True)]
    gap = 2 * len(p) * sum((a - b) ** 2 for a, b in zip(p, w, strict=True))
    C = 2 * tau * (tau - 1) * (x["length"] / (2 * tau)) ** 2
    met = {
        "p and w on the simplex": sum(p) == sum(w) == 1 and min([*p, *w]) >= 0,
        "eta L <= 1/(2 tau), A > 0": 0 < x["length"] <= 1 and x["A"] > 0,
        "extra: eta L <= 1/(2 tau sqrt(1 + 2 A)), W_D <= 1/2": (
            "small" not in x or (x["length"] ** 2 * (1 + 2 * x["A"]) <= 1 and 2 * gap <= 1)
        ),
    }
    return met, {"lhs": -(1 - C - 2 * x["A"] * C - gap * (1 - C))}


def _signs(*flags: str, A: tuple[float, float] = (1e-3, 1e4)) -> Family:
    def at(K: float) -> Case:
        n = int(K)
        drawn = Space(
            (
                Simplex("share", n),
                Simplex("other", n),
                LogScale("part", 1e-4, 1.0),
                LogScale("A", *A),
                Integer("tau", 1, 1000, at=(2, 10)),
                LogScale("length", 1e-3, 1.0, at=(1.0,)),
                *(Choice(f, (1.0,)) for f in flags),
            )
        )
        same = (permuted_clients({"share": 0, "other": 0}),)
        name = f"{n} clients" + "".join(f", {f}" for f in flags)
        return Case(name, drawn, _denominator, ExactCheck(denominator_exact), cost=max(1.0, n / 40), symmetries=same)

    return Family("p, w, A, τ, η", (Size("K", 1, 300, 3),), at)


# NIID-1, classes dealt in order: the part of the target that a client has against that of the one before it.
_STEEP = (0.0, *(rho ** (-c / 5 / (c - 1)) for rho in (100, 50) for c in (10, 100)))  # Skew, Imb-A and Imb-B
_MILD = Uniform("ratio", 0.5995, 1.0)  # from Imb-10 on ten classes, 10^(−2/9), to Uniform


def _settings(name: str, ratio: Choice | Uniform, *, most: int = 1000) -> Property:
    """Equal weights of five clients for the targets of NIID-1, τ up to `most`."""
    drawn = Space(
        (
            ratio,
            LogScale("A", 1e-3, 1e4),
            Choice("tau", (1.0,)) if most == 1 else Integer("tau", 1, most, at=(2, 10)),
            LogScale("length", 1e-3, 1.0, at=(1.0,)),
        )
    )
    return Property((Case(name, drawn, _denominator, ExactCheck(denominator_exact)),))


D4 = stated(
    r"""SSA-D4 (remark; Theorem A.5, denominator): Sign of the denominator
    Print: \text{presupposed where the error «will be bounded»:}\quad1-C-2AC-W_D(1-C)>0
    Plainly: The denominator of Theorem A.5 is positive, as its use as an upper bound presupposes.
    Assumes: ηL <= 1/(2τ), A > 0 | p and w on the simplex
    Reading: any weights | Under the hypotheses of the theorem, whatever w.
    Reading: w = p | The weights that Remark A.6 calls optimal. | cut weights = w = p, Remark A.6
    Reading: the paper's own settings, equal weights | NIID-1, five clients, targets Skew, Imb-A and Imb-B, ten or a
      hundred classes: W_D is 8, 2.8 (2.4) and 2.2 (1.9). | cut weights = equal, targets Skew, Imb-A and Imb-B of
      NIID-1
    Reading: milder targets, equal weights, τ = 1 | NIID-1, five clients, from Imb-10 on ten classes, where W_D is
      0.92, to Uniform, where it is 0. | condition: W_D < 1 | condition: τ = 1 | because: no experiment has τ = 1
      (E_local = 2, 5, 10, 20)
    Reading: small steps, weights near p | ηL <= 1/(2τ√(1 + 2A)) and W_D <= 1/2. | condition: ηL <= 1/(2τ√(1 + 2A)) |
      condition: W_D <= 1/2 | met by: Corollary A.8, W_D = 0 and η = 1/√(τT), for T >= 4(1 + 2A)τL² (τ = 2, L = A = 1,
      T = 24)
    Mutant: w = p and A <= 2 | at ηL = 1/(2τ) and large τ C is near 1/2, and 1 − C − 2AC < 0 for every A > 1/2
    Mutant: milder targets with more local steps | W_D = 0.92 leaves 0.08(1 − C) − 2AC, negative for C = 1/4 and A = 1
    Rests on: SSA-D2, SSA-D3, SSA-S20
    Repeats: SSA-TA5
    Verdict: It needs conditions that are not printed: ηL <= 1/(2τ√(1 + 2A)) and W_D <= 1/2 will do, and Corollary A.8
      (W_D = 0, η = 1/√(τT)) meets them for T >= 4(1 + 2A)τL². Then C(1 + 2A) < 1/2, and the denominator is at least
      1/(4(1 + 2A)). «> 0» stands nowhere; «will be bounded» (A.5) and «the denominator becomes the largest … the
      tightest» (A.6) presuppose it. The theorem's own step does not give it, even at w = p: C may be near 1/2, which
      leaves 1/2 − A, and A >= 1 is usual. Equal weights for a one-client target have W_D = 2(K − 1) >= 2; for Imb-A
      and Imb-B in NIID-1, p the nearest mixture (SSA-D9), W_D is about 2.8 and 2.2; only from about Imb-10 on (0.92)
      is it below 1. The sign is counted once, at SSA-TA5.""",
    Property((_signs(),)),
    readings={
        "w = p": Property((_signs("matched"),)),
        "the paper's own settings, equal weights": _settings("Skew, Imb-A, Imb-B", Choice("ratio", _STEEP)),
        "milder targets, equal weights, τ = 1": _settings("Imb-10 to Uniform", _MILD, most=1),
        "small steps, weights near p": Property((_signs("small"),)),
    },
    mutants={
        "w = p and A <= 2": Property((_signs("matched", A=(1e-3, 2.0)).at(K=2),)),
        "milder targets with more local steps": _settings("Imb-10 to Uniform", _MILD),
    },
)

CLAIMS: tuple[Claim, ...] = (D2, D3, D4)
