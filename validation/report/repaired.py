r"""The formula that holds, written out: the print with «new in place of old» done in it, what is new marked.

Done only where it is certain: both are formulas and no words, and the old one stands in the print exactly once, whole.
"""

from __future__ import annotations

import re
import unicodedata

from validation.report.mathml import NEW

__all__ = ["plain_latex", "repaired"]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\S")
# How a token is compared: accents of either width, bold and sizes are one; braces hold nothing but positions.
_SAME = {r"\widetilde": r"\tilde", r"\overline": r"\bar", r"\widehat": r"\hat", r"\tfrac": r"\frac", r"\star": "*"}
_SAME |= {r"\lVert": r"\|", r"\rVert": r"\|"}
_SILENT = frozenset(
    ("{", "}", r"\left", r"\right", r"\big", r"\Big", r"\bigg", r"\Bigg", r"\,", r"\;", r"\!", r"\mathbf")
)
_WORDS = frozenset(("max", "min"))
_SIGNS = {
    "−": "-",
    "·": "",
    "Σ": r"\sum ",
    "∇": r"\nabla ",
    "‖": r"\|",
    "⟨": r"\langle ",
    "⟩": r"\rangle ",
    "½": r"\tfrac12",
}
_SIGNS |= {
    "𝔼": r"\mathbb E",
    "√": r"\sqrt ",
    "∞": r"\infty ",
    "≤": r"\le ",
    "≥": r"\ge ",
    "ᵏ": "^k",
    "ᵗ": "^t",
    "ᵀ": r"^\top ",
}
_SIGNS |= {
    "ʲ": "^j",
    "ⁱ": "^i",
    "ₐ": "_a",
    "ₖ": "_k",
    "ₜ": "_t",
    "ᵢ": "_i",
    "ⱼ": "_j",
    "{": r"\{",
    "}": r"\}",
    "*": "^*",
}
_ACCENTS = {"\u0304": r"\bar ", "\u0303": r"\tilde ", "\u0302": r"\hat "}


def plain_latex(text: str) -> str | None:
    r"""«F̃ₖ(ω*)» as \tilde F_k(\omega^*); None for what has words in it or a sign that is not known."""
    if any(word not in _WORDS for word in re.findall(r"[A-Za-z]{3,}", text)):
        return None
    out: list[str] = []
    for char in unicodedata.normalize("NFD", text.strip()):
        if char in _ACCENTS:
            last = out.pop() if out else ""
            out.append(_ACCENTS[char] + last)
        elif char in _SIGNS:
            out.append(_SIGNS[char])
        elif "\u0370" <= char <= "\u03ff":
            name = unicodedata.name(char).rpartition(" ")[2].lower()
            out.append(f"\\{name.capitalize() if char.isupper() else name} ")
        elif char.isascii():
            out.append(char)
        elif (shape := unicodedata.decomposition(char)).startswith(("<super>", "<sub>")):
            mark, _, code = shape.partition(" ")
            out.append(f"{'^' if mark == '<super>' else '_'}{chr(int(code, 16))}")
        else:
            return None
    return re.sub(r"(?<![\\A-Za-z])(max|min)(?![A-Za-z])", r"\\\1 ", "".join(out))


def _tokens(latex: str) -> list[tuple[str, int, int]]:
    """(compared as, from, to) of each token that counts."""
    found = [(_SAME.get(m[0], m[0]), m.start(), m.end()) for m in _TOKEN.finditer(latex)]
    return [row for row in found if row[0] not in _SILENT]


def _span(print_: str, old: str) -> tuple[int, int] | None:
    """Where the old formula stands in the print; None where it does not stand there exactly once and whole."""
    there, wanted = _tokens(print_), [token for token, *_ in _tokens(old)]
    n = len(wanted)
    starts = [i for i in range(len(there) - n + 1) if [t for t, *_ in there[i : i + n]] == wanted] if wanted else []
    if len(starts) != 1:
        return None
    i = starts[0]
    before, after = (there[j][0] if 0 <= j < len(there) else "" for j in (i - 1, i + n))
    begin, end = there[i][1], there[i + n - 1][2]
    while print_[begin:end].count("{") > print_[begin:end].count("}") and print_[end : end + 1] == "}":
        end += 1
    whole = print_[begin:end].count("{") == print_[begin:end].count("}")
    apart = before not in {"^", "_", r"\mathbb", r"\mathcal", r"\bar", r"\tilde", r"\hat"} and after not in {"^", "_"}
    return (begin, end) if whole and apart else None


def repaired(statement: str, edit: str) -> str | None:
    r"""The printed LaTeX with the edit done, the new part between marks that `mathml` turns into a class; or None."""
    found = re.fullmatch(r"(.+?) in place of (.+?)(?: \([A-Z]+-[\w.]+\))?", edit)
    if found is None or ";" in edit:
        return None
    new, old = plain_latex(found[1]), plain_latex(found[2])
    span = None if new is None or old is None else _span(statement, old)
    if span is None or new is None:
        return None
    begin, end = span
    if re.match(r"\)\s*[\^_]", statement[end:]):  # a bracket with a power: the change may belong outside of it
        return None
    if new.startswith("(") and statement[begin - 1 : begin] == "(" and statement[end : end + 1] == ")":
        begin, end = begin - 1, end + 1
    return f"{statement[:begin]}{{{NEW[0]}{new}{NEW[1]}}}{statement[end:]}"
