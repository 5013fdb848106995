"""Help in groups: the options of a command, and the commands of a group, under headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click

__all__ = ["GroupedCommand", "nearest_command", "option_sections"]

Sections = Sequence[tuple[str, list[click.Option]]]


class GroupedCommand(click.Command):
    """A command whose options are shown under headings.

    `headings`: the names of the options (``n_rounds``, not ``--rounds``) by heading, in the order to show. Options
    under no heading come last.
    """

    def __init__(self, *words: Any, headings: Mapping[str, Sequence[str]] | None = None, **settings: Any) -> None:
        super().__init__(*words, **settings)
        self.headings = dict(headings or {})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each heading with its options."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        for title, members in option_sections(options, self.headings):
            rows = [row for option in members if (row := option.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def option_sections(options: Sequence[click.Option], headings: Mapping[str, Sequence[str]]) -> Sections:
    """(heading, its options) in the order of the headings; options under none are «Other options», at the end."""
    by_name = {option.name or "": option for option in options}
    placed = {name for names in headings.values() for name in names}
    found = [(title, [by_name[name] for name in names if name in by_name]) for title, names in headings.items()]
    rest = [option for option in options if option.name not in placed]
    return [*found, ("Other options" if headings else "Options", rest)]


def nearest_command(name: str, known: Sequence[str]) -> str:
    """«Did you mean 'check'?» for a name that is close to a known one, else ''."""
    near = get_close_matches(name.casefold(), known, n=1)
    return f"Did you mean '{near[0]}'?" if near else ""
