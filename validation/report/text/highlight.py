"""Python source with its comments, strings, keywords and numbers marked; plain text where it does not tokenise.

By hand, since Pygments marks the 526 scripts of a report in seven seconds, Python's own tokenizer in two.
"""

from __future__ import annotations

import html
import io
import keyword
import tokenize

from markupsafe import Markup

__all__ = ["python"]

_FSTRING = {
    getattr(tokenize, name) for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END") if hasattr(tokenize, name)
}


def _style(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.COMMENT:
        return "c"
    if token.type == tokenize.STRING or token.type in _FSTRING:
        return "s"
    if token.type == tokenize.NUMBER:
        return "n"
    return "k" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else ""


def python(source: str) -> Markup:
    """`source` escaped, each token of a marked kind in `<span class="c|s|n|k">`; every character is kept."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    out: list[str] = []
    done = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            style = _style(token)
            first, last = (starts[min(row, len(lines) + 1) - 1] + column for row, column in (token.start, token.end))
            if not style or last <= first or first < done:
                continue
            out += (
                html.escape(source[done:first]),
                f'<span class="{style}">',
                html.escape(source[first:last]),
                "</span>",
            )
            done = last
    except (tokenize.TokenError, SyntaxError, IndexError):
        # A ledger may carry a script of a newer Python: show it plain from here on.
        pass
    return Markup("".join((*out, html.escape(source[done:]))))
