"""The side-by-side page: theory's order of the rules, three columns on one task, and what the network answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from validation.report.both_worlds.side_by_side import Panel, Row
from validation.report.pictures.bands import Band, Interval, bands_plot, dose_plot, intervals_plot, orders_plot
from validation.report.text.readable import num
from validation.transfer.headline import UNDISPUTED, Beside, headline, headroom

__all__ = ["COMMITTED", "Transfer", "read_study", "read_transfer"]

COMMITTED = Path(__file__).parents[1] / "results" / "side_by_side.json"
_COLUMNS = (
    (
        "solved",
        "a  Theory's solved task",
        "Softmax regression in the convex simulator, float64. F*, w* and Fₖ* are solved.",
    ),
    (
        "engine",
        "b  The same task, deep engine",
        "The same data, batches and rules in the engine that trains networks, float32.",
    ),
    (
        "network",
        "c  A network",
        "Another model on the same partition, plan, batches and seeds. No bound is known for it.",
    ),
)
_BEST_SEEN = "; the model with the lowest loss of the run is used for w*, so this is an estimate"
_ORDERS = {"bound": "the bound's term", "solved": "column a"}
_HEADLINE = {**_ORDERS, "chi_square": "χ²(p‖a), which knows nothing of the task"}


@dataclass(frozen=True)
class Flip:
    """A pair of rules, the one that was predicted better first, and what the network said, in words."""

    better: str
    worse: str
    difference: str
    p: str
    beyond_chance: bool
    flips: bool


@dataclass(frozen=True)
class Asked:
    """An order that theory wrote down: what it is, τ in words, all pairs, those that flip first."""

    title: str
    says: str
    tau: str
    tau_by_seed: str
    pairs: tuple[Flip, ...]

    @property
    def flipped(self) -> tuple[Flip, ...]:
        return tuple(pair for pair in self.pairs if pair.flips)

    @property
    def sure(self) -> tuple[Flip, ...]:
        """Flips beyond chance."""
        return tuple(pair for pair in self.flipped if pair.beyond_chance)


@dataclass(frozen=True)
class Transfer:
    """Everything the page shows."""

    rules: tuple[tuple[str, str], ...]
    orders: Markup
    headline: tuple[tuple[str, str, str, str], ...]
    beats: bool
    undisputed: str
    headroom: str
    asked: tuple[Asked, ...]
    differences: Markup
    blind: Markup
    oracle: str
    oracle_wins: bool
    columns: tuple[tuple[str, str, str], ...]
    rows: tuple[Row, ...]
    short: Panel | None
    unbounded: tuple[tuple[str, str], ...]
    doses: tuple[Panel, ...]
    dose_taus: tuple[tuple[str, str], ...]
    apart: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    seeds: int
    digest: str
    seconds: str
    command: str


def _name(rule: str) -> str:
    return rule.partition("(")[0]


def _interval(mean: Mapping[str, Any]) -> Interval:
    value = float(mean["value"])
    low, high = (value if mean[end] is None else float(mean[end]) for end in ("low", "high"))
    return value, low, high


def _words(mean: Mapping[str, Any]) -> str:
    value, low, high = _interval(mean)
    return num(value, 3) if mean["low"] is None else f"{num(value, 3)} [{num(low, 3)}, {num(high, 3)}]"


def _asked(name: str, order: Mapping[str, Any]) -> Asked:
    pairs = [
        Flip(
            _name(p["first"]),
            _name(p["second"]),
            _words(p["difference"]),
            num(p["p"], 2),
            p["beyond_chance"],
            p["flips"],
        )
        for p in order["pairs"]
    ]
    pairs.sort(key=lambda pair: (not pair.flips, not pair.beyond_chance))
    tau = order["tau"]
    return Asked(
        _ORDERS[name], f"{order['says']}: {order['why']}", num(tau["of_means"], 2), _words(tau["each"]), tuple(pairs)
    )


def _bands(column: Mapping[str, Any], key: str, styles: Mapping[str, str], bounded: bool) -> list[Band]:
    found = []
    for row in column["rules"]:
        values = row["bands"].get(key) or ()
        bound = tuple(row.get("bound") or ()) if bounded else ()
        read = tuple(
            None if v is None else (v[0], v[0] if v[1] is None else v[1], v[0] if v[2] is None else v[2])
            for v in values
        )
        found.append(Band(_name(row["rule"]), styles[row["rule"]], read, bound))
    return found


def _rows(document: Mapping[str, Any], styles: Mapping[str, str]) -> tuple[Row, ...]:
    rows = []
    for quantity in document["quantities"]:
        panels = []
        for key, title, _ in _COLUMNS:
            column = document["columns"][key]
            bounded = quantity["key"] == "gap" and key == "solved"
            bands = _bands(column, quantity["key"], styles, bounded)
            svg = bands_plot(bands, log=quantity["log"], label=f"{quantity['title']}, {title}")
            note = ""
            if svg is None:
                note = "F* of a network is not known." if quantity["key"] == "gap" else "w* of a network is not known."
            elif quantity["floored"]:
                note = f"Floor: {column['floor']}{_BEST_SEEN if key == 'network' else ''}."
            elif bounded and any(band.bound for band in bands):
                note = "Dashed: the bound, of the seed where it is largest."
            panels.append(Panel(quantity["title"], svg, "", note))
        rows.append(Row(quantity["key"], quantity["title"], quantity["says"], tuple(panels)))
    return tuple(rows)


def _short(rules: Mapping[str, Any], styles: Mapping[str, str]) -> Panel | None:
    """Gap and bound with steps as short as the bound asks for."""
    if not rules:
        return None
    rate = next(iter(rules.values()))["rate"]
    bands = [
        Band(
            _name(rule), styles[rule], tuple(None if v is None else (v, v, v) for v in row["gap"]), tuple(row["bound"])
        )
        for rule, row in rules.items()
    ]
    title = f"Gap and bound with steps of 1/(4L) = {num(rate, 3)}, one seed"
    last = [(row["bound"][-1] / row["gap"][-1]) for row in rules.values() if row["gap"][-1]]
    note = f"Dashed: the bounds. At the end they are {num(min(last), 2)} to {num(max(last), 2)} times the gap."
    return Panel(title, bands_plot(bands, log=True, label=title), "", note)


def _doses(document: Mapping[str, Any], styles: Mapping[str, str]) -> tuple[Panel, ...]:
    doses = document["dose"]
    names = [f"{row['beta']}" if row["beta"] == "∞" else f"{row['beta']:g}" for row in doses]
    panels = []
    for column, title in (("solved", "Column a: gap"), ("network", "Column c: loss")):
        rules = list(doses[0][column])
        bands = [
            Band(_name(rule), styles[rule], tuple(_interval(row[column][rule]) for row in doses)) for rule in rules
        ]
        against = _name(document["answer"]["against"])
        svg = dose_plot(bands, names, label=f"{title} less that of {against}, by β")
        panels.append(Panel(f"{title} at the end, less that of {against}", svg, "", ""))
    return tuple(panels)


def _said(row: Beside) -> tuple[str, str, str, str]:
    """A predictor in words, its τ with all rules, with those that are disputed, and how many of their pairs flip."""
    return _HEADLINE[row.key], num(row.tau, 2), num(row.disputed_tau, 2), f"{row.flipped} of {row.pairs}"


def _beats(rows: Sequence[Beside]) -> bool:
    """Whether every order of theory is nearer to the network than the trivial one, among disputed rules."""
    trivial = max(row.disputed_tau for row in rows if not row.knows_task)
    return all(row.disputed_tau > trivial for row in rows if row.knows_task)


def read_transfer(document: Mapping[str, Any]) -> Transfer:
    """The page of what `fedverdict side-by-side` wrote; `ValueError` naming what is missing."""
    try:
        return _read(document)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"side by side: {error!r}; expected side_by_side.json of `fedverdict side-by-side`") from error


def _read(document: Mapping[str, Any]) -> Transfer:
    setting, answer, controls = document["setting"], document["answer"], document["controls"]
    rules: Sequence[str] = setting["rules"]
    styles = {rule: f"s{i % 7} r{i}" + (" dashed" if i >= 7 else "") for i, rule in enumerate(rules)}
    names = {rule: (_name(rule), styles[rule]) for rule in rules}
    orders = {key: list(order["less_is_better"]) for key, order in document["prediction"]["orders"].items()}
    ended = sorted(rules, key=lambda rule: float(answer["last_loss"][rule]["value"]))
    columns = [*((_ORDERS[key], order) for key, order in orders.items()), ("column c, the network", ended)]
    against = _name(answer["against"])
    differences = [(_name(rule), styles[rule], _interval(d)) for rule, d in answer["differences"].items()]
    differences.append(("oracle weights", "", _interval(controls["oracle"]["less_reference"])))
    blind = [(_name(rule), styles[rule], _interval(c["less_own"])) for rule, c in controls["permuted"].items()]
    unbounded = tuple(
        (_name(row["rule"]), row["why_no_bound"]) for row in document["columns"]["solved"]["rules"] if not row["bound"]
    )
    oracle, beside = controls["oracle"]["less_reference"], headline(document)
    return Transfer(
        rules=tuple((rule, styles[rule]) for rule in rules),
        orders=orders_plot(columns, names, "The two predicted orders of rules and that of the network, best on top"),
        headline=tuple(_said(row) for row in beside),
        beats=_beats(beside),
        undisputed=" and ".join(UNDISPUTED),
        headroom=f"{num(100 * headroom(document), 2)} %",
        asked=tuple(_asked(name, order) for name, order in answer["orders"].items()),
        differences=intervals_plot(
            differences,
            label=f"Last loss of the network less that of {against}",
            below=f"last loss less that of {against}",
        ),
        blind=intervals_plot(
            blind,
            label="Last loss with permuted weights minus that with the rule's own weights",
            below="last loss, permuted weights minus own weights",
        ),
        oracle=f"{_words(oracle)} (p = {num(oracle['p'], 2)})",
        oracle_wins=float(oracle["value"]) < 0 and float(oracle["p"]) < 0.05,
        columns=_COLUMNS,
        rows=_rows(document, styles),
        short=_short(document["short"], styles),
        unbounded=unbounded,
        doses=_doses(document, styles),
        dose_taus=tuple((str(row["beta"]), _words(row["tau"]["each"])) for row in document["dose"]),
        apart=tuple(
            (name, num(document["apart"][key], 2))
            for key, name in (
                ("weights", "aggregation weights"),
                ("loss", "F(w)"),
                ("models", "entries of the last model"),
            )
        ),
        facts=_facts(setting, document["provenance"]),
        seeds=int(setting["n_seeds"]),
        digest=document["prediction"]["digest"][:12],
        seconds=num(document["provenance"]["network_seconds"], 3),
        command="fedverdict side-by-side --data-root DATA --out DIR",
    )


def _facts(setting: Mapping[str, Any], origin: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    words = {
        "data": f"{setting['dataset']}, split {setting['split']}, scaled by {setting['scaling']}",
        "clients": f"{setting['n_clients']}, all in every round; Dirichlet partition, β = {setting['beta']}",
        "plan": f"{setting['n_rounds']} rounds of {setting['n_local_steps']} steps on {setting['batch_size']} samples",
        "a and b": f"softmax regression, l2 = {setting['l2']}, step size {setting['local_lr']}",
        "c": f"{setting['model']}, step size {setting['network_lr']}, no l2",
        "seeds": f"{setting['n_seeds']}; each moves partition, batches and start, the same for every rule and column",
    }
    return (*words.items(), *((key, str(value)) for key, value in origin.items()))


def read_study(file: Path) -> Mapping[str, Any]:
    """The JSON of a study; `ValueError` naming the file for one that is not, or lacks what a page shows."""
    try:
        found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        _read(found)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        what = error if isinstance(error, ValueError) else repr(error)
        raise ValueError(f"{file}: {what}; expected side_by_side.json of `fedverdict side-by-side`") from error
    return found
