"""`fedverdict tighten ID`: how small the constants of a claim's bound can be."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from validation.commands.output import echo_json
from validation.commands.terminal import Terminal, fail

if TYPE_CHECKING:
    from validation.statement.claim import Claim, Inequality
    from validation.study.tighten import Tightened
    from validation.study.tighten.frontier import FrontierPoint

__all__ = ["tighten"]


@click.command()
@click.argument("name", metavar="ID")
@click.option(
    "--reading", type=click.IntRange(min=1), help="Which reading of the claim.  [default: the first that holds]"
)
@click.option(
    "--term",
    "terms",
    multiple=True,
    metavar="FORMULA",
    help="A term with a free constant; repeatable.  [default: the printed summands]",
)
@click.option("--keep", multiple=True, metavar="FORMULA", help="A printed term that stays as it is; repeatable.")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="FORMULA=W",
    help="Weight of a term in the joint sum; repeatable.  [default: 1]",
)
@click.option("--size", "sizes", multiple=True, metavar="NAME=N", help="Hold a size, such as E=5; repeatable.")
@click.option("--along", metavar="NAME", help="Also give each constant at growing values of this size.")
@click.option(
    "--pareto",
    nargs=2,
    metavar="FORMULA FORMULA",
    help="Trade the constants of two terms against each other, the others as printed.",
)
@click.option(
    "--budget", type=click.IntRange(min=100), default=20_000, show_default=True, help="Evaluations of a search."
)
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Number of seeds.")
@click.option(
    "--cap",
    type=click.FloatRange(min=0, min_open=True),
    default=1e4,
    show_default=True,
    help="Largest constant that is tried.",
)
@click.option("--script", is_flag=True, help="Print the certificate of the joint lower bound as a Python script.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as a JSON object.")
def tighten(
    name: str,
    reading: int | None,
    terms: tuple[str, ...],
    keep: tuple[str, ...],
    weights: tuple[str, ...],
    sizes: tuple[str, ...],
    along: str | None,
    pareto: tuple[str, str] | None,
    budget: int,
    seeds: int,
    cap: float,
    script: bool,
    as_json: bool,
) -> None:
    """Find the smallest constants with which a claim's bound survives a search.

    For each term: the printed constant, the smallest one with all others as printed, an exact lower bound of that, and
    its value where the weighted sum of all constants is least. A lower bound is certain. A smallest constant has
    survived a search, which proves nothing.
    """
    from validation.study.tighten import tighten as search_constants
    from validation.study.tighten.frontier import frontier
    from validation.study.tighten.growth import growth

    claim = _claim(name)
    at, test = _inequality(claim, reading)
    try:
        formulas = _formulas(test, terms)
        words: dict[str, Any] = {
            "terms": formulas,
            "keep": keep,
            "weights": {k: float(v) for k, v in map(_pair, weights)},
            "budget": budget,
            "seeds": tuple(range(seeds)),
            "cap": cap,
            "label": f"{claim.id}/{at}",
        }
        held = {k: int(v) for k, v in map(_pair, sizes)}
        if pareto is not None:
            _refuse_beside_pareto({"--weight": weights, "--along": along, "--script": script})
            _print_frontier(claim, at, pareto, frontier(test, pareto, sizes=held, **words), as_json)
            return
        found = search_constants(test, sizes=held, **words)
        grown = growth(test, along, sizes=held, **words) if along is not None else {}
    except ValueError as error:
        fail(f"tighten {claim.id}: {error}")
    if as_json:
        echo_json(
            {
                "id": claim.id,
                "reading": at + 1,
                **_document(found),
                "along": {str(k): _document(v) for k, v in grown.items()},
            }
        )
        return
    if script:
        if found.certificate is None:
            fail(f"tighten {claim.id}: no exact lower bound was found; expected one for --script")
        title = f"Smallest constants of {claim.id}: an exact lower bound"
        click.echo(found.certificate.script(title, [t.name for t in found.terms]), nl=False)
        return
    _print(claim, at, found)
    for value, one in grown.items():
        constants = ", ".join(f"{t.name}: {_number(t.alone)} (>= {_number(t.at_least)})" for t in one.terms)
        click.echo(f"{along} = {value}: {constants}")
    for term, power in _powers(grown).items():
        click.echo(f"alone, the constant of {term} grows like {along}^{power:.1f}")


def _claim(name: str) -> Claim:
    from validation.papers.papers import select

    try:
        pairs = select([name])
    except ValueError as error:
        fail(str(error))
    if len(pairs) != 1:
        fail(f"tighten {name!r}: expected the id of one claim, got {len(pairs)} claims")
    return pairs[0][1]


def _inequality(claim: Claim, reading: int | None) -> tuple[int, Inequality]:
    """The place of a reading and its inequality; by default the first that is committed as `holds` or `proved`."""
    from validation.papers.look_up import look_up
    from validation.statement.claim import Inequality

    if reading is not None and reading > len(claim.readings):
        fail(f"--reading {reading}: {claim.id} has {len(claim.readings)}")
    places = [i for i, r in enumerate(claim.readings) if isinstance(r.test, Inequality)]
    if reading is None:
        try:
            entries = look_up(claim.id).entry.readings
        except ValueError:  # nothing is committed
            entries = ()
        good = {i for i, r in enumerate(entries) if r.verdict in {"holds", "proved"}}
        places = [i for i in places if i in good] or places
    else:
        places = [i for i in places if i == reading - 1]
    if not places:
        which = "no reading" if reading is None else f"reading {reading}"
        fail(f"tighten {claim.id}: {which} is an inequality left <= bound; other forms have no constants to tighten")
    test = claim.readings[places[0]].test
    assert isinstance(test, Inequality)
    return places[0], test


def _formulas(test: Inequality, terms: Sequence[str]) -> dict[str, Any] | None:
    """Terms as typed, over the letters of the bound; raises `ValueError` for what is no formula of them."""
    if not terms:
        return None
    from sympy import Integer, Max, Min, Rational, Symbol, sqrt
    from sympy.parsing.sympy_parser import parse_expr

    letters = {s.name: s for s in test.bound.expression.free_symbols}
    known = {**letters, "Max": Max, "Min": Min, "sqrt": sqrt}
    numbers = {"Integer": Integer, "Float": Rational, "Symbol": Symbol}
    found = {}
    for text in terms:
        if (
            not set(text) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-*/() .,")
            or "__" in text
        ):
            raise ValueError(f"--term {text!r}: expected a formula of {', '.join(sorted(letters))}")
        try:
            formula = parse_expr(text, local_dict=known, global_dict=numbers)
        except (SyntaxError, TypeError, AttributeError, NameError, ValueError):
            raise ValueError(f"--term {text!r}: expected a formula of {', '.join(sorted(letters))}") from None
        unknown = sorted(s.name for s in formula.free_symbols if s.name not in letters)
        if unknown:
            raise ValueError(
                f"--term {text!r}: unknown letter {unknown[0]}; expected some of {', '.join(sorted(letters))}"
            )
        found[text] = formula
    return found


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    try:
        float(value)
    except ValueError:
        equals = ""
    if not equals:
        raise ValueError(f"{text!r}: expected NAME=NUMBER")
    return name.strip(), value.strip()


def _refuse_beside_pareto(others: dict[str, object]) -> None:
    given = [name for name, value in others.items() if value]
    if given:
        raise ValueError(f"--pareto with {given[0]}: expected one of them; the weights of a trade-off are its own")


def _print_frontier(
    claim: Claim, at: int, pair: tuple[str, str], points: Sequence[FrontierPoint], as_json: bool
) -> None:
    if as_json:
        rows = [
            {
                "weight": str(p.weight),
                "constants": None if p.constants is None else list(p.constants),
                "at_least": None if p.at_least is None else str(p.at_least),
                "survived": p.survived,
            }
            for p in points
        ]
        echo_json({"id": claim.id, "reading": at + 1, "terms": list(pair), "frontier": rows})
        return
    out = Terminal(highlight=False)
    out.print(f"{claim.id}, reading {at + 1}: {claim.readings[at].name}", markup=False)
    table = Table("weight w", "constant of the first", "of the second", "w·first + second is at least")
    for p in points:
        first, second = p.constants if p.constants is not None else (None, None)
        table.add_row(_number(p.weight), _number(first), _number(second), _number(p.at_least))
    out.print(table)
    click.echo(f"first: {pair[0]}; second: {pair[1]}; all other constants as printed")
    words = "survived" if all(p.survived for p in points) else "did not all survive"
    click.echo(f"the constants of each line {words} a search; what is below the last column is ruled out exactly")


def _document(found: Tightened) -> dict[str, Any]:
    rows = [
        {
            "term": t.name,
            "printed": str(t.printed),
            "alone": t.alone,
            "at_least": None if t.at_least is None else str(t.at_least),
            "survived": t.survived,
            "jointly": t.jointly,
            "on": t.on,
            "seeds": list(t.seeds),
        }
        for t in found.terms
    ]
    joint = {"value": found.value, "at_least": None if found.at_least is None else str(found.at_least)}
    weights = {t.name: str(w) for t, w in zip(found.terms, found.weights, strict=True)}
    rest = {"kept": list(found.kept), "weights": weights, "survived": found.survived, "slack": found.slack}
    return {"terms": rows, "joint": joint, **rest, "evaluations": found.evaluations}


def _number(value: float | Fraction | None) -> str:
    return "none" if value is None else f"{float(value):.4g}"


def _print(claim: Claim, at: int, found: Tightened) -> None:
    out = Terminal(highlight=False)
    out.print(f"{claim.id}, reading {at + 1}: {claim.readings[at].name}", markup=False)
    table = Table("term", "printed", "alone", "at least", "jointly", "on")
    for t in found.terms:
        on = "never" if t.on == 0 else f"{t.on:.0%}"
        row = (t.name, str(t.printed), _number(t.alone), _number(t.at_least), _number(t.jointly), on)
        table.add_row(*(cell.replace("[", "\\[") for cell in row))
    out.print(table)
    weights = "" if all(w == 1 for w in found.weights) else "weighted "
    click.echo(f"{weights}sum of all: {_number(found.value)}, certainly at least {_number(found.at_least)}")
    if found.kept:
        click.echo(f"kept as printed, because negative on some instance: {', '.join(found.kept)}")
    if any(t.alone is None for t in found.terms):
        click.echo("none: no constant up to the cap was enough")
    words = "survived" if found.survived and all(t.survived for t in found.terms) else "did not all survive"
    click.echo(f"constants raised by {found.slack:.1%} {words} a search; {found.evaluations:,} evaluations in all")


def _powers(grown: dict[int, Tightened]) -> dict[str, float]:
    from validation.study.tighten.growth import powers

    return powers(grown) if len(grown) > 1 else {}
