r"""LaTeX as one line of Unicode for a terminal: \\frac{L}{\\mu}(\\Gamma-\\Omega) becomes L/μ (Γ − Ω)."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from validation.report.text.mathml import mathml

__all__ = ["linear"]

_RAISED = str.maketrans("0123456789+-−=()nitk*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵗᵏ*")
_LOWERED = str.maketrans("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_UP = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵗᵏ*ᵀ′″")
_LARGE = frozenset("∑∏∫")
_SPACED = frozenset("=≤≥<>≠≈≡≜→⇒⇔∈∝∼×±∀,;:")
_WORDS = frozenset(("max", "min", "sup", "inf", "log", "exp", "lim", "argmin", "argmax"))


def linear(latex: str) -> str:
    """The formula on one line; the LaTeX itself where it cannot be drawn."""
    drawn = mathml(latex, block=False)
    if not drawn.startswith("<math"):
        return latex
    text = _text(ElementTree.fromstring(re.sub(r"&(?!amp;|lt;|gt;|quot;|#)", "&amp;", drawn)))
    return re.sub(r"\s+", " ", text).replace("( ", "(").replace(" )", ")").strip()


def _row(children: list[Element]) -> str:
    out = ""
    for child in children:
        piece = _text(child)
        if child.tag == "mo" and piece in "+−-–" and out and not out.rstrip().endswith(("(", "[", "{", ",", "=", "≤")):
            piece = f" {piece} "
        out += piece
    return out


def _text(node: Element) -> str:
    parts = [_text(child) for child in node] if node.tag in _BUILT else []
    match node.tag:
        case "mfrac":
            return f"{_grouped(parts[0])}/{_grouped(parts[1])}"
        case "msup":
            return parts[0] + _raised(parts[1])
        case "msub":
            return parts[0] + _lowered(parts[1]) + (" " if parts[0] in _LARGE else "")
        case "msubsup":
            return parts[0] + _lowered(parts[1]) + _raised(parts[2]) + (" " if parts[0] in _LARGE else "")
        case "munder" | "munderover":
            if "⏟" in parts[1] or (node[0].tag == "munder" and "⏟" in (node[0][1].text or "")):
                return parts[0]  # a brace, and then the word below it
            return parts[0].strip() + _lowered(parts[1]) + (_raised(parts[2]) if len(parts) > 2 else "") + " "
        case "mover":
            over = parts[1].strip()
            mark = {"¯": "\u0304", "―": "\u0304", "‾": "\u0304", "~": "\u0303", "˜": "\u0303", "^": "\u0302"}.get(over)
            return parts[0] + mark if mark and len(parts[0]) == 1 else parts[0]
        case "msqrt":
            return f"√{_grouped(_row(list(node)))}"
        case "mtable":
            return "; ".join(_text(child) for child in node)
        case "mtr":
            return " ".join(_text(child) for child in node)
        case "mo":
            sign = (node.text or "").strip()
            return (
                f" {sign} "
                if sign in _SPACED and sign not in {",", ";"}
                else f"{sign} "
                if sign in {",", ";"}
                else sign
            )
        case "mi" | "mn" | "mtext":
            word = node.text or ""
            return f"{word} " if word in _WORDS else word
        case "mspace":
            return " "
    return _row(list(node))


_BUILT = frozenset(("mfrac", "msup", "msub", "msubsup", "munder", "munderover", "mover"))


def _grouped(text: str) -> str:
    text = text.strip()
    simple = re.fullmatch(r"[\w\u0304\u0303\u0302⁰-⁹₀-ₜᵢⱼₐ-ₜ²³*]+", text) is not None
    return text if simple or _is_bracketed(text) else f"({text})"


def _is_bracketed(text: str) -> bool:
    """Whether one pair of brackets is around all of it: of (a)/b + (c) it is not.

    >>> _is_bracketed("(a + (b))"), _is_bracketed("(a) + (b)")
    (True, False)
    """
    if not text.startswith("("):
        return False
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


def _raised(text: str) -> str:
    text = text.strip()
    if text in {"*", "∗", "⋆"}:
        return "*"
    moved = text.translate(_RAISED).replace(" ", "")
    return moved if moved and all(c in _UP for c in moved) else f"^{_braced(text)}"


def _lowered(text: str) -> str:
    text = text.strip()
    moved = text.translate(_LOWERED).replace(" ", "")
    return (
        moved
        if text and not re.search(r"[A-Za-z0-9()\s]", moved) and moved.isprintable() and moved != text
        else f"_{_braced(text)}"
    )


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"
