"""A part of a paper's page in the report: what was run, pictures, tables, and the command that makes them."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

__all__ = ["Panel", "Section", "Table"]


@dataclass(frozen=True)
class Panel:
    """One picture with its heading and a sentence on how to read it."""

    title: str
    says: str
    svg: Markup


@dataclass(frozen=True)
class Table:
    """A caption, the columns' titles and the rows' cells; the first `n_words` columns are words, the others numbers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_words: int


@dataclass(frozen=True)
class Section:
    """A part of a paper's page; `panels` are shown side by side, the tables below them."""

    title: str
    says: str
    panels: tuple[Panel, ...]
    tables: tuple[Table, ...]
    command: str
