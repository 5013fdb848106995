r"""The letters that a printed formula has: `F^*` and `\eta_l` as they are written, indices and words apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["bare", "latex_of_symbol", "symbols"]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-zͰ-Ͽ]|\d+|[{}^_]|'|[^\sA-Za-z]")
_FONTS = {
    "mathbf",
    "boldsymbol",
    "mathcal",
    "mathrm",
    "mathfrak",
    "mathsf",
    "mathit",
    "bm",
    "left",
    "right",
    "displaystyle",
}
_ACCENTS = {"bar": "bar", "overline": "bar", "tilde": "tilde", "widetilde": "tilde", "hat": "hat", "widehat": "hat"}
_WORDS = {"text", "operatorname", "mathbb", "textstyle", "begin", "end", "label", "textbf", "textit", "mbox"}
_STARS = {"*", r"\star", r"\ast"}
_GREEK = frozenset(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta kappa lambda mu nu xi pi rho varrho sigma tau
    phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell Upsilon""".split()  # noqa: SIM905
)
_ROUNDS = frozenset("tkijsnT")  # indices that number rounds, clients or steps


def symbols(latex: str) -> tuple[str, ...]:
    r"""Letters with their accents and lower or starred marks, each once, in the order of print.

    >>> symbols(r"\min_t\mathbb E\|\nabla f(\mathbf x^t)\|^2\le\eta_l^2K+F^*+\bar\rho_t")
    ('f', 'x', 'eta_l', 'K', 'F*', 'bar rho')
    """
    return tuple(dict.fromkeys(_symbols(_TOKEN.findall(latex))))


def latex_of_symbol(symbol: str) -> str:
    r"""A symbol as LaTeX.

    >>> latex_of_symbol("bar rho"), latex_of_symbol("eta_l"), latex_of_symbol("hat omega*")
    ('\\bar{\\rho}', '\\eta_l', '\\hat{\\omega}^*')
    """
    accent, _, rest = symbol.rpartition(" ")
    star = "^*" if rest.endswith("*") else ""
    name, _, lower = rest.removesuffix("*").partition("_")
    letter = rf"\{name}" if len(name) > 1 else name
    return (rf"\{accent}{{{letter}}}" if accent else letter) + (f"_{lower}" if lower else "") + star


def bare(symbol: str) -> str:
    """A symbol without its marks, its accent kept: `eta_l` is `eta`, `F*` is `F`."""
    return symbol.partition("_")[0].rstrip("*")


def _symbols(tokens: list[str]) -> Iterator[str]:
    i, accent = 0, ""
    while i < len(tokens):
        token = tokens[i]
        name = token[1:] if token.startswith("\\") else ""
        if name in _WORDS:
            i = _after_group(tokens, i + 1)
            continue
        if name in _ACCENTS:
            accent = _ACCENTS[name]
            i += 1
            while i < len(tokens) and (tokens[i] == "{" or tokens[i][1:] in _FONTS):
                i += 1
            continue
        if token in "^_" and token:  # an index of what is no letter: a sum, a norm, a bracket
            i = _after_group(tokens, i + 1)
            continue
        if name in _GREEK or re.fullmatch(r"[A-Za-zͰ-Ͽ]", token):
            i, marks = _marks(tokens, i + 1)
            yield f"{accent} {name or token}{marks}".strip()
        else:
            i += 1
        accent = accent if name in _FONTS else ""


def _marks(tokens: list[str], i: int) -> tuple[int, str]:
    """Behind a letter: a star, and an index that is a name and no number or round."""
    lower = star = ""
    while i < len(tokens) and tokens[i] in {"^", "_", "}"}:
        if tokens[i] == "}":  # of \bar{x}_t
            if i + 1 < len(tokens) and tokens[i + 1] in {"^", "_"}:
                i += 1
                continue
            break
        end = _after_group(tokens, i + 1)
        inside = [t for t in tokens[i + 1 : end] if t not in "{}"]
        if tokens[i] == "^" and any(t in _STARS for t in inside):
            star = "*"
        if tokens[i] == "_" and len(inside) == 1 and re.fullmatch(r"[A-Za-z]", inside[0]) and inside[0] not in _ROUNDS:
            lower = f"_{inside[0]}"
        i = end
    return i, lower + star


def _after_group(tokens: list[str], i: int) -> int:
    """The place behind one argument: a group in braces or a single token."""
    if i >= len(tokens) or tokens[i] != "{":
        return i + 1
    depth = 0
    while i < len(tokens):
        depth += {"{": 1, "}": -1}.get(tokens[i], 0)
        i += 1
        if depth == 0:
            break
    return i
