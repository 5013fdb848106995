"""The catalogue: every letter of statements about runs, and which letters are exact under given options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from theory.worlds.federated import of_model, of_problem, of_steps, of_weights
from theory.worlds.federated.letter import Letter
from theory.worlds.federated.options import WITHIN, Options, refusal

__all__ = ["CATALOGUE", "chosen", "within"]

CATALOGUE: Mapping[str, Letter] = {
    letter.name: letter for letter in (*of_problem.LETTERS, *of_weights.LETTERS, *of_model.LETTERS, *of_steps.LETTERS)
}


def chosen(names: Iterable[str], options: Options) -> tuple[Letter, ...]:
    """The letters of these names. Raises `ValueError` for one that is unknown, or not exact under these options."""
    found = []
    for name in names:
        letter = CATALOGUE.get(name)
        if letter is None:
            raise ValueError(
                f"federated runs: {name!r} is no letter that a run gives{_meant(name)}; if it belongs to the"
                f" description, draw it, draws=(LogScale({name!r}, 1e-3, 1),), or, where `run_letters` has it,"
                f" define it, let={{{name}: …}}"
            )
        why = refusal(letter.needs, options)
        if why:
            raise ValueError(f"federated runs: {name} ({letter.says}) {why}")
        found.append(letter)
    return tuple(found)


def _meant(name: str) -> str:
    """The letters with nearly this name, as a question; '' where there are none."""
    near = get_close_matches(name, CATALOGUE, 3)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


def within(letters: Iterable[Letter], options: Options) -> bool:
    """Whether the models inside of rounds are needed."""
    return options.short > 0 or any(
        WITHIN in letter.needs for letter in letters if not (letter.name == "before" and options.E == 1)
    )
