"""Plain text as a LaTeX source that pdflatex compiles: signs, Greek letters, indices and accents as mathematics."""

from __future__ import annotations

import re
import unicodedata

from validation.report.text.readable import with_mean

__all__ = ["ascii_math", "in_tex"]

_TEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "$": r"\$"}
_TEX |= {"^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$"}
_TEX |= {"×": r"$\times$", "−": "$-$", "→": r"$\to$", "∞": r"$\infty$", "Σ": r"$\sum$", "∇": r"$\nabla$"}
_TEX |= {"<": "$<$", ">": "$>$", "|": r"$\vert$", "‖": r"$\Vert$", "≠": r"$\ne$", "∈": r"$\in$", "√": r"$\surd$"}
_TEX |= {"⟨": r"$\langle$", "⟩": r"$\rangle$", "·": r"$\cdot$", "∓": r"$\mp$", "±": r"$\pm$", "∝": r"$\propto$"}
_TEX |= {
    "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$",
    "⌈": r"$\lceil$",
    "⌉": r"$\rceil$",
    "𝔼": r"$\mathbb{E}$",
    "∀": r"$\forall$",
}
_TEX |= {
    "𝒰": r"$\mathcal{U}$",
    "½": r"$\frac{1}{2}$",
    "¼": r"$\frac{1}{4}$",
    "…": r"\dots{}",
    "′": "$'$",
    "≡": r"$\equiv$",
}
_TEX |= {
    "«": "``",
    "»": "''",
    "“": "``",
    "”": "''",
    "’": "'",
    "–": "--",
    "—": "---",
    "∂": r"$\partial$",
    "⊤": r"$\top$",
}
_TEX |= {"§": r"\S{}", "≪": r"$\ll$", "≫": r"$\gg$", "∼": r"$\sim$"}
_TEX |= {"∪": r"$\cup$", "∩": r"$\cap$", "∘": r"$\circ$", "ℝ": r"$\mathbb{R}$", "ℓ": r"$\ell$", "⪯": r"$\preceq$"}
_TEX |= {"ε": r"$\varepsilon$", "ϕ": r"$\phi$", "ẟ": r"$\delta$", "∥": r"$\Vert$", "∏": r"$\prod$", "∑": r"$\sum$"}
_TEX |= {"⇒": r"$\Rightarrow$", "⇔": r"$\Leftrightarrow$", "↦": r"$\mapsto$", "∧": r"$\wedge$", "∨": r"$\vee$"}
_NAMES = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon varphi chi "
    "psi omega Gamma Delta Theta Lambda Xi Pi Phi Psi Omega"
)
_LETTERS = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΦΨΩ", re.findall(r"\w+", _NAMES), strict=True))
_TEX |= {letter: f"$\\{name}$" for letter, name in _LETTERS.items()}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾ᵀᴳᵃᵇᵈᵉⁱʲᵏˡᵐⁿᵖʳˢᵗ", "0123456789-+()TGabdeijklmnprst", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜₓ", "0123456789+-()aehijklmnoprstx", strict=True))
_TEX |= {c: f"$^{{{v}}}$" for c, v in _RAISED.items()} | {c: f"$_{{{v}}}$" for c, v in _LOWERED.items()}
_PLAIN = str.maketrans(_RAISED | _LOWERED)
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar"}
_INDEX = re.compile("(?<=[A-Za-zα-ωΑ-Ω\u0302\u0303\u0304])([_^])(?:{([^{}]*)}|([A-Za-z0-9])(?![A-Za-z0-9]))")


def in_tex(text: str) -> str:
    r"""Plain text for a LaTeX source, in ASCII.

    >>> in_tex("η_l <= 1/L and W̄ of file_name")
    '$\\eta_{l}$ $\\le$ 1/L and $\\bar{W}$ of file\\_name'
    """
    text = with_mean(text)
    out, end = "", 0
    for found in _INDEX.finditer(text):  # an index said in plain text, such as η_l or p^{k}
        inner = _signs((found[2] or found[3]).translate(_PLAIN)).replace("$", "")
        out += _signs(text[end : found.start()]) + f"${found[1]}{{{inner}}}$"
        end = found.end()
    joined = (out + _signs(text[end:])).replace("$$", "")
    for mark in "_^":
        several = rf"(?:\{mark}\{{[^{{}}]*\}}){{2,}}"
        joined = re.sub(several, lambda found: _merged(found[0]), joined)
    return joined


def _merged(indices: str) -> str:
    """`^{t}^{+}^{1}` as one index."""
    return indices[0] + "{" + "".join(re.findall(r"\{([^{}]*)\}", indices)) + "}"


def ascii_math(latex: str) -> str:
    r"""A formula without signs that pdflatex has not: those inside `\\text` as text, others as mathematics.

    >>> ascii_math(r"\text{«λ»}=λ")
    "\\text{``$\\lambda$''}=\\lambda"
    """
    parts = re.split(r"(\\text\{(?:[^{}]|\{[^{}]*\})*\})", latex)
    out = []
    for i, part in enumerate(parts):
        signs = [c if c.isascii() else in_tex(c) if i % 2 else in_tex(c).strip("$") for c in part]
        out.append("".join(signs))
    return "".join(out)


def _signs(text: str) -> str:
    spaced = text.replace("\u202f", r"\,").replace("<=", "≤").replace(">=", "≥").replace("!=", "≠")
    parts = re.split(r"(\\,|[^\W_][\u0302\u0303\u0304\u0305])", _apart(spaced))
    return "".join(_part(part) for part in parts)


def _apart(text: str) -> str:
    """The text with letters that carry a bar, a hat or a tilde taken apart; others, such as ½, stay one sign."""
    return "".join(unicodedata.normalize("NFD", c) if c not in _TEX and c.isalpha() else c for c in text)


def _part(part: str) -> str:
    if part == r"\,":
        return part
    if len(part) == 2 and part[1] in _ACCENTS:
        letter = _TEX.get(part[0], part[0]).strip("$")
        return rf"$\{_ACCENTS[part[1]]}{{{letter}}}$"
    return "".join(_sign(char) for char in part)


def _sign(char: str) -> str:
    if char in _TEX or char.isascii():
        return _TEX.get(char, char)
    plain = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return "".join(_TEX.get(c, c) for c in plain) or "?"
