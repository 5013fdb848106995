r"""The letters that a formula or a sentence has: `F^*` and `\eta_l` as they are written, indices and words apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["bare", "latex_of_symbol", "symbols", "symbols_of_text", "with_means"]

_CALLED = ("var", "top", "Tr", "sign", "conv", "dist", "mask")  # functions that a print has without a font
_TOKEN = re.compile(
    rf"(?<![A-Za-z\\])(?:{'|'.join(_CALLED)})(?=[\\({{_|])|"
    r"\\[A-Za-z]+|\\.|[A-Za-zͰ-Ͽ]|\d+|[{}^_]|'|[^\sA-Za-z]"
)
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
_MEAN = re.compile(r"(?<![A-Za-z\\])(?<!\\mathbb )(?<!\\mathbb\{)E(?=\[)")
_ROUNDS = frozenset("tkijsnT")  # indices that number rounds, clients or steps


def symbols(latex: str) -> tuple[str, ...]:
    r"""Letters with their accents and lower or starred marks, each once, in the order of print.

    >>> symbols(r"\min_t\mathbb E\|\nabla f(\mathbf x^t)\|^2\le\eta_l^2K+F^*+\bar\rho_t")
    ('f', 'x', 'eta_l', 'K', 'F*', 'bar rho')
    """
    return tuple(dict.fromkeys(_symbols(_TOKEN.findall(with_means(latex)))))


def with_means(latex: str) -> str:
    r"""A formula with a mean as such, where a print has a plain letter.

    >>> with_means(r"E[F(w)]=O(1/T),\ \mathbb E[E(E-1)]")
    '\\mathbb E[F(w)]=O(1/T),\\ \\mathbb E[E(E-1)]'
    """
    return _MEAN.sub(r"\\mathbb E", latex)


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


def symbols_of_text(text: str) -> tuple[str, ...]:
    """Letters that stand alone in a sentence, or are Greek: those of «m_τ = E·pᵏ» and «W̄ᵗ», but not «A.4», «A3».

    >>> symbols_of_text("A run with m_τ = E·pᵏ/s and γ = 8LK, so that F* = 0 by A3 and A.4; B̄ ≤ 1")
    ('m', 'E', 'p', 's', 'gamma', 'F*', 'bar B')
    >>> symbols_of_text("Γ and Ω_t, not ΣρᵢF")
    ('Gamma', 'Omega', 'rho', 'F')
    """
    found = []
    for one in _IN_TEXT.finditer(unicodedata.normalize("NFD", text)):
        letter = _GREEK_SIGNS.get(one[1], one[1])
        accent = _ACCENT_SIGNS.get(one[2], "")
        lower = f"_{one[4]}" if one[4] and one[4] not in _ROUNDS else ""
        found.append(f"{accent} {letter}{lower}{'*' if one[3] else ''}".strip())
    return tuple(dict.fromkeys(found))


_SMALL = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
_GREEK_SIGNS = dict(zip("αβγδεζηθκλμνξπρστφχψω", re.findall(r"\w+", _SMALL), strict=True))
_GREEK_SIGNS |= {sign.upper(): name.capitalize() for sign, name in _GREEK_SIGNS.items()}
_ACCENT_SIGNS = {"\u0304": "bar", "\u0305": "bar", "\u0303": "tilde", "\u0302": "hat"}
_WORD_OF_ONE = r"(?:[aAI](?= [a-z(“«])|[A-Z](?=\.\d|\d))"  # «a client», «A.4», «T1»
_IN_TEXT = re.compile(
    rf"(?<![A-Za-z\u0300-\u036f\d._^’'«“-])(?!{_WORD_OF_ONE})([A-Za-z]|[α-ωΑ-ΡΤ-Ω])([\u0300-\u036f]?)(\*?)"
    r"(?:_([A-Za-z])(?![A-Za-z]))?(?!_\w\w|[A-Za-z’'”»-])"
)


def _symbols(tokens: list[str]) -> Iterator[str]:
    i, accent = 0, ""
    while i < len(tokens):
        token = tokens[i]
        name = token[1:] if token.startswith("\\") else ""
        if name in _WORDS:
            i = _after_group(tokens, i + 1)
            continue
        if name in _FONTS and (end := _word_ends(tokens, i + 1)):
            i = end
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
        if token in _CALLED:
            i += 1
            continue
        if name in _GREEK or re.fullmatch(r"[A-Za-zͰ-Ͽ]", token):
            i, marks = _marks(tokens, i + 1)
            yield f"{accent} {name or token}{marks}".strip()
        else:
            i += 1
        accent = accent if name in _FONTS else ""


def _word_ends(tokens: list[str], i: int) -> int:
    r"""The place behind a group that is a word, as that of `\mathrm{conv}`; 0 where it is none."""
    end = _after_group(tokens, i)
    inside = [t for t in tokens[i:end] if t not in {"{", "}", "_"}]
    return end if len(inside) > 1 and all(re.fullmatch(r"[A-Za-z]", t) for t in inside) else 0


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
