"""LaTeX to MathML that today's browsers draw: what the converter gives, repaired, checked and escaped.

latex2mathml leaves unknown commands as text, writes text unescaped and says bold or double-struck by an attribute
that MathML Core dropped. So its tree is rebuilt here; whatever cannot be rebuilt is shown as the LaTeX it was.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from xml.etree.ElementTree import Element

from markupsafe import Markup, escape

from validation.report.text.readable import count, typeset
from validation.report.text.symbols import with_means

__all__ = ["mathml", "prose"]

_LONGEST = 10_000  # characters; the converter is not linear, and nobody reads a longer formula

_REWRITES = (
    (re.compile(r"\\begin\{(aligned|align|split|gather|gathered)\}"), r"\\begin{align*}"),
    (re.compile(r"\\end\{(aligned|align|split|gather|gathered)\}"), r"\\end{align*}"),
    (
        re.compile(r"\\operatorname\*?\s*\{\s*arg(?:\\[,;! ]|\s)*(min|max)\s*\}|\\arg(min|max)(?![A-Za-z])"),
        r"\\arg\\\1\2",
    ),
    (re.compile(r"\\arg(?![A-Za-z])"), r"\\operatorname{arg}"),
    (re.compile(r"\\operatorname\*"), r"\\operatorname"),
    (re.compile(r"\\[Bb]igg?[lrm]?(?=\\(?:langle|rangle|lfloor|rfloor|lceil|rceil)(?![A-Za-z]))"), ""),
    (re.compile(r"\\eqref\s*\{([^{}]*)\}"), r"\\text{(\1)}"),
    (re.compile(r"\\(nonumber|notag|displaystyle|textstyle)(?![A-Za-z])"), ""),
    (re.compile(r"\\label\s*\{[^{}]*\}"), ""),
)
# fmt: off
_TAGS = frozenset((
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "mpadded",
    "mphantom", "menclose", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
    "mprescripts", "mtable", "mtr", "mtd",
))
_ATTRIBUTES = frozenset((
    "display", "displaystyle", "scriptlevel", "stretchy", "fence", "separator", "form", "minsize", "maxsize",
    "symmetric", "lspace", "rspace", "movablelimits", "accent", "accentunder", "width", "height", "depth",
    "linethickness", "columnalign", "rowspacing", "columnspacing",
))
# fmt: on
_ARITY = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
_DELIMITERS = {"\\|": "‖", "\\{": "{", "\\}": "}"}
_LIMITS = frozenset({"max", "min", "sup", "inf", "lim", "limsup", "liminf", "argmax", "argmin"})
_BARS = frozenset("¯―‾")
_ACCENTS = frozenset("~^˙¨→ˇ")
# First code points of A, a, 0, Α and α in each mathematical alphabet, and the letters Unicode had already elsewhere.
_ALPHABETS: dict[str, tuple[int, int, int, int, int]] = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2),
    "bold-italic": (0x1D468, 0x1D482, 0, 0x1D71C, 0x1D736),
    "double-struck": (0x1D538, 0x1D552, 0x1D7D8, 0, 0),
    "script": (0x1D49C, 0x1D4B6, 0, 0, 0),
    "bold-script": (0x1D4D0, 0x1D4EA, 0, 0, 0),
    "fraktur": (0x1D504, 0x1D51E, 0, 0, 0),
    "sans-serif": (0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0),
    "monospace": (0x1D670, 0x1D68A, 0x1D7F6, 0, 0),
}
_ELSEWHERE = dict(zip("𝔺𝔿𝕅𝕇𝕈𝕉𝕑𝒝𝒠𝒡𝒣𝒤𝒧𝒨𝒭𝒺𝒼𝓄𝔆𝔋𝔌𝔕𝔝", "ℂℍℕℙℚℝℤℬℰℱℋℐℒℳℛℯℊℴℭℌℑℜℨ", strict=True))


class _NotDrawableError(Exception):
    """The tree holds something no browser would draw as meant."""


def _in_alphabet(text: str, variant: str) -> str:
    starts = _ALPHABETS[variant]
    spans = (("A", "Z"), ("a", "z"), ("0", "9"), ("Α", "Ω"), ("α", "ω"))
    out = []
    for char in text:
        for start, (first, last) in zip(starts, spans, strict=True):
            if start and first <= char <= last:
                moved = chr(start + ord(char) - ord(first))
                char = _ELSEWHERE.get(moved, moved)
                break
        out.append(char)
    return "".join(out)


def _text(node: Element) -> str:
    """The characters of a leaf; a leaf that was given children is read as the words in them."""
    text = html.unescape("".join(node.itertext()))
    text = _DELIMITERS.get(text, text)
    if "\\" in text or (node.tag == "mi" and text in {"&", "{", "}", "$"}):
        raise _NotDrawableError(text)
    return text


def _joined(children: list[Element]) -> list[Element]:
    r"""Upright letters in a row are one word: \mathrm{softmax} is not six products."""
    out: list[Element] = []
    for child in children:
        upright = child.tag == "mi" and child.get("mathvariant") == "normal"
        if upright and out and out[-1].tag == "mi" and out[-1].get("mathvariant") == "normal":
            out[-1].text = (out[-1].text or "") + (child.text or "")
        else:
            out.append(child)
    return out


def _as_words(node: Element) -> Element:
    r"""The note under a brace, \underbrace{…}_{vanishing}, is a word even where the print sets it as a product."""
    leaves = list(node) if node.tag == "mrow" else [node]
    texts = [html.unescape(leaf.text or "") for leaf in leaves]
    letters = [t for leaf, t in zip(leaves, texts, strict=True) if leaf.tag == "mi" and t.isalpha() and len(t) == 1]
    rest = [t for t in texts if t not in letters]
    if len(letters) < 4 or any(t not in {"−", "-"} for t in rest):
        return node
    words = Element("mtext")
    words.text = "".join(texts).replace("−", "-")
    return words


def _is_brace(node: Element) -> bool:
    return node.tag in {"munder", "mover"} and len(node) == 2 and html.unescape(node[1].text or "") in {"⏟", "⏞"}


def _is_capital(node: Element) -> bool:
    base = "".join(map(html.unescape, node.itertext()))
    return len(base) == 1 and unicodedata.normalize("NFKC", base).isupper()


def _repair(node: Element) -> tuple[str, dict[str, str], list[Element]]:
    """Tag, attributes and children as MathML Core wants them."""
    tag, attributes, children = node.tag, dict(node.attrib), _joined(list(node))
    if tag in {"munder", "mover"} and len(children) == 2:
        if _is_brace(children[0]):
            children[1] = _as_words(children[1])
        mark = html.unescape(children[1].text or "")
        if tag == "mover" and children[1].tag == "mo" and mark in _BARS:
            if len("".join(map(html.unescape, children[0].itertext()))) > 1:
                # Few fonts can stretch a bar over a product: a border does it in all of them.
                return "mrow", {"class": "overline"}, [children[0]]
            # As an accent it would touch a tall letter; as a script it stands clear.
            children[1].text = "¯"
            attributes.pop("accent", None)
            children[1].attrib.pop("accent", None)
        elif tag == "mover" and children[1].tag == "mo" and mark in _ACCENTS:
            attributes["accent"] = "false" if _is_capital(children[0]) else "true"
    if tag in {"msub", "msup", "msubsup"} and children and children[0].tag == "mo":
        if re.sub(r"\W", "", html.unescape(children[0].text or "")) in _LIMITS:
            tag = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}[tag]
            children[0].set("movablelimits", "true")
        elif children[0].get("minsize"):
            # A bracket of fixed size that carries an exponent is only sized inside a row.
            row = Element("mrow")
            row.append(children[0])
            children[0] = row
    return tag, attributes, children


def _serialise(node: Element, follower: str = "") -> str:
    """The element as HTML, its text escaped."""
    tag, attributes, children = _repair(node)
    if tag not in _TAGS or attributes.get("linebreak") or len(children) != _ARITY.get(tag, len(children)):
        raise _NotDrawableError(tag)
    if tag in {"mi", "mn", "mo", "mtext"}:
        text = _text(node)
        variant = attributes.pop("mathvariant", "")
        if tag == "mi" and not variant and len(text) > 1 and text.isalpha():
            tag = "mo"  # log T, not logT
        if variant in _ALPHABETS:
            text = _in_alphabet(text, variant)
        if tag == "mo" and text == "*":
            text = "∗"
        if tag == "mo" and "minsize" in attributes:
            attributes |= {"stretchy": "true", "symmetric": "true"}
        if tag == "mo" and text in {"|", "‖"}:
            # A norm bar only grows when \left or \Big says so, and is no relation with space around it.
            attributes = {"stretchy": "false", **attributes, "lspace": "0", "rspace": "0"}
        if tag == "mi" and not variant and len(text) == 1 and "Α" <= text <= "Ω":
            variant = "normal"  # TeX sets capital Greek upright
        if tag == "mo" and len(text) > 1 and text.isalpha():
            # A named operator keeps a thin space, but none before its bracket.
            attributes |= {"lspace": "0.17em", "rspace": "0" if follower in {"(", "[", "{"} else "0.17em"}
        keep_upright = variant == "normal" and tag == "mi" and len(text) == 1
        body = html.escape(text, quote=False)
    else:
        keep_upright = False
        after = [html.unescape(child.text or "") for child in children[1:]] + [""]
        body = "".join(_serialise(child, nxt) for child, nxt in zip(children, after, strict=False))
    kept = {k: v for k, v in attributes.items() if k in _ATTRIBUTES}
    if keep_upright:
        kept["mathvariant"] = "normal"
    if attributes.get("class") == "overline":
        kept["class"] = "overline"
    shown = "".join(f' {k}="{html.escape(v)}"' for k, v in sorted(kept.items()))
    return f"<{tag}{shown}>{body}</{tag}>"


def _convert(latex: str, display: str) -> Markup:
    from latex2mathml.converter import convert_to_element

    drawn = _serialise(convert_to_element(latex, display=display))
    return Markup(drawn.replace("<mi>:</mi><mo>=</mo>", "<mo>:=</mo>"))


@lru_cache(maxsize=1 << 15)  # the letters of a paper stand on most of its pages
def mathml(latex: str, *, block: bool = True) -> Markup:
    """`<math>` for LaTeX without $ signs; `<code class="latex">` with the LaTeX itself where it cannot be drawn.

    What is longer than any formula in a paper is not drawn either, so that the time is linear in the length.
    """
    latex = latex.strip()
    if not latex:
        return Markup("")
    if len(latex) > _LONGEST:
        return Markup('<code class="latex">') + escape(latex) + Markup("</code>")
    source = with_means(latex)
    for pattern, replacement in _REWRITES:
        source = pattern.sub(replacement, source)
    attempts = [source]
    if "\\\\" in source and "\\begin" not in source:
        attempts = ["\\begin{align*}" + source + "\\end{align*}"]
    for attempt in attempts:
        try:
            return _convert(attempt, "block" if block else "inline")
        except Exception:
            # The converter fails in many ways on damaged LaTeX (IndexError, KeyError, its own): each has this one cure.
            continue
    return Markup('<code class="latex">') + escape(latex) + Markup("</code>")


def prose(text: str) -> Markup:
    """Plain text, escaped, with `$…$` drawn as inline mathematics; «ρ^t» is ρᵗ, «eta_g <= 1» has an index and ≤.

    An odd number of $ signs means money, not math.
    """
    parts = text.split("$")
    if len(parts) % 2 == 0:
        return _indexed(text)
    return Markup("").join(mathml(p, block=False) if i % 2 else _indexed(p) for i, p in enumerate(parts))


# One letter, Greek or not, with what marks it, and an index: one sign, after which a product may go on, or in braces.
# A Greek one may stand behind others, as in Kσ_l², any behind a sum.
_LETTER = r"(?:(?<![\w/.-])|(?<=Σ))[^\W\d_]|(?<![/.-])[α-ωΑ-Ω]"
_INDEX = re.compile(
    rf"((?:{_LETTER})[\u0300-\u036f]*)_(?:\{{([^{{}}]+)\}}|([A-Z]{{2}}(?![A-Za-z])|[A-Za-z0-9α-ω])(?![a-z_]))"
)
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")


def _indexed(text: str) -> Markup:
    """The text in the signs of mathematics, with indices set low."""
    shown = str(escape(typeset(_raised(_grouped(text)))))
    return Markup(_INDEX.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", shown))


def _grouped(text: str) -> str:
    """Thousands as everywhere on a page: «27,306» as «27 306»."""
    return _THOUSANDS.sub(lambda found: count(int(found[0].replace(",", ""))), text)


_SUPERSCRIPTS = dict(zip("0123456789Tkt", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵀᵏᵗ", strict=True))


def _raised(text: str) -> str:
    """«ρ^t» as «ρᵗ»: exponents of one sign that has a raised form."""
    return re.sub(r"(?<=[\w)])\^([0-9Tkt])(?![\w^(])", lambda found: _SUPERSCRIPTS[found[1]], text)
