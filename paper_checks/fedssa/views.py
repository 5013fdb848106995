"""Weights of clients on two views of a few samples: FedSSA's losses at them, at other weights and on changed logits.

A letter is `cos`, `var`, `sample` (L_var with divisor c − 1) or `we`, then the weights and the logits it is taken at, where these are not the drawn ones:
`var_doubled` is L_var at twice the weights, `cos_other_late` L_cos at other weights on the second half of the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.exponentials import EXACT, cosine, entropy, exp_fixed, log_near, mass, slack, ssa_parts
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.pairs import pair, pair_exact
from theory.rules.by_output.ssa_loss import ensemble_probabilities, loss_cos, loss_var, loss_we
from validation import (
    Case,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
)
from validation.statement.claim import Identity, Inequality
from validation.statement.instances.draw import Coordinate
from validation.statement.says import Le
from validation.world.world import World, case

__all__ = ["letters", "of_views", "of_weights", "views", "views_exact"]

_CLIENTS = {"weights": 0, "view_1": 1, "view_2": 1}
_OTHER = frozenset(("other", "middle"))


def _weighted(x: Instance, how: str) -> Any:
    """The weights that a letter is taken at, (n, K)."""
    K, n = x["view_1"].shape[2], len(x["view_1"])
    w = x.get("weights", np.full((n, K), 1 / K))

    def first(value: Any) -> Any:
        return np.concatenate([value, w[:, 1:]], axis=1)

    heavy, light = 1000 * (1 + w[:, :1]), np.minimum(w[:, :1], 1.0)
    made: dict[str, Callable[[], Any]] = {
        "": lambda: w,
        "other": lambda: x["other"],
        "middle": lambda: (w + x["other"]) / 2,
        "doubled": lambda: 2 * w,
        "scaled": lambda: x["s"][:, None] * w,
        "level": lambda: np.repeat(w.mean(axis=1, keepdims=True), K, axis=1),
        "even": lambda: np.concatenate([np.repeat(w[:, :2].mean(axis=1, keepdims=True), 2, axis=1), w[:, 2:]], axis=1),
        "renumbered": lambda: np.roll(w, 1, axis=1),
        "heavy": lambda: first(heavy),
        "heavier": lambda: 2 * first(heavy),
        "light": lambda: first(light),
        "lighter": lambda: 2 * first(light),
        "equal": lambda: np.full((n, K), 1 / K),
        "first": lambda: np.broadcast_to(np.eye(K)[0], (n, K)),
        "rival": lambda: np.broadcast_to(np.eye(K)[1 % K], (n, K)),
    }
    return made[how]()


def _logits(x: Instance, how: str) -> Any:
    """Both views that a letter is taken on, (n, S, K, c) each."""
    one, two = x["view_1"], x["view_2"]
    half = one.shape[1] // 2
    made: dict[str, Callable[[], Any]] = {
        "": lambda: (one, two),
        "same": lambda: (one, one),
        "flat": lambda: (np.repeat(one[..., :1], one.shape[-1], axis=-1),) * 2,
        "early": lambda: (one[:, :half], two[:, :half]),
        "late": lambda: (one[:, half:], two[:, half:]),
        "shifted": lambda: (one + x["by"][:, None, None, None], two),
        "raised": lambda: (one + x["by"][:, None, None, None] * (np.arange(one.shape[-1]) == 0), two),
        "swapped": lambda: (two, one),
        "clients": lambda: tuple(np.roll(z, 1, axis=2) for z in (one, two)),
        "classes": lambda: tuple(np.roll(z, 1, axis=3) for z in (one, two)),
        "twins": lambda: tuple(np.concatenate([z[:, :, :1], z[:, :, :1], z[:, :, 2:]], axis=2) for z in (one, two)),
    }
    return made[how]()


def _taken(name: str) -> tuple[str, str, str]:
    """A letter's loss, weights and logits."""
    loss, *rest = name.split("_")
    how = [part for part in rest if part in _LOGITS]
    return loss, next((part for part in rest if part not in _LOGITS), ""), how[0] if how else ""


_LOGITS = frozenset(("same", "flat", "early", "late", "shifted", "raised", "swapped", "clients", "classes", "twins"))


def views(x: Instance, *, asked: tuple[str, ...], made: str = "") -> Mapping[str, Any]:
    """The letters that are asked, each of shape (n,); `made`: logits are those of `pair`."""
    x = pair(x, made) if made else x
    one, two = x["view_1"], x["view_2"]
    (n, samples, K, c), w = one.shape, _weighted(x, "")
    mixed = cache(lambda: [(w[:, None, None, :] @ z)[:, :, 0] for z in (one, two)])
    outputs = cache(lambda: [ensemble_probabilities(w, v) for v in (one, two)])
    ranges = cache(lambda: [np.ptp(v[:, 0], axis=1) for v in mixed()])

    def cosine_of(u: Any, v: Any) -> Any:
        size = np.sqrt((u**2).sum(axis=-1) * (v**2).sum(axis=-1))
        return ((u * v).sum(axis=-1) / np.where(size > 0, size, 1.0)).mean(axis=-1)

    def margin() -> Any:
        ranked = np.sort(np.stack([v[:, 0] for v in mixed()]), axis=-1)
        return (ranked[..., -1] - ranked[..., -2]).min(axis=0)

    def moved() -> Any:
        sharper = ensemble_probabilities(2 * w, one)
        kept = np.take_along_axis(sharper, outputs()[0].argmax(axis=-1)[..., None], axis=-1)[..., 0]
        return (sharper.max(axis=-1) - kept).max(axis=1)

    def off() -> Any:
        y = outputs()[0]
        return np.maximum(np.abs(y.sum(axis=-1) - 1).max(axis=1), -y.min(axis=(1, 2)))

    def surest() -> Any:
        own = [np.exp(v - v.max(axis=-1, keepdims=True)).sum(axis=-1) for v in (one[:, :, 0], two[:, :, 0])]
        return 1 / np.max(own, axis=(0, 2))

    found: dict[str, Callable[[], Any]] = {
        "cos_logits": lambda: -cosine_of(*mixed()),
        "cos_written": lambda: cosine_of(*outputs()),
        "gap": lambda: np.maximum(1 + loss_cos(w, one, two), 0.0),
        "gap_scaled": lambda: np.maximum(1 + loss_cos(_weighted(x, "scaled"), one, two), 0.0),
        "outputs_apart": lambda: ((outputs()[0] - outputs()[1]) ** 2).sum(axis=-1).mean(axis=-1),
        "off_simplex": off,
        "top_moved": moved,
        "sharpened": lambda: np.abs(ensemble_probabilities(2 * w, one) - outputs()[0]).max(axis=(1, 2)),
        "var_written": lambda: sum(v.var(axis=-1) for v in outputs()).mean(-1) / 2,
        "difference": lambda: np.ptp(mixed()[0][:, 0] - mixed()[1][:, 0], axis=1),
        "widest": lambda: np.maximum(*ranges()),
        "both": lambda: ranges()[0] ** 2 + ranges()[1] ** 2,
        "margin": lambda: np.where(margin() > 1e-6, margin(), 0.0),
        "tail": lambda: np.exp(-np.minimum(x["s"] * margin(), 250.0)),
        "one_top": lambda: (mixed()[0][:, 0].argmax(axis=1) == mixed()[1][:, 0].argmax(axis=1)) * 1.0,
        "spread": lambda: np.maximum(np.ptp(one, axis=-1), np.ptp(two, axis=-1)).max(axis=(1, 2)),
        "surest": surest,
        "c": lambda: np.full(n, float(c)),
        "K": lambda: np.full(n, float(K)),
        "samples": lambda: np.full(n, float(samples)),
        "log_clients": lambda: np.full(n, np.log(K)),
        "rounding": lambda: np.full(n, 1e-40),
    }
    losses: Any = {"cos": loss_cos, "var": loss_var, "sample": partial(loss_var, divisor="classes-1")}

    def value(name: str) -> Any:
        if name in found or name in x:
            return found[name]() if name in found else x[name]
        loss, weights, how = _taken(name)
        at = _weighted(x, weights)
        return loss_we(at) if loss == "we" else losses[loss](at, *_logits(x, how))

    size = 1e3 if {"we_level", "we_equal", "outputs_apart"} & set(asked) else 100.0 if made or len(asked) > 4 else 10.0
    heavy = [np.abs(v * np.log(v)).sum(axis=1) for v in [_weighted(x, "heavier")] if "we_heavy" in asked]
    return {**{name: value(name) for name in asked}, "magnitude": np.full(n, size) + sum(heavy)}


def views_exact(
    x: Mapping[str, Any], *, asked: tuple[str, ...], made: str = "", free: bool = False
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same with enclosed exponentials, roots and logarithms; `free`: weights of any sum."""
    drawn, zero, met = x, Fraction(0), {}
    x = pair_exact(x, made) if made else x
    one, two = x["view_1"], x["view_2"]
    K, c, samples = len(one[0]), len(one[0][0]), len(one)
    w, half, losses = list(x.get("weights", [Fraction(1, K)] * K)), samples // 2, {}
    if "margin_1" in drawn:
        met["client 1 right on every sample"] = min([*drawn["margin_1"], *drawn["margin_2"]]) > 0
    if "factor" in drawn:
        met["logits alike within 10%"] = abs(drawn["factor"] - 1) <= Fraction(1, 10)
    for name in ("weights", "other"):
        if name in x:
            total = sum(x[name])
            met[f"{name} non-negative, of sum one unless any sum is asked"] = min(x[name]) >= 0 and (free or total == 1)
    if any(name.endswith(("heavy", "light")) for name in asked):
        met["weights > 0"] = min(w) > 0

    def mixed() -> list[list[Any]]:
        return [[sum((a * z[j] for a, z in zip(w, s[0], strict=True)), zero) for j in range(c)] for s in (one, two)]

    def ranges(views: list[list[Any]]) -> list[Any]:
        return [max(m) - min(m) for m in views]

    def margin() -> Any:
        return min(m[-1] - m[-2] for m in map(sorted, mixed()))

    def weighted(how: str) -> list[Any]:
        first = min(w[0], Fraction(1)) if how.startswith("light") else 1000 * (1 + w[0])
        if how in ("heavy", "heavier", "light", "lighter"):
            return [(2 if how.endswith("er") else 1) * v for v in [first, *w[1:]]]
        if how in ("first", "rival"):
            return [Fraction(k == (how == "rival")) for k in range(K)]
        if how == "middle":
            return [(a + b) / 2 for a, b in zip(w, x["other"], strict=True)]
        if how == "even":
            return [(w[0] + w[1]) / 2] * 2 + w[2:]
        if how in ("doubled", "scaled"):
            return [(2 if how == "doubled" else x["s"]) * v for v in w]
        if how in ("level", "equal"):
            return [(sum(w) if how == "level" else Fraction(1)) / K] * K
        return [*w[-1:], *w[:-1]] if how == "renumbered" else x["other"] if how else w

    def logits(how: str) -> Any:
        if how == "flat":
            return ([[[z[0]] * c for z in s] for s in one],) * 2
        if how in ("shifted", "raised"):
            seen = range(c) if how == "shifted" else (0,)
            return [[[v + (x["by"] if j in seen else 0) for j, v in enumerate(z)] for z in s] for s in one], two
        if how == "clients":
            return tuple([[*s[-1:], *s[:-1]] for s in view] for view in (one, two))
        if how == "classes":
            return tuple([[[*z[-1:], *z[:-1]] for z in s] for s in view] for view in (one, two))
        if how == "twins":
            return tuple([[s[0], s[0], *s[2:]] for s in view] for view in (one, two))
        if how in ("early", "late"):
            return tuple(view[:half] if how == "early" else view[half:] for view in (one, two))
        return {"": (one, two), "same": (one, one), "swapped": (two, one)}[how]

    def mixed_cosine() -> Any:
        total = zero
        for pairs in zip(one, two, strict=True):
            u, v = ([int(sum(a * z[j] for a, z in zip(w, s, strict=True)) * 2**200) for j in range(c)] for s in pairs)
            total += cosine(u, v) if any(u) and any(v) else zero
        return -total / samples

    def shares(at: list[Any], sample: Any) -> list[Any]:
        y = mass(at, sample)
        whole = sum(y)
        return [Fraction(v, whole) for v in y]

    def written() -> Any:
        every = [shares(w, s) for s in (*one, *two)]
        return sum(((v - Fraction(1, c)) ** 2 for y in every for v in y), zero) / c / (2 * samples)

    def apart() -> Any:
        every = [(shares(w, u), shares(w, v)) for u, v in zip(one, two, strict=True)]
        return sum(((a - b) ** 2 for u, v in every for a, b in zip(u, v, strict=True)), zero) / samples

    def sharpened(top: bool) -> Any:
        worst = Fraction(-1)
        for sample in one:
            y, sharp = shares(w, sample), shares([2 * a for a in w], sample)
            kept = sharp[max(range(c), key=lambda j: y[j])]
            worst = max(worst, max(sharp) - kept if top else max(abs(a - b) for a, b in zip(y, sharp, strict=True)))
        return worst

    found = {
        "cos_logits": mixed_cosine,
        "cos_written": lambda: -value("cos"),
        "gap": lambda: 1 + value("cos") + slack(),
        "gap_scaled": lambda: 1 + value("cos_scaled"),
        "outputs_apart": lambda: apart() - slack(),
        "off_simplex": lambda: max(max(abs(sum(y) - 1), -min(y)) for y in (shares(w, s) for s in one)),
        "top_moved": lambda: sharpened(True),
        "sharpened": lambda: sharpened(False),
        "var_written": written,
        "difference": lambda: ranges([[a - b for a, b in zip(*mixed(), strict=True)]])[0],
        "widest": lambda: max(ranges(mixed())),
        "both": lambda: sum(v**2 for v in ranges(mixed())),
        "margin": margin,
        "tail": lambda: Fraction(exp_fixed(-min(x["s"] * margin(), Fraction(250))) + 2**60, 1 << 320),
        "one_top": lambda: Fraction(len({m.index(max(m)) for m in mixed()}) == 1),
        "spread": lambda: max(max(z) - min(z) for view in (one, two) for s in view for z in s),
        "surest": lambda: min(max(shares([Fraction(1)], s[:1])) for view in (one, two) for s in view),
        "c": lambda: Fraction(c),
        "K": lambda: Fraction(K),
        "samples": lambda: Fraction(samples),
        "log_clients": lambda: log_near(Fraction(K)),
        "rounding": slack,
    }

    def value(name: str) -> Any:
        if name in found:
            return found[name]()
        if name in x:
            return x[name]
        loss, *rest = name.split("_")
        seen = ("same", "flat", "early", "late", "shifted", "raised", "swapped", "clients", "classes", "twins")
        at = weighted("".join(part for part in rest if part not in seen))
        how = "".join(part for part in rest if part in seen)
        if loss == "we":
            return entropy(at)
        place = "_".join(rest)
        if place not in losses:
            losses[place] = ssa_parts(at, *logits(how))
        return losses[place][loss != "cos"] * (Fraction(c, c - 1) if loss == "sample" else 1)

    return met, {name: value(name) for name in asked}


_DRAWN: Mapping[str, Callable[[int], Coordinate]] = {
    "other": lambda K: Simplex("other", K),
    "lambda_var": lambda _: LogScale("lambda_var", 1e-3, 1e1),
    "lambda_we": lambda _: LogScale("lambda_we", 1e-4, 1e1),
    "by": lambda _: Signed("by", 1e-2, 1e1),
}


def _needed(asked: tuple[str, ...]) -> set[str]:
    parts = {part for name in asked for part in name.split("_")}
    changes = {"by"} if parts & {"shifted", "raised"} else set()
    return changes | ({"other"} if parts & _OTHER else set()) | ({*asked} & {"lambda_var", "lambda_we"})


def views_world(
    asked: tuple[str, ...],
    *where: Le,
    at: tuple[tuple[int, int, int], ...] = (),
    large: bool = False,
    positive: bool = False,
    interior: bool = False,
    split: bool = False,
    spans: tuple[float, ...] = (10.0,),
    more: tuple[Coordinate, ...] = (),
) -> World:
    """The world of weights on two views in which only `asked` is observed; arguments as `of_views` has them."""
    needed = _needed(asked)
    places = {name.partition("_")[2] for name in asked}

    def one(K: float, c: float, S: float, span: float = spans[0]) -> Case:
        n, classes, samples = int(K), int(c), int(S)
        weights = (
            LogScale("weights", 1e-4, 1e2, (n,), at=(1.0,)) if positive else Simplex("weights", n, interior=interior)
        )
        extra = {name: draw(n) for name, draw in _DRAWN.items() if name in needed}
        extra |= {c.name: c for c in more}
        views_drawn = (Signed(f"view_{i}", 1e-2, span, (samples, n, classes)) for i in (1, 2))
        space = Space((weights, *views_drawn, *extra.values()))
        blind = not (needed & {"other", "by"}) and not places & {"even_twins", "heavy", "light", "first", "clients"}
        same = (permuted_clients(_CLIENTS), *((split_client(_CLIENTS, ("weights",)),) if split else ()))
        return case(
            f"{n} clients, {classes} classes, {samples} samples",
            space,
            partial(views, asked=asked),
            partial(views_exact, asked=asked, free=positive),
            uses=EXACT,
            cost=max(1.0, n * classes * samples / 60),
            symmetries=same if blind else (),
        )

    sizes = (Size("K", 1, 300, 3), Size("c", 2, 100, 3), Size("S", 1, 20, 1))
    wide = (Family("two views", sizes, one),) if large or not at else ()
    return World(NOTATION, (*(one(*size, span) for span in spans for size in at), *wide), where)


def letters(says: Le, *where: Le) -> tuple[str, ...]:
    """The letters of a statement and its hypotheses."""
    sides = (side for said in (says, *where) for side in (said.left, said.right))
    return tuple(sorted(str(s) for s in sp.Tuple(*sides).free_symbols))


def of_views(says: Le, *where: Le, **chosen: Any) -> Inequality | Identity:
    """What is said of weights on two views, under hypotheses; only its letters are observed.

    `at`: at these (clients, classes, samples) alone, unless `large` (up to 300, 100 and 20) as well. `positive`: weights
    of any sum, each positive. `interior`: none is 0. `split`: splitting a client in two is a symmetry. `spans`: logits
    up to these. `more`: further coordinates, or others in place of those that letters need.
    """
    return views_world(letters(says, *where), *where, **chosen).test(says)


def of_weights(says: Le, *, at: tuple[int, ...] = (), positive: bool = False) -> Inequality | Identity:
    """What is said of weights alone, up to 300; `positive`: of any sum."""
    asked = letters(says)

    def one(K: float) -> Case:
        n = int(K)
        drawn = LogScale("weights", 1e-6, 1e2, (n,), at=(1.0,)) if positive else Simplex("weights", n)
        how: dict[str, Any] = {
            "uses": EXACT,
            "cost": max(1.0, n / 40),
            "symmetries": (permuted_clients({"weights": 0}),),
        }
        return case(f"{n} weights", Space((drawn,)), weights, weights_exact, **how, asked=asked, free=positive)

    cases = tuple(one(K) for K in at) or (Family("weights", (Size("K", 1, 300, 3),), one),)
    return World(NOTATION, cases).test(says)


def weights(x: Instance, *, asked: tuple[str, ...], free: bool) -> Mapping[str, Any]:
    """L_we, K and its logarithm, 1/e."""
    w = x["weights"]
    n, K = w.shape
    found = {"we": loss_we(w), "log_clients": np.full(n, np.log(K)), "K": np.full(n, float(K))}
    found |= {"inv_e": np.full(n, np.exp(-1.0)), "rounding": np.full(n, 1e-40)}
    size = 10.0 + np.abs(w * np.log(np.where(w > 0, w, 1.0))).sum(axis=1)
    return {**{name: found[name] for name in asked}, "magnitude": size + K * free}


def weights_exact(
    x: Mapping[str, Any], *, asked: tuple[str, ...], free: bool
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same with enclosed logarithms; 1/e from above."""
    w = x["weights"]
    found = {"we": entropy(w), "log_clients": log_near(Fraction(len(w))), "K": Fraction(len(w)), "rounding": slack()}
    found |= {"inv_e": Fraction(exp_fixed(Fraction(-1)) + 2**60, 1 << 320)}
    met = {"weights >= 0, of sum one unless free": min(w) >= 0 and (free or sum(w) == 1)}
    return met, {name: found[name] for name in asked}
