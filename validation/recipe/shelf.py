"""Where recipes, published tables and results of every installed paper lie; no paper's claims are imported for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from validation.papers.index import folder_of, points
from validation.recipe.reading import read_recipe
from validation.recipe.recipe import Recipe
from validation.recipe.result import Result, read_results, together

__all__ = ["Shelf", "chosen", "shelves"]


@dataclass(frozen=True)
class Shelf:
    """One paper: its key, and the folder that holds recipes/, published/ and results/."""

    paper: str
    folder: Path

    def recipes(self) -> tuple[Recipe, ...]:
        """Its recipes by name; `ValueError` naming the file for one that cannot be read."""
        files = sorted((self.folder / "recipes").glob("*.toml"))
        return tuple(read_recipe(file, self.paper) for file in files if file.name != "tables.toml")

    @property
    def results(self) -> Path:
        """Where its results are committed."""
        return self.folder / "results"

    def read(self) -> Mapping[str, Result]:
        """Its results by configuration; where recipes share a run, what each asked of it is put together."""
        found: dict[str, Result] = {}
        for result in read_results(self.results):
            known = found.get(result.config)
            found[result.config] = result if known is None else together(known, result)
        return found


def shelves(papers: Iterable[str] = ()) -> tuple[Shelf, ...]:
    """The shelves of these papers, all that have a folder when none is named; `ValueError` for an unknown key."""
    found = {p.name: folder for p in points() if (folder := folder_of(p)) is not None}
    wanted = list(papers)
    for paper in wanted:
        if paper not in found:
            near = get_close_matches(paper, found, n=1, cutoff=0.6)
            meant = f"nearest: {near[0]}; " if near else ""
            raise ValueError(f"unknown paper {paper!r}; {meant}expected one of {', '.join(sorted(found))}")
    return tuple(Shelf(key, folder) for key, folder in sorted(found.items()) if not wanted or key in wanted)


def chosen(names: Iterable[str]) -> list[tuple[Shelf, Recipe]]:
    """The recipes called by id ("fedaware.table2") or by paper key; all of them when none is named.

    Raises `ValueError` naming the nearest ones for an unknown name.
    """
    every = [(shelf, recipe) for shelf in shelves() for recipe in shelf.recipes()]
    wanted = list(names)
    known = {recipe.id for _, recipe in every} | {shelf.paper for shelf, _ in every}
    for name in wanted:
        if name not in known:
            near = get_close_matches(name, known, n=4, cutoff=0.3) or sorted(known)[:6]
            raise ValueError(f"unknown recipe or paper {name!r}; nearest: {', '.join(near)}")
    return [(s, r) for s, r in every if not wanted or r.id in wanted or s.paper in wanted]
