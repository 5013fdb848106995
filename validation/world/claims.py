r"""How a claim is written: one function for each sort of place that a statement has in its paper.

FIGURE_1 = setting("Figure 1: E = 3", quote="E = 3, and two clients", fixes={"E": each(3)})
EA_S2 = step(
    "EA-S2", "A.9", "Step sizes halve at most once a round",
    printed=r"\eta_t\le2\eta_{t+E}\quad\forall t\ge0",
    plainly="The step size never falls by more than a half within E steps.",
    says=le(eta(t), 2 * eta(t + E)),
    world=STEPS,
    readings=[
        reading("as printed", "All κ, E and t."),
        reading("short rounds", "So that γ >= E.", where=[le(E, 8 * kappa - 1)], met_by=FIGURE_1),
    ],
    mutants=[mutant("factor 2 dropped", le(eta(t), eta(t + E)), "the step size falls", at(kappa=1, E=1, t=0))],
    verdict="…",
)

Readings and mutants are what differs from the claim: another statement, further hypotheses, another world. A text may
go over several lines: its white space counts as one space, that of LaTeX as none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Concatenate, Literal, ParamSpec

import sympy as sp

from validation.published.relations import quoted
from validation.statement.claim import (
    Claim,
    ClassWorstCase,
    Identity,
    Kind,
    Mechanism,
    Mutant,
    Number,
    Property,
    Reading,
    Relation,
    Test,
    no_mutant,
)
from validation.statement.forms.orders import Order
from validation.statement.forms.studies import Study
from validation.statement.instances.at import At
from validation.statement.roles import ClaimRoles, Level, Open, ReadingRole
from validation.statement.says import Eq, Le, le
from validation.world.variants import FalseVariant, Says, Variant, in_words, instances, prose, reading, several
from validation.world.world import World

__all__ = ["corollary", "definition", "lemma", "proposition", "relation", "remark", "step", "theorem"]

P = ParamSpec("P")


def _claim(
    level: Level,
    claim_id: str,
    place: str,
    title: str,
    *,
    printed: str | None = None,
    quote: str | None = None,
    plainly: str,
    assumes: Sequence[str] = (),
    says: Says,
    world: World | None = None,
    open: Mapping[str, Open] | None = None,  # noqa: A002  what the print leaves open
    readings: Sequence[Variant] = (),
    mutants: Sequence[FalseVariant],
    tight: str | At | Sequence[str | At] = (),
    rests_on: Sequence[str] = (),
    repeats: str = "",
    meets: Mapping[str, str] | None = None,
    ours: str = "",
    written: str = "",
    supremum: float | None = None,
    worst_cases: Sequence[ClassWorstCase] = (),
    studies: Sequence[Study] = (),
    mechanisms: Sequence[Mechanism] = (),
    verdict: str,
) -> Claim:
    """A claim as search and judge take it, found at `place` in the paper. Without `readings` the print is the only one.

    `printed`: its LaTeX, or `quote`: the paper's own words, whose numbers then count as printed; `plainly`: one
    sentence; `verdict`: a paragraph for people, "" until there is one. `open`: issue → `twice` or `nowhere`, for what
    the print leaves open. `tight`: where both sides are equal, in words, as instances `at(…)`, or both. `rests_on`: ids
    of claims of the paper; `repeats`: the one whose slip this one carries on; `meets`: one that it rests on → the
    hypothesis by which it meets what that one lacks. `ours`: why the statement as a whole is asked by us and not
    printed; `written`: what of `printed` we wrote out. `supremum`: of left over right side where it is known.

    Raises `TypeError` for neither or both of print and quote, and for one where several are expected; `ValueError` for
    no sentence, for what is no identity and has no world, for a reading that nothing can refute (one that assumes
    what it says, or one of several ways to read the print that only says that something exists), and as `ClaimRoles`
    and `Claim` do. The paper refuses ids that are no other claim of its own.
    """
    here = f"{level}({claim_id!r})"
    several(here, readings=readings, mutants=mutants, assumes=assumes, rests_on=rests_on)
    with _named(here):
        if not plainly.strip():
            raise ValueError("plainly = ''; expected one plain sentence")
        if (printed is None) == (quote is None):
            given = "neither printed nor quote" if quote is None else "both printed and quote"
            raise TypeError(f"{given}; expected the LaTeX of the print, or the paper's own words")
        variants = tuple(readings) or (reading("as printed", plainly),)
        for false in mutants:
            if all(_same(false, variant, says, world) for variant in variants):
                raise ValueError(no_mutant(false.name))
        for variant in variants:
            _can_fail(variant, variants, says)
        made = tuple(Reading(v.role.name, v.note, _test(v, says, world), repair=_repair(v.role)) for v in variants)
        numbers = quote and not all(isinstance(r.test, Relation) and r.test.needs_run for r in made)
        roles = ClaimRoles(
            level,
            tuple(v.role for v in variants),
            dict(open or {}),
            repeats,
            ours=prose(ours),
            written=prose(written),
            meets={one: prose(where) for one, where in (meets or {}).items()},
        )
        tight = [tight] if isinstance(tight, str | At) else tight
        return Claim(
            id=claim_id,
            kind=next((kind for of, kind in _KINDS.items() if isinstance(made[0].test, of)), Kind.INEQUALITY),
            at=prose(place),
            title=prose(title),
            printed=_latex(printed or "") if quote is None else quoted(prose(quote)),
            plainly=prose(plainly),
            assumes=tuple(map(prose, assumes)) or (("numbers as printed",) if numbers else ()),
            readings=made,
            mutants=tuple(Mutant(m.name, _test(m, says, world), m.why, m.falls_at) for m in mutants),
            tight=in_words(*tight) or None,
            rests_on=tuple(rests_on),
            verdict=prose(verdict),
            supremum=supremum,
            worst_cases=tuple(worst_cases),
            roles=roles,
            studies=tuple(studies),
            mechanisms=tuple(mechanisms),
            tight_at=instances(*tight),
        )


def _of(level: Level, make: Callable[Concatenate[Level, P], Claim]) -> Callable[P, Claim]:
    """The function that writes claims of one level, with the arguments and the docstring of `_claim`."""

    def written(*args: P.args, **named: P.kwargs) -> Claim:
        return make(level, *args, **named)

    _, *parameters = signature(make).parameters.values()
    written.__name__ = written.__qualname__ = str(level)
    written.__doc__ = make.__doc__
    vars(written)["__signature__"] = signature(make).replace(parameters=parameters)  # for editors and `help`
    return written


theorem = _of(Level.THEOREM, _claim)
lemma = _of(Level.LEMMA, _claim)
corollary = _of(Level.COROLLARY, _claim)
proposition = _of(Level.PROPOSITION, _claim)
step = _of(Level.STEP, _claim)
remark = _of(Level.REMARK, _claim)
relation = _of(Level.RELATION, _claim)
definition = _of(Level.DEFINITION, _claim)


def _can_fail(one: Variant, all_of_them: Sequence[Variant], says: Says) -> None:
    """Raises `ValueError` for a reading that any print survives."""
    said, here = one.says or says, f"reading {one.role.name!r}"
    same = [h for h in one.where if isinstance(said, Le | Eq) and type(h) is type(said)]
    if isinstance(said, Le | Eq) and any((h.left, h.right) == (said.left, said.right) for h in same):
        raise ValueError(f"{here} assumes what it says; expected another hypothesis")
    others = [v for v in all_of_them if v is not one and v.role.decides and v.role.part == one.role.part]
    if isinstance(said, Le) and said.choice and one.role.options and others:
        raise ValueError(
            f"{here}: «there is …» is refuted by nothing that is drawn, so that beside other ways to read the print the"
            " word would be open whatever is found; expected the choice in the formula, or a claim of its own"
        )


def _test(of: Variant | FalseVariant, says: Says, world: World | None) -> Test:
    """What a reading or a mutant tests: its own statement and world, or those of the claim."""
    said, over = of.says or says, of.world or world
    if not isinstance(said, Le | Eq):
        return said
    if isinstance(said, Eq) and (said.identity or (over is None and not of.where)):
        return Identity(said.left, said.right, said.sample)
    if over is None:
        raise ValueError("no world; expected one for what is no identity of all letters")
    if isinstance(said, Eq):  # of what is drawn; numbers outside its range are not spoken of
        said = le(sp.Abs(said.left - said.right), 0)
    return over.where(*of.where).test(said)


def _same(one: FalseVariant, variant: Variant, says: Says, world: World | None) -> bool:
    """Whether a mutant says what a reading says, over the same world under the same hypotheses."""
    if (one.world or world) is not (variant.world or world) or one.where != variant.where:
        return False
    mine, other = one.says or says, variant.says or says
    if mine is other:
        return True
    if not isinstance(mine, Le | Eq) or type(mine) is not type(other):
        return False
    shifted = (mine.left - mine.right) - (other.left - other.right)
    if isinstance(mine, Le) and isinstance(other, Le):
        return mine.strict == other.strict and bool(shifted == 0)
    return bool(shifted == 0)


def _latex(text: str) -> str:
    """LaTeX over several lines as one; a command at the end of a line runs into no letter of the next."""
    whole = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        whole += f" {line}" if re.search(r"\\[A-Za-z]+$", whole) else line
    return whole


@contextmanager
def _named(here: str) -> Iterator[None]:
    """What is wrong with a claim, with the claim it is wrong in: a paper has hundreds."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if type(error) not in (TypeError, ValueError):
            raise
        raise type(error)(f"{here}: {error}") from error


_KINDS: Mapping[type, Kind] = {
    Identity: Kind.IDENTITY,
    Order: Kind.ORDER,
    Relation: Kind.RELATION,
    Number: Kind.NUMBER,
    Property: Kind.PROPERTY,
}


def _repair(role: ReadingRole) -> Literal["condition", "edit"] | None:
    if role.edits:
        return "edit"
    return "condition" if role.conditions else None
