"""What a shell completes: ids, papers, rules, clients, servers, models, recipes; nothing where that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

__all__ = ["OF_FIELDS", "claims", "names_of", "recipes", "rules"]

Names = Callable[[], Iterable[tuple[str, str]]]
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def names_of(found: Names) -> Completer:
    """A completer for (name, description); nothing where listing fails, as a shell has no place for an error."""

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            rows = list(found())
        except Exception:
            return []
        start = incomplete.casefold()
        return [CompletionItem(name, help=says or None) for name, says in rows if name.casefold().startswith(start)]

    return complete


def _claims() -> Iterable[tuple[str, str]]:
    from validation.papers.index import index_of, points

    rows = [row for point in points() for row in index_of(point) or ()]
    yield from ((key, "a whole paper") for key in dict.fromkeys(row.paper for row in rows))
    yield from ((row.id, row.title) for row in rows)


def _rules() -> Iterable[tuple[str, str]]:
    from theory.rules import own_rules
    from theory.rules import rules as entries

    yield from ((e.name, e.formula) for e in (*entries(), *own_rules()[0]))


def _clients() -> Iterable[tuple[str, str]]:
    from theory.algorithms import client_entries

    yield from ((entry.name, "") for entry in client_entries())


def _servers() -> Iterable[tuple[str, str]]:
    from theory.algorithms import server_entries

    yield from ((entry.name, "") for entry in server_entries())


def _models() -> Iterable[tuple[str, str]]:
    from deep.models import MODELS

    yield from ((name, "") for name in MODELS)


def _recipes() -> Iterable[tuple[str, str]]:
    from validation.recipe.shelf import chosen

    yield from ((recipe.id, recipe.shows) for _, recipe in chosen(()))


claims, rules, recipes = names_of(_claims), names_of(_rules), names_of(_recipes)
OF_FIELDS = {"model": names_of(_models), "client": names_of(_clients), "server": names_of(_servers)}
