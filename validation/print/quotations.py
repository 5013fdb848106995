"""What a claim quotes of its paper, «so», piece by piece, and whether it stands in the paper's text.

Compared are words and numbers in their order, whatever stands between them: the text's LaTeX, line ends, accents of
formulas. A piece of less than two words is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

from validation.statement.claim import Claim
from validation.statement.roles import ReadingRole, roles_of

__all__ = ["digest", "pieces", "quoted_in", "words"]

__judges__ = "no"

_QUOTED = re.compile(r"«([^«»]*)»")
_LEFT_OUT = re.compile(r"…|\.\.\.|\[[^\]]*\]")
_LETTERS = {r"\alpha": " α ", r"\lambda": " λ ", r"\tau": " τ ", r"\mu": " μ ", r"\beta": " β ", r"\gamma": " γ "}
_FEWEST = 2


def words(text: str) -> list[str]:
    r"""Words, numbers and signs of percent, in small letters; commands of LaTeX but for common letters are left out.

    >>> words(r"a learning rate that decays with $\tau$, 50\%"), words("in-\nactive")
    (['a', 'learning', 'rate', 'that', 'decays', 'with', 'τ', '50', '%'], ['inactive'])
    """
    joined = re.sub(r"(\w)-\s*\n\s*(\w)", r"\1\2", text)
    for command, letter in _LETTERS.items():
        joined = re.sub(re.escape(command) + r"(?![A-Za-z])", letter, joined)
    plain = re.sub(r"\\[A-Za-z]+", " ", joined).lower()
    return re.findall(r"\d+(?:\.\d+)?|[^\W\d_]+|%", plain)


def quoted_in(text: str) -> Iterator[str]:
    """The pieces between «quotation marks», cut where something is left out; those of two words and more."""
    for quoted in _QUOTED.findall(text):
        for piece in _LEFT_OUT.split(quoted):
            if sum(len(word) > 1 for word in words(piece)) >= _FEWEST:
                yield " ".join(piece.split())


def pieces(claim: Claim) -> dict[str, None]:
    """All that a claim quotes, once each: in its texts and in those of its readings, mutants and open points."""
    roles = roles_of(claim)
    said = [claim.at, claim.title, claim.printed, claim.plainly, claim.verdict, claim.tight or "", *claim.assumes]
    said += [text for m in claim.mutants for text in (m.name, m.false_since)]
    said += [text for r in claim.readings for text in (r.name, r.says)]
    said += [roles.ours, roles.written, *(o.why for o in roles.open.values())]
    said += [text for role in roles.readings for text in _of(role)]
    return dict.fromkeys(piece for text in said for piece in quoted_in(text))


def _of(role: ReadingRole) -> Iterator[str]:
    """The texts of a reading's role; quotations in the name of a setting are those of the setting."""
    yield from (*role.options.values(), *role.cuts.values(), *role.conditions, *role.edits)
    yield from (role.part, role.used_by, role.forced_by, role.ours, role.because)


def digest(piece: str) -> str:
    """What a found piece is known by where the text is not at hand."""
    return sha256(" ".join(words(piece)).encode()).hexdigest()[:16]
