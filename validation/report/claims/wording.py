"""Words for what a ledger keeps by key: what a print leaves open, what a reading cuts, what a statement fails for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from validation.judge.entry import Terms
from validation.judge.words.entry import labelled
from validation.report.text.readable import GREEK

__all__ = ["ROLES", "excluded", "issue_words", "read_as", "role_words"]

_LABELS = {"used_by": "the paper uses it:", "met_by": "met by", "forced_by": "forced by", "ours": "since"}
_LABELS |= {"because": "since"}
ROLES: Mapping[str, tuple[str, str]] = {
    "alternative": ("a reading", "a way to read the print; it counts for the verdict"),
    "cut": ("a case of it", "a case that the print covers, searched by itself; it counts for the verdict"),
    "special case": ("with a condition", "the print with a condition that it lacks; it may restore the statement"),
    "repair": ("changed", "the print with a change of its formula; it may restore the statement"),
    "ours": ("not printed", "what the print does not say and we asked; it does not count for the verdict"),
    "beside": ("reported only", "an attack that no algorithm of the paper makes; it does not count for the verdict"),
}
"""By a reading's role in the ledger what a page calls it, and what that means."""


_WORDS_OF_PRINT = frozenset(
    "about absent across almost better comparable competitive faster greatly increasing irrelevant marginal minor "  # noqa: SIM905
    "moderate most normalised only optimizes other others outdated significant similar than tighter unbiased "
    "varies".split()
)
"""Keys that are words of a print whose meaning is open, not things that it leaves open."""
_OWN_WORDS = {"stands_for": "what it stands for", "argmin": "the arg min", "fedavg": "FedAvg", "lambdas": "the λs"}
_OWN_WORDS |= {"m0": "m⁰", "range_of_t": "the range of t", "step_of_B": "the step of B"}
_PLACE = re.compile(r"[A-Z]\.\d+|\(\d+\)|(?:Table|Algorithm|Sec\.|Theorem|Lemma) [\w.]+")


def issue_words(key: str, why: str = "") -> str:
    """What is left open, as a reader says it: `next_point` is «the next point», `omega_t` «Ω_t» where `why` has that.

    >>> issue_words("next_point"), issue_words("gamma"), issue_words("omega_t", "Ω_t is nowhere defined")
    ('the next point', 'γ', 'Ω_t')
    >>> issue_words("about"), issue_words("fedavg")
    ('the word «about»', 'FedAvg')
    """
    if key in _WORDS_OF_PRINT:
        return f"the word «{key}»"
    if key in _OWN_WORDS:
        return _OWN_WORDS[key]
    stem, _, index = key.partition("_")
    if stem.lower() in GREEK:
        letter = GREEK[stem.lower()]
        large = letter.upper() if stem[0].isupper() or (letter not in why and letter.upper() in why) else letter
        return f"{large}_{index}" if index else large
    if re.fullmatch(r"[A-Za-z]\d?|\W", key):
        return key
    return f"the {key.replace('_', ' ')}"


def _apart(choice: str) -> str:
    """A choice in the marks of a label: «» are for what a paper prints."""
    return f"“{choice}”"


def read_as(options: Sequence[tuple[str, str]], whys: Mapping[str, str]) -> str:
    """«γ as in A.9 and the first step as “t = 1”»: what is read how, where the print leaves it open.

    Where the reason says what a letter is at a place of the paper, as in «their proof (A.9) γ = L/μ», so does this.

    >>> read_as([("gamma", "A.9")], {"gamma": "the theorem prints γ = L/μ, the proof (A.9) γ = max{8L/μ, E} − 1"})
    'γ = max{8L/μ, E} − 1 as in A.9'
    """
    said = [_read(issue_words(issue, whys.get(issue, "")), choice, whys.get(issue, "")) for issue, choice in options]
    return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


def _read(name: str, choice: str, why: str) -> str:
    """«γ = max{8L/μ, E} − 1 as in A.9», «γ as in A.9», «the window as “the rounds before T”»."""
    if not _PLACE.fullmatch(choice):
        return f"{name} as {_apart(choice)}"
    formula = re.search(rf"\({re.escape(choice)}\) ({re.escape(name)} = [^;]+?)(?:[.;]|$)", why)
    return f"{formula[1] if formula else name} as in {choice}"


def excluded(left_out: Sequence[str]) -> str:
    """«weights of smallest norm or on the largest update»: what a statement fails for, by what it is a value of.

    >>> excluded(("weights = of smallest norm", "weights = on the largest update")), excluded(("lambda_we = 0",))
    ('weights (of smallest norm; on the largest update)', 'λ_we = 0')
    """
    values: dict[str, list[str]] = {}
    for one in left_out:
        key, equals, value = one.partition(" = ")
        values.setdefault(key.strip(), []).extend([value.strip()] if equals else [])
    said = []
    for key, held in values.items():
        name = issue_words(key).removeprefix("the ")
        if not held:
            said.append(key)
        elif len(held) == 1 and re.fullmatch(r"[-−\d./]+", held[0]):
            said.append(f"{name} = {held[0]}")
        else:
            said.append(f"{name} ({'; '.join(held)})")
    return ", and for ".join(said)


def role_words(role: str, terms: Terms, whys: Mapping[str, str], plain: str = "as printed") -> str:
    """What a reading is: its role, and what makes it so, in one line; `plain`: what the statement as it stands is."""
    said = [f"reads {read_as(tuple(terms.options.items()), whys)}"] if terms.options else []
    said += [excluded((f"{key} = {value}",)) for key, value in terms.cuts.items()]
    said += [*terms.conditions, *terms.edits]
    said += labelled(terms, _LABELS)
    part = f"part “{terms.part}”, " if terms.part else ""
    shown = plain if role == "alternative" and not said else ROLES.get(role, (role, ""))[0]
    return f"{part}{shown}" + (f": {'; '.join(said)}" if said else "")
