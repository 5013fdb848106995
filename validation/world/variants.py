"""How readings and mutants differ from their claim: another statement, further hypotheses, another world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from validation.statement.claim import Test
from validation.statement.instances.at import At
from validation.statement.roles import Open, ReadingRole
from validation.statement.says import Eq, Le
from validation.statement.setting import Setting
from validation.world.world import World

__all__ = [
    "FalseVariant",
    "Says",
    "Variant",
    "in_words",
    "instances",
    "mutant",
    "nowhere",
    "prose",
    "reading",
    "several",
    "twice",
]

Says: TypeAlias = "Le | Eq | Test"
"""Two sides over a world, or a statement of another kind, which brings what it is tested on."""
Instant: TypeAlias = Literal["before the run", "before the round", "before the step", "after the step"]


@dataclass(frozen=True)
class Variant:
    """A reading as it differs from the claim: another statement, further hypotheses, another world; and what it is."""

    note: str
    role: ReadingRole
    says: Says | None = None
    where: tuple[Le | Eq, ...] = ()
    world: World | None = None


@dataclass(frozen=True)
class FalseVariant:
    """A structural mutant of what is said: false by the argument in `why`, so the search must refute it."""

    name: str
    says: Says | None
    why: str
    falls_at: tuple[At, ...] = ()
    where: tuple[Le | Eq, ...] = ()
    world: World | None = None


def twice(why: str, *options: str) -> Open:
    """A point that is printed twice and differently; `why` quotes both passages.

    `options`: what may be chosen, of a point that several claims share; each has the same object then.
    """
    return Open("twice", prose(why), tuple(map(prose, options)))


def nowhere(why: str, *options: str) -> Open:
    """A point that is printed nowhere; `why` says which word is not defined, `options` are as in `twice`."""
    return Open("nowhere", prose(why), tuple(map(prose, options)))


def reading(
    name: str,
    note: str,
    says: Says | None = None,
    *,
    where: Sequence[Le | Eq] = (),
    world: World | None = None,
    part: str = "",
    options: Mapping[str, str] | None = None,
    cuts: Mapping[str, str] | None = None,
    sees: Instant | Literal[""] = "",
    used_by: str = "",
    conditions: Sequence[str] = (),
    met_by: Setting | None = None,
    edits: Sequence[str] = (),
    token: bool = False,
    forced_by: str = "",
    wrong_form_in: Sequence[str] = (),
    carries: bool | None = None,
    ours: str = "",
    because: str = "",
    shown: bool = False,
) -> Variant:
    """One reading: its name, how it reads the print in a sentence, and what it says and draws unlike the claim.

    `where`: hypotheses that it adds, which are its `conditions` where those are not given in words; `ReadingRole` says
    what the other arguments mean. `met_by`: the `setting` of the paper that meets the conditions, which a test of the
    paper shows by an instance. Raises `TypeError` for one where several are expected, and as `ReadingRole` does.
    """
    if met_by is not None and not isinstance(met_by, Setting):
        raise TypeError(f"reading({name!r}): met_by is {met_by!r}; expected a setting(…) of the paper, a text is none")
    several(f"reading({name!r})", where=where, conditions=conditions, edits=edits, wrong_form_in=wrong_form_in)
    role = ReadingRole(
        prose(name),
        part=prose(part),
        options={issue: prose(choice) for issue, choice in (options or {}).items()},
        cuts={scope: prose(value) for scope, value in (cuts or {}).items()},
        sees=sees,
        used_by=prose(used_by),
        conditions=tuple(map(prose, conditions)) or tuple(h.words for h in where),
        met_by=prose(met_by.name) if met_by is not None else "",
        setting=met_by,
        edits=tuple(map(prose, edits)),
        token=token,
        forced_by=prose(forced_by),
        wrong_form_in=tuple(wrong_form_in),
        carries=carries,
        ours=prose(ours),
        because=prose(because),
        shown=shown,
    )
    return Variant(prose(note), role, says, tuple(where), world)


def mutant(
    name: str, says: Says | None, *why: str | At, where: Sequence[Le | Eq] = (), world: World | None = None
) -> FalseVariant:
    """A mutant of the claim; `says=None` is what the claim says, over another world or under other hypotheses.

    `why` it is false: a sentence, instances `at(…)` at which it falls, or both; a test evaluates the instances exactly.
    Raises `TypeError` for no reason, and for a condition alone; `ValueError` where nothing differs from the claim.
    """
    here = f"mutant({name!r})"
    several(here, where=where)
    if not why:
        raise TypeError(f"{here}: no reason; expected a sentence why it is false, or an instance at(…)")
    if says is None and world is None and not where:
        raise ValueError(f"{here} says nothing else than the claim; expected another statement, world or hypothesis")
    return FalseVariant(prose(name), says, in_words(*why), instances(*why), tuple(where), world)


_SUCH = {"where": "le(…)", "readings": "reading(…)", "mutants": "mutant(…)"}


def several(here: str, **given: Any) -> None:
    """Raises `TypeError` for one thing where a list of them is expected; a text is one thing."""
    for name, what in given.items():
        if isinstance(what, str):
            found, such = f"the text {what!r}", repr(what)
        elif not isinstance(what, Sequence):
            found, such = what.words if isinstance(what, Le | Eq) else "no list", _SUCH.get(name, "…")
        else:
            continue
        raise TypeError(f"{here}: {name} is {found}; expected a list, [{such}]")


def prose(text: str) -> str:
    """A text over several lines as one."""
    return " ".join(text.split())


def in_words(*given: str | At) -> str:
    """What is said in words, else the instances as they are written."""
    said = [prose(one) for one in given if isinstance(one, str)] or [str(one) for one in given]
    return "; ".join(said)


def instances(*given: str | At) -> tuple[At, ...]:
    """The instances among what is given."""
    return tuple(one for one in given if isinstance(one, At))
