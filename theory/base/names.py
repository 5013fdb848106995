"""Names as people type them: FedProx, fedprox, fed_prox and fed-prox are one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["known_name", "unknown_name"]

_SIGNS = {"+": "plus", "α": "alpha"}


def known_name(name: str, known: Iterable[str]) -> str:
    """The one of `known` that differs from `name` in capitals, hyphens, underscores and spaces at most, or `name`.

    A plus is read as "plus" and α as "alpha". A name of `known` is itself.

    >>> known_name("FedMGDA+", ["fed-prox", "fed-mgda-plus"]), known_name("prox", ["fed-prox"])
    ('fed-mgda-plus', 'prox')
    """
    names = list(known)
    if name in names:
        return name
    found = [one for one in names if _plain(one) == _plain(name)]
    return found[0] if len(found) == 1 else name


def unknown_name(kind: str, name: str, known: Iterable[str]) -> ValueError:
    """The error for a name that none of `known` is: it has the nearest three, or all where none is near.

    >>> unknown_name("client", "FedProxx", ["sgd", "fed-prox"])
    ValueError("unknown client 'FedProxx'; nearest: fed-prox")
    """
    by_plain = {_plain(one): one for one in known}
    near = [by_plain[one] for one in get_close_matches(_plain(name), by_plain, n=3, cutoff=0.3)]
    return ValueError(f"unknown {kind} {name!r}; nearest: {', '.join(near or sorted(by_plain.values()))}")


def _plain(name: str) -> str:
    spelled = "".join(_SIGNS.get(sign, sign) for sign in name.casefold())
    return re.sub(r"[-_\s]", "", spelled)
