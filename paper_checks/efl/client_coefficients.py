"""EFL-DEF2, DEF3 and ALG3: inactive and incomplete clients, their coefficients, and which rounds are unbiased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import (
    Canary,
    Choice,
    Claim,
    Instance,
    Integer,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Uniform,
    permuted_clients,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _one_client(E: int) -> Sequence[Coordinate]:
    return (Integer("done", 0, E), Choice("steps", (float(E),)))


def _kinds(x: Instance) -> Mapping[str, Any]:
    """|number of kinds that apply − 1|: inactive s = 0, incomplete 0 < s < E, complete s = E."""
    s, E = x["done"], x["steps"]
    low = -1.0 if "loose" in x else 0.0
    kinds = (s == 0).astype(float) + ((low < s) & (s < E)) + (s == E)
    return {"lhs": np.abs(kinds - 1), "magnitude": np.zeros_like(kinds)}


def kinds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """How many of s = 0, 0 < s < E, s = E apply, off 1."""
    s, E = x["done"], x["steps"]
    low = -1 if "loose" in x else 0
    return {"0 <= s <= E, E >= 1": 0 <= s <= E and E >= 1}, {
        "lhs": abs(Fraction((s == 0) + (low < s < E) + (s == E)) - 1)
    }


def _kind(*flags: str) -> Property:
    sizes = (Size("E", 1, 300, 5),)
    return drawn("steps done", _one_client, _kinds, kinds_exact, sizes=sizes, flags=dict.fromkeys(flags, 1.0), per=1e3)


DEF2 = Claim(
    id="EFL-DEF2",
    kind=Kind.PROPERTY,
    source="Sec. 3.1",
    title="Inactive and incomplete clients",
    statement=r"s_\tau^k=0:\ \text{inactive},\qquad0<s_\tau^k<E:\ \text{incomplete}",
    says="In each round a client is exactly one of inactive, incomplete and complete.",
    assumes=("0 <= s <= E, E >= 1",),
    readings=(Reading("as printed", "s = 0, 0 < s < E, or s = E.", _kind()),),
    canaries=(Canary("0 <= s < E", _kind("loose"), "s = 0 is then both"),),
    verdict_words="A partition. For E = 1 no client is ever incomplete.",
)


def _law(N: int) -> Sequence[Coordinate]:
    """Three patterns of finished steps with their chances; quadratic clients on the line."""
    return (
        LogScale("curvature", 1e-1, 1e1, (N,), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N,)),
        Simplex("share", N, interior=True),
        Simplex("chance", 3, interior=True),
        Uniform("done", 0.0, 1.0, (3, N), at=(0.0, 1.0)),
        LogScale("free", 1e-1, 1e1, (3, N)),
        Signed("point", 1e-1, 1e1),
        LogScale("c", 1e-1, 1e1),
        Integer("steps", 1, 50),
    )


def _patterns(x: Instance) -> tuple[Any, Any]:
    E = x["steps"][:, None, None]
    least = 1.0 if "started" in x else 0.0
    s = np.clip(np.floor(x["done"] * (E + 1) + 1e-9), least, E)
    if "equally" in x:  # every client active in the patterns in which client 0 is
        s = np.where(s[:, :, :1] > 0, np.maximum(s, 1), 0.0)
    if "unbiased" in x:
        s = np.maximum(s, 1)
        mean = (x["chance"][..., None] * x["free"] * s).sum(axis=1, keepdims=True)
        return x["c"][:, None, None] * x["share"][:, None] * x["free"] / mean, s
    p = np.where(s > 0, E / np.maximum(s, 1), 0.0)
    if "plain" in x:
        p = np.ones_like(p)
    return x["share"][:, None] * p, s


def patterns_exact(x: Mapping[str, Any]) -> tuple[list[list[Fraction]], list[list[int]]]:
    """Coefficients and finished steps: p = E p^k/s (0 for s = 0), p^k (`plain`), or any with E[p s] = c p^k (`unbiased`)."""
    E, share, q = int(x["steps"]), x["share"], x["chance"]
    s = [[min(int(u * (E + 1)), E) for u in row] for row in x["done"]]
    if "started" in x or "unbiased" in x:
        s = [[max(v, 1) for v in row] for row in s]
    if "equally" in x:
        s = [[max(v, 1) if row[0] > 0 else 0 for v in row] for row in s]
    if "unbiased" in x:
        mean = [sum(a * f[k] * t[k] for a, f, t in zip(q, x["free"], s, strict=True)) for k in range(len(share))]
        return [[x["c"] * v * f / m for v, f, m in zip(share, row, mean, strict=True)] for row in x["free"]], s
    if "plain" in x:
        return [list(share) for _ in s], s
    return [[v * E / t if t else Fraction(0) for v, t in zip(share, row, strict=True)] for row in s], s


def _bias(x: Instance) -> Mapping[str, Any]:
    """(max − min over clients of E[p s]/pᵏ)/E: 0 exactly when r = 0."""
    p, s = _patterns(x)
    ratio = (x["chance"][..., None] * p * s).sum(axis=1) / x["share"]
    return {"lhs": (ratio.max(axis=1) - ratio.min(axis=1)) / x["steps"], "magnitude": np.ones_like(x["steps"])}


def bias_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Largest less smallest E[p_tau^k s_tau^k]/p^k over the clients, over E."""
    p, s = patterns_exact(x)
    share, law = x["share"], list(zip(x["chance"], p, s, strict=True))
    ratio = [sum(q * a[k] * t[k] for q, a, t in law) / share[k] for k in range(len(share))]
    met = {"p^k and chances on the simplex": sum(share) == 1 and min(share) > 0 and sum(x["chance"]) == 1}
    return met, {"lhs": (max(ratio) - min(ratio)) / x["steps"]}


def _gap(x: Instance) -> Mapping[str, Any]:
    """Σps(F̃ₖ(ω*) − F̃ₖ(ω)) in expectation, or (`realised`) its largest value over the patterns."""
    p, s = _patterns(x)
    h, m, share = x["curvature"], x["optimum"], x["share"]
    best = (share * h * m).sum(axis=1) / (share * h).sum(axis=1)
    change = 0.5 * h * ((best[:, None] - m) ** 2 - (x["point"][:, None] - m) ** 2)
    each = (p * s * change[:, None]).sum(axis=2)
    lhs = each.max(axis=1) if "realised" in x else (x["chance"] * each).sum(axis=1)
    size = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(x["point"])) ** 2 * (p * s).sum(axis=2).max(axis=1)
    return {"lhs": lhs, "magnitude": size}


def gap_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum_k p s (F~_k(w*) - F~_k(w)) over the law of (p, s), or its largest value over the patterns (`realised`)."""
    p, s = patterns_exact(x)
    h, m, share, w = x["curvature"], x["optimum"], x["share"], x["point"]
    clients = range(len(share))
    best = sum(share[k] * h[k] * m[k] for k in clients) / sum(share[k] * h[k] for k in clients)
    change = [h[k] * ((best - m[k]) ** 2 - (w - m[k]) ** 2) / 2 for k in clients]
    each = [sum(a[k] * t[k] * change[k] for k in clients) for a, t in zip(p, s, strict=True)]
    ratio = [sum(q * a[k] * t[k] for q, a, t in zip(x["chance"], p, s, strict=True)) / share[k] for k in clients]
    met = {
        "p^k and chances on the simplex": sum(share) == 1 and min(share) > 0 and sum(x["chance"]) == 1,
        "r = 0: E[p s] = c p^k, where asked": "unbiased" not in x or len(set(ratio)) == 1,
    }
    return met, {"lhs": max(each) if "realised" in x else sum(q * e for q, e in zip(x["chance"], each, strict=True))}


_EACH = {"curvature": 0, "optimum": 0, "share": 0, "done": 1, "free": 1}


def _rule(measure: Any, exact: Any, *flags: str, degrees: tuple[int, int] = (0, 0)) -> Property:
    same = () if "equally" in flags else (permuted_clients(_EACH),)
    return drawn(
        "three patterns" + "".join(f", {f}" for f in flags),
        _law,
        measure,
        exact,
        sizes=(Size("N", 1, 100, 3),),
        uses=(patterns_exact,),
        flags=dict.fromkeys(flags, 1.0),
        same=(*same, units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1)})),
        degrees=degrees,
    )


DEF3 = Claim(
    id="EFL-DEF3",
    kind=Kind.PROPERTY,
    source="A.2.1, before (61)",
    title="Unbiased rounds",
    statement=(
        r"r_\tau=0\iff\exists c_\tau\,\forall k:\ \mathbb E[p_\tau^ks_\tau^k]=c_\tau p^k;\quad r_\tau=0\Rightarrow"
        r"\sum_kp_\tau^ks_\tau^k(\widetilde F_k(\omega^*)-\widetilde F_k(\overline\omega))=c_\tau(\dots)\le0"
    ),
    says=(
        "In a round with r = 0 the work done, weighted by client, does not pull away from ω*: the printed sum is "
        "c(F(ω*) − F(ω̄)) <= 0."
    ),
    assumes=(
        "three patterns of finished steps and coefficients, fixed before the round",
        "quadratic clients, any point ω̄",
    ),
    readings=(
        Reading(
            "on average over participation",
            "EΣps(F̃ₖ(ω*) − F̃ₖ(ω̄)) = c(F(ω*) − F(ω̄)) <= 0.",
            _rule(_gap, gap_exact, "unbiased", degrees=(1, 0)),
        ),
        Reading(
            "for each outcome, as printed",
            "The sum stands without an expectation.",
            _rule(_gap, gap_exact, "unbiased", "realised", degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "any E[p s]",
            _rule(_gap, gap_exact, "plain", degrees=(1, 0)),
            "a client that is mostly inactive hardly counts, and the others' optimum is nearer to ω̄",
        ),
    ),
    depends_on=("EFL-DEF1", "EFL-E1"),
    verdict_words=(
        "The definition of r is sound, but the note after it is false as printed: it holds for the mean over p and s, "
        "not for every outcome of them. r = 0 is a condition on 𝔼[p s], and the displayed sum has no expectation. In "
        "a round in which one client does most of the work the sum is positive near that client's optimum. (62) and "
        "(63) use it outcome by outcome; only (64) averages over p and s. With the expectation before the sum, at a "
        "point ω̄ fixed before the round, it is c(F(ω*) − F(ω̄)) <= 0. The display also has F̃ₖ with a free k on its "
        "right side, where F must stand; that is a slip."
    ),
)


def _scaled(s: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-1, 1e1),
        Signed("optimum", 1e-1, 1e1),
        Signed("start", 1e-1, 1e1),
        LogScale("length", 1e-2, 0.5, at=(0.5,)),
        LogScale("factor", 1.0, 2.0, at=(2.0,)),
        Choice("done", (float(s),)),
    )


def _faster(x: Instance) -> Mapping[str, Any]:
    """|c·(move of s steps of size η) − (move of s steps of size cη)|."""
    u, s = x["start"] - x["optimum"], x["done"]
    slow = x["factor"] * ((1 - x["length"]) ** s - 1) * u
    fast = ((1 - x["factor"] * x["length"]) ** s - 1) * u
    return {"lhs": np.abs(slow - fast), "magnitude": np.abs(x["start"]) + np.abs(x["optimum"])}


def faster_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The move of s steps with the coefficient c times as large, against s steps with the step size c times as large."""
    h, m, s = x["curvature"], x["optimum"], int(x["done"])
    ends = []
    for eta in (x["length"] / h, x["factor"] * x["length"] / h):
        w = x["start"]
        for _ in range(s):
            w = w - eta * h * (w - m)
        ends.append(w - x["start"])
    return {"c >= 1, c eta h <= 1": x["factor"] >= 1 and x["factor"] * x["length"] <= 1}, {
        "lhs": abs(x["factor"] * ends[0] - ends[1])
    }


def _learning(most: int) -> Property:
    same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)}),)
    sizes = (Size("s", 1, most, min(2, most)),)
    return drawn("one client", _scaled, _faster, faster_exact, sizes=sizes, same=same, degrees=(0, 1))


ALG3 = Claim(
    id="EFL-ALG3",
    kind=Kind.PROPERTY,
    source="Sec. 4.1, 4.2; Theorem 1",
    title="Aggregation coefficients of irregular clients",
    statement=r"p_\tau^k=\frac{Ep^k}{s_\tau^k}\ \Rightarrow\ \mathbb E[p_\tau^ks_\tau^k]=c_\tau p^k,\ r_\tau=0",
    says=(
        "The coefficient E pᵏ/s of incomplete clients gives r = 0; in (6) increasing p «is equivalent to increasing "
        "the learning rate»."
    ),
    assumes=("three patterns of finished steps, E up to 50", "coefficient 0 for s = 0, where E pᵏ/s is not defined"),
    readings=(
        Reading("all clients finish a step", "r = 0 for every law with s >= 1.", _rule(_bias, bias_exact, "started")),
        Reading(
            "with inactive clients",
            "Stronger than the print: r = 0 for every law with 0 <= s <= E.",
            _rule(_bias, bias_exact),
        ),
        Reading(
            "all equally often inactive",
            "Every client is inactive with the same probability, here in the same rounds.",
            _rule(_bias, bias_exact, "equally"),
            repair="condition",
        ),
        Reading(
            "«equivalent to increasing the learning rate», one step",
            "s = 1: c times the coefficient is c times the step.",
            _learning(1),
        ),
        Reading(
            "«equivalent to increasing the learning rate», any s",
            "Stronger than the print: the whole local run with the larger rate, up to 30 steps, cηh <= 1.",
            _learning(30),
        ),
    ),
    canaries=(
        Canary(
            "coefficient pᵏ whatever s",
            _rule(_bias, bias_exact, "plain", "started"),
            "E[s] then differs from client to client",
        ),
    ),
    depends_on=("EFL-DEF2", "EFL-DEF3"),
    verdict_words=(
        "For incomplete clients, 0 < s < E, of which Sec. 4.2 speaks, the rule does what it is for: p s = E pᵏ "
        "whatever the law of s, so r = 0; and in (6), with the gradients given, a factor on p is the same as a factor "
        "on η. Two stronger statements fail. With inactive clients E pᵏ/s has no value; with the coefficient 0 for s "
        "= 0, which is ours, E[p s] = E pᵏ P(s > 0), and rounds are unbiased only if all clients are equally often "
        "inactive. And a run with the larger rate does not end where the larger coefficient does, except for s = 1: "
        "in later steps the client with the larger rate stands elsewhere, and for quadratics the coefficient moves it "
        "farther. r = 0 concerns step counts alone; s steps times E/s are not E steps."
    ),
)

CLAIMS: tuple[Claim, ...] = (DEF2, DEF3, ALG3)
