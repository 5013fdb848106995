"""Numbers for eyes: 81 234 instances, a ratio of 1 + 3×10⁻⁷, a 3 × 2 matrix in aligned columns."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

__all__ = [
    "GREEK",
    "cited",
    "count",
    "nearby",
    "num",
    "ratio",
    "seconds",
    "sentence",
    "setting",
    "shape",
    "share",
    "tick",
    "typeset",
    "value",
    "with_mean",
]

_THIN = "\u202f"  # narrow no-break space: groups thousands, never breaks a line
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LONGEST = 12  # characters of a fraction that is read as it stands
_SHOWN = 12  # numbers of a long vector, rows of a long matrix
_SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "+-": "±"}
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "tau": "τ", "omega": "ω",
}  # fmt: skip
_NAMES = re.compile(rf"(?:(?<![\w-])|(?<=\b[A-Za-z]_))({'|'.join(GREEK)})(?=_\w|\b|[ᵏᵗᵀ⁰¹²³⁴-⁹])(?![=(-])")

_MEAN = re.compile(r"(?<!\w)E(?=[\[‖⟨Σ|]|\(E\[)")


def with_mean(text: str) -> str:
    """A text with 𝔼 where E is a mean."""
    return _MEAN.sub("𝔼", text)


def typeset(text: str) -> str:
    """Prose in the signs of mathematics: ≤ for <=, names of Greek letters as the letters, 3n for 3*n, 𝔼 for a mean.

    What is written as in a command, such as `alpha=0.2`, stays as it is. E is a mean before a bracket, a norm or a sum,
    and a number of local steps elsewhere, where papers write both with one letter.

    >>> typeset("mu <= L, eta_g = 1, E <= 8*kappa, at least 3*n/16, exp-alpha(alpha=0.2)")
    'μ ≤ L, η_g = 1, E ≤ 8κ, at least 3n/16, exp-alpha(alpha=0.2)'
    >>> typeset("p_tauᵏ < theta pᵏ, my_theta")
    'p_τᵏ < θ pᵏ, my_theta'
    >>> typeset("E[F(w)] and E||g||, EΣps, 8(E - 1)G² and 16E(1 + θ)")
    '𝔼[F(w)] and 𝔼||g||, 𝔼Σps, 8(E - 1)G² and 16E(1 + θ)'
    """
    text = with_mean(text)
    text = re.sub(r"<=|>=|!=|\+-", lambda sign: _SIGNS[sign[0]], text)
    text = _NAMES.sub(lambda name: GREEK[name[1]], text)
    return re.sub(r"(?<![\w*.])(\d+)\*(?=[^\W\d_])", r"\1", text)


def sentence(text: str) -> str:
    """A text with a capital at its beginning, where that is a word and no letter of a formula.

    >>> sentence("two clients"), sentence("a run"), sentence("ρ̃ < ρ̄"), sentence("w fixed")
    ('Two clients', 'A run', 'ρ̃ < ρ̄', 'w fixed')
    """
    is_word = re.match(r"(?:[a-z]{2,}|a)\b", text)
    return text[:1].upper() + text[1:] if is_word else text


def setting(text: str) -> str:
    """A setting of a published table as a reader writes it.

    >>> setting("NIID-1, K=5;E_local=10;rho=100")
    'NIID-1, K = 5, E local = 10, ρ = 100'
    """
    return typeset(re.sub(r" ?= ?", " = ", text.replace("_", " ").replace(";", ", ")))


def _power(x: float, digits: int) -> str:
    mantissa, exponent = f"{x:.{digits - 1}e}".split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    raised = "10" + str(int(exponent)).translate(_RAISED)
    if mantissa in {"1", "-1"}:
        return raised if mantissa == "1" else "−" + raised
    return mantissa.replace("-", "−") + "×" + raised


def num(x: float | None, digits: int = 4) -> str:
    """A number to `digits` significant digits; null is a dash, never blank."""
    if x is None:
        return "—"
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x != 0 and not 1e-3 <= abs(x) < 1e6:
        return _power(x, digits)
    shown = f"{x:.{digits}g}"
    if "e" in shown:  # as many digits before the point, also where rounding makes them one more
        shown = f"{x:.0f}"
    whole, _, rest = shown.lstrip("-").partition(".")
    grouped = f"{int(whole):,}".replace(",", _THIN) if len(whole) > 4 else whole
    return ("−" if shown.startswith("-") else "") + grouped + ("." + rest if rest else "")


def count(n: float | None) -> str:
    """A whole number, thousands grouped."""
    return "—" if n is None else f"{int(n):,}".replace(",", _THIN)


def ratio(x: float | None) -> str:
    """lhs/rhs to 4 digits; so close to 1 that they would read 1, the distance is written instead.

    Within 10⁻¹² of 1 the distance is rounding and nothing more.
    """
    if x is None or not math.isfinite(x) or abs(x - 1) <= 1e-12 or abs(x - 1) >= 5e-4:
        return num(x)
    return f"1 {'+' if x > 1 else '−'} {num(abs(x - 1), 2)}"


def share(x: float | None) -> str:
    """A share of one as a percentage; 99.97 % is not rounded up to all."""
    if x is None:
        return "—"
    percent = 100 * x
    shown = round(percent) if not 99 < percent < 100 else math.floor(percent * 10) / 10
    return f"{shown:g}{_THIN}%"


def seconds(x: float | None) -> str:
    """A duration: 3.2 s, 4 min 05 s."""
    if x is None:
        return "—"
    return f"{num(x, 2)}{_THIN}s" if x < 100 else f"{int(x // 60)}{_THIN}min {int(x % 60):02d}{_THIN}s"


def tick(x: float) -> str:
    """A tick label: as short as exact allows, powers of ten raised."""
    if x != 0 and not 1e-3 <= abs(x) < 1e5:
        return _power(x, 3)
    shown = f"{x:.6g}".replace("-", "−")
    return shown if abs(x) < 1e4 else f"{x:,.0f}".replace(",", _THIN)


def shape(x: object) -> str:
    """The shape of a nested list as '3 × 2', '' for a scalar or a ragged one."""
    sizes: list[str] = []
    while isinstance(x, Sequence) and not isinstance(x, str):
        sizes.append(str(len(x)))
        if not x or len({len(i) if isinstance(i, Sequence) and not isinstance(i, str) else -1 for i in x}) > 1:
            break
        x = x[0]
    return " × ".join(sizes)


def _scalar(x: object) -> str:
    if isinstance(x, bool) or x is None or isinstance(x, str):
        return {True: "yes", False: "no", None: "—"}.get(x, str(x)) if not isinstance(x, str) else x
    return f"{x:.6g}".replace("-", "−") if isinstance(x, float) else str(x)


def _is_list(x: object) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, str)


def _kept(n: int) -> list[int]:
    """Indices shown of n items; −1 stands for those left out."""
    return list(range(n)) if n <= _SHOWN else [*range(_SHOWN - 3), -1, n - 2, n - 1]


def _row(cells: Sequence[object], widths: Sequence[int]) -> str:
    shown = ["…" if i < 0 else _scalar(cells[i]) for i in _kept(len(cells))]
    return "  ".join(s.rjust(w) for s, w in zip(shown, widths, strict=True))


def _matrix(rows: Sequence[Sequence[object]]) -> list[str]:
    picked = [rows[i] for i in _kept(len(rows)) if i >= 0]
    columns = _kept(len(rows[0]))
    widths = [1 if c < 0 else max(len(_scalar(r[c])) for r in picked) for c in columns]
    return ["⋮" if i < 0 else _row(rows[i], widths) for i in _kept(len(rows))]


def _block(x: object) -> list[str]:
    if isinstance(x, Mapping):
        return [line for key in x for line in _labelled(str(key), _block(x[key]))]
    if not isinstance(x, Sequence) or isinstance(x, str):
        return [_scalar(x)]
    if not any(_is_list(i) or isinstance(i, Mapping) for i in x):
        return [_row(x, [1] * len(_kept(len(x))))] if x else ["(empty)"]
    lists = [i for i in x if isinstance(i, Sequence) and not isinstance(i, str)]
    if len(lists) == len(x) and len({len(i) for i in lists}) == 1 and lists[0] and not any(map(_nested, lists)):
        return _matrix(lists)
    return [line for i in _kept(len(x)) for line in (_labelled(f"[{i}]", _block(x[i])) if i >= 0 else ["⋮"])]


def _nested(row: Sequence[object]) -> bool:
    return any(_is_list(i) or isinstance(i, Mapping) for i in row)


def _labelled(label: str, lines: list[str]) -> list[str]:
    pad = " " * (len(label) + 2)
    return [(f"{label}: " if i == 0 else pad) + line for i, line in enumerate(lines)]


def value(x: object) -> str:
    """A scalar, vector, matrix or nested list as aligned lines; long ones keep their ends around an ellipsis."""
    return "\n".join(_block(x))


def nearby(x: object) -> object:
    """The same with a short decimal behind ≈ for every fraction too long to be read; near 1 its distance from 1.

    >>> nearby(["1/3", "8771748653889101/140737488355328", "4503599627370495/4503599627370496"])
    ['1/3', '≈62.327', '≈1 − 2.2×10⁻¹⁶']
    """
    if isinstance(x, Mapping):
        return {key: nearby(item) for key, item in x.items()}
    if isinstance(x, Sequence) and not isinstance(x, str):
        return [nearby(item) for item in x]
    if not isinstance(x, str) or len(x) <= _LONGEST or not re.fullmatch(r"-?\d+(/\d+)?", x, re.ASCII):
        return x
    number = Fraction(x)
    off = number - 1
    try:
        if 0 < abs(off) < Fraction(1, 2000):
            return f"≈1 {'+' if off > 0 else '−'} {num(float(abs(off)), 2)}"
        return f"≈{num(float(number), 5)}"
    except OverflowError:
        return x


def cited(text: str, names: Mapping[str, str]) -> str:
    """The text with papers' keys as their names: «fedaware §5» is «FedAWARE §5».

    >>> cited("exp_alpha A.1; reflex", {"exp_alpha": "Exp-α", "efl": "EFL"})
    'Exp-α A.1; reflex'
    """
    if not names:
        return text
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![\w-])({known})(?![\w-])", lambda found: names[found[1]], text)
