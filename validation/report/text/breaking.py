r"""A displayed formula in parts between which a line may break: before a relation or a sum's + or −, behind a \quad."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from validation.report.text.mathml import mathml

__all__ = ["formula", "parts_of"]

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|.", re.DOTALL)
_RELATIONS = frozenset(
    (r"\le", r"\leq", r"\ge", r"\geq", r"\lt", r"\gt", r"\approx", r"\equiv", r"\sim", r"\propto", "=", "<", ">")
)
_SUMS = frozenset(("+", "-", r"\pm"))
_GAPS = frozenset((r"\quad", r"\qquad"))
_OPEN = frozenset(("{", "(", "[", r"\{", r"\langle", r"\lfloor", r"\lceil"))
_CLOSE = frozenset(("}", ")", "]", r"\}", r"\rangle", r"\rfloor", r"\rceil"))
_BARS = frozenset((r"\|", "|", r"\Vert"))
_DELIMITED = frozenset((r"\left", r"\right"))
_LONG = 150  # characters of a part that a line has room for
_SHORT = 60  # characters of a formula that stays whole
_WORDS = re.compile(r"\\text\{((?:[^{}]|\{[^{}]*\})*)\}")
_SENTENCE = 30  # characters of words in a print that are a sentence


def parts_of(latex: str) -> tuple[str, ...]:
    r"""The formula cut at its top level, which is outside of braces, brackets and bars; all parts together are it.

    >>> parts_of(r"\frac{a+b}{c}\le d+\|e-f\|,\qquad d=1")
    ('\\frac{a+b}{c}', '\\le d', '+\\|e-f\\|,', '\\qquad d', '=1')
    """
    cuts, depth, barred = [0], 0, False
    tokens = [(found[0], found.start()) for found in _TOKEN.finditer(latex)]
    i = 0
    while i < len(tokens):
        token, at = tokens[i]
        if token in _DELIMITED:
            depth += 1 if token == r"\left" else -1
            i += 1  # the bracket behind it opens and closes nothing more
        elif token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
        elif depth == 0 and token in _BARS:
            barred = not barred
        elif depth == 0 and not barred and (token in _RELATIONS | _GAPS or (token in _SUMS and _is_sum(tokens, i))):
            cuts.append(at)
        if depth < 0:
            return (latex,)
        i += 1
    if depth or barred:
        return (latex,)
    pieces = (latex[a:b].strip() for a, b in zip(cuts, [*cuts[1:], len(latex)], strict=True))
    return tuple(part for piece in pieces if piece and piece not in _GAPS for part in _within(piece))


def _within(part: str) -> tuple[str, ...]:
    r"""A long part that ends with a sum in brackets, cut within these.

    >>> _within(r"=\frac{a}{b}\left(" + "+".join("x_{1}y_{2}" for _ in range(20)) + r"\right)")[:2]
    ('=\\frac{a}{b}(x_{1}y_{2}', '+x_{1}y_{2}')
    """
    opening = part.find(r"\left(")
    if len(part) <= _LONG or opening < 0 or not part.endswith(r"\right)"):
        return (part,)
    inner = part[opening + len(r"\left(") : -len(r"\right)")]
    pieces = parts_of(inner)
    if len(pieces) < 2:  # one term, or brackets that do not belong together
        return (part,)
    return (f"{part[:opening]}({pieces[0]}", *pieces[1:-1], f"{pieces[-1]})")


def _is_sum(tokens: list[tuple[str, int]], i: int) -> bool:
    """Whether + or − stands between two summands and is no sign of one, nor an index without braces."""
    before = next((t for t, _ in reversed(tokens[:i]) if t.strip()), "")
    return bool(before) and before not in _RELATIONS | _GAPS | _OPEN | {"^", "_", ",", "&"}


def formula(latex: str) -> Markup:
    """A displayed formula that may break over lines; one with lines of its own, or a short one, stays whole."""
    latex = latex.strip()
    if any(len(words) > _SENTENCE for words in _WORDS.findall(latex)) and not re.search(r"[_^]\{?\\text", latex):
        return _sentence(latex)
    parts = parts_of(latex)
    if len(latex) <= _SHORT or len(parts) < 2 or "\\\\" in latex or r"\begin" in latex or latex.count("&"):
        return mathml(latex)
    drawn: list[Markup] = []
    for part in parts:
        gap = next((space for space in _GAPS if re.match(rf"\{space}(?![A-Za-z])", part)), "")
        one = mathml(part.removeprefix(gap) if gap or not drawn else "{}" + part, block=False)
        if one.startswith("<code"):
            return mathml(latex)
        drawn.append(
            Markup("&emsp;" if gap else "") + Markup(str(one).replace("<math", '<math displaystyle="true"', 1))
        )
    return Markup('<div class="formula">') + Markup(" ").join(drawn) + Markup("</div>")


def _sentence(latex: str) -> Markup:
    """A print that is words with signs between them, as words that break over lines."""
    shown, at = Markup(""), 0
    for found in _WORDS.finditer(latex):
        shown += _between(latex[at : found.start()])
        shown += escape(found[1].replace("``", "“").replace("''", "”"))
        at = found.end()
    return Markup('<div class="formula words">') + shown + _between(latex[at:]) + Markup("</div>")


def _between(latex: str) -> Markup:
    """Signs among words, with the spaces around them."""
    bare = re.sub(r"^(?:\\[ ,]|\s|\\q?quad(?![A-Za-z]))+|(?:\\[ ,]|\s|\\q?quad)+$", "", latex)
    before, after = latex.partition(bare)[::2] if bare else (latex, "")
    return Markup(" " if before else "") + mathml(bare, block=False) + Markup(" " if after else "")
