"""What the search box looks through: one line a claim, as a script, since a page on disk cannot fetch a file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from validation.report.claims.claims import Claim

__all__ = ["search_index"]

_WORDS = 160  # characters of an explanation that are searched
_SIGNS = {
    r"\Gamma": "Γ", r"\Omega": "Ω", r"\rho": "ρ", r"\mu": "μ", r"\eta": "η", r"\gamma": "γ", r"\sigma": "σ",
    r"\lambda": "λ", r"\alpha": "α", r"\beta": "β", r"\theta": "θ", r"\omega": "ω", r"\kappa": "κ", r"\chi": "χ",
    r"\Psi": "Ψ", r"\psi": "ψ", r"\tau": "τ", r"\xi": "ξ", r"\Delta": "Δ", r"\nabla": "∇", r"\epsilon": "ε",
}  # fmt: skip


def _symbols(latex: str) -> str:
    """The letters of a formula, each once, and the names of its Greek ones."""
    greek = sorted({s for s in re.findall(r"\\[A-Za-z]+", latex) if s in _SIGNS})
    return " ".join([*(f"{_SIGNS[s]} {s[1:]}" for s in greek)])


def search_index(claims: Sequence[Claim], titles: Mapping[str, str]) -> str:
    """`FEDVERDICT = {papers, claims: [[anchor, id, paper, at, title, verdict, sign, text], …]}` as JavaScript."""
    rows = []
    for c in claims:
        words = " ".join(
            part for part in (c.plainly, (c.words or c.why)[:_WORDS], _symbols(c.printed), c.weight) if part
        )
        words = re.sub(r"\s+", " ", words)
        rows.append([c.anchor, c.id, c.paper, c.at, c.title, c.verdict.word, c.verdict.sign, words])
    text = json.dumps({"papers": dict(titles), "claims": rows}, ensure_ascii=False, separators=(",", ":"))
    return f"window.FEDVERDICT = {text};\n"
