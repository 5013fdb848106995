r"""Names of a script's numbers in the letters of its paper: `weights_1_2` of Exp-α is ρ₁,₂, of FedSSA w₁,₂.

Worlds of all papers call the same thing by the same name; what a paper writes for it stands here. Other names are
letters already, such as `sigma_1`, or words.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from markupsafe import Markup, escape

from validation.report.formula import is_greek, name_latex
from validation.report.mathml import mathml
from validation.report.readable import GREEK
from validation.statement.claim import Paper

__all__ = ["greek", "letter", "named", "notations"]

_LETTERS = {
    "exp_alpha": {"share": r"\rho", "weights": r"\rho^t", "optimum": r"\mathbf W^*", "start": r"\mathbf W^0"},
    "fedaware": {
        **dict.fromkeys(("share", "weights"), r"\lambda"),
        "applied": r"\tilde\lambda",
        "optimum": "x^*",
        "start": "x^0",
    },
    "efl": {"share": "p", "weights": r"p_\tau", "optimum": r"\omega^*", "start": r"\omega_0"},
    "fedssa": {"share": "p", "weights": "w", "optimum": r"\theta^*", "start": r"\theta^0"},
    "robust_aggregation": {"share": "p", "weights": r"\alpha_t", "optimum": "w^*", "start": "w^0"},
}
_INDEXED = re.compile(r"(.*?[A-Za-z])((?:_\d+)+)$")


def notations(papers: Sequence[Paper]) -> dict[str, dict[str, str]]:
    """LaTeX of every quantity by name, of each paper whose package has a module `notation` with its `NOTATION`."""
    packages = {Path(file).parent: n for n, m in list(sys.modules.items()) if (file := getattr(m, "__file__", None))}
    found = {}
    for paper in papers:
        module = f"{packages.get(paper.folder, '')}.notation"
        if paper.folder in packages and find_spec(module) is not None:
            found[paper.key] = {q.name: q.latex for q in import_module(module).NOTATION.by_name.values()}
    return found


def greek(text: str) -> str:
    """The text with names of Greek letters that stand before «=», «:» or at its end as the letters.

    >>> greek("gamma = A.9; cut: mu: free")
    'γ = A.9; cut: μ: free'
    """
    return re.sub(r"\b([A-Za-z]+)(?=\s*(?:[=:]|$))", lambda word: GREEK.get(str(word[1]), str(word[1])), text)


def letter(paper: str, name: str) -> str:
    r"""LaTeX of a name in a paper: `weights_1_2` is \rho^t_{1,2} in Exp-α."""
    found = _INDEXED.match(name)
    stem, index = (found[1], found[2].strip("_").split("_")) if found else (name, [])
    known = _LETTERS.get(paper, {}).get(stem)
    if known is None:
        shown = name_latex(stem)
        return shown if not index else _lowered(shown, index)
    return known if not index else _lowered(known, index)


def _lowered(latex: str, index: list[str]) -> str:
    # A letter that has a lower index already takes the others beside it.
    base, _, lower = latex.partition("_")
    if lower and "^" not in lower and "{" not in base:
        return f"{base}_{{{lower.strip('{}')},{','.join(index)}}}"
    return f"{{{latex}}}_{{{','.join(index)}}}" if "_" in latex else f"{latex}_{{{','.join(index)}}}"


def named(name: str, paper: str) -> Markup:
    """The name as a page shows it: a formula where it is a letter, words where it is words."""
    found = _INDEXED.match(name)
    stem = found[1] if found else name
    if stem in _LETTERS.get(paper, {}) or re.fullmatch(r"[A-Za-z]\d*", stem) or is_greek(stem.partition("_")[0]):
        return mathml(letter(paper, name), block=False)
    index = "" if found is None else " " + ", ".join(found[2].strip("_").split("_"))
    return escape(stem.replace("_", " ") + index)
