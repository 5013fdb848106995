"""FedSSA's own runs in the report: convex and deep, whole runs, its tables' protocols, each with its interval.

Source: the files that `python -m paper_checks.fedssa.runs` leaves in the paper's folder `results`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from validation.report import fields
from validation.report.comparison import Run
from validation.report.pictures.curves import curves_plot
from validation.report.text.readable import num
from validation.statement.section import Panel, Section, Table

__all__ = ["sections"]

Row = Mapping[str, object]
Column = tuple[str, Callable[[Row], str]]


def sections(folder: Path) -> tuple[Section, ...]:
    """The sections of the files in `folder`; of those missing there is none.

    Raises `ValueError` naming file and field for what is malformed.
    """
    parts = {"mixture": _mixture, "whole": _whole, "after": _after, "samplewise": _samplewise, "collapse": _collapse}
    found = []
    for name, made in parts.items():
        path = folder / f"{name}.json"
        if path.is_file():
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise ValueError(f"{path.name}: no JSON ({error})") from error
            if not isinstance(data, dict):
                raise ValueError(f"{path.name}: {type(data).__name__}; expected an object")
            found.append(made(data, path.name))
    return tuple(found)


def _mixture(data: Row, place: str) -> Section:
    rows = tuple(fields.objects(data, "rows", place))
    curves = tuple(fields.objects(data, "curves", place))
    columns = (
        *_words("target", "world", "rule"),
        ("‖w − p‖₁", _interval("l1", place)),
        ("over FedAvg", _interval("l1_over_fedavg", place)),
        ("W_D", _interval("w_d", place)),
        ("accuracy on the target", _interval("accuracy", place, 100)),
    )
    panels = [
        panel
        for target in dict.fromkeys(fields.text(row, "target", place) for row in curves)
        for world in ("convex", "deep")
        if (panel := _curves(curves, target, world, place)) is not None
    ]
    draws = num(fields.number(data, "draws", place))
    return Section(
        "Distance of learned weights from a known mixture, convex and deep",
        f"The target is Σ pₖqₖ, a mixture of the clients' class distributions with known p: all on client 0 (Skew), or"
        f" drawn from Dir(1) (Mixture). Left: softmax regression in the convex simulator. Right: an MLP with the same"
        f" rules, views and unlabelled samples. Means over {draws} draws, with intervals in the table. The paper aims"
        f" at ‖w − p‖₁ near 0.",
        tuple(panels),
        (_table(f"Last round, mean and 95 % interval over {draws} draws", columns, rows, 3),),
        fields.text(data, "command", place),
    )


def _curves(curves: Sequence[Row], target: str, world: str, place: str) -> Panel | None:
    """‖w − p‖₁ over the rounds, a line for each rule."""
    mine = [row for row in curves if row.get("target") == target and row.get("world") == world]
    runs = []
    for row in mine:
        rule = fields.text(row, "rule", place, required=True)
        values = tuple(fields.as_number(v, "l1", place) or 0.0 for v in fields.sequence(row, "l1", place))
        rounds = tuple(map(float, range(len(values))))
        runs.append(Run(rule, rule, rounds, {"l1": values}, (), (), (), False))
    colours = {run.rule: i for i, run in enumerate(runs)}
    drawn = curves_plot(runs, "l1", colours, log=False, label=f"‖w − p‖₁, {target}, {world}") if runs else None
    return None if drawn is None else Panel(f"{target}, {world}", "Mean of ‖w − p‖₁ over the draws.", drawn.svg)


def _whole(data: Row, place: str) -> Section:
    columns = (
        *_words("division", "target", "rule"),
        ("accuracy", _interval("accuracy", place, 100)),
        ("over FedAvg, paired", _interval("over_fedavg", place, 100)),
        ("largest weight", _number("largest_weight", place)),
    )
    return Section(
        "Weights learned in every round",
        "The digits, an MLP, ten rounds of ten local epochs. FedSSA takes ten epochs of gradient steps a round."
        " «Minimised» continues to a minimum of the loss, where nearly all weight is on one client.",
        (),
        (_table(f"Accuracy in %, {_seeds(data, place)}", columns, tuple(fields.objects(data, "rows", place)), 3),),
        fields.text(data, "command", place),
    )


def _after(data: Row, place: str) -> Section:
    def rows(key: str) -> tuple[Row, ...]:
        return tuple(fields.objects(data, key, place))

    learned = (
        ("accuracy", _interval("accuracy", place, 100)),
        ("over the base, paired", _interval("over_base", place, 100)),
        ("weight of client 0", _number("weight_of_first", place)),
        ("largest weight", _number("largest_weight", place)),
    )
    models = rows("models")
    clients = sorted({key for row in models for key in row if key[0] == "L" and key[1:].isdigit()})
    seeds = _seeds(data, place)
    return Section(
        "Weights learned once, after any algorithm",
        "The protocol of the paper's Table 3 on the digits: five algorithms are trained without the target, then"
        " weights are learned on the last round's models. Below are the clients' own models (Table 4), each term of the"
        " loss alone, and the effect of the step length, which the paper does not give.",
        (),
        (
            _table(
                f"After five algorithms, accuracy in %, {seeds}",
                (*_words("target", "algorithm", "rule"), ("base", _interval("base", place, 100)), *learned),
                rows("modularity"),
                3,
            ),
            _table(
                f"Each client's model on the target, accuracy in %, {seeds}",
                (
                    *_words("target"),
                    *((key, _interval(key, place, 100)) for key in clients),
                    ("FedAvg", _interval("fedavg", place, 100)),
                ),
                models,
                1,
            ),
            _table(
                f"Terms of the loss, after FedAvg, accuracy in %, {seeds}",
                (*_words("target", "rule"), *learned),
                rows("terms"),
                2,
            ),
            _table(
                f"Step length η_ssa, ten epochs after FedAvg, accuracy in %, {seeds}",
                (*_words("target", "rule"), *learned),
                rows("rates"),
                2,
            ),
        ),
        fields.text(data, "command", place),
    )


def _samplewise(data: Row, place: str) -> Section:
    rows = tuple(fields.objects(data, "rows", place))
    flat = [{**row, **fields.mapping(row, "accuracies", place)} for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in fields.mapping(row, "accuracies", place)))
    columns = (
        *_words("target", "rule"),
        *((name, _interval(name, place, 100)) for name in names),
        ("over FedAvg + Ensemble, paired", _interval("over_ensemble", place, 100)),
    )
    return Section(
        "One sample at a time",
        "The protocol of the paper's Table 2 on the digits: the target is unknown in training, and weights are learned"
        " for each test sample separately.",
        (),
        (_table(f"Accuracy in %, {_seeds(data, place)}", columns, flat, 2),),
        fields.text(data, "command", place),
    )


def _collapse(data: Row, place: str) -> Section:
    rows = tuple(fields.objects(data, "rows", place))
    effects = tuple(fields.objects(data, "effects", place))
    seeds = len({fields.number(row, "seed", place) for row in rows})

    def told(key: str, times: float = 1) -> Callable[[Row], str]:
        """Mean and interval, which seeds that are all equal have none of; an effect with Holm's p below 5 % is marked."""

        def shown(row: Row) -> str:
            if key not in row:
                return "—"
            found = fields.mapping(row, key, place)
            value, low, high, p = (fields.number(found, part, place) for part in ("value", "low", "high", "p"))
            mean, *ends = (num(round(times * (part or 0.0), 4), 3) for part in (value, low, high))
            between = "" if low is None else f" ({' to '.join(ends)})"
            return mean + between + (" *" if p is not None and p < 0.05 else "")

        return shown

    columns: tuple[Column, ...] = (
        ("round", lambda row: num(fields.number(row, "round", place))),
        *_words("option"),
        ("weight of the owner", told("owner")),
        ("effect", told("owner, effect")),
        ("largest weight of another", told("wrong")),
        ("effect", told("wrong, effect")),
        ("seeds that collapse", lambda row: num(fields.number(row, "collapsed", place))),
        ("accuracy in %", told("accuracy", 100)),
        ("effect", told("accuracy, effect", 100)),
    )
    return Section(
        "What moves the weight of wrong clients",
        "Fashion-MNIST, NIID-1, Skew, in the setting of Table 1: client 0 owns both classes of the target, no other client"
        " has one. FedAvg is trained, and after its first and second round each option learns weights on the same"
        " clients' models. Two rounds of a hundred are a diagnosis and no evidence of the table. A seed collapses where the mixture is right on less than half of what"
        " guessing gets.",
        (),
        (
            _table(
                f"Means and 95 % intervals over {seeds} seeds; effects are paired, option less default; * below 5 % by Holm"
                " over the options of a round",
                columns,
                effects,
                2,
            ),
        ),
        fields.text(data, "command", place),
    )


def _table(caption: str, columns: Sequence[Column], rows: Sequence[Row], n_words: int) -> Table:
    cells = tuple(tuple(cell(row) for _, cell in columns) for row in rows)
    return Table(caption, tuple(title for title, _ in columns), cells, n_words)


def _words(*keys: str) -> tuple[Column, ...]:
    return tuple((key, lambda row, key=key: str(row.get(key, ""))) for key in keys)


def _number(key: str, place: str) -> Callable[[Row], str]:
    return lambda row: num(fields.number(row, key, place), 3)


def _interval(key: str, place: str, times: float = 1) -> Callable[[Row], str]:
    """The mean (its low to its high), `times` what is stored; a dash where there is none."""

    def shown(row: Row) -> str:
        if row.get(key) is None:
            return "—"
        parts = [fields.number(fields.mapping(row, key, place), part, place) for part in ("mean", "low", "high")]
        if None in parts:
            raise ValueError(f"{place}: '{key}' lacks mean, low or high")
        mean, low, high = (num(round(times * (part or 0.0), 4), 3) for part in parts)
        return f"{mean} ({low} to {high})"

    return shown


def _seeds(data: Row, place: str) -> str:
    return f"mean and 95 % interval over {len(fields.sequence(data, 'seeds', place))} seeds"
